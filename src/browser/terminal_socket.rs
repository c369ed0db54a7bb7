//! WebSockets to terminals on this machine. Loaded lazily.

use futures_channel::mpsc::unbounded;
use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::JsCast as _;
use web_sys::{BinaryType, CloseEvent, MessageEvent, WebSocket};

use crate::browser::js::Listener;
use nexus_engine::port::terminal::{OpenSocket, Socket, SocketEvent, Sockets};

/// The browser's WebSockets.
#[derive(Clone, Copy, Debug, Default)]
pub struct BrowserSockets;

/// A WebSocket with its listeners.
struct OpenWebSocket {
    socket: WebSocket,
    _listeners: [Listener; 3],
}

impl Socket for OpenWebSocket {
    fn send(&self, bytes: &[u8]) {
        // One that is still opening refuses; nothing is sent before it has said that it is open.
        drop(self.socket.send_with_u8_array(bytes));
    }
}

impl Drop for OpenWebSocket {
    fn drop(&mut self) {
        // Closing without a code never throws.
        drop(self.socket.close());
    }
}

impl Sockets for BrowserSockets {
    fn open(&self, address: &str) -> Option<OpenSocket> {
        let socket = WebSocket::new_with_str(address, "tty").ok()?;
        socket.set_binary_type(BinaryType::Arraybuffer);
        let (to_here, events) = unbounded();
        let (opened, heard, closed) = (to_here.clone(), to_here.clone(), to_here);
        // Nobody listens once the terminal is detached.
        let listeners = [
            Listener::on(&socket, "open", move |_| drop(opened.unbounded_send(SocketEvent::Opened))),
            Listener::on(&socket, "message", move |event| {
                let data = event.dyn_into::<MessageEvent>().ok().map(|event| event.data());
                let bytes = data.and_then(|data| data.dyn_into::<ArrayBuffer>().ok());
                if let Some(bytes) = bytes {
                    drop(heard.unbounded_send(SocketEvent::Message(Uint8Array::new(&bytes).to_vec())));
                }
            }),
            Listener::on(&socket, "close", move |event| {
                let code = event.dyn_into::<CloseEvent>().map_or(0, |event| event.code());
                drop(closed.unbounded_send(SocketEvent::Closed(code)));
            }),
        ];
        Some((Box::new(OpenWebSocket { socket, _listeners: listeners }), events))
    }
}

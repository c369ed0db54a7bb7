//! WebSockets to terminals on this machine. Loaded lazily.

use futures_channel::mpsc::unbounded;
use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::JsCast as _;
use web_sys::{BinaryType, CloseEvent, MessageEvent, WebSocket};

use crate::browser::js::Listener;
use nexus_engine::port::terminal::{OpenSocket, Socket, SocketEvent, Sockets};

#[derive(Clone, Copy, Debug, Default)]
pub struct BrowserSockets;

struct OpenWebSocket {
    socket: WebSocket,
    _listeners: [Listener; 3],
}

impl Socket for OpenWebSocket {
    fn send(&self, bytes: &[u8]) {
        // A socket that is still opening throws; nothing is sent before it reports that it is open.
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
        let (sender, events) = unbounded();
        let (on_open, on_message, on_close) = (sender.clone(), sender.clone(), sender);
        // The receiver is gone once the terminal is detached.
        let listeners = [
            Listener::on(&socket, "open", move |_| drop(on_open.unbounded_send(SocketEvent::Opened))),
            Listener::on(&socket, "message", move |event| {
                let data = event.dyn_into::<MessageEvent>().ok().map(|event| event.data());
                let bytes = data.and_then(|data| data.dyn_into::<ArrayBuffer>().ok());
                if let Some(bytes) = bytes {
                    drop(on_message.unbounded_send(SocketEvent::Message(Uint8Array::new(&bytes).to_vec())));
                }
            }),
            Listener::on(&socket, "close", move |event| {
                let code = event.dyn_into::<CloseEvent>().map_or(0, |event| event.code());
                drop(on_close.unbounded_send(SocketEvent::Closed(code)));
            }),
        ];
        Some((Box::new(OpenWebSocket { socket, _listeners: listeners }), events))
    }
}

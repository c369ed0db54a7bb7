//! HTTP by `fetch`, with streamed responses; and WebSockets to terminals on this machine, which are loaded lazily.
//!
//! Never follows a redirect, sends cookies or a referrer, or caches a response. A failed request has no cause, since
//! scripts cannot see one.

use futures_channel::mpsc::unbounded;
use futures_util::future::{FutureExt, LocalBoxFuture};
use futures_util::stream;
use futures_util::stream::{LocalBoxStream, StreamExt};
use gloo_net::http::{Headers, Request, Response};
use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, BinaryType, CloseEvent, MessageEvent, ReadableStreamDefaultReader,
    ReadableStreamReadResult, ReferrerPolicy, RequestCache, RequestCredentials, RequestRedirect, Url,
    WebSocket,
};

use crate::browser::js;
use crate::browser::js::Listener;
use crate::browser::lifecycle::{is_hidden, now_ms, sleep};
use nexus_engine::port::lazy::{OpenSocket, Socket, SocketEvent, Sockets};
use nexus_engine::port::{Http, HttpError, HttpResponse};
use nexus_providers::http::{HeaderValue, HttpRequest, Method};

/// How long a page may run on after the browser aborted its fetches because the user leaves it, in milliseconds.
const LEAVING_MS: u64 = 250;

/// How long received bytes are processed before other work of the page runs, in milliseconds. What the browser has
/// already received, it delivers within one task, however long that is.
const SLICE_MS: u64 = 8;
/// Maximum size of a chunk, in bytes: small enough for a slice.
const CHUNK_BYTES: u32 = 16 * 1024;

#[derive(Clone, Copy, Debug, Default)]
pub struct FetchHttp;

impl Http for FetchHttp {
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>> {
        send(request).boxed_local()
    }
}

/// Aborts a fetch when dropped; a no-op once the whole body was read.
struct AbortOnDrop(AbortController);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn send(request: HttpRequest) -> Result<HttpResponse, HttpError> {
    check_address(&request.url)?;
    let headers = headers(&request.headers)?;
    let abort = AbortController::new().map(AbortOnDrop).map_err(|thrown| unreachable(&thrown))?;
    let builder = match request.method {
        Method::Get => Request::get(&request.url),
        Method::Post => Request::post(&request.url),
    };
    let builder = builder
        .headers(headers)
        .redirect(RequestRedirect::Error)
        .credentials(RequestCredentials::Omit)
        .cache(RequestCache::NoStore)
        .referrer_policy(ReferrerPolicy::NoReferrer)
        .abort_signal(Some(&abort.0.signal()));
    let request = match request.body {
        Some(body) => builder.body(body),
        None => builder.build(),
    };
    let unreachable_error = |error: gloo_net::Error| HttpError::Unreachable(error.to_string());
    let response = match request.map_err(unreachable_error)?.send().await {
        Ok(response) => response,
        Err(error) => {
            delay_unless_leaving().await;
            return Err(unreachable_error(error));
        }
    };
    let headers = response.headers();
    Ok(HttpResponse {
        status: response.status(),
        content_type: headers.get("content-type").map(|value| media_type(&value)),
        retry_after: headers.get("retry-after"),
        retry_after_ms: headers.get("retry-after-ms"),
        body: body(&response, abort)?,
    })
}

/// Waits a moment. A page that the user leaves does not outlast it: the browser aborts its fetches just before, and
/// that must not look like a network error.
async fn delay_unless_leaving() {
    sleep(LEAVING_MS).await;
}

/// Allows only `http` and `https` addresses.
fn check_address(address: &str) -> Result<(), HttpError> {
    let url =
        Url::new(address).map_err(|_| HttpError::Unreachable(format!("“{address}” is not an address")))?;
    match url.protocol().as_str() {
        "http:" | "https:" => Ok(()),
        other => Err(HttpError::Unreachable(format!("addresses with “{other}” are not called"))),
    }
}

/// Validates headers before they are set: the browser's error for an invalid one would contain its value, which may be
/// a key.
fn headers(pairs: &[(String, HeaderValue)]) -> Result<Headers, HttpError> {
    let headers = Headers::new();
    for (name, value) in pairs {
        let value = value.reveal();
        let is_valid_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        let is_valid_value = value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if !is_valid_name || !is_valid_value {
            return Err(HttpError::Unreachable(format!(
                "the header “{name}” holds a character that cannot be sent"
            )));
        }
        headers.set(name, value);
    }
    Ok(headers)
}

/// The media type without parameters, in lower case.
fn media_type(header: &str) -> String {
    header.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Reads a body. Dropping it early cancels the stream and closes the connection.
struct BodyReader {
    reader: ReadableStreamDefaultReader,
    /// When the current task began to process bytes.
    slice_start: u64,
    /// What was read but not yet returned.
    rest: Uint8Array,
    _abort: AbortOnDrop,
}

impl Drop for BodyReader {
    fn drop(&mut self) {
        let cancelled = self.reader.cancel();
        wasm_bindgen_futures::spawn_local(async move {
            // If the body already failed, this repeats the error.
            drop(JsFuture::from(cancelled).await);
        });
    }
}

fn body(
    response: &Response,
    abort: AbortOnDrop,
) -> Result<LocalBoxStream<'static, Result<Vec<u8>, HttpError>>, HttpError> {
    let Some(body) = response.body() else { return Ok(stream::empty().boxed_local()) };
    let reader = body.get_reader().dyn_into().map_err(|other| unreachable(&other))?;
    let body_reader =
        BodyReader { reader, slice_start: now_ms(), rest: Uint8Array::default(), _abort: abort };
    let chunks = stream::unfold(Some(body_reader), |state| async move {
        let mut state = state?;
        match state.read().await {
            Ok(None) => None,
            Ok(Some(bytes)) => Some((Ok(bytes), Some(state))),
            // Nothing follows an error.
            Err(thrown) => {
                delay_unless_leaving().await;
                Some((Err(HttpError::Broken(js::message(&thrown))), None))
            }
        }
    });
    Ok(chunks.boxed_local())
}

impl BodyReader {
    /// The next bytes; `None` at the end.
    async fn read(&mut self) -> Result<Option<Vec<u8>>, JsValue> {
        let asked_at = now_ms();
        // The timers of a hidden page are slow, and nobody waits for its frames.
        if asked_at.saturating_sub(self.slice_start) >= SLICE_MS && !is_hidden() {
            sleep(0).await;
            self.slice_start = now_ms();
        }
        if self.rest.length() == 0 {
            let result: ReadableStreamReadResult = JsFuture::from(self.reader.read()).await?.unchecked_into();
            let received_at = now_ms();
            if received_at > asked_at {
                // It had to wait, so this is another task.
                self.slice_start = received_at;
            }
            if result.get_done().unwrap_or(true) {
                return Ok(None);
            }
            self.rest = result.get_value().dyn_into()?;
        }
        let length = self.rest.length();
        let chunk = self.rest.subarray(0, length.min(CHUNK_BYTES));
        self.rest = self.rest.subarray(chunk.length(), length);
        Ok(Some(chunk.to_vec()))
    }
}

fn unreachable(thrown: &JsValue) -> HttpError {
    HttpError::Unreachable(js::message(thrown))
}

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

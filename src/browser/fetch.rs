//! HTTP by `fetch`, with streamed answers.
//!
//! Never follows a redirect, sends cookies or a referrer, or caches an answer. Names no cause for a failed request,
//! since scripts cannot see one.

use futures_util::future::{FutureExt, LocalBoxFuture};
use futures_util::stream::{self, LocalBoxStream, StreamExt};
use gloo_net::http::{Headers, Request, Response};
use js_sys::Uint8Array;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, ReadableStreamDefaultReader, ReadableStreamReadResult, ReferrerPolicy, RequestCache,
    RequestCredentials, RequestRedirect, Url,
};

use crate::browser::clock::BrowserClock;
use crate::browser::js;
use nexus_engine::port::{Clock, Http, HttpError, HttpResponse};
use nexus_providers::http::{HeaderValue, HttpRequest, Method};

/// How long a page may go on after its fetches were broken off because it is left, in milliseconds.
const LEAVING_MS: u64 = 250;

#[derive(Clone, Copy, Debug, Default)]
pub struct FetchHttp;

impl Http for FetchHttp {
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>> {
        send(request).boxed_local()
    }
}

/// Ends a fetch when it is dropped. Once all was read that changes nothing.
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
    let said = |error: gloo_net::Error| HttpError::Unreachable(error.to_string());
    let response = match request.map_err(said)?.send().await {
        Ok(response) => response,
        Err(error) => {
            unless_leaving().await;
            return Err(said(error));
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

/// Ends in a moment, but never in a page that is being left: the browser breaks off its fetches just before, and what
/// the operator left must not look as if the network had failed.
async fn unless_leaving() {
    BrowserClock.sleep(LEAVING_MS).await;
}

/// Only addresses of the web are called, whatever somebody wrote into a setting.
fn check_address(address: &str) -> Result<(), HttpError> {
    let url =
        Url::new(address).map_err(|_| HttpError::Unreachable(format!("“{address}” is not an address")))?;
    match url.protocol().as_str() {
        "http:" | "https:" => Ok(()),
        other => Err(HttpError::Unreachable(format!("addresses with “{other}” are not called"))),
    }
}

/// Checked before they are handed over: a name or value that cannot be sent makes the browser throw, and the words of
/// that error would hold the value, which may be a key.
fn headers(wanted: &[(String, HeaderValue)]) -> Result<Headers, HttpError> {
    let headers = Headers::new();
    for (name, value) in wanted {
        let value = value.reveal();
        let fine_name = !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
        let fine_value = value.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if !fine_name || !fine_value {
            return Err(HttpError::Unreachable(format!(
                "the header “{name}” holds a character that cannot be sent"
            )));
        }
        headers.set(name, value);
    }
    Ok(headers)
}

/// The media type without its parameters, in lower case.
fn media_type(header: &str) -> String {
    header.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Reads a body. Dropped before its end, it stops the browser from reading on and closes the connection.
struct BodyReader {
    reader: ReadableStreamDefaultReader,
    _abort: AbortOnDrop,
}

impl Drop for BodyReader {
    fn drop(&mut self) {
        let cancelled = self.reader.cancel();
        wasm_bindgen_futures::spawn_local(async move {
            // Where the body broke off already the promise says so again; nobody needs to hear it.
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
    let reading = BodyReader { reader, _abort: abort };
    let pieces = stream::unfold(Some(reading), |reading| async move {
        let reading = reading?;
        match read(&reading.reader).await {
            Ok(None) => None,
            Ok(Some(bytes)) => Some((Ok(bytes), Some(reading))),
            // After a break nothing more comes.
            Err(thrown) => {
                unless_leaving().await;
                Some((Err(HttpError::Broken(js::words(&thrown))), None))
            }
        }
    });
    Ok(pieces.boxed_local())
}

/// The next bytes; `None` at the end.
async fn read(reader: &ReadableStreamDefaultReader) -> Result<Option<Vec<u8>>, JsValue> {
    let result: ReadableStreamReadResult = JsFuture::from(reader.read()).await?.unchecked_into();
    if result.get_done().unwrap_or(true) {
        return Ok(None);
    }
    let bytes: Uint8Array = result.get_value().dyn_into()?;
    Ok(Some(bytes.to_vec()))
}

fn unreachable(thrown: &JsValue) -> HttpError {
    HttpError::Unreachable(js::words(thrown))
}

//! Routes requests to the demo or to the network, and redacts API keys from every answer.

use std::rc::Rc;

use futures_util::StreamExt as _;
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::{self, LocalBoxStream};

use crate::client::EngineContext;
use crate::demo::{Demo, Script};
use crate::keys::KeyRing;
use crate::lazy::{ChunkLoadError, Load};
use crate::port::{Clock, Http, HttpError, HttpResponse};
use nexus_model::provider::DEMO_URL;
use nexus_providers::http::{HeaderValue, HttpRequest};
use nexus_text::redact::{RedactedStream, Redactor};

pub(crate) type HttpFuture = LocalBoxFuture<'static, Result<HttpResponse, HttpError>>;

/// Redacts the keys of this tab from all responses: bodies, headers and errors. It wraps the `Http` port for all
/// of the engine, so that no reader of a response needs to redact.
struct Redacted {
    http: Rc<dyn Http>,
    keys: KeyRing,
}

impl Http for Redacted {
    fn send(&self, request: HttpRequest) -> HttpFuture {
        let keys = self.keys.values();
        // A server may still echo a key that was replaced meanwhile.
        let sent = request.headers.iter().filter_map(|(_, value)| match value {
            HeaderValue::Secret(secret) => secret.reveal().split_whitespace().last(),
            HeaderValue::Plain(_) => None,
        });
        let redactor = Rc::new(Redactor::new(keys.iter().map(|key| key.reveal()).chain(sent)));
        let response = self.http.send(request);
        Box::pin(async move {
            match response.await {
                Ok(response) => Ok(redacted(response, redactor)),
                Err(error) => Err(without_keys(error, &redactor)),
            }
        })
    }
}

fn redacted(response: HttpResponse, redactor: Rc<Redactor>) -> HttpResponse {
    let header = |value: Option<String>| value.map(|value| redactor.text(&value));
    let HttpResponse { status, content_type, retry_after, retry_after_ms, body } = response;
    let (content_type, retry_after, retry_after_ms) =
        (header(content_type), header(retry_after), header(retry_after_ms));
    let reading =
        Reading { body, pieces: RedactedStream::new(Rc::clone(&redactor)), redactor, pending_error: None };
    let body = stream::unfold(Some(reading), |reading| async move { reading?.next().await });
    HttpResponse { status, content_type, retry_after, retry_after_ms, body: body.boxed_local() }
}

/// A body being read.
struct Reading {
    body: LocalBoxStream<'static, Result<Vec<u8>, HttpError>>,
    pieces: RedactedStream,
    redactor: Rc<Redactor>,
    /// The error to report after the buffered rest.
    pending_error: Option<HttpError>,
}

impl Reading {
    /// The next piece, and the rest of the body unless it ended.
    async fn next(mut self) -> Option<(Result<Vec<u8>, HttpError>, Option<Self>)> {
        if let Some(error) = self.pending_error.take() {
            return Some((Err(error), None));
        }
        loop {
            match self.body.next().await {
                Some(Ok(piece)) => {
                    let piece = self.pieces.push(piece);
                    if !piece.is_empty() {
                        return Some((Ok(piece), Some(self)));
                    }
                }
                Some(Err(error)) => {
                    let (error, left) = (without_keys(error, &self.redactor), self.pieces.end());
                    if left.is_empty() {
                        return Some((Err(error), None));
                    }
                    self.pending_error = Some(error);
                    return Some((Ok(left), Some(self)));
                }
                None => {
                    let left = self.pieces.end();
                    return (!left.is_empty()).then_some((Ok(left), None));
                }
            }
        }
    }
}

fn without_keys(error: HttpError, redactor: &Redactor) -> HttpError {
    match error {
        HttpError::Unreachable(message) => HttpError::Unreachable(redactor.text(&message)),
        HttpError::Broken(message) => HttpError::Broken(redactor.text(&message)),
    }
}

/// The network, and what sends a request there or to the demo.
#[derive(Clone)]
pub(crate) struct Network {
    pub(crate) http: Rc<dyn Http>,
    pub(crate) send: fn(Rc<dyn Http>, EngineContext, Demo, HttpRequest) -> HttpFuture,
}

/// Sends requests to the demo or to the network, by code that the first request loads.
pub(crate) struct LazyHttp {
    pub(crate) engine: EngineContext,
    pub(crate) load: Load<Network>,
    pub(crate) demo: Demo,
}

impl Http for LazyHttp {
    fn send(&self, request: HttpRequest) -> HttpFuture {
        let (engine, demo, outside) = (self.engine.clone(), self.demo, (self.load)());
        Box::pin(async move {
            let failed = |error: ChunkLoadError| HttpError::Unreachable(error.to_string());
            let Network { http, send } = outside.await.map_err(failed)?;
            send(http, engine, demo, request).await
        })
    }
}

/// Sends a request for the demo to the demo, any other to the network.
pub(crate) fn send(
    http: Rc<dyn Http>,
    engine: EngineContext,
    demo: Demo,
    request: HttpRequest,
) -> HttpFuture {
    if request.url.starts_with(DEMO_URL) {
        return Box::pin(ready(Ok(played(demo.answer_to(&request), engine.ports.clock))));
    }
    Redacted { http, keys: engine.handle.keys }.send(request)
}

/// Plays a script as a response with pauses.
fn played(script: Script, clock: Rc<dyn Clock>) -> HttpResponse {
    let body = stream::iter(script.beats).then(move |beat| {
        let clock = Rc::clone(&clock);
        async move {
            clock.sleep(u64::from(beat.pause_ms)).await;
            Ok(beat.bytes)
        }
    });
    HttpResponse {
        status: script.status,
        content_type: Some(script.content_type.to_owned()),
        retry_after: None,
        retry_after_ms: None,
        body: body.boxed_local(),
    }
}

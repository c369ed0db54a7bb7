//! Routes requests to the demo or to the network, and redacts API keys from every answer.

use std::rc::Rc;

use futures_util::StreamExt as _;
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::{self, LocalBoxStream};

use crate::client::EngineContext;
use crate::demo::{Rehearsal, Script};
use crate::keys::KeyRing;
use crate::lazy::ChunkLoadError;
use crate::port::{Clock, Http, HttpError, HttpResponse};
use nexus_model::provider::REHEARSAL_URL;
use nexus_providers::http::{HeaderValue, HttpRequest};
use nexus_text::redact::{RedactedStream, Redactor};

pub(crate) type HttpFuture = LocalBoxFuture<'static, Result<HttpResponse, HttpError>>;

/// Takes the keys of this tab out of all that comes from the network: bodies, headers and errors. It is around the `Http`
/// port for all of the engine, so that no reader of an answer has to think of it.
struct Redacted {
    outside: Rc<dyn Http>,
    keys: KeyRing,
}

impl Http for Redacted {
    fn send(&self, request: HttpRequest) -> HttpFuture {
        let held = self.keys.values();
        // A key that was replaced meanwhile is still repeated by whoever got it.
        let sent = request.headers.iter().filter_map(|(_, value)| match value {
            HeaderValue::Secret(secret) => secret.reveal().split_whitespace().last(),
            HeaderValue::Plain(_) => None,
        });
        let redactor = Rc::new(Redactor::new(held.iter().map(|key| key.reveal()).chain(sent)));
        let answer = self.outside.send(request);
        Box::pin(async move {
            match answer.await {
                Ok(answer) => Ok(redacted(answer, redactor)),
                Err(error) => Err(without_keys(error, &redactor)),
            }
        })
    }
}

/// An answer without the keys.
fn redacted(answer: HttpResponse, redactor: Rc<Redactor>) -> HttpResponse {
    let header = |value: Option<String>| value.map(|value| redactor.text(&value));
    let HttpResponse { status, content_type, retry_after, retry_after_ms, body } = answer;
    let (content_type, retry_after, retry_after_ms) =
        (header(content_type), header(retry_after), header(retry_after_ms));
    let reading = Reading { body, pieces: RedactedStream::new(Rc::clone(&redactor)), redactor, after: None };
    let body = stream::unfold(Some(reading), |reading| async move { reading?.next().await });
    HttpResponse { status, content_type, retry_after, retry_after_ms, body: body.boxed_local() }
}

/// A body that is being read.
struct Reading {
    body: LocalBoxStream<'static, Result<Vec<u8>, HttpError>>,
    pieces: RedactedStream,
    redactor: Rc<Redactor>,
    /// The error that follows what was held back when it came.
    after: Option<HttpError>,
}

impl Reading {
    /// The next piece, and the rest of the body where there may be one.
    async fn next(mut self) -> Option<(Result<Vec<u8>, HttpError>, Option<Self>)> {
        if let Some(error) = self.after.take() {
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
                    self.after = Some(error);
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
        HttpError::Unreachable(words) => HttpError::Unreachable(redactor.text(&words)),
        HttpError::Broken(words) => HttpError::Broken(redactor.text(&words)),
    }
}

/// The way outside and to Rehearsal, which is loaded with the first request.
pub(crate) struct LazyHttp {
    pub(crate) engine: EngineContext,
    pub(crate) rehearsal: Rehearsal,
}

impl Http for LazyHttp {
    fn send(&self, request: HttpRequest) -> HttpFuture {
        let (engine, rehearsal) = (self.engine.clone(), self.rehearsal);
        Box::pin(async move {
            let lost = |lost: ChunkLoadError| HttpError::Unreachable(lost.to_string());
            let late = engine.parts.late().await.map_err(lost)?;
            (late.send)(late.http, engine, rehearsal, request).await
        })
    }
}

/// Sends a request for Rehearsal to Rehearsal, and any other outside.
pub(crate) fn send(
    outside: Rc<dyn Http>,
    engine: EngineContext,
    rehearsal: Rehearsal,
    request: HttpRequest,
) -> HttpFuture {
    if request.url.starts_with(REHEARSAL_URL) {
        return Box::pin(ready(Ok(played(rehearsal.answer_to(&request), engine.ports.clock))));
    }
    Redacted { outside, keys: engine.handle.keys }.send(request)
}

/// A script as an answer that takes its time.
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

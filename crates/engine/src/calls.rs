//! Calls of a model: the context of a request, the client, retries and limits.
//!
//! The services for turns are loaded lazily, on the first context request.
//!
//! This file sends each request to the demo or to the network, and removes API keys from every answer.

pub mod context;
pub mod model_client;
pub mod prompt;
pub mod retry;

use crate::calls::model_client::ModelClient;
use crate::calls::retry::unmade_call;
use crate::client::EngineContext;
use crate::demo::{Demo, Script};
use crate::lazy::{ChunkLoadError, LazyService, Load, PeekableEvents};
use crate::port::{HttpError, HttpResponse};
use crate::prelude::*;
use crate::tools::executor;
use futures_util::future::ready;
use futures_util::stream;
use nexus_model::provider::DEMO_URL;
use nexus_providers::http::{HeaderValue, HttpRequest};
use nexus_text::redact::{RedactedStream, Redactor};

/// The services for turns: they build contexts, call models and run tools.
pub struct CallServices {
    /// `context.build.request`, the first event of each turn.
    pub(super) contexts: PeekableEvents,
    pub(super) calls: UnboundedReceiver<Arc<Event>>,
    pub(super) tools: UnboundedReceiver<Arc<Event>>,
    pub(super) client: ModelClient,
}

impl LazyService for CallServices {
    fn handles(_: &Event) -> bool {
        true
    }

    fn events(&mut self) -> &mut PeekableEvents {
        &mut self.contexts
    }

    async fn fail_pending(&mut self, error: ChunkLoadError) {
        while let Some(Some(event)) = self.contexts.next().now_or_never() {
            let (Some(turn), Some(EventKind::ContextRequested { call })) = (event.turn, event.known_kind())
            else {
                continue;
            };
            self.client.engine.tell(unmade_call(turn, *call, error.into())).await;
        }
    }
}

impl CallServices {
    pub fn begin(self) {
        let Self { contexts, calls, tools, client } = self;
        let engine = client.engine.clone();
        engine.start(context::serve(engine.clone(), contexts));
        engine.start(client.serve(calls));
        engine.start(executor::serve(engine.clone(), tools));
    }
}

pub(crate) type HttpFuture = LocalBoxFuture<'static, Result<HttpResponse, HttpError>>;

fn redacted(response: HttpResponse, redactor: Rc<Redactor>) -> HttpResponse {
    let header = |value: Option<String>| value.map(|value| redactor.text(&value));
    let HttpResponse { status, content_type, retry_after, retry_after_ms, body } = response;
    let (content_type, retry_after, retry_after_ms) =
        (header(content_type), header(retry_after), header(retry_after_ms));
    let mut pieces = RedactedStream::new(Rc::clone(&redactor));
    // What is held back comes at the end, or before the error that takes its place.
    let body = body.map(Some).chain(stream::once(ready(None))).flat_map(move |next| {
        stream::iter(match next {
            Some(Ok(piece)) => vec![Ok(pieces.push(piece))],
            Some(Err(error)) => vec![Ok(pieces.end()), Err(without_keys(error, &redactor))],
            None => vec![Ok(pieces.end())],
        })
    });
    let body = body.filter(|piece| ready(piece.as_ref().map_or(true, |piece| !piece.is_empty())));
    HttpResponse { status, content_type, retry_after, retry_after_ms, body: body.boxed_local() }
}

fn without_keys(error: HttpError, redactor: &Redactor) -> HttpError {
    match error {
        HttpError::Unreachable(message) => HttpError::Unreachable(redactor.text(&message)),
        HttpError::Broken(message) => HttpError::Broken(redactor.text(&message)),
    }
}

/// Sends a request to the network or the demo: [`send`] with its port.
pub(crate) type SendRequest = Rc<dyn Fn(EngineContext, Demo, HttpRequest) -> HttpFuture>;

/// Sends requests to the demo or to the network, by code that the first request loads.
pub(crate) struct LazyHttp {
    pub(crate) engine: EngineContext,
    pub(crate) load: Load<SendRequest>,
    pub(crate) demo: Demo,
}

impl Http for LazyHttp {
    fn send(&self, request: HttpRequest) -> HttpFuture {
        let (engine, demo, outside) = (self.engine.clone(), self.demo, (self.load)());
        Box::pin(async move {
            let failed = |error: ChunkLoadError| HttpError::Unreachable(error.to_string());
            outside.await.map_err(failed)?(engine, demo, request).await
        })
    }
}

/// Sends a request for the demo to the demo, any other to the network.
///
/// Redacts the keys of this tab from all responses (bodies, headers and errors) for all of the engine, so that no
/// reader of a response needs to redact.
pub(crate) fn send(http: &dyn Http, engine: EngineContext, demo: Demo, request: HttpRequest) -> HttpFuture {
    if request.url.starts_with(DEMO_URL) {
        return Box::pin(ready(Ok(played(demo.answer(&request), engine.ports.clock))));
    }
    let keys = engine.handle.keys.values();
    // A server may still echo a key that was replaced meanwhile.
    let sent = request.headers.iter().filter_map(|(_, value)| match value {
        HeaderValue::Secret(secret) => secret.reveal().split_whitespace().last(),
        HeaderValue::Plain(_) => None,
    });
    let redactor = Rc::new(Redactor::new(keys.iter().map(|key| key.reveal()).chain(sent)));
    let response = http.send(request);
    Box::pin(async move {
        match response.await {
            Ok(response) => Ok(redacted(response, redactor)),
            Err(error) => Err(without_keys(error, &redactor)),
        }
    })
}

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

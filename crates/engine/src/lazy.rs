//! Lazily loaded code: the port for provider codecs and the demo, and services that start on their first event.
//!
//! [`loader`] has the port for the engine's own lazy chunks.

pub mod loader;

use crate::checks::RunChecks;
use crate::port::lazy::Terminals;
use crate::prelude::*;
use futures_util::future::ready;
use futures_util::stream::Peekable;
use nexus_model::limits::CHUNK_RETRY_MS;
use nexus_model::provider::Protocol;
use nexus_providers::codec::Codec;
use std::fmt;
use std::pin::Pin;

/// A chunk could not be loaded. A retry may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkLoadError;

impl fmt::Display for ChunkLoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("A part of Nexus could not be loaded.")
    }
}

impl From<ChunkLoadError> for ProviderError {
    fn from(error: ChunkLoadError) -> Self {
        Self::new(ProviderErrorKind::Unreachable, error.to_string())
    }
}

/// For any cause: the network, or the browser.
impl<E: std::error::Error> From<E> for ChunkLoadError {
    fn from(_: E) -> Self {
        Self
    }
}

pub type LazyFuture<T> = LocalBoxFuture<'static, Result<T, ChunkLoadError>>;

/// Loads what model calls and their tools need. Loaded chunks are returned at once.
pub trait CodecLoader {
    fn codec(&self, protocol: Protocol) -> LazyFuture<&'static Codec>;
    /// Runs the checks of a session's files.
    fn checks(&self) -> LazyFuture<RunChecks>;
    /// The terminals that this tab is attached to; always the same.
    fn terminals(&self) -> LazyFuture<Rc<dyn Terminals>>;
    /// Waits until nothing else is being loaded; then tells whether to prefetch.
    fn may_fetch_ahead(&self) -> LocalBoxFuture<'static, bool> {
        Box::pin(ready(true))
    }
}

/// A service's events, not consumed until it starts.
pub(crate) type PeekableEvents = Pin<Box<Peekable<UnboundedReceiver<Arc<Event>>>>>;

pub(crate) trait LazyService: Sized {
    /// True if the service must handle this event: others do not load its chunk.
    fn handles(event: &Event) -> bool;
    fn events(&mut self) -> &mut PeekableEvents;
    /// Reports what is requested of the service, and cannot wait, as failed: its chunk could not be loaded.
    async fn fail_pending(&mut self, _error: ChunkLoadError) {}
}

/// Loads a value when it is first needed.
pub(crate) type Load<T> = Rc<dyn Fn() -> LazyFuture<T>>;

/// Loads and starts a service on the first event that concerns it. Only peeks, so the service still receives that
/// event.
pub(crate) async fn wait_for<S: LazyService>(mut service: S, clock: Rc<dyn Clock>, load: Load<fn(S)>) {
    while let Some(event) = service.events().as_mut().peek().await {
        if !S::handles(event) {
            service.events().next().await;
            continue;
        }
        match load().await {
            Ok(begin) => return begin(service),
            Err(error) => {
                service.fail_pending(error).await;
                clock.sleep(CHUNK_RETRY_MS).await;
            }
        }
    }
}

/// Retries until a chunk is loaded. The loader reports failures to the operator.
pub(crate) async fn until_loaded<T>(clock: &dyn Clock, load: impl Fn() -> LazyFuture<T>) -> T {
    loop {
        match load().await {
            Ok(part) => return part,
            Err(ChunkLoadError) => clock.sleep(CHUNK_RETRY_MS).await,
        }
    }
}

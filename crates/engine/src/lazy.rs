//! Lazily loaded code: the port for provider codecs and the demo, and services that start on their first event.
//!
//! [`loader`] has the port for the parts of the engine itself.

pub mod loader;

use std::fmt;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::future::{LocalBoxFuture, ready};
use futures_util::stream::{Peekable, StreamExt as _};

use crate::checks::RunChecks;
use crate::lazy::loader::{ChunkLoader, LateEngine};
use crate::port::Clock;
use crate::port::terminal::Terminals;
use nexus_model::event::Event;
use nexus_model::limits::PART_RETRY_MS;
use nexus_model::provider::Protocol;
use nexus_providers::codec::Codec;

/// A part of the program did not come. Asked for again, it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkLoadError;

impl fmt::Display for ChunkLoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("A part of Nexus could not be loaded.")
    }
}

/// Whatever kept it from coming: the network, or the browser.
impl<E: std::error::Error> From<E> for ChunkLoadError {
    fn from(_: E) -> Self {
        Self
    }
}

/// A part on its way.
pub type LazyFuture<T> = LocalBoxFuture<'static, Result<T, ChunkLoadError>>;

/// Gets what calls of models, and the tools that they call, need. What has come once is there at once.
pub trait CodecLoader {
    fn codec(&self, protocol: Protocol) -> LazyFuture<&'static Codec>;
    /// What runs the checks of a session's files.
    fn checks(&self) -> LazyFuture<RunChecks>;
    /// The terminals that this tab is attached to; always the same.
    fn terminals(&self) -> LazyFuture<Rc<dyn Terminals>>;
    /// Waits for a moment in which nothing else is loaded, and tells whether to load what nothing asks for yet.
    fn may_fetch_ahead(&self) -> LocalBoxFuture<'static, bool> {
        Box::pin(ready(true))
    }
}

/// What a service hears, with what it has not read yet.
pub(crate) type PeekableEvents = Pin<Box<Peekable<UnboundedReceiver<Arc<Event>>>>>;

/// A service that begins late.
pub(crate) trait LazyService: Sized {
    /// Whether it must see this event: what it does nothing about does not fetch its part.
    fn concerns(event: &Event) -> bool;
    fn events(&mut self) -> &mut PeekableEvents;
    fn clock(&self) -> &dyn Clock;
    /// Its part has not come: what cannot wait for it is told to have failed.
    async fn give_up(&mut self, _lost: ChunkLoadError) {}
}

/// Lets a service begin when something happens that it has to see, once the part of the engine has come. Only peeks, so
/// that the service still receives that event.
pub(crate) async fn wait_for<S: LazyService>(
    mut service: S,
    parts: Rc<dyn ChunkLoader>,
    begin: fn(LateEngine) -> fn(S),
) {
    while let Some(event) = service.events().as_mut().peek().await {
        if !S::concerns(event) {
            service.events().next().await;
            continue;
        }
        match parts.late().await {
            Ok(late) => return begin(late)(service),
            Err(lost) => {
                service.give_up(lost).await;
                service.clock().sleep(PART_RETRY_MS).await;
            }
        }
    }
}

/// Asks for a part again and again until it has come. Whoever loads it says that it is missing.
pub(crate) async fn until_loaded<T>(clock: &dyn Clock, load: impl Fn() -> LazyFuture<T>) -> T {
    loop {
        match load().await {
            Ok(part) => return part,
            Err(ChunkLoadError) => clock.sleep(PART_RETRY_MS).await,
        }
    }
}

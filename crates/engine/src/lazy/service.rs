//! Starts a lazily loaded service on its first event.
//!
//! Only peeks, so the service still receives that event. If its code fails to load, pending requests are reported as
//! failed.

use std::pin::Pin;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::stream::{Peekable, StreamExt as _};

use crate::lazy::{ChunkLoadError, LazyFuture};
use crate::port::Clock;
use nexus_model::event::Event;
use nexus_model::limits::PART_RETRY_MS;

/// What a service hears, with what it has not read yet.
pub(crate) type PeekableEvents = Pin<Box<Peekable<UnboundedReceiver<Arc<Event>>>>>;

/// A service that begins late.
pub(crate) trait LazyService: Sized {
    fn events(&mut self) -> &mut PeekableEvents;
    fn clock(&self) -> &dyn Clock;
    /// Its part has not come: what is wanted of it is told to have failed.
    async fn give_up(&self, lost: ChunkLoadError);
}

/// Lets a service begin when something happens that it has to see, once its part of the program has come.
pub(crate) async fn wait_for<S: LazyService>(mut service: S, part: impl Fn() -> LazyFuture<fn(S)>) {
    while let Some(event) = service.events().as_mut().peek().await {
        if event.stream.session().is_none() {
            service.events().next().await;
            continue;
        }
        match part().await {
            Ok(begin) => return begin(service),
            Err(lost) => {
                service.give_up(lost).await;
                service.clock().sleep(PART_RETRY_MS).await;
            }
        }
    }
}

//! Never does the work of a service, and never takes an event from it.
//!
//! Owns standing in for a service whose part of the program comes when it is needed: until something happens that it has
//! to see, and as long as its part does not come.

use std::pin::Pin;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::stream::{Peekable, StreamExt as _};

use crate::domain::event::Event;
use crate::domain::limits::PART_RETRY_MS;
use crate::engine::parts::{Coming, NotLoaded};
use crate::engine::port::Clock;

/// What a service hears, with what it has not read yet.
pub(super) type Events = Pin<Box<Peekable<UnboundedReceiver<Arc<Event>>>>>;

/// A service that begins late.
pub(super) trait Late: Sized {
    /// What it hears.
    fn events(&mut self) -> &mut Events;
    /// The clock.
    fn clock(&self) -> &dyn Clock;
    /// Its part has not come: what is wanted of it is told to have failed.
    async fn give_up(&self, lost: NotLoaded);
}

/// Lets a service begin when something happens that it has to see, once its part of the program has come.
pub(super) async fn wait_for<S: Late>(mut service: S, part: impl Fn() -> Coming<fn(S)>) {
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

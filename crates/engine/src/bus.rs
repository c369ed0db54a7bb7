//! Event bus: publishes what the ledger stored on topics that services subscribe to.
//!
//! Never drops an event silently: a request without a subscriber is an error that the operator sees.

use crate::prelude::*;
use futures_channel::mpsc::{UnboundedSender, unbounded};
use nexus_model::event::Topic;

type Subscriber = (Vec<Topic>, UnboundedSender<Arc<Event>>);

#[derive(Default)]
pub struct Bus {
    subscribers: RefCell<Vec<Subscriber>>,
    transient_subscribers: RefCell<Vec<UnboundedSender<TransientEvent>>>,
}

impl Bus {
    /// Subscribes to future events of these topics, in ledger order.
    pub fn subscribe(&self, topics: &[Topic]) -> UnboundedReceiver<Arc<Event>> {
        let (sender, receiver) = unbounded();
        self.subscribers.borrow_mut().push((topics.to_vec(), sender));
        receiver
    }

    pub fn subscribe_transient(&self) -> UnboundedReceiver<TransientEvent> {
        let (sender, receiver) = unbounded();
        self.transient_subscribers.borrow_mut().push(sender);
        receiver
    }

    /// Sends an event to the subscribers of its topic and returns their number.
    pub(crate) fn publish(&self, event: &Arc<Event>) -> usize {
        let Some(topic) = event.topic() else { return 0 };
        let mut subscribers = self.subscribers.borrow_mut();
        let mut delivered = 0;
        subscribers.retain(|(topics, sender)| {
            if !topics.contains(&topic) {
                return !sender.is_closed();
            }
            let alive = sender.unbounded_send(Arc::clone(event)).is_ok();
            delivered += usize::from(alive);
            alive
        });
        delivered
    }

    pub fn publish_transient(&self, event: &TransientEvent) {
        self.transient_subscribers.borrow_mut().retain(|sender| sender.unbounded_send(event.clone()).is_ok());
    }
}

#[cfg(test)]
mod tests;

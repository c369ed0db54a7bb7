//! Reports when the store is slow to respond, and when the browser deleted it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};

use crate::browser::clock::{now_ms, sleep};
use nexus_engine::port::StoreNews;
use nexus_text::vec_map::VecMap;

/// Response time after which the page is notified, in milliseconds.
const SLOW_MS: u64 = 2_000;
/// Polling interval, in milliseconds.
const POLL_MS: u64 = 500;

#[derive(Default)]
pub struct Watch {
    /// Start times of open requests, by request id.
    open: RefCell<VecMap<u64, u64>>,
    last_id: Cell<u64>,
    is_polling: Cell<bool>,
    is_slow: Cell<bool>,
    is_deleted: Cell<bool>,
    subscriber: RefCell<Option<UnboundedSender<StoreNews>>>,
}

impl Watch {
    /// The state of the store from now on, the current state first. Replaces the previous subscriber.
    pub fn follow(&self) -> UnboundedReceiver<StoreNews> {
        let (sender, news) = unbounded();
        *self.subscriber.borrow_mut() = Some(sender);
        if self.is_slow.get() {
            self.send(StoreNews::Slow(true));
        }
        if self.is_deleted.get() {
            self.send(StoreNews::Deleted);
        }
        news
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.is_deleted.get()
    }

    pub(super) fn note_deleted(&self) {
        if !self.is_deleted.replace(true) {
            self.send(StoreNews::Deleted);
        }
    }

    /// Starts a request; it ends when the returned value is dropped.
    pub(super) fn begin(self: &Rc<Self>) -> Request {
        let id = self.last_id.get().wrapping_add(1);
        self.last_id.set(id);
        self.open.borrow_mut().insert(id, now_ms());
        if !self.is_polling.replace(true) {
            wasm_bindgen_futures::spawn_local(Rc::clone(self).poll());
        }
        Request { watch: Rc::clone(self), id }
    }

    /// Polls while requests are open.
    async fn poll(self: Rc<Self>) {
        while !self.open.borrow().is_empty() {
            sleep(POLL_MS).await;
            self.update();
        }
        self.is_polling.set(false);
    }

    fn update(&self) {
        let since = self.open.borrow().values().next().copied();
        let is_slow = since.is_some_and(|since| now_ms().saturating_sub(since) >= SLOW_MS);
        if self.is_slow.replace(is_slow) != is_slow {
            self.send(StoreNews::Slow(is_slow));
        }
    }

    fn send(&self, news: StoreNews) {
        if let Some(subscriber) = &*self.subscriber.borrow() {
            // The subscriber may be gone.
            drop(subscriber.unbounded_send(news));
        }
    }
}

pub(super) struct Request {
    watch: Rc<Watch>,
    id: u64,
}

impl Drop for Request {
    fn drop(&mut self) {
        self.watch.open.borrow_mut().remove(&self.id);
        if self.watch.is_slow.get() {
            self.watch.update();
        }
    }
}

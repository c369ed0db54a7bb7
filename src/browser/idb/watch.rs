//! Reports when the store takes unusually long to answer, and when the browser deleted it.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use futures_channel::mpsc::{UnboundedReceiver, UnboundedSender, unbounded};

use crate::browser::clock::{now_ms, sleep};
use nexus_engine::port::StoreNews;
use nexus_text::vec_map::VecMap;

/// How long an answer may take before the page is told, in milliseconds.
const LONG_MS: u64 = 2_000;
/// How often it is looked, in milliseconds.
const LOOK_MS: u64 = 500;

#[derive(Default)]
pub struct Watch {
    /// When each request began that has no answer yet.
    open: RefCell<VecMap<u64, u64>>,
    last: Cell<u64>,
    looks: Cell<bool>,
    waits: Cell<bool>,
    is_deleted: Cell<bool>,
    told: RefCell<Option<UnboundedSender<StoreNews>>>,
}

impl Watch {
    /// What becomes of the store from now on, the present state first. Whoever followed before hears no more.
    pub fn follow(&self) -> UnboundedReceiver<StoreNews> {
        let (sender, news) = unbounded();
        *self.told.borrow_mut() = Some(sender);
        if self.waits.get() {
            self.tell(StoreNews::Waits(true));
        }
        if self.is_deleted.get() {
            self.tell(StoreNews::Deleted);
        }
        news
    }

    pub(super) fn is_deleted(&self) -> bool {
        self.is_deleted.get()
    }

    pub(super) fn note_deleted(&self) {
        if !self.is_deleted.replace(true) {
            self.tell(StoreNews::Deleted);
        }
    }

    /// A request begins; it ends when what this gives is dropped.
    pub(super) fn begin(self: &Rc<Self>) -> Request {
        let id = self.last.get().wrapping_add(1);
        self.last.set(id);
        self.open.borrow_mut().insert(id, now_ms());
        if !self.looks.replace(true) {
            wasm_bindgen_futures::spawn_local(Rc::clone(self).look());
        }
        Request { watch: Rc::clone(self), id }
    }

    /// Looks again and again while anything is open.
    async fn look(self: Rc<Self>) {
        while !self.open.borrow().is_empty() {
            sleep(LOOK_MS).await;
            self.judge();
        }
        self.looks.set(false);
    }

    fn judge(&self) {
        let since = self.open.borrow().values().next().copied();
        let waits = since.is_some_and(|since| now_ms().saturating_sub(since) >= LONG_MS);
        if self.waits.replace(waits) != waits {
            self.tell(StoreNews::Waits(waits));
        }
    }

    fn tell(&self, news: StoreNews) {
        if let Some(told) = &*self.told.borrow() {
            // Whoever followed may be gone.
            drop(told.unbounded_send(news));
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
        if self.watch.waits.get() {
            self.watch.judge();
        }
    }
}

//! The executor of a tab in tests: polls what was woken, in one thread.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake};

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::StreamExt as _;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;

/// Runs futures until none makes progress.
pub(super) struct Pool {
    pub(super) work: RefCell<FuturesUnordered<LocalBoxFuture<'static, ()>>>,
    inbox: RefCell<UnboundedReceiver<LocalBoxFuture<'static, ()>>>,
}

/// Whether the futures ask to be polled again.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Pool {
    pub(super) fn new(inbox: UnboundedReceiver<LocalBoxFuture<'static, ()>>) -> Self {
        Self { work: RefCell::default(), inbox: RefCell::new(inbox) }
    }

    pub(super) fn run(&self) {
        let woken = Arc::new(Woken::default());
        let waker = Arc::clone(&woken).into();
        let mut context = Context::from_waker(&waker);
        // Taken out, because a future may run the pool.
        let mut work = std::mem::take(&mut *self.work.borrow_mut());
        loop {
            let is_over = !matches!(work.poll_next_unpin(&mut context), Poll::Ready(Some(())));
            let before = work.len();
            work.extend(std::mem::take(&mut *self.work.borrow_mut()));
            while let Ok(spawned) = self.inbox.borrow_mut().try_recv() {
                work.push(spawned);
            }
            let is_woken = woken.0.swap(false, Ordering::Relaxed);
            if is_over && !is_woken && work.len() == before {
                break;
            }
        }
        *self.work.borrow_mut() = work;
    }
}

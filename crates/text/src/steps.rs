//! Counts steps of work, so that tests can bound the work for each byte without a clock.
//!
//! Compiled away outside tests.

#[cfg(any(test, feature = "testing"))]
use std::cell::Cell;

#[cfg(any(test, feature = "testing"))]
thread_local! {
    static STEPS: Cell<usize> = const { Cell::new(0) };
}

/// Notes that so many steps are done: bytes looked at, or entries compared.
#[inline(always)]
pub fn step(count: usize) {
    #[cfg(any(test, feature = "testing"))]
    STEPS.set(STEPS.get().saturating_add(count));
    #[cfg(not(any(test, feature = "testing")))]
    let _ = count;
}

/// How many steps were done on this thread.
#[cfg(any(test, feature = "testing"))]
pub(crate) fn total() -> usize {
    STEPS.get()
}

/// What `work` gives, and how many steps it took.
#[cfg(any(test, feature = "testing"))]
pub fn counted<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = total();
    let done = work();
    (done, total() - before)
}

//! Rate limiter of each provider, shared by all agents of all sessions.
//!
//! Allows a few calls at a time, keeps the last slot for what the operator asks one agent directly, and blocks all
//! calls while the provider asks to wait.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::oneshot;

use crate::port::Clock;
use nexus_model::id::{Millis, ProviderId};
use nexus_model::limits::CALLS_AT_A_TIME;
use nexus_text::small_sort::SmallSort as _;
use nexus_text::vec_map::VecMap;

/// The longest single sleep of a wait, in milliseconds: a machine that slept wakes to the clock, not to the timer.
const SLICE_MS: u64 = 1_000;

pub(crate) struct CallLimiter {
    clock: Rc<dyn Clock>,
    doors: RefCell<VecMap<ProviderId, ProviderQueue>>,
}

#[derive(Default)]
struct ProviderQueue {
    /// Until when the provider asks all to wait.
    until: Millis,
    /// Calls that are under way.
    inside: usize,
    /// Who waits for a place, and whether it is for a direct question.
    waiting: Vec<(bool, oneshot::Sender<()>)>,
}

impl CallLimiter {
    pub(crate) fn new(clock: Rc<dyn Clock>) -> Rc<Self> {
        Rc::new(Self { clock, doors: RefCell::default() })
    }

    /// How long the provider asks all to wait, in milliseconds from now.
    pub(crate) fn wait_ms(&self, provider: &ProviderId) -> u64 {
        let doors = self.doors.borrow();
        doors.get(provider).map_or(0, |door| door.until.0.saturating_sub(self.clock.now().0))
    }

    pub(crate) fn close(&self, provider: &ProviderId, wait_ms: u64) {
        let until = Millis(self.clock.now().0.saturating_add(wait_ms));
        let mut doors = self.doors.borrow_mut();
        let door = doors.get_or_insert_with(provider.clone(), ProviderQueue::default);
        door.until = door.until.max(until);
    }

    /// The provider has answered a call that did not wait: there is nothing to wait for any more.
    pub(crate) fn open(&self, provider: &ProviderId) {
        if let Some(door) = self.doors.borrow_mut().get_mut(provider) {
            door.until = Millis(0);
        }
    }

    /// Waits for a place among the calls that are under way. Dropping the pass gives the place back.
    pub(crate) async fn enter(self: Rc<Self>, provider: &ProviderId, direct: bool) -> CallPermit {
        loop {
            let freed = {
                let mut doors = self.doors.borrow_mut();
                let door = doors.get_or_insert_with(provider.clone(), ProviderQueue::default);
                let places = if direct { CALLS_AT_A_TIME } else { CALLS_AT_A_TIME - 1 };
                if door.inside < places {
                    door.inside += 1;
                    return CallPermit { limiter: Rc::clone(&self), provider: provider.clone() };
                }
                let (sender, freed) = oneshot::channel();
                door.waiting.push((direct, sender));
                freed
            };
            // The sender goes when it is time to look again.
            freed.await.unwrap_or(());
        }
    }
}

/// A place among the calls that are under way.
pub(crate) struct CallPermit {
    limiter: Rc<CallLimiter>,
    provider: ProviderId,
}

impl Drop for CallPermit {
    fn drop(&mut self) {
        let mut doors = self.limiter.doors.borrow_mut();
        let Some(door) = doors.get_mut(&self.provider) else { return };
        door.inside = door.inside.saturating_sub(1);
        let mut waiting = std::mem::take(&mut door.waiting);
        drop(doors);
        // All look again, direct questions first: one that was told and went away must not keep the place.
        waiting.small_sort_by_key(|(direct, _)| !direct);
        waiting.into_iter().for_each(|(_, sender)| drop(sender));
    }
}

/// Ends at that time by the clock, also where the machine slept in between.
pub(crate) async fn sleep_until(clock: &dyn Clock, at: Millis) {
    loop {
        let left = at.0.saturating_sub(clock.now().0);
        if left == 0 {
            return;
        }
        clock.sleep(left.min(SLICE_MS)).await;
    }
}

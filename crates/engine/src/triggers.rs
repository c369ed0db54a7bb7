//! The trigger service: fires triggers at times or on events, sends their messages and records the results.
//!
//! Every tab watches the clock; the one that has the target session's lock fires. The tab in which an event happened
//! handles it, and waits while another tab has the target locked. `decide` permits each firing, so that no two tabs
//! fire for the same time. Times missed while the page was closed are reported by one tab, under a lock, and never
//! fired.

use crate::calls::retry::sleep_until;
use crate::client::EngineContext;
use crate::lazy::{Load, until_loaded};
use crate::port::LockGuard;
use crate::prelude::*;
use futures_util::future::{Either, ready, select};
use nexus_model::command::NewMessage;
use nexus_model::id::TriggerId;
use nexus_model::limits::TRIGGER_QUIET_MS;
use nexus_model::message::MessageOrigin;
use nexus_model::session::firing::chain_of;
use nexus_model::session::trigger;
use nexus_model::session::trigger::{DueState, TriggerCause, TriggerOutcome, has_any, place_of, triggers};

/// The lock of the tab that reports missed times.
const LOCK: &str = "nexus-triggers";
/// The reason recorded if a trigger's target was deleted.
const GONE: &str = "Gone";

pub(crate) struct TriggerService {
    pub(super) engine: EngineContext,
    pub(super) events: UnboundedReceiver<Arc<Event>>,
    pub(super) transient: UnboundedReceiver<TransientEvent>,
}

impl TriggerService {
    /// Waits until there is a trigger, then loads and starts the service.
    pub(super) async fn wait(mut self, load: Load<fn(Self)>) {
        while !has_any(&self.engine.world.borrow()) {
            if let Either::Left((None, _)) = select(self.events.next(), self.transient.next()).await {
                return;
            }
        }
        let clock = Rc::clone(&self.engine.ports.clock);
        until_loaded(&*clock, || load()).await(self);
    }

    pub(crate) fn begin(self) {
        let Self { engine, events, transient } = self;
        engine.start(serve(engine.clone(), events, transient));
    }
}

/// A trigger that fires after a quiet period.
struct PendingTrigger {
    trigger: TriggerId,
    cause: TriggerCause,
    chain: Vec<TriggerId>,
    at: Millis,
}

/// Serves until the bus closes. Changes by other tabs are handled once they are loaded.
async fn serve(
    engine: EngineContext,
    mut events: UnboundedReceiver<Arc<Event>>,
    transient: UnboundedReceiver<TransientEvent>,
) {
    let mut device_read =
        transient.filter(|transient| ready(matches!(transient, TransientEvent::DeviceRead)));
    let mut lock = engine.ports.locks.hold(LOCK).boxed_local().fuse();
    // Held until the page closes.
    let mut guard: Option<LockGuard> = None;
    let mut pending: Vec<PendingTrigger> = Vec::new();
    loop {
        fire_due(&engine, guard.is_some(), &mut pending).await;
        let next = next(&engine, guard.is_some(), &pending);
        let clock = Rc::clone(&engine.ports.clock);
        let due = async move {
            match next {
                Some(at) => sleep_until(clock.as_ref(), at).await,
                None => std::future::pending().await,
            }
        };
        let due = select(due.boxed_local(), device_read.next());
        // Once the lock is held, its future is pending forever.
        match select(events.next(), select(&mut lock, due)).await {
            Either::Left((None, _)) => return,
            Either::Left((Some(event), _)) => handle(&engine, &event, &mut pending),
            Either::Right((Either::Left((taken, _)), _)) => guard = Some(taken),
            Either::Right((Either::Right(_), _)) => {}
        }
    }
}

/// When to check again.
fn next(engine: &EngineContext, reports_missed: bool, pending: &[PendingTrigger]) -> Option<Millis> {
    let now = engine.now();
    let world = engine.world.borrow();
    let soon = Millis(now.0.saturating_add(RETRY_MS));
    let of_time = triggers(&world).into_iter().filter_map(|one| match one.due_state(now) {
        DueState::Later(at) => Some(at),
        DueState::Due(_) => Some(soon),
        DueState::Missed(..) => reports_missed.then_some(soon),
        DueState::Never => None,
    });
    of_time.chain(pending.iter().map(|one| one.at)).min()
}

fn handle(engine: &EngineContext, event: &Event, pending: &mut Vec<PendingTrigger>) {
    let world = engine.world.borrow();
    if event.stream.session().is_none() {
        return;
    }
    for one in triggers(&world) {
        let Some(cause) = one.matching_cause(&world, event) else { continue };
        let quiet = Millis(engine.now().0.saturating_add(TRIGGER_QUIET_MS));
        let at = quiet.max(one.free_at());
        let chain = chain_of(&world, event);
        pending.retain(|other| other.trigger != one.id);
        pending.push(PendingTrigger { trigger: one.id, cause, chain, at });
    }
}

async fn fire_due(engine: &EngineContext, reports_missed: bool, pending: &mut Vec<PendingTrigger>) {
    let now = engine.now();
    let (due, later): (Vec<_>, Vec<_>) = std::mem::take(pending).into_iter().partition(|one| one.at <= now);
    *pending = later;
    for one in due {
        if fire(engine, one.trigger, one.cause.clone(), one.chain.clone()).await {
            pending.push(PendingTrigger { at: Millis(now.0.saturating_add(RETRY_MS)), ..one });
        }
    }
    let all = triggers(&engine.world.borrow());
    for one in all {
        match one.due_state(now) {
            DueState::Never | DueState::Later(_) => {}
            DueState::Due(at) => {
                // If another tab has the target locked, that tab fires it, or this one after it closed.
                fire(engine, one.id, TriggerCause::Time(at), Vec::new()).await;
            }
            DueState::Missed(at, count) if reports_missed => {
                end(engine, one.id, TriggerCause::Time(at), TriggerOutcome::Missed { times: count }).await;
            }
            DueState::Missed(..) => {}
        }
    }
}

/// Fires a trigger and sends its message. Returns true if that must wait because another tab has the target locked.
async fn fire(engine: &EngineContext, id: TriggerId, cause: TriggerCause, chain: Vec<TriggerId>) -> bool {
    let before = trigger::trigger(&engine.world.borrow(), id);
    let fire = Command::FireTrigger { trigger: id, cause: cause.clone() };
    if let Err(rejection) = engine.handle.send(fire).await {
        // Otherwise another tab fired it, or the operator changed it meanwhile.
        return rejection == Rejection::ReadOnly && before.is_some_and(|row| row.pause_reason.is_none());
    }
    let (row, place) = {
        let world = engine.world.borrow();
        let Some(row) = trigger::trigger(&world, id) else { return false };
        let place = place_of(&world, &row.to);
        (row, place)
    };
    // `decide` may have recorded instead that the target is busy or that the trigger fired too often.
    let has_fired = row.last.as_ref().is_some_and(|last| last.outcome.is_none() && last.cause == cause);
    if !has_fired || before.is_some_and(|before| before.last == row.last) {
        return false;
    }
    let outcome = match place {
        None => TriggerOutcome::Refused { reason: GONE.to_owned() },
        Some((session, target)) => {
            let triggers = chain.into_iter().chain([id]).collect();
            let message = NewMessage {
                source: Source::Trigger,
                origin: Some(MessageOrigin { name: row.name, triggers, ..MessageOrigin::default() }),
                target,
                ..NewMessage::new(session, row.text)
            };
            match engine.handle.send(Command::SendMessage(message)).await {
                Ok(()) => TriggerOutcome::Sent { session },
                Err(rejection) => TriggerOutcome::Refused { reason: rejection.logged() },
            }
        }
    };
    end(engine, id, cause, outcome).await;
    false
}

async fn end(engine: &EngineContext, trigger: TriggerId, cause: TriggerCause, outcome: TriggerOutcome) {
    let end = Command::RecordTriggerOutcome { trigger, cause, outcome };
    // A rejection means that it was removed meanwhile, or that another tab has reported it.
    engine.tell(end).await;
}
/// Delay before something that could not be recorded is tried again, in milliseconds.
const RETRY_MS: u64 = 5_000;

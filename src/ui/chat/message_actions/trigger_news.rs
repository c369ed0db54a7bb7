//! Notices about triggers that failed: missed while the page was closed, rejected, or stopped.

use std::cell::{Cell, RefCell};

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::effect::Effect;
use crate::ui::view_state::{NoticeKind, Notices, WorldParts, WorldReader};
use nexus_model::id::{Millis, TriggerId};
use nexus_model::session::trigger::triggers;
use nexus_view::strings::settings::triggers as words;

/// What happened so long before this was first there belongs to an earlier visit, in milliseconds.
const BEFORE_MS: u64 = 60_000;

thread_local! {
    /// When this was first there.
    static BEGAN: Cell<Option<Millis>> = const { Cell::new(None) };
    static TOLD: RefCell<Vec<(TriggerId, Millis)>> = const { RefCell::new(Vec::new()) };
}

/// Tells of it from here on.
pub(super) fn tell_of_triggers(past: WorldReader, notices: Notices, dispatch: Dispatch) {
    let began = BEGAN.get().unwrap_or_else(|| Millis(dispatch.now().0.saturating_sub(BEFORE_MS)));
    BEGAN.set(Some(began));
    Effect::new(move |_| {
        for trigger in past.with(WorldParts::SETTINGS, triggers) {
            let Some(last) = trigger.last.filter(|last| last.at >= began) else { continue };
            let news = last.outcome.as_ref().and_then(|outcome| words::news(&trigger.name, outcome));
            let Some((title, told)) = news else { continue };
            let is_new = TOLD.with_borrow_mut(|all| {
                let is_new = !all.contains(&(trigger.id, last.at));
                if is_new {
                    all.push((trigger.id, last.at));
                }
                is_new
            });
            if is_new {
                notices.tell(NoticeKind::Problem, title, told);
            }
        }
    });
}

//! Edits of one row that follow each other faster than the row shows them.
//!
//! [`AgentEditor`] sends those of an agent's definition. The form and its parts share it.

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::view_state::AgentRow;
use nexus_model::agent::Agent;
use nexus_model::command::Command;

/// What was sent of a row last. An edit of a whole row replaces it; built on a row that does not show the edit before
/// yet, it would take that one back.
pub(super) struct PendingEdit<T: 'static>(StoredValue<Option<SentRow<T>>>);

impl<T> Clone for PendingEdit<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for PendingEdit<T> {}

struct SentRow<T> {
    /// The row as it was shown then.
    seen: T,
    sent: T,
    /// How many edits have not been answered.
    in_flight: usize,
}

impl<T: Clone + PartialEq + Send + Sync + 'static> PendingEdit<T> {
    pub(super) fn new() -> Self {
        Self(StoredValue::new(None))
    }

    /// The row with this edit and those that are on their way. `None` where the edit changes nothing.
    pub(super) fn edited(self, shown: &T, edit: &dyn Fn(&mut T)) -> Option<T> {
        self.0.try_update_value(|pending| {
            let kept = pending.take().filter(|last| last.in_flight > 0 || last.seen == *shown);
            let (before, in_flight) =
                kept.map_or_else(|| (shown.clone(), 0), |last| (last.sent, last.in_flight));
            let mut after = before.clone();
            edit(&mut after);
            let changes = after != before;
            *pending = Some(SentRow {
                seen: shown.clone(),
                sent: after.clone(),
                in_flight: in_flight + usize::from(changes),
            });
            changes.then_some(after)
        })?
    }

    /// Notes the answer to an edit. What follows a rejected one builds on the row again.
    pub(super) fn answered(self, accepted: bool) {
        self.0.try_update_value(|pending| {
            if let Some(last) = pending {
                last.in_flight = last.in_flight.saturating_sub(1);
            }
            if !accepted {
                *pending = None;
            }
        });
    }
}

/// Changes an agent's definition, as handlers copy it.
#[derive(Clone, Copy)]
pub struct AgentEditor {
    dispatch: Dispatch,
    row: Selector<AgentRow>,
    pending: PendingEdit<Agent>,
}

impl AgentEditor {
    pub(crate) fn new(dispatch: Dispatch, row: Selector<AgentRow>) -> Self {
        Self { dispatch, row, pending: PendingEdit::new() }
    }

    /// Makes an edit; one that changes nothing is not sent.
    pub(crate) fn agent(self, edit: &dyn Fn(&mut Agent)) {
        let edited = self.row.with_untracked(|row| self.pending.edited(&row.agent, edit));
        if let Some(agent) = edited {
            let answered = move |outcome: Result<(), _>| self.pending.answered(outcome.is_ok());
            self.dispatch.send_then(Command::ChangeAgent { agent }, answered);
        }
    }
}

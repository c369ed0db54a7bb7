//! Sends edits of an agent's definition. The form and its parts share it.

use crate::ui::dispatch::Dispatch;
use crate::ui::kit::prelude::*;
use crate::ui::settings::pending_edit::PendingEdit;
use crate::ui::view_state::AgentRow;
use nexus_model::agent::Agent;
use nexus_model::command::Command;

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

//! Folds the events of triggers, which are stored among the settings.

use std::sync::Arc;

use serde_json::Value;

use super::Fold;
use crate::event::EventKind;
use crate::id::TriggerId;
use crate::session::trigger::{self, Trigger};
use nexus_text::json;

impl Fold<'_, '_> {
    pub(super) fn trigger(&mut self, kind: &EventKind) {
        let at = self.at();
        if let EventKind::TriggerChanged { trigger } = kind {
            self.put_trigger(trigger);
        } else if let EventKind::TriggerRemoved { trigger } = kind {
            self.overlay.rows.settings.insert(Trigger::row(*trigger), Arc::new(Value::Null));
        } else if let EventKind::TriggerFired(fired) = kind {
            self.change_trigger(fired.trigger, |row| row.fired(&fired.cause, at));
        } else if let EventKind::TriggerEnded(ended) = kind {
            self.change_trigger(ended.trigger, |row| row.ended(&ended.cause, &ended.outcome, at));
        }
    }

    fn put_trigger(&mut self, trigger: &Trigger) {
        if let Ok(row) = json::to_tree(trigger) {
            self.overlay.rows.settings.insert(Trigger::row(trigger.id), Arc::new(row));
        }
    }

    fn change_trigger(&mut self, id: TriggerId, change: impl FnOnce(Trigger) -> Trigger) {
        let row = self.overlay.setting(&Trigger::row(id)).and_then(|row| trigger::read(row));
        if let Some(row) = row {
            self.put_trigger(&change(row));
        }
    }
}

//! Decides the operator's edits of the mind, and marks changes as reviewed.
//!
//! Each write is resolved against the current mind, so concurrent writes are never overwritten.

use super::{Decider, Rejection};
use crate::event::EventKind;
use crate::id::SessionId;
use crate::mind::{MindEdit, MindWrite, resolve};
use nexus_text::content_hash::ContentHash;

impl Decider<'_, '_, '_> {
    pub(super) fn edit_mind(
        &mut self,
        id: SessionId,
        base: &ContentHash,
        writes: &[MindWrite],
    ) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let current = self.world.working_mind(session).cloned().ok_or(Rejection::HistoryBroken)?;
        // A base that is not loaded any more counts as the current mind: the operator saw at least that.
        let seen = self.world.mind(base).cloned().unwrap_or_else(|| current.clone());
        let edits = resolve(&current, &seen, writes).map_err(Rejection::Write)?;
        if !edits.is_empty() {
            let run = self.world.open_run(session).map(|run| run.id);
            self.note(id, run, None, EventKind::MindEdited { base: base.clone(), edits, undoes: None });
        }
        Ok(())
    }

    pub(super) fn review_changes(
        &mut self,
        id: SessionId,
        from: &ContentHash,
        edits: &[MindEdit],
    ) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let reviewed = self.world.mind(from).ok_or(Rejection::Stale)?.with(edits).hash();
        if session.reviewed.as_ref() != Some(&reviewed) {
            let what = EventKind::ChangesReviewed { from: from.clone(), edits: edits.to_vec() };
            self.note(id, None, None, what);
        }
        Ok(())
    }
}

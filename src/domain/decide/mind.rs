//! Never writes over what others wrote: every write is resolved against the mind as it is.
//!
//! Owns the operator's edits of the mind, and what the operator has reviewed of it.

use super::{Rejection, Scene};
use crate::domain::event::Happening;
use crate::domain::hash::Hash;
use crate::domain::id::SessionId;
use crate::domain::mind::{MindEdit, MindWrite, resolve};

impl Scene<'_, '_, '_> {
    pub(super) fn edit_mind(
        &mut self,
        id: SessionId,
        base: &Hash,
        writes: &[MindWrite],
    ) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let current = self.world.working_mind(session).cloned().ok_or(Rejection::HistoryBroken)?;
        // A base that is not loaded any more counts as the current mind: the operator saw at least that.
        let seen = self.world.mind(base).cloned().unwrap_or_else(|| current.clone());
        let edits = resolve(&current, &seen, writes).map_err(Rejection::Write)?;
        if !edits.is_empty() {
            let run = self.world.open_run(session).map(|run| run.id);
            self.note(id, run, None, Happening::MindEdited { base: base.clone(), edits, undoes: None });
        }
        Ok(())
    }

    pub(super) fn review_changes(
        &mut self,
        id: SessionId,
        from: &Hash,
        edits: &[MindEdit],
    ) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let reviewed = self.world.mind(from).ok_or(Rejection::Stale)?.with(edits).hash();
        if session.reviewed.as_ref() != Some(&reviewed) {
            let what = Happening::ChangesReviewed { from: from.clone(), edits: edits.to_vec() };
            self.note(id, None, None, what);
        }
        Ok(())
    }
}

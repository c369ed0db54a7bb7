//! Decides when the Core may be asked for a merge proposal, and records its answer.
//!
//! A proposal changes nothing in a session until the operator takes it.

use super::{Decider, Rejection};
use crate::command::{MergeCommand, MergeRequest};
use crate::decide::merge::has_moved;
use crate::event::EventKind;
use crate::id::SyncId;
use crate::limits::CLASHES_ASKED;
use crate::mind::core_sync::{SyncCause, core_config};
use crate::mind::merge::proposal::{MergeProposal, MergeQuestion};
use crate::provider::price::cost_of;
use nexus_text::content_hash::ContentHash;

impl Decider<'_, '_, '_> {
    /// What concerns asking the Core about a merge.
    pub(super) fn join(&mut self, command: &MergeCommand) -> Result<(), Rejection> {
        match command {
            MergeCommand::Ask { merging, clashes } => self.ask_about_clashes(merging, clashes),
            MergeCommand::Record { session, sync, other, read, usage } => {
                let session = self.session(*session)?;
                let open = session.core.open.as_ref().filter(|open| open.id == *sync);
                let open = open.filter(|open| open.cause == SyncCause::Merge).ok_or(Rejection::Stale)?;
                let (proposals, without) = read.clone();
                let proposed = MergeProposal {
                    sync: *sync,
                    other: *other,
                    proposals,
                    without,
                    model: open.model.clone(),
                    usage: usage.clone(),
                    cost: cost_of(self.world, &open.provider, &open.model, usage, self.now()),
                };
                self.note(session.id, None, None, EventKind::JoinProposed(proposed));
                Ok(())
            }
        }
    }

    fn ask_about_clashes(
        &mut self,
        merging: &MergeRequest,
        clashes: &[ContentHash],
    ) -> Result<(), Rejection> {
        let session = self.session(merging.session)?;
        self.rests(session)?;
        if session.core.open.is_some() || session.core.wanted.is_some() {
            return Err(Rejection::SyncWorks);
        }
        // The draft was made of what was here then: where that has moved, it is made again before anybody is asked.
        if has_moved(self.world, session, merging) {
            return Err(Rejection::MovedOn);
        }
        if clashes.is_empty() {
            return Err(Rejection::NothingToMerge);
        }
        let config = core_config(self.world);
        let asked = MergeQuestion {
            sync: SyncId::new(self.moment.ids),
            mind: merging.mind.clone(),
            other: merging.other,
            from: merging.from,
            clashes: clashes.iter().take(CLASHES_ASKED).cloned().collect(),
            provider: config.provider,
            model: config.model,
        };
        self.note(session.id, None, None, EventKind::JoinAsked(asked));
        Ok(())
    }
}

//! Never merges, and never takes a proposal: what the Core says about clashes changes nothing of a session.
//!
//! Owns when the Core may be asked about the clashes of a merge that is drafted, and what is noted of its answer.

use super::merge::has_moved;
use super::{Rejection, Scene};
use crate::domain::command::{JoinCommand, Merging};
use crate::domain::event::Happening;
use crate::domain::hash::Hash;
use crate::domain::id::SyncId;
use crate::domain::joining::proposal::{JoinAsked, JoinProposed};
use crate::domain::limits::CLASHES_ASKED;
use crate::domain::price::cost_of;
use crate::domain::sync::{SyncCause, core_config};

impl Scene<'_, '_, '_> {
    /// What concerns asking the Core about a merge.
    pub(super) fn join(&mut self, command: &JoinCommand) -> Result<(), Rejection> {
        match command {
            JoinCommand::Ask { merging, clashes } => self.ask_about_clashes(merging, clashes),
            JoinCommand::Record { session, sync, other, read, usage } => {
                let session = self.session(*session)?;
                let open = session.core.open.as_ref().filter(|open| open.id == *sync);
                let open = open.filter(|open| open.cause == SyncCause::Merge).ok_or(Rejection::Stale)?;
                let (proposals, without) = read.clone();
                let proposed = JoinProposed {
                    sync: *sync,
                    other: *other,
                    proposals,
                    without,
                    model: open.model.clone(),
                    usage: usage.clone(),
                    cost: cost_of(self.world, &open.provider, &open.model, usage, self.now()),
                };
                self.note(session.id, None, None, Happening::JoinProposed(proposed));
                Ok(())
            }
        }
    }

    fn ask_about_clashes(&mut self, merging: &Merging, clashes: &[Hash]) -> Result<(), Rejection> {
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
        let asked = JoinAsked {
            sync: SyncId::new(self.moment.ids),
            mind: merging.mind.clone(),
            other: merging.other,
            from: merging.from,
            clashes: clashes.iter().take(CLASHES_ASKED).cloned().collect(),
            provider: config.provider,
            model: config.model,
        };
        self.note(session.id, None, None, Happening::JoinAsked(asked));
        Ok(())
    }
}

//! Folds what the Core and the operator make of the plan.

use super::Fold;
use crate::event::EventKind;
use crate::id::{JobId, SessionId};
use crate::job::{JobDone, JobKind};
use crate::mind::MindEdit;
use crate::mind::core_sync::{CoreProposal, CoreState, ProposalStep, SyncRecord, SyncResult};
use nexus_text::content_hash::ContentHash;

impl Fold<'_, '_> {
    /// The Core answered.
    pub(super) fn synced(&mut self, id: SessionId, done: &JobDone, result: &SyncResult) {
        let record = SyncRecord {
            id: Some(done.job),
            at: self.event.at,
            reasoning: result.reasoning.clone(),
            minds: self.plan_changed(id, &result.edits),
            dropped: result.dropped.clone(),
            kept_words: result.kept_words,
            model: done.model.clone(),
            usage: done.usage.clone(),
            cost: done.cost,
            after: self.stage.session(&id).and_then(|session| session.head),
            ..SyncRecord::default()
        };
        let at = self.event.at;
        self.core(id, |core| {
            if let Some(writes) = &result.proposed {
                core.proposal = Some(CoreProposal {
                    sync: done.job,
                    at,
                    base: result.base,
                    writes: writes.clone(),
                    reasoning: result.reasoning.clone(),
                    model: done.model.clone(),
                });
            }
            core.synced = Some(result.base);
            core.note(record);
        });
    }

    /// The operator applied or dismissed a proposal, or the plan changed without a question of ours.
    pub(super) fn mind_synced(&mut self, happening: &EventKind) {
        let EventKind::MindSynced { base, edits, reasoning, sync, dropped, proposal, model } = happening
        else {
            return;
        };
        let Some(id) = self.event.stream.session() else { return };
        if *proposal == Some(ProposalStep::Dismissed) {
            return self.core(id, |core| core.proposal = None);
        }
        let record = SyncRecord {
            id: *sync,
            at: self.event.at,
            reasoning: reasoning.clone(),
            minds: self.plan_changed(id, edits),
            dropped: dropped.clone(),
            model: model.clone(),
            after: self.stage.session(&id).and_then(|session| session.head),
            ..SyncRecord::default()
        };
        self.session(id, |session| {
            if proposal.is_some() {
                session.core.proposal = None;
            } else {
                session.core.synced = Some(*base);
                session.jobs.failed.retain(|failed| failed.kind != JobKind::Sync);
            }
            session.core.note(record);
        });
    }

    /// Makes these changes; the mind before and after, where it is another one.
    fn plan_changed(&mut self, id: SessionId, edits: &[MindEdit]) -> Option<(ContentHash, ContentHash)> {
        let before = self.mind_of(id);
        self.edited_by_core(id, edits);
        before.zip(self.mind_of(id)).filter(|(before, after)| before != after)
    }

    /// The change of a sync was taken back.
    pub(super) fn sync_undone(&mut self, id: SessionId, undoes: Option<JobId>) {
        let Some(sync) = undoes else { return };
        self.core(id, |core| {
            for record in [&mut core.change, &mut core.last].into_iter().flatten() {
                record.undone |= record.id == Some(sync);
            }
        });
    }

    pub(super) fn core(&mut self, id: SessionId, change: impl FnOnce(&mut CoreState)) {
        self.session(id, |session| change(&mut session.core));
    }

    fn mind_of(&self, id: SessionId) -> Option<ContentHash> {
        self.stage.session(&id).map(|session| session.mind)
    }
}

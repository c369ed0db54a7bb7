//! Folds the Core's sync events into its session.

use super::Fold;
use crate::event::EventKind;
use crate::id::{Millis, SessionId, SyncId};
use crate::llm::Usage;
use crate::mind::core_sync::{
    CoreProposal, CoreState, FailedSync, OpenSync, ProposalStep, SyncCause, SyncEnd, SyncRecord,
};
use crate::mind::merge::proposal::{MergeProposal, MergeQuestion};
use crate::provider::price::Cost;
use crate::turn::PendingRetry;

impl Fold<'_, '_> {
    pub(super) fn sync(&mut self, happening: &EventKind) {
        let Some(id) = self.event.stream.session() else { return };
        let at = self.event.at;
        if let EventKind::SyncRequested { sync } = happening {
            self.core(id, |core| core.wanted = Some(*sync));
        } else if let EventKind::SyncOpened { sync, cause, base, provider, model } = happening {
            self.core(id, |core| {
                (core.wanted, core.failed) = (None, None);
                core.open = Some(OpenSync {
                    id: *sync,
                    cause: *cause,
                    base: base.clone(),
                    provider: provider.clone(),
                    model: model.clone(),
                    at,
                    retry: None,
                });
            });
        } else if let EventKind::MindSynced {
            base,
            edits,
            reasoning,
            sync,
            dropped,
            kept_words,
            proposal,
            model,
            usage,
            cost,
        } = happening
        {
            if *proposal == Some(ProposalStep::Dismissed) {
                return self.core(id, |core| core.proposal = None);
            }
            let before = self.mind_of(id);
            self.edited_by_core(id, edits);
            let after = self.mind_of(id);
            let record = SyncRecord {
                id: *sync,
                at,
                reasoning: reasoning.clone(),
                minds: before.zip(after).filter(|(before, after)| before != after),
                dropped: dropped.clone(),
                kept_words: *kept_words,
                model: model.clone(),
                usage: usage.clone(),
                cost: *cost,
                undone: false,
                after: self.stage.session(&id).and_then(|session| session.head),
            };
            self.core(id, |core| {
                match proposal {
                    Some(ProposalStep::Made(writes)) => {
                        core.proposal = sync.map(|sync| CoreProposal {
                            sync,
                            at,
                            base: base.clone(),
                            writes: writes.clone(),
                            reasoning: reasoning.clone(),
                            model: model.clone(),
                        });
                    }
                    // It was counted when it was proposed, and a sync may be under way by now.
                    Some(ProposalStep::Applied | ProposalStep::Dismissed) => {
                        core.proposal = None;
                        core.change = record.minds.is_some().then(|| record.clone()).or(core.change.take());
                        core.last = Some(record);
                        return;
                    }
                    None => {}
                }
                // What agents of another program wrote into the plan was no call of ours.
                if sync.is_some() {
                    used(core, usage, *cost);
                }
                core.synced = Some(base.clone());
                (core.open, core.failed) = (None, None);
                if record.minds.is_some() {
                    core.change = Some(record.clone());
                }
                core.last = Some(record);
            });
        } else if let EventKind::JoinAsked(MergeQuestion { sync, mind, provider, model, .. }) = happening {
            self.core(id, |core| {
                core.open = Some(OpenSync {
                    id: *sync,
                    cause: SyncCause::Merge,
                    base: mind.clone(),
                    provider: provider.clone(),
                    model: model.clone(),
                    at,
                    retry: None,
                });
            });
        } else if let EventKind::JoinProposed(MergeProposal { usage, cost, .. }) = happening {
            self.core(id, |core| {
                used(core, usage, *cost);
                core.open = None;
            });
        } else if let EventKind::SyncFailed { sync, end, failure, attempt, usage, cost, retry_in_ms } =
            happening
        {
            self.core(id, |core| {
                if attempt.is_some() {
                    used(core, usage, *cost);
                }
                if let (SyncEnd::Failed, Some(wait_ms)) = (*end, *retry_in_ms) {
                    let attempt = attempt.unwrap_or(1).saturating_add(1);
                    let at = Millis(at.0.saturating_add(wait_ms));
                    if let Some(open) = &mut core.open {
                        open.retry = Some(PendingRetry { attempt, at });
                    }
                    return;
                }
                let merged = core.open.as_ref().is_some_and(|open| open.cause == SyncCause::Merge);
                let (provider, model) = core.open.take().map(|open| (open.provider, open.model)).unzip();
                core.wanted = None;
                // Where the plan stands is no matter of a merge: how the last look at it ended stays as it was.
                if merged {
                    return;
                }
                core.failed = Some(FailedSync {
                    id: *sync,
                    end: *end,
                    provider,
                    model: model.unwrap_or_default(),
                    failure: failure.clone(),
                    at,
                });
            });
        }
    }

    /// The change of a sync was taken back.
    pub(super) fn sync_undone(&mut self, id: SessionId, undoes: Option<SyncId>) {
        let Some(sync) = undoes else { return };
        self.core(id, |core| {
            for record in [&mut core.change, &mut core.last].into_iter().flatten() {
                record.undone |= record.id == Some(sync);
            }
        });
    }

    fn core(&mut self, id: SessionId, change: impl FnOnce(&mut CoreState)) {
        self.session(id, |session| change(&mut session.core));
    }

    fn mind_of(&self, id: SessionId) -> Option<nexus_text::content_hash::ContentHash> {
        self.stage.session(&id).map(|session| session.mind.clone())
    }
}

/// A call of the Core ended and used this.
fn used(core: &mut CoreState, usage: &Usage, cost: Option<Cost>) {
    core.spent.calls = core.spent.calls.saturating_add(1);
    core.spent.add(usage, cost);
}

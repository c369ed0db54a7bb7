//! Folds the life of jobs: open jobs, their usage and results; changes of the plan by the Core and the operator; and
//! the events of triggers, which are stored among the settings.

use crate::fold::{Fold, sum};
use crate::id::TriggerId;
use crate::job::SessionJobs;
use crate::mind::core_sync::{CoreProposal, CoreState, ProposalStep, SyncRecord, SyncResult};
use crate::prelude::*;
use crate::session::{trigger, trigger::Trigger};
use crate::turn::compaction::CompactionState;

impl Fold<'_, '_> {
    pub(super) fn job(&mut self, kind: &EventKind) {
        let at = self.event.at;
        if let EventKind::JobOpened(job) = kind {
            self.job_opened(job);
        } else if let EventKind::JobRetrying(retry) = kind {
            let job_kind = self.count_usage(retry.job, retry.kind, &retry.usage, retry.cost);
            let (attempt, at) = (retry.attempt.saturating_add(1), Millis(at.0.saturating_add(retry.wait_ms)));
            let next = Some(PendingRetry { attempt, at });
            self.open_job(retry.job, |job| job.retry = next);
            if job_kind == JobKind::Compaction {
                self.compaction(|row| row.retry = next);
                self.run(|run| run.used.calls = run.used.calls.saturating_add(1));
            }
        } else if let EventKind::JobFailed(failed) = kind {
            let mut job_kind = failed.kind;
            if failed.attempt.is_some() {
                job_kind = self.count_usage(failed.job, job_kind, &failed.usage, failed.cost);
            }
            if let (JobKind::Compaction, Some(failure)) = (job_kind, &failed.failure) {
                self.compaction(|row| (row.failure, row.ended_at) = (Some(failure.clone()), Some(at)));
            }
            self.session(self.here, |session| {
                if session.core.pending == Some(failed.job) {
                    session.core.pending = None;
                }
                session.jobs.note_failure(failed, at);
            });
        } else if let EventKind::JobDone(done) = kind {
            self.count_usage(done.job, done.result.kind(), &done.usage, done.cost);
            match &done.result {
                JobResult::Sync(result) => self.synced(done, result),
                JobResult::Merge(_) => {}
                JobResult::Compaction { summary, tokens_after } => self.compaction(|row| {
                    row.summary = Some(summary.clone());
                    row.tokens_after = Some(*tokens_after);
                    row.ended_at = Some(at);
                }),
                JobResult::Summary { title, summary, keywords, to } => self.session(self.here, |session| {
                    if title.is_some() {
                        session.title.clone_from(title);
                    }
                    session.summary = Some(summary.clone());
                    session.keywords.clone_from(keywords);
                    session.summarised_to = Some(*to);
                }),
                JobResult::Memory { checked, .. } => {
                    for id in checked {
                        self.message(*id, |message| message.is_memory_checked = true);
                    }
                }
            }
            self.jobs(|jobs| {
                drop(jobs.ended(done.job));
                jobs.failed.retain(|failed| failed.kind != done.result.kind());
            });
        }
    }

    fn job_opened(&mut self, job: &Job) {
        if let JobTask::Compaction(row) = &job.task {
            self.overlay.rows.compactions.insert(row.turn, Arc::new(row.as_ref().clone()));
            let turn = row.turn;
            self.archivist(|state| (state.pending, state.compacting) = (None, Some(turn)));
            self.run(|run| run.used.calls = run.used.calls.saturating_add(1));
        }
        self.session(self.here, |session| {
            if job.kind().slot() == JobSlot::Core {
                session.core.pending = None;
            }
            session.jobs.opened(job.clone());
        });
    }

    /// Counts the usage of an attempt once: of the Core in the session, of a compaction in its row, turn and run, of
    /// others in their recorded run. Returns the kind of the job.
    fn count_usage(&mut self, job: JobId, kind: JobKind, usage: &Usage, cost: Option<Cost>) -> JobKind {
        let open = self.overlay.session(&self.here).and_then(|session| session.jobs.get(job));
        let kind = open.map_or(kind, Job::kind);
        self.open_job(job, |job| {
            job.usage.add(usage);
            job.cost = sum(job.cost, cost);
        });
        let at = self.event.at;
        if kind != JobKind::Compaction || self.event.run.is_none() {
            self.jobs(|jobs| jobs.day.add(at, usage, cost));
        }
        match kind.slot() {
            JobSlot::Core => self.core(|core| {
                core.spent.calls = core.spent.calls.saturating_add(1);
                core.spent.add(usage, cost);
            }),
            JobSlot::Compaction => {
                self.change_turn(|turn| turn.usage.add(usage));
                self.compaction(|row| {
                    row.usage.add(usage);
                    row.cost = sum(row.cost, cost);
                    row.retry = None;
                });
                self.run(|run| run.used.add(usage, cost));
            }
            JobSlot::Maintenance => {}
        }
        kind
    }

    /// Ends the job of a compaction, because earlier programs recorded some ends only by the turn.
    pub(super) fn compaction_closed(&mut self, id: SessionId, turn: TurnId) {
        self.session(id, |session| {
            session.archivist.compacting = None;
            session.jobs.ended(turn.bits().into());
        });
    }

    fn jobs(&mut self, change: impl FnOnce(&mut SessionJobs)) {
        self.session(self.here, |session| change(&mut session.jobs));
    }

    fn open_job(&mut self, job: JobId, change: impl FnOnce(&mut Job)) {
        self.jobs(|jobs| {
            if let Some(open) = jobs.open.iter_mut().find(|open| open.id == job) {
                change(open);
            }
        });
    }

    fn compaction(&mut self, change: impl FnOnce(&mut Compaction)) {
        if let Some(id) = self.event.turn {
            self.overlay.change_compaction(&id, change);
        }
    }

    pub(super) fn archivist(&mut self, change: impl FnOnce(&mut CompactionState)) {
        self.session(self.here, |session| change(&mut session.archivist));
    }
}

impl Fold<'_, '_> {
    /// Records the Core's answer.
    pub(super) fn synced(&mut self, done: &JobDone, result: &SyncResult) {
        let record = SyncRecord {
            id: Some(done.job),
            at: self.event.at,
            reasoning: result.reasoning.clone(),
            minds: self.edited_by_core(&result.edits),
            dropped: result.dropped.clone(),
            kept_words: result.kept_words,
            model: done.model.clone(),
            usage: done.usage.clone(),
            cost: done.cost,
            after: self.overlay.session(&self.here).and_then(|session| session.head),
            seen: Some(result.base),
            ..SyncRecord::default()
        };
        let at = self.event.at;
        self.core(|core| {
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

    /// Records an applied or dismissed proposal, or, from earlier programs, a change of the plan without a job.
    pub(super) fn mind_synced(&mut self, kind: &EventKind) {
        let EventKind::MindSynced { base, edits, reasoning, sync, dropped, proposal, model } = kind else {
            return;
        };
        if *proposal == Some(ProposalStep::Dismissed) {
            return self.core(|core| core.proposal = None);
        }
        let record = SyncRecord {
            id: *sync,
            at: self.event.at,
            reasoning: reasoning.clone(),
            minds: self.edited_by_core(edits),
            dropped: dropped.clone(),
            model: model.clone(),
            after: self.overlay.session(&self.here).and_then(|session| session.head),
            seen: Some(*base),
            ..SyncRecord::default()
        };
        self.session(self.here, |session| {
            if proposal.is_some() {
                session.core.proposal = None;
            } else {
                session.core.synced = Some(*base);
                session.jobs.failed.retain(|failed| failed.kind != JobKind::Sync);
            }
            session.core.note(record);
        });
    }

    pub(super) fn sync_undone(&mut self, undoes: Option<JobId>) {
        let Some(sync) = undoes else { return };
        self.core(|core| {
            for record in [&mut core.change, &mut core.last].into_iter().flatten() {
                record.undone |= record.id == Some(sync);
            }
        });
    }

    pub(super) fn core(&mut self, change: impl FnOnce(&mut CoreState)) {
        self.session(self.here, |session| change(&mut session.core));
    }
}

impl Fold<'_, '_> {
    pub(super) fn put_trigger(&mut self, trigger: &Trigger) {
        if let Ok(row) = json::to_tree(trigger) {
            self.overlay.rows.settings.insert(Trigger::row(trigger.id), Arc::new(row));
        }
    }

    pub(super) fn change_trigger(&mut self, id: TriggerId, change: impl FnOnce(Trigger) -> Trigger) {
        let row = self.overlay.setting(&Trigger::row(id)).and_then(|row| trigger::read(row));
        if let Some(row) = row {
            self.put_trigger(&change(row));
        }
    }
}

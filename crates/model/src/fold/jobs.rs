//! Folds the life of jobs: what is open, what it used, and what its result changes.

use std::sync::Arc;

use super::{Fold, sum};
use crate::event::EventKind;
use crate::id::{JobId, Millis, SessionId, TurnId};
use crate::job::{Job, JobKind, JobResult, JobSlot, JobTask, SessionJobs};
use crate::llm::Usage;
use crate::provider::price::Cost;
use crate::turn::PendingRetry;
use crate::turn::compaction::Compaction;
use crate::turn::compaction::CompactionState;

impl Fold<'_, '_> {
    pub(super) fn job(&mut self, happening: &EventKind) {
        let Some(id) = self.event.stream.session() else { return };
        let at = self.event.at;
        if let EventKind::JobOpened(job) = happening {
            self.job_opened(id, job);
        } else if let EventKind::JobRetrying(retry) = happening {
            let kind = self.used(id, retry.job, retry.kind, &retry.usage, retry.cost);
            let (attempt, at) = (retry.attempt.saturating_add(1), Millis(at.0.saturating_add(retry.wait_ms)));
            let next = Some(PendingRetry { attempt, at });
            self.open_job(id, retry.job, |job| job.retry = next);
            if kind == JobKind::Compaction {
                self.compaction(|row| row.retry = next);
                self.run(|run| run.used.calls = run.used.calls.saturating_add(1));
            }
        } else if let EventKind::JobFailed(failed) = happening {
            let mut kind = failed.kind;
            if failed.attempt.is_some() {
                kind = self.used(id, failed.job, kind, &failed.usage, failed.cost);
            }
            if let (JobKind::Compaction, Some(failure)) = (kind, &failed.failure) {
                self.compaction(|row| (row.failure, row.ended_at) = (Some(failure.clone()), Some(at)));
            }
            self.session(id, |session| {
                if session.core.wanted == Some(failed.job) {
                    session.core.wanted = None;
                }
                session.jobs.came_to_nothing(failed, at);
            });
        } else if let EventKind::JobDone(done) = happening {
            self.used(id, done.job, done.result.kind(), &done.usage, done.cost);
            match &done.result {
                JobResult::Sync(result) => self.synced(id, done, result),
                JobResult::Merge(_) => {}
                JobResult::Compaction { summary, tokens_after } => self.compaction(|row| {
                    row.summary = Some(summary.clone());
                    row.tokens_after = Some(*tokens_after);
                    row.ended_at = Some(at);
                }),
                JobResult::Summary { title, summary, keywords, to } => self.session(id, |session| {
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
            self.jobs(id, |jobs| drop(jobs.ended(done.job)));
        }
    }

    fn job_opened(&mut self, id: SessionId, job: &Job) {
        if let JobTask::Compaction(row) = &job.task {
            self.stage.rows.compactions.insert(row.turn, Arc::new(row.as_ref().clone()));
            let turn = row.turn;
            self.archivist(|state| (state.wanted, state.compacting) = (None, Some(turn)));
            self.run(|run| run.used.calls = run.used.calls.saturating_add(1));
        }
        self.session(id, |session| {
            if job.kind().slot() == JobSlot::Core {
                session.core.wanted = None;
            }
            session.jobs.opened(job.clone());
        });
    }

    /// Counts what an attempt at a job used, once and in the one place where its kind is counted: those of the Core by the
    /// session, a compaction by its row, its turn and its run, the others by the run that is kept of them. Says of which
    /// kind it is.
    fn used(
        &mut self,
        id: SessionId,
        job: JobId,
        kind: JobKind,
        usage: &Usage,
        cost: Option<Cost>,
    ) -> JobKind {
        let open = self.stage.session(&id).and_then(|session| session.jobs.get(job));
        let kind = open.map_or(kind, Job::kind);
        self.open_job(id, job, |job| {
            job.usage.add(usage);
            job.cost = sum(job.cost, cost);
        });
        let at = self.event.at;
        if kind != JobKind::Compaction || self.event.run.is_none() {
            self.jobs(id, |jobs| jobs.day.add(at, usage, cost));
        }
        match kind.slot() {
            JobSlot::Core => self.session(id, |session| {
                session.core.spent.calls = session.core.spent.calls.saturating_add(1);
                session.core.spent.add(usage, cost);
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

    /// Programs before the job of a compaction had an end of its own told of some by their turn alone.
    pub(super) fn compaction_closed(&mut self, id: SessionId, turn: TurnId) {
        self.session(id, |session| {
            session.archivist.compacting = None;
            session.jobs.ended(turn.bits().into());
        });
    }

    fn jobs(&mut self, id: SessionId, change: impl FnOnce(&mut SessionJobs)) {
        self.session(id, |session| change(&mut session.jobs));
    }

    fn open_job(&mut self, id: SessionId, job: JobId, change: impl FnOnce(&mut Job)) {
        self.jobs(id, |jobs| {
            if let Some(open) = jobs.open.iter_mut().find(|open| open.id == job) {
                change(open);
            }
        });
    }

    fn compaction(&mut self, change: impl FnOnce(&mut Compaction)) {
        if let Some((id, row)) = self.event.turn.and_then(|id| Some((id, self.stage.compaction(&id)?))) {
            let mut row = row.as_ref().clone();
            change(&mut row);
            self.stage.rows.compactions.insert(id, Arc::new(row));
        }
    }

    pub(super) fn archivist(&mut self, change: impl FnOnce(&mut CompactionState)) {
        if let Some(id) = self.event.stream.session() {
            self.session(id, |session| change(&mut session.archivist));
        }
    }
}

//! Decides the life of jobs: opening, attempts that failed, results, and their end by Stop or a reload.
//!
//! The files beside this one say when a job of their kind begins and what its result changes.

use super::archivist::summary_result;
use super::compaction::compaction_result;
use super::{Decider, Rejection};
use crate::command::JobAnswer;
use crate::event::EventKind;
use crate::id::{JobId, SessionId};
use crate::job::budget::{job_limits, spent_by};
use crate::job::maintenance::pass::{JobOutcome, run_of};
use crate::job::{
    Job, JobCause, JobDone, JobEnd, JobFailure, JobKind, JobResult, JobRetry, JobSlot, JobTask,
};
use crate::llm::{ModelConfig, Usage};
use crate::mind::merge::proposal::MergeProposal;
use crate::provider::cost::cost_of;
use crate::provider::failure::{ProviderError, ProviderErrorKind};
use crate::provider::price::Cost;
use crate::session::Session;

pub(super) struct FailedJobAttempt<'c> {
    pub(super) attempt: u32,
    pub(super) failure: &'c ProviderError,
    pub(super) usage: &'c Usage,
    pub(super) retry_in_ms: Option<u64>,
}

impl<'w> Decider<'w, '_, '_> {
    fn job(&self, id: SessionId, job: JobId) -> Result<(&'w Session, &'w Job), Rejection> {
        let session = self.session(id)?;
        session.jobs.get(job).map(|job| (session, job)).ok_or(Rejection::Stale)
    }

    pub(super) fn open_job(
        &mut self,
        session: &Session,
        id: JobId,
        task: JobTask,
        cause: JobCause,
        config: ModelConfig,
    ) {
        let ModelConfig { provider, model, .. } = config;
        let (at, usage) = (self.now(), Usage::default());
        let job = Job { id, task, cause, provider, model, at, retry: None, usage, cost: None };
        self.note_job(session, &job, EventKind::JobOpened(job.clone()));
    }

    /// Notes an event of a job where it belongs: that of the Core to the run that is open, a compaction to its turn,
    /// summary and memory to the run that is kept of them.
    fn note_job(&mut self, session: &Session, job: &Job, what: EventKind) {
        let open_run = self.world.open_run(session).map(|run| run.id);
        let (run, turn) = match &job.task {
            JobTask::Sync { .. } | JobTask::Merge(_) => (open_run, None),
            JobTask::Compaction(row) => {
                (self.world.turn(&row.turn).map_or(open_run, |turn| turn.run), Some(row.turn))
            }
            JobTask::Summary { .. } | JobTask::Memory { .. } => (Some(run_of(job.id)), None),
        };
        self.note(session.id, run, turn, what);
    }

    fn cost_of_job(&self, job: &Job, usage: &Usage) -> Option<Cost> {
        cost_of(self.world, &job.provider, &job.model, usage, self.now())
    }

    pub(super) fn record_job(
        &mut self,
        id: SessionId,
        job: JobId,
        answer: &JobAnswer,
        usage: &Usage,
    ) -> Result<(), Rejection> {
        let (session, job) = self.job(id, job)?;
        let result = match (&job.task, answer) {
            (JobTask::Sync { base }, JobAnswer::Sync(patch)) => {
                JobResult::Sync(self.merge_patch(session, base, patch)?)
            }
            (JobTask::Merge(question), JobAnswer::Merge((proposals, without))) => {
                let (proposals, without) = (proposals.clone(), without.clone());
                JobResult::Merge(MergeProposal { other: question.other, proposals, without })
            }
            (JobTask::Compaction(_), JobAnswer::Compaction { summary, tokens_after }) => {
                compaction_result(summary, *tokens_after)
            }
            (JobTask::Summary { messages }, JobAnswer::Summary(answer)) => {
                summary_result(session, messages, answer)?
            }
            (JobTask::Memory { messages }, JobAnswer::Memory(facts)) => {
                self.note_memories(session, job.id, messages, facts)
            }
            _ => return Err(Rejection::Stale),
        };
        let cost = self.cost_of_job(job, usage);
        let (model, usage) = (job.model.clone(), usage.clone());
        let done = JobDone { job: job.id, model, usage, cost, result };
        self.note_job(session, job, EventKind::JobDone(done.clone()));
        self.count_job(session, job, &done.usage, cost);
        let noted = match &done.result {
            JobResult::Memory { noted, .. } => Some(*noted),
            JobResult::Sync(result) => {
                self.tell_sync(session, job, result);
                None
            }
            JobResult::Merge(_) | JobResult::Compaction { .. } | JobResult::Summary { .. } => None,
        };
        let outcome = JobOutcome { end: None, failure: None, usage: &done.usage, cost, noted };
        self.after_job(session, job, &outcome);
        Ok(())
    }

    /// Says once where an attempt uses up the daily budget. Whether it is used up now.
    fn count_job(&mut self, session: &Session, job: &Job, usage: &Usage, cost: Option<Cost>) -> bool {
        if job.kind() == JobKind::Compaction {
            return false;
        }
        let (before, after) = spent_by(self.world, self.now(), usage, cost);
        if after && !before {
            let limits = job_limits(self.world);
            self.note(session.id, None, None, EventKind::JobBudgetSpent { limits });
        }
        after
    }

    /// Records that an attempt failed. Without another one the job is over.
    pub(super) fn record_job_failure(
        &mut self,
        id: SessionId,
        job: JobId,
        failed: &FailedJobAttempt<'_>,
    ) -> Result<(), Rejection> {
        let (session, job) = self.job(id, job)?;
        let cost = self.cost_of_job(job, failed.usage);
        let (kind, attempt, usage) = (job.kind(), failed.attempt, failed.usage.clone());
        let is_spent = self.count_job(session, job, &usage, cost);
        let Some(wait_ms) = failed.retry_in_ms.filter(|_| !(is_spent && job.is_bound_by_budget())) else {
            let (end, failure) = (JobEnd::Failed, Some(failed.failure));
            let outcome = JobOutcome { end: Some(end), failure, usage: failed.usage, cost, noted: None };
            self.fail_job(session, job, Some(attempt), &outcome);
            return Ok(());
        };
        let failure = failed.failure.clone();
        let retry = JobRetry { job: job.id, kind, attempt, failure, usage, cost, wait_ms };
        self.note_job(session, job, EventKind::JobRetrying(retry));
        Ok(())
    }

    fn fail_job(&mut self, session: &Session, job: &Job, attempt: Option<u32>, outcome: &JobOutcome<'_>) {
        self.note_job(
            session,
            job,
            EventKind::JobFailed(JobFailure {
                job: job.id,
                kind: job.kind(),
                end: outcome.end.unwrap_or_default(),
                attempt,
                failure: outcome.failure.cloned(),
                usage: outcome.usage.clone(),
                cost: outcome.cost,
            }),
        );
        self.after_job(session, job, outcome);
    }

    /// What follows where a job is over, however it ended.
    fn after_job(&mut self, session: &Session, job: &Job, outcome: &JobOutcome<'_>) {
        match &job.task {
            JobTask::Sync { .. } | JobTask::Merge(_) => {}
            JobTask::Compaction(row) => self.after_compaction(session, row.turn, outcome),
            JobTask::Summary { .. } | JobTask::Memory { .. } => self.record_pass(session, job, outcome),
        }
    }

    /// Ends an open job that nobody waits for any more. Does nothing where it has ended already.
    pub(super) fn end_job(&mut self, session: &Session, job: &Job, end: JobEnd) {
        let is_it = |what: &EventKind| matches!(what, EventKind::JobFailed(failed) if failed.job == job.id);
        if self.events.iter().any(|event| is_it(&event.what)) {
            return;
        }
        let usage = Usage::default();
        let outcome = JobOutcome { end: Some(end), failure: None, usage: &usage, cost: None, noted: None };
        self.fail_job(session, job, None, &outcome);
    }

    /// Ends what is under way or waits in some slots of a session.
    pub(super) fn end_jobs(&mut self, session: &Session, slots: &[JobSlot], end: JobEnd) {
        for slot in slots {
            if let Some(job) = session.jobs.of(*slot) {
                self.end_job(session, job, end);
            }
            match slot {
                JobSlot::Core => self.drop_sync(session, end),
                JobSlot::Compaction if session.archivist.wanted.is_some() => {
                    let words = "It was stopped before it began.";
                    let failure = ProviderError::new(ProviderErrorKind::NotSetUp, words);
                    let run = self.world.open_run(session).map(|run| run.id);
                    self.note(session.id, run, None, EventKind::CompactionDropped { failure });
                }
                JobSlot::Compaction | JobSlot::Maintenance => {}
            }
        }
    }

    /// A sync that waits for the end of a run does not begin.
    fn drop_sync(&mut self, session: &Session, end: JobEnd) {
        let Some(job) = session.core.wanted else { return };
        let (kind, usage) = (JobKind::Sync, Usage::default());
        let failed = JobFailure { job, kind, end, attempt: None, failure: None, usage, cost: None };
        self.note(session.id, None, None, EventKind::JobFailed(failed));
    }
}

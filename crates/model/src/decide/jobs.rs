//! Decides the life of jobs: opening, failed attempts, results, and their end by Stop or a reload.
//!
//! Also decides the Archivist's summaries and memories.

use super::Decider;
use super::compaction::compaction_result;
use crate::command::{FailedAttempt, JobAnswer, MemoryChange};
use crate::context::forecast::cost_of;
use crate::context::history::new_facts;
use crate::id::MemoryId;
use crate::job::maintenance::answer::{Fact, FactAction, SummaryAnswer};
use crate::job::maintenance::{
    JobOutcome, due, is_idle, is_spent, job_limits, job_session_of, maintenance_config, record, run_of,
    spent_by, summary_of, unsummarised,
};
use crate::job::{JobFailure, JobRetry};
use crate::limits::LABEL_CHARS;
use crate::memory::{Revision, RevisionKind, normal_form, trimmed};
use crate::mind::merge::proposal::MergeProposal;
use crate::prelude::*;
use crate::settings::schema::SUMMARY_AUTO;

impl<'w> Decider<'w, '_, '_> {
    fn job(&self, id: SessionId, job: JobId) -> Decision<(&'w Session, &'w Job)> {
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

    /// Adds a job's event to its run and turn: sync and merge to the open run, a compaction to its turn, summary and
    /// memory to their recorded run.
    fn note_job(&mut self, session: &Session, job: &Job, kind: EventKind) {
        let open_run = self.world.open_run(session).map(|run| run.id);
        let (run, turn) = match &job.task {
            JobTask::Sync { .. } | JobTask::Merge(_) => (open_run, None),
            JobTask::Compaction(row) => {
                (self.world.turn(&row.turn).map_or(open_run, |turn| turn.run), Some(row.turn))
            }
            JobTask::Summary { .. } | JobTask::Memory { .. } => (Some(run_of(job.id)), None),
        };
        self.note(session.id, run, turn, kind);
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
    ) -> Decision {
        let (session, job) = self.job(id, job)?;
        let result = match (&job.task, answer) {
            (JobTask::Sync { base }, JobAnswer::Sync(patch)) => {
                JobResult::Sync(self.merge_patch(session, base, patch)?)
            }
            (JobTask::Merge(question), JobAnswer::Merge((proposals, unresolved))) => {
                let (proposals, unresolved) = (proposals.clone(), unresolved.clone());
                JobResult::Merge(MergeProposal { other: question.other, proposals, unresolved })
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
        if let JobResult::Sync(result) = &done.result {
            self.report_sync(session, job, result);
        }
        self.after_job(session, job, Ok(&done));
        Ok(())
    }

    /// Notes once that a job exhausts the daily budget. True if the budget is exhausted now.
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

    /// Records a failed attempt. Without a retry the job ends.
    pub(super) fn record_job_failure(
        &mut self,
        id: SessionId,
        job: JobId,
        failed: &FailedAttempt,
    ) -> Decision {
        let (session, job) = self.job(id, job)?;
        let cost = self.cost_of_job(job, &failed.usage);
        let (job_id, kind, usage) = (job.id, job.kind(), failed.usage.clone());
        let (attempt, failure) = (failed.attempt, failed.failure.clone());
        let is_spent = self.count_job(session, job, &usage, cost);
        let retry_in_ms = failed.retry_in_ms.filter(|_| !(is_spent && job.is_bound_by_budget()));
        if let Some(wait_ms) = retry_in_ms {
            let retry = JobRetry { job: job_id, kind, attempt, failure, usage, cost, wait_ms };
            self.note_job(session, job, EventKind::JobRetrying(retry));
        } else {
            let (attempt, failure) = (Some(attempt), Some(failure));
            let failed =
                JobFailure { usage, cost, attempt, failure, ..JobFailure::new(job_id, kind, JobEnd::Failed) };
            self.fail_job(session, job, failed);
        }
        Ok(())
    }

    fn fail_job(&mut self, session: &Session, job: &Job, failed: JobFailure) {
        self.note_job(session, job, EventKind::JobFailed(failed.clone()));
        self.after_job(session, job, Err(&failed));
    }

    /// Continues after a job has ended in any way.
    fn after_job(&mut self, session: &Session, job: &Job, outcome: JobOutcome<'_>) {
        match &job.task {
            JobTask::Sync { .. } | JobTask::Merge(_) => {}
            JobTask::Compaction(row) => self.after_compaction(session, row.turn, outcome),
            JobTask::Summary { .. } | JobTask::Memory { .. } => self.record_job_run(session, job, outcome),
        }
    }

    /// Ends an open job. Does nothing if it has already ended.
    pub(super) fn end_job(&mut self, session: &Session, job: &Job, end: JobEnd) {
        let is_it = |what: &EventKind| matches!(what, EventKind::JobFailed(failed) if failed.job == job.id);
        if self.events.iter().any(|event| is_it(&event.kind)) {
            return;
        }
        self.fail_job(session, job, JobFailure::new(job.id, job.kind(), end));
    }

    /// Ends the running and the requested jobs in some slots of a session.
    pub(super) fn end_jobs(&mut self, session: &Session, slots: &[JobSlot], end: JobEnd) {
        for slot in slots {
            if let Some(job) = session.jobs.of(*slot) {
                self.end_job(session, job, end);
            }
            match slot {
                JobSlot::Core => self.drop_sync(session, end),
                JobSlot::Compaction if session.archivist.pending.is_some() => {
                    let text = "It was stopped before it began.";
                    let failure = ProviderError::new(ProviderErrorKind::NotSetUp, text);
                    self.note_in_run(session, EventKind::CompactionDropped { failure });
                }
                JobSlot::Compaction | JobSlot::Maintenance => {}
            }
        }
    }

    /// Cancels a sync that waits for the end of a run.
    fn drop_sync(&mut self, session: &Session, end: JobEnd) {
        let Some(job) = session.core.pending else { return };
        let failed = JobFailure::new(job, JobKind::Sync, end);
        self.note(session.id, None, None, EventKind::JobFailed(failed));
    }
}

/// The result of a summary. Never replaces a title: the operator may have set it.
fn summary_result(session: &Session, messages: &[MessageId], answer: &SummaryAnswer) -> Decision<JobResult> {
    let title = Some(answer.title.clone()).filter(|title| !title.is_empty() && session.title.is_none());
    let (summary, keywords) = (answer.summary.clone(), answer.keywords.clone());
    let to = *messages.last().ok_or(Rejection::Stale)?;
    Ok(JobResult::Summary { title, summary, keywords, to })
}

impl Decider<'_, '_, '_> {
    pub(super) fn open_maintenance(&mut self, id: SessionId) -> Decision {
        let session = self.session(id)?;
        if is_spent(self.world, self.now()) {
            return Err(Rejection::Stale);
        }
        let task = due(self.world, session, self.now()).ok_or(Rejection::Stale)?;
        self.begin_maintenance(session, task);
        Ok(())
    }

    /// Starts a summary update, however few messages are new.
    pub(super) fn summarise(&mut self, id: SessionId) -> Decision {
        let session = self.session(id)?;
        let messages = unsummarised(self.world, session);
        if !is_spent(self.world, self.now())
            && is_idle(self.world, session)
            && self.world.value(SUMMARY_AUTO)
            && !messages.is_empty()
        {
            self.begin_maintenance(session, summary_of(messages));
        }
        Ok(())
    }

    fn begin_maintenance(&mut self, session: &Session, task: JobTask) {
        let id = JobId::new(self.env.ids);
        self.open_job(session, id, task, JobCause::Auto, maintenance_config(self.world));
    }

    /// Stores a finished job as a run, in the hidden session of the session that it served.
    fn record_job_run(&mut self, served: &Session, job: &Job, outcome: JobOutcome<'_>) {
        let own = match job_session_of(self.world, served.id) {
            Some(own) => own.as_ref().clone(),
            None => {
                let label: String = served.name().chars().take(LABEL_CHARS / 2).collect();
                let id = SessionId::new(self.env.ids);
                let label = self.free_name(&format!("Archivist of {label}"));
                let own = served.child(SessionRole::Jobs, Session::opened(id, label, self.now()));
                self.begin(own.clone(), &Mind::default());
                own
            }
        };
        let Some((run, turn)) = record(&own, job, outcome, self.now()) else { return };
        let (run_id, turn_id) = (run.id, turn.id);
        self.note(own.id, Some(run_id), None, EventKind::RunOpened { run });
        self.note(own.id, Some(run_id), Some(turn_id), EventKind::TurnOpened { turn });
        let moved = EventKind::HeadMoved { from: own.head, to: Some(turn_id), mind: own.mind, by_hand: None };
        self.note(own.id, Some(run_id), Some(turn_id), moved);
    }

    /// Adds and changes memories. The result marks the messages as checked; after a failure they stay unchecked.
    fn note_memories(
        &mut self,
        session: &Session,
        job: JobId,
        messages: &[MessageId],
        facts: &[Fact],
    ) -> JobResult {
        let adds = facts.iter().filter(|fact| fact.action == FactAction::Add);
        let contents: Vec<&str> = adds.map(|fact| fact.content.as_str()).collect();
        let new = new_facts(self.world, session, &contents);
        let source = |fact: &Fact| {
            let at = fact.message.and_then(|number| messages.get(number.checked_sub(1)?));
            at.or(messages.last()).copied()
        };
        let mut noted = 0u32;
        for content in new {
            let is_it = |fact: &&Fact| fact.action == FactAction::Add && fact.content == content;
            let Some(fact) = facts.iter().find(is_it) else { continue };
            let memory = Memory {
                id: MemoryId::new(self.env.ids),
                content: trimmed(content),
                importance: fact.importance.clamp(1, 5),
                scope: if fact.everywhere { MemoryScope::Operator } else { MemoryScope::Session },
                session: session.id,
                operator: session.operator.clone(),
                message: source(fact),
                at: self.now(),
                ..Memory::default()
            };
            noted = noted.saturating_add(1);
            self.note(session.id, Some(run_of(job)), None, EventKind::MemoryNoted(memory));
        }
        // An answer changes each memory once; further changes of it are ignored.
        let mut changed = VecSet::new();
        for fact in facts {
            let Some(memory) = self.revised(session, fact, source(fact)) else { continue };
            if changed.insert(memory.id) {
                noted = noted.saturating_add(1);
                self.note(session.id, Some(run_of(job)), None, EventKind::MemoryChanged(memory));
            }
        }
        JobResult::Memory { checked: messages.to_vec(), noted }
    }

    /// The changed memory; `None` if the id is unknown, ambiguous or closed to the Archivist, or nothing changes.
    fn revised(&self, session: &Session, fact: &Fact, message: Option<MessageId>) -> Option<Memory> {
        let (id, kind) = match &fact.action {
            FactAction::Add => return None,
            FactAction::Change(id) => (id, RevisionKind::Changed),
            FactAction::Retire(id) => (id, RevisionKind::Retired),
            FactAction::Widen(id) => (id, RevisionKind::Widened),
        };
        let mut named = self.world.memories.values().filter(|memory| {
            memory.is_open_to_archivist()
                && memory.short_id() == *id
                && memory.reaches(self.world, session, None)
        });
        let (before, now) = (named.next()?, self.now());
        let mut memory = before.as_ref().clone();
        match kind {
            RevisionKind::Changed => {
                if new_facts(self.world, session, &[&fact.content]).is_empty() {
                    return None;
                }
                (memory.content, memory.importance) = (trimmed(&fact.content), fact.importance.clamp(1, 5));
            }
            RevisionKind::Retired => memory.deleted_at = Some(now),
            RevisionKind::Widened if before.scope == MemoryScope::Session => {
                memory.scope = MemoryScope::Operator;
            }
            RevisionKind::Widened => return None,
        }
        let (content, importance, scope) = (before.content.clone(), before.importance, before.scope.clone());
        memory.revision =
            Some(Revision { kind, at: now, session: session.id, message, content, importance, scope });
        // An ambiguous short id changes nothing.
        named.next().is_none().then_some(memory)
    }

    pub(super) fn change_memory(&mut self, id: MemoryId, change: &MemoryChange) -> Decision {
        let mut memory = self.world.memory(&id).ok_or(Rejection::NoSuchMemory)?.as_ref().clone();
        let now = self.now();
        match change {
            MemoryChange::Content(content) => {
                let content = trimmed(content);
                let form = normal_form(&content);
                let same = |other: &Memory| {
                    other.id != id
                        && other.exists()
                        && other.session == memory.session
                        && normal_form(&other.content) == form
                };
                if content.is_empty() || self.world.memories.values().any(|other| same(other)) {
                    return Err(Rejection::BadMemory);
                }
                memory.content = content;
                memory.edited_at = Some(now);
            }
            MemoryChange::Importance(importance) => {
                memory.importance = (*importance).clamp(1, 5);
                memory.edited_at = Some(now);
            }
            MemoryChange::Scope(scope) => memory.scope = scope.clone(),
            MemoryChange::Pinned(pinned) => memory.pinned = *pinned,
            MemoryChange::Deleted => memory.deleted_at = Some(now),
            MemoryChange::Restored => memory.deleted_at = None,
            MemoryChange::Undone => memory = memory.undone(now),
        }
        match memory.source(self.world).map(|session| session.id) {
            Some(session) => self.note(session, None, None, EventKind::MemoryChanged(memory)),
            // Its session was purged: nothing is written there any more.
            None => self.note_app(EventKind::MemoryChanged(memory)),
        }
        Ok(())
    }
}

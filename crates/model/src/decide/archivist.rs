//! Decides the Archivist's commands: starting jobs, recording results, retrying, and editing memories.
//!
//! Runs at most one job per session.

use super::{Decider, Rejection};
use crate::command::{MaintenanceCommand, MemoryChange};
use crate::event::EventKind;
use crate::id::{JobId, MemoryId, MessageId, SessionId};
use crate::limits::{LABEL_CHARS, SUMMARY_MESSAGES};
use crate::llm::Usage;
use crate::maintenance::answer::{Fact, SummaryAnswer};
use crate::maintenance::pass::{JobReport, passes_of, record as record_of, run_of};
use crate::maintenance::record;
use crate::maintenance::{JobEnd, JobKind, OpenJob, chore_config, due, rests, unsummarised};
use crate::memory::{Memory, MemoryScope, news, normal_form, trimmed};
use crate::mind::Mind;
use crate::provider::failure::ProviderError;
use crate::provider::price::{Cost, cost_of};
use crate::session::{Session, SessionKind, SessionOrigin};
use crate::settings::schema::SUMMARY_AUTO;

/// An attempt at a chore that failed.
pub(super) struct FailedJobAttempt<'c> {
    pub(super) attempt: u32,
    pub(super) failure: &'c ProviderError,
    pub(super) usage: &'c Usage,
}

/// How many times a chore was asked so far.
fn attempts_of(open: &OpenJob) -> u32 {
    open.retry.map_or(1, |retry| retry.attempt)
}

impl<'w> Decider<'w, '_, '_> {
    pub(super) fn archivist(&mut self, command: &MaintenanceCommand) -> Result<(), Rejection> {
        match command {
            MaintenanceCommand::Compact { session, agent, focus } => self.compact(*session, agent, focus)?,
            MaintenanceCommand::Summarise { session } => self.summarise(*session)?,
            MaintenanceCommand::RequestCompaction { run, node } => self.request_compaction(*run, node)?,
            MaintenanceCommand::OpenCompaction { session, plan, cut } => {
                self.open_compaction(*session, plan, *cut)?
            }
            MaintenanceCommand::RecordCompaction { turn, summary, tokens_after, usage } => {
                self.record_compaction(*turn, summary, *tokens_after, usage)?;
            }
            MaintenanceCommand::RecordCompactionFailure { turn, attempt, failure, usage, retry_in_ms } => {
                self.record_compaction_failure(*turn, *attempt, failure, usage, *retry_in_ms)?;
            }
            MaintenanceCommand::DropCompaction { session, failure } => {
                self.drop_compaction(*session, failure)?
            }
            MaintenanceCommand::OpenChore { session } => self.open_chore(*session)?,
            MaintenanceCommand::RecordSummary { session, chore, answer, usage } => {
                self.record_summary(*session, *chore, answer, usage)?;
            }
            MaintenanceCommand::RecordMemories { session, chore, facts, usage } => {
                self.record_memories(*session, *chore, facts, usage)?;
            }
            MaintenanceCommand::RecordChoreFailure {
                session,
                chore,
                attempt,
                failure,
                usage,
                retry_in_ms,
            } => {
                let failed = FailedJobAttempt { attempt: *attempt, failure, usage };
                self.record_chore_failure(*session, *chore, &failed, *retry_in_ms)?;
            }
            MaintenanceCommand::ChangeMemory { memory, change } => self.change_memory(*memory, change)?,
        }
        Ok(())
    }

    /// Begins what is due.
    pub(super) fn open_chore(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let (kind, messages) = due(self.world, session).ok_or(Rejection::Stale)?;
        self.begin_chore(id, kind, messages);
        Ok(())
    }

    /// Brings the summary up to date, however few messages are new.
    fn summarise(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let messages = unsummarised(self.world, session);
        if rests(self.world, session) && self.world.value(SUMMARY_AUTO) && !messages.is_empty() {
            self.begin_chore(id, JobKind::Summary, messages);
        }
        Ok(())
    }

    fn begin_chore(&mut self, id: SessionId, kind: JobKind, mut messages: Vec<MessageId>) {
        messages.truncate(SUMMARY_MESSAGES);
        let config = chore_config(self.world);
        let chore = OpenJob {
            id: JobId::new(self.moment.ids),
            kind,
            messages,
            provider: config.provider,
            model: config.model,
            at: self.now(),
            retry: None,
        };
        self.note_chore(id, chore.id, EventKind::ChoreOpened(chore));
    }

    /// What a chore does is told as a part of its run, and belongs to no turn of the session that it serves.
    fn note_chore(&mut self, session: SessionId, chore: JobId, what: EventKind) {
        self.note(session, Some(run_of(chore)), None, what);
    }

    /// Keeps a chore that is over as a run, in the hidden session that belongs to the one that it served.
    fn record_pass(&mut self, served: &Session, open: &OpenJob, passed: &JobReport<'_>) {
        let own = match passes_of(self.world, served.id) {
            Some(own) => own.as_ref().clone(),
            None => {
                let label: String = served.label.chars().take(LABEL_CHARS / 2).collect();
                let id = SessionId::new(self.moment.ids);
                let label = self.free_name(&format!("Archivist of {label}"));
                let own = Session {
                    origin: SessionOrigin::System,
                    kind: SessionKind::Tool,
                    parent: Some(served.id),
                    group: served.group.clone(),
                    ..self.new_session(id, label)
                };
                self.begin(own.clone(), &Mind::default());
                own
            }
        };
        let (run, turn) = record_of(&own, open, passed, self.now());
        let (run_id, turn_id) = (run.id, turn.id);
        self.note(own.id, Some(run_id), None, EventKind::RunOpened { run });
        self.note(own.id, Some(run_id), Some(turn_id), EventKind::TurnOpened { turn });
        let moved =
            EventKind::HeadMoved { from: own.head, to: Some(turn_id), mind: own.mind.clone(), by_hand: None };
        self.note(own.id, Some(run_id), Some(turn_id), moved);
    }

    fn record_done(&mut self, served: &Session, open: &OpenJob, usage: &Usage, noted: Option<u32>) {
        let cost = self.cost_of_chore(open, usage);
        let passed = JobReport { end: None, failure: None, usage, cost, noted, attempts: attempts_of(open) };
        self.record_pass(served, open, &passed);
    }

    fn chore(&self, id: SessionId, chore: JobId) -> Result<(&'w Session, &'w OpenJob), Rejection> {
        let session = self.session(id)?;
        let open = session.archivist.chore.as_ref().filter(|open| open.id == chore);
        open.map(|open| (session, open)).ok_or(Rejection::Stale)
    }

    fn cost_of_chore(&self, open: &OpenJob, usage: &Usage) -> Option<Cost> {
        cost_of(self.world, &open.provider, &open.model, usage, self.now())
    }

    pub(super) fn record_summary(
        &mut self,
        id: SessionId,
        chore: JobId,
        answer: &SummaryAnswer,
        usage: &Usage,
    ) -> Result<(), Rejection> {
        let (session, open) = self.chore(id, chore)?;
        let to = *open.messages.last().ok_or(Rejection::Stale)?;
        // A title that stands stays: the operator may have given it.
        let title = Some(answer.title.clone()).filter(|title| !title.is_empty() && session.title.is_none());
        let made = EventKind::SummaryMade(record::SessionSummary {
            chore,
            title,
            summary: answer.summary.clone(),
            keywords: answer.keywords.clone(),
            to,
            model: open.model.clone(),
            usage: usage.clone(),
            cost: self.cost_of_chore(open, usage),
        });
        self.note_chore(id, chore, made);
        self.record_done(session, open, usage, None);
        Ok(())
    }

    /// Notes what is new, and only then marks the messages: what fails leaves the marks.
    pub(super) fn record_memories(
        &mut self,
        id: SessionId,
        chore: JobId,
        facts: &[Fact],
        usage: &Usage,
    ) -> Result<(), Rejection> {
        let (session, open) = self.chore(id, chore)?;
        let contents: Vec<&str> = facts.iter().map(|fact| fact.content.as_str()).collect();
        let new = news(self.world, session, &contents);
        let mut noted = 0u32;
        for content in new {
            let Some(fact) = facts.iter().find(|fact| fact.content == content) else { continue };
            let at = fact.message.and_then(|number| open.messages.get(number.checked_sub(1)?));
            let memory = Memory {
                id: MemoryId::new(self.moment.ids),
                content: trimmed(content),
                importance: fact.importance.clamp(1, 5),
                scope: MemoryScope::Session,
                session: id,
                operator: session.operator.clone(),
                message: at.or(open.messages.last()).copied(),
                pinned: false,
                at: self.now(),
                edited_at: None,
                deleted_at: None,
            };
            noted = noted.saturating_add(1);
            self.note_chore(id, chore, EventKind::MemoryNoted(memory));
        }
        let done = EventKind::MemoriesChecked(record::MemoryScan {
            chore,
            checked: open.messages.clone(),
            noted,
            model: open.model.clone(),
            usage: usage.clone(),
            cost: self.cost_of_chore(open, usage),
        });
        self.note_chore(id, chore, done);
        self.record_done(session, open, usage, Some(noted));
        Ok(())
    }

    pub(super) fn record_chore_failure(
        &mut self,
        id: SessionId,
        chore: JobId,
        failed: &FailedJobAttempt<'_>,
        retry_in_ms: Option<u64>,
    ) -> Result<(), Rejection> {
        let (session, open) = self.chore(id, chore)?;
        let cost = self.cost_of_chore(open, failed.usage);
        let what = EventKind::ChoreFailed(record::JobFailure {
            chore,
            kind: open.kind,
            end: JobEnd::Failed,
            attempt: Some(failed.attempt),
            failure: Some(failed.failure.clone()),
            usage: failed.usage.clone(),
            cost,
            retry_in_ms,
        });
        self.note_chore(id, chore, what);
        if retry_in_ms.is_none() {
            let FailedJobAttempt { attempt, failure, usage } = *failed;
            let end = Some(JobEnd::Failed);
            let passed =
                JobReport { end, failure: Some(failure), usage, cost, noted: None, attempts: attempt };
            self.record_pass(session, open, &passed);
        }
        Ok(())
    }

    /// Ends the chore that is under way, if one is.
    pub(super) fn end_chore(&mut self, session: &Session, end: JobEnd) {
        let Some(open) = &session.archivist.chore else { return };
        let what = EventKind::ChoreFailed(record::JobFailure {
            chore: open.id,
            kind: open.kind,
            end,
            attempt: None,
            failure: None,
            usage: Usage::default(),
            cost: None,
            retry_in_ms: None,
        });
        self.note_chore(session.id, open.id, what);
        let usage = Usage::default();
        let attempts = attempts_of(open);
        let passed =
            JobReport { end: Some(end), failure: None, usage: &usage, cost: None, noted: None, attempts };
        self.record_pass(session, open, &passed);
    }

    /// The operator changes what is remembered.
    pub(super) fn change_memory(&mut self, id: MemoryId, change: &MemoryChange) -> Result<(), Rejection> {
        let mut memory = self.world.memory(&id).ok_or(Rejection::NoSuchMemory)?.as_ref().clone();
        let now = self.now();
        match change {
            MemoryChange::Content(content) => {
                let content = trimmed(content);
                let form = normal_form(&content);
                let same = |other: &Memory| {
                    other.id != id
                        && other.is_here()
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
        }
        match memory.source(self.world).map(|session| session.id) {
            Some(session) => self.note(session, None, None, EventKind::MemoryChanged(memory)),
            // Its session is forgotten: nothing is written there any more.
            None => self.app(EventKind::MemoryChanged(memory)),
        }
        Ok(())
    }
}

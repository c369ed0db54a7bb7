//! Never asks a model, and never lets two chores of a session be under way.
//!
//! Owns when the Archivist may summarise and look for what is worth remembering, what becomes of its answers, and how
//! the operator changes what is remembered.

use super::{Rejection, Scene};
use crate::domain::archivist::answer::{Fact, SummaryAnswer};
use crate::domain::archivist::pass::{Passed, passes_of, record as record_of, run_of};
use crate::domain::archivist::record;
use crate::domain::archivist::{ChoreEnd, OpenChore, chore_config, due};
use crate::domain::command::{ArchivistCommand, MemoryChange};
use crate::domain::event::Happening;
use crate::domain::failure::Failure;
use crate::domain::id::{ChoreId, MemoryId, SessionId};
use crate::domain::limits::{LABEL_CHARS, SUMMARY_MESSAGES};
use crate::domain::memory::{Memory, MemoryScope, news, normal_form, trimmed};
use crate::domain::mind::Mind;
use crate::domain::model::Usage;
use crate::domain::price::{Cost, cost_of};
use crate::domain::session::{Session, SessionKind, SessionOrigin};

/// An attempt at a chore that failed.
pub(super) struct FailedAttempt<'c> {
    pub(super) attempt: u32,
    pub(super) failure: &'c Failure,
    pub(super) usage: &'c Usage,
}

/// How many times a chore was asked so far.
fn attempts_of(open: &OpenChore) -> u32 {
    open.retry.map_or(1, |retry| retry.attempt)
}

impl<'w> Scene<'w, '_, '_> {
    pub(super) fn archivist(&mut self, command: &ArchivistCommand) -> Result<(), Rejection> {
        match command {
            ArchivistCommand::Compact { session, agent, focus } => self.compact(*session, agent, focus)?,
            ArchivistCommand::RequestCompaction { run, node } => self.request_compaction(*run, node)?,
            ArchivistCommand::OpenCompaction { session, plan, cut } => {
                self.open_compaction(*session, plan, *cut)?
            }
            ArchivistCommand::RecordCompaction { turn, summary, tokens_after, usage } => {
                self.record_compaction(*turn, summary, *tokens_after, usage)?;
            }
            ArchivistCommand::RecordCompactionFailure { turn, attempt, failure, usage, retry_in_ms } => {
                self.record_compaction_failure(*turn, *attempt, failure, usage, *retry_in_ms)?;
            }
            ArchivistCommand::DropCompaction { session, failure } => {
                self.drop_compaction(*session, failure)?
            }
            ArchivistCommand::OpenChore { session } => self.open_chore(*session)?,
            ArchivistCommand::RecordSummary { session, chore, answer, usage } => {
                self.record_summary(*session, *chore, answer, usage)?;
            }
            ArchivistCommand::RecordMemories { session, chore, facts, usage } => {
                self.record_memories(*session, *chore, facts, usage)?;
            }
            ArchivistCommand::RecordChoreFailure { session, chore, attempt, failure, usage, retry_in_ms } => {
                let failed = FailedAttempt { attempt: *attempt, failure, usage };
                self.record_chore_failure(*session, *chore, &failed, *retry_in_ms)?;
            }
            ArchivistCommand::ChangeMemory { memory, change } => self.change_memory(*memory, change)?,
        }
        Ok(())
    }

    /// Begins what is due.
    pub(super) fn open_chore(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let (kind, mut messages) = due(self.world, session).ok_or(Rejection::Stale)?;
        messages.truncate(SUMMARY_MESSAGES);
        let config = chore_config(self.world);
        let chore = OpenChore {
            id: ChoreId::new(self.moment.ids),
            kind,
            messages,
            provider: config.provider,
            model: config.model,
            at: self.now(),
            retry: None,
        };
        self.note_chore(id, chore.id, Happening::ChoreOpened(chore));
        Ok(())
    }

    /// What a chore does is told as a part of its run, and belongs to no turn of the session that it serves.
    fn note_chore(&mut self, session: SessionId, chore: ChoreId, what: Happening) {
        self.note(session, Some(run_of(chore)), None, what);
    }

    /// Keeps a chore that is over as a run, in the hidden session that belongs to the one that it served.
    fn record_pass(&mut self, served: &Session, open: &OpenChore, passed: &Passed<'_>) {
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
        self.note(own.id, Some(run_id), None, Happening::RunOpened { run });
        self.note(own.id, Some(run_id), Some(turn_id), Happening::TurnOpened { turn });
        let moved =
            Happening::HeadMoved { from: own.head, to: Some(turn_id), mind: own.mind.clone(), by_hand: None };
        self.note(own.id, Some(run_id), Some(turn_id), moved);
    }

    /// A chore that did what it was to do.
    fn record_done(&mut self, served: &Session, open: &OpenChore, usage: &Usage, noted: Option<u32>) {
        let cost = self.cost_of_chore(open, usage);
        let passed = Passed { end: None, failure: None, usage, cost, noted, attempts: attempts_of(open) };
        self.record_pass(served, open, &passed);
    }

    fn chore(&self, id: SessionId, chore: ChoreId) -> Result<(&'w Session, &'w OpenChore), Rejection> {
        let session = self.session(id)?;
        let open = session.archivist.chore.as_ref().filter(|open| open.id == chore);
        open.map(|open| (session, open)).ok_or(Rejection::Stale)
    }

    fn cost_of_chore(&self, open: &OpenChore, usage: &Usage) -> Option<Cost> {
        cost_of(self.world, &open.provider, &open.model, usage, self.now())
    }

    pub(super) fn record_summary(
        &mut self,
        id: SessionId,
        chore: ChoreId,
        answer: &SummaryAnswer,
        usage: &Usage,
    ) -> Result<(), Rejection> {
        let (session, open) = self.chore(id, chore)?;
        let to = *open.messages.last().ok_or(Rejection::Stale)?;
        // A title that stands stays: the operator may have given it.
        let title = Some(answer.title.clone()).filter(|title| !title.is_empty() && session.title.is_none());
        let made = Happening::SummaryMade(record::Summary {
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
        chore: ChoreId,
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
            self.note_chore(id, chore, Happening::MemoryNoted(memory));
        }
        let done = Happening::MemoriesChecked(record::MemoryLook {
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
        chore: ChoreId,
        failed: &FailedAttempt<'_>,
        retry_in_ms: Option<u64>,
    ) -> Result<(), Rejection> {
        let (session, open) = self.chore(id, chore)?;
        let cost = self.cost_of_chore(open, failed.usage);
        let what = Happening::ChoreFailed(record::ChoreFailure {
            chore,
            kind: open.kind,
            end: ChoreEnd::Failed,
            attempt: Some(failed.attempt),
            failure: Some(failed.failure.clone()),
            usage: failed.usage.clone(),
            cost,
            retry_in_ms,
        });
        self.note_chore(id, chore, what);
        if retry_in_ms.is_none() {
            let FailedAttempt { attempt, failure, usage } = *failed;
            let end = Some(ChoreEnd::Failed);
            let passed = Passed { end, failure: Some(failure), usage, cost, noted: None, attempts: attempt };
            self.record_pass(session, open, &passed);
        }
        Ok(())
    }

    /// Ends the chore that is under way, if one is.
    pub(super) fn end_chore(&mut self, session: &Session, end: ChoreEnd) {
        let Some(open) = &session.archivist.chore else { return };
        let what = Happening::ChoreFailed(record::ChoreFailure {
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
            Passed { end: Some(end), failure: None, usage: &usage, cost: None, noted: None, attempts };
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
            Some(session) => self.note(session, None, None, Happening::MemoryChanged(memory)),
            // Its session is forgotten: nothing is written there any more.
            None => self.app(Happening::MemoryChanged(memory)),
        }
        Ok(())
    }
}

//! Decides the Archivist's commands: beginning summary and memory jobs, their results, and editing memories.

use super::{Decider, Rejection};
use crate::command::{MaintenanceCommand, MemoryChange};
use crate::context::history::news;
use crate::event::EventKind;
use crate::id::{JobId, MemoryId, MessageId, SessionId};
use crate::job::budget::is_spent;
use crate::job::maintenance::answer::{Fact, FactAction, SummaryAnswer};
use crate::job::maintenance::pass::{JobOutcome, passes_of, record, run_of};
use crate::job::maintenance::{chore_config, due, rests, summary_of, unsummarised};
use crate::job::{Job, JobCause, JobResult, JobTask};
use crate::limits::LABEL_CHARS;
use crate::memory::{Memory, MemoryScope, Revision, RevisionKind, normal_form, trimmed};
use crate::mind::Mind;
use crate::session::{Session, SessionRole};
use crate::settings::schema::SUMMARY_AUTO;
use nexus_text::vec_map::VecSet;

/// What a summary says of a session. A title that stands stays: the operator may have given it.
pub(super) fn summary_result(
    session: &Session,
    messages: &[MessageId],
    answer: &SummaryAnswer,
) -> Result<JobResult, Rejection> {
    let title = Some(answer.title.clone()).filter(|title| !title.is_empty() && session.title.is_none());
    let (summary, keywords) = (answer.summary.clone(), answer.keywords.clone());
    let to = *messages.last().ok_or(Rejection::Stale)?;
    Ok(JobResult::Summary { title, summary, keywords, to })
}

impl Decider<'_, '_, '_> {
    pub(super) fn archivist(&mut self, command: &MaintenanceCommand) -> Result<(), Rejection> {
        match command {
            MaintenanceCommand::Compact { session, agent, focus } => self.compact(*session, agent, focus)?,
            MaintenanceCommand::Summarise { session } => self.summarise(*session)?,
            MaintenanceCommand::RequestCompaction { run, node } => self.request_compaction(*run, node)?,
            MaintenanceCommand::OpenCompaction { session, plan, cut } => {
                self.open_compaction(*session, plan, *cut)?
            }
            MaintenanceCommand::DropCompaction { session, failure } => {
                self.drop_compaction(*session, failure)?
            }
            MaintenanceCommand::OpenChore { session } => self.open_chore(*session)?,
            MaintenanceCommand::ChangeMemory { memory, change } => self.change_memory(*memory, change)?,
        }
        Ok(())
    }

    /// Begins what is due.
    fn open_chore(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        if is_spent(self.world, self.now()) {
            return Err(Rejection::Stale);
        }
        let task = due(self.world, session).ok_or(Rejection::Stale)?;
        self.begin_chore(session, task);
        Ok(())
    }

    /// Brings the summary up to date, however few messages are new.
    fn summarise(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let messages = unsummarised(self.world, session);
        if !is_spent(self.world, self.now())
            && rests(self.world, session)
            && self.world.value(SUMMARY_AUTO)
            && !messages.is_empty()
        {
            self.begin_chore(session, summary_of(messages));
        }
        Ok(())
    }

    fn begin_chore(&mut self, session: &Session, task: JobTask) {
        let id = JobId::new(self.moment.ids);
        self.open_job(session, id, task, JobCause::Auto, chore_config(self.world));
    }

    /// Keeps a job that is over as a run, in the hidden session that belongs to the one that it served.
    pub(super) fn record_pass(&mut self, served: &Session, job: &Job, outcome: &JobOutcome<'_>) {
        let own = match passes_of(self.world, served.id) {
            Some(own) => own.as_ref().clone(),
            None => {
                let label: String = served.label.chars().take(LABEL_CHARS / 2).collect();
                let id = SessionId::new(self.moment.ids);
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

    /// Notes what is new. The messages are marked only after that: what fails leaves the marks.
    pub(super) fn note_memories(
        &mut self,
        session: &Session,
        job: JobId,
        messages: &[MessageId],
        facts: &[Fact],
    ) -> JobResult {
        let adds = facts.iter().filter(|fact| fact.action == FactAction::Add);
        let contents: Vec<&str> = adds.map(|fact| fact.content.as_str()).collect();
        let new = news(self.world, session, &contents);
        let source = |fact: &Fact| {
            let at = fact.message.and_then(|number| messages.get(number.checked_sub(1)?));
            at.or(messages.last()).copied()
        };
        let mut noted = 0u32;
        for content in new {
            let is_it = |fact: &&Fact| fact.action == FactAction::Add && fact.content == content;
            let Some(fact) = facts.iter().find(is_it) else { continue };
            let memory = Memory {
                id: MemoryId::new(self.moment.ids),
                content: trimmed(content),
                importance: fact.importance.clamp(1, 5),
                scope: if fact.everywhere { MemoryScope::Operator } else { MemoryScope::Session },
                session: session.id,
                operator: session.operator.clone(),
                message: source(fact),
                pinned: false,
                at: self.now(),
                edited_at: None,
                deleted_at: None,
                revision: None,
            };
            noted = noted.saturating_add(1);
            self.note(session.id, Some(run_of(job)), None, EventKind::MemoryNoted(memory));
        }
        // Each memory is changed once in an answer, whatever it says of it further on.
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

    /// A memory as an answer wants it; `None` where it names none that the Archivist may change, or changes nothing.
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
                if news(self.world, session, &[&fact.content]).is_empty() {
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
        // A second one by that short id is not meant.
        named.next().is_none().then_some(memory)
    }

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
            MemoryChange::TakenBack => memory = memory.taken_back(now),
        }
        match memory.source(self.world).map(|session| session.id) {
            Some(session) => self.note(session, None, None, EventKind::MemoryChanged(memory)),
            // Its session is forgotten: nothing is written there any more.
            None => self.app(EventKind::MemoryChanged(memory)),
        }
        Ok(())
    }
}

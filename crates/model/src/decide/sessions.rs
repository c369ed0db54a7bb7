//! Decides the life of sessions: create, rename, archive, close, delete, restore and purge.

use super::{Decider, Rejection};
use crate::event::{CreatedSession, EventKind, SessionChange};
use crate::id::{AgentKey, MessageId, SessionId};
use crate::job::JobSlot;
use crate::job::maintenance::passes_of;
use crate::limits::{DELETED_MS, LABEL_CHARS};
use crate::message::Role;
use crate::mind::review::{FieldDiff, changes};
use crate::mind::{Mind, MindEdit, shortened};
use crate::session::race::race_of;
use crate::session::workers::awaited_by;
use crate::session::{Session, SessionFilter, SessionRole, SessionStatus};

impl Decider<'_, '_, '_> {
    pub(super) fn create_session(
        &mut self,
        id: SessionId,
        label: &str,
        mind: &Mind,
    ) -> Result<(), Rejection> {
        if self.world.session(&id).is_some() {
            return Err(Rejection::BadName);
        }
        let label = match label.trim() {
            "" => self.free_label(),
            label => self.good_label(label)?,
        };
        let session = Session::opened(id, label, self.now());
        self.begin(session, mind);
        Ok(())
    }

    pub(super) fn begin(&mut self, session: Session, mind: &Mind) {
        let id = session.id;
        let created = CreatedSession { session, mind: steps_between(&Mind::default(), mind) };
        self.change_session(id, SessionChange::Created(Box::new(created)));
    }

    pub(super) fn change_session(&mut self, id: SessionId, change: SessionChange) {
        self.note(id, None, None, EventKind::SessionChanged { change });
    }

    pub(super) fn label_session(&mut self, id: SessionId, label: &str) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let label = label.trim();
        if label == session.label {
            return Ok(());
        }
        let label = self.good_label(label)?;
        self.change_session(id, SessionChange::Labelled(label));
        Ok(())
    }

    pub(super) fn pin_session(&mut self, id: SessionId, pinned: bool) -> Result<(), Rejection> {
        if self.session(id)?.pinned != pinned {
            self.change_session(id, SessionChange::SessionPinned(pinned));
        }
        Ok(())
    }

    pub(super) fn set_owner(&mut self, id: SessionId, agent: Option<&AgentKey>) -> Result<(), Rejection> {
        let session = self.session(id)?;
        if session.role() != SessionRole::Conversation {
            return Err(Rejection::NoSuchSession);
        }
        agent.map(|key| self.agent(key)).transpose()?;
        if session.owner.as_ref() != agent {
            self.change_session(id, SessionChange::Owned(agent.cloned()));
        }
        Ok(())
    }

    /// Deletes what a message of a session at rest says. The event stays in the log, and the message as a line.
    pub(super) fn delete_message(&mut self, id: SessionId, message: MessageId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        if self.world.open_turn(session).is_some() || session.unanswered.contains(&message) {
            return Err(Rejection::TurnWorks);
        }
        let found = self.world.message(&message).filter(|row| row.session == id);
        let row = found.ok_or(Rejection::NoSuchMessage)?;
        if !matches!(row.role, Role::User | Role::Assistant) {
            return Err(Rejection::NoSuchMessage);
        }
        if row.deleted_at.is_none() {
            self.change_session(id, SessionChange::MessageDeleted(message));
        }
        Ok(())
    }

    pub(super) fn title_session(&mut self, id: SessionId, title: &str) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let title: String = title.trim().chars().take(LABEL_CHARS).collect();
        let title = Some(title).filter(|title| !title.is_empty());
        if title != session.title {
            self.change_session(id, SessionChange::Titled(title));
        }
        Ok(())
    }

    pub(super) fn set_session_status(
        &mut self,
        id: SessionId,
        status: SessionStatus,
    ) -> Result<(), Rejection> {
        let session = self.session(id)?;
        if session.status == status {
            return Ok(());
        }
        self.rests_whole(session)?;
        self.change_session(id, SessionChange::Status(status));
        Ok(())
    }

    pub(super) fn delete_session(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        if session.deleted_at.is_some() {
            return Ok(());
        }
        self.rests_whole(session)?;
        if self.is_last(session) {
            return Err(Rejection::LastSession);
        }
        // What its workers did goes with it, and comes back with it.
        for worker in self.worker_sessions(id).into_iter().filter(|worker| worker.deleted_at.is_none()) {
            self.rests_whole(worker)?;
            self.change_session(worker.id, SessionChange::Deleted);
        }
        // So do the runs of the Archivist that served it.
        if let Some(own) = passes_of(self.world, id).filter(|own| own.deleted_at.is_none()) {
            self.change_session(own.id, SessionChange::Deleted);
        }
        self.change_session(id, SessionChange::Deleted);
        Ok(())
    }

    /// Shows a hidden session again, under another name where its own was given to another one meanwhile.
    pub(super) fn restore_session(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        if session.deleted_at.is_none() {
            return Ok(());
        }
        if session.purged_at.is_some() {
            return Err(Rejection::NoSuchSession);
        }
        for worker in self.worker_sessions(id) {
            if worker.deleted_at >= session.deleted_at && worker.purged_at.is_none() {
                self.change_session(worker.id, SessionChange::Restored);
            }
        }
        if let Some(own) = passes_of(self.world, id).filter(|own| own.deleted_at.is_some()) {
            self.change_session(own.id, SessionChange::Restored);
        }
        if self.label_taken(&session.label) {
            let label = self.numbered(&session.label);
            self.change_session(id, SessionChange::Labelled(label));
        }
        self.change_session(id, SessionChange::Restored);
        Ok(())
    }

    /// Forgets what a session held, once its days are over. Whether other sessions still need its turns is looked at by
    /// who asks: they need not be loaded here.
    pub(super) fn purge_session(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let deleted = session.deleted_at.filter(|_| session.purged_at.is_none()).ok_or(Rejection::Stale)?;
        if self.now().0.saturating_sub(deleted.0) < DELETED_MS {
            return Err(Rejection::Stale);
        }
        self.rests(session)?;
        self.app(EventKind::SessionPurged { session: id });
        Ok(())
    }

    /// Refuses where a run works or waits in a session, or its Core does, or a compaction, which closes at the head that
    /// it was opened at.
    pub(super) fn rests(&self, session: &Session) -> Result<(), Rejection> {
        if self.world.open_run(session).is_some() {
            return Err(Rejection::RunWorks);
        }
        self.no_compaction_works(session)?;
        if session.jobs.of(JobSlot::Core).is_some() { Err(Rejection::SyncWorks) } else { Ok(()) }
    }

    pub(super) fn no_compaction_works(&self, session: &Session) -> Result<(), Rejection> {
        let works = session.archivist.compacting.is_some();
        if works { Err(Rejection::CompactionWorks) } else { Ok(()) }
    }

    /// The same, and where workers were sent out that have not reported yet, or it is one.
    fn rests_whole(&self, session: &Session) -> Result<(), Rejection> {
        self.rests(session)?;
        let works = !session.workers.is_empty()
            || awaited_by(self.world, session).is_some()
            || race_of(self.world, session).is_some();
        if works { Err(Rejection::RunWorks) } else { Ok(()) }
    }

    /// Refuses where a session was closed: nothing is said in it until it is opened again.
    pub(super) fn is_not_closed(&self, session: &Session) -> Result<(), Rejection> {
        if session.status == SessionStatus::Closed { Err(Rejection::SessionClosed) } else { Ok(()) }
    }

    fn is_last(&self, session: &Session) -> bool {
        let open = |other: &Session| SessionFilter::of(other) == Some(SessionFilter::Open);
        open(session) && !self.world.sessions.values().any(|other| other.id != session.id && open(other))
    }

    pub(super) fn free_name(&self, wanted: &str) -> String {
        if self.label_taken(wanted) { self.numbered(wanted) } else { wanted.to_owned() }
    }

    fn good_label(&self, label: &str) -> Result<String, Rejection> {
        let is_good = !label.is_empty() && !self.label_taken(label);
        is_good.then(|| label.to_owned()).ok_or(Rejection::BadName)
    }

    fn label_taken(&self, label: &str) -> bool {
        self.world.sessions.values().any(|session| session.label == label && session.deleted_at.is_none())
    }

    fn free_label(&self) -> String {
        let shown =
            self.world.sessions.values().filter(|session| session.role() == SessionRole::Conversation);
        let mut number = shown.count().saturating_add(1);
        if number == 1 && !self.label_taken("main") {
            return "main".to_owned();
        }
        loop {
            let label = format!("session {number}");
            if !self.label_taken(&label) {
                return label;
            }
            number = number.saturating_add(1);
        }
    }

    /// A free name for what goes on from a session.
    pub(super) fn fork_label(&self, label: &str, of: &str) -> Result<String, Rejection> {
        match label.trim() {
            "" => {
                let of: String = of.chars().take(LABEL_CHARS - 20).collect();
                Ok(self.free_name(&format!("{of}, fork")))
            }
            label => self.good_label(label),
        }
    }

    /// A free name that begins like this one.
    fn numbered(&self, label: &str) -> String {
        let mut number: usize = 2;
        loop {
            let numbered = format!("{label} {number}");
            if !self.label_taken(&numbered) {
                return numbered;
            }
            number = number.saturating_add(1);
        }
    }
}

/// The edits that make one mind into another.
pub(super) fn steps_between(from: &Mind, to: &Mind) -> Vec<MindEdit> {
    let edit = |change: FieldDiff| change.field.edit(change.new.map(|text| text.to_string()));
    let mut edits: Vec<MindEdit> = changes(from, to).into_iter().map(edit).collect();
    if from.with(&edits).active != to.active {
        edits.push(MindEdit::Active { name: to.active.clone() });
    }
    shortened(from, edits)
}

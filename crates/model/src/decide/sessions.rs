//! Decides the life of sessions: create, rename, archive, close, delete, restore and purge.

use super::Decider;
use crate::event::CreatedSession;
use crate::job::maintenance::job_session_of;
use crate::limits::{DELETED_MS, LABEL_CHARS};
use crate::mind::review::{FieldDiff, changes};
use crate::mind::shortened;
use crate::prelude::*;
use crate::session::workers::{awaited_by, race_of};

impl Decider<'_, '_, '_> {
    pub(super) fn create_session(&mut self, id: SessionId, label: &str, mind: &Mind) -> Decision {
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

    pub(super) fn label_session(&mut self, id: SessionId, label: &str) -> Decision {
        let session = self.session(id)?;
        let label = label.trim();
        if label == session.label {
            return Ok(());
        }
        let label = self.good_label(label)?;
        self.change_session(id, SessionChange::Labelled(label));
        Ok(())
    }

    pub(super) fn pin_session(&mut self, id: SessionId, pinned: bool) -> Decision {
        if self.session(id)?.pinned != pinned {
            self.change_session(id, SessionChange::SessionPinned(pinned));
        }
        Ok(())
    }

    pub(super) fn set_owner(&mut self, id: SessionId, agent: Option<&AgentKey>) -> Decision {
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

    /// Deletes the content of a message while no turn is open. The event stays in the log, and the message as a line.
    pub(super) fn delete_message(&mut self, id: SessionId, message: MessageId) -> Decision {
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

    pub(super) fn title_session(&mut self, id: SessionId, title: &str) -> Decision {
        let session = self.session(id)?;
        let title: String = title.trim().chars().take(LABEL_CHARS).collect();
        let title = Some(title).filter(|title| !title.is_empty());
        if title != session.title {
            self.change_session(id, SessionChange::Titled(title));
        }
        Ok(())
    }

    pub(super) fn set_session_status(&mut self, id: SessionId, status: SessionStatus) -> Decision {
        let session = self.session(id)?;
        if session.status == status {
            return Ok(());
        }
        self.ensure_all_idle(session)?;
        self.change_session(id, SessionChange::Status(status));
        Ok(())
    }

    pub(super) fn delete_session(&mut self, id: SessionId) -> Decision {
        let session = self.session(id)?;
        if session.deleted_at.is_some() {
            return Ok(());
        }
        self.ensure_all_idle(session)?;
        if self.is_last(session) {
            return Err(Rejection::LastSession);
        }
        // Its workers are deleted and restored with it.
        for worker in self.worker_sessions(id).into_iter().filter(|worker| worker.deleted_at.is_none()) {
            self.ensure_all_idle(worker)?;
            self.change_session(worker.id, SessionChange::Deleted);
        }
        // So are the runs of the Archivist that served it.
        if let Some(own) = job_session_of(self.world, id).filter(|own| own.deleted_at.is_none()) {
            self.change_session(own.id, SessionChange::Deleted);
        }
        self.change_session(id, SessionChange::Deleted);
        Ok(())
    }

    /// Restores a hidden session, under another name if its own is taken.
    pub(super) fn restore_session(&mut self, id: SessionId) -> Decision {
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
        if let Some(own) = job_session_of(self.world, id).filter(|own| own.deleted_at.is_some()) {
            self.change_session(own.id, SessionChange::Restored);
        }
        if self.label_taken(&session.label) {
            let label = self.numbered(&session.label);
            self.change_session(id, SessionChange::Labelled(label));
        }
        self.change_session(id, SessionChange::Restored);
        Ok(())
    }

    /// Forgets the content of a session once its retention is over.
    ///
    /// The caller checks whether other sessions still need its turns: they need not be loaded here.
    pub(super) fn purge_session(&mut self, id: SessionId) -> Decision {
        let session = self.session(id)?;
        let deleted = session.deleted_at.filter(|_| session.purged_at.is_none()).ok_or(Rejection::Stale)?;
        if self.now().0.saturating_sub(deleted.0) < DELETED_MS {
            return Err(Rejection::Stale);
        }
        self.ensure_idle(session)?;
        self.note_app(EventKind::SessionPurged { session: id });
        Ok(())
    }

    /// Rejects while a run, a sync or a compaction is open: a compaction closes at the head that it was opened at.
    pub(super) fn ensure_idle(&self, session: &Session) -> Decision {
        if self.world.open_run(session).is_some() {
            return Err(Rejection::RunWorks);
        }
        self.ensure_no_compaction(session)?;
        if session.jobs.of(JobSlot::Core).is_some() { Err(Rejection::SyncWorks) } else { Ok(()) }
    }

    pub(super) fn ensure_no_compaction(&self, session: &Session) -> Decision {
        let works = session.archivist.compacting.is_some();
        if works { Err(Rejection::CompactionWorks) } else { Ok(()) }
    }

    /// Also rejects while workers have not reported, or if the session is such a worker or lane itself.
    fn ensure_all_idle(&self, session: &Session) -> Decision {
        self.ensure_idle(session)?;
        let works = !session.workers.is_empty()
            || awaited_by(self.world, session).is_some()
            || race_of(self.world, session).is_some();
        if works { Err(Rejection::RunWorks) } else { Ok(()) }
    }

    /// Rejects a closed session, which takes no messages until it is opened again, and a deleted one: a sender in
    /// another session or tab may not see that it was deleted.
    pub(super) fn ensure_open(&self, session: &Session) -> Decision {
        if session.deleted_at.is_some() {
            return Err(Rejection::NoSuchSession);
        }
        if session.status == SessionStatus::Closed { Err(Rejection::SessionClosed) } else { Ok(()) }
    }

    fn is_last(&self, session: &Session) -> bool {
        let open = |other: &Session| SessionFilter::of(other) == Some(SessionFilter::Open);
        open(session) && !self.world.sessions.values().any(|other| other.id != session.id && open(other))
    }

    pub(super) fn free_name(&self, wanted: &str) -> String {
        if self.label_taken(wanted) { self.numbered(wanted) } else { wanted.to_owned() }
    }

    fn good_label(&self, label: &str) -> Decision<String> {
        let is_good = !label.is_empty() && !self.label_taken(label);
        is_good.then(|| label.to_owned()).ok_or(Rejection::BadName)
    }

    fn label_taken(&self, label: &str) -> bool {
        self.world.sessions.values().any(|session| session.label == label && session.deleted_at.is_none())
    }

    fn free_label(&self) -> String {
        let shown =
            self.world.sessions.values().filter(|session| session.role() == SessionRole::Conversation);
        let number = shown.count().saturating_add(1);
        if number == 1 && !self.label_taken("main") {
            return "main".to_owned();
        }
        self.first_free("session", number)
    }

    /// A free name for a fork of a session.
    pub(super) fn fork_label(&self, label: &str, of: &str) -> Decision<String> {
        match label.trim() {
            "" => {
                let of: String = of.chars().take(LABEL_CHARS - 20).collect();
                Ok(self.free_name(&format!("{of}, fork")))
            }
            label => self.good_label(label),
        }
    }

    fn numbered(&self, label: &str) -> String {
        self.first_free(label, 2)
    }

    fn first_free(&self, label: &str, from: usize) -> String {
        let mut labels = (from..).map(|number| format!("{label} {number}"));
        labels.find(|label| !self.label_taken(label)).unwrap_or_default()
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

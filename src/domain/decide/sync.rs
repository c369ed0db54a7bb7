//! Never asks the Core, and never lets two syncs of a session be under way.
//!
//! Owns when a sync may begin, what becomes of its answer, and how its change is taken back.

use super::{Rejection, Scene};
use crate::domain::event::Happening;
use crate::domain::failure::Failure;
use crate::domain::id::{SessionId, SyncId};
use crate::domain::message::{CoreNote, Role, Source};
use crate::domain::mind::{Mind, MindEdit, MindWrite, WriteRefused, resolve};
use crate::domain::model::Usage;
use crate::domain::part::Part;
use crate::domain::price::{Cost, cost_of};
use crate::domain::session::Session;
use crate::domain::sync::{OpenSync, SyncCause, SyncEnd, SyncPatch, core_config, is_busy, is_due};
use crate::domain::tool::changes_between;

impl<'w> Scene<'w, '_, '_> {
    /// The operator wants a sync; while a run works it waits.
    pub(super) fn sync(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        if session.core.open.is_some() || session.core.wanted.is_some() {
            return Err(Rejection::SyncWorks);
        }
        let sync = SyncId::new(self.moment.ids);
        if is_busy(self.world, session) {
            let run = self.world.open_run(session).map(|run| run.id);
            self.note(id, run, None, Happening::SyncRequested { sync });
        } else {
            self.begin_sync(session, sync, SyncCause::Manual);
        }
        Ok(())
    }

    /// Begins the sync that waits, or one that is due.
    pub(super) fn open_sync(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        if session.core.open.is_some() || is_busy(self.world, session) {
            return Err(Rejection::Stale);
        }
        match session.core.wanted {
            Some(sync) => self.begin_sync(session, sync, SyncCause::Manual),
            None if is_due(self.world, session) => {
                let sync = SyncId::new(self.moment.ids);
                self.begin_sync(session, sync, SyncCause::Auto);
            }
            None => return Err(Rejection::Stale),
        }
        Ok(())
    }

    fn begin_sync(&mut self, session: &Session, sync: SyncId, cause: SyncCause) {
        let config = core_config(self.world);
        let base = session.mind.clone();
        let what =
            Happening::SyncOpened { sync, cause, base, provider: config.provider, model: config.model };
        self.note(session.id, None, None, what);
    }

    fn open(&self, id: SessionId, sync: SyncId) -> Result<(&'w Session, &'w OpenSync), Rejection> {
        let session = self.session(id)?;
        let open = session.core.open.as_ref().filter(|open| open.id == sync);
        open.map(|open| (session, open)).ok_or(Rejection::Stale)
    }

    fn cost_of_sync(&self, open: &OpenSync, usage: &Usage) -> Option<Cost> {
        cost_of(self.world, &open.provider, &open.model, usage, self.now())
    }

    /// Merges what the Core wants into the mind as it is. A field that others wrote in the same lines stays theirs.
    pub(super) fn record_sync(
        &mut self,
        id: SessionId,
        sync: SyncId,
        patch: &SyncPatch,
        usage: &Usage,
    ) -> Result<(), Rejection> {
        let (session, open) = self.open(id, sync)?;
        let current = self.world.working_mind(session).cloned().ok_or(Rejection::HistoryBroken)?;
        let seen = self.world.mind(&open.base).cloned().unwrap_or_else(|| current.clone());
        let mut edits: Vec<MindEdit> = Vec::new();
        let mut dropped = Vec::new();
        for write in patch.writes(&seen) {
            match resolve(&current, &seen, std::slice::from_ref(&write)) {
                Ok(made) => edits.extend(made),
                Err(WriteRefused::Clash { field, .. }) => dropped.push(field),
                // The Core writes no files, so nothing else can be refused.
                Err(_) => {}
            }
        }
        let touched = changes_between(&current, &current.with(&edits));
        let objective = touched.iter().any(|touched| touched.field == "objective");
        let run = self.world.open_run(session).map(|run| run.id);
        self.note(
            id,
            run,
            None,
            Happening::MindSynced {
                base: open.base.clone(),
                edits,
                reasoning: patch.reasoning.clone(),
                sync: Some(sync),
                dropped: dropped.clone(),
                model: open.model.clone(),
                usage: usage.clone(),
                cost: self.cost_of_sync(open, usage),
            },
        );
        if open.cause == SyncCause::Manual || objective {
            let parts = vec![Part::text(patch.reasoning.clone())];
            let mut message = self.message(session, Role::System, Some(Source::Event), parts);
            message.model = Some(open.model.clone());
            message.metadata.core = Some(CoreNote { sync, touched, dropped });
            self.note(id, run, None, Happening::MessageCommitted { message });
        }
        Ok(())
    }

    /// An attempt came to nothing; without another one the sync is over.
    pub(super) fn record_sync_failure(
        &mut self,
        id: SessionId,
        sync: SyncId,
        failed: &FailedSyncAttempt<'_>,
    ) -> Result<(), Rejection> {
        let (_, open) = self.open(id, sync)?;
        let cost = self.cost_of_sync(open, failed.usage);
        let what = Happening::SyncFailed {
            sync,
            end: SyncEnd::Failed,
            failure: Some(failed.failure.clone()),
            attempt: Some(failed.attempt),
            usage: failed.usage.clone(),
            cost,
            retry_in_ms: failed.retry_in_ms,
        };
        self.note(id, None, None, what);
        Ok(())
    }

    /// Ends what the Core does or waits for, if anything.
    pub(super) fn end_sync(&mut self, session: &Session, end: SyncEnd) {
        let core = &session.core;
        let Some(sync) = core.open.as_ref().map(|open| open.id).or(core.wanted) else { return };
        let what = Happening::SyncFailed {
            sync,
            end,
            failure: None,
            attempt: None,
            usage: Usage::default(),
            cost: None,
            retry_in_ms: None,
        };
        self.note(session.id, None, None, what);
    }

    /// The operator stops the Core, and nothing else.
    pub(super) fn stop_sync(&mut self, id: SessionId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        self.end_sync(session, SyncEnd::Cancelled);
        Ok(())
    }

    /// Puts back what the Core changed last, beside what others changed since.
    pub(super) fn undo_sync(&mut self, id: SessionId, sync: SyncId) -> Result<(), Rejection> {
        let session = self.session(id)?;
        let change = session.core.change.as_ref().filter(|change| change.id == Some(sync) && !change.undone);
        let minds = change.and_then(|change| change.minds.as_ref()).ok_or(Rejection::Stale)?;
        let loaded = |hash| self.world.mind(hash).cloned().ok_or(Rejection::Stale);
        let (before, after) = (loaded(&minds.0)?, loaded(&minds.1)?);
        let current = self.world.working_mind(session).cloned().unwrap_or_default();
        let writes = back(&before, &after);
        let edits = resolve(&current, &after, &writes).map_err(|refused| {
            if let WriteRefused::Clash { field, .. } = refused {
                Rejection::UndoClash { field }
            } else {
                Rejection::Write(refused)
            }
        })?;
        let run = self.world.open_run(session).map(|run| run.id);
        self.note(id, run, None, Happening::MindEdited { base: minds.1.clone(), edits, undoes: Some(sync) });
        Ok(())
    }
}

/// What turns the fields of the Core back.
fn back(before: &Mind, after: &Mind) -> Vec<MindWrite> {
    let objective =
        (before.objective != after.objective).then(|| MindWrite::Objective(before.objective.clone()));
    let scratchpad =
        (before.scratchpad != after.scratchpad).then(|| MindWrite::Scratchpad(before.scratchpad.clone()));
    objective.into_iter().chain(scratchpad).collect()
}

/// An attempt that came to nothing.
#[derive(Clone, Copy)]
pub(super) struct FailedSyncAttempt<'c> {
    pub(super) attempt: u32,
    pub(super) failure: &'c Failure,
    pub(super) usage: &'c Usage,
    pub(super) retry_in_ms: Option<u64>,
}

//! What the command loop needs seldom, or not before a model was asked: a part of its own.

use std::rc::Rc;
use std::sync::Arc;

use futures_util::future::LocalBoxFuture;

use super::{CommandLoop, LoopEvent};
use crate::lazy::until_loaded;
use crate::port::StoreError;
use nexus_model::command::{Command, Rejection, RowsNeeded};
use nexus_model::decide::{Env, NewEvent, decide_early, decide_late};
use nexus_model::id::{SessionId, StreamId, TurnId};
use nexus_model::run::Run;
use nexus_model::session::Session;
use nexus_model::world::World;

type PastRun<'a> = LocalBoxFuture<'a, Result<Option<Run>, StoreError>>;

/// The part: what decides the commands that [`decide_early`](nexus_model::decide::decide_early) leaves and loads their
/// rows, what reads stored events, and what purges sessions.
#[derive(Clone, Copy)]
pub struct LazyCommands {
    decide: fn(&World, &Command, &mut Env<'_>) -> Result<Vec<NewEvent>, Rejection>,
    load_rows: for<'a> fn(&'a CommandLoop, RowsNeeded<'a>) -> LocalBoxFuture<'a, Result<(), StoreError>>,
    past_run: for<'a> fn(&'a CommandLoop, TurnId) -> PastRun<'a>,
    tell_past: for<'a> fn(&'a CommandLoop, SessionId) -> LocalBoxFuture<'a, ()>,
    check_events: for<'a> fn(&'a CommandLoop, StreamId) -> LocalBoxFuture<'a, ()>,
    pub(super) purge: for<'a> fn(&'a CommandLoop, SessionId) -> LocalBoxFuture<'a, Result<(), Rejection>>,
}

impl LazyCommands {
    /// Naming this brings all of it along.
    pub fn built_in() -> Self {
        Self {
            decide: decide_late,
            load_rows: |work, rows| Box::pin(work.load_rows(rows)),
            past_run: |work, turn| Box::pin(work.past_run(turn)),
            tell_past: |work, session| Box::pin(work.tell_past(session)),
            check_events: |work, stream| Box::pin(work.check_events(stream)),
            purge: |work, session| Box::pin(work.purge_held(session)),
        }
    }
}

/// Work on stored events, which only the part reads.
pub(crate) enum EventTask {
    /// Say what happened last in a session.
    TellPast(SessionId),
    /// Look for events in a stream that this program cannot read.
    Check(StreamId),
}

impl CommandLoop {
    pub(super) async fn late(&self) -> Result<LazyCommands, Rejection> {
        self.parts.late().await.map(|late| late.commands).map_err(|_| Rejection::PartMissing)
    }

    /// Decides a command: at once where that can be, else with the part.
    pub(super) async fn decide(
        &self,
        command: &Command,
        past: Option<&Run>,
    ) -> Result<Vec<NewEvent>, Rejection> {
        match self.decided(decide_early, command, past)? {
            Some(events) => Ok(events),
            None => {
                let late = self.late().await?;
                if !self.put_off.borrow().is_empty() {
                    drop(self.inner.unbounded_send(LoopEvent::PutOff));
                }
                self.decided(late.decide, command, past)
            }
        }
    }

    pub(super) fn decided<T>(
        &self,
        decide: fn(&World, &Command, &mut Env<'_>) -> Result<T, Rejection>,
        command: &Command,
        past: Option<&Run>,
    ) -> Result<T, Rejection> {
        let world = self.ledger.world.borrow();
        let partials = self.partials.borrow();
        let mut ids = self.ports.ids.borrow_mut();
        let mut moment = Env { now: self.ports.clock.now(), ids: &mut *ids, partials: &partials, past };
        decide(&world, command, &mut moment)
    }

    /// Loads the rows that a command is decided against.
    pub(super) async fn rows(&self, rows: RowsNeeded<'_>) -> Result<(), Rejection> {
        if matches!(rows, RowsNeeded::None) {
            return Ok(());
        }
        (self.late().await?.load_rows)(self, rows).await.map_err(super::store_failed)
    }

    /// The run of the turn that a command names, as it was before that turn opened.
    pub(super) async fn past(&self, turn: Option<TurnId>) -> Result<Option<Run>, Rejection> {
        let Some(turn) = turn else { return Ok(None) };
        (self.late().await?.past_run)(self, turn).await.map_err(super::store_failed)
    }

    /// Leaves work on stored events for when the page is at rest, or for when the part has come for another reason where
    /// nothing is fetched unasked.
    pub(super) fn put_off(&self, task: EventTask) {
        let has_turns = |session: &Arc<Session>| session.head.is_some();
        let is_empty = {
            let world = self.ledger.world.borrow();
            match &task {
                EventTask::TellPast(session) => !world.session(session).is_some_and(has_turns),
                EventTask::Check(_) => !world.sessions.values().any(has_turns),
            }
        };
        // Where nothing was said yet, this program wrote all that is there.
        if is_empty {
            return;
        }
        self.put_off.borrow_mut().push(task);
        let (rest, inner) = (self.parts.may_fetch_ahead(), self.inner.clone());
        self.ports.spawn.spawn(Box::pin(async move {
            if rest.await {
                drop(inner.unbounded_send(LoopEvent::PutOff));
            }
        }));
    }

    pub(super) async fn take_put_off(&self) {
        let Ok(late) = self.late().await else { return self.after_late(LoopEvent::PutOff) };
        for task in self.put_off.take() {
            match task {
                EventTask::TellPast(session) => (late.tell_past)(self, session).await,
                EventTask::Check(stream) => (late.check_events)(self, stream).await,
            }
        }
    }

    /// Gives the loop `next` once the part has come: a service would not send its command again.
    pub(super) fn after_late(&self, next: LoopEvent) {
        let (parts, clock) = (Rc::clone(&self.parts), Rc::clone(&self.ports.clock));
        let inner = self.inner.clone();
        self.ports.spawn.spawn(Box::pin(async move {
            until_loaded(&*clock, || parts.late()).await;
            drop(inner.unbounded_send(next));
        }));
    }
}

//! The commands that the loop rarely needs, or not before the first model call. Loaded lazily.

use super::{CommandLoop, LoopEvent};
use crate::lazy::until_loaded;
use crate::prelude::*;
use crate::store::partials::join;
use nexus_model::command::RowsNeeded;
use nexus_model::decide::{Env, NewEvent, decide_early, decide_late};

type PastRun<'a> = LocalBoxFuture<'a, StoreResult<Option<Run>>>;

/// The lazy commands: decides what `decide_early` does not and loads the rows for it, reads stored events, and purges
/// sessions.
#[derive(Clone, Copy)]
pub struct LazyCommands {
    decide: fn(&World, &Command, &mut Env<'_>) -> Decision<Vec<NewEvent>>,
    load_rows: for<'a> fn(&'a CommandLoop, RowsNeeded<'a>) -> LocalBoxFuture<'a, StoreResult>,
    past_run: for<'a> fn(&'a CommandLoop, TurnId) -> PastRun<'a>,
    publish_recent: for<'a> fn(&'a CommandLoop, SessionId) -> LocalBoxFuture<'a, ()>,
    check_events: for<'a> fn(&'a CommandLoop, StreamId) -> LocalBoxFuture<'a, ()>,
    pub(super) recover: for<'a> fn(&'a CommandLoop, SessionId) -> LocalBoxFuture<'a, ()>,
    pub(super) publish_text_so_far:
        for<'a> fn(&'a CommandLoop, SessionId, MessageId) -> LocalBoxFuture<'a, ()>,
    pub(super) purge: for<'a> fn(&'a CommandLoop, SessionId) -> LocalBoxFuture<'a, Decision>,
}

impl LazyCommands {
    pub fn built_in() -> Self {
        Self {
            decide: decide_late,
            load_rows: |work, rows| Box::pin(work.load_rows(rows)),
            past_run: |work, turn| Box::pin(work.past_run(turn)),
            publish_recent: |work, session| Box::pin(work.publish_recent(session)),
            check_events: |work, stream| Box::pin(work.check_events(stream)),
            recover: |work, session| Box::pin(work.close_interrupted(session)),
            publish_text_so_far: |work, session, message| {
                Box::pin(work.publish_text_so_far(session, message))
            },
            purge: |work, session| Box::pin(work.purge_held(session)),
        }
    }
}

pub(crate) enum EventTask {
    PublishRecent(SessionId),
    /// Find events of a stream that this version cannot read.
    Check(StreamId),
}

impl CommandLoop {
    pub(super) async fn lazy_commands(&self) -> Decision<LazyCommands> {
        (self.load_lazy)().await.map_err(|_| Rejection::PartMissing)
    }

    pub(super) async fn decide(&self, command: &Command, past: Option<&Run>) -> Decision<Vec<NewEvent>> {
        match self.decided(decide_early, command, past)? {
            Some(events) => Ok(events),
            None => {
                let late = self.lazy_commands().await?;
                if !self.deferred.borrow().is_empty() {
                    drop(self.inner.unbounded_send(LoopEvent::RunDeferred));
                }
                self.decided(late.decide, command, past)
            }
        }
    }

    pub(super) fn decided<T>(
        &self,
        decide: fn(&World, &Command, &mut Env<'_>) -> Decision<T>,
        command: &Command,
        run_before_turn: Option<&Run>,
    ) -> Decision<T> {
        let world = self.ledger.world.borrow();
        let partials = self.partials.borrow();
        let mut ids = self.ports.ids.borrow_mut();
        let mut env =
            Env { now: self.ports.clock.now(), ids: &mut *ids, partials: &partials, run_before_turn };
        decide(&world, command, &mut env)
    }

    pub(super) async fn rows(&self, rows: RowsNeeded<'_>) -> Decision {
        if matches!(rows, RowsNeeded::None) {
            return Ok(());
        }
        (self.lazy_commands().await?.load_rows)(self, rows).await.map_err(super::store_failed)
    }

    /// The run of the turn that a command refers to, as it was before that turn opened.
    pub(super) async fn past(&self, turn: Option<TurnId>) -> Decision<Option<Run>> {
        let Some(turn) = turn else { return Ok(None) };
        (self.lazy_commands().await?.past_run)(self, turn).await.map_err(super::store_failed)
    }

    /// Defers a task until the page is idle, or until the lazy commands are loaded for another reason if prefetching is
    /// off.
    pub(super) fn defer(&self, task: EventTask) {
        let has_turns = |session: &Arc<Session>| session.head.is_some();
        let is_empty = {
            let world = self.ledger.world.borrow();
            match &task {
                EventTask::PublishRecent(session) => !world.session(session).is_some_and(has_turns),
                EventTask::Check(_) => !world.sessions.values().any(has_turns),
            }
        };
        // Before the first turn, this version wrote everything that is stored.
        if is_empty {
            return;
        }
        self.deferred.borrow_mut().push(task);
        let (may_fetch, inner) = (self.parts.may_fetch_ahead(), self.inner.clone());
        self.ports.spawn.spawn(Box::pin(async move {
            if may_fetch.await {
                drop(inner.unbounded_send(LoopEvent::RunDeferred));
            }
        }));
    }

    pub(super) async fn run_deferred(&self) {
        let Ok(late) = self.lazy_commands().await else { return self.after_loading(LoopEvent::RunDeferred) };
        for task in self.deferred.take() {
            match task {
                EventTask::PublishRecent(session) => (late.publish_recent)(self, session).await,
                EventTask::Check(stream) => (late.check_events)(self, stream).await,
            }
        }
    }

    async fn close_interrupted(&self, session: SessionId) {
        if let Some(message) = self.open_answer(session)
            && let Some(parts) = self.stored_partial(message).await
        {
            self.partials.borrow_mut().insert(message, parts);
        }
        // Without it, what was interrupted is stored all the same.
        drop(self.load_job_history(session).await);
        // A rejection means that nothing was open.
        drop(self.decide_and_append(&Command::Recover { session }).await);
        // Another session of this tab may be streaming an answer; only this session's partials are obsolete.
        let world = self.ledger.world.borrow();
        self.partials
            .borrow_mut()
            .retain(|message, _| world.message(message).is_some_and(|message| message.session != session));
    }

    async fn publish_text_so_far(&self, session: SessionId, message: MessageId) {
        let parts = match self.has_lock(session) {
            true => self.partials.borrow().get(&message).cloned(),
            false => self.stored_partial(message).await,
        };
        if let Some(parts) = parts {
            self.publish(&TransientEvent::TextSoFar { message, parts });
        }
    }

    async fn stored_partial(&self, message: MessageId) -> Option<Vec<MessagePart>> {
        let rows = self.ports.store.scan(Table::Partials, format!("{message}/")).await.ok()?;
        (!rows.is_empty()).then(|| join(&rows))
    }

    /// Sends `next` to the loop once the lazy commands are loaded: a service would not repeat its command.
    pub(super) fn after_loading(&self, next: LoopEvent) {
        let (load, clock) = (Rc::clone(&self.load_lazy), Rc::clone(&self.ports.clock));
        let inner = self.inner.clone();
        self.ports.spawn.spawn(Box::pin(async move {
            until_loaded(&*clock, || load()).await;
            drop(inner.unbounded_send(next));
        }));
    }
}

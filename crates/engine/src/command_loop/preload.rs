//! Loads the rows that a command needs, and borrows locks of sessions that are changed from the list only.
//!
//! Reports once the stored events that this version cannot read: of unknown kinds, or damaged. Checks only the newest
//! events of a stream, after the stream is shown, so that opening does not wait for it.

use super::store_failed;
use crate::command_loop::CommandLoop;
use crate::prelude::*;
use crate::store::page_until;
use nexus_model::command::{MergeRequest, RowsNeeded};
use nexus_model::decide::merge::branches;
use nexus_model::event::EventPayload;
use nexus_model::fold::run::run_before;
use nexus_model::job::maintenance::job_session_of;
use nexus_model::limits::{EVENTS_CHECKED, PAST_EVENTS, TURNS_LOADED, TURNS_LOADED_MOST};
use nexus_model::turn::tree::{WalkError, former_head, is_ancestor, newest_below, unloaded_siblings};

/// Max rows of threads to load in search of the end of a branch.
const THREADS_SEARCHED: usize = 600;

impl CommandLoop {
    /// Prepares a session that is not open for a message: takes its lock, unless another tab has it, and loads its
    /// rows. The session in view stays as it is.
    pub(super) async fn prepare_session(&self, session: SessionId) -> Decision {
        if self.has_lock(session) {
            return Ok(());
        }
        if self.ledger.world.borrow().session(&session).is_none() {
            return Err(Rejection::NoSuchSession);
        }
        if !self.try_lock(session).await {
            return Err(Rejection::ReadOnly);
        }
        self.load_session(session).await?;
        self.take_over(session).await;
        Ok(())
    }

    /// Locks a session for one command, if no tab has it locked, and reloads its row, as another tab may have changed
    /// it. Returns true if it was locked and must be released.
    pub(super) async fn borrow_lock(&self, session: SessionId) -> bool {
        if self.has_lock(session) || !self.try_lock(session).await {
            return false;
        }
        self.ledger.reset_end(StreamId::Session(session));
        // If it cannot be read, the known row is used; the store rejects what does not fit.
        if let Ok(loaded) = self.ports.store.load_index(session).await {
            self.add_rows(loaded).await;
        }
        true
    }

    /// Loads a session beside the one in view. Rows of a session that this tab has locked are newer in memory.
    pub(super) async fn load(&self, session: SessionId) -> Decision {
        if !self.has_lock(session) {
            self.load_session(session).await?;
            self.load_rest(session).await;
        }
        Ok(())
    }

    /// Loads the turns beyond a session's first screen, up to [`TURNS_LOADED`], after that is shown. If they cannot be
    /// read, they are loaded when they are scrolled to.
    pub(super) async fn load_rest(&self, session: SessionId) {
        let (parent, count) = {
            let world = self.ledger.world.borrow();
            let head = world.session(&session).and_then(|session| session.head);
            let (mut count, mut parent) = (0, None);
            for turn in world.ancestry(head).take(TURNS_LOADED) {
                (count, parent) = (count + 1, turn.parent);
            }
            (parent, TURNS_LOADED - count)
        };
        if parent.is_none() || count == 0 {
            return;
        }
        let Ok(loaded) = self.ports.store.load_turns(parent, count).await else { return };
        self.add_rows(loaded).await;
        if self.load_versions(session).await.is_ok() {
            self.publish(&TransientEvent::Loaded { session });
        }
    }

    /// Loads the memories of all sessions once a session is shown: commands need them, the conversation does not. If
    /// they cannot be read, the loaded ones stay.
    pub(super) async fn load_memories(&self) {
        if let Ok(loaded) = self.ports.store.load_memories().await {
            self.add_rows(loaded).await;
            self.publish(&TransientEvent::MemoriesLoaded);
        }
    }

    pub(super) async fn load_earlier(&self, turn: TurnId) -> Decision {
        let (parent, session, loaded_turns) = {
            let world = self.ledger.world.borrow();
            let row = world.turn(&turn).ok_or(Rejection::NoSuchTurn)?;
            (row.parent, row.session, world.turns.len())
        };
        // Each load costs more the more is loaded, so that the page size grows with it.
        let count = loaded_turns.clamp(TURNS_LOADED, TURNS_LOADED_MOST);
        let loaded = self.ports.store.load_turns(parent, count).await.map_err(store_failed)?;
        self.add_rows(loaded).await;
        let in_view: Vec<SessionId> = self.locks.borrow().keys().copied().collect();
        for session in in_view {
            self.load_versions(session).await.map_err(store_failed)?;
        }
        self.publish(&TransientEvent::Loaded { session });
        let is_loaded = parent.is_none_or(|parent| self.ledger.world.borrow().turn(&parent).is_some());
        if is_loaded { Ok(()) } else { Err(Rejection::HistoryBroken) }
    }

    pub(super) async fn load_rows(&self, rows: RowsNeeded<'_>) -> StoreResult {
        match rows {
            RowsNeeded::None => Ok(()),
            RowsNeeded::Fork { from, turn, mind } => self.load_fork(from, turn, mind).await,
            RowsNeeded::Sibling(turn) => self.load_for_sibling(Some(turn)).await,
            RowsNeeded::SiblingOfMessage(message) => {
                let turn = self.ledger.world.borrow().message(&message).and_then(|message| message.turn);
                self.load_for_sibling(turn).await
            }
            RowsNeeded::HeadOf(session) => match self.head_of(session) {
                Some(head) => self.load_thread(head).await,
                None => Ok(()),
            },
            RowsNeeded::Branch { session, to, newest } => self.load_branch(session, to, newest).await,
            RowsNeeded::Branches(merging) => self.load_branches(merging).await,
            RowsNeeded::JobHistory(session) => self.load_job_history(session).await,
        }
    }

    /// Restores the run of a turn as it was before that turn opened, from its events, and loads its mind.
    pub(super) async fn past_run(&self, turn: TurnId) -> StoreResult<Option<Run>> {
        let run = self.ledger.world.borrow().turn(&turn).and_then(|turn| turn.run);
        let Some(run) = run else { return Ok(None) };
        let texts = self.ports.store.events_of_run(run).await?;
        let mut events: Vec<Event> = texts.iter().filter_map(|text| json::read(text).ok()).collect();
        events.small_sort_by_key(|event| event.seq);
        let past = run_before(&events, turn);
        if let Some(past) = &past {
            self.add_rows(self.ports.store.load_mind(&past.round_mind, &[]).await?).await;
        }
        Ok(past)
    }

    /// Reloads the newest job history of a session: another tab may have added to it.
    pub(super) async fn load_job_history(&self, served: SessionId) -> StoreResult {
        let own = job_session_of(&self.ledger.world.borrow(), served).map(|own| own.id);
        let Some(own) = own else { return Ok(()) };
        self.add_rows(self.ports.store.load_index(own).await?).await;
        self.load_skips(self.head_of(own)).await
    }

    /// Loads a turn with its ancestors, a mind that was left there or is current there, and the threads that tell
    /// whether the turn is an ancestor of the head of `from`.
    async fn load_fork(&self, from: SessionId, turn: TurnId, mind: Option<&ContentHash>) -> StoreResult {
        if let Some(mind) = mind {
            self.add_rows(self.ports.store.load_mind(mind, &[]).await?).await;
        }
        self.load_thread(turn).await?;
        let is_visible = self.find(|world| match world.session(&from).and_then(|from| from.head) {
            Some(head) => is_ancestor(world, turn, head),
            None => Ok(false),
        });
        is_visible.await?;
        let current_minds = {
            let world = self.ledger.world.borrow();
            let heads = world.sessions.values().filter(|row| row.head == Some(turn));
            let minds = heads.map(|row| row.mind).filter(|mind| world.mind(mind).is_none());
            minds.collect::<VecSet<ContentHash>>()
        };
        for mind in current_minds {
            self.add_rows(self.ports.store.load_mind(&mind, &[]).await?).await;
        }
        Ok(())
    }

    /// Loads a turn and its ancestors, as many as a session shows.
    async fn load_thread(&self, turn: TurnId) -> StoreResult {
        let is_loaded = {
            let world = self.ledger.world.borrow();
            let mut way = world.ancestry(Some(turn)).take(TURNS_LOADED);
            let has_mind = |hash: Option<&ContentHash>| hash.is_none_or(|hash| world.mind(hash).is_some());
            let first = world.turn(&turn);
            first.is_some_and(|turn| has_mind(turn.mind_after.as_ref()) && has_mind(Some(&turn.mind_before)))
                && (way.by_ref().count() == TURNS_LOADED
                    || world.ancestry(Some(turn)).last().is_some_and(|oldest| oldest.parent.is_none()))
        };
        if !is_loaded {
            self.add_rows(self.ports.store.load_turns(Some(turn), TURNS_LOADED).await?).await;
        }
        self.load_skips(Some(turn)).await
    }

    /// Loads a turn and its ancestors, so that a sibling can be opened.
    async fn load_for_sibling(&self, turn: Option<TurnId>) -> StoreResult {
        let Some(turn) = turn else { return Ok(()) };
        self.load_thread(turn).await?;
        let parent = self.ledger.world.borrow().turn(&turn).and_then(|turn| turn.parent);
        self.load_skips(parent).await
    }

    /// Loads the threads that a turn skips to, down to the root: as many as the depth has digits. A child of the turn
    /// needs no others.
    pub(super) async fn load_skips(&self, turn: Option<TurnId>) -> StoreResult {
        let mut next = turn;
        while let Some(turn) = next {
            let depth_before = self.depth(turn);
            if depth_before.is_none() {
                self.add_rows(self.ports.store.load_thread(turn).await?).await;
            }
            let Some(depth) = self.depth(turn) else { return Ok(()) };
            let skip = self.ledger.world.borrow().thread(&turn).and_then(|thread| thread.skip);
            // Ensures progress even if the stored rows are wrong.
            next = skip.filter(|skip| self.depth(*skip).is_none_or(|below| below < depth));
        }
        Ok(())
    }

    fn depth(&self, turn: TurnId) -> Option<u64> {
        self.ledger.world.borrow().thread(&turn).map(|thread| thread.depth)
    }

    /// Loads the turn that becomes the head of a session, with its thread and the state that was left there.
    async fn load_branch(&self, session: SessionId, to: TurnId, newest: bool) -> StoreResult {
        let mut goal = to;
        if newest {
            let found = self.find(|world| match world.session(&session) {
                Some(session) => newest_below(world, session, to),
                None => Ok(to),
            });
            goal = found.await?.unwrap_or(to);
        }
        self.load_thread(goal).await?;
        let left = {
            let world = self.ledger.world.borrow();
            let session = world.session(&session);
            session.and_then(|session| former_head(session, Some(goal))).cloned()
        };
        if let Some(left) = left {
            self.add_rows(self.ports.store.load_mind(&left.mind, &left.unanswered).await?).await;
        }
        Ok(())
    }

    async fn load_branches(&self, merging: &MergeRequest) -> StoreResult {
        self.load_thread(merging.other).await?;
        for _ in 0..THREADS_SEARCHED {
            let missing = {
                let world = self.ledger.world.borrow();
                let Some(session) = world.session(&merging.session) else { return Ok(()) };
                branches(&world, session, merging).err()
            };
            let Some(missing) = missing else { return Ok(()) };
            // `decide` reports what cannot be loaded.
            let Some(loaded) = self.ports.store.load_missing_of_merge(&missing).await? else { return Ok(()) };
            self.add_rows(loaded).await;
        }
        Ok(())
    }

    /// Publishes the newest events of a session. If they cannot be read, only the activity feed is incomplete.
    pub(super) async fn publish_recent(&self, session: SessionId) {
        let stream = StreamId::Session(session);
        let Ok(last) = self.ports.store.last_seq(stream).await else { return };
        let (from, count) = page_until(last, PAST_EVENTS);
        if let Ok(events) = self.ports.store.events(stream, from, count).await {
            let read = |json: String| json::read(&json).ok().map(Arc::new);
            let events: Vec<Arc<Event>> = events.into_iter().filter_map(read).collect();
            // Turns of other versions are not loaded, but the feed names their agents.
            let unknown: VecSet<TurnId> = {
                let world = self.ledger.world.borrow();
                let turns = events.iter().filter_map(|event| event.turn);
                turns.filter(|turn| world.turn(turn).is_none()).collect()
            };
            let turns = self.ports.store.rows::<Turn>(Table::Turns, &unknown).await.unwrap_or_default();
            let actors = turns.into_iter().map(|turn| (turn.id, (turn.kind, turn.agent))).collect();
            self.publish(&TransientEvent::RecentEvents { session, events, actors });
        }
    }

    /// Walks the tree and loads the threads that the walk needs; `None` if one cannot be loaded.
    async fn find<T>(&self, walk: impl Fn(&World) -> Result<T, WalkError>) -> StoreResult<Option<T>> {
        for _ in 0..THREADS_SEARCHED {
            let missing = match walk(&self.ledger.world.borrow()) {
                Ok(found) => return Ok(Some(found)),
                Err(WalkError::Broken(_)) => return Ok(None),
                Err(WalkError::Missing(turn)) => turn,
            };
            // A walk towards the leaves also needs the turns' sessions.
            let loaded = if self.depth(missing).is_none() {
                self.ports.store.load_thread(missing).await?
            } else {
                self.ports.store.load_turns(Some(missing), 1).await?
            };
            if loaded.rows.is_empty() {
                return Ok(None);
            }
            self.add_rows(loaded).await;
        }
        Ok(None)
    }

    /// Loads the siblings of a session's turns, to tell which are versions of its own, and the threads that show which
    /// of them were once its head.
    pub(super) async fn load_versions(&self, session: SessionId) -> StoreResult {
        let row = self.ledger.world.borrow().session(&session).cloned();
        let Some(row) = row else { return Ok(()) };
        let beside = unloaded_siblings(&self.ledger.world.borrow(), &row);
        for turn in beside.into_iter().take(THREADS_SEARCHED) {
            self.add_rows(self.ports.store.load_turns(Some(turn), 1).await?).await;
            let is_of_other = {
                let world = self.ledger.world.borrow();
                world.turn(&turn).is_some_and(|turn| turn.session != session)
            };
            for head in row.former.iter().filter_map(|left| left.turn).filter(|_| is_of_other) {
                self.find(|world| is_ancestor(world, turn, head)).await?;
            }
        }
        Ok(())
    }
}

/// Kind reported for an event without a readable kind.
const NAMELESS: &str = "?";

impl CommandLoop {
    pub(super) async fn check_events(&self, stream: StreamId) {
        // If they cannot be read now, the next opening checks again.
        if let Ok(Some(what)) = self.unreadable(stream).await {
            self.log_event(stream, what).await;
        }
    }

    /// The event that reports unreadable events; `None` if there are no new ones, or another tab writes the stream.
    async fn unreadable(&self, stream: StreamId) -> StoreResult<Option<EventKind>> {
        if stream.session().is_some_and(|session| !self.has_lock(session)) {
            return Ok(None);
        }
        let last = self.ports.store.last_seq(stream).await?;
        let from = last.saturating_sub(EVENTS_CHECKED).max(1);
        let most = usize::try_from(EVENTS_CHECKED).unwrap_or(usize::MAX).saturating_add(1);
        let (mut unknown, mut damaged) = (Vec::new(), Vec::new());
        for text in self.ports.store.events(stream, from, most).await? {
            let Ok(event) = nexus_text::json::read::<Event>(&text) else {
                damaged.push(NAMELESS.to_owned());
                continue;
            };
            match &event.kind {
                EventPayload::Known(kind) if matches!(**kind, EventKind::EventsUnreadable { .. }) => {
                    unknown.clear();
                    damaged.clear();
                }
                EventPayload::Known(_) => {}
                EventPayload::Unknown { kind, .. } if event.is_damaged() => damaged.push(kind.clone()),
                EventPayload::Unknown { kind, .. } => unknown.push(kind.clone()),
            }
        }
        let any = !unknown.is_empty() || !damaged.is_empty();
        Ok(any.then_some(EventKind::EventsUnreadable { through: last, unknown, damaged }))
    }
}

//! Purges deleted sessions after their retention period: their events and derived rows. A tombstone stays.
//!
//! Never purges a turn that another session descends from: by parents (two for a merge) or former heads.

use super::CommandLoop;
use super::lazy_commands::LazyCommands;
use crate::prelude::*;
use crate::store::ledger::PurgedData;
use crate::store::{delta, rows_made};
use nexus_model::decide::decide_late;
use nexus_model::limits::DELETED_MS;
use nexus_model::turn::Thread;
use nexus_text::vec_map::reached_from;
use serde::Deserialize;

const CONTENTS_READ: usize = 256;

/// What the events of a stream created in the store.
#[derive(Default)]
struct StreamContents {
    rows: Vec<(Table, String)>,
    turns: VecSet<TurnId>,
    /// Parents of its turns that belong to other sessions.
    outside: VecSet<TurnId>,
    named: VecSet<ContentHash>,
}

fn addresses(json: &str) -> impl Iterator<Item = ContentHash> {
    json.split('"').filter_map(ContentHash::read)
}

impl StreamContents {
    fn note(&mut self, kind: &EventKind) {
        // Memories are selected separately, by their current scope.
        self.rows.extend(rows_made(kind).into_iter().filter(|(table, _)| *table != Table::Memories));
        if let EventKind::TurnOpened { turn } = kind {
            self.turns.insert(turn.id);
            self.outside.extend([turn.parent, turn.second_parent].into_iter().flatten());
        }
    }
}

impl CommandLoop {
    pub(super) async fn purge_due(&self) {
        let due: Vec<SessionId> = {
            let world = self.ledger.world.borrow();
            world.sessions.values().filter(|row| self.is_due(row)).map(|row| row.id).collect()
        };
        if due.is_empty() {
            return;
        }
        // What cannot be purged now is tried again later.
        let Ok(late) = self.lazy_commands().await else { return };
        for session in due {
            drop(self.purge(late, session).await);
        }
    }

    async fn purge(&self, late: LazyCommands, session: SessionId) -> Decision {
        let borrowed = self.borrow_lock(session).await;
        if !self.has_lock(session) {
            return Err(Rejection::ReadOnly);
        }
        let outcome = (late.purge)(self, session).await;
        if borrowed {
            self.locks.borrow_mut().remove(&session);
        }
        outcome
    }

    pub(super) async fn purge_held(&self, session: SessionId) -> Decision {
        let failed = super::store_failed;
        let mut made = self.contents_of(session).await.map_err(failed)?;
        made.outside.retain(|turn| !made.turns.contains(turn));
        if self.is_needed(session, &made).await.map_err(failed)? {
            return Err(Rejection::StillNeeded);
        }
        if self.is_used_elsewhere(session).await {
            return Err(Rejection::ReadOnly);
        }
        made.rows.extend(self.memories_of(session).await.map_err(failed)?);
        let contents = self.orphans(session, &made).await.map_err(failed)?;
        let events = self.decided(decide_late, &Command::PurgeSession { session }, None)?;
        let threads = self.without_children(&made).await.map_err(failed)?;
        made.rows.push((Table::Drafts, format!("{session}/")));
        for hash in contents.iter() {
            made.rows.extend([Table::Minds, Table::Blobs].map(|table| (table, hash.to_string())));
        }
        let purged = PurgedData {
            streams: vec![StreamId::Session(session)],
            rows: made.rows,
            puts: World { threads, ..World::default() },
            contents: self.rebased(&contents).await.map_err(failed)?,
        };
        self.append(events, purged).await.map_err(failed)?;
        let mut world = self.ledger.world.borrow_mut();
        world.turns.retain(|turn, _| !made.turns.contains(turn));
        world.threads.retain(|turn, _| !made.turns.contains(turn));
        world.messages.retain(|_, message| message.session != session);
        world.tool_runs.retain(|_, run| run.session != session);
        world.runs.retain(|_, run| run.session != session);
        world.queue.retain(|_, item| item.session != session);
        world.memories.retain(|_, memory| memory.session != session || memory.scope != MemoryScope::Session);
        // If the same contents are written again, they are stored again.
        world.minds.retain(|hash, _| !contents.contains(hash));
        world.blobs.retain(|hash, _| !contents.contains(hash));
        Ok(())
    }

    async fn contents_of(&self, session: SessionId) -> StoreResult<StreamContents> {
        let mut made = StreamContents::default();
        let mut note = |text: &str| {
            made.named.extend(addresses(text));
            let event = json::read::<Event>(text).ok();
            event.iter().filter_map(Event::known_kind).for_each(|kind| made.note(kind));
        };
        self.ports.store.each_event(StreamId::Session(session), &mut note).await?;
        Ok(made)
    }

    /// The memories of a session that apply to it alone. Others stay, without their source.
    async fn memories_of(&self, session: SessionId) -> StoreResult<Vec<(Table, String)>> {
        let rows = self.ports.store.scan(Table::Memories, String::new()).await?;
        let is_own = |json: &str| {
            let memory = nexus_text::json::read::<Memory>(json).ok();
            memory.is_some_and(|it| it.session == session && it.scope == MemoryScope::Session)
        };
        let own = rows.into_iter().filter(|(_, json)| is_own(json));
        Ok(own.map(|(key, _)| (Table::Memories, key)).collect())
    }

    /// True if a session that stays descends from one of these turns, has merged one, or has one as a former head,
    /// directly or through other sessions.
    async fn is_needed(&self, session: SessionId, made: &StreamContents) -> StoreResult<bool> {
        let purged_together = self.purge_group(session);
        let mut references = TurnReferences::default();
        {
            let world = self.ledger.world.borrow();
            for other in world.sessions.values().filter(|other| other.id != session) {
                let former = other.former.iter().filter_map(|left| left.turn);
                for turn in former.chain(other.head) {
                    references.named.push((other.id, turn));
                    // A direct reference from a session that stays makes the scan of all turns unnecessary.
                    if made.turns.contains(&turn) && !self.is_due(other) {
                        return Ok(true);
                    }
                }
            }
        }
        let threads = self.ports.store.rows::<Thread>(Table::Threads, made.turns.iter()).await?;
        let children: Vec<_> = threads.into_iter().flat_map(|thread| thread.children).collect();
        let foreign = children.iter().filter(|child| !made.turns.contains(*child));
        let foreign = foreign.map(ToString::to_string).collect();
        let rows = self.ports.store.get(Table::Turns, foreign).await?;
        let goes = |row: &String| {
            let home = nexus_text::json::read::<Turn>(row).ok().map(|turn| turn.session);
            let world = self.ledger.world.borrow();
            home.is_some_and(|home| world.session(&home).is_some_and(|home| self.is_due(home)))
        };
        if !rows.iter().flatten().all(goes) {
            return Ok(true);
        }
        // A merge is not a child of its second parent: only its own row names that.
        for (_, row) in self.ports.store.scan(Table::Turns, String::new()).await? {
            references.note(row);
        }
        let kept = references.reach(session, false);
        let world = self.ledger.world.borrow();
        // Sessions that refer to each other are purged together; others wait for their descendants.
        let stays = |other: &SessionId| {
            let is_due = world.session(other).is_some_and(|other| self.is_due(other));
            !(purged_together.contains(other) || is_due && kept.contains(other))
        };
        Ok(references.unreadable_contain(&made.turns) || references.reach(session, true).iter().any(stays))
    }

    fn is_due(&self, session: &Session) -> bool {
        let now = self.ports.clock.now().0;
        let is_over = session.deleted_at.is_some_and(|at| now.saturating_sub(at.0) >= DELETED_MS);
        session.purged_at.is_none() && is_over
    }

    /// A session and the lanes that raced for it refer to each other's turns: once all are due, they are purged
    /// together.
    fn purge_group(&self, session: SessionId) -> Vec<SessionId> {
        let world = self.ledger.world.borrow();
        let lane = world.session(&session).filter(|row| row.role() == SessionRole::Candidate);
        let parent = lane.and_then(|row| row.parent).unwrap_or(session);
        let is_member = |row: &Session| self.is_due(row) && (row.id == parent || row.is_candidate_of(parent));
        world.sessions.values().filter(|row| is_member(row)).map(|row| row.id).collect()
    }

    /// True if another tab has a session locked: it may rely on contents that it knows to be stored.
    async fn is_used_elsewhere(&self, purged: SessionId) -> bool {
        let sessions: Vec<SessionId> = self.ledger.world.borrow().sessions.keys().copied().collect();
        for session in sessions.into_iter().filter(|session| *session != purged) {
            let is_own = self.has_lock(session);
            if !is_own && self.ports.locks.try_hold(&super::lock_name(session)).await.is_none() {
                return true;
            }
        }
        false
    }

    /// The contents that only purged rows refer to.
    async fn orphans(&self, session: SessionId, made: &StreamContents) -> StoreResult<VecSet<ContentHash>> {
        const NAMING: [Table; 6] =
            [Table::Sessions, Table::Turns, Table::ToolRuns, Table::Runs, Table::Messages, Table::Queue];
        let purged_rows: VecSet<(Table, &str)> =
            made.rows.iter().map(|(table, key)| (*table, key.as_str())).collect();
        let of_session = session.to_string();
        let (mut gone, mut stays) = (made.named.clone(), VecSet::new());
        for table in NAMING {
            for (key, json) in self.ports.store.scan(table, String::new()).await? {
                let goes = purged_rows.contains(&(table, key.as_str()))
                    || table == Table::Sessions && key == of_session;
                (if goes { &mut gone } else { &mut stays }).extend(addresses(&json));
            }
        }
        // Minds name the texts of their files.
        let keys = self.ports.store.keys(Table::Minds, String::new()).await?;
        for keys in keys.chunks(CONTENTS_READ) {
            let wanted = keys.iter().filter_map(|key| ContentHash::read(key));
            let wanted = wanted.filter(|hash| stays.contains(hash) || gone.contains(hash)).collect();
            // An unreadable mind refers to nothing.
            for (hash, mind) in delta::minds(&*self.ports.store, &wanted, &mut Vec::new()).await? {
                let of = if stays.contains(&hash) { &mut stays } else { &mut gone };
                of.extend(mind.files.into_values());
            }
        }
        // Current minds, stored or not.
        let world = self.ledger.world.borrow();
        let others = world.sessions.values().filter(|other| other.id != session);
        stays.extend(others.map(|other| other.mind));
        stays.insert(Mind::default().hash());
        gone.retain(|address| !stays.contains(address));
        Ok(gone)
    }

    /// Re-encodes rows that stay but are stored as deltas against purged ones, in full.
    async fn rebased(&self, gone: &VecSet<ContentHash>) -> StoreResult<Vec<(Table, StoredRow)>> {
        let mut rows = Vec::new();
        for table in [Table::Minds, Table::Blobs] {
            let keys = self.ports.store.keys(table, String::new()).await?;
            let stays =
                keys.iter().filter_map(|key| ContentHash::read(key)).filter(|key| !gone.contains(key));
            for keys in stays.collect::<Vec<_>>().chunks(CONTENTS_READ) {
                let rows_of = keys.iter().map(ContentHash::to_string).collect();
                let found = self.ports.store.get(table, rows_of).await?;
                let is_delta_of_purged =
                    |json: &String| delta::link_of(json).is_some_and(|base| gone.contains(&base));
                let dependents =
                    keys.iter().zip(&found).filter(|(_, json)| json.as_ref().is_some_and(is_delta_of_purged));
                let dependents = dependents.map(|(key, _)| *key).collect();
                rows.extend(delta::whole(&*self.ports.store, table, &dependents).await?);
            }
        }
        Ok(rows)
    }

    /// The threads of foreign parents without the purged children.
    async fn without_children(&self, made: &StreamContents) -> StoreResult<VecMap<TurnId, Arc<Thread>>> {
        let mut threads = VecMap::new();
        for turn in made.outside.iter() {
            let loaded = self.ports.store.load_thread(*turn).await?;
            for thread in loaded.rows.threads.into_values() {
                let mut thread = thread.as_ref().clone();
                thread.children.retain(|child| !made.turns.contains(child));
                threads.insert(*turn, Arc::new(thread));
            }
        }
        Ok(threads)
    }
}

/// The fields needed of a turn's row, which may be a hundred times as long.
#[derive(Deserialize)]
struct TurnLinks {
    id: TurnId,
    session: SessionId,
    #[serde(default)]
    parent: Option<TurnId>,
    #[serde(default)]
    second_parent: Option<TurnId>,
}

#[derive(Default)]
struct TurnReferences {
    home: VecMap<TurnId, SessionId>,
    named: Vec<(SessionId, TurnId)>,
    unreadable: Vec<String>,
}

impl TurnReferences {
    fn note(&mut self, row: String) {
        match json::read::<TurnLinks>(&row) {
            Ok(TurnLinks { id, session, parent, second_parent }) => {
                self.home.insert(id, session);
                self.named.extend([parent, second_parent].into_iter().flatten().map(|turn| (session, turn)));
            }
            Err(_) => self.unreadable.push(row),
        }
    }

    fn unreadable_contain(&self, turns: &VecSet<TurnId>) -> bool {
        let words = self.unreadable.iter().flat_map(|row| row.split('"'));
        words.filter_map(|word| word.parse().ok()).any(|turn: TurnId| turns.contains(&turn))
    }

    /// All sessions that this one refers to, directly or through others; if `is_back`, those that refer to it.
    fn reach(&self, session: SessionId, is_back: bool) -> VecSet<SessionId> {
        let mut steps: VecMap<SessionId, VecSet<SessionId>> = VecMap::new();
        for (from, turn) in &self.named {
            if let Some(to) = self.home.get(turn).filter(|to| *to != from) {
                let (from, to) = if is_back { (*to, *from) } else { (*from, *to) };
                steps.get_or_insert_with(from, VecSet::new).insert(to);
            }
        }
        let next = |here| steps.get(&here).into_iter().flatten().copied().collect();
        reached_from([session], next).into_iter().skip(1).collect()
    }
}

//! Never writes.
//!
//! Owns what would come of an import: each session of the dump against what is here.

use futures_util::StreamExt as _;

use crate::domain::dump::check::{Check, Found, FoundSession, Named};
use crate::domain::dump::copy::{NewIds, copy_of};
use crate::domain::dump::proposal::{Proposal, brings_rules, proposals};
use crate::domain::dump::reader::{Piece, Reader};
use crate::domain::dump::{Refusal, SessionHash};
use crate::domain::hash::Hash;
use crate::domain::id::{MessageId, SessionId, StreamId, TurnId};
use crate::domain::json;
use crate::domain::limits::{DUMP_EVENTS, IMPORT_ROWS};
use crate::domain::sorted::{SortedMap, SortedSet};
use crate::engine::data::ImportError;
use crate::engine::ledger::WorldRef;
use crate::engine::port::{Source, Store, StoreError, Table};

/// What becomes of a session of a dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It comes as it is.
    New,
    /// Something else is here under its id, or under one of its ids: it comes beside that, with new ids.
    Copy,
    /// It is here already, event for event.
    Here,
    /// It came as a copy before.
    CopyHere,
}

/// A session of a dump, and what becomes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Coming {
    /// The session.
    pub session: FoundSession,
    /// What becomes of it.
    pub fate: Fate,
}

/// What would come of an import.
#[derive(Clone, Debug)]
pub struct Plan {
    /// All that was found.
    pub found: Found,
    /// The sessions, in the order of their ids.
    pub sessions: Vec<Coming>,
    /// What the operator may accept besides.
    pub proposals: Vec<Proposal>,
    /// Whether rules for tools were found, which are left out.
    pub brings_rules: bool,
    pub(super) ids: NewIds,
}

impl Plan {
    /// What becomes of a session.
    pub(super) fn fate(&self, session: &SessionId) -> Option<&Coming> {
        self.sessions.iter().find(|coming| coming.session.id == *session)
    }

    /// How many events would be taken in.
    pub fn events(&self) -> u64 {
        let coming = self.sessions.iter().filter(|coming| coming.fate.comes());
        coming.map(|coming| coming.session.events).sum()
    }

    /// How many sessions have this fate.
    pub fn count(&self, fate: Fate) -> usize {
        self.sessions.iter().filter(|coming| coming.fate == fate).count()
    }
}

impl Fate {
    /// Whether something is written for it.
    pub fn comes(self) -> bool {
        match self {
            Self::New | Self::Copy => true,
            Self::Here | Self::CopyHere => false,
        }
    }
}

/// Reads a source piece by piece.
pub(super) async fn each_piece(
    source: &dyn Source,
    mut take: impl AsyncFnMut(Piece) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let (mut bytes, mut reader) = (source.read(), Reader::default());
    while let Some(chunk) = bytes.next().await {
        for piece in reader.feed(&chunk.map_err(ImportError::Unreadable)?)? {
            take(piece).await?;
        }
    }
    Ok(reader.end()?)
}

/// Looks at all of a source.
pub(super) async fn look(
    store: &dyn Store,
    world: &WorldRef,
    source: &dyn Source,
) -> Result<Plan, ImportError> {
    let mut check = Check::default();
    each_piece(source, async |piece| Ok(check.take(&piece)?)).await?;
    let found = check.done()?;
    let look = Look { store, found: &found };
    look.parents().await?;
    let mut fates = SortedMap::new();
    for session in found.sessions.values() {
        fates.insert(session.id, look.fate(session).await?);
    }
    look.follow_copies(&mut fates).await?;
    let mut ids = NewIds::default();
    let mut sessions = Vec::with_capacity(fates.len());
    for (session, fate) in found.sessions.values().zip(fates.values().copied()) {
        if matches!(fate, Fate::Copy | Fate::CopyHere) {
            ids.give(session);
        }
        sessions.push(Coming { session: session.clone(), fate });
    }
    let here = world.borrow();
    let (proposals, brings_rules) = (proposals(&found.device, &here), brings_rules(&found.device));
    drop(here);
    Ok(Plan { found, sessions, proposals, brings_rules, ids })
}

struct Look<'l> {
    store: &'l dyn Store,
    found: &'l Found,
}

impl Look<'_> {
    /// Every turn that another one follows is in the dump, or here.
    async fn parents(&self) -> Result<(), ImportError> {
        let turns: SortedSet<TurnId> = self.turns().map(|(turn, _)| turn).collect();
        for session in self.found.sessions.values() {
            let missing = session.outside.iter().filter(|turn| !turns.contains(*turn));
            let missing: Vec<_> = missing.map(ToString::to_string).collect();
            let here = self.store.get(Table::Turns, missing.clone()).await?;
            if let Some((turn, _)) = missing.into_iter().zip(here).find(|(_, row)| row.is_none()) {
                return Err(Refusal::NoParent(turn).into());
            }
        }
        Ok(())
    }

    /// Every turn of the dump, with its session.
    fn turns(&self) -> impl Iterator<Item = (TurnId, SessionId)> {
        self.found.sessions.values().flat_map(|session| {
            let turns = session.ids.iter().filter(|(what, _)| *what == Named::Turn);
            turns.map(|(_, id)| (TurnId::from(*id), session.id))
        })
    }

    async fn fate(&self, session: &FoundSession) -> Result<Fate, StoreError> {
        let last = self.store.last_seq(StreamId::Session(session.id)).await?;
        if last == session.events && self.hash_here(session.id).await?.as_ref() == Some(&session.hash) {
            return Ok(Fate::Here);
        }
        if last == 0 && !self.clashes(session).await? {
            return Ok(Fate::New);
        }
        self.as_copy(session).await
    }

    async fn as_copy(&self, session: &FoundSession) -> Result<Fate, StoreError> {
        let copy = self.store.last_seq(StreamId::Session(copy_of(session))).await?;
        Ok(if copy == 0 { Fate::Copy } else { Fate::CopyHere })
    }

    /// The hash of a session that is here.
    async fn hash_here(&self, session: SessionId) -> Result<Option<Hash>, StoreError> {
        let (mut hash, mut from) = (SessionHash::default(), 1);
        loop {
            let page = self.store.events(StreamId::Session(session), from, DUMP_EVENTS).await?;
            for event in &page {
                let Ok(tree) = json::tree(event) else { return Ok(None) };
                hash.take(&tree);
            }
            if page.len() < DUMP_EVENTS {
                return Ok(Some(hash.done()));
            }
            from = from.saturating_add(u64::try_from(page.len()).unwrap_or(u64::MAX));
        }
    }

    /// Whether one of its ids is taken here.
    async fn clashes(&self, session: &FoundSession) -> Result<bool, StoreError> {
        for table in [Table::Turns, Table::Messages, Table::Runs, Table::ToolRuns, Table::Queue] {
            let of_table = session.ids.iter().filter(|(what, _)| table_of(*what) == table);
            let keys: Vec<_> = of_table.map(|(_, id)| MessageId::from(*id).to_string()).collect();
            for keys in keys.chunks(IMPORT_ROWS) {
                if self.store.get(table, keys.to_vec()).await?.iter().any(Option::is_some) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// A session that goes back to one that comes as a copy comes as one too: else it would go back to another past.
    async fn follow_copies(&self, fates: &mut SortedMap<SessionId, Fate>) -> Result<(), StoreError> {
        let home: SortedMap<TurnId, SessionId> = self.turns().collect();
        loop {
            let is_copy = |turn: &TurnId| {
                let fate = home.get(turn).and_then(|session| fates.get(session));
                matches!(fate, Some(Fate::Copy | Fate::CopyHere))
            };
            let of_copies = self.found.sessions.values().filter(|session| {
                fates.get(&session.id) == Some(&Fate::New) && session.outside.iter().any(is_copy)
            });
            let of_copies: Vec<_> = of_copies.collect();
            if of_copies.is_empty() {
                return Ok(());
            }
            for session in of_copies {
                fates.insert(session.id, self.as_copy(session).await?);
            }
        }
    }
}

/// The table of what an id names.
pub(super) fn table_of(what: Named) -> Table {
    match what {
        Named::Turn => Table::Turns,
        Named::Message => Table::Messages,
        Named::Run => Table::Runs,
        Named::ToolRun => Table::ToolRuns,
        Named::Queued => Table::Queue,
        Named::Memory => Table::Memories,
    }
}

//! Plans an import: compares each session of the dump with the ones on this device.
//!
//! Never writes.

use crate::prelude::*;
use crate::store::ledger::WorldRef;
use crate::store::table_of;
use nexus_model::dump::check::{DumpChecker, DumpContents, DumpedSession, IdKind};
use nexus_model::dump::import::{IdMap, ImportProposal, copy_of, left_out, proposals};
use nexus_model::dump::reader::{DumpItem, DumpReader};
use nexus_model::dump::{DumpError, SessionHash, without_allowed_tools};
use nexus_model::limits::IMPORT_ROWS;
use nexus_model::settings::schema::OPEN_SESSION;

/// Why an import failed. Nothing was imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImportError {
    Refused(DumpError),
    /// The file cannot be read any more.
    Unreadable(String),
    /// The file has changed since it was checked.
    Changed,
    /// Another import is running, perhaps in another tab.
    Busy,
    Store(StoreError),
    /// The store failed, also during the rollback. The next import rolls back first.
    NotRolledBack(StoreError),
}

impl From<DumpError> for ImportError {
    fn from(error: DumpError) -> Self {
        Self::Refused(error)
    }
}

impl From<StoreError> for ImportError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportAction {
    New,
    /// One of its ids exists here with other content: imported as a copy with new ids.
    Copy,
    /// Already here, with the same events.
    Present,
    CopyPresent,
}

#[derive(Clone, Debug, PartialEq)]
pub struct PlannedSession {
    pub session: DumpedSession,
    pub action: ImportAction,
}

#[derive(Clone, Debug)]
pub struct ImportPlan {
    pub found: DumpContents,
    /// The sessions, in the order of their ids.
    pub sessions: Vec<PlannedSession>,
    /// Changes that the operator may accept in addition.
    pub proposals: Vec<ImportProposal>,
    /// Labels of permissions in the dump; they are not imported.
    pub left_out: Vec<&'static str>,
    pub(super) ids: IdMap,
}

impl ImportPlan {
    /// The sessions to import.
    pub(super) fn written(&self) -> impl Iterator<Item = &PlannedSession> {
        self.sessions.iter().filter(|planned| planned.action.is_written())
    }

    /// The id of a session on this device after the import.
    pub(super) fn id_here(&self, planned: &PlannedSession) -> SessionId {
        let id = planned.session.id;
        if planned.action == ImportAction::Copy { self.ids.session(id) } else { id }
    }

    /// The imported conversation to show: the one that was open when the dump was written, else the newest.
    pub(super) fn session_to_show(&self, here: &World) -> Option<SessionId> {
        let opened = self.found.device.stored(OPEN_SESSION).and_then(|id| id.as_str()?.parse().ok());
        let shown = self.written().filter_map(|planned| {
            let row = here.session(&self.id_here(planned)).filter(|row| row.deleted_at.is_none())?;
            (row.role() == SessionRole::Conversation).then_some((planned, row))
        });
        let rank = |(planned, row): &(&PlannedSession, &Arc<Session>)| {
            let is_opened = opened == Some(planned.session.id);
            (is_opened, row.status == SessionStatus::Open, planned.session.last_at)
        };
        shown.max_by_key(rank).map(|(_, row)| row.id)
    }

    pub fn events(&self) -> u64 {
        self.written().map(|planned| planned.session.events).sum()
    }

    /// Number of sessions to import: conversations, and others.
    pub fn count(&self) -> (usize, usize) {
        let own = self.written().filter(|planned| planned.session.is_conversation).count();
        (own, self.written().count() - own)
    }
}

impl ImportAction {
    pub fn is_written(self) -> bool {
        matches!(self, Self::New | Self::Copy)
    }
}

pub(super) async fn each_piece(
    source: &dyn ByteSource,
    mut take: impl AsyncFnMut(DumpItem) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    let (mut bytes, mut reader) = (source.read(), DumpReader::default());
    while let Some(chunk) = bytes.next().await {
        for piece in reader.feed(&chunk.map_err(ImportError::Unreadable)?)? {
            take(piece).await?;
        }
    }
    Ok(reader.end()?)
}

pub async fn plan_import(
    store: &dyn Store,
    world: &WorldRef,
    source: &dyn ByteSource,
) -> Result<ImportPlan, ImportError> {
    let mut check = DumpChecker::default();
    each_piece(source, async |piece| Ok(check.take(&piece)?)).await?;
    let found = check.done()?;
    let look = ImportPlanner { store, found: &found };
    look.parents().await?;
    let mut actions = VecMap::new();
    for session in found.sessions.values() {
        actions.insert(session.id, look.action_for(session).await?);
    }
    look.follow_copies(&mut actions).await?;
    let mut ids = IdMap::default();
    let mut sessions = Vec::with_capacity(actions.len());
    for (session, action) in found.sessions.values().zip(actions.values().copied()) {
        if matches!(action, ImportAction::Copy | ImportAction::CopyPresent) {
            ids.assign_ids(session);
        }
        sessions.push(PlannedSession { session: session.clone(), action });
    }
    let here = world.borrow();
    let (proposals, left_out) = (proposals(&found.device, &here), left_out(&found.device, &here));
    drop(here);
    Ok(ImportPlan { found, sessions, proposals, left_out, ids })
}

struct ImportPlanner<'l> {
    store: &'l dyn Store,
    found: &'l DumpContents,
}

impl ImportPlanner<'_> {
    /// Checks that every parent turn is in the dump or on this device.
    async fn parents(&self) -> Result<(), ImportError> {
        let turns: VecSet<TurnId> = self.turns().map(|(turn, _)| turn).collect();
        for session in self.found.sessions.values() {
            let missing = session.outside.iter().filter(|turn| !turns.contains(*turn));
            let missing: Vec<_> = missing.map(ToString::to_string).collect();
            let here = self.store.get(Table::Turns, missing.clone()).await?;
            if let Some((turn, _)) = missing.into_iter().zip(here).find(|(_, row)| row.is_none()) {
                return Err(DumpError::NoParent(turn).into());
            }
        }
        Ok(())
    }

    fn turns(&self) -> impl Iterator<Item = (TurnId, SessionId)> {
        self.found.sessions.values().flat_map(|session| {
            let turns = session.ids.iter().filter(|(kind, _)| *kind == IdKind::Turn);
            turns.map(|(_, id)| (TurnId::from(*id), session.id))
        })
    }

    async fn action_for(&self, session: &DumpedSession) -> StoreResult<ImportAction> {
        let last = self.store.last_seq(StreamId::Session(session.id)).await?;
        if last == session.events && self.local_hash(session.id).await?.as_ref() == Some(&session.imported) {
            return Ok(ImportAction::Present);
        }
        if last == 0 && !self.conflicts(session).await? {
            return Ok(ImportAction::New);
        }
        self.as_copy(session).await
    }

    async fn as_copy(&self, session: &DumpedSession) -> StoreResult<ImportAction> {
        let copy = self.store.last_seq(StreamId::Session(copy_of(session))).await?;
        Ok(if copy == 0 { ImportAction::Copy } else { ImportAction::CopyPresent })
    }

    async fn local_hash(&self, session: SessionId) -> StoreResult<Option<ContentHash>> {
        let (mut hash, mut is_read) = (SessionHash::default(), true);
        let mut take = |json: &str| match json::tree(json) {
            Ok(mut tree) => {
                without_allowed_tools(&mut tree);
                hash.take(&tree);
            }
            Err(_) => is_read = false,
        };
        self.store.each_event(StreamId::Session(session), &mut take).await?;
        Ok(is_read.then(|| hash.done()))
    }

    /// True if one of its ids exists on this device.
    async fn conflicts(&self, session: &DumpedSession) -> StoreResult<bool> {
        for table in [Table::Turns, Table::Messages, Table::Runs, Table::ToolRuns, Table::Queue] {
            let of_table = session.ids.iter().filter(|(kind, _)| table_of(*kind) == table);
            let keys: Vec<_> = of_table.map(|(_, id)| MessageId::from(*id).to_string()).collect();
            for keys in keys.chunks(IMPORT_ROWS) {
                if self.store.get(table, keys.to_vec()).await?.iter().any(Option::is_some) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Copies each session that continues a copied one: otherwise it would continue another history.
    async fn follow_copies(&self, actions: &mut VecMap<SessionId, ImportAction>) -> StoreResult {
        let home: VecMap<TurnId, SessionId> = self.turns().collect();
        loop {
            let is_copy = |turn: &TurnId| {
                let action = home.get(turn).and_then(|session| actions.get(session));
                matches!(action, Some(ImportAction::Copy | ImportAction::CopyPresent))
            };
            let of_copies = self.found.sessions.values().filter(|session| {
                actions.get(&session.id) == Some(&ImportAction::New) && session.outside.iter().any(is_copy)
            });
            let of_copies: Vec<_> = of_copies.collect();
            if of_copies.is_empty() {
                return Ok(());
            }
            for session in of_copies {
                actions.insert(session.id, self.as_copy(session).await?);
            }
        }
    }
}

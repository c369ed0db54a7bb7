//! Never survives the page.
//!
//! Owns what the app runs on where the browser denies storage, and what tests run on: the store in memory, the
//! folder in memory, and the vault that keeps nothing.

use std::cell::RefCell;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use crate::domain::id::{ProviderId, RunId, SessionId, StreamId};
use crate::domain::json;
use crate::domain::sorted::SortedMap;
use crate::engine::port::{
    Batch, Disk, DiskError, KeptKey, ListedFile, Listing, NoDisk, NoVault, Row, Store, StoreError, Table,
    TiedFolder, Vault, VaultError,
};
use crate::wire::http::Secret;

/// A store that keeps everything in memory. Clones share the same contents.
#[derive(Clone, Default)]
pub struct MemStore {
    kept: Rc<RefCell<Kept>>,
}

type Events = SortedMap<(StreamId, u64), String>;
type Rows = SortedMap<(Table, String), String>;

#[derive(Default)]
struct Kept {
    events: Events,
    rows: Rows,
    /// What the next write fails with; tests set it.
    fault: Option<StoreError>,
    /// What a write fails with after this many others.
    fault_after: Option<(usize, StoreError)>,
    /// What a power cut would leave, where tests want to know: everything up to the last write that was made to last.
    #[cfg(test)]
    lasting: Option<(Events, Rows)>,
}

impl MemStore {
    /// From now on it is known what a power cut would leave.
    #[cfg(test)]
    pub(crate) fn fear_power_cuts(&self) {
        let mut kept = self.kept.borrow_mut();
        kept.lasting = Some((kept.events.clone(), kept.rows.clone()));
    }

    /// The store as a power cut would leave it.
    #[cfg(test)]
    pub(crate) fn after_power_cut(&self) -> Self {
        let (events, rows) = self.kept.borrow().lasting.clone().unwrap();
        Self { kept: Rc::new(RefCell::new(Kept { events, rows, ..Kept::default() })) }
    }

    /// Makes the next write fail.
    #[cfg(test)]
    pub(crate) fn fail_next(&self, error: StoreError) {
        self.kept.borrow_mut().fault = Some(error);
    }

    /// Lets some writes through, and makes the one after them fail.
    #[cfg(test)]
    pub(crate) fn fail_after(&self, writes: usize, error: StoreError) {
        self.kept.borrow_mut().fault_after = Some((writes, error));
    }

    /// All that is kept, for a comparison.
    #[cfg(test)]
    pub(crate) fn image(&self) -> String {
        let kept = self.kept.borrow();
        let events: Vec<_> = kept.events.iter().collect();
        let rows: Vec<_> = kept.rows.iter().collect();
        format!("{events:?} {rows:?}")
    }
}

fn ready<T: 'static>(value: T) -> LocalBoxFuture<'static, T> {
    Box::pin(std::future::ready(value))
}

impl Store for MemStore {
    fn write(&self, batch: Batch) -> LocalBoxFuture<'static, Result<(), StoreError>> {
        let mut kept = self.kept.borrow_mut();
        if let Some(error) = kept.fault.take() {
            return ready(Err(error));
        }
        match kept.fault_after.take() {
            Some((0, error)) => return ready(Err(error)),
            Some((writes, error)) => kept.fault_after = Some((writes - 1, error)),
            None => {}
        }
        if batch.events.iter().any(|event| kept.events.contains_key(&(event.stream, event.seq))) {
            return ready(Err(StoreError::Collision));
        }
        for stream in batch.forgets {
            kept.events.retain(|(other, _), _| *other != stream);
        }
        for event in batch.events {
            kept.events.insert((event.stream, event.seq), event.json);
        }
        for (table, (key, json)) in batch.puts {
            kept.rows.insert((table, key), json);
        }
        for (table, (key, json)) in batch.keeps {
            kept.rows.get_or_insert_with((table, key), || json);
        }
        for (table, prefix) in batch.removes {
            kept.rows.retain(|(other, key), _| *other != table || !key.starts_with(&prefix));
        }
        #[cfg(test)]
        if batch.strict && kept.lasting.is_some() {
            kept.lasting = Some((kept.events.clone(), kept.rows.clone()));
        }
        ready(Ok(()))
    }

    fn get(
        &self,
        table: Table,
        keys: Vec<String>,
    ) -> LocalBoxFuture<'static, Result<Vec<Option<String>>, StoreError>> {
        let kept = self.kept.borrow();
        ready(Ok(keys.into_iter().map(|key| kept.rows.get(&(table, key)).cloned()).collect()))
    }

    fn scan(&self, table: Table, prefix: String) -> LocalBoxFuture<'static, Result<Vec<Row>, StoreError>> {
        let kept = self.kept.borrow();
        let rows = kept
            .rows
            .iter_from(&(table, prefix.clone()))
            .take_while(|((other, key), _)| *other == table && key.starts_with(&prefix))
            .map(|((_, key), json)| (key.clone(), json.clone()))
            .collect();
        ready(Ok(rows))
    }

    fn last_seq(&self, stream: StreamId) -> LocalBoxFuture<'static, Result<u64, StoreError>> {
        let kept = self.kept.borrow();
        let of_stream = kept.events.iter_from(&(stream, 0)).take_while(|((other, _), _)| *other == stream);
        ready(Ok(of_stream.last().map_or(0, |((_, seq), _)| *seq)))
    }

    fn events(
        &self,
        stream: StreamId,
        from: u64,
        most: usize,
    ) -> LocalBoxFuture<'static, Result<Vec<String>, StoreError>> {
        let kept = self.kept.borrow();
        let of_stream = kept.events.iter_from(&(stream, from)).take_while(|((other, _), _)| *other == stream);
        ready(Ok(of_stream.take(most).map(|(_, json)| json.clone()).collect()))
    }

    fn events_of_run(&self, run: RunId) -> LocalBoxFuture<'static, Result<Vec<String>, StoreError>> {
        let (kept, run) = (self.kept.borrow(), run.to_string());
        let is_of_run = |json: &str| {
            let tree = json::tree(json).ok();
            tree.is_some_and(|tree| tree.get("run").and_then(|id| id.as_str()) == Some(run.as_str()))
        };
        // The id stands in few texts: most need not be read.
        let texts = kept.events.values().filter(|json| json.contains(&run) && is_of_run(json));
        ready(Ok(texts.cloned().collect()))
    }

    fn keys(&self, table: Table, prefix: String) -> LocalBoxFuture<'static, Result<Vec<String>, StoreError>> {
        let kept = self.kept.borrow();
        let rows = kept.rows.iter_from(&(table, prefix.clone()));
        let keys = rows.take_while(|((other, key), _)| *other == table && key.starts_with(&prefix));
        ready(Ok(keys.map(|((_, key), _)| key.clone()).collect()))
    }
}

/// The vault where no key outlives the tab, and why.
#[derive(Clone, Copy, Debug)]
pub struct TabOnly(pub NoVault);

impl TabOnly {
    fn refuse<T: 'static>(self) -> LocalBoxFuture<'static, Result<T, VaultError>> {
        ready(Err(VaultError::Hindered(self.0)))
    }
}

impl Vault for TabOnly {
    fn hindrance(&self) -> Option<NoVault> {
        Some(self.0)
    }

    fn list(&self) -> LocalBoxFuture<'static, Result<Vec<KeptKey>, VaultError>> {
        ready(Ok(Vec::new()))
    }

    fn open(&self, _passphrase: Secret) -> LocalBoxFuture<'static, Result<Vec<KeptKey>, VaultError>> {
        self.refuse()
    }

    fn is_open(&self) -> bool {
        false
    }

    fn close(&self) {}

    fn seal(&self, _kept: KeptKey) -> LocalBoxFuture<'static, Result<(), VaultError>> {
        self.refuse()
    }

    fn renew(
        &self,
        _passphrase: Secret,
        _kept: Vec<KeptKey>,
    ) -> LocalBoxFuture<'static, Result<(), VaultError>> {
        self.refuse()
    }

    fn keep_clear(&self, _kept: KeptKey) -> LocalBoxFuture<'static, Result<(), VaultError>> {
        self.refuse()
    }

    fn forget(&self, _provider: ProviderId) -> LocalBoxFuture<'static, Result<(), VaultError>> {
        ready(Ok(()))
    }
}

/// A folder in memory, that every session can be tied to. Clones share the same contents.
#[derive(Clone, Default)]
pub struct MemDisk {
    folder: Rc<RefCell<Folder>>,
}

#[derive(Default)]
struct Folder {
    files: SortedMap<String, (Vec<u8>, u64)>,
    notes: SortedMap<SessionId, String>,
    lapsed: bool,
    changes: u64,
    reads: usize,
}

impl MemDisk {
    /// Puts a file there, as another program does.
    pub fn put(&self, name: &str, bytes: &[u8]) {
        let mut folder = self.folder.borrow_mut();
        folder.changes += 1;
        let modified = folder.changes;
        folder.files.insert(name.to_owned(), (bytes.to_vec(), modified));
    }

    /// Takes a file away, as another program does.
    pub fn take(&self, name: &str) {
        self.folder.borrow_mut().files.remove(name);
    }

    /// The text of a file.
    pub fn text(&self, name: &str) -> Option<String> {
        self.folder.borrow().files.get(name).and_then(|(bytes, _)| String::from_utf8(bytes.clone()).ok())
    }

    /// Lets the permission lapse.
    pub fn lapse(&self) {
        self.folder.borrow_mut().lapsed = true;
    }

    /// How often a file was read.
    pub fn reads(&self) -> usize {
        self.folder.borrow().reads
    }

    fn allowed<T: 'static>(
        &self,
        work: impl FnOnce(&mut Folder) -> T,
    ) -> LocalBoxFuture<'static, Result<T, DiskError>> {
        let mut folder = self.folder.borrow_mut();
        ready(if folder.lapsed { Err(DiskError::Lapsed) } else { Ok(work(&mut folder)) })
    }
}

impl Disk for MemDisk {
    fn hindrance(&self) -> Option<NoDisk> {
        None
    }

    fn pick(&self, session: SessionId) -> LocalBoxFuture<'static, Result<Option<TiedFolder>, DiskError>> {
        self.folder.borrow_mut().notes.insert(session, String::new());
        self.tied(session)
    }

    fn tied(&self, session: SessionId) -> LocalBoxFuture<'static, Result<Option<TiedFolder>, DiskError>> {
        let folder = self.folder.borrow();
        let notes = folder.notes.get(&session).cloned();
        let allowed = !folder.lapsed;
        ready(Ok(notes.map(|notes| TiedFolder { name: "memory".to_owned(), allowed, notes })))
    }

    fn allow(&self, _session: SessionId) -> LocalBoxFuture<'static, Result<bool, DiskError>> {
        self.folder.borrow_mut().lapsed = false;
        ready(Ok(true))
    }

    fn list(&self, _session: SessionId) -> LocalBoxFuture<'static, Result<Listing, DiskError>> {
        self.allowed(|folder| {
            let listed = |(name, (bytes, modified)): (&String, &(Vec<u8>, u64))| ListedFile {
                name: name.clone(),
                bytes: u64::try_from(bytes.len()).unwrap_or(u64::MAX),
                modified: *modified,
            };
            Listing { files: folder.files.iter().map(listed).collect(), cut: false }
        })
    }

    fn read(
        &self,
        _session: SessionId,
        name: String,
    ) -> LocalBoxFuture<'static, Result<Option<Vec<u8>>, DiskError>> {
        self.allowed(|folder| {
            folder.reads += 1;
            folder.files.get(&name).map(|(bytes, _)| bytes.clone())
        })
    }

    fn write(
        &self,
        _session: SessionId,
        name: String,
        text: String,
    ) -> LocalBoxFuture<'static, Result<(), DiskError>> {
        self.allowed(|folder| {
            folder.changes += 1;
            folder.files.insert(name, (text.into_bytes(), folder.changes));
        })
    }

    fn note(&self, session: SessionId, notes: String) -> LocalBoxFuture<'static, Result<(), DiskError>> {
        self.folder.borrow_mut().notes.insert(session, notes);
        ready(Ok(()))
    }

    fn forget(&self, session: SessionId) -> LocalBoxFuture<'static, Result<(), DiskError>> {
        self.folder.borrow_mut().notes.remove(&session);
        ready(Ok(()))
    }
}

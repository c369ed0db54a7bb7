//! The ports: what the engine needs from the outside world.
//!
//! Each has an adapter in the browser and another for tests and the in-memory mode.

pub mod lazy;

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::stream::LocalBoxStream;
use nexus_model::event::Topic;
use nexus_model::id::IdSource;
use nexus_model::prelude::*;
use nexus_model::settings::{RecognitionError, SpeechError, Transcript, VoiceProfile};
use nexus_model::words;
use nexus_providers::http::{HttpRequest, Secret};
use serde::{Deserialize, Serialize};

/// What the engine needs from its surroundings. Each port has an adapter for browsers and one in memory.
#[derive(Clone)]
pub struct Ports {
    pub store: Rc<dyn Store>,
    pub clock: Rc<dyn Clock>,
    pub ids: Rc<RefCell<dyn IdSource>>,
    pub spawn: Rc<dyn Spawn>,
    pub locks: Rc<dyn Locks>,
}

/// Ports that only model calls need. A page loads their adapters together with the services.
#[derive(Clone)]
pub struct ProviderPorts {
    pub http: Rc<dyn Http>,
    pub vault: Rc<dyn KeyVault>,
}

/// Sends requests to model providers. Adapters return responses unchanged; the engine redacts keys (`calls`)
/// before anything reads them.
pub trait Http {
    /// Sends a request. Dropping the future or the response body aborts it.
    ///
    /// An error status is a response; `HttpError` means that there was none.
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>>;
}

pub struct HttpResponse {
    pub status: u16,
    /// The media type, if the header is readable.
    pub content_type: Option<String>,
    /// The `Retry-After` header, if readable: seconds, or a date.
    pub retry_after: Option<String>,
    pub retry_after_ms: Option<String>,
    pub body: LocalBoxStream<'static, Result<Vec<u8>, HttpError>>,
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpError {
    /// No response. Scripts cannot tell why.
    Unreachable(String),
    /// The body ended early.
    Broken(String),
}

pub trait Clock {
    /// Milliseconds since 1970.
    fn now(&self) -> Millis;
    fn sleep(&self, ms: u64) -> LocalBoxFuture<'static, ()>;
}

pub trait Spawn {
    /// Runs `work` until it ends. Callers that need to stop it make it abortable.
    fn spawn(&self, work: LocalBoxFuture<'static, ()>);
}

/// Locks between tabs.
pub trait Locks {
    /// Takes the lock if it is free. It is released when the guard is dropped or the page closes.
    fn try_hold(&self, name: &str) -> LocalBoxFuture<'static, Option<LockGuard>>;
    fn hold(&self, name: &str) -> LocalBoxFuture<'static, LockGuard>;
    /// True if other tabs share these locks; if not, each tab gets every lock.
    fn are_shared(&self) -> bool {
        true
    }
}

/// A held lock; dropping it releases it.
pub struct LockGuard(Option<Box<dyn FnOnce()>>);

impl LockGuard {
    /// Creates a guard that calls `release` when dropped.
    pub fn new(release: impl FnOnce() + 'static) -> Self {
        Self(Some(Box::new(release)))
    }
}

impl Drop for LockGuard {
    fn drop(&mut self) {
        if let Some(release) = self.0.take() {
            release();
        }
    }
}

/// The tables of the store besides `events`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    Sessions,
    Turns,
    /// Threads by turn; a cache.
    Threads,
    /// Details of compaction turns by turn.
    Compactions,
    /// Messages by id; the row holds `session` and `sequence`, which are indexed together.
    Messages,
    ToolRuns,
    Runs,
    /// Minds by content hash.
    Minds,
    /// Texts by content hash; the row is `{"text": …}`.
    Blobs,
    Memories,
    Agents,
    /// Providers by id; `null` if removed.
    Providers,
    Settings,
    Queue,
    /// The operator's drafts, by `session/field`.
    Drafts,
    /// Pieces of streaming answers, by `message/number` with the number in six digits.
    Partials,
    /// Raw responses of providers, by `turn/call/attempt/time/bytes` (`store::raw_responses`).
    Raw,
}

words!(Table {
    Sessions: "sessions",
    Turns: "turns",
    Threads: "threads",
    Compactions: "compactions",
    Messages: "messages",
    ToolRuns: "tool_runs",
    Runs: "runs",
    Minds: "minds",
    Blobs: "blobs",
    Memories: "memories",
    Agents: "agents",
    Providers: "providers",
    Settings: "settings",
    Queue: "queue",
    Drafts: "drafts",
    Partials: "partials",
    Raw: "raw",
});

/// A row of a table: its key and its JSON.
pub type StoredRow = (String, String);

/// An event as stored: position, index keys and JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    pub stream: StreamId,
    pub seq: u64,
    pub topic: Option<Topic>,
    pub json: String,
}

impl EventRow {
    /// The row of an event. Only the ledger, which knows all events, creates rows.
    pub fn of(event: &Event) -> StoreResult<Self> {
        let json = nexus_text::json::write(event).map_err(|error| StoreError::Damaged(error.to_string()))?;
        Ok(Self { stream: event.stream, seq: event.seq, topic: event.topic(), json })
    }
}

/// One transaction: written completely or not at all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Events, each at its position in its stream; an occupied position fails the whole batch.
    pub events: Vec<EventRow>,
    /// Rows to insert or replace.
    pub puts: Vec<(Table, StoredRow)>,
    /// Content-addressed rows: an existing row is kept, whatever its stored form.
    pub put_if_absent: Vec<(Table, StoredRow)>,
    /// Prefixes of the keys to delete.
    pub removes: Vec<(Table, String)>,
    /// Streams whose events are all deleted. Used only by a purge and by a failed import.
    pub delete_streams: Vec<StreamId>,
    /// True if the transaction must survive a power loss.
    pub strict: bool,
}

pub type StoreFuture<T> = LocalBoxFuture<'static, StoreResult<T>>;

/// The database: rows by table and key, and the events of each stream.
pub trait Store {
    /// Writes a batch. Resolves when it is durable.
    fn write(&self, batch: Batch) -> StoreFuture<()>;
    /// The rows of these keys, in their order, as JSON.
    fn get(&self, table: Table, keys: Vec<String>) -> StoreFuture<Vec<Option<String>>>;
    /// The rows whose keys start with `prefix`, in key order; all if it is empty.
    fn scan(&self, table: Table, prefix: String) -> StoreFuture<Vec<StoredRow>>;
    /// The row of a turn, then that of its parent, and so on: at most `most` rows, with their keys.
    fn turns_back(&self, turn: TurnId, most: usize) -> StoreFuture<Vec<StoredRow>>;
    /// The sequence number of a stream's newest event; 0 if it has none.
    fn last_seq(&self, stream: StreamId) -> StoreFuture<u64>;
    /// Up to `most` events of a stream from sequence number `from`, in order, as JSON: only the ledger's chunk can
    /// parse all of them.
    fn events(&self, stream: StreamId, from: u64, most: usize) -> StoreFuture<Vec<String>>;
    /// Every event of a run, in order, as JSON.
    fn events_of_run(&self, run: RunId) -> StoreFuture<Vec<String>>;
    /// The keys that start with `prefix`, in order, without reading the rows.
    fn keys(&self, table: Table, prefix: String) -> StoreFuture<Vec<String>>;
}

/// Where this page stores its data, and why not on the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StorageStatus {
    Device,
    /// On this device, written by a newer version: read-only.
    ReadOnly,
    /// In this page only: the browser denies storage.
    Denied,
    /// In this page only: a newer version wrote the database on the device, which is left unchanged.
    Newer,
    /// In this page only: the device is full.
    Full,
    /// In this page only: the database failed or did not respond.
    Failed,
}

/// Status of the store, reported apart from its results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreNews {
    /// True while a request takes unusually long.
    Slow(bool),
    /// The browser deleted the store while the page was open.
    Deleted,
}

pub type StoreResult<T = ()> = Result<T, StoreError>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// The disk or the browser's quota is full.
    Full,
    /// Another tab wrote at that position of a stream.
    Collision,
    /// The data is from a newer version and is not modified.
    Newer,
    /// The connection was lost and could not be reopened.
    Lost(String),
    /// A row could not be read.
    Damaged(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Full => "there is no space left",
            Self::Collision => "another tab wrote at the same time",
            Self::Newer => "the data is from a newer version of Nexus",
            Self::Lost(why) | Self::Damaged(why) => why,
        })
    }
}

/// Device storage besides the store: restore points, notes, and the browser's storage status.
pub trait DeviceStorage {
    fn estimate(&self) -> LocalBoxFuture<'static, StorageEstimate>;
    /// Asks the browser for persistent storage. Returns true if granted.
    fn persist(&self) -> LocalBoxFuture<'static, bool>;
    /// Every restore point, newest first.
    fn restore_points(&self) -> StoreFuture<Vec<RestorePoint>>;
    /// Stores a dump as a restore point and returns its size in bytes. Stores nothing if a piece fails.
    fn save_restore_point(&self, point: RestorePoint, dump: TextStream) -> StoreFuture<u64>;
    fn restore_point(&self, at: Millis) -> StoreFuture<Rc<dyn ByteSource>>;
    fn delete_restore_point(&self, at: Millis) -> StoreFuture<()>;
    /// Sets the note for a later visit, replacing the previous one.
    fn set_note(&self, text: Option<String>) -> StoreFuture<()>;
    fn read_note(&self) -> StoreFuture<Option<String>>;
    /// Deletes everything that this app stored here, in all tabs; then the page reloads.
    fn delete_everything(&self) -> StoreFuture<()>;
}

/// A text in pieces, so that it is never in memory as a whole.
pub type TextStream = LocalBoxStream<'static, StoreResult<String>>;

/// The browser's storage estimate; `None` if unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StorageEstimate {
    pub used: Option<u64>,
    pub quota: Option<u64>,
    /// True if the browser never evicts it.
    pub persisted: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestorePoint {
    /// When it was made; unique.
    pub at: Millis,
    pub bytes: u64,
    pub sessions: u64,
    pub events: u64,
}

/// A large source that can be read more than once, such as a file.
pub trait ByteSource {
    /// Its bytes from the beginning, in pieces; the error is a text.
    fn read(&self) -> LocalBoxStream<'static, Result<Vec<u8>, String>>;
}

/// Stores keys between visits, apart from everything else: in no event, no table and no export.
///
/// Each key is bound to the origin for which it was entered. A sealed key is encrypted with a passphrase; an unlocked
/// vault can seal more keys but does not have the passphrase.
pub trait KeyVault {
    /// Why keys cannot be sealed here; `None` if they can.
    fn unavailable(&self) -> Option<VaultUnavailable>;
    /// Every stored key; sealed ones without the key itself.
    fn list(&self) -> VaultFuture<Vec<StoredKey>>;
    /// Unlocks the vault and returns every sealed key. If nothing is sealed yet, sets the passphrase.
    fn open(&self, passphrase: Secret) -> VaultFuture<Vec<StoredKey>>;
    fn is_open(&self) -> bool;
    fn close(&self);
    fn seal(&self, kept: StoredKey) -> VaultFuture<()>;
    /// Sets another passphrase and seals these keys with it, all or none. The vault is unlocked afterwards.
    fn change_passphrase(&self, passphrase: Secret, kept: Vec<StoredKey>) -> VaultFuture<()>;
    /// Stores a key unencrypted, readable for everybody with access to this device.
    fn store_unencrypted(&self, kept: StoredKey) -> VaultFuture<()>;
    fn delete(&self, provider: ProviderId) -> VaultFuture<()>;
}

pub type VaultFuture<T> = LocalBoxFuture<'static, Result<T, VaultError>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredKey {
    pub provider: ProviderId,
    pub origin: String,
    /// The key; `None` while it is encrypted.
    pub key: Option<Secret>,
}

/// Why keys cannot be encrypted here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VaultUnavailable {
    /// The page is in an iframe or has no origin of its own. No key can be stored.
    Frame,
    /// Not a secure context, so there is no encryption. Keys can be stored unencrypted.
    Insecure,
    /// There is no storage. No key can be stored.
    NoStorage,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VaultError {
    WrongPassphrase,
    Closed,
    Unavailable(VaultUnavailable),
    /// The store or the encryption failed. Never contains a key.
    Failed(String),
}

impl fmt::Display for VaultError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::WrongPassphrase => "the passphrase is wrong",
            Self::Closed => "the API keys are locked",
            Self::Unavailable(_) => "this browser cannot encrypt",
            Self::Failed(why) => why,
        })
    }
}

/// Reads and writes the folder on disk that is linked to a session. The link outlives the page and is in no event and
/// no export.
///
/// Not among [`Ports`]: loaded lazily when the operator first links a folder.
pub trait FileSystem {
    /// Why no folder can be linked here; `None` if one can.
    fn unavailable(&self) -> Option<FileSystemUnavailable>;
    /// Lets the operator pick a folder and links it to the session; `None` if they cancel. Needs a user activation.
    fn pick(&self, session: SessionId) -> FolderFuture<Option<LinkedFolder>>;
    fn linked_folder(&self, session: SessionId) -> FolderFuture<Option<LinkedFolder>>;
    /// Asks the operator to renew a lapsed permission. Returns true if it is granted.
    fn request_access(&self, session: SessionId) -> FolderFuture<bool>;
    /// The files of the folder, without those of tools and operating systems.
    fn list(&self, session: SessionId) -> FolderFuture<FolderListing>;
    /// The bytes of a file; `None` if it does not exist.
    fn read(&self, session: SessionId, name: String) -> FolderFuture<Option<Vec<u8>>>;
    /// Writes a whole file, creating it and its folders if needed.
    fn write(&self, session: SessionId, name: String, bytes: Vec<u8>) -> FolderFuture<()>;
    /// Stores a text with the link, replacing the previous one.
    fn save_notes(&self, session: SessionId, notes: String) -> FolderFuture<()>;
    /// Removes the link. The folder is not changed.
    fn unlink(&self, session: SessionId) -> FolderFuture<()>;
}

pub type FolderFuture<T> = LocalBoxFuture<'static, Result<T, FileSystemError>>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedFolder {
    /// Its name without a path, which browsers do not reveal.
    pub name: String,
    /// True if it may be read and written now.
    pub allowed: bool,
    pub notes: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderListing {
    pub files: Vec<ListedFile>,
    /// True if there are more files than were listed.
    pub is_truncated: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    pub name: String,
    pub bytes: u64,
    /// When it was last modified, in milliseconds since 1970.
    pub modified: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSystemUnavailable {
    /// The browser cannot access folders.
    Unsupported,
    /// The page is in an iframe, where the browser does not ask for permission.
    Frame,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileSystemError {
    /// The permission has lapsed or was denied.
    Lapsed,
    /// The folder or the stored link no longer exists.
    Gone,
    /// Another error, in the browser's words.
    Failed(String),
}

#[derive(Clone)]
pub struct VoicePorts {
    pub recognizer: Rc<dyn SpeechRecognizer>,
    pub synthesizer: Rc<dyn SpeechSynthesizer>,
}

pub trait SpeechRecognizer {
    fn is_available(&self) -> bool;
    /// The browser's preferred languages, best first.
    fn languages(&self) -> Vec<String>;
    /// Starts listening in a language. Other tabs that listen stop.
    fn listen(
        &self,
        language: &str,
        hear: Box<dyn Fn(RecognitionEvent)>,
    ) -> Result<Box<dyn RecognitionSession>, RecognitionError>;
}

/// A running recogniser. Dropping it aborts it without further events.
pub trait RecognitionSession {
    /// Stops listening; the last result still arrives.
    fn stop(&self);
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecognitionEvent {
    /// The transcript since it started.
    Transcript(Transcript),
    /// It failed; `Ended` may follow.
    Failed(RecognitionError),
    Ended,
    Hidden,
    OtherTab,
}

pub trait SpeechSynthesizer {
    fn is_available(&self) -> bool;
    /// The voices; empty if none is available within two seconds.
    fn voices(&self) -> LocalBoxFuture<'static, Vec<VoiceInfo>>;
    /// Speaks a short text. Resolves when it ends, is stopped, or takes too long.
    fn speak(
        &self,
        text: String,
        language: String,
        sound: VoiceProfile,
    ) -> LocalBoxFuture<'static, Result<(), SpeechError>>;
    /// Stops at once.
    fn stop(&self);
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoiceInfo {
    pub name: String,
    pub language: String,
    /// True if it works offline.
    pub local: bool,
}

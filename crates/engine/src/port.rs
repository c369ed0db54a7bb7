//! The ports: what the engine needs from the outside world.
//!
//! Each has an adapter in the browser and another for tests and the in-memory mode.

pub mod checks;
pub mod terminal;

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

use futures_util::future::LocalBoxFuture;
use futures_util::stream::LocalBoxStream;
use nexus_model::event::{Event, Topic};
use nexus_model::id::{IdSource, Millis, ProviderId, RunId, SessionId, StreamId};
use nexus_model::settings::voice::{RecognitionError, SpeechError, Transcript, VoiceProfile};
use nexus_model::words;
use nexus_providers::http::{HttpRequest, Secret};
use serde::{Deserialize, Serialize};

/// The ports of the whole engine.
#[derive(Clone)]
pub struct Ports {
    pub store: Rc<dyn Store>,
    pub clock: Rc<dyn Clock>,
    pub ids: Rc<RefCell<dyn IdSource>>,
    /// Background work.
    pub spawn: Rc<dyn Spawn>,
    /// Locks between tabs.
    pub locks: Rc<dyn Locks>,
}

/// The ports that only calls of models need. A page loads their adapters with the services, and with the first call.
#[derive(Clone)]
pub struct ProviderPorts {
    pub http: Rc<dyn Http>,
    /// Keys that outlive the tab.
    pub vault: Rc<dyn KeyVault>,
}

/// Sends requests to model providers. An adapter gives answers as they come; the engine takes keys out of them
/// (`calls::http`) before anything reads them.
pub trait Http {
    /// Sends a request. Dropping the future, or the body of its answer, aborts it.
    ///
    /// An answer with an error status is an answer; `HttpError` means that there was none.
    fn send(&self, request: HttpRequest) -> LocalBoxFuture<'static, Result<HttpResponse, HttpError>>;
}

/// An answer whose body is still coming.
pub struct HttpResponse {
    pub status: u16,
    /// The media type, if the header can be read.
    pub content_type: Option<String>,
    /// The `Retry-After` header, if it can be read: seconds, or a date.
    pub retry_after: Option<String>,
    /// The `retry-after-ms` header, if it can be read.
    pub retry_after_ms: Option<String>,
    pub body: LocalBoxStream<'static, Result<Vec<u8>, HttpError>>,
}

/// No answer, or no more of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpError {
    /// No answer could be had. Script cannot tell why.
    Unreachable(String),
    /// The body broke off.
    Broken(String),
}

/// Tells the time and waits.
pub trait Clock {
    /// Milliseconds since 1970.
    fn now(&self) -> Millis;
    /// Ends after `ms` milliseconds.
    fn sleep(&self, ms: u64) -> LocalBoxFuture<'static, ()>;
}

/// Runs work in the background.
pub trait Spawn {
    /// Runs `work` until it ends. Whoever needs to stop it makes it stoppable.
    fn spawn(&self, work: LocalBoxFuture<'static, ()>);
}

/// Keeps other tabs out.
pub trait Locks {
    /// Takes the lock of that name if it is free. It is held until the guard is dropped or the page is gone.
    fn try_hold(&self, name: &str) -> LocalBoxFuture<'static, Option<LockGuard>>;
    fn hold(&self, name: &str) -> LocalBoxFuture<'static, LockGuard>;
    /// Whether other tabs know of these locks; where not, each is granted to everybody.
    fn are_shared(&self) -> bool {
        true
    }
}

/// A lock that is held; dropping it gives it back.
pub struct LockGuard(Option<Box<dyn FnOnce()>>);

impl LockGuard {
    /// A lock that `release` gives back.
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

/// The tables of the store beside `events`.
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
    /// Minds by content address.
    Minds,
    /// Texts by content address; the row is `{"text": …}`.
    Blobs,
    Memories,
    Agents,
    /// Providers by id; `null` where removed.
    Providers,
    Settings,
    /// Messages that wait, by id.
    Queue,
    /// What the operator types, by `session/field`.
    Drafts,
    /// Pieces of answers that are being written, by `message/number` with the number in six digits.
    Partials,
    /// What providers answered, as it came, by `turn/call/attempt/time/bytes` (`store::raw_responses`).
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

/// An event as the store keeps it: its place, what it is found by, and its JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventRow {
    pub stream: StreamId,
    pub seq: u64,
    pub topic: Option<Topic>,
    pub json: String,
}

impl EventRow {
    /// The row of an event. Only who knows all events, the ledger, makes rows of them.
    pub fn of(event: &Event) -> Result<Self, StoreError> {
        let json = nexus_text::json::write(event).map_err(|error| StoreError::Damaged(error.to_string()))?;
        Ok(Self { stream: event.stream, seq: event.seq, topic: event.topic(), json })
    }
}

/// What one transaction writes: all of it or nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Batch {
    /// Events, each added at its place in its stream; a place that is taken fails the whole batch.
    pub events: Vec<EventRow>,
    /// Rows, replacing those of the same key.
    pub puts: Vec<(Table, StoredRow)>,
    /// Rows that are named by their content: one that is there stays as it is, whatever the form that it is stored in.
    pub keeps: Vec<(Table, StoredRow)>,
    /// Rows to remove: every key that begins with the text.
    pub removes: Vec<(Table, String)>,
    /// Streams to forget: all of their events. Only a purge, and an import that failed, write like this.
    pub forgets: Vec<StreamId>,
    /// Whether the transaction must survive a power loss.
    pub strict: bool,
}

/// Keeps events and rows.
pub trait Store {
    /// Writes a batch. Ends when it is safe.
    fn write(&self, batch: Batch) -> LocalBoxFuture<'static, Result<(), StoreError>>;
    /// The rows of these keys, in their order, as JSON.
    fn get(
        &self,
        table: Table,
        keys: Vec<String>,
    ) -> LocalBoxFuture<'static, Result<Vec<Option<String>>, StoreError>>;
    /// The rows whose keys begin with `prefix`, in the order of their keys; all where it is empty.
    fn scan(
        &self,
        table: Table,
        prefix: String,
    ) -> LocalBoxFuture<'static, Result<Vec<StoredRow>, StoreError>>;
    /// The row of `key`, then the row that its field `next` names, and so on: at most `most` rows, with their keys.
    fn chain(
        &self,
        table: Table,
        key: String,
        next: &'static str,
        most: usize,
    ) -> LocalBoxFuture<'static, Result<Vec<StoredRow>, StoreError>>;
    /// The sequence of the newest event of a stream; 0 where there is none.
    fn last_seq(&self, stream: StreamId) -> LocalBoxFuture<'static, Result<u64, StoreError>>;
    /// Up to `most` events of a stream, from sequence `from` on, in order, as JSON: only the ledger's part of the program
    /// knows how to read all of them.
    fn events(
        &self,
        stream: StreamId,
        from: u64,
        most: usize,
    ) -> LocalBoxFuture<'static, Result<Vec<String>, StoreError>>;
    /// Every event of a run, in order, as JSON.
    fn events_of_run(&self, run: RunId) -> LocalBoxFuture<'static, Result<Vec<String>, StoreError>>;
    /// The keys that begin with `prefix`, in their order, without reading the rows.
    fn keys(&self, table: Table, prefix: String) -> LocalBoxFuture<'static, Result<Vec<String>, StoreError>>;
}

/// What the page is told of its store, apart from the answers of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreNews {
    /// Whether an answer takes unusually long.
    Waits(bool),
    /// The browser deleted it while the page was open.
    Deleted,
}

/// Why the store could not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// The disk or the browser's allowance is full.
    Full,
    /// Another tab wrote at that place of a stream.
    Collision,
    /// The data is of a newer program; it is not written to.
    Newer,
    /// The connection is gone and could not be made again.
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

/// What the device keeps beside the store: restore points and notes, and what the browser says of its storage.
pub trait DeviceStorage {
    /// What is used, and what may be.
    fn facts(&self) -> LocalBoxFuture<'static, StorageEstimate>;
    /// Asks the browser not to throw anything away when the disk runs full. Says whether it agreed.
    fn persist(&self) -> LocalBoxFuture<'static, bool>;
    /// Every restore point, the newest first.
    fn points(&self) -> LocalBoxFuture<'static, Result<Vec<RestorePoint>, StoreError>>;
    /// Keeps a dump as a restore point, and says how many bytes that took. Nothing is kept where a piece fails.
    fn keep_point(
        &self,
        point: RestorePoint,
        dump: TextStream,
    ) -> LocalBoxFuture<'static, Result<u64, StoreError>>;
    /// The dump of a restore point.
    fn point(&self, at: Millis) -> LocalBoxFuture<'static, Result<Rc<dyn ByteSource>, StoreError>>;
    /// Throws a restore point away.
    fn drop_point(&self, at: Millis) -> LocalBoxFuture<'static, Result<(), StoreError>>;
    /// A note to a later visit, in the place of the one before.
    fn note(&self, text: Option<String>) -> LocalBoxFuture<'static, Result<(), StoreError>>;
    /// The note of an earlier visit.
    fn noted(&self) -> LocalBoxFuture<'static, Result<Option<String>, StoreError>>;
    /// Removes everything that this program ever kept here, in all tabs; afterwards the page loads again.
    fn forget_everything(&self) -> LocalBoxFuture<'static, Result<(), StoreError>>;
}

/// A text in pieces, so that nothing holds all of it.
pub type TextStream = LocalBoxStream<'static, Result<String, StoreError>>;

/// What the browser says of its storage; `None` where it does not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StorageEstimate {
    /// Bytes in use.
    pub used: Option<u64>,
    /// Bytes that may be used.
    pub quota: Option<u64>,
    /// Whether it is kept when the disk runs full.
    pub persisted: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RestorePoint {
    /// When it was made; no two have the same.
    pub at: Millis,
    /// The bytes that it takes.
    pub bytes: u64,
    pub sessions: u64,
    pub events: u64,
}

/// Something long that can be read more than once, such as a file.
pub trait ByteSource {
    /// Its bytes, from the beginning, in pieces; words where it cannot be read any more.
    fn read(&self) -> LocalBoxStream<'static, Result<Vec<u8>, String>>;
}

/// Keeps keys between visits, apart from everything else: in no event, no table and no export.
///
/// Each key is bound to the origin it was entered for. A sealed key is encrypted under a passphrase; while the vault is
/// open it has what it needs to seal more, but not the passphrase.
pub trait KeyVault {
    /// Why keys cannot be sealed here; `None` where they can.
    fn hindrance(&self) -> Option<VaultUnavailable>;
    /// Every kept key; the sealed ones without the key itself.
    fn list(&self) -> LocalBoxFuture<'static, Result<Vec<StoredKey>, VaultError>>;
    /// Opens the vault, and gives every sealed key. Where nothing is sealed yet, any passphrase opens it, and is the one.
    fn open(&self, passphrase: Secret) -> LocalBoxFuture<'static, Result<Vec<StoredKey>, VaultError>>;
    fn is_open(&self) -> bool;
    /// Forgets what it was opened with.
    fn close(&self);
    fn seal(&self, kept: StoredKey) -> LocalBoxFuture<'static, Result<(), VaultError>>;
    /// Makes another passphrase the one, and seals these keys under it: all of them or, where it fails, none. It is open
    /// then.
    fn renew(
        &self,
        passphrase: Secret,
        kept: Vec<StoredKey>,
    ) -> LocalBoxFuture<'static, Result<(), VaultError>>;
    /// Keeps a key as it is, for everybody who can read this device to find.
    fn keep_clear(&self, kept: StoredKey) -> LocalBoxFuture<'static, Result<(), VaultError>>;
    fn forget(&self, provider: ProviderId) -> LocalBoxFuture<'static, Result<(), VaultError>>;
}

/// A key that outlives the tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredKey {
    pub provider: ProviderId,
    pub origin: String,
    /// The key; `None` while it is sealed.
    pub key: Option<Secret>,
}

/// Why no key can be sealed here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VaultUnavailable {
    /// The page is shown inside another one, or has no origin of its own. Nothing is kept, sealed or not.
    Frame,
    /// The page is not a secure context, so there is no encryption. Keys can be kept in the clear.
    Insecure,
    /// There is no store. Nothing is kept.
    NoStorage,
}

/// Why the vault could not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VaultError {
    /// The passphrase is not the one.
    WrongPassphrase,
    Closed,
    /// It cannot be used here.
    Hindered(VaultUnavailable),
    /// The store or the encryption failed. Never holds a key.
    Failed(String),
}

impl fmt::Display for VaultError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::WrongPassphrase => "the passphrase is wrong",
            Self::Closed => "the API keys are locked",
            Self::Hindered(_) => "this browser cannot encrypt",
            Self::Failed(why) => why,
        })
    }
}

// Folders on disk.

/// Reads and writes the folder on disk that a session is tied to, one for each session. What ties them outlives the
/// page, in no event and no export.
///
/// Not among [`Ports`]: it is a part of the program that comes when somebody wants a folder.
pub trait FileSystem {
    /// Why no folder can be tied here; `None` where one can.
    fn hindrance(&self) -> Option<FileSystemUnavailable>;
    /// Lets the operator pick a folder and ties the session to it; `None` where they picked none. Only while the browser
    /// still counts a click of theirs.
    fn pick(
        &self,
        session: SessionId,
    ) -> LocalBoxFuture<'static, Result<Option<LinkedFolder>, FileSystemError>>;
    /// The folder that the session is tied to, if it is.
    fn tied(
        &self,
        session: SessionId,
    ) -> LocalBoxFuture<'static, Result<Option<LinkedFolder>, FileSystemError>>;
    /// Asks the operator again for the permission that has lapsed. Says whether there is one now.
    fn allow(&self, session: SessionId) -> LocalBoxFuture<'static, Result<bool, FileSystemError>>;
    /// What lies in the folder, without what tools and systems make.
    fn list(&self, session: SessionId) -> LocalBoxFuture<'static, Result<FolderListing, FileSystemError>>;
    /// The bytes of a file; `None` where there is none.
    fn read(
        &self,
        session: SessionId,
        name: String,
    ) -> LocalBoxFuture<'static, Result<Option<Vec<u8>>, FileSystemError>>;
    /// Writes a whole file, making it and its folders where they are not there.
    fn write(
        &self,
        session: SessionId,
        name: String,
        bytes: Vec<u8>,
    ) -> LocalBoxFuture<'static, Result<(), FileSystemError>>;
    /// Keeps a text beside the tie, in the place of the one before.
    fn note(&self, session: SessionId, notes: String)
    -> LocalBoxFuture<'static, Result<(), FileSystemError>>;
    /// Unties the session. The folder stays as it is.
    fn forget(&self, session: SessionId) -> LocalBoxFuture<'static, Result<(), FileSystemError>>;
}

/// A folder that a session is tied to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkedFolder {
    /// Its name, without where it lies: browsers do not tell.
    pub name: String,
    /// Whether it may be read and written now.
    pub allowed: bool,
    /// What was kept beside the tie.
    pub notes: String,
}

/// What lies in a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderListing {
    /// The files by name, folders as parts of names.
    pub files: Vec<ListedFile>,
    /// Whether there are more than were looked at.
    pub cut: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedFile {
    pub name: String,
    pub bytes: u64,
    /// When it was last changed, in milliseconds since 1970.
    pub modified: u64,
}

/// Why no folder can be tied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileSystemUnavailable {
    /// The browser has no way to a folder.
    Unsupported,
    /// The page is shown inside another one, which keeps the browser from asking.
    Frame,
}

/// Why the folder could not be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileSystemError {
    /// The permission has lapsed, or was not given.
    Lapsed,
    /// The folder, or what the tie is kept in, is gone.
    Gone,
    /// Anything else, in the browser's words.
    Failed(String),
}

/// Both.
#[derive(Clone)]
pub struct VoicePorts {
    pub ears: Rc<dyn SpeechRecognizer>,
    pub mouth: Rc<dyn SpeechSynthesizer>,
}

/// Recognises speech.
pub trait SpeechRecognizer {
    fn is_there(&self) -> bool;
    /// The languages that the browser is set to, most wanted first.
    fn languages(&self) -> Vec<String>;
    /// Begins to listen to a language. Other tabs that listen are told, and stop.
    fn listen(
        &self,
        language: &str,
        hear: Box<dyn Fn(RecognitionEvent)>,
    ) -> Result<Box<dyn RecognitionSession>, RecognitionError>;
}

/// A recogniser that runs. Dropping it ends it at once; nothing is heard of it then.
pub trait RecognitionSession {
    /// Lets it end: what was just said still comes.
    fn stop(&self);
}

/// What a recogniser tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecognitionEvent {
    /// All that it has heard since it began.
    Heard(Transcript),
    /// It failed; its end may follow.
    Failed(RecognitionError),
    Ended,
    Hidden,
    /// Another tab listens now.
    Elsewhere,
}

/// Speaks.
pub trait SpeechSynthesizer {
    fn is_there(&self) -> bool;
    /// The voices; empty where none has come within two seconds.
    fn voices(&self) -> LocalBoxFuture<'static, Vec<VoiceInfo>>;
    /// Speaks a short text in this language, as it sounds. Ends when it was spoken, stopped, or has given no sign for
    /// longer than it could take.
    fn speak(
        &self,
        text: String,
        language: String,
        sound: VoiceProfile,
    ) -> LocalBoxFuture<'static, Result<(), SpeechError>>;
    /// Stops at once.
    fn hush(&self);
}

/// A voice of the browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoiceInfo {
    pub name: String,
    pub language: String,
    /// Whether it works without a network.
    pub local: bool,
}

//! Transient signals from the engine to the screen, such as streaming deltas.
//!
//! Never stored; a lost signal loses no data.
//!
//! Also the broadcasts between tabs about changed API keys. They never contain a key or anything derived from one.

use crate::prelude::*;
use crate::session::{Draft, DraftField};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupReminder {
    /// No export for a long time, and the browser may clear the storage.
    Export,
    /// The browser gives the page little storage, as in private windows.
    LittleRoom { quota: u64 },
}

/// What is published and never stored, such as a piece of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum TransientEvent {
    /// More of an answer.
    Delta { session: SessionId, message: MessageId, part: usize, thinking: bool, text: String },
    /// The text of a part so far turns out to be thinking, and so does the rest of it.
    Reclassified { message: MessageId, part: usize },
    /// Discard the streamed parts of this message, because the call is retried.
    Restarted { message: MessageId },
    /// The text so far of an answer that is shown while it streams, for who missed its deltas.
    TextSoFar { message: MessageId, parts: Vec<MessagePart> },
    /// More of an answer was stored, which other tabs show.
    PartialStored { session: SessionId },
    /// The ledger could not be written; commands are rejected until it can.
    StoreFailed { reason: String },
    /// The ledger can be written again.
    StoreRecovered,
    /// The operator stopped a session, which cannot be stored yet: its calls end at once.
    StopUnsaved { session: SessionId },
    /// Whether a session is read-only in this tab.
    ReadOnly { session: SessionId, read_only: bool },
    /// This tab should take over a session that another tab works in.
    SessionRequested { session: SessionId },
    /// Another tab wrote to a session at the same time: the changes of this tab continue in a fork.
    Forked { from: SessionId, to: SessionId },
    /// A draft could not be merged; contains both texts with conflict markers.
    DraftConflict {
        session: SessionId,
        field: DraftField,
        /// The text to continue with.
        marked: String,
    },
    /// A draft was committed to the mind, or moved to another tab or session.
    DraftCommitted {
        session: SessionId,
        field: DraftField,
        /// Its text; if the draft differs by now, it stays.
        text: String,
    },
    /// A draft from before the page was last closed.
    DraftRestored(Draft),
    /// The operator typed into a field of the mind.
    Typed { session: SessionId, at: Millis },
    /// The time of the next automatic Core sync.
    SyncDue {
        session: SessionId,
        /// `None` if no sync is due.
        at: Option<Millis>,
    },
    /// A call needs a key that is encrypted with a passphrase.
    KeyWanted { provider: ProviderId },
    /// A reminder to the operator.
    Reminder(BackupReminder),
    /// The set of available or usable keys changed.
    KeysChanged,
    /// A broadcast for other tabs.
    KeyBroadcast(KeyBroadcast),
    /// The newest events of a session that came into view, oldest first.
    RecentEvents {
        session: SessionId,
        events: Vec<Arc<Event>>,
        /// Kind and agent of turns that the events belong to and that are not loaded.
        actors: Vec<(TurnId, (TurnKind, AgentKey))>,
    },
    /// The device's rows were read again, because another tab changed them.
    DeviceRead,
    /// The memories of all sessions were loaded.
    MemoriesLoaded,
    /// Rows of a session were loaded, or changed outside this tab's ledger.
    Loaded { session: SessionId },
}

/// A change of an API key in another tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyBroadcast {
    /// The device stores the key, or another one for this provider.
    Stored(ProviderId),
    /// The device no longer stores the key.
    Removed(ProviderId),
    Deleted(ProviderId),
    /// Keys under the passphrase were locked, or the passphrase was changed.
    Locked,
}

impl KeyBroadcast {
    pub fn text(&self) -> String {
        match self {
            Self::Stored(provider) => format!("kept {provider}"),
            Self::Removed(provider) => format!("withdrawn {provider}"),
            Self::Deleted(provider) => format!("forgotten {provider}"),
            Self::Locked => "locked".to_owned(),
        }
    }

    /// Parses a broadcast; `None` if another version wrote it.
    pub fn read(text: &str) -> Option<Self> {
        match text.split_once(' ') {
            Some(("kept", provider)) => Some(Self::Stored(provider.into())),
            Some(("withdrawn", provider)) => Some(Self::Removed(provider.into())),
            Some(("forgotten", provider)) => Some(Self::Deleted(provider.into())),
            None if text == "locked" => Some(Self::Locked),
            Some(_) | None => None,
        }
    }
}

#[cfg(test)]
mod tests;

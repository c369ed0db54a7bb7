//! Transient signals from the engine to the screen, above all streaming deltas.
//!
//! Never stored; a lost signal loses no data.
//!
//! Also the messages between tabs about API keys: whose key changed, and how. Never carries a key or anything derived
//! from one.

use std::sync::Arc;

use crate::event::Event;
use crate::id::{AgentKey, MessageId, Millis, ProviderId, SessionId, TurnId};
use crate::session::draft::{Draft, DraftField};
use crate::turn::TurnKind;

/// What the operator is reminded of, so that nothing is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackupReminder {
    /// Nothing was exported for long, and the browser may clear what is here.
    Export,
    /// The browser gives the page little room, as in private windows.
    LittleRoom { quota: u64 },
}

/// A passing signal.
#[derive(Clone, Debug, PartialEq)]
pub enum TransientEvent {
    /// More of an answer.
    Delta {
        session: SessionId,
        message: MessageId,
        /// The part, from 0.
        part: usize,
        thinking: bool,
        text: String,
    },
    /// What was said in a part so far turns out to be thinking, and so is all that follows in it.
    Rethought { message: MessageId, part: usize },
    /// The pieces of this message are void: the call is tried again.
    Restarted { message: MessageId },
    /// The ledger could not be written; commands are refused until it can.
    StoreFailed { reason: String },
    /// The ledger can be written again.
    StoreRecovered,
    /// A session can or cannot be written from this tab.
    ReadOnly { session: SessionId, read_only: bool },
    /// This tab is to work in a session in which another one does.
    SessionWanted { session: SessionId },
    /// Another tab wrote in a session at the same time: what was done here goes on in a fork.
    Forked { from: SessionId, to: SessionId },
    /// What the operator types could not be merged; both texts with marks.
    DraftClash {
        session: SessionId,
        field: DraftField,
        /// The text to go on with.
        marked: String,
    },
    /// What the operator typed is a part of the mind now.
    DraftSettled {
        session: SessionId,
        field: DraftField,
        /// The text that was taken; a draft that says something else by now lives on.
        text: String,
    },
    /// What the operator had typed before the page was last closed.
    DraftRestored(Draft),
    /// The operator typed into a field of the mind.
    Typed { session: SessionId, at: Millis },
    /// When the Core will be asked by itself.
    SyncDue {
        session: SessionId,
        /// When; `None` where nothing is due.
        at: Option<Millis>,
    },
    /// A call waits for a key that is kept under a passphrase.
    KeyWanted { provider: ProviderId },
    /// Something to be reminded of.
    Care(BackupReminder),
    /// Which keys are here, or can be used, changed.
    KeysChanged,
    /// What other tabs are to know of it.
    KeysTold(KeyBroadcast),
    /// The newest events of a session that has just come into view, oldest first.
    Past {
        session: SessionId,
        /// What happened in it last.
        events: Vec<Arc<Event>>,
        /// The kinds and agents of turns that the events belong to and that are not loaded.
        actors: Vec<(TurnId, (TurnKind, AgentKey))>,
    },
    /// What belongs to the device was read again: another tab changed something of it.
    DeviceRead,
    /// The memories of all sessions were read.
    MemoriesLoaded,
    /// A session's rows were loaded or changed outside the ledger of this tab.
    Loaded { session: SessionId },
}

/// What became of a key in another tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyBroadcast {
    /// The device keeps it now, or keeps another one.
    Kept(ProviderId),
    /// The device keeps it no longer.
    Withdrawn(ProviderId),
    Forgotten(ProviderId),
    /// All that is under the passphrase was locked, or is under another passphrase now.
    Locked,
}

impl KeyBroadcast {
    pub fn text(&self) -> String {
        match self {
            Self::Kept(provider) => format!("kept {provider}"),
            Self::Withdrawn(provider) => format!("withdrawn {provider}"),
            Self::Forgotten(provider) => format!("forgotten {provider}"),
            Self::Locked => "locked".to_owned(),
        }
    }

    /// Reads such a line; `None` where another version wrote it.
    pub fn read(text: &str) -> Option<Self> {
        match text.split_once(' ') {
            Some(("kept", provider)) => Some(Self::Kept(provider.into())),
            Some(("withdrawn", provider)) => Some(Self::Withdrawn(provider.into())),
            Some(("forgotten", provider)) => Some(Self::Forgotten(provider.into())),
            None if text == "locked" => Some(Self::Locked),
            Some(_) | None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_what_is_heard() {
        let id = || ProviderId::from("my provider 2");
        for news in [
            KeyBroadcast::Kept(id()),
            KeyBroadcast::Withdrawn(id()),
            KeyBroadcast::Forgotten(id()),
            KeyBroadcast::Locked,
        ] {
            assert_eq!(KeyBroadcast::read(&news.text()), Some(news));
        }
        for noise in ["", "kept", "locked now", "stolen gemini", "{\"v\":1}"] {
            assert_eq!(KeyBroadcast::read(noise), None, "{noise}");
        }
    }
}

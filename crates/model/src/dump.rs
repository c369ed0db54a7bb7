//! The dump: one JSON file for export, recovery and import, version 1.
//!
//! `{"nexus":"dump","version":1,"at":ms,"app":"version","stores":{"name":[{"key":…,"value":…},…]},"local":{…},
//! "typed":[{"field":…,"text":…}],"notes":[…]}`
//!
//! `public/dump.js` writes the same format without the program. An import reads the store `events` and folds all rows
//! from it, so it cannot bring in state without a history. Of the other stores only `drafts` and `partials` are read.
//!
//! [`reader`] parses the file in chunks, [`check`] validates all of it before anything is written, [`copy`] assigns
//! new ids on collisions, and [`proposal`] lists the agents, providers and settings that the operator may accept. A
//! dump never carries an API key.
//!
//! Its checksums are SHA-256 over all of its fields and records, and over the events of each session.
//! The field `sums` is the last one: `{"all":"…","sessions":{"id":"…"}}`. `all` is taken over the name and
//! the JSON of each field and record before it, each followed by a zero byte; that of a session is its
//! [`SessionHash`]. `public/dump.js` writes `all` alone, and no sums where the browser has no
//! SHA-256. Checksums detect damage, not forgery.
//!
//! After the store was lost, what a tab holds in memory is written as a text for people. It is no dump and cannot be imported: the events are gone with the store.

pub mod check;
pub mod copy;
pub mod proposal;
pub mod reader;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::dump::reader::DumpItem;
use crate::id::{Millis, SessionId};
use crate::world::World;
use nexus_text::content_hash::{ContentHash, canonical_json};
use nexus_text::small_sort::SmallSort as _;
use nexus_text::vec_map::VecMap;

/// The version that is written.
pub const VERSION: u64 = 1;
/// The store of the events.
pub const EVENTS: &str = "events";
/// The store of what the operator was typing.
pub const DRAFTS: &str = "drafts";
/// The store of answers that were being written.
pub const PARTIALS: &str = "partials";

/// Why a dump is not taken in. Nothing of it is, then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DumpError {
    /// It is no JSON, or breaks off; in words of a reader of JSON.
    NotJson(String),
    /// It is JSON, but no dump of Nexus.
    NotADump,
    /// A newer program wrote it.
    Newer(String),
    /// One record is longer than any that this program writes.
    LongRecord,
    /// It holds more sessions than can be taken in at once.
    ManySessions(usize),
    Keys(String),
    /// An event cannot be read.
    BadEvent {
        stream: String,
        place: u64,
        why: String,
    },
    /// An event stands twice, is missing, or stands in the wrong order.
    Order {
        stream: String,
        place: u64,
    },
    /// An event does not belong into its stream.
    Stranger {
        stream: String,
        place: u64,
    },
    /// The same id was given to two things.
    SameId(String),
    /// A session does not begin with its making.
    NoBeginning(String),
    /// A turn goes back to itself.
    Cycle(String),
    /// A turn follows one that is neither in the file nor on this device.
    NoParent(String),
}

/// The hash of a session: SHA-256 over the list of its events, in order, as canonical JSON.
#[derive(Clone, Debug)]
pub struct SessionHash {
    digest: Sha256,
    is_empty: bool,
}

impl Default for SessionHash {
    fn default() -> Self {
        let mut digest = Sha256::new();
        digest.update(b"[");
        Self { digest, is_empty: true }
    }
}

impl SessionHash {
    pub fn take(&mut self, event: &serde_json::Value) {
        if !self.is_empty {
            self.digest.update(b",");
        }
        self.is_empty = false;
        self.digest.update(canonical_json(event).as_bytes());
    }

    pub fn done(mut self) -> ContentHash {
        self.digest.update(b"]");
        ContentHash::of_digest(self.digest.finalize())
    }
}

/// The field that holds them.
pub const SUMS: &str = "sums";

/// What the checksums of a dump tell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Sums {
    /// It holds none: an older program wrote it.
    #[default]
    None,
    /// What was read is what was written.
    Right,
    /// Something changed since it was written.
    Wrong {
        /// The sessions that changed. It may be another part.
        sessions: Vec<SessionId>,
    },
}

/// The sum over all pieces of a dump.
#[derive(Clone, Debug, Default)]
pub struct WholeSum(Sha256);

impl WholeSum {
    pub fn take(&mut self, piece: &DumpItem) {
        let (DumpItem::Field(name, text) | DumpItem::Record(name, text)) = piece;
        if name != SUMS || matches!(piece, DumpItem::Record(..)) {
            for part in [name, text] {
                self.0.update(part.as_bytes());
                self.0.update([0]);
            }
        }
    }

    pub fn done(self) -> ContentHash {
        ContentHash::of_digest(self.0.finalize())
    }
}

/// What the field `sums` says, against what was read.
fn compare(told: Option<&Value>, all: ContentHash, sessions: &VecMap<SessionId, ContentHash>) -> Sums {
    let Some(told) = told else { return Sums::None };
    let said = |value: Option<&Value>, hash: ContentHash| {
        value.and_then(Value::as_str).and_then(ContentHash::read) == Some(hash)
    };
    let of_sessions = told.get("sessions").and_then(Value::as_object);
    let wrong: Vec<_> = sessions
        .iter()
        // Where a session has no sum of its own, the whole has one.
        .filter(|(id, hash)| of_sessions.is_some_and(|told| !said(told.get(&id.to_string()), **hash)))
        .map(|(id, _)| *id)
        .collect();
    let are_all_there = of_sessions.is_none_or(|told| told.len() == sessions.len());
    if wrong.is_empty() && are_all_there && said(told.get("all"), all) {
        Sums::Right
    } else {
        Sums::Wrong { sessions: wrong }
    }
}

/// The sessions of `world` with their messages, minds and files, as far as they are loaded.
pub fn rescued(world: &World, at: Millis, app: &str) -> String {
    let of_session = |session: &crate::session::Session| {
        let mut messages: Vec<_> =
            world.messages.values().filter(|message| message.session == session.id).collect();
        messages.small_sort_by_key(|message| message.sequence);
        let messages: Vec<Value> =
            messages.iter().filter_map(|message| serde_json::to_value(message).ok()).collect();
        let mind = world.working_mind(session).map(|mind| json!({
            "objective": mind.objective,
            "scratchpad": mind.scratchpad,
            "files": mind.files.iter().map(|(name, file)| (name.clone(), Value::from(&*file.text))).collect::<serde_json::Map<_, _>>(),
        }));
        json!({ "id": session.id.to_string(), "label": session.label, "mind": mind, "messages": messages })
    };
    let sessions: Vec<Value> = world.sessions.values().map(|session| of_session(session)).collect();
    let whole = json!({ "nexus": "rescued", "at": at, "app": app, "sessions": sessions });
    serde_json::to_string_pretty(&whole).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_without_anything_gives_a_text_that_is_no_dump() {
        let text = rescued(&World::default(), Millis(7), "0.1.0");
        let read: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&read["nexus"], &read["sessions"]), (&json!("rescued"), &json!([])));
    }
}

#[cfg(test)]
#[path = "dump/dump_tests.rs"]
mod dump_tests;

//! The dump: one JSON file for export, recovery and import, version 1.
//!
//! `{"nexus":"dump","version":1,"at":ms,"app":"version","stores":{"name":[{"key":…,"value":…},…]},"local":{…},
//! "typed":[{"field":…,"text":…}],"notes":[…]}`
//!
//! `public/dump.js` writes the same format without the program. An import reads the store `events` and folds all rows
//! from it, so that no state is imported without its history. Of the other stores only `drafts` and `partials` are
//! read.
//!
//! [`reader`] parses the file in chunks, [`check`] validates all of it before anything is written, and [`import`] lists
//! the agents, providers and settings that the operator may accept, and assigns new ids on collisions. A dump never
//! carries an API key.

pub mod check;
pub mod import;
pub mod reader;

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::id::Millis;
use crate::world::World;
use nexus_text::content_hash::{ContentHash, canonical_json};
use nexus_text::{json, small_sort::SmallSort as _};

pub const VERSION: u64 = 1;
pub const EVENTS: &str = "events";
/// Text that the operator was typing.
pub const DRAFTS: &str = "drafts";
/// Answers that were streaming.
pub const PARTIALS: &str = "partials";

/// Why a dump is rejected. Nothing of it is imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DumpError {
    /// Invalid or incomplete JSON, with the parser's message.
    NotJson(String),
    /// Valid JSON, but not a dump of Nexus.
    NotADump,
    /// Written by a newer program: its version, or the place of an event.
    Newer(String),
    /// A record exceeds the size limit.
    LongRecord,
    /// Too many sessions.
    ManySessions(usize),
    /// It contains API keys, here.
    Keys(String),
    /// An event cannot be read.
    BadEvent { stream: String, place: u64, why: String },
    /// An event is duplicated, missing, or out of order.
    Order { stream: String, place: u64 },
    /// An event belongs to another stream.
    WrongStream { stream: String, place: u64 },
    /// Two rows have the same id.
    SameId(String),
    /// The first event of a session does not create it.
    NoBeginning(String),
    /// A cycle of parents.
    Cycle(String),
    /// The parent of a turn is neither in the file nor on this device.
    NoParent(String),
}

/// The hash of a session: SHA-256 of its events, in order, as canonical JSON.
#[derive(Clone, Debug, Default)]
pub struct SessionHash {
    digest: Sha256,
    has_events: bool,
}

impl SessionHash {
    pub fn take(&mut self, event: &serde_json::Value) {
        self.digest.update(if self.has_events { b"," } else { b"[" });
        self.has_events = true;
        self.digest.update(canonical_json(event).as_bytes());
    }

    pub fn done(mut self) -> ContentHash {
        self.digest.update(if self.has_events { "]" } else { "[]" });
        ContentHash::of_digest(self.digest.finalize())
    }
}

/// Fields of user content, which an import leaves as they are.
const CONTENTS: [&str; 12] = [
    "parts",
    "contents",
    "args",
    "text",
    "edits",
    "reasoning",
    "label",
    "summary",
    "content",
    "focus",
    "title",
    "keywords",
];

/// Empties the lists of always allowed tools in an event or row: permissions are those of this device.
pub fn without_allowed_tools(value: &mut Value) {
    if let Value::Array(items) = value {
        items.iter_mut().for_each(without_allowed_tools);
    } else if let Value::Object(fields) = value {
        for (name, inner) in fields.iter_mut().filter(|(name, _)| !CONTENTS.contains(&name.as_str())) {
            if name == "tools_always" {
                *inner = Value::Array(Vec::new());
            } else {
                without_allowed_tools(inner);
            }
        }
    }
}

/// The loaded sessions of `world` with messages, minds and files, as readable JSON.
pub fn readable_json(world: &World, at: Millis, app: &str) -> String {
    let of_session = |session: &crate::session::Session| {
        let mut messages: Vec<_> =
            world.messages.values().filter(|message| message.session == session.id).collect();
        messages.small_sort_by_key(|message| message.sequence);
        let messages: Vec<Value> =
            messages.iter().filter_map(|message| json::to_tree(message.as_ref()).ok()).collect();
        let mind = world.working_mind(session).map(|mind| json!({
            "objective": mind.objective,
            "scratchpad": mind.scratchpad,
            "files": mind.files.iter().map(|(name, file)| (name.clone(), Value::from(&*file.text))).collect::<serde_json::Map<_, _>>(),
        }));
        json!({ "id": session.id.to_string(), "label": session.label, "mind": mind, "messages": messages })
    };
    let sessions: Vec<Value> = world.sessions.values().map(|session| of_session(session)).collect();
    let whole = json!({ "nexus": "rescued", "at": at, "app": app, "sessions": sessions });
    format!("{whole:#}")
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod rescue_tests;

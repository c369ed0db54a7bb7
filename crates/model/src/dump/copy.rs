//! Assigns new ids to a session that is imported beside one with the same ids.
//!
//! The new ids are derived from the session's contents, so importing it twice is recognised.

use serde_json::{Map, Value};

use crate::dump::check::DumpedSession;
use crate::id::{MessageId, SessionId};
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;

/// Maps old ids to new ones.
#[derive(Clone, Debug, Default)]
pub struct IdMap(VecMap<u128, u128>);

/// Fields of user content, in which texts that look like ids are left alone.
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

impl IdMap {
    /// Assigns new ids to everything created in a session.
    pub fn assign_ids(&mut self, session: &DumpedSession) {
        let step = step_of(&session.hash);
        for id in session.ids.iter().map(|(_, id)| *id).chain([session.id.bits()]) {
            self.0.insert(id, stepped(id, step));
        }
    }

    /// The new id, or the same one if it is not mapped.
    pub fn of(&self, id: u128) -> u128 {
        self.0.get(&id).copied().unwrap_or(id)
    }

    pub fn session(&self, id: SessionId) -> SessionId {
        SessionId::from(self.of(id.bits()))
    }

    /// Replaces the ids in an event or row.
    pub fn change(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.into_iter().map(|item| self.change(item)).collect(),
            Value::Object(fields) => {
                let change = |(name, inner): (String, Value)| {
                    let inner = if CONTENTS.contains(&name.as_str()) { inner } else { self.change(inner) };
                    (self.text(name), inner)
                };
                Value::Object(fields.into_iter().map(change).collect::<Map<_, _>>())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    fn text(&self, text: String) -> String {
        // All ids are ULIDs of 26 characters.
        if text.len() != 26 {
            return text;
        }
        let id = text.parse::<MessageId>().ok().and_then(|id| self.0.get(&id.bits()));
        id.map_or(text, |id| MessageId::from(*id).to_string())
    }
}

/// The id of a session's copy.
pub fn copy_of(session: &DumpedSession) -> SessionId {
    SessionId::from(stepped(session.id.bits(), step_of(&session.hash)))
}

/// The offset between old and new ids.
fn step_of(hash: &ContentHash) -> u128 {
    let digits = hash.to_string();
    u128::from(u64::from_str_radix(digits.get(..15).unwrap_or_default(), 16).unwrap_or(1)).max(1)
}

/// Keeps the time of a ULID, so that the order stays, and shifts its random part.
fn stepped(id: u128, step: u128) -> u128 {
    const RANDOM: u128 = (1 << 80) - 1;
    (id & !RANDOM) | ((id & RANDOM).wrapping_add(step) & RANDOM)
}

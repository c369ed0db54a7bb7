//! The checksums of a dump: SHA-256 over all of its fields and records, and over the events of each session.
//!
//! The field `sums` is the last one of a dump: `{"all":"…","sessions":{"id":"…"}}`. `all` is taken over the name and
//! the JSON of each field and record before it, each followed by a zero byte; that of a session is its
//! [`SessionHash`](super::SessionHash). `public/dump.js` writes `all` alone, and no sums where the browser has no
//! SHA-256. Checksums detect damage, not forgery.

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::dump::reader::DumpItem;
use crate::id::SessionId;
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::VecMap;

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
pub(super) fn compare(
    told: Option<&Value>,
    all: ContentHash,
    sessions: &VecMap<SessionId, ContentHash>,
) -> Sums {
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

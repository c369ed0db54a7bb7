//! Policy for pages that embed Nexus in an iframe: allowed origins, message format and rate limits.
//!
//! A page whose exact origin the operator allowed may place drafts in the composer. No origin is allowed by default,
//! not even the page's own. Each origin is one settings row, `page/…`.

use crate::id::Millis;
use crate::limits::{
    EMBEDDED_AT_ONCE, EMBEDDED_BYTES, EMBEDDED_DRAFTS, EMBEDDED_EACH_MS, EMBEDDED_FLOOD, EMBEDDED_ID_BYTES,
    EMBEDDED_NOTICES, EMBEDDERS,
};
use crate::provider::address;
use crate::provider::address::{AddressError, HostScope, reach};
use crate::settings::schema::EMBEDDER_ROWS;
use crate::world::World;
use nexus_text::invisible::reveal;

const VERSION: f64 = 1.0;
/// Zero-width joiners.
const JOINERS: [char; 2] = ['\u{200c}', '\u{200d}'];
const IDS_KNOWN: usize = 64;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AllowedEmbedder {
    pub origin: String,
    pub is_paused: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbedderError {
    Address(AddressError),
    Path,
    /// The address is neither `https:` nor on this machine.
    NotSafe,
    TooMany,
}

/// The exact origin of an entered address, as browsers write it.
pub fn exact_origin(entered: &str) -> Result<String, EmbedderError> {
    let origin = address::normalise(entered).map_err(EmbedderError::Address)?;
    let (scheme, rest) = origin.split_once("://").ok_or(EmbedderError::Address(AddressError::Scheme))?;
    if rest.contains('/') {
        return Err(EmbedderError::Path);
    }
    if scheme != "https" && reach(&origin) != HostScope::Loopback {
        return Err(EmbedderError::NotSafe);
    }
    Ok(origin)
}

/// The name of a page's settings row. Its value is `true` if the page may place drafts, `false` if it is paused.
pub fn row(origin: &str) -> String {
    EMBEDDER_ROWS.row(origin)
}

/// Validates a setting if it is the row of a page.
pub fn check(world: &World, name: &str) -> Result<(), EmbedderError> {
    let Some(origin) = name.strip_prefix(EMBEDDER_ROWS.name()) else { return Ok(()) };
    if exact_origin(origin)? != origin {
        return Err(EmbedderError::Path);
    }
    let all = embedders(world);
    let is_new = !all.iter().any(|page| page.origin == origin);
    if is_new && all.len() >= EMBEDDERS { Err(EmbedderError::TooMany) } else { Ok(()) }
}

/// The allowed pages. Unreadable rows are ignored.
pub fn embedders(world: &World) -> Vec<AllowedEmbedder> {
    world
        .rows_of(EMBEDDER_ROWS)
        .filter_map(|(origin, value)| {
            let may = value.as_bool()?;
            let is_exact = exact_origin(origin).is_ok_and(|exact| exact == origin);
            is_exact.then(|| AllowedEmbedder { origin: origin.to_owned(), is_paused: !may })
        })
        .collect()
}

/// A field of a message. Long texts are not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldText {
    Absent,
    Other,
    Long,
    Text(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct EmbedMessage {
    pub nexus: Option<f64>,
    pub draft: FieldText,
    pub id: FieldText,
    pub fields: usize,
}

/// A page's request to place a draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftRequest {
    pub text: String,
    /// The page's id for the draft, with which it may send it again until it is answered.
    pub id: Option<String>,
}

/// Why a message is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbedRejection {
    NotAllowed,
    Rests,
    /// Unexpected fields or types.
    Shape,
    Version,
    Empty,
    TooLong,
    /// Contains invisible characters.
    Hidden,
    /// The operator is typing or speaking.
    Busy,
    /// The composer contains the maximum number of drafts.
    Full,
    /// Another tab holds the lock of the session in view.
    ReadOnly,
}

words!(EmbedRejection {
    NotAllowed: "not-allowed",
    Rests: "paused",
    Shape: "shape",
    Version: "version",
    Empty: "empty",
    TooLong: "too-long",
    Hidden: "hidden-characters",
    Busy: "busy",
    Full: "full",
    ReadOnly: "read-only",
});

impl EmbedRejection {
    /// True if the operator is notified: not of temporary states, nor of a pause that they chose.
    pub fn is_told(self) -> bool {
        !matches!(self, Self::Rests | Self::Busy | Self::ReadOnly)
    }
}

/// Whether a page may place drafts.
pub fn may_place(world: &World, origin: &str) -> Result<(), EmbedRejection> {
    match embedders(world).iter().find(|page| page.origin == origin) {
        None => Err(EmbedRejection::NotAllowed),
        Some(page) if page.is_paused => Err(EmbedRejection::Rests),
        Some(_) => Ok(()),
    }
}

pub fn read(shape: EmbedMessage) -> Result<DraftRequest, EmbedRejection> {
    let version = shape.nexus.ok_or(EmbedRejection::Shape)?;
    if version != VERSION {
        return Err(EmbedRejection::Version);
    }
    let (id, known) = match shape.id {
        FieldText::Absent => (None, 2),
        FieldText::Text(id) if is_id(&id) => (Some(id), 3),
        FieldText::Text(_) | FieldText::Long | FieldText::Other => return Err(EmbedRejection::Shape),
    };
    if shape.fields != known {
        return Err(EmbedRejection::Shape);
    }
    let text = match shape.draft {
        FieldText::Text(text) => text,
        FieldText::Long => return Err(EmbedRejection::TooLong),
        FieldText::Absent | FieldText::Other => return Err(EmbedRejection::Shape),
    };
    if text.len() > EMBEDDED_BYTES {
        return Err(EmbedRejection::TooLong);
    }
    let text = text.replace("\r\n", "\n");
    // The operator's message must not contain text that looks different from what it is. Zero-width joiners are
    // allowed, because some scripts and emoji need them.
    let visible = text.replace(JOINERS, "");
    if visible.contains('\r') || reveal(&visible) != visible {
        return Err(EmbedRejection::Hidden);
    }
    let text = text.trim().to_owned();
    if text.is_empty() { Err(EmbedRejection::Empty) } else { Ok(DraftRequest { text, id }) }
}

fn is_id(id: &str) -> bool {
    (1..=EMBEDDED_ID_BYTES).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The list of drafts' origins in the composer with one more.
pub fn marked(pages: &str, origin: &str) -> Result<String, EmbedRejection> {
    if pages.lines().count() >= EMBEDDED_DRAFTS {
        return Err(EmbedRejection::Full);
    }
    Ok(format!("{pages}{origin}\n"))
}

/// What to do with a message before parsing it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    Process,
    /// Rate limited: neither parsed nor answered.
    Drop,
    /// Flooding: stop listening for a while.
    Mute,
}

/// Limits the rate of messages from embedding pages, and the notices about them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbedRateLimiter {
    left: u32,
    filled_at: Millis,
    passed: u32,
    reported: Vec<String>,
    placed: Vec<(String, String)>,
}

impl EmbedRateLimiter {
    pub fn new(now: Millis) -> Self {
        Self { left: EMBEDDED_AT_ONCE, filled_at: now, passed: 0, reported: Vec::new(), placed: Vec::new() }
    }

    pub fn admit(&mut self, now: Millis) -> Admission {
        let filled = now.0.saturating_sub(self.filled_at.0) / EMBEDDED_EACH_MS;
        if filled > 0 {
            self.left = u32::try_from(filled)
                .map_or(EMBEDDED_AT_ONCE, |filled| self.left.saturating_add(filled).min(EMBEDDED_AT_ONCE));
            self.filled_at = now;
            self.passed = 0;
        }
        if let Some(left) = self.left.checked_sub(1) {
            self.left = left;
            return Admission::Process;
        }
        self.passed = self.passed.saturating_add(1);
        if self.passed < EMBEDDED_FLOOD { Admission::Drop } else { Admission::Mute }
    }

    /// True if the operator should be notified of this page: once per page, for a limited number of pages.
    pub fn tells(&mut self, origin: &str) -> bool {
        let is_new = self.reported.len() < EMBEDDED_NOTICES
            && !self.reported.iter().any(|reported| reported == origin);
        if is_new {
            self.reported.push(origin.to_owned());
        }
        is_new
    }

    pub fn has_placed(&self, origin: &str, placing: &DraftRequest) -> bool {
        let is_same = |(page, id): &(String, String)| page == origin && placing.id.as_ref() == Some(id);
        self.placed.iter().any(is_same)
    }

    pub fn placed(&mut self, origin: &str, placing: &DraftRequest) {
        let Some(id) = &placing.id else { return };
        if self.placed.len() >= IDS_KNOWN {
            self.placed.remove(0);
        }
        self.placed.push((origin.to_owned(), id.clone()));
    }
}

#[cfg(test)]
mod tests;

//! A field's unsaved text with its base, merged when an earlier state of it is saved to the mind.
//!
//! Pure. Never loses typed text, and never replaces it with an older one.

use std::sync::Arc;

use nexus_text::{content_hash::ContentHash, merge3::MergeOutcome};

/// Three-way merge: the base, the other side, the operator's text. It is loaded with the board, whose fields are the
/// only ones that need it, and so is no part of the first load.
pub type MergeFn = fn(&str, &str, &str) -> MergeOutcome;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditBuffer {
    pub text: Arc<str>,
    /// The mind that the operator saw when the buffer began.
    pub base: ContentHash,
    pub in_conflict: bool,
}

impl EditBuffer {
    /// The remaining buffer after `saved` was saved to the mind, which now has this hash and contains `now` in the
    /// field.
    /// `None` if nothing was typed since. Without `merger`, the base stays: the next save merges.
    #[must_use]
    pub fn after_settling(
        &self,
        saved: &str,
        now: &str,
        mind: &ContentHash,
        merger: Option<MergeFn>,
    ) -> Option<Self> {
        if &*self.text == saved {
            return None;
        }
        let Some(merge) = merger else { return Some(self.clone()) };
        let (text, in_conflict) = match merge(saved, now, &self.text) {
            MergeOutcome::Clean(text) => (text, false),
            MergeOutcome::Conflict(marked) => (marked, true),
        };
        Some(Self { text: Arc::from(text), base: *mind, in_conflict })
    }
}

#[cfg(test)]
mod tests;

//! A field's unsaved text with its base, merged when an earlier state of it is saved to the mind.
//!
//! Pure. Never loses typed text, and never replaces it with an older one.

use std::sync::Arc;

use nexus_text::content_hash::ContentHash;
use nexus_text::merge3::MergeOutcome;

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
mod tests {
    use super::*;
    use nexus_text::merge3::merge;

    fn left(typed: &str, saved: &str, now: &str) -> Option<(String, bool)> {
        let buffer =
            EditBuffer { text: Arc::from(typed), base: ContentHash::of_text("then"), in_conflict: false };
        let left = buffer.after_settling(saved, now, &ContentHash::of_text("now"), Some(merge))?;
        assert_eq!(left.base, ContentHash::of_text("now"));
        Some((left.text.to_string(), left.in_conflict))
    }

    #[test]
    fn a_fully_saved_buffer_is_closed() {
        assert_eq!(left("ab", "ab", "ab"), None);
        assert_eq!(left("ab", "ab", "ab\nand an agent's text"), None);
    }

    #[test]
    fn without_a_merger_the_buffer_keeps_its_base() {
        let buffer =
            EditBuffer { text: Arc::from("abc"), base: ContentHash::of_text("then"), in_conflict: false };
        let left = buffer.after_settling("ab", "ab, and theirs", &ContentHash::of_text("now"), None);
        assert_eq!(left, Some(buffer.clone()));
        assert_eq!(buffer.after_settling("abc", "abc", &ContentHash::of_text("now"), None), None);
    }

    #[test]
    fn text_typed_since_stays() {
        assert_eq!(left("abc", "ab", "ab"), Some(("abc".into(), false)));
    }

    #[test]
    fn concurrent_edits_are_merged() {
        let left = left("ONE!\ntwo\nthree\nfour\n", "ONE\ntwo\nthree\nfour\n", "ONE\ntwo\nthree\nFOUR\n");
        assert_eq!(left, Some(("ONE!\ntwo\nthree\nFOUR\n".into(), false)));
    }

    #[test]
    fn conflicting_lines_both_stay_with_markers() {
        let (text, in_conflict) = left("mine!\n", "mine\n", "theirs\n").expect("something was typed since");
        assert!(in_conflict && text.contains("mine!") && text.contains("theirs"), "{text}");
    }
}

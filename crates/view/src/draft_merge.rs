//! Text being typed in a field, with its base, merged when the mind takes in an earlier state of it.
//!
//! Pure. Never loses what was typed or shows an older text over it.

use std::sync::Arc;

use nexus_text::content_hash::ContentHash;
use nexus_text::merge3::MergeOutcome;

/// Merges what was typed with what others wrote: the text that both began with, theirs, the operator's. The board brings
/// it, whose fields are the only ones that need it, so that the first load does without.
pub type MergeFn = fn(&str, &str, &str) -> MergeOutcome;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EditBuffer {
    pub text: Arc<str>,
    /// The mind that the operator saw when the typing began.
    pub base: ContentHash,
    pub clashed: bool,
}

impl EditBuffer {
    /// What is left to type on once the mind, which has this address and holds `now` in the field, took `taken` in.
    /// `None` where nothing was typed since. Without a merger the typing stays on what it began with: whoever takes it
    /// in then merges.
    #[must_use]
    pub fn after_settling(
        &self,
        taken: &str,
        now: &str,
        mind: &ContentHash,
        merger: Option<MergeFn>,
    ) -> Option<Self> {
        if &*self.text == taken {
            return None;
        }
        let Some(merge) = merger else { return Some(self.clone()) };
        let (text, clashed) = match merge(taken, now, &self.text) {
            MergeOutcome::Clean(text) => (text, false),
            MergeOutcome::Clash(marked) => (marked, true),
        };
        Some(Self { text: Arc::from(text), base: *mind, clashed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nexus_text::merge3::merge;

    fn left(typed: &str, taken: &str, now: &str) -> Option<(String, bool)> {
        let typing =
            EditBuffer { text: Arc::from(typed), base: ContentHash::of_text("then"), clashed: false };
        let left = typing.after_settling(taken, now, &ContentHash::of_text("now"), Some(merge))?;
        assert_eq!(left.base, ContentHash::of_text("now"));
        Some((left.text.to_string(), left.clashed))
    }

    #[test]
    fn typing_that_was_taken_in_whole_is_over() {
        assert_eq!(left("ab", "ab", "ab"), None);
        assert_eq!(left("ab", "ab", "ab\nand what an agent wrote"), None);
    }

    #[test]
    fn without_a_merger_the_typing_stays_on_what_it_began_with() {
        let typing =
            EditBuffer { text: Arc::from("abc"), base: ContentHash::of_text("then"), clashed: false };
        let left = typing.after_settling("ab", "ab, and theirs", &ContentHash::of_text("now"), None);
        assert_eq!(left, Some(typing.clone()));
        assert_eq!(typing.after_settling("abc", "abc", &ContentHash::of_text("now"), None), None);
    }

    #[test]
    fn what_was_typed_since_stays() {
        assert_eq!(left("abc", "ab", "ab"), Some(("abc".into(), false)));
    }

    #[test]
    fn what_others_wrote_meanwhile_is_joined_in() {
        let left = left("ONE!\ntwo\nthree\nfour\n", "ONE\ntwo\nthree\nfour\n", "ONE\ntwo\nthree\nFOUR\n");
        assert_eq!(left, Some(("ONE!\ntwo\nthree\nFOUR\n".into(), false)));
    }

    #[test]
    fn where_both_touched_a_line_both_stay_with_marks() {
        let (text, clashed) = left("mine!\n", "mine\n", "theirs\n").expect("something was typed since");
        assert!(clashed && text.contains("mine!") && text.contains("theirs"), "{text}");
    }
}

//! Never loses what was typed, and never shows an older text over it.
//!
//! Owns what the operator is typing into a field: the text, what it is based on, and how it is carried over when the
//! mind takes an earlier state of it in while the typing goes on. Pure.

use std::sync::Arc;

use crate::domain::hash::Hash;
use crate::domain::text::merge::Merge;

/// Merges what was typed with what others wrote: the text that both began with, theirs, the operator's. The board brings
/// it, whose fields are the only ones that need it, so that the first load does without.
pub type Merger = fn(&str, &str, &str) -> Merge;

/// A text that is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typing {
    /// The text.
    pub text: Arc<str>,
    /// The mind that the operator saw when the typing began.
    pub base: Hash,
    /// Whether it clashed with what others wrote.
    pub clashed: bool,
}

impl Typing {
    /// What is left to type on once the mind, which has this address and holds `now` in the field, took `taken` in.
    /// `None` where nothing was typed since. Without a merger the typing stays on what it began with: whoever takes it
    /// in then merges.
    #[must_use]
    pub fn after_settling(
        &self,
        taken: &str,
        now: &str,
        mind: &Hash,
        merger: Option<Merger>,
    ) -> Option<Self> {
        if &*self.text == taken {
            return None;
        }
        let Some(merge) = merger else { return Some(self.clone()) };
        let (text, clashed) = match merge(taken, now, &self.text) {
            Merge::Clean(text) => (text, false),
            Merge::Clash(marked) => (marked, true),
        };
        Some(Self { text: Arc::from(text), base: mind.clone(), clashed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::text::merge::merge;

    fn left(typed: &str, taken: &str, now: &str) -> Option<(String, bool)> {
        let typing = Typing { text: Arc::from(typed), base: Hash::of_text("then"), clashed: false };
        let left = typing.after_settling(taken, now, &Hash::of_text("now"), Some(merge))?;
        assert_eq!(left.base, Hash::of_text("now"));
        Some((left.text.to_string(), left.clashed))
    }

    #[test]
    fn typing_that_was_taken_in_whole_is_over() {
        assert_eq!(left("ab", "ab", "ab"), None);
        assert_eq!(left("ab", "ab", "ab\nand what an agent wrote"), None);
    }

    #[test]
    fn without_a_merger_the_typing_stays_on_what_it_began_with() {
        let typing = Typing { text: Arc::from("abc"), base: Hash::of_text("then"), clashed: false };
        let left = typing.after_settling("ab", "ab, and theirs", &Hash::of_text("now"), None);
        assert_eq!(left, Some(typing.clone()));
        assert_eq!(typing.after_settling("abc", "abc", &Hash::of_text("now"), None), None);
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

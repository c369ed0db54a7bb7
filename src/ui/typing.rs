//! Never loses what was typed, and never shows an older text over it.
//!
//! Owns what the operator is typing into a field: the text, what it is based on, and how it is carried over when the
//! mind takes an earlier state of it in while the typing goes on. Pure.

use std::sync::Arc;

use crate::domain::hash::Hash;
use crate::domain::text::merge::{Merge, merge};

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
    /// `None` where nothing was typed since.
    #[must_use]
    pub fn after_settling(&self, taken: &str, now: &str, mind: &Hash) -> Option<Self> {
        if &*self.text == taken {
            return None;
        }
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

    fn left(typed: &str, taken: &str, now: &str) -> Option<(String, bool)> {
        let typing = Typing { text: Arc::from(typed), base: Hash::of_text("then"), clashed: false };
        let left = typing.after_settling(taken, now, &Hash::of_text("now"))?;
        assert_eq!(left.base, Hash::of_text("now"));
        Some((left.text.to_string(), left.clashed))
    }

    #[test]
    fn typing_that_was_taken_in_whole_is_over() {
        assert_eq!(left("ab", "ab", "ab"), None);
        assert_eq!(left("ab", "ab", "ab\nand what an agent wrote"), None);
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

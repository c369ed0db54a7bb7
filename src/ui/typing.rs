//! Never loses what was typed, and never shows an older text over it.
//!
//! Owns what the operator is typing into a field of the mind: the text, what it was based on, and how it is carried
//! over when the ledger takes an earlier state of it in while the typing goes on. Pure.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::domain::hash::Hash;
use crate::domain::text::merge::{Merge, merge};

/// States of a text that are remembered, so that the one which the ledger took in is found again.
const REMEMBERED: usize = 16;

/// A text that is being typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typing {
    /// The text.
    pub text: Arc<str>,
    /// The mind that the operator saw when the typing began.
    pub base: Hash,
    /// What the field held in that mind.
    pub base_text: Arc<str>,
    /// Whether it clashed with what others wrote.
    pub clashed: bool,
    earlier: VecDeque<Arc<str>>,
}

impl Typing {
    /// The first change of a field that held `base_text` in the mind `base`.
    pub fn begun(base: Hash, base_text: Arc<str>, text: Arc<str>) -> Self {
        Self { text, base, base_text, clashed: false, earlier: VecDeque::new() }
    }

    /// The text after one more change.
    pub fn type_on(&mut self, text: Arc<str>) {
        let before = std::mem::replace(&mut self.text, text);
        self.earlier.push_front(before);
        self.earlier.truncate(REMEMBERED);
    }

    /// What is left to type on once the ledger has taken the typing in: the field held `before` and holds `now`, in
    /// the mind `mind`. `None` where nothing was typed since.
    #[must_use]
    pub fn taken_in(&self, before: &str, now: &Arc<str>, mind: &Hash) -> Option<Self> {
        let is_what_was_taken =
            |text: &Arc<str>| merge(&self.base_text, before, text) == Merge::Clean(now.to_string());
        if is_what_was_taken(&self.text) {
            return None;
        }
        let rebased = |text: Arc<str>| Self {
            text,
            base: mind.clone(),
            base_text: Arc::clone(now),
            clashed: false,
            earlier: VecDeque::new(),
        };
        match self.earlier.iter().find(|text| is_what_was_taken(text)) {
            Some(taken) => match merge(taken, now, &self.text) {
                Merge::Clean(text) => Some(rebased(Arc::from(text))),
                Merge::Clash(_) => Some(self.clone()),
            },
            // Something else was taken in; the typing stands on its old base and is merged when its turn comes.
            None => Some(self.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Arc<str> {
        Arc::from(text)
    }

    fn typing(base: &str, states: &[&str]) -> Typing {
        let mut states = states.iter();
        let mut typing =
            Typing::begun(Hash::of_text("base"), text(base), text(states.next().copied().unwrap_or("")));
        for state in states {
            typing.type_on(text(state));
        }
        typing
    }

    #[test]
    fn typing_that_was_taken_in_whole_is_over() {
        let typing = typing("", &["a", "ab"]);
        assert_eq!(typing.taken_in("", &text("ab"), &Hash::of_text("now")), None);
    }

    #[test]
    fn what_was_typed_since_stays_on_the_new_base() {
        let now = Hash::of_text("now");
        let left = typing("", &["a", "ab", "abc"]).taken_in("", &text("ab"), &now);
        let left = left.expect("something was typed since");
        assert_eq!((&*left.text, &*left.base_text, &left.base), ("abc", "ab", &now));
    }

    #[test]
    fn what_others_wrote_meanwhile_is_joined_in() {
        let base = "one\ntwo\nthree\nfour\n";
        let typing = typing(base, &["ONE\ntwo\nthree\nfour\n", "ONE!\ntwo\nthree\nfour\n"]);
        let now = text("ONE\ntwo\nthree\nFOUR\n");
        let left = typing.taken_in("one\ntwo\nthree\nFOUR\n", &now, &Hash::of_text("now"));
        assert_eq!(left.map(|left| left.text), Some(text("ONE!\ntwo\nthree\nFOUR\n")));
    }

    #[test]
    fn typing_that_was_not_what_was_taken_in_is_kept_as_it_is() {
        let typing = typing("", &["mine"]);
        let left = typing.taken_in("", &text("other"), &Hash::of_text("now"));
        assert_eq!(left, Some(typing));
    }
}

//! Composer text during dictation: typed text, final results and interim results.
//!
//! Recognised text is appended; typed text is never lost or moved.

/// The words that a result brings: some recognisers repeat in each all that they have given before.
pub fn new_words<'h>(before: Option<&str>, result: &'h str) -> &'h str {
    let result = result.trim();
    let Some(before) = before.map(str::trim).filter(|before| before.contains(' ')) else { return result };
    match result.strip_prefix(before) {
        Some(rest) if rest.is_empty() || rest.starts_with(' ') => rest.trim_start(),
        Some(_) | None => result,
    }
}

/// A text that is being spoken into.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dictation {
    shown: String,
    /// How many bytes at its end are not for good.
    loose: usize,
}

impl Dictation {
    /// Begins behind what stands there.
    pub fn behind(text: &str) -> Self {
        Self { shown: text.to_owned(), loose: 0 }
    }

    /// The text without what is not for good.
    fn settled(&self) -> &str {
        let end = self.shown.len().saturating_sub(self.loose);
        self.shown.get(..end).unwrap_or(&self.shown)
    }

    /// Takes over what stands in the field, which the operator may have changed meanwhile.
    fn look(&mut self, field: &str) {
        if field == self.shown {
            return;
        }
        // Typed behind what may still change: then it stands as it is. Else it is taken off the end, if it is still there.
        let loose = self.shown.get(self.shown.len().saturating_sub(self.loose)..).unwrap_or_default();
        let kept = if loose.is_empty() || !field.ends_with(loose) { 0 } else { loose.len() };
        *self = Self { shown: field.to_owned(), loose: kept };
    }

    /// Puts words for good, and words that may change, in the place of those that might. Gives the text to show.
    pub fn hear(&mut self, field: &str, good: &str, interim: &str) -> &str {
        self.look(field);
        let mut text = self.settled().to_owned();
        push(&mut text, good);
        let settled = text.len();
        push(&mut text, interim);
        self.loose = text.len() - settled;
        self.shown = text;
        &self.shown
    }

    /// Makes what was heard so far stand, though no result came of it.
    pub fn settle(&mut self) {
        self.loose = 0;
    }
}

/// Adds words behind others, a space between.
fn push(text: &mut String, words: &str) {
    let words = words.trim();
    if words.is_empty() {
        return;
    }
    if !text.is_empty() && !text.ends_with(char::is_whitespace) {
        text.push(' ');
    }
    text.push_str(words);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn interim_words_are_replaced_and_typed_ones_stay() {
        let mut text = Dictation::behind("Dear all,");
        assert_eq!(text.hear("Dear all,", "", "right"), "Dear all, right");
        assert_eq!(text.hear("Dear all, right", "", "write a"), "Dear all, write a");
        assert_eq!(text.hear("Dear all, write a", "Write a page.", ""), "Dear all, Write a page.");
        assert_eq!(text.hear("Dear all, Write a page.", "", "with"), "Dear all, Write a page. with");
        // Typed in front of what is being heard.
        assert_eq!(
            text.hear("DEAR all, Write a page. with", "With me.", ""),
            "DEAR all, Write a page. With me."
        );
        // Typed behind it: it stays.
        assert_eq!(
            text.hear("DEAR all, Write a page. With me.", "", "and"),
            "DEAR all, Write a page. With me. and"
        );
        assert_eq!(
            text.hear("DEAR all, Write a page. With me. and!", "now", ""),
            "DEAR all, Write a page. With me. and! now"
        );
        // Emptied meanwhile.
        assert_eq!(text.hear("", "again", ""), "again");
    }

    #[test]
    fn repeated_results_are_taken_once() {
        assert_eq!(new_words(None, " write a page "), "write a page");
        assert_eq!(new_words(Some("write a"), "write a page"), "page");
        assert_eq!(new_words(Some("write a"), "write a"), "");
        assert_eq!(new_words(Some("write a"), "write apples"), "write apples");
        assert_eq!(new_words(Some("go"), "go on"), "go on");
    }

    #[derive(Clone, Debug)]
    enum DictationStep {
        Type(String),
        Hear(String, String),
    }

    fn steps() -> impl Strategy<Value = Vec<DictationStep>> {
        let word = "[a-zé語 ]{0,8}";
        let step = prop_oneof![
            "[A-Z]{1,5}".prop_map(DictationStep::Type),
            (word, word).prop_map(|(good, interim)| DictationStep::Hear(good, interim)),
        ];
        prop::collection::vec(step, 0..30)
    }

    proptest! {
        /// Whatever is typed behind, and whatever is heard for good, is there in the end, in order.
        #[test]
        fn nothing_typed_or_heard_for_good_is_lost(start in "[A-Z ]{0,12}", steps in steps()) {
            let mut dictation = Dictation::behind(&start);
            let (mut field, mut kept) = (start.clone(), vec![start]);
            for step in steps {
                match step {
                    DictationStep::Type(typed) => {
                        field.push_str(&typed);
                        kept.push(typed);
                    }
                    DictationStep::Hear(good, interim) => {
                        field = dictation.hear(&field, &good, &interim).to_owned();
                        kept.push(good.trim().to_owned());
                    }
                }
            }
            let mut rest = field.as_str();
            for piece in kept {
                let after = rest.split_once(piece.as_str()).map(|(_, after)| after);
                prop_assert!(after.is_some(), "{piece:?} is missing in {field:?}");
                rest = after.unwrap();
            }
        }
    }
}

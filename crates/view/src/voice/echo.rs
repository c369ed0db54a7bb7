//! Detects the echo of speech output in recognised text, by comparing words with what was spoken lately.

use std::collections::VecDeque;

/// Words of speech that are remembered: about half a minute.
const WORDS: usize = 90;
/// How much of what is heard has to have been spoken, in the same order, to be an echo. A recogniser mishears.
const SHARE: (usize, usize) = (3, 5);

/// The words of a text for comparing: small letters and digits only.
pub fn words_of(text: &str) -> Vec<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '\'' || c == '’' || is_mark(c);
    let words = text.split(|c| !is_part(c)).map(|word| word.trim_matches(['\'', '’']));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

/// Marks that belong to the letter before them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{30fc}')
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecentSpeech {
    words: VecDeque<String>,
}

impl RecentSpeech {
    /// Remembers what is being spoken now.
    pub fn note(&mut self, text: &str) {
        self.words.extend(words_of(text));
        let over = self.words.len().saturating_sub(WORDS);
        self.words.drain(..over);
    }

    pub fn echoes(&self, heard: &str) -> bool {
        let heard = words_of(heard);
        if heard.is_empty() {
            return true;
        }
        if self.words.is_empty() {
            return false;
        }
        // One or two words prove little: they must have been spoken one after the other.
        if heard.len() < 3 {
            return (0..self.words.len())
                .any(|from| self.words.iter().skip(from).take(heard.len()).eq(heard.iter()));
        }
        in_common(&heard, &self.words) * SHARE.1 >= heard.len() * SHARE.0
    }
}

/// The number of words that both have in the same order.
fn in_common(heard: &[String], spoken: &VecDeque<String>) -> usize {
    let mut before = vec![0usize; spoken.len() + 1];
    for word in heard {
        let mut row = Vec::with_capacity(before.len());
        row.push(0);
        let mut left = 0;
        for ((known, diagonal), above) in spoken.iter().zip(&before).zip(before.iter().skip(1)) {
            left = if known == word { diagonal + 1 } else { left.max(*above) };
            row.push(left);
        }
        before = row;
    }
    before.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spoken(text: &str) -> RecentSpeech {
        let mut spoken = RecentSpeech::default();
        spoken.note(text);
        spoken
    }

    #[test]
    fn an_echo_may_be_misheard_and_a_speaker_may_use_some_of_its_words() {
        let spoken = spoken("I have written the file, and it greets the reader by name.");
        assert!(spoken.echoes("written the file and"));
        assert!(spoken.echoes("have ridden the file and it meets the reader"));
        assert!(spoken.echoes("the file"));
        assert!(spoken.echoes("…"));
        assert!(!spoken.echoes("wait"));
        assert!(!spoken.echoes("wait please change the title of the file first"));
        assert!(!spoken.echoes("file the"));
        assert!(!RecentSpeech::default().echoes("the file"));
    }

    proptest! {
        /// Any run of words that was just spoken is an echo; words that were not spoken never are.
        #[test]
        fn what_was_spoken_is_an_echo_and_strange_words_are_not(
            words in prop::collection::vec("[a-m]{1,6}", 1..60),
            from in 0usize..60,
            count in 1usize..20,
            strange in prop::collection::vec("[n-z]{1,6}", 1..8),
        ) {
            let memory = spoken(&words.join(" "));
            let run: Vec<_> = words.iter().skip(from % words.len()).take(count).cloned().collect();
            prop_assert!(memory.echoes(&run.join(", ")));
            prop_assert!(!memory.echoes(&strange.join(" ")));
        }

        #[test]
        fn memory_is_bounded(texts in prop::collection::vec("[a-z ]{0,200}", 0..20)) {
            let mut memory = RecentSpeech::default();
            texts.iter().for_each(|text| memory.note(text));
            prop_assert!(memory.words.len() <= WORDS);
        }
    }
}

//! Speaking and listening: dictation, sentences to read aloud, and spoken commands (stop, send, cancel) in the spoken
//! language. A command must be the whole utterance.

pub mod listening;
pub mod speech;

use crate::voice::echo::words_of;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpokenCommand {
    Stop,
    Send,
    Cancel,
}

type Phrases = &'static [&'static str];

/// A language with its words for stop, send, cancel. The first word of each is the one to be told.
const LANGUAGES: [(&str, Phrases, Phrases, Phrases); 8] = [
    ("en", &["stop"], &["send", "send it"], &["cancel"]),
    ("de", &["stopp", "stop", "halt"], &["senden", "abschicken", "absenden"], &["abbrechen"]),
    (
        "fr",
        &["stop", "arrête", "arrêter"],
        &["envoyer", "envoie", "envoyez"],
        &["annuler", "annule", "annulez"],
    ),
    ("es", &["para", "parar", "alto", "stop"], &["enviar", "envía"], &["cancelar", "cancela"]),
    ("it", &["stop", "ferma", "fermati"], &["invia", "inviare"], &["annulla", "annullare"]),
    ("pt", &["parar", "pare", "para"], &["enviar", "envia", "envie"], &["cancelar", "cancela", "cancele"]),
    ("nl", &["stop"], &["verzenden", "versturen", "verstuur"], &["annuleren", "annuleer"]),
    ("ja", &["ストップ", "停止", "止めて"], &["送信"], &["キャンセル", "取り消し"]),
];

/// The words of a language; those of English where it is not known.
fn words_in(tag: &str) -> (Phrases, Phrases, Phrases) {
    let language = tag.split(['-', '_']).next().unwrap_or_default();
    let known = LANGUAGES.iter().find(|(name, ..)| name.eq_ignore_ascii_case(language));
    let (_, stop, send, cancel) = known.unwrap_or(&LANGUAGES[0]);
    (stop, send, cancel)
}

/// The command that these words are, in the language of this tag, if they are one and nothing else.
pub fn command_in(said: &str, tag: &str) -> Option<SpokenCommand> {
    let said = words_of(said).join(" ");
    let (stop, send, cancel) = words_in(tag);
    let commands =
        [(SpokenCommand::Stop, stop), (SpokenCommand::Send, send), (SpokenCommand::Cancel, cancel)];
    let is_it = |words: Phrases| words.iter().any(|word| *word == said);
    commands.into_iter().find(|(_, words)| is_it(words)).map(|(command, _)| command)
}

pub fn told_in(tag: &str) -> [&'static str; 3] {
    let (stop, send, cancel) = words_in(tag);
    [stop, send, cancel].map(|words| words.first().copied().unwrap_or_default())
}

/// Composer text during dictation: typed text, final results and interim results.
///
/// Recognised text is appended; typed text is never lost or moved.
pub mod dictation {
    /// The words that a result brings: some recognisers repeat in each all that they have given before.
    pub fn new_words<'h>(before: Option<&str>, result: &'h str) -> &'h str {
        let result = result.trim();
        let Some(before) = before.map(str::trim).filter(|before| before.contains(' ')) else { return result };
        match result.strip_prefix(before) {
            Some(rest) if rest.is_empty() || rest.starts_with(' ') => rest.trim_start(),
            Some(_) | None => result,
        }
    }

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
}

/// Detects the echo of speech output in recognised text, by comparing words with what was spoken lately.
pub mod echo {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_understood_alone_and_in_their_language_only() {
        assert_eq!(command_in(" Stop. ", "en-GB"), Some(SpokenCommand::Stop));
        assert_eq!(command_in("send", "en"), Some(SpokenCommand::Send));
        assert_eq!(command_in("Cancel!", "xx"), Some(SpokenCommand::Cancel));
        assert_eq!(command_in("please send it to them", "en"), None);
        assert_eq!(command_in("stop and think", "en"), None);
        assert_eq!(command_in("Abschicken", "de-AT"), Some(SpokenCommand::Send));
        assert_eq!(command_in("send", "de-DE"), None);
        assert_eq!(command_in("Envía", "es-419"), Some(SpokenCommand::Send));
        assert_eq!(command_in("送信。", "ja-JP"), Some(SpokenCommand::Send));
        assert_eq!(command_in("", "en"), None);
    }

    #[test]
    fn every_word_of_every_language_is_its_command() {
        for (tag, stop, send, cancel) in LANGUAGES {
            for (words, command) in
                [(stop, SpokenCommand::Stop), (send, SpokenCommand::Send), (cancel, SpokenCommand::Cancel)]
            {
                for word in words {
                    assert_eq!(command_in(word, tag), Some(command), "{word} in {tag}");
                }
            }
            assert!(told_in(tag).iter().all(|word| !word.is_empty()));
        }
    }
}

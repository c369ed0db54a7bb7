//! Voice: dictation, sentences to read aloud, and spoken commands (stop, send, cancel) in the spoken language. A
//! command must be the whole utterance.

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

/// Languages with their words for stop, send and cancel. The first word of each is shown to the operator.
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

/// The phrases of a language; English if it is unknown.
fn phrases(tag: &str) -> (Phrases, Phrases, Phrases) {
    let language = tag.split(['-', '_']).next().unwrap_or_default();
    let known = LANGUAGES.iter().find(|(name, ..)| name.eq_ignore_ascii_case(language));
    let (_, stop, send, cancel) = known.unwrap_or(&LANGUAGES[0]);
    (stop, send, cancel)
}

/// Parses a transcript as a command in this language; `None` if it contains anything else.
pub fn command_in(transcript: &str, tag: &str) -> Option<SpokenCommand> {
    let transcript = words_of(transcript).join(" ");
    let (stop, send, cancel) = phrases(tag);
    let commands =
        [(SpokenCommand::Stop, stop), (SpokenCommand::Send, send), (SpokenCommand::Cancel, cancel)];
    let is_it = |words: Phrases| words.iter().any(|word| *word == transcript);
    commands.into_iter().find(|(_, words)| is_it(words)).map(|(command, _)| command)
}

pub fn spoken_words(tag: &str) -> [&'static str; 3] {
    let (stop, send, cancel) = phrases(tag);
    [stop, send, cancel].map(|words| words.first().copied().unwrap_or_default())
}

/// Composer text during dictation: typed text, final results and interim results.
///
/// Recognised text is appended; typed text is never lost or moved.
pub mod dictation {
    /// The new words of a result: some recognisers repeat all earlier words in each.
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
        /// Length in bytes of the interim text at the end.
        interim_len: usize,
    }

    impl Dictation {
        /// Starts dictation after existing text.
        pub fn append_to(text: &str) -> Self {
            Self { shown: text.to_owned(), interim_len: 0 }
        }

        /// The text without the interim part.
        fn final_text(&self) -> &str {
            let end = self.shown.len().saturating_sub(self.interim_len);
            self.shown.get(..end).unwrap_or(&self.shown)
        }

        /// Adopts the field's text, which the operator may have edited meanwhile.
        fn sync_with_field(&mut self, field: &str) {
            if field == self.shown {
                return;
            }
            // Text typed behind interim words makes them final. Otherwise they are replaced, if they are still at the
            // end.
            let interim =
                self.shown.get(self.shown.len().saturating_sub(self.interim_len)..).unwrap_or_default();
            let interim_len = if interim.is_empty() || !field.ends_with(interim) { 0 } else { interim.len() };
            *self = Self { shown: field.to_owned(), interim_len };
        }

        /// Appends final and interim words in place of the previous interim ones, and returns the text to show.
        pub fn apply_result(&mut self, field: &str, good: &str, interim: &str) -> &str {
            self.sync_with_field(field);
            let mut text = self.final_text().to_owned();
            push(&mut text, good);
            let settled = text.len();
            push(&mut text, interim);
            self.interim_len = text.len() - settled;
            self.shown = text;
            &self.shown
        }

        /// Makes the interim text final although no result followed.
        pub fn commit(&mut self) {
            self.interim_len = 0;
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
    mod tests;
}

/// Detects the echo of speech output in recognised text, by comparing words with what was spoken lately.
pub mod echo {
    use std::collections::VecDeque;

    /// Number of spoken words to remember: about half a minute.
    const WORDS: usize = 90;
    /// Share of recognised words that must have been spoken in the same order to count as an echo; recognisers
    /// mishear.
    const SHARE: (usize, usize) = (3, 5);

    /// The words of a text for comparison: lower-case letters and digits only.
    pub fn words_of(text: &str) -> Vec<String> {
        let is_part = |c: char| c.is_alphanumeric() || c == '\'' || c == '’' || is_mark(c);
        let words = text.split(|c| !is_part(c)).map(|word| word.trim_matches(['\'', '’']));
        words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    }

    /// Combining marks belong to the letter before them.
    fn is_mark(c: char) -> bool {
        matches!(c, '\u{300}'..='\u{36f}' | '\u{30fc}')
    }

    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct RecentSpeech {
        words: VecDeque<String>,
    }

    impl RecentSpeech {
        /// Records text that is being spoken.
        pub fn note(&mut self, text: &str) {
            self.words.extend(words_of(text));
            let over = self.words.len().saturating_sub(WORDS);
            self.words.drain(..over);
        }

        pub fn echoes(&self, recognised: &str) -> bool {
            let recognised = words_of(recognised);
            if recognised.is_empty() {
                return true;
            }
            if self.words.is_empty() {
                return false;
            }
            // One or two words prove little: they must have been spoken consecutively.
            if recognised.len() < 3 {
                return (0..self.words.len())
                    .any(|from| self.words.iter().skip(from).take(recognised.len()).eq(recognised.iter()));
            }
            common_words(&recognised, &self.words) * SHARE.1 >= recognised.len() * SHARE.0
        }
    }

    /// Length of the longest common subsequence of words.
    fn common_words(recognised: &[String], spoken: &VecDeque<String>) -> usize {
        let mut before = vec![0usize; spoken.len() + 1];
        for word in recognised {
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
    mod tests;
}

#[cfg(test)]
mod tests;

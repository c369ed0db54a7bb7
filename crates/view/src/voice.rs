//! Speaking and listening: dictation, sentences to read aloud, and spoken commands (stop, send, cancel) in the spoken
//! language. A command must be the whole utterance.

pub mod dictation;
pub mod echo;
pub mod listening;
pub mod speech;

use crate::voice::echo::words_of;

/// What the operator told by voice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpokenCommand {
    /// Stop listening and reading.
    Stop,
    /// Send what stands in the composer.
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

/// The words to tell the operator: stop, send, cancel.
pub fn told_in(tag: &str) -> [&'static str; 3] {
    let (stop, send, cancel) = words_in(tag);
    [stop, send, cancel].map(|words| words.first().copied().unwrap_or_default())
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

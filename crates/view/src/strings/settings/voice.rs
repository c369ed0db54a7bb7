//! Strings of voice: status, errors, spoken replacements for code, settings.

use crate::strings::format::{Notice, count};
use crate::voice::listening::{VoiceError, VoiceStatus};
use crate::voice::speech::SpeechChunk;
use nexus_model::settings::voice::{RecognitionError, SpeechError};

pub const TALK: &str = "Talk (press, or hold while you speak)";
pub const TALK_END: &str = "Stop listening";
pub const READ: &str = "Read aloud";
pub const READ_END: &str = "Stop reading";
pub const BAR: &str = "Voice";
pub const HANDS_FREE: &str = "Hands-free";
pub const HANDS_FREE_ABOUT: &str = "Keeps listening and sends what you said when you pause";
pub const AUTO_READ: &str = "Read answers";
pub const AUTO_READ_ABOUT: &str = "Reads answers aloud as they arrive";
pub const STOP: &str = "Stop";
pub const CLOSE: &str = "Close voice bar";

/// Where it stands.
pub fn standing(standing: VoiceStatus) -> &'static str {
    match standing {
        VoiceStatus::Idle => "The microphone is off",
        VoiceStatus::Listening => "Listening",
        VoiceStatus::HandsFree => "Hands-free: listening",
        VoiceStatus::Resting => "Hands-free: waiting for the agents, the microphone is off",
        VoiceStatus::Reading => "Reading aloud",
        VoiceStatus::Error => "The microphone is off",
    }
}

/// What can be said as a command.
pub fn commands(words: [&str; 3]) -> String {
    let [stop, send, cancel] = words;
    format!("Say only “{stop}”, “{send}” or “{cancel}” as a command.")
}

/// What went wrong, and what to do.
pub fn trouble(trouble: VoiceError) -> Notice {
    match trouble {
        VoiceError::Ear(fault) => ear(fault),
        VoiceError::NothingHeard => Notice::new(
            "Nothing was heard",
            "If the browser asked for the microphone, allow it and try again. Inside the frame of another page, that page has to allow it too.",
        ),
        VoiceError::Hidden => Notice::new(
            "Listening stopped because the page was hidden",
            "What was heard is in the message box.",
        ),
        VoiceError::Elsewhere => Notice::new(
            "Another tab is listening now",
            "Only one tab can listen. What was heard here is in the message box.",
        ),
        VoiceError::Mouth(fault) => mouth(fault),
    }
}

fn ear(fault: RecognitionError) -> Notice {
    let (title, advice) = match fault {
        RecognitionError::NoSpeech => {
            ("No speech was heard", "Speak closer to the microphone, or check which one is selected.")
        }
        RecognitionError::Aborted => {
            ("Listening was interrupted", "Another program may use the microphone. Try again.")
        }
        RecognitionError::AudioCapture => (
            "No microphone is available",
            "Connect one, or check whether another program uses it. Then try again.",
        ),
        RecognitionError::Network => (
            "The speech service cannot be reached",
            "Most browsers recognise speech over the network. Some have no speech service.",
        ),
        RecognitionError::NotAllowed => (
            "Microphone access is blocked",
            "Allow it for this page in the browser's settings, usually next to the address.",
        ),
        RecognitionError::ServiceNotAllowed => (
            "The browser blocks speech recognition here",
            "It may be turned off in the browser or system settings, or require https.",
        ),
        RecognitionError::LanguageNotSupported => (
            "This language is not supported here",
            "Choose another in Settings, or install its language pack in the browser.",
        ),
        RecognitionError::PhrasesNotSupported => {
            ("Phrase hints are not supported", "Try again, or use another browser.")
        }
        RecognitionError::Other => {
            ("Speech could not be recognised", "The browser gave no reason. Try again.")
        }
    };
    Notice::new(title, advice)
}

fn mouth(fault: SpeechError) -> Notice {
    let (title, advice) = match fault {
        SpeechError::Stopped => ("Reading was stopped", ""),
        SpeechError::NotAllowed => (
            "The browser blocks speech for now",
            "Click or type something on this page, then read the answer again.",
        ),
        SpeechError::Stuck => {
            ("The voice stopped responding", "Network voices sometimes do. Choose another in Settings.")
        }
        SpeechError::NoVoice => ("That voice is not available", "Choose another in Settings."),
        SpeechError::Network => {
            ("The voice could not be loaded", "It needs the network. Choose a voice of this device.")
        }
        SpeechError::Audio => ("No audio output", "Check whether a speaker is connected and free."),
        SpeechError::Failed => ("Reading aloud failed", "The browser gave no reason. Try again."),
    };
    Notice::new(title, advice)
}

/// What is said.
pub fn spoken(piece: &SpeechChunk) -> String {
    match piece {
        SpeechChunk::Words(words) => words.clone(),
        SpeechChunk::Code { language, lines: 0 | 1 } if language.is_empty() => "Some code.".to_owned(),
        SpeechChunk::Code { language, lines } if language.is_empty() => format!("Code, {lines} lines."),
        SpeechChunk::Code { language, lines } => {
            format!("Code in {language}, {}.", count(*lines, "line", "lines"))
        }
        SpeechChunk::Table { rows } => format!("A table with {}.", count(*rows, "row", "rows")),
        SpeechChunk::Formula => "A formula.".to_owned(),
    }
}

/// The words of its settings.
pub mod settings {
    pub const VOICE: &str = "Voice";
    pub const ABOUT: &str = "Speech input, and answers read aloud.";
    pub const PRIVACY: &str = "The browser recognises speech, often with an online service of its maker. Nexus stores no audio and gets only the text.";
    pub const NO_EARS: &str = "This browser does not support speech recognition, so there is no microphone button. Chrome, Edge and Safari do.";
    pub const NO_MOUTH: &str = "This browser does not support speech output, so nothing can be read aloud.";
    /// Why there is nothing to choose.
    pub const NO_VOICES: &str =
        "The browser lists no voices. If the system has none installed, reading aloud stays silent.";
    pub const BROWSERS: &str = "Browser language";
    pub const LANGUAGES_WRONG: &str = "Each line must be a language tag such as en, en-US or zh-Hant.";
    pub const SOUND: &str = "Voice";
    pub const SOUND_ABOUT: &str = "The voice that reads answers.";
    pub const USUAL: &str = "Browser default";
    pub const RATE: &str = "Speed";
    pub const RATE_ABOUT: &str = "1 is normal speed, 2 is double.";
    pub const RATE_WRONG: &str = "A number from 0.5 to 3; 1 is normal.";
    pub const PITCH: &str = "Pitch";
    pub const PITCH_ABOUT: &str = "1 is normal, less is lower.";
    pub const PITCH_WRONG: &str = "A number from 0 to 2; 1 is normal.";
    pub const TEST: &str = "Test voice";
}

/// What a voice says to be heard.
pub fn sample(name: &str) -> String {
    format!("I am {name}. This is how I sound.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_has_words_of_its_own() {
        let mut titles: Vec<_> =
            RecognitionError::ALL.into_iter().map(|fault| trouble(VoiceError::Ear(fault)).title).collect();
        titles.push(trouble(VoiceError::NothingHeard).title);
        titles.push(trouble(VoiceError::Hidden).title);
        titles.push(trouble(VoiceError::Elsewhere).title);
        let count = titles.len();
        titles.sort();
        titles.dedup();
        assert_eq!(titles.len(), count);
        assert!(titles.iter().all(|title| !title.is_empty()));
    }

    #[test]
    fn code_and_tables_are_mentioned_in_few_words() {
        let code = |language: &str, lines| spoken(&SpeechChunk::Code { language: language.into(), lines });
        assert_eq!(code("rust", 1), "Code in rust, 1 line.");
        assert_eq!(code("", 12), "Code, 12 lines.");
        assert_eq!(code("", 0), "Some code.");
        assert_eq!(spoken(&SpeechChunk::Table { rows: 2 }), "A table with 2 rows.");
    }
}

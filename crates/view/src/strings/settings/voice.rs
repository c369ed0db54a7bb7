//! Strings of voice: status, errors, spoken replacements for code, settings.

use crate::strings::format::{Notice, count};
use crate::voice::listening::{VoiceError, VoiceStatus};
use crate::voice::speech::SpeechChunk;
use nexus_model::settings::voice::{RecognitionError, SpeechError};

pub const TALK: &str = "Talk: press, or hold while you speak";
pub const TALK_END: &str = "Stop listening";
pub const READ: &str = "Read aloud";
pub const READ_END: &str = "Stop reading";
pub const BAR: &str = "Voice";
pub const HANDS_FREE: &str = "Hands-free";
pub const HANDS_FREE_ABOUT: &str = "Goes on listening, and sends what you said when you pause";
pub const AUTO_READ: &str = "Read answers";
pub const AUTO_READ_ABOUT: &str = "Reads answers aloud as they come";
pub const STOP: &str = "Stop";
pub const CLOSE: &str = "Put the voice bar away";

/// Where it stands.
pub fn standing(standing: VoiceStatus) -> &'static str {
    match standing {
        VoiceStatus::Idle => "The microphone is off",
        VoiceStatus::Listening => "Listening",
        VoiceStatus::HandsFree => "Hands-free: listening",
        VoiceStatus::Resting => "Hands-free: waits for the agents, the microphone is off",
        VoiceStatus::Reading => "Reading aloud",
        VoiceStatus::Error => "The microphone is off",
    }
}

/// What can be said as a command.
pub fn commands(words: [&str; 3]) -> String {
    let [stop, send, cancel] = words;
    format!("Alone, “{stop}”, “{send}” and “{cancel}” are commands.")
}

/// What went wrong, and what to do.
pub fn trouble(trouble: VoiceError) -> Notice {
    match trouble {
        VoiceError::Ear(fault) => ear(fault),
        VoiceError::NothingHeard => Notice::new(
            "Nothing was heard",
            "If the browser asked for the microphone, allow it and try again. In a frame of another page, that page has to \
             allow it too.",
        ),
        VoiceError::Hidden => Notice::new(
            "It stopped listening, because the page was hidden",
            "What was heard is in the message field.",
        ),
        VoiceError::Elsewhere => Notice::new(
            "Another tab listens now",
            "Only one tab can. What was heard here is in the message field.",
        ),
        VoiceError::Mouth(fault) => mouth(fault),
    }
}

fn ear(fault: RecognitionError) -> Notice {
    let (title, advice) = match fault {
        RecognitionError::NoSpeech => {
            ("No speech was heard", "Speak closer to the microphone, or look which one is chosen.")
        }
        RecognitionError::Aborted => {
            ("Listening was broken off", "Something else may have taken the microphone. Try again.")
        }
        RecognitionError::AudioCapture => (
            "No microphone could be used",
            "Plug one in, or look whether another program holds it. Then try again.",
        ),
        RecognitionError::Network => (
            "The speech service was not reached",
            "Most browsers recognise speech over the network. Some have the button but no service of their own.",
        ),
        RecognitionError::NotAllowed => (
            "The microphone is not allowed",
            "Allow it for this page in the browser's settings, usually behind the sign left of the address.",
        ),
        RecognitionError::ServiceNotAllowed => (
            "The browser does not allow speech recognition here",
            "It may be switched off in the browser's or the system's settings, or need a page served by https.",
        ),
        RecognitionError::LanguageNotSupported => (
            "This language is not recognised here",
            "Choose another in the settings, or install its pack in the browser.",
        ),
        RecognitionError::PhrasesNotSupported => (
            "The recogniser takes no expected words",
            "Nothing of yours is the matter. Try again, or in another browser.",
        ),
        RecognitionError::Other => {
            ("Speech could not be recognised", "The browser gave no reason that is known. Try again.")
        }
    };
    Notice::new(title, advice)
}

fn mouth(fault: SpeechError) -> Notice {
    let (title, advice) = match fault {
        SpeechError::Stopped => ("Reading was stopped", ""),
        SpeechError::NotAllowed => (
            "The browser does not speak yet",
            "It waits until you have clicked or typed something on this page. Then let the answer be read again.",
        ),
        SpeechError::Stuck => (
            "The voice got stuck",
            "Voices that come over the network do that. Choose another in the settings.",
        ),
        SpeechError::NoVoice => ("That voice is not there", "Choose another in the settings."),
        SpeechError::Network => {
            ("The voice could not be fetched", "It comes over the network. Choose one of this device.")
        }
        SpeechError::Audio => ("Nothing can be played", "Look whether a loudspeaker is there and free."),
        SpeechError::Failed => {
            ("It could not be read aloud", "The browser gave no reason that is known. Try again.")
        }
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
    pub const ABOUT: &str = "Speaking to the agents, and hearing what they say.";
    pub const PRIVACY: &str = "Recognising speech is the browser's work. Many browsers send what you say to a service of their maker; Nexus \
         keeps no sound, and gets the words only.";
    pub const NO_EARS: &str = "This browser cannot recognise speech, so there is no microphone beside the message field. Chrome, Edge and \
         Safari can.";
    pub const NO_MOUTH: &str = "This browser cannot speak, so nothing can be read aloud.";
    /// Why there is nothing to choose.
    pub const NO_VOICES: &str =
        "The browser names no voices. Its system may have none installed; reading will then stay silent.";
    pub const BROWSERS: &str = "The browser's language";
    pub const LANGUAGES_WRONG: &str = "Each line has to be a tag such as en, en-US or zh-Hant.";
    pub const SOUND: &str = "Voice";
    pub const SOUND_ABOUT: &str = "The voice that its answers are read with.";
    pub const USUAL: &str = "The browser's usual";
    pub const RATE: &str = "Speed";
    pub const RATE_ABOUT: &str = "1 is usual, 2 twice as quick.";
    pub const RATE_WRONG: &str = "A number from 0.5 to 3; 1 is usual.";
    pub const PITCH: &str = "Pitch";
    pub const PITCH_ABOUT: &str = "1 is usual, less is lower.";
    pub const PITCH_WRONG: &str = "A number from 0 to 2; 1 is usual.";
    pub const TEST: &str = "Hear it";
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

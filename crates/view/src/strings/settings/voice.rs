//! Strings of voice: status, errors, spoken replacements for code, settings.

use crate::strings::prelude::*;
use crate::voice::listening::{VoiceError, VoiceStatus};
use crate::voice::speech::SpeechChunk;
use nexus_model::settings::{RecognitionError, SpeechError};

pub const TALK: Text = Text("Talk (press, or hold while you speak)");
pub const READ: Text = Text("Read aloud");
pub const READ_END: Text = Text("Stop reading");
pub const HANDS_FREE: Text = Text("Hands-free");
pub const HANDS_FREE_ABOUT: Text = Text("Keeps listening and sends what you said when you pause");
pub const AUTO_READ: Text = Text("Read answers");
pub const AUTO_READ_ABOUT: Text = Text("Reads answers aloud as they arrive");
pub const CLOSE: Text = Text("Close voice bar");

texts! {
    pub fn sample(name: &str) = "I am {name}. This is how I sound.";
    pub fn status(status: VoiceStatus) -> &'static str {
        VoiceStatus::Idle => "The microphone is off";
        VoiceStatus::Listening => "Listening";
        VoiceStatus::HandsFree => "Hands-free: listening";
        VoiceStatus::Suspended => "Hands-free: waiting for the agents, the microphone is off";
        VoiceStatus::Reading => "Reading aloud";
        VoiceStatus::Error => "The microphone is off";
    }

    pub fn error(error: VoiceError) -> Notice {
        VoiceError::Recognition(fault) => { recognition_error(fault) };
        VoiceError::NothingHeard => "Nothing was heard",
            "If the browser asked for the microphone, allow it and try again. Inside the frame of another page, that page has to allow it too.";
        VoiceError::Hidden => "Listening stopped because the page was hidden",
            "What was heard is in the message box.";
        VoiceError::OtherTab => "Another tab is listening now",
            "Only one tab can listen. What was heard here is in the message box.";
        VoiceError::Speech(fault) => { speech_error(fault) };
    }

    pub fn spoken(piece: &SpeechChunk) -> String {
        SpeechChunk::Words(words) => { words.clone() };
        SpeechChunk::Code { language, lines: 0 | 1 } if language.is_empty() => "Some code.";
        SpeechChunk::Code { language, lines } if language.is_empty() => "Code, {lines} lines.";
        SpeechChunk::Code { language, lines } => "Code in {language}, {}.", count(*lines, "line", "lines");
        SpeechChunk::Table { rows } => "A table with {}.", count(*rows, "row", "rows");
        SpeechChunk::Formula => "A formula.";
    }

    fn recognition_error(error: RecognitionError) -> Notice {
        RecognitionError::NoSpeech => "No speech was heard",
            "Speak closer to the microphone, or check which one is selected.";
        RecognitionError::Aborted => "Listening was interrupted",
            "Another program may use the microphone. Try again.";
        RecognitionError::AudioCapture => "No microphone is available",
            "Connect one, or check whether another program uses it. Then try again.";
        RecognitionError::Network => "The speech service cannot be reached",
            "Most browsers recognise speech over the network. Some have no speech service.";
        RecognitionError::NotAllowed => "Microphone access is blocked",
            "Allow it for this page in the browser's settings, usually next to the address.";
        RecognitionError::ServiceNotAllowed => "The browser blocks speech recognition here",
            "It may be turned off in the browser or system settings, or require https.";
        RecognitionError::LanguageNotSupported => "This language is not supported here",
            "Choose another in Settings, or install its language pack in the browser.";
        RecognitionError::PhrasesNotSupported => "Phrase hints are not supported",
            "Try again, or use another browser.";
        RecognitionError::Other => "Speech could not be recognised", "The browser gave no reason. Try again.";
    }

    fn speech_error(error: SpeechError) -> Notice {
        SpeechError::Stopped => "Reading was stopped", "";
        SpeechError::NotAllowed => "The browser blocks speech for now",
            "Click or type something on this page, then read the answer again.";
        SpeechError::Stuck => "The voice stopped responding",
            "Network voices sometimes do. Choose another in Settings.";
        SpeechError::NoVoice => "That voice is not available", "Choose another in Settings.";
        SpeechError::Network => "The voice could not be loaded",
            "It needs the network. Choose a voice of this device.";
        SpeechError::Audio => "No audio output", "Check whether a speaker is connected and free.";
        SpeechError::Failed => "Reading aloud failed", "The browser gave no reason. Try again.";
    }
}

pub fn commands(words: [&str; 3]) -> String {
    let [stop, send, cancel] = words;
    text!("Say only “{stop}”, “{send}” or “{cancel}” as a command.")
}

pub mod settings {
    use crate::strings::prelude::*;

    pub const ABOUT: Text = Text("Speech input, and answers read aloud.");
    pub const PRIVACY: Text = Text(
        "The browser recognises speech, often with an online service of its maker. Nexus stores no audio and gets only the text.",
    );
    pub const NO_RECOGNITION: Text = Text(
        "This browser does not support speech recognition, so there is no microphone button. Chrome, Edge and Safari do.",
    );
    pub const NO_SPEECH_OUTPUT: Text =
        Text("This browser does not support speech output, so nothing can be read aloud.");
    pub const NO_VOICES: Text =
        Text("The browser lists no voices. If the system has none installed, reading aloud stays silent.");
    pub const LANGUAGES_WRONG: Text = Text("Each line must be a language tag such as en, en-US or zh-Hant.");
    pub const SOUND_ABOUT: Text = Text("The voice that reads answers.");
    pub const USUAL: Text = Text("Browser default");
    pub const RATE_ABOUT: Text = Text("1 is normal speed, 2 is double.");
    pub const RATE_WRONG: Text = Text("A number from 0.5 to 3; 1 is normal.");
    pub const PITCH: Text = Text("Pitch");
    pub const PITCH_ABOUT: Text = Text("1 is normal, less is lower.");
    pub const PITCH_WRONG: Text = Text("A number from 0 to 2; 1 is normal.");
    pub const TEST: Text = Text("Test voice");
}

#[cfg(test)]
mod tests;

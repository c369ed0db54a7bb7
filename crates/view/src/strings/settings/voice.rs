//! Strings of voice: status, errors, spoken replacements for code, settings.

use crate::language::{Text, text, tr};
use crate::strings::format::{Notice, count, notice};
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

pub fn status(status: VoiceStatus) -> &'static str {
    match status {
        VoiceStatus::Idle => tr("The microphone is off"),
        VoiceStatus::Listening => tr("Listening"),
        VoiceStatus::HandsFree => tr("Hands-free: listening"),
        VoiceStatus::Suspended => tr("Hands-free: waiting for the agents, the microphone is off"),
        VoiceStatus::Reading => tr("Reading aloud"),
        VoiceStatus::Error => tr("The microphone is off"),
    }
}

pub fn commands(words: [&str; 3]) -> String {
    let [stop, send, cancel] = words;
    text!("Say only “{stop}”, “{send}” or “{cancel}” as a command.")
}

pub fn error(error: VoiceError) -> Notice {
    match error {
        VoiceError::Recognition(fault) => recognition_error(fault),
        VoiceError::NothingHeard => notice(
            "Nothing was heard",
            "If the browser asked for the microphone, allow it and try again. Inside the frame of another page, that page has to allow it too.",
        ),
        VoiceError::Hidden => {
            notice("Listening stopped because the page was hidden", "What was heard is in the message box.")
        }
        VoiceError::OtherTab => notice(
            "Another tab is listening now",
            "Only one tab can listen. What was heard here is in the message box.",
        ),
        VoiceError::Speech(fault) => speech_error(fault),
    }
}

fn recognition_error(fault: RecognitionError) -> Notice {
    let (title, advice) = match fault {
        RecognitionError::NoSpeech => {
            (tr("No speech was heard"), tr("Speak closer to the microphone, or check which one is selected."))
        }
        RecognitionError::Aborted => {
            (tr("Listening was interrupted"), tr("Another program may use the microphone. Try again."))
        }
        RecognitionError::AudioCapture => (
            tr("No microphone is available"),
            tr("Connect one, or check whether another program uses it. Then try again."),
        ),
        RecognitionError::Network => (
            tr("The speech service cannot be reached"),
            tr("Most browsers recognise speech over the network. Some have no speech service."),
        ),
        RecognitionError::NotAllowed => (
            tr("Microphone access is blocked"),
            tr("Allow it for this page in the browser's settings, usually next to the address."),
        ),
        RecognitionError::ServiceNotAllowed => (
            tr("The browser blocks speech recognition here"),
            tr("It may be turned off in the browser or system settings, or require https."),
        ),
        RecognitionError::LanguageNotSupported => (
            tr("This language is not supported here"),
            tr("Choose another in Settings, or install its language pack in the browser."),
        ),
        RecognitionError::PhrasesNotSupported => {
            (tr("Phrase hints are not supported"), tr("Try again, or use another browser."))
        }
        RecognitionError::Other => {
            (tr("Speech could not be recognised"), tr("The browser gave no reason. Try again."))
        }
    };
    Notice::new(title, advice)
}

fn speech_error(fault: SpeechError) -> Notice {
    let (title, advice) = match fault {
        SpeechError::Stopped => (tr("Reading was stopped"), ""),
        SpeechError::NotAllowed => (
            tr("The browser blocks speech for now"),
            tr("Click or type something on this page, then read the answer again."),
        ),
        SpeechError::Stuck => (
            tr("The voice stopped responding"),
            tr("Network voices sometimes do. Choose another in Settings."),
        ),
        SpeechError::NoVoice => (tr("That voice is not available"), tr("Choose another in Settings.")),
        SpeechError::Network => {
            (tr("The voice could not be loaded"), tr("It needs the network. Choose a voice of this device."))
        }
        SpeechError::Audio => (tr("No audio output"), tr("Check whether a speaker is connected and free.")),
        SpeechError::Failed => (tr("Reading aloud failed"), tr("The browser gave no reason. Try again.")),
    };
    Notice::new(title, advice)
}

pub fn spoken(piece: &SpeechChunk) -> String {
    match piece {
        SpeechChunk::Words(words) => words.clone(),
        SpeechChunk::Code { language, lines: 0 | 1 } if language.is_empty() => text!("Some code."),
        SpeechChunk::Code { language, lines } if language.is_empty() => text!("Code, {lines} lines."),
        SpeechChunk::Code { language, lines } => {
            text!("Code in {language}, {}.", count(*lines, "line", "lines"))
        }
        SpeechChunk::Table { rows } => text!("A table with {}.", count(*rows, "row", "rows")),
        SpeechChunk::Formula => text!("A formula."),
    }
}

pub mod settings {
    use crate::language::Text;

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

pub fn sample(name: &str) -> String {
    text!("I am {name}. This is how I sound.")
}

#[cfg(test)]
mod tests;

//! Ports for speech recognition ([`SpeechRecognizer`]) and speech output ([`SpeechSynthesizer`]). Loaded lazily.
//!
//! Used by the screen only, so they are not among the engine's ports. Never keeps or sends audio.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use nexus_model::settings::voice::Transcript;
use nexus_model::settings::voice::{RecognitionError, SpeechError, VoiceProfile};

#[derive(Clone)]
pub struct VoicePorts {
    pub ears: Rc<dyn SpeechRecognizer>,
    pub mouth: Rc<dyn SpeechSynthesizer>,
}

/// Recognises speech.
pub trait SpeechRecognizer {
    fn is_there(&self) -> bool;
    /// The languages that the browser is set to, most wanted first.
    fn languages(&self) -> Vec<String>;
    /// Begins to listen to a language. Other tabs that listen are told, and stop.
    fn listen(
        &self,
        language: &str,
        hear: Box<dyn Fn(RecognitionEvent)>,
    ) -> Result<Box<dyn RecognitionSession>, RecognitionError>;
}

/// A recogniser that runs. Dropping it ends it at once; nothing is heard of it then.
pub trait RecognitionSession {
    /// Lets it end: what was just said still comes.
    fn stop(&self);
}

/// What a recogniser tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecognitionEvent {
    /// All that it has heard since it began.
    Heard(Transcript),
    /// It failed; its end may follow.
    Failed(RecognitionError),
    Ended,
    Hidden,
    /// Another tab listens now.
    Elsewhere,
}

pub trait SpeechSynthesizer {
    fn is_there(&self) -> bool;
    /// The voices; empty where none has come within two seconds.
    fn voices(&self) -> LocalBoxFuture<'static, Vec<VoiceInfo>>;
    /// Speaks a short text in this language, as it sounds. Ends when it was spoken, stopped, or has given no sign for
    /// longer than it could take.
    fn speak(
        &self,
        text: String,
        language: String,
        sound: VoiceProfile,
    ) -> LocalBoxFuture<'static, Result<(), SpeechError>>;
    fn hush(&self);
}

/// A voice of the browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoiceInfo {
    pub name: String,
    pub language: String,
    /// Whether it works without a network.
    pub local: bool,
}

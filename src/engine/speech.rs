//! Never keeps or sends a sound.
//!
//! Owns the ports of voice: [`Ears`], which recognise speech, and [`Mouth`], which speaks. They serve the screen alone and
//! are a part of the program that comes when somebody wants to speak or to be read to, so they are not among the ports
//! of the engine.

use std::rc::Rc;

use futures_util::future::LocalBoxFuture;

use crate::domain::voice::dictation::Heard;
use crate::domain::voice::{EarFault, MouthFault, Sound};

/// Both.
#[derive(Clone)]
pub struct VoicePorts {
    /// What recognises speech.
    pub ears: Rc<dyn Ears>,
    /// What speaks.
    pub mouth: Rc<dyn Mouth>,
}

/// Recognises speech.
pub trait Ears {
    /// Whether the browser has a recogniser.
    fn is_there(&self) -> bool;
    /// The languages that the browser is set to, most wanted first.
    fn languages(&self) -> Vec<String>;
    /// Begins to listen to a language. Other tabs that listen are told, and stop.
    fn listen(&self, language: &str, hear: Box<dyn Fn(EarSign)>) -> Result<Box<dyn Hearing>, EarFault>;
}

/// A recogniser that runs. Dropping it ends it at once; nothing is heard of it then.
pub trait Hearing {
    /// Lets it end: what was just said still comes.
    fn stop(&self);
}

/// What a recogniser tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EarSign {
    /// All that it has heard since it began.
    Heard(Heard),
    /// It failed; its end may follow.
    Failed(EarFault),
    /// It has ended.
    Ended,
    /// The page was hidden.
    Hidden,
    /// Another tab listens now.
    Elsewhere,
}

/// Speaks.
pub trait Mouth {
    /// Whether the browser can speak.
    fn is_there(&self) -> bool;
    /// The voices; empty where none has come within two seconds.
    fn voices(&self) -> LocalBoxFuture<'static, Vec<VoiceInfo>>;
    /// Speaks a short text in this language, as it sounds. Ends when it was spoken, stopped, or has given no sign for
    /// longer than it could take.
    fn speak(
        &self,
        text: String,
        language: String,
        sound: Sound,
    ) -> LocalBoxFuture<'static, Result<(), MouthFault>>;
    /// Stops at once.
    fn hush(&self);
}

/// A voice of the browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoiceInfo {
    /// Its name.
    pub name: String,
    /// Its language, as a tag.
    pub language: String,
    /// Whether it works without a network.
    pub local: bool,
}

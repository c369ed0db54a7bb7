//! Settings: values stored by name. [`schema`] is the table of all settings.
//!
//! Also the errors, settings and languages of voice input and output. Dictation and speech are in `nexus_view::voice`.

pub mod iframe_policy;
pub mod schema;

use serde_json::{Value, json};

use crate::id::AgentKey;
use crate::limits::PRICE_MOST;
use nexus_text::json::number as parsed;

/// A setting: its name and the type of its value. Constructed only by [`schema`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting<K> {
    name: &'static str,
    pub kind: K,
}

pub trait SettingKind: Copy {
    type Value;

    fn default(&self) -> Self::Value;

    /// Parses a stored value; `None` if it is invalid.
    fn parse(&self, kept: &Value) -> Option<Self::Value>;
}

impl<K> Setting<K> {
    /// The name in events, exports and storage.
    pub fn name(&self) -> &'static str {
        self.name
    }
}

impl<K: SettingKind> Setting<K> {
    /// The parsed value; the default if it is absent or invalid.
    pub fn read(&self, kept: Option<&Value>) -> K::Value {
        kept.and_then(|kept| self.kind.parse(kept)).unwrap_or_else(|| self.kind.default())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Check {
    pub default: bool,
}

impl SettingKind for Check {
    type Value = bool;

    fn default(&self) -> bool {
        self.default
    }

    fn parse(&self, kept: &Value) -> Option<bool> {
        kept.as_bool()
    }
}

/// A number within a range. Values above the range are clamped, those below replaced by the default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    pub default: u64,
    pub least: u64,
    pub most: u64,
    pub notation: Notation,
}

/// How a number is entered and stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notation {
    Whole,
    /// A whole number; thousands separators are allowed.
    Grouped,
    /// Entered in seconds with optional decimals, stored in milliseconds.
    Seconds,
    /// Positive, with optional decimals.
    Dollars,
}

impl SettingKind for Number {
    type Value = f64;

    fn default(&self) -> f64 {
        self.default as f64
    }

    fn parse(&self, kept: &Value) -> Option<f64> {
        let number = kept.as_f64()?;
        let is_valid = if self.notation == Notation::Dollars {
            number > 0.0
        } else {
            number >= self.least as f64 && number.fract() == 0.0
        };
        is_valid.then(|| number.min(self.most as f64))
    }
}

impl Number {
    /// Parses an entered text into the value to store; `None` if it is invalid.
    pub fn enter(&self, text: &str) -> Option<Value> {
        let whole = |text: &str| text.parse::<u64>().ok();
        let number = match self.notation {
            Notation::Whole => whole(text)?,
            Notation::Grouped => whole(&text.replace([',', ' ', '_'], ""))?,
            Notation::Seconds => {
                let seconds = parsed(&text.replace(',', "."))?;
                (seconds >= 0.0 && seconds * 1_000.0 <= self.most as f64)
                    .then(|| (seconds * 1_000.0).round() as u64)?
            }
            Notation::Dollars => {
                return dollars(text).filter(|dollars| *dollars > 0.0).map(Value::from);
            }
        };
        (self.least..=self.most).contains(&number).then(|| number.into())
    }

    pub fn show(&self, kept: &Value) -> String {
        // Not as JSON, which writes `3.0` for three dollars.
        match (self.notation, kept.as_f64()) {
            (_, None) => String::new(),
            (Notation::Seconds, Some(ms)) => (ms / 1_000.0).to_string(),
            (Notation::Whole | Notation::Grouped | Notation::Dollars, Some(number)) => number.to_string(),
        }
    }
}

/// Parses dollars from 0 to [`PRICE_MOST`] with a decimal point. Commas are rejected: they are decimal points in some
/// countries and thousands separators in others.
pub fn dollars(text: &str) -> Option<f64> {
    let text = text.trim();
    let number = parsed(text.strip_prefix('$').unwrap_or(text).trim())?;
    (0.0..=PRICE_MOST).contains(&number).then_some(number)
}

/// One of several values, each with a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    pub default: &'static str,
    pub options: &'static [(&'static str, &'static str)],
}

impl SettingKind for Choice {
    type Value = &'static str;

    fn default(&self) -> &'static str {
        self.default
    }

    fn parse(&self, kept: &Value) -> Option<&'static str> {
        let kept = kept.as_str()?;
        self.options.iter().map(|(value, _)| *value).find(|value| *value == kept)
    }
}

impl Choice {
    pub fn name_of(&self, value: &str) -> &'static str {
        self.options.iter().find(|(one, _)| *one == value).map_or("", |(_, name)| name)
    }

    /// The option `by` steps from this one, if there is one.
    pub fn step(&self, value: &str, by: isize) -> Option<&'static str> {
        let now = self.options.iter().position(|(one, _)| *one == value)?;
        self.options.get(now.checked_add_signed(by)?).map(|(value, _)| *value)
    }
}

/// A trimmed text; empty by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Text;

impl SettingKind for Text {
    type Value = String;

    fn default(&self) -> String {
        String::new()
    }

    fn parse(&self, kept: &Value) -> Option<String> {
        kept.as_str().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
    }
}

/// A value that the using module parses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Own;

/// One value for each of many keys; the setting's name is the prefix of their names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows;

impl Setting<Rows> {
    pub fn row(&self, key: impl std::fmt::Display) -> String {
        format!("{}{key}", self.name)
    }
}

/// Errors of speech recognition, by the browser's codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecognitionError {
    NoSpeech,
    Aborted,
    /// The microphone is missing or was removed.
    AudioCapture,
    Network,
    /// The operator or the embedding page does not allow the microphone.
    NotAllowed,
    ServiceNotAllowed,
    /// The language is unknown, or its language pack is missing.
    LanguageNotSupported,
    PhrasesNotSupported,
    Other,
}

// The browser's error codes.
words!(RecognitionError {
    NoSpeech: "no-speech",
    Aborted: "aborted",
    AudioCapture: "audio-capture",
    Network: "network",
    NotAllowed: "not-allowed",
    ServiceNotAllowed: "service-not-allowed",
    LanguageNotSupported: "language-not-supported",
    PhrasesNotSupported: "phrases-not-supported",
    Other: "other",
});

impl RecognitionError {
    pub fn of_code(code: &str) -> Self {
        Self::named(code).unwrap_or(Self::Other)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeechError {
    Stopped,
    /// The browser needs an operator action on the page first.
    NotAllowed,
    /// No progress for too long.
    Stuck,
    NoVoice,
    /// The voice needs the network, which was unreachable.
    Network,
    /// The audio device is missing or busy.
    Audio,
    Failed,
}

impl SpeechError {
    pub fn of_code(code: &str) -> Self {
        match code {
            "canceled" | "interrupted" => Self::Stopped,
            "not-allowed" => Self::NotAllowed,
            "language-unavailable" | "voice-unavailable" => Self::NoVoice,
            "network" => Self::Network,
            "audio-busy" | "audio-hardware" => Self::Audio,
            _ => Self::Failed,
        }
    }
}

/// Range of the speech rate, as a multiple of the default.
pub const RATES: (f64, f64) = (0.5, 3.0);
/// Range of the pitch, as a multiple of the default.
pub const PITCHES: (f64, f64) = (0.0, 2.0);

#[derive(Clone, Debug, PartialEq)]
pub struct VoiceProfile {
    /// The browser's name of the voice; empty for the default of the language.
    pub voice: String,
    /// As a multiple of the default.
    pub rate: f64,
    /// As a multiple of the default.
    pub pitch: f64,
}

impl Default for VoiceProfile {
    fn default() -> Self {
        Self { voice: String::new(), rate: 1.0, pitch: 1.0 }
    }
}

impl VoiceProfile {
    /// Reads an agent's voice from the setting. Missing or invalid values get defaults.
    pub fn of(setting: Option<&Value>, agent: &AgentKey) -> Self {
        let Some(sound) = setting.and_then(|all| all.get(&agent.0)) else { return Self::default() };
        let number = |name: &str, bounds: (f64, f64)| {
            let number = sound.get(name).and_then(|number| number.as_f64());
            number.filter(|number| (bounds.0..=bounds.1).contains(number)).unwrap_or(1.0)
        };
        Self {
            voice: sound.get("voice").and_then(|voice| voice.as_str()).unwrap_or_default().to_owned(),
            rate: number("rate", RATES),
            pitch: number("pitch", PITCHES),
        }
    }

    /// The setting with this agent's voice replaced.
    pub fn store_in(&self, setting: Option<&Value>, agent: &AgentKey) -> Value {
        let mut all = setting.and_then(|all| all.as_object()).cloned().unwrap_or_default();
        let sound = json!({ "voice": self.voice, "rate": self.rate, "pitch": self.pitch });
        all.insert(agent.0.clone(), sound);
        all.into()
    }
}

/// Parses a number within bounds, with a decimal point or comma.
pub fn number_within(text: &str, bounds: (f64, f64)) -> Option<f64> {
    let number = parsed(&text.trim().replace(',', "."))?;
    (bounds.0..=bounds.1).contains(&number).then_some(number)
}

/// True if a text has the form of a language tag: groups of at most eight letters or digits, the first of two or three
/// letters.
pub fn is_tag(text: &str) -> bool {
    let mut groups = text.split('-');
    let first = groups.next().unwrap_or_default();
    (2..=3).contains(&first.len())
        && first.chars().all(|c| c.is_ascii_alphabetic())
        && groups
            .all(|group| (1..=8).contains(&group.len()) && group.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// The languages to choose from: the operator's list, else those of the browser and its voices, once each.
pub fn languages(setting: Option<&Value>, own: &[String], of_voices: &[String]) -> Vec<String> {
    let listed = setting.and_then(|list| list.as_array()).into_iter().flatten();
    let mut all: Vec<_> = listed.filter_map(|tag| tag.as_str()).map(str::to_owned).collect();
    if all.is_empty() {
        all = own.iter().chain(of_voices).map(|tag| tag.replace('_', "-")).collect();
    }
    let mut once: Vec<String> = Vec::new();
    for tag in all.into_iter().filter(|tag| is_tag(tag)) {
        if !once.iter().any(|known| known.eq_ignore_ascii_case(&tag)) {
            once.push(tag);
        }
    }
    once
}

/// The results of a recogniser since it started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    pub finals: Vec<String>,
    /// The interim result; may be empty.
    pub interim: String,
}

#[cfg(test)]
mod settings_tests;

#[cfg(test)]
mod tests;

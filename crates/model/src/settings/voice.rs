//! Voice input and output: errors, settings and languages.
//!
//! Dictation and speech are in `nexus_view::voice`.

use serde_json::{Map, Value};

use crate::id::AgentKey;

/// Errors of speech recognition, by the browser's codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecognitionError {
    NoSpeech,
    Aborted,
    /// The microphone is missing or was removed.
    AudioCapture,
    /// The recognition service was unreachable.
    Network,
    /// The operator or the embedding page does not allow the microphone.
    NotAllowed,
    /// The browser does not allow the recognition service.
    ServiceNotAllowed,
    /// The language is unknown, or its language pack is missing.
    LanguageNotSupported,
    /// Expected phrases are not supported.
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

/// Errors of speech output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeechError {
    Stopped,
    /// The browser needs an operator action on the page first.
    NotAllowed,
    /// No progress for too long.
    Stuck,
    /// The voice or its language is missing.
    NoVoice,
    /// The voice needs the network, which was unreachable.
    Network,
    /// The audio device is missing or busy.
    Audio,
    Failed,
}

impl SpeechError {
    /// The error for a browser's code.
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

/// The voice of an agent.
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
        let mut sound = Map::new();
        sound.insert("voice".to_owned(), self.voice.clone().into());
        sound.insert("rate".to_owned(), self.rate.into());
        sound.insert("pitch".to_owned(), self.pitch.into());
        all.insert(agent.0.clone(), sound.into());
        all.into()
    }
}

/// Parses a number within bounds, with a decimal point or comma.
pub fn number_within(text: &str, bounds: (f64, f64)) -> Option<f64> {
    let number = text.trim().replace(',', ".").parse::<f64>().ok()?;
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
    let listed = setting
        .and_then(|list| list.as_array())
        .map(|list| list.iter().filter_map(|tag| tag.as_str()).map(str::to_owned).collect::<Vec<_>>());
    let all = match listed {
        Some(listed) if !listed.is_empty() => listed,
        Some(_) | None => own.iter().chain(of_voices).map(|tag| tag.replace('_', "-")).collect(),
    };
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
    /// Final results, in order.
    pub finals: Vec<String>,
    /// The interim result; may be empty.
    pub interim: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn error_codes_are_mapped() {
        for fault in RecognitionError::ALL {
            assert_eq!(RecognitionError::of_code(fault.name()), fault);
        }
        assert_eq!(RecognitionError::of_code("bad-grammar"), RecognitionError::Other);
        assert_eq!(SpeechError::of_code("interrupted"), SpeechError::Stopped);
        assert_eq!(SpeechError::of_code("text-too-long"), SpeechError::Failed);
    }

    #[test]
    fn voice_is_stored_per_agent_and_invalid_values_get_defaults() {
        let (one, two) = (AgentKey("one".into()), AgentKey("two".into()));
        let sound = VoiceProfile { voice: "Ada".into(), rate: 1.5, pitch: 0.5 };
        let setting = sound.store_in(None, &one);
        let setting = VoiceProfile::default().store_in(Some(&setting), &two);
        assert_eq!(VoiceProfile::of(Some(&setting), &one), sound);
        assert_eq!(VoiceProfile::of(Some(&setting), &two), VoiceProfile::default());
        let invalid = json!({ "one": { "voice": 3, "rate": 90, "pitch": "high" } });
        assert_eq!(VoiceProfile::of(Some(&invalid), &one), VoiceProfile::default());
        assert_eq!(VoiceProfile::of(Some(&json!("nonsense")), &one), VoiceProfile::default());
    }

    #[test]
    fn number_must_be_within_bounds() {
        assert_eq!(number_within(" 1,5 ", RATES), Some(1.5));
        for wrong in ["", "fast", "-1", "0.4", "3.1", "NaN", "inf"] {
            assert_eq!(number_within(wrong, RATES), None, "{wrong}");
        }
    }

    #[test]
    fn languages_come_from_the_browser_unless_listed() {
        let own = ["de-DE".to_owned(), "en".to_owned()];
        let voices = ["en_GB".to_owned(), "DE-de".to_owned(), "not a tag".to_owned()];
        assert_eq!(languages(None, &own, &voices), ["de-DE", "en", "en-GB"]);
        assert_eq!(languages(Some(&json!([])), &own, &[]), ["de-DE", "en"]);
        assert_eq!(languages(Some(&json!(["fr-FR", "fr-fr", 4])), &own, &voices), ["fr-FR"]);
        assert!(is_tag("zh-Hant-TW") && is_tag("es-419") && !is_tag("e") && !is_tag("en-") && !is_tag("<b>"));
    }
}

//! Voice input and output: faults, voice settings and languages.
//!
//! Dictation and speech themselves are in `nexus_view::voice`.

use serde_json::{Map, Value};

use crate::id::AgentKey;

/// Why the recogniser failed, in the terms of the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecognitionError {
    NoSpeech,
    /// Something stopped it.
    Aborted,
    /// There is no microphone, or it went.
    AudioCapture,
    /// The service that recognises was not reached.
    Network,
    /// The operator, or the page around, does not allow the microphone.
    NotAllowed,
    /// The browser does not allow the service that recognises.
    ServiceNotAllowed,
    /// The language is not known to it, or its pack is missing.
    LanguageNotSupported,
    /// It takes no words to expect.
    PhrasesNotSupported,
    Other,
}

// The codes that browsers give them.
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

/// Why something was not read aloud.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpeechError {
    Stopped,
    /// The browser speaks only after the operator did something on the page.
    NotAllowed,
    /// It gave no sign for too long.
    Stuck,
    /// The voice, or its language, is not there.
    NoVoice,
    /// The voice comes over the network, which was not reached.
    Network,
    /// There is nothing to play it with, or something else plays.
    Audio,
    Failed,
}

impl SpeechError {
    /// The fault of a browser's code.
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

/// The slowest and the quickest speech, as a multiple of the usual.
pub const RATES: (f64, f64) = (0.5, 3.0);
/// The lowest and the highest pitch, as a multiple of the usual.
pub const PITCHES: (f64, f64) = (0.0, 2.0);

/// How an agent sounds.
#[derive(Clone, Debug, PartialEq)]
pub struct VoiceProfile {
    /// The voice, by the name of the browser; empty is its usual one for the language.
    pub voice: String,
    /// How quick, as a multiple of the usual.
    pub rate: f64,
    /// How high, as a multiple of the usual.
    pub pitch: f64,
}

impl Default for VoiceProfile {
    fn default() -> Self {
        Self { voice: String::new(), rate: 1.0, pitch: 1.0 }
    }
}

impl VoiceProfile {
    /// How the setting has this agent sound. What is not there, or out of bounds, is as usual.
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

    /// The setting with this sound for the agent, the others as they were.
    pub fn kept(&self, setting: Option<&Value>, agent: &AgentKey) -> Value {
        let mut all = setting.and_then(|all| all.as_object()).cloned().unwrap_or_default();
        let mut sound = Map::new();
        sound.insert("voice".to_owned(), self.voice.clone().into());
        sound.insert("rate".to_owned(), self.rate.into());
        sound.insert("pitch".to_owned(), self.pitch.into());
        all.insert(agent.0.clone(), sound.into());
        all.into()
    }
}

/// A number that was entered, with a point or a comma; `None` where it is none or out of bounds.
pub fn number_within(text: &str, bounds: (f64, f64)) -> Option<f64> {
    let number = text.trim().replace(',', ".").parse::<f64>().ok()?;
    (bounds.0..=bounds.1).contains(&number).then_some(number)
}

/// Whether a text has the form of a language tag: letters and digits in groups of at most eight, the first of two or
/// three letters.
pub fn is_tag(text: &str) -> bool {
    let mut groups = text.split('-');
    let first = groups.next().unwrap_or_default();
    (2..=3).contains(&first.len())
        && first.chars().all(|c| c.is_ascii_alphabetic())
        && groups
            .all(|group| (1..=8).contains(&group.len()) && group.chars().all(|c| c.is_ascii_alphanumeric()))
}

/// The languages to choose from: those that the operator listed, else the browser's own and those of its voices, each
/// once.
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

/// What a recogniser has heard since it began: all results that stand, in order, and the one that may still change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Transcript {
    /// Results that stand.
    pub finals: Vec<String>,
    /// What may still change; may be empty.
    pub interim: String,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_code_is_its_own_fault_and_others_are_other() {
        for fault in RecognitionError::ALL {
            assert_eq!(RecognitionError::of_code(fault.name()), fault);
        }
        assert_eq!(RecognitionError::of_code("bad-grammar"), RecognitionError::Other);
        assert_eq!(SpeechError::of_code("interrupted"), SpeechError::Stopped);
        assert_eq!(SpeechError::of_code("text-too-long"), SpeechError::Failed);
    }

    #[test]
    fn a_sound_is_kept_beside_the_others_and_odd_values_are_usual() {
        let (one, two) = (AgentKey("one".into()), AgentKey("two".into()));
        let sound = VoiceProfile { voice: "Ada".into(), rate: 1.5, pitch: 0.5 };
        let kept = sound.kept(None, &one);
        let kept = VoiceProfile::default().kept(Some(&kept), &two);
        assert_eq!(VoiceProfile::of(Some(&kept), &one), sound);
        assert_eq!(VoiceProfile::of(Some(&kept), &two), VoiceProfile::default());
        let odd = json!({ "one": { "voice": 3, "rate": 90, "pitch": "high" } });
        assert_eq!(VoiceProfile::of(Some(&odd), &one), VoiceProfile::default());
        assert_eq!(VoiceProfile::of(Some(&json!("nonsense")), &one), VoiceProfile::default());
    }

    #[test]
    fn numbers_are_taken_within_their_bounds_only() {
        assert_eq!(number_within(" 1,5 ", RATES), Some(1.5));
        for wrong in ["", "fast", "-1", "0.4", "3.1", "NaN", "inf"] {
            assert_eq!(number_within(wrong, RATES), None, "{wrong}");
        }
    }

    #[test]
    fn languages_come_from_the_browser_until_they_are_listed() {
        let own = ["de-DE".to_owned(), "en".to_owned()];
        let voices = ["en_GB".to_owned(), "DE-de".to_owned(), "not a tag".to_owned()];
        assert_eq!(languages(None, &own, &voices), ["de-DE", "en", "en-GB"]);
        assert_eq!(languages(Some(&json!([])), &own, &[]), ["de-DE", "en"]);
        assert_eq!(languages(Some(&json!(["fr-FR", "fr-fr", 4])), &own, &voices), ["fr-FR"]);
        assert!(is_tag("zh-Hant-TW") && is_tag("es-419") && !is_tag("e") && !is_tag("en-") && !is_tag("<b>"));
    }
}

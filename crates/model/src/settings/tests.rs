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

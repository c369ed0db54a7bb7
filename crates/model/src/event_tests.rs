//! Tests of event JSON: round trips, and unknown kinds are kept.

use super::*;

#[test]
fn an_event_of_an_unknown_kind_is_kept_as_it_is() {
    let json = r#"{"v":9,"stream":"app","seq":3,"at":5,"kind":"FutureThing","data":{"x":[1,2]}}"#;
    let event: Event = serde_json::from_str(json).unwrap();
    assert_eq!(event.happening(), None);
    assert_eq!(serde_json::to_string(&event).unwrap(), json);
}

#[test]
fn a_known_event_survives_json() {
    let event = Event {
        v: EVENT_VERSION,
        stream: StreamId::App,
        seq: 1,
        at: Millis(7),
        run: None,
        turn: None,
        kind: EventKind::SettingChanged { name: "theme".into(), value: "dark".into() }.into(),
    };
    let json = serde_json::to_string(&event).unwrap();
    assert!(json.contains(r#""kind":"SettingChanged""#), "{json}");
    assert_eq!(serde_json::from_str::<Event>(&json).unwrap(), event);
}

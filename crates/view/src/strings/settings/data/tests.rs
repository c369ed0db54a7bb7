use super::*;
use serde_json::json;

#[test]
fn an_error_states_that_nothing_changed() {
    let refused = ImportError::Refused(DumpError::ManySessions(20_000));
    for error in [refused, ImportError::Unreadable("gone".into()), ImportError::Changed] {
        assert!(import_error(&error).contains("Nothing was imported"), "{error:?}");
    }
    assert!(import_error(&ImportError::Store(StoreError::Full)).contains("rolled back"));
}

#[test]
fn an_import_counts_conversations_and_other_sessions_apart() {
    assert_eq!(take((2, 0)), "Import 2 sessions");
    assert_eq!(take((1, 3)), "Import 1 session and 3 internal sessions");
    assert_eq!(take((0, 1)), "Import 1 internal session");
}

#[test]
fn an_address_is_shown_before_it_is_called() {
    let text = would_call("https://b.example", Some("https://a.example"));
    assert!(text.contains("https://b.example") && text.contains("https://a.example"));
}

#[test]
fn proposed_settings_have_names() {
    assert_eq!(setting_name("graph/Plan, build, review"), "Graph template “Plan, build, review”");
    assert_eq!(setting_name("queue_mode"), "Messages sent during a run");
}

#[test]
fn proposed_settings_are_shown_in_words() {
    let going = |on: bool| json!({ "on": on, "rounds": 6, "definition_of_done": "It runs." });
    for (setting, value, expected) in [
        ("keep_going", going(false), "Off"),
        ("keep_going", going(true), "On, up to 6 rounds: It runs."),
        ("single_keys", json!(true), "On"),
        ("theme", json!("auto"), "System"),
        ("operator_name", json!("Ada"), "Ada"),
        ("queue_mode", json!("collect"), "Collect"),
        ("cap_calls", json!(50), "50"),
        ("core_wait_ms", json!(9_500), "9.5"),
        ("voice_languages", json!(["en-US", "de"]), "en-US, de"),
        ("voice_sounds", json!({ "critic": { "rate": 1.5 } }), "1 agent"),
        ("prices", json!({ "a/b": { "input": 1.0, "output": 2.0 } }), "1 model"),
        ("graph/mine", json!({ "name": "mine", "nodes": [{}, {}] }), "2 nodes"),
    ] {
        assert_eq!(setting_value(setting, &value), expected, "{setting}");
    }
}

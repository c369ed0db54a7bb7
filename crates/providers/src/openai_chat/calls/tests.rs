use serde_json::json;

use super::*;

fn joined(fragments: &[Value]) -> Vec<(Option<String>, String, String)> {
    let mut calls = CallBuffer::default();
    for fragment in fragments {
        assert!(calls.take(fragment), "{fragment}");
    }
    let whole = calls.finish(false).calls;
    let text = |args: ToolArgs| match args {
        ToolArgs::Parsed(args) => args.to_string(),
        ToolArgs::Broken(text) => format!("broken: {text}"),
    };
    whole.into_iter().map(|call| (call.id.clone(), call.name.clone(), text(call.read()))).collect()
}

fn call(id: &str, name: &str, args: &str) -> (Option<String>, String, String) {
    ((!id.is_empty()).then(|| id.to_owned()), name.to_owned(), args.to_owned())
}

#[test]
fn fragments_are_joined_by_index_also_interleaved_and_from_one() {
    let got = joined(&[
        json!({"index": 1, "id": "a", "function": {"name": "x", "arguments": ""}}),
        json!({"index": 2, "id": "b", "function": {"name": "y", "arguments": "{\"n\""}}),
        json!({"index": 1, "function": {"arguments": "{\"m\":"}}),
        json!({"index": 2, "function": {"arguments": ":2}"}}),
        json!({"index": 1, "id": "", "function": {"name": null, "arguments": "1}"}}),
    ]);
    assert_eq!(got, [call("a", "x", "{\"m\":1}"), call("b", "y", "{\"n\":2}")]);
}

#[test]
fn equal_indexes_of_different_calls_are_resolved() {
    let with_ids = joined(&[
        json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}),
        json!({"index": 0, "id": "b", "function": {"name": "x", "arguments": "{"}}),
        json!({"index": 0, "id": "b", "function": {"name": "x", "arguments": "}"}}),
    ]);
    assert_eq!(with_ids, [call("a", "x", "{}"), call("b", "x", "{}")]);
    let without = joined(&[
        json!({"index": 0, "function": {"name": "x", "arguments": {"n": 1}}}),
        json!({"index": 0, "function": {"name": "x", "arguments": {"n": 2}}}),
        json!({"index": 0, "function": {"name": "y"}}),
    ]);
    assert_eq!(without, [call("", "x", "{\"n\":1}"), call("", "x", "{\"n\":2}"), call("", "y", "{}")]);
}

#[test]
fn without_index_ids_and_names_identify_calls() {
    let got = joined(&[
        json!({"id": "a", "function": {"name": "x", "arguments": "{\"n\":"}}),
        json!({"function": {"name": "", "arguments": "1}"}}),
        json!({"id": "b", "function": {"name": "y", "arguments": "{"}}),
        json!({"id": "b", "function": {"name": "y", "arguments": "}"}}),
        json!({"function": {"name": "z", "arguments": null}}),
    ]);
    assert_eq!(got, [call("a", "x", "{\"n\":1}"), call("b", "y", "{}"), call("", "z", "{}")]);
}

#[test]
fn fragment_without_name_continues_the_open_call() {
    let id_changes = joined(&[
        json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": ""}}),
        json!({"index": 0, "id": "b", "function": {"arguments": "{\"n\":"}}),
        json!({"index": 0, "id": "c", "function": {"name": "", "arguments": "1}"}}),
    ]);
    assert_eq!(id_changes, [call("a", "x", "{\"n\":1}")]);
    let without_index = joined(&[
        json!({"id": "a", "function": {"name": "x", "arguments": ""}}),
        json!({"id": "b", "function": {"arguments": "{\"n\":1}"}}),
    ]);
    assert_eq!(without_index, [call("a", "x", "{\"n\":1}")]);
    let too_much = joined(&[
        json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}),
        json!({"index": 0, "id": "b", "function": {"arguments": "{\"n\":1}"}}),
    ]);
    assert_eq!(too_much, [call("a", "x", "broken: {}{\"n\":1}")]);
}

#[test]
fn name_may_arrive_late_or_in_two_fragments() {
    let late = joined(&[
        json!({"index": 0, "id": "a", "function": {"arguments": "{\"n\":1}"}}),
        json!({"index": 0, "function": {"name": "x"}}),
    ]);
    assert_eq!(late, [call("a", "x", "{\"n\":1}")]);
    for id in [json!(null), json!("a")] {
        let halves = joined(&[
            json!({"index": 0, "id": id, "function": {"name": "get_", "arguments": ""}}),
            json!({"index": 0, "id": id, "function": {"name": "weather", "arguments": "{\"n\":"}}),
            json!({"index": 0, "id": id, "function": {"name": "get_weather", "arguments": "1}"}}),
        ]);
        let expected = id.as_str().unwrap_or_default();
        // Once arguments have arrived, a repeated name is no new one.
        assert_eq!(halves, [call(expected, "get_weather", "{\"n\":1}")], "{id}");
    }
}

#[test]
fn index_may_be_text() {
    let got = joined(&[
        json!({"index": "0", "id": "a", "function": {"name": "x", "arguments": ""}}),
        json!({"index": "1", "id": "b", "function": {"name": "y", "arguments": ""}}),
        json!({"index": "0", "function": {"arguments": "{\"n\":1}"}}),
        json!({"index": "1", "function": {"arguments": "{\"n\":2}"}}),
    ]);
    assert_eq!(got, [call("a", "x", "{\"n\":1}"), call("b", "y", "{\"n\":2}")]);
}

#[test]
fn gap_breaks_incomplete_calls_and_loses_calls_without_a_beginning() {
    let mut calls = CallBuffer::default();
    assert!(!calls.mark_broken());
    calls.take(&json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}));
    assert!(!calls.mark_broken());
    calls.take(&json!({"index": 1, "id": "b", "function": {"name": "y", "arguments": "{\"n\":"}}));
    assert!(calls.mark_broken());
    calls.take(&json!({"index": 1, "function": {"arguments": "1}"}}));
    calls.take(&json!({"index": 2, "function": {"arguments": "{}"}}));
    let ended = calls.finish(false);
    let args: Vec<_> = ended.calls.iter().map(PendingCall::read).collect();
    assert_eq!(args, [ToolArgs::Parsed(json!({})), ToolArgs::Broken("{\"n\":1}".into())]);
    assert!(ended.lost);
}

#[test]
fn token_limit_omits_the_incomplete_last_call() {
    let mut calls = CallBuffer::default();
    calls.take(&json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}));
    calls.take(&json!({"index": 1, "id": "b", "function": {"name": "y", "arguments": ""}}));
    let ended = calls.clone().finish(true);
    assert_eq!((ended.calls.len(), ended.omitted), (1, true));
    let ended = calls.finish(false);
    assert_eq!((ended.calls.len(), ended.omitted), (2, false));
}

#[test]
fn invalid_fragments_are_rejected_and_calls_are_bounded() {
    let mut calls = CallBuffer::default();
    for stray in [json!(null), json!("x"), json!({"function": 1}), json!({"function": {"arguments": "1"}})] {
        assert!(!calls.take(&stray), "{stray}");
    }
    for index in 0..10_000 {
        calls.take(&json!({"index": index, "function": {"name": "x", "arguments": ""}}));
    }
    assert_eq!(calls.pending.len(), CALLS_PER_ANSWER);
}

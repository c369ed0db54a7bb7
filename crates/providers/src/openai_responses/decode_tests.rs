//! Tests of malformed, hostile and truncated streams.
//!
//! Well-formed streams are in `tests/fixtures`.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::chat::ModelAnswer;
use crate::openai_responses::decode::ResponsesDecoder;
use crate::tests;
use crate::tests::decoder_properties;
use nexus_model::llm::FinishReason;
use nexus_model::message::content::{PartBody, ToolArgs, ToolCall, calls_of, text_of, thinking_of};
use nexus_model::provider::ProviderErrorKind;

fn event(kind: &str, mut fields: Value) -> Value {
    fields["type"] = format!("response.{kind}").into();
    fields
}

fn stream(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

fn read(pieces: &[&[u8]]) -> ModelAnswer {
    tests::answer_of::<ResponsesDecoder>(pieces)
}

fn answer_of(events: &[Value]) -> ModelAnswer {
    read(&[stream(events).as_bytes()])
}

fn done(index: Value, call_id: Value, arguments: Value) -> Value {
    let item = json!({"type": "function_call", "call_id": call_id, "name": "t", "arguments": arguments});
    event("output_item.done", json!({"output_index": index, "item": item}))
}

fn completed() -> Value {
    event("completed", json!({"response": {"status": "completed"}}))
}

fn delta(text: &str) -> Value {
    event("output_text.delta", json!({"output_index": 0, "content_index": 0, "delta": text}))
}

fn calls(answer: &ModelAnswer) -> Vec<ToolCall> {
    calls_of(&answer.message_parts(&"o".into(), "m")).cloned().collect()
}

fn text(answer: &ModelAnswer) -> String {
    text_of(&answer.message_parts(&"o".into(), "m"))
}

#[test]
fn arguments_that_are_no_object_are_broken() {
    let args = |arguments: Value| {
        calls(&answer_of(&[done(json!(0), json!("a"), arguments), completed()])).remove(0).args
    };
    for none in [json!(null), json!(""), json!("  "), json!({}), json!("{}")] {
        assert_eq!(args(none), ToolArgs::Parsed(json!({})));
    }
    assert_eq!(args(json!({"a": 1})), ToolArgs::Parsed(json!({"a": 1})));
    assert_eq!(args(json!("{\"a\":")), ToolArgs::Broken("{\"a\":".into()));
    assert_eq!(args(json!([1])), ToolArgs::Broken("[1]".into()));
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(args(json!(deep.clone())), ToolArgs::Broken(deep));
}

#[test]
fn ids_and_indexes_may_be_missing_or_repeated() {
    let none = || Value::Null;
    let answer = answer_of(&[
        done(json!(0), none(), json!("")),
        done(json!(1), json!(""), json!("")),
        done(json!(2), json!("same"), json!("")),
        done(json!(2), json!("same"), json!("")),
        done(json!(3), json!("same"), json!("{\"n\":1}")),
        done(json!(4), json!("same"), json!("")),
        done(none(), json!("other"), json!("")),
        completed(),
    ]);
    let ids: Vec<_> = calls(&answer).into_iter().map(|call| (call.own_id, call.id)).collect();
    let expected = [(true, "call-0"), (true, "call-1"), (false, "same"), (true, "call-3"), (false, "other")];
    assert_eq!(ids, expected.map(|(own, id)| (own, id.to_owned())));
    assert_eq!((answer.finish, answer.repeated), (FinishReason::ToolCalls, 2));
}

#[test]
fn partial_call_is_never_emitted() {
    let half = json!({"type": "function_call", "call_id": "a", "name": "t", "arguments": "{}",
        "status": "incomplete"});
    let answer =
        answer_of(&[event("output_item.done", json!({"output_index": 0, "item": half})), completed()]);
    assert_eq!((calls(&answer).len(), answer.finish), (0, FinishReason::Incomplete));
    let nameless = json!({"type": "function_call", "call_id": "a", "name": "", "arguments": "{}"});
    let answer =
        answer_of(&[event("output_item.done", json!({"output_index": 0, "item": nameless})), completed()]);
    assert_eq!((calls(&answer).len(), answer.finish), (0, FinishReason::Incomplete));
}

#[test]
fn lost_call_is_taken_from_the_end() {
    let call = json!({"type": "function_call", "call_id": "a", "name": "t", "arguments": "{\"n\":1}"});
    let added = event("output_item.added", json!({"output_index": 0, "item": {"type": "function_call"}}));
    let end = event("completed", json!({"response": {"status": "completed", "output": [call]}}));
    let body = stream(&[added]) + "data: {lost\n\n" + &stream(&[end]);
    let answer = read(&[body.as_bytes()]);
    assert_eq!((calls(&answer).len(), answer.finish, answer.skipped), (1, FinishReason::ToolCalls, 1));
}

#[test]
fn open_reasoning_is_thinking_and_its_item_is_kept() {
    let item = json!({"type": "reasoning", "id": "rs", "summary": [],
        "content": [{"type": "reasoning_text", "text": "hm, so"}], "of_next_year": [1]});
    let piece = |text: &str| {
        event("reasoning_text.delta", json!({"output_index": 0, "content_index": 0, "delta": text}))
    };
    let item_done = event("output_item.done", json!({"output_index": 0, "item": item}));
    for events in [vec![piece("hm, "), piece("so"), item_done.clone()], vec![item_done.clone(), item_done]] {
        let answer = answer_of(&events);
        assert_eq!(thinking_of(&answer.message_parts(&"o".into(), "m")), "hm, so");
        assert_eq!((answer.parts.len(), answer.parts[0].opaque.as_ref()), (1, Some(&item)));
        assert!(matches!(answer.parts[0].body, PartBody::Thinking { .. }));
    }
}

#[test]
fn error_is_reported_once_without_keys() {
    let failed = event(
        "failed",
        json!({"response": {"status": "failed",
        "error": {"code": "server_error", "message": "second"}}}),
    );
    let first = json!({"type": "error", "error": {"code": "insufficient_quota", "message": "first"}});
    let answer = answer_of(&[delta("Half"), first, delta(" more"), failed]);
    let failure = answer.failure.clone().unwrap();
    assert_eq!((failure.category, failure.message.as_str()), (ProviderErrorKind::Quota, "first"));
    assert_eq!((answer.finish, answer.finish_raw.as_deref()), (FinishReason::Error, Some("response.failed")));
    assert!(text(&answer).starts_with("Half"));
    let wordless = answer_of(&[event("failed", json!({"response": {"status": "failed", "error": null}}))]);
    assert_eq!(wordless.failure.unwrap().category, ProviderErrorKind::Server);
}

#[test]
fn endings_are_mapped() {
    let finish = |status: &str, reason: Value| {
        let response = json!({"status": status, "incomplete_details": {"reason": reason}});
        answer_of(&[delta("a"), event(status, json!({"response": response}))]).finish
    };
    assert_eq!(finish("completed", Value::Null), FinishReason::Stop);
    assert_eq!(finish("incomplete", json!("max_output_tokens")), FinishReason::Length);
    assert_eq!(finish("incomplete", json!("content_filter")), FinishReason::ContentFilter);
    assert_eq!(finish("cancelled", Value::Null), FinishReason::Incomplete);
    assert_eq!(read(&[stream(&[delta("a")]).as_bytes()]).finish, FinishReason::Incomplete);
    let marked = stream(&[delta("a")]) + "data: [DONE]\n\n";
    assert_eq!(read(&[marked.as_bytes()]).finish, FinishReason::Stop, "some hosts only mark the end");
}

#[test]
fn unstreamed_answer_is_decoded() {
    let body = json!({"id": "resp_1", "object": "response", "status": "completed", "error": null, "output": [
        {"type": "message", "content": [{"type": "output_text", "text": "Hi."}]},
        {"type": "function_call", "call_id": "a", "name": "t", "arguments": "{}"}],
        "usage": {"input_tokens": 3, "output_tokens": 4}});
    for body in [body.to_string(), format!("{body:#}")] {
        let answer = read(&[body.as_bytes()]);
        assert_eq!((text(&answer).as_str(), answer.finish), ("Hi.", FinishReason::ToolCalls));
        assert_eq!((answer.usage.input, answer.response_id.as_deref()), (Some(3), Some("resp_1")));
    }
}

#[test]
fn pages_and_garbage_are_errors() {
    let page = read(&[b"<!doctype html>\n<title>Log in</title>"]).failure.unwrap();
    assert_eq!(page.category, ProviderErrorKind::Garbled);
    let answer = read(&["data: garbage\n\n".repeat(1_000).as_bytes()]);
    assert_eq!((answer.failure.unwrap().category, answer.skipped), (ProviderErrorKind::Garbled, 21));
    let other = answer_of(&[json!({"type": "of_next_year"}), json!({"choices": []})]);
    assert_eq!((other.skipped, other.finish), (1, FinishReason::Incomplete), "only the second is no event");
}

#[test]
fn line_of_16_megabytes_is_skipped_and_single_bytes_are_decoded() {
    let long = stream(&[delta(&"x".repeat(16 * 1024 * 1024))]);
    let rest = stream(&[delta("b"), completed()]);
    let answer = read(&[stream(&[delta("a")]).as_bytes(), long.as_bytes(), rest.as_bytes()]);
    assert_eq!((text(&answer).as_str(), answer.skipped), ("ab", 1));
    let bytes: Vec<&[u8]> = rest.as_bytes().chunks(1).collect();
    assert_eq!(read(&bytes).finish, FinishReason::Stop);
}

#[test]
fn texts_at_different_indexes_are_separate() {
    let at = |index: u64, content: u64, text: &str| {
        event("output_text.delta", json!({"output_index": index, "content_index": content, "delta": text}))
    };
    let answer = answer_of(&[at(0, 0, "a"), at(1, 0, "c"), at(0, 1, "b"), at(0, 0, "A"), completed()]);
    let bodies: Vec<_> = answer.parts.iter().map(|part| part.body.clone()).collect();
    assert_eq!(bodies, ["aA", "c", "b"].map(|text| PartBody::Text { text: text.into() }));
}

/// One event of any kind that a stream can have.
fn any_event() -> impl Strategy<Value = String> {
    let words = "[a-zé🔦\u{2028}\"\\\\ \n]{0,8}";
    let framed = |event: Value| format!("event: x\r\ndata: {event}\r\n\r\n");
    let place = || (0..3_u8, 0..2_u8);
    let grows = vec!["output_text.delta", "refusal.delta", "reasoning_text.delta"];
    let items = vec![
        json!({"type": "message", "content": [{"type": "output_text", "text": "ab"}]}),
        json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "gAAA"}),
        json!({"type": "function_call", "call_id": "a", "name": "t", "arguments": "{}"}),
        json!({"type": "of_next_year"}),
    ];
    prop_oneof![
        (place(), prop::sample::select(grows), words).prop_map(move |((item, content), kind, text)| {
            framed(event(kind, json!({"output_index": item, "content_index": content, "delta": text})))
        }),
        (place(), words).prop_map(move |((item, part), text)| {
            let fields = json!({"output_index": item, "summary_index": part, "delta": text});
            framed(event("reasoning_summary_text.delta", fields))
        }),
        (place(), any::<bool>(), prop::sample::select(items)).prop_map(move |((at, _), is_done, item)| {
            let kind = if is_done { "output_item.done" } else { "output_item.added" };
            framed(event(kind, json!({"output_index": at, "item": item})))
        }),
        Just(framed(completed())),
        Just("data: [DONE]\n\n".to_owned()),
        Just(": ping\r\r".to_owned()),
        Just("data: {broken\n\n".to_owned()),
        Just("{\"error\": {\"code\": \"x\",\n \"message\": \"stray\"}}\n".to_owned()),
    ]
}

decoder_properties!(ResponsesDecoder, any_event());

//! Tests of malformed, hostile and truncated streams.
//!
//! Well-formed streams are in `tests/fixtures`.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::anthropic::decode::AnthropicDecoder;
use crate::chat::{Decode as _, ModelAnswer, ModelEvent};
use crate::tests;
use crate::tests::decoder_properties;
use nexus_model::llm::FinishReason;
use nexus_model::message::content::{ToolArgs, ToolCall, calls_of, text_of};
use nexus_model::provider::ProviderErrorKind;

fn stream(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

fn read(pieces: &[&[u8]]) -> ModelAnswer {
    tests::answer_of::<AnthropicDecoder>(pieces)
}

fn answer_of(events: &[Value]) -> ModelAnswer {
    read(&[stream(events).as_bytes()])
}

fn open(index: Value, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn tool(index: Value, id: &str) -> Value {
    open(index, json!({"type": "tool_use", "id": id, "name": "t", "input": {}}))
}

fn piece(index: Value, json: &str) -> Value {
    let delta = json!({"type": "input_json_delta", "partial_json": json});
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn close(index: Value) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn ended(reason: &str) -> Value {
    json!({"type": "message_delta", "delta": {"stop_reason": reason}})
}

fn calls(answer: &ModelAnswer) -> Vec<ToolCall> {
    calls_of(&answer.message_parts(&"a".into(), "m")).cloned().collect()
}

fn text(answer: &ModelAnswer) -> String {
    text_of(&answer.message_parts(&"a".into(), "m"))
}

fn args_of(json: &str) -> ToolArgs {
    let events = [tool(json!(0), "a"), piece(json!(0), json), close(json!(0)), ended("tool_use")];
    calls(&answer_of(&events)).remove(0).args
}

#[test]
fn arguments_that_are_no_object_are_broken() {
    assert_eq!(args_of(""), ToolArgs::Parsed(json!({})));
    assert_eq!(args_of(" {\"a\": 1} "), ToolArgs::Parsed(json!({"a": 1})));
    for broken in ["{\"a\": ", "[1]", "{a:1}"] {
        assert_eq!(args_of(broken), ToolArgs::Broken(broken.to_owned()));
    }
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(args_of(&deep), ToolArgs::Broken(deep.clone()));
}

#[test]
fn call_with_a_gap_is_broken() {
    let stream = stream(&[tool(json!(0), "a"), piece(json!(0), "{\"n\": 1")])
        + "data: {garbage\n\n"
        + &stream(&[piece(json!(0), "}"), close(json!(0)), ended("tool_use")]);
    let answer = read(&[stream.as_bytes()]);
    assert_eq!(calls(&answer)[0].args, ToolArgs::Broken("{\"n\": 1".to_owned()), "up to the gap");
    assert_eq!(answer.skipped, 1);
}

#[test]
fn thinking_with_a_gap_is_shown_but_not_sent_back() {
    let thinking = |text: &str| {
        json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "thinking_delta", "thinking": text}})
    };
    let signature = json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "signature_delta", "signature": "s"}});
    let begin = open(json!(0), json!({"type": "thinking", "thinking": "", "signature": ""}));
    let events = [begin, thinking("one "), thinking("two"), signature, close(json!(0))];
    let whole = stream(&events);
    let kept = read(&[whole.as_bytes()]);
    assert_eq!(kept.parts[0].opaque, Some(json!({"type": "thinking", "signature": "s"})));
    let broken = whole.replace("\"two\"", "two");
    let broken = read(&[broken.as_bytes()]);
    assert_eq!((broken.parts.len(), &broken.parts[0].opaque), (1, &None));
    let unsigned = answer_of(&events[..3]);
    assert_eq!(unsigned.parts[0].opaque, None);
}

#[test]
fn thinking_without_text_has_a_part_for_its_signature() {
    let events = [
        open(json!(0), json!({"type": "thinking", "thinking": "", "signature": "s0"})),
        close(json!(0)),
        open(json!(1), json!({"type": "text", "text": "Hi."})),
        close(json!(1)),
        ended("end_turn"),
    ];
    let answer = answer_of(&events);
    assert_eq!(answer.parts[0].opaque, Some(json!({"type": "thinking", "signature": "s0"})));
    assert_eq!((answer.parts.len(), text(&answer).as_str()), (2, "Hi."));
}

#[test]
fn indexes_may_be_missing_repeated_and_interleaved() {
    let none = Value::Null;
    let answer = answer_of(&[
        tool(none.clone(), "a"),
        piece(none.clone(), "{\"n\": 1}"),
        close(none.clone()),
        tool(json!(3), "b"),
        tool(json!(4), "b"),
        piece(json!(3), "{\"n\":"),
        piece(json!(4), "{\"n\": 3}"),
        piece(json!(3), " 2}"),
        close(json!(4)),
        close(json!(3)),
        close(json!(3)),
        ended("tool_use"),
    ]);
    let ids: Vec<_> = calls(&answer)
        .into_iter()
        .map(|call| match call.args {
            ToolArgs::Parsed(args) => (call.own_id, args["n"].clone()),
            ToolArgs::Broken(text) => panic!("{text}"),
        })
        .collect();
    assert_eq!(ids, [(false, json!(1)), (false, json!(3)), (true, json!(2))]);
    assert_eq!(answer.finish, FinishReason::ToolCalls);

    let twice = answer_of(&[
        tool(json!(0), "lost"),
        tool(json!(0), "b"),
        close(json!(0)),
        ended("tool_use"),
        json!({"type": "message_stop"}),
    ]);
    assert_eq!(calls(&twice).len(), 1);
    assert_eq!(twice.finish, FinishReason::Incomplete, "a call is missing");
}

#[test]
fn stop_reasons_are_mapped() {
    let finish = |reason: &str| answer_of(&[ended(reason)]).finish;
    for reason in ["end_turn", "stop_sequence"] {
        assert_eq!(finish(reason), FinishReason::Stop, "{reason}");
    }
    for reason in ["pause_turn", "compaction", "reason_of_next_year"] {
        assert_eq!(finish(reason), FinishReason::Incomplete, "{reason}");
    }
    assert_eq!(finish("max_tokens"), FinishReason::Length);
    assert_eq!(finish("model_context_window_exceeded"), FinishReason::Length);
    assert_eq!(finish("refusal"), FinishReason::ContentFilter);
    assert_eq!(finish("tool_use"), FinishReason::Incomplete, "the promised call never came");
    let refused = answer_of(&[json!({"type": "message_delta", "delta": {"stop_reason": "refusal",
        "stop_details": {"type": "refusal", "explanation": "Not this."}}})]);
    assert_eq!(refused.finish_message.as_deref(), Some("Not this."));
    let bare = answer_of(&[json!({"type": "message_start", "message": {}}), json!({"type": "message_stop"})]);
    assert_eq!((bare.finish, bare.finish_raw), (FinishReason::Stop, None));
}

#[test]
fn unstreamed_answer_is_decoded() {
    let body = json!({"type": "message", "id": "msg_1", "role": "assistant", "content": [
        {"type": "text", "text": "Hi."}, {"type": "tool_use", "id": "a", "name": "t", "input": {"n": 1}}],
        "stop_reason": "tool_use", "usage": {"input_tokens": 3, "output_tokens": 4}});
    for body in [body.to_string(), format!("{body:#}")] {
        let answer = read(&[body.as_bytes()]);
        assert_eq!((text(&answer).as_str(), answer.finish), ("Hi.", FinishReason::ToolCalls));
        assert_eq!(calls(&answer)[0].args, ToolArgs::Parsed(json!({"n": 1})));
        assert_eq!((answer.usage.input, answer.response_id.as_deref()), (Some(3), Some("msg_1")));
    }
}

#[test]
fn pages_and_garbage_are_errors() {
    let page = read(&[b"<!doctype html>\n<title>Log in</title>"]).failure.unwrap();
    assert_eq!(page.category, ProviderErrorKind::Garbled);
    assert!(page.message.contains("Log in"));
    let answer = read(&["data: garbage\n\n".repeat(1_000).as_bytes()]);
    assert_eq!(answer.failure.unwrap().category, ProviderErrorKind::Garbled);
    assert_eq!(answer.skipped, 21, "the rest is ignored");
}

#[test]
fn token_counts_are_added_and_never_lowered() {
    let usage = |counts: Value| json!({"type": "message_delta", "delta": {}, "usage": counts});
    let answer = answer_of(&[
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 4,
            "cache_creation_input_tokens": 100, "cache_read_input_tokens": 2000, "output_tokens": 1}}}),
        usage(json!({"output_tokens": 50, "cache_read_input_tokens": null})),
        usage(json!({"output_tokens": 77, "output_tokens_details": {"thinking_tokens": 30}})),
    ]);
    let usage = answer.usage;
    assert_eq!((usage.input, usage.cached), (Some(2104), Some(2000)));
    assert_eq!((usage.output, usage.reasoning), (Some(77), Some(30)));
}

#[test]
fn data_after_the_end_is_ignored() {
    let text = |text: &str| open(json!(0), json!({"type": "text", "text": text}));
    let answer = answer_of(&[
        text("Hi."),
        ended("end_turn"),
        json!({"type": "message_stop"}),
        json!({"type": "error", "error": {"type": "api_error", "message": "late"}}),
        text("more"),
    ]);
    assert_eq!((text_of(&answer.message_parts(&"a".into(), "m")).as_str(), answer.failure), ("Hi.", None));
}

#[test]
fn line_of_16_megabytes_is_skipped_and_single_bytes_are_decoded() {
    let text = |text: &str| {
        json!({"type": "content_block_delta", "index": 0,
        "delta": {"type": "text_delta", "text": text}})
    };
    let begin = stream(&[open(json!(0), json!({"type": "text", "text": ""})), text("a")]);
    let long = stream(&[text(&"x".repeat(16 * 1024 * 1024))]);
    let rest = stream(&[text("b"), close(json!(0)), ended("end_turn")]);
    let answer = read(&[begin.as_bytes(), long.as_bytes(), rest.as_bytes()]);
    assert_eq!((text_of(&answer.message_parts(&"a".into(), "m")).as_str(), answer.skipped), ("ab", 1));
    let all = begin + &rest;
    let bytes: Vec<&[u8]> = all.as_bytes().chunks(1).collect();
    assert_eq!(read(&bytes).finish, FinishReason::Stop);
}

#[test]
fn unknown_events_and_blocks_are_ignored() {
    let delta = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "new_delta", "x": 1}});
    let mut events = vec![open(json!(0), json!({"type": "new_block"}))];
    events.extend(vec![delta; 50]);
    events.extend([close(json!(0)), json!({"type": "new_event"}), ended("end_turn")]);
    let answer = answer_of(&events);
    assert_eq!((answer.skipped, answer.finish), (0, FinishReason::Stop));
    assert_eq!(answer_of(&[json!({"choices": []})]).skipped, 1, "of another protocol");
}

#[test]
fn open_blocks_are_bounded() {
    let mut decoder = AnthropicDecoder::default();
    for index in 0..10_000 {
        decoder.feed(stream(&[tool(json!(index), "a")]).as_bytes());
    }
    let events = decoder.feed(stream(&[ended("tool_use"), json!({"type": "message_stop"})]).as_bytes());
    assert!(matches!(events.last(), Some(ModelEvent::Finish { finish: FinishReason::Incomplete, .. })));
}

/// One event of any kind that a stream can have.
fn any_event() -> impl Strategy<Value = String> {
    let words = "[a-zé🔦\u{2028}\"\\\\ \n]{0,8}";
    let index = || prop_oneof![Just(Value::Null), (0..3_u8).prop_map(Value::from)];
    let event = |event: Value| format!("event: x\r\ndata: {event}\r\n\r\n");
    let blocks = vec![
        json!({"type": "text", "text": "a"}),
        json!({"type": "thinking", "thinking": "", "signature": ""}),
        json!({"type": "redacted_thinking", "data": "RedAct"}),
        json!({"type": "tool_use", "id": "a", "name": "t", "input": {}}),
        json!({"type": "server_tool_use", "id": "b", "name": "s", "input": {}}),
    ];
    let deltas =
        vec![("text_delta", "text"), ("thinking_delta", "thinking"), ("signature_delta", "signature")];
    prop_oneof![
        (index(), prop::sample::select(blocks)).prop_map(move |(at, block)| event(open(at, block))),
        (index(), prop::sample::select(deltas), words).prop_map(move |(at, (kind, key), text)| {
            event(json!({"type": "content_block_delta", "index": at, "delta": {"type": kind, key: text}}))
        }),
        (index(), words).prop_map(move |(at, text)| event(piece(at, &text))),
        index().prop_map(move |at| event(close(at))),
        prop::sample::select(vec!["m1", "m2"])
            .prop_map(move |id| event(json!({"type": "message_start", "message": {"id": id}}))),
        prop::sample::select(vec!["end_turn", "tool_use"]).prop_map(move |word| event(ended(word))),
        Just("data: {\"type\":\"message_stop\"}\n\n".to_owned()),
        Just(": ping\r\rdata: {\"type\": \"ping\"  }\r\r".to_owned()),
        Just("data: {broken\n\n".to_owned()),
        Just("{\"type\": \"error\",\n \"error\": {\"message\": \"stray\"}}\n".to_owned()),
    ]
}

decoder_properties!(AnthropicDecoder, any_event());

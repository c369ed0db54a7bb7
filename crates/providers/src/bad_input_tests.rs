//! Tests of hostile input for all decoders: bounded time and memory, no lost text, no broken call run.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::chat::ModelAnswer;
use crate::codec;
use nexus_model::limits::CALLS_PER_ANSWER;
use nexus_model::llm::FinishReason;
use nexus_model::message::content::{PartBody, ToolArgs, ToolCall};
use nexus_model::provider::{Protocol, ProviderErrorKind};

/// Far more than a slow machine needs for work linear in the input.
const PATIENCE: Duration = Duration::from_secs(60);

/// Decodes a body in pieces of `size`, within the time limit.
fn decoded(protocol: Protocol, body: &[u8], size: usize) -> ModelAnswer {
    let began = Instant::now();
    let mut decoder = (codec::of(protocol).decoder)();
    let mut answer = ModelAnswer::default();
    for piece in body.chunks(size) {
        decoder.feed(piece).into_iter().for_each(|event| answer.apply(event));
    }
    decoder.end().into_iter().for_each(|event| answer.apply(event));
    assert!(began.elapsed() < PATIENCE, "{:?} for {} bytes", began.elapsed(), body.len());
    answer
}

fn data(event: &Value) -> String {
    format!("data: {event}\n\n")
}

/// The events before the first text.
fn beginning(protocol: Protocol) -> String {
    match protocol {
        Protocol::Anthropic => {
            let block = json!({"type": "text", "text": ""});
            data(&json!({"type": "message_start", "message": {"id": "m"}}))
                + &data(&json!({"type": "content_block_start", "index": 0, "content_block": block}))
        }
        Protocol::Gemini | Protocol::Openai | Protocol::Responses | Protocol::Ollama => String::new(),
    }
}

fn event(protocol: Protocol, text: &str) -> String {
    match protocol {
        Protocol::Gemini => data(&json!({"candidates": [{"content": {"parts": [{"text": text}]}}]})),
        Protocol::Openai => data(&json!({"choices": [{"index": 0, "delta": {"content": text}}]})),
        Protocol::Responses => data(&json!({"type": "response.output_text.delta", "output_index": 0,
            "content_index": 0, "delta": text})),
        Protocol::Anthropic => data(&json!({"type": "content_block_delta", "index": 0,
            "delta": {"type": "text_delta", "text": text}})),
        Protocol::Ollama => format!("{}\n", json!({"message": {"content": text}, "done": false})),
    }
}

fn ending(protocol: Protocol) -> String {
    match protocol {
        Protocol::Gemini => data(&json!({"candidates": [{"finishReason": "STOP"}]})),
        Protocol::Openai => data(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})),
        Protocol::Responses => {
            data(&json!({"type": "response.completed", "response": {"status": "completed"}}))
        }
        Protocol::Anthropic => {
            data(&json!({"type": "content_block_stop", "index": 0}))
                + &data(&json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}}))
                + &data(&json!({"type": "message_stop"}))
        }
        Protocol::Ollama => format!("{}\n", json!({"done": true, "done_reason": "stop"})),
    }
}

fn texts(answer: &ModelAnswer) -> Vec<&str> {
    answer
        .parts
        .iter()
        .filter_map(|part| if let PartBody::Text { text } = &part.body { Some(text.as_str()) } else { None })
        .collect()
}

fn calls(answer: &ModelAnswer) -> Vec<&ToolCall> {
    answer
        .parts
        .iter()
        .filter_map(|part| if let PartBody::ToolCall(call) = &part.body { Some(call) } else { None })
        .collect()
}

fn with_calls(fragments: &[Value]) -> String {
    let mut body: String = fragments
        .iter()
        .map(|call| json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}))
        .map(|chunk| format!("data: {chunk}\n\n"))
        .collect();
    body.push_str("data: [DONE]\n\n");
    body
}

#[test]
fn line_of_16_mb_is_dropped_and_the_rest_decoded() {
    for protocol in Protocol::ALL {
        let huge = event(protocol, &"x".repeat(16 * 1024 * 1024));
        let (before, after) = (event(protocol, "before "), event(protocol, "after"));
        let body = [beginning(protocol), before, huge, after, ending(protocol)].concat();
        let answer = decoded(protocol, body.as_bytes(), 64 * 1024);
        assert_eq!(texts(&answer).concat(), "before after", "{protocol:?}");
        assert_eq!((answer.skipped, answer.finish, &answer.failure), (1, FinishReason::Stop, &None));
    }
}

#[test]
fn single_bytes_and_100_000_lines_give_the_same_answer() {
    for protocol in Protocol::ALL {
        let mut body = beginning(protocol);
        body.extend((0..2_000).map(|n| event(protocol, &format!("{n} é\n"))));
        body.push_str(&event(protocol, &"line\n".repeat(100_000)));
        body.push_str(&ending(protocol));
        let whole = decoded(protocol, body.as_bytes(), body.len());
        assert_eq!(decoded(protocol, body.as_bytes(), 1), whole, "{protocol:?}");
        assert_eq!(texts(&whole).concat().lines().count(), 102_000);
    }
}

#[test]
fn flood_of_whitespace_and_half_tags_takes_linear_time() {
    for protocol in Protocol::ALL {
        let mut body = beginning(protocol) + &event(protocol, "a");
        body.push_str(&event(protocol, " ").repeat(10_000));
        body.push_str(&event(protocol, "</thi").repeat(4_000));
        body.push_str(&ending(protocol));
        let answer = decoded(protocol, body.as_bytes(), 4096);
        assert_eq!(texts(&answer).concat().len(), 1 + 10_000 + 20_000);
    }
}

#[test]
fn interleaved_duplicate_and_missing_indexes_are_bounded() {
    let fragments: Vec<Value> = (0..20_000_u32)
        .map(|n| json!({"index": n % 7, "id": format!("id{}", n % 3), "function": {"name": format!("t{n}"), "arguments": "{"}}))
        .collect();
    let answer = decoded(Protocol::Openai, with_calls(&fragments).as_bytes(), 4096);
    assert_eq!(calls(&answer).len(), CALLS_PER_ANSWER);
    assert!(calls(&answer).iter().all(|call| matches!(call.args, ToolArgs::Broken(_))));

    let nameless: Vec<Value> = (0..5_000).map(|_| json!({"function": {"arguments": "x"}})).collect();
    let answer = decoded(Protocol::Openai, with_calls(&nameless).as_bytes(), 4096);
    assert_eq!((calls(&answer).len(), answer.skipped), (0, 5_000));
}

#[test]
fn ids_are_unique() {
    let fragments: Vec<Value> = (0..50)
        .map(|n| json!({"index": n, "id": "x", "function": {"name": "t", "arguments": format!("{{\"n\":{n}}}")}}))
        .collect();
    let answer = decoded(Protocol::Openai, with_calls(&fragments).as_bytes(), 64);
    let mut ids: Vec<_> = calls(&answer).iter().map(|call| call.id.clone()).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 50);
}

#[test]
fn arguments_10_000_levels_deep_are_broken_and_never_run() {
    let deep = format!("{}1{}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    let fragment = json!({"index": 0, "id": "a", "function": {"name": "t", "arguments": deep}});
    let answer = decoded(Protocol::Openai, with_calls(&[fragment]).as_bytes(), 1000);
    assert_eq!(calls(&answer).first().map(|call| &call.args), Some(&ToolArgs::Broken(deep.clone())));

    // Within the line itself they make it unreadable: the answer ends there, as a call must not be lost silently.
    let lines = [
        (
            Protocol::Ollama,
            format!(
                "{{\"message\":{{\"tool_calls\":[{{\"function\":{{\"name\":\"t\",\"arguments\":{deep}}}}}]}}}}\n"
            ),
        ),
        (
            Protocol::Gemini,
            format!(
                "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"functionCall\":{{\"name\":\"t\",\"args\":{deep}}}}}]}}}}]}}\n\n"
            ),
        ),
    ];
    for (protocol, line) in lines {
        let body = [event(protocol, "so far"), line, ending(protocol)].concat();
        let answer = decoded(protocol, body.as_bytes(), 1000);
        assert_eq!((texts(&answer), calls(&answer).len()), (vec!["so far"], 0), "{protocol:?}");
        assert!(matches!(answer.finish, FinishReason::Incomplete | FinishReason::Error), "{protocol:?}");
        let category = answer.failure.map(|failure| failure.category);
        assert_eq!(category, Some(ProviderErrorKind::CutOff), "{protocol:?}");
    }
}

#[test]
fn arguments_in_ten_thousand_pieces_are_joined() {
    let value = "x}".repeat(10_000);
    let mut fragments = vec![json!({"index": 0, "function": {"name": "t", "arguments": "{\"v\":\""}})];
    fragments.extend((0..10_000).map(|_| json!({"index": 0, "function": {"name": "t", "arguments": "x}"}})));
    fragments.push(json!({"index": 0, "function": {"name": "t", "arguments": "\"}"}}));
    let answer = decoded(Protocol::Openai, with_calls(&fragments).as_bytes(), 64);
    assert_eq!(calls(&answer).len(), 1);
    assert_eq!(calls(&answer).first().map(|call| &call.args), Some(&ToolArgs::Parsed(json!({ "v": value }))));
}

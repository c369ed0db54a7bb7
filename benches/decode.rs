//! Benchmark of the codecs' decoders: `cargo bench -p nexus-providers --bench decode`.
//!
//! The streams are generated: thinking, prose and a tool call in each protocol. Each is decoded as a whole and in
//! chunks of 64 bytes.
#![allow(clippy::expect_used, clippy::panic, reason = "a benchmark that cannot measure should stop")]

use std::time::{Duration, Instant};

use nexus_model::provider::Protocol;
use nexus_providers::chat::ModelAnswer;
use nexus_providers::codec;
use serde_json::{Value, json};

/// Approximate length of a stream in bytes.
const STREAM_BYTES: usize = 4 * 1024 * 1024;
/// Duration of each measurement.
const MEASURED: Duration = Duration::from_secs(1);
/// Text of a delta.
const WORDS: &str = "Der Wärter zündet die Lampe 🔦 an, und das Licht \"streift\" über das Meer.\n";

fn main() {
    println!("{:<12}{:>12}{:>12}{:>14}", "protocol", "MB", "whole MB/s", "64-byte MB/s");
    for protocol in Protocol::ALL {
        let body = stream(protocol);
        let whole = measure(protocol, &body, body.len());
        let pieces = measure(protocol, &body, 64);
        println!("{:<12}{:>12.1}{whole:>12.1}{pieces:>14.1}", protocol.name(), body.len() as f64 / 1e6);
    }
}

/// Megabytes per second.
fn measure(protocol: Protocol, body: &[u8], piece: usize) -> f64 {
    let began = Instant::now();
    let mut bytes = 0;
    while began.elapsed() < MEASURED {
        let mut decoder = (codec::of(protocol).decoder)();
        let mut answer = ModelAnswer::default();
        for piece in body.chunks(piece) {
            decoder.feed(piece).into_iter().for_each(|event| answer.apply(event));
        }
        decoder.end().into_iter().for_each(|event| answer.apply(event));
        assert!(answer.failure.is_none() && !answer.parts.is_empty(), "{protocol:?}: {:?}", answer.failure);
        bytes += body.len();
    }
    bytes as f64 / 1e6 / began.elapsed().as_secs_f64()
}

/// An answer of many deltas in the protocol's streaming format.
fn stream(protocol: Protocol) -> Vec<u8> {
    let (first, piece, last) = match protocol {
        Protocol::Gemini => gemini(),
        Protocol::Openai => openai(),
        Protocol::Responses => responses(),
        Protocol::Anthropic => anthropic(),
        Protocol::Ollama => ollama(),
    };
    let framed = |event: &Value| match protocol {
        Protocol::Ollama => format!("{event}\n"),
        Protocol::Gemini => format!("data: {event}\r\n\r\n"),
        Protocol::Openai => format!("data: {event}\n\n"),
        Protocol::Responses | Protocol::Anthropic => {
            let name = event.get("type").and_then(Value::as_str).expect("events of these have a type");
            format!("event: {name}\ndata: {event}\n\n")
        }
    };
    let mut body: String = first.iter().map(framed).collect();
    let piece = framed(&piece);
    body.push_str(&piece.repeat(STREAM_BYTES / piece.len()));
    body.extend(last.iter().map(framed));
    body.into_bytes()
}

type Stream = (Vec<Value>, Value, Vec<Value>);

fn gemini() -> Stream {
    let parts =
        |parts: Value| json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]});
    let thought = parts(json!([{"text": "Oil first.", "thought": true}]));
    let call = parts(json!([{"functionCall": {"name": "light", "args": {"lamp": 1}}}]));
    let last = json!({"candidates": [{"finishReason": "STOP"}], "usageMetadata": {"promptTokenCount": 9}});
    (vec![thought], parts(json!([{"text": WORDS}])), vec![call, last])
}

fn openai() -> Stream {
    let chunk = |delta: Value, finish: Value| {
        json!({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})
    };
    let call = json!({"tool_calls": [{"index": 0, "id": "a", "type": "function",
        "function": {"name": "light", "arguments": "{\"lamp\":1}"}}]});
    (
        vec![chunk(json!({"role": "assistant", "reasoning_content": "Oil first."}), Value::Null)],
        chunk(json!({"content": WORDS}), Value::Null),
        vec![chunk(call, Value::Null), chunk(json!({}), "tool_calls".into())],
    )
}

fn responses() -> Stream {
    let item = json!({"type": "message", "id": "i", "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": WORDS, "annotations": []}]});
    let created = json!({"type": "response.created", "response": {"id": "r", "status": "in_progress"}});
    let added = json!({"type": "response.output_item.added", "output_index": 0,
        "item": {"type": "message", "id": "i", "role": "assistant", "content": []}});
    let delta = json!({"type": "response.output_text.delta", "item_id": "i", "output_index": 0,
        "content_index": 0, "delta": WORDS});
    let done = json!({"type": "response.output_item.done", "output_index": 0, "item": item});
    let completed = json!({"type": "response.completed", "response": {"id": "r", "status": "completed",
        "output": [item], "usage": {"input_tokens": 9, "output_tokens": 3}}});
    (vec![created, added], delta, vec![done, completed])
}

fn anthropic() -> Stream {
    let start = json!({"type": "message_start", "message": {"id": "m", "type": "message", "role": "assistant",
        "content": [], "usage": {"input_tokens": 9, "output_tokens": 1}}});
    let block =
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}});
    let delta =
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": WORDS}});
    let stop = json!({"type": "content_block_stop", "index": 0});
    let end = json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
        "usage": {"output_tokens": 3}});
    (vec![start, block], delta, vec![stop, end, json!({"type": "message_stop"})])
}

fn ollama() -> Stream {
    let line = |message: Value| {
        json!({"model": "m", "created_at": "2026-11-01T10:00:00Z",
        "message": message, "done": false})
    };
    let call = json!({"role": "assistant", "content": "",
        "tool_calls": [{"function": {"name": "light", "arguments": {"lamp": 1}}}]});
    let last = json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop",
        "prompt_eval_count": 9, "eval_count": 3});
    (
        vec![line(json!({"role": "assistant", "content": "", "thinking": "Oil first."}))],
        line(json!({"role": "assistant", "content": WORDS})),
        vec![line(call), last],
    )
}

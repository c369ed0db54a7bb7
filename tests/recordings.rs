//! Tests that recorded and handwritten streams decode as expected, however the network splits them.
//!
//! Handwritten ones are in `tests/fixtures`. Recordings of real providers are not part of this repository and are
//! read from where `corpus::at_hand` finds them. Each folder has an `expected.json` with the protocol and the result
//! for each file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::fs;
use std::path::Path;

use nexus_model::message::content::{ToolArgs, calls_of, text_of, thinking_of};
use nexus_model::provider::Protocol;
use nexus_providers::anthropic::decode::AnthropicDecoder;
use nexus_providers::chat::{Decode, ModelAnswer, ModelEvent};
use nexus_providers::codec;
use nexus_providers::gemini::decode::GeminiDecoder;
use nexus_providers::ollama::OllamaDecoder;
use nexus_providers::openai_chat::decode::OpenaiDecoder;
use nexus_providers::openai_responses::decode::ResponsesDecoder;
use serde_json::{Map, Value, json};

use crate::corpus::at_hand;

/// Files of each protocol: their folder, and its name in `expected.json`. A new family is a new row.
const FAMILIES: [(&str, &str, Protocol); 8] = [
    ("gemini/", "gemini", Protocol::Gemini),
    ("compat/", "openai", Protocol::Openai),
    ("openai/", "openai", Protocol::Openai),
    ("ollama/", "ollama", Protocol::Ollama),
    ("anthropic/", "anthropic", Protocol::Anthropic),
    ("responses/", "responses", Protocol::Responses),
    // OpenAI serves both at one host, with the same error for a wrong key.
    ("openai/responses", "responses", Protocol::Responses),
    ("openai/error-401", "responses", Protocol::Responses),
];

/// Name of error bodies.
const ERROR_BODY: &str = "err";

#[test]
fn handwritten_streams_decode_at_every_split_point() {
    let checked = check_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures"));
    assert!(checked >= FAMILIES.len(), "each family has handwritten streams");
}

#[test]
fn recorded_streams_decode_at_every_split_point() {
    let folder = at_hand::folder("streams");
    if !folder.join("expected.json").exists() {
        nexus_text::testing::not_checked(format_args!(
            "the recordings of real providers are not here ({})",
            folder.display()
        ));
        return;
    }
    let checked = check_folder(&folder);
    println!("{checked} recordings checked in {}", folder.display());
    assert!(checked >= FAMILIES.len(), "each family has recordings");
}

/// Checks every file of a known family, and returns their number.
fn check_folder(folder: &Path) -> usize {
    let list = fs::read_to_string(folder.join("expected.json")).unwrap();
    let list: Map<String, Value> = serde_json::from_str(&list).unwrap();
    let mut checked = 0;
    for (file, entry) in &list {
        let word = entry["protocol"].as_str().unwrap();
        // The error bodies of a folder apply to all its protocols.
        let families = FAMILIES
            .iter()
            .filter(|(prefix, own, _)| file.starts_with(prefix) && (word == *own || word == ERROR_BODY));
        for (_, _, protocol) in families {
            let body = fs::read(folder.join(file)).unwrap();
            let decode = match protocol {
                Protocol::Gemini => decode_at_every_split::<GeminiDecoder>,
                Protocol::Openai => decode_at_every_split::<OpenaiDecoder>,
                Protocol::Responses => decode_at_every_split::<ResponsesDecoder>,
                Protocol::Anthropic => decode_at_every_split::<AnthropicDecoder>,
                Protocol::Ollama => decode_at_every_split::<OllamaDecoder>,
            };
            let answer = decode(*protocol, &body, file);
            if word == ERROR_BODY {
                check_error(*protocol, &body, &answer, &entry["expected"]["error_body"], file);
            } else {
                check_answer(&answer, &entry["expected"], file);
            }
            checked += 1;
        }
    }
    checked
}

/// Decodes a body event by event. At each split inside an event, a clone of the state is fed both halves: it must
/// emit the same and end in the same state, so the rest needs no second check.
fn decode_at_every_split<D: Decode + Clone + Default + PartialEq>(
    protocol: Protocol,
    body: &[u8],
    file: &str,
) -> ModelAnswer {
    let mut answer = ModelAnswer::default();
    let mut state = D::default();
    let mut from = 0;
    for to in event_boundaries(protocol, body) {
        let (after, events) = fed(&state, &[&body[from..to]], to == body.len());
        for cut in from + 1..to {
            let halves = [&body[from..cut], &body[cut..to]];
            let (other, other_events) = fed(&state, &halves, to == body.len());
            assert_eq!(other_events, events, "{file} cut at byte {cut}");
            assert!(other == after, "{file} cut at byte {cut}: another state");
        }
        events.into_iter().for_each(|event| answer.apply(event));
        state = after;
        from = to;
    }
    answer
}

fn fed<D: Decode + Clone>(state: &D, pieces: &[&[u8]], is_end: bool) -> (D, Vec<ModelEvent>) {
    let mut decoder = state.clone();
    let mut events: Vec<_> = pieces.iter().flat_map(|piece| decoder.feed(piece)).collect();
    if is_end {
        events.extend(decoder.end());
    }
    (decoder, events)
}

/// Offsets after each event, which is a line or ends with an empty one, and the end.
fn event_boundaries(protocol: Protocol, body: &[u8]) -> Vec<usize> {
    let ends: &[&[u8]] = match protocol {
        Protocol::Ollama => &[b"\n"],
        Protocol::Gemini | Protocol::Openai | Protocol::Responses | Protocol::Anthropic => {
            &[b"\n\n", b"\r\n\r\n", b"\r\r"]
        }
    };
    (1..=body.len())
        .filter(|at| *at == body.len() || ends.iter().any(|end| body[..*at].ends_with(end)))
        .collect()
}

fn check_answer(answer: &ModelAnswer, expected: &Value, file: &str) {
    let parts = answer.message_parts(&"recorded".into(), "recorded");
    let calls: Vec<Value> = calls_of(&parts)
        .map(|call| {
            let ToolArgs::Parsed(args) = &call.args else { panic!("{file}: broken arguments") };
            json!({"name": call.name, "args": args, "id": (!call.own_id).then_some(&call.id)})
        })
        .collect();
    // If the list has the text with its tags unchanged, it also has the split version.
    let split = expected.get("think_split").unwrap_or(expected);
    assert_eq!(text_of(&parts), split["text"], "{file}");
    assert_eq!(thinking_of(&parts), split["reasoning"], "{file}");
    assert_eq!(Value::from(calls), expected["tool_calls"], "{file}");
    assert_eq!(answer.usage.raw, expected["usage"], "{file}");
    assert_eq!(json!(answer.finish), expected["finish"], "{file}");
    // For a blocked prompt, the provider's reason is in another field.
    let raw = expected["finish_raw"].as_str().or(expected["block"].as_str());
    assert_eq!(answer.finish_raw.as_deref(), raw, "{file}");
    let failure = answer.failure.as_ref().map(|failure| failure.message.as_str());
    assert_eq!(failure, expected["error"]["message"].as_str(), "{file}");
    let opaque: Vec<&Value> = answer.parts.iter().filter_map(|part| part.opaque.as_ref()).collect();
    if let Some(signatures) = expected["signatures"].as_u64() {
        assert_eq!(opaque.len() as u64, signatures, "{file}");
    }
    if let Some(wanted) = expected.get("opaque") {
        assert_eq!(json!(opaque), *wanted, "{file}");
    }
}

/// The decoder, which may see an error body with a good status, and `classify` must agree on it.
fn check_error(protocol: Protocol, body: &[u8], answer: &ModelAnswer, expected: &Value, file: &str) {
    let shapes = ["/error/message", "/error", "/detail", "/message"];
    let words = shapes.iter().filter_map(|shape| expected.pointer(shape)).find_map(Value::as_str).unwrap();
    // If the body does not contain the status, the file name does.
    let named = file.split(['-', '.']).find_map(|word| word.parse().ok());
    let status =
        expected["error"]["code"].as_u64().map(|code| u16::try_from(code).unwrap()).or(named).unwrap();
    let refused = (codec::of(protocol).classify)(status, None, std::str::from_utf8(body).unwrap());
    let met = answer.failure.as_ref().unwrap();
    assert_eq!(json!(answer.finish), "error", "{file}");
    assert_eq!((met.message.as_str(), refused.message.as_str()), (words, words), "{file}");
    assert_eq!(refused.status, Some(status), "{file}");
    assert_eq!(met.category, refused.category, "{file}");
    assert_eq!(met.retry_after_ms, refused.retry_after_ms, "{file}");
}

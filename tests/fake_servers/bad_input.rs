//! Tests of the codecs with malformed responses, in all protocols.
//!
//! Bounded time, no received text is lost, and no invalid call runs.

use std::time::{Duration, Instant};

use nexus_model::llm::FinishReason;
use nexus_model::message::content::{MessagePart, ToolArgs, calls_of, text_of};
use nexus_model::provider::Protocol;
use nexus_providers::chat::ModelAnswer as Read;
use nexus_providers::codec;
use serde_json::json;

use crate::e2e::provider::{Answer, Framing, Host, model_of};

/// Far more than a busy machine needs for linear work.
const TIMEOUT: Duration = Duration::from_secs(20);

fn body(protocol: Protocol, answer: &Answer) -> Vec<u8> {
    let mut framing = Framing::new(protocol, Host::Other, model_of(protocol), 1);
    answer.pieces().flat_map(|piece| framing.say(piece)).collect()
}

/// Decodes a body in chunks of this size: the message's parts and the final state.
fn read(protocol: Protocol, body: &[u8], size: usize) -> (Vec<MessagePart>, Read) {
    let began = Instant::now();
    let mut decoder = (codec::of(protocol).decoder)();
    let mut read = Read::default();
    for piece in body.chunks(size) {
        decoder.feed(piece).into_iter().for_each(|event| read.apply(event));
    }
    decoder.end().into_iter().for_each(|event| read.apply(event));
    assert!(began.elapsed() < TIMEOUT, "{protocol:?}: {:?} for {} bytes", began.elapsed(), body.len());
    (read.message_parts(&"own".into(), model_of(protocol)), read)
}

/// The body of an answer with a call whose arguments are nested this deep. Built as text: no JSON tree is that deep.
fn with_deep_call(protocol: Protocol, depth: usize) -> Vec<u8> {
    let deep = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let answer = Answer::new().text("Before.");
    match protocol {
        // Here arguments are text and used unchanged.
        Protocol::Openai | Protocol::Responses | Protocol::Anthropic => {
            body(protocol, &answer.call("write_file", json!(deep)))
        }
        Protocol::Gemini | Protocol::Ollama => {
            let body = body(protocol, &answer.call("write_file", json!({ "a": "here" })));
            String::from_utf8(body).unwrap().replace("\"here\"", &deep).into_bytes()
        }
    }
}

#[test]
fn arguments_nested_10_000_deep_run_nothing_and_are_reported() {
    for protocol in Protocol::ALL {
        let (parts, read) = read(protocol, &with_deep_call(protocol, 10_000), 97);
        assert!(text_of(&parts).contains("Before."), "{protocol:?}: the text is lost");
        let whole = calls_of(&parts).filter(|call| matches!(call.args, ToolArgs::Parsed(_))).count();
        assert_eq!(whole, 0, "{protocol:?}: a call that cannot be read has arguments");
        let broken = calls_of(&parts).filter(|call| matches!(call.args, ToolArgs::Broken(_))).count();
        let is_reported = broken == 1 || read.failure.is_some() || read.finish == FinishReason::Incomplete;
        assert!(is_reported, "{protocol:?}: a call vanished, and the answer ended with {:?}", read.finish);
    }
}

#[test]
fn decoding_byte_by_byte_gives_the_same() {
    for protocol in Protocol::ALL {
        let answer = Answer::new()
            .thinking("Größe? 🦀")
            .text("Grüße, 世界. ")
            .calls([("list_files", json!({})), ("read_file", json!({ "name": "größe 🦀" }))]);
        let body = body(protocol, &answer);
        let ((bytes, _), (whole, _)) = (read(protocol, &body, 1), read(protocol, &body, usize::MAX));
        assert_eq!(bytes, whole, "{protocol:?}");
        assert_eq!(calls_of(&whole).count(), 2, "{protocol:?}");
    }
}

#[test]
fn an_answer_of_100_000_lines_is_complete() {
    let lines: String = (0..100_000).map(|line| format!("line {line}\n")).collect();
    for protocol in Protocol::ALL {
        let many = lines.split_inclusive("99\n").fold(Answer::new(), Answer::text);
        let (parts, read) = read(protocol, &body(protocol, &many), 4_096);
        assert_eq!((text_of(&parts).len(), read.finish), (lines.len(), FinishReason::Stop), "{protocol:?}");
    }
}

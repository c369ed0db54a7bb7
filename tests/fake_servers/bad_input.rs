//! Tests of the codecs with malformed answers, in all protocols.
//!
//! Bounded in time, nothing received is lost, and no broken call runs.

use std::time::{Duration, Instant};

use nexus_model::llm::FinishReason;
use nexus_model::message::content::{MessagePart, ToolArgs, calls_of, text_of};
use nexus_model::provider::Protocol;
use nexus_providers::chat::ModelAnswer as Read;
use nexus_providers::codec::AnyDecoder;
use serde_json::json;

use crate::e2e::provider::{Answer, Framing, Host, model_of};

/// Far more than a busy machine needs for work in proportion to the input.
const PATIENCE: Duration = Duration::from_secs(20);

fn body(protocol: Protocol, answer: &Answer) -> Vec<u8> {
    let mut framing = Framing::new(protocol, Host::Other, model_of(protocol), 1);
    answer.pieces().flat_map(|piece| framing.say(piece)).collect()
}

/// What a body decodes to, in pieces of this size: what the message holds, and how it ended.
fn read(protocol: Protocol, body: &[u8], size: usize) -> (Vec<MessagePart>, Read) {
    let began = Instant::now();
    let mut decoder = AnyDecoder::new(protocol);
    let mut read = Read::default();
    for piece in body.chunks(size) {
        decoder.feed(piece).into_iter().for_each(|event| read.apply(event));
    }
    decoder.end().into_iter().for_each(|event| read.apply(event));
    assert!(began.elapsed() < PATIENCE, "{protocol:?}: {:?} for {} bytes", began.elapsed(), body.len());
    (read.message_parts(&"own".into(), model_of(protocol)), read)
}

/// The body of an answer with a call whose arguments are as deep as this. Written as text: no tree is that deep.
fn with_deep_call(protocol: Protocol, depth: usize) -> Vec<u8> {
    let deep = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    let said = Answer::new().text("Before.");
    match protocol {
        // Here arguments are text, and a text stands for itself.
        Protocol::Openai | Protocol::Responses | Protocol::Anthropic => {
            body(protocol, &said.call("write_file", json!(deep)))
        }
        Protocol::Gemini | Protocol::Ollama => {
            let body = body(protocol, &said.call("write_file", json!({ "a": "here" })));
            String::from_utf8(body).unwrap().replace("\"here\"", &deep).into_bytes()
        }
    }
}

#[test]
fn arguments_10_000_deep_run_nothing_and_are_not_passed_over_in_silence() {
    for protocol in Protocol::ALL {
        let (parts, read) = read(protocol, &with_deep_call(protocol, 10_000), 97);
        assert!(text_of(&parts).contains("Before."), "{protocol:?}: the text is lost");
        let whole = calls_of(&parts).filter(|call| matches!(call.args, ToolArgs::Parsed(_))).count();
        assert_eq!(whole, 0, "{protocol:?}: a call that cannot be read has arguments");
        let broken = calls_of(&parts).filter(|call| matches!(call.args, ToolArgs::Broken(_))).count();
        let is_told = broken == 1 || read.failure.is_some() || read.finish == FinishReason::Incomplete;
        assert!(is_told, "{protocol:?}: a call vanished, and the answer ended with {:?}", read.finish);
    }
}

#[test]
fn one_byte_at_a_time_reads_as_the_whole() {
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
fn an_answer_of_100_000_lines_comes_whole() {
    let lines: String = (0..100_000).map(|line| format!("line {line}\n")).collect();
    for protocol in Protocol::ALL {
        let many = lines.split_inclusive("99\n").fold(Answer::new(), Answer::text);
        let (parts, read) = read(protocol, &body(protocol, &many), 4_096);
        assert_eq!((text_of(&parts).len(), read.finish), (lines.len(), FinishReason::Stop), "{protocol:?}");
    }
}

//! Tests of the Chat Completions decoder beyond the recorded fixtures, and its properties.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::chat::{Decode as _, ModelAnswer, ModelEvent};
use crate::openai_chat::decode::OpenaiDecoder;
use crate::tests;
use crate::tests::decoder_properties;
use nexus_model::llm::{FinishReason, Usage};
use nexus_model::message::content::PartBody;
use nexus_model::provider::ProviderErrorKind;

fn answer_of(body: &str) -> ModelAnswer {
    tests::answer_of::<OpenaiDecoder>(&[body.as_bytes()])
}

fn stream(chunks: &[Value]) -> String {
    chunks.iter().map(|chunk| format!("data: {chunk}\n\n")).collect()
}

fn delta(delta: Value) -> Value {
    json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]})
}

fn finish(word: &str) -> Value {
    json!({"choices": [{"index": 0, "delta": {}, "finish_reason": word}]})
}

fn bodies(answer: &ModelAnswer) -> Vec<PartBody> {
    answer.parts.iter().map(|part| part.body.clone()).collect()
}

fn text(text: &str) -> PartBody {
    PartBody::Text { text: text.into() }
}

fn thinking(text: &str) -> PartBody {
    PartBody::Thinking { text: text.into() }
}

#[test]
fn thinking_and_text_are_parts_in_order() {
    let answer = answer_of(&stream(&[
        delta(json!({"reasoning": "a"})),
        delta(json!({"content": "b"})),
        delta(json!({"content": "c", "reasoning": ""})),
        delta(json!({"reasoning": "d"})),
        delta(json!({"content": "e"})),
        finish("stop"),
    ]));
    assert_eq!(bodies(&answer), [thinking("a"), text("bc"), thinking("d"), text("e")]);
    let data = answer.parts[0].opaque.clone();
    assert_eq!(data, Some(json!({"reasoning": "ad"})), "kept once, with the first thinking");
}

#[test]
fn text_is_reclassified_as_thinking() {
    let body = stream(&[
        delta(json!({"content": "hm"})),
        delta(json!({"content": "\n</think>\n\nYes."})),
        finish("stop"),
    ]);
    assert!(
        tests::events_of::<OpenaiDecoder>(&[body.as_bytes()]).contains(&ModelEvent::Reclassified { part: 0 })
    );
    assert_eq!(bodies(&answer_of(&body)), [thinking("hm"), text("Yes.")]);
}

#[test]
fn calls_and_sealed_thinking_are_emitted_at_the_end() {
    let mut decoder = OpenaiDecoder::default();
    let call = json!({"index": 0, "id": "a", "function": {"name": "t", "arguments": "{}"}});
    let before = decoder.feed(
        stream(&[delta(json!({"reasoning_content": "hm", "tool_calls": [call]})), finish("tool_calls")])
            .as_bytes(),
    );
    let is_kept = |event: &ModelEvent| matches!(event, ModelEvent::Call { .. } | ModelEvent::Opaque { .. });
    assert!(!before.iter().any(is_kept), "{before:?}");
    let after = decoder.feed(b"data: [DONE]\n\n");
    assert_eq!(after.iter().filter(|event| is_kept(event)).count(), 2, "{after:?}");
    assert_eq!(decoder.end(), []);
}

#[test]
fn every_finish_reason_is_mapped() {
    let cases = [
        ("stop", FinishReason::Stop),
        ("eos", FinishReason::Stop),
        ("END_TURN", FinishReason::Stop),
        ("tool_calls", FinishReason::Incomplete),
        ("length", FinishReason::Length),
        ("model_length", FinishReason::Length),
        ("content_filter", FinishReason::ContentFilter),
        ("a_word_of_next_year", FinishReason::Incomplete),
        ("error", FinishReason::Error),
        ("network_error", FinishReason::Error),
        ("insufficient_system_resource", FinishReason::Error),
    ];
    for (word, expected) in cases {
        let answer = answer_of(&stream(&[delta(json!({"content": "x"})), finish(word)]));
        assert_eq!((answer.finish, answer.finish_raw.as_deref()), (expected, Some(word)));
        assert_eq!(answer.failure.is_some(), expected == FinishReason::Error, "{word}");
    }
}

#[test]
fn token_counts_are_read_under_every_name() {
    let usage = |counts: Value| answer_of(&stream(&[json!({"choices": [], "usage": counts})])).usage;
    let openai = json!({"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14,
        "prompt_tokens_details": {"cached_tokens": 8}, "completion_tokens_details": {"reasoning_tokens": 3}});
    let expected =
        Usage { input: Some(9), cached: Some(8), output: Some(5), reasoning: Some(3), raw: openai.clone() };
    assert_eq!(usage(openai), expected);
    let apart = json!({"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 17,
        "completion_tokens_details": {"reasoning_tokens": 3}});
    assert_eq!(usage(apart).output, Some(8), "thinking that is counted apart is billed, too");
    let deepseek = json!({"prompt_tokens": 9, "completion_tokens": 5, "prompt_cache_hit_tokens": 7});
    assert_eq!(usage(deepseek).cached, Some(7));
    let groq = stream(&[json!({"choices": [], "x_groq": {"usage": {"prompt_tokens": 4}}})]);
    assert_eq!(answer_of(&groq).usage.input, Some(4));
}

#[test]
fn first_id_and_first_choice_count() {
    let answer = answer_of(&stream(&[
        json!({"id": "", "choices": []}),
        json!({"id": "r1", "choices": [{"index": 1, "delta": {"content": "a"}}]}),
        json!({"id": "r2", "choices": [{"index": 2, "delta": {"content": "no"}},
            {"index": 1, "delta": {"content": "b"}}]}),
        finish("stop"),
    ]));
    assert_eq!(answer.response_id.as_deref(), Some("r1"));
    assert_eq!(bodies(&answer), [text("ab")]);
}

#[test]
fn error_is_found_in_every_place() {
    let error = json!({"code": 502, "message": "lost"});
    for chunk in [
        json!({"error": error}),
        json!({"choices": [{"index": 0, "delta": {"content": ""}, "error": error}]}),
        json!({"choices": [], "x_groq": {"error": error}}),
    ] {
        let answer =
            answer_of(&stream(&[delta(json!({"content": "so far"})), chunk.clone(), finish("stop")]));
        assert_eq!(bodies(&answer), [text("so far")]);
        let failure = answer.failure.unwrap_or_else(|| panic!("{chunk}"));
        assert_eq!((failure.category, failure.message.as_str()), (ProviderErrorKind::Server, "lost"));
    }
    for words in ["plain words", "{\"odd\": true}"] {
        let answer = answer_of(&format!("event: error\ndata: {words}\n\n"));
        assert_eq!(answer.failure.map(|failure| failure.category), Some(ProviderErrorKind::Server));
    }
}

#[test]
fn buffered_text_is_emitted_when_the_stream_breaks() {
    let broken = "data: {\"error\": \"x\"}\n\n";
    for ending in ["", broken] {
        let answer = answer_of(&format!("{}{ending}", stream(&[delta(json!({"content": "a \n </thi"}))])));
        assert_eq!(bodies(&answer), [text("a \n </thi")]);
    }
}

#[test]
fn page_and_empty_stream_are_distinguished() {
    for page in ["<html>Log in</html>", "null", "{\"hello\": 1}", "[1]"] {
        let answer = answer_of(page);
        assert_eq!(
            answer.failure.map(|failure| failure.category),
            Some(ProviderErrorKind::Garbled),
            "{page}"
        );
    }
    assert_eq!(answer_of(""), ModelAnswer::default());
    assert_eq!(answer_of(": ping\n\n").finish, FinishReason::Incomplete);
    assert_eq!(answer_of("data: [DONE]\n\n").finish, FinishReason::Stop);
}

#[test]
fn bad_event_is_skipped_and_many_in_a_row_are_an_error() {
    let good = stream(&[delta(json!({"content": "x"}))]);
    let answer = answer_of(&format!("{}{good}{}", "data: {oops\n\n".repeat(20), "data: 7\n\n".repeat(20)));
    assert_eq!((answer.skipped, answer.failure), (40, None));
    let failure = answer_of(&"data: {oops\n\n".repeat(21)).failure.unwrap();
    assert_eq!(failure.category, ProviderErrorKind::Garbled);
}

/// One chunk of any kind that a stream can have.
fn any_chunk() -> impl Strategy<Value = String> {
    let words = "[a-zé🔦\u{2028}\"\\\\ \n<>/]{0,8}";
    prop_oneof![
        (words, any::<bool>()).prop_map(|(text, thought)| {
            let key = if thought { "reasoning" } else { "content" };
            let mut said = serde_json::Map::new();
            said.insert(key.into(), text.into());
            format!("data: {}\n\n", delta(said.into()))
        }),
        prop::sample::select(vec!["<think>", "</think>", "\n</thi", "nk>"])
            .prop_map(|text| format!("data:{}\r\n\r\n", delta(json!({"content": text})))),
        (0..3_u8, prop::option::of("[ab]"), words).prop_map(|(index, id, text)| {
            let call = json!({"index": index, "id": id, "function": {"name": "t", "arguments": text}});
            format!("data: {}\r\r", delta(json!({"tool_calls": [call]})))
        }),
        any::<u32>().prop_map(|n| format!("data: {}\n\n", json!({"usage": {"prompt_tokens": n}}))),
        Just(format!("data: {}\n\n", finish("stop"))),
        Just("data: [DONE]\n\n".to_owned()),
        Just(": ping\r\n\r\n".to_owned()),
        Just("data: {broken\n\n".to_owned()),
        Just("{\"error\": {\"code\": 500,\n \"message\": \"stray\"}}\n".to_owned()),
    ]
}

decoder_properties!(OpenaiDecoder, any_chunk());

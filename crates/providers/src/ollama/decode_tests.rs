//! Tests of Ollama's decoder beyond the recorded fixtures, and its properties.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::chat::{Decode as _, ModelAnswer, ModelEvent};
use crate::ollama::OllamaDecoder;
use crate::tests;
use crate::tests::decoder_properties;
use nexus_model::llm::{FinishReason, Usage};
use nexus_model::message::content::PartBody;
use nexus_model::provider::ProviderErrorKind;

fn answer_of(body: &str) -> ModelAnswer {
    tests::answer_of::<OllamaDecoder>(&[body.as_bytes()])
}

fn piece(text: &str) -> Value {
    json!({"message": {"role": "assistant", "content": text}, "done": false})
}

#[test]
fn token_counts_are_read_beside_other_fields() {
    let last = json!({"done": true, "done_reason": "stop", "total_duration": 9,
        "prompt_eval_count": 7, "eval_count": 3});
    let answer = answer_of(&format!("{}\n{last}\n", piece("a")));
    let raw = json!({"prompt_eval_count": 7, "eval_count": 3});
    assert_eq!(answer.usage, Usage { input: Some(7), output: Some(3), raw, ..Usage::default() });
    assert_eq!((answer.finish, answer.finish_raw.as_deref()), (FinishReason::Stop, Some("stop")));
}

#[test]
fn calls_are_emitted_at_the_end() {
    let mut decoder = OllamaDecoder::default();
    let call =
        json!({"message": {"tool_calls": [{"function": {"name": "t", "arguments": {}}}]}, "done": false});
    assert_eq!(decoder.feed(format!("{call}\n").as_bytes()), []);
    let last = decoder.feed(b"{\"done\":true}\n");
    assert!(matches!(last.as_slice(), [ModelEvent::Call { .. }, ModelEvent::Finish { .. }]), "{last:?}");
    assert_eq!(decoder.feed(format!("{call}\n{{\"done\":true}}\n").as_bytes()), [], "nothing after the end");
}

#[test]
fn page_and_empty_stream_are_distinguished() {
    for page in ["<html>Log in</html>", "Ollama is running", "{\"hello\": 1}\n", "null\n"] {
        let answer = answer_of(page);
        assert_eq!(
            answer.failure.map(|failure| failure.category),
            Some(ProviderErrorKind::Garbled),
            "{page}"
        );
    }
    let long = answer_of(&"<p>Log in</p>\n".repeat(30)).failure.unwrap();
    assert_eq!(long.category, ProviderErrorKind::Garbled);
    assert!(long.message.starts_with("<p>Log in</p>"), "{}", long.message);
    assert_eq!(answer_of(""), ModelAnswer::default());
}

#[test]
fn bad_line_is_skipped_and_many_in_a_row_are_an_error() {
    let good = format!("{}\n", piece("x"));
    let answer = answer_of(&format!("{}{good}{}", "{oops\n".repeat(20), "7\n".repeat(20)));
    assert_eq!((answer.skipped, answer.failure), (40, None));
    assert_eq!(answer.parts[0].body, PartBody::Text { text: "x".into() });
    let failure = answer_of(&format!("{good}{}", "{oops\n".repeat(21))).failure.unwrap();
    assert_eq!(failure.category, ProviderErrorKind::Garbled);
}

/// One line of any kind that a stream can have.
fn any_line() -> impl Strategy<Value = String> {
    let words = "[a-zé🔦\u{2028}\"\\\\ \n<>/]{0,8}";
    prop_oneof![
        words.prop_map(|text| format!("{}\n", piece(&text))),
        words.prop_map(|text| format!("{}\r\n", json!({"message": {"thinking": text}}))),
        prop::sample::select(vec!["<think>", "</think>"]).prop_map(|tag| format!("{}\n", piece(tag))),
        words.prop_map(|text| {
            let call = json!({"function": {"name": "t", "arguments": {"a": text}}});
            format!("{}\n", json!({"message": {"tool_calls": [call]}}))
        }),
        any::<u32>().prop_map(|n| format!("{}\n", json!({"done": false, "eval_count": n}))),
        Just("{\"done\":true,\"done_reason\":\"stop\"}\n".to_owned()),
        Just("{\"error\":\"gone\"}\n".to_owned()),
        Just("{broken\r\n\n".to_owned()),
    ]
}

decoder_properties!(OllamaDecoder, any_line());

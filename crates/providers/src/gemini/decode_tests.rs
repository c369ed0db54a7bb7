//! Tests of each quirk of Gemini's stream.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::chat::{AnswerPart, ModelAnswer};
use crate::gemini::decode::GeminiDecoder;
use crate::tests;
use crate::tests::decoder_properties;
use nexus_model::llm::{FinishReason, Usage};
use nexus_model::message::content::{PartBody, ToolArgs, ToolCall};
use nexus_model::provider::{ProviderError, ProviderErrorKind};

fn answer_of(body: &str) -> ModelAnswer {
    tests::answer_of::<GeminiDecoder>(&[body.as_bytes()])
}

fn stream(responses: &[Value]) -> String {
    responses.iter().map(|response| format!("data: {response}\r\n\r\n")).collect()
}

fn parts(parts: Value) -> Value {
    json!({"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]})
}

fn finish(reason: &str) -> Value {
    json!({"candidates": [{"finishReason": reason}]})
}

fn text(text: &str) -> AnswerPart {
    AnswerPart { body: PartBody::Text { text: text.into() }, opaque: None }
}

fn thinking(text: &str) -> AnswerPart {
    AnswerPart { body: PartBody::Thinking { text: text.into() }, opaque: None }
}

fn signed(part: AnswerPart, signature: &str) -> AnswerPart {
    AnswerPart { opaque: Some(json!({"thoughtSignature": signature})), ..part }
}

fn call(id: Option<&str>, own: &str, name: &str, args: ToolArgs) -> AnswerPart {
    let call = ToolCall { id: id.unwrap_or(own).into(), own_id: id.is_none(), name: name.into(), args };
    AnswerPart { body: PartBody::ToolCall(call), opaque: None }
}

fn failure_of(body: &str) -> ProviderError {
    let answer = answer_of(body);
    assert_eq!(answer.finish, FinishReason::Error);
    answer.failure.expect("a failure")
}

#[test]
fn pieces_of_one_kind_are_joined() {
    let answer = answer_of(&stream(&[
        parts(json!([{"text": "hm", "thought": true}])),
        parts(json!([{"text": ", so", "thought": true}, {"text": "It "}])),
        parts(json!([{"text": ""}, {"text": "is."}])),
        parts(json!([{"text": "wait", "thought": true}, {"text": "Done."}])),
        finish("STOP"),
    ]));
    assert_eq!(answer.parts, [thinking("hm, so"), text("It is."), thinking("wait"), text("Done.")]);
    assert_eq!((answer.finish, answer.finish_raw.as_deref()), (FinishReason::Stop, Some("STOP")));
}

#[test]
fn signed_part_is_kept_unchanged() {
    let answer = answer_of(&stream(&[
        parts(json!([{"text": "a"}, {"text": "b", "thoughtSignature": "s1"}, {"text": "c"}, {"text": "d"}])),
        parts(json!([{"text": "e", "thought": true, "thoughtSignature": "s2"}])),
        parts(json!([{"text": "", "thoughtSignature": "s3"}, {"thoughtSignature": "s4"}])),
    ]));
    assert_eq!(
        answer.parts,
        [
            text("a"),
            signed(text("b"), "s1"),
            text("cd"),
            signed(thinking("e"), "s2"),
            signed(text(""), "s3"),
            signed(text(""), "s4"),
        ]
    );
}

#[test]
fn calls_are_decoded_with_or_without_id_and_arguments() {
    let args = |value| ToolArgs::Parsed(value);
    let answer = answer_of(&stream(&[
        parts(json!([
            {"functionCall": {"name": "a", "args": {"x": 1}, "id": "srv-1"}, "thoughtSignature": "s"},
            {"functionCall": {"name": "b"}},
            {"functionCall": {"name": "c", "args": null, "id": ""}},
        ])),
        parts(json!([
            {"functionCall": {"name": "d", "args": ""}},
            {"functionCall": {"name": "e", "args": "{\"y\":2}"}},
            {"functionCall": {"name": "f", "args": "{y:2}"}},
            {"functionCall": {"name": "g", "args": [1]}},
        ])),
        finish("STOP"),
    ]));
    assert_eq!(
        answer.parts,
        [
            signed(call(Some("srv-1"), "", "a", args(json!({"x": 1}))), "s"),
            call(None, "call-1", "b", args(json!({}))),
            call(None, "call-2", "c", args(json!({}))),
            call(None, "call-3", "d", args(json!({}))),
            call(None, "call-4", "e", args(json!({"y": 2}))),
            call(None, "call-5", "f", ToolArgs::Broken("{y:2}".into())),
            call(None, "call-6", "g", ToolArgs::Broken("[1]".into())),
        ]
    );
    assert_eq!((answer.finish, answer.finish_raw.as_deref()), (FinishReason::ToolCalls, Some("STOP")));
}

#[test]
fn incomplete_calls_and_unknown_parts_are_skipped() {
    let answer = answer_of(&stream(&[
        parts(json!([{"text": "a"}, {"executableCode": {"code": "1"}}, {"text": "b"}, {}, null])),
        parts(json!([{"functionCall": {"name": "half", "willContinue": true}}])),
        parts(json!([{"functionCall": {"partialArgs": [], "name": "half"}}, {"functionCall": {}}])),
        json!({"brandNew": 1}),
        finish("STOP"),
    ]));
    assert_eq!(answer.parts, [text("ab")]);
    assert_eq!((answer.finish, answer.skipped), (FinishReason::Incomplete, 6), "three calls are missing");
}

#[test]
fn call_after_the_finish_reason_counts() {
    let late_call = parts(json!([{"functionCall": {"name": "late"}}]));
    let answer = answer_of(&stream(&[finish("STOP"), late_call]));
    assert_eq!((answer.finish, answer.finish_raw.as_deref()), (FinishReason::ToolCalls, Some("STOP")));
}

#[test]
fn every_finish_reason_is_mapped() {
    use FinishReason::{ContentFilter, Error, Length, Stop};
    let cases = [
        ("STOP", Stop),
        ("MAX_TOKENS", Length),
        ("SAFETY", ContentFilter),
        ("RECITATION", ContentFilter),
        ("BLOCKLIST", ContentFilter),
        ("PROHIBITED_CONTENT", ContentFilter),
        ("SPII", ContentFilter),
        ("IMAGE_SAFETY", ContentFilter),
        ("OTHER", FinishReason::Incomplete),
        ("A_WORD_OF_NEXT_YEAR", FinishReason::Incomplete),
        ("MALFORMED_FUNCTION_CALL", Error),
        ("MISSING_THOUGHT_SIGNATURE", Error),
        ("FINISH_REASON_UNSPECIFIED", FinishReason::Incomplete),
    ];
    for (word, expected) in cases {
        let answer = answer_of(&stream(&[finish(word)]));
        assert_eq!(answer.finish, expected, "{word}");
        assert_eq!(answer.failure.is_some(), expected == Error, "{word}");
    }
}

#[test]
fn malformed_call_is_an_error_with_the_providers_message() {
    let body = stream(&[json!({"candidates": [{
        "finishReason": "MALFORMED_FUNCTION_CALL", "finishMessage": "Malformed function call: print("}]})]);
    let failure = failure_of(&body);
    assert_eq!(failure.category, ProviderErrorKind::Garbled);
    assert_eq!(failure.code.as_deref(), Some("MALFORMED_FUNCTION_CALL"));
    assert_eq!(failure.message, "Malformed function call: print(");
}

#[test]
fn blocked_prompt_is_a_finish_reason() {
    let answer = answer_of(&stream(&[json!({"promptFeedback": {"blockReason": "SAFETY"}})]));
    assert_eq!((answer.finish, answer.finish_raw.as_deref()), (FinishReason::ContentFilter, Some("SAFETY")));
    assert!(answer.finish_message.unwrap().contains("SAFETY"));
    assert_eq!(answer.failure, None);
    let harmless = answer_of(&stream(&[json!({"promptFeedback": {"safetyRatings": []}}), finish("STOP")]));
    assert_eq!(harmless.finish, FinishReason::Stop);
}

#[test]
fn last_token_counts_win_and_none_is_erased() {
    let answer = answer_of(&stream(&[
        json!({"usageMetadata": {"promptTokenCount": 5, "cachedContentTokenCount": 2}, "responseId": "r"}),
        json!({"usageMetadata": {"promptTokenCount": 5, "thoughtsTokenCount": 3, "toolUsePromptTokenCount": 10}, "responseId": null}),
        json!({"usageMetadata": {"promptTokenCount": 5, "candidatesTokenCount": 4}}),
        json!({"usageMetadata": null, "candidates": null}),
        json!({"candidates": [{"finishReason": "STOP"}]}),
        json!({"candidates": [{"finishReason": null, "content": null}]}),
    ]));
    let raw = json!({"promptTokenCount": 5, "candidatesTokenCount": 4});
    let expected = Usage { input: Some(15), cached: Some(2), output: Some(7), reasoning: Some(3), raw };
    assert_eq!(answer.usage, expected);
    assert_eq!(answer.response_id.as_deref(), Some("r"));
    assert_eq!(answer.finish, FinishReason::Stop);
}

#[test]
fn tool_tokens_are_counted() {
    let answer = answer_of(&stream(&[
        json!({"usageMetadata": {"promptTokenCount": 5}}),
        json!({"usageMetadata": {"toolUsePromptTokenCount": 10}}),
        finish("STOP"),
    ]));
    assert_eq!(answer.usage.input, Some(15));
}

#[test]
fn error_in_the_stream_keeps_earlier_content() {
    let error = json!({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}});
    let as_event = stream(&[parts(json!([{"text": "so far"}])), error.clone(), finish("STOP")]);
    let appended = format!("{}{error:#}\n", stream(&[parts(json!([{"text": "so far"}])), finish("STOP")]));
    for body in [as_event, appended] {
        let answer = answer_of(&body);
        assert_eq!(answer.parts, [text("so far")]);
        assert_eq!(answer.finish, FinishReason::Error);
        let failure = answer.failure.unwrap();
        assert_eq!((failure.category, failure.message.as_str()), (ProviderErrorKind::Overloaded, "busy"));
    }
}

#[test]
fn page_and_empty_stream_are_distinguished() {
    let failure = failure_of("<!doctype html>\n<html><title>Log in: hotel</title>\n</html>");
    assert_eq!(failure.category, ProviderErrorKind::Garbled);
    assert!(failure.message.contains("Log in: hotel"), "{}", failure.message);
    assert_eq!(failure_of("null").category, ProviderErrorKind::Garbled);
    assert_eq!(failure_of("{\"hello\": 1}").category, ProviderErrorKind::Garbled);
    assert_eq!(answer_of(""), ModelAnswer::default());
    assert_eq!(answer_of(": ping\n\n").finish, FinishReason::Incomplete);
}

#[test]
fn unstreamed_answer_is_decoded() {
    let whole =
        json!([parts(json!([{"text": "all "}])), parts(json!([{"text": "at once"}])), finish("STOP")]);
    let answer = answer_of(&format!("{whole:#}"));
    assert_eq!(answer.parts, [text("all at once")]);
    assert_eq!((answer.finish, answer.failure), (FinishReason::Stop, None));
}

#[test]
fn bad_event_is_skipped_and_many_in_a_row_are_an_error() {
    let good = stream(&[parts(json!([{"text": "x"}]))]);
    let answer = answer_of(&format!("{}{good}{}", "data: {oops\n\n".repeat(20), "data: 7\n\n".repeat(20)));
    assert_eq!((answer.skipped, answer.failure), (40, None));
    assert_eq!(answer.parts, [text("x")]);
    let failure = failure_of(&"data: {oops\n\n".repeat(21));
    assert_eq!(failure.category, ProviderErrorKind::Garbled);
}

#[test]
fn cut_connection_makes_the_answer_incomplete_without_partial_calls() {
    let body = stream(&[
        parts(json!([{"text": "so far"}])),
        parts(json!([{"functionCall": {"name": "write_file", "args": {"name": "a"}}}])),
    ]);
    let cut = body.strip_suffix("}]},\"index\":0}]}\r\n\r\n").expect("the end of the call");
    let answer = answer_of(cut);
    assert_eq!(answer.parts, [text("so far")]);
    assert_eq!((answer.finish, answer.failure), (FinishReason::Incomplete, None));
}

/// One response of any kind that a stream can have.
fn any_response() -> impl Strategy<Value = String> {
    let words = "[a-zé€🔦\u{2028}\"\\\\ \n]{0,8}";
    prop_oneof![
        (words, any::<bool>(), any::<bool>()).prop_map(|(text, thought, is_signed)| {
            let mut part = json!({"text": text});
            if thought {
                part["thought"] = true.into();
            }
            if is_signed {
                part["thoughtSignature"] = "c2ln".into();
            }
            format!("data: {}\n\n", parts(json!([part])))
        }),
        words.prop_map(|text| {
            let call = json!({"functionCall": {"name": "t", "args": {"text": text}}});
            format!("data: {}\r\n\r\n", parts(json!([call])))
        }),
        any::<u32>().prop_map(|n| format!("data: {}\r\r", json!({"usageMetadata": {"promptTokenCount": n}}))),
        Just(format!("data: {}\n\n", finish("STOP"))),
        Just(": ping\r\n\r\n".to_owned()),
        Just("data: {broken\n\n".to_owned()),
        Just("{\"error\": {\"code\": 500,\n \"message\": \"stray\"}}\n".to_owned()),
    ]
}

decoder_properties!(GeminiDecoder, any_response());

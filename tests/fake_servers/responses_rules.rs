//! Tests of the Responses rules, one by one.

use nexus_model::provider::Protocol;
use serde_json::{Value, json};

use super::spoil::{rejections, remove, set};
use crate::e2e::provider::{self, ApiError, Call, Host, IssuedData, Signed};

const MODEL: &str = "gpt-6-luna";

fn thought() -> Value {
    json!({
        "type": "reasoning", "id": "rs_1", "encrypted_content": "sealed",
        "summary": [{ "type": "summary_text", "text": "hm" }],
    })
}

fn check(body: &Value) -> Result<(), ApiError> {
    let signed = |model: &str| Signed { model: model.to_owned(), part: thought() };
    let issued =
        IssuedData::from([("sealed".to_owned(), signed(MODEL)), ("other".to_owned(), signed("gpt-6.1-sol"))]);
    let model = body["model"].as_str().unwrap_or_default();
    provider::check(Call { protocol: Protocol::Responses, host: Host::Openai, model, body }, &issued)
}

fn conversation() -> Value {
    let call = |id: &str, name: &str| json!({ "type": "function_call", "call_id": id, "name": name, "arguments": "{\"a\":1}" });
    json!({
        "model": MODEL,
        "instructions": "You are the Engineer.",
        "input": [
            { "role": "user", "content": [{ "type": "input_text", "text": "hello" }] },
            { "type": "message", "role": "assistant", "content": [{ "type": "output_text", "text": "hi" }] },
            { "role": "user", "content": [
                { "type": "input_text", "text": "look" },
                { "type": "input_image", "image_url": "data:image/png;base64,aGk=" },
            ]},
            thought(),
            call("call_1", "read"),
            call("call_2", "list"),
            { "type": "function_call_output", "call_id": "call_1", "output": "{}" },
            { "type": "function_call_output", "call_id": "call_2", "output": "" },
        ],
        "tools": [
            { "type": "function", "name": "read", "parameters": { "type": "object" }, "strict": false },
            { "type": "function", "name": "list", "strict": true, "parameters": {
                "type": "object", "properties": {}, "required": [], "additionalProperties": false } },
        ],
        "reasoning": { "effort": "low", "summary": "auto" },
        "include": ["reasoning.encrypted_content"],
        "max_output_tokens": 4096,
        "store": false,
        "stream": true,
    })
}

rejections!(conversation(), check);

#[test]
fn a_valid_conversation_is_accepted() {
    assert_eq!(check(&conversation()), Ok(()));
}

#[test]
fn fields_and_their_types() {
    rejected("/messages", json!([]), "Unknown parameter: 'messages'");
    rejected("/max_tokens", json!(5), "Unknown parameter: 'max_tokens'");
    rejected("/tools/0/function", json!({ "name": "read" }), "Unknown parameter: 'tools[0].function'");
    rejected("/input/4/tool_call_id", json!("x"), "'input[4].tool_call_id'");
    rejected("/input/4/arguments", json!({ "a": 1 }), "expected a string");
    rejected("/include/0", json!("thoughts"), "'include[0]'");
    rejected("/reasoning/effort", json!("much"), "'reasoning.effort'");
    rejected_without("/input/6/output", "'input[6].output'");
    rejected_without("/input/3/summary", "'input[3].summary'");
    rejected_without("/tools/0/name", "'tools[0].name'");
    rejected("/store", json!(true), "would be stored");
    rejected_without("/store", "would be stored");
    rejected_without("/stream", "does not stream");
}

#[test]
fn who_says_what() {
    rejected("/input/0/content/0/type", json!("output_text"), "Invalid value: 'output_text'");
    rejected("/input/1/content/0/type", json!("input_text"), "Invalid value: 'input_text'");
    rejected("/input/0/content/0/text", json!(""), "it is empty");
    rejected("/input/0/content", json!([]), "it is empty");
    rejected("/input/2/content/1/image_url", json!("data:image/png;base64,!"), "data URL");
    rejected("/input/0/role", json!("assistant"), "Invalid value: 'input_text'");
    let end = json!({ "role": "assistant", "content": "done" });
    rejected("/input/-", end, "nothing is asked at its end");
    rejected("/input", json!([]), "Missing required parameter: 'input'");
}

#[test]
fn calls_and_their_outputs() {
    rejected_without("/input/7", "No tool output found for function call call_2");
    rejected_without("/input/4", "No tool call found for function call output with call_id call_1");
    rejected("/input/5/call_id", json!("call_1"), "Duplicate call_id");
    rejected("/input/4/call_id", json!(""), "empty, or string too long");
    rejected("/input/4/call_id", json!("x".repeat(65)), "empty, or string too long");
    rejected("/input/4/name", json!("größe"), "does not match pattern");
    rejected("/input/4/arguments", json!("{\"a\""), "not a JSON object");
    rejected("/input/4/id", json!("call_1"), "begins with 'fc'");
    let mut body = conversation();
    let between = json!({ "role": "user", "content": "wait" });
    body["input"].as_array_mut().unwrap().insert(6, between);
    rejected_body(&body, "No tool output found");
}

#[test]
fn reasoning_is_sent_back_unchanged() {
    rejected("/input/3/encrypted_content", json!("forged"), "could not be verified");
    rejected("/input/3/encrypted_content", json!("other"), "could not be verified");
    rejected("/input/3/summary/0/text", json!("hmm"), "was changed in 'summary'");
    rejected("/input/3/id", json!("rs_2"), "was changed in 'id'");
    let mut body = conversation();
    let items = body["input"].as_array_mut().unwrap();
    items.truncate(4);
    items.push(json!({ "role": "user", "content": "so?" }));
    rejected_body(&body, "without its required following item");
}

#[test]
fn settings() {
    rejected("/temperature", json!(0.5), "'temperature' is not supported");
    rejected("/max_output_tokens", json!(1), "below minimum");
    rejected("/tools/0/strict", json!(true), "'additionalProperties' is required");
    rejected_without("/tools/0/strict", "'additionalProperties' is required");
    rejected("/tools/1/name", json!("read"), "must be unique");
    rejected("/tools/0/parameters", json!({}), "schema must be of");
    let schema = json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
    let format =
        json!({ "format": { "type": "json_schema", "name": "x", "schema": schema, "strict": true } });
    rejected("/text", format, "'required' must include every key");

    let mut body = conversation();
    set(&mut body, "/model", json!("gpt-6.1-sol"));
    set(&mut body, "/reasoning/effort", json!("none"));
    rejected_body(&body, "'none' is not supported");
    set(&mut body, "/model", json!("gpt-4.1"));
    rejected_body(&body, "'reasoning.effort' is not supported");
    remove(&mut body, "/reasoning");
    rejected_body(&body, "Encrypted content is not supported");
    remove(&mut body, "/include");
    remove(&mut body, "/input/3");
    set(&mut body, "/temperature", json!(0.5));
    assert_eq!(check(&body), Ok(()));
}

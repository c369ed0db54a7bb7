//! Tests of the Responses rules, one by one.

use nexus_model::provider::Protocol;
use serde_json::{Value, json};

use super::spoil::{refusals, remove, set};
use crate::e2e::provider::{self, Call, Host, Minted, Refusal, Signed};

const MODEL: &str = "gpt-6-luna";

fn thought() -> Value {
    json!({
        "type": "reasoning", "id": "rs_1", "encrypted_content": "sealed",
        "summary": [{ "type": "summary_text", "text": "hm" }],
    })
}

fn check(body: &Value) -> Result<(), Refusal> {
    let signed = |model: &str| Signed { model: model.to_owned(), part: thought() };
    let minted =
        Minted::from([("sealed".to_owned(), signed(MODEL)), ("other".to_owned(), signed("gpt-6.1-sol"))]);
    let model = body["model"].as_str().unwrap_or_default();
    provider::check(Call { protocol: Protocol::Responses, host: Host::Openai, model, body }, &minted)
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

refusals!(conversation(), check);

#[test]
fn a_good_conversation_is_taken() {
    assert_eq!(check(&conversation()), Ok(()));
}

#[test]
fn fields_and_their_types() {
    refused("/messages", json!([]), "Unknown parameter: 'messages'");
    refused("/max_tokens", json!(5), "Unknown parameter: 'max_tokens'");
    refused("/tools/0/function", json!({ "name": "read" }), "Unknown parameter: 'tools[0].function'");
    refused("/input/4/tool_call_id", json!("x"), "'input[4].tool_call_id'");
    refused("/input/4/arguments", json!({ "a": 1 }), "expected a string");
    refused("/include/0", json!("thoughts"), "'include[0]'");
    refused("/reasoning/effort", json!("much"), "'reasoning.effort'");
    refused_without("/input/6/output", "'input[6].output'");
    refused_without("/input/3/summary", "'input[3].summary'");
    refused_without("/tools/0/name", "'tools[0].name'");
    refused("/store", json!(true), "would be stored");
    refused_without("/store", "would be stored");
    refused_without("/stream", "does not stream");
}

#[test]
fn who_says_what() {
    refused("/input/0/content/0/type", json!("output_text"), "Invalid value: 'output_text'");
    refused("/input/1/content/0/type", json!("input_text"), "Invalid value: 'input_text'");
    refused("/input/0/content/0/text", json!(""), "it is empty");
    refused("/input/0/content", json!([]), "it is empty");
    refused("/input/2/content/1/image_url", json!("data:image/png;base64,!"), "data URL");
    refused("/input/0/role", json!("assistant"), "Invalid value: 'input_text'");
    let end = json!({ "role": "assistant", "content": "done" });
    refused("/input/-", end, "nothing is asked at its end");
    refused("/input", json!([]), "Missing required parameter: 'input'");
}

#[test]
fn calls_and_their_outputs() {
    refused_without("/input/7", "No tool output found for function call call_2");
    refused_without("/input/4", "No tool call found for function call output with call_id call_1");
    refused("/input/5/call_id", json!("call_1"), "Duplicate call_id");
    refused("/input/4/call_id", json!(""), "empty, or string too long");
    refused("/input/4/call_id", json!("x".repeat(65)), "empty, or string too long");
    refused("/input/4/name", json!("größe"), "does not match pattern");
    refused("/input/4/arguments", json!("{\"a\""), "not a JSON object");
    refused("/input/4/id", json!("call_1"), "begins with 'fc'");
    let mut body = conversation();
    let between = json!({ "role": "user", "content": "wait" });
    body["input"].as_array_mut().unwrap().insert(6, between);
    refused_body(&body, "No tool output found");
}

#[test]
fn reasoning_comes_back_as_it_was() {
    refused("/input/3/encrypted_content", json!("forged"), "could not be verified");
    refused("/input/3/encrypted_content", json!("other"), "could not be verified");
    refused("/input/3/summary/0/text", json!("hmm"), "was changed in 'summary'");
    refused("/input/3/id", json!("rs_2"), "was changed in 'id'");
    let mut body = conversation();
    let items = body["input"].as_array_mut().unwrap();
    items.truncate(4);
    items.push(json!({ "role": "user", "content": "so?" }));
    refused_body(&body, "without its required following item");
}

#[test]
fn settings() {
    refused("/temperature", json!(0.5), "'temperature' is not supported");
    refused("/max_output_tokens", json!(1), "below minimum");
    refused("/tools/0/strict", json!(true), "'additionalProperties' is required");
    refused_without("/tools/0/strict", "'additionalProperties' is required");
    refused("/tools/1/name", json!("read"), "must be unique");
    refused("/tools/0/parameters", json!({}), "schema must be of");
    let schema = json!({ "type": "object", "properties": { "a": {} }, "additionalProperties": false });
    let format =
        json!({ "format": { "type": "json_schema", "name": "x", "schema": schema, "strict": true } });
    refused("/text", format, "'required' must include every key");

    let mut body = conversation();
    set(&mut body, "/model", json!("gpt-6.1-sol"));
    set(&mut body, "/reasoning/effort", json!("none"));
    refused_body(&body, "'none' is not supported");
    set(&mut body, "/model", json!("gpt-4.1"));
    refused_body(&body, "'reasoning.effort' is not supported");
    remove(&mut body, "/reasoning");
    refused_body(&body, "Encrypted content is not supported");
    remove(&mut body, "/include");
    remove(&mut body, "/input/3");
    set(&mut body, "/temperature", json!(0.5));
    assert_eq!(check(&body), Ok(()));
}

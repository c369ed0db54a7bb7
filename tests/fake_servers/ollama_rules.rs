//! Tests of the Ollama rules, one by one.

use nexus_model::provider::Protocol;
use serde_json::{Value, json};

use super::spoil::{rejections, remove, set};
use crate::e2e::provider::{self, ApiError, Call, Host, IssuedData, Signed};

fn check(body: &Value) -> Result<(), ApiError> {
    let issued =
        IssuedData::from([("hm".to_owned(), Signed { model: "qwen3:8b".to_owned(), part: json!("hm") })]);
    let model = body["model"].as_str().unwrap_or_default();
    provider::check(Call { protocol: Protocol::Ollama, host: Host::Local, model, body }, &issued)
}

fn conversation() -> Value {
    json!({
        "model": "qwen3:8b",
        "stream": true,
        "think": true,
        "messages": [
            { "role": "system", "content": "You are the Critic." },
            { "role": "user", "content": "look", "images": ["aGk="] },
            { "role": "assistant", "content": "", "thinking": "hm", "tool_calls": [
                { "function": { "name": "read", "arguments": { "a": 1 } } },
                { "function": { "name": "list", "arguments": {} } },
            ]},
            { "role": "tool", "tool_name": "read", "content": "{}" },
            { "role": "tool", "tool_name": "list", "content": "" },
        ],
        "tools": [{ "type": "function", "function": { "name": "read", "parameters": { "type": "object" } } }],
        "options": { "num_ctx": 32_768, "temperature": 0.5 },
    })
}

rejections!(conversation(), check);

#[test]
fn a_valid_conversation_is_accepted() {
    assert_eq!(check(&conversation()), Ok(()));
}

#[test]
fn fields_and_their_types() {
    rejected("/max_tokens", json!(5), "unknown field \"max_tokens\"");
    rejected("/messages/1/name", json!("Ada"), "unknown field \"name\"");
    rejected("/messages/2/tool_calls/0/function/arguments", json!("{}"), "cannot unmarshal");
    rejected("/messages/1/content", json!([{ "type": "text", "text": "x" }]), "cannot unmarshal");
    rejected("/think", json!("much"), "cannot unmarshal");
    rejected("/stream", json!(false), "does not stream");
    rejected_without("/options/num_ctx", "\"num_ctx\" is missing");
    rejected_without("/options", "\"options\" is missing");
    rejected_without("/messages/3/tool_name", "\"tool_name\" is missing");
    rejected("/tools/0/function/parameters", json!({}), "its parameters are no object");
}

#[test]
fn messages() {
    rejected("/messages", json!([{ "role": "system", "content": "x" }]), "nobody asks anything");
    rejected("/messages/-", json!({ "role": "assistant", "content": "so" }), "would be continued");
    rejected("/messages/-", json!({ "role": "system", "content": "so" }), "system prompt in the middle");
    rejected("/messages/-", json!({ "role": "user", "content": "" }), "it says nothing");
    rejected("/messages/1/images/0", json!("data:image/png;base64,aGk="), "illegal base64");
    rejected("/messages/2/tool_calls", json!([]), "no call among");
    rejected("/messages/2/thinking", json!("hmm"), "never thought");
    rejected("/messages/3/tool_name", json!("list"), "where none is expected");
    rejected_without("/messages/4", "calls without a result: list");
    rejected_without("/messages/2", "where none is expected");
    rejected("/messages/2/tool_calls/1/function/name", json!(""), "a call without a name");
}

#[test]
fn models_without_tools_and_thinking() {
    let mut body = conversation();
    set(&mut body, "/model", json!("gemma3:4b"));
    rejected_body(&body, "does not support tools");
    remove(&mut body, "/tools");
    rejected_body(&body, "does not support thinking");
    set(&mut body, "/think", json!(false));
    body["messages"].as_array_mut().unwrap().truncate(2);
    assert_eq!(check(&body), Ok(()));
}

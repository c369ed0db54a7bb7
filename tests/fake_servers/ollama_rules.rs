//! Tests of the Ollama rules, one by one.

use nexus_model::provider::Protocol;
use serde_json::{Value, json};

use super::spoil::{refusals, remove, set};
use crate::e2e::provider::{self, Call, Host, Minted, Refusal, Signed};

fn check(body: &Value) -> Result<(), Refusal> {
    let minted =
        Minted::from([("hm".to_owned(), Signed { model: "qwen3:8b".to_owned(), part: json!("hm") })]);
    let model = body["model"].as_str().unwrap_or_default();
    provider::check(Call { protocol: Protocol::Ollama, host: Host::Local, model, body }, &minted)
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

refusals!(conversation(), check);

#[test]
fn a_good_conversation_is_taken() {
    assert_eq!(check(&conversation()), Ok(()));
}

#[test]
fn fields_and_their_types() {
    refused("/max_tokens", json!(5), "unknown field \"max_tokens\"");
    refused("/messages/1/name", json!("Ada"), "unknown field \"name\"");
    refused("/messages/2/tool_calls/0/function/arguments", json!("{}"), "cannot unmarshal");
    refused("/messages/1/content", json!([{ "type": "text", "text": "x" }]), "cannot unmarshal");
    refused("/think", json!("much"), "cannot unmarshal");
    refused("/stream", json!(false), "does not stream");
    refused_without("/options/num_ctx", "\"num_ctx\" is missing");
    refused_without("/options", "\"options\" is missing");
    refused_without("/messages/3/tool_name", "\"tool_name\" is missing");
    refused("/tools/0/function/parameters", json!({}), "its parameters are no object");
}

#[test]
fn messages() {
    refused("/messages", json!([{ "role": "system", "content": "x" }]), "nobody asks anything");
    refused("/messages/-", json!({ "role": "assistant", "content": "so" }), "would be continued");
    refused("/messages/-", json!({ "role": "system", "content": "so" }), "system prompt in the middle");
    refused("/messages/-", json!({ "role": "user", "content": "" }), "it says nothing");
    refused("/messages/1/images/0", json!("data:image/png;base64,aGk="), "illegal base64");
    refused("/messages/2/tool_calls", json!([]), "no call among");
    refused("/messages/2/thinking", json!("hmm"), "never thought");
    refused("/messages/3/tool_name", json!("list"), "where none is expected");
    refused_without("/messages/4", "calls without a result: list");
    refused_without("/messages/2", "where none is expected");
    refused("/messages/2/tool_calls/1/function/name", json!(""), "a call without a name");
}

#[test]
fn models_that_can_not() {
    let mut body = conversation();
    set(&mut body, "/model", json!("gemma3:4b"));
    refused_body(&body, "does not support tools");
    remove(&mut body, "/tools");
    refused_body(&body, "does not support thinking");
    set(&mut body, "/think", json!(false));
    body["messages"].as_array_mut().unwrap().truncate(2);
    assert_eq!(check(&body), Ok(()));
}

//! Tests of the Chat Completions rules, one by one.

use nexus_model::provider::Protocol;
use serde_json::{Value, json};

use super::spoil::{remove, set};
use crate::e2e::provider::{self, ApiError, Call, Host, IssuedData, Signed, detail_key};

const MODEL: &str = "qwen3.5-27b";

const HOSTS: [Host; 9] = [
    Host::Openai,
    Host::OpenRouter,
    Host::Groq,
    Host::Mistral,
    Host::DeepSeek,
    Host::Xai,
    Host::Perplexity,
    Host::Local,
    Host::Other,
];

fn check(host: Host, body: &Value) -> Result<(), ApiError> {
    let signed = |part: Value| Signed { model: MODEL.to_owned(), part };
    let detail = json!({ "type": "reasoning.text", "text": "hm", "index": 0 });
    let issued = IssuedData::from([
        ("hm".to_owned(), signed(json!("hm"))),
        (detail_key("hm"), signed(detail)),
        ("elsewhere".to_owned(), Signed { model: "kimi-k3".to_owned(), part: json!("elsewhere") }),
    ]);
    let model = body["model"].as_str().unwrap_or_default();
    provider::check(Call { protocol: Protocol::Openai, host, model, body }, &issued)
}

/// A turn of two calls after a turn of plain text.
fn conversation() -> Value {
    let call = |id: &str, name: &str, arguments: &str| json!({ "id": id, "type": "function", "function": { "name": name, "arguments": arguments } });
    json!({
        "model": MODEL,
        "stream": true,
        "messages": [
            { "role": "system", "content": "You are the Engineer." },
            { "role": "user", "content": "hello" },
            { "role": "assistant", "content": "hi" },
            { "role": "user", "content": [
                { "type": "text", "text": "look" },
                { "type": "image_url", "image_url": { "url": "data:image/png;base64,aGk=" } },
            ]},
            { "role": "assistant", "content": null, "tool_calls": [
                call("aaaaaaaa1", "read", "{\"a\":1}"), call("aaaaaaaa2", "list", "{}"),
            ]},
            { "role": "tool", "tool_call_id": "aaaaaaaa1", "content": "{\"ok\":true}" },
            { "role": "tool", "tool_call_id": "aaaaaaaa2", "content": "" },
        ],
        "tools": [
            { "type": "function", "function": { "name": "read", "description": "", "parameters": {
                "type": "object", "properties": { "a": { "type": "integer" } } } } },
            { "type": "function", "function": { "name": "list", "parameters": { "type": "object" } } },
        ],
        "tool_choice": "auto",
        "temperature": 0.5,
    })
}

#[track_caller]
fn rejected(pointer: &str, value: Value, words: &str) {
    rejected_at(Host::Other, pointer, value, words);
}

#[track_caller]
fn rejected_at(host: Host, pointer: &str, value: Value, words: &str) {
    let mut body = conversation();
    set(&mut body, pointer, value);
    rejected_body(host, &body, words);
}

#[track_caller]
fn rejected_without(pointer: &str, words: &str) {
    let mut body = conversation();
    remove(&mut body, pointer);
    rejected_body(Host::Other, &body, words);
}

#[track_caller]
fn rejected_body(host: Host, body: &Value, words: &str) {
    let api_error = check(host, body).expect_err("it was accepted");
    assert_eq!(api_error.code, 400);
    assert!(api_error.message.contains(words), "other words: {}", api_error.message);
}

#[track_caller]
fn accepted_at(host: Host, pointer: &str, value: Value) {
    let mut body = conversation();
    set(&mut body, pointer, value);
    assert_eq!(check(host, &body), Ok(()), "{host:?}");
}

#[test]
fn only_mistral_accepts_thinking_in_the_content() {
    let thought =
        json!({ "type": "thinking", "thinking": [{ "type": "text", "text": "hm" }], "closed": true });
    let content = json!([thought, { "type": "text", "text": "hi" }]);
    accepted_at(Host::Mistral, "/messages/2/content", content.clone());
    rejected_at(Host::Other, "/messages/2/content", content.clone(), "takes no thinking among the content");
    rejected_at(Host::Mistral, "/messages/1/content", content, "messages[1].content");
}

#[test]
fn a_valid_conversation_is_accepted_by_all_hosts() {
    for host in HOSTS {
        let mut body = conversation();
        if host == Host::Perplexity {
            ["tools", "tool_choice"].iter().for_each(|name| remove(&mut body, &format!("/{name}")));
            body["messages"].as_array_mut().unwrap().truncate(4);
        }
        if host == Host::DeepSeek {
            set(&mut body, "/messages/2/reasoning_content", json!(""));
            set(&mut body, "/messages/4/reasoning_content", json!("hm"));
        }
        assert_eq!(check(host, &body), Ok(()), "{host:?}");
    }
}

#[test]
fn fields_and_their_types() {
    rejected("/max_token", json!(5), "Unknown parameter: 'max_token'");
    rejected("/messages/1/name", json!("Ada"), "Unknown parameter: 'messages[1].name'");
    rejected("/messages/4/tool_calls/0/index", json!(0), "tool_calls[0].index'");
    rejected("/messages/5/tool_call_id", json!(5), "expected a string");
    rejected("/messages/4/tool_calls/0/function/arguments", json!({ "a": 1 }), "expected a string");
    rejected("/messages/1/role", json!("human"), "of a known type");
    rejected("/messages/3/content/0/type", json!("input_text"), "of a known type");
    rejected("/stream", json!(false), "does not stream");
    rejected_without("/model", "Missing required parameter: 'model'");
    rejected_without("/messages/5/tool_call_id", "'messages[5].tool_call_id'");
    rejected_without("/messages/1/content", "'messages[1].content'");
}

#[test]
fn settings_of_single_hosts() {
    let unknown = "unknown to this host";
    rejected_at(Host::Mistral, "/stream_options", json!({ "include_usage": true }), unknown);
    rejected_at(Host::Mistral, "/max_completion_tokens", json!(5), unknown);
    rejected_at(Host::Local, "/max_completion_tokens", json!(5), unknown);
    rejected_at(Host::Groq, "/reasoning", json!({ "effort": "low" }), unknown);
    rejected_at(Host::Other, "/store", json!(false), unknown);
    rejected_at(Host::Openai, "/thinking", json!({ "type": "enabled" }), unknown);
    accepted_at(Host::OpenRouter, "/reasoning", json!({ "effort": "low" }));
    accepted_at(Host::Local, "/stream_options", json!({ "include_usage": true }));
    rejected_at(Host::Mistral, "/temperature", json!(1.9), "out of range");
    accepted_at(Host::Groq, "/temperature", json!(1.9));
}

#[test]
fn roles_and_their_order() {
    rejected_without("/messages/1", "first message after the system message");
    rejected("/messages/-", json!({ "role": "assistant", "content": "more" }), "Expected last role");
    rejected("/messages/-", json!({ "role": "system", "content": "more" }), "must be at the beginning");
    rejected("/messages", json!([]), "at least one user message");
    let again = json!({ "role": "user", "content": "and" });
    let mut body = conversation();
    body["messages"].as_array_mut().unwrap().insert(2, again.clone());
    for host in HOSTS {
        let is_strict = matches!(host, Host::Mistral | Host::Local | Host::Perplexity);
        if !matches!(host, Host::DeepSeek | Host::Perplexity) {
            assert_eq!(check(host, &body).is_err(), is_strict, "{host:?}");
        }
    }
    rejected_body(Host::Local, &body, "roles must alternate");
    rejected_at(Host::Mistral, "/messages/-", again.clone(), "Unexpected role 'user' after role 'tool'");
    accepted_at(Host::Openai, "/messages/-", again);
    accepted_at(Host::Openai, "/messages/0/role", json!("developer"));
}

#[test]
fn empty_messages() {
    rejected("/messages/1/content", json!(""), "must not be empty");
    rejected("/messages/1/content", json!([]), "must not be empty");
    rejected("/messages/2/content", json!(""), "either content or tool_calls");
    rejected("/messages/2/content", json!(null), "either content or tool_calls");
    rejected("/messages/2/tool_calls", json!([]), "too short");
    rejected("/messages/3/content/0/text", json!(""), "non-empty");
    rejected("/messages/3/content/1/image_url/url", json!("data:image/png;base64,a"), "data URL");
    rejected("/messages/3/content/1/image_url/url", json!("data:image/svg+xml;base64,aGk="), "data URL");
}

#[test]
fn calls_and_their_answers() {
    rejected_without("/messages/6", "did not have response messages: aaaaaaaa2");
    rejected_without("/messages/4", "must be a response to a preceding");
    rejected("/messages/6/tool_call_id", json!("aaaaaaaa1"), "must be a response to a preceding");
    rejected("/messages/4/tool_calls/1/id", json!("aaaaaaaa1"), "Duplicate tool call id");
    rejected("/messages/4/tool_calls/0/function/name", json!("größe"), "does not match pattern");
    rejected("/messages/4/tool_calls/0/function/name", json!(""), "does not match pattern");
    for broken in ["", "{\"a\":", "[1]", "null"] {
        let place = "/messages/4/tool_calls/0/function/arguments";
        rejected(place, json!(broken), "not a JSON object");
    }
    let mut split = conversation();
    let between = json!({ "role": "user", "content": "wait" });
    split["messages"].as_array_mut().unwrap().insert(6, between);
    rejected_body(Host::Other, &split, "must be followed by tool messages");

    let long = "x".repeat(41);
    for (host, id) in [(Host::Mistral, "call_1"), (Host::Mistral, "aaaa-aaa1"), (Host::Openai, &long)] {
        let mut body = conversation();
        set(&mut body, "/messages/4/tool_calls/0/id", json!(id));
        set(&mut body, "/messages/5/tool_call_id", json!(id));
        rejected_body(host, &body, "Tool call id was");
        assert_eq!(check(Host::Other, &body), Ok(()));
    }
}

#[test]
fn tools_and_formats() {
    rejected("/tools", json!([]), "too short");
    rejected("/tools/1/function/name", json!("read"), "must be unique: read");
    rejected("/tools/1/function/name", json!("with space"), "does not match pattern");
    rejected("/tools/1/function/parameters", json!({}), "must be of 'type: \"object\"'");
    rejected("/tools/0/function/strict", json!(true), "'additionalProperties' is required");
    rejected_without("/tools", "only allowed when 'tools'");
    let format = |strict: bool| {
        let schema = json!({ "type": "object", "properties": { "a": { "type": "string" } },
            "additionalProperties": false });
        json!({ "type": "json_schema", "json_schema": { "name": "x", "schema": schema, "strict": strict } })
    };
    rejected("/response_format", format(true), "'required' must include every key");
    accepted_at(Host::Other, "/response_format", format(false));
}

#[test]
fn thinking_is_sent_back_to_its_model_only() {
    let place = "/messages/2/reasoning_content";
    for host in [Host::Openai, Host::Groq, Host::Mistral, Host::OpenRouter] {
        rejected_at(host, place, json!("hm"), "'reasoning_content' is unsupported");
    }
    accepted_at(Host::Local, place, json!("hm"));
    rejected(place, json!("hmm"), "was not given by");
    rejected(place, json!("elsewhere"), "was not given by");
    let details = "/messages/2/reasoning_details";
    let detail = json!([{ "type": "reasoning.text", "text": "hm", "index": 0 }]);
    accepted_at(Host::OpenRouter, details, detail.clone());
    rejected_at(Host::Groq, details, detail, "is unsupported");
    let changed = json!([{ "type": "reasoning.text", "text": "hm", "index": 1 }]);
    rejected_at(Host::OpenRouter, details, changed, "was changed");
    rejected_at(Host::DeepSeek, place, json!("hm"), "Missing `reasoning_content`");
}

#[test]
fn settings_that_openai_s_reasoning_models_reject() {
    let with = |settings: Value| {
        let mut body = json!({
            "model": "gpt-6-luna", "stream": true, "messages": [{ "role": "user", "content": "x" }],
        });
        body.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        check(Host::Openai, &body)
    };
    let tools =
        json!([{ "type": "function", "function": { "name": "a", "parameters": { "type": "object" } } }]);
    let words = |settings: Value| with(settings).unwrap_err().message;
    assert!(words(json!({ "max_tokens": 5 })).contains("Use 'max_completion_tokens'"));
    assert!(words(json!({ "temperature": 0.5 })).contains("Only the default (1)"));
    assert!(words(json!({ "tools": tools, "reasoning_effort": "low" })).contains("use /v1/responses"));
    assert!(with(json!({ "tools": tools, "reasoning_effort": "none", "temperature": 0.5 })).is_ok());
    assert!(words(json!({ "model": "gpt-6.1-sol", "tools": tools })).contains("use /v1/responses"));
    assert!(words(json!({ "model": "gpt-6.1-sol", "reasoning_effort": "none" })).contains("'none'"));
    assert!(words(json!({ "model": "gpt-4.1", "reasoning_effort": "low" })).contains("Unrecognized"));
    assert!(with(json!({ "model": "gpt-4.1", "temperature": 0.5, "tools": tools })).is_ok());
}

#[test]
fn an_error_in_openai_s_format() {
    let body = ApiError { status: "insufficient_quota", code: 429, ..ApiError::argument("spent") };
    let error = &body.body(Protocol::Openai)["error"];
    assert_eq!(
        (&error["type"], &error["code"]),
        (&json!("insufficient_quota"), &json!("insufficient_quota"))
    );
    let error = &ApiError::argument("no").body(Protocol::Responses)["error"];
    assert_eq!((&error["type"], &error["code"]), (&json!("invalid_request_error"), &json!(null)));
}

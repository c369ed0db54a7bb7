//! Tests of the Anthropic rules, one by one.

use nexus_model::provider::Protocol;
use serde_json::{Value, json};

use super::spoil::{rejections, remove, set};
use crate::e2e::provider::{self, ApiError, Call, Host, IssuedData, Signed};

const MODEL: &str = "claude-haiku-5-5";

fn thought() -> Value {
    json!({ "type": "thinking", "thinking": "hm", "signature": "seal" })
}

fn check_as(model: &str, body: &Value) -> Result<(), ApiError> {
    let signed = |part: Value| Signed { model: model.to_owned(), part };
    let issued = IssuedData::from([
        ("seal".to_owned(), signed(thought())),
        ("hidden".to_owned(), signed(json!({ "type": "redacted_thinking", "data": "hidden" }))),
        ("other".to_owned(), Signed { model: "claude-of-others".to_owned(), part: thought() }),
    ]);
    provider::check(Call { protocol: Protocol::Anthropic, host: Host::Other, model, body }, &issued)
}

fn check(body: &Value) -> Result<(), ApiError> {
    check_as(MODEL, body)
}

fn conversation() -> Value {
    let mark = json!({ "type": "ephemeral" });
    json!({
        "model": MODEL,
        "max_tokens": 16_000,
        "stream": true,
        "system": [{ "type": "text", "text": "You are the Engineer.", "cache_control": mark }],
        "messages": [
            { "role": "user", "content": "hello" },
            { "role": "assistant", "content": [{ "type": "text", "text": "hi" }] },
            { "role": "user", "content": [
                { "type": "text", "text": "look" },
                { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "aGk=" } },
            ]},
            { "role": "assistant", "content": [
                thought(),
                { "type": "redacted_thinking", "data": "hidden" },
                { "type": "tool_use", "id": "toolu_1", "name": "read", "input": { "a": 1 } },
                { "type": "tool_use", "id": "toolu_2", "name": "list", "input": {} },
            ]},
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "toolu_1", "content": "{}" },
                { "type": "tool_result", "tool_use_id": "toolu_2", "content": "no", "is_error": true },
                { "type": "text", "text": "the mind changed since", "cache_control": mark },
            ]},
        ],
        "tools": [
            { "name": "read", "description": "", "input_schema": { "type": "object" } },
            { "name": "list", "input_schema": { "type": "object" }, "cache_control": mark },
        ],
        "thinking": { "type": "adaptive", "display": "summarized" },
        "output_config": { "effort": "medium" },
    })
}

rejections!(conversation(), check);

#[test]
fn a_valid_conversation_is_accepted() {
    assert_eq!(check(&conversation()), Ok(()));
}

#[test]
fn fields_and_their_types() {
    rejected("/max_completion_tokens", json!(5), "max_completion_tokens: Extra inputs are not permitted");
    rejected("/messages/0/name", json!("Ada"), "messages.0.name: Extra inputs are not permitted");
    rejected("/messages/3/content/2/caller", json!({}), "messages.3.content.2.caller: Extra inputs");
    rejected(
        "/messages/3/content/2/input",
        json!("{}"),
        "messages.3.content.2.input: Input should be any object",
    );
    rejected("/messages/0/role", json!("system"), "messages.0.role: Input should be");
    rejected("/thinking/effort", json!("low"), "thinking.effort: Extra inputs");
    rejected_without("/max_tokens", "max_tokens: Field required");
    rejected_without("/messages/3/content/0/signature", "messages.3.content.0.signature: Field required");
    rejected_without("/tools/0/input_schema", "tools.0.input_schema: Field required");
    rejected("/max_tokens", json!(0), "greater than or equal to 1");
    rejected("/stream", json!(false), "does not stream");
}

#[test]
fn turns() {
    rejected_without("/messages/0", "first message must use the \"user\" role");
    rejected(
        "/messages/-",
        json!({ "role": "assistant", "content": "So" }),
        "does not support assistant message prefill",
    );
    rejected("/messages/-", json!({ "role": "user", "content": "and" }), "roles must alternate");
    rejected("/messages", json!([]), "at least one message");
    rejected("/messages/0/content", json!(""), "must have non-empty content");
    rejected("/messages/0/content", json!([]), "must have non-empty content");
    rejected("/messages/1/content/0/text", json!(""), "text content blocks must be non-empty");
    rejected("/messages/1/content/0/text", json!(" \n"), "must contain non-whitespace text");
    rejected("/system/0/text", json!(""), "system.0: text content blocks");
    let result = json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": "{}" });
    rejected("/messages/1/content/-", result, "not allowed in messages of this role");
    rejected("/messages/0/content", json!([thought()]), "not allowed in messages of this role");
    let source = "/messages/2/content/1/source";
    rejected(&format!("{source}/data"), json!("a"), "invalid base64 data");
    rejected(&format!("{source}/media_type"), json!("image/svg+xml"), "media_type");
}

#[test]
fn calls_and_their_results() {
    rejected_without("/messages/4/content/1", "without `tool_result` blocks immediately after: toolu_2");
    rejected_without("/messages/3/content/2", "unexpected `tool_use_id`");
    rejected("/messages/4/content/0/tool_use_id", json!("toolu_9"), "unexpected `tool_use_id`");
    rejected("/messages/3/content/3/id", json!("toolu_1"), "must be unique");
    rejected("/messages/3/content/2/id", json!("functions.read:0"), "String should match pattern");
    rejected("/messages/3/content/2/name", json!("größe"), "String should match pattern");
    rejected("/messages/4/content/1/content", json!(""), "cannot be empty if `is_error`");
    let mut body = conversation();
    body["messages"][4]["content"].as_array_mut().unwrap().rotate_right(1);
    rejected_body(&body, "must come first");
    let mut body = conversation();
    let second = body["messages"][4]["content"].as_array_mut().unwrap().remove(1);
    let messages = body["messages"].as_array_mut().unwrap();
    messages.push(json!({ "role": "assistant", "content": "wait" }));
    messages.push(json!({ "role": "user", "content": [second] }));
    rejected_body(&body, "without `tool_result` blocks immediately after");
}

#[test]
fn thinking_is_sent_back_unchanged() {
    let place = "/messages/3/content/0";
    rejected(&format!("{place}/signature"), json!("forged"), "Invalid `signature`");
    rejected(&format!("{place}/signature"), json!("other"), "Invalid `signature`");
    rejected(&format!("{place}/thinking"), json!("hmm"), "cannot be modified");
    rejected(&format!("{place}/cache_control"), json!({ "type": "ephemeral" }), "Extra inputs");
    let mut body = conversation();
    body["messages"][3]["content"].as_array_mut().unwrap().swap(1, 2);
    rejected_body(&body, "stands behind a `tool_use`");
    // Without it the conversation is valid too.
    for _ in 0..2 {
        remove(&mut body, "/messages/3/content/0");
    }
    remove(&mut body, "/messages/4/content/0");
    assert_eq!(check(&body), Ok(()));
}

#[test]
fn caching_marks() {
    for place in ["/messages/1/content/0", "/messages/2/content/0"] {
        let mut body = conversation();
        let mark = json!({ "type": "ephemeral", "ttl": "1h" });
        set(&mut body, &format!("{place}/cache_control"), mark.clone());
        assert_eq!(check(&body), Ok(()));
        set(&mut body, "/messages/3/content/2/cache_control", mark);
        rejected_body(&body, "A maximum of 4 blocks");
    }
}

#[test]
fn generations_of_models() {
    let with = |model: &str, settings: Value| {
        let mut body = json!({
            "model": model, "max_tokens": 8000, "stream": true,
            "messages": [{ "role": "user", "content": "x" }],
            "tools": [{ "name": "a", "input_schema": { "type": "object" } }],
        });
        body.as_object_mut().unwrap().extend(settings.as_object().unwrap().clone());
        check_as(model, &body)
    };
    let by_hand = json!({ "thinking": { "type": "enabled", "budget_tokens": 1024 } });
    let adaptive = json!({ "thinking": { "type": "adaptive" } });
    let (old, middle, new) = ("claude-haiku-4-5-20251001", "claude-sonnet-4-6", "claude-opus-5-5");
    assert!(with(old, by_hand.clone()).is_ok() && with(middle, by_hand.clone()).is_ok());
    assert!(with(new, by_hand).is_err());
    assert!(with(old, adaptive.clone()).is_err());
    assert!(with(middle, adaptive.clone()).is_ok() && with(new, adaptive).is_ok());
    let off = json!({ "thinking": { "type": "disabled" } });
    assert!(with(old, off.clone()).is_ok() && with("claude-haiku-5-5", off.clone()).is_ok());
    assert!(with(new, off.clone()).is_err() && with("claude-sonnet-5-5", off).is_err());
    let little = json!({ "thinking": { "type": "enabled", "budget_tokens": 1000 } });
    let much = json!({ "thinking": { "type": "enabled", "budget_tokens": 8000 } });
    assert!(with(old, little).is_err() && with(old, much).is_err());
    let warm = json!({ "temperature": 0.5 });
    assert!(with(old, warm.clone()).is_ok() && with(new, warm.clone()).is_err());
    assert!(with(old, json!({ "temperature": 1.5 })).is_err());
    let effort = json!({ "output_config": { "effort": "low" } });
    assert!(with(old, effort.clone()).is_err() && with(new, effort).is_ok());
    let forced = json!({ "tool_choice": { "type": "any" } });
    assert!(with(old, forced.clone()).is_ok() && with(new, forced).is_err());
    assert!(with(old, json!({ "tools": [], "tool_choice": { "type": "auto" } })).is_err());
    let open = json!({ "type": "object", "properties": {} });
    let format = json!({ "output_config": { "format": { "type": "json_schema", "schema": open } } });
    assert!(with(new, format).unwrap_err().message.contains("additionalProperties"));
}

#[test]
fn thinking_by_budget_begins_the_turn() {
    let mut body = conversation();
    set(&mut body, "/thinking", json!({ "type": "enabled", "budget_tokens": 1024 }));
    remove(&mut body, "/output_config");
    let old = "claude-haiku-4-5-20251001";
    assert_eq!(check_as(old, &body), Ok(()));
    for _ in 0..2 {
        remove(&mut body, "/messages/3/content/0");
    }
    let api_error = check_as(old, &body).unwrap_err();
    assert!(api_error.message.contains("must start with a thinking block"), "{}", api_error.message);
}

#[test]
fn an_error_in_anthropic_s_format() {
    let api_error = ApiError { code: 529, ..ApiError::argument("Overloaded") };
    let body = api_error.body(Protocol::Anthropic);
    assert_eq!((&body["type"], &body["error"]["type"]), (&json!("error"), &json!("overloaded_error")));
}

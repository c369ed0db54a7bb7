//! Tests of encoded requests, as whole JSON.

use serde_json::{Value, json};

use crate::anthropic::encode::encode;
use crate::http::{Endpoint, HttpRequest, Secret};
use crate::tests;
use crate::tests::user_entry;
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, Thinking, ToolSpec};
use nexus_model::message::content::{MessagePart, OpaqueData, PartBody, ToolArgs, ToolCall, ToolResult};
use nexus_text::content_hash::ContentHash;

const MODEL: &str = "claude-opus-5-5";

fn config(model: &str) -> ModelConfig {
    tests::config("anthropic", model)
}

fn prompt(entries: Vec<PromptEntry>) -> Prompt {
    tests::prompt(config(MODEL), entries)
}

fn request(prompt: &Prompt) -> HttpRequest {
    let key = Some(Secret::new("top-secret"));
    encode(prompt, &Endpoint { base_url: "https://api.anthropic.com".into(), key })
}

fn body(prompt: &Prompt) -> Value {
    serde_json::from_str(&request(prompt).body.unwrap()).unwrap()
}

fn messages(entries: Vec<PromptEntry>) -> Value {
    let mut messages = body(&prompt(entries))["messages"].take();
    // Another test checks the cache breakpoints.
    for message in messages.as_array_mut().unwrap() {
        for block in message["content"].as_array_mut().unwrap() {
            block.as_object_mut().unwrap().remove("cache_control");
        }
    }
    messages
}

fn call(id: &str) -> MessagePart {
    tests::call(id, false, "read")
}

fn answer(call_id: &str) -> ToolResult {
    tests::answer(call_id, "read")
}

fn thought(text: &str, model: &str) -> MessagePart {
    let data = json!({"type": "thinking", "signature": "c2ln/+==", "of_next_year": 1});
    tests::sealed(MessagePart::thinking(text), "anthropic", model, data)
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn tool(name: &str) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: format!("Does {name}."),
        parameters: json!({"type": "object", "properties": {}}),
    }
}

#[test]
fn whole_request_matches_the_snapshot() {
    let prompt = Prompt {
        system: "You build lighthouses.".into(),
        tools: vec![tool("read_file"), tool("list_files")],
        config: ModelConfig { thinking: Thinking::Low, max_tokens: Some(4096), ..config(MODEL) },
        ..prompt(vec![user_entry("Build one.")])
    };
    tests::request_is("anthropic", &request(&prompt));
}

#[test]
fn unset_fields_are_omitted() {
    let bare = Prompt { config: config("claude-3-haiku-20240307"), ..prompt(vec![user_entry("Hi.")]) };
    let expected = json!({"model": "claude-3-haiku-20240307", "max_tokens": 4096, "stream": true,
        "messages": [{"role": "user", "content": [text("Hi.")]}]});
    assert_eq!(body(&bare), expected);
    let shaped = Prompt { output: Some(json!({"type": "string"})), ..prompt(vec![user_entry("Hi.")]) };
    let format = json!({"format": {"type": "json_schema", "schema": {"type": "string"}}});
    assert_eq!(body(&shaped)["output_config"], format);
}

#[test]
fn adjacent_messages_of_one_role_are_merged_and_blank_text_dropped() {
    let entries = vec![
        user_entry("one"),
        PromptEntry::User(vec![MessagePart::text(" \n"), MessagePart::text("two")]),
        PromptEntry::Assistant(vec![MessagePart::text(""), MessagePart::thinking("hm")]),
        user_entry("three"),
        PromptEntry::Assistant(vec![MessagePart::thinking("hm"), MessagePart::text("a")]),
        PromptEntry::Assistant(vec![
            MessagePart::text("b"),
            MessagePart::text("c \n"),
            MessagePart::text("\n"),
        ]),
        user_entry("four"),
    ];
    assert_eq!(
        messages(entries),
        json!([
            {"role": "user", "content": [text("one"), text("two"), text("three")]},
            {"role": "assistant", "content": [text("a"), text("b"), text("c")]},
            {"role": "user", "content": [text("four")]},
        ])
    );
}

#[test]
fn first_and_last_message_are_the_users() {
    let go_on = json!({"role": "user", "content": [text("Go on.")]});
    let model = json!({"role": "assistant", "content": [text("a")]});
    assert_eq!(
        messages(vec![PromptEntry::Assistant(vec![MessagePart::text("a")])]),
        json!([go_on, model, go_on])
    );
    assert_eq!(messages(vec![]), json!([go_on]));
}

#[test]
fn thinking_is_returned_unchanged_to_its_own_model_only() {
    let redacted = json!({"type": "redacted_thinking", "data": "RedAct=="});
    let hidden = MessagePart {
        opaque: Some(OpaqueData {
            provider: "anthropic".into(),
            model: MODEL.into(),
            data: redacted.clone(),
        }),
        ..MessagePart::thinking("")
    };
    let parts = vec![thought("hm ", MODEL), hidden, MessagePart::text("So:"), thought("", MODEL), call("a")];
    let entries =
        vec![user_entry("go"), PromptEntry::Assistant(parts), PromptEntry::ToolResults(vec![answer("a")])];
    let kept = |text: &str| {
        json!({"type": "thinking", "thinking": text, "signature": "c2ln/+==",
        "of_next_year": 1})
    };
    let used = json!({"type": "tool_use", "id": "a", "name": "read", "input": {"n": 1}});
    let encoded = messages(entries.clone());
    assert_eq!(encoded[1]["content"], json!([kept("hm "), redacted, text("So:"), kept(""), used]));

    let elsewhere = |config: ModelConfig| {
        let body = body(&Prompt { config, ..prompt(entries.clone()) });
        body["messages"][1]["content"].clone()
    };
    let without = json!([text("So:"), used]);
    assert_eq!(elsewhere(config("claude-sonnet-5-5")), without);
    assert_eq!(elsewhere(ModelConfig { provider: "mirror".into(), ..config(MODEL) }), without);
}

#[test]
fn no_thinking_is_sent_if_it_is_off_or_cannot_continue() {
    let history = |model: &str, opens: bool| {
        let mut parts = vec![thought("hm", model), call("a")];
        if !opens {
            parts.rotate_left(1);
            parts.push(call("b"));
        }
        vec![user_entry("go"), PromptEntry::Assistant(parts), PromptEntry::ToolResults(vec![answer("a")])]
    };
    let sent = |model: &str, thinking: Thinking, opens: bool| {
        let config = ModelConfig { thinking, ..config(model) };
        let body = body(&Prompt { config, ..prompt(history(model, opens)) });
        let shown = body["messages"].to_string().contains("\"thinking\"");
        (body["thinking"]["type"].as_str().map(str::to_owned), shown)
    };
    assert_eq!(sent("claude-haiku-4-5", Thinking::High, true), (Some("enabled".into()), true));
    assert_eq!(sent("claude-haiku-4-5", Thinking::High, false), (None, false));
    assert_eq!(sent("claude-haiku-4-5", Thinking::Off, true), (None, false));
    assert_eq!(sent("claude-haiku-5-5", Thinking::Off, true), (Some("disabled".into()), false));
    assert_eq!(sent(MODEL, Thinking::Off, false), (Some("adaptive".into()), true));
    assert_eq!(sent("deepseek-flash", Thinking::High, true), (None, true));
}

#[test]
fn results_come_first_and_gaps_are_filled() {
    let failed = ToolResult { result: json!("no"), is_error: true, ..answer("b") };
    let entries = vec![
        PromptEntry::ToolResults(vec![answer("lost")]),
        PromptEntry::Assistant(vec![call("a b"), call("b"), call("b")]),
        PromptEntry::ToolResults(vec![failed, answer("x")]),
        user_entry("and then"),
        PromptEntry::Assistant(vec![call("b")]),
        PromptEntry::Assistant(vec![MessagePart::text("Hm.")]),
    ];
    let messages = messages(entries);
    let result = |id: &str, content: &str, failed: bool| {
        let mut block = json!({"type": "tool_result", "tool_use_id": id, "content": content});
        if failed {
            block["is_error"] = true.into();
        }
        block
    };
    let interrupted = "{\"error\":\"This call was interrupted and has no result.\"}";
    let lost = text("Result of the tool read: {\"ok\":true}");
    let used = |id: &str| json!({"type": "tool_use", "id": id, "name": "read", "input": {"n": 1}});
    assert_eq!(
        messages,
        json!([
            {"role": "user", "content": [lost]},
            {"role": "assistant", "content": [used("a_b"), used("b"), used("b-2")]},
            {"role": "user", "content": [
                result("a_b", interrupted, true), result("b", "{\"error\":\"no\"}", true), result("b-2", interrupted, true),
                lost, text("and then")]},
            {"role": "assistant", "content": [used("b-3")]},
            {"role": "user", "content": [result("b-3", interrupted, true)]},
            {"role": "assistant", "content": [text("Hm.")]},
            {"role": "user", "content": [text("Go on.")]},
        ])
    );
}

#[test]
fn called_tools_are_declared_if_none_is_offered() {
    let entries =
        vec![user_entry("go"), PromptEntry::Assistant(vec![call("a"), call("b")]), user_entry("sum it up")];
    let bare = body(&prompt(entries.clone()));
    assert_eq!(bare["tools"], json!([{"name": "read", "input_schema": {"type": "object"}}]));
    assert_eq!(bare["tool_choice"], json!({"type": "none"}));
    let offered = body(&Prompt { tools: vec![tool("write")], ..prompt(entries) });
    assert_eq!((offered["tools"].as_array().unwrap().len(), offered.get("tool_choice")), (1, None));
    assert_eq!(body(&prompt(vec![user_entry("go")])).get("tools"), None);
}

#[test]
fn images_are_attached_and_other_files_noted() {
    let blob = |hash: &str, mime: &str| -> MessagePart {
        let name = "map".to_owned();
        PartBody::Blob { hash: ContentHash::of_text(hash), mime: mime.into(), name, bytes: 2048 }.into()
    };
    let parts = vec![
        blob("a", "image/png"),
        blob("b", "image/png"),
        blob("c", "image/svg+xml"),
        PartBody::Json { value: json!({"a": 1}) }.into(),
    ];
    let mut prompt = prompt(vec![PromptEntry::User(parts)]);
    prompt.blobs.insert(ContentHash::of_text("a"), "aGk=".into());
    prompt.blobs.insert(ContentHash::of_text("c"), "aGk=".into());
    let content = &body(&prompt)["messages"][0]["content"];
    let source = json!({"type": "base64", "media_type": "image/png", "data": "aGk="});
    assert_eq!(content[0], json!({"type": "image", "source": source}));
    for at in [1, 2] {
        let note = content[at]["text"].as_str().unwrap();
        assert!(note.contains("map") && note.contains("2048"), "{note}");
    }
    assert_eq!(content[3], text("{\"a\":1}"));
}

#[test]
fn breakpoints_are_set_at_common_prefixes() {
    let entries = vec![
        user_entry("first"),
        PromptEntry::Assistant(vec![MessagePart::text("one")]),
        user_entry("told by another"),
        user_entry("the question"),
        PromptEntry::Assistant(vec![call("a")]),
        PromptEntry::ToolResults(vec![answer("a")]),
    ];
    let marks = |tools: Vec<ToolSpec>| {
        let body = body(&Prompt { system: "s".into(), tools, ..prompt(entries.clone()) });
        let mut marks = Vec::new();
        for message in body["messages"].as_array().unwrap() {
            for block in message["content"].as_array().unwrap() {
                if block.get("cache_control").is_some() {
                    marks.push(block.get("text").unwrap_or(&block["type"]).as_str().unwrap().to_owned());
                }
            }
        }
        (marks, body.to_string().matches("cache_control").count())
    };
    assert_eq!(marks(vec![tool("a")]), (vec!["told by another".into(), "tool_result".into()], 4));
    assert_eq!(marks(vec![]), (vec!["told by another".into()], 2));
}

#[test]
fn broken_arguments_are_sent_as_an_object() {
    let args = |args: ToolArgs| {
        let call = ToolCall { id: "a".into(), own_id: true, name: "t".into(), args };
        messages(vec![user_entry("go"), PromptEntry::Assistant(vec![PartBody::ToolCall(call).into()])])[1]["content"]
            [0]["input"]
            .clone()
    };
    assert_eq!(args(ToolArgs::Broken("{x".into())), json!({"unreadable": "{x"}));
    assert_eq!(args(ToolArgs::Parsed(json!([1]))), json!({"unreadable": "[1]"}));
}

#[test]
fn tool_is_forced_only_if_the_model_allows() {
    let only = ToolSpec {
        name: "patch".into(),
        description: "Patches.".into(),
        parameters: json!({"type": "object"}),
    };
    let with = |model: &str, thinking: Thinking| {
        let config = ModelConfig { thinking, ..config(model) };
        let prompt = Prompt {
            config,
            tools: vec![only.clone()],
            must_call: true,
            ..prompt(vec![user_entry("Sync.")])
        };
        body(&prompt).get("tool_choice").cloned()
    };
    let forced = Some(json!({"type": "tool", "name": "patch"}));
    assert_eq!(with("claude-haiku-4-5", Thinking::Off), forced);
    assert_eq!(with("claude-haiku-4-5", Thinking::High), None, "it thinks");
    assert_eq!(with("claude-sonnet-4-6", Thinking::Off), forced);
    assert_eq!(with("claude-opus-5-5", Thinking::Off), None, "it always thinks");
}

//! Tests of encoded requests, as whole JSON.

use serde_json::{Value, json};

use crate::http::{Endpoint, HttpRequest, Secret};
use crate::openai_responses::encode::encode;
use crate::tests;
use crate::tests::user_entry;
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, Thinking, ToolSpec};
use nexus_model::message::content::{MessagePart, PartBody, ToolArgs, ToolCall, ToolResult};
use nexus_text::content_hash::ContentHash;

const MODEL: &str = "gpt-6.1-sol";

fn config(model: &str) -> ModelConfig {
    tests::config("openai", model)
}

fn prompt(entries: Vec<PromptEntry>) -> Prompt {
    tests::prompt(config(MODEL), entries)
}

fn request(prompt: &Prompt) -> HttpRequest {
    let key = Some(Secret::new("top-secret"));
    encode(prompt, &Endpoint { base_url: "https://api.openai.com/v1".into(), key })
}

fn body(prompt: &Prompt) -> Value {
    serde_json::from_str(&request(prompt).body.unwrap()).unwrap()
}

fn input(entries: Vec<PromptEntry>) -> Value {
    body(&prompt(entries))["input"].take()
}

fn call(id: &str) -> MessagePart {
    tests::call(id, false, "read")
}

fn answer(call_id: &str) -> ToolResult {
    tests::answer(call_id, "read")
}

fn reasoning(id: &str) -> Value {
    json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": "gAAA/+==", "of_next_year": 1})
}

fn thought(data: Value, model: &str) -> MessagePart {
    tests::sealed(MessagePart::thinking("hm"), "openai", model, data)
}

fn user(text: &str) -> Value {
    json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]})
}

fn assistant(texts: &[&str]) -> Value {
    let content: Vec<_> = texts.iter().map(|text| json!({"type": "output_text", "text": text})).collect();
    json!({"type": "message", "role": "assistant", "content": content})
}

fn called(id: &str) -> Value {
    json!({"type": "function_call", "call_id": id, "name": "read", "arguments": "{\"n\":1}"})
}

fn output(id: &str, output: &str) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": output})
}

#[test]
fn whole_request_matches_the_snapshot() {
    let schema = json!({"type": "object", "properties": {"name": {"type": "string"}}});
    let prompt = Prompt {
        system: "You build lighthouses.".into(),
        tools: vec![ToolSpec {
            name: "read_file".into(),
            description: "Reads a file.".into(),
            parameters: schema.clone(),
        }],
        config: ModelConfig {
            thinking: Thinking::Low,
            max_tokens: Some(4096),
            temperature: Some(0.5),
            ..config(MODEL)
        },
        ..prompt(vec![user_entry("Build one.")])
    };
    tests::request_is("openai_responses", &request(&prompt));
}

#[test]
fn model_without_reasoning_gets_no_parameter() {
    let config = ModelConfig { thinking: Thinking::High, temperature: Some(0.5), ..config("gpt-4o") };
    let plain = Prompt { config, ..prompt(vec![user_entry("Hi.")]) };
    let expected = json!({"model": "gpt-4o", "input": [user("Hi.")], "temperature": 0.5,
        "stream": true, "store": false});
    assert_eq!(body(&plain), expected);
}

#[test]
fn schema_is_strict_if_possible() {
    let strict = |schema: Value| {
        let prompt = Prompt { output: Some(schema.clone()), ..prompt(vec![user_entry("Hi.")]) };
        let format = body(&prompt)["text"]["format"].take();
        assert_eq!((&format["type"], &format["schema"]), (&json!("json_schema"), &schema));
        format["strict"].as_bool().unwrap()
    };
    let open = json!({"type": "object", "properties": {"a": {"type": "string"}}});
    let mut closed = open.clone();
    closed["additionalProperties"] = false.into();
    closed["required"] = json!(["a"]);
    assert!(strict(closed.clone()));
    assert!(!strict(open.clone()));
    closed["properties"]["a"] = open;
    assert!(!strict(closed));
}

#[test]
fn answer_is_sent_in_order_with_its_reasoning() {
    let parts = vec![
        thought(reasoning("rs_1"), MODEL),
        MessagePart::text("Both"),
        MessagePart::text(" files:"),
        thought(reasoning("rs_2"), MODEL),
        call("a"),
        call("b"),
    ];
    let entries = vec![
        user_entry("go"),
        PromptEntry::Assistant(parts),
        PromptEntry::ToolResults(vec![answer("a"), answer("b")]),
    ];
    let ok = "{\"ok\":true}";
    let rest = [called("a"), called("b"), output("a", ok), output("b", ok)];
    let [a, b, a_told, b_told] = &rest;
    let both = assistant(&["Both", " files:"]);
    assert_eq!(
        input(entries.clone()),
        json!([user("go"), reasoning("rs_1"), both, reasoning("rs_2"), a, b, a_told, b_told])
    );
    let elsewhere = |config: ModelConfig| body(&Prompt { config, ..prompt(entries.clone()) })["input"].take();
    let without = json!([user("go"), both, a, b, a_told, b_told]);
    assert_eq!(elsewhere(config("gpt-6-luna")), without);
    assert_eq!(elsewhere(ModelConfig { provider: "mirror".into(), ..config(MODEL) }), without);
}

#[test]
fn reasoning_without_a_following_item_or_content_is_omitted() {
    let stored = json!({"type": "reasoning", "id": "rs_1", "summary": []});
    let entries = vec![
        user_entry("go"),
        PromptEntry::Assistant(vec![
            thought(stored, MODEL),
            thought(json!({"signature": "of another codec"}), MODEL),
            MessagePart::text("Hi."),
            thought(reasoning("rs_2"), MODEL),
        ]),
        PromptEntry::Assistant(vec![thought(reasoning("rs_3"), MODEL)]),
    ];
    assert_eq!(input(entries), json!([user("go"), assistant(&["Hi."]), user("Go on.")]));
}

#[test]
fn history_with_gaps_is_valid() {
    let failed = ToolResult { result: json!("no"), is_error: true, ..answer("b") };
    let entries = vec![
        PromptEntry::ToolResults(vec![answer("lost")]),
        PromptEntry::Assistant(vec![call("a b"), call("b"), call("b")]),
        PromptEntry::ToolResults(vec![failed, answer("x")]),
        PromptEntry::Assistant(vec![call("b")]),
        PromptEntry::User(vec![MessagePart::text("")]),
    ];
    let interrupted = "{\"error\":\"This call was interrupted and has no result.\"}";
    let lost = user("Result of the tool read: {\"ok\":true}");
    assert_eq!(
        input(entries),
        json!([
            lost,
            called("a_b"),
            called("b"),
            called("b-2"),
            output("a_b", interrupted),
            output("b", "{\"error\":\"no\"}"),
            output("b-2", interrupted),
            lost,
            called("b-3"),
            output("b-3", interrupted),
        ])
    );
    assert_eq!(input(vec![]), json!([user("Go on.")]));
}

#[test]
fn images_are_attached_and_other_files_noted() {
    let blob = |hash: &str, mime: &str| -> MessagePart {
        let name = "map".to_owned();
        PartBody::Blob { hash: ContentHash::of_text(hash), mime: mime.into(), name, bytes: 2048 }.into()
    };
    let parts = vec![blob("a", "image/png"), blob("b", "image/png"), blob("a", "application/zip")];
    let mut prompt = prompt(vec![PromptEntry::User(parts)]);
    prompt.blobs.insert(ContentHash::of_text("a"), "aGk=".into());
    let content = &body(&prompt)["input"][0]["content"];
    let picture = json!({"type": "input_image", "image_url": "data:image/png;base64,aGk=", "detail": "auto"});
    assert_eq!(content[0], picture);
    for at in [1, 2] {
        let note = content[at]["text"].as_str().unwrap();
        assert!(note.contains("map") && note.contains("2048"), "{note}");
    }
}

#[test]
fn broken_arguments_are_sent_as_an_object() {
    let args = |args: ToolArgs| {
        let call = ToolCall { id: "a".into(), own_id: true, name: "t".into(), args };
        input(vec![user_entry("go"), PromptEntry::Assistant(vec![PartBody::ToolCall(call).into()])])[1]["arguments"]
            .clone()
    };
    assert_eq!(args(ToolArgs::Broken("{x".into())), "{\"unreadable\":\"{x\"}");
    assert_eq!(args(ToolArgs::Parsed(json!([1]))), "{\"unreadable\":\"[1]\"}");
}

#[test]
fn forced_tool_is_named() {
    let only = ToolSpec {
        name: "patch".into(),
        description: "Patches.".into(),
        parameters: json!({"type": "object"}),
    };
    let prompt = Prompt { tools: vec![only], must_call: true, ..prompt(vec![user_entry("Sync.")]) };
    assert_eq!(body(&prompt)["tool_choice"], json!({"type": "function", "name": "patch"}));
    assert_eq!(body(&Prompt { must_call: false, ..prompt }).get("tool_choice"), None);
}

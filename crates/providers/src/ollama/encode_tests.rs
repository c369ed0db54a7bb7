//! Tests of encoded requests, as whole JSON.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::http::{Endpoint, Secret};
use crate::ollama::{encode, models_request};
use crate::tests;
use crate::tests::{answer, user_entry};
use nexus_model::limits::OLLAMA_WINDOW_TOKENS;
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, Thinking, ToolSpec};
use nexus_model::message::content::{MessagePart, PartBody, ToolArgs, ToolCall};
use nexus_text::content_hash::ContentHash;

fn config() -> ModelConfig {
    tests::config("home", "qwen3:8b")
}

fn prompt(entries: Vec<PromptEntry>) -> Prompt {
    tests::prompt(config(), entries)
}

fn endpoint(base_url: &str) -> Endpoint {
    Endpoint { base_url: base_url.into(), key: None }
}

fn body(prompt: &Prompt) -> Value {
    serde_json::from_str(&encode(prompt, &endpoint("http://127.0.0.1:11434")).body.unwrap()).unwrap()
}

fn messages(entries: Vec<PromptEntry>) -> Value {
    body(&prompt(entries))["messages"].clone()
}

fn call(id: &str, name: &str, args: ToolArgs) -> MessagePart {
    PartBody::ToolCall(ToolCall { id: id.into(), own_id: true, name: name.into(), args }).into()
}

fn thought(model: &str) -> MessagePart {
    tests::sealed(MessagePart::thinking("hm"), "home", model, json!({"thinking": "hm"}))
}

#[test]
fn whole_request_matches_the_snapshot() {
    let prompt = Prompt {
        system: "You build lighthouses.".into(),
        tools: vec![ToolSpec {
            name: "read_file".into(),
            description: "Reads a file.".into(),
            parameters: json!({"type": "object", "properties": {}}),
        }],
        config: ModelConfig {
            thinking: Thinking::High,
            max_tokens: Some(512),
            temperature: Some(0.5),
            context_tokens: Some(8192),
            ..config()
        },
        output: Some(json!({"type": "object"})),
        ..prompt(vec![user_entry("Build one.")])
    };
    tests::request_is("ollama", &encode(&prompt, &endpoint("http://127.0.0.1:11434")));
}

#[test]
fn context_window_is_always_set() {
    let options = body(&prompt(vec![user_entry("Hi.")]))["options"].clone();
    assert_eq!(options, json!({ "num_ctx": OLLAMA_WINDOW_TOKENS }));
}

#[test]
fn any_entered_base_gives_a_valid_url() {
    for base in [
        "http://h:11434",
        "http://h:11434/",
        "http://h:11434/v1",
        "http://h:11434/api/chat",
        " http://h:11434/api/ ",
    ] {
        assert_eq!(encode(&prompt(vec![]), &endpoint(base)).url, "http://h:11434/api/chat", "{base}");
    }
    let keyed = Endpoint { base_url: "https://h/sub".into(), key: Some(Secret::new("k3y")) };
    let request = models_request(&keyed);
    assert_eq!(request.url, "https://h/sub/api/tags");
    assert_eq!(request.headers[0].1.reveal(), "Bearer k3y");
    assert!(models_request(&endpoint("http://h")).headers.is_empty());
}

#[test]
fn thinking_is_set_for_each_model() {
    let think = |model: &str, thinking| {
        let config = ModelConfig { model: model.into(), thinking, ..config() };
        body(&Prompt { config, ..prompt(vec![user_entry("Hi.")]) }).get("think").cloned()
    };
    assert_eq!(think("qwen3:8b", Thinking::Auto), None);
    assert_eq!(think("qwen3:8b", Thinking::Off), Some(json!(false)));
    assert_eq!(think("qwen3:8b", Thinking::Low), Some(json!(true)));
    assert_eq!(think("gpt-oss:20b", Thinking::Off), Some(json!("low")));
    assert_eq!(think("gpt-oss:20b", Thinking::High), Some(json!("high")));
}

#[test]
fn results_follow_their_calls_in_order_also_with_gaps() {
    let args = ToolArgs::Parsed(json!({"n": 1}));
    let encoded = messages(vec![
        user_entry("go"),
        PromptEntry::Assistant(vec![
            MessagePart::text("Both:"),
            call("call-1", "x", args),
            call("call-2", "y", ToolArgs::Broken("{".into())),
            call("call-3", "z", ToolArgs::Parsed(json!([]))),
        ]),
        PromptEntry::ToolResults(vec![answer("call-2", "y"), answer("call-1", "x"), answer("lost", "w")]),
        PromptEntry::Assistant(vec![MessagePart::text("Done.")]),
    ]);
    let tool = |name: &str| json!({"role": "tool", "tool_name": name, "content": "{\"ok\":true}"});
    let called = |name: &str, args: Value| json!({"function": {"name": name, "arguments": args}});
    assert_eq!(
        encoded[1]["tool_calls"],
        json!([
            called("x", json!({"n": 1})),
            called("y", json!({"unreadable": "{"})),
            called("z", json!({"unreadable": "[]"})),
        ])
    );
    assert_eq!((&encoded[2], &encoded[3]), (&tool("x"), &tool("y")));
    assert!(encoded[4]["content"].as_str().unwrap().contains("interrupted"));
    assert_eq!(encoded[5], json!({"role": "user", "content": "Result of the tool w: {\"ok\":true}"}));
    assert_eq!(encoded[7], json!({"role": "user", "content": "Go on."}));
    assert_eq!(messages(vec![]), json!([{"role": "user", "content": "Go on."}]));
}

#[test]
fn thinking_is_sent_in_the_tool_loop_to_its_own_model() {
    let turn = |model: &str| {
        vec![
            PromptEntry::Assistant(vec![thought(model), call("a", "x", ToolArgs::Parsed(json!({})))]),
            PromptEntry::ToolResults(vec![answer("a", "x")]),
        ]
    };
    let thinking_sent = |model: &str| {
        let entries = [vec![user_entry("one")], turn(model), vec![user_entry("two")], turn(model)].concat();
        let messages = messages(entries);
        (messages[1].get("thinking").cloned(), messages[4].get("thinking").cloned())
    };
    assert_eq!(thinking_sent("qwen3:8b"), (None, Some(json!("hm"))));
    assert_eq!(thinking_sent("llama3"), (None, None));
}

#[test]
fn images_are_separate_from_the_text_without_their_type() {
    let blob = |content: &str, mime: &str| -> MessagePart {
        PartBody::Blob {
            hash: ContentHash::of_text(content),
            mime: mime.into(),
            name: "map".into(),
            bytes: 3,
        }
        .into()
    };
    let parts = vec![MessagePart::text("See:"), blob("seen", "image/png"), blob("doc", "application/pdf")];
    let mut prompt = prompt(vec![PromptEntry::User(parts)]);
    prompt.blobs.insert(ContentHash::of_text("seen"), Arc::from("QUJD"));
    let message = body(&prompt)["messages"][0].clone();
    assert_eq!(message["images"], json!(["QUJD"]));
    let text = message["content"].as_str().unwrap();
    assert!(text.starts_with("See:\n\n[attached file “map”, type application/pdf"), "{text}");
}

//! Tests of encoded requests, as whole JSON.

use serde_json::{Value, json};

use crate::gemini::encode::encode;
use crate::http::{Endpoint, HttpRequest, Secret};
use crate::tests;
use crate::tests::{answer, call, user_entry};
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, Thinking, ToolSpec};
use nexus_model::message::content::{MessagePart, PartBody, ToolArgs, ToolCall, ToolResult};
use nexus_text::content_hash::ContentHash;

const MODEL: &str = "gemini-3.7-flash";

fn config(model: &str) -> ModelConfig {
    tests::config("gemini", model)
}

fn prompt(entries: Vec<PromptEntry>) -> Prompt {
    tests::prompt(config(MODEL), entries)
}

fn request(prompt: &Prompt) -> HttpRequest {
    let endpoint = Endpoint {
        base_url: "https://generativelanguage.googleapis.com".into(),
        key: Some(Secret::new("top-secret")),
    };
    encode(prompt, &endpoint)
}

fn body(prompt: &Prompt) -> Value {
    serde_json::from_str(&request(prompt).body.unwrap()).unwrap()
}

fn contents(entries: Vec<PromptEntry>) -> Value {
    body(&prompt(entries))["contents"].clone()
}

fn signed(part: MessagePart, model: &str) -> MessagePart {
    tests::sealed(part, "gemini", model, json!({"thoughtSignature": "c2ln/+=="}))
}

#[test]
fn whole_request_matches_the_snapshot() {
    let prompt = Prompt {
        system: "You build lighthouses.".into(),
        tools: vec![
            ToolSpec {
                name: "read_file".into(),
                description: "Reads a file.".into(),
                parameters: json!({"type": "object", "properties": {"name": {"type": "string"}}}),
            },
            ToolSpec {
                name: "list_files".into(),
                description: "Lists the files.".into(),
                parameters: json!({"type": "object", "properties": {}}),
            },
        ],
        config: ModelConfig {
            thinking: Thinking::Low,
            max_tokens: Some(4096),
            temperature: Some(0.5),
            ..config(MODEL)
        },
        ..prompt(vec![user_entry("Build one.")])
    };
    tests::request_is("gemini", &request(&prompt));
}

#[test]
fn unset_fields_are_omitted() {
    let bare = Prompt { config: config("gemini-2.0-flash"), ..prompt(vec![user_entry("Hi.")]) };
    assert_eq!(body(&bare), json!({"contents": [{"role": "user", "parts": [{"text": "Hi."}]}]}));
}

#[test]
fn key_is_only_in_a_header() {
    let request = request(&prompt(vec![user_entry("Hi.")]));
    let keys: Vec<_> = request.headers.iter().filter(|(name, _)| name == "x-goog-api-key").collect();
    assert_eq!(keys.len(), 1);
    assert_eq!(keys[0].1.reveal(), "top-secret");
    assert!(!request.url.contains("top-secret"));
    assert!(!format!("{request:?}").contains("top-secret"));
}

#[test]
fn any_model_name_and_base_give_a_safe_url() {
    let url = |base: &str, model: &str| {
        let prompt = Prompt { config: config(model), ..prompt(vec![user_entry("Hi.")]) };
        encode(&prompt, &Endpoint { base_url: base.into(), key: None }).url
    };
    let call = ":streamGenerateContent?alt=sse";
    assert_eq!(url("http://h/", "models/gemini-x"), format!("http://h/v1beta/models/gemini-x{call}"));
    assert_eq!(url("http://h/v1beta", "m"), format!("http://h/v1beta/models/m{call}"));
    assert_eq!(
        url("http://h", "../a b?key=é#"),
        format!("http://h/v1beta/models/..%2Fa%20b%3Fkey%3D%C3%A9%23{call}")
    );
}

#[test]
fn adjacent_contents_of_one_role_are_merged_and_empty_parts_dropped() {
    let entries = vec![
        user_entry("one"),
        PromptEntry::User(vec![MessagePart::text(""), MessagePart::text("two")]),
        PromptEntry::Assistant(vec![MessagePart::text("")]),
        user_entry("three"),
        PromptEntry::Assistant(vec![MessagePart::thinking("hm"), MessagePart::text("a")]),
        PromptEntry::Assistant(vec![MessagePart::text("b"), MessagePart::text("c")]),
        user_entry("four"),
    ];
    assert_eq!(
        contents(entries),
        json!([
            {"role": "user", "parts": [{"text": "one"}, {"text": "two"}, {"text": "three"}]},
            {"role": "model", "parts": [{"text": "a"}, {"text": "b"}, {"text": "c"}]},
            {"role": "user", "parts": [{"text": "four"}]},
        ])
    );
}

#[test]
fn first_and_last_content_are_the_users() {
    let go_on = json!({"role": "user", "parts": [{"text": "Go on."}]});
    let model = json!({"role": "model", "parts": [{"text": "a"}]});
    assert_eq!(
        contents(vec![PromptEntry::Assistant(vec![MessagePart::text("a")])]),
        json!([go_on, model, go_on])
    );
    assert_eq!(contents(vec![]), json!([go_on]));
}

#[test]
fn json_and_files_are_sent_as_text() {
    let parts = vec![
        PartBody::Json { value: json!({"a": 1}) }.into(),
        PartBody::Blob {
            hash: ContentHash::of_text("x"),
            mime: "image/png".into(),
            name: "map.png".into(),
            bytes: 2048,
        }
        .into(),
    ];
    let encoded = contents(vec![PromptEntry::User(parts)]);
    assert_eq!(encoded[0]["parts"][0], json!({"text": "{\"a\":1}"}));
    let note = encoded[0]["parts"][1]["text"].as_str().unwrap();
    assert!(["map.png", "image/png", "2048"].iter().all(|word| note.contains(word)), "{note}");
}

#[test]
fn parts_are_sent_with_their_own_signatures() {
    let entries = vec![
        user_entry("go"),
        PromptEntry::Assistant(vec![
            signed(MessagePart::thinking("hm"), MODEL),
            MessagePart::thinking("unsigned"),
            MessagePart::text("Both:"),
            signed(call("srv-1", false, "read"), MODEL),
            call("call-4", true, "list"),
        ]),
        PromptEntry::ToolResults(vec![answer("srv-1", "read"), answer("call-4", "list")]),
        PromptEntry::Assistant(vec![MessagePart::text("Done."), signed(MessagePart::text(""), MODEL)]),
        user_entry("thanks"),
    ];
    let signature = "c2ln/+==";
    assert_eq!(
        contents(entries),
        json!([
            {"role": "user", "parts": [{"text": "go"}]},
            {"role": "model", "parts": [
                {"text": "hm", "thought": true, "thoughtSignature": signature},
                {"text": "Both:"},
                {"functionCall": {"id": "srv-1", "name": "read", "args": {"n": 1}},
                 "thoughtSignature": signature},
                {"functionCall": {"name": "list", "args": {"n": 1}}},
            ]},
            {"role": "user", "parts": [
                {"functionResponse": {"id": "srv-1", "name": "read", "response": {"ok": true}}},
                {"functionResponse": {"name": "list", "response": {"ok": true}}},
            ]},
            {"role": "model", "parts": [
                {"text": "Done."}, {"text": "", "thoughtSignature": signature}]},
            {"role": "user", "parts": [{"text": "thanks"}]},
        ])
    );
}

/// Two turns with calls by model `by`, the second one open.
fn two_turns(by: &str) -> Vec<PromptEntry> {
    vec![
        user_entry("first"),
        PromptEntry::Assistant(vec![signed(call("a", false, "old"), by)]),
        PromptEntry::ToolResults(vec![answer("a", "old")]),
        PromptEntry::Assistant(vec![MessagePart::text("ok"), signed(MessagePart::text(""), by)]),
        user_entry("second"),
        PromptEntry::Assistant(vec![signed(call("b", false, "new"), by), call("c", false, "new")]),
        PromptEntry::ToolResults(vec![answer("b", "new"), answer("c", "new")]),
        PromptEntry::Assistant(vec![call("d", false, "newer")]),
        PromptEntry::ToolResults(vec![answer("d", "newer")]),
    ]
}

fn signatures(contents: &Value) -> Vec<Option<&str>> {
    let parts = contents.as_array().unwrap().iter().flat_map(|content| content["parts"].as_array().unwrap());
    parts
        .filter(|part| part.get("functionCall").is_some())
        .map(|part| part.get("thoughtSignature").and_then(Value::as_str))
        .collect()
}

#[test]
fn calls_of_another_model_get_the_placeholder_signature() {
    let stand_in = Some("skip_thought_signature_validator");
    let foreign = contents(two_turns("gemini-3.1-pro-preview"));
    assert_eq!(signatures(&foreign), [None, stand_in, None, stand_in]);
    assert_eq!(foreign[3], json!({"role": "model", "parts": [{"text": "ok"}]}));

    let own = contents(two_turns(MODEL));
    let kept = Some("c2ln/+==");
    assert_eq!(signatures(&own), [kept, kept, None, stand_in]);

    let older = Prompt { config: config("gemini-2.5-flash"), ..prompt(two_turns(MODEL)) };
    assert_eq!(signatures(&body(&older)["contents"]), [None, None, None, None]);

    let provider = ModelConfig { provider: "mirror".into(), ..config(MODEL) };
    let elsewhere = Prompt { config: provider, ..prompt(two_turns(MODEL)) };
    assert_eq!(signatures(&body(&elsewhere)["contents"]), [None, stand_in, None, stand_in]);
}

#[test]
fn results_are_objects_and_errors_are_marked() {
    let response = |result: Value, is_error: bool| {
        let answer = ToolResult { result, is_error, ..answer("a", "t") };
        let entries = vec![
            user_entry("go"),
            PromptEntry::Assistant(vec![call("a", true, "t")]),
            PromptEntry::ToolResults(vec![answer]),
        ];
        contents(entries)[2]["parts"][0]["functionResponse"]["response"].clone()
    };
    assert_eq!(response(json!({"lines": 3}), false), json!({"lines": 3}));
    assert_eq!(response(json!("text"), false), json!({"result": "text"}));
    assert_eq!(response(json!({"error": "no"}), true), json!({"error": "no"}));
    assert_eq!(response(json!({"why": "no"}), true), json!({"error": {"why": "no"}}));
}

#[test]
fn history_with_gaps_pairs_calls_and_results() {
    let entries = vec![
        PromptEntry::ToolResults(vec![answer("lost", "gone")]),
        PromptEntry::Assistant(vec![call("a", false, "t"), call("b", false, "u")]),
        PromptEntry::ToolResults(vec![answer("b", "u"), answer("x", "v")]),
        PromptEntry::Assistant(vec![call("c", false, "w")]),
        user_entry("go on"),
    ];
    let contents = contents(entries);
    assert_eq!(contents[0]["parts"][0], json!({"text": "Result of the tool gone: {\"ok\":true}"}));
    let names = |at: usize| -> Vec<Value> {
        contents[at]["parts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|p| p["functionResponse"]["id"].clone())
            .collect()
    };
    assert_eq!(names(2), [json!("a"), json!("b"), Value::Null]);
    assert!(contents[2]["parts"][0]["functionResponse"]["response"]["error"].is_string());
    assert_eq!(contents[2]["parts"][2], json!({"text": "Result of the tool v: {\"ok\":true}"}));
    assert_eq!(names(4), [json!("c"), Value::Null]);
}

#[test]
fn broken_arguments_are_sent_as_an_object() {
    let args = |args: ToolArgs| {
        let call = ToolCall { id: "a".into(), own_id: true, name: "t".into(), args };
        let entries = vec![user_entry("go"), PromptEntry::Assistant(vec![PartBody::ToolCall(call).into()])];
        contents(entries)[1]["parts"][0]["functionCall"]["args"].clone()
    };
    assert_eq!(args(ToolArgs::Broken("{x".into())), json!({"unreadable": "{x"}));
    assert_eq!(args(ToolArgs::Parsed(json!([1]))), json!({"unreadable": "[1]"}));
}

#[test]
fn structured_answer_has_a_schema() {
    let shape = json!({"type": "object", "properties": {"reasoning": {"type": "string"}}});
    let mut prompt = prompt(vec![user_entry("Sync.")]);
    assert_eq!(body(&prompt)["generationConfig"].get("responseMimeType"), None);
    prompt.output = Some(shape.clone());
    let config = body(&prompt)["generationConfig"].clone();
    assert_eq!(
        (&config["responseMimeType"], &config["responseJsonSchema"]),
        (&json!("application/json"), &shape)
    );
    // The old models accept either a schema or tools.
    prompt.config.model = "gemini-2.5-flash".into();
    assert_eq!(body(&prompt)["generationConfig"]["responseJsonSchema"], shape);
    prompt.tools = vec![ToolSpec {
        name: "list_files".into(),
        description: "Lists the files.".into(),
        parameters: json!({"type": "object", "properties": {}}),
    }];
    assert_eq!(body(&prompt)["generationConfig"].get("responseJsonSchema"), None);
    prompt.config.model = MODEL.into();
    assert_eq!(body(&prompt)["generationConfig"]["responseJsonSchema"], shape);
}

#[test]
fn forced_tool_is_named() {
    let only = ToolSpec {
        name: "patch".into(),
        description: "Patches.".into(),
        parameters: json!({"type": "object", "properties": {"reasoning": {"type": "string"}}}),
    };
    let prompt = Prompt { tools: vec![only], must_call: true, ..prompt(vec![user_entry("Sync.")]) };
    let expected = json!({"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["patch"]}});
    assert_eq!(body(&prompt)["toolConfig"], expected);
    assert_eq!(body(&Prompt { must_call: false, ..prompt }).get("toolConfig"), None);
}

//! Tests of encoded requests for each host, as whole JSON.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::http::{Endpoint, Secret};
use crate::openai_chat::encode::encode;
use crate::tests;
use crate::tests::{answer, user_entry};
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, Thinking, ToolSpec};
use nexus_model::message::content::{MessagePart, PartBody, ToolArgs, ToolCall, ToolResult};
use nexus_text::content_hash::ContentHash;

const OPENAI: &str = "https://api.openai.com/v1";
const OPENROUTER: &str = "https://openrouter.ai/api/v1";
const GROQ: &str = "https://api.groq.com/openai/v1";
const MISTRAL: &str = "https://api.mistral.ai/v1";
const DEEPSEEK: &str = "https://api.deepseek.com";
const XAI: &str = "https://api.x.ai/v1";
const PERPLEXITY: &str = "https://api.perplexity.ai";
const OLLAMA: &str = "http://127.0.0.1:11434/v1";
const LLAMA_CPP: &str = "http://127.0.0.1:8080/v1";
const LM_STUDIO: &str = "http://127.0.0.1:1234/v1";
const VLLM: &str = "http://127.0.0.1:8000/v1";
const OTHER: &str = "https://models.example/v1";

const HOSTS: [&str; 12] =
    [OPENAI, OPENROUTER, GROQ, MISTRAL, DEEPSEEK, XAI, PERPLEXITY, OLLAMA, LLAMA_CPP, LM_STUDIO, VLLM, OTHER];

fn config() -> ModelConfig {
    tests::config("p", "m-1")
}

fn prompt(entries: Vec<PromptEntry>) -> Prompt {
    tests::prompt(config(), entries)
}

fn body(host: &str, prompt: &Prompt) -> Value {
    let request = encode(prompt, &Endpoint { base_url: host.into(), key: None });
    serde_json::from_str(&request.body.unwrap()).unwrap()
}

fn messages(host: &str, entries: Vec<PromptEntry>) -> Value {
    body(host, &Prompt { tools: vec![tool()], ..prompt(entries) })["messages"].clone()
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: "read_file".into(),
        description: "Reads a file.".into(),
        parameters: json!({"type": "object", "properties": {"name": {"type": "string"}}}),
    }
}

fn answered(text: &str) -> PromptEntry {
    PromptEntry::Assistant(vec![MessagePart::text(text)])
}

fn call(id: &str, name: &str) -> MessagePart {
    tests::call(id, false, name)
}

fn thought(data: Value, provider: &str, model: &str) -> MessagePart {
    tests::sealed(MessagePart::thinking("hm"), provider, model, data)
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn assistant(text: &str) -> Value {
    json!({"role": "assistant", "content": text})
}

#[test]
fn whole_request_matches_the_snapshot() {
    let prompt = Prompt {
        system: "You build lighthouses.".into(),
        tools: vec![tool()],
        config: ModelConfig { max_tokens: Some(4096), temperature: Some(0.5), ..config() },
        output: Some(json!({"type": "object"})),
        ..prompt(vec![user_entry("Build one.")])
    };
    let request = encode(&prompt, &Endpoint { base_url: OTHER.into(), key: Some(Secret::new("top-secret")) });
    tests::request_is("openai_chat", &request);
}

#[test]
fn blank_key_is_no_key() {
    for key in [None, Some(Secret::new(" \n"))] {
        let request = encode(&prompt(vec![user_entry("Hi.")]), &Endpoint { base_url: OLLAMA.into(), key });
        assert!(request.headers.iter().all(|(name, _)| name != "authorization"));
    }
}

#[test]
fn each_host_gets_accepted_fields() {
    let prompt = Prompt {
        system: "S".into(),
        tools: vec![tool()],
        config: ModelConfig { max_tokens: Some(9), temperature: Some(0.5), ..config() },
        output: Some(json!({"type": "object"})),
        ..prompt(vec![user_entry("Hi.")])
    };
    for host in HOSTS {
        let body = body(host, &prompt);
        let has = |key: &str| body.get(key).is_some();
        let counts_total = [OPENAI, GROQ].contains(&host);
        assert_eq!(has("max_completion_tokens"), counts_total, "{host}");
        assert_eq!(has("max_tokens"), !counts_total, "{host}");
        assert_eq!(has("stream_options"), ![MISTRAL, PERPLEXITY].contains(&host), "{host}");
        assert_eq!(has("tools"), host != PERPLEXITY, "{host}");
        assert!(has("temperature"), "{host}");
        let system = body["messages"][0]["content"].as_str().unwrap();
        if host == DEEPSEEK {
            assert_eq!(body["response_format"], json!({"type": "json_object"}));
            assert!(system.contains("JSON") && system.contains(r#"{"type":"object"}"#), "{system}");
        } else {
            assert_eq!(body["response_format"]["json_schema"]["schema"], json!({"type": "object"}), "{host}");
            assert_eq!(system, "S");
        }
    }
    let config = ModelConfig { model: "gpt-6-luna".into(), temperature: Some(0.5), ..config() };
    let thinks = Prompt { config, ..prompt };
    assert!(body(OPENAI, &thinks).get("temperature").is_none());
    assert_eq!(body(OPENAI, &thinks)["reasoning_effort"], "none");
    assert!(body(OPENROUTER, &thinks).get("temperature").is_some());
}

#[test]
fn calls_are_followed_by_their_results() {
    let entries = vec![
        user_entry("go"),
        PromptEntry::Assistant(vec![
            MessagePart::thinking("hm"),
            MessagePart::text("Both:"),
            call("a", "x"),
            call("b", "y"),
        ]),
        PromptEntry::ToolResults(vec![answer("b", "y"), answer("a", "x")]),
        answered("Done."),
        user_entry("thanks"),
    ];
    let called = |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{\"n\":1}"}});
    let result = |id: &str| json!({"role": "tool", "content": "{\"ok\":true}", "tool_call_id": id});
    assert_eq!(
        messages(OPENAI, entries),
        json!([
            user("go"),
            {"role": "assistant", "content": "Both:", "tool_calls": [called("a", "x"), called("b", "y")]},
            result("a"),
            result("b"),
            assistant("Done."),
            user("thanks"),
        ])
    );
}

#[test]
fn history_with_gaps_pairs_calls_and_results() {
    let failed = ToolResult { result: json!({"why": "no"}), is_error: true, ..answer("a", "x") };
    let encoded = messages(
        OPENAI,
        vec![
            PromptEntry::ToolResults(vec![answer("lost", "gone")]),
            PromptEntry::Assistant(vec![call("a", "x"), call("b", "y")]),
            PromptEntry::ToolResults(vec![failed, answer("z", "other")]),
            answered("Hm."),
        ],
    );
    assert_eq!(encoded[0], user("Result of the tool gone: {\"ok\":true}"));
    assert_eq!(encoded[1]["content"], "");
    assert_eq!(
        encoded[2],
        json!({"role": "tool", "content": "{\"error\":{\"why\":\"no\"}}", "tool_call_id": "a"})
    );
    assert!(encoded[3]["content"].as_str().unwrap().contains("interrupted"));
    assert_eq!(encoded[4], user("Result of the tool other: {\"ok\":true}"));
    assert_eq!((&encoded[5], &encoded[6]), (&assistant("Hm."), &user("Go on.")));
    assert_eq!(messages(OPENAI, vec![]), json!([user("Go on.")]));
    assert_eq!(messages(OPENAI, vec![answered("a")])[0], user("Go on."));
}

#[test]
fn ids_are_unique_and_valid_for_the_host() {
    let long = "g".repeat(64);
    let entries = || {
        vec![
            user_entry("go"),
            PromptEntry::Assistant(vec![
                call("call-0", "x"),
                call(&long, "y"),
                call("", "z"),
                call("a b", "v"),
            ]),
            PromptEntry::ToolResults(vec![answer("call-0", "x"), answer(&long, "y"), answer("", "z")]),
            PromptEntry::Assistant(vec![call("call-0", "x"), call("123456789", "w")]),
            PromptEntry::ToolResults(vec![answer("call-0", "x"), answer("123456789", "w")]),
        ]
    };
    let ids = |host: &str| -> Vec<String> {
        let encoded = messages(host, entries());
        let all = encoded.as_array().unwrap();
        let calls: Vec<_> = all
            .iter()
            .filter_map(|message| message["tool_calls"].as_array())
            .flatten()
            .map(|call| call["id"].as_str().unwrap().to_owned())
            .collect();
        let results: Vec<_> =
            all.iter().filter_map(|message| message["tool_call_id"].as_str()).map(str::to_owned).collect();
        assert_eq!(calls, results, "{host}");
        calls
    };
    for host in HOSTS.into_iter().filter(|host| *host != PERPLEXITY) {
        let encoded = ids(host);
        let mut unique = encoded.clone();
        unique.sort();
        unique.dedup();
        assert_eq!(unique.len(), 6, "{host}: {encoded:?}");
        assert_eq!(encoded, ids(host), "the same ids each time");
        if host == MISTRAL {
            assert!(encoded.iter().all(|id| id.len() == 9 && id.chars().all(|c| c.is_ascii_alphanumeric())));
            assert_eq!(encoded[5], "123456789");
        } else {
            assert_eq!((encoded[0].as_str(), encoded[5].as_str()), ("call-0", "123456789"));
            assert!(
                encoded.iter().all(|id| !id.is_empty() && id.len() <= 40 && !id.contains(' ')),
                "{encoded:?}"
            );
        }
    }
}

#[test]
fn adjacent_messages_are_merged_for_hosts_with_alternating_roles() {
    let entries =
        || vec![user_entry("one"), user_entry("two"), answered("a"), answered("b"), user_entry("three")];
    for host in [MISTRAL, PERPLEXITY, LLAMA_CPP, LM_STUDIO, VLLM, OTHER] {
        let expected = json!([user("one\n\ntwo"), assistant("a\n\nb"), user("three")]);
        assert_eq!(messages(host, entries()), expected, "{host}");
    }
    for host in [OPENAI, OPENROUTER, GROQ, DEEPSEEK, XAI, OLLAMA] {
        assert_eq!(messages(host, entries()).as_array().unwrap().len(), 5, "{host}");
    }
}

#[test]
fn mistral_gets_an_assistant_message_between_tool_and_user() {
    let entries = || {
        vec![
            user_entry("go"),
            PromptEntry::Assistant(vec![call("123456789", "x")]),
            PromptEntry::ToolResults(vec![answer("123456789", "x")]),
            user_entry("and now?"),
        ]
    };
    let roles = |encoded: &Value| -> Vec<String> {
        encoded
            .as_array()
            .unwrap()
            .iter()
            .map(|message| message["role"].as_str().unwrap().to_owned())
            .collect()
    };
    let encoded = messages(MISTRAL, entries());
    assert_eq!(roles(&encoded), ["user", "assistant", "tool", "assistant", "user"]);
    assert_eq!(encoded[2]["name"], "x");
    let config = ModelConfig { model: "mistralai/Devstral-Small".into(), ..config() };
    let elsewhere = body(OPENROUTER, &Prompt { config, tools: vec![tool()], ..prompt(entries()) });
    assert_eq!(roles(&elsewhere["messages"]).len(), 5);
    assert_eq!(roles(&messages(OPENAI, entries())).len(), 4);
}

#[test]
fn mistral_gets_its_thinking_back_in_the_content() {
    let chunk = json!({"type": "thinking", "thinking": [{"type": "text", "text": "hm"}], "closed": true});
    let data = json!({"thinking": [chunk]});
    let entries = || {
        vec![
            user_entry("go"),
            PromptEntry::Assistant(vec![
                thought(data.clone(), "p", "m-1"),
                MessagePart::text("I look."),
                call("123456789", "x"),
            ]),
            PromptEntry::ToolResults(vec![answer("123456789", "x")]),
            user_entry("and?"),
            PromptEntry::Assistant(vec![thought(data.clone(), "p", "m-2"), MessagePart::text("So.")]),
            user_entry("fine"),
        ]
    };
    let encoded = messages(MISTRAL, entries());
    assert_eq!(encoded[1]["content"], json!([chunk, {"type": "text", "text": "I look."}]));
    assert_eq!(encoded[1]["tool_calls"][0]["id"], "123456789");
    assert_eq!(encoded[5], assistant("So."), "thinking of another model is omitted");
    let elsewhere = messages(OPENROUTER, entries());
    assert!(!elsewhere.to_string().contains("thinking"), "{elsewhere}");
}

#[test]
fn host_without_tools_gets_calls_as_text() {
    let entries = vec![
        user_entry("go"),
        PromptEntry::Assistant(vec![MessagePart::text("I look."), call("a", "x")]),
        PromptEntry::ToolResults(vec![answer("a", "x")]),
    ];
    let expected =
        json!([user("go"), assistant("I look.\n\n(used x with {\"n\":1}: {\"ok\":true})"), user("Go on."),]);
    assert_eq!(messages(PERPLEXITY, entries), expected);
}

#[test]
fn thinking_is_returned_to_its_own_model_only() {
    let details = json!([{"type": "reasoning.text", "text": "hm", "signature": "c2ln/+==", "index": 0}]);
    let encoded = |host: &str, data: Value, provider: &str, model: &str| {
        let entries = vec![
            user_entry("go"),
            PromptEntry::Assistant(vec![thought(data, provider, model), MessagePart::text("a")]),
            user_entry("on"),
        ];
        messages(host, entries)[1].clone()
    };
    let bare = assistant("a");
    let kept = encoded(OPENROUTER, json!({ "reasoning_details": details }), "p", "m-1");
    assert_eq!(kept, json!({"role": "assistant", "content": "a", "reasoning_details": details}));
    assert_eq!(encoded(OPENROUTER, json!({ "reasoning_details": details }), "p", "m-2"), bare);
    assert_eq!(encoded(OPENROUTER, json!({ "reasoning_details": details }), "q", "m-1"), bare);
    for field in ["reasoning_content", "reasoning"] {
        for host in HOSTS.into_iter().filter(|host| *host != DEEPSEEK) {
            let takes = ![OPENAI, MISTRAL, XAI, PERPLEXITY].contains(&host);
            let message = encoded(host, json!({ field: "hm" }), "p", "m-1");
            assert_eq!(message.get(field), takes.then(|| json!("hm")).as_ref(), "{host}");
        }
    }
    assert_eq!(encoded(OTHER, json!({"thoughtSignature": "x"}), "p", "m-1"), bare, "of another protocol");
}

#[test]
fn deepseek_gets_its_thinking_with_every_message_while_it_has_tools() {
    let entries = || {
        vec![
            user_entry("go"),
            PromptEntry::Assistant(vec![
                thought(json!({"reasoning_content": "hm"}), "p", "m-1"),
                call("a", "x"),
            ]),
            PromptEntry::ToolResults(vec![answer("a", "x")]),
            PromptEntry::Assistant(vec![
                thought(json!({"reasoning_content": "no"}), "p", "other"),
                MessagePart::text("a"),
            ]),
            user_entry("on"),
        ]
    };
    let encoded = messages(DEEPSEEK, entries());
    assert_eq!(
        (&encoded[1]["reasoning_content"], &encoded[3]["reasoning_content"]),
        (&json!("hm"), &json!(""))
    );
    let off = ModelConfig { thinking: Thinking::Off, ..config() };
    let quiet = body(DEEPSEEK, &Prompt { config: off, tools: vec![tool()], ..prompt(entries()) });
    assert_eq!(quiet["messages"][3].get("reasoning_content"), None);
}

#[test]
fn images_are_attached_and_other_files_noted() {
    let blob = |content: &str, mime: &str| -> MessagePart {
        PartBody::Blob {
            hash: ContentHash::of_text(content),
            mime: mime.into(),
            name: "map".into(),
            bytes: 2048,
        }
        .into()
    };
    let parts = vec![
        MessagePart::text("See:"),
        blob("seen", "image/png"),
        blob("lost", "image/png"),
        blob("pdf", "application/pdf"),
        PartBody::Json { value: json!({"a": 1}) }.into(),
    ];
    let mut prompt = prompt(vec![PromptEntry::User(parts)]);
    for content in ["seen", "pdf"] {
        prompt.blobs.insert(ContentHash::of_text(content), Arc::from("QUJD"));
    }
    let encoded = body(OTHER, &prompt)["messages"][0]["content"].clone();
    let note = |mime: &str| {
        let text = format!("[attached file “map”, type {mime}, 2048 bytes; its content is not shown here]");
        json!({"type": "text", "text": text})
    };
    let expected = json!([
        {"type": "text", "text": "See:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
        note("image/png"),
        note("application/pdf"),
        {"type": "text", "text": "{\"a\":1}"},
    ]);
    assert_eq!(encoded, expected);
}

#[test]
fn broken_arguments_are_sent_as_an_object() {
    let args = |args: ToolArgs| {
        let call = ToolCall { id: "a".into(), own_id: true, name: "t".into(), args };
        let encoded = messages(
            OTHER,
            vec![user_entry("go"), PromptEntry::Assistant(vec![PartBody::ToolCall(call).into()])],
        );
        let text = encoded[1]["tool_calls"][0]["function"]["arguments"].as_str().unwrap().to_owned();
        serde_json::from_str::<Value>(&text).unwrap()
    };
    assert_eq!(args(ToolArgs::Broken("{x".into())), json!({"unreadable": "{x"}));
    assert_eq!(args(ToolArgs::Parsed(json!([1]))), json!({"unreadable": "[1]"}));
}

#[test]
fn forced_tool_is_named_if_the_host_accepts_a_name() {
    let prompt = Prompt { tools: vec![tool()], must_call: true, ..prompt(vec![user_entry("Sync.")]) };
    for host in HOSTS {
        let choice = body(host, &prompt).get("tool_choice").cloned();
        let expected = match host {
            PERPLEXITY => None,
            MISTRAL => Some(json!("any")),
            _ => Some(json!({"type": "function", "function": {"name": "read_file"}})),
        };
        assert_eq!(choice, expected, "{host}");
    }
    let two = Prompt { tools: vec![tool(), tool()], ..prompt };
    assert_eq!(body(OTHER, &two).get("tool_choice"), None, "the cause is unspecified");
}

#[test]
fn only_claude_at_openrouter_gets_breakpoints() {
    let asked = |model: &str| Prompt {
        system: "You are.".into(),
        config: tests::config("p", model),
        ..prompt(vec![user_entry("one"), answered("two"), user_entry("three")])
    };
    let kept = |text: &str| json!([{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]);
    let claude = body(OPENROUTER, &asked("anthropic/claude-opus-5-5"));
    let contents: Vec<_> =
        claude["messages"].as_array().unwrap().iter().map(|message| message["content"].clone()).collect();
    assert_eq!(contents, [kept("You are."), kept("one"), json!("two"), kept("three")]);
    for (host, model) in [(OPENROUTER, "openai/gpt-6-astra"), (OTHER, "claude-opus-5-5")] {
        let body = body(host, &asked(model)).to_string();
        assert!(!body.contains("cache_control") && body.contains("\"content\":\"three\""), "{body}");
    }
}

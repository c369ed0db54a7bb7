//! Property tests of encoded requests: the rules of Chat Completions and of each host.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::http::Endpoint;
use crate::openai_chat::encode::encode;
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, ToolSpec};
use nexus_model::message::content::{MessagePart, OpaqueData, PartBody, ToolArgs, ToolCall, ToolResult};
use nexus_text::vec_map::VecSet;

const HOSTS: [&str; 6] = [
    "https://api.openai.com/v1",
    "https://openrouter.ai/api/v1",
    "https://api.mistral.ai/v1",
    "https://api.deepseek.com",
    "https://api.perplexity.ai",
    "http://127.0.0.1:8080/v1",
];

fn any_part() -> impl Strategy<Value = MessagePart> {
    let opaque = any::<bool>().prop_map(|own| OpaqueData {
        provider: if own { "p" } else { "q" }.into(),
        model: "m".into(),
        data: json!({"reasoning_content": if own { "own" } else { "foreign" }}),
    });
    let body = prop_oneof![
        "[a-z ]{0,6}".prop_map(|text| PartBody::Text { text }),
        "[a-z ]{0,6}".prop_map(|text| PartBody::Thinking { text }),
        any::<u8>().prop_map(|n| PartBody::Json { value: n.into() }),
        ("[ab]{0,2}", any::<bool>()).prop_map(|(id, broken)| {
            let args = if broken { ToolArgs::Broken("{".into()) } else { ToolArgs::Parsed(json!({"n": 1})) };
            PartBody::ToolCall(ToolCall { id, own_id: false, name: "tool".into(), args })
        }),
    ];
    (body, prop::option::of(opaque)).prop_map(|(body, opaque)| MessagePart { body, opaque })
}

fn any_entry() -> impl Strategy<Value = PromptEntry> {
    let answer = ("[ab]{0,2}", any::<bool>()).prop_map(|(call_id, is_error)| ToolResult {
        call_id,
        name: "tool".into(),
        result: json!({"ok": true}),
        is_error,
    });
    prop_oneof![
        prop::collection::vec(any_part(), 0..3).prop_map(PromptEntry::User),
        prop::collection::vec(any_part(), 0..4).prop_map(PromptEntry::Assistant),
        prop::collection::vec(answer, 0..3).prop_map(PromptEntry::ToolResults),
    ]
}

fn encoded(host: &str, entries: Vec<PromptEntry>) -> Vec<Value> {
    let config = ModelConfig::new("p", "m");
    let tool =
        ToolSpec { name: "tool".into(), description: String::new(), parameters: json!({"type": "object"}) };
    let prompt = Prompt {
        system: "S".into(),
        entries,
        tools: vec![tool],
        config,
        blobs: Default::default(),
        output: None,
        must_call: false,
    };
    let request = encode(&prompt, &Endpoint { base_url: host.into(), key: None });
    let body: Value = serde_json::from_str(&request.body.unwrap()).unwrap();
    body["messages"].as_array().unwrap().clone()
}

fn check_rules(host: &str, messages: &[Value]) -> Result<(), TestCaseError> {
    prop_assert_eq!(&messages[0], &json!({"role": "system", "content": "S"}));
    let messages = &messages[1..];
    let is_mistral = host.contains("mistral");
    let takes_turns = is_mistral || host.contains("perplexity") || host.contains("8080");
    prop_assert_eq!(&messages[0]["role"], "user", "the user has the first word");
    prop_assert!(messages.last().unwrap()["role"] != "assistant", "and not the assistant the last");
    let mut ids = VecSet::default();
    let mut open: Vec<String> = Vec::new();
    let mut before = "";
    for message in messages {
        let role = message["role"].as_str().unwrap();
        prop_assert!(message["content"].is_string() || message["content"].is_array());
        if role == "tool" {
            prop_assert_eq!(
                open.remove(0),
                message["tool_call_id"].as_str().unwrap(),
                "in the order of calls"
            );
        } else {
            prop_assert!(open.is_empty(), "every call has its result at once");
            prop_assert!(message["content"] != "" || message.get("tool_calls").is_some(), "nothing is empty");
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            prop_assert_eq!(role, "assistant");
            let id = call["id"].as_str().unwrap().to_owned();
            prop_assert!(!id.is_empty() && id.len() <= 40 && (!is_mistral || id.len() == 9), "{}", id);
            prop_assert!(ids.insert(id.clone()), "ids are unique");
            let args = call["function"]["arguments"].as_str().unwrap();
            prop_assert!(serde_json::from_str::<Value>(args).unwrap().is_object());
            open.push(id);
        }
        prop_assert!(!takes_turns || role == "tool" || role != before, "user and assistant take turns");
        prop_assert!(!is_mistral || (before, role) != ("tool", "user"), "Mistral wants an assistant between");
        prop_assert!(!message.to_string().contains("foreign"), "thinking of another provider");
        if host.contains("deepseek") && role == "assistant" {
            prop_assert!(message["reasoning_content"].is_string());
        }
        before = role;
    }
    prop_assert!(open.is_empty());
    Ok(())
}

proptest! {
    #[test]
    fn any_history_follows_the_rules_of_any_host(
        entries in prop::collection::vec(any_entry(), 0..10),
        host in prop::sample::select(&HOSTS[..]),
    ) {
        check_rules(host, &encoded(host, entries))?;
    }
}

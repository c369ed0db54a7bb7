//! Property tests of encoded requests: Anthropic's rules on roles, calls, thinking and cache breakpoints.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::anthropic::encode::encode;
use crate::http::Endpoint;
use crate::tests::any_prompt;
use nexus_model::llm::Prompt;

const MODELS: [&str; 5] =
    ["claude-haiku-4-5", "claude-opus-4-6", "claude-opus-5-5", "claude-haiku-5-5", "deepseek-flash"];

fn opaque() -> Vec<Value> {
    vec![
        json!({"type": "thinking", "signature": "c2ln"}),
        json!({"type": "redacted_thinking", "data": "RedAct"}),
        json!({"thoughtSignature": "of another protocol"}),
    ]
}

fn encoded(prompt: &Prompt) -> Value {
    let request = encode(prompt, &Endpoint { base_url: "http://h".into(), key: None });
    serde_json::from_str(&request.body.unwrap()).unwrap()
}

fn blocks(message: &Value) -> &[Value] {
    message["content"].as_array().unwrap()
}

fn ids<'a>(message: &'a Value, kind: &str, key: &str) -> Vec<&'a str> {
    blocks(message).iter().filter(|b| b["type"] == kind).map(|b| b[key].as_str().unwrap()).collect()
}

fn is_thinking(block: &Value) -> bool {
    block["type"] == "thinking" || block["type"] == "redacted_thinking"
}

fn check(body: &Value) -> Result<(), TestCaseError> {
    let messages = body["messages"].as_array().unwrap();
    prop_assert_eq!(messages.len() % 2, 1, "the user has the first and the last word");
    let mut seen = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        prop_assert_eq!(&message["role"], role, "roles alternate");
        prop_assert!(!blocks(message).is_empty(), "no message is empty");
        for block in blocks(message) {
            check_block(block, role)?;
        }
        if role == "assistant" {
            let last = blocks(message).last().unwrap();
            prop_assert!(!is_thinking(last), "thinking is never last");
            let text = last["text"].as_str().unwrap_or("x");
            prop_assert_eq!(text, text.trim_end());
            seen.extend(ids(message, "tool_use", "id"));
        }
        let called = at.checked_sub(1).map_or(vec![], |before| ids(&messages[before], "tool_use", "id"));
        if role == "user" {
            prop_assert_eq!(ids(message, "tool_result", "tool_use_id"), called, "each call has its result");
            let first_other = blocks(message).iter().position(|b| b["type"] != "tool_result");
            let last_result = blocks(message).iter().rposition(|b| b["type"] == "tool_result");
            prop_assert!(first_other.is_none_or(|other| last_result.is_none_or(|last| last < other)));
        }
    }
    prop_assert!(seen.is_empty() || body["tools"].as_array().is_some_and(|tools| !tools.is_empty()));
    let count = seen.len();
    seen.sort_unstable();
    seen.dedup();
    prop_assert_eq!(seen.len(), count, "ids are unique");
    prop_assert!(body.to_string().matches("cache_control").count() <= 4);
    check_thinking(body, messages)
}

fn check_block(block: &Value, role: &str) -> Result<(), TestCaseError> {
    match (role, block["type"].as_str().unwrap()) {
        (_, "text") => prop_assert!(!block["text"].as_str().unwrap().trim().is_empty()),
        ("user", "tool_result") => prop_assert!(block["content"].is_string()),
        ("assistant", "tool_use") => {
            prop_assert!(block["input"].is_object());
            let id = block["id"].as_str().unwrap();
            prop_assert!(!id.is_empty() && id.len() <= 64);
            prop_assert!(id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'), "{}", id);
        }
        ("assistant", "thinking") => {
            prop_assert!(block["thinking"].is_string() && block["signature"] == "c2ln");
            prop_assert!(block.get("cache_control").is_none());
        }
        ("assistant", "redacted_thinking") => prop_assert_eq!(&block["data"], "RedAct"),
        (role, kind) => prop_assert!(false, "{kind} from {role}"),
    }
    Ok(())
}

fn check_thinking(body: &Value, messages: &[Value]) -> Result<(), TestCaseError> {
    let model = body["model"].as_str().unwrap();
    let kind = body["thinking"]["type"].as_str();
    let shown = messages.iter().flat_map(blocks).any(is_thinking);
    prop_assert!(!shown || matches!(kind, Some("enabled" | "adaptive")) || model == "deepseek-flash");
    match model {
        "claude-haiku-4-5" => prop_assert!(matches!(kind, None | Some("enabled"))),
        "claude-opus-5-5" => prop_assert_eq!(kind, Some("adaptive")),
        _ => {}
    }
    if kind == Some("enabled") {
        prop_assert!(body["thinking"]["budget_tokens"].as_u64() < body["max_tokens"].as_u64());
        if let [.., answer, last] = messages
            && blocks(last).iter().any(|block| block["type"] == "tool_result")
        {
            prop_assert!(is_thinking(&blocks(answer)[0]), "a step with a budget begins with thinking");
        }
    }
    let takes_temperature = kind.is_none() && !model.contains("-5-5");
    prop_assert_eq!(body.get("temperature").is_some(), takes_temperature);
    Ok(())
}

proptest! {
    #[test]
    fn any_conversation_follows_the_rules(prompt in any_prompt(&MODELS, opaque)) {
        check(&encoded(&prompt))?;
    }
}

//! Property tests of encoded requests: the rules of Responses on call pairs, reasoning and empty items.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::http::Endpoint;
use crate::openai_responses::encode::encode;
use crate::tests::any_prompt;
use nexus_model::llm::Prompt;

const MODELS: [&str; 5] = ["gpt-4o", "gpt-5", "gpt-6.1-sol", "gpt-6-luna", "llama-4"];

fn opaque() -> Vec<Value> {
    vec![
        json!({"type": "reasoning", "id": "rs", "summary": [], "encrypted_content": "gAAA"}),
        json!({"type": "reasoning", "id": "rs_stored", "summary": []}),
        json!({"type": "thinking", "signature": "of another protocol"}),
    ]
}

fn encoded(prompt: &Prompt) -> Value {
    let request = encode(prompt, &Endpoint { base_url: "http://h".into(), key: None });
    serde_json::from_str(&request.body.unwrap()).unwrap()
}

fn check(body: &Value) -> Result<(), TestCaseError> {
    let items = body["input"].as_array().unwrap();
    let mut open: Vec<&str> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    let mut after_reasoning = false;
    for item in items {
        let kind = item["type"].as_str().unwrap();
        let role = item["role"].as_str();
        if after_reasoning {
            let leads = kind == "reasoning" || kind == "function_call" || role == Some("assistant");
            prop_assert!(leads, "reasoning leads to something");
        }
        after_reasoning = kind == "reasoning";
        match kind {
            "message" => {
                prop_assert!(open.is_empty(), "a call waits for its output");
                check_message(item, role.unwrap())?;
            }
            "function_call" => {
                let id = item["call_id"].as_str().unwrap();
                prop_assert!(!id.is_empty() && id.len() <= 64 && !seen.contains(&id), "{}", id);
                prop_assert!(id.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-'));
                let args: Value = serde_json::from_str(item["arguments"].as_str().unwrap()).unwrap();
                prop_assert!(args.is_object());
                open.push(id);
                seen.push(id);
            }
            "function_call_output" => {
                prop_assert!(item["output"].is_string());
                let id = item["call_id"].as_str().unwrap();
                prop_assert_eq!(open.first(), Some(&id), "outputs in the order of the calls");
                open.remove(0);
            }
            "reasoning" => {
                prop_assert!(open.is_empty());
                prop_assert_eq!(&item["encrypted_content"], "gAAA");
            }
            other => prop_assert!(false, "{other}"),
        }
    }
    prop_assert!(open.is_empty());
    let last = items.last().unwrap();
    prop_assert!(last["role"] == "user" || last["type"] == "function_call_output");
    check_settings(body)
}

fn check_message(item: &Value, role: &str) -> Result<(), TestCaseError> {
    let expected = if role == "assistant" { "output_text" } else { "input_text" };
    let content = item["content"].as_array().unwrap();
    prop_assert!(!content.is_empty());
    for piece in content {
        prop_assert_eq!(&piece["type"], expected);
        prop_assert!(!piece["text"].as_str().unwrap().is_empty());
    }
    Ok(())
}

fn check_settings(body: &Value) -> Result<(), TestCaseError> {
    prop_assert_eq!(&body["store"], false);
    let effort = body["reasoning"]["effort"].as_str();
    match body["model"].as_str().unwrap() {
        "gpt-4o" => prop_assert!(body.get("reasoning").is_none() && body.get("include").is_none()),
        "gpt-6.1-sol" => prop_assert!(!matches!(effort, Some("none" | "minimal"))),
        "gpt-5" => prop_assert!(effort != Some("none") && body.get("temperature").is_none()),
        "gpt-6-luna" => prop_assert_eq!(body.get("temperature").is_some(), effort == Some("none")),
        _ => {}
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_conversation_follows_the_rules(prompt in any_prompt(&MODELS, opaque)) {
        check(&encoded(&prompt))?;
    }
}

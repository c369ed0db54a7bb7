//! Property tests of encoded requests: Gemini's rules on roles, call pairs and signatures.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::gemini::encode::encode;
use crate::http::Endpoint;
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry};
use nexus_model::message::content::{MessagePart, OpaqueData, PartBody, ToolArgs, ToolCall, ToolResult};

const MODELS: [&str; 3] = ["gemini-3.7-flash", "gemini-4-argon", "gemini-2.5-flash"];

fn any_opaque() -> impl Strategy<Value = Option<OpaqueData>> {
    let opaque =
        (prop::sample::select(&MODELS[..]), any::<bool>()).prop_map(|(model, elsewhere)| OpaqueData {
            provider: if elsewhere { "other" } else { "gemini" }.into(),
            model: model.into(),
            data: if elsewhere { json!({"signature": "x"}) } else { json!({"thoughtSignature": "c2ln"}) },
        });
    prop::option::of(opaque)
}

fn any_part() -> impl Strategy<Value = MessagePart> {
    let body = prop_oneof![
        "[a-z ]{0,6}".prop_map(|text| PartBody::Text { text }),
        "[a-z ]{0,6}".prop_map(|text| PartBody::Thinking { text }),
        any::<u8>().prop_map(|n| PartBody::Json { value: n.into() }),
    ];
    (body, any_opaque()).prop_map(|(body, opaque)| MessagePart { body, opaque })
}

fn any_call() -> impl Strategy<Value = MessagePart> {
    let args = prop_oneof![
        any::<u8>().prop_map(|n| ToolArgs::Parsed(json!({"n": n}))),
        Just(ToolArgs::Broken("{".into())),
    ];
    (args, any::<bool>(), any_opaque()).prop_map(|(args, own_id, opaque)| {
        let call = ToolCall { id: String::new(), own_id, name: "tool".into(), args };
        MessagePart { body: PartBody::ToolCall(call), opaque }
    })
}

/// An answer with calls under unique ids, and the results of those whose bit in `answered` is set.
fn step(mut parts: Vec<MessagePart>, calls: Vec<MessagePart>, answered: u8) -> Vec<PromptEntry> {
    let mut answers = Vec::new();
    for (at, mut part) in calls.into_iter().enumerate() {
        if let PartBody::ToolCall(call) = &mut part.body {
            call.id = format!("call-{at}");
            if answered & (1 << at) != 0 {
                answers.push(ToolResult {
                    call_id: call.id.clone(),
                    name: call.name.clone(),
                    result: json!({"at": at}),
                    is_error: at % 2 == 1,
                });
            }
        }
        parts.push(part);
    }
    let mut entries = vec![PromptEntry::Assistant(parts)];
    if !answers.is_empty() {
        entries.push(PromptEntry::ToolResults(answers));
    }
    entries
}

/// Turns as the engine creates them; with `gaps`, also as after a crash.
fn any_conversation(gaps: bool) -> impl Strategy<Value = Vec<PromptEntry>> {
    let answered = if gaps { any::<u8>().boxed() } else { Just(u8::MAX).boxed() };
    let a_step = (prop::collection::vec(any_part(), 0..3), prop::collection::vec(any_call(), 0..4), answered)
        .prop_map(|(parts, calls, answered)| step(parts, calls, answered));
    let query = prop::collection::vec(any_part(), 1..3).prop_map(|parts| vec![PromptEntry::User(parts)]);
    let turn = (query, prop::collection::vec(a_step, 0..4))
        .prop_map(|(query, steps)| query.into_iter().chain(steps.concat()).collect::<Vec<_>>());
    prop::collection::vec(turn, 1..4).prop_map(move |turns| {
        let mut entries = turns.concat();
        if gaps && entries.len() > 1 {
            entries.remove(0);
        }
        entries
    })
}

fn encoded(entries: Vec<PromptEntry>, model: &str) -> Vec<Value> {
    let config = ModelConfig::new("gemini", model);
    let prompt = Prompt {
        system: String::new(),
        entries,
        tools: vec![],
        config,
        blobs: Default::default(),
        output: None,
        must_call: false,
    };
    let request = encode(&prompt, &Endpoint { base_url: "http://h".into(), key: None });
    let body: Value = serde_json::from_str(&request.body.unwrap()).unwrap();
    body["contents"].as_array().unwrap().clone()
}

/// The parts of `content` of this kind.
fn all<'a>(content: &'a Value, kind: &str) -> Vec<&'a Value> {
    content["parts"].as_array().unwrap().iter().filter_map(|part| part.get(kind)).collect()
}

fn check_rules(contents: &[Value], model: &str) -> Result<(), TestCaseError> {
    for (at, content) in contents.iter().enumerate() {
        let role = if at % 2 == 0 { "user" } else { "model" };
        prop_assert_eq!(&content["role"], role, "roles alternate");
        let parts = content["parts"].as_array().unwrap();
        prop_assert!(!parts.is_empty(), "no content is empty");
        for part in parts {
            check_part(part, role)?;
        }
        if role == "user" {
            let calls = at.checked_sub(1).map_or(vec![], |before| all(&contents[before], "functionCall"));
            let key = |value: &Value| (value.get("id").cloned(), value["name"].clone());
            let called: Vec<_> = calls.into_iter().map(key).collect();
            let answered: Vec<_> = all(content, "functionResponse").into_iter().map(key).collect();
            prop_assert_eq!(called, answered, "each call has its answer, in order");
        }
    }
    prop_assert_eq!(contents.len() % 2, 1, "the user has the last word");
    if model.starts_with("gemini-2.5") {
        return Ok(());
    }
    let current = contents.iter().rposition(|c| c["role"] == "user" && !all(c, "text").is_empty());
    for content in &contents[current.unwrap_or(0)..] {
        let mut parts = content["parts"].as_array().unwrap().iter();
        if let Some(call) = parts.find(|part| part.get("functionCall").is_some()) {
            prop_assert!(call.get("thoughtSignature").is_some(), "a step's first call is signed");
        }
    }
    Ok(())
}

fn check_part(part: &Value, role: &str) -> Result<(), TestCaseError> {
    let kinds: &[&str] =
        if role == "user" { &["text", "functionResponse"] } else { &["text", "functionCall"] };
    prop_assert_eq!(kinds.iter().filter(|kind| part.get(**kind).is_some()).count(), 1);
    let signed = part.get("thoughtSignature").is_some();
    prop_assert!(part["text"] != "" || signed, "an empty text is only kept for its signature");
    prop_assert!(!signed || role == "model");
    prop_assert!(part.get("thought").is_none() || signed, "thinking is no history");
    if let Some(call) = part.get("functionCall") {
        prop_assert!(call["args"].is_object());
    }
    if let Some(answer) = part.get("functionResponse") {
        prop_assert!(answer["response"].is_object());
    }
    Ok(())
}

proptest! {
    #[test]
    fn conversations_of_the_engine_follow_the_rules(
        entries in any_conversation(false),
        model in prop::sample::select(&MODELS[..]),
    ) {
        check_rules(&encoded(entries, model), model)?;
    }

    #[test]
    fn conversations_with_gaps_follow_the_rules(
        entries in any_conversation(true),
        model in prop::sample::select(&MODELS[..]),
    ) {
        check_rules(&encoded(entries, model), model)?;
    }
}

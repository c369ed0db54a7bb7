//! One exchange through the Gemini codec. Never a whole round.

use serde_json::json;

use crate::demo::tests::stage::DemoStage;
use crate::demo::{Demo, MODEL};
use nexus_model::llm::{FinishReason, Prompt, PromptEntry, ToolSpec};
use nexus_model::message::content::calls_of;
use nexus_model::prelude::*;
use nexus_model::provider::{DEMO_URL, Protocol};
use nexus_providers::chat::ModelAnswer;
use nexus_providers::codec::{self, encode};
use nexus_providers::http::Endpoint;

fn endpoint() -> Endpoint {
    Endpoint { base_url: DEMO_URL.to_owned(), key: None }
}

fn ask(prompt: &Prompt) -> ModelAnswer {
    let script = Demo::default().answer(&encode(Protocol::Gemini, prompt, &endpoint()));
    assert_eq!(script.status, 200);
    let mut decoder = (codec::of(Protocol::Gemini).decoder)();
    let mut answer = ModelAnswer::default();
    for beat in &script.beats {
        decoder.feed(&beat.bytes).into_iter().for_each(|event| answer.apply(event));
    }
    decoder.end().into_iter().for_each(|event| answer.apply(event));
    assert_eq!((answer.failure.clone(), answer.skipped), (None, 0));
    answer
}

#[test]
fn codec_decodes_a_whole_exchange() {
    let body: Value = serde_json::from_str(&DemoStage::new("a todo list").request(
        "Architect",
        "A to-do list with filters",
        None,
        &[],
    ))
    .unwrap();
    let query = body["contents"][0]["parts"][0]["text"].as_str().unwrap();
    let provider = ProviderId::from("rehearsal");
    let mut prompt = Prompt {
        system: "You are Architect, the planner.".to_owned(),
        entries: vec![PromptEntry::User(vec![MessagePart::text(query)])],
        tools: vec![ToolSpec {
            name: "update_nexus_state".to_owned(),
            description: "Changes the mind.".to_owned(),
            parameters: json!({ "type": "object" }),
        }],
        config: ModelConfig::new(provider.clone(), MODEL),
        blobs: Default::default(),
        output: None,
        must_call: false,
    };

    let first = ask(&prompt);
    assert_eq!(first.finish, FinishReason::ToolCalls);
    assert!(first.usage.input.is_some_and(|tokens| tokens > 0));
    assert!(first.usage.output > first.usage.reasoning && first.usage.reasoning > Some(0));
    let parts = first.message_parts(&provider, MODEL);
    let call = calls_of(&parts).next().unwrap().clone();
    let ToolArgs::Parsed(args) = &call.args else { panic!("arguments are JSON") };
    assert!(args["scratchpad"].as_str().unwrap().contains("## Plan: To-do list"));
    assert!(!call.own_id);

    prompt.entries.push(PromptEntry::Assistant(parts));
    prompt.entries.push(PromptEntry::ToolResults(vec![ToolResult {
        call_id: call.id,
        name: call.name,
        result: json!({ "ok": true }),
        is_error: false,
    }]));
    let last = ask(&prompt);
    assert_eq!(last.finish, FinishReason::Stop);
    assert!(text_of(&last.message_parts(&provider, MODEL)).contains("with 4 items open"));
    assert_ne!(last.response_id, first.response_id);
}

#[test]
fn codec_lists_one_model() {
    let script = Demo::default().answer(&(codec::of(Protocol::Gemini).models_request)(&endpoint()));
    let body = String::from_utf8(script.beats.into_iter().flat_map(|beat| beat.bytes).collect()).unwrap();
    let models = (codec::of(Protocol::Gemini).read_models)(script.status, &body).unwrap();
    let ids: Vec<&str> = models.iter().map(|model| model.id.as_str()).collect();
    assert_eq!(ids, [MODEL]);
}

//! Tests of the demo through its interface: requests in, bytes out. Reads no internals except the scenario data.

mod protocol;
mod scenarios;
mod stage;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Demo, MODEL};
use crate::demo::tests::stage::{DemoStage, decode};
use nexus_model::provider::presets::NEEDS_MODEL;
use nexus_providers::http::{HttpRequest, Method};

const TIPS: &str = "A tip calculator for a small restaurant";

fn post(body: String) -> HttpRequest {
    HttpRequest {
        method: Method::Post,
        url: format!("https://rehearsal.invalid/v1beta/models/{MODEL}:streamGenerateContent?alt=sse"),
        headers: Vec::new(),
        body: Some(body),
    }
}

#[test]
fn model_list_has_one_entry() {
    let get = |path: &str| {
        let url = format!("https://rehearsal.invalid/v1beta/{path}");
        Demo::default().answer(&HttpRequest { method: Method::Get, url, headers: vec![], body: None })
    };
    let script = get("models?pageSize=1000");
    let list: Value = serde_json::from_slice(&script.beats[0].bytes).unwrap();
    assert_eq!((script.status, &list["models"][0]["name"]), (200, &json!("models/rehearsal-1")));
    assert_eq!(list["models"].as_array().unwrap().len(), 1);
    assert_eq!(get("files").status, 404);
}

#[test]
fn invalid_body_is_rejected_with_a_message() {
    for body in ["", "{", "[]", "{\"contents\":[]}", "{\"contents\":7}"] {
        let script = Demo::default().answer(&post(body.to_owned()));
        let error: Value = serde_json::from_slice(&script.beats[0].bytes).unwrap();
        assert_eq!((script.status, &error["error"]["status"]), (400, &json!("INVALID_ARGUMENT")), "{body}");
    }
}

#[test]
fn equal_requests_get_equal_bytes() {
    let stage = DemoStage::new(TIPS);
    let request = post(stage.request("Architect", TIPS, None, &[]));
    let (a, b) = (Demo::default().answer(&request), Demo::default().answer(&request));
    assert_eq!(a, b);
    assert!(a.beats.iter().any(|beat| beat.pause_ms > 0));
    let hurried = Demo { pace_percent: 0 }.answer(&request);
    assert!(hurried.beats.iter().all(|beat| beat.pause_ms == 0));
    assert_eq!(hurried.beats.len(), a.beats.len());
}

#[test]
fn unprepared_objective_needs_a_model_and_builds_nothing() {
    for objective in [
        "chess",
        "A Rust function that parses ISO durations, with tests",
        "A letter to the landlord. The heating has been broken since Friday!",
        "A tip calculator for a small restaurant with a table plan",
        "</mind></objective><script>alert(1)</script> \u{202e} {{title}}",
        "宿題のリスト、検索",
    ] {
        let mut stage = DemoStage::new(objective);
        stage.round(objective, Some((1, 6)));
        let replies = stage.replies.join("\n");
        assert_eq!(replies.matches(NEEDS_MODEL).count(), 1, "{replies}");
        assert!(
            stage.replies[0].contains(NEEDS_MODEL) && stage.replies[0].contains("*A Snake game*"),
            "{replies}"
        );
        assert_eq!(stage.files.keys().map(String::as_str).collect::<Vec<_>>(), ["notes.md"], "{objective}");
        assert!(stage.files["notes.md"].contains(objective));
        assert!(stage.scratchpad.contains("- [ ] A model: "), "{}", stage.scratchpad);
        assert!(stage.scratchpad.contains("- [x] Engineer: write notes.md"), "{}", stage.scratchpad);
        assert!(stage.scratchpad.contains("- [x] Critic: check that notes.md"), "{}", stage.scratchpad);
        assert_eq!(stage.accepted, Some(false));
        assert_eq!(stage.errors, Vec::<String>::new(), "{objective}");
        assert!(replies.contains("Nothing else is built: "));

        // Another message changes nothing, and the explanation is repeated.
        let before = (stage.scratchpad.clone(), stage.files.clone());
        for message in ["Make it blue", "What is the capital of Portugal?", "hello"] {
            stage.replies.clear();
            stage.round(message, None);
            assert_eq!(stage.replies.join("\n").matches(NEEDS_MODEL).count(), 1, "{:?}", stage.replies);
        }
        assert_eq!(before, (stage.scratchpad, stage.files));
    }
}

#[test]
fn message_without_objective_builds_nothing() {
    let mut stage = DemoStage::new("");
    stage.round("a counter for push-ups", None);
    assert!(stage.files.is_empty() && stage.objective.is_empty() && stage.scratchpad.is_empty());
    assert!(stage.replies[0].contains(NEEDS_MODEL));
}

#[test]
fn single_agent_explains_that_it_needs_a_model() {
    for agent in ["Architect", "Engineer", "Critic", "Lyricist"] {
        for objective in ["", "chess", TIPS] {
            let mut stage = DemoStage::new(objective);
            stage.turn(agent, "Write a song", None);
            assert!(stage.replies[0].contains(NEEDS_MODEL), "{:?}", stage.replies);
            assert!(stage.used.is_empty(), "{:?}", stage.used);
        }
    }
}

#[test]
fn stream_has_signature_usage_and_end_like_geminis() {
    let stage = DemoStage::new(TIPS);
    let script = Demo::default().answer(&post(stage.request("Architect", TIPS, None, &[])));
    assert_eq!((script.status, script.content_type), (200, "text/event-stream"));
    let events = decode(&script);
    let parts = |event: &Value| event["candidates"][0]["content"]["parts"].as_array().cloned().unwrap();
    let all: Vec<Value> = events.iter().flat_map(parts).collect();
    assert!(all.iter().any(|part| part["thought"] == true));
    let calls: Vec<&Value> = all.iter().filter(|part| part.get("functionCall").is_some()).collect();
    assert_eq!(calls.len(), 1);
    assert!(calls[0]["functionCall"]["id"].as_str().is_some_and(|id| !id.is_empty()));
    assert!(calls[0]["thoughtSignature"].as_str().is_some_and(|signature| signature.len() % 4 == 0));
    let usage = &events.last().unwrap()["usageMetadata"];
    let tokens = |key: &str| usage[key].as_u64().unwrap();
    assert_eq!(
        tokens("totalTokenCount"),
        tokens("promptTokenCount") + tokens("candidatesTokenCount") + tokens("thoughtsTokenCount")
    );
    assert_eq!(events.last().unwrap()["candidates"][0]["finishReason"], "STOP");
    assert_eq!(events.iter().filter(|event| event["candidates"][0].get("finishReason").is_some()).count(), 1);
    let pause: u32 = script.beats.iter().map(|beat| beat.pause_ms).sum();
    assert!((1_000..6_000).contains(&pause), "{pause}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_text_gets_an_answer(objective in "\\PC{0,60}", message in "(\\PC|\\n){0,60}", pad in "(\\PC|\\n){0,80}") {
        let mut stage = DemoStage::new(&objective);
        stage.scratchpad = pad;
        stage.round(&message, Some((1, 6)));
        stage.round(&message, Some((2, 6)));
        prop_assert!(stage.accepted != Some(true));
    }

    #[test]
    fn any_body_gets_status_200_or_400(body in "\\PC{0,200}") {
        let script = Demo::default().answer(&post(body));
        prop_assert!(script.status == 200 || script.status == 400);
    }
}

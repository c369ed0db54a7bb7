//! Scenarios of other responses than answers: errors, blocked prompts, bodies that are no stream.

use serde_json::{Value, json};

use super::{ask, bytes, category, fine, half, newest, text, waits};
use nexus_engine::tests::{Scripted, ScriptedChunk, refuses, says, tab};
use nexus_model::provider::{Protocol, ProviderErrorKind};
use nexus_model::turn::TurnEnd;
use nexus_view::strings::failure;

#[test]
fn each_error_has_the_providers_message_and_is_not_retried() {
    let cases = [
        (400, "context_length_exceeded", "This model's maximum context length is 9 tokens."),
        (401, "invalid_api_key", "The key was withdrawn."),
        (402, "insufficient_credits", "This account has no credit."),
        (403, "forbidden", "Not from your country."),
        (404, "model_not_found", "The model was retired."),
        (413, "too_large", "That is too much."),
    ];
    for (status, code, words) in cases {
        let body = json!({ "error": { "message": words, "code": code, "type": "invalid_request_error" } });
        let answer = Scripted { status, beats: vec![bytes(&body.to_string())] };
        let tab = tab(move |_, _| answer.clone());
        tab.use_protocol(Protocol::Openai, "gpt-of-nobody");
        tab.say("@Architect go").unwrap();
        tab.pass(3_600_000);
        let turn = newest(&tab);
        assert_eq!((tab.speakers().len(), turn.end), (1, Some(TurnEnd::Error)), "{status}");
        let failed = turn.failure.unwrap();
        assert!(failed.message.contains(words), "{status}: {failed:?}");
        let card = failure(&failed, "OpenAI", "https://a.example", &turn.config.model);
        assert_eq!(card.advice.contains("gpt-of-nobody"), status == 404, "{status}: {card:?}");
    }
}

#[test]
fn transient_error_is_followed_by_the_answer() {
    for status in [408, 500, 502, 503, 529] {
        let mut requests = 0;
        let tab = tab(move |_, _| {
            requests += 1;
            if requests == 1 { refuses(status, "UNAVAILABLE") } else { says("after it") }
        });
        tab.say("@Architect go").unwrap();
        tab.pass(3_600_000);
        assert_eq!((tab.speakers().len(), text(&tab).as_str()), (2, "after it"), "{status}");
    }
}

#[test]
fn retry_delay_has_jitter() {
    let mut all = Vec::new();
    for status in [409, 504, 529] {
        let (tab, ..) = ask(Scripted { status, beats: vec![bytes("oops")] });
        all.extend(waits(&tab));
    }
    assert_eq!(all.len(), 6, "{all:?}");
    all.sort_unstable();
    all.dedup();
    assert!(all.len() > 1, "{all:?}");
}

#[test]
fn other_bodies_are_no_answers_and_a_wrong_media_type_is_harmless() {
    use ProviderErrorKind::{Garbled, NotFound};
    let named =
        |name: &'static str, body: &str| vec![ScriptedChunk::Header("content-type", name), bytes(body)];
    let (_, turn, _) = ask(Scripted { status: 404, beats: named("text/plain", "404 page not found\n") });
    assert_eq!(category(&turn), NotFound);
    assert!(turn.failure.unwrap().message.contains("404 page not found"));
    let (tab, turn, _) = ask(fine(named("application/json", "{\"moon\":\"full\"}")));
    assert_eq!((turn.end, category(&turn), text(&tab).as_str()), (Some(TurnEnd::Error), Garbled, ""));
    let good = [vec![ScriptedChunk::Header("content-type", "application/octet-stream")], says("fine").beats];
    let (tab, ..) = ask(fine(good.concat()));
    assert_eq!(text(&tab), "fine");
    let (tab, ..) = ask(fine([vec![bytes("\u{feff}")], says("fine").beats].concat()));
    assert_eq!(text(&tab), "fine");
}

#[test]
fn blocked_prompt_and_retracted_answer_are_reported_and_keep_their_text() {
    let event = |value: Value| bytes(&format!("data: {value}\n\n"));
    let blocked = event(json!({ "promptFeedback": { "blockReason": "PROHIBITED_CONTENT" } }));
    let (_, turn, requests) = ask(fine(vec![blocked]));
    assert_eq!((requests, turn.end, category(&turn)), (1, Some(TurnEnd::Error), ProviderErrorKind::Blocked));
    let taken_back = event(json!({ "candidates": [{ "finishReason": "SAFETY" }] }));
    let (tab, turn, requests) = ask(fine([half("I would"), vec![taken_back]].concat()));
    assert_eq!((requests, turn.end, category(&turn)), (1, Some(TurnEnd::Error), ProviderErrorKind::Blocked));
    assert_eq!(text(&tab), "I would");
}

//! Scenarios of the context gauge: counted by the provider, or estimated close to the next request.

use crate::change_agent;
use serde_json::json;

use crate::context::pictures::{picture, show};
use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, says, tab};
use nexus_model::command::Command;
use nexus_model::context::window::{WindowUsage, filling};
use nexus_model::context::{PICTURE_TOKENS, estimate, tokens_for};
use nexus_model::id::SessionId;
use nexus_model::limits::{LOAD_AHEAD_MS, TURNS_LOADED};
use nexus_model::mind::Mind;
use nexus_model::provider::vision::InputKinds;
use nexus_model::turn::Turn;

fn gauge(tab: &Tab, agent: &str) -> WindowUsage {
    let world = tab.world();
    filling(&world, world.session(&tab.session).unwrap(), world.agent(&agent.into()).unwrap())
}

fn newest(tab: &Tab) -> Turn {
    let world = tab.world();
    world.turn(&tab.session_row().head.unwrap()).unwrap().as_ref().clone()
}

fn window(tab: &Tab, agent: &str, tokens: u64) {
    change_agent(tab, agent, |agent| agent.config.context_tokens = Some(tokens));
}

/// An answer of a provider that reports no token counts.
fn uncounted(text: &str) -> Scripted {
    let body = json!({"candidates": [{
        "content": {"role": "model", "parts": [{"text": text}]}, "finishReason": "STOP",
    }]});
    Scripted { status: 200, beats: vec![ScriptedChunk::Bytes(format!("data: {body}\r\n\r\n"))] }
}

/// Checks that the gauge before a question matches the request without the question.
fn assert_close(usage: WindowUsage, turn: &Turn, question: &str) {
    let question_tokens = estimate(question);
    let sent = turn.calls[0].recipe.tokens - question_tokens;
    assert!(usage.tokens.abs_diff(sent) < 60, "the gauge said {usage:?}, and {sent} were sent");
}

fn quiet(tab: &Tab) {
    for name in ["summary_auto", "memory_auto", "core_auto"] {
        tab.send(Command::ChangeSetting { name: name.into(), value: false.into() }).unwrap();
    }
}

#[test]
fn providers_count_is_used_until_other_agents_speak() {
    let tab = tab(|agent, _| says(&format!("{agent}: {}", "word ".repeat(200))));
    quiet(&tab);
    let before = gauge(&tab, "architect");
    assert_eq!((before.tokens, before.is_counted), (0, false), "no message was sent yet");
    tab.say("@Architect hello").unwrap();
    let usage = gauge(&tab, "architect");
    assert_eq!((usage.tokens, usage.is_counted), (110, true), "its input and its output");
    tab.say("@Critic and you?").unwrap();
    let later = gauge(&tab, "architect");
    let critic = newest(&tab);
    let more = tokens_for(&tab.world(), &critic, &"architect".into(), InputKinds::ALL);
    assert_eq!((later.tokens, later.is_counted), (110 + more, false));
    assert_eq!(gauge(&tab, "critic"), WindowUsage { tokens: 110, ..usage });
    // Another model counts differently.
    tab.use_model("gemini", "gemini-other");
    assert!(!gauge(&tab, "critic").is_counted);
}

#[test]
fn without_a_count_the_estimate_is_close_to_the_next_request() {
    let tab = tab(|_, _| uncounted(&"word ".repeat(300)));
    quiet(&tab);
    for number in 0..5 {
        let usage = gauge(&tab, "architect");
        let question = format!("@Architect question {number} {}", "long ".repeat(300));
        tab.say(&question).unwrap();
        if number > 0 {
            assert!(!usage.is_counted);
            assert_close(usage, &newest(&tab), &question);
        }
    }
}

#[test]
fn agents_with_different_windows_have_different_shares() {
    let tab = tab(|_, _| says(&"word ".repeat(100)));
    quiet(&tab);
    window(&tab, "architect", 1_000);
    window(&tab, "critic", 220);
    tab.say("@Architect hello").unwrap();
    tab.say("@Critic hello").unwrap();
    let (architect, critic) = (gauge(&tab, "architect"), gauge(&tab, "critic"));
    assert_eq!((architect.window, critic.window), (1_000, 220));
    assert_eq!(critic.percent(), 50);
    assert_eq!(architect.percent(), architect.tokens * 100 / 1_000);
    assert_eq!(WindowUsage::default().percent(), 0);
}

#[test]
fn after_a_compaction_the_gauge_is_a_lower_estimate_until_the_next_call() {
    let tab = tab(|_, _| uncounted(&"word ".repeat(400)));
    quiet(&tab);
    tab.archivist.borrow_mut().script = Some(Box::new(|_| says("A short summary of all that.")));
    for number in 0..6 {
        tab.say(&format!("@Architect question {number}")).unwrap();
    }
    let before = gauge(&tab, "architect");
    let (session, agent, focus) = (tab.session, "architect".into(), String::new());
    tab.send(Command::Compact { session, agent, focus }).unwrap();
    tab.settle();
    assert_eq!(tab.world().compactions.len(), 1);
    let after = gauge(&tab, "architect");
    assert!(!after.is_counted && after.tokens + 3 * 450 < before.tokens, "{before:?} {after:?}");
    tab.say("@Architect more").unwrap();
    assert_close(after, &newest(&tab), "@Architect more");
    // The count of an older request says nothing about the shorter next one.
    let counted = nexus_engine::tests::tab(|_, _| says("ok"));
    quiet(&counted);
    for number in 0..6 {
        counted.say(&format!("@Architect question {number}")).unwrap();
    }
    assert!(gauge(&counted, "architect").is_counted);
    let (session, agent, focus) = (counted.session, "architect".into(), String::new());
    counted.send(Command::Compact { session, agent, focus }).unwrap();
    counted.settle();
    assert!(!gauge(&counted, "architect").is_counted);
    counted.say("@Architect more").unwrap();
    assert!(gauge(&counted, "architect").is_counted);
}

#[test]
fn image_counts_once_and_not_for_models_without_vision() {
    let look = |sees: bool| {
        let tab = tab(|_, _| uncounted("a cat"));
        quiet(&tab);
        let name = nexus_model::provider::ModelList::setting(&"gemini".into());
        let models = json!({"at": 1, "models": [{"id": "gemini-3.8-flash", "name": "Flash", "sees": sees}]});
        tab.send(Command::ChangeSetting { name, value: models }).unwrap();
        show(&tab, "@Architect what is it?", vec![picture("cat.png", "aGVsbG8=")]).unwrap();
        let usage = gauge(&tab, "architect");
        tab.say("@Architect and now?").unwrap();
        assert_close(usage, &newest(&tab), "@Architect and now?");
        usage.tokens
    };
    assert_eq!(look(true) - look(false), PICTURE_TOKENS);
}

#[test]
fn an_agent_whose_turn_is_not_loaded_is_measured_once_older_turns_are_loaded_ahead() {
    let first = tab(|_, _| uncounted(&"word ".repeat(20)));
    quiet(&first);
    first.say("@Architect hello").unwrap();
    for number in 0..TURNS_LOADED + 5 {
        first.say(&format!("@Critic question {number}")).unwrap();
    }
    let before = gauge(&first, "architect");
    first.kill();
    let again = first.again(|_, _| uncounted("Yes."));
    assert!(gauge(&again, "architect").tokens < before.tokens, "all turns are loaded at once");
    again.pass(LOAD_AHEAD_MS);
    assert_eq!(gauge(&again, "architect"), before);
    // Another session lets go of the first one's turns.
    let other = SessionId::from(7);
    let create = Command::CreateSession { session: other, label: "other".into(), mind: Mind::default() };
    again.send(create).unwrap();
    for session in [other, again.session] {
        let handle = again.running.handle.clone();
        again.wait_for(async move { handle.open(session).await }).unwrap();
        again.pass(LOAD_AHEAD_MS);
    }
    let usage = gauge(&again, "architect");
    assert_eq!(usage, before);
    again.say("@Architect and now?").unwrap();
    assert_close(usage, &newest(&again), "@Architect and now?");
}

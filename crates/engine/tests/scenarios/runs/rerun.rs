//! Scenarios of re-runs: recorded turns are reused, and models are called only from the change on. Every request can be
//! rebuilt from the log.

use crate::change_agent;
use std::cell::RefCell;
use std::rc::Rc;

use proptest::prelude::*;
use serde_json::{Value, json};

use nexus_engine::calls::prompt::{adapt_to_errors, prompt_of};
use nexus_engine::port::Store as _;
use nexus_engine::tests::{Scripted, Tab, calls, read_events, refuses, says, system_of, tab};
use nexus_model::command::{Command, NewMessage, RerunChange};
use nexus_model::event::{Event, EventKind};
use nexus_model::fold::fold;
use nexus_model::id::{SessionId, StreamId, TurnId};
use nexus_model::llm::ModelConfig;
use nexus_model::provider::Protocol;
use nexus_model::run::graph::GraphTemplate;
use nexus_model::run::templates::graph_templates;
use nexus_model::run::{ChangedInput, RunCause, RunStatus};
use nexus_model::session::{KeepGoing, QueueMode};
use nexus_model::settings::schema::{CORE_AUTO, MEMORY_AUTO, SUMMARY_AUTO};
use nexus_model::testing::SeqIds;
use nexus_model::turn::Turn;
use nexus_model::world::World;
use nexus_providers::codec;
use nexus_providers::http::Endpoint;

/// The `nth` session of a test; the engine's own ids are far from it.
fn session(nth: usize) -> SessionId {
    let mut ids = SeqIds::default();
    (0..=nth).map(|_| SessionId::new(&mut ids)).last().unwrap()
}

/// The bodies of the agents' requests, in order.
fn bodies(tab: &Tab) -> Vec<String> {
    let sent = tab.sent.borrow();
    let bodies = sent.iter().filter_map(|request| request.body.clone());
    let by_agent = |body: &String| {
        let tree: Value = serde_json::from_str(body).unwrap();
        let system = system_of(&tree);
        !system.starts_with("You are Core") && !system.starts_with("You are Archivist")
    };
    bodies.filter(by_agent).collect()
}

fn events(tab: &Tab, stream: StreamId) -> Vec<Event> {
    let store = tab.store.clone();
    read_events(&tab.wait_for(async move { store.events(stream, 1, usize::MAX).await.unwrap() }))
}

/// The requests of these sessions, rebuilt from the log alone.
fn replayed(tab: &Tab, sessions: &[SessionId]) -> Vec<(TurnId, u32, u32, String)> {
    let mut all = events(tab, StreamId::App);
    for session in sessions {
        all.extend(events(tab, StreamId::Session(*session)));
    }
    let world = fold(&World::default(), &all);
    let mut requests = Vec::new();
    for event in &all {
        let Some(EventKind::ModelRequested { call, attempt }) = event.known_kind() else { continue };
        let turn = world.turn(&event.turn.unwrap()).unwrap();
        let model_call = &turn.calls[*call as usize];
        let mut prompt = prompt_of(&world, turn, &model_call.recipe).unwrap();
        adapt_to_errors(&mut prompt, &model_call.failures[..*attempt as usize - 1]);
        let provider = world.live_provider(&turn.config.provider).unwrap();
        let endpoint = Endpoint { base_url: provider.base_url.clone(), key: None };
        let body = codec::encode(provider.protocol, &prompt, &endpoint).body.unwrap();
        requests.push((turn.id, *call, *attempt, body));
    }
    requests
}

fn start(tab: &Tab, graph: GraphTemplate, text: &str) {
    let graph = Some(Box::new(graph));
    tab.send(Command::SendMessage(NewMessage { graph, ..NewMessage::new(tab.session, text) })).unwrap();
}

/// Re-runs from a turn in a new session, which the tab then shows. Returns the number of earlier requests.
fn rerun(tab: &mut Tab, nth: usize, turn: TurnId, change: Option<RerunChange>) -> usize {
    let (before, new) = (bodies(tab).len(), session(nth));
    let command = Command::Rerun { session: new, turn, change, label: String::new() };
    tab.send(command).unwrap();
    tab.session = new;
    before
}

/// The nth turn of the current thread, oldest first.
fn turn(tab: &Tab, nth: usize) -> Turn {
    let world = tab.world();
    let mut turns: Vec<_> = world.ancestry(tab.session_row().head).collect();
    turns.reverse();
    turns[nth].as_ref().clone()
}

fn status(tab: &Tab) -> RunStatus {
    tab.world().run(&tab.run_id()).unwrap().status
}

/// Three agents in a row.
fn chain() -> GraphTemplate {
    let text = r#"{
        "version": 1, "name": "Chain",
        "nodes": [
            { "key": "plan", "kind": "agent.architect", "instruction": "Plan it." },
            { "key": "build", "kind": "agent.engineer", "instruction": "Build it." },
            { "key": "review", "kind": "agent.critic", "instruction": "Review it." }
        ],
        "edges": [{ "from": "plan", "to": "build" }, { "from": "build", "to": "review" }]
    }"#;
    GraphTemplate::read(text).unwrap()
}

/// Each agent answers with its name and the number of its calls.
fn counting() -> impl FnMut(&str, &Value) -> Scripted {
    let mut requests = 0;
    move |agent, _| {
        requests += 1;
        says(&format!("{agent}, answer {requests}."))
    }
}

#[test]
fn unchanged_rerun_sends_the_recorded_request_and_calls_no_earlier_agent() {
    let mut tab = tab(counting());
    start(&tab, chain(), "A page, please");
    assert_eq!(tab.speakers(), ["Architect", "Engineer", "Critic"]);
    let home = tab.session;
    let second = turn(&tab, 1);
    // The current mind would give another request than the recorded one.
    let objective = nexus_model::mind::MindWrite::Objective("Something else".into());
    let base = tab.session_row().mind;
    tab.send(Command::EditMind { session: home, base, writes: vec![objective] }).unwrap();
    change_agent(&tab, "critic", |agent| agent.description = "Sleeps all day.".to_owned());
    tab.pass(60_000);

    let before = rerun(&mut tab, 20, second.id, None);
    tab.settle();
    let sent = bodies(&tab);
    assert_eq!(tab.speakers()[before..], ["Engineer", "Critic"], "the Architect is not asked again");
    assert_eq!(sent[before], sent[1], "byte for byte");
    assert_ne!(sent[before + 1], sent[2], "later turns are called again");
    assert_eq!(status(&tab), RunStatus::Completed);
    let cause = tab.world().run(&tab.run_id()).unwrap().cause;
    assert_eq!(cause, RunCause::Rerun { turn: second.id, changed: None });
    // The fork has the earlier answers, and the original session is unchanged.
    assert_eq!(turn(&tab, 0).session, home);
    assert_eq!(tab.world().session(&home).unwrap().head, Some(turn_at(&tab, home, 2)));
    let requests = replayed(&tab, &[home, tab.session]);
    assert_eq!(requests.into_iter().map(|request| request.3).collect::<Vec<_>>(), sent);
}

fn turn_at(tab: &Tab, session: SessionId, nth: usize) -> TurnId {
    let world = tab.world();
    let head = world.session(&session).unwrap().head;
    let turns: Vec<_> = world.ancestry(head).map(|turn| turn.id).collect();
    turns[turns.len() - 1 - nth]
}

/// The text of a request's newest content.
fn question(body: &str) -> String {
    let tree: Value = serde_json::from_str(body).unwrap();
    let last = tree["contents"].as_array().unwrap().last().unwrap().clone();
    last["parts"].as_array().unwrap().iter().filter_map(|part| part["text"].as_str()).collect()
}

#[test]
fn changed_input_leaves_the_rest_of_the_request_unchanged() {
    let mut tab = tab(counting());
    start(&tab, chain(), "A page, please");
    let home = tab.session;
    let (first, second) = (turn(&tab, 0), turn(&tab, 1));
    let system = |body: &str| serde_json::from_str::<Value>(body).unwrap()["systemInstruction"].clone();

    let change = RerunChange::Message { message: first.query[0], text: "A poem, please".into() };
    let before = rerun(&mut tab, 20, first.id, Some(change));
    tab.settle();
    let sent = bodies(&tab);
    assert_eq!(tab.speakers()[before..], ["Architect", "Engineer", "Critic"]);
    assert_eq!(question(&sent[before]), question(&sent[0]).replace("A page, please", "A poem, please"));
    assert_eq!(system(&sent[before]), system(&sent[0]));
    assert!(question(&sent[before + 1]).contains("A poem, please"), "the others get the new text");

    tab.session = home;
    let change = RerunChange::Envelope { at: 0, text: "The plan is a poem.".into() };
    let before = rerun(&mut tab, 21, second.id, Some(change));
    tab.settle();
    let sent = bodies(&tab);
    assert_eq!(tab.speakers()[before..], ["Engineer", "Critic"]);
    let question_text = question(&sent[1]);
    let question_text =
        question_text.replace("\"summary\":\"Architect, answer 1.\"", "\"summary\":\"The plan is a poem.\"");
    assert_eq!(question(&sent[before]), question_text);

    tab.session = home;
    let before = rerun(&mut tab, 22, second.id, Some(RerunChange::Persona("critic".into())));
    tab.settle();
    let sent = bodies(&tab);
    assert_eq!(tab.speakers()[before..], ["Critic", "Critic"]);
    let question_text = question(&sent[1]).replace("type=\"agent.engineer\"", "type=\"agent.critic\"");
    assert_eq!(question(&sent[before]), question_text, "the same question to somebody else");
    assert_ne!(system(&sent[before]), system(&sent[1]));
    let cause = tab.world().run(&tab.run_id()).unwrap().cause;
    assert_eq!(cause, RunCause::Rerun { turn: second.id, changed: Some(ChangedInput::Persona) });

    tab.session = home;
    let model = ModelConfig::new("gemini", "gemini-3.8-pro");
    let before = rerun(&mut tab, 23, second.id, Some(RerunChange::Model(model)));
    tab.settle();
    let sent = bodies(&tab);
    assert_eq!(sent[before], sent[1], "Gemini names the model in the address");
    let urls: Vec<String> = tab.sent.borrow().iter().map(|request| request.url.clone()).collect();
    let other = urls.iter().filter(|url| url.contains("gemini-3.8-pro")).count();
    assert_eq!(other, 1, "only the turn that was changed: {urls:?}");
}

#[test]
fn rerun_of_a_repeated_broadcast_starts_in_its_round() {
    let mut tab = tab(|agent, body| {
        let has_results = body["contents"].as_array().unwrap().last().unwrap()["parts"][0]
            .get("functionResponse")
            .is_some();
        match agent {
            "Engineer" if !has_results => {
                let at = body["contents"].as_array().unwrap().len();
                calls(&[("write_file", json!({"name": "a.txt", "content": format!("{at}\n")}))])
            }
            _ => says(&format!("{agent} is done.")),
        }
    });
    let keep = KeepGoing { rounds: 2, definition_of_done: "It is good.".into() };
    tab.say_with("Work on it", QueueMode::FollowUp, Some(keep)).unwrap();
    tab.settle();
    let last = turn(&tab, 5);
    assert_eq!((last.agent.as_str(), last.round), ("critic", 2));
    let before = rerun(&mut tab, 20, last.id, None);
    tab.settle();
    let sent = bodies(&tab);
    assert_eq!(sent.len(), before + 1, "one call, of one turn");
    assert_eq!(sent[before], sent[before - 1]);
    let run = tab.world().run(&tab.run_id()).unwrap().as_ref().clone();
    assert_eq!((run.status, run.rounds.current), (RunStatus::Completed, 2));
    // The budget continues from its earlier usage.
    assert_eq!(run.used.calls, u32::try_from(before).unwrap());
}

#[test]
fn rerun_after_a_reload_starts_with_the_recorded_request() {
    let first = tab(counting());
    start(&first, chain(), "A page, please");
    let third = turn(&first, 2);
    let recorded = bodies(&first)[2].clone();
    first.kill();
    let mut again = first.again(counting());
    let before = rerun(&mut again, 20, third.id, None);
    again.settle();
    assert_eq!((before, bodies(&again)), (0, vec![recorded]));
    assert_eq!(status(&again), RunStatus::Completed);
}

#[test]
fn turn_of_another_protocol_is_rerun_unchanged() {
    let answered = Rc::new(RefCell::new(0));
    let count = Rc::clone(&answered);
    let mut tab = tab(move |_, _| {
        *count.borrow_mut() += 1;
        refuses(400, "INVALID")
    });
    tab.use_protocol(Protocol::Openai, "house-model");
    tab.say("all of you").unwrap();
    let second = turn(&tab, 1);
    let before = rerun(&mut tab, 20, second.id, None);
    tab.settle();
    let sent = bodies(&tab);
    assert_eq!((sent[before].as_str(), *answered.borrow()), (sent[1].as_str(), sent.len()));
}

/// What a scripted model does when called.
#[derive(Clone, Copy, Debug)]
enum Act {
    Say,
    Write,
    Judge(bool),
    Fail,
    Cut,
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => Just(Act::Say),
        3 => Just(Act::Write),
        1 => any::<bool>().prop_map(Act::Judge),
        1 => Just(Act::Fail),
        1 => Just(Act::Cut),
    ]
}

fn acting(acts: Vec<Act>) -> impl FnMut(&str, &Value) -> Scripted {
    let mut requests = 0usize;
    move |agent, _| {
        requests += 1;
        match acts[requests % acts.len()] {
            Act::Say => says(&format!("{agent} says {requests}.")),
            Act::Write => {
                calls(&[("write_file", json!({"name": "a.txt", "content": format!("{agent} {requests}\n")}))])
            }
            Act::Judge(accepted) => says(&format!("{requests}\n```json\n{{\"accepted\": {accepted}}}\n```")),
            Act::Fail => refuses(503, "UNAVAILABLE"),
            Act::Cut => {
                let mut cut = says(&format!("{agent} begins {requests}"));
                cut.beats.truncate(1);
                cut
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { source_file: Some(file!()), ..ProptestConfig::with_cases(16) })]

    /// Rebuilding any log gives the sent prompts byte for byte, and an unchanged re-run starts with the recorded
    /// request.
    #[test]
    fn any_log_rebuilds_its_requests_and_any_turn_can_be_rerun(
        acts in proptest::collection::vec(any_act(), 1..9),
        graph in 0usize..4,
        resumed in 0usize..3,
        nth in any::<prop::sample::Index>(),
    ) {
        let mut tab = tab(acting(acts));
        for (setting, value) in [(CORE_AUTO.name(), false), (SUMMARY_AUTO.name(), false), (MEMORY_AUTO.name(), false)] {
            tab.send(Command::ChangeSetting { name: setting.to_owned(), value: value.into() }).unwrap();
        }
        let home = tab.session;
        match graph_templates().into_iter().nth(graph).filter(|_| graph < 3) {
            Some(template) => start(&tab, template, "Build something"),
            None => tab.say("Build something").unwrap(),
        }
        for _ in 0..resumed {
            tab.pass(3_600_000);
            let run = tab.run_id();
            // A completed run cannot be resumed.
            let _outcome = tab.send(Command::ContinueRun { run });
        }
        tab.pass(3_600_000);
        let sent = bodies(&tab);
        let requests = replayed(&tab, &[home]);
        prop_assert_eq!(requests.iter().map(|it| &it.3).collect::<Vec<_>>(), sent.iter().collect::<Vec<_>>());
        let firsts: Vec<_> = requests.iter().filter(|(turn, call, attempt, _)| {
            (*call, *attempt) == (0, 1) && !tab.world().turn(turn).unwrap().phase.is_open()
        }).collect();
        let (turn, _, _, recorded) = nth.get(&firsts);
        let before = rerun(&mut tab, 20, *turn, None);
        tab.settle();
        let after = bodies(&tab);
        prop_assert_eq!(after.get(before), Some(recorded));
        tab.pass(3_600_000);
        let all = replayed(&tab, &[home, tab.session]);
        prop_assert_eq!(all.into_iter().map(|it| it.3).collect::<Vec<_>>(), bodies(&tab));
    }
}

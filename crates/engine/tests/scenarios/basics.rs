//! Scenarios of whole interactions: operator input, model requests, final state.

use crate::{edit, has_results};
use serde_json::{Value, json};

use crate::snapshot;
use nexus_engine::port::{Batch, Store as _, Table};
use nexus_engine::tests::{Scripted, Tab, calls, refuses, says, tab, trickles};
use nexus_model::command::{Command, Rejection};
use nexus_model::event::Event;
use nexus_model::fold::fold;
use nexus_model::id::AgentKey;
use nexus_model::message::content::text_of;
use nexus_model::message::{MessageStatus, Role};
use nexus_model::run::{NodeStatus, RoundsEndReason, RunStatus};
use nexus_model::session::{Draft, DraftField, KeepGoing, QueueMode};
use nexus_model::turn::TurnEnd;
use nexus_model::world::World;

fn planner(agent: &str, body: &Value) -> Scripted {
    match agent {
        "Architect" if !has_results(body) => {
            calls(&[("update_nexus_state", json!({"scratchpad": "- [ ] Engineer: build FRESH-PLAN"}))])
        }
        "Engineer" if !has_results(body) => {
            calls(&[("write_file", json!({"name": "index.html", "content": "<h1>Hi</h1>\n"}))])
        }
        _ => says(&format!("{agent} is done.")),
    }
}

#[test]
fn broadcast_runs_by_priority_and_agents_see_earlier_answers() {
    let tab = tab(planner);
    tab.say("Build a page").unwrap();
    assert_eq!(tab.speakers(), ["Architect", "Architect", "Engineer", "Engineer", "Critic"]);
    assert!(!tab.question(0).contains("FRESH-PLAN"));
    let engineers = tab.question(2);
    assert!(
        engineers.contains("<scratchpad>\n- [ ] Engineer: build FRESH-PLAN\n</scratchpad>"),
        "{engineers}"
    );
    assert!(
        engineers.contains("[Architect]") || tab.requests.borrow()[2].1.to_string().contains("[Architect]")
    );
    assert!(tab.question(4).contains("<h1>Hi</h1>"));
    let world = tab.world();
    let run = world.run(&tab.run_id()).unwrap();
    assert_eq!(run.status, RunStatus::Completed);
    assert!(run.nodes.iter().all(|node| node.status == NodeStatus::Done && node.last_output.is_some()));
    assert_eq!(run.artifacts[0].path, "index.html");
}

#[test]
fn run_id_links_all_events_of_an_interaction() {
    let tab = tab(planner);
    tab.say("Build a page").unwrap();
    let run = tab.run_id();
    let traced: Vec<Event> = tab.events().into_iter().filter(|event| event.run == Some(run)).collect();
    let kinds: Vec<_> = traced
        .iter()
        .map(|event| serde_json::to_value(event).unwrap()["kind"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(kinds.first().map(String::as_str), Some("MessageCommitted"));
    assert_eq!(kinds.last().map(String::as_str), Some("RunEnded"));
    for kind in [
        "RunOpened",
        "TurnOpened",
        "ContextBuilt",
        "ModelRequested",
        "ToolRequested",
        "ToolEnded",
        "TurnClosed",
    ] {
        assert!(kinds.iter().any(|other| other == kind), "{kind} is missing");
    }
}

#[test]
fn folding_all_events_gives_the_world_and_the_stored_rows() {
    let tab = tab(planner);
    tab.say("Build a page").unwrap();
    tab.say("@Critic look again").unwrap();
    let mut events = tab.app_events();
    events.extend(tab.events());
    let folded = fold(&World::default(), &events);
    assert_eq!(folded, *tab.world());
    tab.kill();
    let again = tab.again(|_, _| says("never asked"));
    // A reload loads only what it needs; each loaded row equals the folded one.
    let world = again.world();
    assert!(
        !world.messages.is_empty() && world.messages.iter().all(|(id, row)| folded.message(id) == Some(row))
    );
    assert!(!world.turns.is_empty() && world.turns.iter().all(|(id, row)| folded.turn(id) == Some(row)));
    assert!(world.minds.iter().all(|(id, row)| folded.mind(id) == Some(row)));
    assert!(world.tool_runs.iter().all(|(id, row)| folded.tool_run(id) == Some(row)));
    assert_eq!(world.sessions, folded.sessions);
    assert!(again.speakers().is_empty(), "nothing runs unasked");
}

#[test]
fn request_is_rebuilt_byte_for_byte_from_its_recipe() {
    let tab = tab(planner);
    tab.say("Build a page").unwrap();
    let world = tab.world();
    let mut turns: Vec<_> = world.turns.values().collect();
    turns.sort_by_key(|turn| turn.id);
    let rebuilt: Vec<_> = turns
        .iter()
        .flat_map(|turn| turn.calls.iter().map(move |call| (turn, call)))
        .map(|(turn, call)| {
            let prompt = nexus_engine::calls::prompt::prompt_of(&world, turn, &call.recipe).unwrap();
            let endpoint =
                nexus_providers::http::Endpoint { base_url: "https://x.example".into(), key: None };
            nexus_providers::codec::encode(nexus_model::provider::Protocol::Gemini, &prompt, &endpoint)
                .body
                .unwrap()
        })
        .collect();
    let sent: Vec<_> = tab.requests.borrow().iter().map(|(_, body)| body.to_string()).collect();
    let rebuilt: Vec<_> =
        rebuilt.iter().map(|body| serde_json::from_str::<Value>(body).unwrap().to_string()).collect();
    assert_eq!(rebuilt, sent);
}

#[test]
fn mention_targets_a_muted_agent_and_a_broadcast_does_not() {
    let tab = tab(|agent, _| says(&format!("I am {agent}")));
    let mute = |agent: &str| Command::SetMuted { session: tab.session, agent: agent.into(), muted: true };
    tab.send(mute("critic")).unwrap();
    tab.say("all of you").unwrap();
    assert_eq!(tab.speakers(), ["Architect", "Engineer"]);
    tab.say("@critic and you?").unwrap();
    assert_eq!(tab.speakers().last().map(String::as_str), Some("Critic"));
    tab.send(mute("architect")).unwrap();
    tab.send(mute("engineer")).unwrap();
    tab.say("anybody?").unwrap();
    assert_eq!(tab.speakers().len(), 3);
    assert_eq!(tab.session_row().unanswered.len(), 1, "the message stays and joins the next query");
    tab.say("@Engineer you then").unwrap();
    assert!(
        tab.question(3).contains("anybody?") || tab.requests.borrow()[3].1.to_string().contains("anybody?")
    );
}

#[test]
fn stop_cancels_call_and_run_and_keeps_the_partial_text() {
    let tab = tab(|_, _| trickles(&["The first ", "words"]));
    tab.say("go").unwrap();
    tab.pass(1_500);
    tab.send(Command::Stop { session: tab.session }).unwrap();
    let events = tab.events().len();
    tab.pass(600_000);
    assert_eq!(tab.events().len(), events, "no event follows a stop");
    assert_eq!(tab.speakers(), ["Architect"]);
    let world = tab.world();
    let run = world.run(&tab.run_id()).unwrap();
    assert_eq!(run.status, RunStatus::Cancelled);
    let statuses: Vec<_> = run.nodes.iter().map(|node| node.status).collect();
    assert_eq!(statuses, [NodeStatus::Error, NodeStatus::Idle, NodeStatus::Idle]);
    let answer = world.messages.values().find(|message| message.role == Role::Assistant).unwrap();
    assert_eq!(text_of(&answer.parts), "The first words");
    assert_eq!((answer.status, answer.failed_reason), (MessageStatus::Failed, Some(TurnEnd::Cancelled)));
    drop(world);
    tab.send(Command::ContinueRun { run: tab.run_id() }).unwrap();
    tab.pass(1_500);
    assert_eq!(tab.speakers(), ["Architect", "Architect"], "go on takes up the nodes that have not answered");
}

#[test]
fn rejected_key_skips_the_agents_that_need_it_until_the_run_goes_on() {
    let mut requests = 0;
    let tab = tab(move |agent, _| {
        requests += 1;
        if requests == 1 { refuses(401, "UNAUTHENTICATED") } else { says(&format!("{agent} is done.")) }
    });
    tab.say("go").unwrap();
    assert_eq!(tab.speakers(), ["Architect"]);
    let run = tab.world().run(&tab.run_id()).unwrap().as_ref().clone();
    assert_eq!(run.status, RunStatus::Failed);
    let statuses: Vec<_> = run.nodes.iter().map(|node| node.status).collect();
    assert_eq!(statuses, [NodeStatus::Error, NodeStatus::Idle, NodeStatus::Idle]);
    tab.send(Command::ContinueRun { run: run.id }).unwrap();
    tab.settle();
    assert_eq!(tab.speakers(), ["Architect", "Architect", "Engineer", "Critic"]);
}

#[test]
fn retry_of_a_turn_without_key_asks_the_agents_that_were_not_called() {
    let mut requests = 0;
    let tab = tab(move |agent, _| {
        requests += 1;
        if requests < 3 { refuses(401, "UNAUTHENTICATED") } else { says(&format!("{agent} is done.")) }
    });
    let retry = || tab.try_again(tab.session_row().head.unwrap()).unwrap();
    tab.say("go").unwrap();
    retry();
    assert_eq!(tab.speakers(), ["Architect", "Architect"], "the others were not called for the same reason");
    retry();
    assert_eq!(tab.speakers(), ["Architect", "Architect", "Architect", "Engineer", "Critic"]);
}

#[test]
fn continuing_an_answer_whose_key_was_rejected_asks_the_agents_that_were_not_called() {
    let mut requests = 0;
    let tab = tab(move |agent, _| {
        requests += 1;
        match requests {
            1 => {
                let mut answer = calls(&[("write_file", json!({"name": "a", "content": "x"}))]);
                answer.beats.insert(0, says("I write it. ").beats[0].clone());
                answer
            }
            2 => refuses(401, "UNAUTHENTICATED"),
            _ => says(&format!("{agent} is done.")),
        }
    });
    tab.say("go").unwrap();
    let cut = tab.session_row().head.unwrap();
    tab.send(Command::ContinueAnswer { turn: cut }).unwrap();
    assert_eq!(tab.speakers(), ["Architect", "Architect", "Architect", "Engineer", "Critic"]);
    assert!(tab.question(2).contains("<go_on>") && !tab.question(3).contains("<go_on>"));
}

#[test]
fn messages_are_queued_during_a_run_and_can_be_edited_and_withdrawn() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        if requests == 1 { trickles(&["slow"]) } else { says("fine") }
    });
    tab.say("@Architect one").unwrap();
    tab.say("@Architect two").unwrap();
    tab.say("@Architect three").unwrap();
    let ids: Vec<_> = tab.world().waiting(tab.session).iter().map(|item| item.id).collect();
    assert_eq!(ids.len(), 2);
    tab.send(Command::EditQueued { item: ids[0], text: "@Critic edited".into() }).unwrap();
    tab.send(Command::WithdrawQueued { item: ids[1] }).unwrap();
    tab.send(Command::Stop { session: tab.session }).unwrap();
    tab.pass(600_000);
    assert_eq!(tab.requests.borrow().len(), 1, "Stop means that nothing runs");
    tab.send(Command::SendAllHeld { session: tab.session }).unwrap();
    tab.settle();
    assert!(tab.question(1).contains("edited"));
    assert!(tab.world().waiting(tab.session).is_empty());
    assert_eq!(tab.requests.borrow().len(), 2);
    assert_eq!(tab.send(Command::WithdrawQueued { item: ids[1] }), Err(Rejection::NotWaiting));
    assert_eq!(queue_rows(&tab), Vec::<String>::new(), "delivered messages are not kept");
}

fn queue_rows(tab: &Tab) -> Vec<String> {
    let store = tab.store.clone();
    tab.wait_for(async move { store.keys(Table::Queue, String::new()).await.unwrap() })
}

#[test]
fn obsolete_queue_rows_of_older_versions_are_deleted_on_opening() {
    let first = tab(|_, _| trickles(&["slow"]));
    first.say("@Architect one").unwrap();
    first.say("@Architect two").unwrap();
    let [waits] = queue_rows(&first).try_into().unwrap();
    let store = first.store.clone();
    first.wait_for(async move {
        let scanned = store.scan(Table::Queue, String::new()).await.unwrap();
        let mut row: Value = serde_json::from_str(&scanned[0].1).unwrap();
        let over = "00000000000000000000000000".to_owned();
        (row["id"], row["state"]) = (json!(over), json!({ "taken": over }));
        let puts = vec![(Table::Queue, (over, row.to_string()))];
        store.write(Batch { puts, ..Batch::default() }).await.unwrap();
    });
    assert_eq!(queue_rows(&first).len(), 2);
    first.kill();
    let again = first.again(|_, _| says("fine"));
    again.open().unwrap();
    assert_eq!(queue_rows(&again), [waits]);
    assert_eq!(again.world().waiting(again.session).len(), 1);
}

#[test]
fn queued_messages_keep_their_mode_over_a_reload_and_are_sent_once() {
    let first = tab(|_, _| trickles(&["slow"]));
    first.say("@Architect one").unwrap();
    first.say_with("@Architect later", QueueMode::FollowUp, None).unwrap();
    first.say_with("@Architect red", QueueMode::Collect, None).unwrap();
    first.say_with("@Architect green", QueueMode::FollowUp, None).unwrap();
    let item = first.world().waiting(first.session)[2].id;
    first.send(Command::SetQueueMode { item, mode: QueueMode::Collect }).unwrap();
    first.kill();
    let again = first.again(|_, _| says("fine"));
    again.open().unwrap();
    let modes: Vec<_> = again.world().waiting(again.session).iter().map(|item| item.mode).collect();
    assert_eq!(modes, [QueueMode::FollowUp, QueueMode::Collect, QueueMode::Collect]);
    assert!(again.requests.borrow().is_empty(), "nothing is taken while the interrupted run waits");
    again.say_with("@Architect first of all", QueueMode::Interrupt, None).unwrap();
    again.settle();
    assert_eq!(again.requests.borrow().len(), 3);
    let new = |at: usize| {
        let question = again.question(at);
        ["first of all", "later", "red", "green"].map(|words| question.contains(words))
    };
    assert_eq!(new(0), [true, false, false, false]);
    assert_eq!(new(1), [false, true, false, false]);
    assert!(again.world().waiting(again.session).is_empty());
    let world = again.world();
    let run = world.run(&again.run_id()).unwrap();
    let texts: Vec<_> = run.messages.iter().map(|id| text_of(&world.message(id).unwrap().parts)).collect();
    assert_eq!(texts, ["@Architect red", "@Architect green"]);
}

#[test]
fn interrupting_message_stops_the_run_and_steering_one_joins_the_next_turn() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        if requests == 1 { trickles(&["slow"]) } else { says("fine") }
    });
    tab.say("@Architect one").unwrap();
    tab.say_with("@Architect now!", QueueMode::Interrupt, None).unwrap();
    assert!(tab.question(1).contains("now!"));

    let mut requests = 0;
    let other = nexus_engine::tests::tab(move |_, _| {
        requests += 1;
        let Scripted { status, beats } = says("fine");
        let mut slow = vec![nexus_engine::tests::ScriptedChunk::Wait(if requests == 1 { 5_000 } else { 0 })];
        slow.extend(beats);
        Scripted { status, beats: slow }
    });
    other.say("build").unwrap();
    other.say_with("mind the colours", QueueMode::Steer, None).unwrap();
    other.pass(6_000);
    assert_eq!(other.speakers(), ["Architect", "Engineer", "Critic"]);
    assert!(other.question(1).contains("mind the colours"));
}

#[test]
fn rounds_repeat_until_the_critic_accepts() {
    let mut critic_rounds = 0;
    let mut version = 0;
    let tab = tab(move |agent, body| match agent {
        "Engineer" if !has_results(body) => {
            version += 1;
            calls(&[("write_file", json!({"name": "a.txt", "content": format!("version {version}\n")}))])
        }
        "Critic" if !has_results(body) => {
            critic_rounds += 1;
            let accepted = critic_rounds == 2;
            calls(&[(
                "accept_work",
                json!({"accepted": accepted, "reasons": format!("round {critic_rounds}")}),
            )])
        }
        _ => says("done"),
    });
    let keep = KeepGoing { rounds: 6, definition_of_done: "version two stands in a.txt".into() };
    tab.say_with("work", QueueMode::FollowUp, Some(keep)).unwrap();
    let world = tab.world();
    let run = world.run(&tab.run_id()).unwrap();
    assert_eq!(run.status, RunStatus::Completed);
    assert_eq!(run.round_summaries.len(), 2);
    assert_eq!(run.round_summaries[0].end, None);
    assert!(run.round_summaries[0].changed.contains("a.txt +1"));
    assert_eq!(run.round_summaries[1].end, Some(RoundsEndReason::Accepted));
    assert_eq!(tab.mind().file("a.txt"), Some("version 2\n"));
    assert!(tab.requests.borrow()[0].1.to_string().contains("version two stands in a.txt"));
}

#[test]
fn rounds_end_when_nothing_changes_and_only_the_last_agent_may_accept() {
    let tab = tab(|agent, body| match agent {
        "Engineer" if !has_results(body) => {
            calls(&[("accept_work", json!({"accepted": true, "reasons": "my own work is great"}))])
        }
        _ => says("nothing to do"),
    });
    let keep = KeepGoing { rounds: 6, definition_of_done: String::new() };
    tab.say_with("work", QueueMode::FollowUp, Some(keep)).unwrap();
    let world = tab.world();
    let run = world.run(&tab.run_id()).unwrap();
    assert_eq!(run.round_summaries.len(), 1);
    assert_eq!(run.round_summaries[0].end, Some(RoundsEndReason::Unchanged));
    assert_eq!(run.verdict, None);
}

#[test]
fn typed_text_is_committed_after_a_quiet_period_and_before_a_turn() {
    let tab = tab(|_, _| says("ok"));
    let base = tab.session_row().mind;
    let draft = |text: &str| Draft {
        session: tab.session,
        field: DraftField::Objective,
        text: Some(text.into()),
        base,
        in_conflict: false,
    };
    tab.running.handle.draft(draft("half an objec"));
    tab.pass(1_000);
    assert_eq!(tab.mind().objective, "");
    tab.pass(1_500);
    assert_eq!(tab.mind().objective, "half an objec");
    tab.running.handle.draft(draft("the whole objective"));
    tab.say("@Architect go").unwrap();
    assert!(tab.question(0).contains("the whole objective"));
}

#[test]
fn conflict_with_an_agent_keeps_the_draft_with_markers() {
    let tab = tab(|_, body| {
        if has_results(body) {
            says("ok")
        } else {
            calls(&[("update_nexus_state", json!({"scratchpad": "line of the agent\n"}))])
        }
    });
    let base = tab.session_row().mind;
    tab.say("@Architect go").unwrap();
    let mut live = tab.running.bus.subscribe_transient();
    tab.running.handle.draft(Draft {
        session: tab.session,
        field: DraftField::Scratchpad,
        text: Some("line of the operator\n".into()),
        base,
        in_conflict: false,
    });
    tab.pass(3_000);
    assert_eq!(tab.mind().scratchpad, "line of the agent\n");
    let mut marked = None;
    while let Ok(signal) = live.try_recv() {
        if let nexus_model::signal::TransientEvent::DraftConflict { marked: text, .. } = signal {
            marked = Some(text);
        }
    }
    let marked = marked.unwrap();
    assert!(marked.contains("line of the agent") && marked.contains("line of the operator"));
}

#[test]
fn tool_results_report_concurrent_changes_by_others() {
    let mut requests = 0;
    let tab = tab(move |_, body| {
        requests += 1;
        match requests {
            1 => {
                let Scripted { status, beats } = calls(&[("get_active_file", json!({}))]);
                let mut slow = vec![nexus_engine::tests::ScriptedChunk::Wait(5_000)];
                slow.extend(beats);
                Scripted { status, beats: slow }
            }
            _ => {
                assert!(has_results(body));
                says("seen")
            }
        }
    });
    tab.say("@Architect look").unwrap();
    edit(&tab, vec![nexus_model::mind::MindWrite::Objective("changed meanwhile".into())]);
    tab.pass(6_000);
    let last = tab.requests.borrow()[1].1.to_string();
    assert!(last.contains("changed_by_others") && last.contains("changed meanwhile"), "{last}");
}

/// The agents' messages in the session, oldest first.
fn demo_answers(tab: &nexus_engine::tests::Tab) -> Vec<String> {
    let world = tab.world();
    let ids = world.ancestry(world.session(&tab.session).unwrap().head).map(|turn| turn.messages.clone());
    let turns: Vec<_> = ids.collect();
    let messages = turns.iter().rev().flatten().filter_map(|id| world.message(id));
    let answers = messages.filter(|it| it.role == Role::Assistant);
    answers.map(|it| format!("[{}] {}", it.agent.as_ref().unwrap(), text_of(&it.parts))).collect()
}

#[test]
fn demo_explains_once_that_an_unprepared_message_needs_a_model() {
    use nexus_model::provider::presets::NEEDS_MODEL;
    let tab = tab(|_, _| says("never asked"));
    tab.use_model("rehearsal", "rehearsal-1");
    edit(&tab, vec![nexus_model::mind::MindWrite::Objective("chess".into())]);
    for (number, message) in ["chess", "Make it blue", "Why?"].into_iter().enumerate() {
        tab.say(message).unwrap();
        (0..8).for_each(|_| tab.pass(10_000));
        let answers = demo_answers(&tab);
        let needs: Vec<_> = answers.iter().filter(|text| text.contains(NEEDS_MODEL)).collect();
        assert_eq!(needs.len(), number + 1, "{answers:?}");
        assert!(needs.iter().all(|text| text.starts_with("[architect]")), "{answers:?}");
    }
    let mind = tab.mind();
    assert_eq!(mind.files.keys().map(|name| name.to_string()).collect::<Vec<_>>(), ["notes.md"]);
    assert!(tab.speakers().is_empty(), "no request leaves");
}

#[test]
fn demo_works_offline_and_writes_files() {
    let tab = tab(|_, _| says("never asked"));
    tab.use_model("rehearsal", "rehearsal-1");
    tab.say("Build a tip calculator").unwrap();
    for _ in 0..20 {
        tab.pass(10_000);
    }
    assert!(tab.speakers().is_empty(), "no request leaves");
    let world = tab.world();
    assert_eq!(world.run(&tab.run_id()).unwrap().status, RunStatus::Completed);
    drop(world);
    let mind = tab.mind();
    assert!(!mind.files.is_empty() && !mind.scratchpad.is_empty(), "{mind:?}");
}

#[test]
fn history_has_own_answers_as_own_and_others_with_names() {
    let tab = tab(|agent, _| says(&format!("answer of {agent}")));
    tab.say("one").unwrap();
    tab.say("@Engineer two").unwrap();
    let requests = tab.requests.borrow();
    let contents = requests[3].1["contents"].as_array().unwrap();
    let of = |role: &str| {
        contents
            .iter()
            .filter(|content| content["role"] == role)
            .map(|content| content["parts"].to_string())
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert!(of("model").contains("answer of Engineer") && !of("model").contains("answer of Architect"));
    assert!(of("user").contains("[Architect]\\nanswer of Architect"));
    let engineer: AgentKey = "engineer".into();
    assert!(!tab.session_row().flags[&engineer].unread);
}

#[test]
fn opened_session_publishes_its_newest_events() {
    let tab = tab(|agent, _| says(&format!("{agent} speaks")));
    tab.say("@Critic hello").unwrap();
    tab.settle();
    let before = tab.events();
    let again = tab.again(|_, _| says("unasked"));
    let mut live = again.running.bus.subscribe_transient();
    again.open().unwrap();
    let mut recent = Vec::new();
    while let Ok(signal) = live.try_recv() {
        if let nexus_model::signal::TransientEvent::RecentEvents { session, events, .. } = signal {
            assert_eq!(session, again.session);
            recent = events;
        }
    }
    let seqs = |events: &[Event]| events.iter().map(|event| event.seq).collect::<Vec<_>>();
    let recent: Vec<Event> = recent.iter().map(|event| (**event).clone()).collect();
    assert!(!recent.is_empty());
    assert_eq!(seqs(&recent), seqs(&before));
}

#[test]
fn snapshot_of_the_events_of_a_round() {
    let mut requests = 0;
    let tab = tab(move |agent, _| {
        requests += 1;
        match (agent, requests) {
            ("Architect", 1) => calls(&[("write_file", json!({ "name": "a.txt", "content": "one\n" }))]),
            ("Engineer", _) => refuses(400, "INVALID_ARGUMENT"),
            _ => says("ok"),
        }
    });
    tab.say("Begin.").unwrap();
    let log: Vec<_> = tab.events().iter().map(|event| serde_json::to_string(event).unwrap()).collect();
    snapshot("events-of-a-round", &numbered(&log.join("\n")));
}

/// A log with each hash replaced by a number: only equality of contents matters.
fn numbered(log: &str) -> String {
    let mut hashes = Vec::new();
    let words = log.split('"').map(|word| {
        if word.len() != 64 || !word.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return word.to_owned();
        }
        let at = hashes.iter().position(|hash| *hash == word).unwrap_or(hashes.len());
        if at == hashes.len() {
            hashes.push(word);
        }
        format!("text {at}")
    });
    words.collect::<Vec<_>>().join("\"")
}

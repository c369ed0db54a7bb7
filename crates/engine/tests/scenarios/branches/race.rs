//! Scenarios of races: failures, reloads, picks, merges afterwards, waiting messages, approvals, budgets, two tabs.

use crate::has_results;
use std::cell::RefCell;
use std::rc::Rc;

use serde_json::{Value, json};

use nexus_engine::port::Store as _;
use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, read_events, refuses, says, tab, trickles};
use nexus_model::command::{ApprovalAnswer, Command, MergeRequest, Rejection};
use nexus_model::event::Event;
use nexus_model::fold::fold;
use nexus_model::id::{SessionId, StreamId, TurnId};
use nexus_model::llm::ModelConfig;
use nexus_model::message::content::text_of;
use nexus_model::mind::MindWrite;
use nexus_model::provider::{Protocol, Provider};
use nexus_model::run::{NodeStatus, PauseCause, RunStatus};
use nexus_model::session::workers::{Candidate, RacePrompt, RaceRequest, shown_race};
use nexus_model::session::{QueueMode, Session};
use nexus_model::settings::schema::{CAP_CALLS, TOOL_RULES};
use nexus_model::signal::TransientEvent;
use nexus_model::turn::tree::{session_at, siblings};
use nexus_model::turn::{TurnEnd, TurnKind};
use nexus_model::world::World;
use nexus_view::timeline::{TimelineRow, timeline};

/// The lane of a request, by its temperature; 0 if it belongs to none.
fn lane_of(body: &Value) -> u8 {
    match body.pointer("/generationConfig/temperature").and_then(Value::as_f64) {
        Some(heat) if heat < 0.15 => 1,
        Some(heat) if heat < 0.25 => 2,
        Some(_) => 3,
        None => 0,
    }
}

fn writes(name: &str, content: &str) -> Scripted {
    calls(&[("write_file", json!({ "name": name, "content": content }))])
}

/// A lane writes its own file and reports it.
fn works(lane: u8, body: &Value) -> Scripted {
    match (lane, has_results(body)) {
        (0, _) => says("fine"),
        (lane, false) => writes("a.txt", &format!("one\ntwo\nby lane {lane}\n")),
        (lane, true) => says(&format!("Lane {lane} did it.")),
    }
}

fn models(tab: &Tab, number: usize) -> Vec<ModelConfig> {
    let config = tab.world().agent(&"engineer".into()).unwrap().config.clone();
    let heat = [0.1, 0.2, 0.3];
    let model = |(at, heat): (usize, &f64)| ModelConfig {
        model: format!("gemini-{at}"),
        temperature: Some(*heat),
        ..config.clone()
    };
    heat.iter().enumerate().take(number).map(model).collect()
}

fn race(tab: &Tab, prompt: RacePrompt, number: usize) -> Vec<SessionId> {
    let (session, agent, models) = (tab.session, "engineer".into(), models(tab, number));
    tab.send(Command::Race(RaceRequest { session, prompt, agent, models })).unwrap();
    look(tab).iter().map(|lane| lane.session).collect()
}

fn said(tab: &Tab, text: &str, number: usize) -> Vec<SessionId> {
    race(tab, RacePrompt::Message { text: text.into(), attachments: Vec::new() }, number)
}

fn look(tab: &Tab) -> Vec<Candidate> {
    shown_race(&tab.world(), tab.session).map(|shown| shown.lanes).unwrap_or_default()
}

fn statuses(tab: &Tab) -> Vec<NodeStatus> {
    look(tab).iter().map(|lane| lane.status).collect()
}

fn pick(tab: &Tab, lane: SessionId) -> Result<(), Rejection> {
    tab.send(Command::PickLane { session: tab.session, lane })
}

fn row(tab: &Tab, session: SessionId) -> Session {
    tab.world().session(&session).unwrap().as_ref().clone()
}

fn pause(tab: &Tab) -> Option<PauseCause> {
    let world = tab.world();
    world.run(&tab.run_id()).unwrap().pause.clone()
}

fn end_of(tab: &Tab, lane: SessionId) -> Option<TurnEnd> {
    let head = row(tab, lane).head.unwrap();
    tab.world().turn(&head).unwrap().end
}

/// The siblings of the head's turn.
fn beside(tab: &Tab) -> Vec<TurnId> {
    let world = tab.world();
    let session = world.session(&tab.session).unwrap();
    siblings(&world, session, world.turn(&session.head.unwrap()).unwrap())
}

/// Checks that folding all stored events gives this tab's rows of the sessions.
fn assert_folds(tab: &Tab, sessions: &[SessionId]) {
    let mut all: Vec<Event> = tab.app_events();
    for session in sessions {
        let (store, stream) = (tab.store.clone(), StreamId::Session(*session));
        let stored = tab.wait_for(async move { store.events(stream, 1, usize::MAX).await.unwrap() });
        all.extend(read_events(&stored));
    }
    all.sort_by_key(|event| event.at);
    let again = fold(&World::default(), &all);
    for session in sessions {
        let world = tab.world();
        let (loaded, folded) = (world.session(session).unwrap(), again.session(session).unwrap());
        assert_eq!((loaded.head, &loaded.mind, &loaded.roots), (folded.head, &folded.mind, &folded.roots));
    }
}

#[test]
fn two_models_answer_in_parallel_and_the_picked_ones_files_are_kept() {
    let tab = tab(|_, body| works(lane_of(body), body));
    tab.say("@Engineer begin").unwrap();
    let original_head = tab.session_row().head.unwrap();
    let lanes = said(&tab, "write it", 2);
    tab.pass(1_000);
    assert_eq!(statuses(&tab), [NodeStatus::Done; 2]);
    assert_eq!(pause(&tab), Some(PauseCause::Choice));
    let sent: Vec<_> = tab.sent.borrow().iter().map(|request| request.url.clone()).collect();
    assert!(
        sent.iter().any(|url| url.contains("gemini-0")) && sent.iter().any(|url| url.contains("gemini-1"))
    );
    // Both were called before either answered.
    let order: Vec<u8> = tab.requests.borrow().iter().map(|(_, body)| lane_of(body)).collect();
    assert_eq!(order, [0, 1, 2, 1, 2]);
    assert_eq!((tab.session_row().head, tab.mind().file("a.txt")), (Some(original_head), None));
    pick(&tab, lanes[1]).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("one\ntwo\nby lane 2\n"));
    assert_eq!(beside(&tab).len(), 2, "the other answer is beside it");
    let world = tab.world();
    let head = world.turn(&tab.session_row().head.unwrap()).unwrap();
    assert_eq!((head.parent, head.config.model.as_str()), (Some(original_head), "gemini-1"));
    let rows = timeline(&world, tab.session, None).rows;
    assert!(
        rows.iter().all(|(_, row)| !matches!(row, TimelineRow::Forked { .. })),
        "a lane is no fork to who reads"
    );
    drop(world);
    assert_folds(&tab, &[vec![tab.session], lanes].concat());
    // The thread continues from the picked answer, which the next question includes.
    tab.say("@Engineer and now?").unwrap();
    let text = tab.requests.borrow().last().unwrap().1.to_string();
    assert!(text.contains("Lane 2 did it.") && !text.contains("Lane 1 did it."));
}

/// An answer in Anthropic's format: this block and stop reason.
fn in_anthropic(block: &Value, reason: &str) -> Scripted {
    let all = [
        json!({"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 7}}}),
        json!({"type": "content_block_start", "index": 0, "content_block": block}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ];
    let sse_event = |event: &Value| {
        ScriptedChunk::Bytes(format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap()))
    };
    Scripted { status: 200, beats: all.iter().map(sse_event).collect() }
}

#[test]
fn models_of_two_protocols_can_race() {
    let tab = tab(|_, body| {
        let Some(messages) = body["messages"].as_array() else { return works(lane_of(body), body) };
        if messages.last().unwrap().to_string().contains("tool_result") {
            return in_anthropic(&json!({"type": "text", "text": "The other did it."}), "end_turn");
        }
        let input = json!({"name": "a.txt", "content": "by the other\n"});
        in_anthropic(
            &json!({"type": "tool_use", "id": "toolu_1", "name": "write_file", "input": input}),
            "tool_use",
        )
    });
    let provider = Provider {
        id: "other".into(),
        label: "Other".into(),
        protocol: Protocol::Anthropic,
        base_url: "https://models.example/v1".into(),
        needs_key: false,
    };
    tab.send(Command::ChangeProvider { provider }).unwrap();
    let mut models = models(&tab, 2);
    models[1] = ModelConfig {
        provider: "other".into(),
        model: "claude-opus-5-5".into(),
        temperature: None,
        ..models[1].clone()
    };
    let prompt = RacePrompt::Message { text: "write it".into(), attachments: Vec::new() };
    let (session, agent) = (tab.session, "engineer".into());
    tab.send(Command::Race(RaceRequest { session, prompt, agent, models })).unwrap();
    tab.pass(1_000);
    assert_eq!(statuses(&tab), [NodeStatus::Done; 2]);
    // Each got its own format, before either answered.
    let forms: Vec<bool> =
        tab.requests.borrow().iter().map(|(_, body)| body.get("messages").is_some()).collect();
    assert_eq!(forms, [false, true, false, true]);
    let sent: Vec<String> = tab.sent.borrow().iter().map(|request| request.url.clone()).collect();
    assert!(sent.iter().filter(|url| url.starts_with("https://models.example/v1/")).count() == 2, "{sent:?}");
    pick(&tab, look(&tab)[1].session).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("by the other\n"));
    let head = tab.session_row().head.unwrap();
    assert_eq!(tab.world().turn(&head).unwrap().config.model, "claude-opus-5-5");
    // The agent's own model continues from the other provider's answer.
    tab.say("@Engineer and now?").unwrap();
    let (_, body) = tab.requests.borrow().last().unwrap().clone();
    assert!(body.get("contents").is_some() && body.to_string().contains("The other did it."));
}

#[test]
fn failed_lane_shows_its_error_and_the_other_can_be_picked() {
    let tab = tab(|_, body| match lane_of(body) {
        1 => Scripted {
            status: 400,
            beats: vec![ScriptedChunk::Bytes(r#"{"error":{"message":"no such model"}}"#.into())],
        },
        lane => works(lane, body),
    });
    let lanes = said(&tab, "write it", 2);
    tab.say("@Engineer what then?").unwrap();
    tab.pass(1_000);
    assert_eq!(statuses(&tab), [NodeStatus::Error, NodeStatus::Done]);
    let failed = look(&tab).remove(0);
    assert!(failed.failure.unwrap().message.contains("no such model"));
    assert_eq!(tab.requests.borrow().len(), 3, "queued messages are not sent before the pick");
    assert_eq!(tab.world().waiting(tab.session).len(), 1);
    pick(&tab, lanes[1]).unwrap();
    tab.pass(1_000);
    assert!(tab.world().waiting(tab.session).is_empty());
    assert!(tab.question(3).contains("what then?"));
    assert_eq!(tab.mind().file("a.txt"), Some("one\ntwo\nby lane 2\n"));
}

#[test]
fn after_a_reload_finished_lanes_can_be_picked_and_others_resumed() {
    let first = tab(|_, body| match lane_of(body) {
        2 => trickles(&["Half an", " answer"]),
        lane => works(lane, body),
    });
    let lanes = said(&first, "write it", 2);
    first.pass(3_000);
    assert_eq!(statuses(&first), [NodeStatus::Done, NodeStatus::Running]);
    first.kill();
    let tab = first.again(|_, body| works(lane_of(body), body));
    assert_eq!(statuses(&tab), [NodeStatus::Done, NodeStatus::Blocked], "nothing runs unasked");
    assert_eq!(pause(&tab), Some(PauseCause::Interrupted));
    let other = look(&tab).remove(1);
    assert_eq!(
        (other.end, other.pause.map(|(_, cause)| cause)),
        (Some(TurnEnd::Interrupted), Some(PauseCause::Interrupted))
    );
    let world = tab.world();
    assert!(text_of(&world.message(&other.messages[0]).unwrap().parts).starts_with("Half an"));
    drop(world);
    assert!(tab.requests.borrow().is_empty());
    tab.send(Command::ContinueRun { run: tab.run_id() }).unwrap();
    tab.pass(1_000);
    assert_eq!(statuses(&tab), [NodeStatus::Done; 2]);
    assert_eq!(pause(&tab), Some(PauseCause::Choice));
    // Again, while the choice is open.
    tab.kill();
    let tab = tab.again(|_, _| says("fine"));
    assert_eq!(pause(&tab), Some(PauseCause::Choice));
    pick(&tab, lanes[0]).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("one\ntwo\nby lane 1\n"));
    assert_eq!(tab.session_row().roots.len(), 2, "both began the session");
}

#[test]
fn interrupted_race_can_be_decided_immediately() {
    let first = tab(|_, body| match lane_of(body) {
        2 => trickles(&["Half"]),
        lane => works(lane, body),
    });
    let lanes = said(&first, "write it", 2);
    first.pass(2_000);
    first.kill();
    let tab = first.again(|_, _| says("fine"));
    assert_eq!(pick(&tab, lanes[1]), Err(Rejection::TurnWorks), "it may still go on");
    pick(&tab, lanes[0]).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("one\ntwo\nby lane 1\n"));
    assert!(tab.world().open_run(&row(&tab, lanes[1])).is_none(), "the other one is over");
}

#[test]
fn after_a_pick_another_lane_can_be_merged() {
    for begins in [true, false] {
        let tab = tab(|_, body| match (lane_of(body), has_results(body)) {
            (0, _) => says("fine"),
            (lane, false) => writes(&format!("{lane}.txt"), "made\n"),
            (lane, true) => says(&format!("Lane {lane} did it.")),
        });
        if !begins {
            tab.say("@Engineer begin").unwrap();
        }
        let lanes = said(&tab, "write it", 2);
        tab.pass(1_000);
        pick(&tab, lanes[0]).unwrap();
        let ours = tab.session_row();
        let other = row(&tab, lanes[1]).head.unwrap();
        let merging = MergeRequest {
            session: tab.session,
            head: ours.head,
            mind: ours.mind,
            other,
            from: Some(lanes[1]),
            theirs: row(&tab, lanes[1]).mind,
            resolutions: Vec::new(),
        };
        tab.send(Command::MergeBranch(merging)).unwrap();
        let files: Vec<String> = tab.mind().files.keys().cloned().collect();
        assert_eq!(files, ["1.txt", "2.txt"], "{begins}");
        let world = tab.world();
        let merged = world.turn(&tab.session_row().head.unwrap()).unwrap();
        assert_eq!((merged.kind, merged.second_parent), (TurnKind::Merge, Some(other)));
    }
}

#[test]
fn mind_at_a_picked_answer_is_the_sessions_not_the_lanes() {
    let tab = tab(|_, body| works(lane_of(body), body));
    let lanes = said(&tab, "one", 2);
    tab.pass(1_000);
    pick(&tab, lanes[1]).unwrap();
    let picked = tab.session_row();
    let writes = vec![MindWrite::Objective("What the operator wrote afterwards.".into())];
    tab.send(Command::EditMind { session: tab.session, base: picked.mind, writes }).unwrap();
    let head = tab.session_row().head.unwrap();
    assert_eq!(row(&tab, lanes[1]).head, Some(head), "both point to it");
    let world = tab.world();
    let own = world.turn(&head).unwrap().session;
    assert_eq!(own, lanes[1], "the turn is the lane's");
    assert_eq!(session_at(&world, head, own, own), own, "who looks at the lane goes on from there");
    assert_eq!(
        session_at(&world, head, own, lanes[0]),
        tab.session,
        "outside of the race the session's model is used"
    );
}

#[test]
fn answers_of_picked_lanes_are_searched_for_memories() {
    let tab = tab(|_, body| works(lane_of(body), body));
    for text in ["one", "two"] {
        let lanes = said(&tab, text, 2);
        tab.pass(1_000);
        pick(&tab, lanes[1]).unwrap();
        tab.pass(4 * nexus_model::limits::MAINTENANCE_DELAY_MS);
    }
    let requests = tab.archivist.borrow().requests.clone();
    let looks = requests.iter().filter(|body| body["systemInstruction"].to_string().contains("remembering"));
    let looked = looks.map(Value::to_string).collect::<Vec<_>>().join("");
    assert!(looked.contains("Lane 2 did it.") && !looked.contains("Lane 1 did it."), "{looked}");
    let world = tab.world();
    let answers = world.ancestry(tab.session_row().head).flat_map(|turn| &turn.messages);
    let checked = answers.filter(|id| world.message(id).unwrap().is_memory_checked);
    assert_eq!(checked.count(), 2, "an answer of each race says something");
}

#[test]
fn stop_ends_all_lanes_and_keeps_the_head() {
    let tab = tab(|_, body| if lane_of(body) == 0 { says("fine") } else { trickles(&["Half"]) });
    tab.say("@Engineer begin").unwrap();
    let head = tab.session_row().head;
    let lanes = race(&tab, RacePrompt::Turn(head.unwrap()), 3);
    tab.pass(1_500);
    let mut live = tab.running.bus.subscribe_transient();
    tab.send(Command::Stop { session: tab.session }).unwrap();
    tab.pass(100_000);
    assert_eq!((statuses(&tab), pause(&tab)), (vec![NodeStatus::Error; 3], Some(PauseCause::Choice)));
    assert!(look(&tab).iter().all(|lane| lane.can_be_picked), "the partial answers can be used");
    tab.send(Command::EndRun { run: tab.run_id() }).unwrap();
    for lane in &lanes {
        assert_eq!(end_of(&tab, *lane), Some(TurnEnd::Cancelled));
    }
    assert_eq!((tab.session_row().head, look(&tab).len()), (head, 0));
    assert_eq!(beside(&tab).len(), 4, "the partial answer is beside it");
    let after = std::iter::from_fn(|| live.try_recv().ok())
        .filter(|live| matches!(live, TransientEvent::Delta { .. }));
    assert_eq!(after.count(), 0, "no call goes on");
    assert_eq!(tab.requests.borrow().len(), 4);
}

#[test]
fn prompt_of_an_ended_race_is_not_sent_with_the_next_message() {
    let tab = tab(|_, body| if lane_of(body) == 0 { says("fine") } else { trickles(&["Half"]) });
    said(&tab, "write it", 2);
    tab.pass(1_500);
    tab.send(Command::EndRun { run: tab.run_id() }).unwrap();
    assert!(timeline(&tab.world(), tab.session, None).rows.is_empty());
    tab.say("@Engineer something else").unwrap();
    tab.pass(1_000);
    let question = tab.question(2);
    assert!(question.contains("something else") && !question.contains("write it"), "{question}");
    assert_folds(&tab, &[tab.session]);
}

#[test]
fn failed_lane_cannot_be_picked_and_is_retried() {
    let is_down = Rc::new(RefCell::new(true));
    let down = Rc::clone(&is_down);
    let tab = tab(move |_, body| match lane_of(body) {
        2 if *down.borrow() => refuses(400, "down"),
        lane => works(lane, body),
    });
    let lanes = said(&tab, "write it", 2);
    tab.pass(1_000);
    let picked: Vec<bool> = look(&tab).iter().map(|lane| lane.can_be_picked).collect();
    assert_eq!((statuses(&tab), picked), (vec![NodeStatus::Done, NodeStatus::Error], vec![true, false]));
    assert_eq!(pick(&tab, lanes[1]), Err(Rejection::NoSuchTurn));
    *is_down.borrow_mut() = false;
    let (session, turn) = (lanes[1], row(&tab, lanes[1]).head.unwrap());
    tab.send(Command::TryAgain { session, turn, agent: None, config: None, tools: None }).unwrap();
    tab.pass(1_000);
    assert_eq!(statuses(&tab), [NodeStatus::Done; 2]);
    pick(&tab, lanes[1]).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("one\ntwo\nby lane 2\n"));
}

#[test]
fn turns_of_lanes_are_later_turns_only_once_picked() {
    let tab = tab(|_, body| works(lane_of(body), body));
    let go_to = |to| tab.send(Command::MoveHead { session: tab.session, to, newest: false }).unwrap();
    let ahead = || {
        let rows = timeline(&tab.world(), tab.session, None).rows;
        rows.into_iter()
            .find_map(|(_, row)| if let TimelineRow::Ahead { to } = row { Some(to) } else { None })
    };
    for text in ["@Engineer one", "@Engineer two"] {
        tab.say(text).unwrap();
    }
    let two = tab.session_row().head.unwrap();
    let one = tab.world().turn(&two).unwrap().parent.unwrap();
    // There and back, so that the session has former heads.
    go_to(one);
    assert_eq!(ahead(), Some(two));
    go_to(two);
    said(&tab, "three", 2);
    tab.pass(1_000);
    tab.send(Command::EndRun { run: tab.run_id() }).unwrap();
    assert_eq!(ahead(), None);
    let lanes = said(&tab, "three", 2);
    tab.pass(1_000);
    pick(&tab, lanes[0]).unwrap();
    let picked = tab.session_row().head.unwrap();
    go_to(two);
    assert_eq!(ahead(), Some(picked));
}

#[test]
fn interrupting_message_ends_the_race_and_is_answered() {
    let tab = tab(|_, body| if lane_of(body) == 0 { says("fine") } else { trickles(&["Half"]) });
    said(&tab, "write it", 2);
    tab.pass(1_500);
    let rows = timeline(&tab.world(), tab.session, None).rows;
    let waits = rows.iter().any(|(_, row)| matches!(row, TimelineRow::Message(row) if row.unanswered));
    assert!(!waits, "the raced message is shown as waiting for an answer");
    tab.say_with("@Engineer something else", QueueMode::Interrupt, None).unwrap();
    tab.pass(1_000);
    assert!(look(&tab).is_empty());
    let question = tab.question(2);
    assert!(question.contains("something else") && question.contains("write it"), "{question}");
}

#[test]
fn lanes_approval_is_visible_in_the_session() {
    let tab = tab(|_, body| works(lane_of(body), body));
    let rules = json!([{"tool": "write_file", "agent": "engineer", "ruling": "ask"}]);
    tab.send(Command::ChangeSetting { name: TOOL_RULES.name().into(), value: rules }).unwrap();
    let lanes = said(&tab, "write it", 2);
    tab.pass(1_000);
    assert_eq!(statuses(&tab), [NodeStatus::Blocked; 2]);
    let awaiting: Vec<_> = tab.world().tool_runs.keys().copied().collect();
    let nodes: Vec<_> =
        tab.world().run(&tab.run_id()).unwrap().nodes.iter().map(|node| node.status).collect();
    assert_eq!(nodes, [NodeStatus::Blocked; 2], "the sender is named");
    for tool_run in awaiting {
        let answer = ApprovalAnswer::Approve { args: None, always: false };
        tab.send(Command::AnswerApproval { tool_run, answer }).unwrap();
    }
    tab.pass(1_000);
    assert_eq!(statuses(&tab), [NodeStatus::Done; 2]);
    pick(&tab, lanes[0]).unwrap();
}

#[test]
fn lanes_share_one_budget_that_can_be_raised() {
    let tab = tab(|_, body| works(lane_of(body), body));
    tab.send(Command::ChangeSetting { name: CAP_CALLS.name().into(), value: 2.into() }).unwrap();
    said(&tab, "write it", 2);
    tab.pass(1_000);
    let paused: Vec<_> = look(&tab).into_iter().filter_map(|lane| lane.pause).collect();
    assert!(paused.iter().all(|(_, cause)| matches!(cause, PauseCause::CallCap(_))), "{paused:?}");
    assert!(!paused.is_empty() && tab.requests.borrow().len() <= 3, "{}", tab.requests.borrow().len());
    for _ in 0..3 {
        for (run, _) in look(&tab).into_iter().filter_map(|lane| lane.pause) {
            tab.send(Command::ContinueRun { run }).unwrap();
        }
        tab.pass(1_000);
    }
    assert_eq!(statuses(&tab), [NodeStatus::Done; 2]);
    let world = tab.world();
    assert_eq!(world.run(&tab.run_id()).unwrap().used.calls, 4);
}

#[test]
fn another_tab_shows_the_race_and_takes_it_over_with_its_lanes() {
    let first = tab(|_, body| match lane_of(body) {
        2 => trickles(&["Half"]),
        lane => works(lane, body),
    });
    let lanes = said(&first, "write it", 2);
    first.pass(2_000);
    let second = first.again(|_, _| says("fine"));
    assert_eq!(look(&second).len(), 2, "it is read along");
    assert_eq!(pick(&second, lanes[0]), Err(Rejection::ReadOnly));
    let (handle, session) = (first.running.handle.clone(), first.session);
    second.running.handle.request_session(session);
    second.settle();
    handle.release_session(session);
    first.settle();
    second.settle();
    first.settle();
    second.settle();
    assert_eq!(statuses(&second), [NodeStatus::Done, NodeStatus::Blocked]);
    pick(&second, lanes[0]).unwrap();
    assert_eq!(second.mind().file("a.txt"), Some("one\ntwo\nby lane 1\n"));
}

#[test]
fn deleting_and_restoring_a_session_includes_its_lanes() {
    let tab = tab(|_, body| works(lane_of(body), body));
    let other = SessionId::from(9_000);
    let made = Command::CreateSession { session: other, label: "other".into(), mind: Default::default() };
    tab.send(made).unwrap();
    let lanes = said(&tab, "write it", 2);
    tab.pass(1_000);
    assert_eq!(tab.send(Command::DeleteSession { session: tab.session }), Err(Rejection::RunWorks));
    pick(&tab, lanes[0]).unwrap();
    tab.send(Command::DeleteSession { session: tab.session }).unwrap();
    assert!(lanes.iter().all(|lane| row(&tab, *lane).deleted_at.is_some()));
    tab.send(Command::RestoreSession { session: tab.session }).unwrap();
    assert!(lanes.iter().all(|lane| row(&tab, *lane).deleted_at.is_none()));
    // After the retention period all are purged: they do not keep each other.
    tab.send(Command::DeleteSession { session: tab.session }).unwrap();
    tab.pass(nexus_model::limits::DELETED_MS + 2 * nexus_model::limits::PURGE_EVERY_MS);
    assert!(row(&tab, tab.session).purged_at.is_some());
    assert!(lanes.iter().all(|lane| row(&tab, *lane).purged_at.is_some()));
}

#[test]
fn result_of_a_race_is_that_of_the_picked_lane() {
    let reported = Rc::new(RefCell::new(0));
    let count = Rc::clone(&reported);
    let tab = tab(move |_, body| {
        *count.borrow_mut() += 1;
        works(lane_of(body), body)
    });
    let lanes = said(&tab, "write it", 2);
    tab.pass(1_000);
    pick(&tab, lanes[1]).unwrap();
    assert_eq!(*reported.borrow(), 4);
    let caught = nexus_view::run_summary::run_summary(&tab.world(), tab.session).unwrap();
    assert_eq!((caught.status, caught.turns, caught.changed.len()), (RunStatus::Completed, 1, 1));
    assert_eq!(caught.used.calls, 4, "all lanes count");
}

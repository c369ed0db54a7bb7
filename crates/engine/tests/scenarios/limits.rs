//! Scenarios of the operator's limits: tool approval, caps that pause a run, and the rate limiter of a provider.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Value, json};

use nexus_engine::testing::{Scripted, ScriptedChunk, Tab, calls, refuses, says, tab};
use nexus_model::command::{ApprovalAnswer, Command, NewMessage, Rejection};
use nexus_model::id::{SessionId, ToolRunId};
use nexus_model::message::Role;
use nexus_model::mind::{Mind, MindWrite, WriteError};
use nexus_model::provider::Provider;
use nexus_model::provider::failure::ProviderErrorKind;
use nexus_model::provider::price::Cost;
use nexus_model::run::{NodeStatus, PauseCause, Run, RunStatus};
use nexus_model::session::SessionRole;
use nexus_model::settings::schema::{PRICES, TOOL_RULES};
use nexus_model::tool::{ToolRun, ToolStatus};
use nexus_model::turn::TurnEnd;
use nexus_providers::http::HeaderValue;
use nexus_view::timeline::{ProposedChanges, TimelineKey, TimelineRow, timeline};

fn set(tab: &Tab, name: &str, value: Value) {
    tab.send(Command::ChangeSetting { name: name.into(), value }).unwrap();
}

/// A tab in which writing files is asked about and the Engineer's first answer is this.
fn asking(first: Scripted) -> Tab {
    let mut asked = 0;
    let tab = tab(move |_, _| {
        asked += 1;
        if asked == 1 { first.clone() } else { says("I see") }
    });
    set(&tab, TOOL_RULES.name(), json!([{"tool": "write_file", "ruling": "ask"}]));
    tab
}

fn write(name: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({"name": name, "content": content}))
}

fn asked_runs(tab: &Tab) -> Vec<ToolRun> {
    let world = tab.world();
    let asked = world.tool_runs.values().filter(|run| run.status == ToolStatus::AwaitingApproval);
    asked.map(|run| run.as_ref().clone()).collect()
}

fn answer(tab: &Tab, tool_run: ToolRunId, answer: ApprovalAnswer) -> Result<(), Rejection> {
    tab.send(Command::AnswerApproval { tool_run, answer })
}

fn approve(args: Option<Value>, always: bool) -> ApprovalAnswer {
    ApprovalAnswer::Approve { args, always }
}

fn status(tab: &Tab) -> RunStatus {
    tab.world().run(&tab.run_id()).unwrap().status
}

fn node_status(tab: &Tab) -> NodeStatus {
    tab.world().run(&tab.run_id()).unwrap().nodes[0].status
}

#[test]
fn an_asked_call_waits_as_long_as_it_takes_while_the_others_go_on_and_then_runs() {
    let tab =
        asking(calls(&[write("a.txt", "one\n"), ("update_nexus_state", json!({"scratchpad": "plan"}))]));
    tab.say("@Engineer go").unwrap();
    tab.pass(3_600_000);
    let asked = asked_runs(&tab);
    assert_eq!(asked.len(), 1);
    assert!(!asked[0].proposed.is_empty(), "what it would write is there to be shown");
    assert_eq!((status(&tab), node_status(&tab)), (RunStatus::Running, NodeStatus::Blocked));
    assert_eq!(tab.mind().scratchpad, "plan", "the other call of the answer ran");
    assert_eq!(tab.speakers().len(), 1, "the model is not asked again yet");
    assert!(tab.mind().files.is_empty());
    answer(&tab, asked[0].id, approve(None, false)).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("one\n"));
    assert_eq!((status(&tab), tab.speakers().len()), (RunStatus::Completed, 2));
    assert_eq!(
        answer(&tab, asked[0].id, approve(None, false)),
        Err(Rejection::Stale),
        "an answer counts once"
    );
    let run = tab.world().tool_run(&asked[0].id).unwrap().as_ref().clone();
    assert!(run.started_at.unwrap().0 - run.requested_at.0 >= 3_600_000, "the tool's own time began then");
    assert!(run.is_approved() && run.edited_args().is_none());
}

#[test]
fn the_card_shows_what_would_change_as_the_mind_is_now() {
    let tab = asking(calls(&[write("a.txt", "one\ntwo\n")]));
    tab.say("@Engineer go").unwrap();
    let proposal = || {
        let rows = timeline(&tab.world(), tab.session, None).rows;
        rows.into_iter().find_map(|(_, row)| match row {
            TimelineRow::Tool { run, asked, .. } => asked.map(|asked| asked.proposal(&run.0)),
            TimelineRow::Message { .. }
            | TimelineRow::Held { .. }
            | TimelineRow::Ending { .. }
            | TimelineRow::Round(_)
            | TimelineRow::Paused { .. }
            | TimelineRow::Unasked { .. }
            | TimelineRow::Compaction { .. }
            | TimelineRow::Siblings { .. }
            | TimelineRow::Forked { .. }
            | TimelineRow::Ahead { .. }
            | TimelineRow::Unread => None,
        })
    };
    let Some(ProposedChanges::Changes { touched, before, after }) = proposal() else { panic!("changes") };
    assert_eq!((touched.len(), touched[0].field.as_str(), touched[0].lines.added), (1, "a.txt", 2));
    assert_eq!((before.file("a.txt"), after.file("a.txt")), (None, Some("one\ntwo\n")));
    // The operator writes other lines into the same new file: as things stand now, the write would clash.
    let base = tab.session_row().mind;
    let writes = vec![MindWrite::File { name: "a.txt".into(), text: "mine\n".into() }];
    tab.send(Command::EditMind { session: tab.session, base, writes }).unwrap();
    assert!(
        matches!(proposal(), Some(ProposedChanges::Refused(WriteError::Clash { .. }))),
        "{:?}",
        proposal()
    );
    answer(&tab, asked_runs(&tab)[0].id, approve(None, false)).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("mine\n"), "and it does");
    assert_eq!(proposal(), None);
}

#[test]
fn a_waiting_call_has_a_row_with_its_time_until_it_is_sent() {
    let mut asked = 0;
    let tab = tab(move |_, _| {
        asked += 1;
        if asked == 1 { refuses(429, "RESOURCE_EXHAUSTED") } else { says("ok") }
    });
    tab.say("@Architect go").unwrap();
    let held = || {
        let rows = timeline(&tab.world(), tab.session, None).rows;
        rows.into_iter().any(|(key, row)| {
            matches!((key, row), (TimelineKey::Held(_), TimelineRow::Held { failure: Some(_), .. }))
        })
    };
    assert!(held());
    tab.pass(6_000);
    assert!(!held());
}

#[test]
fn arguments_can_be_changed_if_they_fit_and_the_model_is_told() {
    let tab = asking(calls(&[write("a.txt", "one\n")]));
    tab.say("@Engineer go").unwrap();
    let id = asked_runs(&tab)[0].id;
    let bad = answer(&tab, id, approve(Some(json!({"name": 7})), false));
    assert!(matches!(&bad, Err(Rejection::BadArguments { found }) if !found.is_empty()), "{bad:?}");
    let bad = answer(&tab, id, approve(Some(json!("text")), false));
    assert!(matches!(bad, Err(Rejection::BadArguments { .. })));
    assert_eq!(asked_runs(&tab).len(), 1, "it still waits");
    let edited = json!({"name": "b.txt", "content": "two\n"});
    answer(&tab, id, approve(Some(edited.clone()), false)).unwrap();
    assert_eq!((tab.mind().file("a.txt"), tab.mind().file("b.txt")), (None, Some("two\n")));
    let second = tab.asked.borrow()[1].1.to_string();
    assert!(second.contains("arguments_changed_by_operator") && second.contains("b.txt"));
    assert!(second.contains("a.txt"), "what the model had asked stays as it was");
    assert_eq!(tab.world().tool_run(&id).unwrap().edited_args(), Some(&edited));
}

#[test]
fn a_refusal_and_its_reason_go_to_the_model() {
    let tab = asking(calls(&[write("a.txt", "one\n")]));
    tab.say("@Engineer go").unwrap();
    let id = asked_runs(&tab)[0].id;
    answer(&tab, id, ApprovalAnswer::Deny { reason: " not in this file ".into() }).unwrap();
    assert_eq!(tab.world().tool_run(&id).unwrap().status, ToolStatus::Denied);
    assert!(tab.mind().files.is_empty());
    assert!(tab.asked.borrow()[1].1.to_string().contains("did not allow this: not in this file"));
    assert_eq!((status(&tab), node_status(&tab)), (RunStatus::Completed, NodeStatus::Done));
}

#[test]
fn always_is_remembered_for_this_tool_and_agent_only_and_a_deny_still_wins() {
    let tab = tab(|_, body| {
        let last = body["contents"].as_array().and_then(|all| all.last()).unwrap().to_string();
        if last.contains("functionResponse") { says("done") } else { calls(&[write("a.txt", "x")]) }
    });
    set(&tab, TOOL_RULES.name(), json!([{"tool": "write_file", "ruling": "ask"}]));
    tab.say("@Engineer go").unwrap();
    answer(&tab, asked_runs(&tab)[0].id, approve(None, true)).unwrap();
    assert_eq!(tab.world().agent(&"engineer".into()).unwrap().permissions.tools_always, ["write_file"]);
    tab.say("@Engineer again").unwrap();
    assert_eq!((asked_runs(&tab).len(), status(&tab)), (0, RunStatus::Completed));
    tab.say("@Architect you too").unwrap();
    assert_eq!(asked_runs(&tab).len(), 1, "another agent is still asked about");
    tab.send(Command::Stop { session: tab.session }).unwrap();
    set(&tab, TOOL_RULES.name(), json!([{"tool": "write_*", "ruling": "deny"}]));
    tab.say("@Engineer once more").unwrap();
    let world = tab.world();
    assert_eq!(world.tool_runs.values().last().unwrap().status, ToolStatus::Denied);
    let offered = tab.asked.borrow().iter().rev().nth(1).unwrap().1["tools"].to_string();
    assert!(!offered.contains("\"write_file\""), "and it is not offered");
}

#[test]
fn a_rule_that_denies_meanwhile_wins_over_the_approval() {
    let tab = asking(calls(&[write("a.txt", "one\n")]));
    tab.say("@Engineer go").unwrap();
    let id = asked_runs(&tab)[0].id;
    set(&tab, TOOL_RULES.name(), json!([{"tool": "write_file", "ruling": "deny"}]));
    answer(&tab, id, approve(None, false)).unwrap();
    assert_eq!(tab.world().tool_run(&id).unwrap().status, ToolStatus::Denied);
    assert!(tab.mind().files.is_empty());
}

#[test]
fn a_call_that_cannot_run_is_not_asked_about() {
    let tab = asking(calls(&[("write_file", json!({"name": 7}))]));
    tab.say("@Engineer go").unwrap();
    assert!(asked_runs(&tab).is_empty());
    assert_eq!(status(&tab), RunStatus::Completed);
}

#[test]
fn stop_and_a_closed_page_count_as_no() {
    let tab = asking(calls(&[write("a.txt", "one\n")]));
    tab.say("go").unwrap();
    tab.send(Command::Stop { session: tab.session }).unwrap();
    let world = tab.world().clone();
    assert_eq!(world.tool_runs.values().next().unwrap().status, ToolStatus::Denied);
    let run = world.run(&tab.run_id()).unwrap();
    assert_eq!((run.status, run.nodes[0].status), (RunStatus::Cancelled, NodeStatus::Error));

    let first = asking(calls(&[write("a.txt", "one\n")]));
    first.say("go").unwrap();
    let id = asked_runs(&first)[0].id;
    first.kill();
    let again = first.again(|_, _| says("fine"));
    let run = again.world().tool_run(&id).unwrap().as_ref().clone();
    assert_eq!(run.status, ToolStatus::Denied);
    assert!(run.result.unwrap().to_string().contains("page was closed"));
    assert_eq!(answer(&again, id, approve(None, false)), Err(Rejection::Stale));
    assert_eq!((status(&again), again.mind().files.len()), (RunStatus::Paused, 0));
}

/// Answers that say how many tokens they took, and write another file each time, so that the turn goes on.
fn spends(input: u64) -> impl FnMut(&str, &Value) -> Scripted {
    let mut asked = 0;
    move |_, _| {
        asked += 1;
        let args = json!({"name": format!("{asked}"), "content": "x"});
        let call = json!({"functionCall": {"id": "c", "name": "write_file", "args": args}, "thoughtSignature": "c2ln"});
        let chunk = json!({
            "candidates": [{"content": {"role": "model", "parts": [call]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": input, "candidatesTokenCount": 0},
        });
        Scripted { status: 200, beats: vec![ScriptedChunk::Bytes(format!("data: {chunk}\n\n"))] }
    }
}

#[test]
fn a_run_that_costs_5_dollars_pauses_and_goes_on_with_as_much_again() {
    let tab = tab(spends(300_000));
    set(&tab, PRICES.name(), json!({"gemini/gemini-3.8-flash": {"input": 10.0, "output": 20.0}}));
    tab.say("@Engineer go").unwrap();
    let run = |tab: &Tab| tab.world().run(&tab.run_id()).unwrap().as_ref().clone();
    let paused = run(&tab);
    assert_eq!(paused.pause, Some(PauseCause::CostCap { cost: Cost::dollars(6) }));
    assert_eq!((paused.used.cost, paused.used.calls, paused.used.unpriced), (Cost::dollars(6), 2, 0));
    // Another price changes nothing of what was.
    set(&tab, PRICES.name(), json!({"gemini/gemini-3.8-flash": {"input": 1.0, "output": 20.0}}));
    tab.send(Command::GoOn { run: paused.id }).unwrap();
    let later = run(&tab);
    assert_eq!(later.caps.cost, Cost::dollars(11));
    assert_eq!(later.pause, Some(PauseCause::TokenCap { tokens: 1_200_000 }));
    assert_eq!(later.used.cost, Cost(6_600_000_000));
    let world = tab.world();
    let turn = world.open_turn(&tab.session_row()).unwrap();
    assert_eq!((turn.calls[0].cost, turn.cost()), (Some(Cost::dollars(3)), Some(Cost(6_600_000_000))));
    drop(world);
    tab.send(Command::EndRun { run: paused.id }).unwrap();
    assert_eq!(status(&tab), RunStatus::Cancelled);
}

#[test]
fn the_caps_of_the_settings_count_for_new_runs_and_unknown_prices_are_counted_as_such() {
    let tab = tab(spends(1_000));
    set(&tab, "cap_calls", json!(2));
    tab.use_model("gemini", "gemini-of-tomorrow");
    tab.say("@Engineer go").unwrap();
    let run = tab.world().run(&tab.run_id()).unwrap().as_ref().clone();
    assert_eq!(run.pause, Some(PauseCause::CallCap { calls: 2 }));
    assert_eq!((run.used.cost, run.used.unpriced, run.used.tokens), (Cost(0), 2, 2_000));
}

#[test]
fn a_failed_call_is_not_tried_again_beyond_the_caps_of_its_run() {
    let asked = Rc::new(Cell::new(0));
    let count = Rc::clone(&asked);
    let tab = tab(move |_, _| {
        count.set(count.get() + 1);
        refuses(503, "UNAVAILABLE")
    });
    set(&tab, "cap_calls", json!(2));
    tab.say("@Engineer go").unwrap();
    tab.pass(600_000);
    assert_eq!(asked.get(), 2, "a retry counts as a call");
    let world = tab.world();
    assert_eq!(world.turn(&tab.session_row().head.unwrap()).unwrap().end, Some(TurnEnd::Error));
    assert_eq!(world.run(&tab.run_id()).unwrap().status, RunStatus::Failed);
}

#[test]
fn what_a_failed_answer_used_is_counted() {
    let cut = json!({
        "candidates": [{"content": {"role": "model", "parts": [{"text": "half"}]}, "finishReason": "MAX_TOKENS"}],
        "usageMetadata": {"promptTokenCount": 1_000_000, "candidatesTokenCount": 0},
    });
    let tab = tab(move |_, _| Scripted {
        status: 200,
        beats: vec![ScriptedChunk::Bytes(format!("data: {cut}\n\n"))],
    });
    tab.say("@Engineer go").unwrap();
    let world = tab.world();
    let run = world.run(&tab.run_id()).unwrap();
    assert_eq!((run.used.tokens, run.used.cost), (1_000_000, Cost(750_000_000)));
    let turn = world.turn(&tab.session_row().head.unwrap()).unwrap();
    assert_eq!((turn.end, turn.cost()), (Some(TurnEnd::CutOff), Some(Cost(750_000_000))));
}

#[test]
fn each_answer_has_what_it_cost_with_the_attempts_that_failed_before_it() {
    let empty = json!({
        "candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 500},
    });
    let mut asked = 0;
    let tab = tab(move |_, _| {
        asked += 1;
        match asked {
            1 => calls(&[("list_files", json!({}))]),
            // Nothing at all, which is tried again.
            2 => Scripted { status: 200, beats: vec![ScriptedChunk::Bytes(format!("data: {empty}\n\n"))] },
            _ => says("done"),
        }
    });
    set(&tab, PRICES.name(), json!({"gemini/gemini-3.8-flash": {"input": 1.0, "output": 10.0}}));
    tab.say("@Engineer go").unwrap();
    tab.pass(120_000);
    let rows = timeline(&tab.world(), tab.session, None).rows;
    let costs: Vec<_> = rows
        .iter()
        .filter_map(|(_, row)| {
            let TimelineRow::Message { message, ends_turn, .. } = row else { return None };
            Some((message.0.role, ends_turn.map(|used| (used.calls, used.tokens, used.cost))))
        })
        .collect();
    // 100 tokens in and 10 out are 200 millionths of a dollar; the failed attempt's 500 come on top of the second.
    // The turn tells what both answers used, once.
    let used = (2, Some((200, 20)), Some(Cost(200_000 + 200_000 + 500_000)));
    let wanted = [(Role::User, None), (Role::Assistant, None), (Role::Assistant, Some(used))];
    assert_eq!(costs, wanted);
    let used = tab.world().run(&tab.run_id()).unwrap().used;
    assert_eq!(used.cost.0, 900_000, "and that is what the run cost");
}

fn say_in(tab: &Tab, session: SessionId, text: &str) {
    tab.send(Command::Say(NewMessage::new(session, text))).unwrap();
}

/// Further sessions of a tab.
fn sessions(tab: &Tab, count: u128) -> Vec<SessionId> {
    let make = |number| {
        let session: SessionId = rusty_ulid::Ulid::from(500_000 + number).to_string().parse().unwrap();
        let label = format!("s{number}");
        tab.send(Command::CreateSession { session, label, mind: Mind::default() }).unwrap();
        session
    };
    (0..count).map(make).collect()
}

#[test]
fn while_a_provider_asks_to_wait_the_agents_of_other_sessions_wait_too() {
    let mut asked = 0;
    let tab = tab(move |_, _| {
        asked += 1;
        if asked == 1 {
            let beats =
                vec![ScriptedChunk::Header("retry-after", "20"), ScriptedChunk::Bytes("slow down".into())];
            Scripted { status: 429, beats }
        } else {
            says("ok")
        }
    });
    let others = sessions(&tab, 2);
    tab.say("@Architect go").unwrap();
    for other in &others {
        say_in(&tab, *other, "@Critic go");
    }
    tab.pass(19_000);
    assert_eq!(tab.speakers(), ["Architect"], "nobody else is let through");
    {
        let world = tab.world();
        let held =
            world.turns.values().filter(|turn| turn.retry().is_some_and(|retry| retry.attempt == 1)).count();
        assert_eq!(held, 2, "and each can show until when");
        let runs = world.runs.values().map(|run| run.used.calls).collect::<Vec<_>>();
        assert_eq!(runs, [1, 0, 0], "a call that was not sent is not counted");
    }
    tab.pass(3_000);
    assert_eq!(tab.speakers().len(), 4);
    assert!(tab.world().runs.values().all(|run| run.status == RunStatus::Completed));
    assert!(tab.world().runs.values().all(|run| run.used.calls <= 2));
}

#[test]
fn a_held_call_goes_at_once_when_the_operator_says_so_and_only_that_one() {
    let mut asked = 0;
    let tab = tab(move |_, _| {
        asked += 1;
        if asked == 1 { refuses(429, "RESOURCE_EXHAUSTED") } else { says("ok") }
    });
    let others = sessions(&tab, 2);
    tab.say("@Architect go").unwrap();
    others.iter().for_each(|other| say_in(&tab, *other, "@Critic go"));
    let held = {
        let world = tab.world();
        world.turns.values().find(|turn| turn.session == others[0]).unwrap().id
    };
    tab.send(Command::RetryNow { turn: held }).unwrap();
    assert_eq!(tab.speakers(), ["Architect", "Critic"]);
    tab.pass(6_000);
    assert_eq!(tab.speakers().len(), 4);
}

#[test]
fn once_a_call_that_did_not_wait_is_answered_the_next_ones_need_not_wait_either() {
    let mut asked = 0;
    let tab = tab(move |_, _| {
        asked += 1;
        match asked {
            1 => Scripted {
                status: 429,
                beats: vec![
                    ScriptedChunk::Header("retry-after", "50"),
                    ScriptedChunk::Bytes("slow down".into()),
                ],
            },
            2 => calls(&[write("a.txt", "x")]),
            _ => says("done"),
        }
    });
    tab.say("@Engineer go").unwrap();
    let turn = tab.world().open_turn(&tab.session_row()).unwrap().id;
    tab.send(Command::RetryNow { turn }).unwrap();
    assert_eq!((tab.speakers().len(), status(&tab)), (3, RunStatus::Completed));
}

#[test]
fn a_turn_that_the_operator_asks_for_again_does_not_wait_at_the_door() {
    let tab = tab(|_, _| refuses(429, "RESOURCE_EXHAUSTED"));
    tab.say("@Architect go").unwrap();
    let turn = tab.world().open_turn(&tab.session_row()).unwrap().id;
    tab.send(Command::StopWaiting { turn }).unwrap();
    tab.try_again(turn).unwrap();
    assert_eq!(tab.speakers().len(), 2, "the operator knows that it was asked to wait");
    let again = tab.world().open_turn(&tab.session_row()).unwrap().as_ref().clone();
    assert_eq!(again.retry().map(|retry| retry.attempt), Some(2));
}

#[test]
fn at_most_four_calls_are_under_way_and_the_last_place_is_for_a_direct_question() {
    let tab = tab(|_, _| {
        let mut answer = says("slow");
        answer.beats.insert(0, ScriptedChunk::Wait(10_000));
        answer
    });
    let others = sessions(&tab, 6);
    for other in others.iter().take(5) {
        say_in(&tab, *other, "go, all of you");
    }
    assert_eq!(tab.speakers().len(), 3, "room is kept");
    tab.say("@Critic a quick question").unwrap();
    assert_eq!(tab.speakers().last().map(String::as_str), Some("Critic"));
    assert_eq!(tab.speakers().len(), 4);
    say_in(&tab, others[5], "@Architect another one");
    assert_eq!(tab.speakers().len(), 4, "now it is full");
    tab.send(Command::Stop { session: others[0] }).unwrap();
    assert_eq!(
        tab.speakers().last().map(String::as_str),
        Some("Architect"),
        "a place that is free goes to them first"
    );
    tab.pass(600_000);
    let world = tab.world();
    let is_said =
        |run: &&Arc<Run>| world.session(&run.session).is_some_and(|row| row.role() != SessionRole::Jobs);
    let done = world.runs.values().filter(is_said).filter(|run| run.status == RunStatus::Completed);
    assert_eq!(done.count(), 6);
}

/// A second account at Google, with a key of its own, and this agent on it.
fn second_account(tab: &Tab, agent: &str) -> Provider {
    let work = Provider { id: "work".into(), label: "Google, at work".into(), ..Provider::gemini() };
    tab.send(Command::ChangeProvider { provider: work.clone() }).unwrap();
    tab.running.handle.keys.put(&work, "work-key-canary");
    let mut agent = tab.world().agent(&agent.into()).unwrap().as_ref().clone();
    agent.config.provider = work.id.clone();
    tab.send(Command::ChangeAgent { agent }).unwrap();
    work
}

/// The keys that were sent, in order.
fn keys_sent(tab: &Tab) -> Vec<String> {
    let sent = tab.sent.borrow();
    let keys = sent.iter().flat_map(|request| &request.headers).filter_map(|(_, value)| {
        if let HeaderValue::Secret(key) = value { Some(key.reveal().to_owned()) } else { None }
    });
    keys.collect()
}

#[test]
fn two_accounts_of_one_provider_have_a_key_and_a_door_each() {
    let mut limited = true;
    let tab = tab(move |agent, _| {
        if agent == "Architect" && std::mem::take(&mut limited) {
            refuses(429, "RESOURCE_EXHAUSTED")
        } else {
            says("ok")
        }
    });
    let work = second_account(&tab, "critic");
    let other = sessions(&tab, 2);
    tab.say("@Architect go").unwrap();
    assert_eq!(keys_sent(&tab), ["test-key-canary"]);
    // The first account asks all to wait; the second does not.
    say_in(&tab, other[0], "@Engineer go");
    say_in(&tab, other[1], "@Critic go");
    assert_eq!(tab.speakers(), ["Architect", "Critic"], "the engineer waits at the first account's door");
    assert_eq!(keys_sent(&tab), ["test-key-canary", "work-key-canary"]);
    tab.pass(10_000);
    assert_eq!(tab.speakers().len(), 4);

    // One account goes, and the other stays as it is.
    tab.running.handle.keys.put(&work, "");
    tab.say("@Critic again").unwrap();
    let world = tab.world();
    let failed = world.turn(&tab.session_row().head.unwrap()).unwrap().failure.clone();
    assert_eq!(failed.map(|failure| failure.category), Some(ProviderErrorKind::NotSetUp));
    drop(world);
    tab.say("@Architect again").unwrap();
    assert_eq!(keys_sent(&tab).last().map(String::as_str), Some("test-key-canary"));
    let everything = format!("{:?}{:?}", tab.world(), tab.events());
    assert!(!everything.contains("canary"), "a key is in the records");
}

#[test]
fn what_one_account_sealed_does_not_go_to_the_other() {
    let mut asked = 0;
    let tab = tab(move |_, _| {
        asked += 1;
        if asked == 1 { calls(&[("list_files", json!({}))]) } else { says("ok") }
    });
    tab.say("@Engineer go").unwrap();
    tab.say("@Engineer once more").unwrap();
    second_account(&tab, "engineer");
    tab.say("@Engineer and on the other account").unwrap();
    let asked = tab.asked.borrow();
    let sealed: Vec<_> = asked.iter().map(|(_, body)| body.to_string().contains("\"c2ln\"")).collect();
    assert_eq!(sealed, [false, true, true, false]);
    assert!(asked[3].1.to_string().contains("list_files"), "what was done is still told");
}

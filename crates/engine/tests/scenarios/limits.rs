//! Scenarios of the operator's limits: tool approval, limits that pause a run, and the rate limiter of a provider.

use crate::{change_agent, has_results, set, write_file};
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Value, json};

use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, refuses, says, tab};
use nexus_model::command::{ApprovalAnswer, Command, NewMessage, Rejection};
use nexus_model::id::{SessionId, ToolRunId};
use nexus_model::message::Role;
use nexus_model::mind::{Mind, WriteError};
use nexus_model::provider::price::Cost;
use nexus_model::provider::{Provider, ProviderErrorKind};
use nexus_model::run::{NodeStatus, PauseCause, ReachedLimit, Run, RunStatus};
use nexus_model::session::SessionRole;
use nexus_model::settings::schema::{PRICES, TOOL_RULES};
use nexus_model::tool::{ToolRun, ToolStatus};
use nexus_model::turn::TurnEnd;
use nexus_providers::http::HeaderValue;
use nexus_view::timeline::{ProposedChanges, TimelineKey, TimelineRow, timeline};

/// A tab where writing files needs approval, with this first answer of the Engineer.
fn asking(first: Scripted) -> Tab {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        if requests == 1 { first.clone() } else { says("I see") }
    });
    set(&tab, TOOL_RULES.name(), json!([{"tool": "write_file", "ruling": "ask"}]));
    tab
}

fn write(name: &str, content: &str) -> (&'static str, Value) {
    ("write_file", json!({"name": name, "content": content}))
}

fn asked_runs(tab: &Tab) -> Vec<ToolRun> {
    let world = tab.world();
    let awaiting = world.tool_runs.values().filter(|run| run.status == ToolStatus::AwaitingApproval);
    awaiting.map(|run| run.as_ref().clone()).collect()
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
fn call_waits_for_approval_while_others_run() {
    let tab =
        asking(calls(&[write("a.txt", "one\n"), ("update_nexus_state", json!({"scratchpad": "plan"}))]));
    tab.say("@Engineer go").unwrap();
    tab.pass(3_600_000);
    let awaiting = asked_runs(&tab);
    assert_eq!(awaiting.len(), 1);
    assert!(!awaiting[0].proposed.is_empty(), "the proposed content is available");
    assert_eq!((status(&tab), node_status(&tab)), (RunStatus::Running, NodeStatus::Blocked));
    assert_eq!(tab.mind().scratchpad, "plan", "the other call of the answer ran");
    assert_eq!(tab.speakers().len(), 1, "the model is not asked again yet");
    assert!(tab.mind().files.is_empty());
    answer(&tab, awaiting[0].id, approve(None, false)).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("one\n"));
    assert_eq!((status(&tab), tab.speakers().len()), (RunStatus::Completed, 2));
    assert_eq!(
        answer(&tab, awaiting[0].id, approve(None, false)),
        Err(Rejection::Stale),
        "an answer counts once"
    );
    let run = tab.world().tool_run(&awaiting[0].id).unwrap().as_ref().clone();
    assert!(run.started_at.unwrap().0 - run.requested_at.0 >= 3_600_000, "the tool's own time began then");
    assert!(run.is_approved() && run.edited_args().is_none());
}

#[test]
fn approval_card_shows_the_change_against_the_current_mind() {
    let tab = asking(calls(&[write("a.txt", "one\ntwo\n")]));
    tab.say("@Engineer go").unwrap();
    let proposal = || {
        let rows = timeline(&tab.world(), tab.session, None).rows;
        rows.into_iter().find_map(|(_, row)| match row {
            TimelineRow::Tool { run, approval, .. } => approval.map(|approval| approval.proposal(&run.0)),
            TimelineRow::Message(_)
            | TimelineRow::Retrying { .. }
            | TimelineRow::Ending { .. }
            | TimelineRow::Round(_)
            | TimelineRow::Paused { .. }
            | TimelineRow::NotAsked { .. }
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
    // The operator writes other lines into the same new file, so that the write would now conflict.
    write_file(&tab, "a.txt", "mine\n");
    assert!(
        matches!(proposal(), Some(ProposedChanges::Rejected(WriteError::Conflict { .. }))),
        "{:?}",
        proposal()
    );
    answer(&tab, asked_runs(&tab)[0].id, approve(None, false)).unwrap();
    assert_eq!(tab.mind().file("a.txt"), Some("mine\n"), "and it does");
    assert_eq!(proposal(), None);
}

#[test]
fn delayed_call_has_a_row_with_its_time() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        if requests == 1 { refuses(429, "RESOURCE_EXHAUSTED") } else { says("ok") }
    });
    tab.say("@Architect go").unwrap();
    let delayed = || {
        let rows = timeline(&tab.world(), tab.session, None).rows;
        rows.into_iter().any(|(key, row)| {
            matches!((key, row), (TimelineKey::Retrying(_), TimelineRow::Retrying { failure: Some(_), .. }))
        })
    };
    assert!(delayed());
    tab.pass(6_000);
    assert!(!delayed());
}

#[test]
fn arguments_can_be_edited_if_valid_and_the_model_is_informed() {
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
    let second = tab.requests.borrow()[1].1.to_string();
    assert!(second.contains("arguments_changed_by_operator") && second.contains("b.txt"));
    assert!(second.contains("a.txt"), "the model's call is unchanged");
    assert_eq!(tab.world().tool_run(&id).unwrap().edited_args(), Some(&edited));
}

#[test]
fn denial_and_reason_are_sent_to_the_model() {
    let tab = asking(calls(&[write("a.txt", "one\n")]));
    tab.say("@Engineer go").unwrap();
    let id = asked_runs(&tab)[0].id;
    answer(&tab, id, ApprovalAnswer::Deny { reason: " not in this file ".into() }).unwrap();
    assert_eq!(tab.world().tool_run(&id).unwrap().status, ToolStatus::Denied);
    assert!(tab.mind().files.is_empty());
    assert!(tab.requests.borrow()[1].1.to_string().contains("did not allow this: not in this file"));
    assert_eq!((status(&tab), node_status(&tab)), (RunStatus::Completed, NodeStatus::Done));
}

#[test]
fn always_applies_to_this_tool_and_agent_and_deny_wins() {
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
    let offered = tab.requests.borrow().iter().rev().nth(1).unwrap().1["tools"].to_string();
    assert!(!offered.contains("\"write_file\""), "and it is not offered");
}

#[test]
fn later_deny_rule_wins_over_the_approval() {
    let tab = asking(calls(&[write("a.txt", "one\n")]));
    tab.say("@Engineer go").unwrap();
    let id = asked_runs(&tab)[0].id;
    set(&tab, TOOL_RULES.name(), json!([{"tool": "write_file", "ruling": "deny"}]));
    answer(&tab, id, approve(None, false)).unwrap();
    assert_eq!(tab.world().tool_run(&id).unwrap().status, ToolStatus::Denied);
    assert!(tab.mind().files.is_empty());
}

#[test]
fn impossible_call_needs_no_approval() {
    let tab = asking(calls(&[("write_file", json!({"name": 7}))]));
    tab.say("@Engineer go").unwrap();
    assert!(asked_runs(&tab).is_empty());
    assert_eq!(status(&tab), RunStatus::Completed);
}

#[test]
fn stop_and_reload_count_as_denial() {
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

/// Answers that report this usage and each write another file, so that the turn continues.
fn spends(input: u64) -> impl FnMut(&str, &Value) -> Scripted {
    let mut requests = 0;
    move |_, _| {
        requests += 1;
        let args = json!({"name": format!("{requests}"), "content": "x"});
        let call = json!({"functionCall": {"id": "c", "name": "write_file", "args": args}, "thoughtSignature": "c2ln"});
        let chunk = json!({
            "candidates": [{"content": {"role": "model", "parts": [call]}, "finishReason": "STOP"}],
            "usageMetadata": {"promptTokenCount": input, "candidatesTokenCount": 0},
        });
        Scripted { status: 200, beats: vec![ScriptedChunk::Bytes(format!("data: {chunk}\n\n"))] }
    }
}

#[test]
fn run_pauses_at_5_dollars_and_resumes_with_the_same_amount() {
    let tab = tab(spends(300_000));
    set(&tab, PRICES.name(), json!({"gemini/gemini-3.8-flash": {"input": 10.0, "output": 20.0}}));
    tab.say("@Engineer go").unwrap();
    let run = |tab: &Tab| tab.world().run(&tab.run_id()).unwrap().as_ref().clone();
    let paused = run(&tab);
    assert_eq!(
        paused.pause,
        Some(PauseCause::CostCap(ReachedLimit {
            used: 6_000_000_000,
            limit: Some(5_000_000_000),
            shared: false
        }))
    );
    assert_eq!((paused.used.cost, paused.used.calls, paused.used.unpriced), (Cost::dollars(6), 2, 0));
    // A changed price does not affect recorded costs.
    set(&tab, PRICES.name(), json!({"gemini/gemini-3.8-flash": {"input": 1.0, "output": 20.0}}));
    tab.send(Command::ContinueRun { run: paused.id }).unwrap();
    let later = run(&tab);
    assert_eq!(later.caps.cost, Cost::dollars(11));
    assert_eq!(
        later.pause,
        Some(PauseCause::TokenCap(ReachedLimit { used: 1_200_000, limit: Some(1_000_000), shared: false }))
    );
    assert_eq!(later.used.cost, Cost(6_600_000_000));
    let world = tab.world();
    let turn = world.open_turn(&tab.session_row()).unwrap();
    assert_eq!((turn.calls[0].cost, turn.cost()), (Some(Cost::dollars(3)), Some(Cost(6_600_000_000))));
    drop(world);
    tab.send(Command::EndRun { run: paused.id }).unwrap();
    assert_eq!(status(&tab), RunStatus::Cancelled);
}

#[test]
fn limits_of_the_settings_apply_to_new_runs_and_unknown_prices_are_marked() {
    let tab = tab(spends(1_000));
    set(&tab, "cap_calls", json!(2));
    tab.use_model("gemini", "gemini-of-tomorrow");
    tab.say("@Engineer go").unwrap();
    let run = tab.world().run(&tab.run_id()).unwrap().as_ref().clone();
    assert_eq!(run.pause, Some(PauseCause::CallCap(ReachedLimit { used: 2, limit: Some(2), shared: false })));
    assert_eq!((run.used.cost, run.used.unpriced, run.used.tokens), (Cost(0), 2, 2_000));
}

#[test]
fn failed_call_is_not_retried_beyond_the_runs_limits() {
    let call_count = Rc::new(Cell::new(0));
    let count = Rc::clone(&call_count);
    let tab = tab(move |_, _| {
        count.set(count.get() + 1);
        refuses(503, "UNAVAILABLE")
    });
    set(&tab, "cap_calls", json!(2));
    tab.say("@Engineer go").unwrap();
    tab.pass(600_000);
    assert_eq!(call_count.get(), 2, "a retry counts as a call");
    let world = tab.world();
    assert_eq!(world.turn(&tab.session_row().head.unwrap()).unwrap().end, Some(TurnEnd::Error));
    assert_eq!(world.run(&tab.run_id()).unwrap().status, RunStatus::Failed);
}

#[test]
fn usage_of_a_failed_answer_is_counted() {
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
fn cost_of_an_answer_includes_its_failed_attempts() {
    let empty = json!({
        "candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 500},
    });
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        match requests {
            1 => calls(&[("list_files", json!({}))]),
            // An empty answer, which is retried.
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
            let TimelineRow::Message(row) = row else { return None };
            Some((row.message.0.role, row.ends_turn.map(|used| (used.calls, used.tokens, used.cost))))
        })
        .collect();
    // 100 tokens in and 10 out cost 200 millionths of a dollar; the failed attempt's 500 are added to the second
    // answer. The turn has the usage of both answers, once.
    let used = (2, Some((200, 20)), Some(Cost(200_000 + 200_000 + 500_000)));
    let expected = [(Role::User, None), (Role::Assistant, None), (Role::Assistant, Some(used))];
    assert_eq!(costs, expected);
    let used = tab.world().run(&tab.run_id()).unwrap().used;
    assert_eq!(used.cost.0, 900_000, "and that is the cost of the run");
}

fn say_in(tab: &Tab, session: SessionId, text: &str) {
    tab.send(Command::SendMessage(NewMessage::new(session, text))).unwrap();
}

/// Creates more sessions in a tab.
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
fn back_off_of_a_provider_applies_to_all_sessions() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        if requests == 1 {
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
    assert_eq!(tab.speakers(), ["Architect"], "no other call is admitted");
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
fn operator_can_send_one_delayed_call_immediately() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        if requests == 1 { refuses(429, "RESOURCE_EXHAUSTED") } else { says("ok") }
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
fn answered_immediate_call_ends_the_back_off() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        match requests {
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
fn retried_turn_ignores_the_back_off() {
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
fn at_most_four_calls_run_and_the_last_slot_is_for_direct_questions() {
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

/// A second Google account with its own key, used by this agent.
fn second_account(tab: &Tab, agent: &str) -> Provider {
    let work = Provider { id: "work".into(), label: "Google, at work".into(), ..Provider::gemini() };
    tab.send(Command::ChangeProvider { provider: work.clone() }).unwrap();
    tab.running.handle.keys.put(&work, "work-key-canary");
    change_agent(tab, agent, |agent| agent.config.provider = work.id.clone());
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
fn two_accounts_of_a_provider_have_separate_keys_and_limits() {
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
    // The first account backs off; the second does not.
    say_in(&tab, other[0], "@Engineer go");
    say_in(&tab, other[1], "@Critic go");
    assert_eq!(tab.speakers(), ["Architect", "Critic"], "the engineer waits at the first account's door");
    assert_eq!(keys_sent(&tab), ["test-key-canary", "work-key-canary"]);
    tab.pass(10_000);
    assert_eq!(tab.speakers().len(), 4);

    // One account is removed; the other is unaffected.
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
fn sealed_thinking_of_one_account_is_not_sent_to_the_other() {
    let mut requests = 0;
    let tab = tab(move |_, _| {
        requests += 1;
        if requests == 1 { calls(&[("list_files", json!({}))]) } else { says("ok") }
    });
    tab.say("@Engineer go").unwrap();
    tab.say("@Engineer once more").unwrap();
    second_account(&tab, "engineer");
    tab.say("@Engineer and on the other account").unwrap();
    let requests = tab.requests.borrow();
    let sealed: Vec<_> = requests.iter().map(|(_, body)| body.to_string().contains("\"c2ln\"")).collect();
    assert_eq!(sealed, [false, true, true, false]);
    assert!(requests[3].1.to_string().contains("list_files"), "earlier calls are still in the request");
}

#[test]
fn runs_that_read_reports_of_one_run_share_its_limit() {
    let tab = tab(|agent, body| {
        let task = |agent: &str| ("delegate", json!({ "task": "look", "agent": agent }));
        let is_report = body["contents"].as_array().unwrap().last().unwrap().to_string().contains("<report");
        let mut answer = says("Done.");
        match agent {
            "Architect" if !is_report && !has_results(body) => {
                return calls(&[task("Engineer"), task("Critic")]);
            }
            "Critic" => answer.beats.insert(0, ScriptedChunk::Wait(20_000)),
            _ => {}
        }
        answer
    });
    let used = || tab.world().run(&tab.run_id()).map(|run| (run.used_before.calls, run.used.calls)).unwrap();
    tab.say("@Architect see to it").unwrap();
    tab.pass(10_000);
    assert_eq!(used(), (4, 1), "two calls, and one of each worker");
    tab.pass(20_000);
    assert_eq!(used(), (5, 1), "that of the first reader, too");
}

//! Scenarios of overrides for one message: its model and its denied, asked and allowed tools.
//!
//! Covers queued, edited and repeated messages, and workers.

use crate::{change_agent, edit, has_results};
use serde_json::{Value, json};

use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, says, tab};
use nexus_model::agent::Permissions;
use nexus_model::agent::permission::{PermissionDecision, set_override};
use nexus_model::command::{Command, MessageOverrides, NewMessage, Rejection};
use nexus_model::llm::ModelConfig;
use nexus_model::message::Role;
use nexus_model::mind::MindWrite;
use nexus_model::run::Node;
use nexus_model::run::graph::GraphTemplate;
use nexus_model::session::QueueMode;
use nexus_model::session::delegation::Worker;
use nexus_model::tool::ToolStatus;

fn tools(rules: &[(&str, PermissionDecision)]) -> Permissions {
    let mut tools = Permissions::default();
    rules.iter().for_each(|(name, ruling)| set_override(&mut tools, name, Some(*ruling)));
    tools
}

fn only(rules: &[(&str, PermissionDecision)]) -> MessageOverrides {
    MessageOverrides { config: None, tools: Some(tools(rules)) }
}

fn say(tab: &Tab, text: &str, queue: QueueMode, over: MessageOverrides) -> Result<(), Rejection> {
    tab.send(Command::SendMessage(NewMessage {
        mode: queue,
        overrides: Some(Box::new(over)),
        ..NewMessage::new(tab.session, text)
    }))
}

/// The tools offered in a request.
fn offered(tab: &Tab, at: usize) -> String {
    tab.requests.borrow()[at].1["tools"].to_string()
}

fn last(tab: &Tab) -> usize {
    tab.requests.borrow().len() - 1
}

fn url(tab: &Tab) -> String {
    tab.sent.borrow().last().unwrap().url.clone()
}

fn node(tab: &Tab) -> Node {
    let world = tab.world();
    world.run(&tab.run_id()).unwrap().nodes[0].clone()
}

fn writing(body: &Value) -> Scripted {
    if has_results(body) {
        return says("done");
    }
    calls(&[("write_file", json!({"name": "a.txt", "content": "text\n"}))])
}

fn statuses(tab: &Tab) -> Vec<ToolStatus> {
    tab.world().tool_runs.values().map(|run| run.status).collect()
}

#[test]
fn model_and_deny_override_apply_only_to_the_messages_turns() {
    let tab = tab(|_, _| says("fine"));
    let own = tab.world().agent(&"engineer".into()).unwrap().config.clone();
    let config = ModelConfig { model: "another-model".into(), ..own.clone() };
    let over = MessageOverrides {
        config: Some(config),
        tools: Some(tools(&[("write_file", PermissionDecision::Deny)])),
    };
    say(&tab, "@Engineer look", QueueMode::FollowUp, over.clone()).unwrap();
    assert!(url(&tab).contains("another-model"), "{}", url(&tab));
    assert!(!offered(&tab, 0).contains("\"write_file\"") && offered(&tab, 0).contains("read_file"));
    assert_eq!(MessageOverrides { config: node(&tab).config, tools: node(&tab).tools.map(|it| *it) }, over);

    // Edited or retried, the override still applies, unless replaced.
    let message_id = tab.world().messages.values().find(|it| it.role == Role::User).unwrap().id;
    let resend = |overrides| Command::Resend {
        session: tab.session,
        message: message_id,
        text: "@Engineer look again".into(),
        attachments: Vec::new(),
        overrides,
    };
    tab.send(resend(None)).unwrap();
    assert!(url(&tab).contains("another-model") && !offered(&tab, last(&tab)).contains("\"write_file\""));
    let turn = tab.session_row().head.unwrap();
    let again = |tools: Option<Permissions>| Command::TryAgain {
        session: tab.session,
        turn,
        agent: None,
        config: None,
        tools: tools.map(Box::new),
    };
    tab.send(again(None)).unwrap();
    assert!(!offered(&tab, last(&tab)).contains("\"write_file\""));
    tab.send(again(Some(Permissions::default()))).unwrap();
    assert!(offered(&tab, last(&tab)).contains("\"write_file\""));
    tab.send(resend(Some(Box::default()))).unwrap();
    assert!(url(&tab).contains(&own.model) && offered(&tab, last(&tab)).contains("\"write_file\""));
    tab.say("@Engineer as usual").unwrap();
    assert!(url(&tab).contains(&own.model) && offered(&tab, last(&tab)).contains("\"write_file\""));
}

#[test]
fn override_can_ask_or_allow_but_not_lift_a_deny() {
    let tab = tab(|_, body| writing(body));
    say(&tab, "@Engineer write", QueueMode::FollowUp, only(&[("@files", PermissionDecision::Ask)])).unwrap();
    assert_eq!(statuses(&tab), [ToolStatus::AwaitingApproval], "it is usually allowed");
    tab.send(Command::Stop { session: tab.session }).unwrap();

    change_agent(&tab, "engineer", |agent| agent.permissions.tools_ask = vec!["write_file".into()]);
    say(&tab, "@Engineer write", QueueMode::FollowUp, only(&[("write_file", PermissionDecision::Allow)]))
        .unwrap();
    assert_eq!(statuses(&tab).last(), Some(&ToolStatus::Succeeded), "no agent was called");
    tab.say("@Engineer write").unwrap();
    assert_eq!(statuses(&tab).last(), Some(&ToolStatus::AwaitingApproval), "as usual again");
    tab.send(Command::Stop { session: tab.session }).unwrap();

    change_agent(&tab, "engineer", |agent| agent.permissions.tools_denied = vec!["write_*".into()]);
    say(&tab, "@Engineer write", QueueMode::FollowUp, only(&[("*", PermissionDecision::Allow)])).unwrap();
    assert!(!matches!(statuses(&tab).last(), Some(ToolStatus::Succeeded)), "a deny stays one");
    assert!(!offered(&tab, last(&tab)).contains("\"write_file\""));

    // A model override does not permit a denied provider either.
    change_agent(&tab, "engineer", |agent| agent.permissions.credentials = Some(vec!["own".into()]));
    let config = tab.world().agent(&"critic".into()).unwrap().config.clone();
    let over = MessageOverrides { config: Some(config), tools: None };
    let before = tab.events().len();
    assert_eq!(say(&tab, "@Engineer write", QueueMode::FollowUp, over), Err(Rejection::NotAllowed));
    assert_eq!(tab.events().iter().skip(before).filter(|it| it.turn.is_some()).count(), 0);
}

#[test]
fn override_of_a_queued_message_starts_a_separate_run() {
    let tab = tab(|_, _| {
        let mut slow = says("fine");
        slow.beats.insert(0, ScriptedChunk::Wait(5_000));
        slow
    });
    tab.say("first").unwrap();
    say(&tab, "@Engineer steered", QueueMode::Steer, only(&[("write_file", PermissionDecision::Deny)]))
        .unwrap();
    say(&tab, "@Engineer one", QueueMode::Collect, only(&[("write_file", PermissionDecision::Deny)]))
        .unwrap();
    tab.say_with("@Engineer two", QueueMode::Collect, None).unwrap();
    tab.pass(120_000);
    let count = tab.requests.borrow().len();
    let about = |at: usize| (tab.question(at), offered(&tab, at).contains("\"write_file\""));
    let requests: Vec<_> = (0..count).map(about).collect();
    let of = |words: &str| {
        let found: Vec<_> = requests.iter().filter(|(text, _)| text.contains(words)).collect();
        (found.len(), found.first().map(|(_, writes)| *writes))
    };
    assert_eq!(of("steered"), (1, Some(false)), "it does not join a run that works under other rules");
    assert_eq!(of("one"), (1, Some(false)));
    assert_eq!(of("two"), (1, Some(true)), "messages with different settings are not collected");
}

#[test]
fn workers_and_readers_of_reports_inherit_the_override() {
    let is_worker = |body: &Value| body["systemInstruction"].to_string().contains("You are a worker here");
    let tab = tab(move |_, body| match () {
        () if is_worker(body) => writing(body),
        () if body["contents"].as_array().unwrap().last().unwrap().to_string().contains("<report") => {
            says("read")
        }
        () if has_results(body) => says("it is given away"),
        () => calls(&[("delegate", json!({"task": "write", "title": "write", "agent": "Engineer"}))]),
    });
    say(&tab, "@Architect see to it", QueueMode::FollowUp, only(&[("@files", PermissionDecision::Deny)]))
        .unwrap();
    tab.pass(10_000);
    let requests = tab.requests.borrow().clone();
    assert!(requests.iter().any(|(_, body)| is_worker(body)), "a worker was sent");
    assert!(requests.iter().all(|(_, body)| !body["tools"].to_string().contains("\"write_file\"")));
    assert!(requests.last().unwrap().1.to_string().contains("<report"), "the report was read");
    assert!(tab.mind().files.is_empty());
    let worker: Worker = tab.world().tool_runs.values().find_map(|run| run.worker.clone()).unwrap();
    let granted = tab.world().session(&worker.session).unwrap().delegation.clone().unwrap();
    assert_eq!(granted.senders[0].turn.as_deref(), Some(&tools(&[("@files", PermissionDecision::Deny)])));
    // The next message and its workers have no override.
    tab.say("@Architect see to it").unwrap();
    tab.pass(10_000);
    assert_eq!(tab.mind().file("a.txt"), Some("text\n"));
}

#[test]
fn report_has_the_workers_plan_changes_which_are_not_merged() {
    let is_worker = |body: &Value| body["systemInstruction"].to_string().contains("You are a worker here");
    let tab = tab(move |_, body| match () {
        () if is_worker(body) && !has_results(body) => {
            calls(&[("update_nexus_state", json!({"scratchpad": "- [x] all of it\n"}))])
        }
        () if is_worker(body) => says("ticked"),
        () if body["contents"].as_array().unwrap().last().unwrap().to_string().contains("<report") => {
            says("read")
        }
        () if has_results(body) => says("it is given away"),
        () => calls(&[("delegate", json!({"task": "tick", "title": "tick", "agent": "Engineer"}))]),
    });
    edit(&tab, vec![MindWrite::Scratchpad("- [ ] all of it\n".into())]);
    tab.say("@Architect see to it").unwrap();
    tab.pass(10_000);
    let report = tab.question(last(&tab));
    assert!(
        report.contains("changed the scratchpad of its copy") && report.contains("- [x] all of it"),
        "{report}"
    );
    assert!(!report.contains("changed the objective"), "{report}");
    assert_eq!(tab.mind().scratchpad, "- [ ] all of it\n");
}

fn graph(text: &str) -> Option<Box<GraphTemplate>> {
    Some(Box::new(GraphTemplate::read(text).unwrap()))
}

#[test]
fn override_also_applies_to_a_node_that_an_orchestrator_adds() {
    let mut calls_made = 0;
    let tab = tab(move |agent, body| match agent {
        "Architect" if !has_results(body) => {
            calls_made += 1;
            match calls_made {
                1 => calls(&[
                    ("add_node", json!({ "node": "look", "kind": "agent.critic" })),
                    ("hand_off", json!({ "node": "look", "message": "Look at it" })),
                ]),
                _ => calls(&[("finish_run", json!({ "summary": "Done." }))]),
            }
        }
        _ => says("done"),
    });
    let graph = graph(
        r#"{ "version": 1, "name": "Led", "mode": "AUTO", "completion": "orchestrator",
             "nodes": [{ "key": "lead", "kind": "orchestrator" }] }"#,
    );
    let overrides = Some(Box::new(only(&[("write_file", PermissionDecision::Deny)])));
    let message = NewMessage { graph, overrides, ..NewMessage::new(tab.session, "Go") };
    tab.send(Command::SendMessage(message)).unwrap();
    let at = tab.speakers().iter().position(|agent| agent == "Critic").unwrap();
    assert!(!offered(&tab, at).contains("\"write_file\""));
}

#[test]
fn override_of_a_repeated_node_is_not_that_of_another_node_of_its_agent() {
    let tab = tab(|_, _| says("done"));
    let graph = graph(
        r#"{ "version": 1, "name": "Twice", "mode": "AUTO",
             "nodes": [{ "key": "one", "kind": "agent.critic" }, { "key": "two", "kind": "agent.critic" }],
             "edges": [{ "from": "one", "to": "two" }] }"#,
    );
    tab.send(Command::SendMessage(NewMessage { graph, ..NewMessage::new(tab.session, "Go") })).unwrap();
    let turn = tab.session_row().head.unwrap();
    let tools = Some(Box::new(tools(&[("write_file", PermissionDecision::Deny)])));
    tab.send(Command::TryAgain { session: tab.session, turn, agent: None, config: None, tools }).unwrap();
    assert_eq!(last(&tab), 2);
    assert!(!offered(&tab, 2).contains("\"write_file\""));
}

#[test]
fn override_for_files_also_applies_to_a_file_written_with_the_plan() {
    let tab = tab(|agent, body| match agent {
        _ if has_results(body) => says("done"),
        "Engineer" => {
            calls(&[("update_nexus_state", json!({ "activeFileName": "a.txt", "activeFile": "text" }))])
        }
        _ => calls(&[("update_nexus_state", json!({ "scratchpad": "the plan" }))]),
    });
    let files = |ruling| only(&[("@files", ruling)]);
    say(&tab, "@Engineer write", QueueMode::FollowUp, files(PermissionDecision::Deny)).unwrap();
    assert_eq!(statuses(&tab), [ToolStatus::Denied]);
    say(&tab, "@Critic plan", QueueMode::FollowUp, files(PermissionDecision::Deny)).unwrap();
    assert_eq!(statuses(&tab)[1..], [ToolStatus::Succeeded], "the plan is no file");
    say(&tab, "@Engineer write", QueueMode::FollowUp, files(PermissionDecision::Ask)).unwrap();
    assert_eq!(statuses(&tab)[2..], [ToolStatus::AwaitingApproval]);
    assert!(tab.mind().files.is_empty());
}

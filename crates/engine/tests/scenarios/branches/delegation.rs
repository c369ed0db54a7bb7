//! Scenarios of workers: parallel, nested, stopped, needing approval, silent, reloaded, merged and reported.

use crate::{change_agent, has_results, set, write_file};
use serde_json::{Value, json};

use nexus_engine::port::Store as _;
use nexus_engine::tests::{Scripted, ScriptedChunk, Tab, calls, read_events, says, tab, trickles};
use nexus_model::command::{ApprovalAnswer, Command, NewMessage};
use nexus_model::event::{Event, EventKind};
use nexus_model::fold::fold;
use nexus_model::id::{SessionId, StreamId};
use nexus_model::message::content::text_of;
use nexus_model::message::{Message, Source};
use nexus_model::run::{PauseCause, ReachedLimit, Run, RunStatus};
use nexus_model::session::delegation::WorkerEnd;
use nexus_model::session::workers::{WorkerState, spent, state, unmerged};
use nexus_model::session::{Session, SessionRole};
use nexus_model::settings::schema::{CAP_CALLS, TOOL_RULES, WORKER_DEPTH_LIMIT};
use nexus_model::tool::{ToolRun, ToolStatus};
use nexus_model::turn::TurnEnd;
use nexus_model::world::World;
use nexus_view::timeline::{TimelineRow, timeline};

/// True if the request is a worker's.
fn is_worker(body: &Value) -> bool {
    body["systemInstruction"].to_string().contains("You are a worker here")
}

/// The newest text of a request.
fn requests(body: &Value) -> String {
    body["contents"].as_array().unwrap().last().unwrap().to_string()
}

fn task(text: &str, agent: &str) -> (&'static str, Value) {
    ("delegate", json!({ "task": text, "title": text, "agent": agent }))
}

fn writes(name: &str, content: &str) -> Scripted {
    calls(&[("write_file", json!({ "name": name, "content": content }))])
}

/// The Architect delegates these tasks on its first call.
fn manager(tasks: Vec<(&'static str, Value)>, body: &Value) -> Option<Scripted> {
    if is_worker(body) {
        return None;
    }
    Some(match requests(body) {
        text if text.contains("<report") => says("I have read the reports."),
        _ if has_results(body) => says("They work on it."),
        _ => calls(&tasks),
    })
}

fn workers(tab: &Tab) -> Vec<Session> {
    let world = tab.world();
    let workers = world.sessions.values().filter(|session| session.role() == SessionRole::Worker);
    workers.map(|session| session.as_ref().clone()).collect()
}

fn run_of(tab: &Tab, session: &Session) -> Run {
    let world = tab.world();
    let run = world.session(&session.id).and_then(|session| session.run).unwrap();
    world.run(&run).unwrap().as_ref().clone()
}

fn reports(tab: &Tab) -> Vec<Message> {
    let world = tab.world();
    let reports = world.messages.values().filter(|message| message.metadata.report.is_some());
    reports.map(|message| message.as_ref().clone()).collect()
}

fn sent(tab: &Tab) -> Vec<ToolRun> {
    let world = tab.world();
    let sent = world.tool_runs.values().filter(|run| run.call.name == "delegate");
    sent.map(|run| run.as_ref().clone()).collect()
}

fn states(tab: &Tab) -> Vec<WorkerState> {
    let world = tab.world();
    let sent = world.tool_runs.values().filter_map(|run| run.worker.as_ref());
    sent.map(|worker| state(&world, worker)).collect()
}

fn ends(tab: &Tab) -> Vec<WorkerEnd> {
    let ended = |state| match state {
        WorkerState::Ended(how) => Some(how),
        WorkerState::Working | WorkerState::AwaitsApproval(_) | WorkerState::Paused(_) => None,
    };
    states(tab).into_iter().filter_map(ended).collect()
}

#[test]
fn two_workers_run_in_parallel_and_report_to_their_sender() {
    let tab = tab(|agent, body| {
        let tasks = vec![task("write the page", "Engineer"), task("write the notes", "Critic")];
        manager(tasks, body).unwrap_or_else(|| match agent {
            "Engineer" if !has_results(body) => writes("page.html", "<h1>Hi</h1>\n"),
            "Critic" if !has_results(body) => writes("notes.md", "- all well\n"),
            _ => says(&format!("{agent} did it.")),
        })
    });
    tab.say("@Architect see to it").unwrap();
    tab.pass(1_000);
    let names: Vec<String> = tab.mind().files.keys().cloned().collect();
    assert_eq!(names, ["notes.md", "page.html"]);
    let main = tab.session_row();
    assert!(main.workers.is_empty());
    let workers = workers(&tab);
    assert_eq!(workers.len(), 2);
    for worker in &workers {
        assert_eq!((worker.parent, worker.delegation.as_ref().unwrap().depth), (Some(tab.session), 1));
        assert_eq!(run_of(&tab, worker).status, RunStatus::Completed);
    }
    assert!(workers.iter().any(|worker| worker.label == "write the page"), "named after its task");
    // Each was called once before any was called again, so they run in parallel.
    let speakers = tab.speakers();
    let workers_called = speakers.iter().filter(|agent| *agent != "Architect").collect::<Vec<_>>();
    assert_eq!(workers_called, ["Engineer", "Critic", "Engineer", "Critic"]);
    let reports = reports(&tab);
    assert_eq!(reports.len(), 2);
    for report in &reports {
        assert_eq!(report.source, Some(Source::Agent));
        assert_eq!(report.session, tab.session);
        assert!(report.turn.is_some(), "a turn has taken it");
    }
    // The memory job must not mistake a report for the operator's words.
    tab.pass(4 * nexus_model::limits::MAINTENANCE_DELAY_MS);
    let workers_called =
        tab.archivist.borrow().requests.iter().map(Value::to_string).collect::<Vec<_>>().join("");
    assert!(
        workers_called.contains("from=\\\"Engineer, reporting on write the page\\\""),
        "{workers_called}"
    );
    assert!(workers_called.contains("from=\\\"the operator\\\""), "{workers_called}");
    let report_text = text_of(&reports[0].parts);
    assert!(
        report_text.contains("is done") && report_text.contains("did it.") && report_text.contains("+1"),
        "{report_text}"
    );
    let sent = sent(&tab);
    assert!(sent.iter().all(|run| run.status == ToolStatus::Succeeded && run.minds.is_some()));
    let id = sent[0].result.as_ref().unwrap()["worker"].as_str().unwrap().to_owned();
    assert!(
        workers.iter().any(|worker| worker.id.to_string() == id),
        "the tool answers with the worker's id"
    );
    assert_eq!(ends(&tab), [WorkerEnd::Done; 2]);
    // A worker sees its task but not the conversation.
    let bodies = tab.requests.borrow();
    let first = bodies.iter().find(|(agent, _)| agent == "Engineer").unwrap();
    let text = first.1.to_string();
    assert!(text.contains("write the page") && !text.contains("see to it"), "{text}");
    assert!(text.contains("from=\\\"Architect\\\""), "{text}");
}

#[test]
fn folding_events_with_workers_gives_the_world() {
    let tab = tab(|agent, body| {
        manager(vec![task("write the page", "Engineer")], body).unwrap_or_else(|| match agent {
            "Engineer" if !has_results(body) => writes("page.html", "<h1>Hi</h1>\n"),
            _ => says("Done."),
        })
    });
    tab.say("@Architect see to it").unwrap();
    tab.pass(1_000);
    let mut events = tab.app_events();
    events.extend(tab.events());
    events.extend(events_of(&tab, workers(&tab)[0].id));
    assert_eq!(fold(&World::default(), &events), *tab.world());
}

fn events_of(tab: &Tab, session: SessionId) -> Vec<Event> {
    let store = tab.store.clone();
    let stored =
        tab.wait_for(async move { store.events(StreamId::Session(session), 1, usize::MAX).await.unwrap() });
    read_events(&stored)
}

#[test]
fn conflicting_files_are_not_merged_and_the_report_shows_both_versions() {
    let tab = tab(|agent, body| {
        manager(vec![task("change the page", "Engineer")], body).unwrap_or_else(|| match agent {
            "Engineer" if has_results(body) => {
                let mut slow = says("Changed.");
                slow.beats.insert(0, ScriptedChunk::Wait(5_000));
                slow
            }
            "Engineer" => calls(&[
                ("write_file", json!({ "name": "page.txt", "content": "one\nWORKER\nthree\n" })),
                ("write_file", json!({ "name": "new.txt", "content": "new\n" })),
            ]),
            _ => says("?"),
        })
    });
    let write = |tab: &Tab, text: &str| {
        write_file(tab, "page.txt", text);
    };
    write(&tab, "one\ntwo\nthree\n");
    tab.say("@Architect see to it").unwrap();
    tab.pass(1_000);
    write(&tab, "one\nOPERATOR\nthree\n");
    tab.pass(10_000);
    let mind = tab.mind();
    assert_eq!(mind.file("page.txt"), Some("one\nOPERATOR\nthree\n"));
    assert_eq!(mind.file("new.txt"), Some("new\n"), "changes without conflict are merged");
    let report_text = text_of(&reports(&tab)[0].parts);
    assert!(
        report_text.contains("page.txt was not merged")
            && report_text.contains("WORKER")
            && report_text.contains("<<<<<<<"),
        "{report_text}"
    );
    let run = sent(&tab).remove(0);
    assert_eq!(run.worker.unwrap().end.unwrap().conflicts, ["page.txt"]);
}

#[test]
fn reload_during_work_loses_nothing_and_reports_once() {
    let script = |agent: &str, body: &Value| {
        manager(vec![task("write the page", "Engineer")], body).unwrap_or_else(|| match agent {
            "Engineer" if has_results(body) => trickles(&["Half of ", "a report"]),
            "Engineer" => writes("page.html", "<h1>Hi</h1>\n"),
            _ => says("?"),
        })
    };
    let first = tab(script);
    first.say("@Architect see to it").unwrap();
    first.pass(2_500);
    assert_eq!(states(&first), [WorkerState::Working]);
    first.kill();
    let again = first.again(|_, body| match is_worker(body) {
        true => says("The page is written."),
        false => says("I have read it."),
    });
    again.pass(5_000);
    assert!(again.speakers().is_empty(), "nothing runs unasked");
    assert_eq!(states(&again), [WorkerState::Paused(PauseCause::Interrupted)]);
    let worker = workers(&again).remove(0);
    again.send(Command::ContinueRun { run: run_of(&again, &worker).id }).unwrap();
    again.pass(1_000);
    assert_eq!(again.speakers(), ["Engineer", "Architect"]);
    assert_eq!(again.mind().file("page.html"), Some("<h1>Hi</h1>\n"));
    assert_eq!(reports(&again).len(), 1);
    again.kill();
    let third = again.again(|_, _| says("never asked"));
    third.pass(5_000);
    assert!(third.speakers().is_empty());
    let worker_ends = third.events().into_iter();
    let worker_ends =
        worker_ends.filter(|event| matches!(event.known_kind(), Some(EventKind::WorkerEnded { .. })));
    assert_eq!(worker_ends.count(), 1);
}

#[test]
fn finished_worker_is_reported_after_a_reload_without_a_model_call() {
    let first = tab(|agent, body| {
        manager(vec![task("write the page", "Engineer")], body).unwrap_or_else(|| match agent {
            "Engineer" if !has_results(body) => writes("page.html", "<h1>Hi</h1>\n"),
            _ => says("Done."),
        })
    });
    first.say("@Architect see to it").unwrap();
    first.pass(1_000);
    // As if the page had closed between the worker's last answer and its report.
    let events: Vec<Event> = first.events();
    let at =
        events.iter().position(|event| matches!(event.known_kind(), Some(EventKind::WorkerEnded { .. })));
    let stored_events = &events[..at.unwrap()];
    let worker = workers(&first)[0].id;
    let mut all = first.app_events();
    all.extend(events_of(&first, worker));
    all.extend(stored_events.iter().cloned());
    let mut world = fold(&World::default(), &all);
    let session = world.session(&first.session).unwrap();
    assert_eq!(session.workers.len(), 1);
    let partials = nexus_model::command::PartialMessages::new();
    let mut ids = nexus_model::testing::SeqIds::default();
    let now = nexus_model::id::Millis(9);
    let mut moment =
        nexus_model::decide::Env { now, ids: &mut ids, partials: &partials, run_before_turn: None };
    let command = Command::Recover { session: first.session };
    let new = nexus_model::decide::decide(&world, &command, &mut moment).unwrap();
    let new: Vec<Event> = new.into_iter().map(|event| event.into_event(999, now)).collect();
    let rows = fold(&world, &new);
    world.absorb(rows);
    let session = world.session(&first.session).unwrap();
    assert!(session.workers.is_empty());
    assert_eq!(world.working_mind(session).unwrap().file("page.html"), Some("<h1>Hi</h1>\n"));
    assert!(world.waiting(first.session).is_empty(), "no agent is called because of it");
    let waits = session.unanswered.iter().filter_map(|id| world.message(id));
    assert_eq!(waits.filter(|message| message.metadata.report.is_some()).count(), 1);
}

#[test]
fn stopping_the_sender_stops_nested_workers() {
    let tab = tab(|agent, body| match (is_worker(body), agent) {
        (false, _) if has_results(body) => trickles(&["I wait"]),
        (false, _) => calls(&[task("outer", "Engineer")]),
        (true, "Engineer") if has_results(body) => trickles(&["I wait, too"]),
        (true, "Engineer") => calls(&[task("inner", "Critic")]),
        (true, _) => trickles(&["I", " work"]),
    });
    tab.say("@Architect see to it").unwrap();
    tab.pass(3_000);
    assert_eq!(workers(&tab).len(), 2);
    tab.send(Command::Stop { session: tab.session }).unwrap();
    tab.pass(200_000);
    assert_eq!(ends(&tab), [WorkerEnd::Stopped; 2]);
    for worker in workers(&tab) {
        assert_eq!(run_of(&tab, &worker).status, RunStatus::Cancelled);
        assert!(worker.workers.is_empty());
    }
    // The stop causes no call; the sender gets the reports with the next message.
    let call_count = tab.requests.borrow().len();
    assert_eq!(
        reports(&tab).iter().filter(|report| report.session == tab.session && report.turn.is_none()).count(),
        1
    );
    tab.say("@Critic what now?").unwrap();
    assert!(
        tab.question(call_count).contains("The operator stopped the task"),
        "{}",
        tab.question(call_count)
    );
}

#[test]
fn silent_worker_ends_at_the_time_limit_and_reports_it() {
    let tab = tab(|_, body| {
        manager(vec![task("think for ever", "Engineer")], body)
            .unwrap_or_else(|| Scripted { status: 200, beats: vec![ScriptedChunk::Wait(100_000_000)] })
    });
    tab.say("@Architect see to it").unwrap();
    tab.pass(3_600_000);
    assert_eq!(ends(&tab), [WorkerEnd::Failed]);
    let report_text = text_of(&reports(&tab)[0].parts);
    assert!(report_text.contains("failed"), "{report_text}");
    assert_eq!(tab.speakers().last().map(String::as_str), Some("Architect"), "the sender is named");
    let world = tab.world();
    let is_worker = |id| world.session(id).is_some_and(|session| session.delegation.is_some());
    let ended = world.turns.values().filter(|turn| is_worker(&turn.session)).map(|turn| turn.end);
    assert!(
        ended
            .into_iter()
            .all(|end| matches!(end, Some(TurnEnd::TimedOut | TurnEnd::CutOff | TurnEnd::Error)))
    );
}

/// Every agent delegates the task until the depth limit is reached.
fn passing_on(_: &str, body: &Value) -> Scripted {
    if requests(body).contains("<report") {
        return says("I have read it.");
    }
    if has_results(body) { says("Passed on, or not.") } else { calls(&[task("go deeper", "Engineer")]) }
}

#[test]
fn workers_nest_three_levels_and_the_fourth_is_rejected() {
    let tab = tab(passing_on);
    tab.say("@Architect see to it").unwrap();
    tab.pass(5_000);
    let mut depths: Vec<u32> = workers(&tab).iter().map(|it| it.delegation.as_ref().unwrap().depth).collect();
    depths.sort_unstable();
    assert_eq!(depths, [1, 2, 3]);
    let rejected: Vec<ToolRun> =
        sent(&tab).into_iter().filter(|run| run.status == ToolStatus::Failed).collect();
    assert_eq!(rejected.len(), 1);
    assert!(rejected[0].result.as_ref().unwrap()["error"].as_str().unwrap().contains("3 tasks deep"));
    assert_eq!(ends(&tab), [WorkerEnd::Done; 3]);
    assert_eq!(reports(&tab).len(), 3);
    assert!(tab.session_row().workers.is_empty());
}

#[test]
fn depth_limit_can_be_raised() {
    let tab = tab(passing_on);
    set(&tab, WORKER_DEPTH_LIMIT.name(), json!(5));
    tab.say("@Architect see to it").unwrap();
    tab.pass(5_000);
    assert_eq!(workers(&tab).len(), 5);
}

#[test]
fn depth_limit_can_be_removed_leaving_the_budget() {
    let tab = tab(passing_on);
    set(&tab, WORKER_DEPTH_LIMIT.name(), json!(0));
    set(&tab, CAP_CALLS.name(), json!(9));
    tab.say("@Architect see to it").unwrap();
    tab.pass(5_000);
    let deepest = || workers(&tab).iter().map(|it| it.delegation.as_ref().unwrap().depth).max().unwrap();
    let before = deepest();
    assert!(before > 3, "{before}");
    assert!(sent(&tab).iter().all(|run| run.status != ToolStatus::Failed), "no message is rejected");
    // At the budget, the next call waits for the operator; with a larger budget, delegation continues.
    let paused = || {
        let world = tab.world();
        let is_it = |run: &&std::sync::Arc<Run>| matches!(run.pause, Some(PauseCause::CallCap(_)));
        world.runs.values().filter(is_it).map(|run| run.id).collect::<Vec<_>>()
    };
    assert!(!paused().is_empty());
    for run in paused() {
        // The budget raised for one worker may be enough for the others.
        drop(tab.send(Command::ContinueRun { run }));
    }
    tab.pass(5_000);
    assert!(deepest() > before);
    tab.send(Command::Stop { session: tab.session }).unwrap();
    tab.settle();
    assert!(tab.session_row().workers.is_empty());
}

#[test]
fn worker_inherits_permissions_and_sees_only_permitted_tools() {
    let tab = tab(|agent, body| {
        manager(vec![task("write the page", "Engineer")], body).unwrap_or_else(|| match agent {
            "Engineer" if !has_results(body) => writes("page.html", "<h1>Hi</h1>\n"),
            _ => says("I could not."),
        })
    });
    change_agent(&tab, "architect", |agent| agent.permissions.tools_denied = vec!["write_file".into()]);
    tab.say("@Architect see to it").unwrap();
    tab.pass(1_000);
    assert!(tab.mind().files.is_empty());
    let bodies = tab.requests.borrow();
    let tools = bodies.iter().find(|(agent, _)| agent == "Engineer").unwrap().1["tools"].to_string();
    assert!(!tools.contains("\"write_file\"") && tools.contains("\"read_file\""), "{tools}");
    let world = tab.world();
    let run = world.tool_runs.values().find(|run| run.call.name == "write_file").unwrap();
    assert_eq!(run.status, ToolStatus::Denied);
}

#[test]
fn roles_determine_who_delegates_and_who_accepts_tasks() {
    let tab = tab(|_, body| match requests(body) {
        text if text.contains("<report") => says("Read."),
        _ if has_results(body) || is_worker(body) => says("So be it."),
        _ => calls(&[task("do it", "Critic")]),
    });
    let change = |key: &str, role| {
        change_agent(&tab, key, |agent| agent.role = role);
    };
    use nexus_model::agent::AgentRole;
    change("engineer", AgentRole::Worker);
    change("critic", AgentRole::Manager);
    tab.say("@Engineer see to it").unwrap();
    tab.pass(1_000);
    assert!(!tab.requests.borrow()[0].1["tools"].to_string().contains("\"delegate\""));
    tab.say("@Architect see to it").unwrap();
    tab.pass(1_000);
    assert!(workers(&tab).is_empty());
    let words: Vec<String> = sent(&tab).iter().map(|run| run.result.as_ref().unwrap().to_string()).collect();
    assert!(words[0].contains("role is worker") || words[0].contains("no tool"), "{words:?}");
    assert!(words[1].contains("Critic is a manager"), "{words:?}");
}

#[test]
fn workers_approval_is_visible_in_the_senders_session() {
    let tab = tab(|agent, body| {
        manager(vec![task("write the page", "Engineer")], body).unwrap_or_else(|| match agent {
            "Engineer" if !has_results(body) => writes("page.html", "<h1>Hi</h1>\n"),
            _ => says("Done."),
        })
    });
    set(&tab, TOOL_RULES.name(), json!([{ "tool": "write_file", "ruling": "ask" }]));
    tab.say("@Architect see to it").unwrap();
    tab.pass(1_000);
    let WorkerState::AwaitsApproval(requests) = states(&tab).remove(0) else { panic!("{:?}", states(&tab)) };
    let answer = ApprovalAnswer::Approve { args: None, always: false };
    tab.send(Command::AnswerApproval { tool_run: requests[0], answer }).unwrap();
    tab.pass(1_000);
    assert_eq!(ends(&tab), [WorkerEnd::Done]);
    assert_eq!(tab.mind().file("page.html"), Some("<h1>Hi</h1>\n"));
}

#[test]
fn workers_usage_counts_towards_the_senders_budget() {
    let tab = tab(|agent, body| {
        manager(vec![task("write", "Engineer")], body).unwrap_or_else(|| match agent {
            "Engineer" => writes("page.html", &format!("{}\n", body.to_string().len())),
            _ => says("?"),
        })
    });
    set(&tab, CAP_CALLS.name(), json!(5));
    tab.say("@Architect see to it").unwrap();
    tab.pass(1_000);
    // Two calls of the Architect, three of the worker.
    let at = ReachedLimit { used: 5, limit: Some(5), shared: true };
    assert_eq!(states(&tab), [WorkerState::Paused(PauseCause::CallCap(at))]);
    let worker = workers(&tab).remove(0);
    let main = tab.session_row().run.unwrap();
    let used = |world: &World, run: &Run| (run.used.calls, spent(world, run).calls);
    assert_eq!(used(&tab.world(), tab.world().run(&main).unwrap()), (2, 5));
    tab.send(Command::ContinueRun { run: run_of(&tab, &worker).id }).unwrap();
    tab.pass(1_000);
    assert_eq!(run_of(&tab, &worker).used.calls, 8, "as much again, and it asks once more");
    // The run that reads the report continues with the remaining budget, not a new one.
    tab.send(Command::EndRun { run: run_of(&tab, &worker).id }).unwrap();
    tab.pass(1_000);
    let world = tab.world();
    assert_eq!(world.run(&main).unwrap().used.calls, 10);
}

#[test]
fn run_that_reads_a_report_counts_the_runs_before_it() {
    let tab = tab(|agent, body| {
        let done =
            || if agent == "Engineer" && !has_results(body) { writes("a", "x\n") } else { says("Done.") };
        manager(vec![task("write", "Engineer")], body).unwrap_or_else(done)
    });
    set(&tab, CAP_CALLS.name(), json!(4));
    tab.say("@Architect see to it").unwrap();
    tab.pass(1_000);
    let run = run_of(&tab, &tab.session_row());
    let at = ReachedLimit { used: 4, limit: Some(4), shared: true };
    assert_eq!((run.used.calls, run.pause), (0, Some(PauseCause::CallCap(at))), "it has made no call itself");
    let rows = timeline(&tab.world(), tab.session, None).rows;
    assert!(rows.iter().any(|(_, row)| matches!(row, TimelineRow::Paused { used, .. } if used.calls == 4)));
    tab.send(Command::ContinueRun { run: run.id }).unwrap();
    tab.pass(1_000);
    let run = run_of(&tab, &tab.session_row());
    assert_eq!((run.status, run.used.calls, run.caps.calls), (RunStatus::Completed, 1, 8));
}

#[test]
fn deleting_and_restoring_a_session_includes_its_workers() {
    let tab = tab(|agent, body| {
        manager(vec![task("write", "Engineer")], body).unwrap_or_else(|| says(&format!("{agent} did.")))
    });
    let other = SessionId::from(77);
    tab.send(Command::CreateSession { session: other, label: "other".into(), mind: Default::default() })
        .unwrap();
    tab.say("@Architect see to it").unwrap();
    tab.pass(1_000);
    let worker = workers(&tab).remove(0).id;
    let hidden = |tab: &Tab| tab.world().session(&worker).unwrap().deleted_at.is_some();
    tab.send(Command::DeleteSession { session: tab.session }).unwrap();
    assert!(hidden(&tab));
    tab.send(Command::RestoreSession { session: tab.session }).unwrap();
    assert!(!hidden(&tab));
}

#[test]
fn message_in_a_workers_session_only_goes_to_the_worker() {
    let tab = tab(|agent, body| {
        manager(vec![task("write", "Engineer")], body).unwrap_or_else(|| says(&format!("{agent} did.")))
    });
    tab.say("@Architect see to it").unwrap();
    tab.pass(1_000);
    let worker = workers(&tab).remove(0).id;
    let before = tab.requests.borrow().len();
    let handle = tab.running.handle.clone();
    tab.wait_for(async move { handle.open(worker).await }).unwrap();
    tab.send(Command::SendMessage(NewMessage::new(worker, "and now?"))).unwrap();
    tab.pass(1_000);
    assert_eq!(tab.speakers().get(before..).unwrap(), ["Engineer"]);
    tab.open().unwrap();
    assert_eq!(reports(&tab).len(), 1, "it had reported already");
}

#[test]
fn unmerged_work_of_a_worker_can_be_merged_by_hand() {
    use nexus_model::command::MergeRequest;
    use nexus_model::mind::review::MindField;
    use nexus_text::merge3::Resolution;
    let tab = tab(|agent, body| {
        manager(vec![task("change the page", "Engineer")], body).unwrap_or_else(|| match agent {
            "Engineer" if has_results(body) => trickles(&["I have", " almost"]),
            _ => writes("page.txt", "one\nWORKER\nthree\n"),
        })
    });
    let write = |text: &str| {
        write_file(&tab, "page.txt", text);
    };
    write("one\ntwo\nthree\n");
    tab.say("@Architect see to it").unwrap();
    tab.pass(1_500);
    write("one\nOPERATOR\nthree\n");
    let worker = workers(&tab).remove(0);
    tab.send(Command::Stop { session: worker.id }).unwrap();
    tab.pass(1_000);
    assert_eq!(ends(&tab), [WorkerEnd::Stopped]);
    let (ours, theirs) = (tab.session_row(), workers(&tab).remove(0));
    let card = || unmerged(&tab.world(), sent(&tab)[0].worker.as_ref().unwrap());
    assert_eq!(card(), theirs.head, "the card offers the saved draft");
    let mut merging = MergeRequest {
        session: tab.session,
        head: ours.head,
        mind: ours.mind,
        other: theirs.head.unwrap(),
        from: Some(theirs.id),
        theirs: theirs.mind,
        resolutions: Vec::new(),
    };
    let asks = tab.send(Command::MergeBranch(merging.clone()));
    assert_eq!(asks, Err(nexus_model::command::Rejection::ClashesOpen));
    merging.resolutions = vec![(MindField::File("page.txt".into()), vec![Resolution::Theirs])];
    tab.send(Command::MergeBranch(merging)).unwrap();
    assert_eq!(tab.mind().file("page.txt"), Some("one\nWORKER\nthree\n"));
    assert_eq!(card(), None);
}

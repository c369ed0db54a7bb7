//! Scenarios of nodes that work in a terminal on the operator's machine, over a scripted ttyd.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc::{UnboundedSender, unbounded};
use serde_json::{Value, json};

use nexus_engine::port::lazy::{OpenSocket, Socket, SocketEvent, Sockets, TerminalKey};
use nexus_engine::terminal::TerminalHub;
use nexus_engine::tests::{Scripted, Tab, calls, says, tab};
use nexus_model::command::{ApprovalAnswer, Command, NewMessage, Rejection};
use nexus_model::event::EventKind;
use nexus_model::mind::blob::bytes_of;
use nexus_model::run::graph::{GraphError, GraphTemplate};
use nexus_model::run::templates::{TerminalConsent, consent, consent_row};
use nexus_model::run::terminal::TerminalSpec;
use nexus_model::run::{Node, NodeStatus, PauseCause, Run, RunStatus};
use nexus_model::tool::ToolStatus;

const ADDRESS: &str = "ws://127.0.0.1:7681/ws";

/// A program: prints a text for a command and its input, and exits with a status; without one it does not end.
type Program = Box<dyn Fn(&str, &str) -> (String, Option<i32>)>;

/// A machine with ttyd and a shell.
#[derive(Clone)]
struct Machine {
    program: Rc<Program>,
    /// The opened addresses and the received messages as text.
    opened: Rc<RefCell<Vec<String>>>,
    sent: Rc<RefCell<Vec<String>>>,
    /// The commands that ran, each with its input.
    ran: Rc<RefCell<Vec<(String, String)>>>,
    lines: Rc<RefCell<Vec<UnboundedSender<SocketEvent>>>>,
}

impl Machine {
    fn new(program: impl Fn(&str, &str) -> (String, Option<i32>) + 'static) -> Self {
        Self {
            program: Rc::new(Box::new(program)),
            opened: Rc::default(),
            sent: Rc::default(),
            ran: Rc::default(),
            lines: Rc::default(),
        }
    }

    /// Installs its terminals in the tab.
    fn serve(&self, tab: &Tab) {
        let (clock, spawn) = (Rc::clone(&tab.ports.clock), Rc::clone(&tab.ports.spawn));
        *tab.checks.1.borrow_mut() = Some(Rc::new(TerminalHub::new(Rc::new(self.clone()), clock, spawn)));
    }

    fn hang_up(&self) {
        for line in self.lines.borrow().iter() {
            line.unbounded_send(SocketEvent::Closed(1006)).unwrap();
        }
    }
}

struct Line {
    machine: Machine,
    to: UnboundedSender<SocketEvent>,
    typed: RefCell<String>,
}

impl Line {
    fn shows(&self, text: &str) {
        let text = format!("0{}", text.replace('\n', "\r\n"));
        self.to.unbounded_send(SocketEvent::Message(text.into_bytes())).unwrap();
    }
}

impl Socket for Line {
    fn send(&self, bytes: &[u8]) {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        self.machine.sent.borrow_mut().push(text.clone());
        if text.starts_with('{') {
            let hello: Value = serde_json::from_str(&text).unwrap();
            assert!(hello["columns"].is_u64() && hello["rows"].is_u64() && hello["AuthToken"].is_string());
            self.to.unbounded_send(SocketEvent::Message(b"1sh (host)".to_vec())).unwrap();
            self.to.unbounded_send(SocketEvent::Message(b"2{}".to_vec())).unwrap();
            return self.shows("$ ");
        }
        let Some(keys) = text.strip_prefix('0') else { return };
        self.typed.borrow_mut().push_str(keys);
        self.shows(&keys.replace('\r', "\n"));
        let typed = self.typed.borrow().clone();
        if let Some(rest) = typed.strip_prefix(" printf '\\n[nexus:%s:begin]\\n' ") {
            let Some(rest) = rest.strip_suffix("\"$?\"\r") else { return };
            let (mark, rest) = rest.split_once("; printf %s '").unwrap();
            let (pack, rest) = rest.split_once("' | base64 -d | ( ").unwrap();
            let (command, _) = rest.split_once(" ); printf").unwrap();
            let pack = String::from_utf8(bytes_of(&pack.replace('\r', "")).unwrap()).unwrap();
            let (output, exit) = (self.machine.program)(command, &pack);
            self.machine.ran.borrow_mut().push((command.to_owned(), pack));
            self.shows(&format!("\n[nexus:{mark}:begin]\n{output}\n"));
            if let Some(exit) = exit {
                self.shows(&format!("\n[nexus:{mark}:{exit}]\n$ "));
            }
            self.typed.borrow_mut().clear();
        } else if typed.ends_with('\r') {
            let (output, _) = (self.machine.program)(typed.trim(), "");
            self.shows(&format!("{output}\n$ "));
            self.typed.borrow_mut().clear();
        }
    }
}

impl Sockets for Machine {
    fn open(&self, address: &str) -> Option<OpenSocket> {
        self.opened.borrow_mut().push(address.to_owned());
        let (to, events) = unbounded();
        to.unbounded_send(SocketEvent::Opened).unwrap();
        self.lines.borrow_mut().push(to.clone());
        Some((Box::new(Line { machine: self.clone(), to, typed: RefCell::default() }), events))
    }
}

fn template(text: &Value) -> GraphTemplate {
    GraphTemplate::read(&text.to_string()).unwrap()
}

/// A program in a terminal, and an agent that reads its output.
fn build_and_read() -> GraphTemplate {
    template(&json!({
        "version": 1, "name": "Build", "nodes": [
            { "key": "build", "kind": "agent.codex", "instruction": "Build it.", "entry": true, "max_turns": 4,
              "terminal": { "address": ADDRESS, "command": "codex exec -", "resume": "codex exec resume {session} -" } },
            { "key": "read", "kind": "agent.critic" },
        ],
        "edges": [
            { "from": "build", "to": "read" },
            { "from": "read", "to": "build", "when": { "status": "never" } },
        ],
    }))
}

fn start(tab: &Tab, graph: GraphTemplate) {
    let graph = Some(Box::new(graph));
    tab.send(Command::SendMessage(NewMessage { graph, ..NewMessage::new(tab.session, "Build a clock") }))
        .unwrap();
}

fn run(tab: &Tab) -> Run {
    tab.world().run(&tab.run_id()).unwrap().as_ref().clone()
}

fn node(tab: &Tab, key: &str) -> Node {
    run(tab).node(&key.into()).unwrap().clone()
}

/// Allows a node its terminal.
fn allow(tab: &Tab, key: &str, agents: bool) {
    let terminal = node(tab, key).terminal.unwrap();
    let consent = TerminalConsent { terminal: *terminal, agents };
    let (name, value) = (consent_row(tab.session, key), serde_json::to_value(consent).unwrap());
    tab.send(Command::ChangeSetting { name, value }).unwrap();
}

fn resume(tab: &Tab) {
    tab.send(Command::ContinueRun { run: tab.run_id() }).unwrap();
    tab.pass(5_000);
}

#[test]
fn terminal_opens_only_after_consent_and_its_turn_ends_at_the_marker() {
    let tab = tab(|_, _| says("Read."));
    let machine = Machine::new(|_, _| ("session id: 0199a213-81c0\nBuilt the clock.".into(), Some(0)));
    machine.serve(&tab);
    start(&tab, build_and_read());
    tab.pass(5_000);
    assert_eq!(machine.opened.borrow().len(), 0, "no consent, no connection");
    let Some(PauseCause::NodeFailed { node: failed, evidence }) = run(&tab).pause else { panic!() };
    assert_eq!(failed.as_str(), "build");
    assert!(evidence.contains("has not allowed"), "{evidence}");

    allow(&tab, "build", false);
    resume(&tab);
    assert_eq!((run(&tab).status, run(&tab).pause), (RunStatus::Completed, None));
    assert_eq!(*machine.opened.borrow(), [ADDRESS]);
    let (command, pack) = machine.ran.borrow()[0].clone();
    assert_eq!(command, "codex exec -");
    assert!(
        pack.starts_with("# Goal\n")
            && pack.contains("Build a clock")
            && pack.contains("# Your part\nBuild it.")
    );
    let built = node(&tab, "build");
    let output = built.last_output.unwrap();
    assert_eq!((output.status.as_str(), output.structured["exit"].as_i64()), ("ok", Some(0)));
    assert!(output.summary.ends_with("Built the clock."), "{}", output.summary);
    assert_eq!(output.artifacts[0].path, "logs/build/turn-002.log");
    let log = tab.world().blob(&output.artifacts[0].hash.unwrap()).unwrap().to_string();
    assert_eq!(log, "session id: 0199a213-81c0\nBuilt the clock.");
    assert!(tab.question(0).contains("Built the clock."), "the envelope reached the next node");
    // The log alone has what was typed.
    let typed = tab.events().into_iter().filter_map(|event| match event.known_kind() {
        Some(EventKind::TerminalRequested { turn, .. }) => Some(turn.clone()),
        _ => None,
    });
    assert!(typed.into_iter().any(|turn| turn.pack == pack && turn.command == command));
}

#[test]
fn secret_path_is_in_each_call_and_in_no_event() {
    let tab = tab(|_, _| says("Read."));
    let machine = Machine::new(|_, _| ("Built.".into(), Some(0)));
    machine.serve(&tab);
    start(&tab, build_and_read());
    allow(&tab, "build", false);
    let terminals = tab.checks.1.borrow().clone().unwrap();
    let key = TerminalKey { session: tab.session, node: "build".to_owned() };
    terminals.attach(&key, &node(&tab, "build").terminal.unwrap(), "/s3cret");
    machine.hang_up();
    tab.pass(100);
    resume(&tab);
    assert_eq!(run(&tab).status, RunStatus::Completed);
    assert_eq!(
        *machine.opened.borrow(),
        ["ws://127.0.0.1:7681/s3cret/ws"; 2],
        "by the pane, then by the turn"
    );
    let events_text =
        format!("{:?}", tab.events().iter().map(|event| event.known_kind()).collect::<Vec<_>>());
    assert!(events_text.contains(ADDRESS) && !events_text.contains("s3cret"), "{events_text}");
}

#[test]
fn next_turn_resumes_the_programs_session() {
    let tab = tab(|_, _| says("Once more, please."));
    let machine = Machine::new(|_, _| ("{\"session_id\":\"0199a213-81c0\"}".into(), Some(0)));
    machine.serve(&tab);
    let mut graph = build_and_read();
    graph.edges[1].when = None;
    graph.nodes[0].max_turns = Some(3);
    start(&tab, graph);
    allow(&tab, "build", false);
    resume(&tab);
    assert!(matches!(run(&tab).pause, Some(PauseCause::NodeLimit { .. })), "{:?}", run(&tab).pause);
    assert_eq!(node(&tab, "build").provider_session.as_deref(), Some("0199a213-81c0"));
    let commands_run = machine.ran.borrow();
    let commands: Vec<_> = commands_run.iter().map(|(command, _)| command.as_str()).collect();
    assert_eq!(commands, ["codex exec -", "codex exec resume 0199a213-81c0 -"]);
    assert!(commands_run[1].1.contains("- read (ok): Once more, please."), "{}", commands_run[1].1);
}

#[test]
fn failed_command_fails_its_node_and_keeps_the_log() {
    let tab = tab(|_, _| says("Read."));
    let machine = Machine::new(|_, _| ("it broke".into(), Some(2)));
    machine.serve(&tab);
    start(&tab, build_and_read());
    allow(&tab, "build", false);
    resume(&tab);
    let output = node(&tab, "build").last_output.unwrap();
    assert_eq!((output.status.as_str(), node(&tab, "build").status), ("error", NodeStatus::Error));
    assert!(output.summary.starts_with("Exit status 2.\nit broke"), "{}", output.summary);
    assert_eq!(output.artifacts.len(), 1);
    assert!(matches!(run(&tab).pause, Some(PauseCause::NodeFailed { .. })));
}

#[test]
fn verifier_in_a_terminal_passes_by_exit_status() {
    let graph = template(&json!({
        "version": 1, "name": "Verify", "completion": "verifier", "nodes": [
            { "key": "build", "kind": "agent.engineer", "entry": true },
            { "key": "test", "kind": "verifier", "terminal": { "address": ADDRESS, "command": "cargo test" } },
        ],
        "edges": [
            { "from": "build", "to": "test" },
            { "from": "test", "to": "build", "when": { "status": "failed" } },
        ],
    }));
    let tab = tab(|_, _| says("Built."));
    let count = RefCell::new(0);
    let machine = Machine::new(move |_, _| {
        *count.borrow_mut() += 1;
        if *count.borrow() == 1 { ("1 test failed".into(), Some(101)) } else { ("ok".into(), Some(0)) }
    });
    machine.serve(&tab);
    start(&tab, graph);
    allow(&tab, "test", false);
    resume(&tab);
    assert_eq!(run(&tab).status, RunStatus::Completed);
    assert_eq!(machine.ran.borrow().len(), 2);
    assert!(tab.question(1).contains("1 test failed") && tab.question(1).contains("\"status\":\"failed\""));
}

#[test]
fn work_passed_by_a_verifier_in_a_terminal_is_accepted_without_a_note() {
    let graph = template(&json!({
        "version": 1, "name": "Judge", "nodes": [
            { "key": "test", "kind": "verifier", "terminal": { "address": ADDRESS, "command": "cargo test" } },
            { "key": "judge", "kind": "agent.critic" }, { "key": "build", "kind": "agent.engineer" },
        ],
        "edges": [
            { "from": "test", "to": "judge" }, { "from": "test", "to": "judge", "when": { "status": "failed" } },
            { "from": "judge", "to": "build", "when": { "field": { "name": "accepted", "is": false } } },
        ],
    }));
    for (exit, doubts) in [(0, false), (101, true)] {
        let tab = tab(|_, body| {
            let newest = body["contents"].as_array().unwrap().last().unwrap();
            let has_results = newest["parts"].to_string().contains("functionResponse");
            match has_results {
                false => calls(&[("accept_work", json!({"accepted": true, "reasons": "All is there."}))]),
                true => says("Judged."),
            }
        });
        let machine = Machine::new(move |_, _| ("the tests ran".into(), Some(exit)));
        machine.serve(&tab);
        start(&tab, graph.clone());
        allow(&tab, "test", false);
        resume(&tab);
        let reasons = run(&tab).verdict.unwrap().reasons;
        assert_eq!(reasons.contains("Accepted without passing checks"), doubts, "{reasons}");
    }
}

#[test]
fn stopped_turn_is_interrupted_and_a_reload_keeps_its_inbox() {
    let tab = tab(|_, _| says("Read."));
    let machine = Machine::new(|_, _| ("working".into(), None));
    machine.serve(&tab);
    start(&tab, build_and_read());
    allow(&tab, "build", false);
    resume(&tab);
    assert_eq!(node(&tab, "build").status, NodeStatus::Running);
    let send = Command::StartNode { run: tab.run_id(), node: "build".into(), text: "And a bell.".into() };
    tab.send(send).unwrap();
    // After a reload the run is paused, and its inbox is complete.
    tab.kill();
    let again = tab.again(|_, _| says("Read."));
    assert_eq!(run(&again).pause, Some(PauseCause::Interrupted));
    let later = Machine::new(|_, _| ("done".into(), Some(0)));
    later.serve(&again);
    resume(&again);
    assert_eq!(run(&again).status, RunStatus::Completed);
    assert!(later.ran.borrow()[0].1.contains("And a bell."), "{:?}", later.ran.borrow());

    let other = Machine::new(|_, _| ("working".into(), None));
    other.serve(&again);
    start(&again, build_and_read());
    again.pass(5_000);
    again.send(Command::Stop { session: again.session }).unwrap();
    again.settle();
    assert_eq!(other.sent.borrow().last().unwrap(), "0\x03");
    assert_eq!(run(&again).status, RunStatus::Cancelled);
}

#[test]
fn lost_connection_and_timeout_fail_the_node_with_a_message() {
    let tab = tab(|_, _| says("Read."));
    let machine = Machine::new(|_, _| ("working".into(), None));
    machine.serve(&tab);
    let mut graph = build_and_read();
    graph.nodes[0].limits.minutes = Some(1);
    start(&tab, graph);
    allow(&tab, "build", false);
    resume(&tab);
    machine.hang_up();
    tab.pass(1_000);
    assert!(node(&tab, "build").last_output.unwrap().summary.contains("connection"));
    resume(&tab);
    tab.pass(62_000);
    assert!(node(&tab, "build").last_output.unwrap().summary.contains("took too long"));
    assert_eq!(machine.sent.borrow().last().unwrap(), "0\x03");
}

#[test]
fn program_with_its_own_prompt_gets_a_paste_and_ends_at_the_prompt() {
    let mut graph = build_and_read();
    let terminal = TerminalSpec { address: ADDRESS.into(), prompt: "$ ".into(), ..TerminalSpec::default() };
    graph.nodes[0].terminal = Some(terminal);
    let tab = tab(|_, _| says("Read."));
    let machine = Machine::new(|said, _| (format!("heard {} letters", said.len()), None));
    machine.serve(&tab);
    start(&tab, graph);
    allow(&tab, "build", false);
    resume(&tab);
    let output = node(&tab, "build").last_output.unwrap();
    assert_eq!(output.status, "ok");
    assert!(output.summary.contains("heard "), "{}", output.summary);
}

/// An orchestrator with a node in a terminal.
fn led() -> GraphTemplate {
    template(&json!({
        "version": 1, "name": "Led", "mode": "AUTO", "completion": "orchestrator", "nodes": [
            { "key": "lead", "kind": "orchestrator" },
            { "key": "shell", "kind": "agent.codex", "terminal": { "address": ADDRESS, "command": "sh" } },
        ],
    }))
}

fn lead() -> impl FnMut(&str, &Value) -> Scripted {
    let mut turns = 0;
    move |_, _| {
        turns += 1;
        match turns {
            1 => calls(&[("send_to_terminal", json!({"node": "shell", "line": "date\u{3}"}))]),
            2 => calls(&[("finish_run", json!({"summary": "Done."}))]),
            _ => says("Done."),
        }
    }
}

fn last_tool(tab: &Tab, name: &str) -> nexus_model::tool::ToolRun {
    let world = tab.world();
    let found = world.tool_runs.values().rev().find(|run| run.call.name == name);
    found.unwrap().as_ref().clone()
}

#[test]
fn orchestrator_uses_a_terminal_only_with_consent_and_approval() {
    for agents in [false, true] {
        let tab = tab(lead());
        let machine = Machine::new(|line, _| (format!("it is noon, after {line:?}"), Some(0)));
        machine.serve(&tab);
        start(&tab, led());
        // The call is requested at once; the answer comes after the consent.
        allow(&tab, "shell", agents);
        tab.pass(1_000);
        let tool_run = last_tool(&tab, "send_to_terminal");
        assert_eq!(tool_run.status, ToolStatus::AwaitingApproval);
        assert_eq!(machine.opened.borrow().len(), 0, "nothing before the approval");
        let answer = ApprovalAnswer::Approve { args: None, always: false };
        tab.send(Command::AnswerApproval { tool_run: tool_run.id, answer }).unwrap();
        tab.pass(20_000);
        let ended = last_tool(&tab, "send_to_terminal");
        if agents {
            assert_eq!(ended.status, ToolStatus::Succeeded);
            let screen = ended.result.unwrap()["screen"].as_str().unwrap().to_owned();
            assert!(screen.contains("it is noon, after \"date\""), "{screen}");
        } else {
            assert_eq!(ended.status, ToolStatus::Denied);
            assert_eq!(machine.opened.borrow().len(), 0);
        }
    }
}

#[test]
fn terminal_can_be_assigned_and_removed_during_a_run() {
    let tab = tab(lead());
    start(&tab, led());
    let bind = |node: &str, terminal: Option<TerminalSpec>| {
        let terminal = terminal.map(Box::new);
        tab.send(Command::BindTerminal { run: tab.run_id(), node: node.into(), terminal })
    };
    let spec = TerminalSpec { address: ADDRESS.into(), command: "sh -s".into(), ..TerminalSpec::default() };
    let bad = |node: &str| Err(Rejection::BadGraph(GraphError::BadTerminal(node.into())));
    assert_eq!(bind("lead", Some(spec.clone())), Err(Rejection::TurnWorks));
    allow(&tab, "shell", true);
    assert_eq!(bind("shell", Some(spec.clone())), Ok(()));
    assert_eq!(node(&tab, "shell").terminal.as_deref(), Some(&spec));
    let elsewhere = TerminalSpec { address: "ws://example.org/ws".into(), ..spec };
    assert_eq!(bind("shell", Some(elsewhere)), bad("shell"));
    assert_eq!(bind("shell", None), bad("shell"), "no agent would answer for it");
    // The consent was for another command.
    let world = tab.world();
    let run = run(&tab);
    let shell = run.node(&"shell".into()).unwrap();
    assert_eq!(consent(&world, tab.session, shell), None);
}

#[test]
fn program_is_interrupted_when_the_session_moves_to_another_tab() {
    let tab = tab(|_, _| says("Read."));
    let machine = Machine::new(|_, _| ("Building…".into(), None));
    machine.serve(&tab);
    start(&tab, build_and_read());
    tab.pass(5_000);
    allow(&tab, "build", false);
    resume(&tab);
    assert_eq!(node(&tab, "build").status, NodeStatus::Running);
    tab.running.handle.release_session(tab.session);
    tab.pass(1_000);
    assert_eq!(run(&tab).pause, Some(PauseCause::Interrupted));
    assert!(machine.sent.borrow().iter().any(|sent| sent == "0\u{3}"), "it runs on in the terminal");
}

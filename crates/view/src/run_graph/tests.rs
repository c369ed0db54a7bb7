use proptest::prelude::*;

use super::replay::RunReplay;
use super::transcript::{as_log, transcript};
use super::*;
use crate::strings::tree_layout::special;
use nexus_engine::queries::run_log::{LoggedEvent, RunLogPage};
use nexus_model::event::{EVENT_VERSION, Event, EventKind};
use nexus_model::id::{MessageId, StreamId, ToolRunId};
use nexus_model::llm::{FinishReason, Usage};
use nexus_model::message::content::{MessagePart, PartBody, ToolArgs, ToolCall};
use nexus_model::message::{Message, MessageStatus};
use nexus_model::run::{Edge, RunCause};
use nexus_model::testing::{SeqIds, a_message, a_turn};
use nexus_model::tool::ToolStatus;
use nexus_model::turn::{TurnKind, TurnPhase};
use nexus_text::content_hash::ContentHash;

/// Writes the event log of a run.
pub(super) struct LogWriter {
    ids: SeqIds,
    pub(super) run: Run,
    pub(super) question: Arc<Message>,
    /// Inbox of the next turn.
    inbox: Vec<Envelope>,
    pub(super) events: Vec<LoggedEvent>,
}

impl LogWriter {
    pub(super) fn new(agents: &[&str]) -> Self {
        let mut ids = SeqIds::default();
        let session = SessionId::new(&mut ids);
        let question = MessageId::new(&mut ids);
        let id = RunId::new(&mut ids);
        let mut run =
            Run::opened(id, session, RunCause::Message(question), ContentHash::of_text(""), Millis(1_000));
        run.messages.push(question);
        for (place, agent) in (0..).zip(agents) {
            let kind = format!("agent.{agent}");
            run.nodes.push(Node {
                agent: Some((*agent).into()),
                status: NodeStatus::Ready,
                ..Node::new((*agent).into(), kind, place)
            });
        }
        let parts = vec![MessagePart::text("Build it")];
        let question = Arc::new(Message { parts, ..a_message(question, session) });
        Self { ids, run, question, inbox: Vec::new(), events: Vec::new() }
    }

    pub(super) fn edge(mut self, from: &str, to: &str) -> Self {
        let edge = nexus_text::json::from_tree(&serde_json::json!({ "from": from, "to": to }));
        let edge: Edge = edge.unwrap();
        self.run.edges.push(edge);
        self
    }

    pub(super) fn note(&mut self, turn: Option<TurnId>, kind: EventKind) {
        let seq = self.events.len() as u64 + 1;
        let stream = StreamId::Session(self.run.session);
        let (run, at) = (Some(self.run.id), Millis(1_000 + seq * 10));
        let event = Event { v: EVENT_VERSION, stream, seq, at, run, turn, kind: kind.into() };
        let text = serde_json::to_string(&event).unwrap();
        self.events.push(LoggedEvent::read(&text).unwrap());
    }

    pub(super) fn open(mut self) -> Self {
        let run = self.run.clone();
        self.note(None, EventKind::RunOpened { run });
        self
    }

    pub(super) fn status(&mut self, node: &str, status: NodeStatus, output: Option<Envelope>) {
        self.note(None, EventKind::NodeChanged { node: node.into(), status, output, continues: None });
    }

    /// Adds a complete turn of a node with a text.
    pub(super) fn turn(mut self, agent: &str, says: &str) -> Self {
        let (id, answer) = (TurnId::new(&mut self.ids), MessageId::new(&mut self.ids));
        self.status(agent, NodeStatus::Running, None);
        let session = self.run.session;
        let turn = Turn {
            run: Some(self.run.id),
            node: Some(agent.into()),
            agent: agent.into(),
            query: vec![self.question.id],
            answers: vec![self.question.id],
            phase: TurnPhase::AwaitingLlmDecision,
            end: None,
            kind: TurnKind::Normal,
            inbox: std::mem::take(&mut self.inbox),
            ..a_turn(id, session)
        };
        let message = Message {
            role: Role::Assistant,
            status: MessageStatus::Processing,
            turn: Some(id),
            ..a_message(answer, session)
        };
        self.note(Some(id), EventKind::TurnOpened { turn });
        self.note(Some(id), EventKind::MessageCommitted { message: Arc::new(message) });
        let parts = vec![
            MessagePart::thinking("hm"),
            MessagePart::text(says),
            PartBody::ToolCall(ToolCall {
                id: "c1".into(),
                own_id: false,
                name: "read_file".into(),
                args: ToolArgs::Parsed(serde_json::json!({ "name": "a.rs" })),
            })
            .into(),
        ];
        let usage = Usage { input: Some(100), output: Some(20), ..Usage::default() };
        self.note(
            Some(id),
            EventKind::ModelAnswered {
                call: 0,
                message: answer,
                parts,
                usage,
                finish: FinishReason::Stop,
                finish_raw: None,
                response_id: None,
                answered_by: None,
                faults: Default::default(),
                cost: None,
            },
        );
        let end = TurnEnd::Completed;
        let mind_after = ContentHash::of_text("");
        self.note(Some(id), EventKind::TurnClosed { end, failure: None, partial: None, mind_after });
        let output: Envelope = nexus_text::json::from_tree(&serde_json::json!({
            "kind": "node_result", "node_id": agent, "turn_id": id, "status": "ok", "summary": says,
            "artifacts": [{ "type": "report", "path": format!("{agent}.md") }],
        }))
        .unwrap();
        self.status(agent, NodeStatus::Done, Some(output));
        self
    }

    fn end(mut self) -> Self {
        self.note(None, EventKind::RunEnded { status: RunStatus::Completed });
        self
    }

    pub(super) fn replay(&self) -> RunReplay {
        let mut replay = RunReplay::new(self.run.id);
        replay.take(RunLogPage { events: self.events.clone(), messages: vec![self.question.clone()] });
        replay
    }
}

pub(super) fn broadcast() -> LogWriter {
    LogWriter::new(&["architect", "engineer"])
        .open()
        .turn("architect", "The plan.")
        .turn("engineer", "Built.")
        .end()
}

#[test]
fn a_broadcast_has_edges_from_the_operator_to_each_agent() {
    let replay = broadcast().replay();
    let diagram = replay.diagram_at(replay.len()).unwrap();
    let ids: Vec<_> = diagram.nodes.iter().map(|node| node.id.as_str()).collect();
    assert_eq!(ids, ["operator", "architect", "engineer"]);
    let edges: Vec<_> = diagram.edges.iter().map(|edge| (edge.from, edge.to, edge.role)).collect();
    assert_eq!(edges, [(0, 1, EdgeRole::Order), (0, 2, EdgeRole::Order)]);
    let architect = diagram.node("architect").unwrap();
    assert_eq!((architect.status, architect.turns.len(), architect.tokens), (NodeStatus::Done, 1, 120));
    assert_eq!(architect.output.as_ref().unwrap().summary, "The plan.");
    assert_eq!(architect.artifacts[0].artifact.path, "architect.md");
    assert_eq!(architect.artifacts[0].turn, architect.turns.last().copied());
    assert_eq!(diagram.run.status, RunStatus::Completed);
}

#[test]
fn any_event_can_be_replayed() {
    let log = broadcast();
    let replay = log.replay();
    assert!(replay.diagram_at(0).is_none());
    let opened = replay.diagram_at(1).unwrap();
    assert!(opened.nodes[1..].iter().all(|node| node.status == NodeStatus::Ready));
    let running = replay.diagram_at(2).unwrap();
    assert_eq!(running.node("architect").unwrap().status, NodeStatus::Running);
    assert_eq!(running.node("engineer").unwrap().status, NodeStatus::Ready);
    // After the first turn: the answer exists, the second agent has no turn yet.
    let turn = replay.diagram_at(replay.len()).unwrap().node("architect").unwrap().turns[0];
    let closed = replay.events.iter().rposition(|event| event.turn == Some(turn)).unwrap() + 1;
    let after_turn = replay.diagram_at(closed).unwrap();
    assert_eq!(after_turn.node("architect").unwrap().turns, [turn]);
    assert!(after_turn.node("engineer").unwrap().turns.is_empty());
}

#[test]
fn a_loop_is_marked_and_the_text_is_stable() {
    let log = LogWriter::new(&["build", "verify"])
        .edge("build", "verify")
        .edge("verify", "build")
        .open()
        .turn("build", "First.")
        .turn("verify", "It fails.")
        .turn("build", "Second.");
    let replay = log.replay();
    let diagram = replay.diagram_at(replay.len()).unwrap();
    let edges: Vec<_> = diagram.edges.iter().map(|edge| (edge.from, edge.to, edge.role)).collect();
    // Every node has an incoming edge: the first one starts.
    assert_eq!(edges, [(0, 1, EdgeRole::Order), (1, 2, EdgeRole::Flow), (2, 1, EdgeRole::Flow)]);
    assert_eq!(diagram.loops(), [2]);
    assert_eq!(crate::strings::run_graph::loop_badge(diagram.node("build").unwrap()), "×2");
    assert_eq!((diagram.neighbours(1, false), diagram.neighbours(1, true)), (vec![0, 2], vec![2]));
    let text = crate::strings::run_graph::as_text(&diagram);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[2..],
        [
            "",
            "nodes",
            "  build  agent.build  DONE  p/m  2 turns  240 tokens",
            "  operator  You  DONE",
            "  verify  agent.verify  DONE  p/m  1 turn  120 tokens",
            "",
            "edges",
            "  build -> verify  ok",
            "  operator -> build  order",
            "  verify -> build  loop  ok",
        ]
    );
    let again = replay.diagram_at(replay.len()).unwrap();
    assert_eq!(crate::strings::run_graph::as_text(&again), text);
}

#[test]
fn an_edge_shows_its_envelope_and_the_core_is_below_a_loop() {
    let mut log = LogWriter::new(&["build", "verify"]).edge("build", "verify").edge("verify", "build");
    log.run.edges[1].when = Some(EdgeCondition::Status("failed".to_owned()));
    let mut log = log.open().turn("build", "First.");
    let checked = |status: &str, summary: &str| Envelope {
        status: status.to_owned(),
        ..Envelope::text("node_result", "verify".into(), None, summary)
    };
    let back = |log: &LogWriter| {
        let replay = log.replay();
        let diagram = replay.diagram_at(replay.len()).unwrap();
        diagram.edges[2].envelope.as_ref().map(|envelope| envelope.summary.clone())
    };
    assert_eq!(back(&log), None);
    log.status("verify", NodeStatus::Done, Some(checked("failed", "1 failed")));
    assert_eq!(back(&log).as_deref(), Some("1 failed"), "it waits in the inbox");
    log.inbox = vec![checked("failed", "1 failed")];
    let mut log = log.turn("build", "Second.");
    log.status("verify", NodeStatus::Done, Some(checked("ok", "2 passed")));
    assert_eq!(back(&log).as_deref(), Some("1 failed"), "what passed did not go along it");

    let step = CoreStep {
        job: JobId::from(1),
        config: ModelConfig::new("p", "m"),
        status: NodeStatus::Done,
        at: Millis(1),
        tokens: 7,
        cost: None,
        reason: String::new(),
    };
    let replay = log.replay();
    let diagram = RunDiagram::of(&replay.world_at(replay.len()), log.run.id, &[step]).unwrap();
    let above: Vec<_> = diagram.edges.iter().filter(|edge| edge.to == 3).map(|edge| edge.from).collect();
    assert_eq!(above, [2], "below the node that only leads back");
}

#[test]
fn a_subagent_is_a_node_below_its_parent() {
    let mut log = LogWriter::new(&["architect"]).open().turn("architect", "I delegate.");
    let (child, tool_run) = (SessionId::new(&mut log.ids), ToolRunId::new(&mut log.ids));
    let turn = log.events.iter().find_map(|logged| logged.event.turn).unwrap();
    let sent: ToolRun = nexus_text::json::from_tree(&serde_json::json!({
        "id": tool_run, "session": log.run.session, "run": log.run.id, "turn": turn, "agent": "architect",
        "asked_by": MessageId::new(&mut log.ids), "place": 0, "status": ToolStatus::Running,
        "call": { "id": "c", "name": "delegate", "args": { "parsed": {} } }, "touched": [], "requested_at": 1,
    }))
    .unwrap();
    log.note(Some(turn), EventKind::ToolRequested { run: sent });
    let worker = Worker { session: child, agent: "engineer".into(), title: "Count".into(), end: None };
    log.note(Some(turn), EventKind::WorkerSent { tool_run, worker });
    let replay = log.replay();
    let diagram = replay.diagram_at(replay.len()).unwrap();
    let node = diagram.node(&worker_id(child)).unwrap();
    assert_eq!(
        (node.role, node.status, node.title.as_str()),
        (NodeRole::Worker, NodeStatus::Running, "Count")
    );
    assert!(diagram.edges.iter().any(|edge| (edge.from, edge.to, edge.role) == (1, 2, EdgeRole::Delegation)));
}

#[test]
fn compared_models_are_between_the_operator_and_the_choice() {
    let mut log = LogWriter::new(&["one", "other"]);
    for (number, node) in (1u128..).zip(&mut log.run.nodes) {
        let lane = SessionId::from(number);
        (node.kind, node.workspace) = (RACER.to_owned(), Some(lane.to_string()));
        node.status = NodeStatus::Running;
    }
    let mut log = log.open();
    log.note(None, EventKind::RunPaused { cause: PauseCause::Choice });
    let replay = log.replay();
    let diagram = replay.diagram_at(replay.len()).unwrap();
    let roles: Vec<_> = diagram.nodes.iter().map(|node| node.role).collect();
    use NodeRole as R;
    assert_eq!(roles, [R::Operator, R::Candidate, R::Candidate, R::Judge]);
    assert_eq!(diagram.nodes[3].status, NodeStatus::Blocked, "the operator has to choose");
    let edges: Vec<_> = diagram.edges.iter().map(|edge| (edge.from, edge.to)).collect();
    assert_eq!(edges, [(0, 1), (1, 3), (0, 2), (2, 3)]);
    assert_eq!(diagram.layout().layers, 3);
}

#[test]
fn a_transcript_has_prompt_thinking_answer_and_calls() {
    let replay = broadcast().replay();
    let (world, diagram) = (replay.world_at(replay.len()), replay.diagram_at(replay.len()).unwrap());
    let of = |id: &str| transcript(&world, diagram.run.id, diagram.node(id).unwrap(), &[], &[]);
    let engineer = of("engineer");
    let kinds: Vec<_> = engineer.iter().map(|entry| entry.kind).collect();
    use TranscriptKind as K;
    assert_eq!(kinds, [K::Turn, K::Prompt, K::Thinking, K::Text, K::ToolCall]);
    assert_eq!(engineer[1].text, "Build it");
    assert_eq!(engineer[3].text, "Built.");
    assert_eq!(engineer[4].label, "Calls read_file");
    let keys: std::collections::BTreeSet<_> = engineer.iter().map(|entry| &entry.key).collect();
    assert_eq!(keys.len(), engineer.len(), "keys are unique");
    assert_eq!(of("operator").len(), 1);
    // The inbox is part of the prompt.
    let mut log = broadcast();
    let typed = Envelope::text("operator", OPERATOR.into(), None, "Go left.");
    let forwarded = Envelope::text("node_result", "architect".into(), None, "The plan.");
    log.inbox = vec![typed, forwarded];
    let replay = log.turn("engineer", "Done.").replay();
    let (world, diagram) = (replay.world_at(replay.len()), replay.diagram_at(replay.len()).unwrap());
    let entries = transcript(&world, diagram.run.id, diagram.node("engineer").unwrap(), &[], &[]);
    let prompts: Vec<_> = entries.iter().filter(|entry| entry.kind == K::Prompt).collect();
    let prompts: Vec<_> = prompts.iter().map(|entry| (entry.label.as_str(), entry.text.as_str())).collect();
    assert_eq!(prompts[2..], [("Prompt", "Go left."), ("From architect", "The plan.")]);
    let log = as_log(&engineer);
    assert!(log.contains("] Calls read_file\n    {") && log.contains("    Build it\n"), "{log}");
    // A streaming message has an entry without text.
    let turn = diagram.node("engineer").unwrap().turns[0];
    let opened = replay.events.iter().position(|event| event.turn == Some(turn)).unwrap() + 2;
    let (world, diagram) = (replay.world_at(opened), replay.diagram_at(opened).unwrap());
    let entries = transcript(&world, diagram.run.id, diagram.node("engineer").unwrap(), &[], &[]);
    assert!(entries.last().unwrap().open.is_some());
}

#[test]
fn an_open_turn_of_a_waiting_run_waits_for_the_operator() {
    let label = |ask: &dyn Fn(&mut LogWriter)| {
        let mut log = broadcast();
        log.events.truncate(2);
        let mut log = log.turn("engineer", "Built.");
        let opened = log.events.iter().position(|event| event.event.turn.is_some()).unwrap() + 2;
        log.events.truncate(opened);
        ask(&mut log);
        let replay = log.replay();
        let (world, diagram) = (replay.world_at(replay.len()), replay.diagram_at(replay.len()).unwrap());
        let entries = transcript(&world, diagram.run.id, diagram.node("engineer").unwrap(), &[], &[]);
        let turn = world.turn(&diagram.node("engineer").unwrap().turns[0]).unwrap();
        let waits = world.run_of(turn).unwrap().waits_for_operator();
        (entries[0].label.rsplit_once(" · ").unwrap().1.to_owned(), special(turn.kind, turn.end, waits))
    };
    assert_eq!(label(&|_| {}), ("thinking…".to_owned(), Some("working")));
    let waits = ("waiting for you".to_owned(), Some("waiting for you"));
    assert_eq!(label(&|log| log.status("engineer", NodeStatus::Blocked, None)), waits);
    assert_eq!(label(&|log| log.note(None, EventKind::RunPaused { cause: PauseCause::Interrupted })), waits);
}

#[test]
fn a_node_without_a_model_lists_its_outputs_with_times() {
    let mut log = broadcast();
    for (status, summary) in [("failed", "1 of 3 tests failed."), ("ok", "3 of 3 tests passed.")] {
        let output = Envelope {
            status: status.to_owned(),
            ..Envelope::text("node_result", "engineer".into(), None, summary)
        };
        log.status("engineer", NodeStatus::Done, Some(output));
    }
    let replay = log.replay();
    let all = replay.len();
    let (world, diagram) = (replay.world_at(all), replay.diagram_at(all).unwrap());
    let entries_of =
        |outputs: &[_]| transcript(&world, diagram.run.id, diagram.node("engineer").unwrap(), &[], outputs);
    let entries = entries_of(&replay.outputs_at(all));
    let [.., failed, passed] = entries.as_slice() else { panic!("{entries:?}") };
    assert_eq!((failed.kind, failed.text.as_str()), (TranscriptKind::Failure, "1 of 3 tests failed."));
    assert_eq!((passed.kind, passed.label.as_str()), (TranscriptKind::Text, "Output 2 · done"));
    assert_eq!(failed.label, "Output 1 · checks failed");
    assert!(failed.at < passed.at && failed.at > Millis(1_000), "{failed:?}");
    assert_eq!(entries_of(&replay.outputs_at(all - 1)).len(), entries.len() - 1, "one event earlier");
}

#[test]
fn the_core_is_a_node_below_the_run() {
    let log = broadcast();
    let replay = log.replay();
    let step = CoreStep {
        job: JobId::from(1),
        config: ModelConfig::new("p", "m"),
        status: NodeStatus::Done,
        at: Millis(1),
        tokens: 7,
        cost: None,
        reason: "Ticked off.".to_owned(),
    };
    let diagram = RunDiagram::of(&replay.world_at(replay.len()), log.run.id, &[step]).unwrap();
    let core = diagram.nodes.len() - 1;
    assert_eq!(diagram.nodes[core].id, CORE);
    let above: Vec<_> = diagram.edges.iter().filter(|edge| edge.to == core).map(|edge| edge.from).collect();
    assert_eq!(above, [1, 2]);
    assert_eq!(diagram.layout().layers, 3);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// However a log comes in, every moment of it is the same, and that of a fold from the beginning.
    #[test]
    fn replay_does_not_depend_on_the_pages_of_the_log(
        turns in 0usize..60,
        cuts in proptest::collection::vec(0usize..400, 0..6),
        looks in proptest::collection::vec(0usize..400, 1..6)
    ) {
        let mut log = LogWriter::new(&["a", "b"]).open();
        for turn in 0..turns {
            log = log.turn(if turn % 2 == 0 { "a" } else { "b" }, &format!("said {turn}"));
        }
        let whole = log.replay();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(log.events.len())).collect();
        cuts.extend([0, log.events.len()]);
        cuts.sort_unstable();
        let mut pieces = RunReplay::new(log.run.id);
        for pair in cuts.windows(2) {
            let events = log.events[pair[0]..pair[1]].to_vec();
            pieces.take(RunLogPage { events, messages: vec![] });
        }
        pieces.take(RunLogPage { events: vec![], messages: vec![log.question.clone()] });
        for at in looks {
            let at = at.min(whole.len());
            prop_assert_eq!(whole.diagram_at(at), pieces.diagram_at(at));
            let mut alone = RunReplay::new(log.run.id);
            alone.take(RunLogPage { events: log.events[..at].to_vec(), messages: vec![log.question.clone()] });
            prop_assert_eq!(whole.diagram_at(at), alone.diagram_at(at));
        }
    }
}

#[test]
fn a_thousand_nodes_are_laid_out_within_bounds() {
    let names: Vec<String> = (0..1_000).map(|at| format!("n{at:04}")).collect();
    let mut log = LogWriter::new(&names.iter().map(String::as_str).collect::<Vec<_>>());
    for at in 1..1_000usize {
        log = log.edge(&names[at / 3], &names[at]);
    }
    let replay = log.open().replay();
    let diagram = replay.diagram_at(1).unwrap();
    assert_eq!((diagram.nodes.len(), diagram.edges.len()), (1_001, 1_000));
    let layout = diagram.layout();
    assert!(layout.nodes.iter().all(|at| at.x >= 0.0 && at.x <= layout.width && at.layer < layout.layers));
}

#[test]
fn a_node_has_the_name_that_it_was_given() {
    let node = |id: &str, kind: &str, agent: Option<&str>, role| DiagramNode {
        id: id.to_owned(),
        kind: kind.to_owned(),
        agent: agent.map(AgentKey::from),
        role,
        ..DiagramNode::default()
    };
    let agent = NodeRole::Agent;
    assert_eq!(node("engineer-2", "agent.engineer", Some("engineer"), agent).own_name(), Some("engineer-2"));
    assert_eq!(node("build", "agent.engineer", Some("engineer"), agent).own_name(), Some("build"));
    assert_eq!(node("engineer", "agent.engineer", Some("engineer"), agent).own_name(), None);
    assert_eq!(node("checks", "verifier", None, NodeRole::Verifier).own_name(), Some("checks"));
    assert_eq!(node("verifier", "verifier", None, NodeRole::Verifier).own_name(), None);
    assert_eq!(node("worker:5", "agent.critic", Some("critic"), NodeRole::Worker).own_name(), None);
}

#[test]
fn failed_checks_and_a_waiting_node_are_shown_as_such() {
    let mut log = LogWriter::new(&["engineer", "verifier"]);
    log.run.nodes[1].kind = "verifier".into();
    log.run.nodes[1].agent = None;
    let mut log = log.open();
    log.status("engineer", NodeStatus::Running, None);
    let failed =
        Envelope { status: "failed".into(), ..Envelope::text("result", "verifier".into(), None, "1 failed") };
    log.status("verifier", NodeStatus::Done, Some(failed));
    let shown = |log: &LogWriter| {
        let diagram = log.replay().diagram_at(log.events.len()).unwrap();
        let node = |id: &str| {
            diagram.node(id).map(|node| (crate::strings::run_graph::node_state(node), node.shown_status()))
        };
        (node("engineer").unwrap(), node("verifier").unwrap())
    };
    let verifier = ("checks failed", NodeStatus::Error);
    assert_eq!(shown(&log), (("running", NodeStatus::Running), verifier));
    log.note(None, EventKind::RunPaused { cause: PauseCause::Choice });
    assert_eq!(shown(&log), (("waits for you", NodeStatus::Blocked), verifier));
}

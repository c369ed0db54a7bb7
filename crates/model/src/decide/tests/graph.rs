//! Property tests of runs of random graphs, and tests of the operator's and the orchestrator's commands.

use proptest::prelude::*;
use serde_json::json;

use super::DecideFixture;
use crate::agent::Priority;
use crate::command::{CheckResult, FailedAttempt, GraphRequest, NewMessage, RecordedAnswer, ToolOutcome};
use crate::decide::*;
use crate::event::GraphChange;
use crate::id::NodeId;
use crate::limits::{IDLE_TICKS, NODE_TURNS};
use crate::llm::FinishReason;
use crate::message::content::{PartBody, ToolArgs, ToolCall};
use crate::provider::{ProviderError, ProviderErrorKind};
use crate::run::graph::{Edge, EdgeCondition, GraphError, GraphTemplate, Join, NodeSpec, Port};
use crate::run::graph_step::graph_step;
use crate::run::templates::{fitted, graph_templates};
use crate::run::{NodeStatus, PauseCause, Run, RunMode, RunStatus};

/// A run of a graph; the test plays the scheduler and the models.
pub(in crate::decide) struct GraphFixture {
    pub(in crate::decide) device: DecideFixture,
    /// The nodes that had turns or checks, in order.
    pub(in crate::decide) order: Vec<NodeId>,
}

impl GraphFixture {
    pub(in crate::decide) fn start(template: GraphTemplate) -> Decision<Self> {
        let mut device = DecideFixture::new();
        let graph = Some(Box::new(template));
        let session = device.session;
        device.run(&Command::SendMessage(NewMessage { graph, ..NewMessage::new(session, "Build it") }))?;
        Ok(Self { device, order: Vec::new() })
    }

    pub(in crate::decide) fn run(&self) -> &Run {
        self.device.world.run(&self.device.row().run.unwrap()).unwrap()
    }

    pub(in crate::decide) fn node(&self, key: &str) -> &crate::run::Node {
        self.run().node(&key.into()).unwrap()
    }

    pub(in crate::decide) fn send(&mut self, command: Command) -> Decision {
        self.device.run(&command)
    }

    /// Plays the scheduler until a node works; `None` once the run waits or has ended.
    pub(in crate::decide) fn next(&mut self) -> Option<NodeId> {
        for _ in 0..1_000 {
            let run = self.run();
            let id = run.id;
            if !run.status.is_working() {
                return None;
            }
            let command = match (graph_step(run).is_some(), run.next_ready()) {
                (true, _) => Command::AdvanceRun { run: id },
                (false, Some(node)) => {
                    let best = run.nodes.iter().filter(|node| node.status == NodeStatus::Ready);
                    assert_eq!(best.min_by_key(|node| node.order()), Some(node), "the first by priority");
                    Command::OpenTurn { run: id, node: node.id.clone() }
                }
                (false, None) => panic!("the run is stuck: {run:#?}"),
            };
            self.device.run(&command).unwrap();
            let working = self.run().nodes.iter().find(|node| node.status == NodeStatus::Running);
            if let Some(node) = working.map(|node| node.id.clone()) {
                self.order.push(node.clone());
                return Some(node);
            }
        }
        panic!("the scheduler never comes to an end: {:#?}", self.run());
    }

    pub(in crate::decide) fn turn(&self) -> TurnId {
        self.device.world.open_turn(self.device.row()).unwrap().id
    }

    /// Answers for the model of the working node.
    pub(in crate::decide) fn answer(&mut self, parts: Vec<MessagePart>) {
        let turn = self.turn();
        self.device.run(&self.device.command(5)).unwrap();
        let call = u32::try_from(self.device.world.turn(&turn).unwrap().calls.len()).unwrap() - 1;
        let answer = RecordedAnswer { parts, finish: FinishReason::Stop, ..RecordedAnswer::default() };
        self.device.run(&Command::RecordAnswer { turn, call, answer }).unwrap();
    }

    pub(in crate::decide) fn reply(&mut self, text: &str) {
        self.answer(vec![MessagePart::text(text)]);
    }

    pub(in crate::decide) fn fail(&mut self) {
        self.device.run(&self.device.command(5)).unwrap();
        let failure = ProviderError::new(ProviderErrorKind::Server, "no answer");
        let command = Command::RecordFailure {
            turn: self.turn(),
            call: 0,
            failed: FailedAttempt::unmade(failure),
            parts: Vec::new(),
        };
        self.device.run(&command).unwrap();
    }

    /// The working orchestrator calls its tools and then ends its turn.
    pub(in crate::decide) fn call_tools(&mut self, requests: Vec<GraphRequest>) {
        let calls = (0..requests.len()).map(|at| {
            let args = ToolArgs::Parsed(json!({ "at": at }));
            PartBody::ToolCall(ToolCall {
                id: format!("c{at}"),
                name: "hand_off".to_owned(),
                args,
                own_id: true,
            })
            .into()
        });
        self.answer(calls.collect());
        let open = |run: &&std::sync::Arc<crate::tool::ToolRun>| run.status.is_open();
        let mut runs: Vec<_> =
            self.device.world.tool_runs.values().filter(open).map(|run| (run.place, run.id)).collect();
        runs.sort_unstable();
        for ((_, tool_run), request) in runs.into_iter().zip(requests) {
            let outcome = ToolOutcome::Graph(request);
            self.device.run(&Command::RecordTool { tool_run, outcome }).unwrap();
        }
        self.reply("done");
    }

    /// Lets every turn answer until the run waits or ends.
    pub(in crate::decide) fn drain(&mut self) {
        while self.next().is_some() {
            self.reply("fine");
        }
    }

    pub(in crate::decide) fn pause(&self) -> &PauseCause {
        self.run().pause.as_ref().unwrap()
    }
}

fn run_may_become(from: RunStatus, next: RunStatus) -> bool {
    match next {
        RunStatus::Queued => false,
        RunStatus::Running => matches!(from, RunStatus::Queued | RunStatus::Paused),
        RunStatus::Paused | RunStatus::Failed => from.is_working(),
        RunStatus::Completed => matches!(from, RunStatus::Running | RunStatus::Paused),
        RunStatus::Cancelled => from.is_open(),
        RunStatus::TimedOut => from == RunStatus::Paused,
    }
}

fn node_may_become(from: NodeStatus, next: NodeStatus) -> bool {
    use NodeStatus::{Blocked, Done, Error, Idle, Ready, Running};
    match next {
        Running => matches!(from, Ready | Blocked),
        Blocked => matches!(from, Ready | Running),
        Done | Error => matches!(from, Ready | Running | Blocked),
        Ready => matches!(from, Idle | Blocked | Done | Error),
        Idle => matches!(from, Ready | Blocked),
    }
}

/// Asserts that no node and no run made an illegal change of status.
pub(in crate::decide) fn transitions_are_legal(events: &[Event]) {
    let mut statuses: VecMap<(RunId, NodeId), NodeStatus> = VecMap::new();
    let mut world = World::default();
    for event in events {
        let before = event.run.and_then(|run| world.run(&run)).map(|run| run.status);
        world = crate::fold::fold(&world, std::slice::from_ref(event));
        let after = event.run.and_then(|run| world.run(&run)).map(|run| run.status);
        if let Some((before, after)) = before.zip(after).filter(|(before, after)| before != after) {
            assert!(run_may_become(before, after), "the run went from {before:?} to {after:?}");
        }
        match (event.run, event.known_kind()) {
            (_, Some(EventKind::RunOpened { run })) => {
                statuses.extend(run.nodes.iter().map(|node| ((run.id, node.id.clone()), node.status)));
            }
            (Some(run), Some(EventKind::GraphChanged { change: GraphChange::NodeAdded(node) })) => {
                statuses.insert((run, node.id.clone()), node.status);
            }
            (Some(run), Some(EventKind::NodeChanged { node, status, .. })) => {
                let before = statuses.insert((run, node.clone()), *status).unwrap();
                assert!(node_may_become(before, *status), "{node} went from {before:?} to {status:?}");
            }
            _ => {}
        }
    }
}

pub(in crate::decide) fn spec(key: &str, kind: &str) -> NodeSpec {
    NodeSpec::new(key.into(), kind)
}

pub(in crate::decide) fn template(nodes: Vec<NodeSpec>, edges: &[(&str, &str)]) -> GraphTemplate {
    let edge = |(from, to): &(&str, &str)| Edge {
        from: (*from).into(),
        to: (*to).into(),
        when: None,
        port: Port::Text,
    };
    GraphTemplate {
        version: 1,
        name: "test".to_owned(),
        nodes,
        edges: edges.iter().map(edge).collect(),
        ..GraphTemplate::default()
    }
}

pub(in crate::decide) fn led() -> GraphTemplate {
    let nodes = vec![spec("lead", "orchestrator"), spec("build", "agent.engineer")];
    template(nodes, &[])
}

fn key(at: usize) -> String {
    format!("n{at}")
}

fn any_condition() -> impl Strategy<Value = Option<EdgeCondition>> {
    let field = |is: u8| EdgeCondition::Field { name: "n".to_owned(), is: is.into() };
    prop_oneof![
        4 => Just(None),
        1 => Just(Some(EdgeCondition::Status("ok".to_owned()))),
        1 => Just(Some(EdgeCondition::Status("error".to_owned()))),
        1 => (0..3u8).prop_map(move |is| Some(field(is))),
        1 => Just(Some(EdgeCondition::Otherwise)),
    ]
}

fn any_node() -> impl Strategy<Value = (Join, Priority, u32)> {
    let join = prop_oneof![3 => Just(Join::All), 1 => Just(Join::Any), 1 => Just(Join::Quorum(1))];
    let priority = prop_oneof![Just(Priority::High), Just(Priority::Normal), Just(Priority::Low)];
    (join, priority, 1..4u32)
}

/// A graph of up to eight nodes; acyclic if `forward`.
pub(in crate::decide) fn any_graph(forward: bool) -> impl Strategy<Value = GraphTemplate> {
    let nodes = proptest::collection::vec(any_node(), 1..8);
    let edges = proptest::collection::vec((0..8usize, 0..8usize, any_condition()), 0..14);
    (nodes, edges).prop_map(move |(nodes, edges)| {
        let count = nodes.len();
        let mut graph = template(Vec::new(), &[]);
        for (from, to, when) in edges {
            let (from, to) = (from % count, to % count);
            let is_new = !graph.edges.iter().any(|e| (&e.from.0, &e.to.0) == (&key(from), &key(to)));
            if is_new && (!forward || from < to) {
                let (from, to) = (NodeId(key(from)), NodeId(key(to)));
                graph.edges.push(Edge { from, to, when, port: Port::Text });
            }
        }
        for (at, (join, priority, most)) in nodes.into_iter().enumerate() {
            let has_before = graph.edges.iter().any(|edge| edge.to.0 == key(at));
            let join = if has_before { join } else { Join::All };
            graph.nodes.push(NodeSpec {
                join,
                priority: Some(priority),
                max_turns: (!forward).then_some(most),
                entry: !forward && at == 0,
                ..spec(&key(at), "agent.engineer")
            });
        }
        graph
    })
}

/// The results of the turns of a run, in order: a failure, or an answer with a number.
pub(in crate::decide) fn any_answers() -> impl Strategy<Value = Vec<Option<u8>>> {
    proptest::collection::vec(prop_oneof![1 => Just(None), 4 => (0..3u8).prop_map(Some)], 1..20)
}

pub(in crate::decide) fn play(fixture: &mut GraphFixture, answers: &[Option<u8>]) -> usize {
    let mut turns = 0;
    while fixture.next().is_some() {
        match answers[turns % answers.len()] {
            // Answers differ, so that nothing looks like a loop.
            Some(number) => fixture.reply(&format!("{turns}\n```json\n{{\"n\": {number}}}\n```")),
            None => fixture.fail(),
        }
        turns += 1;
        assert!(turns < 400, "it never ends");
    }
    turns
}

proptest! {
    #[test]
    fn acyclic_graph_consumes_all_envelopes(graph in any_graph(true), answers in any_answers()) {
        let edges = graph.edges.clone();
        let joins: Vec<Join> = graph.nodes.iter().map(|node| node.join).collect();
        let mut fixture = GraphFixture::start(graph).unwrap();
        play(&mut fixture, &answers);
        // A failed node asks the operator; every other run ends.
        if let RunStatus::Paused = fixture.run().status {
            prop_assert!(matches!(fixture.pause(), PauseCause::NodeFailed { .. } | PauseCause::Loop { .. }), "{:?}", fixture.pause());
        } else {
            prop_assert!(!fixture.run().status.is_open());
            prop_assert!(fixture.run().nodes.iter().all(|node| node.inbox.is_empty()), "an envelope was left");
        }
        for (at, join) in joins.iter().enumerate().filter(|(_, join)| **join == Join::All) {
            let own = NodeId(key(at));
            let turns: Vec<usize> = (0..).zip(&fixture.order).filter(|(_, it)| **it == own).map(|(at, _)| at).collect();
            prop_assert!(turns.len() <= 1 || fixture.order.len() > joins.len(), "{join:?} {turns:?}");
            for edge in edges.iter().filter(|edge| edge.to == own) {
                // A node that any of several envelopes starts may have a turn for each.
                let first = fixture.order.iter().position(|it| *it == edge.from);
                prop_assert!(turns.is_empty() || first.is_none_or(|first| first < turns[0]), "{own} did not wait");
            }
        }
        transitions_are_legal(&fixture.device.events);
    }

    #[test]
    fn graph_with_cycles_is_bounded(graph in any_graph(false), answers in any_answers()) {
        let most: u32 = graph.nodes.iter().filter_map(|node| node.max_turns).sum();
        let mut fixture = GraphFixture::start(graph).unwrap();
        let turns = play(&mut fixture, &answers);
        prop_assert!(turns <= most as usize);
        prop_assert!(fixture.run().nodes.iter().all(|node| node.turns <= node.max_turns));
        prop_assert!(!fixture.run().status.is_working());
        transitions_are_legal(&fixture.device.events);
        // Folding the ledger gives the same world.
        prop_assert_eq!(&crate::fold::fold(&World::default(), &fixture.device.events), &fixture.device.world);
    }
}

#[test]
fn envelopes_follow_edges_and_turn_takes_inbox() {
    let mut fixture = GraphFixture::start(graph_templates().swap_remove(0)).unwrap();
    assert_eq!(fixture.next(), Some("plan".into()));
    fixture.reply("The plan stands.");
    let inbox = &fixture.node("build").inbox;
    assert_eq!((inbox.len(), inbox[0].node_id.as_str(), inbox[0].status.as_str()), (1, "plan", "ok"));
    assert_eq!(fixture.next(), Some("build".into()));
    let taken = &fixture.device.world.turn(&fixture.turn()).unwrap().inbox;
    assert_eq!(taken[0].summary, "The plan stands.");
    assert!(fixture.node("build").inbox.is_empty());
    // The next turn gets what a failed turn took.
    fixture.fail();
    assert_eq!(fixture.next(), None);
    assert!(matches!(fixture.pause(), PauseCause::NodeFailed { node, .. } if node.as_str() == "build"));
    fixture.device.run(&Command::ContinueRun { run: fixture.run().id }).unwrap();
    assert_eq!(fixture.next(), Some("build".into()));
    assert_eq!(fixture.device.world.turn(&fixture.turn()).unwrap().inbox[0].summary, "The plan stands.");
}

#[test]
fn verdict_returns_work_until_turn_limit() {
    // The template without checks.
    let mut graph = graph_templates().swap_remove(0);
    graph.nodes.retain(|node| node.key.as_str() != "verify");
    graph.edges.retain(|edge| edge.to.as_str() != "verify" && edge.to.as_str() != "review");
    graph.edges.extend(template(Vec::new(), &[("build", "review")]).edges);
    graph.edges.retain(|edge| edge.from.as_str() != "verify");
    graph.nodes[1].max_turns = Some(4);
    let mut fixture = GraphFixture::start(graph).unwrap();
    let mut round = 0;
    while let Some(node) = fixture.next() {
        round += 1;
        let verdict = r#"{"accepted": false, "reasons": "no tests"}"#;
        match node.as_str() {
            "review" => fixture.reply(&format!("Not yet, {round}.\n```json\n{verdict}\n```")),
            _ => fixture.reply(&format!("Done, {round}.")),
        }
    }
    let PauseCause::NodeLimit { node, evidence } = fixture.pause().clone() else { panic!("a limit") };
    assert_eq!(node.as_str(), "build");
    assert!(evidence.contains("4 turns") && evidence.contains("Not yet"), "{evidence}");
    let run = fixture.run().id;
    fixture.device.run(&Command::ContinueRun { run }).unwrap();
    assert_eq!(fixture.node("build").max_turns, 4 + NODE_TURNS);
    assert_eq!(fixture.next(), Some("build".into()));
    fixture.reply("At last.");
    assert_eq!(fixture.next(), None, "the reviewer has had its turns, too");
    assert!(matches!(fixture.pause(), PauseCause::NodeLimit { node, .. } if node.as_str() == "review"));
}

#[test]
fn orchestrator_hands_off_adds_nodes_and_finishes() {
    let mut fixture = GraphFixture::start(led()).unwrap();
    assert_eq!(fixture.next(), Some("lead".into()));
    fixture
        .call_tools(vec![GraphRequest::HandOff { to: "build".into(), message: "Build a page".to_owned() }]);
    assert_eq!(fixture.next(), Some("build".into()));
    let taken = fixture.device.world.turn(&fixture.turn()).unwrap().inbox.clone();
    assert_eq!((taken[0].kind.as_str(), taken[0].summary.as_str()), ("handoff", "Build a page"));
    fixture.reply("The page stands.");
    assert_eq!(fixture.next(), Some("lead".into()), "it is asked again when everything is idle");
    let tick = fixture.device.world.turn(&fixture.turn()).unwrap().inbox.clone();
    assert_eq!(tick[0].kind, "tick");
    assert_eq!(tick[0].structured["changed"][0]["summary"], "The page stands.");
    let added = GraphRequest::AddNode {
        key: "check".into(),
        kind: "agent.critic".to_owned(),
        instruction: "Look closely.".to_owned(),
    };
    let edge = GraphRequest::AddEdge { from: "build".into(), to: "check".into(), status: None };
    let again = GraphRequest::HandOff { to: "build".into(), message: "Once more".to_owned() };
    fixture.call_tools(vec![added, edge, again]);
    assert_eq!(fixture.next(), Some("build".into()));
    fixture.reply("Better.");
    assert_eq!(fixture.next(), Some("check".into()));
    assert_eq!(fixture.node("check").instruction, "Look closely.");
    fixture.reply("Good.");
    assert_eq!(fixture.next(), Some("lead".into()));
    fixture.call_tools(vec![GraphRequest::Finish { summary: "A page.".to_owned() }]);
    assert_eq!(fixture.next(), None);
    assert_eq!(fixture.run().status, RunStatus::Completed);
    transitions_are_legal(&fixture.device.events);
}

#[test]
fn idle_orchestrator_pauses_run_after_its_ticks() {
    let mut fixture = GraphFixture::start(led()).unwrap();
    let mut turns = 0;
    while fixture.next().is_some() {
        turns += 1;
        fixture.reply(&format!("I think, {turns}."));
    }
    assert_eq!(turns, 1 + IDLE_TICKS);
    assert!(matches!(fixture.pause(), PauseCause::Loop { evidence } if evidence.contains("lead")));
}

#[test]
fn repeated_answer_pauses_run_and_resuming_resets_evidence() {
    let nodes = vec![NodeSpec { entry: true, max_turns: Some(9), ..spec("a", "agent.engineer") }];
    let mut fixture = GraphFixture::start(template(nodes, &[("a", "a")])).unwrap();
    let mut turns = 0;
    while fixture.next().is_some() {
        turns += 1;
        fixture.reply("the same");
    }
    assert_eq!(turns, 3);
    assert!(matches!(fixture.pause(), PauseCause::Loop { evidence } if evidence.contains("same answer")));
    let run = fixture.run().id;
    fixture.device.run(&Command::ContinueRun { run }).unwrap();
    while fixture.next().is_some() {
        turns += 1;
        fixture.reply("the same");
    }
    assert_eq!(turns, 6, "it is asked as often again");
}

#[test]
fn question_waits_for_the_operators_answer() {
    let mut fixture = GraphFixture::start(led()).unwrap();
    fixture.next();
    fixture.call_tools(vec![GraphRequest::AskOperator { question: "Which colour?".to_owned() }]);
    assert_eq!(fixture.next(), None);
    let question = PauseCause::Question { node: "lead".into(), text: "Which colour?".to_owned() };
    assert_eq!(*fixture.pause(), question);
    let run = fixture.run().id;
    fixture.send(Command::StartNode { run, node: "lead".into(), text: "Green".to_owned() }).unwrap();
    assert_eq!(fixture.next(), Some("lead".into()));
    let taken = fixture.device.world.turn(&fixture.turn()).unwrap().inbox.clone();
    assert_eq!((taken[0].kind.as_str(), taken[0].summary.as_str()), ("operator", "Green"));
}

#[test]
fn mode_changes_during_run_and_operator_starts_any_node() {
    let mut fixture = GraphFixture::start(led()).unwrap();
    fixture.next();
    let run = fixture.run().id;
    fixture.send(Command::SetRunMode { run, mode: RunMode::Interactive }).unwrap();
    fixture.reply("I have nothing to do.");
    assert_eq!(fixture.next(), None, "nobody is asked again");
    assert_eq!(fixture.run().status, RunStatus::Completed);

    let mut fixture = GraphFixture::start(GraphTemplate {
        completion: crate::run::graph::Completion::Orchestrator,
        ..led()
    })
    .unwrap();
    fixture.next();
    let run = fixture.run().id;
    fixture.send(Command::SetRunMode { run, mode: RunMode::Interactive }).unwrap();
    let start = |text: &str| Command::StartNode { run, node: "build".into(), text: text.to_owned() };
    let lead = Command::StartNode { run, node: "lead".into(), text: String::new() };
    assert_eq!(fixture.send(lead), Err(Rejection::TurnWorks));
    fixture.reply("Waiting.");
    assert_eq!(fixture.next(), None);
    assert!(matches!(fixture.pause(), PauseCause::NotDone { .. }));
    fixture.send(start("Build a page")).unwrap();
    assert_eq!(fixture.next(), Some("build".into()));
    fixture.send(start("and make it blue")).unwrap();
    fixture.reply("A page.");
    assert_eq!(fixture.next(), Some("build".into()), "what came while it worked is its next turn");
    assert_eq!(fixture.device.world.turn(&fixture.turn()).unwrap().inbox[0].summary, "and make it blue");
    fixture.reply("A blue page.");
    fixture.send(Command::SetRunMode { run, mode: RunMode::Auto }).unwrap();
    assert_eq!(fixture.next(), Some("lead".into()));
}

#[test]
fn failed_verifier_returns_work_and_passed_one_ends_run() {
    let mut fixture = GraphFixture::start(graph_templates().swap_remove(3)).unwrap();
    let run = fixture.run().id;
    let checked = |check: u32, passed: bool| Command::RecordChecks {
        run,
        node: "verify".into(),
        check,
        result: CheckResult {
            passed: Some(passed),
            summary: if passed { "2 passed" } else { "1 of 2 failed" }.to_owned(),
            log: String::new(),
            structured: json!({ "failed": if passed { 0 } else { 1 } }),
        },
    };
    assert_eq!(fixture.next(), Some("hunt".into()));
    fixture.reply("It is in a.js.");
    assert_eq!(fixture.next(), Some("fix".into()));
    fixture.reply("Mended.");
    assert_eq!(fixture.next(), Some("verify".into()));
    let event = fixture.device.events.last().and_then(|event| event.known_kind().cloned());
    assert_eq!(event, Some(EventKind::ChecksRequested { node: "verify".into(), check: 1 }));
    assert_eq!(fixture.send(checked(2, true)), Err(Rejection::Stale), "of another check");
    fixture.send(checked(1, false)).unwrap();
    assert_eq!(fixture.send(checked(1, true)), Err(Rejection::Stale), "a result counts once");
    assert_eq!(fixture.next(), Some("fix".into()));
    let taken = fixture.device.world.turn(&fixture.turn()).unwrap().inbox.clone();
    assert_eq!((taken[0].status.as_str(), taken[0].turn_id.is_some()), ("failed", true));
    fixture.reply("Mended again.");
    // The page closes while checks run: they are requested again after Resume.
    assert_eq!(fixture.next(), Some("verify".into()));
    let session = fixture.device.session;
    fixture.device.run(&Command::Recover { session }).unwrap();
    assert_eq!(*fixture.pause(), PauseCause::Interrupted);
    fixture.device.run(&Command::ContinueRun { run }).unwrap();
    assert_eq!(fixture.next(), Some("verify".into()));
    fixture.send(checked(3, true)).unwrap();
    assert_eq!(fixture.next(), None);
    assert_eq!(fixture.run().status, RunStatus::Completed);
    transitions_are_legal(&fixture.device.events);
}

#[test]
fn stopped_run_resumes_with_its_inboxes() {
    let mut fixture = GraphFixture::start(graph_templates().swap_remove(2)).unwrap();
    let first = fixture.next().unwrap();
    fixture.reply("One way.");
    let second = fixture.next().unwrap();
    let session = fixture.device.session;
    fixture.device.run(&Command::Stop { session }).unwrap();
    assert_eq!(fixture.run().status, RunStatus::Cancelled);
    let before = fixture.run().id;
    fixture.device.run(&Command::ContinueRun { run: before }).unwrap();
    assert_ne!(fixture.run().id, before);
    assert_eq!(fixture.node("judge").inbox[0].node_id, first);
    assert_eq!(fixture.next(), Some(second), "what is done stays done");
    fixture.reply("Another way.");
    assert_eq!(fixture.next(), Some("judge".into()));
    assert_eq!(fixture.device.world.turn(&fixture.turn()).unwrap().inbox.len(), 2);
    fixture.reply("The first one.");
    fixture.drain();
    assert_eq!(fixture.run().status, RunStatus::Completed, "{:?}", fixture.run().pause);
}

#[test]
fn graph_that_cannot_run_is_rejected() {
    let rejection = |graph: GraphTemplate| GraphFixture::start(graph).err();
    let unknown = template(vec![spec("a", "agent.nobody")], &[]);
    let missing = GraphError::NoSuchAgent { node: "a".into(), agent: "nobody".to_owned() };
    assert_eq!(rejection(unknown.clone()), Some(Rejection::BadGraph(missing)));
    assert!(matches!(rejection(template(Vec::new(), &[])), Some(Rejection::BadGraph(GraphError::Empty))));
    let device = DecideFixture::new();
    let named = fitted(&device.world, unknown).nodes[0].agent.clone();
    assert_eq!(named, Some("architect".into()), "another agent works in the place of one that is not here");
    let mut plain = DecideFixture::new();
    plain.run(&plain.command(0)).unwrap();
    let run = plain.row().run.unwrap();
    let mode = Command::SetRunMode { run, mode: RunMode::Auto };
    assert_eq!(plain.run(&mode), Err(Rejection::NoGraph));
}

#[test]
fn message_with_graph_waits_for_the_working_run() {
    let mut fixture = GraphFixture::start(led()).unwrap();
    fixture.next();
    let graph = Some(Box::new(graph_templates().swap_remove(0)));
    let session = fixture.device.session;
    let next = NewMessage { graph, ..NewMessage::new(session, "And then this") };
    fixture.device.run(&Command::SendMessage(next)).unwrap();
    fixture.call_tools(vec![GraphRequest::Finish { summary: "Nothing.".to_owned() }]);
    fixture.next();
    fixture.device.run(&Command::TakeQueue { session }).unwrap();
    assert_eq!(fixture.next(), Some("plan".into()));
    assert_eq!(fixture.run().graph.as_ref().unwrap().name, "Plan, build, review");
}

use proptest::prelude::*;
use proptest::sample::Index;

use nexus_model::id::{MessageId, Millis, RunId, SessionId};
use nexus_model::run::graph::{Completion, EdgeCondition, Join, taken_edges};
use nexus_model::run::graph_step::{GraphStep, graph_step};
use nexus_model::run::terminal::TerminalSpec;
use nexus_model::run::{Envelope, Node, NodeStatus, Run, RunCause, RunGraph, RunStatus};
use nexus_model::testing::SeqIds;
use nexus_text::content_hash::ContentHash;

use super::*;

fn template() -> GraphTemplate {
    let text = r#"{ "version": 1, "name": "Three",
        "nodes": [
            { "key": "plan", "kind": "agent.architect" },
            { "key": "build", "kind": "agent.engineer", "max_turns": 4 },
            { "key": "review", "kind": "agent.critic", "max_turns": 4 } ],
        "edges": [
            { "from": "plan", "to": "build" },
            { "from": "build", "to": "review" },
            { "from": "review", "to": "build", "when": { "field": { "name": "accepted", "is": false } } } ] }"#;
    GraphTemplate::read(text).unwrap()
}

fn editor() -> GraphEditor {
    GraphEditor::open(template())
}

/// A message that changes a node with `change`.
fn changed(editor: &GraphEditor, id: &str, change: impl FnOnce(&mut NodeSpec)) -> EditorMessage {
    let mut node = editor.node(&id.into()).unwrap().clone();
    change(&mut node);
    EditorMessage::Node(id.into(), Box::new(node))
}

fn keys(editor: &GraphEditor) -> Vec<&str> {
    editor.template().nodes.iter().map(|node| node.key.as_str()).collect()
}

#[test]
fn a_node_is_added_behind_the_selected_one_and_connected() {
    let mut editor = GraphEditor::open(blank());
    assert_eq!(editor.problem().unwrap().error, GraphError::Empty);
    for kind in ["agent.Engineer", "verifier", "agent.engineer", "agent.Ünï"] {
        editor.update(EditorMessage::Add { kind: kind.to_owned() }).unwrap();
    }
    assert_eq!(keys(&editor), ["engineer", "verifier", "engineer-2", "n"]);
    let edges: Vec<_> =
        editor.template().edges.iter().map(|edge| (edge.from.as_str(), edge.to.as_str())).collect();
    assert_eq!(edges, [("engineer", "verifier"), ("verifier", "engineer-2"), ("engineer-2", "n")]);
    assert_eq!(*editor.selection(), Selection::Node("n".into()));
    assert_eq!(editor.problem(), None);
}

#[test]
fn two_picks_draw_an_edge_and_an_existing_one_is_selected() {
    let mut editor = editor();
    editor.update(EditorMessage::StartEdge("build".into())).unwrap();
    assert_eq!(editor.edge_start().map(NodeId::as_str), Some("build"));
    editor.update(EditorMessage::Pick("plan".into())).unwrap();
    assert_eq!(*editor.selection(), Selection::Edge(3));
    assert_eq!(editor.problem(), Some(GraphProblem { place: Selection::Graph, error: GraphError::NoEntry }));
    editor.update(changed(&editor, "plan", |plan| plan.entry = true)).unwrap();
    assert_eq!(editor.problem(), None);
    let before = editor.template().clone();
    editor.update(EditorMessage::Connect { from: "plan".into(), to: "build".into() }).unwrap();
    assert_eq!((editor.template(), editor.selection()), (&before, &Selection::Edge(0)));
    editor.update(EditorMessage::StartEdge("build".into())).unwrap();
    editor.update(EditorMessage::StartEdge("build".into())).unwrap();
    editor.update(EditorMessage::Pick("plan".into())).unwrap();
    assert_eq!(*editor.selection(), Selection::Node("plan".into()), "pressed again, nothing is drawn");
    let nowhere = EditorMessage::Connect { from: "plan".into(), to: "moon".into() };
    assert!(matches!(editor.update(nowhere), Err(GraphError::NoSuchNode { .. })));
}

#[test]
fn a_removed_node_takes_its_edges_and_a_renamed_one_keeps_them() {
    let mut editor = editor();
    editor.update(changed(&editor, "build", |build| build.key = "make".into())).unwrap();
    editor.update(EditorMessage::Pick("make".into())).unwrap();
    assert_eq!(editor.neighbours(&"make".into(), false), ["plan".into(), "review".into()]);
    assert_eq!(editor.problem(), None);
    let rename = |editor: &GraphEditor, key: &str| changed(editor, "make", |make| make.key = key.into());
    assert_eq!(editor.update(rename(&editor, "plan")), Err(GraphError::SameKey("plan".into())));
    assert_eq!(editor.update(rename(&editor, "A b")), Err(GraphError::BadKey("A b".to_owned())));
    editor.update(EditorMessage::Remove).unwrap();
    assert_eq!((keys(&editor), editor.template().edges.len()), (vec!["plan", "review"], 0));
    assert_eq!(*editor.selection(), Selection::Node("plan".into()));
    editor.update(EditorMessage::Undo).unwrap();
    assert_eq!(editor.template().edges.len(), 3);
    assert_eq!(*editor.selection(), Selection::Node("make".into()));
}

#[test]
fn an_error_is_located() {
    let mut editor = editor();
    editor.update(changed(&editor, "build", |build| build.join = Join::Quorum(3))).unwrap();
    assert_eq!(editor.problem().unwrap().place, Selection::Node("build".into()));
    editor.update(EditorMessage::Undo).unwrap();
    editor.update(changed(&editor, "review", |review| set_takes(review, Port::Diff, false))).unwrap();
    assert_eq!(editor.node(&"review".into()).unwrap().takes, [Port::Text, Port::Report]);
    editor
        .update(EditorMessage::Edge(1, Edge { port: Port::Diff, ..editor.template().edges[1].clone() }))
        .unwrap();
    assert_eq!(editor.problem().unwrap().place, Selection::Edge(1));
    editor.update(changed(&editor, "review", |review| set_takes(review, Port::Diff, true))).unwrap();
    assert!(editor.node(&"review".into()).unwrap().takes.is_empty(), "all of them are written as none");
    assert_eq!(editor.problem(), None);
}

#[test]
fn the_last_accepted_port_stays() {
    let mut node = editor().node(&"review".into()).unwrap().clone();
    set_takes(&mut node, Port::Diff, false);
    set_takes(&mut node, Port::Report, false);
    assert!(is_last_port(&node, Port::Text) && !is_last_port(&node, Port::Diff));
    set_takes(&mut node, Port::Text, false);
    assert_eq!(node.takes, [Port::Text], "an empty list would accept all ports");
}

#[test]
fn an_invalid_draft_is_restored() {
    let mut editor = editor();
    assert_eq!(GraphEditor::open(blank()).draft(), None);
    let opened = GraphEditor::resume(template(), &editor.draft().unwrap());
    assert!(opened.template() == &template() && !opened.is_changed(), "an opened graph is kept");
    editor.update(EditorMessage::Connect { from: "build".into(), to: "plan".into() }).unwrap();
    let again = GraphEditor::resume(template(), &editor.draft().unwrap());
    assert_eq!(again.template(), editor.template());
    assert!(again.is_changed() && again.problem().is_some());
    editor.note_saved();
    assert!(!editor.is_changed());
    assert_eq!(GraphEditor::resume(blank(), "{").template(), &blank());
}

#[test]
fn a_template_has_a_stable_text() {
    let mut editor = editor();
    let loops = editor.layout().back_edges(&editor.ends());
    let text = crate::strings::graph::as_text(editor.template(), &loops);
    assert!(text.contains("  review -> build  loop  if accepted = false\n"), "{text}");
    assert!(text.contains("  build  agent.engineer  ≤ 4 turns\n"), "{text}");
    editor.update(changed(&editor, "build", |build| build.join = Join::Any)).unwrap();
    let text = crate::strings::graph::as_text(editor.template(), &[]);
    assert!(text.contains("  build  agent.engineer  waits for any  ≤ 4 turns\n"), "{text}");
}

#[test]
fn a_node_gets_check_files_and_a_terminal_that_must_be_on_this_machine() {
    let mut editor = editor();
    let files = file_names(" checks/a.js\n\n tests/ \n");
    assert_eq!(files, ["checks/a.js", "tests/"]);
    editor.update(changed(&editor, "build", |build| build.kind = "verifier".to_owned())).unwrap();
    editor.update(changed(&editor, "build", |build| build.checks = files)).unwrap();
    assert_eq!(editor.problem(), None);
    let spec = TerminalSpec::usual();
    editor.update(changed(&editor, "build", |build| build.terminal = Some(spec.clone()))).unwrap();
    let problem = GraphProblem {
        place: Selection::Node("build".into()),
        error: GraphError::BadTerminal("build".into()),
    };
    assert_eq!(editor.problem(), Some(problem), "without a command no turn ends");
    let spec = TerminalSpec { command: "cargo test".to_owned(), ..spec };
    editor.update(changed(&editor, "build", |build| build.terminal = Some(spec.clone()))).unwrap();
    assert_eq!(
        (editor.problem(), editor.node(&"build".into()).unwrap().terminal.as_ref()),
        (None, Some(&spec))
    );
    let text = crate::strings::graph::as_text(editor.template(), &[]);
    let expected =
        "  build  verifier  ≤ 4 turns  checks checks/a.js, tests/  terminal ws://127.0.0.1:7681/ws\n";
    assert!(text.contains(expected), "{text}");
    editor.update(changed(&editor, "build", |build| build.writes = vec!["src/".to_owned()])).unwrap();
    assert!(
        crate::strings::graph::as_text(editor.template(), &[]).contains("  ≤ 4 turns  writes src/  checks ")
    );
    editor.update(EditorMessage::Undo).unwrap();
    editor.update(changed(&editor, "build", |build| build.terminal = None)).unwrap();
    assert_eq!(editor.problem(), None);
}

/// A random operator edit; nodes and edges are chosen by index.
#[derive(Clone, Debug)]
enum RandomEdit {
    Add(u8),
    Select(Index),
    SelectEdge(Index),
    Connect(Index, Index),
    Remove,
    Duplicate(Index),
    Join(Index, u8),
    Turns(Index, Option<u32>),
    Entry(Index, bool),
    Takes(Index, Index, bool),
    When(Index, u8),
    Port(Index, Index),
    Completion(u8),
    Mode(bool),
    Undo,
    Redo,
}

fn any_edit() -> impl Strategy<Value = RandomEdit> {
    use RandomEdit as R;
    let index = any::<Index>;
    prop_oneof![
        4 => (0u8..4).prop_map(R::Add),
        4 => index().prop_map(R::Select),
        1 => index().prop_map(R::SelectEdge),
        4 => (index(), index()).prop_map(|(from, to)| R::Connect(from, to)),
        1 => Just(R::Remove),
        1 => index().prop_map(R::Duplicate),
        1 => (index(), 0u8..5).prop_map(|(at, join)| R::Join(at, join)),
        1 => (index(), proptest::option::of(0u32..4)).prop_map(|(at, most)| R::Turns(at, most)),
        1 => (index(), any::<bool>()).prop_map(|(at, entry)| R::Entry(at, entry)),
        1 => (index(), index(), any::<bool>()).prop_map(|(at, port, takes)| R::Takes(at, port, takes)),
        2 => (index(), 0u8..4).prop_map(|(at, when)| R::When(at, when)),
        1 => (index(), index()).prop_map(|(at, port)| R::Port(at, port)),
        1 => (0u8..4).prop_map(R::Completion),
        1 => any::<bool>().prop_map(R::Mode),
        1 => Just(R::Undo),
        1 => Just(R::Redo),
    ]
}

fn message(editor: &GraphEditor, edit: &RandomEdit) -> Option<EditorMessage> {
    use RandomEdit as R;
    let (nodes, edges) = (&editor.template().nodes, &editor.template().edges);
    let node = |at: &Index| (!nodes.is_empty()).then(|| at.get(nodes).key.clone());
    let edge = |at: &Index| (!edges.is_empty()).then(|| at.index(edges.len()));
    let changed_node =
        |at: &Index, change: &dyn Fn(&mut NodeSpec)| Some(changed(editor, node(at)?.as_str(), change));
    let changed_edge = |at: &Index, change: &dyn Fn(&mut Edge)| {
        let at = edge(at)?;
        let mut edge = edges[at].clone();
        change(&mut edge);
        Some(EditorMessage::Edge(at, edge))
    };
    Some(match edit {
        R::Add(kind) => {
            let kinds = ["agent.engineer", "verifier", "orchestrator", "docs"];
            EditorMessage::Add { kind: kinds[usize::from(*kind)].to_owned() }
        }
        R::Select(at) => EditorMessage::Select(Selection::Node(node(at)?)),
        R::SelectEdge(at) => EditorMessage::Select(Selection::Edge(edge(at)?)),
        R::Connect(from, to) => EditorMessage::Connect { from: node(from)?, to: node(to)? },
        R::Remove => EditorMessage::Remove,
        R::Duplicate(at) => EditorMessage::Duplicate(node(at)?),
        R::Join(at, join) => {
            let join = match join {
                0 => Join::All,
                1 => Join::Any,
                needs => Join::Quorum(u32::from(*needs) - 1),
            };
            changed_node(at, &|node| node.join = join)?
        }
        R::Turns(at, most) => changed_node(at, &|node| node.max_turns = *most)?,
        R::Entry(at, entry) => changed_node(at, &|node| node.entry = *entry)?,
        R::Takes(at, port, takes) => changed_node(at, &|node| set_takes(node, *port.get(&PORTS), *takes))?,
        R::When(at, when) => changed_edge(at, &|edge| edge.when = condition(*when))?,
        R::Port(at, port) => changed_edge(at, &|edge| edge.port = *port.get(&PORTS))?,
        R::Completion(at) => {
            let all =
                [Completion::Drained, Completion::Verifier, Completion::Orchestrator, Completion::Budget];
            let completion = all[usize::from(*at)];
            EditorMessage::Graph(GraphTemplate { completion, ..editor.template().clone() })
        }
        R::Mode(auto) => {
            let mode = if *auto { RunMode::Auto } else { RunMode::Interactive };
            EditorMessage::Graph(GraphTemplate { mode, ..editor.template().clone() })
        }
        R::Undo => EditorMessage::Undo,
        R::Redo => EditorMessage::Redo,
    })
}

fn condition(at: u8) -> Option<EdgeCondition> {
    match at {
        0 => None,
        1 => Some(EdgeCondition::Status("failed".to_owned())),
        2 => Some(EdgeCondition::Field { name: "n".to_owned(), is: 1.into() }),
        _ => Some(EdgeCondition::Otherwise),
    }
}

#[test]
fn the_graph_of_a_run_is_a_template_again() {
    let template = template();
    let again = template_of(&run_of(&template)).unwrap();
    assert_eq!(again.check(), Ok(()));
    assert_eq!((&again.name, &again.edges), (&template.name, &template.edges));
    let read = |one: &GraphTemplate| {
        let nodes = one.nodes.iter();
        nodes
            .map(|node| (node.key.clone(), node.kind.clone(), node.most_turns(), node.entry))
            .collect::<Vec<_>>()
    };
    assert_eq!(read(&again), read(&template));
    assert_eq!(template_of(&Run { graph: None, ..run_of(&template) }), None);
}

/// A run of the graph as the engine opens it.
fn run_of(template: &GraphTemplate) -> Run {
    let mut ids = SeqIds::default();
    let (session, message) = (SessionId::new(&mut ids), MessageId::new(&mut ids));
    let cause = RunCause::Message(message);
    let mut run = Run::opened(RunId::new(&mut ids), session, cause, ContentHash::of_text(""), Millis(0));
    let entries: Vec<NodeId> = template.entries().iter().map(|node| node.key.clone()).collect();
    for (place, spec) in (0..).zip(&template.nodes) {
        let status = if entries.contains(&spec.key) { NodeStatus::Ready } else { NodeStatus::Idle };
        let node = Node::new(spec.key.clone(), spec.kind.clone(), place);
        let max_turns = spec.max_turns.unwrap_or(nexus_model::limits::NODE_TURNS);
        run.nodes.push(Node { join: spec.join, max_turns, status, ..node });
    }
    run.edges.clone_from(&template.edges);
    run.mode = template.mode;
    run.status = RunStatus::Running;
    run.graph = Some(Box::new(RunGraph {
        name: template.name.clone(),
        completion: template.completion,
        entries,
        ..RunGraph::default()
    }));
    run
}

/// Runs the scheduler until the run pauses or ends, and returns the number of turns.
fn drain(run: &mut Run, answers: &[(bool, bool)]) -> Result<u32, TestCaseError> {
    let mut turns = 0u32;
    for _ in 0..10_000 {
        match graph_step(run) {
            Some(GraphStep::Pause(_) | GraphStep::End(_)) => return Ok(turns),
            Some(GraphStep::Ready(places)) => {
                for at in places {
                    run.nodes[at].status = NodeStatus::Ready;
                }
            }
            Some(GraphStep::Tick(at)) => {
                let tick = Envelope::text("tick", "run".into(), None, "what next?");
                run.nodes[at].inbox.push(tick);
                run.nodes[at].status = NodeStatus::Ready;
                run.graph.as_mut().unwrap().ticks += 1;
            }
            None => {
                let Some(id) = run.next_ready().map(|node| node.id.clone()) else {
                    return Err(TestCaseError::fail(format!("the scheduler is stuck: {run:#?}")));
                };
                let (passes, one) = answers[turns as usize % answers.len()];
                turns += 1;
                let output = Envelope {
                    status: if passes { "ok" } else { "failed" }.to_owned(),
                    structured: serde_json::json!({ "n": u8::from(one) }),
                    ..Envelope::text("node_result", id.clone(), None, "said")
                };
                let to: Vec<NodeId> =
                    taken_edges(&run.edges, &output).iter().map(|edge| edge.to.clone()).collect();
                for node in &mut run.nodes {
                    if node.id == id {
                        node.inbox.clear();
                        node.status = NodeStatus::Done;
                        node.turns += 1;
                        node.last_output = Some(output.clone());
                    }
                    if to.contains(&node.id) {
                        node.inbox.push(output.clone());
                    }
                }
            }
        }
    }
    Err(TestCaseError::fail("the scheduler does not terminate"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The scheduler brings every valid graph to a pause or an end within its turn limits.
    #[test]
    fn a_graph_that_is_valid_can_be_drained(
        edits in prop::collection::vec(any_edit(), 1..40),
        answers in prop::collection::vec(any::<(bool, bool)>(), 1..8)
    ) {
        let mut editor = GraphEditor::open(blank());
        for edit in &edits {
            if let Some(message) = message(&editor, edit) {
                drop(editor.update(message));
            }
            let template = editor.template();
            let places: Vec<_> = editor.ends();
            prop_assert!(places.iter().all(|(from, to)| from.max(to) < &template.nodes.len()), "an edge to nowhere");
            match editor.problem() {
                Some(problem) => prop_assert_eq!(editor.valid(problem.place.clone()), problem.place),
                None => {
                    let mut run = run_of(template);
                    let turns = drain(&mut run, &answers)?;
                    prop_assert!(turns <= run.nodes.iter().map(|node| node.max_turns).sum());
                }
            }
        }
    }

    /// Undo restores each earlier graph exactly, and redo each later one.
    #[test]
    fn undo_is_exact(edits in prop::collection::vec(any_edit(), 1..40)) {
        let mut editor = editor();
        let mut seen = vec![editor.template().clone()];
        for edit in edits.iter().filter(|edit| !matches!(edit, RandomEdit::Undo | RandomEdit::Redo)) {
            if let Some(message) = message(&editor, edit) {
                drop(editor.update(message));
            }
            if seen.last() != Some(editor.template()) {
                seen.push(editor.template().clone());
            }
        }
        for template in seen.iter().rev() {
            prop_assert_eq!(editor.template(), template);
            editor.update(EditorMessage::Undo).unwrap();
        }
        prop_assert!(!editor.can_undo());
        for template in &seen {
            prop_assert_eq!(editor.template(), template);
            editor.update(EditorMessage::Redo).unwrap();
        }
        prop_assert!(!editor.can_redo());
    }
}

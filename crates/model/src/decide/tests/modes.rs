//! Tests of AUTO and INTERACTIVE: who starts the nodes of a run.

use proptest::prelude::*;

use super::graph::{GraphFixture, any_answers, any_graph, play, transitions_are_legal};
use crate::decide::*;
use crate::id::NodeId;
use crate::run::graph::GraphTemplate;
use crate::run::templates::graph_templates;
use crate::run::{PauseCause, RunMode, RunStatus};

proptest! {
    #[test]
    fn interactive_run_starts_no_node_by_itself(graph in any_graph(false), answers in any_answers()) {
        let graph = GraphTemplate { mode: RunMode::Interactive, ..graph };
        let entries: Vec<NodeId> = graph.entries().into_iter().map(|node| node.key.clone()).collect();
        let mut fixture = GraphFixture::start(graph).unwrap();
        play(&mut fixture, &answers);
        prop_assert!(fixture.order.iter().all(|node| entries.contains(node)), "{:?}", fixture.order);
        prop_assert_eq!(fixture.order.len(), entries.len());
        transitions_are_legal(&fixture.device.events);
    }
}

#[test]
fn in_interactive_only_the_operator_starts_nodes() {
    let graph = GraphTemplate { mode: RunMode::Interactive, ..graph_templates().swap_remove(2) };
    let mut fixture = GraphFixture::start(graph).unwrap();
    assert_eq!(fixture.run().status, RunStatus::Queued);
    fixture.next();
    assert_eq!(fixture.run().status, RunStatus::Running);
    fixture.reply("One way.");
    fixture.next();
    fixture.reply("Another way.");
    assert_eq!(fixture.next(), None, "what an envelope would start waits for the operator");
    assert_eq!(*fixture.pause(), PauseCause::YourTurn { nodes: vec!["judge".into()] });
    let run = fixture.run().id;
    // Another node than the one that waits.
    let text = "A third way".to_owned();
    fixture.send(Command::StartNode { run, node: "builder-a".into(), text }).unwrap();
    assert_eq!(fixture.next(), Some("builder-a".into()));
    fixture.reply("A third way.");
    assert_eq!(fixture.next(), None);
    fixture.device.run(&Command::ContinueRun { run }).unwrap();
    assert_eq!(fixture.next(), Some("judge".into()), "Resume starts what waits");
    assert_eq!(fixture.node("judge").inbox.len(), 0);
    fixture.reply("The first one.");
    assert_eq!((fixture.next(), fixture.run().status), (None, RunStatus::Completed));
}

#[test]
fn waiting_run_resumes_once_it_is_auto() {
    let graph = GraphTemplate { mode: RunMode::Interactive, ..graph_templates().swap_remove(1) };
    let mut fixture = GraphFixture::start(graph).unwrap();
    fixture.next();
    fixture.reply("Notes.");
    assert_eq!(fixture.next(), None);
    let run = fixture.run().id;
    fixture.send(Command::SetRunMode { run, mode: RunMode::Auto }).unwrap();
    assert_eq!(fixture.next(), Some("write".into()));
}

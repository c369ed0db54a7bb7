//! Benchmark of the engine without a browser: folding events, replaying a long log, diff, selecting the context of a
//! long conversation, and searching it.
//!
//! `cargo bench -p nexus-engine --bench engine`
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a benchmark that cannot measure should stop"
)]

use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Instant;

use nexus_engine::lazy::loader::BuiltInEngine;
use nexus_engine::port::{Clock, Store as _};
use nexus_engine::queries::EventQueries;
use nexus_engine::queries::search::SearchService;
use nexus_engine::tests::{Tab, says, tab};
use nexus_model::context::compaction::thread_context;
use nexus_model::context::tokens_of;
use nexus_model::event::Event;
use nexus_model::fold::fold;
use nexus_model::id::{Millis, NodeId, RunId, SessionId, StreamId, TurnId};
use nexus_model::limits::GRAPH_NODES;
use nexus_model::run::graph::{Port, taken_edges};
use nexus_model::run::graph_step::{GraphStep, graph_step};
use nexus_model::run::{Edge, Envelope, Node, NodeStatus, Run, RunCause, RunStatus};
use nexus_model::world::World;
use nexus_text::compare::Comparison;
use nexus_text::content_hash::ContentHash;
use nexus_text::json;
use nexus_view::layered_layout::layered;
use nexus_view::run_graph::RunDiagram;
use nexus_view::run_graph::geometry::DiagramGeometry;

/// Number of turns whose events are folded.
const TURNS: usize = 200;
/// Number of events in the replayed log.
const EVENTS: usize = 100_000;
/// Nodes in a layer of the graph.
const WIDTH: usize = 10;
/// Number of turns in the long conversation.
const LONG: usize = 10_000;

fn main() {
    let tab =
        tab(|_, _| says(&"The parser reads each line once and keeps its state between them. ".repeat(8)));
    for turn in 0..TURNS {
        tab.say(&format!("@Engineer Go on with part {turn}.")).unwrap();
    }
    let (store, session) = (tab.store.clone(), tab.session);
    let rows = async move { store.events(StreamId::Session(session), 1, usize::MAX).await.unwrap() };
    let stored = tab.wait_for(rows);
    folding(&stored);
    for lines in [600, 10_000] {
        comparing(lines);
    }
    context(&tab);
    searching(&tab);
    let run = scheduling();
    layout();
    drawing(run);
}

fn folding(stored: &[String]) {
    let read =
        |stored: &[String]| stored.iter().map(|text| json::read(text).unwrap()).collect::<Vec<Event>>();
    let events = read(stored);
    let begun = Instant::now();
    let mut world = World::default();
    for event in &events {
        let rows = fold(&world, std::slice::from_ref(event));
        world.absorb(rows);
    }
    let rate = events.len() as f64 / begun.elapsed().as_secs_f64();
    println!("{:<44}{rate:>12.0} events/s", "fold, one event at a time");
    let (begun, mut done) = (Instant::now(), 0);
    while done < EVENTS {
        let mut world = World::default();
        for chunk in stored.chunks(256) {
            let rows = fold(&world, &read(chunk));
            world.absorb(rows);
        }
        done += stored.len();
        black_box(&world);
    }
    let took = begun.elapsed().as_secs_f64() * EVENTS as f64 / done as f64;
    println!("{:<44}{:>12.0} ms", "replay of 100,000 stored events", took * 1e3);
}

/// Compares two texts of this many lines, a tenth of them different.
fn comparing(lines: usize) {
    let text = |is_new: bool| -> Arc<str> {
        let line = |at: usize| match at % 10 {
            0 if is_new => format!("    let changed_{at} = after({at});\n"),
            _ => format!("    let line_{at} = before({at});\n"),
        };
        (0..lines).map(line).collect::<String>().into()
    };
    let (old, new) = (text(false), text(true));
    let took = each(20, || drop(black_box(Comparison::between(&old, &new))));
    println!("{:<44}{:>12.2} ms", format!("differences of {lines} lines"), took * 1e3);
}

/// Selects the turns of a request from a long, loaded conversation.
fn context(tab: &Tab) {
    let mut world = tab.world().clone();
    let like = world.turn(&tab.session_row().head.unwrap()).unwrap().clone();
    let mut parent = None;
    for number in 0..LONG {
        let id = TurnId::from(u128::from(u64::try_from(number).unwrap()) + 1);
        let mut turn = like.as_ref().clone();
        (turn.id, turn.parent) = (id, parent);
        world.turns.insert(id, Arc::new(turn));
        parent = Some(id);
    }
    let took = each(20, || {
        let context = thread_context(&world, parent);
        let tokens: u64 = context.turns.iter().map(|turn| tokens_of(&world, turn)).sum();
        black_box(tokens);
    });
    println!("{:<44}{:>12.2} ms", "context of 10,000 turns: choose and count", took * 1e3);
}

fn searching(tab: &Tab) {
    let store = Rc::new(tab.store.clone());
    let records = EventQueries::new(store, Rc::new(BuiltInEngine::default()), Rc::clone(&tab.running.bus));
    let search = Rc::new(SearchService::new(records, Rc::clone(&tab.clock) as Rc<dyn Clock>));
    let begun = Instant::now();
    let reads = Rc::clone(&search);
    tab.wait_for(async move { reads.refresh(|| ()).await.unwrap() });
    let of = search.progress().of;
    println!("{:<44}{:>12.2} ms", format!("search: read {of} texts"), begun.elapsed().as_secs_f64() * 1e3);
    let took = each(50, || drop(black_box(search.find("parser state"))));
    println!("{:<44}{:>12.3} ms", "search: find", took * 1e3);
}

/// A graph of 1,000 nodes, each after three others: all scheduler steps until it is drained.
fn scheduling() -> Run {
    let id = |at: usize| NodeId(format!("n{at}"));
    let node = |at: usize| {
        let (place, first) = (u32::try_from(at).unwrap(), at < WIDTH);
        let status = if first { NodeStatus::Ready } else { NodeStatus::Idle };
        Node { status, ..Node::new(id(at), "agent.test", place) }
    };
    let before = |at: usize| (0..3).map(move |way| (at / WIDTH - 1) * WIDTH + (at + way) % WIDTH);
    let edge = |from: usize, to: usize| Edge { from: id(from), to: id(to), when: None, port: Port::Text };
    let (run, session) = (RunId::from(1), SessionId::from(2));
    let mut run = Run {
        nodes: (0..GRAPH_NODES).map(node).collect(),
        edges: (WIDTH..GRAPH_NODES).flat_map(|to| before(to).map(move |from| edge(from, to))).collect(),
        graph: Some(Box::default()),
        ..Run::opened(run, session, RunCause::Continued(run), ContentHash::of_text(""), Millis(0))
    };
    let (begun, mut steps) = (Instant::now(), 0);
    while run.status.is_working() {
        steps += 1;
        match graph_step(&run) {
            Some(GraphStep::Ready(places)) => {
                places.into_iter().for_each(|at| run.nodes[at].status = NodeStatus::Ready);
            }
            Some(GraphStep::End(status)) => run.status = status,
            Some(GraphStep::Tick(_) | GraphStep::Pause(_)) => break,
            None => {
                let next = run.next_ready().unwrap().id.clone();
                let output = Envelope::text("node_result", next.clone(), None, "done");
                let to: Vec<_> =
                    taken_edges(&run.edges, &output).iter().map(|edge| edge.to.clone()).collect();
                for node in &mut run.nodes {
                    if node.id == next {
                        node.status = NodeStatus::Done;
                        node.inbox.clear();
                    } else if to.contains(&node.id) {
                        node.inbox.push(output.clone());
                    }
                }
            }
        }
    }
    assert_eq!(run.status, RunStatus::Completed);
    let took = begun.elapsed().as_secs_f64() * 1e3;
    println!("{:<44}{took:>12.0} ms", format!("graph of 1,000 nodes: {steps} steps"));
    run
}

/// The layout of the same graph.
fn layout() {
    let before = |at: usize| (0..3).map(move |way| ((at / WIDTH - 1) * WIDTH + (at + way) % WIDTH, at));
    let edges: Vec<(usize, usize)> = (WIDTH..GRAPH_NODES).flat_map(before).collect();
    let took = each(3, || drop(black_box(layered(GRAPH_NODES, &edges))));
    println!("{:<44}{:>12.0} ms", "layout of a graph of 1,000 nodes", took * 1e3);
}

/// The run screen's diagram of the same graph: nodes, layout and lines.
fn drawing(run: Run) {
    let (mut world, id) = (World::default(), run.id);
    world.runs.insert(id, Arc::new(run));
    let draw = || DiagramGeometry::of(&RunDiagram::of(&world, id, &[]).unwrap());
    let took = each(3, || drop(black_box(draw())));
    println!("{:<44}{:>12.0} ms", "drawing of a graph of 1,000 nodes", took * 1e3);
}

/// Seconds per repetition.
fn each(times: u32, mut work: impl FnMut()) -> f64 {
    let begun = Instant::now();
    (0..times).for_each(|_| work());
    begun.elapsed().as_secs_f64() / f64::from(times)
}

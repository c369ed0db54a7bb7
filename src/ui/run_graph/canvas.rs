//! The drawn graph: nodes as buttons above the lines of their edges. Scrolls, zooms, and is navigated by keys.

use crate::ui::agents::badge::OPERATOR as PERSON;
use crate::ui::prelude::*;
use crate::ui::run_graph::frame::{GraphFrame, edge_line, length};
use crate::ui::run_graph::state::RunScreenState;
use crate::ui::run_graph::template_dialog::EnvelopeDialog;
use nexus_model::run::NodeStatus;
use nexus_view::run_graph::archive::RunArchive;
use nexus_view::run_graph::geometry::{EdgePath, NODE_HEIGHT, NODE_WIDTH};
use nexus_view::run_graph::{DiagramEdge, EdgeRole, NodeRole};
use nexus_view::strings::graph::edge_label;
use nexus_view::strings::run_graph as words;
use nexus_view::tree_layout::Direction;

pub(super) const TRANSCRIPT: &str = "run-transcript";

fn node_id(at: usize) -> String {
    format!("run-node-{at}")
}

#[component]
pub(super) fn RunCanvas(state: RunScreenState) -> impl IntoMarkup {
    let frame = GraphFrame::new(state.geometry);
    let opened = RwSignal::new(None::<(String, Envelope)>);
    let geometry = state.geometry;
    Effect::new(move |_| {
        if frame.show_at_first() {
            // If the graph does not fit, scroll to the selected node.
            let at = untrack(move || state.selected());
            request_animation_frame(move || focus::show(&node_id(at)));
        }
    });
    let go = move |to: Option<usize>| {
        if let Some(to) = to {
            state.select(to);
            scroll::focus(&node_id(to));
            focus::show(&node_id(to));
        }
    };
    let key = move |event: KeyboardEvent| {
        if event.alt_key() || event.ctrl_key() || event.meta_key() {
            return;
        }
        let at = untrack(move || state.selected());
        let walk = |way: Direction| geometry.with_untracked(|geometry| geometry.beside(at, way));
        // Each press moves on to the next neighbour of that layer.
        let near = |down: bool| {
            state.diagram.with_untracked(|diagram| Some(*diagram.as_ref()?.neighbours(at, down).first()?))
        };
        match event.key().as_str() {
            "i" => go(near(false)),
            "o" => go(near(true)),
            "Enter" => focus::soon(TRANSCRIPT.to_owned()),
            key if frame.takes(key) => {}
            key => match Direction::of_key(key) {
                Some(way) => go(walk(way)),
                None => return,
            },
        }
        event.prevent_default();
    };
    let spoken = move || {
        let at = state.selected();
        let Some(node) = state.node(at) else { return String::new() };
        let (before, after) = state.diagram.with(|diagram| {
            let count = |down| diagram.as_ref().map_or(0, |diagram| diagram.neighbours(at, down).len());
            (count(false), count(true))
        });
        words::spoken(&state.full_name(&node), &node, before, after)
    };
    let count = state.diagram.map_some(move |diagram| diagram.nodes.len());
    let nodes = keyed_list(
        move || (0..count.get()).collect(),
        |at: &usize| *at,
        move |at| view! { <RunNode state at /> },
    );
    view! {
        <div class="run-canvas">
            <div
                class="run-frame" node_ref=frame.node data-testid="run-graph" role="group" aria-label=words::GRAPH
                aria-describedby="run-spoken" title=words::GRAPH_KEYS on:keydown=key
            >
                {frame.plane(view! { <RunEdges state frame /> {nodes} <EdgeLabels state opened /> })}
            </div>
            <p id="run-spoken" class="unseen" role="status" data-testid="run-spoken">{spoken}</p>
            <div class="run-zoom" role="group" aria-label=words::GRAPH>
                {frame.buttons(["run-closer", "run-further", "run-fit"])}
            </div>
            {move || opened.get().map(|(title, envelope)| view! { <EnvelopeDialog title envelope opened /> })}
        </div>
    }
}

/// The look of an edge: its role, and whether its target works with its envelope.
type EdgeLook = (EdgeRole, bool);

/// All edges, below the nodes. Each node's panel has their content.
#[component]
fn RunEdges(state: RunScreenState, frame: GraphFrame) -> impl IntoMarkup {
    // The look of edges, apart from their path.
    let looks = state.diagram.map_some(move |diagram| {
        let works = |at: usize| diagram.nodes.get(at).is_some_and(|node| node.status == NodeStatus::Running);
        let look = |edge: &DiagramEdge| -> EdgeLook {
            let is_active = edge.role != EdgeRole::Flow || edge.envelope.is_some();
            (edge.role, is_active && works(edge.to))
        };
        diagram.edges.iter().map(look).collect::<Vec<_>>()
    });
    frame.lines(move || {
        let line = |(path, (role, works)): (EdgePath, EdgeLook)| {
            edge_line(&path, json::name(&role), works.to_string(), None::<String>)
        };
        let looks = looks.get();
        let drawn = frame.paths().into_iter().filter_map(|(at, path)| Some((path, *looks.get(at)?)));
        drawn.map(line).collect()
    })
}

/// Labels of edges: which envelopes each forwards, and the envelope that it carried, which can be opened. By keyboard
/// the same envelopes are in the node's panel.
#[component]
fn EdgeLabels(state: RunScreenState, opened: RwSignal<Option<(String, Envelope)>>) -> impl IntoMarkup {
    let geometry = state.geometry;
    let labels = state.diagram.map_some(move |diagram| {
        let label = |(at, edge): (usize, &DiagramEdge)| {
            let (place, is_back) = geometry.with(|geometry| {
                let path = geometry.edges.get(at)?.as_ref()?;
                Some((path.middle, path.is_back))
            })?;
            let text = edge_label(edge.when.as_ref(), edge.port);
            let is_empty = text.is_empty() && edge.envelope.is_none();
            let name = |at: usize| diagram.nodes.get(at).map(|node| state.name(node)).unwrap_or_default();
            let title = words::edge_title(&name(edge.from), &name(edge.to));
            (!is_empty).then(|| (place, is_back, text, title, edge.envelope.clone()))
        };
        diagram.edges.iter().enumerate().filter_map(label).collect::<Vec<_>>()
    });
    move || {
        let shown = labels.get().into_iter().map(|((x, y), is_back, text, title, envelope)| {
            let (left, top) = (length(x), length(y));
            match envelope {
                Some(envelope) => {
                    let label = format!("{}: {title}", words::OPEN_ENVELOPE);
                    let open = move |_| opened.set(Some((title.clone(), envelope.clone())));
                    view! {
                        <button
                            type="button" class="run-edge-label" data-testid="run-edge-envelope" tabindex="-1" data-open="true"
                            data-back=is_back.to_string() style:left=left style:top=top aria-label=label.clone() title=label on:click=open
                        >{icon(icon::ENVELOPE)}" "{text}</button>
                    }
                }
                None => view! {
                    <span class="run-edge-label" data-testid="run-edge-label" data-back=is_back.to_string() style:left=left style:top=top>{text}</span>
                },
            }
        });
        shown.collect::<Vec<_>>()
    }
}

#[component]
fn RunNode(state: RunScreenState, at: usize) -> impl IntoMarkup {
    let &Page { agents, .. } = expect_context();
    let node = select(move || state.node(at));
    let geometry = state.geometry;
    let place = geometry.map(move |geometry| geometry.boxes.get(at).copied().unwrap_or_default());
    let of = move |read: fn(&DiagramNode) -> String| node.map_some(read);
    let status = of(|node| json::name(&node.shown_status()));
    let status_text = of(|node| words::node_state(node).to_owned());
    let model = node.map_some(move |node| {
        // What the node's name does not say already.
        let agent = node.own_name().map(|_| state.agent_name(node)).filter(|agent| *agent != node.id);
        let model = match (&node.config, node.role) {
            (Some(config), _) => Some(model_name(&config.model)),
            (None, role) if node.agent.is_some() => Some(words::role(role).to_owned()),
            (None, _) => None,
        };
        agent.into_iter().chain(model).collect::<Vec<_>>().join(" · ")
    });
    let spent = of(words::spent);
    let loops = of(words::loop_badge);
    let role = of(|node| words::role(node.role).to_owned());
    let join_label = state.diagram.map_some(move |diagram| words::join_badge(diagram, at));
    let name = node.map_some(move |node| state.name(node));
    let accent = move || node.with_some(|node| state.accent(node));
    let is_selected = select(move || state.selected() == at);
    let avatar = move || {
        let agent = node.with_some(|node| node.agent.clone());
        let is_operator = node.with_some(|node| matches!(node.role, NodeRole::Operator | NodeRole::Judge));
        match agent.and_then(|agent| agents.rows.row(&agent)) {
            Some(row) => row.with(|row| picture(&row.agent.identity)),
            None => icon(if is_operator { PERSON } else { PROGRAM }),
        }
    };
    view! {
        <button
            type="button" class="run-node" id=node_id(at) data-testid="run-node" data-status=status
            data-node=of(|node| node.id.clone()) data-role=role data-accent=accent
            aria-pressed=move || is_selected.get().to_string()
            tabindex=move || if is_selected.get() { "0" } else { "-1" }
            style:left=move || length(place.get().0) style:top=move || length(place.get().1)
            style:inline-size=length(NODE_WIDTH) style:block-size=length(NODE_HEIGHT)
            on:click=move |_| state.select(at)
        >
            <span class="run-node-head">
                <span class="run-node-sign" aria-hidden="true">{avatar}</span>
                <b>{name}</b>
                <span class="run-join">{join_label}</span>
                <span class="run-loops">{loops}</span>
            </span>
            <span class="run-node-model">{model}</span>
            <span class="run-node-foot"><span class="run-node-status">{status_text}</span><span>{spent}</span></span>
        </button>
    }
}

#[derive(Clone, PartialEq)]
pub(super) enum RunPlace {
    /// This run; else the one of the address, else the newest one of the session in view, once it is loaded.
    Run(Option<RunId>),
    /// A run that was read from a file. In memory only, until another place is shown.
    Imported(Arc<RunArchive>),
    /// The graph editor, with the chosen graph, if any.
    Edit(Option<Arc<GraphTemplate>>),
}

#[derive(Clone, Copy)]
pub(super) struct PlaceState {
    pub(super) place: RwSignal<RunPlace>,
    pub(super) imports: RwSignal<bool>,
}

impl PlaceState {
    /// Shows another place, under a new entry of the history, so that Back returns to the present one.
    pub(super) fn go(self, place: RunPlace) {
        // The place replaces the query by its own.
        address::push_query(&address::query());
        self.place.set(place);
    }
}

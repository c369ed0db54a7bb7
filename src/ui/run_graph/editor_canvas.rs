//! The drawing of the graph editor: nodes and edges are selected, connected, added and removed by mouse and keyboard.

use leptos::ev::PointerEvent;

use crate::ui::hooks::events::is_on_button;
use crate::ui::prelude::*;
use crate::ui::run_graph::editor_state::EditorState;
use crate::ui::run_graph::frame::{GraphFrame, edge_line, length};
use nexus_view::graph_editor::{EditorMessage, GraphEditor, Selection};
use nexus_view::run_graph::geometry::{EdgePath, NODE_HEIGHT, NODE_WIDTH};
use nexus_view::strings::graph;
use nexus_view::strings::graph::editor as words;
use nexus_view::tree_layout::Direction;

pub(super) const DEFAULT_KIND: &str = "agent.engineer";
pub(super) const FIRST_FIELD: &str = "graph-form-first";

fn element_of(id: &NodeId) -> String {
    format!("graph-node-{id}")
}

fn show_selected(state: EditorState) {
    let Some(id) = state.selected_node() else { return };
    request_animation_frame(move || {
        scroll::focus(&element_of(&id));
        focus::show(&element_of(&id));
    });
}

#[component]
pub(super) fn EditorCanvas(state: EditorState) -> impl IntoMarkup {
    let frame = GraphFrame::new(state.geometry);
    let geometry = state.geometry;
    let is_drawing = move || state.editor.with(|editor| editor.edge_start().is_some());
    // The pointer while an edge is drawn.
    let pointer = RwSignal::new(None);
    let follow = move |event: PointerEvent| {
        pointer.set_if_changed(if untrack(is_drawing) { frame.point(&event) } else { None });
    };
    let go = move |to: Option<NodeId>| {
        if let Some(id) = to {
            // While an edge is drawn, keys only move the focus.
            if untrack(is_drawing) {
                scroll::focus(&element_of(&id));
            } else {
                state.send(EditorMessage::Select(Selection::Node(id)));
                show_selected(state);
            }
        }
    };
    let walk = move |way: Direction| {
        let id = focused(state).or_else(|| state.selected_node());
        let to = state.editor.with_untracked(|editor| {
            let at = id.and_then(|id| editor.place_of(&id));
            let to = match at {
                Some(at) => geometry.with_untracked(|geometry| geometry.beside(at, way)),
                None => Some(0),
            };
            editor.template().nodes.get(to?).map(|node| node.key.clone())
        });
        go(to);
    };
    let near = move |down: bool| {
        let id = state.selected_node();
        go(id.and_then(|id| {
            state.editor.with_untracked(|editor| editor.neighbours(&id, down).first().cloned())
        }));
    };
    let change = move |message: EditorMessage| {
        state.send(message);
        show_selected(state);
    };
    // Cancels the edge that is drawn, else shows the form of the graph.
    let leave = move || {
        let other = EditorMessage::Select(Selection::Graph);
        state.send(if untrack(is_drawing) { EditorMessage::CancelEdge } else { other });
    };
    // An edge that was dragged to an empty place is still drawn: the click that ends the drag is none on that place.
    let dragged = StoredValue::new(false);
    let release = move |_: PointerEvent| {
        dragged.set_value(state.pressed.get_value());
        state.pressed.set_value(false);
    };
    let click = move |event: MouseEvent| {
        if !dragged.get_value() && !is_on_button(&event) {
            leave();
        }
    };
    let key = move |event: KeyboardEvent| {
        if event.alt_key() {
            return;
        }
        let command = event.ctrl_key() || event.meta_key();
        match (command, event.shift_key(), event.key().as_str()) {
            (true, false, "z") => change(EditorMessage::Undo),
            (true, true, "Z" | "z") | (true, false, "y") => change(EditorMessage::Redo),
            (true, ..) => return,
            (false, true, "D") => match state.selected_node() {
                Some(id) => change(EditorMessage::Duplicate(id)),
                None => return,
            },
            (false, _, "i") => near(false),
            (false, _, "o") => near(true),
            (false, _, "a") => change(EditorMessage::Add { kind: DEFAULT_KIND.to_owned() }),
            (false, _, "c") => match state.selected_node() {
                Some(id) => state.send(EditorMessage::StartEdge(id)),
                None => return,
            },
            (false, _, "Delete" | "Backspace") => change(EditorMessage::Remove),
            (false, _, "Escape") => leave(),
            // Enter presses the focused button, which ends the edge or selects the node.
            (false, _, "Enter") if untrack(is_drawing) => return,
            (false, _, "Enter") => focus::soon(FIRST_FIELD.to_owned()),
            (false, _, key) if frame.takes(key) => {}
            (false, _, key) => match Direction::of_key(key) {
                Some(way) => walk(way),
                None => return,
            },
        }
        event.prevent_default();
    };
    let spoken = move || {
        state.editor.with(|editor| match editor.selection() {
            _ if editor.edge_start().is_some() => words::PICK.to_owned(),
            Selection::Graph => String::new(),
            Selection::Node(id) => {
                let kind = editor.node(id).map(|node| reveal(&node.kind)).unwrap_or_default();
                let count = |down| editor.neighbours(id, down).len();
                words::spoken(id.as_str(), &kind, count(false), count(true))
            }
            Selection::Edge(at) => editor
                .template()
                .edges
                .get(*at)
                .map_or_else(String::new, |edge| words::edge_title(edge.from.as_str(), edge.to.as_str())),
        })
    };
    let keys = state
        .editor
        .map(move |editor| editor.template().nodes.iter().map(|node| node.key.clone()).collect::<Vec<_>>());
    let nodes = keyed_list(move || keys.get(), NodeId::clone, move |id| view! { <EditorNode state id /> });
    let is_empty = move || keys.with(Vec::is_empty);
    view! {
        <div class="run-canvas">
            <div
                class="run-frame" node_ref=frame.node data-testid="graph-canvas" role="group" aria-label=common::GRAPH tabindex="-1"
                data-draws=move || is_drawing().to_string()
                aria-describedby="graph-spoken" title=words::KEYS on:keydown=key
                on:pointerup=release on:pointermove=follow on:click=click
            >
                {frame.plane(view! { <EditorEdges state frame pointer /> {nodes} })}
                <Show when=is_empty><p class="inspect-empty graph-empty">{words::EMPTY}</p></Show>
            </div>
            <p id="graph-spoken" class="unseen" role="status" data-testid="graph-spoken">{spoken}</p>
            <Show when=is_drawing>
                <p class="graph-pick" data-testid="graph-pick">{words::PICK}</p>
            </Show>
            <div class="run-zoom" role="group" aria-label=common::GRAPH>
                {button(words::ADD).test("graph-add").id("graph-add")
                    .on_click(move |_| change(EditorMessage::Add { kind: DEFAULT_KIND.to_owned() }))}
                {frame.buttons(["graph-closer", "graph-further", "graph-fit"])}
            </div>
        </div>
    }
}

fn focused(state: EditorState) -> Option<NodeId> {
    let id = focus::focused_id()?;
    let key: NodeId = id.strip_prefix("graph-node-")?.into();
    state.editor.with_untracked(|editor| editor.node(&key).map(|node| node.key.clone()))
}

#[component]
fn EditorEdges(
    state: EditorState,
    frame: GraphFrame,
    pointer: RwSignal<Option<(f64, f64)>>,
) -> impl IntoMarkup {
    let drawn = move || {
        let from = state.editor.with(|editor| editor.place_of(editor.edge_start()?))?;
        let (x, y) = state.geometry.with(|geometry| geometry.boxes.get(from).copied())?;
        let (to_x, to_y) = pointer.get()?;
        Some(format!("M{} {}L{to_x} {to_y}", x + NODE_WIDTH / 2.0, y + NODE_HEIGHT))
    };
    let labels = state.editor.map(move |editor| {
        let label = |edge: &nexus_model::run::Edge| {
            let title = words::edge_title(edge.from.as_str(), edge.to.as_str());
            (graph::edge_label(edge.when.as_ref(), edge.port), title)
        };
        editor.template().edges.iter().map(label).collect::<Vec<_>>()
    });
    let edge = |place: &Selection| if let Selection::Edge(at) = place { Some(*at) } else { None };
    let selected = state.editor.map(move |editor| edge(editor.selection()));
    let wrong = select(move || edge(&state.problem.get()?.place));
    let lines = frame.lines(move || {
        let line = |(at, path): (usize, EdgePath)| {
            let is_at = move |place: Selector<Option<usize>>| move || (place.get() == Some(at)).to_string();
            edge_line(&path, "flow".to_owned(), is_at(selected), is_at(wrong))
        };
        let drawn = view! { <g class="run-edge" data-works="true"><path class="run-line" d=drawn /></g> };
        frame.paths().into_iter().map(line).chain([drawn]).collect()
    });
    let chips = move || {
        let chip = |(at, path): (usize, EdgePath)| {
            let label = move || labels.with(|labels| labels.get(at).cloned()).unwrap_or_default();
            let text =
                move || Some(label().0).filter(|text| !text.is_empty()).unwrap_or_else(|| "·".to_owned());
            let name = move || match label() {
                (text, title) if text.is_empty() => title,
                (text, title) => format!("{title}: {text}"),
            };
            view! {
                <button
                    type="button" class="run-edge-label" data-testid="graph-edge" tabindex="-1" data-open="true"
                    data-back=path.is_back.to_string() style:left=length(path.middle.0) style:top=length(path.middle.1) aria-label=name title=move || label().1
                    aria-pressed=move || (selected.get() == Some(at)).to_string()
                    on:click=move |_| state.send(EditorMessage::Select(Selection::Edge(at)))
                >{text}</button>
            }
        };
        frame.paths().into_iter().map(chip).collect::<Vec<_>>()
    };
    view! { {lines} {chips} }
}

#[component]
fn EditorNode(state: EditorState, id: NodeId) -> impl IntoMarkup {
    let id = StoredValue::new(id);
    let own = move || id.get_value();
    let node = state.editor.map(move |editor| editor.node(&own()).cloned());
    let geometry = state.geometry;
    let place = select(move || {
        let at = state.editor.with(|editor| editor.place_of(&own()));
        geometry.with(|geometry| at.and_then(|at| geometry.boxes.get(at).copied()).unwrap_or_default())
    });
    let is_selected = state.editor.map(move |editor| *editor.selection() == Selection::Node(own()));
    // Without a selected node, Tab reaches the first one.
    let is_stop = select(move || {
        is_selected.get()
            || state.editor.with(|editor| {
                !matches!(editor.selection(), Selection::Node(_)) && editor.place_of(&own()) == Some(0)
            })
    });
    let draws = state.editor.map(move |editor| editor.edge_start() == Some(&own()));
    let wrong = select(move || state.problem.with_some(|problem| problem.place == Selection::Node(own())));
    let is_entry =
        state.editor.map(move |editor| editor.template().entries().iter().any(|entry| entry.key == own()));
    let join_label = state.editor.map(move |editor: &GraphEditor| {
        let before = editor.neighbours(&own(), false).len();
        editor.node(&own()).map(|node| graph::join(node.join, before)).unwrap_or_default()
    });
    let kind = move || node.with_some(|node| reveal(&node.kind));
    let agent = move || node.with_some(|node| Some(format!("@{}", reveal(node.agent.as_ref()?.as_str()))));
    let turns = move || node.with_some(|node| Some(format!("≤ {}×", node.max_turns?)));
    let begin_edge = move |event: PointerEvent| {
        // A mouse or pen may drag to another node; a finger taps both nodes.
        if event.pointer_type() != "touch" {
            event.prevent_default();
            // Its form is replaced.
            focus::leave_field();
            state.send(EditorMessage::Select(Selection::Node(own())));
            state.send(EditorMessage::StartEdge(own()));
            state.pressed.set_value(true);
        }
    };
    // If the pointer was released in between, the click ends the edge.
    let end_edge = move |_: PointerEvent| {
        let ends =
            state.editor.with_untracked(|editor| editor.edge_start().is_some_and(|from| *from != own()));
        if ends && state.pressed.get_value() {
            state.send(EditorMessage::Pick(own()));
        }
    };
    let on_click = move |event: MouseEvent| {
        event.stop_propagation();
        // A mouse started the edge on pointerdown.
        if !state.editor.with_untracked(|editor| editor.edge_start() == Some(&own())) {
            state.send(EditorMessage::Select(Selection::Node(own())));
            state.send(EditorMessage::StartEdge(own()));
        }
    };
    let label = move || format!("{}: {}", words::CONNECT, own());
    view! {
        <div class="graph-node-place" style:left=move || length(place.get().0) style:top=move || length(place.get().1) on:pointerup=end_edge>
            <button
                type="button" class="run-node" id=element_of(&own()) data-testid="graph-node" data-node=own().to_string()
                data-wrong=move || wrong.get().to_string() data-status="DONE"
                aria-pressed=move || is_selected.get().to_string()
                tabindex=move || if is_stop.get() { "0" } else { "-1" }
                style:inline-size=length(NODE_WIDTH) style:block-size=length(NODE_HEIGHT)
                on:click=move |_| state.send(EditorMessage::Pick(own()))
            >
                <span class="run-node-head">
                    <b>{own().to_string()}</b>
                    <span class="run-join">{join_label}</span>
                </span>
                <span class="run-node-model">{kind}" "{agent}</span>
                <span class="run-node-foot">
                    <span>{move || is_entry.get().then_some("▶\u{fe0e} ")}{turns}</span>
                    <span class="graph-wrong" aria-hidden="true">{move || wrong.get().then(|| icon(icon::WARNING))}</span>
                </span>
            </button>
            <button
                type="button" class="graph-handle" tabindex="-1" data-testid="graph-handle" data-node=own().to_string()
                aria-pressed=move || draws.get().to_string() aria-label=label title=words::CONNECT_ABOUT
                on:pointerdown=begin_edge on:click=on_click
            ></button>
        </div>
    }
}

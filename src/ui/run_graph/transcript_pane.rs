//! The transcript of the selected node as scrollable, selectable, searchable text, and a field that steers the node.

use crate::ui::prelude::*;
use crate::ui::run_graph::state::RunScreenState;
use crate::ui::run_graph::terminal_pane::TerminalPane;
use crate::ui::screens::inspect::Disclosure;
use nexus_view::run_graph::transcript::{TranscriptEntry, marked as pieces_of};
use nexus_view::run_graph::{NodeRole, TranscriptKind, next_tile};
use nexus_view::strings::graph::terminal as terminal_words;
use nexus_view::strings::run_graph as words;

/// Longer tool arguments and results are folded, in bytes.
const LONG: usize = 900;

#[component]
pub(super) fn TranscriptPane(state: RunScreenState, id: Option<&'static str>) -> impl IntoMarkup {
    let query = RwSignal::new(String::new());
    let list = NodeRef::<Div>::new();
    let follow = scroll::follow(list);
    let entries = select(move || state.transcript());
    let needle = query.map(move |query| query.trim().to_owned());
    let shown = select(move || {
        let needle = needle.get();
        entries.with(|entries| {
            let matches = |entry: &&TranscriptEntry| {
                needle.is_empty()
                    || [&entry.text, &entry.label]
                        .iter()
                        .any(|text| pieces_of(text, &needle).iter().any(|piece| piece.0))
            };
            entries.iter().filter(matches).cloned().collect::<Vec<_>>()
        })
    });
    let found = move || needle.with(|needle| !needle.is_empty()).then(|| words::found(shown.with(Vec::len)));
    let rows = keyed_list(
        move || {
            let needle = needle.get();
            shown.get().into_iter().map(|entry| (entry, needle.clone())).collect::<Vec<_>>()
        },
        // The key contains what changes, so that only changed entries are rerendered.
        |(entry, needle)| {
            (entry.key.clone(), entry.label.clone(), entry.text.len(), entry.open, needle.clone())
        },
        move |(entry, needle)| view! { <TranscriptRow state entry needle /> },
    );
    view! {
        <section class="run-transcript-pane" aria-label=words::TRANSCRIPT>
            <search class="run-find">
                <input
                    class="input" type="search" data-testid="run-find" aria-label=words::FIND placeholder=words::FIND
                    autocomplete="off" spellcheck="false" prop:value=query
                    on:input=move |event| query.set(event_target_value(&event))
                />
                <span class="hint" role="status" data-testid="run-found">{found}</span>
            </search>
            <div
                class="run-transcript" id=id data-testid="run-transcript" node_ref=list tabindex="0"
                role="log" aria-live="off" aria-label=words::TRANSCRIPT on:scroll=move |_| { follow.scrolled(true); }
            >
                <Show when=move || entries.with(Vec::is_empty)><p class="hint">{words::NO_TRANSCRIPT}</p></Show>
                {rows}
            </div>
            <SteerLine state />
        </section>
    }
}

#[component]
fn TranscriptRow(state: RunScreenState, entry: TranscriptEntry, needle: String) -> impl IntoMarkup {
    let &Page { local, .. } = expect_context();
    let TranscriptEntry { kind, label, text, at, turn, open, .. } = entry;
    let exact = turn.filter(|_| kind == TranscriptKind::Turn && !state.is_imported()).map(|turn| {
        view! { <a class="quiet" href=inspect_path(turn) data-testid="run-prompt" title=words::PROMPT_ABOUT>{words::PROMPT}</a> }
    });
    let time = local.clock(at);
    let is_long = matches!(kind, TranscriptKind::ToolCall | TranscriptKind::ToolResult) && text.len() > LONG;
    let body = if let Some(message) = open {
        view! { <LiveEntry state message /> }
    } else if text.is_empty() {
        Markup::default()
    } else if is_long && needle.is_empty() {
        view! { <Disclosure test="run-long" head=words::kind(kind).into_markup() text /> }
    } else {
        let parts = pieces_of(&text, &needle).into_iter().map(|(is_match, part)| (is_match, part.to_owned()));
        view! { <pre class="run-entry-text" dir="auto">{marked(parts)}</pre> }
    };
    view! {
        <div class="run-entry" data-testid="run-entry" data-kind=json::name(&kind)>
            <p class="run-entry-head"><span>{label}</span><span class="run-entry-time">{time}</span>{exact}</p>
            {body}
        </div>
    }
}

#[component]
fn LiveEntry(state: RunScreenState, message: MessageId) -> impl IntoMarkup {
    let parts = expect_context::<&Page>().live_text.parts(message);
    let text = move || match state.is_live() {
        true => parts.with(|parts| parts.iter().map(|part| part.text.get()).collect::<Vec<_>>().join("\n")),
        false => String::new(),
    };
    view! { <pre class="run-entry-text" data-live="true" dir="auto">{text}</pre> }
}

#[derive(Clone, PartialEq)]
enum SteerTarget {
    /// A node of a graph, which reads the message in its next turn.
    Node(NodeId),
    /// An agent of a session; an open run picks the message up.
    Agent { session: SessionId, agent: AgentKey, is_open: bool },
}

fn target_of(node: DiagramNode, diagram: &RunDiagram) -> Option<SteerTarget> {
    let is_open = diagram.run.status.is_open();
    let is_node =
        matches!(node.role, NodeRole::Orchestrator | NodeRole::Agent | NodeRole::Docs | NodeRole::Verifier);
    if is_node && is_open && diagram.run.graph.is_some() {
        return Some(SteerTarget::Node(node.id.as_str().into()));
    }
    let takes = is_node || (node.role == NodeRole::Worker && is_open);
    let agent = node.agent.filter(|_| takes)?;
    Some(SteerTarget::Agent { session: node.session, agent, is_open })
}

#[component]
fn SteerLine(state: RunScreenState) -> impl IntoMarkup {
    let &Page { dispatch, notices, .. } = expect_context();
    // Of each node, so that no other agent gets what was typed for one.
    let texts = RwSignal::new(VecMap::<String, String>::new());
    let sent = RwSignal::new(None::<String>);
    let node = select(move || state.selected_node().map(|node| node.id).unwrap_or_default());
    let text = select(move || texts.with(|texts| texts.get(&node.get()).cloned()).unwrap_or_default());
    let is_sent = move || sent.get() == Some(node.get());
    let target = select(move || {
        let node = state.selected_node().filter(|_| state.is_live() && !state.is_imported())?;
        state.diagram.with(|diagram| target_of(node, diagram.as_ref()?))
    });
    // A verifier asks no model that could read a message.
    let takes_text =
        select(move || state.selected_node().is_some_and(|node| node.role != NodeRole::Verifier));
    let is_node = target.map(move |target| matches!(target, Some(SteerTarget::Node(_))));
    let done = move |of: String, done: bool| {
        if done {
            texts.update(|texts| drop(texts.remove(&of)));
            sent.set(Some(of));
        }
    };
    let send = move |event: SubmitEvent| {
        event.prevent_default();
        let typed = if takes_text.get_untracked() { text.get_untracked() } else { String::new() };
        let typed = typed.trim().to_owned();
        // Another node may be selected before the outcome is known.
        let of = node.get_untracked();
        match target.get_untracked() {
            Some(SteerTarget::Node(node)) => {
                let command = Command::StartNode { run: state.run, node, text: typed };
                dispatch.send_then(command, move |outcome| done(of, outcome.is_ok()));
            }
            Some(SteerTarget::Agent { session, agent, is_open }) if !typed.is_empty() => {
                let mode = if is_open { QueueMode::Steer } else { QueueMode::default() };
                let target = Target::Agents(vec![agent]);
                let message = NewMessage { mode, target, ..NewMessage::new(session, typed) };
                dispatch.send_message(message, move |is_done| {
                    done(of, is_done);
                    // This run shows nothing of the answer.
                    if is_done && !is_open {
                        notices.add(NoticeKind::Info, words::SENT_TO_SESSION, words::SENT_TO_SESSION_ADVICE);
                    }
                });
            }
            Some(SteerTarget::Agent { .. }) | None => {}
        }
    };
    let nothing = move || !is_node.get() && text.with(|text| text.trim().is_empty());
    let label = move || if is_node.get() { words::START_NODE } else { words::SEND };
    let about = move || is_node.get().then_some(words::START_NODE_ABOUT);
    view! {
        <Show when=move || target.with(Option::is_some)>
            <form class="run-steer" on:submit=send>
                <Show when=move || takes_text.get()>
                    <input
                        class="input" type="text" data-testid="run-steer" aria-label=words::STEER placeholder=words::STEER_HINT
                        autocomplete="off" enterkeyhint="send" prop:value=text
                        on:input=move |event| {
                            // The selection stays at this node, even if it was only the one that works.
                            state.select(untrack(move || state.selected()));
                            texts.update(|texts| drop(texts.insert(node.get_untracked(), event_target_value(&event))));
                            sent.set(None);
                        }
                    />
                </Show>
                <span class="unseen" role="status">{move || is_sent().then_some(words::SENT)}</span>
                <button type="submit" class="button" data-testid="run-steer-send" title=about disabled=nothing>{label}</button>
            </form>
        </Show>
    }
}

fn tile_id(number: u32) -> String {
    format!("run-tile-{number}")
}

/// Opens another pane: of the selected node, or of the first one without a pane.
pub(super) fn split(state: RunScreenState) -> Option<u32> {
    let shown: Vec<String> =
        state.tiles.with_untracked(|tiles| tiles.iter().map(|(_, node)| node.get_untracked()).collect());
    let all = untrack(move || state.readable());
    let selected = untrack(move || state.selected_node()).map(|node| node.id);
    let free = |id: &String| !shown.contains(id);
    let others = || all.iter().map(|(id, _)| id).rev().find(|id| free(id)).cloned();
    let node = selected.clone().filter(free).or_else(others).or(selected)?;
    let number = state
        .tiles
        .with_untracked(|tiles| tiles.iter().map(|(number, _)| *number).max().unwrap_or_default())
        .saturating_add(1);
    state.add_tile(number, node);
    focus::soon(tile_id(number));
    Some(number)
}

#[component]
pub(super) fn RunTiles(state: RunScreenState) -> impl IntoMarkup {
    let first = state.tiles.with_untracked(|tiles| tiles.first().map(|(number, _)| *number));
    let active = RwSignal::new(first.unwrap_or_default());
    let go = move |to: Option<u32>| {
        if let Some(to) = to {
            active.set(to);
            focus::soon(tile_id(to));
        }
    };
    let numbers =
        move || state.tiles.with_untracked(|tiles| tiles.iter().map(|(one, _)| *one).collect::<Vec<_>>());
    let close = move |number: u32| {
        let numbers = numbers();
        state.tiles.update(|tiles| tiles.retain(|(one, _)| *one != number));
        go(next_tile(&numbers, number, false).filter(|next| *next != number));
    };
    let key = move |event: KeyboardEvent| {
        if !(event.alt_key() && event.shift_key()) {
            return;
        }
        let numbers = numbers();
        let now = active.get_untracked();
        match event.code().as_str() {
            "ArrowLeft" | "ArrowUp" => go(next_tile(&numbers, now, false)),
            "ArrowRight" | "ArrowDown" => go(next_tile(&numbers, now, true)),
            "KeyS" => go(split(state)),
            "KeyX" => close(now),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    let switch = keyed_list(
        move || state.tiles.get(),
        |(number, _)| *number,
        move |(number, node)| {
            let pane = state.pane(node);
            let name = move || pane.selected_node().map(|node| pane.name(&node));
            plain_button("quiet", name)
                .test("run-tile-switch")
                .label(terminal_words::TO_PANE)
                .with("aria-pressed", move || (active.get() == number).to_string())
                .on_click(move |_| go(Some(number)))
        },
    );
    let tiles = keyed_list(
        move || state.tiles.get(),
        |(number, _)| *number,
        move |(number, node)| {
            let pane = state.pane(node);
            let choices = select(move || state.readable());
            let is_active = move || (active.get() == number).to_string();
            let boxed = move || {
                select_box(options(choices.get(), select(move || node.get())), move |id| node.set(id))
                    .test("run-tile-node")
                    .label(terminal_words::PANE_NODE)
            };
            view! {
                <section class="run-tile" id=tile_id(number) tabindex="-1" data-testid="run-tile" data-active=is_active
                    aria-label=terminal_words::PANE on:focusin=move |_| active.set(number)>
                    <header class="run-tile-head">
                        {boxed}
                        {quiet_button(icon(icon::CLOSE)).test("run-tile-close").named(terminal_words::CLOSE_PANE)
                            .on_click(move |_| close(number))}
                    </header>
                    <TerminalPane state=pane />
                    <TranscriptPane state=pane id=None />
                </section>
            }
        },
    );
    view! {
        <div class="run-tiled" data-testid="run-tiles" on:keydown=key>
            <div class="run-tile-bar" role="group" aria-label=common::PANES title=terminal_words::PANE_KEYS>
                {switch}
                {quiet_button(terminal_words::SPLIT).test("run-tile-split").title(terminal_words::PANE_KEYS)
                    .on_click(move |_| go(split(state)))}
                {quiet_button(terminal_words::SHOW_GRAPH).test("run-tile-graph").on_click(move |_| state.tiles.set(Vec::new()))}
            </div>
            <div class="run-tile-grid">{tiles}</div>
        </div>
    }
}

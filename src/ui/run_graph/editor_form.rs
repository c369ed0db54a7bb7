//! The form of the graph editor: of a node, of an edge or of the graph, with its error; and the graph as text.

use crate::ui::agents::model_choice::number_in;
use crate::ui::prelude::*;
use crate::ui::run_graph::editor_canvas::FIRST_FIELD;
use crate::ui::run_graph::editor_state::{EditorState, problem_at};
use nexus_model::agent::Priority;
use nexus_model::provider::price::Cost;
use nexus_model::run::GraphLimits;
use nexus_model::run::graph::{
    Completion, Edge, EdgeCondition, GraphError, Join, NodeKind, NodeSpec, RunMode,
};
use nexus_model::run::terminal::TerminalSpec;
use nexus_model::settings::dollars;
use nexus_view::graph_editor::{
    EditorMessage, PORTS, Selection, field_value, file_names, is_last_port, set_takes,
};
use nexus_view::strings::graph::{editor as words, terminal as terminal_words};
use nexus_view::strings::run_graph::envelope_status;
use nexus_view::strings::{agents, graph};

#[component]
pub(super) fn EditorForm(state: EditorState) -> impl IntoMarkup {
    let selection = state.editor.map(move |editor| editor.selection().clone());
    let form = move || match selection.get() {
        Selection::Graph => view! { <GraphForm state /> },
        Selection::Node(id) => view! { <NodeForm state id /> },
        Selection::Edge(at) => view! { <EdgeForm state at /> },
    };
    let status = move || {
        state.problem.with(|problem| match problem {
            Some(problem) => graph::error(&problem.error),
            None => words::VALID.to_owned(),
        })
    };
    let place = state.problem.map_some(move |problem| Some(problem.place.clone()));
    // An error elsewhere has a button that selects its place.
    let elsewhere = move || place.get().filter(|place| *place != selection.get());
    let text = move || {
        state
            .editor
            .with(|editor| graph::as_text(editor.template(), &editor.layout().back_edges(&editor.ends())))
    };
    view! {
        <aside class="run-panel graph-form" data-testid="graph-form" aria-label=words::DETAILS>
            <p class="graph-note" role="status" data-testid="graph-problem" data-wrong=move || place.with(Option::is_some).to_string()>
                <span>{status}</span>
                {move || elsewhere().map(|place| {
                    quiet_button(common::SHOW).test("graph-show")
                        .on_click(move |_| state.send(EditorMessage::Select(place.clone())))
                })}
            </p>
            <div class="graph-fields">{form}</div>
            <details class="graph-text">
                <summary>{words::TEXT}</summary>
                <pre class="inspect-text" tabindex="0" role="group" aria-label=words::TEXT data-testid="graph-text" dir="auto">{text}</pre>
            </details>
        </aside>
    }
}

/// A number from 1, or empty.
fn number_field(
    id: &'static str,
    title: Text,
    value: impl Fn() -> Option<u64> + Send + Sync + 'static,
    store: impl Fn(Option<u64>) + Send + 'static,
) -> Markup {
    let shown = select(move || value().map(|number| number.to_string()).unwrap_or_default());
    text_field(id, title, shown, move |text| {
        store(number_in(text, 1).ok_or(words::NOT_A_NUMBER)?);
        Ok(())
    })
    .test(id)
    .into_markup()
}

fn small(number: Option<u64>) -> Option<u32> {
    number.map(|number| u32::try_from(number).unwrap_or(u32::MAX))
}

fn limit_fields(
    limits: impl Fn() -> GraphLimits + Copy + Send + Sync + 'static,
    store: impl Fn(GraphLimits) + Copy + Send + 'static,
) -> Markup {
    let now = move || untrack(limits);
    type Number = (&'static str, Text, fn(GraphLimits) -> Option<u64>, fn(&mut GraphLimits, Option<u64>));
    let numbers: [Number; 4] = [
        ("graph-limit-calls", words::CALLS, |of| of.calls.map(u64::from), |of, n| of.calls = small(n)),
        (
            "graph-limit-tools",
            words::TOOL_CALLS,
            |of| of.tool_calls.map(u64::from),
            |of, n| of.tool_calls = small(n),
        ),
        ("graph-limit-tokens", words::TOKENS, |of| of.tokens, |of, n| of.tokens = n),
        (
            "graph-limit-minutes",
            words::MINUTES,
            |of| of.minutes.map(u64::from),
            |of, n| of.minutes = small(n),
        ),
    ];
    let numbers = numbers.map(|(id, title, get, put)| {
        number_field(
            id,
            title,
            move || get(limits()),
            move |number| {
                let mut limits = now();
                put(&mut limits, number);
                store(limits);
            },
        )
    });
    let shown =
        select(move || limits().cost.map(|cost| (cost.0 as f64 / 1e9).to_string()).unwrap_or_default());
    let cost = text_field("graph-limit-cost", words::DOLLARS, shown, move |text| {
        let cost = match text {
            "" => None,
            text => {
                let amount = dollars(text).filter(|dollars| *dollars > 0.0).ok_or(words::NOT_DOLLARS)?;
                Some(Cost((amount * 1e9) as u64))
            }
        };
        store(GraphLimits { cost, ..now() });
        Ok(())
    })
    .test("graph-limit-cost");
    view! {
        <details class="graph-limits">
            <summary>{words::LIMITS}</summary>
            <div class="graph-grid">{Vec::from(numbers)} {cost}</div>
        </details>
    }
}

#[component]
fn GraphForm(state: EditorState) -> impl IntoMarkup {
    let send = move |change: &dyn Fn(&mut GraphTemplate)| state.send(state.graph_with(change));
    let of =
        move |read: fn(&GraphTemplate) -> String| state.editor.map(move |editor| read(editor.template()));
    let mode_code = |mode| if mode == RunMode::Auto { "auto" } else { "interactive" };
    view! {
        <h2>{common::GRAPH}</h2>
        {text_field(FIRST_FIELD, common::NAME, of(|graph| graph.name.clone()), move |text| {
            let message = state.graph_with(&|graph| text.clone_into(&mut graph.name));
            state.update(message).map_err(|_| words::BAD_NAME)
        }).test("graph-name")}
        {free_field("graph-about", common::DESCRIPTION, of(|graph| graph.about.clone()), move |text| {
            send(&|graph| text.clone_into(&mut graph.about));
        }).test("graph-about").lines()}
        <div class="graph-grid">
            {enum_field("graph-mode", words::MODE, &[RunMode::Interactive, RunMode::Auto], (mode_code, graph::mode_name),
                move || state.editor.with(|editor| Some(editor.template().mode)),
                move |mode| send(&|graph| graph.mode = mode)).test("graph-mode")}
            {enum_field("graph-ends", words::ENDS, &Completion::ALL, (graph::ends_when, graph::ends_when),
                move || state.editor.with(|editor| Some(editor.template().completion)),
                move |completion| send(&|graph| graph.completion = completion)).test("graph-ends")}
        </div>
        {limit_fields(move || state.editor.with(|editor| editor.template().limits), move |limits| send(&|graph| graph.limits = limits))}
    }
}

/// Selectable node types: the fixed ones, model families, the agents of this device, and the node's current type.
fn kinds(state: EditorState, own: String) -> Vec<(String, String)> {
    let mut all: Vec<String> =
        ["orchestrator", "verifier", "docs", "agent.codex", "agent.claude", "agent.gemini"]
            .map(str::to_owned)
            .into();
    state.world.with(WorldParts::ROSTER, |world| {
        all.extend(world.roster().iter().map(|agent| format!("agent.{}", agent.key)));
    });
    if !own.is_empty() && !all.contains(&own) {
        all.push(own);
    }
    all.into_iter().map(|kind| (kind.clone(), reveal(&kind))).collect()
}

const PRIORITIES: [Option<Priority>; 4] =
    [None, Some(Priority::High), Some(Priority::Normal), Some(Priority::Low)];

#[component]
fn NodeForm(state: EditorState, id: NodeId) -> impl IntoMarkup {
    let id = StoredValue::new(id);
    let own = move || id.get_value();
    let send = move |change: &dyn Fn(&mut NodeSpec)| state.change_node(own(), change);
    let node = state.editor.map(move |editor| editor.node(&own()).cloned());
    let of = move |read: fn(&NodeSpec) -> String| node.map_some(read);
    let kind = of(|node| node.kind.clone());
    let is_verifier = kind.map(move |kind| NodeKind::read(kind) == Some(NodeKind::Verifier));
    let is_in_terminal = node.map_some(move |node| node.terminal.is_some());
    // An orchestrator has no terminal; one that has can lose it.
    let may_have_terminal = select(move || {
        is_in_terminal.get() || kind.with(|kind| NodeKind::read(kind) != Some(NodeKind::Orchestrator))
    });
    let agents = select(move || {
        let mut all = vec![(String::new(), words::BY_KIND.to_owned())];
        state.world.with(WorldParts::ROSTER, |world| {
            let named =
                world.roster().into_iter().map(|agent| (agent.key.to_string(), reveal(&agent.identity.name)));
            all.extend(named);
        });
        all
    });
    let join = of(|node| match node.join {
        Join::All => "all".to_owned(),
        Join::Any => "any".to_owned(),
        Join::Quorum(_) => "quorum".to_owned(),
    });
    let needs = move || {
        node.with_some(|node| if let Join::Quorum(needs) = node.join { Some(needs.into()) } else { None })
    };
    let joins = [("all", words::ALL), ("any", words::ANY), ("quorum", words::QUORUM)];
    let join_choices = joins.map(|(value, name)| (value.to_owned(), name.to_owned())).to_vec();
    let problem = problem_at(state, Selection::Node(own()));
    let title = move || words::node_title(own().as_str());
    let takes = PORTS.map(|port| {
        let has = move || node.with_some(|node| node.takes.is_empty() || node.takes.contains(&port));
        let is_last = move || node.with_some(|node| is_last_port(node, port));
        check(words::port(port), has, move |takes| send(&|node| set_takes(node, port, takes)))
            .disabled(is_last)
            .with("data-port", json::name(&port))
    });
    let [text, report, diff] = takes;
    let rename = move |text: &str| {
        let message = state.node_with(own(), &|node| node.key = text.into());
        match message.map_or(Ok(()), |message| state.update(message)) {
            Ok(()) => {
                if text != own().as_str() {
                    focus::soon("graph-kind".to_owned());
                }
                Ok(())
            }
            Err(GraphError::SameKey(_)) => Err(words::SAME_KEY),
            Err(_) => Err(words::BAD_KEY),
        }
    };
    view! {
        <h2>{title}</h2>
        <p class="field-problem" role="alert" data-testid="graph-node-problem">{problem}</p>
        {text_field(FIRST_FIELD, words::ID, of(|node| node.key.to_string()), rename).test("graph-key").code()}
        <div class="graph-grid">
            {choice_field("graph-kind", words::KIND, select(move || kinds(state, kind.get())), kind,
                move |kind| send(&|node| node.kind.clone_from(&kind))).test("graph-kind")}
            <Show when=move || !is_verifier.get()>
                {choice_field("graph-agent", common::AGENT, agents,
                    of(|node| node.agent.as_ref().map(ToString::to_string).unwrap_or_default()),
                    move |agent| send(&|node| node.agent = (!agent.is_empty()).then(|| agent.as_str().into())))
                    .test("graph-agent")}
            </Show>
        </div>
        {move || match (is_verifier.get(), is_in_terminal.get()) {
            (true, true) => Markup::default(),
            (true, false) => view! {
                <p class="hint">{words::CHECKS_ABOUT}</p>
                {free_field("graph-checks", words::CHECK_FILES, of(|node| node.checks.join("\n")), move |text| {
                    send(&|node| node.checks = file_names(text));
                }).test("graph-checks").lines().hint(words::CHECK_FILES_ABOUT)}
            },
            (false, in_terminal) => view! {
                {free_field("graph-task", common::TASK, of(|node| node.instruction.clone()), move |text| {
                    send(&|node| text.clone_into(&mut node.instruction));
                }).test("graph-task").lines()}
                {(!in_terminal).then(|| {
                    free_field("graph-writes", words::WRITES, of(|node| node.writes.join("\n")), move |text| {
                        send(&|node| node.writes = file_names(text));
                    }).test("graph-writes").lines().hint(words::WRITES_ABOUT)
                })}
            },
        }}
        {check(words::ENTRY, move || node.with_some(|node| node.entry),
            move |entry| send(&|node| node.entry = entry)).test("graph-entry")}
        <div class="graph-grid">
            {choice_field("graph-join", words::WAITS, Selector::fixed(join_choices), join, move |value| {
                let join = match value.as_str() {
                    "any" => Join::Any,
                    "quorum" => Join::Quorum(1),
                    _ => Join::All,
                };
                send(&|node| node.join = join);
            }).test("graph-join")}
            {move || (join.get() == "quorum").then(|| number_field("graph-needs", words::NEEDS, needs, move |number| {
                send(&|node| node.join = small(number).map_or(Join::All, Join::Quorum));
            }))}
            {enum_field("graph-priority", words::PRIORITY, &PRIORITIES,
                (|one| one.map_or("", agents::priority), |one| one.map_or(words::AS_AGENT.get(), agents::priority)),
                move || node.with_some(|node| Some(node.priority)),
                move |priority| send(&|node| node.priority = priority)).test("graph-priority")}
            {number_field("graph-turns", words::TURNS,
                move || node.with(|node| node.as_ref().and_then(|node| node.max_turns).map(u64::from)),
                move |number| send(&|node| node.max_turns = small(number)))}
        </div>
        <fieldset class="graph-takes"><legend class="field-name">{words::ACCEPTS}</legend>{text} {report} {diff}</fieldset>
        {limit_fields(
            move || node.with_some(|node| node.limits),
            move |limits| send(&|node| node.limits = limits),
        )}
        <Show when=move || may_have_terminal.get()><TerminalFields state id=own() /></Show>
        <NodeEdges state id=own() />
        <div class="card-actions">
            {quiet_button(common::DUPLICATE).test("graph-duplicate")
                .on_click(move |_| state.send(EditorMessage::Duplicate(own())))}
            {quiet_button(common::REMOVE).danger().test("graph-remove")
                .on_click(move |_| state.send(EditorMessage::Remove))}
        </div>
    }
}

/// The outgoing edges of a node, and a list to connect it without a mouse.
#[component]
fn NodeEdges(state: EditorState, id: NodeId) -> impl IntoMarkup {
    let id = StoredValue::new(id);
    let edges = select(move || {
        let own = id.get_value();
        state.editor.with(|editor| {
            let all = editor.template().edges.iter().enumerate();
            all.filter(|(_, edge)| edge.from == own)
                .map(|(at, edge)| (at, edge.to.to_string(), graph::edge_label(edge.when.as_ref(), edge.port)))
                .collect::<Vec<_>>()
        })
    });
    let rows = move || {
        let row = |(at, to, label): (usize, String, String)| {
            let title = words::edge_title(id.get_value().as_str(), &to);
            view! {
                <li>
                    {quiet_button(format!("→ {to} {label}")).test("graph-edge-row").label(title)
                        .on_click(move |_| state.send(EditorMessage::Select(Selection::Edge(at))))}
                </li>
            }
        };
        edges.get().into_iter().map(row).collect::<Vec<_>>()
    };
    let choices = move || {
        let mut all = vec![option(String::new(), words::CONNECT_TO, true)];
        let keys: Vec<String> = state
            .editor
            .with(|editor| editor.template().nodes.iter().map(|node| node.key.to_string()).collect());
        all.extend(keys.into_iter().map(|key| option(key.clone(), key, false)));
        all
    };
    let connect = move |to: String| {
        if !to.is_empty() {
            state.send(EditorMessage::Connect { from: id.get_value(), to: to.as_str().into() });
            focus::soon(FIRST_FIELD.to_owned());
        }
    };
    view! {
        <h3 class="label">{words::EDGES}</h3>
        <ul class="graph-edges">{rows}</ul>
        {select_box(choices, connect).test("graph-connect-to").label(words::CONNECT_TO)}
    }
}

/// The field that an edge compares, and with what.
fn field_of(edge: &Edge) -> Option<(String, Value)> {
    if let Some(EdgeCondition::Field { name, is }) = edge.when.clone() { Some((name, is)) } else { None }
}

#[component]
fn EdgeForm(state: EditorState, at: usize) -> impl IntoMarkup {
    let send = move |change: &dyn Fn(&mut Edge)| state.change_edge(at, change);
    let send_when = move |when: Option<EdgeCondition>| send(&|edge| edge.when.clone_from(&when));
    let edge = state.editor.map(move |editor| editor.template().edges.get(at).cloned());
    let of = move |read: fn(&Edge) -> String| edge.map_some(read);
    let title = of(|edge| words::edge_title(edge.from.as_str(), edge.to.as_str()));
    let when = of(|edge| {
        let name = match &edge.when {
            None => "always",
            Some(EdgeCondition::Status(_)) => "status",
            Some(EdgeCondition::Field { .. }) => "field",
            Some(EdgeCondition::Otherwise) => "otherwise",
        };
        name.to_owned()
    });
    let choices = [
        ("always", words::ALWAYS),
        ("status", words::BY_STATUS),
        ("field", words::BY_FIELD),
        ("otherwise", words::OTHERWISE),
    ];
    let choices = choices.map(|(value, name)| (value.to_owned(), name.to_owned())).to_vec();
    let choose = move |value: String| {
        send_when(match value.as_str() {
            "status" => Some(EdgeCondition::Status("failed".to_owned())),
            "field" => Some(EdgeCondition::Field { name: "accepted".to_owned(), is: false.into() }),
            "otherwise" => Some(EdgeCondition::Otherwise),
            _ => None,
        });
    };
    let field = move || edge.with_untracked(|edge| edge.as_ref().and_then(field_of).unwrap_or_default());
    let statuses = ["ok", "failed", "error", "cancelled", "interrupted", "timed_out", "cut_off"];
    let status_choices =
        statuses.map(|status| (status.to_owned(), envelope_status(status).to_owned())).to_vec();
    let details = move || match when.get().as_str() {
        "status" => {
            let value = of(|edge| {
                if let Some(EdgeCondition::Status(status)) = &edge.when {
                    status.clone()
                } else {
                    String::new()
                }
            });
            let choices = Selector::fixed(status_choices.clone());
            let store = move |status| send_when(Some(EdgeCondition::Status(status)));
            choice_field("graph-status", words::STATUS, choices, value, store)
                .test("graph-status")
                .into_markup()
        }
        "field" => {
            let name = of(|edge| field_of(edge).unwrap_or_default().0);
            let value = of(|edge| {
                let is = field_of(edge).map(|(_, is)| is);
                is.map(|is| is.as_str().map_or_else(|| is.to_string(), str::to_owned)).unwrap_or_default()
            });
            let keep_name = move |text: &str| {
                let (_, is) = field();
                send_when(Some(EdgeCondition::Field { name: text.to_owned(), is }));
            };
            let keep_value = move |text: &str| {
                let (name, _) = field();
                send_when(Some(EdgeCondition::Field { name, is: field_value(text) }));
            };
            view! {
                <div class="graph-grid">
                    {free_field("graph-field", words::FIELD, name, keep_name).test("graph-field").code()}
                    {free_field("graph-value", words::VALUE, value, keep_value).test("graph-value").code()}
                </div>
            }
        }
        _ => Markup::default(),
    };
    let problem = problem_at(state, Selection::Edge(at));
    view! {
        <h2>{title}</h2>
        <p class="field-problem" role="alert">{problem}</p>
        {choice_field(FIRST_FIELD, words::WHEN, Selector::fixed(choices), when, choose).test("graph-when")}
        {details}
        {enum_field("graph-port", words::CARRIES, &PORTS, (words::port, words::port),
            move || edge.with_some(|edge| Some(edge.port)),
            move |port| send(&|edge| edge.port = port)).test("graph-port")}
        <div class="card-actions">
            {quiet_button(common::REMOVE).danger().test("graph-remove")
                .on_click(move |_| state.send(EditorMessage::Remove))}
        </div>
    }
}

#[component]
pub(super) fn TerminalFields(state: EditorState, id: NodeId) -> impl IntoMarkup {
    let id = StoredValue::new(id);
    let terminal =
        state.editor.map(move |editor| editor.node(&id.get_value()).and_then(|node| node.terminal.clone()));
    let has = terminal.map(Option::is_some);
    let store = move |terminal: Option<TerminalSpec>| {
        state.change_node(id.get_value(), &|node| node.terminal.clone_from(&terminal));
    };
    let field =
        move |name: &'static str, title: Text, about: Text, part: fn(&mut TerminalSpec) -> &mut String| {
            let shown = terminal.map(move |terminal| {
                terminal.clone().map(|mut spec| std::mem::take(part(&mut spec))).unwrap_or_default()
            });
            let set_part = move |text: &str| {
                let mut spec = terminal.get_untracked().unwrap_or_default();
                text.clone_into(part(&mut spec));
                store(Some(spec));
            };
            free_field(name, title, shown, set_part).test(name).code().hint(about)
        };
    let fields = move || {
        has.get().then(|| {
            view! {
                <p class="hint">{terminal_words::ASKS}</p>
                {field("graph-terminal-address", terminal_words::ADDRESS, terminal_words::HOW_TO, |spec| &mut spec.address)}
                {field("graph-terminal-command", terminal_words::COMMAND, terminal_words::COMMAND_ABOUT, |spec| &mut spec.command)}
                {field("graph-terminal-resume", terminal_words::RESUME, terminal_words::RESUME_ABOUT, |spec| &mut spec.resume)}
                {field("graph-terminal-prompt", terminal_words::PROMPT, terminal_words::PROMPT_ABOUT, |spec| &mut spec.prompt)}
            }
        })
    };
    view! {
        {check(words::TERMINAL, move || has.get(), move |on| store(on.then(TerminalSpec::usual)))
            .test("graph-terminal")}
        {fields}
    }
}

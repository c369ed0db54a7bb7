//! Strings of runs that follow a graph: what is wrong with a template, and what changed in a graph.

pub mod editor;
pub mod terminal;

use crate::language::{count, text, tr};
use crate::strings::format::{money, tokens};
use nexus_model::event::GraphChange;
use nexus_model::limits::{GRAPH_EDGES, GRAPH_NAME_CHARS, GRAPH_NODES, GRAPH_TEMPLATES};
use nexus_model::run::graph::{
    Completion, Edge, EdgeCondition, GRAPH_VERSION, GraphError, GraphTemplate, Join, NodeSpec, Port, kinds,
};
use nexus_model::run::{GraphLimits, RunMode};
use nexus_text::small_sort::SmallSort as _;

/// What is wrong with a graph.
pub fn error(error: &GraphError) -> String {
    match error {
        GraphError::NotReadable(why) => text!("The template cannot be read: {why}."),
        GraphError::BadName(name) => text!(
            "“{}” cannot be the name of a template. Use 1 to {GRAPH_NAME_CHARS} characters.",
            name.chars().take(GRAPH_NAME_CHARS).collect::<String>()
        ),
        GraphError::TooManyTemplates => {
            text!("There are {GRAPH_TEMPLATES} templates already. Delete one first.")
        }
        GraphError::NewerVersion(version) => text!(
            "The template has version {version}, and this program reads versions up to {GRAPH_VERSION}. Update Nexus."
        ),
        GraphError::Empty => tr("The graph has no nodes. Add one.").to_owned(),
        GraphError::TooManyNodes(found) => {
            text!("The graph has {found} nodes. At most {GRAPH_NODES} are allowed.")
        }
        GraphError::TooManyEdges(found) => {
            text!("The graph has {found} edges. At most {GRAPH_EDGES} are allowed.")
        }
        GraphError::BadKey(key) => text!(
            "“{key}” cannot be the name of a node. Use small letters, digits, - and _, and not “operator” or “run”."
        ),
        GraphError::SameKey(key) => text!("Two nodes are named {key}. Rename one."),
        GraphError::UnknownKind { node, kind } => {
            text!("{node} has the unknown type “{kind}”. Use orchestrator, agent.NAME, verifier or docs.")
        }
        GraphError::NoSuchNode { edge: (from, to), missing } => {
            text!("The edge from {from} to {to} leads nowhere: there is no node {missing}.")
        }
        GraphError::SameEdge(from, to) => {
            text!("There are two equal edges from {from} to {to}. Remove one.")
        }
        GraphError::BadQuorum { node, needs, has } => {
            text!("{node} waits for {needs} of {has} nodes before it.")
        }
        GraphError::PortMismatch { edge: (from, to), port } => text!(
            "The edge from {from} to {to} carries {}, which {from} does not give or {to} does not take.",
            port_name(*port)
        ),
        GraphError::NoTurns(node) => text!("{node} may have no turns. Allow at least one."),
        GraphError::BadTerminal(node) => text!(
            "{node} cannot work in this terminal. It needs an address of this machine, such as ws://127.0.0.1:7681/ws, and either a command or a prompt. A verifier needs a command, and an orchestrator cannot work in one."
        ),
        GraphError::NoEntry => {
            tr("An edge leads to every node, so none begins. Mark one as the entry.").to_owned()
        }
        GraphError::NoVerifier => {
            tr("The run is to end when a verifier passes, and there is none.").to_owned()
        }
        GraphError::NoOrchestrator => {
            tr("The run is to end when the orchestrator says so, and there is none.").to_owned()
        }
        GraphError::TwoOrchestrators => tr("The graph has two orchestrators. Keep one.").to_owned(),
        GraphError::NoSuchAgent { node, agent } => {
            text!("{node} needs the agent {agent}, who is not on this device. Choose another one.")
        }
    }
}

pub fn port_name(port: Port) -> &'static str {
    match port {
        Port::Text => tr("text"),
        Port::Report => tr("a report"),
        Port::Diff => tr("a diff"),
    }
}

pub fn mode_name(mode: RunMode) -> &'static str {
    match mode {
        RunMode::Auto => tr("Auto"),
        RunMode::Interactive => tr("Interactive"),
    }
}

/// What must be true for a run to end by itself, after “ends when”.
pub fn ends_when(completion: Completion) -> &'static str {
    match completion {
        Completion::Drained => tr("nothing is left to work on"),
        Completion::Verifier => tr("a verifier passes"),
        Completion::Orchestrator => tr("the orchestrator says so"),
        Completion::Budget => tr("its budget is used up"),
    }
}

/// What changed in a run's graph.
pub fn changed(change: &GraphChange) -> String {
    match change {
        GraphChange::Mode(mode) => text!("the run is {} now", mode_name(*mode)),
        GraphChange::NodeAdded(node) => text!("node {} added", node.id),
        GraphChange::EdgeAdded(edge) => text!("edge from {} to {} added", edge.from, edge.to),
        GraphChange::Sent { to, envelope } if envelope.kind == kinds::TICK => {
            text!("{to} is asked what comes next")
        }
        GraphChange::Sent { to, envelope } => text!("{} sent an envelope to {to}", envelope.node_id),
        GraphChange::Asked { node, .. } => text!("{node} asks the operator"),
        GraphChange::Finished { .. } => tr("the orchestrator finished the run").to_owned(),
        GraphChange::LimitsRaised { node, .. } => text!("the limits of {node} were raised"),
        GraphChange::Completion(completion) => text!("the run ends when {}", ends_when(*completion)),
        GraphChange::Terminal { node, terminal: Some(terminal) } => {
            text!("{node} works in the terminal at {}", terminal.address)
        }
        GraphChange::Terminal { node, terminal: None } => text!("{node} works in no terminal"),
        GraphChange::ProviderSession { node, session } => text!("{node} continues the session {session}"),
        GraphChange::TurnsAllowed { node, most } => {
            text!("{node} may have {}", count(*most, "turn", "turns"))
        }
    }
}

/// How many of the nodes before it a node waits for; empty where for all.
pub fn join(join: Join, before: usize) -> String {
    match join {
        Join::All => String::new(),
        Join::Any => tr("any").to_owned(),
        Join::Quorum(needs) => text!("{needs} of {before}"),
    }
}

/// Which envelopes an edge forwards; empty where those of every completed turn.
pub fn edge_label(when: Option<&EdgeCondition>, port: Port) -> String {
    let when = when.map(|when| match when {
        EdgeCondition::Status(status) => text!("if {status}"),
        EdgeCondition::Field { name, is } => text!("if {name} = {is}"),
        EdgeCondition::Otherwise => tr("otherwise").to_owned(),
    });
    let port = match port {
        Port::Text => None,
        Port::Report => Some(tr("report").to_owned()),
        Port::Diff => Some(tr("diff").to_owned()),
    };
    when.into_iter().chain(port).collect::<Vec<_>>().join(" · ")
}

/// A template as plain text: nodes by id, then edges. Equal templates give equal texts.
pub fn as_text(template: &GraphTemplate, loops: &[usize]) -> String {
    let mode = mode_name(template.mode);
    let mut text = text!("graph {}\n", template.name);
    for line in template.about.lines() {
        text.push_str(&format!("{line}\n"));
    }
    let ends = ends_when(template.completion);
    text.push_str(&text!("{mode} · ends when {ends}{}\n\nnodes\n", limits(&template.limits)));
    let begins: Vec<_> = template.entries().iter().map(|node| node.key.clone()).collect();
    let line = |node: &NodeSpec| {
        let before = template.edges.iter().filter(|edge| edge.to == node.key).count();
        let agent = node.agent.as_ref().map(|agent| format!("@{agent}"));
        let entry = begins.contains(&node.key).then(|| tr("begins").to_owned());
        let waits = Some(join(node.join, before)).filter(|text| !text.is_empty());
        let waits = waits.map(|text| text!("waits for {text}"));
        let turns = node.max_turns.map(|turns| format!("≤ {}", count(turns, "turn", "turns")));
        let used = Some(limits(&node.limits)).filter(|text| !text.is_empty());
        let used = used.map(|text| text.trim_start_matches(" · ").to_owned());
        let writes = Some(node.writes.join(", ")).filter(|names| !names.is_empty());
        let writes = writes.map(|names| text!("writes {names}"));
        let checks = Some(node.checks.join(", ")).filter(|names| !names.is_empty());
        let checks = checks.map(|names| text!("checks {names}"));
        let terminal = node.terminal.as_ref().map(|terminal| text!("terminal {}", terminal.address));
        let parts = [agent, entry, waits, turns, used, writes, checks, terminal].into_iter().flatten();
        let parts: String = parts.map(|part| format!("  {part}")).collect();
        let mut line = format!("  {}  {}{parts}\n", node.key, node.kind);
        for words in node.instruction.lines() {
            line.push_str(&format!("      {words}\n"));
        }
        line
    };
    let mut nodes: Vec<&NodeSpec> = template.nodes.iter().collect();
    nodes.small_sort_by(|one, other| one.key.cmp(&other.key));
    text.extend(nodes.into_iter().map(line));
    text.push_str(tr("\nedges\n"));
    let line = |(at, edge): (usize, &Edge)| {
        let label = edge_label(edge.when.as_ref(), edge.port);
        let back = if loops.contains(&at) { tr("  loop") } else { "" };
        let label = if label.is_empty() { label } else { format!("  {label}") };
        format!("  {} -> {}{back}{label}\n", edge.from, edge.to)
    };
    let mut edges: Vec<String> = template.edges.iter().enumerate().map(line).collect();
    edges.small_sort();
    text.extend(edges);
    text
}

/// What may be used, each part after a dot; empty where nothing says so.
fn limits(limits: &GraphLimits) -> String {
    let GraphLimits { turns, calls, tool_calls, tokens: most, cost, minutes } = *limits;
    let parts = [
        turns.map(|turns| count(turns, "turn", "turns")),
        calls.map(|calls| count(calls, "call", "calls")),
        tool_calls.map(|calls| count(calls, "tool call", "tool calls")),
        most.map(|most| text!("{} tokens", tokens(most))),
        cost.map(money),
        minutes.map(|minutes| count(minutes, "minute", "minutes")),
    ];
    parts.into_iter().flatten().map(|part| format!(" · ≤ {part}")).collect()
}

//! Strings of graph runs: errors of a template, and changes of a graph.

use crate::strings::prelude::*;
use crate::strings::status::envelope_status;
use nexus_model::limits::{GRAPH_EDGES, GRAPH_NAME_CHARS, GRAPH_NODES, GRAPH_TEMPLATES};
use nexus_model::run::GraphLimits;
use nexus_model::run::graph::{Completion, Edge, GRAPH_VERSION, Join};
use nexus_text::small_sort::SmallSort as _;

texts! {
    pub fn error(error: &GraphError) -> String {
        GraphError::NotReadable(why) => "The template cannot be read: {why}.";
        GraphError::BadName(name) =>
            "“{}” cannot be the name of a template. Use 1 to {GRAPH_NAME_CHARS} characters.", name.chars().take(GRAPH_NAME_CHARS).collect::<String>();
        GraphError::TooManyTemplates => "There are {GRAPH_TEMPLATES} templates already. Delete one first.";
        GraphError::NewerVersion(version) =>
            "The template has version {version}, and this program reads versions up to {GRAPH_VERSION}. Update Nexus.";
        GraphError::Empty => "The graph has no nodes. Add one.";
        GraphError::TooManyNodes(found) => "The graph has {found} nodes. At most {GRAPH_NODES} are allowed.";
        GraphError::TooManyEdges(found) => "The graph has {found} edges. At most {GRAPH_EDGES} are allowed.";
        GraphError::BadKey(key) =>
            "“{key}” cannot be the name of a node. Use small letters, digits, - and _, and not “operator” or “run”.";
        GraphError::SameKey(key) => "Two nodes are named {key}. Rename one.";
        GraphError::UnknownKind { node, kind } =>
            "{node} has the unknown type “{kind}”. Use orchestrator, agent.NAME, verifier or docs.";
        GraphError::NoSuchNode { edge: (from, to), missing } =>
            "The edge from {from} to {to} leads nowhere: there is no node {missing}.";
        GraphError::SameEdge(from, to) => "There are two equal edges from {from} to {to}. Remove one.";
        GraphError::BadQuorum { node, needs, has } => "{node} waits for {needs} of {has} nodes before it.";
        GraphError::PortMismatch { edge: (from, to), port } =>
            "The edge from {from} to {to} carries {}, which {from} does not give or {to} does not take.", port_name(*port);
        GraphError::NoTurns(node) => "{node} may have no turns. Allow at least one.";
        GraphError::BadTerminal(node) =>
            "{node} cannot work in this terminal. It needs an address of this machine, such as ws://127.0.0.1:7681/ws, and either a command or a prompt. A verifier needs a command, and an orchestrator cannot work in one.";
        GraphError::NoEntry => "An edge leads to every node, so none begins. Mark one as the entry.";
        GraphError::NoVerifier => "The run is to end when a verifier passes, and there is none.";
        GraphError::NoOrchestrator => "The run is to end when the orchestrator says so, and there is none.";
        GraphError::TwoOrchestrators => "The graph has two orchestrators. Keep one.";
        GraphError::NoSuchAgent { node, agent } =>
            "{node} needs the agent {agent}, who is not on this device. Choose another one.";
    }

    pub fn port_name(port: Port) -> &'static str {
        Port::Text => "text";
        Port::Report => "a report";
        Port::Diff => "a diff";
    }

    pub fn mode_name(mode: RunMode) -> &'static str {
        RunMode::Auto => "Auto";
        RunMode::Interactive => "Interactive";
    }

    /// Completion rule, after “ends when”.
    pub fn ends_when(completion: Completion) -> &'static str {
        Completion::Drained => "nothing is left to work on";
        Completion::Verifier => "a verifier passes";
        Completion::Orchestrator => "the orchestrator says so";
        Completion::Budget => "its budget is used up";
    }

    pub fn changed(change: &GraphChange) -> String {
        GraphChange::Mode(mode) => "the run is {} now", mode_name(*mode);
        GraphChange::NodeAdded(node) => "node {} added", node.id;
        GraphChange::EdgeAdded(edge) => "edge from {} to {} added", edge.from, edge.to;
        GraphChange::Sent { to, envelope } if envelope.kind == kinds::TICK => "{to} is asked what comes next";
        GraphChange::Sent { to, envelope } => "{} sent an envelope to {to}", envelope.node_id;
        GraphChange::Asked { node, .. } => "{node} asks the operator";
        GraphChange::Finished { .. } => "the orchestrator finished the run";
        GraphChange::LimitsRaised { node, .. } => "the limits of {node} were raised";
        GraphChange::Completion(completion) => "the run ends when {}", ends_when(*completion);
        GraphChange::Terminal { node, terminal: Some(terminal) } =>
            "{node} works in the terminal at {}", terminal.address;
        GraphChange::Terminal { node, terminal: None } => "{node} works in no terminal";
        GraphChange::ProviderSession { node, session } => "{node} continues the session {session}";
        GraphChange::TurnsAllowed { node, most } => "{node} may have {}", count(*most, "turn", "turns");
    }
}

/// How many inputs a node waits for; empty if all.
pub fn join(join: Join, before: usize) -> String {
    match join {
        Join::All => String::new(),
        Join::Any => text!("any"),
        Join::Quorum(needs) => text!("{needs} of {before}"),
    }
}

/// Which envelopes an edge forwards; empty if those of every completed turn.
pub fn edge_label(when: Option<&EdgeCondition>, port: Port) -> String {
    let when = when.map(|when| match when {
        EdgeCondition::Status(status) => {
            let status = envelope_status(status);
            text!("if {status}")
        }
        EdgeCondition::Field { name, is } => text!("if {name} = {is}"),
        EdgeCondition::Otherwise => text!("otherwise"),
    });
    let port = match port {
        Port::Text => None,
        Port::Report => Some(text!("report")),
        Port::Diff => Some(text!("diff")),
    };
    when.into_iter().chain(port).collect::<Vec<_>>().join(" · ")
}

/// A template as plain text: nodes by id, then edges. The text is stable.
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
        let entry = begins.contains(&node.key).then(|| text!("begins"));
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
        for text_line in node.instruction.lines() {
            line.push_str(&format!("      {text_line}\n"));
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

/// Limits, each after a dot; empty if there are none.
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

pub mod editor {
    use crate::strings::prelude::*;

    pub const TITLE: Text = Text("Graph editor");
    pub const KEYS: Text = Text(
        "Arrow keys: nodes. A: add a node. C: connect. Delete: remove. Shift+D: duplicate. I: a node before. \
         O: a node after. F: fit. Enter: its form. Ctrl+Z: undo. Ctrl+Shift+Z: redo. Esc: the graph",
    );
    pub const OPEN_TEMPLATE: Text = Text("Open a template…");
    pub const TO_RUN: Text = Text("Show the run");
    pub const NEW: Text = Text("New template");
    pub const BUILT_IN: Text = Text("built in, opens as a copy");
    pub const ADD: Text = Text("Add node");
    pub const CONNECT: Text = Text("Connect");
    pub const CONNECT_ABOUT: Text = Text("Draws an edge: press here, then the node that it leads to");
    pub const PICK: Text = Text("Choose the node that the edge leads to. Esc cancels.");
    pub const REDO: Text = Text("Redo");
    pub const SAVE: Text = Text("Save as template");
    pub const UNNAMED: Text = Text("Enter a name for the template first");
    pub const RUN: Text = Text("Run…");
    pub const DELETE: Text = Text("Delete template");
    pub const EXPORT: Text = Text("Export template");
    pub const PRIORITY: Text = Text("Priority");
    pub const AS_AGENT: Text = Text("As the agent");
    pub const MODE: Text = Text("Mode");
    pub const ENDS: Text = Text("The run ends when");
    pub const LIMITS: Text = Text("Limits");
    pub const ID: Text = Text("Name of the node");
    pub const KIND: Text = Text("Type");
    pub const BY_KIND: Text = Text("Default for the type");
    pub const CHECKS_ABOUT: Text =
        Text("A verifier asks no model. It runs the checks of the session’s files.");
    pub const WRITES: Text = Text("Files it may write");
    pub const WRITES_ABOUT: Text = Text(
        "Files, folders such as src/, or prefixes such as src/a*, one per line. Leave blank for all files.",
    );
    pub const CHECK_FILES: Text = Text("Check files");
    pub const CHECK_FILES_ABOUT: Text =
        Text("Files or folders, one per line. Leave blank for all check files.");
    pub const TERMINAL: Text = Text("Works in a terminal on this machine");
    pub const ENTRY: Text = Text("The run begins here");
    pub const WAITS: Text = Text("Waits for");
    pub const ALL: Text = Text("all nodes before it");
    pub const ANY: Text = Text("any node before it");
    pub const QUORUM: Text = Text("some nodes before it");
    pub const NEEDS: Text = Text("How many");
    pub const TURNS: Text = Text("Max turns");
    pub const CALLS: Text = Text("Max model calls");
    pub const TOOL_CALLS: Text = Text("Max tool calls");
    pub const TOKENS: Text = Text("Max tokens");
    pub const MINUTES: Text = Text("Max minutes");
    pub const DOLLARS: Text = Text("Max cost (US dollars)");
    pub const ACCEPTS: Text = Text("Accepts");
    pub const EDGES: Text = Text("Edges from here");
    pub const CONNECT_TO: Text = Text("Connect to…");
    pub const WHEN: Text = Text("Forwards");
    pub const ALWAYS: Text = Text("every completed turn");
    pub const BY_STATUS: Text = Text("turns with a status");
    pub const BY_FIELD: Text = Text("answers with a value");
    pub const OTHERWISE: Text = Text("everything else");
    pub const STATUS: Text = Text("Status");
    pub const FIELD: Text = Text("Field");
    pub const VALUE: Text = Text("Value");
    pub const CARRIES: Text = Text("Carries");
    pub const TEXT: Text = Text("As text");
    pub const VALID: Text = Text("The graph is valid.");
    pub const EMPTY: Text = Text("The graph is empty. Add a node, or open a template.");
    pub const NOT_A_NUMBER: Text = Text("A whole number from 1 up, or blank.");
    pub const NOT_DOLLARS: Text = Text("Dollars above 0, such as 2.50, or blank.");
    pub const UNSAVED: Text = Text("unsaved changes");
    pub const DETAILS: Text = Text("Properties of the selection");
    pub const BAD_NAME: Text = Text("At most 80 characters.");
    pub const SAME_KEY: Text = Text("Another node has this name.");
    pub const BAD_KEY: Text = Text("Small letters, digits, - and _. Not “operator” or “run”.");
    pub const NOT_READ: Text = Text("This template cannot be read.");

    texts! {
        pub fn node_title(key: &str) = "Node {key}";
        pub fn edge_title(from: &str, to: &str) = "Edge from {from} to {to}";
        pub fn saved(name: &str) = "Saved “{name}”.";
        pub fn replaced(name: &str) = "Replaced the template “{name}”.";
        pub fn deleted(name: &str) = "Deleted the template “{name}”.";
        pub fn spoken(key: &str, kind: &str, before: usize, after: usize) =
            "{key}, {kind}. {before} before it, {after} after it";

        pub fn port(port: Port) -> &'static str {
            Port::Text => "any text";
            Port::Report => "reports";
            Port::Diff => "diffs";
        }
    }
}

/// Strings of terminals on the operator's machine, and of panes side by side.
pub mod terminal {
    use crate::strings::prelude::*;
    use nexus_engine::port::lazy::TerminalState;

    pub const TITLE: Text = Text("Terminal on this machine");
    pub const USE: Text = Text("Use a terminal…");
    pub const USE_ABOUT: Text =
        Text("Lets this node work in a terminal on your machine, served by ttyd, instead of asking a model");
    pub const ALLOW: Text = Text("Allow the terminal…");
    pub const CHANGE: Text = Text("Terminal…");
    pub const REVOKE: Text = Text("Revoke");
    pub const REVOKE_ABOUT: Text =
        Text("Disconnects. Nothing can be typed into this terminal until you allow it again");
    pub const UNBIND: Text = Text("Use a model instead");
    pub const ASKS: Text = Text(
        "This node works in a terminal on your machine. Nothing is opened or typed there before you allow it on this device.",
    );
    pub const ABOUT: Text = Text(
        "Nexus connects to ttyd at this address of your own machine, shows the terminal here, and sends your keys to it. \
         At each turn of this node it types the command below into the shell there, with the goal, the files and the \
         envelopes of the run as its input. Whatever runs there can do what you can do on this machine.",
    );
    pub const HOW_TO: Text = Text(
        "Start it like this, with your own word for SECRET, and leave its shell at a prompt: \
         ttyd -W -i 127.0.0.1 -p 7681 -b /SECRET tmux new -A -s nexus",
    );
    pub const ADDRESS: Text = Text("Address of ttyd");
    pub const COMMAND: Text = Text("Command of a turn");
    pub const COMMAND_ABOUT: Text = Text("It gets the context as its input. The turn ends when it exits.");
    pub const RESUME: Text = Text("Command of later turns (optional)");
    pub const RESUME_ABOUT: Text =
        Text("With {session} for the session that the program named in its output.");
    pub const PROMPT: Text = Text("Prompt of a program (instead of a command)");
    pub const PROMPT_ABOUT: Text = Text(
        "The context is pasted into the program that runs there, and the turn ends when a line begins with this again.",
    );
    pub const SECRET: Text = Text("Secret path of ttyd (not stored)");
    pub const AGENTS: Text = Text("The orchestrator may type lines and read the screen");
    pub const ACCEPT: Text = Text("Allow on this device");
    pub const NOT_SOUND: Text = Text(
        "The address must be ws://127.0.0.1 or ws://localhost with a port and a path, and either a command or a prompt is needed.",
    );
    pub const SCREEN: Text = Text("Terminal. Shift+Tab leaves it.");
    pub const RECONNECT: Text = Text("Connect again");
    pub const RELOAD: Text = Text("Reload the page");
    pub const RELOAD_ABOUT: Text =
        Text("The security policy of this page lets it call the terminal only after a reload.");
    pub const NOT_LOADED: Text =
        Text("The terminal could not be loaded. Check the connection, then try again.");
    pub const SPLIT: Text = Text("Split");
    pub const PANE: Text = Text("Pane of a node");
    pub const PANE_NODE: Text = Text("Node of this pane");
    pub const PANE_KEYS: Text = Text("Alt+Shift with an arrow: another pane. With S: split. With X: close");
    pub const CLOSE_PANE: Text = Text("Close this pane");
    pub const TO_PANE: Text = Text("Go to this pane");
    pub const SHOW_GRAPH: Text = Text("Show the graph");

    pub fn state(state: TerminalState, address: &str, title: &str) -> String {
        let address = reveal(address);
        match state {
            TerminalState::Detached => text!("Not connected: {address}"),
            TerminalState::Connecting => text!("Connecting to {address}…"),
            TerminalState::Attached if title.is_empty() => text!("Connected: {address}"),
            TerminalState::Attached => text!("Connected: {address} · {}", reveal(title)),
            TerminalState::Closed(1000) => text!("The program in the terminal ended: {address}"),
            TerminalState::Closed(_) => {
                text!("No terminal answers at {address}. Is ttyd running, and is its secret path right?")
            }
        }
    }
}

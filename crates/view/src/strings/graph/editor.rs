//! Strings of the graph editor.

use crate::language::{Text, tr};
use nexus_model::run::graph::Port;

pub const TITLE: Text = Text("Graph editor");
pub const GRAPH: Text = Text("Graph");
pub const KEYS: Text = Text(
    "Arrow keys: nodes. A: add a node. C: connect. Delete: remove. Shift+D: duplicate. I: a node before. \
     O: a node after. F: fit. Enter: its form. Ctrl+Z: undo. Ctrl+Shift+Z: redo. Esc: the graph",
);
pub const TEMPLATE: Text = Text("Template");
pub const OPEN_TEMPLATE: Text = Text("Open a template…");
pub const TO_RUN: Text = Text("Show the run");
pub const NEW: Text = Text("New graph");
pub const BUILT_IN: Text = Text("built in, opens as a copy");
pub const ADD: Text = Text("Add node");
pub const CONNECT: Text = Text("Connect");
pub const CONNECT_ABOUT: Text = Text("Draws an edge: press here, then the node that it leads to");
pub const PICK: Text = Text("Choose the node that the edge leads to. Esc cancels.");
pub const REMOVE: Text = Text("Remove");
pub const DUPLICATE: Text = Text("Duplicate");
pub const UNDO: Text = Text("Undo");
pub const REDO: Text = Text("Redo");
pub const SAVE: Text = Text("Save as template");
pub const RUN: Text = Text("Run…");
pub const DELETE: Text = Text("Delete template");
pub const EXPORT: Text = Text("Export graph");
pub const NOT_EXPORTED: Text = Text("The browser did not save the file.");
pub const NAME: Text = Text("Name");
pub const ABOUT: Text = Text("Description");
pub const PRIORITY: Text = Text("Priority");
pub const AS_AGENT: Text = Text("As the agent");
pub const MODE: Text = Text("Mode");
pub const ENDS: Text = Text("The run ends when");
pub const LIMITS: Text = Text("Limits");
pub const ID: Text = Text("Name of the node");
pub const KIND: Text = Text("Type");
pub const AGENT: Text = Text("Agent");
pub const BY_KIND: Text = Text("Default for the type");
pub const TASK: Text = Text("Task");
pub const CHECKS_ABOUT: Text = Text("A verifier asks no model. It runs the checks of the session’s files.");
pub const WRITES: Text = Text("Files it may write");
pub const WRITES_ABOUT: Text =
    Text("Files, folders such as src/, or prefixes such as src/a*, one per line. Leave blank for all files.");
pub const CHECK_FILES: Text = Text("Check files");
pub const CHECK_FILES_ABOUT: Text = Text("Files or folders, one per line. Leave blank for all check files.");
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
pub const SHOW: Text = Text("Show");
pub const BAD_NAME: Text = Text("At most 80 characters.");
pub const SAME_KEY: Text = Text("Another node has this name.");
pub const BAD_KEY: Text = Text("Small letters, digits, - and _. Not “operator” or “run”.");
pub const NOT_READ: Text = Text("This template cannot be read.");

pub fn port(port: Port) -> &'static str {
    match port {
        Port::Text => tr("any text"),
        Port::Report => tr("reports"),
        Port::Diff => tr("diffs"),
    }
}

texts! {
    pub fn node_title(key: &str) = "Node {key}";
    pub fn edge_title(from: &str, to: &str) = "Edge from {from} to {to}";
    pub fn saved(name: &str) = "Saved “{name}”.";
    pub fn deleted(name: &str) = "Deleted the template “{name}”.";
    pub fn spoken(key: &str, kind: &str, before: usize, after: usize) =
        "{key}, {kind}. {before} before it, {after} after it";
}

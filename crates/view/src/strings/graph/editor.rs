//! Strings of the graph editor.

use nexus_model::run::graph::Port;

pub const TITLE: &str = "Graph editor";
pub const OPEN: &str = "Edit graphs…";
pub const EDIT_COPY: &str = "Edit a copy…";
pub const GRAPH: &str = "Graph";
pub const KEYS: &str = "Arrow keys: nodes. A: add a node. C: connect. Delete: remove. Shift+D: duplicate. I: a node before. \
     O: a node after. F: fit. Enter: its form. Ctrl+Z: undo. Ctrl+Shift+Z: redo. Esc: the graph";
pub const TEMPLATE: &str = "Template";
pub const NEW: &str = "New graph";
pub const BUILT_IN: &str = "built in, opens as a copy";
pub const ADD: &str = "Add node";
pub const CONNECT: &str = "Connect";
pub const CONNECT_ABOUT: &str = "Draws an edge: press here, then the node that it leads to";
pub const PICK: &str = "Choose the node that the edge leads to. Esc cancels.";
pub const REMOVE: &str = "Remove";
pub const DUPLICATE: &str = "Duplicate";
pub const UNDO: &str = "Undo";
pub const REDO: &str = "Redo";
pub const SAVE: &str = "Save as template";
pub const RUN: &str = "Run…";
pub const DELETE: &str = "Delete template";
pub const EXPORT: &str = "Export graph";
pub const NOT_EXPORTED: &str = "The browser did not save the file.";
pub const NAME: &str = "Name";
pub const ABOUT: &str = "Description";
pub const MODE: &str = "Mode";
pub const ENDS: &str = "The run ends when";
pub const LIMITS: &str = "Limits";
pub const ID: &str = "Name of the node";
pub const KIND: &str = "Type";
pub const AGENT: &str = "Agent";
pub const BY_KIND: &str = "As the type says";
pub const TASK: &str = "Task";
pub const CHECKS_ABOUT: &str = "A verifier asks no model. It runs the checks of the session’s files.";
pub const ENTRY: &str = "The run begins here";
pub const WAITS: &str = "Waits for";
pub const ALL: &str = "all nodes before it";
pub const ANY: &str = "any node before it";
pub const QUORUM: &str = "some nodes before it";
pub const NEEDS: &str = "How many";
pub const TURNS: &str = "Turns at most";
pub const CALLS: &str = "Model calls at most";
pub const TOOL_CALLS: &str = "Tool calls at most";
pub const TOKENS: &str = "Tokens at most";
pub const MINUTES: &str = "Minutes at most";
pub const DOLLARS: &str = "US dollars at most";
pub const ACCEPTS: &str = "Accepts";
pub const EDGES: &str = "Edges from here";
pub const CONNECT_TO: &str = "Connect to";
pub const CHOOSE: &str = "Choose a node…";
pub const WHEN: &str = "Forwards";
pub const ALWAYS: &str = "every completed turn";
pub const BY_STATUS: &str = "turns of a status";
pub const BY_FIELD: &str = "answers with a value";
pub const OTHERWISE: &str = "what no other edge forwards";
pub const STATUS: &str = "Status";
pub const FIELD: &str = "Field";
pub const VALUE: &str = "Value";
pub const CARRIES: &str = "Carries";
pub const TEXT: &str = "As text";
pub const VALID: &str = "The graph is valid.";
pub const EMPTY: &str = "The graph is empty. Add a node, or open a template.";
pub const NOT_A_NUMBER: &str = "A whole number from 1 up, or blank.";
pub const NOT_DOLLARS: &str = "Dollars above 0, such as 2.50, or blank.";
pub const UNSAVED: &str = "unsaved changes";
pub const DETAILS: &str = "Form of what is selected";
pub const SHOW: &str = "Show";
pub const BAD_NAME: &str = "At most 80 characters.";
pub const SAME_KEY: &str = "Another node has this name.";
pub const BAD_KEY: &str = "Small letters, digits, - and _. Not “operator” or “run”.";
pub const NOT_READ: &str = "This template cannot be read.";

pub fn port(port: Port) -> &'static str {
    match port {
        Port::Text => "any text",
        Port::Report => "reports",
        Port::Diff => "diffs",
    }
}

pub fn node_title(key: &str) -> String {
    format!("Node {key}")
}

pub fn edge_title(from: &str, to: &str) -> String {
    format!("Edge from {from} to {to}")
}

pub fn saved(name: &str) -> String {
    format!("Saved “{name}”.")
}

pub fn deleted(name: &str) -> String {
    format!("Deleted the template “{name}”.")
}

/// What a node is, for those who hear the page.
pub fn spoken(key: &str, kind: &str, before: usize, after: usize) -> String {
    format!("{key}, {kind}. {before} before it, {after} after it")
}

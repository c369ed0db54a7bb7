//! Selectors for the run screen.

use super::TestId;

// A run as a graph.
test_ids! {
    /// Link in the changes bar: the newest run as a graph.
    RUN_GRAPH_LINK = "run-graph-link";
    /// The screen; `data-done` is `true` when the log was read.
    RUN_SCREEN = "run-screen";
    RUN_ASKS = "run-asks";
    /// Checkbox: the orchestrator leads.
    RUN_MODE = "run-mode";
    /// The panel of the selected node.
    RUN_PANEL = "run-panel";
    RUN_SUMMARY_LINE = "run-summary-line";
    /// A node; `data-node` is its id, `data-status` its status, `aria-pressed` whether it is selected.
    RUN_NODE = "run-node";
    /// Description of the selected node.
    RUN_SPOKEN = "run-spoken";
    /// The name of the selected node.
    RUN_PANEL_NAME = "run-panel-name";
    /// An entry of its transcript; `data-kind` is its kind.
    RUN_ENTRY = "run-entry";
    /// Link at a turn: its requests in the inspector.
    RUN_PROMPT = "run-prompt";
    /// Input: searches the transcript.
    RUN_FIND = "run-find";
    /// Number of matches.
    RUN_FOUND = "run-found";
    /// Input: a message to the selected node.
    RUN_STEER = "run-steer";
    RUN_STEER_SEND = "run-steer-send";
    /// Output of the node, folded.
    RUN_ENVELOPE = "run-envelope";
    /// Button: show a file of the node.
    RUN_ARTIFACT = "run-artifact";
    /// The content of that file.
    RUN_ARTIFACT_TEXT = "run-artifact-text";
    RUN_MOMENT = "run-moment";
    /// Button: one event back.
    RUN_BEFORE = "run-before";
    /// Button: the newest event.
    RUN_LIVE = "run-live";
    /// Button: download the run as a ZIP file.
    RUN_EXPORT = "run-export";
    /// Button: save the run in a folder on disk; shows which.
    RUN_FOLDER = "run-folder";
    /// Shown if the run does not exist.
    RUN_NOTHING = "run-nothing";
    /// Button: dialog that imports a run or a graph.
    RUN_IMPORT = "run-import";
    /// Button: the graph editor, with the graph of the run.
    RUN_EDIT_GRAPHS = "run-edit-graphs";
    RUN_IMPORT_FILE = "run-import-file";
    /// Input: the folder of a run to import.
    RUN_IMPORT_FOLDER = "run-import-folder";
    /// Error of that file.
    RUN_IMPORT_PROBLEM = "run-import-problem";
    /// Button: close that dialog.
    RUN_IMPORT_CANCEL = "run-import-cancel";
    /// Note that the run was imported and is read-only.
    RUN_IMPORTED = "run-imported";
    /// Button: close the imported run.
    RUN_IMPORT_CLOSE = "run-import-close";
}

// The graph editor.
test_ids! {
    /// Summary of the edited graph.
    GRAPH_NOTE = "graph-editor-summary";
    /// The canvas, with keyboard navigation.
    GRAPH_CANVAS = "graph-canvas";
    /// Note that the second node of an edge is to be chosen.
    GRAPH_PICK = "graph-pick";
    /// A node; `data-node` is its name, `aria-pressed` whether it is selected.
    GRAPH_NODE = "graph-node";
    /// Button below a node: draw an edge; `data-node` is the node's name.
    GRAPH_HANDLE = "graph-handle";
    GRAPH_EDGE = "graph-edge";
    GRAPH_TEMPLATE_OPEN = "graph-template-open";
    GRAPH_UNDO = "graph-undo";
    GRAPH_SAVE = "graph-save";
    GRAPH_DELETE = "graph-delete";
    GRAPH_RUN = "graph-run";
    /// The dialog that starts a graph: its message, and the button.
    GRAPH_MESSAGE = "graph-message";
    GRAPH_START = "graph-start";
    GRAPH_START_MESSAGE = "graph-start-message";
    GRAPH_START_RUN = "graph-start-run";
    GRAPH_NAME = "graph-name";
    GRAPH_KEY = "graph-key";
    GRAPH_JOIN = "graph-join";
    GRAPH_NEEDS = "graph-needs";
    /// Select: which envelopes an edge forwards.
    GRAPH_WHEN = "graph-when";
    /// Error of the graph, or that it is valid.
    GRAPH_PROBLEM = "graph-problem";
    GRAPH_TEXT = "graph-text";
}

// Re-runs.
test_ids! {
    /// Button: form that re-runs a turn of the node.
    RERUN_OPEN = "rerun-open";
    RERUN_CHANGE = "rerun-change";
    RERUN_TEXT = "rerun-text";
    RERUN_START = "rerun-start";
}

// Terminals on this machine, and panes side by side.
test_ids! {
    /// Note that the node's terminal must be allowed first.
    TERMINAL_ASKS = "terminal-asks";
    /// Button: dialog that allows a terminal.
    TERMINAL_OPEN = "terminal-open";
    TERMINAL_SECRET = "terminal-secret";
    TERMINAL_ACCEPT = "terminal-accept";
    TERMINAL_REVOKE = "terminal-revoke";
    /// Button: reload the page, so that its policy allows the terminal.
    TERMINAL_RELOAD = "terminal-reload-page";
    /// Status of the connection.
    TERMINAL_STATE = "terminal-state";
    /// Button: reconnect.
    TERMINAL_AGAIN = "terminal-again";
    TERMINAL_ROWS = "terminal-rows";
    /// The element that receives keys.
    TERMINAL_INPUT = "terminal-input";
    /// Button: show a pane of the selected node instead of the graph.
    RUN_SPLIT = "run-split";
    /// A pane; `data-active` is `true` for the focused one.
    RUN_TILE = "run-tile";
    /// Button: go to a pane.
    RUN_TILE_SWITCH = "run-tile-switch";
    /// Button: show the graph.
    RUN_TILE_GRAPH = "run-tile-graph";
}

//! Selectors for the run screen.

use super::Part;

// A run as a graph.
parts! {
    /// Link in the changes bar: the newest run as a graph.
    RUN_GRAPH_LINK = "run-graph-link";
    /// The screen; `data-done` is `true` when the log was read.
    RUN_SCREEN = "run-screen";
    RUN_ASKS = "run-asks";
    /// Check: the orchestrator leads.
    RUN_MODE = "run-mode";
    /// The panel of the selected node.
    RUN_PANEL = "run-panel";
    RUN_TOLD = "run-told";
    /// A node; `data-node` is its id, `data-status` its status, `aria-pressed` whether it is selected.
    RUN_NODE = "run-node";
    /// What is said of the selected node.
    RUN_SPOKEN = "run-spoken";
    /// The name of the selected node.
    RUN_PANEL_NAME = "run-panel-name";
    /// A piece of its transcript; `data-kind` is what it is.
    RUN_ENTRY = "run-entry";
    /// Link at a turn: the requests as they were sent.
    RUN_PROMPT = "run-prompt";
    /// Input: searches the transcript.
    RUN_FIND = "run-find";
    /// How many pieces match.
    RUN_FOUND = "run-found";
    /// Input: a message to the selected node.
    RUN_STEER = "run-steer";
    RUN_STEER_SEND = "run-steer-send";
    /// What the node put out, folded.
    RUN_ENVELOPE = "run-envelope";
    /// Button: shows a file that the node made.
    RUN_ARTIFACT = "run-artifact";
    /// The content of that file.
    RUN_ARTIFACT_TEXT = "run-artifact-text";
    RUN_MOMENT = "run-moment";
    /// Button: one event back.
    RUN_BEFORE = "run-before";
    /// Button: the newest moment.
    RUN_LIVE = "run-live";
    /// Button: downloads the run as a folder in a ZIP file.
    RUN_EXPORT = "run-export";
    /// Button: keeps the run in a folder on disk, and says in which.
    RUN_FOLDER = "run-folder";
    /// In the place of a run that is not there.
    RUN_NOTHING = "run-nothing";
    /// Button: shows the dialog that imports a run or a graph.
    RUN_IMPORT = "run-import";
    RUN_IMPORT_FILE = "run-import-file";
    /// Input: the folder of a run to import.
    RUN_IMPORT_FOLDER = "run-import-folder";
    /// What is wrong with that file.
    RUN_IMPORT_PROBLEM = "run-import-problem";
    /// Button: leaves that dialog.
    RUN_IMPORT_CANCEL = "run-import-cancel";
    /// Line: the run was imported and is read-only.
    RUN_IMPORTED = "run-imported";
    /// Button: leaves the imported run.
    RUN_IMPORT_CLOSE = "run-import-close";
}

// The graph editor.
parts! {
    /// What is edited, in a line.
    GRAPH_TOLD = "graph-editor-told";
    /// The drawing, which keys walk.
    /// A node; `data-node` is its name, `aria-pressed` whether it is selected.
    GRAPH_NODE = "graph-node";
    /// Button below a node that draws an edge; `data-node` is its name.
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
    /// What is wrong with the graph, or that it is valid.
    GRAPH_PROBLEM = "graph-problem";
    GRAPH_TEXT = "graph-text";
}

// Playing a run again.
parts! {
    /// Button: shows the form that plays a run again from a turn of the node.
    RERUN_OPEN = "rerun-open";
    RERUN_CHANGE = "rerun-change";
    RERUN_TEXT = "rerun-text";
    RERUN_START = "rerun-start";
}

// Terminals on this machine, and panes side by side.
parts! {
    /// Line: the node's terminal is to be allowed first.
    TERMINAL_ASKS = "terminal-asks";
    /// Button: shows the dialog that allows a terminal.
    TERMINAL_OPEN = "terminal-open";
    TERMINAL_SECRET = "terminal-secret";
    TERMINAL_ACCEPT = "terminal-accept";
    TERMINAL_REVOKE = "terminal-revoke";
    /// Button: loads the page again, so that its policy lets the terminal be called.
    TERMINAL_RELOAD = "terminal-reload-page";
    /// Where the connection stands.
    TERMINAL_STATE = "terminal-state";
    /// Button: connects again.
    TERMINAL_AGAIN = "terminal-again";
    TERMINAL_ROWS = "terminal-rows";
    /// What takes the keys.
    TERMINAL_INPUT = "terminal-input";
    /// Button: shows a pane of the selected node in the place of the graph.
    RUN_SPLIT = "run-split";
    /// A pane; `data-active` is `true` for the one that has the focus.
    RUN_TILE = "run-tile";
    /// Button: goes to a pane.
    RUN_TILE_SWITCH = "run-tile-switch";
    /// Button: shows the graph again.
    RUN_TILE_GRAPH = "run-tile-graph";
}

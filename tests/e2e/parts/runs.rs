//! Selectors for the run screen.

use super::Part;

// A run as a graph.
parts! {
    /// Link in the changes bar: the newest run as a graph.
    RUN_GRAPH_LINK = "run-graph-link";
    /// The screen; `data-done` is `true` when the log was read.
    RUN_SCREEN = "run-screen";
    /// What the run is, in a line.
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
    /// Button: sends it.
    RUN_STEER_SEND = "run-steer-send";
    /// What the node put out, folded.
    RUN_ENVELOPE = "run-envelope";
    /// Button: shows a file that the node made.
    RUN_ARTIFACT = "run-artifact";
    /// The content of that file.
    RUN_ARTIFACT_TEXT = "run-artifact-text";
    /// Which moment that is.
    RUN_MOMENT = "run-moment";
    /// Button: one event back.
    RUN_BEFORE = "run-before";
    /// Button: the newest moment.
    RUN_LIVE = "run-live";
    /// Button: downloads the run as a folder in a ZIP file.
    RUN_EXPORT = "run-export";
    /// In the place of a run that is not there.
    RUN_NOTHING = "run-nothing";
    /// Button: shows the dialog that imports a run or a graph.
    RUN_IMPORT = "run-import";
    /// Input: the file to import.
    RUN_IMPORT_FILE = "run-import-file";
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
    /// An edge, by its label.
    GRAPH_EDGE = "graph-edge";
    /// Select: opens a template.
    GRAPH_TEMPLATE_OPEN = "graph-template-open";
    GRAPH_UNDO = "graph-undo";
    GRAPH_SAVE = "graph-save";
    GRAPH_DELETE = "graph-delete";
    GRAPH_RUN = "graph-run";
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
    /// The graph as text.
    GRAPH_TEXT = "graph-text";
}

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
}

//! Strings of the run screen: the diagram, its nodes, the transcript, the replay, the export, re-runs, run forecasts
//! and completion.

use crate::run_graph::archive::{
    ARCHIVE_BYTES, ARCHIVE_EVENTS, ARCHIVE_NODES, ARCHIVE_VERSION, ArchiveError,
};
use crate::run_graph::replay::{RerunPart, RerunSource, RerunTurn};
use crate::run_graph::{DiagramEdge, DiagramNode, EdgeRole, NodeRole, RunDiagram, TranscriptKind};
use crate::strings::agents::ASKING;
use crate::strings::graph;
use crate::strings::prelude::*;
pub use crate::strings::status::envelope_status;
pub use crate::strings::status::{CALLS, MINUTES, TOKENS, TOOL_CALLS, TURNS, budget};
use crate::strings::status::{ending_short, phase, run_status, used};
use nexus_model::context::forecast::RunForecast;
use nexus_text::{small_sort::SmallSort as _, zip::UnzipError};

pub const OPEN_ABOUT: Text =
    Text("Shows the run's agents as a graph, with their transcripts, envelopes and files");
pub const NO_RUN: Text = Text(
    "No run is named. Open one from its summary, or by “See the run as a graph” in the command palette.",
);
pub const NOT_HERE: Text = Text("This run is not on this device.");
pub const READING: Text = Text("Reading the run…");
pub const UNREADABLE: Text = Text("The run could not be read from storage. Reload the page to try again.");
pub const ASKS: Text = Text("The run needs you");
pub const GRAPH: Text = Text("Graph of the run");
pub const GRAPH_KEYS: Text =
    Text("Arrow keys: nodes. I: a node before. O: a node after. F: fit. + and −: zoom. Enter: transcript");
pub const FIT: Text = Text("Fit the graph");
pub const COPY: Text = Text("Copy as text");
pub const COPIED: Text = Text("The run was copied as text.");
pub const EXPORT_ABOUT: Text = Text("Downloads a ZIP file with graph, events, state, files and transcripts");
pub const NOT_EXPORTED: Text = Text("The run could not be exported.");
pub const NOT_EXPORTED_ADVICE: Text =
    Text("Storage could not be read, or the browser did not save the file. Try again.");
pub const KEEP_IN_FOLDER: Text = Text("Write to a folder…");
pub const KEEP_IN_FOLDER_ABOUT: Text = Text(
    "Writes the files of the run to a folder on your disk, and each change as long as this screen is open. Another click ends it",
);
pub const NOT_KEPT_IN_STEP: Text = Text("The run is no longer written to the folder.");
pub const NOT_KEPT_IN_STEP_ADVICE: Text =
    Text("The folder could not be written to. Pick it again, or export the run as a file.");
pub const NO_FOLDERS: Text = Text("This browser cannot write to folders here.");
pub const NO_FOLDERS_ADVICE: Text = Text("Export the run as a file instead.");
pub const LIVE: Text = Text("Live");
pub const LIVE_ABOUT: Text = Text("Back to the newest moment");
pub const MOMENT: Text = Text("Moment of the run");
pub const PLAY: Text = Text("Replay");
pub const PAUSE: Text = Text("Pause replay");
pub const BEFORE: Text = Text("Event before");
pub const AFTER: Text = Text("Event after");
pub const REPLAY_ABOUT: Text = Text("Replay reads the event log. It calls no model.");
pub const TRANSCRIPT: Text = Text("Transcript");
pub const NO_TRANSCRIPT: Text = Text("Nothing yet.");
pub const FIND: Text = Text("Search the transcript");
pub const PROMPT: Text = Text("Exact prompt");
pub const PROMPT_ABOUT: Text = Text("Opens the requests of this turn, as they were sent");
pub const NEW: Text = Text("Run as a graph…");
pub const NEW_TITLE: Text = Text("Run as a graph");
pub const START_NODE: Text = Text("Start turn");
pub const START_NODE_ABOUT: Text =
    Text("Starts a turn of this node, with the message in its inbox if there is one");
pub const LEADS: Text = Text("Auto");
pub const LEADS_ABOUT: Text =
    Text("On: nodes start automatically. Off: you start each turn. A turn in progress finishes either way.");
pub const STEER: Text = Text("Message to this agent");
pub const STEER_HINT: Text = Text("Steer this agent…");
pub const SEND: Text = Text("Send");
pub const SENT: Text = Text("Sent.");
pub const SENT_TO_SESSION: Text = Text("Sent to the session.");
pub const SENT_TO_SESSION_ADVICE: Text = Text("This run has ended; a new one answers in the war room.");
pub const ENVELOPE: Text = Text("Output envelope");
pub const ENVELOPES_IN: Text = Text("Received envelopes");
pub const ARTIFACTS: Text = Text("Artifacts");
pub const NOT_KEPT: Text = Text("The content of this file is not on this device.");
pub const OPEN_ENVELOPE: Text = Text("Open the envelope");
pub const EDIT_GRAPHS: Text = Text("Edit template…");
pub const BUDGET: Text = Text("Budget");
pub const SYNC_WORKS: Text = Text("The Core is updating objective and scratchpad.");
pub const SYNC_SAYS_NOTHING: Text = Text("No explanation was given.");
pub const DETAILS: Text = Text("Details of the selected node");

pub const IMPORT: Text = Text("Import…");
pub const IMPORT_RUN: Text = Text("Import a run…");
pub const IMPORT_TITLE: Text = Text("Import a run or a graph");
pub const IMPORT_ABOUT: Text = Text(
    "Choose the ZIP file of an exported run, the folder that a run was kept in, or the JSON file of a graph template. \
     A run is shown read-only: nothing of it is executed, and no model is called. It stays in this tab until you close it.",
);
pub const IMPORT_FILE: Text = Text("File of a run or graph");
pub const IMPORT_FOLDER: Text = Text("Folder of a run");
pub const IMPORTED: Text = Text("Imported run: read-only. It is not stored on this device.");
pub const CLOSE_IMPORT: Text = Text("Close imported run");
pub const NOT_IMPORTED: Text = Text("Nothing was imported.");

/// Why a file is not a valid run archive.
pub fn archive_error(error: &ArchiveError) -> String {
    format!("{NOT_IMPORTED} {}", archive_problem(error))
}

/// `waits` is true if its run waits for the operator.
pub fn turn(number: usize, turn: &Turn, waits: bool) -> String {
    let open = || if waits { ASKING.get() } else { phase(turn.phase) };
    let state = turn.end.map_or_else(open, ending_short);
    text!("Turn {number} · {} · {state}", model_name(&turn.config.model))
}

/// What a check or a terminal put out, or the operator told the node: the author, and the text.
pub fn inbox_note(from: &Envelope) -> (String, String) {
    if from.kind == kinds::OPERATOR {
        return (role(NodeRole::Operator).to_owned(), reveal(&from.summary));
    }
    let (node, status) = (from_node(&reveal(from.node_id.as_str())), envelope_status(&from.status));
    (format!("{node} · {status}"), reveal(&translate_template(&from.summary)))
}

pub fn sync(model: &str) -> String {
    let model = model_name(model);
    text!("Sync · {model}")
}

texts! {
    pub fn turn_to_rerun(number: usize, model: &str) = "Turn {number} · {}", model_name(model);
    pub fn attached(name: &str, mime: &str, bytes: u64) = "Attached: {name} ({mime}, {})", large_size(bytes);
    pub fn calls(tool: &str) = "Calls {tool}";
    pub fn output(number: usize, status: &str) = "Output {number} · {}", envelope_status(status);
    pub fn edge_title(from: &str, to: &str) = "From {from} to {to}";
    pub fn moment(at: usize, all: usize, time: &str) = "Event {at} of {all} · {time}";
    pub fn kept_in(folder: &str) = "Writing to {}", reveal(folder);
    pub fn preview_of(path: &str) = "Content of {path}";
    pub fn download_of(path: &str) = "Download {path}";
    pub fn from_node(name: &str) = "From {name}";

    pub fn role(role: NodeRole) -> &'static str {
        NodeRole::Operator => "You";
        NodeRole::Orchestrator => "Orchestrator";
        NodeRole::Agent => "Agent";
        NodeRole::Verifier => "Verifier";
        NodeRole::Docs => "Docs";
        NodeRole::Worker => "Subagent";
        NodeRole::Candidate => "Compared model";
        NodeRole::Judge => "Choice";
        NodeRole::Core => "Core";
    }

    pub fn node_status(status: NodeStatus) -> &'static str {
        NodeStatus::Idle => "idle";
        NodeStatus::Ready => "ready";
        NodeStatus::Running => "running";
        NodeStatus::Blocked => "waits for you";
        NodeStatus::Done => "done";
        NodeStatus::Error => "failed";
    }

    pub fn kind(kind: TranscriptKind) -> &'static str {
        TranscriptKind::Turn => "Turn";
        TranscriptKind::Prompt => "Prompt";
        TranscriptKind::Thinking => "Thinking";
        TranscriptKind::Text => "Answer";
        TranscriptKind::ToolCall => "Tool call";
        TranscriptKind::ToolResult => "Tool result";
        TranscriptKind::Failure => "Failed";
        TranscriptKind::Note => "Note";
    }

    fn source(source: &RerunSource) -> String {
        RerunSource::Message(_) => "Your message";
        RerunSource::Envelope(_, from) => "Envelope from {from}";
    }

    fn archive_problem(error: &ArchiveError) -> String {
        ArchiveError::TooManyBytes(bytes) =>
            "The file has {}. At most {} are read.", large_size(*bytes), large_size(ARCHIVE_BYTES);
        ArchiveError::Unreadable => "The file could not be read from disk.";
        ArchiveError::Zip(UnzipError::NotAnArchive) =>
            "The file is not a ZIP file, or a part of it is missing.";
        ArchiveError::Zip(UnzipError::Unsupported(name)) =>
            "“{}” is encrypted, or compressed in an unknown way. Choose the file as Nexus exported it.", reveal(name);
        ArchiveError::Zip(UnzipError::Damaged(name)) => "“{}” is damaged in the ZIP file.", reveal(name);
        ArchiveError::NotText(name) => "“{}” is not a text.", reveal(name);
        ArchiveError::Missing(name) => "It has no {name}, so it is not an exported run.";
        ArchiveError::Damaged { file, line: Some(line) } =>
            "Line {line} of {file} is not an event that this program can read.";
        ArchiveError::Damaged { file, line: None } => "{file} is damaged.";
        ArchiveError::Newer(version) =>
            "It has version {version}, and this program reads versions up to {ARCHIVE_VERSION}. Update Nexus.";
        ArchiveError::TooLarge(events) => "The run has {events} events. At most {ARCHIVE_EVENTS} are read.";
        ArchiveError::Outside(path) => "“{}” leads out of the folder of the run.", reveal(path);
        ArchiveError::SeveralRuns => "It holds several runs. Choose the folder of one of them.";
        ArchiveError::OtherRun => "Its events are not those of the run that it names.";
        ArchiveError::TooManyNodes(nodes) => "The run has {nodes} nodes. At most {ARCHIVE_NODES} are drawn.";
        ArchiveError::NoSuchNode { from, to, missing } =>
            "The edge from {} to {} leads nowhere: there is no node {}.",
            reveal(from.as_str()), reveal(to.as_str()), reveal(missing.as_str());
        ArchiveError::OtherContent(path) =>
            "“{}” is missing or is not the file that the run made.", reveal(path);
    }
}

pub fn answers(tool: &str, is_error: bool) -> String {
    if is_error { text!("{tool} failed") } else { text!("{tool} returned") }
}

pub fn node_state(node: &DiagramNode) -> &'static str {
    match (node.role, node.shown_status()) {
        (NodeRole::Verifier, NodeStatus::Error) if node.status == NodeStatus::Done => tr("checks failed"),
        (_, status) => node_status(status),
    }
}

/// Usage of a node; empty if it has none.
pub fn spent(node: &DiagramNode) -> String {
    let tokens = (node.tokens > 0).then(|| tokens_with_unit(node.tokens));
    let parts: Vec<String> = tokens.into_iter().chain(node.cost.map(money)).collect();
    parts.join(" · ")
}

fn times(node: &DiagramNode) -> usize {
    node.times.max(node.turns.len())
}

/// Turns of a node and their limit; empty for at most one turn.
pub fn loop_badge(node: &DiagramNode) -> String {
    match (times(node), node.max_turns) {
        (0 | 1, _) => String::new(),
        (turns, 0) => format!("×{turns}"),
        (turns, most) => format!("{turns}/{most}"),
    }
}

/// How many inputs a node waits for; empty if all.
pub fn join_badge(diagram: &RunDiagram, at: usize) -> String {
    let before = diagram.edges.iter().filter(|edge| edge.to == at && edge.role == EdgeRole::Flow).count();
    diagram.nodes.get(at).map(|node| graph::join(node.join, before)).unwrap_or_default()
}

pub fn summary(diagram: &RunDiagram) -> String {
    let turns: usize = diagram.nodes.iter().map(|node| node.turns.len()).sum();
    let run = &diagram.run;
    let (round, rounds) = (run.rounds.current, run.rounds.limit);
    let rounds = if rounds > 1 { text!(" · round {round} of {rounds}") } else { String::new() };
    let name = run.graph.as_ref().map(|graph| &graph.name).filter(|name| !name.is_empty());
    let name = name.map(|name| format!("{name} · ")).unwrap_or_default();
    format!(
        "{name}{} · {} · {} · {}{rounds} · {}",
        run_status(run.status),
        graph::mode_name(run.mode),
        count(diagram.nodes.len(), "node", "nodes"),
        count(turns, "turn", "turns"),
        used(&diagram.used)
    )
}

pub fn spoken(name: &str, node: &DiagramNode, before: usize, after: usize) -> String {
    let turns = (times(node) > 0).then(|| format!(", {}", count(times(node), "turn", "turns")));
    let envelopes = || count(node.inbox, "envelope", "envelopes");
    let inbox = (node.inbox > 0).then(|| text!(", {} in its inbox", envelopes()));
    let (turns, inbox) = (turns.unwrap_or_default(), inbox.unwrap_or_default());
    text!("{name}, {}{turns}{inbox}. {before} before it, {after} after it", node_state(node))
}

pub fn found(number: usize) -> String {
    count(number, "match", "matches")
}

pub fn made_in(kind: &str, turn: Option<usize>) -> String {
    let turn = turn.map(|turn| text!(" · turn {turn}")).unwrap_or_default();
    let kind = match kind {
        "file" => tr("file"),
        "diff" => tr("patch"),
        "log" => tr("log"),
        "report" => tr("report"),
        other => other,
    };
    format!("{kind}{turn}")
}

/// The run as plain text: nodes by id with status, model and turns, then edges. The text is stable.
pub fn as_text(diagram: &RunDiagram) -> String {
    let mut nodes: Vec<&DiagramNode> = diagram.nodes.iter().collect();
    nodes.small_sort_by(|one, other| one.id.cmp(&other.id));
    let mut text = format!("run {}\n{}\n\nnodes\n", diagram.run.id, summary(diagram));
    for node in nodes {
        let model = node.config.as_ref().map(|config| format!("{}/{}", config.provider, config.model));
        let spent = spent(node);
        let turns = match times(node) {
            0 => None,
            turns if node.max_turns > 0 => Some(format!("{turns} of {} turns", node.max_turns)),
            turns => Some(count(turns, "turn", "turns")),
        };
        let title = (!node.title.is_empty()).then(|| format!("“{}”", node.title));
        let at = diagram.nodes.iter().position(|other| other.id == node.id).unwrap_or_default();
        let waits = Some(join_badge(diagram, at)).filter(|waits| !waits.is_empty());
        let waits = waits.map(|waits| format!("waits for {waits}"));
        let more =
            [waits, model, turns, Some(spent).filter(|spent| !spent.is_empty()), title].into_iter().flatten();
        let more: String = more.map(|part| format!("  {part}")).collect();
        let kind = if node.kind == node.id { role(node.role) } else { node.kind.as_str() };
        text.push_str(&format!("  {}  {kind}  {}{more}\n", node.id, json::name(&node.status)));
    }
    let id = |at: usize| diagram.nodes.get(at).map_or("?", |node| node.id.as_str());
    let loops = diagram.loops();
    let line = |(at, edge): (usize, &DiagramEdge)| {
        let why = match edge.role {
            EdgeRole::Flow => "",
            EdgeRole::Order => "  order",
            EdgeRole::Delegation => "  delegates",
        };
        let back = if loops.contains(&at) { "  loop" } else { "" };
        let envelope = edge.envelope.as_ref().filter(|_| edge.role == EdgeRole::Flow);
        let envelope = envelope.map(|envelope| format!("  {}", envelope.status)).unwrap_or_default();
        let label = graph::edge_label(edge.when.as_ref(), edge.port);
        let label = if label.is_empty() { label } else { format!("  {label}") };
        format!("  {} -> {}{why}{back}{label}{envelope}\n", id(edge.from), id(edge.to))
    };
    let mut edges: Vec<String> = diagram.edges.iter().enumerate().map(line).collect();
    edges.small_sort();
    text.push_str("\nedges\n");
    text.extend(edges);
    text
}

pub const RERUN_TITLE: Text = Text("Re-run from here");
pub const RERUN_ABOUT: Text = Text(
    "Plays the run again from a turn, in a new session, with one thing changed. Earlier turns are taken over as recorded; models are asked only from this turn on.",
);
pub const RERUN_TURN: Text = Text("Turn");
pub const RERUN_TEXT: Text = Text("New text");
pub const RERUN_START: Text = Text("Re-run");
pub const ENDS_WHEN: Text = Text("Ends when");

pub fn part(turn: &RerunTurn, part: RerunPart) -> String {
    match part {
        RerunPart::Nothing => text!("Nothing"),
        RerunPart::Model => text!("Model"),
        RerunPart::Persona => text!("Agent"),
        RerunPart::Input(at) => turn.inputs.get(at).map(|input| source(&input.source)).unwrap_or_default(),
    }
}

fn range(low: &str, high: &str) -> String {
    if low == high { low.to_owned() } else { format!("{low}–{high}") }
}

pub fn forecast(forecast: &RunForecast) -> String {
    let (least, most) = forecast.calls;
    let calls = match least == most {
        true => count(least, "model call", "model calls"),
        false => text!("{least}–{most} model calls"),
    };
    let (least, most) = forecast.tokens;
    let used = range(&tokens(least), &tokens(most));
    let cost = match forecast.cost {
        Some((least, most)) if forecast.unpriced => {
            text!(", {} for models with a known price", range(&money(least), &money(most)))
        }
        Some((least, most)) => format!(", {}", range(&money(least), &money(most))),
        None => String::new(),
    };
    let from = match forecast.samples {
        0 => text!("from the graph and the size of the conversation"),
        turns => text!("from the graph and {}", count(turns, "earlier turn", "earlier turns")),
    };
    text!("Estimate: {calls}, {used} tokens{cost} ({from}). At its limits the run pauses.")
}

#[cfg(test)]
mod tests;

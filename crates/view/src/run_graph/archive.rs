//! Export and import of a run as a folder `runs/<run>/` with graph, events, state, files and transcripts.
//!
//! `events.jsonl` and the messages of `state.json` are enough to replay the run: [`read_archive`] restores the log,
//! all of it or nothing. [`read_files`] does so for an unpacked archive.

use nexus_engine::queries::run_log::{LoggedEvent, RunLogPage};
use nexus_model::limits::GRAPH_NODES;
use nexus_model::prelude::*;
use nexus_text::{small_sort::SmallSort as _, zip::UnzipError};
use serde_json::json;

use super::RunDiagram;
use super::replay::RunReplay;
use super::transcript::{as_log, transcript};

pub const ARCHIVE_VERSION: u64 = 1;
/// Maximum number of events that are imported.
pub const ARCHIVE_EVENTS: usize = 200_000;
/// Maximum number of nodes that are drawn from an archive, subagents included.
pub const ARCHIVE_NODES: usize = 2 * GRAPH_NODES;
/// Maximum size of an archive file.
pub const ARCHIVE_BYTES: u64 = 256 * 1024 * 1024;

const STATE: &str = "state.json";
const EVENTS: &str = "events.jsonl";

pub type ArchiveFile = (String, String);

/// Why a folder is not a valid run archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ArchiveError {
    /// Larger than [`ARCHIVE_BYTES`].
    TooManyBytes(u64),
    Unreadable,
    Zip(UnzipError),
    NotText(String),
    Missing(&'static str),
    /// A file is invalid; with the line, from 1, if known.
    Damaged {
        file: &'static str,
        line: Option<usize>,
    },
    Newer(u64),
    TooLarge(usize),
    Outside(String),
    SeveralRuns,
    OtherRun,
    TooManyNodes(usize),
    /// An edge refers to a node that does not exist.
    NoSuchNode {
        from: NodeId,
        to: NodeId,
        missing: NodeId,
    },
    OtherContent(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct RunArchive {
    pub run: RunId,
    pub log: RunLogPage,
    pub contents: VecMap<ContentHash, Arc<str>>,
}

/// Reads the unpacked files of an exported archive.
///
/// # Errors
/// Why they are invalid; nothing is imported then.
pub fn read_files(files: Vec<(String, Vec<u8>)>) -> Result<RunArchive, ArchiveError> {
    // Skips system files such as `.DS_Store`.
    let is_hidden = |path: &str| path.rsplit('/').next().is_some_and(|name| name.starts_with('.'));
    let texts = files.into_iter().filter_map(|(path, bytes)| match String::from_utf8(bytes) {
        Ok(text) => Some(Ok((path, text))),
        Err(_) => (!is_hidden(&path)).then_some(Err(ArchiveError::NotText(path))),
    });
    read_archive(&texts.collect::<Result<Vec<_>, _>>()?)
}

/// The files of a run's folder, with the known contents of its files. `None` before the run opened.
pub fn archive(replay: &RunReplay, contents: &VecMap<ContentHash, Arc<str>>) -> Option<Vec<ArchiveFile>> {
    let count = replay.len();
    let (world, core, outputs) = (replay.world_at(count), replay.core_at(count), replay.outputs_at(count));
    let diagram = RunDiagram::of(&world, replay.run, &core)?;
    let row = json::to_tree(world.run(&replay.run)?.as_ref()).ok()?;
    let root = format!("runs/{}", diagram.run.id);
    let mut files: Vec<ArchiveFile> = Vec::new();
    let mut put = |path: String, text: String| files.push((format!("{root}/{path}"), text));
    put("graph.json".to_owned(), pretty(&graph_of(&diagram)));
    put(EVENTS.to_owned(), replay.texts.iter().map(|text| format!("{text}\n")).collect());
    let mut artifacts: Vec<Value> = Vec::new();
    let mut paths: VecSet<String> = VecSet::new();
    for node in &diagram.nodes {
        for file in &node.artifacts {
            let text = file.artifact.hash.and_then(|hash| contents.get(&hash));
            let path = safe(&file.artifact.path);
            let has_place = match file.artifact.kind.as_str() {
                "log" => path.starts_with("logs/"),
                "diff" => path.starts_with("artifacts/"),
                _ => false,
            };
            let place = if has_place { path } else { format!("artifacts/{}/{path}", safe(&node.id)) };
            let place = text.filter(|_| paths.insert(place.clone())).map(|text| {
                put(place.clone(), text.to_string());
                place
            });
            artifacts.push(json!({
                "node": node.id, "turn": file.turn, "type": file.artifact.kind, "path": file.artifact.path,
                "hash": file.artifact.hash, "file": place,
            }));
        }
        let entries = transcript(&world, diagram.run.id, node, &core, &outputs);
        if !entries.is_empty() {
            put(format!("logs/{}.log", safe(&node.id)), as_log(&entries));
        }
    }
    let state = json!({
        "version": ARCHIVE_VERSION,
        "run_id": diagram.run.id,
        "status": diagram.run.status,
        "run": row,
        "artifacts": artifacts,
        "messages": json::to_tree(&replay.messages).ok(),
    });
    put(STATE.to_owned(), pretty(&state));
    Some(files)
}

fn graph_of(diagram: &RunDiagram) -> Value {
    let id = |at: usize| diagram.nodes.get(at).map(|node| node.id.clone());
    let nodes = diagram.nodes.iter().map(|node| {
        json!({
            "id": node.id,
            "type": node.kind,
            "agent": node.agent,
            "status": node.status,
            "provider": node.config.as_ref().map(|config| &config.provider),
            "model": node.config.as_ref().map(|config| &config.model),
            "session": node.session,
            "turns": node.turns,
            "tokens": node.tokens,
        })
    });
    let edges = diagram.edges.iter().map(|edge| {
        json!({ "from": id(edge.from), "to": id(edge.to), "role": edge.role, "envelope": json::to_tree(&edge.envelope).ok() })
    });
    json!({
        "version": ARCHIVE_VERSION,
        "run_id": diagram.run.id,
        "mode": diagram.run.mode,
        "nodes": nodes.collect::<Vec<_>>(),
        "edges": edges.collect::<Vec<_>>(),
    })
}

fn pretty(tree: &Value) -> String {
    format!("{tree:#}\n")
}

/// Sanitises a path so that it stays in its folder.
fn safe(path: &str) -> String {
    let segments = path.split(['/', '\\']).filter(|segment| !matches!(segment.trim(), "" | "." | ".."));
    let clean = |segment: &str| -> String {
        let bad =
            |letter: char| letter.is_control() || matches!(letter, ':' | '*' | '?' | '"' | '<' | '>' | '|');
        segment.chars().map(|letter| if bad(letter) { '-' } else { letter }).collect()
    };
    let segments: Vec<String> = segments.map(clean).collect();
    if segments.is_empty() { "unnamed".to_owned() } else { segments.join("/") }
}

/// Reads an exported folder, wherever it is among these files.
///
/// # Errors
/// Why it is invalid; nothing is imported then.
pub fn read_archive(files: &[ArchiveFile]) -> Result<RunArchive, ArchiveError> {
    if let Some((path, _)) = files.iter().find(|(path, _)| escapes_folder(path)) {
        return Err(ArchiveError::Outside(path.clone()));
    }
    let root = root_of(files)?;
    let text = |name: &'static str| text_at(files, root, name).ok_or(ArchiveError::Missing(name));
    let damaged = || ArchiveError::Damaged { file: STATE, line: None };
    let state = json::tree(text(STATE)?).map_err(|_| damaged())?;
    let version = state.get("version").and_then(Value::as_u64).ok_or_else(damaged)?;
    if version > ARCHIVE_VERSION {
        return Err(ArchiveError::Newer(version));
    }
    let run: RunId =
        state.get("run_id").and_then(Value::as_str).and_then(|id| id.parse().ok()).ok_or_else(damaged)?;
    let messages: Vec<Arc<Message>> =
        state.get("messages").and_then(|messages| json::from_tree(messages).ok()).ok_or_else(damaged)?;
    let lines = text(EVENTS)?;
    let count = lines.lines().count();
    if count > ARCHIVE_EVENTS {
        return Err(ArchiveError::TooLarge(count));
    }
    let mut events = Vec::with_capacity(count);
    for (number, line) in (1..).zip(lines.lines()) {
        let event = LoggedEvent::read(line).filter(|logged| !logged.event.is_damaged());
        events.push(event.ok_or(ArchiveError::Damaged { file: EVENTS, line: Some(number) })?);
    }
    check_graph(run, &events)?;
    let contents = contents_of(&state, files, root)?;
    Ok(RunArchive { run, log: RunLogPage { events, messages }, contents })
}

/// The run's folder among these files, with its slash. Files of the run may have the same names, deeper in the tree.
fn root_of(files: &[ArchiveFile]) -> Result<&str, ArchiveError> {
    let roots = files.iter().filter_map(|(path, _)| path.strip_suffix(STATE));
    let mut roots: Vec<&str> = roots.filter(|root| root.is_empty() || root.ends_with('/')).collect();
    let depth = |root: &&str| root.matches('/').count();
    roots.small_sort_by_key(depth);
    match roots.as_slice() {
        [] => Err(ArchiveError::Missing(STATE)),
        [one, other, ..] if depth(one) == depth(other) => Err(ArchiveError::SeveralRuns),
        [one, ..] => Ok(one),
    }
}

fn text_at<'f>(files: &'f [ArchiveFile], root: &str, name: &str) -> Option<&'f str> {
    let is_it = |(path, _): &&ArchiveFile| path.strip_prefix(root) == Some(name);
    files.iter().find(is_it).map(|(_, text)| text.as_str())
}

fn escapes_folder(path: &str) -> bool {
    path.starts_with(['/', '\\']) || path.split(['/', '\\']).any(|part| part == "..")
}

/// Checks that the run opens with a graph that can be drawn.
fn check_graph(run: RunId, events: &[LoggedEvent]) -> Result<(), ArchiveError> {
    let (mut nodes, mut others): (VecSet<&NodeId>, usize) = (VecSet::new(), 0);
    let mut edges: Vec<&Edge> = Vec::new();
    let mut has_opened = false;
    for event in events.iter().map(|logged| &logged.event) {
        let is_own = event.run == Some(run);
        match event.known_kind() {
            Some(EventKind::RunOpened { run: opened }) if opened.id == run => {
                has_opened = true;
                // Checks the size before the nodes are read.
                check_node_count(opened.nodes.len())?;
                nodes.extend(opened.nodes.iter().map(|node| &node.id));
                edges.extend(&opened.edges);
            }
            Some(EventKind::GraphChanged { change: GraphChange::NodeAdded(node) }) if is_own => {
                nodes.insert(&node.id);
            }
            Some(EventKind::GraphChanged { change: GraphChange::EdgeAdded(edge) }) if is_own => {
                edges.push(edge);
            }
            Some(EventKind::WorkerSent { .. }) => others += 1,
            _ => {}
        }
    }
    if !has_opened {
        return Err(ArchiveError::OtherRun);
    }
    check_node_count(nodes.len() + others)?;
    for edge in edges {
        if let Some(missing) = [&edge.from, &edge.to].into_iter().find(|end| !nodes.contains(end)) {
            let (from, to, missing) = (edge.from.clone(), edge.to.clone(), missing.clone());
            return Err(ArchiveError::NoSuchNode { from, to, missing });
        }
    }
    Ok(())
}

fn check_node_count(nodes: usize) -> Result<(), ArchiveError> {
    if nodes > ARCHIVE_NODES { Err(ArchiveError::TooManyNodes(nodes)) } else { Ok(()) }
}

/// The contents of the run's files that were exported.
fn contents_of(
    state: &Value,
    files: &[ArchiveFile],
    root: &str,
) -> Result<VecMap<ContentHash, Arc<str>>, ArchiveError> {
    let mut contents = VecMap::new();
    let artifacts = state.get("artifacts").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for artifact in artifacts {
        let text_field = |name: &str| artifact.get(name).and_then(Value::as_str);
        let mut paths = [text_field("path"), text_field("file")].into_iter().flatten();
        if let Some(path) = paths.find(|path| escapes_folder(path)) {
            return Err(ArchiveError::Outside(path.to_owned()));
        }
        let (Some(file), Some(hash)) = (text_field("file"), text_field("hash")) else { continue };
        match (text_at(files, root, file), ContentHash::read(hash)) {
            (Some(text), Some(hash)) if ContentHash::of_text(text) == hash => {
                contents.insert(hash, text.into());
            }
            (_, _) => return Err(ArchiveError::OtherContent(file.to_owned())),
        }
    }
    Ok(contents)
}

#[cfg(test)]
mod tests;

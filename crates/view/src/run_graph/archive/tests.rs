//! Tests of run archives: export and import round-trip, and invalid folders are rejected with a reason.

use proptest::prelude::*;

use super::*;
use crate::run_graph::tests::{LogWriter, broadcast};
use nexus_model::agent::Priority;
use nexus_model::run::{Artifact, Envelope, Node, NodeStatus};

fn texts_of(log: &LogWriter) -> Vec<ArchiveFile> {
    archive(&log.replay(), &Default::default()).unwrap()
}

#[test]
fn an_exported_folder_has_the_expected_files() {
    let log = broadcast();
    let mut contents = VecMap::new();
    let hash = ContentHash::of_text("a file");
    contents.insert(hash, "a file".into());
    let files = texts_of(&log);
    let root = format!("runs/{}", log.run.id);
    let names: Vec<_> = files.iter().map(|(path, _)| path.strip_prefix(&root).unwrap()).collect();
    assert_eq!(
        names,
        [
            "/graph.json",
            "/events.jsonl",
            "/logs/operator.log",
            "/logs/architect.log",
            "/logs/engineer.log",
            "/state.json"
        ]
    );
    let tree = |name: &str| -> serde_json::Value {
        let file = files.iter().find(|(path, _)| path.ends_with(name)).unwrap();
        serde_json::from_str(&file.1).unwrap()
    };
    assert_eq!(tree("graph.json")["nodes"][1]["status"], "DONE");
    assert_eq!(tree("graph.json")["mode"], "INTERACTIVE");
    assert_eq!(tree("state.json")["artifacts"][0]["path"], "architect.md");
    assert!(archive(&RunReplay::new(log.run.id), &contents).is_none());
}

#[test]
fn an_invalid_folder_is_rejected_with_its_reason() {
    use ArchiveError as E;
    let files = texts_of(&broadcast());
    let root = files[0].0.strip_suffix("graph.json").unwrap();
    let without =
        |name: &str| files.iter().filter(|(path, _)| !path.ends_with(name)).cloned().collect::<Vec<_>>();
    let with = |name: &str, text: &str| {
        let mut files = without(name);
        files.push((format!("{root}{name}"), text.to_owned()));
        read_archive(&files)
    };
    assert_eq!(read_archive(&without("state.json")), Err(E::Missing("state.json")));
    assert_eq!(read_archive(&without("events.jsonl")), Err(E::Missing("events.jsonl")));
    assert_eq!(with("state.json", "{"), Err(E::Damaged { file: "state.json", line: None }));
    assert_eq!(with("state.json", r#"{"version": 99}"#), Err(E::Newer(99)));
    assert_eq!(with("events.jsonl", "{}\n"), Err(E::Damaged { file: "events.jsonl", line: Some(1) }));
    assert_eq!(with("events.jsonl", ""), Err(E::OtherRun));
    let mut outside = files.clone();
    outside.push(("runs/../../etc/passwd".to_owned(), String::new()));
    assert_eq!(read_archive(&outside), Err(E::Outside("runs/../../etc/passwd".to_owned())));
    // An unreadable event is an error; it is not skipped silently.
    let with_damage = |from: &str, to: &str| {
        let (_, text) = files.iter().find(|(path, _)| path.ends_with("events.jsonl")).unwrap();
        with("events.jsonl", &text.replacen(from, to, 1))
    };
    let damaged = |line| Err(E::Damaged { file: "events.jsonl", line: Some(line) });
    let envelope = with_damage(r#""summary":"The plan.","artifacts""#, r#""summary":7,"artifacts""#);
    assert_eq!(envelope, damaged(7));
    let edges = r#""edges":[{"from":"architect","to":"moon"}]"#;
    assert_eq!(
        with_damage(r#""edges":[]"#, edges),
        Err(E::NoSuchNode { from: "architect".into(), to: "moon".into(), missing: "moon".into() })
    );
    let (_, state) = files.iter().find(|(path, _)| path.ends_with("state.json")).unwrap();
    let (before, after) = state.rsplit_once("\"architect.md\"").unwrap();
    let state = format!("{before}\"a/../../b\"{after}");
    assert_eq!(with("state.json", &state), Err(E::Outside("a/../../b".to_owned())));
    let two: Vec<_> = files
        .iter()
        .cloned()
        .chain(files.iter().map(|(path, text)| (format!("x{path}"), text.clone())))
        .collect();
    assert_eq!(read_archive(&two), Err(E::SeveralRuns));
    let many = "x\n".repeat(ARCHIVE_EVENTS + 1);
    assert_eq!(with("events.jsonl", &many), Err(E::TooLarge(ARCHIVE_EVENTS + 1)));
}

#[test]
fn a_run_above_the_maximum_of_nodes_is_rejected() {
    let mut log = LogWriter::new(&["a"]);
    log.run.nodes = vec![log.run.nodes[0].clone(); ARCHIVE_NODES + 1];
    let page = RunLogPage { events: log.open().events, messages: vec![] };
    let run = page.events[0].event.run.unwrap();
    let lines: String = page.events.iter().map(|logged| format!("{}\n", logged.text)).collect();
    let state = format!(r#"{{"version": 1, "run_id": "{run}", "messages": []}}"#);
    let files = [("state.json".to_owned(), state), ("events.jsonl".to_owned(), lines)];
    assert_eq!(read_archive(&files), Err(ArchiveError::TooManyNodes(ARCHIVE_NODES + 1)));
}

#[test]
fn an_archive_restores_the_run_with_its_files_or_is_rejected() {
    use ArchiveError as E;
    let (hash, text) = (ContentHash::of_text("# Plan"), "# Plan");
    let mut log = broadcast();
    let output: Envelope = nexus_text::json::from_tree(&serde_json::json!({
        "kind": "node_result", "node_id": "engineer", "status": "ok", "summary": "Built.",
        "artifacts": [{ "type": "file", "path": "plan.md", "hash": hash }],
    }))
    .unwrap();
    log.status("engineer", NodeStatus::Done, Some(output));
    let mut contents = VecMap::new();
    contents.insert(hash, text.into());
    let files = archive(&log.replay(), &contents).unwrap();
    let unpacked = |files: &[ArchiveFile]| {
        files.iter().map(|(path, text)| (path.clone(), text.as_bytes().to_vec())).collect::<Vec<_>>()
    };
    let mut with_hidden = unpacked(&files);
    with_hidden.push(("runs/.DS_Store".to_owned(), vec![0xff]));
    let read = read_files(with_hidden).unwrap();
    assert_eq!((read.run, read.contents.get(&hash).map(|text| &**text)), (log.run.id, Some(text)));
    assert_eq!(read.log.events, log.events);
    let mut other = files.clone();
    other.iter_mut().find(|(path, _)| path.ends_with("plan.md")).unwrap().1 = "# Another".to_owned();
    assert_eq!(read_files(unpacked(&other)), Err(E::OtherContent("artifacts/engineer/plan.md".to_owned())));
    let bytes = vec![("state.json".to_owned(), vec![0xff])];
    assert_eq!(read_files(bytes), Err(E::NotText("state.json".to_owned())));
    let message = crate::strings::run_graph::archive_error(&E::TooManyNodes(100_000));
    assert_eq!(message, "Nothing was imported. The run has 100000 nodes. At most 2000 are drawn.");
}

/// A step of a random run: a turn of a node, an output of a node without a model, or a new node.
#[derive(Clone, Debug)]
enum LoggedStep {
    Turn(bool, String),
    Output(String, Vec<(String, String)>),
    Added,
}

fn any_step() -> impl Strategy<Value = LoggedStep> {
    // Agents may name their files as the archive names its own.
    let name =
        prop_oneof![Just("state.json".to_owned()), Just("a/events.jsonl".to_owned()), "[a-z]{1,6}/\\PC{1,8}"];
    let files = proptest::collection::vec((name, "\\PC{0,24}"), 0..3);
    prop_oneof![
        (any::<bool>(), "\\PC{0,24}").prop_map(|(first, says)| LoggedStep::Turn(first, says)),
        ("\\PC{0,24}", files).prop_map(|(says, files)| LoggedStep::Output(says, files)),
        Just(LoggedStep::Added),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Export and import round-trip the log and the files, and a second export is equal.
    #[test]
    fn export_and_import_are_inverse(steps in proptest::collection::vec(any_step(), 0..8)) {
        let mut log = LogWriter::new(&["a", "b"]).edge("a", "b").edge("b", "a");
        log.run.graph = Some(Box::default());
        log = log.open();
        let mut contents = VecMap::new();
        for step in steps {
            match step {
                LoggedStep::Turn(first, says) => log = log.turn(if first { "a" } else { "b" }, &says),
                LoggedStep::Output(says, files) => {
                    let mut output = Envelope::text("node_result", "b".into(), None, says);
                    for (path, text) in files {
                        let hash = ContentHash::of_text(&text);
                        contents.insert(hash, text.as_str().into());
                        let kind = if path.len() % 2 == 0 { "file" } else { "log" }.to_owned();
                        output.artifacts.push(Artifact { kind, path, hash: Some(hash) });
                    }
                    log.status("b", NodeStatus::Done, Some(output));
                }
                LoggedStep::Added => {
                    let id = format!("n{}", log.events.len());
                    let node = Node { priority: Priority::Low, ..Node::new(id.as_str().into(), "docs", 9) };
                    let change = GraphChange::NodeAdded(Box::new(node));
                    log.note(None, EventKind::GraphChanged { change });
                }
            }
        }
        let files = archive(&log.replay(), &contents).unwrap();
        let mut shuffled = files.clone();
        shuffled.reverse();
        let read = read_archive(&shuffled).unwrap();
        prop_assert_eq!(read.run, log.run.id);
        prop_assert_eq!(&read.log.events, &log.events);
        prop_assert_eq!(&read.log.messages, &vec![log.question.clone()]);
        let mut again = RunReplay::new(read.run);
        again.take(read.log);
        prop_assert_eq!(archive(&again, &read.contents).unwrap(), files);
    }
}

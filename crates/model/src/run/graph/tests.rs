use super::*;
use crate::run::Artifact;
use crate::run::templates::graph_templates;

fn plan_build_review() -> GraphTemplate {
    graph_templates().swap_remove(0)
}

fn changed(change: impl FnOnce(&mut GraphTemplate)) -> Result<(), GraphError> {
    let mut template = plan_build_review();
    change(&mut template);
    template.check()
}

fn edge(from: &str, to: &str) -> Edge {
    Edge { from: from.into(), to: to.into(), when: None, port: Port::Text }
}

#[test]
fn built_in_templates_are_valid_and_round_trip() {
    let all = graph_templates();
    assert_eq!(all.len(), 4);
    for template in all {
        assert_eq!(template.check(), Ok(()), "{}", template.name);
        let text = json::write(&template).unwrap();
        assert_eq!(GraphTemplate::read(&text), Ok(template));
    }
}

#[test]
fn newer_version_is_reported_whatever_its_shape() {
    let text = r#"{"version": 2, "graph": {"nodes": "elsewhere"}}"#;
    assert_eq!(GraphTemplate::read(text), Err(GraphError::NewerVersion(2)));
    assert_eq!(changed(|it| it.version = 7), Err(GraphError::NewerVersion(7)));
    assert!(matches!(GraphTemplate::read("{"), Err(GraphError::NotReadable(_))));
    assert!(matches!(GraphTemplate::read("[]"), Err(GraphError::NotReadable(_))));
}

#[test]
fn too_many_nodes_are_rejected_before_parsing() {
    let nodes = vec!["{}"; 100_000].join(",");
    let text = format!(r#"{{"version": 1, "name": "large", "nodes": [{nodes}]}}"#);
    assert_eq!(GraphTemplate::read(&text), Err(GraphError::TooManyNodes(100_000)));
    assert_eq!(changed(|it| it.nodes.clear()), Err(GraphError::Empty));
    let many = |it: &mut GraphTemplate| it.edges = vec![edge("plan", "build"); GRAPH_EDGES + 1];
    assert_eq!(changed(many), Err(GraphError::TooManyEdges(GRAPH_EDGES + 1)));
}

#[test]
fn workspace_matches_files_folders_and_prefixes() {
    let own = ["a/", "notes.md", "src/a*"].map(str::to_owned);
    for (file, expected) in [
        ("a/b/c.js", true),
        ("ab.js", false),
        ("notes.md", true),
        ("notes.md.txt", false),
        ("src/ab.js", true),
        ("src/b.js", false),
    ] {
        assert_eq!(is_in_workspace(&own, file), expected, "{file}");
    }
    assert!(is_in_workspace(&[], "any.js"));
}

#[test]
fn log_artifact_does_not_fit_diff_port() {
    let mut graph = plan_build_review();
    graph.edges = vec![Edge { from: "build".into(), to: "review".into(), when: None, port: Port::Diff }];
    let output = |kind: &str| Envelope {
        artifacts: vec![Artifact { kind: kind.to_owned(), path: "a".to_owned(), hash: None }],
        ..Envelope::text("node_result", "build".into(), None, "said")
    };
    for (kind, taken) in [("file", 1), ("log", 0)] {
        assert_eq!(taken_edges(&graph.edges, &output(kind)).len(), taken, "{kind}");
    }
}

#[test]
fn invalid_nodes_are_rejected() {
    let bad_key = |key: &str| GraphError::BadKey(key.to_owned());
    for key in ["", "Plan", "a b", "../x", "operator", "run"] {
        assert_eq!(changed(|it| it.nodes[0].key = key.into()), Err(bad_key(key)));
    }
    assert_eq!(changed(|it| it.nodes[1].key = "plan".into()), Err(GraphError::SameKey("plan".into())));
    let kind = "racer".to_owned();
    let unknown = GraphError::UnknownKind { node: "plan".into(), kind: kind.clone() };
    assert_eq!(changed(|it| it.nodes[0].kind = kind), Err(unknown));
    assert_eq!(changed(|it| it.nodes[0].max_turns = Some(0)), Err(GraphError::NoTurns("plan".into())));
    for needs in [0, 2] {
        let error = GraphError::BadQuorum { node: "verify".into(), needs, has: 1 };
        assert_eq!(changed(|it| it.nodes[2].join = Join::Quorum(needs)), Err(error));
    }
}

#[test]
fn invalid_edges_are_rejected() {
    let missing = GraphError::NoSuchNode { edge: ("build".into(), "moon".into()), missing: "moon".into() };
    assert_eq!(changed(|it| it.edges.push(edge("build", "moon"))), Err(missing));
    let same = GraphError::SameEdge("plan".into(), "build".into());
    assert_eq!(changed(|it| it.edges.push(edge("plan", "build"))), Err(same));
    let mismatch =
        |from: &str, to: &str| GraphError::PortMismatch { edge: (from.into(), to.into()), port: Port::Diff };
    let takes_reports = |it: &mut GraphTemplate| {
        it.nodes[1].takes = vec![Port::Report];
        it.edges[0].port = Port::Diff;
    };
    assert_eq!(changed(takes_reports), Err(mismatch("plan", "build")));
    let verifier_gives_a_diff = |it: &mut GraphTemplate| {
        it.nodes[0].kind = "verifier".to_owned();
        it.edges[0].port = Port::Diff;
    };
    assert_eq!(changed(verifier_gives_a_diff), Err(mismatch("plan", "build")));
}

#[test]
fn graph_needs_an_entry_and_a_node_that_can_complete_it() {
    assert_eq!(changed(|it| it.edges.push(edge("build", "plan"))), Err(GraphError::NoEntry));
    let marked = |it: &mut GraphTemplate| {
        it.edges.push(edge("build", "plan"));
        it.nodes[0].entry = true;
    };
    assert_eq!(changed(marked), Ok(()));
    let without_verifier = |it: &mut GraphTemplate| {
        it.completion = Completion::Verifier;
        for node in it.nodes.iter_mut().filter(|node| node.kind == "verifier") {
            node.kind = "agent.engineer".to_owned();
        }
    };
    assert_eq!(changed(without_verifier), Err(GraphError::NoVerifier));
    assert_eq!(changed(|it| it.completion = Completion::Orchestrator), Err(GraphError::NoOrchestrator));
    assert_eq!(changed(|it| it.mode = RunMode::Interactive), Ok(()));
    let two = |it: &mut GraphTemplate| {
        it.nodes[0].kind = "orchestrator".to_owned();
        it.nodes[1].kind = "orchestrator".to_owned();
    };
    assert_eq!(changed(two), Err(GraphError::TwoOrchestrators));
}

#[test]
fn envelope_is_forwarded_by_edges_whose_condition_matches() {
    let on = |to: &str, when: Option<EdgeCondition>| Edge { when, ..edge("a", to) };
    let field = |value: Value| EdgeCondition::Field { name: "verdict.accepted".to_owned(), is: value };
    let edges = [
        on("always", None),
        on("failed", Some(EdgeCondition::Status("error".to_owned()))),
        on("yes", Some(field(true.into()))),
        on("no", Some(field(false.into()))),
        on("else", Some(EdgeCondition::Otherwise)),
        Edge { port: Port::Diff, ..on("diff", None) },
        edge("b", "other"),
    ];
    let forwarded = |status: &str, structured: Value| {
        let output = Envelope {
            status: status.to_owned(),
            structured,
            ..Envelope::text("node_result", "a".into(), None, "done")
        };
        taken_edges(&edges, &output).iter().map(|edge| edge.to.to_string()).collect::<Vec<_>>()
    };
    let accepted = |value: bool| serde_json::json!({ "verdict": { "accepted": value } });
    assert_eq!(forwarded("ok", accepted(true)), ["always", "yes"]);
    assert_eq!(forwarded("ok", accepted(false)), ["always", "no"]);
    assert_eq!(forwarded("ok", Value::Null), ["always", "else"]);
    assert_eq!(forwarded("error", Value::Null), ["failed"], "a failed turn starts no other node");
    assert!(forwarded("cancelled", Value::Null).is_empty());
}

use serde_json::json;

use super::*;
use crate::command::{Command, GraphRequest};
use crate::decide::tests::graph::{GraphFixture, spec, template};
use crate::run::graph::{EdgeCondition, GraphTemplate, Port};
use crate::run::templates::graph_templates;
use crate::run::{PauseCause, RunMode, RunStatus};

#[test]
fn orchestrator_receives_check_results_once() {
    let kinds = [("lead", "orchestrator"), ("build", "agent.engineer"), ("verify", "verifier")];
    let nodes = kinds.map(|(key, kind)| spec(key, kind)).to_vec();
    let graph = GraphTemplate { mode: RunMode::Auto, ..template(nodes, &[("build", "verify")]) };
    let mut fixture = GraphFixture::start(graph).unwrap();
    assert_eq!(fixture.next(), Some("lead".into()));
    fixture.call_tools(vec![GraphRequest::HandOff { to: "build".into(), message: "Build".to_owned() }]);
    assert_eq!(fixture.next(), Some("build".into()));
    fixture.reply("Built.");
    assert_eq!(fixture.next(), Some("verify".into()));
    let run = fixture.run().id;
    let passed = Command::RecordChecks {
        run,
        node: "verify".into(),
        check: 1,
        result: CheckResult {
            passed: Some(true),
            summary: "2 passed".to_owned(),
            structured: json!({ "passed": 2 }),
            log: String::new(),
        },
    };
    fixture.send(passed).unwrap();
    assert_eq!(fixture.next(), Some("lead".into()));
    let changed = |fixture: &GraphFixture| {
        let inbox = &fixture.device.world.turn(&fixture.turn()).unwrap().inbox;
        inbox[0].structured["changed"].as_array().unwrap().len()
    };
    assert_eq!(changed(&fixture), 2);
    fixture.reply("I think.");
    assert_eq!(fixture.next(), Some("lead".into()));
    assert_eq!(changed(&fixture), 0, "the checks are reported again");
}

#[test]
fn answer_without_the_output_of_its_edges_pauses_the_run() {
    let accepted = EdgeCondition::Field { name: "accepted".to_owned(), is: false.into() };
    for (when, port) in [(Some(accepted), Port::Text), (None, Port::Report), (None, Port::Diff)] {
        let nodes = ["judge", "next"].map(|key| spec(key, "agent.engineer")).to_vec();
        let mut graph = template(nodes, &[("judge", "next")]);
        (graph.edges[0].when, graph.edges[0].port) = (when, port);
        let mut fixture = GraphFixture::start(graph).unwrap();
        assert_eq!(fixture.next(), Some("judge".into()));
        fixture.reply("Fine.\n```json\n{\"accepted\": fal\n```");
        assert_eq!(fixture.next(), None);
        assert!(matches!(fixture.pause(), PauseCause::NoRoute { node, .. } if node.as_str() == "judge"));
        let run = fixture.run().id;
        fixture.device.run(&Command::ContinueRun { run }).unwrap();
        assert_eq!(fixture.next(), Some("judge".into()));
        let inbox = &fixture.device.world.turn(&fixture.turn()).unwrap().inbox;
        assert!(inbox[0].summary.contains("led nowhere"), "{inbox:?}");
        fixture.reply("Fine.\n```json\n{\"accepted\": true}\n```");
        let next = fixture.next();
        match port {
            Port::Text => assert_eq!((next, fixture.run().status), (None, RunStatus::Completed)),
            Port::Report => assert_eq!(next, Some("next".into())),
            Port::Diff => assert!(matches!(fixture.pause(), PauseCause::NoRoute { .. })),
        }
    }
}
#[test]
fn retried_turn_runs_although_the_verifier_has_passed() {
    let mut fixture = GraphFixture::start(graph_templates().swap_remove(3)).unwrap();
    assert_eq!(fixture.next(), Some("hunt".into()));
    let failed = fixture.turn();
    fixture.fail();
    assert_eq!(fixture.next(), None);
    let run = fixture.run().id;
    fixture.device.run(&Command::ContinueRun { run }).unwrap();
    for node in ["hunt", "fix"] {
        assert_eq!(fixture.next(), Some(node.into()));
        fixture.reply(&format!("{node} is done."));
    }
    assert_eq!(fixture.next(), Some("verify".into()));
    let passed = |run, check| Command::RecordChecks {
        run,
        node: "verify".into(),
        check,
        result: CheckResult {
            passed: Some(true),
            summary: "2 passed".to_owned(),
            structured: json!({ "passed": 2 }),
            log: String::new(),
        },
    };
    fixture.send(passed(run, 1)).unwrap();
    assert_eq!(fixture.next(), None);
    assert_eq!(fixture.run().status, RunStatus::Completed);
    let session = fixture.device.session;
    let again = Command::TryAgain { session, turn: failed, agent: None, config: None, tools: None };
    fixture.device.run(&again).unwrap();
    for node in ["hunt", "fix"] {
        assert_eq!(fixture.next(), Some(node.into()));
        fixture.reply(&format!("{node} is done again."));
    }
    assert_eq!(fixture.next(), Some("verify".into()));
    fixture.send(passed(fixture.run().id, 2)).unwrap();
    assert_eq!(fixture.next(), None);
    assert_eq!(fixture.run().status, RunStatus::Completed);
}

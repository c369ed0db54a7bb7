//! Tests of re-runs, of limits of nodes and runs, and of retried turns within a graph.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::command::{Command, GraphRequest, NewMessage};
use crate::decide::tests::graph::{
    GraphFixture, any_answers, any_graph, led, play, spec, template, transitions_are_legal,
};
use crate::event::GraphChange;
use crate::message::content::text_of;
use crate::run::graph::{Completion, GraphTemplate, NodeSpec, Port};
use crate::run::{GraphLimits, NodeStatus, PauseCause, ReachedLimit};

const ONE_OF_ONE: ReachedLimit = ReachedLimit { used: 1, limit: Some(1), shared: false };

/// A chain of three nodes.
fn chain() -> GraphTemplate {
    let nodes = ["a", "b", "c"].map(|key| spec(key, "agent.engineer"));
    template(nodes.to_vec(), &[("a", "b"), ("b", "c")])
}

fn turn_of(fixture: &GraphFixture, key: &str) -> TurnId {
    fixture.node(key).turn.unwrap()
}

/// Re-runs from a turn in a new session, which the fixture uses from then on.
fn rerun(fixture: &mut GraphFixture, turn: TurnId, change: Option<RerunChange>) -> Decision {
    let session = SessionId::new(&mut fixture.device.ids);
    fixture.send(Command::Rerun { session, turn, change, label: String::new() })?;
    fixture.device.session = session;
    Ok(())
}

proptest! {
    /// Any turn of any run can be repeated: everything before is unchanged, and the turn opens next with the same
    /// query and inbox.
    #[test]
    fn rerun_restores_the_run_before_any_of_its_turns(
        graph in any_graph(false),
        answers in any_answers(),
        nth in any::<prop::sample::Index>(),
    ) {
        let mut fixture = GraphFixture::start(graph).unwrap();
        // The run before each of its turns.
        let mut before: Vec<(TurnId, Run)> = Vec::new();
        let mut turns = 0;
        loop {
            let mut state = fixture.run().clone();
            // Events of the scheduler before the turn opens belong to what came before.
            let Some(node) = fixture.next() else { break };
            let row = fixture.node(node.as_str()).clone();
            for old in &mut state.nodes {
                old.status = if old.id == node { NodeStatus::Ready } else { fixture.node(old.id.as_str()).status };
            }
            before.push((row.turn.unwrap(), state));
            match answers[turns % answers.len()] {
                Some(number) => fixture.reply(&format!("{turns}\n```json\n{{\"n\": {number}}}\n```")),
                None => fixture.fail(),
            }
            turns += 1;
        }
        let (turn, before_turn) = nth.get(&before).clone();
        let events = fixture.device.events.len();
        let was = fixture.device.world.clone();
        rerun(&mut fixture, turn, None).unwrap();
        let again = fixture.run().clone();
        let row = fixture.device.world.turn(&turn).unwrap().clone();
        let key = row.node.clone().unwrap();
        for (now, then) in again.nodes.iter().zip(&before_turn.nodes) {
            prop_assert_eq!((&now.id, now.status, now.turns), (&then.id, then.status, then.turns));
            prop_assert_eq!(&now.last_output, &then.last_output);
            if now.id == key {
                prop_assert_eq!(&now.inbox, &row.inbox);
            } else {
                prop_assert_eq!(&now.inbox, &then.inbox);
            }
        }
        prop_assert_eq!(again.used.calls, before_turn.used.calls);
        prop_assert_eq!((again.edges, again.graph, again.caps), (before_turn.edges, before_turn.graph, before_turn.caps));
        // Nothing was requested: the fork consists of a session, its query and a run.
        let requests = fixture.device.events[events..].iter().filter(|event| {
            matches!(event.known_kind(), Some(EventKind::ContextRequested { .. } | EventKind::ChecksRequested { .. }))
        });
        prop_assert_eq!(requests.count(), 0);
        prop_assert_eq!(fixture.next(), Some(key));
        let opened = fixture.device.world.turn(&fixture.turn()).unwrap().clone();
        prop_assert_eq!((opened.parent, &opened.inbox, opened.mind_before), (row.parent, &row.inbox, row.mind_before));
        prop_assert_eq!((opened.query.len(), opened.answers.len()), (row.query.len(), row.answers.len()));
        fixture.reply("played again");
        play(&mut fixture, &answers);
        transitions_are_legal(&fixture.device.events);
        // The recorded rows are unchanged.
        for (id, turn) in &was.turns {
            prop_assert_eq!(fixture.device.world.turn(id), Some(turn));
        }
    }
}

#[test]
fn change_is_in_the_turn_and_in_the_cause_of_its_run() {
    let mut fixture = GraphFixture::start(chain()).unwrap();
    fixture.drain();
    let home = fixture.device.session;
    let (first, second) = (turn_of(&fixture, "a"), turn_of(&fixture, "b"));
    let message = fixture.device.world.turn(&first).unwrap().query[0];
    let cause = |fixture: &GraphFixture| fixture.run().cause;

    let change = RerunChange::Message { message, text: "Build another one".to_owned() };
    rerun(&mut fixture, first, Some(change.clone())).unwrap();
    assert_eq!(cause(&fixture), RunCause::Rerun { turn: first, changed: Some(ChangedInput::Message) });
    fixture.next();
    let turn = fixture.device.world.turn(&fixture.turn()).unwrap().clone();
    let query = fixture.device.world.message(&turn.query[0]).unwrap().clone();
    assert_eq!(
        (text_of(&query.parts).as_str(), query.session),
        ("Build another one", fixture.device.session)
    );
    assert_eq!((turn.answers.len(), fixture.run().messages.clone()), (1, turn.query.clone()));
    let old = fixture.device.world.message(&message).unwrap();
    assert_eq!((text_of(&old.parts).as_str(), old.turn), ("Build it", Some(first)), "the old one stays");

    fixture.device.session = home;
    assert_eq!(
        rerun(&mut fixture, second, Some(change)),
        Err(Rejection::NoSuchMessage),
        "another turn took it"
    );
    let change = RerunChange::Envelope { at: 0, text: "Use blue.".to_owned() };
    rerun(&mut fixture, second, Some(change)).unwrap();
    assert_eq!(fixture.next(), Some("b".into()));
    let inbox = fixture.device.world.turn(&fixture.turn()).unwrap().inbox.clone();
    assert_eq!((inbox.len(), inbox[0].summary.as_str(), inbox[0].node_id.as_str()), (1, "Use blue.", "a"));
    let missing = RerunChange::Envelope { at: 1, text: "Nobody".to_owned() };
    assert_eq!(rerun(&mut fixture, second, Some(missing)), Err(Rejection::NoSuchMessage));

    fixture.device.session = home;
    let model = ModelConfig::new("gemini", "another-model");
    rerun(&mut fixture, second, Some(RerunChange::Model(model.clone()))).unwrap();
    fixture.next();
    assert_eq!(fixture.device.world.turn(&fixture.turn()).unwrap().config, model);
    fixture.reply("by another model");
    assert_eq!(fixture.next(), Some("c".into()));

    fixture.device.session = home;
    rerun(&mut fixture, second, Some(RerunChange::Persona("critic".into()))).unwrap();
    fixture.next();
    let turn = fixture.device.world.turn(&fixture.turn()).unwrap();
    let recorded = fixture.device.world.turn(&second).unwrap();
    assert_eq!((turn.agent.as_str(), &turn.config), ("critic", &recorded.config));
    assert_eq!(fixture.node("b").kind, "agent.critic");
    let nobody = RerunChange::Persona("nobody".into());
    assert_eq!(rerun(&mut fixture, second, Some(nobody)), Err(Rejection::NoSuchAgent));
    let open = fixture.turn();
    assert_eq!(rerun(&mut fixture, open, None), Err(Rejection::TurnWorks));
}

#[test]
fn broadcast_is_repeated_from_its_second_agent() {
    let mut device = crate::decide::tests::DecideFixture::new();
    device.run(&Command::SendMessage(NewMessage::new(device.session, "all of you"))).unwrap();
    let mut fixture = GraphFixture { device, order: Vec::new() };
    let first = fixture.next().unwrap();
    fixture.reply("first");
    let second = fixture.next().unwrap();
    fixture.reply("second");
    fixture.next();
    fixture.reply("third");
    let turn = turn_of(&fixture, second.as_str());
    rerun(&mut fixture, turn, None).unwrap();
    assert_eq!(fixture.node(first.as_str()).status, NodeStatus::Done);
    assert_eq!(fixture.next(), Some(second));
    let opened = fixture.device.world.turn(&fixture.turn()).unwrap();
    assert_eq!((opened.query.len(), opened.answers.len()), (0, 1), "the message stands in the history");
}

#[test]
fn retried_turn_stays_in_its_graph() {
    let mut fixture = GraphFixture::start(chain()).unwrap();
    fixture.drain();
    let (session, turn) = (fixture.device.session, turn_of(&fixture, "b"));
    let again = |agent: Option<&str>| Command::TryAgain {
        session,
        turn,
        agent: agent.map(Into::into),
        config: None,
        tools: None,
    };
    fixture.device.run(&again(None)).unwrap();
    assert_eq!(fixture.device.session, session);
    assert_eq!(fixture.next(), Some("b".into()));
    let inbox = fixture.device.world.turn(&fixture.turn()).unwrap().inbox.clone();
    assert_eq!(inbox[0].node_id.as_str(), "a");
    fixture.reply("b, once more");
    assert_eq!(fixture.next(), Some("c".into()), "the nodes behind it follow");
    fixture.reply("c, once more");
    assert_eq!(fixture.next(), None);
    // By another agent, and a failed turn by another agent.
    fixture.device.run(&again(Some("critic"))).unwrap();
    fixture.next();
    assert_eq!(fixture.device.world.turn(&fixture.turn()).unwrap().agent.as_str(), "critic");
    fixture.fail();
    assert_eq!(fixture.next(), None);
    let run = fixture.run().id;
    fixture.device.run(&Command::EndRun { run }).unwrap();
    let turn = turn_of(&fixture, "b");
    let other =
        Command::TryAgain { session, turn, agent: Some("engineer".into()), config: None, tools: None };
    fixture.device.run(&other).unwrap();
    assert_eq!(fixture.next(), Some("b".into()));
    assert_eq!(fixture.device.world.turn(&fixture.turn()).unwrap().inbox[0].node_id.as_str(), "a");
    fixture.reply("now");
    assert_eq!(fixture.next(), Some("c".into()));
}

/// A node with an edge to itself and these limits.
fn looped(limits: GraphLimits) -> GraphTemplate {
    let node = NodeSpec { entry: true, max_turns: Some(50), limits, ..spec("a", "agent.engineer") };
    template(vec![node], &[("a", "a")])
}

#[test]
fn exhausted_node_pauses_the_run_and_resumes_with_raised_limits() {
    for limits in [
        GraphLimits { turns: Some(2), ..GraphLimits::default() },
        GraphLimits { calls: Some(4), ..GraphLimits::default() },
        GraphLimits { minutes: Some(2), ..GraphLimits::default() },
        GraphLimits { tool_calls: Some(2), ..GraphLimits::default() },
    ] {
        let mut fixture = GraphFixture::start(looped(limits)).unwrap();
        for _ in 0..2 {
            let mut worked = 0;
            // Within a turn, the next call waits for the operator.
            while worked < 60 && !matches!(fixture.run().pause, Some(PauseCause::NodeLimit { .. })) {
                if fixture.next().is_none() {
                    break;
                }
                worked += 1;
                fixture.device.now += 60_000;
                let requested = json!({ "at": worked });
                let call = crate::message::content::ToolCall {
                    id: "c".to_owned(),
                    name: "list_files".to_owned(),
                    args: crate::message::content::ToolArgs::Parsed(requested),
                    own_id: true,
                };
                fixture.answer(vec![crate::message::content::PartBody::ToolCall(call).into()]);
                let open =
                    fixture.device.world.tool_runs.values().find(|run| run.status.is_open()).unwrap().id;
                let outcome = crate::command::ToolOutcome::Failed { message: format!("no, {worked}") };
                fixture.device.run(&Command::RecordTool { tool_run: open, outcome }).unwrap();
                if fixture.run().status == RunStatus::Running {
                    fixture.reply(&format!("{worked}"));
                }
            }
            let Some(PauseCause::NodeLimit { node, evidence }) = fixture.run().pause.clone() else {
                panic!("{limits:?}: {:?}", fixture.run().pause)
            };
            assert_eq!(node.as_str(), "a");
            assert!(evidence.contains(", its limit."), "{evidence}");
            assert!(worked > 0, "{limits:?} lets it go on");
            let run = fixture.run().id;
            fixture.device.run(&Command::ContinueRun { run }).unwrap();
            // A paused turn continues where it stopped.
            if fixture.device.world.open_turn(fixture.device.row()).is_some() {
                fixture.reply("held and let go");
            }
        }
    }
}

#[test]
fn waiting_and_a_closed_page_count_no_time() {
    let mut fixture = GraphFixture::start(chain()).unwrap();
    fixture.next();
    fixture.device.now += 60_000;
    fixture.reply("a minute");
    fixture.next();
    fixture.device.now += 3_600_000;
    let session = fixture.device.session;
    fixture.device.run(&Command::Recover { session }).unwrap();
    let run = fixture.run();
    assert_eq!((run.used.minutes(), run.node(&"a".into()).unwrap().used.minutes()), (1, 1));
    assert_eq!(run.node(&"b".into()).unwrap().used.minutes(), 0);
}

#[test]
fn run_pauses_at_its_limits_and_resumes_with_raised_ones() {
    let mut graph = chain();
    graph.limits.turns = Some(1);
    let mut fixture = GraphFixture::start(graph.clone()).unwrap();
    fixture.next();
    fixture.reply("one");
    assert_eq!(fixture.next(), None);
    assert_eq!(*fixture.pause(), PauseCause::TurnCap(ONE_OF_ONE));
    let run = fixture.run().id;
    fixture.device.run(&Command::ContinueRun { run }).unwrap();
    assert_eq!((fixture.next(), fixture.run().caps.turns), (Some("b".into()), Some(2)));

    (graph.limits.turns, graph.limits.minutes) = (None, Some(1));
    let mut fixture = GraphFixture::start(graph).unwrap();
    fixture.next();
    fixture.device.now += 90_000;
    fixture.reply("slow");
    assert_eq!(fixture.next(), None);
    assert_eq!(*fixture.pause(), PauseCause::TimeCap(ONE_OF_ONE));
    // Ending it now is a timeout; its work stays, and it can be resumed.
    let run = fixture.run().id;
    fixture.device.run(&Command::EndRun { run }).unwrap();
    assert_eq!(fixture.run().status, RunStatus::TimedOut);
    assert_eq!(fixture.node("a").last_output.as_ref().unwrap().summary, "slow");
    transitions_are_legal(&fixture.device.events);
}

#[test]
fn run_with_budget_completion_ends_at_its_budget() {
    let mut graph = looped(GraphLimits::default());
    (graph.completion, graph.limits.turns) = (Completion::Budget, Some(3));
    let mut fixture = GraphFixture::start(graph.clone()).unwrap();
    let mut turns = 0;
    while fixture.next().is_some() {
        turns += 1;
        fixture.reply(&format!("{turns}"));
    }
    // The scheduler also advances a run that is paused at its budget.
    let run = fixture.run().id;
    fixture.device.run(&Command::AdvanceRun { run }).unwrap();
    assert_eq!((turns, fixture.run().status), (3, RunStatus::Completed));
    // Set during the run.
    graph.completion = Completion::Drained;
    let mut fixture = GraphFixture::start(graph).unwrap();
    let run = fixture.run().id;
    let set = |completion| Command::SetCompletion { run, completion };
    let missing = Rejection::BadGraph(crate::run::graph::GraphError::NoVerifier);
    assert_eq!(fixture.send(set(Completion::Verifier)), Err(missing));
    fixture.send(set(Completion::Budget)).unwrap();
    assert_eq!(fixture.run().graph.as_ref().unwrap().completion, Completion::Budget);
}

#[test]
fn orchestrators_edges_use_a_port_of_their_target() {
    let mut graph = led();
    graph.nodes[1].takes = vec![Port::Diff];
    graph.nodes.push(spec("check", "verifier"));
    let mut fixture = GraphFixture::start(graph).unwrap();
    fixture.next();
    let edge = |from: &str| GraphRequest::AddEdge { from: from.into(), to: "build".into(), status: None };
    fixture.call_tools(vec![edge("check"), edge("lead")]);
    let results: Vec<bool> = fixture
        .device
        .world
        .tool_runs
        .values()
        .map(|run| run.result.as_ref().is_some_and(|result| result.get("error").is_some()))
        .collect();
    assert_eq!(results, [true, false], "a verifier puts out no diff");
    let added = fixture.device.events.iter().find_map(|event| match event.known_kind() {
        Some(EventKind::GraphChanged { change: GraphChange::EdgeAdded(edge) }) => Some(edge.port),
        _ => None,
    });
    assert_eq!(added, Some(Port::Diff));
}

use proptest::prelude::*;

use super::*;
use crate::agent::Priority;
use crate::id::{Millis, RunId, SessionId};
use crate::run::{Rounds, RunCause, RunLimits, RunMode, RunStatus, RunUsage};
use crate::testing::SeqIds;
use nexus_text::content_hash::ContentHash;

fn run(priorities: &[Priority]) -> Run {
    let mut ids = SeqIds::default();
    let node = |(place, priority): (usize, &Priority)| Node {
        id: format!("n{place}").as_str().into(),
        kind: "agent.test".into(),
        agent: None,
        priority: *priority,
        place: u32::try_from(place).unwrap(),
        status: NodeStatus::Ready,
        turn: None,
        provider_session: None,
        terminal: None,
        workspace: None,
        inbox: Vec::new(),
        continues: None,
        config: None,
        tools: None,
        last_output: None,
    };
    Run {
        id: RunId::new(&mut ids),
        session: SessionId::new(&mut ids),
        mode: RunMode::Interactive,
        status: RunStatus::Running,
        cause: RunCause::GoOn(RunId::new(&mut ids)),
        messages: Vec::new(),
        nodes: priorities.iter().enumerate().map(node).collect(),
        edges: Vec::new(),
        rounds: Rounds { current: 1, limit: 1, definition_of_done: String::new() },
        round_mind: ContentHash::of_text(""),
        round_summaries: Vec::new(),
        verdict: None,
        caps: RunLimits::default(),
        used: RunUsage::default(),
        pause: None,
        artifacts: Vec::new(),
        opened_at: Millis(0),
        ended_at: None,
    }
}

fn any_priority() -> impl Strategy<Value = Priority> {
    prop_oneof![Just(Priority::High), Just(Priority::Normal), Just(Priority::Low)]
}

proptest! {
    #[test]
    fn nodes_run_by_priority_then_roster_each_once_and_one_at_a_time(
        priorities in proptest::collection::vec(any_priority(), 0..12)
    ) {
        let mut run = run(&priorities);
        let mut order = Vec::new();
        while let Some(id) = next(&run).map(|node| node.id.clone()) {
            let at = run.nodes.iter().position(|node| node.id == id).unwrap();
            run.nodes[at].status = NodeStatus::Running;
            prop_assert!(next(&run).is_none(), "two nodes at a time");
            run.nodes[at].status = NodeStatus::Done;
            order.push((std::cmp::Reverse(run.nodes[at].priority), run.nodes[at].place));
        }
        prop_assert_eq!(order.len(), priorities.len());
        prop_assert!(order.is_sorted());
    }
}

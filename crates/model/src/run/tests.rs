use proptest::prelude::*;

use super::*;
use crate::testing::SeqIds;

fn run(priorities: &[Priority]) -> Run {
    let mut ids = SeqIds::default();
    let node = |(place, priority): (u32, &Priority)| {
        let node = Node::new(format!("n{place}").as_str().into(), "agent.test", place);
        Node { priority: *priority, status: NodeStatus::Ready, ..node }
    };
    let (id, session) = (RunId::new(&mut ids), SessionId::new(&mut ids));
    let cause = RunCause::Continued(RunId::new(&mut ids));
    Run {
        nodes: (0..).zip(priorities).map(node).collect(),
        ..Run::opened(id, session, cause, ContentHash::of_text(""), Millis(0))
    }
}

#[test]
fn limits_reached_in_old_logs_are_read() {
    let old = r#"[{"call_cap":{"calls":60}},{"cost_cap":{"cost":6}},{"time_cap":{"minutes":5}}]"#;
    let at = |used| ReachedLimit { used, limit: None, shared: false };
    let read: Vec<PauseCause> = serde_json::from_str(old).unwrap();
    let text = serde_json::to_string(&read).unwrap();
    assert_eq!(serde_json::from_str::<Vec<PauseCause>>(&text).unwrap(), read, "{text}");
    assert_eq!(nexus_text::json::read::<Vec<PauseCause>>(&text).unwrap(), read, "{text}");
    assert_eq!(read, [PauseCause::CallCap(at(60)), PauseCause::CostCap(at(6)), PauseCause::TimeCap(at(5))]);
}

fn any_priority() -> impl Strategy<Value = Priority> {
    prop_oneof![Just(Priority::High), Just(Priority::Normal), Just(Priority::Low)]
}

proptest! {
    #[test]
    fn nodes_run_once_one_at_a_time_by_priority_then_roster(
        priorities in proptest::collection::vec(any_priority(), 0..12)
    ) {
        let mut run = run(&priorities);
        let mut order = Vec::new();
        while let Some(id) = run.next_ready().map(|node| node.id.clone()) {
            let at = run.nodes.iter().position(|node| node.id == id).unwrap();
            run.nodes[at].status = NodeStatus::Running;
            prop_assert!(run.next_ready().is_none(), "two nodes at a time");
            run.nodes[at].status = NodeStatus::Done;
            order.push((std::cmp::Reverse(run.nodes[at].priority), run.nodes[at].place));
        }
        prop_assert_eq!(order.len(), priorities.len());
        prop_assert!(order.is_sorted());
    }
}

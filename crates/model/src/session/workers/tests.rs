use std::sync::Arc;

use super::*;

#[test]
fn depth_limit_is_three_and_can_be_raised_or_removed() {
    let mut world = World::default();
    assert_eq!(depth_limit(&world), Some(3));
    for (value, limit) in [(5, Some(5)), (0, None), (1_000_000, Some(WORKER_DEPTH_MOST))] {
        world.settings.insert(WORKER_DEPTH_LIMIT.name().to_owned(), Arc::new(serde_json::json!(value)));
        assert_eq!(depth_limit(&world), limit);
    }
    world.settings.insert(WORKER_DEPTH_LIMIT.name().to_owned(), Arc::new(serde_json::json!("deep")));
    assert_eq!(depth_limit(&world), Some(3));
}

#[test]
fn waits_for_the_operator_are_no_working_time() {
    use crate::event::{EVENT_VERSION, Event, EventKind};
    use crate::id::StreamId;
    use crate::run::RunCause;
    let node = Node { status: NodeStatus::Ready, ..Node::new("a".into(), "agent.a", 0) };
    let hash = nexus_text::content_hash::ContentHash::of_text("");
    let opened = Run::opened(7.into(), 1.into(), RunCause::Message(2.into()), hash, Millis(0));
    let run = Run { nodes: vec![node], ..opened };
    let mut world = World::default();
    let mut note = |at: u64, kind: EventKind| {
        let (stream, run) = (StreamId::Session(1.into()), Some(7.into()));
        let event = Event {
            v: EVENT_VERSION,
            stream,
            seq: at + 1,
            at: Millis(at),
            run,
            turn: None,
            kind: kind.into(),
        };
        let rows = crate::fold::fold(&world, &[event]);
        world.absorb(rows);
        work(world.run(&7.into()).unwrap())
    };
    let changed = |status| EventKind::NodeChanged { node: "a".into(), status, output: None, continues: None };
    note(0, EventKind::RunOpened { run: run.clone() });
    assert_eq!(note(10, changed(NodeStatus::Running)), (0, Some(Millis(10))));
    assert_eq!(note(40, EventKind::RunPaused { cause: PauseCause::Choice }), (30, None));
    assert_eq!(note(900, EventKind::RunResumed { caps: run.caps }), (30, Some(Millis(900))));
    assert_eq!(note(905, changed(NodeStatus::Blocked)), (35, None));
}

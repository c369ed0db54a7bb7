use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::id::SessionId;
use crate::message::Message;
use crate::message::content::{MessagePart, PartBody, ToolResult};
use crate::testing::{a_message, a_turn};
use crate::turn::TurnEnd;

/// A thread of turns, each with its agent and the size of its tool result.
fn thread(turns: &[(&str, usize)]) -> World {
    let mut world = World::default();
    let session = SessionId::from(1);
    for (number, (agent, bytes)) in (1u128..).zip(turns) {
        let mut row = a_turn(TurnId::from(number), session);
        row.agent = (*agent).into();
        row.parent = (number > 1).then(|| TurnId::from(number - 1));
        row.end = Some(TurnEnd::Completed);
        let answer = ToolResult {
            call_id: "c".into(),
            name: "read_file".into(),
            result: json!({ "text": "x".repeat(*bytes) }),
            is_error: false,
        };
        let message = Message {
            role: Role::Tool,
            parts: vec![PartBody::ToolResult(answer).into(), MessagePart::text("")],
            turn: Some(row.id),
            ..a_message(MessageId::from(1_000 + number), session)
        };
        row.messages.push(message.id);
        world.messages.insert(message.id, Arc::new(message));
        world.turns.insert(row.id, Arc::new(row));
    }
    world
}

fn select(world: &World, newest: u128, most: u64) -> (Vec<u128>, Vec<u128>, Vec<u128>, u64) {
    let context = crate::context::compaction::thread_context(world, Some(TurnId::from(newest)));
    let agent = AgentKey::from("a");
    let shown = select_turns(
        world,
        &context,
        HistoryRequest { agent: &agent, kinds: InputKinds::ALL, cut: None },
        100,
        |t| t <= most,
    );
    let bits = |turns: &[TurnId]| turns.iter().map(|id| id.bits()).collect();
    let short = shown.truncated.iter().map(|id| id.bits() - 1_000).collect();
    (bits(&shown.turns), bits(&shown.omitted), short, shown.tokens)
}

#[test]
fn results_of_newest_turns_are_truncated_oldest_first_before_omitting_a_turn() {
    let world = thread(&[("a", 400), ("a", 40_000), ("a", 40_000), ("a", 40_000)]);
    let (turns, left_out, short, whole) = select(&world, 4, 100_000);
    assert_eq!((turns.as_slice(), left_out.as_slice(), short.len()), (&[1, 2, 3, 4][..], &[][..], 0));
    // Slightly too much: the oldest of the newest three is truncated, and older turns fit again.
    let (turns, _, short, tokens) = select(&world, 4, whole - 1_000);
    assert_eq!((turns, short), (vec![1, 2, 3, 4], vec![2]));
    assert!(tokens < whole - 9_000);
    assert_eq!(select(&world, 4, 12_000).2, [3, 2], "each when it no longer fits");
    assert_eq!(select(&world, 4, 2_500).2, [4, 3, 2]);
    // If truncation is not enough, the turn and all older ones are omitted.
    let (turns, left_out, short, tokens) = select(&world, 4, 900);
    assert_eq!((turns, left_out, short), (vec![4], vec![1, 2, 3], vec![4]));
    assert!(tokens <= 900);
    assert_eq!(select(&world, 4, 200), (vec![], vec![1, 2, 3, 4], vec![], 100));
}

#[test]
fn request_includes_turns_up_to_its_token_limit() {
    let world = thread(&[("a", 1); 3_002]);
    let (turns, left_out, _, whole) = select(&world, 3_002, 1_000_000);
    assert_eq!((turns.len(), left_out), (3_002, vec![]));
    let (turns, left_out, ..) = select(&world, 3_002, whole - 1);
    assert_eq!((turns.len(), left_out), (3_001, vec![1]));
}

#[test]
fn older_turn_is_whole_or_omitted() {
    let world = thread(&[("a", 40_000), ("a", 10), ("a", 10), ("a", 10)]);
    assert_eq!(select(&world, 4, 5_000).1, [1]);
    assert_eq!(select(&world, 4, 5_000).2, [0u128; 0]);
}

#[test]
fn tool_results_of_other_agents_take_no_tokens() {
    let world = thread(&[("a", 10), ("b", 400_000), ("b", 400_000)]);
    let (turns, left_out, short, tokens) = select(&world, 3, 1_000);
    assert_eq!((turns.len(), left_out.len(), short.len()), (3, 0, 0));
    assert!(tokens < 300);
}

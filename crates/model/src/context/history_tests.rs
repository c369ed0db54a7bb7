use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::id::SessionId;
use crate::message::Message;
use crate::message::content::{MessagePart, PartBody, ToolResult};
use crate::testing::{a_message, a_turn};
use crate::turn::TurnEnd;

/// A thread of turns that each hold a result of so many bytes, made by this agent.
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

fn look(world: &World, newest: u128, most: u64) -> (Vec<u128>, Vec<u128>, Vec<u128>, u64) {
    let context = crate::context::compaction::thread_context(world, Some(TurnId::from(newest)));
    let agent = AgentKey::from("a");
    let shown = shown(
        world,
        &context,
        HistoryRequest { agent: &agent, kinds: InputKinds::ALL, cut: None },
        100,
        |t| t <= most,
    );
    let bits = |turns: &[TurnId]| turns.iter().map(|id| id.bits()).collect();
    let short = shown.curtailed.iter().map(|id| id.bits() - 1_000).collect();
    (bits(&shown.turns), bits(&shown.left_out), short, shown.tokens)
}

#[test]
fn the_newest_turns_are_given_in_short_before_one_of_them_is_left_out_and_the_oldest_first() {
    let world = thread(&[("a", 400), ("a", 40_000), ("a", 40_000), ("a", 40_000)]);
    let (turns, left_out, short, whole) = look(&world, 4, 100_000);
    assert_eq!((turns.as_slice(), left_out.as_slice(), short.len()), (&[1, 2, 3, 4][..], &[][..], 0));
    // A little too much: the oldest of the three in short, and what is older fits again.
    let (turns, _, short, tokens) = look(&world, 4, whole - 1_000);
    assert_eq!((turns, short), (vec![1, 2, 3, 4], vec![2]));
    assert!(tokens < whole - 9_000);
    assert_eq!(look(&world, 4, 12_000).2, [3, 2], "each as it has no room");
    assert_eq!(look(&world, 4, 2_500).2, [4, 3, 2]);
    // Not even in short: then it is left out, and with it all that is older.
    let (turns, left_out, short, tokens) = look(&world, 4, 900);
    assert_eq!((turns, left_out, short), (vec![4], vec![1, 2, 3], vec![4]));
    assert!(tokens <= 900);
    assert_eq!(look(&world, 4, 200), (vec![], vec![1, 2, 3, 4], vec![], 100));
}

#[test]
fn a_request_holds_as_many_turns_as_its_tokens_allow_and_ends_there() {
    let world = thread(&[("a", 1); 3_002]);
    let (turns, left_out, _, whole) = look(&world, 3_002, 1_000_000);
    assert_eq!((turns.len(), left_out), (3_002, vec![]));
    let (turns, left_out, ..) = look(&world, 3_002, whole - 1);
    assert_eq!((turns.len(), left_out), (3_001, vec![1]));
}

#[test]
fn an_older_turn_is_whole_or_left_out() {
    let world = thread(&[("a", 40_000), ("a", 10), ("a", 10), ("a", 10)]);
    assert_eq!(look(&world, 4, 5_000).1, [1]);
    assert_eq!(look(&world, 4, 5_000).2, [0u128; 0]);
}

#[test]
fn what_the_tools_of_others_answered_takes_no_room() {
    let world = thread(&[("a", 10), ("b", 400_000), ("b", 400_000)]);
    let (turns, left_out, short, tokens) = look(&world, 3, 1_000);
    assert_eq!((turns.len(), left_out.len(), short.len()), (3, 0, 0));
    assert!(tokens < 300);
}

//! Detects loops in runs: repeated tool calls, repeated or alternating answers, turns without changes.
//!
//! `decide` pauses the run.

use crate::limits::{IDLE_TURNS, REPEATS};
use crate::message::content::{ToolArgs, ToolCall, text_of};
use crate::run::Run;
use crate::turn::Turn;
use crate::world::World;
use nexus_text::content_hash::canonical_json;

/// Evidence of a repeated call: the same tool with the same arguments [`REPEATS`] times in a row, without a change of
/// the mind.
pub fn repeated_call(world: &World, turn: &Turn) -> Option<String> {
    let runs: Vec<_> = turn.tool_runs.iter().filter_map(|id| world.tool_run(id)).collect();
    let newest = runs.last()?;
    let same = runs
        .iter()
        .rev()
        .take_while(|run| run.minds.is_none() && signature(&run.call) == signature(&newest.call))
        .count();
    (same >= REPEATS).then(|| format!("{} was called {same} times with the same arguments", newest.call.name))
}

fn signature(call: &ToolCall) -> (String, String) {
    let args = match &call.args {
        ToolArgs::Parsed(value) => canonical_json(value),
        ToolArgs::Broken(text) => text.clone(),
    };
    (call.name.clone(), args)
}

/// Evidence of a loop in the closed turns of a run: the same answer of an agent [`REPEATS`] times, answers that
/// alternate A, B, A, B, or [`IDLE_TURNS`] turns without a change of the mind.
pub fn loop_evidence(world: &World, run: &Run) -> Option<String> {
    // Turns before the operator resumed the run do not count.
    let since = run.graph.as_ref().and_then(|graph| graph.since);
    let turns: Vec<_> = world
        .replies(world.session(&run.session).and_then(|session| session.head))
        .take_while(|turn| turn.run == Some(run.id) && since.is_none_or(|since| turn.id > since))
        .take(IDLE_TURNS)
        .collect();
    if turns.len() == IDLE_TURNS
        && turns.iter().all(|turn| turn.mind_after.as_ref() == Some(&turn.mind_before))
    {
        return Some(format!("{IDLE_TURNS} turns changed nothing"));
    }
    let newest = turns.first()?;
    let answers: Vec<String> = turns
        .iter()
        .filter(|turn| turn.agent == newest.agent)
        // In a graph, a node may repeat its answer while its tools did different work; its turns are limited
        // separately.
        .filter(|turn| run.graph.is_none() || turn.tool_runs.is_empty())
        .take(4)
        .map(|turn| answer_of(world, turn))
        .collect();
    match answers.as_slice() {
        [a, b, c, ..] if !a.is_empty() && a == b && b == c => {
            Some(format!("{} gave the same answer {REPEATS} times", newest.agent))
        }
        [a, b, c, d] if !a.is_empty() && a == c && b == d && a != b => {
            Some(format!("{} goes back and forth between two answers", newest.agent))
        }
        _ => None,
    }
}

/// The last non-empty text of a turn, trimmed.
fn answer_of(world: &World, turn: &Turn) -> String {
    turn.messages
        .iter()
        .rev()
        .filter_map(|id| world.message(id))
        .map(|message| text_of(&message.parts))
        .find(|text| !text.trim().is_empty())
        .map(|text| text.trim().to_owned())
        .unwrap_or_default()
}

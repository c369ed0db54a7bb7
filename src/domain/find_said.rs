//! Never looks at what is not loaded, and never at what an agent thought.
//!
//! Owns finding a text in a conversation: in what was said, and in what tools were asked and answered.

use serde_json::Value;

use crate::domain::limits::FIND_PLACES;
use crate::domain::part::{ToolArgs, text_of};
use crate::domain::timeline::{Row, RowKey};

/// A place where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The row.
    pub key: RowKey,
    /// Which one in this row, from 0.
    pub nth: usize,
}

/// The places where `wanted` stands, in the order of the rows; the newest of them where there are too many.
pub fn find<'r>(
    rows: impl DoubleEndedIterator<Item = &'r (RowKey, Row)>,
    wanted: &str,
    any_case: bool,
) -> Vec<Place> {
    let needle = if any_case { wanted.to_lowercase() } else { wanted.to_owned() };
    if needle.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (key, row) in rows.rev() {
        let count: usize = texts(row).iter().map(|text| count(text, &needle, any_case)).sum();
        let room = FIND_PLACES.saturating_sub(found.len());
        found.extend((0..count).rev().take(room).map(|nth| Place { key: key.clone(), nth }));
        if found.len() >= FIND_PLACES {
            break;
        }
    }
    found.reverse();
    found
}

/// Where a search goes on that stood at a place before: at that place, else the newest one.
pub fn stands(places: &[Place], before: Option<&Place>) -> Option<usize> {
    let same = before.and_then(|before| places.iter().position(|place| place == before));
    same.or_else(|| places.len().checked_sub(1))
}

fn count(text: &str, needle: &str, any_case: bool) -> usize {
    if any_case { text.to_lowercase().matches(needle).count() } else { text.matches(needle).count() }
}

fn texts(row: &Row) -> Vec<String> {
    match row {
        Row::Message { message, .. } => vec![text_of(&message.0.parts)],
        Row::Tool { run, .. } => {
            let mut out = vec![run.0.call.name.clone()];
            match &run.0.call.args {
                ToolArgs::Parsed(args) => leaves(args, &mut out),
                ToolArgs::Broken(text) => out.push(text.clone()),
            }
            if let Some(result) = &run.0.result {
                leaves(result, &mut out);
            }
            out
        }
        Row::Held { .. }
        | Row::Ending { .. }
        | Row::Round(_)
        | Row::Paused { .. }
        | Row::Unasked { .. }
        | Row::Siblings { .. }
        | Row::Ahead { .. }
        | Row::Compaction { .. }
        | Row::Forked { .. }
        | Row::Unread => Vec::new(),
    }
}

/// The texts in a value. What came from outside was bounded in depth when it was read.
pub fn leaves(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Number(number) => out.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, out)),
        Value::Object(members) => members.iter().for_each(|(_, item)| leaves(item, out)),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
#[path = "find_said_tests.rs"]
mod tests;

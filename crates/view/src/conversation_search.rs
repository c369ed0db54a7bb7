//! Plain-text search in the loaded conversation: messages, tool arguments and tool results.
//!
//! Skips the models' thinking.

use crate::timeline::{PtrEq, TimelineKey, TimelineRow};
use nexus_model::limits::FIND_PLACES;
use nexus_model::message::content::{ToolArgs, text_of};
use nexus_model::search_index::excerpt::leaves;

/// A match in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversationMatch {
    pub key: TimelineKey,
    /// Index among the matches of this row, from 0.
    pub nth: usize,
}

/// All matches of `wanted` in row order; only the newest if there are more than the limit.
pub fn find<'r>(
    rows: impl DoubleEndedIterator<Item = &'r (TimelineKey, TimelineRow)>,
    wanted: &str,
    any_case: bool,
) -> Vec<ConversationMatch> {
    let needle = if any_case { wanted.to_lowercase() } else { wanted.to_owned() };
    if needle.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (key, row) in rows.rev() {
        let count: usize = texts(row).iter().map(|text| count(text, &needle, any_case)).sum();
        let room = FIND_PLACES.saturating_sub(found.len());
        found.extend((0..count).rev().take(room).map(|nth| ConversationMatch { key: key.clone(), nth }));
        if found.len() >= FIND_PLACES {
            break;
        }
    }
    found.reverse();
    found
}

/// Index of the current match after the matches changed: the same match if it still exists, else the newest.
pub fn current_match(matches: &[ConversationMatch], before: Option<&ConversationMatch>) -> Option<usize> {
    let same = before.and_then(|before| matches.iter().position(|place| place == before));
    same.or_else(|| matches.len().checked_sub(1))
}

fn count(text: &str, needle: &str, any_case: bool) -> usize {
    if any_case { text.to_lowercase().matches(needle).count() } else { text.matches(needle).count() }
}

fn texts(row: &TimelineRow) -> Vec<String> {
    if let Some(message) = row.message() {
        return vec![text_of(&message.parts)];
    }
    let Some(PtrEq(run)) = row.tool() else { return Vec::new() };
    let mut out = vec![run.call.name.clone()];
    match &run.call.args {
        ToolArgs::Parsed(args) => leaves(args, &mut out),
        ToolArgs::Broken(text) => out.push(text.clone()),
    }
    if let Some(result) = &run.result {
        leaves(result, &mut out);
    }
    out
}

#[cfg(test)]
mod tests;

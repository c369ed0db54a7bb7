//! Never looks anything up.
//!
//! Owns the words of the face COMPARE.

use crate::domain::review::{Base, Field};
use crate::ui::words::count;

pub(crate) const TITLE: &str = "Changes";
pub(crate) const AGAINST: &str = "Compare with";
pub(crate) const EARLIER: &str = "Load earlier turns";
pub(crate) const SIDE_BY_SIDE: &str = "Side by side";
pub(crate) const NOTHING_YET: &str =
    "Nothing to compare with yet. After the first turn, what the agents change stands here.";
pub(crate) const NO_CHANGES: &str = "No differences.";
pub(crate) const ALL_REVIEWED: &str = "All changes are reviewed.";
pub(crate) const ACCEPT: &str = "Accept";
pub(crate) const ACCEPT_ABOUT: &str =
    "Reviewed: it no longer stands among what is new. The text stays as it is.";
pub(crate) const REVERT: &str = "Revert";
pub(crate) const REVERT_ABOUT: &str = "Write the old lines back";
pub(crate) const ACCEPT_ALL: &str = "Accept all";
pub(crate) const ACCEPT_FILE: &str = "Accept file";
pub(crate) const REVERT_FILE: &str = "Revert file";
pub(crate) const PICK: &str = "Pick to send back";
pub(crate) const REVIEWED: &str = "reviewed";
pub(crate) const SHOW: &str = "Show";
pub(crate) const EMPTY: &str = "An empty file.";
pub(crate) const MADE: &str = "new";
pub(crate) const GONE: &str = "deleted";
pub(crate) const YOU: &str = "you";
pub(crate) const CORE: &str = "the Core";
pub(crate) const NOBODY: &str = "before the loaded turns";
pub(crate) const KEYS: &str =
    "j / k next, previous · a accept · r revert · Shift A, Shift R the whole file · x pick · t to the turn";
pub(crate) const SEND_BACK: &str = "Send back";
pub(crate) const REMARK: &str = "Remark";
pub(crate) const REMARK_HINT: &str = "What should be different?";
pub(crate) const FORGET_PICKS: &str = "Cancel";
pub(crate) const ACCEPTED_ALL: &str = "All changes are accepted.";
pub(crate) const TURN_NOT_LOADED: &str = "That turn is not loaded.";

/// What a field is called.
pub(crate) fn field(field: &Field) -> String {
    match field {
        Field::Objective => "Primary directive".to_owned(),
        Field::Scratchpad => "Scratchpad".to_owned(),
        Field::File(name) => name.clone(),
    }
}

/// What a field is called where an agent is told of it.
pub(crate) fn quoted_field(field: &Field) -> String {
    match field {
        Field::Objective => "the objective".to_owned(),
        Field::Scratchpad => "the scratchpad".to_owned(),
        Field::File(name) => name.clone(),
    }
}

/// What a comparison is made against. `turn` is the agent and the time of day of a turn.
pub(crate) fn base(base: &Base, turn: Option<(String, String)>) -> String {
    match (base, turn) {
        (Base::Review, _) => "your last review".to_owned(),
        (Base::RunStart, _) => "the start of this run".to_owned(),
        (Base::RoundStart, _) => "the start of this round".to_owned(),
        (Base::LastSync, _) => "the last sync of the Core".to_owned(),
        (Base::Disk, _) => "the folder on disk".to_owned(),
        (Base::Turn(_), Some((agent, at))) => format!("after {agent}, {at}"),
        (Base::Turn(_), None) => "a turn".to_owned(),
    }
}

/// The lines of a hunk: “line 3”, “lines 3–7”, “after line 2”.
pub(crate) fn lines(start: usize, end: usize) -> String {
    match end.saturating_sub(start) {
        0 => format!("after line {start}"),
        1 => format!("line {}", start + 1),
        _ => format!("lines {}–{end}", start + 1),
    }
}

pub(crate) fn folded(lines: usize) -> String {
    format!("⋯ {} unchanged", count(lines, "line", "lines"))
}

pub(crate) fn figures(fields: usize, hunks: usize, left: usize) -> String {
    let all = format!("{} in {}", count(hunks, "change", "changes"), count(fields, "field", "fields"));
    if left == hunks { all } else { format!("{all} · {left} to review") }
}

pub(crate) fn picked(number: usize, agents: &str) -> String {
    format!("{} for {agents}", count(number, "change", "changes"))
}

pub(crate) fn not_sendable(number: usize) -> String {
    format!("{} not made by an agent, and stays here.", count(number, "change was", "changes were"))
}

pub(crate) fn sent(agents: &str) -> String {
    format!("Sent back to {agents}.")
}

/// Where the reader is, for those who hear the page.
pub(crate) fn announced(place: usize, of: usize, field: &str, lines: &str, by: &str) -> String {
    format!("Change {place} of {of}: {field}, {lines}, by {by}")
}

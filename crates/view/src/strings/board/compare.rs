//! Strings of the COMPARE view.

use crate::strings::format::count;
use nexus_model::mind::review::{ComparisonBase, MindField};

pub const TITLE: &str = "Changes";
pub const AGAINST: &str = "Compare with";
pub const EARLIER: &str = "Load earlier turns";
pub const SIDE_BY_SIDE: &str = "Side by side";
pub const NOTHING_YET: &str =
    "Nothing to compare with yet. The agents’ changes appear here after the first turn.";
pub const NO_CHANGES: &str = "No differences.";
pub const ALL_REVIEWED: &str = "All changes are reviewed.";
pub const ACCEPT: &str = "Accept";
pub const ACCEPT_ABOUT: &str = "Marks the change as reviewed. The text is not changed.";
pub const REVERT: &str = "Revert";
pub const REVERT_ABOUT: &str = "Restores the old lines";
pub const ACCEPT_ALL: &str = "Accept all";
pub const ACCEPT_FILE: &str = "Accept file";
pub const REVERT_FILE: &str = "Revert file";
pub const PICK: &str = "Select to request changes";
pub const REVIEWED: &str = "reviewed";
pub const SHOW: &str = "Show";
pub const EMPTY: &str = "Empty file";
pub const MADE: &str = "new";
pub const GONE: &str = "deleted";
pub const YOU: &str = "you";
pub const CORE: &str = "the Core";
pub const NOBODY: &str = "before the first turn";
/// While the turn that wrote a change is looked for.
pub const SOMEBODY: &str = "reading earlier turns…";
pub const KEYS: &str =
    "j / k next, previous · a accept · r revert · Shift A, Shift R whole file · x select · t go to turn";
pub const SEND_BACK: &str = "Request changes";
pub const REMARK: &str = "Comment";
pub const REMARK_HINT: &str = "What should be different?";
pub const FORGET_PICKS: &str = "Cancel";
pub const REVERTED_ALL: &str = "All changes reverted.";
pub const ACCEPTED_ALL: &str = "All changes accepted.";

/// Where a comparison ends before all lines were shown.
pub fn more_lines(left: usize) -> String {
    format!("… {}", count(left, "more line", "more lines"))
}

/// What a field is called.
pub fn field(field: &MindField) -> String {
    match field {
        MindField::Objective => "Objective".to_owned(),
        MindField::Scratchpad => "Scratchpad".to_owned(),
        MindField::File(name) => name.clone(),
    }
}

pub const REVIEW: &str = "Review";
pub const KEEP_ALL: &str = "Keep all";
pub const UNDO_ALL: &str = "Undo all";

/// What agents changed since the last review: files, and the objective or scratchpad.
pub fn changed(files: usize, others: usize) -> String {
    match (files, others) {
        (0, _) => "Plan changed".to_owned(),
        (files, _) => format!("{} changed", count(files, "file", "files")),
    }
}

/// A change was reverted.
pub fn reverted(of: &MindField) -> String {
    format!("Reverted a change in {}.", field(of))
}

/// What a field is called where an agent is told of it.
pub fn quoted_field(field: &MindField) -> String {
    match field {
        MindField::Objective => "the objective".to_owned(),
        MindField::Scratchpad => "the scratchpad".to_owned(),
        MindField::File(name) => name.clone(),
    }
}

/// What a comparison is made against. `turn` is the agent and the time of day of a turn.
pub fn base(base: &ComparisonBase, turn: Option<(String, String)>) -> String {
    match (base, turn) {
        (ComparisonBase::Review, _) => "your last review".to_owned(),
        (ComparisonBase::RunStart, _) => "the start of this run".to_owned(),
        (ComparisonBase::RoundStart, _) => "the start of this round".to_owned(),
        (ComparisonBase::LastSync, _) => "the last sync".to_owned(),
        (ComparisonBase::Disk, _) => "the folder on disk".to_owned(),
        (ComparisonBase::Turn(_), Some((agent, at))) => format!("after {agent}, {at}"),
        (ComparisonBase::Turn(_), None) => "a turn".to_owned(),
    }
}

/// The lines of a hunk: “line 3”, “lines 3–7”, “after line 2”.
pub fn lines(start: usize, end: usize) -> String {
    match end.saturating_sub(start) {
        0 => format!("after line {start}"),
        1 => format!("line {}", start + 1),
        _ => format!("lines {}–{end}", start + 1),
    }
}

pub fn folded(lines: usize) -> String {
    format!("⋯ {} unchanged", count(lines, "line", "lines"))
}

pub fn figures(fields: usize, hunks: usize, left: usize) -> String {
    let all = format!("{} in {}", count(hunks, "change", "changes"), count(fields, "field", "fields"));
    if left == hunks { all } else { format!("{all} · {left} to review") }
}

pub fn picked(number: usize, agents: &str) -> String {
    format!("{} for {agents}", count(number, "change", "changes"))
}

pub fn not_sendable(number: usize) -> String {
    format!("{} not made by an agent and cannot be sent.", count(number, "change was", "changes were"))
}

pub fn sent(agents: &str) -> String {
    format!("Changes requested from {agents}.")
}

/// Where the reader is, for those who hear the page.
pub fn announced(place: usize, of: usize, field: &str, lines: &str, by: &str) -> String {
    format!("Change {place} of {of}: {field}, {lines}, by {by}")
}

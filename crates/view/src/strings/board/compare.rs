//! Strings of the COMPARE view.

use crate::language::{Text, text};
use crate::strings::format::count;
use nexus_model::mind::review::{ComparisonBase, MindField};

pub const TITLE: Text = Text("Changes");
pub const AGAINST: Text = Text("Compare with");
pub const EARLIER: Text = Text("Load earlier turns");
pub const SIDE_BY_SIDE: Text = Text("Side by side");
pub const NOTHING_YET: Text =
    Text("Nothing to compare with yet. The agents’ changes appear here after the first turn.");
pub const NO_CHANGES: Text = Text("No differences.");
pub const ALL_REVIEWED: Text = Text("All changes are reviewed.");
pub const ACCEPT: Text = Text("Accept");
pub const ACCEPT_ABOUT: Text = Text("Marks the change as reviewed. The text is not changed.");
pub const REVERT: Text = Text("Revert");
pub const REVERT_ABOUT: Text = Text("Restores the old lines");
pub const ACCEPT_ALL: Text = Text("Accept all");
pub const ACCEPT_FILE: Text = Text("Accept file");
pub const REVERT_FILE: Text = Text("Revert file");
pub const PICK: Text = Text("Select to request changes");
pub const REVIEWED: Text = Text("reviewed");
pub const SHOW: Text = Text("Show");
pub const EMPTY: Text = Text("Empty file");
pub const MADE: Text = Text("new");
pub const GONE: Text = Text("deleted");
pub const YOU: Text = Text("you");
pub const CORE: Text = Text("the Core");
pub const NOBODY: Text = Text("before the first turn");
pub const SOMEBODY: Text = Text("reading earlier turns…");
pub const KEYS: Text = Text(
    "j / k next, previous · a accept · r revert · Shift A, Shift R whole file · x select · t go to turn · Ctrl Z undo",
);
pub const SEND_BACK: Text = Text("Request changes");
pub const REMARK: Text = Text("Comment");
pub const REMARK_HINT: Text = Text("What should be different?");
pub const FORGET_PICKS: Text = Text("Cancel");
pub const REVERTED_ALL: Text = Text("All changes reverted.");
pub const ACCEPTED_ALL: Text = Text("All changes accepted.");

pub fn more_lines(left: usize) -> String {
    format!("… {}", count(left, "more line", "more lines"))
}

pub fn field(field: &MindField) -> String {
    match field {
        MindField::Objective => text!("Objective"),
        MindField::Scratchpad => text!("Scratchpad"),
        MindField::File(name) => name.clone(),
    }
}

pub const REVIEW: Text = Text("Review");
pub const KEEP_ALL: Text = Text("Keep all");
pub const UNDO_ALL: Text = Text("Undo all");

/// What agents changed since the last review: files, and the objective or scratchpad.
pub fn changed(files: usize, others: usize) -> String {
    match (files, others) {
        (0, _) => text!("Plan changed"),
        (files, _) => text!("{} changed", count(files, "file", "files")),
    }
}

texts! {
    pub fn reverted(of: &MindField) = "Reverted a change in {}.", field(of);
    pub fn folded(lines: usize) = "⋯ {} unchanged", count(lines, "line", "lines");
    pub fn picked(number: usize, agents: &str) = "{} for {agents}", count(number, "change", "changes");
    pub fn not_sendable(number: usize) =
        "{} not made by an agent and cannot be sent.", count(number, "change was", "changes were");
    pub fn sent(agents: &str) = "Changes requested from {agents}.";
    pub fn announced(place: usize, of: usize, field: &str, lines: &str, by: &str) =
        "Change {place} of {of}: {field}, {lines}, by {by}";
}

pub fn quoted_field(field: &MindField) -> String {
    match field {
        MindField::Objective => text!("the objective"),
        MindField::Scratchpad => text!("the scratchpad"),
        MindField::File(name) => name.clone(),
    }
}

/// What a comparison is made against. `turn` is the agent and the time of day of a turn.
pub fn base(base: &ComparisonBase, turn: Option<(String, String)>) -> String {
    match (base, turn) {
        (ComparisonBase::Review, _) => text!("your last review"),
        (ComparisonBase::RunStart, _) => text!("the start of this run"),
        (ComparisonBase::RoundStart, _) => text!("the start of this round"),
        (ComparisonBase::LastSync, _) => text!("the last sync"),
        (ComparisonBase::Disk, _) => text!("the folder on disk"),
        (ComparisonBase::Turn(_), Some((agent, at))) => text!("after {agent}, {at}"),
        (ComparisonBase::Turn(_), None) => text!("a turn"),
    }
}

/// The lines of a hunk: “line 3”, “lines 3–7”, “after line 2”.
pub fn lines(start: usize, end: usize) -> String {
    match end.saturating_sub(start) {
        0 => text!("after line {start}"),
        1 => text!("line {}", start + 1),
        _ => text!("lines {}–{end}", start + 1),
    }
}

pub fn figures(fields: usize, hunks: usize, left: usize) -> String {
    let all = text!("{} in {}", count(hunks, "change", "changes"), count(fields, "field", "fields"));
    if left == hunks { all } else { text!("{all} · {left} to review") }
}

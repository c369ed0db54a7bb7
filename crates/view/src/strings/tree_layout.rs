//! Strings of the tree screen and of merges.

use crate::strings::agents::ASKING;
use crate::strings::prelude::*;
use crate::strings::status::ending_short;
use nexus_model::session::SessionOrigin;

pub const SIDE: Text = Text("Turn and sessions");
pub const EMPTY: Text = Text("No turns yet.");
pub const PLANE_ROLE: Text = Text("tree of turns");
pub const KEYS: Text = Text(
    "Arrow keys move, Home and End go to the ends, Space expands a run, plus, minus and 0 zoom, Enter goes to the actions.",
);
pub const WHOLE: Text = Text("Zoom to fit");
pub const HEAD: Text = Text("Head of the session in view");
pub const NO_TURN: Text = Text("Select a turn to see its details.");
pub const ASKED: Text = Text("Asked");
pub const ANSWERED: Text = Text("Answered");
pub const CHANGED: Text = Text("Changed");
pub const OPEN_ABOUT: Text = Text("Open this session in the war room");
pub const INSPECT_ABOUT: Text = Text("The exact request and response of this turn");
pub const MARK: Text = Text("Compare…");
pub const MARK_ABOUT: Text = Text("Select another turn to compare with this one");
pub const MARKED: Text = Text("Selected");
pub const MARKED_NEXT: Text = Text("Now choose the turn to compare with.");
pub const WITH_MARKED: Text = Text("Compare with the selected turn");
pub const SAME: Text = Text("No differences");
pub const COMPARED: Text = Text("Turn comparison");
pub const GONE: Text = Text("The state after one of them is no longer on this device.");
pub const READING: &str = "…";
pub const TORN: Text = Text("The previous turn is not on this device.");
pub const IN_VIEW: Text = Text("in view");
pub const NO_HEAD: Text = Text("no turns yet");

pub const FORK_ABOUT: Text = Text("Create a session from this turn, with the files as they were then");
pub const NAME: Text = Text("Rename session");
pub const MERGE_ABOUT: Text =
    Text("Merge the changes of this branch into the session in view, and tell its agents what it was about");
pub const MERGE: Text = Text("Merge");
pub const BOTH: Text = Text("Both");
pub const OTHER_BRANCH: Text = Text("the other branch");
pub const EMPTY_SIDE: Text = Text("(empty)");
pub const DELETED_SIDE: Text = Text("(deleted)");

texts! {
    pub fn open(name: &str) = "Open “{name}”";
    pub fn merge_into(label: &str) = "Merge into “{label}”…";
    pub fn ours(session: &str) = "Ours: {session}";
    pub fn theirs(session: &str) = "Theirs: {session}";
    pub fn keep(session: &str) = "Keep “{session}”";
    pub fn all_from(session: &str) = "All from “{session}”";
    // What is merged has a name if it is a session.
    pub fn merge_heading(other: Option<&str>, into: &str) -> String {
        Some(other) => "Merge “{other}” into “{into}”";
        None => "Merge into “{into}”";
    }
    pub fn take(other: Option<&str>) -> String {
        Some(other) => "Take “{other}”";
        None => "Take theirs";
    }
    pub fn all_from_other(other: Option<&str>) -> String {
        Some(other) => { all_from(other) };
        None => "All theirs";
    }
    pub fn changed_file(other: Option<&str>) -> String {
        Some(other) => "changed by “{other}”";
        None => "changed by the other branch";
    }
    pub fn removed_file(other: Option<&str>) -> String {
        Some(other) => "removed by “{other}”";
        None => "removed by the other branch";
    }
    pub fn no_changes(other: Option<&str>) -> String {
        Some(other) => "“{other}” changed nothing in objective, scratchpad and files. Its conversation is still added.";
        None => "The other branch changed nothing in objective, scratchpad and files. Its conversation is still added.";
    }
    pub fn direction(from: &str, to: &str) = "Changes from “{from}” to “{to}”";
    pub fn unfold(turns: usize) = "Show {} one by one", run(turns);
}

/// Author of a turn whose agent no longer exists; a merge is the operator's.
pub fn nobody(kind: TurnKind, agent: &AgentKey) -> String {
    if kind == TurnKind::Merge { text!("You") } else { reveal(agent.as_str()) }
}

pub fn drafted(turns: u64, fields: usize, conflicts: usize, open: usize) -> String {
    let turns = count(turns, "turn", "turns");
    let fields = count(fields, "changed text", "changed texts");
    match (conflicts, open) {
        (0, _) => text!("{turns} · {fields} · no conflicts"),
        (_, 0) => text!("{turns} · {fields} · all conflicts decided"),
        (_, open) => text!("{turns} · {fields} · {} to decide", count(open, "conflict", "conflicts")),
    }
}

pub fn conflict(number: usize, all: usize) -> String {
    if all == 1 { text!("Both changed this") } else { text!("Both changed this ({number} of {all})") }
}

pub fn agreed(conflicts: usize) -> String {
    if conflicts == 0 { text!("merged line by line") } else { String::new() }
}

pub fn tree_summary(turns: usize, sessions: usize, left: Option<usize>, damaged: usize) -> String {
    let number = |number: usize| tokens(u64::try_from(number).unwrap_or(u64::MAX));
    let mut told = format!("{} · {}", count(turns, "turn", "turns"), count(sessions, "session", "sessions"));
    if let Some(left) = left.filter(|left| *left > 0) {
        told.push_str(&text!(" · reading, {} to go", number(left)));
    }
    if damaged > 0 {
        told.push_str(&text!(" · {} cannot be read", number(damaged)));
    }
    told
}

pub fn run(turns: usize) -> String {
    count(turns, "turn", "turns")
}

/// Special kind or outcome of a turn; `None` for a normal one. `waits` is true if its run waits for the operator.
pub fn special(kind: TurnKind, end: Option<TurnEnd>, waits: bool) -> Option<&'static str> {
    match (kind, end) {
        (TurnKind::Compaction, _) => Some(tr("compaction")),
        (TurnKind::Merge, _) => Some(tr("merge")),
        (TurnKind::Normal, None) => Some(if waits { ASKING.get() } else { tr("working") }),
        (TurnKind::Normal, Some(TurnEnd::Completed)) => None,
        (TurnKind::Normal, Some(end)) => Some(ending_short(end)),
    }
}

/// Origin and status of a session; empty for a normal one.
pub fn flag(origin: SessionOrigin, status: SessionStatus) -> Vec<&'static str> {
    let origin = match origin {
        SessionOrigin::User => None,
        SessionOrigin::System => Some(tr("created by Nexus")),
        SessionOrigin::Subagent => Some(tr("subagent")),
        SessionOrigin::Fork => Some(tr("fork")),
    };
    let status = match status {
        SessionStatus::Open => None,
        SessionStatus::Archived => Some(tr("archived")),
        SessionStatus::Closed => Some(tr("closed")),
    };
    origin.into_iter().chain(status).collect()
}

pub fn spoken(who: &str, when: &str, special: Option<&str>, sessions: &[String], children: usize) -> String {
    let mut spoken = format!("{who}, {when}");
    if let Some(special) = special {
        spoken.push_str(&format!(", {special}"));
    }
    if !sessions.is_empty() {
        spoken.push_str(&text!(", head of {}", sessions.join(", ")));
    }
    match children {
        0 => spoken.push_str(tr(", the last of its branch")),
        1 => {}
        many => spoken.push_str(&text!(", {many} branches continue from it")),
    }
    spoken
}

//! Strings of the tree screen and of merges.

use crate::strings::format::{count, tokens};
use crate::strings::status::ending_short;
use nexus_model::id::AgentKey;
use nexus_model::session::{SessionOrigin, SessionStatus};
use nexus_model::turn::{TurnEnd, TurnKind};
use nexus_text::invisible::reveal;

pub const TITLE: &str = "Tree";
pub const BACK: &str = "War room";
pub const SIDE: &str = "Turn and sessions";
pub const UNREADABLE: &str = "The storage on this device cannot be read.";
pub const EMPTY: &str = "No turns yet.";
pub const PLANE: &str = "Tree of turns";
pub const PLANE_ROLE: &str = "tree of turns";
pub const KEYS: &str = "Arrow keys move, Home and End go to the ends, Space expands a run, plus, minus and 0 zoom, Enter goes to the actions.";
pub const CLOSER: &str = "Zoom in";
pub const FURTHER: &str = "Zoom out";
pub const WHOLE: &str = "Zoom to fit";
pub const HEAD: &str = "Head of the session in view";
pub const SESSIONS: &str = "Sessions";
pub const NO_TURN: &str = "Select a turn to see its details.";
pub const ASKED: &str = "Asked";
pub const ANSWERED: &str = "Answered";
pub const CHANGED: &str = "Changed";
pub const OPEN: &str = "Open";
pub const OPEN_ABOUT: &str = "Open this session in the war room";
pub const INSPECT: &str = "Inspect";
pub const INSPECT_ABOUT: &str = "The exact request and response of this turn";
pub const MARK: &str = "Compare…";
pub const MARK_ABOUT: &str = "Select another turn to compare with this one";
pub const MARKED: &str = "Selected";
pub const WITH_MARKED: &str = "Compare with the selected turn";
pub const SAME: &str = "No differences";
pub const CLOSE: &str = "Close";
pub const COMPARED: &str = "Turn comparison";
pub const GONE: &str = "The state after one of them is no longer on this device.";
pub const READING: &str = "…";
pub const TORN: &str = "The previous turn is not on this device.";
pub const IN_VIEW: &str = "in view";
pub const NO_HEAD: &str = "no turns yet";

pub const FORK: &str = "Fork from here";
pub const FORK_ABOUT: &str = "Create a session from this turn, with the files as they were then";
pub const NAME: &str = "Rename session";
pub const ARCHIVE: &str = "Archive";
pub const END: &str = "Close";
pub const UNARCHIVE: &str = "Reopen";
pub const MERGE_ABOUT: &str =
    "Merge the changes of this branch into the session in view, and tell its agents what it was about";
pub const MERGE: &str = "Merge";
pub const CANCEL: &str = "Cancel";
pub const OURS: &str = "Keep ours";
pub const THEIRS: &str = "Take theirs";
pub const BOTH: &str = "Both";
pub const OURS_SIDE: &str = "Ours: the session in view";
pub const THEIRS_SIDE: &str = "Theirs: the other branch";
pub const ALL_OURS: &str = "All ours";
pub const ALL_THEIRS: &str = "All theirs";
pub const EMPTY_SIDE: &str = "(empty)";
pub const ADDED_FILE: &str = "added by the other branch";
pub const REMOVED_FILE: &str = "removed by the other branch";
pub const NO_CHANGES: &str =
    "The other branch changed nothing in objective, scratchpad and files. Its conversation is still added.";

/// The button that merges a turn into a session.
pub fn merge_into(label: &str) -> String {
    format!("Merge into “{label}”…")
}

/// Whom a turn is by where there is no such agent: a merge is the operator's.
pub fn nobody(kind: TurnKind, agent: &AgentKey) -> String {
    match kind {
        TurnKind::Merge => "You".to_owned(),
        TurnKind::Normal | TurnKind::Compaction => reveal(agent.as_str()),
    }
}

/// What a merge comes to.
pub fn drafted(turns: u64, fields: usize, clashes: usize, open: usize) -> String {
    let turns = count(usize::try_from(turns).unwrap_or(usize::MAX), "turn", "turns");
    let fields = count(fields, "changed text", "changed texts");
    match (clashes, open) {
        (0, _) => format!("{turns} · {fields} · no conflicts"),
        (_, 0) => format!("{turns} · {fields} · all conflicts decided"),
        (_, open) => format!("{turns} · {fields} · {} to decide", count(open, "conflict", "conflicts")),
    }
}

/// A clash of a text, by its number.
pub fn clash(number: usize, all: usize) -> String {
    if all == 1 { "Both changed this".to_owned() } else { format!("Both changed this ({number} of {all})") }
}

/// How a text comes out of which nothing is to be decided.
pub fn agreed(clashes: usize) -> &'static str {
    if clashes == 0 { "merged line by line" } else { "" }
}

/// How many turns and sessions there are, and what is still to be read.
pub fn told(turns: usize, sessions: usize, left: Option<usize>, damaged: usize) -> String {
    let number = |number: usize| tokens(u64::try_from(number).unwrap_or(u64::MAX));
    let mut told = format!(
        "{} {} · {}",
        number(turns),
        if turns == 1 { "turn" } else { "turns" },
        count(sessions, "session", "sessions")
    );
    if let Some(left) = left.filter(|left| *left > 0) {
        told.push_str(&format!(" · reading, {} to go", number(left)));
    }
    if damaged > 0 {
        told.push_str(&format!(" · {} cannot be read", number(damaged)));
    }
    told
}

/// A run of turns that are folded away.
pub fn run(turns: usize) -> String {
    format!("{} turns", tokens(u64::try_from(turns).unwrap_or(u64::MAX)))
}

/// The button that unfolds them.
pub fn unfold(turns: usize) -> String {
    format!("Show {} one by one", run(turns))
}

/// What is special about a turn; nothing where it is like most.
pub fn special(kind: TurnKind, end: Option<TurnEnd>) -> Option<&'static str> {
    match (kind, end) {
        (TurnKind::Compaction, _) => Some("compaction"),
        (TurnKind::Merge, _) => Some("merge"),
        (TurnKind::Normal, None) => Some("working"),
        (TurnKind::Normal, Some(TurnEnd::Completed)) => None,
        (TurnKind::Normal, Some(end)) => Some(ending_short(end)),
    }
}

/// Where a session came from and stands; nothing where it is like most.
pub fn flag(origin: SessionOrigin, status: SessionStatus) -> Vec<&'static str> {
    let origin = match origin {
        SessionOrigin::User => None,
        SessionOrigin::System => Some("created by Nexus"),
        SessionOrigin::Subagent => Some("subagent"),
        SessionOrigin::Fork => Some("fork"),
    };
    let status = match status {
        SessionStatus::Open => None,
        SessionStatus::Archived => Some("archived"),
        SessionStatus::Closed => Some("closed"),
    };
    origin.into_iter().chain(status).collect()
}

/// What a reader of the screen hears of the turn that is looked at.
pub fn spoken(who: &str, when: &str, special: Option<&str>, sessions: &[String], children: usize) -> String {
    let mut spoken = format!("{who}, {when}");
    if let Some(special) = special {
        spoken.push_str(&format!(", {special}"));
    }
    if !sessions.is_empty() {
        spoken.push_str(&format!(", head of {}", sessions.join(", ")));
    }
    match children {
        0 => spoken.push_str(", the last of its branch"),
        1 => {}
        many => spoken.push_str(&format!(", {many} branches continue from it")),
    }
    spoken
}

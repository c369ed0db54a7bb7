//! Strings of the tree screen and of merges.

use crate::strings::format::{count, tokens};
use crate::strings::status::ending_short;
use nexus_model::id::AgentKey;
use nexus_model::session::{SessionOrigin, SessionStatus};
use nexus_model::turn::{TurnEnd, TurnKind};
use nexus_text::invisible::reveal;

pub const TITLE: &str = "Tree";
pub const BACK: &str = "War room";
pub const SIDE: &str = "The turn, and all sessions";
pub const UNREADABLE: &str = "The device’s store cannot be read.";
pub const EMPTY: &str = "No turn yet. Say something in the war room, and it grows here.";
pub const PLANE: &str = "Tree of turns";
pub const PLANE_ROLE: &str = "tree of turns";
pub const KEYS: &str = "Arrows walk, Home and End go to the ends, Space unfolds a run, plus, minus and 0 zoom, Enter goes to what can be done.";
pub const CLOSER: &str = "Larger";
pub const FURTHER: &str = "Smaller";
pub const WHOLE: &str = "Whole tree";
pub const HEAD: &str = "Head of the session in view";
pub const SESSIONS: &str = "Sessions";
pub const NO_TURN: &str = "Choose a turn to see what it was about.";
pub const ASKED: &str = "Asked";
pub const ANSWERED: &str = "Answered";
pub const CHANGED: &str = "Changed";
pub const OPEN: &str = "Open";
pub const OPEN_ABOUT: &str = "Open this session in the war room";
pub const INSPECT: &str = "Inspect";
pub const INSPECT_ABOUT: &str = "The exact request and response of this turn";
pub const MARK: &str = "Compare …";
pub const MARK_ABOUT: &str = "Choose another turn next, to compare the two";
pub const MARKED: &str = "Chosen";
pub const WITH_MARKED: &str = "Compare with the chosen one";
pub const SAME: &str = "Mind and files are the same at both.";
pub const CLOSE: &str = "Close";
pub const COMPARED: &str = "Two turns compared";
pub const GONE: &str = "What one of them left is not on this device any more.";
pub const READING: &str = "…";
pub const TORN: &str = "The turn before it is not on this device.";
pub const IN_VIEW: &str = "in view";
pub const NO_HEAD: &str = "nothing said yet";

pub const FORK: &str = "Continue from here";
pub const FORK_ABOUT: &str = "A new session that goes on from this turn, with the files as they were then";
pub const NAME: &str = "Name this session";
pub const ARCHIVE: &str = "Archive";
pub const END: &str = "Close";
pub const UNARCHIVE: &str = "Open again";
pub const MERGE_ABOUT: &str =
    "Bring what this branch changed into the session in view, and tell its agents what it was about";
pub const MERGE: &str = "Merge";
pub const CANCEL: &str = "Cancel";
pub const OURS: &str = "Keep ours";
pub const THEIRS: &str = "Take theirs";
pub const BOTH: &str = "Both";
pub const OURS_SIDE: &str = "Ours: the session in view";
pub const THEIRS_SIDE: &str = "Theirs: the other branch";
pub const ALL_OURS: &str = "All ours";
pub const ALL_THEIRS: &str = "All theirs";
pub const EMPTY_SIDE: &str = "(nothing here)";
pub const ADDED_FILE: &str = "comes from the other branch";
pub const REMOVED_FILE: &str = "the other branch removed it";
pub const NO_CHANGES: &str =
    "The other branch changed nothing in directive, scratchpad and files. Its story is told all the same.";

/// The button that merges a turn into a session.
pub fn merge_into(label: &str) -> String {
    format!("Merge into “{label}” …")
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
    let fields = count(fields, "text changes", "texts change");
    match (clashes, open) {
        (0, _) => format!("{turns} · {fields} · nothing clashes"),
        (_, 0) => format!("{turns} · {fields} · every clash is decided"),
        (_, open) => format!("{turns} · {fields} · {} to decide", count(open, "clash", "clashes")),
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
        (TurnKind::Normal, None) => Some("works"),
        (TurnKind::Normal, Some(TurnEnd::Completed)) => None,
        (TurnKind::Normal, Some(end)) => Some(ending_short(end)),
    }
}

/// Where a session came from and stands; nothing where it is like most.
pub fn flag(origin: SessionOrigin, status: SessionStatus) -> Vec<&'static str> {
    let origin = match origin {
        SessionOrigin::User => None,
        SessionOrigin::System => Some("made by Nexus"),
        SessionOrigin::Subagent => Some("worker"),
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
        many => spoken.push_str(&format!(", {many} branches go on from it")),
    }
    spoken
}

//! Strings of snapshots and the reflog.

use nexus_model::turn::reflog::HeadMoveReason;
use nexus_model::turn::{TurnEnd, TurnKind};

pub const AS_IT_WAS: &str = "Snapshot";
pub const OPEN: &str = "View at this point (read-only)";
pub const OPEN_ABOUT: &str = "Shows the conversation, objective, scratchpad and files as of this turn.";
pub const READ_ONLY: &str = "Read-only. Your draft is kept.";
pub const RETURN: &str = "Return to now";
pub const CONTINUE: &str = "Fork from here";
pub const OLDER: &str = "Previous turn";
pub const NEWER: &str = "Next turn";
pub const READING: &str = "Loading the snapshot…";
pub const GONE: &str = "This turn or its files are not on this device, or it is still in progress.";
pub const SAID: &str = "Conversation";
pub const MORE_SAID: &str = "Earlier turns";
pub const MIND: &str = "Objective, scratchpad and files at this point";
pub const OBJECTIVE: &str = "Objective";
pub const SCRATCHPAD: &str = "Scratchpad";
pub const FILES: &str = "Files";
pub const EMPTY: &str = "Empty";
pub const NO_FILES: &str = "No files";
pub const SAME: &str = "Same as now";
pub const DIFFERS: &str = "has changed since";
pub const COMPACTED: &str = "The conversation was compacted here";
pub const FORKED: &str = "Above: from another session";
pub const YOU: &str = "You";
pub const NEXUS: &str = "Nexus";

pub const LOOK_BACK: &str = "View previous turn";
pub const NO_OLDER: &str = "There is no earlier turn.";
pub const IS_NOW: &str = "You are viewing the current state.";
pub const CONTINUE_LOOKED: &str = "Fork from the viewed turn";

pub const HEADS: &str = "Session history";
pub const HEADS_ABOUT: &str = "Every turn that was the head of this session, newest first. View each one, or fork a new session from it.";
pub const HEADS_OF: &str = "Session history";
pub const NO_HEADS: &str = "No answers yet.";
pub const OLDER_HEADS: &str = "Load older";
pub const NOW: &str = "now";
pub const BEGINNING: &str = "Before the first turn";
pub const UNREADABLE: &str = "The history could not be read from this device.";
pub const CLOSE: &str = "Close";

/// What differs from now.
pub fn differs(names: &[String]) -> String {
    format!("Differs from now: {}", names.join(", "))
}

/// Why a head came to a turn.
pub fn why(why: HeadMoveReason, kind: Option<TurnKind>, end: Option<TurnEnd>) -> &'static str {
    match why {
        HeadMoveReason::Began => "forked here",
        HeadMoveReason::Went => "rewound to here",
        HeadMoveReason::Reworded => "rewound to edit a message",
        HeadMoveReason::AskedAgain => "rewound to regenerate",
        HeadMoveReason::Ended => match (kind, end) {
            (Some(TurnKind::Compaction), _) => "compacted",
            (Some(TurnKind::Merge), _) => "merged",
            (Some(TurnKind::Normal) | None, Some(TurnEnd::Completed) | None) => "answered",
            (Some(TurnKind::Normal) | None, Some(TurnEnd::Cancelled)) => "stopped",
            (Some(TurnKind::Normal) | None, Some(TurnEnd::Interrupted)) => "interrupted",
            (Some(TurnKind::Normal) | None, Some(TurnEnd::CutOff | TurnEnd::TimedOut | TurnEnd::Error)) => {
                "failed"
            }
        },
    }
}

/// The day and time of something.
pub fn at(day: &str, clock: &str) -> String {
    format!("{day}, {clock}")
}

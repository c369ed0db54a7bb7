//! Strings of snapshots and the reflog.

use nexus_model::turn::reflog::HeadMoveReason;
use nexus_model::turn::{TurnEnd, TurnKind};

pub const AS_IT_WAS: &str = "As it was";
pub const OPEN: &str = "Open as it was";
pub const OPEN_ABOUT: &str = "Shows what had been said up to this turn, and directive, scratchpad and files of that time. To be read only.";
pub const READ_ONLY: &str = "To be read only. What you are typing waits where it was.";
pub const RETURN: &str = "Return to now";
pub const CONTINUE: &str = "Continue from here";
pub const OLDER: &str = "The turn before";
pub const NEWER: &str = "The turn after";
pub const READING: &str = "Reading what was…";
pub const GONE: &str = "This turn or its files are not on this device, or it is still at work.";
pub const SAID: &str = "What had been said";
pub const MORE_SAID: &str = "Earlier turns";
pub const MIND: &str = "Directive, scratchpad and files of that time";
pub const OBJECTIVE: &str = "Primary directive";
pub const SCRATCHPAD: &str = "Scratchpad";
pub const FILES: &str = "Files";
pub const EMPTY: &str = "Empty then";
pub const NO_FILES: &str = "No files then";
pub const SAME: &str = "The same as now";
pub const DIFFERS: &str = "is another one now";
pub const COMPACTED: &str = "Older turns were put into a summary here";
pub const FORKED: &str = "Above: from another session";
pub const YOU: &str = "You";
pub const NEXUS: &str = "Nexus";

pub const LOOK_BACK: &str = "Look one turn back, as it was";
pub const NO_OLDER: &str = "There is no older turn.";
pub const IS_NOW: &str = "You are looking at what is now.";
pub const CONTINUE_LOOKED: &str = "Continue from the turn that is open as it was";

pub const HEADS: &str = "Where this session has been";
pub const HEADS_ABOUT: &str = "Every turn that this session pointed to, the newest first. Each can be opened as it was, or gone on from in a session of its own.";
pub const HEADS_OF: &str = "History: where this session has been";
pub const NO_HEADS: &str = "Nothing has been answered here yet.";
pub const OLDER_HEADS: &str = "Older";
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
        HeadMoveReason::Went => "you went back here",
        HeadMoveReason::Reworded => "back, for a message in other words",
        HeadMoveReason::AskedAgain => "back, to ask once more",
        HeadMoveReason::Ended => match (kind, end) {
            (Some(TurnKind::Compaction), _) => "older turns summarised",
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

//! Strings of snapshots and the reflog.

use nexus_model::turn::reflog::HeadMoveReason;
use nexus_model::turn::{TurnEnd, TurnKind};

/// What stands above a turn as it was.
pub const AS_IT_WAS: &str = "As it was";
/// The same as something to do.
pub const OPEN: &str = "Open as it was";
/// What that does.
pub const OPEN_ABOUT: &str = "Shows what had been said up to this turn, and directive, scratchpad and files of that time. To be read only.";
/// What is told below.
pub const READ_ONLY: &str = "To be read only. What you are typing waits where it was.";
/// Away from it.
pub const RETURN: &str = "Return to now";
/// On from it.
pub const CONTINUE: &str = "Continue from here";
/// One turn back.
pub const OLDER: &str = "The turn before";
/// One turn on.
pub const NEWER: &str = "The turn after";
/// While it is read.
pub const READING: &str = "Reading what was…";
/// Where it cannot be.
pub const GONE: &str = "This turn or its files are not on this device, or it is still at work.";
/// What had been said.
pub const SAID: &str = "What had been said";
/// Turns that were not read.
pub const MORE_SAID: &str = "Earlier turns";
/// The mind.
pub const MIND: &str = "Directive, scratchpad and files of that time";
/// The objective.
pub const OBJECTIVE: &str = "Primary directive";
/// The scratchpad.
pub const SCRATCHPAD: &str = "Scratchpad";
/// The files.
pub const FILES: &str = "Files";
/// Where a field was empty.
pub const EMPTY: &str = "Empty then";
/// Where there were no files.
pub const NO_FILES: &str = "No files then";
/// Nothing differs.
pub const SAME: &str = "The same as now";
/// A file that is another one now.
pub const DIFFERS: &str = "is another one now";
/// Older turns went into a summary.
pub const COMPACTED: &str = "Older turns were put into a summary here";
/// Another session begins.
pub const FORKED: &str = "Above: from another session";
/// The operator.
pub const YOU: &str = "You";
/// The program.
pub const NEXUS: &str = "Nexus";

/// As something to do: a turn back.
pub const LOOK_BACK: &str = "Look one turn back, as it was";
/// There is none.
pub const NO_OLDER: &str = "There is no older turn.";
/// Nothing is looked at as it was.
pub const IS_NOW: &str = "You are looking at what is now.";
/// As something to do: on from what is looked at.
pub const CONTINUE_LOOKED: &str = "Continue from the turn that is open as it was";

/// The list of heads.
pub const HEADS: &str = "Where this session has been";
/// What it is for.
pub const HEADS_ABOUT: &str = "Every turn that this session pointed to, the newest first. Each can be opened as it was, or gone on from in a session of its own.";
/// The button of a session that opens it.
pub const HEADS_OF: &str = "History: where this session has been";
/// It has none.
pub const NO_HEADS: &str = "Nothing has been answered here yet.";
/// Older ones.
pub const OLDER_HEADS: &str = "Older";
/// The head that it has.
pub const NOW: &str = "now";
/// Before the first turn.
pub const BEGINNING: &str = "Before the first turn";
/// The store could not be read.
pub const UNREADABLE: &str = "The history could not be read from this device.";
/// The way out.
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

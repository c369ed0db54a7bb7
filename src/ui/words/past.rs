//! Never decides what is shown.
//!
//! Owns the words about turns as they were, and about the heads that a session had.

use crate::domain::head_moves::Why;
use crate::domain::turn::{TurnEnd, TurnKind};

/// What stands above a turn as it was.
pub(crate) const AS_IT_WAS: &str = "As it was";
/// The same as something to do.
pub(crate) const OPEN: &str = "Open as it was";
/// What that does.
pub(crate) const OPEN_ABOUT: &str = "Shows what had been said up to this turn, and directive, scratchpad and files of that time. To be read only.";
/// What is told below.
pub(crate) const READ_ONLY: &str = "To be read only. What you are typing waits where it was.";
/// Away from it.
pub(crate) const RETURN: &str = "Return to now";
/// On from it.
pub(crate) const CONTINUE: &str = "Continue from here";
/// One turn back.
pub(crate) const OLDER: &str = "The turn before";
/// One turn on.
pub(crate) const NEWER: &str = "The turn after";
/// While it is read.
pub(crate) const READING: &str = "Reading what was…";
/// Where it cannot be.
pub(crate) const GONE: &str = "This turn or its files are not on this device, or it is still at work.";
/// What had been said.
pub(crate) const SAID: &str = "What had been said";
/// Turns that were not read.
pub(crate) const MORE_SAID: &str = "Earlier turns";
/// The mind.
pub(crate) const MIND: &str = "Directive, scratchpad and files of that time";
/// The objective.
pub(crate) const OBJECTIVE: &str = "Primary directive";
/// The scratchpad.
pub(crate) const SCRATCHPAD: &str = "Scratchpad";
/// The files.
pub(crate) const FILES: &str = "Files";
/// Where a field was empty.
pub(crate) const EMPTY: &str = "Empty then";
/// Where there were no files.
pub(crate) const NO_FILES: &str = "No files then";
/// Nothing differs.
pub(crate) const SAME: &str = "The same as now";
/// A file that is another one now.
pub(crate) const DIFFERS: &str = "is another one now";
/// Older turns went into a summary.
pub(crate) const COMPACTED: &str = "Older turns were put into a summary here";
/// Another session begins.
pub(crate) const FORKED: &str = "Above: from another session";
/// The operator.
pub(crate) const YOU: &str = "You";
/// The program.
pub(crate) const NEXUS: &str = "Nexus";

/// As something to do: a turn back.
pub(crate) const LOOK_BACK: &str = "Look one turn back, as it was";
/// There is none.
pub(crate) const NO_OLDER: &str = "There is no older turn.";
/// Nothing is looked at as it was.
pub(crate) const IS_NOW: &str = "You are looking at what is now.";
/// As something to do: on from what is looked at.
pub(crate) const CONTINUE_LOOKED: &str = "Continue from the turn that is open as it was";

/// The list of heads.
pub(crate) const HEADS: &str = "Where this session has been";
/// What it is for.
pub(crate) const HEADS_ABOUT: &str = "Every turn that this session pointed to, the newest first. Each can be opened as it was, or gone on from in a session of its own.";
/// The button of a session that opens it.
pub(crate) const HEADS_OF: &str = "History: where this session has been";
/// It has none.
pub(crate) const NO_HEADS: &str = "Nothing has been answered here yet.";
/// Older ones.
pub(crate) const OLDER_HEADS: &str = "Older";
/// The head that it has.
pub(crate) const NOW: &str = "now";
/// Before the first turn.
pub(crate) const BEGINNING: &str = "Before the first turn";
/// The store could not be read.
pub(crate) const UNREADABLE: &str = "The history could not be read from this device.";
/// The way out.
pub(crate) const CLOSE: &str = "Close";

/// What differs from now.
pub(crate) fn differs(names: &[String]) -> String {
    format!("Differs from now: {}", names.join(", "))
}

/// Why a head came to a turn.
pub(crate) fn why(why: Why, kind: Option<TurnKind>, end: Option<TurnEnd>) -> &'static str {
    match why {
        Why::Began => "forked here",
        Why::Went => "you went back here",
        Why::Reworded => "back, for a message in other words",
        Why::AskedAgain => "back, to ask once more",
        Why::Ended => match (kind, end) {
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
pub(crate) fn at(day: &str, clock: &str) -> String {
    format!("{day}, {clock}")
}

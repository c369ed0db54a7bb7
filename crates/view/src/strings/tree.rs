//! Strings of sessions and branches.

use nexus_model::id::Millis;
use nexus_model::session::SessionFilter;
use nexus_text::invisible::reveal;

pub const SESSIONS: &str = "Sessions";
pub const SWITCH: &str = "Sessions: switch, make, name, put away";
pub const FIND: &str = "Find a session";
pub const NEW: &str = "New session";
pub const NOTHING: &str = "No session here.";
pub const NOT_FOUND: &str = "No session has these words in its name, title or summary.";
pub const CLOSE: &str = "Close";
pub const NAME: &str = "Name";
pub const TITLE: &str = "What it is about";
pub const KEEP: &str = "Keep";
pub const CANCEL: &str = "Cancel";
pub const UNDO: &str = "Undo";
pub const RESTORE: &str = "Restore";
pub const ARCHIVE: &str = "Archive";
pub const END: &str = "Close";
pub const ENDED: &str = "closed";
pub const REOPEN: &str = "Reopen";
pub const DELETE: &str = "Delete";
pub const RENAME: &str = "Rename";
pub const WORKS: &str = "at work";
pub const WAITS: &str = "needs you";

pub const ACTIONS: &str = "Go on from here, edit, try again";
pub const TURN: &str = "From here";
pub const CONTINUE: &str = "Continue from here";
pub const CONTINUE_ABOUT: &str = "A new session with everything up to this turn, and the files as they were then. This one stays as it is.";
pub const CONTINUE_NAME: &str = "Its name, if you like";
pub const EDIT: &str = "Edit and resend";
/// What that does.
pub const EDIT_ABOUT: &str =
    "Asks again in other words, with the files as they were then. What was said stays beside it.";
pub const RESEND: &str = "Resend";
pub const EDIT_FIELD: &str = "The message in other words";
pub const AGAIN: &str = "Try again";
/// What that does.
pub const AGAIN_ABOUT: &str =
    "Asks the same once more, with the files as they were then. This answer stays beside the new one.";
pub const AGAIN_FAILED: &str = "Asks the same once more, below what was said since.";
pub const AGENT: &str = "Who answers";
pub const MODEL: &str = "With which model";
pub const OWN_MODEL: &str = "The agent's own model";
pub const BACK: &str = "Go back to here";
pub const BACK_ABOUT: &str = "This session ends here again, with the files as they were then. What came later stays and can be gone to.";
pub const BUSY: &str = "The agents are at work here. Wait until they are done, or stop them first.";
pub const PREVIOUS: &str = "The one before";
pub const NEXT: &str = "The next one";
pub const AHEAD: &str = "The session was taken back to here. What came later is kept.";
pub const GO_ON: &str = "Go to the newest";

/// Where a turn stands among its siblings.
pub fn place(at: usize, of: usize) -> String {
    format!("{at}/{of}")
}

/// The same for those who hear it.
pub fn place_told(at: usize, of: usize) -> String {
    format!("Version {at} of {of}")
}

/// What a step to another version did.
pub fn stepped(at: usize, of: usize) -> String {
    format!("Showing version {at} of {of}. Files are as they were there.")
}

pub const WENT_AHEAD: &str = "Showing the newest turn. Files are as they were there.";

/// The name of a shelf.
pub fn shelf(shelf: SessionFilter) -> &'static str {
    match shelf {
        SessionFilter::Open => "Open",
        SessionFilter::Archived => "Archived",
        SessionFilter::Deleted => "Deleted",
    }
}

/// What was deleted just now.
pub fn deleted(label: &str) -> String {
    format!("“{}” is deleted. It can be restored for 7 days.", reveal(label))
}

/// What was closed just now.
pub fn ended(label: &str) -> String {
    format!("“{}” is closed. It stands with the archived ones.", reveal(label))
}

/// What was put away just now.
pub fn archived(label: &str) -> String {
    format!("“{}” is archived.", reveal(label))
}

/// Where a session came from.
pub fn forked_from(label: &str) -> String {
    format!("from {}", reveal(label))
}

/// The mark in the timeline.
pub fn fork_mark(label: &str) -> String {
    if label.is_empty() {
        "Above: from another session".to_owned()
    } else {
        format!("Above: from “{}”", reveal(label))
    }
}

/// When a deleted session will be forgotten.
pub fn forgotten_in(at: Millis, now: Millis) -> String {
    match at.0.saturating_sub(now.0).div_ceil(24 * 60 * 60_000) {
        0 => "forgotten soon, unless another session needs it".to_owned(),
        1 => "forgotten within a day".to_owned(),
        days => format!("forgotten in {days} days"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_with_what_they_hide_and_days_are_counted_up() {
        assert!(!fork_mark("a\u{202e}b").contains('\u{202e}'));
        let day = 24 * 60 * 60_000;
        assert_eq!(forgotten_in(Millis(3 * day), Millis(0)), "forgotten in 3 days");
        assert_eq!(forgotten_in(Millis(day), Millis(1)), "forgotten within a day");
        assert!(forgotten_in(Millis(1), Millis(5)).starts_with("forgotten soon"));
    }
}

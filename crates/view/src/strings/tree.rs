//! Strings of sessions and branches.

use nexus_model::id::Millis;
use nexus_model::session::SessionFilter;
use nexus_text::invisible::reveal;

/// What the list is called.
pub const SESSIONS: &str = "Sessions";
/// What the button of the list says to those who hear it.
pub const SWITCH: &str = "Sessions: switch, make, name, put away";
/// The field that finds sessions.
pub const FIND: &str = "Find a session";
/// The way to a new session.
pub const NEW: &str = "New session";
/// Where nothing is found.
pub const NOTHING: &str = "No session here.";
/// Where words find nothing.
pub const NOT_FOUND: &str = "No session has these words in its name, title or summary.";
/// The way out.
pub const CLOSE: &str = "Close";
/// The name of a session.
pub const NAME: &str = "Name";
/// What a session is about.
pub const TITLE: &str = "What it is about";
/// Keeps a name.
pub const KEEP: &str = "Keep";
/// Leaves things as they are.
pub const CANCEL: &str = "Cancel";
/// Takes a deletion back.
pub const UNDO: &str = "Undo";
/// Shows a deleted session again.
pub const RESTORE: &str = "Restore";
/// Puts a session away.
pub const ARCHIVE: &str = "Archive";
/// Ends a session: nothing is said in it any more.
pub const END: &str = "Close";
/// What a closed session is marked with.
pub const ENDED: &str = "closed";
/// Takes it out again.
pub const REOPEN: &str = "Reopen";
/// Hides a session, to be forgotten.
pub const DELETE: &str = "Delete";
/// Gives a session another name.
pub const RENAME: &str = "Rename";
/// A run works there.
pub const WORKS: &str = "at work";
/// A run waits there.
pub const WAITS: &str = "needs you";

/// What the button at a message says.
pub const ACTIONS: &str = "Go on from here, edit, try again";
/// What the dialog is called.
pub const TURN: &str = "From here";
/// Makes a session from a turn.
pub const CONTINUE: &str = "Continue from here";
/// What that does.
pub const CONTINUE_ABOUT: &str = "A new session with everything up to this turn, and the files as they were then. This one stays as it is.";
/// What a new session may be called.
pub const CONTINUE_NAME: &str = "Its name, if you like";
/// Changes a message.
pub const EDIT: &str = "Edit and resend";
/// What that does.
pub const EDIT_ABOUT: &str =
    "Asks again in other words, with the files as they were then. What was said stays beside it.";
/// Sends it.
pub const RESEND: &str = "Resend";
/// What the field is called.
pub const EDIT_FIELD: &str = "The message in other words";
/// Asks again.
pub const AGAIN: &str = "Try again";
/// What that does.
pub const AGAIN_ABOUT: &str =
    "Asks the same once more, with the files as they were then. This answer stays beside the new one.";
/// What it does with a turn that failed.
pub const AGAIN_FAILED: &str = "Asks the same once more, below what was said since.";
/// Who answers.
pub const AGENT: &str = "Who answers";
/// With which model.
pub const MODEL: &str = "With which model";
/// The model that the agent has.
pub const OWN_MODEL: &str = "The agent's own model";
/// Takes a session back.
pub const BACK: &str = "Go back to here";
/// What that does.
pub const BACK_ABOUT: &str = "This session ends here again, with the files as they were then. What came later stays and can be gone to.";
/// Why nothing can be done now.
pub const BUSY: &str = "The agents are at work here. Wait until they are done, or stop them first.";
/// The message before.
pub const PREVIOUS: &str = "The one before";
/// The message after.
pub const NEXT: &str = "The next one";
/// The thread goes on.
pub const AHEAD: &str = "The session was taken back to here. What came later is kept.";
/// Goes there.
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

/// What going to the newest turn did.
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

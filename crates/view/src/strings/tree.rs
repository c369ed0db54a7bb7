//! Strings of sessions and branches.

use nexus_model::id::Millis;
use nexus_model::session::SessionFilter;
use nexus_text::invisible::reveal;

pub const SESSIONS: &str = "Sessions";
pub const SWITCH: &str = "Sessions: switch, create, rename, archive";
pub const FIND: &str = "Search sessions";
pub const NEW: &str = "New session";
pub const TREE: &str = "Tree of turns";

/// How many sessions there are besides those that are shown.
pub fn more(number: usize) -> String {
    format!("{number} more")
}

pub const NOTHING: &str = "No sessions.";
pub const NOT_FOUND: &str = "No session matches by name, title or summary.";
pub const CLOSE: &str = "Close";
pub const NAME: &str = "Name";
pub const TITLE: &str = "Title";
pub const KEEP: &str = "Save";
pub const CANCEL: &str = "Cancel";
pub const UNDO: &str = "Undo";
pub const RESTORE: &str = "Restore";
pub const ARCHIVE: &str = "Archive";
pub const END: &str = "Close";
pub const ENDED: &str = "closed";
pub const REOPEN: &str = "Reopen";
pub const DELETE: &str = "Delete";
pub const PIN: &str = "Pin";
pub const UNPIN: &str = "Unpin";
pub const PINNED: &str = "pinned";
pub const MENU: &str = "Session actions";

/// The actions of a session, for a screen reader.
pub fn menu_of(label: &str) -> String {
    format!("{MENU}: {}", reveal(label))
}

pub const OWNER: &str = "Main session of";
pub const NOBODY: &str = "No agent";
pub const RENAME: &str = "Rename";
pub const WORKS: &str = "working";
pub const WAITS: &str = "needs you";

pub const ACTIONS: &str = "Turn actions";
pub const TURN: &str = "Turn actions";
pub const CONTINUE: &str = "Fork from here";
pub const CONTINUE_ABOUT: &str = "Creates a session with everything up to this turn, and the files as they were then. This session is unchanged.";
pub const CONTINUE_NAME: &str = "Session name (optional)";
pub const EDIT: &str = "Edit and resend";
/// What that does.
pub const EDIT_ABOUT: &str =
    "Sends the edited message, with the files as they were then. The original stays as another version.";
pub const RESEND: &str = "Resend";
pub const EDIT_FIELD: &str = "Edited message";
pub const AGAIN: &str = "Regenerate";
/// What that does.
pub const AGAIN_ABOUT: &str =
    "Sends the same message again, with the files as they were then. This answer stays as another version.";
pub const AGAIN_FAILED: &str = "Retries the request at the end of the conversation.";
pub const AGENT: &str = "Agent";
pub const MODEL: &str = "Model";
pub const OWN_MODEL: &str = "The agent's own model";
pub const BACK: &str = "Rewind to here";
pub const BACK_ABOUT: &str =
    "Resets this session to this turn, with the files as they were then. Later turns are kept.";
pub const COMPARE: &str = "Compare with now";
pub const COMPARE_ABOUT: &str = "Shows what changed since this turn, to accept or revert.";
pub const BUSY: &str = "A run is in progress. Wait until it ends, or stop it first.";
pub const PREVIOUS: &str = "Previous version";
pub const NEXT: &str = "Next version";
pub const AHEAD: &str = "Session rewound to this turn. Later turns are kept.";
pub const GO_ON: &str = "Go to the newest turn";

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
    format!("“{}” is closed. It is listed under Archived.", reveal(label))
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
        0 => "deleted permanently soon, unless another session needs it".to_owned(),
        1 => "deleted permanently within a day".to_owned(),
        days => format!("deleted permanently in {days} days"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_shown_with_what_they_hide_and_days_are_counted_up() {
        assert!(!fork_mark("a\u{202e}b").contains('\u{202e}'));
        let day = 24 * 60 * 60_000;
        assert_eq!(forgotten_in(Millis(3 * day), Millis(0)), "deleted permanently in 3 days");
        assert_eq!(forgotten_in(Millis(day), Millis(1)), "deleted permanently within a day");
        assert!(forgotten_in(Millis(1), Millis(5)).starts_with("deleted permanently soon"));
    }
}

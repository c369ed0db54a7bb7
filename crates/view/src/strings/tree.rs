//! Strings of sessions and branches.

use crate::language::{Text, text, tr, tr_in};
use nexus_model::id::Millis;
use nexus_model::session::SessionFilter;
use nexus_text::invisible::reveal;

pub const SWITCH: Text = Text("Sessions: switch, create, rename, archive");
pub const FIND: Text = Text("Search sessions");

texts! {
    pub fn more(number: usize) = "{number} more";
    pub fn version_of(at: usize, of: usize) = "Version {at} of {of}";
    pub fn stepped(at: usize, of: usize) = "Showing version {at} of {of}. Files are as they were there.";
    pub fn deleted(label: &str) = "“{}” is deleted. It can be restored for 7 days.", reveal(label);
    pub fn ended(label: &str) = "“{}” is closed. It is listed under Archived.", reveal(label);
    pub fn archived(label: &str) = "“{}” is archived.", reveal(label);
    pub fn forked_from(label: &str) = "from {}", reveal(label);
}

pub const NOTHING: Text = Text("No sessions.");
pub const NOT_FOUND: Text = Text("No session matches by name, title or summary.");
pub const TITLE: Text = Text("Title");
pub const ENDED: Text = Text("closed");
pub const PINNED: Text = Text("pinned");
pub const MENU: Text = Text("Session actions");

pub fn menu_of(label: &str) -> String {
    format!("{MENU}: {}", reveal(label))
}

pub const OWNER: Text = Text("Main session of");
pub const NOBODY: Text = Text("No agent");
pub const WORKS: Text = Text("working");
pub const WAITS: Text = Text("needs you");

pub const CONTINUE_ABOUT: Text = Text(
    "Creates a session with everything up to this turn, and the files as they were then. This session is unchanged.",
);
pub const CONTINUE_NAME: Text = Text("Session name (optional)");
pub const EDIT: Text = Text("Edit and resend");
pub const EDIT_ABOUT: Text = Text(
    "Sends the edited message, with the files as they were then. The original stays as another version.",
);
pub const RESEND: Text = Text("Resend");
pub const EDIT_FIELD: Text = Text("Edited message");
pub const AGAIN: Text = Text("Regenerate");
pub const AGAIN_ABOUT: Text = Text(
    "Sends the same message again, with the files as they were then. This answer stays as another version.",
);
pub const AGAIN_FAILED: Text = Text("Retries the request at the end of the conversation.");
pub const OWN_MODEL: Text = Text("The agent's own model");
pub const BACK: Text = Text("Rewind to here");
pub const BACK_ABOUT: Text =
    Text("Resets this session to this turn, with the files as they were then. Later turns are kept.");
pub const COMPARE: Text = Text("Compare with now");
pub const COMPARE_ABOUT: Text = Text("Shows what changed since this turn, to accept or revert.");
pub const BUSY: Text = Text("A run is in progress. Wait until it ends, or stop it first.");
pub const PREVIOUS: Text = Text("Previous version");
pub const NEXT: Text = Text("Next version");
pub const AHEAD: Text = Text("Session rewound to this turn. Later turns are kept.");
pub const GO_ON: Text = Text("Go to the newest turn");

pub fn place(at: usize, of: usize) -> String {
    format!("{at}/{of}")
}

pub const WENT_AHEAD: Text = Text("Showing the newest turn. Files are as they were there.");

pub fn filter(filter: SessionFilter) -> &'static str {
    match filter {
        SessionFilter::Open => tr_in("sessions", "Open"),
        SessionFilter::Archived => tr("Archived"),
        SessionFilter::Deleted => tr("Deleted"),
    }
}

pub fn fork_mark(label: &str) -> String {
    if label.is_empty() {
        text!("Above: from another session")
    } else {
        text!("Above: from “{}”", reveal(label))
    }
}

pub fn purged_in(at: Millis, now: Millis) -> String {
    match at.0.saturating_sub(now.0).div_ceil(24 * 60 * 60_000) {
        0 => text!("deleted permanently soon, unless another session needs it"),
        1 => text!("deleted permanently within a day"),
        days => text!("deleted permanently in {days} days"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_are_revealed_and_days_rounded_up() {
        assert!(!fork_mark("a\u{202e}b").contains('\u{202e}'));
        let day = 24 * 60 * 60_000;
        assert_eq!(purged_in(Millis(3 * day), Millis(0)), "deleted permanently in 3 days");
        assert_eq!(purged_in(Millis(day), Millis(1)), "deleted permanently within a day");
        assert!(purged_in(Millis(1), Millis(5)).starts_with("deleted permanently soon"));
    }
}

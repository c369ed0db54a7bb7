//! Strings of sessions and branches, snapshots and the reflog.

use crate::strings::prelude::*;
use nexus_model::turn::tree::HeadMoveReason;

pub const SWITCH: Text = Text("Sessions: switch, create, rename, archive");
pub const FIND: Text = Text("Search sessions");

texts! {
    pub fn differs(names: &[String]) = "Differs from now: {}", names.join(", ");
    pub fn more(number: usize) = "{number} more";
    pub fn version_of(at: usize, of: usize) = "Version {at} of {of}";
    pub fn stepped(at: usize, of: usize) = "Showing version {at} of {of}. Files are as they were there.";
    pub fn deleted(label: &str) = "“{}” is deleted. It can be restored for 7 days.", reveal(label);
    pub fn ended(label: &str) = "“{}” is closed. It is listed under Archived.", reveal(label);
    pub fn archived(label: &str) = "“{}” is archived.", reveal(label);
    pub fn forked_from(label: &str) = "from {}", reveal(label);

    pub fn filter(filter: SessionFilter) -> &'static str {
        SessionFilter::Open => { tr_in("sessions", "Open") };
        SessionFilter::Archived => "Archived";
        SessionFilter::Deleted => "Deleted";
    }
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
    "Sends the edited message, with the files, objective and scratchpad as they were then. Later turns leave the view; the original stays as another version.",
);
pub const RESEND: Text = Text("Resend");
pub const EDIT_FIELD: Text = Text("Edited message");
pub const UNFINISHED: Text = Text("unfinished edit");
pub const AGAIN: Text = Text("Regenerate");
pub const AGAIN_ABOUT: Text = Text(
    "Sends the same message again, with the files, objective and scratchpad as they were then. This answer stays as another version.",
);
pub const AGAIN_FAILED: Text = Text("Retries the request at the end of the conversation.");
pub const OWN_MODEL: Text = Text("The agent's own model");
pub const BACK: Text = Text("Rewind to here");
pub const BACK_ABOUT: Text = Text(
    "Resets this session to this turn, with the files, objective and scratchpad as they were then. Later turns are kept.",
);
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

pub fn fork_mark(label: &str) -> String {
    if label.is_empty() { FORKED.to_owned() } else { text!("Above: from “{}”", reveal(label)) }
}

pub fn purged_in(at: Millis, now: Millis) -> String {
    match at.0.saturating_sub(now.0).div_ceil(24 * 60 * 60_000) {
        0 => text!("deleted permanently soon, unless another session needs it"),
        1 => text!("deleted permanently within a day"),
        days => text!("deleted permanently in {days} days"),
    }
}

pub const AS_IT_WAS: Text = Text("Snapshot");
pub const OPEN: Text = Text("View at this point (read-only)");
pub const OPEN_ABOUT: Text = Text("Shows the conversation, objective, scratchpad and files as of this turn.");
pub const READ_ONLY: Text = Text("Read-only. Your draft is kept.");
pub const RETURN: Text = Text("Return to now");
pub const OLDER: Text = Text("Previous turn");
pub const NEWER: Text = Text("Next turn");
pub const READING: Text = Text("Loading the snapshot…");
pub const GONE: Text = Text("This turn or its files are not on this device, or it is still in progress.");
pub const MORE_SAID: Text = Text("Earlier turns");
pub const MIND: Text = Text("Objective, scratchpad and files at this point");
pub const EMPTY: Text = Text("Empty");
pub const NO_FILES: Text = Text("No files");
pub const SAME: Text = Text("Same as now");
pub const DIFFERS: Text = Text("has changed since");
pub const COMPACTED: Text = Text("The conversation was compacted here");
pub const FORKED: Text = Text("Above: from another session");

pub const LOOK_BACK: Text = Text("View previous turn");
pub const NO_OLDER: Text = Text("There is no earlier turn.");
pub const IS_NOW: Text = Text("You are viewing the current state.");
pub const CONTINUE_LOOKED: Text = Text("Fork from the viewed turn");

pub const HEADS_ABOUT: Text = Text(
    "Every turn that was the head of this session, newest first. View each one, or fork a new session from it.",
);
pub const NO_HEADS: Text = Text("No answers yet.");
pub const OLDER_HEADS: Text = Text("Load older");
pub const NOW: Text = Text("now");
pub const BEGINNING: Text = Text("Before the first turn");
pub const UNREADABLE: Text = Text("The history could not be read from this device.");

pub fn why(why: HeadMoveReason, kind: Option<TurnKind>, end: Option<TurnEnd>) -> &'static str {
    match why {
        HeadMoveReason::Began => tr("forked here"),
        HeadMoveReason::Moved => tr("rewound to here"),
        HeadMoveReason::Edited => tr("rewound to edit a message"),
        HeadMoveReason::Retried => tr("rewound to regenerate"),
        HeadMoveReason::Ended => match (kind, end) {
            (Some(TurnKind::Compaction), _) => tr("compacted"),
            (Some(TurnKind::Merge), _) => tr("merged"),
            (Some(TurnKind::Normal) | None, Some(TurnEnd::Completed) | None) => tr("answered"),
            (Some(TurnKind::Normal) | None, Some(TurnEnd::Cancelled)) => tr("stopped"),
            (Some(TurnKind::Normal) | None, Some(TurnEnd::Interrupted)) => tr("interrupted"),
            (Some(TurnKind::Normal) | None, Some(TurnEnd::CutOff | TurnEnd::TimedOut | TurnEnd::Error)) => {
                tr("failed")
            }
        },
    }
}

pub fn at(day: &str, clock: &str) -> String {
    format!("{day}, {clock}")
}

#[cfg(test)]
mod tests;

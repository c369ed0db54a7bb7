//! Strings of snapshots and the reflog.

use crate::language::{Text, text, tr};
use nexus_model::turn::reflog::HeadMoveReason;
use nexus_model::turn::{TurnEnd, TurnKind};

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

pub fn differs(names: &[String]) -> String {
    text!("Differs from now: {}", names.join(", "))
}

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

//! Never says that the Core is right.
//!
//! Owns the words about what the Core proposes for a merge.

use crate::domain::failure::Failure;
use crate::domain::joining::proposal::{JoinAsked, JoinProposed, Unfit};
use crate::domain::sync::NO_PATCH;
use crate::ui::words::{Told, count, money, tokens};

pub(crate) const ASK: &str = "Ask the Core";
pub(crate) const ASK_ABOUT: &str =
    "Its model reads both sides and what they were about, and proposes lines. Nothing is merged by that.";
pub(crate) const CORE_WORKS: &str = "The Core is at work in this session.";
pub(crate) const STOP: &str = "Stop";
pub(crate) const STOPPED: &str = "The Core was stopped.";
pub(crate) const PROPOSED: &str = "The Core proposes";
pub(crate) const OWN: &str = "Your own lines";
pub(crate) const WRITE: &str = "Write it yourself";
pub(crate) const WRITE_ABOUT: &str = "Begins with the lines of both sides";
pub(crate) const TAKE: &str = "Take these lines";
pub(crate) const TAKEN: &str = "What stands here is merged.";
pub(crate) const NOT_TAKEN: &str = "It counts once you take it.";
pub(crate) const CHANGED: &str = "Changed by you.";
pub(crate) const NOTHING: &str = "Nothing is to stand here.";
pub(crate) const NO_FILE: &str = "Without any lines the file is removed.";
pub(crate) const NO_REASON: &str = "It gave no reason.";

/// The button that asks about all that is open.
pub(crate) fn ask_all(open: usize) -> String {
    format!("Ask the Core about {}", count(open, "clash", "clashes"))
}

/// What it does.
pub(crate) fn asking(clashes: usize) -> String {
    format!("The Core reads {} …", count(clashes, "clash", "clashes"))
}

/// What came of a question.
pub(crate) fn told(proposed: &JoinProposed) -> String {
    let usage = match proposed.usage.total() {
        0 => String::new(),
        total => format!(" · {} tokens", tokens(total)),
    };
    let cost = proposed.cost.map_or_else(String::new, |cost| format!(" · about {}", money(cost)));
    let without = match proposed.without.len() {
        0 => String::new(),
        some => format!(", none for {some}"),
    };
    let count = count(proposed.proposals.len(), "proposal", "proposals");
    format!("{count}{without} · {}{usage}{cost}", proposed.model)
}

/// Why there is no proposal for a clash.
pub(crate) fn unfit(why: Unfit) -> &'static str {
    match why {
        Unfit::NoRoom => {
            "The Core was not asked about this: it does not fit into its window beside the others."
        }
        Unfit::Gone => "This did not clash any more when the Core was asked.",
        Unfit::Missing => "The Core said nothing about this.",
        Unfit::Twice => "The Core said several things about this, and none is taken for its answer.",
        Unfit::Long => "What the Core proposed is not shown: it is far longer than what clashes.",
        Unfit::Marks => "What the Core proposed is not shown: it holds marks of a clash.",
        Unfit::Hidden => "What the Core proposed is not shown: it holds characters that cannot be seen.",
    }
}

/// Why it proposed nothing at all: `usual` says it of a model call.
pub(crate) fn failed(failure: &Failure, usual: impl FnOnce() -> Told) -> Told {
    if failure.code.as_deref() == Some(NO_PATCH) {
        return Told::new(
            "The Core proposed nothing",
            "Ask again, decide by yourself, or give the Core another model in the settings.",
        );
    }
    usual()
}

/// The question, for the audit.
pub(crate) fn asked(asked: &JoinAsked) -> String {
    format!("the Core asks {} about {}", asked.model, count(asked.clashes.len(), "clash", "clashes"))
}

/// The answer, for the feed.
pub(crate) fn proposed(proposed: &JoinProposed) -> String {
    format!("The Core made {} for a merge", count(proposed.proposals.len(), "proposal", "proposals"))
}

//! Strings of the Core's merge proposals.

use crate::strings::{Notice, count, money, tokens};
use nexus_model::mind::core_sync::NO_PATCH;
use nexus_model::mind::merge::proposal::{MergeProposal, MergeQuestion, NoProposalReason};
use nexus_model::provider::failure::ProviderError;

pub const ASK: &str = "Ask the Core";
pub const ASK_ABOUT: &str =
    "Its model reads both sides and what they were about, and proposes lines. Nothing is merged by that.";
pub const CORE_WORKS: &str = "The Core is at work in this session.";
pub const STOP: &str = "Stop";
pub const STOPPED: &str = "The Core was stopped.";
pub const PROPOSED: &str = "The Core proposes";
pub const OWN: &str = "Your own lines";
pub const WRITE: &str = "Write it yourself";
pub const WRITE_ABOUT: &str = "Begins with the lines of both sides";
pub const TAKE: &str = "Take these lines";
pub const TAKEN: &str = "What stands here is merged.";
pub const NOT_TAKEN: &str = "It counts once you take it.";
pub const CHANGED: &str = "Changed by you.";
pub const NOTHING: &str = "Nothing is to stand here.";
pub const NO_FILE: &str = "Without any lines the file is removed.";
pub const NO_REASON: &str = "It gave no reason.";

/// The button that asks about all that is open.
pub fn ask_all(open: usize) -> String {
    format!("Ask the Core about {}", count(open, "clash", "clashes"))
}

/// What it does.
pub fn asking(clashes: usize) -> String {
    format!("The Core reads {} …", count(clashes, "clash", "clashes"))
}

/// What came of a question.
pub fn told(proposed: &MergeProposal) -> String {
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
pub fn unfit(why: NoProposalReason) -> &'static str {
    match why {
        NoProposalReason::NoRoom => {
            "The Core was not asked about this: it does not fit into its window beside the others."
        }
        NoProposalReason::Gone => "This did not clash any more when the Core was asked.",
        NoProposalReason::Missing => "The Core said nothing about this.",
        NoProposalReason::Twice => {
            "The Core said several things about this, and none is taken for its answer."
        }
        NoProposalReason::Long => "What the Core proposed is not shown: it is far longer than what clashes.",
        NoProposalReason::Marks => "What the Core proposed is not shown: it holds marks of a clash.",
        NoProposalReason::Hidden => {
            "What the Core proposed is not shown: it holds characters that cannot be seen."
        }
    }
}

/// Why it proposed nothing at all: `usual` says it of a model call.
pub fn failed(failure: &ProviderError, usual: impl FnOnce() -> Notice) -> Notice {
    if failure.code.as_deref() == Some(NO_PATCH) {
        return Notice::new(
            "The Core proposed nothing",
            "Ask again, decide by yourself, or give the Core another model in the settings.",
        );
    }
    usual()
}

/// The question, for the audit.
pub(crate) fn asked(asked: &MergeQuestion) -> String {
    format!("the Core asks {} about {}", asked.model, count(asked.clashes.len(), "clash", "clashes"))
}

/// The answer, for the feed.
pub(crate) fn proposed(proposed: &MergeProposal) -> String {
    format!("The Core made {} for a merge", count(proposed.proposals.len(), "proposal", "proposals"))
}

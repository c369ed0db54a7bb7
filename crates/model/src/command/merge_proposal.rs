//! Commands for the Core's merge proposals: asking for one and recording the answer.

use crate::command::MergeRequest;
use crate::id::{SessionId, SyncId, TurnId};
use crate::llm::Usage;
use crate::mind::merge::answer::MergeAnswer;
use nexus_text::content_hash::ContentHash;

/// Something that somebody wants of the Core about a merge that is drafted.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeCommand {
    /// The operator: let it propose lines for clashes. Nothing of what is decided in the draft goes along.
    Ask { merging: MergeRequest, clashes: Vec<ContentHash> },
    /// The service: record what it proposed.
    Record {
        session: SessionId,
        sync: SyncId,
        other: TurnId,
        /// What was proposed, and for which clashes nothing was.
        read: MergeAnswer,
        usage: Usage,
    },
}

//! Never changes anything by itself.
//!
//! Owns what can be wanted of the Core about a merge that is drafted.

use crate::domain::command::Merging;
use crate::domain::hash::Hash;
use crate::domain::id::{SessionId, SyncId, TurnId};
use crate::domain::joining::answer::Read;
use crate::domain::model::Usage;

/// Something that somebody wants of the Core about a merge that is drafted.
#[derive(Clone, Debug, PartialEq)]
pub enum JoinCommand {
    /// The operator: let it propose lines for clashes. Nothing of what is decided in the draft goes along.
    Ask {
        /// The merge as it is drafted.
        merging: Merging,
        /// The clashes, by their marks.
        clashes: Vec<Hash>,
    },
    /// The service: record what it proposed.
    Record {
        /// The session.
        session: SessionId,
        /// The sync.
        sync: SyncId,
        /// The turn of the other branch.
        other: TurnId,
        /// What was proposed, and for which clashes nothing was.
        read: Read,
        /// What it used.
        usage: Usage,
    },
}

impl JoinCommand {
    /// Whether the operator wants it.
    pub fn is_from_operator(&self) -> bool {
        matches!(self, Self::Ask { .. })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Ask { .. } => "AskAboutClashes",
            Self::Record { .. } => "RecordProposals",
        }
    }

    /// The session that it is about.
    pub fn session(&self) -> SessionId {
        match self {
            Self::Ask { merging, .. } => merging.session,
            Self::Record { session, .. } => *session,
        }
    }
}

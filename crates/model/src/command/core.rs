//! Commands for a change that the Core proposes: apply or dismiss it.

use crate::id::{SessionId, SyncId};

/// Something that the operator wants of a change that the Core proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreCommand {
    /// Make the change.
    Apply {
        /// The session.
        session: SessionId,
        /// The sync that proposed it.
        sync: SyncId,
    },
    /// Leave everything as it is.
    Dismiss {
        /// The session.
        session: SessionId,
        /// The sync that proposed it.
        sync: SyncId,
    },
}

impl CoreCommand {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Apply { .. } => "ApplyProposal",
            Self::Dismiss { .. } => "DismissProposal",
        }
    }

    /// The session that it works in.
    pub fn session(self) -> SessionId {
        match self {
            Self::Apply { session, .. } | Self::Dismiss { session, .. } => session,
        }
    }
}

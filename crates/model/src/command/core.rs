//! Commands for a change that the Core proposes: apply or dismiss it.

use crate::id::{SessionId, SyncId};

/// Something that the operator wants of a change that the Core proposes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoreCommand {
    /// Make the change.
    Apply { session: SessionId, sync: SyncId },
    /// Leave everything as it is.
    Dismiss { session: SessionId, sync: SyncId },
}

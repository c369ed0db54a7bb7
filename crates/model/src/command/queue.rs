//! Commands for messages that wait in the queue: hold, send now, discard.

use crate::id::{QueueItemId, SessionId};
use crate::world::World;

/// Something that the operator wants of messages that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueueCommand {
    /// Open a message for editing. It is not sent before that ends.
    BeginEdit { item: QueueItemId },
    /// Close the edit of a message and leave its words as they were.
    EndEdit { item: QueueItemId },
    /// Send a message that Stop holds.
    SendHeld { item: QueueItemId },
    /// Send all messages that Stop holds.
    SendAllHeld { session: SessionId },
    /// Withdraw all messages that Stop holds.
    DiscardAllHeld { session: SessionId },
}

impl QueueCommand {
    pub fn name(self) -> &'static str {
        match self {
            Self::BeginEdit { .. } => "BeginQueuedEdit",
            Self::EndEdit { .. } => "EndQueuedEdit",
            Self::SendHeld { .. } => "SendHeld",
            Self::SendAllHeld { .. } => "SendAllHeld",
            Self::DiscardAllHeld { .. } => "DiscardAllHeld",
        }
    }

    pub fn session(self, world: &World) -> Option<SessionId> {
        match self {
            Self::BeginEdit { item } | Self::EndEdit { item } | Self::SendHeld { item } => {
                world.queue_item(&item).map(|item| item.session)
            }
            Self::SendAllHeld { session } | Self::DiscardAllHeld { session } => Some(session),
        }
    }
}

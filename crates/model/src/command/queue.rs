//! Commands for messages that wait in the queue: hold, send now, discard.

use crate::id::{QueueItemId, SessionId};

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

//! Commands for routed messages (sent from elsewhere) and for triggers.

use crate::command::MessageOverrides;
use crate::id::{SessionId, TriggerId};
use crate::message::{MessageOrigin, Source};
use crate::mind::blob::NewBlob;
use crate::session::trigger::{Trigger, TriggerCause, TriggerOutcome};
use crate::session::{KeepGoing, QueueMode, Target};

/// Something that is said in a session from elsewhere. The session need not be open.
#[derive(Clone, Debug, PartialEq)]
pub struct RoutedMessage {
    pub session: SessionId,
    pub text: String,
    /// What goes along with them.
    pub attachments: Vec<NewBlob>,
    pub source: Source,
    /// From where.
    pub origin: MessageOrigin,
    pub target: Target,
    /// What happens if a run works there.
    pub queue: QueueMode,
    /// What holds for its turns alone.
    pub over: Option<Box<MessageOverrides>>,
    /// Whether the agents go on until a goal is met.
    pub keep_going: Option<KeepGoing>,
}

/// Something that somebody wants of triggers.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a command is made once and passed on in a box")]
pub enum TriggerCommand {
    // The operator.
    /// Make a trigger, or change it. What it did so far stays.
    Change(Trigger),
    /// Let a trigger rest, or wait again from now on.
    Rest {
        trigger: TriggerId,
        rests: bool,
    },
    Remove {
        trigger: TriggerId,
    },

    // Services.
    /// Let a trigger fire: nobody else lets it fire for the same reason then.
    Fire {
        trigger: TriggerId,
        cause: TriggerCause,
    },
    /// Record what became of it.
    End {
        trigger: TriggerId,
        /// Why it fired, or should have.
        cause: TriggerCause,
        outcome: TriggerOutcome,
    },
}

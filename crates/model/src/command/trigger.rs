//! Commands for triggers.

use crate::id::TriggerId;
use crate::session::trigger::{Trigger, TriggerCause, TriggerOutcome};

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

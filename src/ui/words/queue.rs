//! Never decides what happens to a message.
//!
//! Owns the words about messages that wait while a run works.

use crate::domain::session::QueueMode;

/// What the strip is called.
pub(crate) const WAITING: &str = "Messages that wait";
/// What the choice at the composer is called.
pub(crate) const CHOICE: &str = "What happens to this message while the agents work";
/// What the choice at a waiting message is called.
pub(crate) const CHANGE: &str = "What happens to this waiting message";
/// Changes what it says.
pub(crate) const EDIT: &str = "Edit";
/// The field for that.
pub(crate) const FIELD: &str = "The waiting message in other words";
/// Keeps it.
pub(crate) const KEEP: &str = "Change";
/// Leaves it as it was.
pub(crate) const LEAVE: &str = "Leave as it was";
/// Takes it back.
pub(crate) const WITHDRAW: &str = "Withdraw";
/// A message was taken while it was changed.
pub(crate) const TAKEN: &str = "That message was on its way already";
/// What became of the other words.
pub(crate) const TAKEN_ADVICE: &str = "It went as it was. Your other words stand in the message field.";
/// The setting.
pub(crate) const USUAL: &str = "While the agents work, a message";
/// What is told beside the setting.
pub(crate) const USUAL_ABOUT: &str = "It can be chosen for each message, too, as long as a run works.";
/// Whom it is for, where that is all.
pub(crate) const TO_ALL: &str = "to all";

/// A mode in a word or two.
pub(crate) fn mode(mode: QueueMode) -> &'static str {
    match mode {
        QueueMode::Steer => "Steer",
        QueueMode::FollowUp => "Follow up",
        QueueMode::Collect => "Collect",
        QueueMode::Interrupt => "Interrupt",
    }
}

/// What it does.
pub(crate) fn about(mode: QueueMode) -> &'static str {
    match mode {
        QueueMode::Steer => "joins what the next agent of this run is asked",
        QueueMode::FollowUp => "waits for the end of this run and then starts its own",
        QueueMode::Collect => "waits, and is answered together with all others that collect",
        QueueMode::Interrupt => "stops this run now and starts its own; what came so far is kept",
    }
}

/// A mode with what it does.
pub(crate) fn in_full(of: QueueMode) -> String {
    format!("{}: {}", mode(of), about(of))
}

/// Whom a waiting message is for.
pub(crate) fn to(names: &str) -> String {
    format!("to {names}")
}

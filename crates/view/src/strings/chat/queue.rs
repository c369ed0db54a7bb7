//! Strings of messages that wait during a run.

use nexus_model::session::QueueMode;

pub const WAITING: &str = "Messages that wait";
pub const CHOICE: &str = "What happens to this message while the agents work";
pub const CHANGE: &str = "What happens to this waiting message";
pub const EDIT: &str = "Edit";
pub const FIELD: &str = "The waiting message in other words";
pub const KEEP: &str = "Change";
pub const LEAVE: &str = "Leave as it was";
pub const WITHDRAW: &str = "Withdraw";
pub const SEND_HELD: &str = "Send now";
pub const DISCARD_HELD: &str = "Discard";
pub const HELD: &str = "held";
pub const EDITED: &str = "being edited";
pub const TAKEN: &str = "That message was on its way already";
pub const TAKEN_ADVICE: &str = "It went as it was. Your other words stand in the message field.";
pub const USUAL: &str = "While the agents work, a message";
pub const USUAL_ABOUT: &str = "It can be chosen for each message, too, as long as a run works.";
pub const TO_ALL: &str = "to all";

/// A mode in a word or two.
pub fn mode(mode: QueueMode) -> &'static str {
    match mode {
        QueueMode::Steer => "Steer",
        QueueMode::FollowUp => "Follow up",
        QueueMode::Collect => "Collect",
        QueueMode::Interrupt => "Interrupt",
    }
}

/// What it does.
pub fn about(mode: QueueMode) -> &'static str {
    match mode {
        QueueMode::Steer => "joins what the next agent of this run is asked",
        QueueMode::FollowUp => "waits for the end of this run and then starts its own",
        QueueMode::Collect => "waits, and is answered together with all others that collect",
        QueueMode::Interrupt => "stops this run now and starts its own; what came so far is kept",
    }
}

pub fn in_full(of: QueueMode) -> String {
    format!("{}: {}", mode(of), about(of))
}

/// What Stop left waiting.
pub fn held(messages: usize) -> String {
    match messages {
        1 => "Stopped. 1 queued message is held and not sent.".to_owned(),
        many => format!("Stopped. {many} queued messages are held and not sent."),
    }
}

/// Whom a waiting message is for.
pub fn to(names: &str) -> String {
    format!("to {names}")
}

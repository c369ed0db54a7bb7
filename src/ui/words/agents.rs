//! Never looks anything up.
//!
//! Owns the words of the agent cards.

use crate::domain::agent::Priority;

pub(crate) const PANE: &str = "Agents";
pub(crate) const ACTIVITY: &str = "Activity";
pub(crate) const NO_ACTIVITY: &str = "What you and the agents do from here on appears here, newest first.";
pub(crate) const YOU: &str = "You";
pub(crate) const REHEARSAL: &str = "Rehearsal";
pub(crate) const REHEARSAL_ABOUT: &str = "A built-in stand-in answers by rules: no model, no network";
pub(crate) const MUTE: &str = "Mute";
pub(crate) const MUTED: &str = "Muted";
pub(crate) const UNREAD: &str = "Not answered or not looked at yet. Press to mark as read.";
pub(crate) const IDLE: &str = "idle";
pub(crate) const QUEUED: &str = "next in line";
pub(crate) const ASKING: &str = "waits for you";
pub(crate) const HELD: &str = "waits for the provider";
pub(crate) const FAILED: &str = "failed";

pub(crate) fn priority(priority: Priority) -> &'static str {
    match priority {
        Priority::Low => "Low",
        Priority::Normal => "Normal",
        Priority::High => "High",
    }
}

pub(crate) fn priority_of(name: &str) -> String {
    format!("Priority of {name}: ")
}

pub(crate) fn priority_about(name: &str, now: Priority) -> String {
    format!(
        "{name} speaks with {} priority. Press for {}.",
        priority(now).to_lowercase(),
        priority(now.cycled()).to_lowercase()
    )
}

pub(crate) fn mute_about(name: &str, muted: bool) -> String {
    if muted {
        format!("{name} is left out of messages to all; addressed by name it still answers. Press to unmute.")
    } else {
        format!("Leave {name} out of messages to all")
    }
}

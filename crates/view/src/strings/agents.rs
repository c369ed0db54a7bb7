//! Strings of the agent cards.

use nexus_model::agent::Priority;

pub const PANE: &str = "Agents";
pub const ACTIVITY: &str = "Activity";
pub const NO_ACTIVITY: &str = "What you and the agents do from here on appears here, newest first.";
pub const YOU: &str = "You";
pub const DEMO: &str = "Demo";
pub const DEMO_ABOUT: &str = "Plays prepared answers: no model, no network";
pub const MUTE: &str = "Mute";
pub const MUTED: &str = "Muted";
pub const UNREAD: &str = "Not answered or not looked at yet. Press to mark as read.";
pub const IDLE: &str = "idle";
pub const QUEUED: &str = "next in line";
pub const ASKING: &str = "waits for you";
pub const HELD: &str = "waits for the provider";
pub const FAILED: &str = "failed";

pub fn priority(priority: Priority) -> &'static str {
    match priority {
        Priority::Low => "Low",
        Priority::Normal => "Normal",
        Priority::High => "High",
    }
}

pub fn priority_of(name: &str) -> String {
    format!("Priority of {name}: ")
}

pub fn priority_about(name: &str, now: Priority) -> String {
    format!(
        "{name} speaks with {} priority. Press for {}.",
        priority(now).to_lowercase(),
        priority(now.cycled()).to_lowercase()
    )
}

pub fn mute_about(name: &str, muted: bool) -> String {
    if muted {
        format!("{name} is left out of messages to all; addressed by name it still answers. Press to unmute.")
    } else {
        format!("Leave {name} out of messages to all")
    }
}

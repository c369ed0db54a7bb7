//! Strings of an exported conversation.

use crate::language::{Text, text};
use nexus_model::id::Millis;

use crate::local_time::LocalTime;
use crate::strings::format::count;

pub const MARKDOWN: Text = Text("Export as Markdown");
pub const HTML: Text = Text("Export as HTML page");
pub const FAILED: Text = Text("The conversation was not exported");
pub const FAILED_ADVICE: Text =
    Text("The browser did not take the file, or older turns could not be loaded.");

pub const YOU: Text = Text("You");
pub const NEXUS: Text = Text("Nexus");
pub const THINKING: Text = Text("Thinking");
pub const SUMMARY: Text = Text("Summary of the turns above");
pub const ARGUMENTS: Text = Text("Arguments");
pub const RESULT: Text = Text("Result");
pub const EMPTY: Text = Text("No messages.");

pub fn about(messages: usize, exported: Millis, local: LocalTime) -> String {
    text!("{}, exported from Nexus on {}", count(messages, "message", "messages"), moment(exported, local))
}

/// A day and a time of day: `2025-11-14 14:02`.
pub fn moment(at: Millis, local: LocalTime) -> String {
    local.field(at).replace('T', " ")
}

pub fn attachment(name: &str, mime: &str, bytes: u64) -> String {
    format!("{name} ({mime}, {})", super::large_size(bytes))
}

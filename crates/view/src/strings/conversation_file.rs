//! Strings of an exported conversation.

use nexus_model::id::Millis;

use crate::local_time::LocalTime;
use crate::strings::format::count;

pub const MARKDOWN: &str = "Export as Markdown";
pub const HTML: &str = "Export as HTML page";
pub const FAILED: &str = "The conversation was not exported";
pub const FAILED_ADVICE: &str = "The browser did not take the file, or older turns could not be loaded.";

pub const YOU: &str = "You";
pub const NEXUS: &str = "Nexus";
pub const THINKING: &str = "Thinking";
pub const SUMMARY: &str = "Summary of the turns above";
pub const ARGUMENTS: &str = "Arguments";
pub const RESULT: &str = "Result";
pub const EMPTY: &str = "No messages.";

/// What stands below the title.
pub fn about(messages: usize, exported: Millis, local: LocalTime) -> String {
    format!("{}, exported from Nexus on {}", count(messages, "message", "messages"), moment(exported, local))
}

/// A day and a time of day: `2025-11-14 14:02`.
pub fn moment(at: Millis, local: LocalTime) -> String {
    local.field(at).replace('T', " ")
}

/// An attachment that is named, not included.
pub fn attachment(name: &str, mime: &str, bytes: u64) -> String {
    format!("{name} ({mime}, {})", super::large_size(bytes))
}

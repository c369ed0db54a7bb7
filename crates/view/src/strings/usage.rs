//! Strings of the usage screen.

use nexus_model::job::JobKind;
use nexus_model::provider::price::Cost;

use crate::strings::format::{count, money, tokens};

pub const TITLE: &str = "Usage";
pub const ABOUT: &str = "Tokens and estimated cost of every model call on this device.";
pub const BACK: &str = "Back to the war room";
pub const GROUP: &str = "Group by";
pub const SPAN: &str = "Period";
pub const DAY: &str = "Day";
pub const AGENT: &str = "Agent";
pub const MODEL: &str = "Model";
pub const SESSION: &str = "Session";
pub const CALLS: &str = "Calls";
pub const INPUT: &str = "Input tokens";
pub const OUTPUT: &str = "Output tokens";
pub const COST: &str = "Cost";
pub const COPY: &str = "Copy as CSV";
pub const COPIED: &str = "Copied.";
pub const NOT_COPIED: &str = "The browser did not allow copying.";
pub const NOTHING: &str = "No model calls in this period. The demo uses no tokens.";
pub const READING: &str = "Reading the event log…";
pub const FAILED: &str = "The event log could not be read.";
pub const UNKNOWN: &str = "Unknown";
pub const UNPRICED: &str = "Some calls have no known price and are not included in the cost.";
pub const PRICES: &str = "Set prices";
/// Periods: their names and how many days they are; everything is none.
pub const SPANS: [(&str, &str, u64); 4] =
    [("today", "24 hours", 1), ("week", "7 days", 7), ("month", "30 days", 30), ("all", "All time", 0)];

/// Who makes the calls of a kind of job.
pub fn job(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Sync | JobKind::Merge => "Core",
        JobKind::Compaction => "Compaction",
        JobKind::Summary | JobKind::Memory => "Archivist",
    }
}

/// What something cost, as far as that is known.
pub fn cost(cost: Cost, is_unpriced: bool) -> String {
    match (cost, is_unpriced) {
        (Cost(0), true) => "unknown".to_owned(),
        (cost, false) => money(cost),
        (cost, true) => format!("{} +", money(cost)),
    }
}

/// The sum of all that is shown.
pub fn total(calls: u64, input: u64, output: u64, cost: &str) -> String {
    let calls = count(usize::try_from(calls).unwrap_or(usize::MAX), "call", "calls");
    format!("{calls} · {} → {} tokens · {cost}", tokens(input), tokens(output))
}

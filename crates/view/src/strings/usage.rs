//! Strings of the usage screen.

use crate::language::{Text, text, tr};
use nexus_model::job::JobKind;
use nexus_model::provider::price::Cost;

use crate::strings::format::{count, money, tokens};

pub const TITLE: Text = Text("Usage");
pub const ABOUT: Text = Text("Tokens and estimated cost of every model call on this device.");
pub const BACK: Text = Text("War room");
pub const GROUP: Text = Text("Group by");
pub const SPAN: Text = Text("Period");
pub const DAY: Text = Text("Day");
pub const AGENT: Text = Text("Agent");
pub const MODEL: Text = Text("Model");
pub const SESSION: Text = Text("Session");
pub const CALLS: Text = Text("Calls");
pub const INPUT: Text = Text("Input tokens");
pub const OUTPUT: Text = Text("Output tokens");
pub const COST: Text = Text("Cost");
pub const COPY: Text = Text("Copy as CSV");
pub const COPIED: Text = Text("Copied.");
pub const NOT_COPIED: Text = Text("The browser did not allow copying.");
pub const NOTHING: Text = Text("No model calls in this period. The demo uses no tokens.");
pub const READING: Text = Text("Reading the event log…");
pub const FAILED: Text = Text("The event log could not be read.");
pub const UNKNOWN: Text = Text("Unknown");
pub const UNPRICED: Text = Text("Some calls have no known price and are not included in the cost.");
pub const PRICES: Text = Text("Set prices");
/// Periods: their names and how many days they are; everything is none.
pub const SPANS: [(&str, Text, u64); 4] = [
    ("today", Text("24 hours"), 1),
    ("week", Text("7 days"), 7),
    ("month", Text("30 days"), 30),
    ("all", Text("All time"), 0),
];

pub fn job(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Sync | JobKind::Merge => tr("Core"),
        JobKind::Compaction => tr("Compaction"),
        JobKind::Summary | JobKind::Memory => tr("Archivist"),
    }
}

pub fn cost(cost: Cost, is_unpriced: bool) -> String {
    match (cost, is_unpriced) {
        (Cost(0), true) => text!("unknown"),
        (cost, false) => money(cost),
        (cost, true) => format!("{} +", money(cost)),
    }
}

pub fn total(calls: u64, input: u64, output: u64, cost: &str) -> String {
    let calls = count(calls, "call", "calls");
    text!("{calls} · {} → {} tokens · cost: {cost}", tokens(input), tokens(output))
}

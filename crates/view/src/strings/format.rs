//! Formats times, durations, figures and lists, and the notice that most other strings make. Never reads a clock.

use crate::language::{self, Format, Text, tenths, text, tr};
use crate::strings::common;
use nexus_model::agent::defaults::DEMO_MODEL;
use nexus_model::id::Millis;
use nexus_model::provider::price::Cost;
use nexus_model::run::RunUsage;
use nexus_text::diff::LineCount;
use nexus_text::invisible::reveal;

pub use crate::language::{count, whole as tokens};

/// A message to the operator with advice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub title: String,
    /// What to do; empty if nothing.
    pub advice: String,
}

impl Notice {
    pub(super) fn new(title: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { title: title.into(), advice: advice.into() }
    }
}

/// A notice from an English title and advice.
pub(super) fn notice(title: &'static str, advice: &'static str) -> Notice {
    Notice::new(tr(title), tr(advice))
}

/// Joins names: “A”, “A and B”, “A, B and C”.
pub fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => {
            let shown = language::format(Format::List(names));
            shown.unwrap_or_else(|| format!("{} and {last}", first.join(", ")))
        }
    }
}

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A duration: `340 ms`, `0:07`, `12:30`, `1:02:03`.
pub fn elapsed(ms: u64) -> String {
    let (hours, minutes, seconds) = (ms / HOUR, ms / MINUTE % 60, ms / SECOND % 60);
    match (hours, ms) {
        (0, 0..SECOND) => format!("{ms} ms"),
        (0, _) => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// A number of minutes in its largest whole unit: `15 minutes`, `1 hour`, `2 days`.
pub(super) fn minutes(minutes: u64) -> String {
    match minutes {
        days if days % 1_440 == 0 => count(days / 1_440, "day", "days"),
        hours if hours % 60 == 0 => count(hours / 60, "hour", "hours"),
        minutes => count(minutes, "minute", "minutes"),
    }
}

/// A relative time: `just now`, `12 s ago`, `4 min ago`, `3 h ago`, `5 d ago`.
pub fn ago(then: Millis, now: Millis) -> String {
    let ms = now.0.saturating_sub(then.0);
    match ms {
        0..5_000 => text!("just now"),
        5_000..MINUTE => text!("{} s ago", ms / SECOND),
        MINUTE..HOUR => text!("{} min ago", ms / MINUTE),
        HOUR..DAY => text!("{} h ago", ms / HOUR),
        _ => text!("{} d ago", ms / DAY),
    }
}

/// A day as a heading: `Today`, `Yesterday`, `Friday, 14 November 2025`. Days are counted from 1970.
pub(crate) fn day(day: i64, today: i64) -> String {
    match today.saturating_sub(day) {
        0 => text!("Today"),
        1 => text!("Yesterday"),
        _ => language::format(Format::Day(day)).unwrap_or_else(|| english_day(day)),
    }
}

fn english_day(day: i64) -> String {
    const WEEK: &str = "Thursday Friday Saturday Sunday Monday Tuesday Wednesday";
    const YEAR: &str =
        "January February March April May June July August September October November December";
    let moment = u64::try_from(day).unwrap_or_default().saturating_mul(DAY);
    let written = Millis(moment).rfc3339();
    let mut date = written.split(['-', 'T']).map(|part| part.parse().unwrap_or(1));
    let (year, month, of_month) =
        (date.next().unwrap_or(1970), date.next().unwrap_or(1), date.next().unwrap_or(1));
    let name = |names: &'static str, at: i64| {
        usize::try_from(at).ok().and_then(|at| names.split(' ').nth(at)).unwrap_or_default()
    };
    format!("{}, {of_month} {} {year}", name(WEEK, day.rem_euclid(7)), name(YEAR, month - 1))
}

/// A size: `312 bytes`, `12 kB`, `5.2 MB`, `4.2 GB`.
pub fn size(bytes: usize) -> String {
    large_size(u64::try_from(bytes).unwrap_or(u64::MAX))
}

/// As [`size`], for sizes that may exceed `usize`.
pub fn large_size(bytes: u64) -> String {
    match bytes {
        0..1_000 => count(bytes, "byte", "bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        1_000_000..1_000_000_000 => format!("{} MB", tenths(bytes / 100_000)),
        _ => format!("{} GB", tenths(bytes / 100_000_000)),
    }
}

/// An estimated cost: `≈ $0.12`; below a cent `< $0.01`.
pub fn money(cost: Cost) -> String {
    let cents = cost.cents();
    let own = |dollars| language::format(Format::Money(dollars));
    match (cost.0, cents) {
        (0, _) => own(0.0).unwrap_or_else(|| "$0".to_owned()),
        (_, 0) => format!("< {}", own(0.01).unwrap_or_else(|| "$0.01".to_owned())),
        (_, cents) => {
            let english = || format!("${}.{:02}", cents / 100, cents % 100);
            format!("≈ {}", own(cents as f64 / 100.0).unwrap_or_else(english))
        }
    }
}

/// A cost limit, without the sign of an estimate: `$5.00`.
pub fn cap(cost: Cost) -> String {
    let estimate = money(cost);
    estimate.strip_prefix("≈ ").unwrap_or(&estimate).to_owned()
}

/// What was spent of a cost limit, which does not count calls at an unknown price.
pub fn cost_of(used: &RunUsage, limit: Cost) -> String {
    let (cost, limit) = (money(used.cost), cap(limit));
    match (used.cost.0, used.unpriced) {
        (_, 0) => text!("{cost} of {limit}"),
        (0, _) => text!("unknown, so the limit of {limit} cannot act"),
        (_, _) => text!("{cost} and more at an unknown price, of {limit}"),
    }
}

/// The lines that were added to a field and removed from it: `plan.md +3 −1`.
pub fn changed_lines(field: &str, lines: LineCount) -> String {
    format!("{field} +{} −{}", lines.added, lines.removed)
}

pub fn model_name(id: &str) -> String {
    if id == DEMO_MODEL { common::DEMO.to_owned() } else { reveal(id) }
}

pub const ESTIMATE: Text = Text("An estimate based on the prices in Settings.");

texts! {
    /// A name in the language's quotation marks.
    pub fn quoted(name: &str) = "“{name}”";
    /// As [`tokens`], with the unit: `6,120 tokens`.
    pub fn tokens_with_unit(number: u64) = "{} tokens", tokens(number);
    /// Usage of an answer: `1,203 → 88 tokens`.
    pub fn spent_tokens(input: u64, output: u64) = "{} → {} tokens", tokens(input), tokens(output);
}

#[cfg(test)]
mod tests;

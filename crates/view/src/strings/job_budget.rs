//! Strings of the daily budget of jobs: what is used of it, and that it is used up.

use crate::language::{Text, text, tr};
use crate::strings::format::{Notice, cap, count, money, tokens};
use nexus_model::run::{RunLimits, RunUsage};

pub const JOB_LIMITS: Text = Text("Daily budget of automatic jobs");
pub const JOB_LIMITS_ABOUT: Text = Text(
    "Syncs of the Core, summaries and memory scans that start automatically, in all sessions together. At a limit they pause until the next day (UTC). Jobs that you start are counted, but always run.",
);

pub fn used(used: &RunUsage, limits: &RunLimits) -> String {
    let calls = count(used.calls, "call", "calls");
    let more = if used.unpriced > 0 { tr(", some at an unknown price") } else { "" };
    text!(
        "Automatic jobs today: {calls} of {} · {} of {} tokens · {} of {}{more}",
        limits.calls,
        tokens(used.tokens),
        tokens(limits.tokens),
        money(used.cost),
        cap(limits.cost),
    )
}

pub fn spent(limits: &RunLimits) -> Notice {
    let calls = count(limits.calls, "call", "calls");
    let limits = text!("{calls}, {} tokens or {}", tokens(limits.tokens), cap(limits.cost));
    Notice::new(
        tr("Automatic jobs are paused until tomorrow"),
        text!(
            "Their daily budget ({limits}) is used up. Raise it in Settings → Limits and pricing, or start jobs yourself."
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use nexus_model::provider::price::Cost;

    #[test]
    fn the_used_part_is_told_beside_each_limit() {
        let limits =
            RunLimits { calls: 300, tokens: 3_000_000, cost: Cost::dollars(3), ..RunLimits::default() };
        let of =
            RunUsage { calls: 2, tokens: 900, cost: Cost::dollars(1), unpriced: 1, ..RunUsage::default() };
        let told = used(&of, &limits);
        assert!(told.starts_with("Automatic jobs today: 2 calls of 300 · 900 of 3"), "{told}");
        assert!(told.ends_with(" of $3.00, some at an unknown price"), "{told}");
        assert!(spent(&limits).advice.contains("300 calls"), "{:?}", spent(&limits));
    }
}

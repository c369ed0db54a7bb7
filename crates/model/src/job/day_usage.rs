//! What the jobs of a session used on one day.

use serde::{Deserialize, Serialize};

use crate::id::Millis;
use crate::llm::Usage;
use crate::memory::DAY_MS;
use crate::provider::price::Cost;
use crate::run::RunUsage;

/// What the jobs of a session used on one day.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayUsage {
    /// Days since 1970, by UTC.
    pub day: u64,
    pub used: RunUsage,
}

impl DayUsage {
    pub fn is_nothing(&self) -> bool {
        *self == Self::default()
    }

    /// Adds what an attempt used. The usage of another day is dropped.
    pub fn add(&mut self, at: Millis, usage: &Usage, cost: Option<Cost>) {
        let mut used = self.on(at);
        used.calls = used.calls.saturating_add(1);
        used.add(usage, cost);
        *self = Self { day: at.0 / DAY_MS, used };
    }

    /// What was used on the day of this moment.
    pub fn on(&self, at: Millis) -> RunUsage {
        if self.day == at.0 / DAY_MS { self.used } else { RunUsage::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_with_nothing_used() {
        let usage = Usage { input: Some(100), ..Usage::default() };
        let mut day = DayUsage::default();
        day.add(Millis(DAY_MS - 2), &usage, Some(Cost::dollars(1)));
        day.add(Millis(DAY_MS - 1), &usage, None);
        let used = day.on(Millis(DAY_MS - 1));
        assert_eq!((used.calls, used.tokens, used.cost, used.unpriced), (2, 200, Cost::dollars(1), 1));
        assert!(day.on(Millis(DAY_MS)).is_nothing());
        day.add(Millis(DAY_MS), &usage, None);
        assert_eq!(day.on(Millis(DAY_MS)).calls, 1);
    }
}

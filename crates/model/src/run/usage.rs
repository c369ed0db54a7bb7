//! Usage and limits of runs and nodes.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

use crate::limits::{RUN_CALLS, RUN_DOLLARS, RUN_TOKENS};
use crate::llm::Usage;
use crate::provider::price::Cost;

const MINUTE_MS: u64 = 60_000;

/// The limits of a run, which pauses when it reaches one.
#[sparse]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    pub calls: u32,
    /// Input and output.
    pub tokens: u64,
    /// By known prices.
    #[serde(default = "usual_cost")]
    pub cost: Cost,
    /// Unlimited if absent, like the following ones.
    pub turns: Option<u32>,
    pub tool_calls: Option<u32>,
    /// Working time of its nodes.
    pub minutes: Option<u32>,
}

/// The limits of a node or of a template's runs; unlimited if absent.
#[sparse]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphLimits {
    pub turns: Option<u32>,
    pub calls: Option<u32>,
    pub tool_calls: Option<u32>,
    pub tokens: Option<u64>,
    pub cost: Option<Cost>,
    /// Working time.
    pub minutes: Option<u32>,
}

/// A reached limit, with the amount used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Turns(u32),
    Calls(u32),
    ToolCalls(u32),
    Tokens(u64),
    Cost(Cost),
    Minutes(u32),
}

fn usual_cost() -> Cost {
    Cost::dollars(RUN_DOLLARS)
}

fn lower<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    a.into_iter().chain(b).min()
}

impl GraphLimits {
    pub fn reached(&self, used: &RunUsage) -> Option<Limit> {
        let limits = [
            (self.calls.map(u64::from), used.calls.into(), Limit::Calls(used.calls)),
            (self.tokens, used.tokens, Limit::Tokens(used.tokens)),
            (self.cost.map(|cost| cost.0), used.cost.0, Limit::Cost(used.cost)),
            (self.turns.map(u64::from), used.turns.into(), Limit::Turns(used.turns)),
            (self.tool_calls.map(u64::from), used.tool_calls.into(), Limit::ToolCalls(used.tool_calls)),
            (self.minutes.map(u64::from), used.minutes().into(), Limit::Minutes(used.minutes())),
        ];
        let is_reached = |(most, used, _): &(Option<u64>, u64, Limit)| most.is_some_and(|most| *used >= most);
        limits.into_iter().find(is_reached).map(|(.., limit)| limit)
    }

    /// These limits, with reached ones raised by their own amount.
    #[must_use]
    pub fn raised(&self, used: &RunUsage) -> Self {
        self.raised_by(self, used)
    }

    /// These limits, with reached ones raised by `step`, or by their own amount if `step` has no such limit.
    fn raised_by(&self, step: &Self, used: &RunUsage) -> Self {
        let more = |limit: Option<u32>, step: Option<u32>, used: u32| {
            let step = step.or(limit).unwrap_or_default().max(1);
            limit.map(|most| if used >= most { used.saturating_add(step) } else { most })
        };
        let long = |limit: Option<u64>, step: Option<u64>, used: u64| {
            let step = step.or(limit).unwrap_or_default().max(1);
            limit.map(|most| if used >= most { used.saturating_add(step) } else { most })
        };
        let nanos = |cost: Option<Cost>| cost.map(|cost| cost.0);
        Self {
            turns: more(self.turns, step.turns, used.turns),
            calls: more(self.calls, step.calls, used.calls),
            tool_calls: more(self.tool_calls, step.tool_calls, used.tool_calls),
            tokens: long(self.tokens, step.tokens, used.tokens),
            cost: long(nanos(self.cost), nanos(step.cost), used.cost.0).map(Cost),
            minutes: more(self.minutes, step.minutes, used.minutes()),
        }
    }
}

impl From<GraphLimits> for RunLimits {
    fn from(limits: GraphLimits) -> Self {
        Self {
            calls: limits.calls.unwrap_or(u32::MAX),
            tokens: limits.tokens.unwrap_or(u64::MAX),
            cost: limits.cost.unwrap_or(Cost(u64::MAX)),
            turns: limits.turns,
            tool_calls: limits.tool_calls,
            minutes: limits.minutes,
        }
    }
}

impl RunLimits {
    fn as_options(&self) -> GraphLimits {
        GraphLimits {
            turns: self.turns,
            calls: Some(self.calls),
            tool_calls: self.tool_calls,
            tokens: Some(self.tokens),
            cost: Some(self.cost),
            minutes: self.minutes,
        }
    }

    pub fn reached(&self, used: &RunUsage) -> Option<Limit> {
        self.as_options().reached(used)
    }

    /// These limits, with reached ones raised by `step`, or by their own amount if `step` has no such limit.
    #[must_use]
    pub fn raised(&self, used: &RunUsage, step: &Self) -> Self {
        self.as_options().raised_by(&step.as_options(), used).into()
    }

    #[must_use]
    pub fn less(&self, used: &RunUsage) -> Self {
        let left = |limit: Option<u32>, used: u32| limit.map(|most| most.saturating_sub(used));
        Self {
            calls: self.calls.saturating_sub(used.calls),
            tokens: self.tokens.saturating_sub(used.tokens),
            cost: Cost(self.cost.0.saturating_sub(used.cost.0)),
            turns: left(self.turns, used.turns),
            tool_calls: left(self.tool_calls, used.tool_calls),
            minutes: left(self.minutes, used.minutes()),
        }
    }

    #[must_use]
    pub fn least(&self, other: &Self) -> Self {
        Self {
            calls: self.calls.min(other.calls),
            tokens: self.tokens.min(other.tokens),
            cost: self.cost.min(other.cost),
            turns: lower(self.turns, other.turns),
            tool_calls: lower(self.tool_calls, other.tool_calls),
            minutes: lower(self.minutes, other.minutes),
        }
    }

    /// These limits, capped by those of a template.
    #[must_use]
    pub fn within(&self, limits: &GraphLimits) -> Self {
        self.least(&(*limits).into())
    }
}

impl Default for RunLimits {
    fn default() -> Self {
        Self {
            calls: RUN_CALLS,
            tokens: RUN_TOKENS,
            cost: usual_cost(),
            turns: None,
            tool_calls: None,
            minutes: None,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunUsage {
    pub calls: u32,
    /// Input and output, as reported by providers.
    pub tokens: u64,
    /// An estimate, by the prices of that time.
    #[serde(default)]
    pub cost: Cost,
    /// Model calls whose price was unknown.
    #[serde(default)]
    pub unpriced: u32,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub turns: u32,
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub tool_calls: u32,
    /// Working time of nodes in milliseconds, without waits for the operator.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub ms: u64,
}

impl RunUsage {
    /// Whole minutes of work.
    pub fn minutes(&self) -> u32 {
        u32::try_from(self.ms / MINUTE_MS).unwrap_or(u32::MAX)
    }

    /// The cost, if all prices were known.
    pub fn known_cost(&self) -> Option<Cost> {
        (self.calls > 0 && self.unpriced == 0).then_some(self.cost)
    }

    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            calls: self.calls.saturating_add(other.calls),
            tokens: self.tokens.saturating_add(other.tokens),
            cost: self.cost.plus(other.cost),
            unpriced: self.unpriced.saturating_add(other.unpriced),
            turns: self.turns.saturating_add(other.turns),
            tool_calls: self.tool_calls.saturating_add(other.tool_calls),
            ms: self.ms.saturating_add(other.ms),
        }
    }

    pub fn add(&mut self, usage: &Usage, cost: Option<Cost>) {
        self.tokens = self.tokens.saturating_add(usage.total());
        match cost {
            Some(cost) => self.cost = self.cost.plus(cost),
            None if usage.total() > 0 => self.unpriced = self.unpriced.saturating_add(1),
            None => {}
        }
    }
}

//! Usage and limits of runs and nodes, and why a run pauses.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::NodeId;
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

/// Why a run waits for the operator.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PauseCause {
    /// The page was closed while it worked.
    Interrupted,
    /// The limit of model calls was reached.
    CallCap(ReachedLimit),
    /// The token limit was reached.
    TokenCap(ReachedLimit),
    /// The cost limit was reached, by an estimate, in billionths of a US dollar.
    CostCap(ReachedLimit),
    /// The turn limit was reached.
    TurnCap(ReachedLimit),
    /// The limit of tool calls was reached.
    ToolCap(ReachedLimit),
    /// The limit of working time was reached.
    TimeCap(ReachedLimit),
    /// The run repeats itself.
    Loop { evidence: String },
    /// All lanes of the race are over: the operator has to choose.
    Choice,
    /// A node reached its limit of turns or of usage.
    NodeLimit { node: NodeId, evidence: String },
    /// A node failed, and no edge handles the failure.
    NodeFailed { node: NodeId, evidence: String },
    /// No edge forwards a node's output, because it lacks what their ports or conditions need.
    NoRoute { node: NodeId, evidence: String },
    /// A node asks the operator a question.
    Question { node: NodeId, text: String },
    /// No work is left, but the completion condition is not met.
    NotDone { evidence: String },
    /// Nodes with envelopes in their inboxes, which the operator starts in INTERACTIVE mode.
    YourTurn { nodes: Vec<NodeId> },
}

impl PauseCause {
    /// True if a limit was reached.
    pub fn is_budget(&self) -> bool {
        matches!(
            self,
            Self::CallCap(_)
                | Self::TokenCap(_)
                | Self::CostCap(_)
                | Self::TurnCap(_)
                | Self::ToolCap(_)
                | Self::TimeCap(_)
        )
    }
}

/// A reached limit and the amount used, in the unit of its [`PauseCause`].
#[sparse]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Value")]
pub struct ReachedLimit {
    pub used: u64,
    /// Not in old logs.
    pub limit: Option<u64>,
    /// True if other runs used a part of it: workers, senders, or the runs that this one follows up.
    pub shared: bool,
}

impl From<Value> for ReachedLimit {
    fn from(stored: Value) -> Self {
        let number = |name: &str| stored.get(name).and_then(Value::as_u64);
        // Old logs name the amount after its unit, and no limit.
        let names = ["used", "calls", "tokens", "cost", "turns", "tool_calls", "minutes"];
        let used = names.into_iter().find_map(number).unwrap_or_default();
        let shared = stored.get("shared").and_then(Value::as_bool).unwrap_or_default();
        Self { used, limit: number("limit"), shared }
    }
}

fn usual_cost() -> Cost {
    Cost::dollars(RUN_DOLLARS)
}

fn lower<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    a.into_iter().chain(b).min()
}

impl GraphLimits {
    /// The first limit that this usage reaches.
    pub fn reached(&self, used: &RunUsage, shared: bool) -> Option<PauseCause> {
        let at = |limit, used| ReachedLimit { used, limit, shared };
        let limits = [
            (at(self.calls.map(u64::from), used.calls.into()), PauseCause::CallCap as fn(_) -> _),
            (at(self.tokens, used.tokens), PauseCause::TokenCap),
            (at(self.cost.map(|cost| cost.0), used.cost.0), PauseCause::CostCap),
            (at(self.turns.map(u64::from), used.turns.into()), PauseCause::TurnCap),
            (at(self.tool_calls.map(u64::from), used.tool_calls.into()), PauseCause::ToolCap),
            (at(self.minutes.map(u64::from), used.minutes().into()), PauseCause::TimeCap),
        ];
        let is_reached = |at: &ReachedLimit| at.limit.is_some_and(|limit| at.used >= limit);
        limits.into_iter().find(|(at, _)| is_reached(at)).map(|(at, cause)| cause(at))
    }

    /// These limits, with reached ones raised by their own amount.
    #[must_use]
    pub fn raised(&self, used: &RunUsage) -> Self {
        self.raised_by(self, used)
    }

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
    pub(crate) fn as_options(&self) -> GraphLimits {
        GraphLimits {
            turns: self.turns,
            calls: Some(self.calls),
            tool_calls: self.tool_calls,
            tokens: Some(self.tokens),
            cost: Some(self.cost),
            minutes: self.minutes,
        }
    }

    pub fn reached(&self, used: &RunUsage, shared: bool) -> Option<PauseCause> {
        self.as_options().reached(used, shared)
    }

    /// These limits, with reached ones raised by `step`, or by their own amount if `step` has no such limit.
    #[must_use]
    pub fn raised(&self, used: &RunUsage, step: &Self) -> Self {
        self.as_options().raised_by(&step.as_options(), used).into()
    }

    /// These limits, capped by those of a template.
    #[must_use]
    pub fn within(&self, limits: &GraphLimits) -> Self {
        let other = Self::from(*limits);
        Self {
            calls: self.calls.min(other.calls),
            tokens: self.tokens.min(other.tokens),
            cost: self.cost.min(other.cost),
            turns: lower(self.turns, other.turns),
            tool_calls: lower(self.tool_calls, other.tool_calls),
            minutes: lower(self.minutes, other.minutes),
        }
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

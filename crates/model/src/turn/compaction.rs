//! The record of a compaction: a summary that replaces older turns in an agent's context.
//!
//! The original turns stay in the tree.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{AgentKey, Millis, NodeId, ProviderId, SessionId, TurnId};
use crate::llm::Usage;
use crate::provider::failure::ProviderError;
use crate::provider::price::Cost;
use crate::turn::PendingRetry;

/// What the failure of a compaction carries as its code where there was nothing to summarise.
pub const NOTHING: &str = "nothing_to_compact";

/// Why older turns are put into a summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactionReason {
    /// The window of the next agent is nearly full.
    #[default]
    Threshold,
    /// A provider refused a request as too long.
    Overflow,
    /// The operator wants it.
    Manual,
}

/// A compaction that waits for its beginning.
#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingCompaction {
    /// The agent whose window counts, and whose model is asked.
    pub agent: AgentKey,
    pub reason: CompactionReason,
    /// What the summary is to look at, in the operator's words.
    pub focus: Option<String>,
    /// The node of the run that waits for it.
    pub node: Option<NodeId>,
    pub at: Millis,
}

/// The details of a turn that puts older turns into a summary.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Compaction {
    pub turn: TurnId,
    pub session: SessionId,
    pub reason: CompactionReason,
    pub focus: Option<String>,
    /// The compaction before it, whose summary is a part of this one.
    pub prior: Option<TurnId>,
    /// The newest turn that is summarised.
    pub through: TurnId,
    pub first_kept: Option<TurnId>,
    /// How many turns are summarised, those of the summary before it not counted.
    pub turns: u32,
    /// Whether older turns are not in it because there were too many to be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    pub provider: ProviderId,
    pub model: String,
    /// An estimate of the context's tokens before it.
    pub tokens_before: u64,
    pub tokens_after: Option<u64>,
    /// The summary; absent while it is written, and where it came to nothing.
    pub summary: Option<String>,
    /// Why it came to nothing, where it did.
    pub failure: Option<ProviderError>,
    /// The attempt that waits for its time, where one does.
    pub retry: Option<PendingRetry>,
    #[serde(default)]
    pub usage: Usage,
    /// What that cost by the prices of its time. An estimate.
    pub cost: Option<Cost>,
    pub at: Millis,
    pub ended_at: Option<Millis>,
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompactionState {
    /// A compaction that waits for its beginning. No turn opens before.
    pub wanted: Option<PendingCompaction>,
    /// The turn of the compaction that is under way.
    pub compacting: Option<TurnId>,
    /// Why the last compaction that was wanted did not begin.
    pub refused: Option<ProviderError>,
    /// What rows of earlier programs hold of summary and memory jobs. `Session::upcast` takes it.
    #[serde(default, rename = "chore", skip_serializing)]
    pub(crate) old_chore: Option<Value>,
    #[serde(default, rename = "failed", skip_serializing)]
    pub(crate) old_failed: Vec<Value>,
}

impl CompactionState {
    pub fn is_fresh(&self) -> bool {
        *self == Self::default()
    }
}

impl Compaction {
    /// How long it took, in milliseconds.
    pub fn took_ms(&self) -> Option<u64> {
        self.ended_at.map(|ended| ended.0.saturating_sub(self.at.0))
    }
}

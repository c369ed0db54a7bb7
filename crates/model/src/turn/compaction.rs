//! The record of a compaction: a summary that replaces older turns in an agent's context.
//!
//! The original turns stay in the tree.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::id::{AgentKey, Millis, NodeId, ProviderId, SessionId, TurnId};
use crate::llm::Usage;
use crate::provider::{ProviderError, price::Cost};
use crate::turn::PendingRetry;

/// Error code of a compaction that had nothing to summarise.
pub const NOTHING: &str = "nothing_to_compact";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CompactionReason {
    /// The context window of the next agent is nearly full.
    #[default]
    Threshold,
    /// A provider rejected a request as too long.
    Overflow,
    /// Requested by the operator.
    Manual,
}

#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingCompaction {
    /// The agent whose context window counts and whose model is called.
    pub agent: AgentKey,
    pub reason: CompactionReason,
    /// What the summary should focus on, in the operator's words.
    pub focus: Option<String>,
    /// The node of the run that waits for it.
    pub node: Option<NodeId>,
    pub at: Millis,
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Compaction {
    pub turn: TurnId,
    pub session: SessionId,
    pub reason: CompactionReason,
    pub focus: Option<String>,
    /// The previous compaction, whose summary this one includes.
    pub prior: Option<TurnId>,
    /// The newest summarised turn.
    pub through: TurnId,
    pub first_kept: Option<TurnId>,
    /// The number of summarised turns, without those of the previous summary.
    pub turns: u32,
    /// True if older turns are missing because there were too many to read.
    pub cut: bool,
    pub provider: ProviderId,
    pub model: String,
    pub tokens_before: u64,
    pub tokens_after: Option<u64>,
    /// `None` while it is being written, and if the compaction failed.
    pub summary: Option<String>,
    pub failure: Option<ProviderError>,
    pub retry: Option<PendingRetry>,
    #[serde(default)]
    pub usage: Usage,
    /// An estimate, by the prices of that time.
    pub cost: Option<Cost>,
    pub at: Millis,
    pub ended_at: Option<Millis>,
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CompactionState {
    /// The pending compaction. No turn opens before it.
    #[serde(rename = "wanted")]
    pub pending: Option<PendingCompaction>,
    pub compacting: Option<TurnId>,
    /// Why the last requested compaction did not begin.
    #[serde(rename = "refused")]
    pub start_error: Option<ProviderError>,
    /// Summary and memory jobs in rows of earlier versions. `Session::upcast` converts them.
    #[serde(default, rename = "chore", skip_serializing)]
    pub(crate) old_jobs: Option<Value>,
    #[serde(default, rename = "failed", skip_serializing)]
    pub(crate) old_failed: Vec<Value>,
}

impl Compaction {
    /// Duration in milliseconds.
    pub fn took_ms(&self) -> Option<u64> {
        self.ended_at.map(|ended| ended.0.saturating_sub(self.at.0))
    }
}

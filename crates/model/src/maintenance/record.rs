//! Event payloads of the Archivist: compactions, summaries, memory extraction, and their failures.

use serde::{Deserialize, Serialize};

use crate::id::{JobId, MessageId};
use crate::llm::Usage;
use crate::maintenance::{JobEnd, JobKind};
use crate::provider::failure::ProviderError;
use crate::provider::price::Cost;

/// The summary of a compaction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompactionResult {
    pub summary: String,
    /// An estimate of the context's tokens from now on.
    pub tokens_after: u64,
    #[serde(default)]
    pub usage: Usage,
    /// What that cost by the prices known at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// Why a compaction, or one attempt at it, came to nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompactionFailure {
    pub failure: ProviderError,
    /// The attempt that failed, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// What it used all the same.
    #[serde(default)]
    pub usage: Usage,
    /// What that cost by the prices known at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// How long until the next attempt, in milliseconds; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_in_ms: Option<u64>,
}

/// Why a chore, or one attempt at it, came to nothing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobFailure {
    pub chore: JobId,
    pub kind: JobKind,
    pub end: JobEnd,
    /// The attempt that failed, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attempt: Option<u32>,
    /// Why, where a failure ended it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<ProviderError>,
    /// What it used all the same.
    #[serde(default)]
    pub usage: Usage,
    /// What that cost by the prices known at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// How long until the next attempt, in milliseconds; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_in_ms: Option<u64>,
}

/// A new summary of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionSummary {
    pub chore: JobId,
    /// The title, where the session had none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub summary: String,
    /// Words to find the session by.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<String>,
    pub to: MessageId,
    /// The model that was asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    #[serde(default)]
    pub usage: Usage,
    /// What that cost by the prices known at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

/// A look for what is worth remembering.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryScan {
    pub chore: JobId,
    /// The messages that were looked through.
    pub checked: Vec<MessageId>,
    /// How many facts were new.
    pub noted: u32,
    /// The model that was asked.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    #[serde(default)]
    pub usage: Usage,
    /// What that cost by the prices known at the time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

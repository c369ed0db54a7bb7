//! Delegation: the task, permissions, budget and state of a worker.
//!
//! A worker is a session (kind `tool`, origin `subagent`) with a run of one node, scheduled like any other. It sees its
//! persona, its task and the files, not the sender's conversation. Its permissions are the strictest of its own and
//! those of all senders above it, and its usage counts to the runs above it.

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

use crate::agent::{AgentRole, Permissions};
use crate::id::{AgentKey, RunId, SessionId, ToolRunId, TurnId};
use crate::mind::FileChange;
use crate::run::RunUsage;
use nexus_text::content_hash::ContentHash;

/// The name of the delegation tool.
pub const DELEGATE: &str = "delegate";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelegatedTask {
    pub text: String,
    /// A short title; made from the task if empty.
    pub title: String,
    /// The agent to do the task; by default the sender.
    pub agent: Option<String>,
}

/// The permissions of an agent at the time it delegated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InheritedPermissions {
    pub agent: AgentKey,
    pub permissions: Permissions,
    /// The operator's tool overrides of the delegating turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Box<Permissions>>,
}

/// How a worker's session was created. Never changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delegation {
    pub turn: TurnId,
    /// The delegating run, whose budget includes the worker's cost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The worker's initial mind.
    pub base: ContentHash,
    /// Nesting depth of the task, from 1.
    pub depth: u32,
    /// The senders above the worker, nearest first.
    #[serde(rename = "under")]
    pub senders: Vec<InheritedPermissions>,
}

/// A worker that has not reported yet, stored in the session of its sender.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenWorker {
    pub session: SessionId,
    pub tool_run: ToolRunId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
}

/// A worker, stored in the tool run that started it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worker {
    pub session: SessionId,
    pub agent: AgentKey,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<WorkerResult>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerEnd {
    Done,
    Failed,
    Stopped,
    /// Its session no longer exists.
    Lost,
}

#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerResult {
    #[serde(rename = "how")]
    pub end: WorkerEnd,
    pub touched: Vec<FileChange>,
    /// Files that were not merged, because others changed the same lines.
    #[serde(rename = "clashes")]
    pub conflicts: Vec<String>,
    /// Usage, including its own workers.
    #[serde(default)]
    pub spent: RunUsage,
}

/// The origin of a message that carries a worker's report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerReport {
    pub worker: SessionId,
    pub agent: AgentKey,
    pub title: String,
    #[serde(rename = "how")]
    pub end: WorkerEnd,
    /// The run that started the worker. Its budget continues in the run that reads the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<RunId>,
}

pub fn delegates(role: AgentRole) -> bool {
    matches!(role, AgentRole::Manager | AgentRole::Unified)
}

pub fn takes_tasks(role: AgentRole) -> bool {
    matches!(role, AgentRole::Worker | AgentRole::Unified)
}

#[cfg(test)]
mod tests;

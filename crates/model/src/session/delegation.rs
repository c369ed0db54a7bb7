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

/// The name of the tool that gives a task to a worker.
pub const DELEGATE: &str = "delegate";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelegatedTask {
    pub text: String,
    /// The same in a few words; taken from the task where empty.
    pub title: String,
    /// The name of the agent that is to do it; the one that gives it where absent.
    pub agent: Option<String>,
}

/// What an agent might do when it gave a task away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InheritedPermissions {
    pub agent: AgentKey,
    /// What it might do then.
    pub permissions: Permissions,
    /// What the operator said of tools for the turn in which it gave the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Box<Permissions>>,
}

/// How a worker's session came to be. Written when it is made, never changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delegation {
    /// The turn that gave the task.
    pub turn: TurnId,
    /// The run that gave it, whose budget the worker's cost counts to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The mind that the worker began with.
    pub base: ContentHash,
    /// How many tasks deep it works, from 1.
    pub depth: u32,
    /// Who gave the task, and who gave the one that it came from, nearest first.
    pub under: Vec<InheritedPermissions>,
}

/// A worker that has not reported yet, as the session that sent it out remembers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenWorker {
    pub session: SessionId,
    /// The tool run that sent it out.
    pub tool_run: ToolRunId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
}

/// A worker, as the tool run that sent it out knows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worker {
    pub session: SessionId,
    pub agent: AgentKey,
    /// The task in a few words.
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
    /// Its session is not here any more.
    Lost,
}

/// What came of a worker.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerResult {
    pub how: WorkerEnd,
    pub touched: Vec<FileChange>,
    /// The files that were not, because others had changed the same lines.
    pub clashes: Vec<String>,
    /// What it used, its own workers included.
    #[serde(default)]
    pub spent: RunUsage,
}

/// Where a message that a worker's report became comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerReport {
    pub worker: SessionId,
    pub agent: AgentKey,
    pub title: String,
    pub how: WorkerEnd,
    /// The run that sent the worker out, whose budget goes on in the run that reads the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<RunId>,
}

/// Whether an agent of this role gives tasks away.
pub fn delegates(role: AgentRole) -> bool {
    match role {
        AgentRole::Manager | AgentRole::Unified => true,
        AgentRole::Worker => false,
    }
}

/// Whether an agent of this role takes tasks of others.
pub fn takes_tasks(role: AgentRole) -> bool {
    match role {
        AgentRole::Worker | AgentRole::Unified => true,
        AgentRole::Manager => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_say_who_gives_and_who_takes() {
        assert!(
            delegates(AgentRole::Manager) && delegates(AgentRole::Unified) && !delegates(AgentRole::Worker)
        );
        assert!(
            takes_tasks(AgentRole::Worker)
                && takes_tasks(AgentRole::Unified)
                && !takes_tasks(AgentRole::Manager)
        );
    }
}

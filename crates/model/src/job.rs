//! Jobs: model calls outside the agents' turns, from opening to result.
//!
//! A job is opened once and ends once: done, failed, cancelled or interrupted. In between, failed attempts are
//! retried. A new kind needs a variant of [`JobTask`], [`JobKind`], [`JobAnswer`](crate::command::JobAnswer) and
//! [`JobResult`].
//!
//! Also the daily usage of a session's jobs.

pub mod maintenance;
pub mod sync;

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

use crate::id::{JobId, MessageId, Millis, ProviderId};
use crate::llm::{ModelConfig, Usage};
use crate::memory::DAY_MS;
use crate::mind::core_sync::SyncResult;
use crate::mind::merge::proposal::{MergeProposal, MergeQuestion};
use crate::provider::{ProviderError, price::Cost};
use crate::run::RunUsage;
use crate::turn::{PendingRetry, compaction::Compaction};
use nexus_text::content_hash::ContentHash;

/// Error code of a summary or memory job whose complete answer was unusable.
pub const NO_ANSWER: &str = "no_use";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// The Core updates objective and scratchpad.
    // The default, because rows and events of earlier versions name no kind for it.
    #[default]
    Sync,
    /// The Core proposes lines for merge conflicts.
    Merge,
    /// Summarise older turns.
    Compaction,
    /// Update the session's title, summary and keywords.
    Summary,
    Memory,
}

/// A place for one open job of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobSlot {
    Core,
    Compaction,
    Maintenance,
}

impl JobSlot {
    pub const ALL: [Self; 3] = [Self::Core, Self::Compaction, Self::Maintenance];
}

impl JobKind {
    pub fn slot(self) -> JobSlot {
        match self {
            Self::Sync | Self::Merge => JobSlot::Core,
            Self::Compaction => JobSlot::Compaction,
            Self::Summary | Self::Memory => JobSlot::Maintenance,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobTask {
    /// Update the mind, of which `base` is what the Core reads.
    Sync { base: ContentHash },
    /// Propose lines for conflicts.
    Merge(MergeQuestion),
    /// The initial row of the compaction. Its turn has the same number as the job.
    Compaction(Box<Compaction>),
    /// Summarise the new messages, oldest first.
    Summary { messages: Vec<MessageId> },
    /// Look for facts in these messages, oldest first.
    Memory { messages: Vec<MessageId> },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobCause {
    /// Requested by the operator, who waits for it.
    Manual,
    Auto,
}

/// A model call outside the turns, such as a sync of the Core, a compaction or a summary.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    pub id: JobId,
    pub task: JobTask,
    pub cause: JobCause,
    pub provider: ProviderId,
    pub model: String,
    pub at: Millis,
    /// The retry that is scheduled or running.
    pub retry: Option<PendingRetry>,
    /// Usage of failed attempts.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub usage: Usage,
    /// The cost of that, by the prices of that time.
    pub cost: Option<Cost>,
}

impl Job {
    /// The model configuration of the job; other parameters are those of `like`.
    pub fn config(&self, like: ModelConfig) -> ModelConfig {
        ModelConfig { provider: self.provider.clone(), model: self.model.clone(), ..like }
    }

    pub fn kind(&self) -> JobKind {
        match self.task {
            JobTask::Sync { .. } => JobKind::Sync,
            JobTask::Merge(_) => JobKind::Merge,
            JobTask::Compaction(_) => JobKind::Compaction,
            JobTask::Summary { .. } => JobKind::Summary,
            JobTask::Memory { .. } => JobKind::Memory,
        }
    }

    /// The number of the running or scheduled attempt, from 1.
    pub fn attempt(&self) -> u32 {
        self.retry.map_or(1, |retry| retry.attempt)
    }

    pub fn messages(&self) -> &[MessageId] {
        match &self.task {
            JobTask::Summary { messages } | JobTask::Memory { messages } => messages,
            JobTask::Sync { .. } | JobTask::Merge(_) | JobTask::Compaction(_) => &[],
        }
    }

    pub fn question(&self) -> Option<&MergeQuestion> {
        if let JobTask::Merge(question) = &self.task { Some(question) } else { None }
    }

    pub fn mind(&self) -> Option<&ContentHash> {
        match &self.task {
            JobTask::Sync { base } => Some(base),
            JobTask::Merge(question) => Some(&question.mind),
            JobTask::Compaction(_) | JobTask::Summary { .. } | JobTask::Memory { .. } => None,
        }
    }
}

/// How an unsuccessful job ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobEnd {
    /// The model call failed or its answer was unusable.
    #[default]
    Failed,
    /// Stopped by the operator.
    Cancelled,
    /// The page was closed.
    Interrupted,
}

/// A failed attempt that will be retried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobRetry {
    pub job: JobId,
    pub kind: JobKind,
    /// The number of the failed attempt, from 1.
    pub attempt: u32,
    pub failure: ProviderError,
    #[serde(default)]
    pub usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// Delay before the next attempt, in milliseconds.
    pub wait_ms: u64,
}

/// A job that ended without a result.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobFailure {
    pub job: JobId,
    pub kind: JobKind,
    #[serde(default)]
    pub end: JobEnd,
    /// The number of the failed attempt, from 1, if any.
    pub attempt: Option<u32>,
    pub failure: Option<ProviderError>,
    /// Usage of the last attempt.
    #[serde(default)]
    pub usage: Usage,
    pub cost: Option<Cost>,
}

impl JobFailure {
    /// A job that ended between two attempts.
    pub fn new(job: JobId, kind: JobKind, end: JobEnd) -> Self {
        Self { job, kind, end, attempt: None, failure: None, usage: Usage::default(), cost: None }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobDone {
    pub job: JobId,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    #[serde(default)]
    pub usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    pub result: JobResult,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobResult {
    Sync(SyncResult),
    Merge(MergeProposal),
    Compaction {
        summary: String,
        /// Estimated tokens of the context after the compaction.
        tokens_after: u64,
    },
    Summary {
        /// Set if the session had no title.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        summary: String,
        /// For the search.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        keywords: Vec<String>,
        to: MessageId,
    },
    Memory {
        checked: Vec<MessageId>,
        /// The number of new memories.
        noted: u32,
    },
}

impl JobResult {
    pub fn kind(&self) -> JobKind {
        match self {
            Self::Sync(_) => JobKind::Sync,
            Self::Merge(_) => JobKind::Merge,
            Self::Compaction { .. } => JobKind::Compaction,
            Self::Summary { .. } => JobKind::Summary,
            Self::Memory { .. } => JobKind::Memory,
        }
    }
}

#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedJob {
    /// `None` if an earlier version stored it.
    pub job: Option<JobId>,
    #[serde(default)]
    pub kind: JobKind,
    pub end: JobEnd,
    /// The newest message of the job, which is not retried before there is a newer message.
    pub to: Option<MessageId>,
    pub provider: Option<ProviderId>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    pub failure: Option<ProviderError>,
    /// The number of unusable answers of this model in a row.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub unusable: u32,
    pub at: Millis,
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionJobs {
    pub open: Vec<Job>,
    /// The newest failed jobs, at most one per kind.
    pub failed: Vec<FailedJob>,
    /// Usage on the day of the newest job.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub day: DayUsage,
}

impl SessionJobs {
    pub fn is_idle(&self) -> bool {
        self.open.is_empty() && self.failed.is_empty()
    }

    pub fn get(&self, id: JobId) -> Option<&Job> {
        self.open.iter().find(|job| job.id == id)
    }

    pub fn of(&self, slot: JobSlot) -> Option<&Job> {
        self.open.iter().find(|job| job.kind().slot() == slot)
    }

    pub fn failed(&self, kind: JobKind) -> Option<&FailedJob> {
        self.failed.iter().find(|failed| failed.kind == kind)
    }

    pub fn opened(&mut self, job: Job) {
        let slot = job.kind().slot();
        // Unusable answers are counted until there is a usable one.
        self.failed.retain(|failed| failed.kind != job.kind() || failed.unusable > 0);
        self.open.retain(|open| open.kind().slot() != slot);
        self.open.push(job);
    }

    pub fn ended(&mut self, id: JobId) -> Option<Job> {
        let at = self.open.iter().position(|job| job.id == id)?;
        Some(self.open.remove(at))
    }

    pub fn note_failure(&mut self, failed: &JobFailure, at: Millis) {
        let job = self.ended(failed.job);
        let kind = job.as_ref().map_or(failed.kind, Job::kind);
        let to = job.as_ref().and_then(|job| job.messages().last().copied());
        let (provider, model) = job.map(|job| (job.provider, job.model)).unzip();
        let model = model.unwrap_or_default();
        let code = failed.failure.as_ref().and_then(|failure| failure.code.as_deref());
        let before = self.failed(kind).filter(|before| before.provider == provider && before.model == model);
        let before = before.map_or(0, |before| before.unusable);
        let unusable = if code == Some(NO_ANSWER) { before.saturating_add(1) } else { 0 };
        self.failed.retain(|failed| failed.kind != kind);
        self.failed.push(FailedJob {
            job: Some(failed.job),
            kind,
            end: failed.end,
            to,
            provider,
            model,
            failure: failed.failure.clone(),
            unusable,
            at,
        });
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DayUsage {
    /// Days since 1970, in UTC.
    pub day: u64,
    pub used: RunUsage,
}

impl DayUsage {
    /// Adds an attempt. Usage of an earlier day is dropped.
    pub fn add(&mut self, at: Millis, usage: &Usage, cost: Option<Cost>) {
        let mut used = self.on(at);
        used.calls = used.calls.saturating_add(1);
        used.add(usage, cost);
        *self = Self { day: at.0 / DAY_MS, used };
    }

    pub fn on(&self, at: Millis) -> RunUsage {
        if self.day == at.0 / DAY_MS { self.used } else { RunUsage::default() }
    }
}

#[cfg(test)]
mod tests;

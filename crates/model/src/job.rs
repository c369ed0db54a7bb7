//! Jobs: questions to a model outside the agents' turns, from their opening to their result.
//!
//! A job is opened once and ends once: done, or failed, cancelled or interrupted. Between those, attempts may fail
//! and be tried again. A new kind is a variant of [`JobTask`] with its [`JobKind`], of
//! [`JobAnswer`](crate::command::JobAnswer) and of [`JobResult`].
//!
//! And what the jobs of a session used on one day.

pub mod maintenance;
pub mod sync;

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

use crate::id::{JobId, MessageId, Millis, ProviderId};
use crate::llm::{ModelConfig, Usage};
use crate::memory::DAY_MS;
use crate::mind::core_sync::SyncResult;
use crate::mind::merge::proposal::{MergeProposal, MergeQuestion};
use crate::provider::failure::ProviderError;
use crate::provider::price::Cost;
use crate::run::RunUsage;
use crate::turn::PendingRetry;
use crate::turn::compaction::Compaction;
use nexus_text::content_hash::ContentHash;

/// What a failure carries as its code where the answer of a summary or memory job came whole and was of no use.
pub const NO_ANSWER: &str = "no_use";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// The Core brings objective and scratchpad in line with the work.
    // Rows and events of earlier programs name no kind where it is this one.
    #[default]
    Sync,
    /// The Core proposes lines for conflicts of a merge.
    Merge,
    /// Older turns are put into a summary.
    Compaction,
    /// The session's title, summary and keywords.
    Summary,
    /// What is worth remembering.
    Memory,
}

/// What excludes each other: of the jobs of one slot, a session has at most one open.
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
    Sync {
        /// The mind that the Core sees.
        base: ContentHash,
    },
    Merge(MergeQuestion),
    /// The row of the compaction as it begins. It has the number of the job.
    Compaction(Box<Compaction>),
    Summary {
        /// The new messages, oldest first.
        messages: Vec<MessageId>,
    },
    Memory {
        /// The messages that are looked through, oldest first.
        messages: Vec<MessageId>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobCause {
    /// The operator, who waits for it.
    Manual,
    /// It was due.
    Auto,
}

#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    pub id: JobId,
    pub task: JobTask,
    pub cause: JobCause,
    pub provider: ProviderId,
    pub model: String,
    pub at: Millis,
    /// The attempt after the first that waits for its time or is under way.
    pub retry: Option<PendingRetry>,
    /// What attempts that failed used.
    #[serde(default, skip_serializing_if = "Usage::is_nothing")]
    pub usage: Usage,
    /// What that cost by the prices known at the time.
    pub cost: Option<Cost>,
}

impl Job {
    /// What it asks with, which is otherwise like another configuration.
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

    /// The attempt that is under way or waits, from 1.
    pub fn attempt(&self) -> u32 {
        self.retry.map_or(1, |retry| retry.attempt)
    }

    /// The messages that it is about.
    pub fn messages(&self) -> &[MessageId] {
        match &self.task {
            JobTask::Summary { messages } | JobTask::Memory { messages } => messages,
            JobTask::Sync { .. } | JobTask::Merge(_) | JobTask::Compaction(_) => &[],
        }
    }

    /// What is asked about a merge.
    pub fn question(&self) -> Option<&MergeQuestion> {
        if let JobTask::Merge(question) = &self.task { Some(question) } else { None }
    }

    /// The mind that it is about.
    pub fn mind(&self) -> Option<&ContentHash> {
        match &self.task {
            JobTask::Sync { base } => Some(base),
            JobTask::Merge(question) => Some(&question.mind),
            JobTask::Compaction(_) | JobTask::Summary { .. } | JobTask::Memory { .. } => None,
        }
    }
}

/// How a job ended that came to nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobEnd {
    /// The model could not be asked, or what it said was of no use.
    #[default]
    Failed,
    /// The operator stopped it.
    Cancelled,
    /// The page was closed.
    Interrupted,
}

/// An attempt at a job that failed, and is tried again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobRetry {
    pub job: JobId,
    pub kind: JobKind,
    /// The attempt that failed, from 1.
    pub attempt: u32,
    pub failure: ProviderError,
    /// What it used all the same.
    #[serde(default)]
    pub usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    /// How long until the next attempt, in milliseconds.
    pub wait_ms: u64,
}

/// A job that came to nothing.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JobFailure {
    pub job: JobId,
    pub kind: JobKind,
    #[serde(default)]
    pub end: JobEnd,
    /// The attempt that failed, from 1; absent where none did.
    pub attempt: Option<u32>,
    /// Why, where a failure ended it.
    pub failure: Option<ProviderError>,
    /// What the last attempt used all the same.
    #[serde(default)]
    pub usage: Usage,
    pub cost: Option<Cost>,
}

/// A job that came to its result.
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
        /// An estimate of the context's tokens from now on.
        tokens_after: u64,
    },
    Summary {
        /// The title, where the session had none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        summary: String,
        /// Words to find the session by.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        keywords: Vec<String>,
        to: MessageId,
    },
    Memory {
        /// The messages that were looked through.
        checked: Vec<MessageId>,
        /// How many facts were new.
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

/// The newest job of a kind, where it came to nothing.
#[sparse]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedJob {
    #[serde(default)]
    pub kind: JobKind,
    pub end: JobEnd,
    /// The newest message that it was about: it is not tried again before there is a newer one.
    pub to: Option<MessageId>,
    pub provider: Option<ProviderId>,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub model: String,
    /// Why, where a failure ended it.
    pub failure: Option<ProviderError>,
    pub at: Millis,
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionJobs {
    /// Those that are under way.
    pub open: Vec<Job>,
    /// The newest ones that came to nothing, one of a kind.
    pub failed: Vec<FailedJob>,
    /// What they used on the day of the newest one.
    #[serde(default, skip_serializing_if = "DayUsage::is_nothing")]
    pub day: DayUsage,
}

impl SessionJobs {
    pub fn is_fresh(&self) -> bool {
        *self == Self::default()
    }

    /// Whether none is open, and none came to nothing.
    pub fn is_idle(&self) -> bool {
        self.open.is_empty() && self.failed.is_empty()
    }

    pub fn get(&self, id: JobId) -> Option<&Job> {
        self.open.iter().find(|job| job.id == id)
    }

    /// The open job of a slot.
    pub fn of(&self, slot: JobSlot) -> Option<&Job> {
        self.open.iter().find(|job| job.kind().slot() == slot)
    }

    /// How the newest job of a kind came to nothing, where it did.
    pub fn failed(&self, kind: JobKind) -> Option<&FailedJob> {
        self.failed.iter().find(|failed| failed.kind == kind)
    }

    /// Takes a job in that begins.
    pub fn opened(&mut self, job: Job) {
        let slot = job.kind().slot();
        self.failed.retain(|failed| failed.kind != job.kind());
        self.open.retain(|open| open.kind().slot() != slot);
        self.open.push(job);
    }

    /// Takes a job out that ended.
    pub fn ended(&mut self, id: JobId) -> Option<Job> {
        let at = self.open.iter().position(|job| job.id == id)?;
        Some(self.open.remove(at))
    }

    /// Takes a job out that came to nothing, and keeps why.
    pub fn came_to_nothing(&mut self, failed: &JobFailure, at: Millis) {
        let job = self.ended(failed.job);
        let kind = job.as_ref().map_or(failed.kind, Job::kind);
        let to = job.as_ref().and_then(|job| job.messages().last().copied());
        let (provider, model) = job.map(|job| (job.provider, job.model)).unzip();
        self.failed.retain(|failed| failed.kind != kind);
        self.failed.push(FailedJob {
            kind,
            end: failed.end,
            to,
            provider,
            model: model.unwrap_or_default(),
            failure: failed.failure.clone(),
            at,
        });
    }
}

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

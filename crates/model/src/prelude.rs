//! Prelude of whoever works with many records at once: decisions, folds, contexts, dumps; and of the crates above.
//!
//! Only what several of them name. Records import each other by path: this file knows them all.

pub use std::sync::Arc;

pub use serde_json::Value;

pub use crate::agent::permission::EffectivePermissions;
pub use crate::agent::{Agent, Permissions};
pub use crate::command::{Command, MessageOverrides, Rejection};
pub use crate::event::{Event, EventKind, GraphChange, SessionChange};
pub use crate::id::{
    AgentKey, JobId, MessageId, Millis, NodeId, ProviderId, QueueItemId, RunId, SessionId, StreamId,
    ToolRunId, TurnId,
};
pub use crate::job::{Job, JobCause, JobDone, JobEnd, JobKind, JobResult, JobSlot, JobTask};
pub use crate::llm::{ModelConfig, Usage};
pub use crate::memory::{Memory, MemoryScope};
pub use crate::message::content::{MessagePart, PartBody, ToolArgs, ToolCall, ToolResult, text_of};
pub use crate::message::{Message, MessageStatus, Role, Source};
pub use crate::mind::merge::MindMerge;
pub use crate::mind::review::MindField;
pub use crate::mind::{FileChange, Mind, MindEdit, MindWrite, WriteError, changes_between};
pub use crate::provider::price::Cost;
pub use crate::provider::vision::InputKinds;
pub use crate::provider::{Provider, ProviderError, ProviderErrorKind};
pub use crate::run::graph::{EdgeCondition, GraphError, GraphTemplate, NodeSpec, Port, kinds};
pub use crate::run::terminal::TerminalSpec;
pub use crate::run::{
    Artifact, Edge, Envelope, Node, NodeStatus, PauseCause, Run, RunCause, RunLimits, RunMode, RunStatus,
    RunUsage,
};
pub use crate::session::delegation::{Worker, WorkerEnd};
pub use crate::session::{QueueItem, QueueMode, Session, SessionFilter, SessionRole, SessionStatus, Target};
pub use crate::tool::{ToolRun, ToolStatus};
pub use crate::turn::compaction::{Compaction, CompactionReason};
pub use crate::turn::{PendingRetry, RequestSpec, Turn, TurnEnd, TurnKind, TurnPhase};
pub use crate::world::World;
pub use nexus_text::content_hash::ContentHash;
pub use nexus_text::json;
pub use nexus_text::vec_map::{VecMap, VecSet};

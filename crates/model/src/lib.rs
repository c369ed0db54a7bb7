//! The domain model: sessions, turns, runs, minds and agents, with the commands and events that change them.
//!
//! [`decide()`](decide::decide) turns a command into events or rejects it; [`fold()`](fold::fold) applies events to the
//! [`World`](world::World) that is shown.
//!
//! Never performs I/O, awaits, reads a clock, makes ids, or uses JavaScript or Leptos.
//!
//! Start with [`turn`] (the commit, and the turn loop as a state machine), [`session`] and [`run`]; then [`command`],
//! [`event`], [`decide`] and [`fold`]. [`mind`] has the shared state and its merges. Modules of records do not use
//! [`world`]; what reads it, such as [`context`] and when a [`job`] is due, is between them and [`decide`].

/// Defines `ALL`, `name` and `named` for an enum without fields: the values in their display order, and the word
/// stored for each.
#[macro_export]
macro_rules! words {
    ($kind:ident { $($value:ident: $word:literal),+ $(,)? }) => {
        impl $kind {
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $word),+
                }
            }

            pub fn named(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == word)
            }
        }
    };
}

use nexus_text::json::is_default;

pub mod agent;
pub mod command;
pub mod context;
pub mod decide;
pub mod dump;
pub mod event;
pub mod fold;
pub mod id;
pub mod job;
pub mod limits;
pub mod llm;
pub mod memory;
pub mod message;
pub mod mind;
pub mod provider;
pub mod run;
pub mod search_index;
pub mod session;
pub mod settings;
pub mod signal;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod tool;
pub mod turn;
pub mod world;

/// Prelude of modules that use many records: decisions, folds, contexts, dumps; and of the crates above.
///
/// Only what several of them name. Records import each other by path: this file knows them all.
pub mod prelude {
    pub use std::sync::Arc;

    pub use serde_json::Value;

    pub use crate::agent::permission::EffectivePermissions;
    pub use crate::agent::{Agent, Permissions};
    pub use crate::command::{Command, Decision, MessageOverrides, Rejection};
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
    pub use crate::session::{
        QueueItem, QueueMode, Session, SessionFilter, SessionRole, SessionStatus, Target,
    };
    pub use crate::tool::{ToolRun, ToolStatus};
    pub use crate::turn::compaction::{Compaction, CompactionReason};
    pub use crate::turn::{PendingRetry, RequestSpec, Turn, TurnEnd, TurnKind, TurnPhase};
    pub use crate::world::World;
    pub use nexus_text::content_hash::ContentHash;
    pub use nexus_text::json;
    pub use nexus_text::vec_map::{VecMap, VecSet};
}

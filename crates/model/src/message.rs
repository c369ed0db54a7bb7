//! Messages: role, source, status, content and metadata.
//!
//! The content of a completed or failed message never changes.
//!
//! Also creates quotations, and strips them from a message.

pub mod content;
pub mod file_reference;

use std::sync::Arc;

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

use crate::id::{
    AgentKey, GroupId, JobId, MessageId, Millis, OperatorId, RunId, SessionId, ToolRunId, TriggerId, TurnId,
};
use crate::llm::StreamFaults;
use crate::message::content::{MessagePart, PartBody};
use crate::mind::FileChange;
use crate::session::delegation::WorkerReport;
use crate::turn::TurnEnd;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Input to the agents; shown as HUMAN.
    #[default]
    User,
    /// An answer of a model; shown as AI.
    Assistant,
    /// A stored notice; shown as SYSTEM. System prompts are never stored as messages.
    System,
    /// The result of a tool; shown as TOOL.
    Tool,
}

/// Who or what sent a message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    #[default]
    Human,
    Trigger,
    Agent,
    Webhook,
    Cron,
    Event,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageStatus {
    /// Streaming.
    Processing,
    #[default]
    Completed,
    /// Incomplete; the received parts are stored.
    Failed,
}

/// The atomic unit of a conversation. Its content is immutable once completed or failed.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub id: MessageId,
    pub session: SessionId,
    /// Its number in the session, from 1 without gaps.
    pub sequence: u64,
    pub role: Role,
    /// Absent on assistant messages.
    pub source: Option<Source>,
    /// The content, in the order received.
    #[whole]
    pub parts: Vec<MessagePart>,
    pub tool_call_id: Option<String>,
    pub status: MessageStatus,
    pub failed_reason: Option<TurnEnd>,
    /// The agent that wrote it or called the tool.
    pub agent: Option<AgentKey>,
    /// The operator who wrote it; absent on assistant messages.
    pub operator: Option<OperatorId>,
    pub group: Option<GroupId>,
    pub model: Option<String>,
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
    pub provider_response_id: Option<String>,
    /// True if the memory job has read it.
    #[serde(default)]
    pub is_memory_checked: bool,
    #[serde(default)]
    pub metadata: MessageMetadata,
    pub run: Option<RunId>,
    /// Absent until a turn takes the message.
    pub turn: Option<TurnId>,
    pub created_at: Millis,
    pub updated_at: Millis,
    pub deleted_at: Option<Millis>,
}

impl Message {
    /// A completed message without content, number 1 of its session.
    pub fn new(id: MessageId, session: SessionId, role: Role, source: Option<Source>, at: Millis) -> Self {
        Self { id, session, sequence: 1, role, source, created_at: at, updated_at: at, ..Self::default() }
    }

    /// Deletes the content. Tool calls stay, because their results refer to them.
    pub fn delete(&mut self, at: Millis) {
        self.parts
            .retain(|part| matches!(part.body, PartBody::ToolCall { .. } | PartBody::ToolResult { .. }));
        self.deleted_at = Some(at);
    }

    /// Converts a message of an earlier version, in which the note of a merge was a user message.
    #[must_use]
    pub fn upcast(mut message: Arc<Self>) -> Arc<Self> {
        if message.role == Role::User && message.source == Some(Source::Event) {
            Arc::make_mut(&mut message).role = Role::System;
        }
        message
    }

    /// True if it asks the agents and no agent sent it: the operator can edit it.
    pub fn is_question(&self) -> bool {
        self.role == Role::User && self.source != Some(Source::Agent)
    }

    /// True for a note of what a turn did, such as a merge.
    pub fn is_note_of_turn(&self) -> bool {
        self.role == Role::System && self.turn.is_some()
    }
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MessageMetadata {
    /// The tool runs that the message requested, or the one whose result it contains.
    pub tool_run_ids: Vec<ToolRunId>,
    /// The Core change that a notice describes.
    pub core: Option<CoreNote>,
    pub report: Option<WorkerReport>,
    /// Where it came from, unless it was typed in this session.
    pub origin: Option<MessageOrigin>,
    /// Parts of the answer's stream that could not be used.
    #[serde(default, skip_serializing_if = "crate::is_default")]
    pub faults: StreamFaults,
    /// The answering model as reported by the provider, if it differs from the requested one.
    pub answered_by: Option<String>,
}

/// The origin of a message that was not typed in its session.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageOrigin {
    pub session: Option<SessionId>,
    /// The name of the session or trigger at that time; empty if the message was typed in its session.
    pub name: String,
    /// The triggers that caused it, the first cause first; the last one sent it.
    pub triggers: Vec<TriggerId>,
    /// The origins of the pages that placed drafts in it.
    pub pages: Vec<String>,
}

impl MessageOrigin {
    /// The origin of a message typed in its session with drafts of `pages`; `None` without pages.
    pub fn of_pages(pages: Vec<String>) -> Option<Self> {
        (!pages.is_empty()).then(|| Self { pages, ..Self::default() })
    }
}

#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreNote {
    pub sync: JobId,
    pub touched: Vec<FileChange>,
    /// Fields whose change was dropped, because the operator had changed the same lines.
    pub dropped: Vec<String>,
    /// True if sentences of the objective that the Core only rephrased were kept.
    pub kept_words: bool,
    /// The session's head at that time. Absent before the first turn and in notes of earlier versions.
    pub after: Option<TurnId>,
}

/// A quotation for a message: the speaker, each line after `>`, and an empty line. `None` for blank text.
pub fn quotation(who: &str, text: &str) -> Option<String> {
    let text = text.trim_matches(['\n', '\r']).trim_end();
    if text.trim().is_empty() {
        return None;
    }
    let mut out = format!("> {who}:\n");
    for line in text.lines() {
        let line = line.trim_end();
        out.push_str(if line.is_empty() { ">" } else { "> " });
        out.push_str(line);
        out.push('\n');
    }
    out.push('\n');
    Some(out)
}

/// The draft with a quotation or another draft added below.
pub fn added(draft: &str, below: &str) -> String {
    let draft = draft.trim_end();
    if draft.is_empty() { below.to_owned() } else { format!("{draft}\n\n{below}") }
}

/// A message without its quotations, whose mentions and file references do not count.
pub fn without_quotations(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with('>')).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests;

//! Messages: role, source, status, content and metadata.
//!
//! The content of a completed or failed message never changes.
//!
//! Also quotes selected text in a message, and strips quotations to find the operator's own words.

pub mod content;
pub mod file_reference;

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
    /// A stored notice; shown as SYSTEM. System prompts are never stored.
    System,
    /// The result of a tool; shown as TOOL.
    Tool,
}

/// Who or what made an input.
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
    /// It is being written.
    Processing,
    #[default]
    Completed,
    /// It ended before it was whole; what came is kept.
    Failed,
}

/// The atomic unit of a conversation. Its content is immutable once completed or failed.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub id: MessageId,
    pub session: SessionId,
    /// Its place in the order of creation in its session, from 1 without gaps.
    pub sequence: u64,
    pub role: Role,
    /// Who made it; absent on assistant messages.
    pub source: Option<Source>,
    /// The content, in the order received.
    #[whole]
    pub parts: Vec<MessagePart>,
    pub tool_call_id: Option<String>,
    pub status: MessageStatus,
    pub failed_reason: Option<TurnEnd>,
    /// The agent that wrote it, or whose tool it was.
    pub agent: Option<AgentKey>,
    /// The operator that wrote it; absent on assistant messages.
    pub operator: Option<OperatorId>,
    pub group: Option<GroupId>,
    pub model: Option<String>,
    pub tokens_in: Option<u64>,
    pub tokens_out: Option<u64>,
    pub provider_response_id: Option<String>,
    /// Whether the memory pass has read it.
    #[serde(default)]
    pub is_memory_checked: bool,
    #[serde(default)]
    pub metadata: MessageMetadata,
    pub run: Option<RunId>,
    /// The turn it belongs to; absent until a turn takes it.
    pub turn: Option<TurnId>,
    pub created_at: Millis,
    pub updated_at: Millis,
    /// When it was hidden, if it was.
    pub deleted_at: Option<Millis>,
}

impl Message {
    /// A completed message without words, the first of its session.
    pub fn new(id: MessageId, session: SessionId, role: Role, source: Option<Source>, at: Millis) -> Self {
        Self { id, session, sequence: 1, role, source, created_at: at, updated_at: at, ..Self::default() }
    }

    /// Deletes what it says. Calls of tools stay, since their results name them.
    pub fn delete(&mut self, at: Millis) {
        self.parts
            .retain(|part| matches!(part.body, PartBody::ToolCall { .. } | PartBody::ToolResult { .. }));
        self.deleted_at = Some(at);
    }

    /// The message as it is written today: the note of a merge was one of the operator's in earlier programs.
    #[must_use]
    pub fn upcast(mut self) -> Self {
        if self.role == Role::User && self.source == Some(Source::Event) {
            self.role = Role::System;
        }
        self
    }

    /// Whether it is the program's note of what a turn did, as a merge has one.
    pub fn is_note_of_turn(&self) -> bool {
        self.role == Role::System && self.turn.is_some()
    }
}

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MessageMetadata {
    /// The tool runs that the message asked for, or the one whose result it holds.
    pub tool_run_ids: Vec<ToolRunId>,
    /// What the Core did that the message, a notice, tells of.
    pub core: Option<CoreNote>,
    pub report: Option<WorkerReport>,
    /// From where it came, where it was not said in its session by hand.
    pub origin: Option<MessageOrigin>,
    /// What of the answer could not be used as it came.
    #[serde(default, skip_serializing_if = "StreamFaults::is_none")]
    pub faults: StreamFaults,
    /// The model that answered, by the provider's word, where it is another one than was asked.
    pub answered_by: Option<String>,
}

/// From where a message came that was not said in its session by hand.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageOrigin {
    pub session: Option<SessionId>,
    /// What that session, or the trigger, was called then; empty where it was said in its session.
    pub name: String,
    /// The triggers because of which it came, the first cause first and the one that says it last.
    pub triggers: Vec<TriggerId>,
    /// The origins of the pages that placed a draft for it, where any did.
    pub pages: Vec<String>,
}

impl MessageOrigin {
    /// The origin of a message typed in its session, of which pages placed a draft; `None` where none did.
    pub fn of_pages(pages: Vec<String>) -> Option<Self> {
        (!pages.is_empty()).then(|| Self { pages, ..Self::default() })
    }
}

#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CoreNote {
    pub sync: JobId,
    pub touched: Vec<FileChange>,
    /// Fields whose change was dropped because the operator had written the same lines.
    pub dropped: Vec<String>,
    /// Whether sentences of the objective that it only reworded stayed as they were.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept_words: bool,
    /// The turn that the session pointed to; absent before the first one, and in notes of earlier programs.
    pub after: Option<TurnId>,
}

/// A quotation as a message has it: who is quoted, each line behind `>`, an empty line after. Nothing where there is nothing to
/// quote.
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

/// A draft with a quotation added to it, below what stands there.
pub fn added(draft: &str, quotation: &str) -> String {
    let draft = draft.trim_end();
    if draft.is_empty() { quotation.to_owned() } else { format!("{draft}\n\n{quotation}") }
}

/// A message without what it quotes. Names and files in a quotation are another's words: they reach nobody and bring
/// nothing along.
pub fn own_words(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with('>')).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_line_is_marked() {
        let quoted = quotation("Engineer", "\none\n\n  two  \n").unwrap();
        assert_eq!(quoted, "> Engineer:\n> one\n>\n>   two\n\n");
        assert_eq!(quotation("Engineer", " \n\t"), None);
    }

    #[test]
    fn what_is_typed_stays_above() {
        assert_eq!(added("", "> a\n\n"), "> a\n\n");
        assert_eq!(added("so: ", "> a\n\n"), "so:\n\n> a\n\n");
    }

    #[test]
    fn what_is_quoted_is_not_said() {
        assert_eq!(own_words("a\n> b\n  > c\nd > e"), "a\nd > e");
    }

    proptest! {
        #[test]
        fn of_a_quotation_nothing_is_said(text in "[ab>#@ \n\r]{0,60}") {
            if let Some(quoted) = quotation("@Who #file", &text) {
                let own = own_words(&added("mine", &quoted));
                prop_assert_eq!(own.trim(), "mine");
            }
        }

        #[test]
        fn no_line_of_a_quotation_escapes(text in "[ab>#@ \n\r]{0,60}") {
            if let Some(quoted) = quotation("Who", &text) {
                prop_assert!(quoted.trim_end().lines().all(|line| line.starts_with('>')));
                let bare: String = quoted.lines().skip(1).filter_map(|line| line.get(1..)).collect();
                let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
                prop_assert_eq!(letters(&bare), letters(&text));
            }
        }
    }
}

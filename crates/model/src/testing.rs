//! Shared test helpers: sequential ids and empty rows.

// Tests are built of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use rusty_ulid::Ulid;

use crate::id::{IdSource, MessageId, Millis, SessionId, TurnId};
use crate::llm::{ModelConfig, Thinking, Usage};
use crate::message::{Message, MessageMetadata, MessageStatus, Role, Source};
use crate::turn::{Turn, TurnEnd, TurnKind, TurnPhase};
use nexus_text::content_hash::ContentHash;

/// Ids that count up from 1, so that tests can be read.
#[derive(Debug, Default)]
pub struct SeqIds {
    last: u128,
}

impl IdSource for SeqIds {
    fn next_ulid(&mut self) -> Ulid {
        self.last += 1;
        Ulid::from(self.last)
    }
}

/// A turn of the agent `a` that was completed, without anything said.
pub fn a_turn(id: TurnId, session: SessionId) -> Turn {
    Turn {
        id,
        session,
        parent: None,
        second_parent: None,
        merged_from: None,
        continues: None,
        kind: TurnKind::Normal,
        run: None,
        node: None,
        round: 1,
        agent: "a".into(),
        config: ModelConfig {
            provider: "p".into(),
            model: "m".into(),
            thinking: Thinking::Auto,
            max_tokens: None,
            temperature: None,
            context_tokens: None,
        },
        query: Vec::new(),
        answers: Vec::new(),
        messages: Vec::new(),
        tool_runs: Vec::new(),
        phase: TurnPhase::Completed,
        end: Some(TurnEnd::Completed),
        failure: None,
        mind_before: ContentHash::of_text(""),
        mind_shown: ContentHash::of_text(""),
        mind_after: None,
        calls: Vec::new(),
        usage: Usage::default(),
        opened_at: Millis(0),
        closed_at: None,
    }
}

/// A message of the operator without words.
pub fn a_message(id: MessageId, session: SessionId) -> Message {
    Message {
        id,
        session,
        sequence: 1,
        role: Role::User,
        source: Some(Source::Human),
        parts: Vec::new(),
        tool_call_id: None,
        status: MessageStatus::Completed,
        failed_reason: None,
        agent: None,
        operator: None,
        group: None,
        model: None,
        tokens_in: None,
        tokens_out: None,
        provider_response_id: None,
        is_memory_checked: false,
        metadata: MessageMetadata::default(),
        run: None,
        turn: None,
        created_at: Millis(0),
        updated_at: Millis(0),
        deleted_at: None,
    }
}

//! Shared test helpers: sequential ids and empty rows.

// Tests are built of it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use rusty_ulid::Ulid;

use crate::id::{IdSource, MessageId, Millis, SessionId, TurnId};
use crate::llm::ModelConfig;
use crate::message::{Message, MessageMetadata, MessageStatus, Role, Source};
use crate::mind::Mind;
use crate::session::{Session, SessionKind, SessionOrigin, SessionStatus};
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
    let config = ModelConfig::new("p", "m");
    let mind = ContentHash::of_text("");
    Turn {
        phase: TurnPhase::Completed,
        end: Some(TurnEnd::Completed),
        ..Turn::opened(id, session, TurnKind::Normal, "a".into(), config, mind, Millis(0))
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

/// A session of the operator in which nothing was said.
pub fn a_session(id: SessionId) -> Session {
    Session {
        id,
        label: "one".into(),
        title: None,
        status: SessionStatus::Open,
        origin: SessionOrigin::User,
        kind: SessionKind::User,
        parent: None,
        parent_tool_run: None,
        owner: None,
        owned_at: None,
        operator: None,
        group: None,
        head: None,
        mind: Mind::default().hash(),
        summary: None,
        summarised_to: None,
        keywords: Vec::new(),
        metadata: serde_json::Value::Null,
        flags: Default::default(),
        run: None,
        reviewed: None,
        core_steps: Vec::new(),
        pins: Vec::new(),
        former: Vec::new(),
        roots: Vec::new(),
        merges: Vec::new(),
        began: None,
        delegation: None,
        workers: Vec::new(),
        purged_at: None,
        unanswered: Vec::new(),
        stopped: false,
        last_sequence: 0,
        archivist: Default::default(),
        core: Default::default(),
        jobs: Default::default(),
        created_at: Millis(0),
        updated_at: Millis(0),
        last_message_at: None,
        deleted_at: None,
    }
}

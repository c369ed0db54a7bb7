//! Shared test helpers: sequential ids and empty rows.

// Test code may panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use rusty_ulid::Ulid;

use crate::id::{IdSource, MessageId, Millis, SessionId, TurnId};
use crate::llm::ModelConfig;
use crate::message::{Message, Role, Source};
use crate::session::Session;
use crate::turn::{Turn, TurnEnd, TurnPhase};
use nexus_text::content_hash::ContentHash;

/// Ids that count up from 1, for readable tests.
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

/// A completed turn of agent `a` without messages.
pub fn a_turn(id: TurnId, session: SessionId) -> Turn {
    let config = ModelConfig::new("p", "m");
    let mind = ContentHash::of_text("");
    Turn {
        phase: TurnPhase::Completed,
        end: Some(TurnEnd::Completed),
        agent: "a".into(),
        config,
        ..Turn::opened(id, session, mind, Millis(0))
    }
}

pub fn a_message(id: MessageId, session: SessionId) -> Message {
    Message::new(id, session, Role::User, Some(Source::Human), Millis(0))
}

pub fn a_session(id: SessionId) -> Session {
    Session { operator: None, ..Session::opened(id, "one".into(), Millis(0)) }
}

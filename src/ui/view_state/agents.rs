//! Never changes an agent.
//!
//! Owns what the agent cards show.

use std::sync::Arc;

use leptos::prelude::*;

use crate::domain::agent::{Agent, AgentFlags};
use crate::domain::id::AgentKey;
use crate::domain::turn::TurnPhase;
use crate::ui::view_state::rows::Rows;

/// What an agent is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentState {
    /// Nothing.
    Idle,
    /// It waits for its place in the run.
    Queued,
    /// Its turn is open, in this phase.
    Processing(TurnPhase),
    /// Its turn is open and waits for the operator.
    Asking,
    /// Its turn is open and waits for its provider.
    Held,
    /// Its last turn failed.
    Error,
}

/// What a card shows.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentRow {
    /// The definition.
    pub agent: Arc<Agent>,
    /// What the session in view notes about it.
    pub flags: AgentFlags,
    /// What it is doing.
    pub state: AgentState,
    /// Whether Rehearsal answers for it.
    pub rehearsal: bool,
}

/// The agents, in the order of the roster.
#[derive(Clone, Copy)]
pub struct Agents(pub(super) Rows<AgentKey, AgentRow>);

impl Agents {
    pub(super) fn new() -> Self {
        Self(Rows::new())
    }

    /// The keys in the order of the roster.
    pub fn order(&self) -> Signal<Vec<AgentKey>> {
        self.0.order()
    }

    /// The row of an agent.
    pub fn row(&self, key: &AgentKey) -> Option<Signal<AgentRow>> {
        self.0.row(key)
    }

    /// The row of an agent as it is now, for handlers.
    pub fn get_untracked(&self, key: &AgentKey) -> Option<AgentRow> {
        self.0.get_untracked(key)
    }
}

//! Slice of the agent cards.

use std::sync::Arc;

use leptos::prelude::*;

use crate::ui::view_state::rows::{KeyedRows, set_if_new};
use nexus_model::agent::{Agent, AgentFlags};
use nexus_model::id::{AgentKey, ProviderId};
use nexus_model::turn::TurnPhase;

/// What an agent is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentState {
    Idle,
    /// It waits for its place in the run.
    Queued,
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
    pub agent: Arc<Agent>,
    /// What the session in view notes about it.
    pub flags: AgentFlags,
    pub state: AgentState,
    /// Whether the demo answers for it.
    pub rehearsal: bool,
}

/// The agents, in the order of the roster. Removed ones keep their row, for what they said.
#[derive(Clone, Copy)]
pub struct Agents {
    rows: KeyedRows<AgentKey, AgentRow>,
    order: RwSignal<Vec<AgentKey>>,
}

impl Agents {
    pub(super) fn new() -> Self {
        Self { rows: KeyedRows::new(), order: RwSignal::new(Vec::new()) }
    }

    /// Takes over the rows of all agents there ever were; those that are here in the order of the roster.
    pub(super) fn set(&self, rows: Vec<(AgentKey, AgentRow)>) {
        let here = rows.iter().filter(|(_, row)| row.agent.is_here()).map(|(key, _)| key.clone()).collect();
        self.rows.set(rows);
        set_if_new(&self.order, here);
    }

    pub fn order(&self) -> Signal<Vec<AgentKey>> {
        self.order.into()
    }

    pub fn row(&self, key: &AgentKey) -> Option<Signal<AgentRow>> {
        self.rows.row(key)
    }

    /// The row of an agent as it is now, for handlers.
    pub fn get_untracked(&self, key: &AgentKey) -> Option<AgentRow> {
        self.rows.get_untracked(key)
    }

    /// Every agent there ever was, as it is now, for handlers.
    pub fn all_untracked(&self) -> Vec<Arc<Agent>> {
        let keys = self.rows.order().get_untracked();
        keys.iter().filter_map(|key| self.rows.get_untracked(key)).map(|row| row.agent).collect()
    }

    /// The agents that think with a provider, in the order of the roster. Tracks them.
    pub fn on(&self, provider: &ProviderId) -> Vec<Arc<Agent>> {
        let rows = self.order.get().into_iter().filter_map(|key| self.row(&key));
        rows.map(|row| row.with(|row| Arc::clone(&row.agent)))
            .filter(|agent| agent.config.provider == *provider)
            .collect()
    }
}

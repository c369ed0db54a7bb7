//! An agent's name, emoji and colour, as signals that follow its definition.

use leptos::prelude::*;

use crate::ui::view_state::{AgentRow, Agents};
use nexus_model::id::AgentKey;

/// An agent's looks, which follow its definition. Nobody's look is empty.
#[derive(Clone, Copy)]
pub struct AgentBadge {
    key: StoredValue<Option<AgentKey>>,
    row: Option<Signal<AgentRow>>,
}

impl AgentBadge {
    pub fn of(agent: Option<&AgentKey>) -> Self {
        let agents = expect_context::<Agents>();
        let row = agent.and_then(|key| agents.row(key));
        Self { key: StoredValue::new(agent.cloned()), row }
    }

    /// Its name; the key where there is no such agent any more.
    pub fn name(self) -> String {
        match self.row {
            Some(row) => row.with(|row| row.agent.identity.name.clone()),
            None => self.key.with_value(|key| key.as_ref().map(|key| key.0.clone())).unwrap_or_default(),
        }
    }

    pub fn emoji(self) -> String {
        self.row.map_or_else(|| "◆".to_owned(), |row| row.with(|row| row.agent.identity.emoji.clone()))
    }

    /// The value of `data-accent`.
    pub fn accent(self) -> Option<&'static str> {
        self.row.map(|row| row.with(|row| row.agent.accent.name()))
    }
}

//! An agent's name, picture and colour, as signals that follow its definition.

use crate::ui::kit::prelude::*;
use crate::ui::page::Page;
use crate::ui::view_state::AgentRow;
use nexus_model::agent::Identity;
use nexus_model::id::AgentKey;
use nexus_text::invisible::reveal;
use nexus_view::strings::common::name_without_row;

/// An agent's badge, reactive to its definition; empty without an agent.
#[derive(Clone, Copy)]
pub struct AgentBadge {
    key: StoredValue<Option<AgentKey>>,
    row: Option<Selector<AgentRow>>,
}

impl AgentBadge {
    pub fn of(agent: Option<&AgentKey>) -> Self {
        let &Page { agents, .. } = expect_context();
        let row = agent.and_then(|key| agents.rows.row(key));
        Self { key: StoredValue::new(agent.cloned()), row }
    }

    /// The agent's name; its key if the agent was deleted.
    pub fn name(self) -> String {
        match self.row {
            Some(row) => row.with(|row| row.agent.identity.name.clone()),
            None => self.key.with_value(|key| key.as_ref().map(name_without_row)).unwrap_or_default(),
        }
    }

    pub fn picture(self) -> Markup {
        self.row.map_or_else(|| icon(UNKNOWN), |row| row.with(|row| picture(&row.agent.identity)))
    }

    pub fn accent(self) -> Option<&'static str> {
        self.row.map(|row| row.with(|row| row.agent.accent.name()))
    }
}

/// Icon of the operator's messages.
pub const OPERATOR: &str = "M8 2.2a2.9 2.9 0 1 0 .01 0zM2.8 13.8a5.2 5.2 0 0 1 10.4 0";
/// Icon of the Core and of the program itself.
pub const PROGRAM: &str = "M8 1.8 14.2 8 8 14.2 1.8 8zM8 6.6a1.4 1.4 0 1 0 .01 0z";
const UNKNOWN: &str = "M8 3.2 12.8 8 8 12.8 3.2 8z";

/// Drawings instead of the emoji of the default agents, because fonts render those differently or not at all.
const DRAWINGS: [(&str, &str); 6] = [
    ("🏛️", "M8 1.6a1.4 1.4 0 1 0 .01 0zM7.4 4.3 3.6 14.2M8.6 4.3l3.8 9.9M3 10.6c3 2.4 7 2.4 10 0"),
    (
        "🛠️",
        "M10.1 2.1a3.6 3.6 0 0 0-3.5 4.7l-4.3 4.3a1.85 1.85 0 0 0 2.6 2.6l4.3-4.3a3.6 3.6 0 0 0 4.5-4.6L11.5 7 9.7 6.3 9 4.5l2.2-2.2a3.6 3.6 0 0 0-1.1-.2z",
    ),
    ("🔎", "M6.8 2.3a4.5 4.5 0 1 0 .01 0zM10.1 10.1l3.8 3.8M4.9 6.9l1.5 1.5 2.5-2.9"),
    ("✨", "M8 1.8c.5 3.6 2.1 5.2 5.7 5.7-3.6.5-5.2 2.1-5.7 5.7-.5-3.6-2.1-5.2-5.7-5.7C5.9 7 7.5 5.4 8 1.8z"),
    ("✍️", "M2.4 13.6l.7-3.2 7.8-7.8a1.75 1.75 0 0 1 2.5 2.5l-7.8 7.8zM9.5 4l2.5 2.5M9 13.7h4.6"),
    (
        "🧪",
        "M6.2 1.9h3.6M6.8 1.9v4.3L3 12.5a1.2 1.2 0 0 0 1.1 1.7h7.8a1.2 1.2 0 0 0 1.1-1.7L9.2 6.2V1.9M4.6 9.9h6.8",
    ),
];

/// The picture of an agent: a drawing, the emoji that the operator chose, or the first letter of its name. The
/// stylesheet capitalises letters of any alphabet, so that no case tables are needed here.
pub fn picture(identity: &Identity) -> Markup {
    let emoji = identity.emoji.trim();
    if let Some((_, drawing)) = DRAWINGS.iter().find(|(known, _)| *known == emoji) {
        return icon(drawing);
    }
    let first = || identity.name.trim().chars().next().map(|letter| letter.to_ascii_uppercase().to_string());
    if emoji.is_empty() { first().unwrap_or_default() } else { reveal(emoji) }.into_markup()
}

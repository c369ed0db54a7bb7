//! Overrides for the turns of one message, above the settings of agent and device.

use crate::agent::Permissions;
use crate::llm::ModelConfig;
use crate::session::QueueItem;

/// What holds for the turns of one message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MessageOverrides {
    /// The model and its parameters, where they are not those of the agents.
    pub config: Option<ModelConfig>,
    /// What is said of tools: denied, asked about, or allowed without asking. A deny of others stays one.
    pub tools: Option<Permissions>,
}

impl MessageOverrides {
    pub fn of(item: &QueueItem) -> Self {
        Self { config: item.config.as_deref().cloned(), tools: item.tools.as_deref().cloned() }
    }

    pub fn is_empty(&self) -> bool {
        self.config.is_none() && self.tools.as_ref().is_none_or(|tools| *tools == Permissions::default())
    }
}

//! Texts of the conversation.

pub mod answer;
pub mod message_actions;
pub mod message_overrides;
pub mod prompts;
pub mod queue;
pub mod race;
pub mod send_back;
pub mod workers;

//! Never looks anything up.
//!
//! Owns the words of the settings.

use crate::domain::agent::Accent;
use crate::domain::model::Thinking;

pub(crate) const TITLE: &str = "Settings";
pub(crate) const BACK: &str = "War room";
pub(crate) const KEPT: &str = "Changes are kept as you leave a field.";

pub(crate) const OPERATOR: &str = "You";
pub(crate) const OPERATOR_ABOUT: &str = "Who you are to the agents, and how Nexus looks.";
pub(crate) const NAME: &str = "Your name";
pub(crate) const THEME: &str = "Theme";
pub(crate) const THEMES: [(&str, &str); 3] =
    [("dark", "Dark"), ("light", "Light"), ("auto", "As the system says")];

pub(crate) const PROVIDERS: &str = "Providers";
pub(crate) const PROVIDERS_ABOUT: &str = "Where models are called. Nexus contacts nobody else.";
pub(crate) const KEY: &str = "Key";
pub(crate) const KEY_EXAMPLE: &str = "AIza…";
pub(crate) const KEY_HELD: &str = "A key is in this tab.";
pub(crate) const KEY_MISSING: &str = "No key in this tab yet.";
pub(crate) const KEY_FORGET: &str = "Forget it";
pub(crate) const BASE_URL: &str = "Address";
pub(crate) const BASE_URL_ABOUT: &str =
    "Without the version path. For another address, load the page again and enter its key.";
pub(crate) const BASE_URL_WRONG: &str = "Write a whole address, such as https://example.com.";
pub(crate) const REHEARSAL_ABOUT: &str =
    "Built in. Answers by rules, needs no key and never leaves this page.";
pub(crate) const USE_FOR_ALL: &str = "Use for all agents";
pub(crate) const USED_BY_ALL: &str = "Used by all agents";

pub(crate) const AGENTS: &str = "Agents";
pub(crate) const AGENTS_ABOUT: &str =
    "Who works with you, in every session. Changes count from the next turn on.";
pub(crate) const AGENT_NAME: &str = "Name";
pub(crate) const EMOJI: &str = "Emoji";
pub(crate) const COLOUR: &str = "Colour";
pub(crate) const DESCRIPTION: &str = "Description";
pub(crate) const PERSONA: &str = "Persona";
pub(crate) const PERSONA_ABOUT: &str = "The first words of every request that this agent makes.";
pub(crate) const PROVIDER: &str = "Provider";
pub(crate) const MODEL: &str = "Model";
pub(crate) const THINKING: &str = "Thinking";
pub(crate) const MAX_TOKENS: &str = "Tokens per answer, at most";
pub(crate) const TEMPERATURE: &str = "Temperature";
pub(crate) const PROVIDERS_OWN: &str = "the provider's own";
pub(crate) const PRIORITY: &str = "Priority in new sessions";

pub(crate) const EMPTY: &str = "This cannot be empty.";
pub(crate) const NAME_TAKEN: &str = "Another agent has this name.";
pub(crate) const MAX_TOKENS_WRONG: &str = "A whole number from 1 on, or nothing.";
pub(crate) const TEMPERATURE_WRONG: &str = "A number from 0 to 2, or nothing.";

/// What the operator is told about a key of this origin.
pub(crate) fn key_about(origin: &str) -> String {
    format!(
        "Bound to {origin} and kept in this tab only: never stored, never exported, gone when the tab closes."
    )
}

pub(crate) fn thinking(thinking: Thinking) -> &'static str {
    match thinking {
        Thinking::Auto => "As the provider likes",
        Thinking::Off => "Off",
        Thinking::Low => "Little",
        Thinking::Medium => "Some",
        Thinking::High => "Much",
    }
}

pub(crate) fn accent(accent: Accent) -> &'static str {
    match accent {
        Accent::Cyan => "Cyan",
        Accent::Amber => "Amber",
        Accent::Rose => "Rose",
        Accent::Green => "Green",
        Accent::Violet => "Violet",
        Accent::Blue => "Blue",
    }
}

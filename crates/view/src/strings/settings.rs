//! Strings of the settings: screen, operator, appearance, agents. `provider_card` has those of providers.

pub mod agent_file;
pub mod appearance;
pub mod connection;
pub mod data;
pub mod iframe;
pub mod limits;
pub mod provider_card;
pub mod providers;
pub mod triggers;
pub mod voice;

use nexus_model::agent::permission::PermissionDecision;
use nexus_model::agent::{Accent, AgentRole};
use nexus_model::llm::Thinking;
use nexus_model::provider::price::Price;

pub const TITLE: &str = "Settings";
pub const BACK: &str = "War room";
pub const KEPT: &str = "Changes are kept as you leave a field.";
pub const SECTIONS: &str = "Sections";

pub const OPERATOR: &str = "You";
pub const OPERATOR_ABOUT: &str = "Who you are to the agents.";
pub const NAME: &str = "Your name";
pub const NAME_ABOUT: &str = "Agents are told it with your messages.";

pub const APPEARANCE: &str = "Appearance";
pub const APPEARANCE_ABOUT: &str = "How Nexus looks, on this device, from the first moment on.";

pub const DATA: &str = "Data";
pub const DATA_ABOUT: &str = "All that is kept on this device: take it along, bring it back, remove it.";

pub const SEARCH: &str = "Find a setting";

/// How many settings hold what was looked for.
pub fn found(stay: usize, of: usize) -> String {
    match stay {
        0 => "Nothing holds these words.".to_owned(),
        _ => format!("{stay} of {of}"),
    }
}

pub const PROVIDERS: &str = "Providers";
pub const PROVIDERS_ABOUT: &str =
    "Where models are called. Nexus contacts nobody else. One key serves as many agents as you like.";

pub const AGENTS: &str = "Agents";
pub const AGENTS_ABOUT: &str = "Who works with you, in every session, in the order in which they speak when their priority is the same. \
     Changes count from the next turn on. Alt and an arrow on the head of a card move it.";
pub const AGENT_NAME: &str = "Name";
pub const AGENT_NAME_ABOUT: &str = "@ and this name in a message reach it alone.";
pub const EMOJI: &str = "Emoji";
pub const EMOJI_ABOUT: &str = "Its sign beside what it says.";
pub const COLOUR: &str = "Colour";
pub const DESCRIPTION: &str = "Description";
pub const DESCRIPTION_ABOUT: &str = "Stands on its card; the other agents are told it, too.";
pub const PERSONA: &str = "Persona";
pub const PERSONA_ABOUT: &str = "The first words of every request that this agent makes.";
pub const ROLE: &str = "Role";
pub const PROVIDER: &str = "Provider";
pub const PROVIDER_ABOUT: &str = "Where its model is called.";
pub const MODEL: &str = "Model";
pub const MODEL_ABOUT: &str = "By its id, as the provider writes it.";
pub const MODEL_EXAMPLE: &str = "Type to search, or enter an id";
pub const MODEL_NO_LIST: &str =
    "No list of this provider's models is here yet. Test its connection to get one, or type the model's id.";
pub const MODEL_NOT_LISTED: &str = "Not in the provider's list. It is called all the same.";
pub const THINKING: &str = "Thinking";
pub const THINKING_ABOUT: &str = "How long it may think before it answers. More takes longer and costs more.";
pub const MAX_TOKENS: &str = "Tokens per answer, at most";
pub const MAX_TOKENS_ABOUT: &str = "A longer answer breaks off there.";
pub const TEMPERATURE: &str = "Temperature";
pub const TEMPERATURE_ABOUT: &str = "Near 0 it says the likeliest, higher it varies more.";
pub const CONTEXT: &str = "Window, in tokens";
pub const CONTEXT_EXAMPLE: &str = "as far as known";
pub const CONTEXT_ABOUT: &str =
    "How much of the conversation fits. Local servers often allow less than the model could.";
pub const PROVIDERS_OWN: &str = "the provider's own";
pub const PRIORITY: &str = "Priority in new sessions";
pub const PRIORITY_ABOUT: &str = "Who answers first when all are asked: high, then normal, then low.";

pub const RULES_OF_AGENT: &str = "May do";

pub fn ruling(ruling: PermissionDecision) -> &'static str {
    match ruling {
        PermissionDecision::Allow => "Allow",
        PermissionDecision::Ask => "Ask each time",
        PermissionDecision::Deny => "Deny",
    }
}
pub const FILES: &str = "Files";
pub const FILES_EXAMPLE: &str = "all files";
pub const FILES_ABOUT: &str = "Which files it may see and touch: names, or beginnings with a star such as docs/*, separated by commas. All where empty.";
pub const OWN_KEY_ONLY: &str = "May use the key of its own provider only";
pub const OWN_KEY_ONLY_ABOUT: &str = "Otherwise it may use any key on this device.";

pub const AGENT_ADD: &str = "Add an agent";
pub const AGENT_IMPORT: &str = "From a file…";
pub const AGENT_TEMPLATE: &str = "After the pattern of";
pub const TEMPLATE_BLANK: &str = "Blank";
pub const DUPLICATE: &str = "Duplicate";
pub const UP: &str = "Earlier";
pub const DOWN: &str = "Later";
pub const EXPORT: &str = "Export";
pub const DELETE: &str = "Delete";
pub const NOT_READ: &str = "The file could not be read, or is too large for an agent.";
pub const NOT_SAVED: &str = "The browser did not take the file.";

pub const EMPTY: &str = "This cannot be empty.";
pub const NAME_TAKEN: &str = "Another agent has this name.";
pub const MAX_TOKENS_WRONG: &str = "A whole number from 1 on, or nothing.";
pub const CONTEXT_WRONG: &str = "A whole number from 1,000 on, or nothing.";
pub const TEMPERATURE_WRONG: &str = "A number from 0 to 2, or nothing.";

/// What is told when an agent was deleted.
pub fn deleted(name: &str) -> String {
    format!("{name} was deleted. What it said stays.")
}

/// What is told when an agent came from a file.
pub fn imported(name: &str) -> String {
    format!("{name} is here.")
}

/// What a list tells of a model: its window, its longest answer, its price.
pub fn model_facts(input: Option<u64>, output: Option<u64>, price: Option<Price>) -> String {
    let mut facts = Vec::new();
    if let Some(tokens) = input {
        facts.push(format!("window {}", super::tokens(tokens)));
    }
    if let Some(tokens) = output {
        facts.push(format!("answers up to {}", super::tokens(tokens)));
    }
    if let Some(Price { input, output, .. }) = price {
        facts.push(format!("${input} in and ${output} out for a million tokens"));
    }
    facts.join(" · ")
}

/// When the list was asked for that a model's facts are from.
pub fn model_list(ago: &str) -> String {
    format!("(as the provider told {ago})")
}

pub fn thinking(thinking: Thinking) -> &'static str {
    match thinking {
        Thinking::Auto => "As the provider likes",
        Thinking::Off => "Off",
        Thinking::Low => "Little",
        Thinking::Medium => "Some",
        Thinking::High => "Much",
    }
}

pub fn role(role: AgentRole) -> &'static str {
    match role {
        AgentRole::Manager => "Manager: faces you and delegates",
        AgentRole::Worker => "Worker: does what it is given",
        AgentRole::Unified => "Both",
    }
}

pub fn accent(accent: Accent) -> &'static str {
    match accent {
        Accent::Cyan => "Cyan",
        Accent::Amber => "Amber",
        Accent::Rose => "Rose",
        Accent::Green => "Green",
        Accent::Violet => "Violet",
        Accent::Blue => "Blue",
    }
}

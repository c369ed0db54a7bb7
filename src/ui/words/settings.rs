//! Never looks anything up.
//!
//! Owns the words of the settings: the screen, the operator, the appearance, the agents. Those of the providers are in
//! `provider_card`.

use crate::domain::agent::{Accent, AgentRole};
use crate::domain::model::Thinking;
use crate::domain::permission::Ruling;
use crate::domain::price::Price;

pub(crate) const TITLE: &str = "Settings";
pub(crate) const BACK: &str = "War room";
pub(crate) const KEPT: &str = "Changes are kept as you leave a field.";
pub(crate) const SECTIONS: &str = "Sections";

pub(crate) const OPERATOR: &str = "You";
pub(crate) const OPERATOR_ABOUT: &str = "Who you are to the agents.";
pub(crate) const NAME: &str = "Your name";
pub(crate) const NAME_ABOUT: &str = "Agents are told it with your messages.";

pub(crate) const APPEARANCE: &str = "Appearance";
pub(crate) const APPEARANCE_ABOUT: &str = "How Nexus looks, on this device, from the first moment on.";

pub(crate) const DATA: &str = "Data";
pub(crate) const DATA_ABOUT: &str =
    "All that is kept on this device: take it along, bring it back, remove it.";

pub(crate) const SEARCH: &str = "Find a setting";

/// How many settings hold what was looked for.
pub(crate) fn found(stay: usize, of: usize) -> String {
    match stay {
        0 => "Nothing holds these words.".to_owned(),
        _ => format!("{stay} of {of}"),
    }
}

pub(crate) const PROVIDERS: &str = "Providers";
pub(crate) const PROVIDERS_ABOUT: &str =
    "Where models are called. Nexus contacts nobody else. One key serves as many agents as you like.";

pub(crate) const AGENTS: &str = "Agents";
pub(crate) const AGENTS_ABOUT: &str = "Who works with you, in every session, in the order in which they speak when their priority is the same. \
     Changes count from the next turn on. Alt and an arrow on the head of a card move it.";
pub(crate) const AGENT_NAME: &str = "Name";
pub(crate) const AGENT_NAME_ABOUT: &str = "@ and this name in a message reach it alone.";
pub(crate) const EMOJI: &str = "Emoji";
pub(crate) const EMOJI_ABOUT: &str = "Its sign beside what it says.";
pub(crate) const COLOUR: &str = "Colour";
pub(crate) const DESCRIPTION: &str = "Description";
pub(crate) const DESCRIPTION_ABOUT: &str = "Stands on its card; the other agents are told it, too.";
pub(crate) const PERSONA: &str = "Persona";
pub(crate) const PERSONA_ABOUT: &str = "The first words of every request that this agent makes.";
pub(crate) const ROLE: &str = "Role";
pub(crate) const PROVIDER: &str = "Provider";
pub(crate) const PROVIDER_ABOUT: &str = "Where its model is called.";
pub(crate) const MODEL: &str = "Model";
pub(crate) const MODEL_ABOUT: &str = "By its id, as the provider writes it.";
pub(crate) const MODEL_EXAMPLE: &str = "Type to search, or enter an id";
pub(crate) const MODEL_NO_LIST: &str =
    "No list of this provider's models is here yet. Test its connection to get one, or type the model's id.";
pub(crate) const MODEL_NOT_LISTED: &str = "Not in the provider's list. It is called all the same.";
pub(crate) const THINKING: &str = "Thinking";
pub(crate) const THINKING_ABOUT: &str =
    "How long it may think before it answers. More takes longer and costs more.";
pub(crate) const MAX_TOKENS: &str = "Tokens per answer, at most";
pub(crate) const MAX_TOKENS_ABOUT: &str = "A longer answer breaks off there.";
pub(crate) const TEMPERATURE: &str = "Temperature";
pub(crate) const TEMPERATURE_ABOUT: &str = "Near 0 it says the likeliest, higher it varies more.";
pub(crate) const CONTEXT: &str = "Window, in tokens";
pub(crate) const CONTEXT_EXAMPLE: &str = "as far as known";
pub(crate) const CONTEXT_ABOUT: &str =
    "How much of the conversation fits. Local servers often allow less than the model could.";
pub(crate) const PROVIDERS_OWN: &str = "the provider's own";
pub(crate) const PRIORITY: &str = "Priority in new sessions";
pub(crate) const PRIORITY_ABOUT: &str = "Who answers first when all are asked: high, then normal, then low.";

pub(crate) const RULES_OF_AGENT: &str = "May do";

pub(crate) fn ruling(ruling: Ruling) -> &'static str {
    match ruling {
        Ruling::Allow => "Allow",
        Ruling::Ask => "Ask each time",
        Ruling::Deny => "Deny",
    }
}
pub(crate) const FILES: &str = "Files";
pub(crate) const FILES_EXAMPLE: &str = "all files";
pub(crate) const FILES_ABOUT: &str = "Which files it may touch: names, or beginnings with a star such as docs/*, separated by commas. All where empty.";
pub(crate) const OWN_KEY_ONLY: &str = "May use the key of its own provider only";
pub(crate) const OWN_KEY_ONLY_ABOUT: &str = "Otherwise it may use any key on this device.";

pub(crate) const AGENT_ADD: &str = "Add an agent";
pub(crate) const AGENT_IMPORT: &str = "From a file…";
pub(crate) const AGENT_TEMPLATE: &str = "After the pattern of";
pub(crate) const TEMPLATE_BLANK: &str = "Blank";
pub(crate) const DUPLICATE: &str = "Duplicate";
pub(crate) const UP: &str = "Earlier";
pub(crate) const DOWN: &str = "Later";
pub(crate) const EXPORT: &str = "Export";
pub(crate) const DELETE: &str = "Delete";
pub(crate) const NOT_READ: &str = "The file could not be read, or is too large for an agent.";
pub(crate) const NOT_SAVED: &str = "The browser did not take the file.";

pub(crate) const EMPTY: &str = "This cannot be empty.";
pub(crate) const NAME_TAKEN: &str = "Another agent has this name.";
pub(crate) const MAX_TOKENS_WRONG: &str = "A whole number from 1 on, or nothing.";
pub(crate) const CONTEXT_WRONG: &str = "A whole number from 1,000 on, or nothing.";
pub(crate) const TEMPERATURE_WRONG: &str = "A number from 0 to 2, or nothing.";

/// What is told when an agent was deleted.
pub(crate) fn deleted(name: &str) -> String {
    format!("{name} was deleted. What it said stays.")
}

/// What is told when an agent came from a file.
pub(crate) fn imported(name: &str) -> String {
    format!("{name} is here.")
}

/// What a list tells of a model: its window, its longest answer, its price.
pub(crate) fn model_facts(input: Option<u64>, output: Option<u64>, price: Option<Price>) -> String {
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
pub(crate) fn model_list(ago: &str) -> String {
    format!("(as the provider told {ago})")
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

pub(crate) fn role(role: AgentRole) -> &'static str {
    match role {
        AgentRole::Manager => "Manager: faces you and delegates",
        AgentRole::Worker => "Worker: does what it is given",
        AgentRole::Unified => "Both",
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

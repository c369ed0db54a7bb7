//! Strings of the settings: screen, operator, appearance, agents. `provider_card` has those of providers.

pub mod connection;
pub mod data;
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
pub const KEPT: &str = "Changes are saved automatically.";
pub const SECTIONS: &str = "Sections";
pub const ALL_SECTIONS: &str = "‹ All settings";

pub const OPERATOR: &str = "You";
pub const OPERATOR_ABOUT: &str = "How the agents know you.";

pub const APPEARANCE: &str = "Appearance";
pub const APPEARANCE_ABOUT: &str = "How Nexus looks on this device.";

pub const DATA: &str = "Data";
pub const DATA_ABOUT: &str = "Export, import and delete the data stored on this device.";

pub const SEARCH: &str = "Search settings";

/// How many settings hold what was looked for.
pub fn found(stay: usize, of: usize) -> String {
    match stay {
        0 => "No settings match your search.".to_owned(),
        _ => format!("{stay} of {of}"),
    }
}

pub const PROVIDERS: &str = "Providers";
pub const PROVIDERS_ABOUT: &str =
    "Where models are called. Nexus contacts no other hosts. One API key serves any number of agents.";

pub const AGENTS: &str = "Agents";
pub const AGENTS_ABOUT: &str = "Agents in every session, in the order of answering at equal priority. Changes apply from the next turn. Alt and an arrow key on the header of a card move it.";
pub const AGENT_NAME: &str = "Name";
pub const AGENT_NAME_ABOUT: &str = "Mention @Name to message only this agent.";
pub const EMOJI: &str = "Emoji";
pub const EMOJI_ABOUT: &str = "Shown next to its messages.";
pub const COLOUR: &str = "Colour";
pub const DESCRIPTION: &str = "Description";
pub const DESCRIPTION_ABOUT: &str = "Shown on the agent’s card and to the other agents.";
pub const PERSONA: &str = "System prompt";
pub const PERSONA_ABOUT: &str = "Sent as the system prompt with every request.";
pub const ROLE: &str = "Role";
pub const PROVIDER: &str = "Provider";
pub const PROVIDER_ABOUT: &str = "The provider of its model.";
pub const MODEL: &str = "Model";
pub const MODEL_ABOUT: &str = "The model id, as the provider writes it.";
pub const MODEL_EXAMPLE: &str = "Search, or enter a model id";
pub const MODEL_NO_LIST: &str =
    "No model list yet. Test the connection of the provider to load it, or enter the model id.";
pub const MODEL_NOT_LISTED: &str = "Not in the provider’s list. It is called anyway.";
pub const THINKING: &str = "Reasoning effort";
pub const THINKING_ABOUT: &str =
    "How much the model reasons before it answers. More takes longer and costs more.";
pub const MAX_TOKENS: &str = "Max output tokens";
pub const MAX_TOKENS_ABOUT: &str = "Longer answers are cut off at this length.";
pub const TEMPERATURE: &str = "Temperature";
pub const TEMPERATURE_ABOUT: &str = "Lower is more focused, higher is more varied.";
pub const CONTEXT: &str = "Context window (tokens)";
pub const CONTEXT_EXAMPLE: &str = "Auto-detected";
pub const CONTEXT_ABOUT: &str =
    "How much conversation fits. Local servers often allow less than the model supports.";
pub const PROVIDERS_OWN: &str = "Provider default";
pub const PRIORITY: &str = "Priority in new sessions";
pub const PRIORITY_ABOUT: &str = "The order of answers to all: high, then normal, then low.";

pub const RULES_OF_AGENT: &str = "Tools and permissions";

pub fn ruling(ruling: PermissionDecision) -> &'static str {
    match ruling {
        PermissionDecision::Allow => "Allow",
        PermissionDecision::Ask => "Ask each time",
        PermissionDecision::Deny => "Deny",
    }
}
pub const FILES: &str = "Files";
pub const FILES_EXAMPLE: &str = "All files";
pub const FILES_ABOUT: &str = "The files it may read and write: names, or patterns such as docs/*, separated by commas. Leave blank for all.";
pub const OWN_KEY_ONLY: &str = "Use only the API key of its own provider";
pub const OWN_KEY_ONLY_ABOUT: &str = "Otherwise it may use any API key on this device.";

pub const AGENT_ADD: &str = "Add agent";
pub const AGENT_IMPORT: &str = "Import from file…";
pub const AGENT_TEMPLATE: &str = "Start from template";
pub const TEMPLATE_BLANK: &str = "Blank";
pub const DUPLICATE: &str = "Duplicate";
pub const UP: &str = "Move up";
pub const DOWN: &str = "Move down";
pub const EXPORT: &str = "Export";
pub const DELETE: &str = "Delete";
pub const NOT_READ: &str = "The file could not be read, or is too large.";
pub const NOT_SAVED: &str = "The browser did not save the file.";

pub const EMPTY: &str = "This cannot be empty.";
pub const NAME_TAKEN: &str = "Another agent has this name.";
pub const MAX_TOKENS_WRONG: &str = "A whole number from 1, or blank.";
pub const CONTEXT_WRONG: &str = "A whole number from 1,000, or blank.";
pub const TEMPERATURE_WRONG: &str = "A number from 0 to 2, or blank.";

/// What is told when an agent was deleted.
pub fn deleted(name: &str) -> String {
    format!("{name} was deleted. Its messages stay.")
}

/// What is told when an agent came from a file.
pub fn imported(name: &str) -> String {
    format!("{name} was imported.")
}

/// What a list tells of a model: its window, its longest answer, its price.
pub fn model_facts(input: Option<u64>, output: Option<u64>, price: Option<Price>) -> String {
    let mut facts = Vec::new();
    if let Some(tokens) = input {
        facts.push(format!("context {}", crate::strings::format::tokens(tokens)));
    }
    if let Some(tokens) = output {
        facts.push(format!("max output {}", crate::strings::format::tokens(tokens)));
    }
    if let Some(Price { input, output, .. }) = price {
        facts.push(format!("${input} in, ${output} out per million tokens"));
    }
    facts.join(" · ")
}

/// When the list was asked for that a model's facts are from.
pub fn model_list(ago: &str) -> String {
    format!("(from the provider, {ago})")
}

pub fn thinking(thinking: Thinking) -> &'static str {
    match thinking {
        Thinking::Auto => "Default",
        Thinking::Off => "Off",
        Thinking::Low => "Low",
        Thinking::Medium => "Medium",
        Thinking::High => "High",
    }
}

pub fn role(role: AgentRole) -> &'static str {
    match role {
        AgentRole::Manager => "Manager: talks to you and delegates",
        AgentRole::Worker => "Worker: does assigned tasks",
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

/// Strings for importing an agent file. Shows nothing of the file but names of fields.
pub mod agent_file {
    use nexus_model::agent::file::{AgentFileError, AgentFileWarning};

    /// Why a file cannot be taken in.
    pub fn file_problem(problem: &AgentFileError) -> String {
        match problem {
            AgentFileError::Large => "The file is too large for an agent: the limit is 1 MB.".to_owned(),
            AgentFileError::NotJson(why) => format!("The file is not JSON: {why}."),
            AgentFileError::NotAnAgent => {
                "The file is not a Nexus agent. One begins with {\"nexus\": \"agent\"}.".to_owned()
            }
            AgentFileError::Version(version) => {
                format!(
                    "The file has version {version}; this version of Nexus reads version 1. Reload to get a newer one."
                )
            }
            AgentFileError::Unknown(field) => {
                format!(
                    "Unknown field “{field}”. Remove it from the file, so that nothing is imported unseen."
                )
            }
            AgentFileError::Missing(field) => format!("The field “{field}” is missing or empty."),
            AgentFileError::Wrong(field) => {
                format!("The field “{field}” has an invalid value.")
            }
        }
    }

    /// What is worth saying about an agent that was taken in.
    pub fn remark(remark: &AgentFileWarning) -> String {
        match remark {
            AgentFileWarning::Renamed(name) => format!("The name was taken, so the agent is called {name}."),
            AgentFileWarning::NoProvider(label) if label.is_empty() => {
                "None of your providers matches, so it uses the demo.".to_owned()
            }
            AgentFileWarning::NoProvider(label) => {
                format!("You have no provider “{label}” of its kind, so it uses the demo.")
            }
            AgentFileWarning::Rules => {
                "Its rules that deny or ask were kept; rules that allow were not.".to_owned()
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_problem_names_the_field() {
            assert!(
                file_problem(&AgentFileError::Unknown("agent.api_key".into())).contains("“agent.api_key”")
            );
            assert!(remark(&AgentFileWarning::Renamed("Critic 2".into())).contains("Critic 2"));
        }
    }
}

/// Strings of the appearance settings.
pub mod appearance {
    /// What is said of a kept value that cannot be chosen.
    pub fn wrong(kept: &str, holds: &str) -> String {
        let kept: String = kept.chars().take(40).collect();
        format!("The saved value “{kept}” is not valid, so this applies: {holds}. Choose one to fix it.")
    }

    pub const SWITCH_WRONG: &str = "The saved value is not valid, so it is on. Choose one to fix it.";
}

/// Strings about pages that embed Nexus. Never quotes what such a page wrote.
pub mod iframe {
    use crate::strings::format::size;
    use nexus_model::limits::{EMBEDDED_BYTES, EMBEDDED_DRAFTS, EMBEDDERS};
    use nexus_model::provider::address::AddressError;
    use nexus_model::settings::iframe_policy::{EmbedRejection, EmbedderError};

    pub const PAGE_ABOUT: &str = "The exact origin of a page that shows Nexus in a frame, such as https://docs.example or http://localhost:3000. It may only insert text into the message box, which you see and send.";
    pub const LET_IN: &str = "Allow";
    pub const MAY: &str = "may insert drafts into the message box of the session in view";
    pub const RESTS: &str = "paused";

    /// Why a page cannot be let in.
    pub fn bad_page(bad: EmbedderError) -> String {
        match bad {
            EmbedderError::Address(AddressError::Empty) => "Enter the origin of a page.".to_owned(),
            EmbedderError::Address(AddressError::KeyInside) => {
                "An origin contains no name, password or key.".to_owned()
            }
            EmbedderError::Address(
                AddressError::Scheme
                | AddressError::Host
                | AddressError::Port
                | AddressError::Blank
                | AddressError::Query,
            ) => "This is not an origin. One looks like https://docs.example or http://localhost:3000."
                .to_owned(),
            EmbedderError::Path => {
                "An origin ends with the host and port: leave out what follows.".to_owned()
            }
            EmbedderError::NotSafe => "Only https: is allowed, except for pages on this machine.".to_owned(),
            EmbedderError::TooMany => format!("There are {EMBEDDERS} already. Delete one first."),
        }
    }

    /// What is told, once for each page, when a draft of it was refused.
    pub fn refused(origin: &str, why: EmbedRejection) -> (String, String) {
        // Pages without an origin, such as those in a sandbox, are called so by browsers.
        let page = if origin == "null" { "A page without an origin" } else { origin };
        let told = match why {
            EmbedRejection::NotAllowed if origin == "null" => {
                "It cannot be allowed, because it has no address to recognise it by.".to_owned()
            }
            EmbedRejection::NotAllowed => {
                "Nothing was inserted. To allow it, add its origin under Settings → Triggers.".to_owned()
            }
            EmbedRejection::Shape | EmbedRejection::Version => {
                "Its message does not follow the guide for pages that embed Nexus. Nothing was inserted."
                    .to_owned()
            }
            EmbedRejection::Empty => "The draft was empty.".to_owned(),
            EmbedRejection::TooLong => {
                format!("The draft was longer than {}. Nothing was inserted.", size(EMBEDDED_BYTES))
            }
            EmbedRejection::Hidden => {
                "The draft contained invisible characters. Nothing was inserted.".to_owned()
            }
            EmbedRejection::Full => {
                format!("The message box already has {EMBEDDED_DRAFTS} drafts. Send or clear them first.")
            }
            EmbedRejection::Rests | EmbedRejection::Busy | EmbedRejection::ReadOnly => {
                "Nothing was inserted.".to_owned()
            }
        };
        (format!("{page} tried to insert a draft"), told)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_refusal_says_who_and_what_to_set() {
            let (title, told) = refused("https://docs.example", EmbedRejection::NotAllowed);
            assert_eq!(title, "https://docs.example tried to insert a draft");
            assert!(told.contains("Settings → Triggers"), "{told}");
            let (title, told) = refused("null", EmbedRejection::NotAllowed);
            assert!(title.starts_with("A page without an origin") && !told.contains("Settings"), "{told}");
            assert!(bad_page(EmbedderError::Path).contains("leave out"));
        }
    }
}

/// Strings of run limits, prices and tool rules.
pub mod limits {
    pub const COSTS: &str = "Limits and pricing";
    pub const COSTS_ABOUT: &str = "What a run may use before it pauses, and the prices for cost estimates.";

    pub const CAPS: &str = "Pause the run when it reaches";
    pub const CAPS_ABOUT: &str = "Takes effect on the next run. Leave blank to use the default.";

    pub const TO_USAGE: &str = "Show tokens and cost so far";
    pub const PRICES: &str = "Prices";
    pub const PRICES_ABOUT: &str = "Costs are estimates: providers change prices, and large requests often cost more. Prices in a provider’s model list override the shipped ones, and prices that you enter override both. Local models cost nothing unless you set a price.";
    pub const MODEL: &str = "Model";
    pub const INPUT: &str = "Input";
    pub const CACHED: &str = "Cached";
    pub const OUTPUT: &str = "Output";
    pub const BACK: &str = "Back";
    pub const UNKNOWN: &str = "unknown";
    pub const AS_INPUT: &str = "same as input";
    pub const OWN: &str = "your price";
    pub const BOTH: &str = "Takes effect when input and output are set.";
    pub const PRICE_WRONG: &str = "Dollars from 0, such as 0.75. No comma.";
    pub const TO_USUAL: &str = "Reset to default";
    pub const REMOVE: &str = "Remove";
    pub const ADD: &str = "Add model";
    pub const PROVIDER: &str = "Provider";
    pub const NO_MODEL: &str = "Enter a model id.";

    pub const RULES: &str = "Permissions";
    pub const RULES_ABOUT: &str = "Global rules for all agents on this device.";
    pub const RULES_ORDER: &str = "Deny overrides ask, and ask overrides allow: a deny here applies to every agent, and an allow here does not lift a deny of an agent. Changes apply from the next call.";
    pub const AS_AGENT: &str = "Use agent’s setting";
    pub const RULES_OTHER: &str =
        "There are other rules: for single agents or several tools, or unreadable ones that deny everything.";
    pub const RULES_FORGET: &str = "Reset all permission rules";

    /// What the table is, and of when.
    pub fn table(dated: &str) -> String {
        format!("US dollars per million tokens. Shipped prices are estimates as of {dated}.")
    }
}

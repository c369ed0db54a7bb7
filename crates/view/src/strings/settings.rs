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
pub const KEPT: &str = "Changes are kept as you leave a field.";
pub const SECTIONS: &str = "Sections";

pub const OPERATOR: &str = "You";
pub const OPERATOR_ABOUT: &str = "Who you are to the agents.";

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
        facts.push(format!("window {}", crate::strings::format::tokens(tokens)));
    }
    if let Some(tokens) = output {
        facts.push(format!("answers up to {}", crate::strings::format::tokens(tokens)));
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

/// Strings for importing an agent file. Shows nothing of the file but names of fields.
pub mod agent_file {
    use nexus_model::agent::file::{AgentFileError, AgentFileWarning};

    /// Why a file cannot be taken in.
    pub fn file_problem(problem: &AgentFileError) -> String {
        match problem {
            AgentFileError::Large => "The file is too large for an agent. One has less than 1 MB.".to_owned(),
            AgentFileError::NotJson(why) => format!("The file is not JSON: {why}."),
            AgentFileError::NotAnAgent => {
                "The file is no agent of Nexus. One begins with {\"nexus\": \"agent\"}.".to_owned()
            }
            AgentFileError::Version(version) => {
                format!(
                    "The file is of version {version}; this program reads version 1. Reload to get a newer one."
                )
            }
            AgentFileError::Unknown(field) => {
                format!(
                    "No agent has a field “{field}”. Take it out of the file, so that nothing is taken in unseen."
                )
            }
            AgentFileError::Missing(field) => format!("The field “{field}” is missing or empty."),
            AgentFileError::Wrong(field) => {
                format!("The field “{field}” holds something that it cannot hold.")
            }
        }
    }

    /// What is worth saying about an agent that was taken in.
    pub fn remark(remark: &AgentFileWarning) -> String {
        match remark {
            AgentFileWarning::Renamed(name) => format!("The name was taken, so it is called {name}."),
            AgentFileWarning::NoProvider(label) if label.is_empty() => {
                "None of your providers fits, so the demo answers for it.".to_owned()
            }
            AgentFileWarning::NoProvider(label) => {
                format!("You have no provider “{label}” of its kind, so the demo answers for it.")
            }
            AgentFileWarning::Rules => {
                "Its rules that forbid or ask were kept; none that allows was.".to_owned()
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
        format!(
            "What is kept, “{kept}”, cannot be chosen here, so this holds: {holds}. Choose one to put it right."
        )
    }

    pub const SWITCH_WRONG: &str =
        "What is kept is neither on nor off, so it is on. Choose one to put it right.";
}

/// Strings about pages that embed Nexus. Never quotes what such a page wrote.
pub mod iframe {
    use crate::strings::format::size;
    use nexus_model::limits::{EMBEDDED_BYTES, EMBEDDED_DRAFTS, EMBEDDERS};
    use nexus_model::provider::address::AddressError;
    use nexus_model::settings::iframe_policy::{EmbedRejection, EmbedderError};

    pub const PAGE_ABOUT: &str = "Where Nexus stands in the frame of another page: the exact origin of that page, such as \
         https://docs.example or http://localhost:3000. It may put words into the composer, which you see and send, and nothing \
         else. Nobody may otherwise.";
    pub const LET_IN: &str = "Let it in";
    pub const MAY: &str = "when this page sends a draft → the composer of the session in view";
    pub const RESTS: &str = "paused";

    /// Why a page cannot be let in.
    pub fn bad_page(bad: EmbedderError) -> String {
        match bad {
            EmbedderError::Address(AddressError::Empty) => "It needs the origin of a page.".to_owned(),
            EmbedderError::Address(AddressError::KeyInside) => {
                "A name, a password or a key is no part of an origin.".to_owned()
            }
            EmbedderError::Address(
                AddressError::Scheme
                | AddressError::Host
                | AddressError::Port
                | AddressError::Blank
                | AddressError::Query,
            ) => {
                "This is no origin. One looks like https://docs.example or http://localhost:3000.".to_owned()
            }
            EmbedderError::Path => {
                "An origin ends with the name and port: leave out what follows.".to_owned()
            }
            EmbedderError::NotSafe => "Only https: is safe here, but for pages of this machine.".to_owned(),
            EmbedderError::TooMany => format!("There are {EMBEDDERS} already. Delete one first."),
        }
    }

    /// What is told, once for each page, when a draft of it was refused.
    pub fn refused(origin: &str, why: EmbedRejection) -> (String, String) {
        // Pages without an origin, such as those in a sandbox, are called so by browsers.
        let page = if origin == "null" { "A page without an origin" } else { origin };
        let told = match why {
            EmbedRejection::NotAllowed if origin == "null" => {
                "It cannot be let in: nobody could tell it from others.".to_owned()
            }
            EmbedRejection::NotAllowed => {
                "Nothing was placed. To let it, add its origin under Settings → Triggers.".to_owned()
            }
            EmbedRejection::Shape | EmbedRejection::Version => {
                "Its message does not look as the guide to embedding says. Nothing was placed.".to_owned()
            }
            EmbedRejection::Empty => "The draft said nothing.".to_owned(),
            EmbedRejection::TooLong => {
                format!("The draft was longer than {}. Nothing was placed.", size(EMBEDDED_BYTES))
            }
            EmbedRejection::Hidden => {
                "The draft held characters that cannot be seen. Nothing was placed.".to_owned()
            }
            EmbedRejection::Full => {
                format!("{EMBEDDED_DRAFTS} drafts stand in the composer already. Send or clear them first.")
            }
            EmbedRejection::Rests | EmbedRejection::Busy | EmbedRejection::ReadOnly => {
                "Nothing was placed.".to_owned()
            }
        };
        (format!("{page} wanted to place a draft"), told)
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_refusal_says_who_and_what_to_set() {
            let (title, told) = refused("https://docs.example", EmbedRejection::NotAllowed);
            assert_eq!(title, "https://docs.example wanted to place a draft");
            assert!(told.contains("Settings → Triggers"), "{told}");
            let (title, told) = refused("null", EmbedRejection::NotAllowed);
            assert!(title.starts_with("A page without an origin") && !told.contains("Settings"), "{told}");
            assert!(bad_page(EmbedderError::Path).contains("leave out"));
        }
    }
}

/// Strings of run limits, prices and tool rules.
pub mod limits {
    pub const COSTS: &str = "Prices and caps";
    pub const COSTS_ABOUT: &str =
        "What a run may use before it pauses and asks, and what Nexus reckons that tokens cost.";

    pub const CAPS: &str = "A run pauses and asks at";
    pub const CAPS_ABOUT: &str =
        "Counts from the next run on. An empty field means the usual, which it shows.";

    pub const PRICES: &str = "Prices";
    pub const PRICES_ABOUT: &str = "Costs reckoned with them are estimates: providers change their prices, and large requests often have \
         others. What a provider's list of models tells comes before what was shipped; enter what you pay where you know \
         better. Models on this machine cost nothing here unless you say so.";
    pub const MODEL: &str = "Model";
    pub const INPUT: &str = "Input";
    pub const CACHED: &str = "Cached";
    pub const OUTPUT: &str = "Output";
    pub const BACK: &str = "Back";
    pub const UNKNOWN: &str = "not known";
    pub const AS_INPUT: &str = "as input";
    pub const OWN: &str = "your price";
    pub const BOTH: &str = "Counts once input and output are there.";
    pub const PRICE_WRONG: &str = "Dollars from 0 on, such as 0.75. No comma.";
    pub const TO_USUAL: &str = "Use usual price";
    pub const REMOVE: &str = "Remove";
    pub const ADD: &str = "Add a model";
    pub const PROVIDER: &str = "Provider";
    pub const NO_MODEL: &str = "Enter the model's id.";

    pub const RULES: &str = "Permissions";
    pub const RULES_ABOUT: &str = "What holds for all agents on this device, whatever each of them may do.";
    pub const RULES_ORDER: &str = "Deny comes before ask, and ask before allow: an agent that may not use a tool does not get it by an allow \
         here, and a deny here holds for every agent. Changes count from the next call on.";
    pub const AS_AGENT: &str = "As the agent says";
    pub const RULES_OTHER: &str = "There are rules besides these, about single agents or several tools, or rules that cannot be read and so deny all.";
    pub const RULES_FORGET: &str = "Forget all rules of this device";

    /// What the table is, and of when.
    pub fn table(dated: &str) -> String {
        format!("US dollars for a million tokens. Shipped prices as of {dated}: estimates.")
    }
}

//! Strings of the settings: screen, operator, appearance, agents. `provider_card` has those of providers.

pub mod data;
pub mod providers;
pub mod triggers;
pub mod voice;

use crate::strings::prelude::*;
use nexus_model::agent::{Accent, AgentRole, permission::PermissionDecision};
use nexus_model::llm::Thinking;
use nexus_model::provider::price::Price;

pub const BACK_TO_START: Text = Text("Back to the first screen");
pub const KEPT: Text = Text("Changes are saved automatically.");
pub const SECTIONS: Text = Text("Sections");
pub const ALL_SECTIONS: Text = Text("‹ All settings");

pub const OPERATOR_ABOUT: Text = Text("How the agents know you.");

pub const APPEARANCE_ABOUT: Text = Text("How Nexus looks on this device.");

pub const DATA_ABOUT: Text = Text("Export, import and delete the data stored on this device.");

pub const SEARCH: Text = Text("Search settings");

pub fn found(stay: usize, of: usize) -> String {
    match stay {
        0 => text!("No settings match your search."),
        _ => text!("{stay} of {of}"),
    }
}

pub const PROVIDERS: Text = Text("Providers");
pub const PROVIDERS_ABOUT: Text =
    Text("Where models are called. Nexus contacts no other hosts. One API key serves any number of agents.");

pub const AGENTS_ABOUT: Text = Text(
    "Agents in every session, in the order of answering at equal priority. Changes apply from the next turn. Alt and an arrow key on the header of a card move it.",
);
pub const AGENT_NAME_ABOUT: Text = Text("Mention @Name to message only this agent.");
pub const EMOJI: Text = Text("Emoji");
pub const EMOJI_ABOUT: Text = Text("Shown next to its messages.");
pub const COLOUR: Text = Text("Colour");
pub const DESCRIPTION_ABOUT: Text = Text("Shown on the agent’s card and to the other agents.");
pub const PERSONA: Text = Text("System prompt");
pub const PERSONA_ABOUT: Text = Text("Sent as the system prompt with every request.");
pub const ROLE: Text = Text("Role");
pub const MODEL_ABOUT: Text = Text("The model id, as the provider writes it.");
pub const MODEL_EXAMPLE: Text = Text("Search, or enter a model id");
pub const MODEL_NO_LIST: Text =
    Text("No model list yet. Test the connection of the provider to load it, or enter the model id.");
pub const MODEL_NOT_LISTED: Text = Text("Not in the provider’s list. It is called anyway.");
pub const THINKING: Text = Text("Reasoning effort");
pub const THINKING_ABOUT: Text =
    Text("How much the model reasons before it answers. More takes longer and costs more.");
pub const MAX_TOKENS: Text = Text("Max output tokens");
pub const MAX_TOKENS_ABOUT: Text = Text("Longer answers are cut off at this length.");
pub const TEMPERATURE: Text = Text("Temperature");
pub const TEMPERATURE_ABOUT: Text = Text("Lower is more focused, higher is more varied.");
pub const CONTEXT: Text = Text("Context window (tokens)");
pub const CONTEXT_EXAMPLE: Text = Text("Auto-detected");
pub const CONTEXT_ABOUT: Text =
    Text("How much conversation fits. Local servers often allow less than the model supports.");
pub const PROVIDERS_OWN: Text = Text("Provider default");
pub const PRIORITY: Text = Text("Priority in new sessions");
pub const PRIORITY_ABOUT: Text = Text("The order of answers to all: high, then normal, then low.");

pub const RULES_OF_AGENT: Text = Text("Tools and permissions");

pub const FILES_ABOUT: Text = Text(
    "The files it may read and write: names, or patterns such as docs/*, separated by commas. Leave blank for all.",
);
pub const OWN_KEY_ONLY: Text = Text("Use only the API key of its own provider");
pub const OWN_KEY_ONLY_ABOUT: Text = Text("Otherwise it may use any API key on this device.");

pub const AGENT_ADD: Text = Text("Add agent");
pub const AGENT_IMPORT: Text = Text("Import from file…");
pub const AGENT_TEMPLATE: Text = Text("Start from template");
pub const TEMPLATE_BLANK: Text = Text("Blank");
pub const UP: Text = Text("Move up");
pub const DOWN: Text = Text("Move down");
pub const NOT_READ: Text = Text("The file could not be read, or is too large.");

pub const EMPTY: Text = Text("This cannot be empty.");
pub const NAME_TAKEN: Text = Text("Another agent has this name.");
pub const MAX_TOKENS_WRONG: Text = Text("A whole number from 1, or blank.");
pub const CONTEXT_WRONG: Text = Text("A whole number from 1,000, or blank.");
pub const TEMPERATURE_WRONG: Text = Text("A number from 0 to 2, or blank.");

texts! {
    pub fn deleted(name: &str) = "{name} was deleted. Its messages stay.";
    pub fn imported(name: &str) = "{name} was imported.";
    pub fn model_list(provider: &str, ago: &str) = "{provider} lists this model ({ago})";

    pub fn decision(ruling: PermissionDecision) -> &'static str {
        PermissionDecision::Allow => "Allow";
        PermissionDecision::Ask => "Ask each time";
        PermissionDecision::Deny => "Deny";
    }

    pub fn thinking(thinking: Thinking) -> &'static str {
        Thinking::Auto => "Default";
        Thinking::Off => "Off";
        Thinking::Low => "Low";
        Thinking::Medium => "Medium";
        Thinking::High => "High";
    }

    pub fn role(role: AgentRole) -> &'static str {
        AgentRole::Manager => "Manager: talks to you and delegates";
        AgentRole::Worker => "Worker: does assigned tasks";
        AgentRole::Unified => { tr_in("role", "Both") };
    }

    pub fn accent(accent: Accent) -> &'static str {
        Accent::Cyan => "Cyan";
        Accent::Amber => "Amber";
        Accent::Rose => "Rose";
        Accent::Green => "Green";
        Accent::Violet => "Violet";
        Accent::Blue => "Blue";
    }
}

/// Details of a listed model: context window, output limit, price.
pub fn model_facts(input: Option<u64>, output: Option<u64>, price: Option<Price>) -> String {
    let context = input.map(|most| text!("context {}", tokens(most)));
    let output = output.map(|most| text!("max output {}", tokens(most)));
    let price =
        price.map(|Price { input, output, .. }| text!("${input} in, ${output} out per million tokens"));
    [context, output, price].into_iter().flatten().collect::<Vec<_>>().join(" · ")
}

pub mod agent_file {
    use crate::strings::prelude::*;
    use nexus_model::agent::file::{AgentFileError, AgentFileWarning};

    texts! {
        /// Why a file cannot be imported.
        pub fn file_problem(problem: &AgentFileError) -> String {
            AgentFileError::Large => "The file is too large for an agent: the limit is 1 MB.";
            AgentFileError::NotJson(why) => "The file is not JSON: {why}.";
            AgentFileError::NotAnAgent => { tr("The file is not a Nexus agent. One begins with {\"nexus\": \"agent\"}.").to_owned() };
            AgentFileError::Version(version) =>
                "The file has version {version}; this version of Nexus reads version 1. Reload to get a newer one.";
            AgentFileError::Unknown(field) =>
                "Unknown field “{field}”. Remove it from the file, so that nothing is imported unseen.";
            AgentFileError::Missing(field) => "The field “{field}” is missing or empty.";
            AgentFileError::Wrong(field) => "The field “{field}” has an invalid value.";
        }

        pub fn remark(remark: &AgentFileWarning) -> String {
            AgentFileWarning::Renamed(name) => "The name was taken, so the agent is called {name}.";
            AgentFileWarning::NoProvider(label) if label.is_empty() =>
                "None of your providers matches, so it uses the demo.";
            AgentFileWarning::NoProvider(label) =>
                "You have no provider “{label}” of its kind, so it uses the demo.";
            AgentFileWarning::Rules => "Its rules that deny or ask were kept; rules that allow were not.";
        }
    }

    #[cfg(test)]
    mod tests;
}

pub mod appearance {
    use crate::strings::prelude::*;

    /// Shown if a stored value is not among the choices.
    pub fn wrong(kept: &str, holds: &str) -> String {
        let kept: String = kept.chars().take(40).collect();
        text!("The saved value “{kept}” is not valid, so this applies: {holds}. Choose one to fix it.")
    }

    pub const SWITCH_WRONG: Text = Text("The saved value is not valid, so it is on. Choose one to fix it.");
}

/// Strings about pages that embed Nexus. Text of such a page is never shown.
pub mod iframe {
    use crate::strings::prelude::*;
    use nexus_model::limits::{EMBEDDED_BYTES, EMBEDDED_DRAFTS, EMBEDDERS};
    use nexus_model::provider::address::AddressError;
    use nexus_model::settings::iframe_policy::{EmbedRejection, EmbedderError};

    pub const PAGE_ABOUT: Text = Text(
        "The exact origin of a page that shows Nexus in a frame, such as https://docs.example or http://localhost:3000. It may only insert text into the message box, which you see and send.",
    );
    pub const LET_IN: Text = Text("Allow");
    pub const MAY: Text = Text("may insert drafts into the message box of the session in view");
    pub const RESTS: Text = Text("paused");

    texts! {
        /// Why a page cannot be allowed to embed Nexus.
        pub fn bad_page(bad: EmbedderError) -> String {
            EmbedderError::Address(AddressError::Empty) => "Enter the origin of a page.";
            EmbedderError::Address(AddressError::KeyInside) => "An origin contains no name, password or key.";
            EmbedderError::Address( AddressError::Scheme | AddressError::Host | AddressError::Port | AddressError::Blank | AddressError::Query, ) =>
                "This is not an origin. One looks like https://docs.example or http://localhost:3000.";
            EmbedderError::Path => "An origin ends with the host and port: leave out what follows.";
            EmbedderError::NotSafe => "Only https: is allowed, except for pages on this machine.";
            EmbedderError::TooMany => "There are {EMBEDDERS} already. Delete one first.";
        }

        fn embed_advice(why: EmbedRejection, is_null: bool) -> String {
            EmbedRejection::NotAllowed if is_null =>
                "It cannot be allowed, because it has no address to recognise it by.";
            EmbedRejection::NotAllowed =>
                "Nothing was inserted. To allow it, add its origin under Settings → Triggers.";
            EmbedRejection::Shape | EmbedRejection::Version =>
                "Its message does not follow the guide for pages that embed Nexus. Nothing was inserted.";
            EmbedRejection::Empty => "The draft was empty.";
            EmbedRejection::TooLong =>
                "The draft was longer than {}. Nothing was inserted.", size(EMBEDDED_BYTES);
            EmbedRejection::Hidden => "The draft contained invisible characters. Nothing was inserted.";
            EmbedRejection::Full =>
                "The message box already has {EMBEDDED_DRAFTS} drafts. Send or clear them first.";
            EmbedRejection::Rests | EmbedRejection::Busy | EmbedRejection::ReadOnly => "Nothing was inserted.";
        }
    }

    pub fn embed_rejected(origin: &str, why: EmbedRejection) -> Notice {
        // Browsers call the origin of sandboxed pages `null`.
        let is_null = origin == "null";
        let page = if is_null { tr("A page without an origin") } else { origin };
        Notice::new(text!("{page} tried to insert a draft"), embed_advice(why, is_null))
    }

    #[cfg(test)]
    mod tests;
}

pub mod limits {
    use crate::strings::prelude::*;

    pub const COSTS: Text = Text("Limits and pricing");
    pub const COSTS_ABOUT: Text =
        Text("What a run may use before it pauses, and the prices for cost estimates.");

    pub const CAPS: Text = Text("Pause the run when it reaches");
    pub const CAPS_ABOUT: Text = Text("Takes effect on the next run. Leave blank to use the default.");

    pub const TO_USAGE: Text = Text("Show tokens and cost so far");
    pub const PRICES: Text = Text("Prices");
    pub const PRICES_ABOUT: Text = Text(
        "Costs are estimates: providers change prices, and large requests often cost more. Prices in a provider’s model list override the shipped ones, and prices that you enter override both. Local models cost nothing unless you set a price.",
    );
    pub const CACHED: Text = Text("Cached");
    pub const BACK: Text = Text("Back");
    pub const AS_INPUT: Text = Text("= input");
    pub const OWN: Text = Text("your price");
    pub const BOTH: Text = Text("Takes effect when input and output are set.");
    pub const PRICE_WRONG: Text = Text("Dollars from 0, such as 0.75. No comma.");
    pub const TO_USUAL: Text = Text("Reset to default");
    pub const ADD: Text = Text("Add model");
    pub const NO_MODEL: Text = Text("Enter a model id.");

    pub const RULES: Text = Text("Permissions");
    pub const RULES_ABOUT: Text = Text("Global rules for all agents on this device.");
    pub const ASK_WRITES: Text = Text("Ask before every change of the objective, the scratchpad or a file");
    pub const ASK_WRITES_ABOUT: Text =
        Text("Sets each tool below that writes to “Ask each time”; a tool that you deny stays denied.");
    pub const RULES_ORDER: Text = Text(
        "Deny overrides ask, and ask overrides allow: a deny here applies to every agent, and an allow here does not lift a deny of an agent. Changes apply from the next call.",
    );
    pub const AS_AGENT: Text = Text("Use agent’s setting");
    pub const ALWAYS: Text = Text(
        "Always allowed by your choice in an approval or an agent’s settings. Overrides “Ask each time”, but not a deny.",
    );
    pub const RULES_OTHER: Text = Text(
        "There are other rules: for single agents or several tools, or unreadable ones that deny everything.",
    );
    pub const RULES_FORGET: Text = Text("Reset all permission rules");
    pub const RULES_RESET: Text = Text("Permission rules reset.");

    texts! {
        pub fn price_reset(model: &str) = "Price of {model} reset.";
        pub fn table(dated: &str) =
            "US dollars per million tokens. Shipped prices are estimates as of {dated}.";
    }
}

/// Strings of a provider's card and its API key.
pub mod provider_card {
    use crate::strings::prelude::*;
    use nexus_engine::keys::{KeyState, KeyStorage};
    use nexus_engine::port::VaultError;
    use nexus_model::provider::Protocol;

    pub const ADD: Text = Text("Add provider");
    pub const ADD_CLOUD: Text = Text("Cloud providers");
    pub const ADD_LOCAL: Text = Text("Local servers");
    pub const LABEL_ABOUT: Text = Text("Its name on this device.");
    pub const LABEL_TAKEN: Text = Text("Another provider has this name.");
    pub const PROTOCOL: Text = Text("API format");
    pub const PROTOCOL_ABOUT: Text =
        Text("The API of the server. Most servers are OpenAI-compatible (Chat Completions).");
    pub const NEEDS_KEY: Text = Text("Requires an API key");
    pub const NEEDS_KEY_ABOUT: Text = Text("Local servers usually do not need one.");
    pub const GUIDE: Text = Text("Setup");
    pub const KEY_PAGE: Text = Text("Get an API key:");
    pub const KEY_EXAMPLE: Text = Text("Paste it here");
    pub const KEY_FORGET: Text = Text("Remove key");
    pub const BASE_URL: Text = Text("Base URL");
    pub const BASE_URL_ABOUT: Text = Text(
        "Include the path (such as /v1) but not an endpoint. Changing the host requires entering the key again.",
    );
    pub const DEMO_ABOUT: Text = Text("Built in. Plays prepared objectives, without an API key or network.");
    pub const USE_FOR_ALL: Text = Text("Use for all agents");
    pub const USED_BY_ALL: Text = Text("Used by all agents");
    pub const TEST: Text = Text("Test the connection");
    pub const TESTING: Text = Text("Testing…");
    pub const CHECKLIST: Text = Text("Troubleshooting");
    pub const REMOVE_YES: Text = Text("Remove provider");
    pub const REMOVE_AND_MOVE: Text = Text("Remove and switch agents to the demo");

    pub const KEEP: Text = Text("Store key");
    pub const KEEP_TAB: Text = Text("This tab only");
    pub const KEEP_TAB_ABOUT: Text = Text("In memory. Lost when the tab is closed or reloaded.");
    pub const KEEP_PASSPHRASE: Text = Text("On this device, encrypted with a passphrase");
    pub const KEEP_PASSPHRASE_ABOUT: Text =
        Text("You enter the passphrase once per visit, and again after 15 minutes without use.");
    pub const KEEP_CLEAR: Text = Text("On this device, unencrypted (not recommended)");
    pub const KEEP_CLEAR_ABOUT: Text =
        Text("Anyone with access to this device, or a browser extension, can read and use it.");
    pub const PASSPHRASE: Text = Text("Passphrase");
    pub const PASSPHRASE_ABOUT: Text =
        Text("One for all keys. It is not stored: if you lose it, enter the keys again.");
    pub const PASSPHRASE_SHORT: Text = Text("At least 8 characters; a sentence is better than a word.");
    pub const UNLOCK: Text = Text("Unlock");
    pub const LOCK: Text = Text("Lock now");
    pub const CHANGE: Text = Text("Change passphrase");
    pub const CHANGE_NOW: Text = Text("Current passphrase");
    pub const CHANGE_NEXT: Text = Text("New passphrase");
    pub const CHANGE_ABOUT: Text =
        Text("All stored keys are encrypted with the new one. Other tabs lock and ask for it.");
    pub const CHANGED: Text = Text("Passphrase changed. Your keys are encrypted with the new one.");
    pub const UNLOCK_TITLE: Text = Text("Your API keys are locked");
    pub const NOT_NOW: Text = Text("Not now");

    pub const CLEAR_TITLE: Text = Text("Store this key unencrypted?");
    pub const CLEAR_POINTS: [Text; 4] = texts! {
        "The key is written to this browser's storage without encryption.",
        "Anyone with access to this browser profile, a backup of it or this disk can read it and spend with it.",
        "Other pages on the same origin and browser extensions can read it.",
        "It stays there until you remove it here or clear this site's data.",
    };
    pub const SAVE_AND_RETRY: Text = Text("Save and retry");
    pub const UNLOCK_AND_RETRY: Text = Text("Unlock and retry");
    pub const NOT_AGREED: Text = Text("Confirm that others may read the key, or choose another option.");

    texts! {
        pub fn key_of(label: &str) = "API key for {label}";
        pub fn key_about(origin: &str) = "Sent only to {origin}. Never exported, never shown to an agent.";
        pub fn unlock_about(provider: &str) =
            "An agent is calling {provider}. Enter your passphrase to unlock its API key.";

        pub fn key_state(state: KeyState) -> &'static str {
            KeyState::Missing => "No API key in this tab.";
            KeyState::Usable(KeyStorage::Tab) =>
                "The API key is in this tab only. It is lost when the tab is closed or reloaded.";
            KeyState::Usable(KeyStorage::Passphrase) => "Stored with your passphrase, and unlocked.";
            KeyState::Usable(KeyStorage::Clear) => "Stored unencrypted on this device.";
            KeyState::Locked => "Stored with your passphrase, and locked.";
        }

        pub fn key_tag(state: KeyState) -> &'static str {
            KeyState::Missing => "no key";
            KeyState::Usable(_) => "key set";
            KeyState::Locked => "locked";
        }

        pub fn vault_error(error: &VaultError) -> String {
            VaultError::WrongPassphrase => "Wrong passphrase.";
            VaultError::Closed => "Enter the passphrase first.";
            VaultError::Unavailable(reason) => { crate::strings::settings::providers::kept_because(*reason).to_owned() };
            VaultError::Failed(why) => "The key could not be stored: {why}. It stays in this tab.";
        }

        pub fn change_error(error: &VaultError) -> String {
            VaultError::Failed(why) => "The passphrase could not be changed: {why}. The old one still works.";
            VaultError::WrongPassphrase | VaultError::Closed | VaultError::Unavailable(_) => { vault_error(error) };
        }

        pub fn protocol(protocol: Protocol) -> &'static str {
            Protocol::Gemini => "Gemini";
            Protocol::Openai => "Chat Completions (most hosts)";
            Protocol::Responses => "OpenAI Responses";
            Protocol::Anthropic => "Anthropic Messages";
            Protocol::Ollama => "Ollama";
        }
    }

    pub fn stored_in(keeping: KeyStorage) -> String {
        let place = match keeping {
            KeyStorage::Tab => tr("this tab only"),
            KeyStorage::Passphrase => tr("on this device, encrypted with your passphrase"),
            KeyStorage::Clear => tr("on this device, unencrypted"),
        };
        text!("Stored: {place}. Change")
    }

    pub const CLEAR_CONSENT: Text = Text("I understand that others can read and use the key");
    pub const CLEAR_YES: Text = Text("Store unencrypted");

    pub fn remove_about(label: &str, agents: &[String]) -> String {
        match agents {
            [] => text!("Remove {label} and its API key?"),
            [agent] => text!("{agent} uses {label}."),
            agents => text!("{} use {label}.", listed(agents)),
        }
    }

    /// An API key that could not be stored where the operator chose.
    pub fn key_not_stored(error: &VaultError) -> Notice {
        Notice::new(tr("The API key is in this tab only"), vault_error(error))
    }
}

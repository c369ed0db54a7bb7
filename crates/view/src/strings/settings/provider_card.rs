//! Strings of a provider's card and its API key.

use crate::language::{Text, text, tr};
use nexus_engine::keys::{KeyState, KeyStorage};
use nexus_engine::port::VaultError;
use nexus_model::provider::Protocol;

pub const ADD: Text = Text("Add provider");
pub const ADD_CLOUD: Text = Text("Cloud providers");
pub const ADD_LOCAL: Text = Text("Local servers");
pub const CANCEL: Text = Text("Cancel");
pub const LABEL: Text = Text("Name");
pub const LABEL_ABOUT: Text = Text("Its name on this device.");
pub const LABEL_TAKEN: Text = Text("Another provider has this name.");
pub const PROTOCOL: Text = Text("API format");
pub const PROTOCOL_ABOUT: Text =
    Text("The API of the server. Most servers are OpenAI-compatible (Chat Completions).");
pub const NEEDS_KEY: Text = Text("Requires an API key");
pub const NEEDS_KEY_ABOUT: Text = Text("Local servers usually do not need one.");
pub const GUIDE: Text = Text("Setup");
pub const KEY_PAGE: Text = Text("Get an API key:");
pub const KEY: Text = Text("API key");
pub const KEY_EXAMPLE: Text = Text("Paste it here");
pub const KEY_FORGET: Text = Text("Remove key");
pub const BASE_URL: Text = Text("Base URL");
pub const BASE_URL_ABOUT: Text = Text(
    "Include the path (such as /v1) but not an endpoint. Changing the host requires entering the key again.",
);
pub const DEMO_ABOUT: Text = Text("Built in. Plays prepared objectives, without an API key or network.");
pub const USE_FOR_ALL: Text = Text("Use for all agents");
pub const USED_BY_ALL: Text = Text("Used by all agents");
pub const RELOAD: Text = Text("Reload page");
pub const TEST: Text = Text("Test the connection");
pub const TESTING: Text = Text("Testing…");
pub const CHECKLIST: Text = Text("Troubleshooting");
pub const REMOVE: Text = Text("Remove");
pub const REMOVE_YES: Text = Text("Remove provider");
pub const REMOVE_AND_MOVE: Text = Text("Remove and switch agents to the demo");
pub const REMOVE_NO: Text = Text("Cancel");

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
pub const SHOW: Text = Text("Show");
pub const REMEMBER: Text = Text("Save");
pub const UNLOCK: Text = Text("Unlock");
pub const LOCK: Text = Text("Lock now");
pub const CHANGE: Text = Text("Change passphrase");
pub const CHANGE_NOW: Text = Text("Current passphrase");
pub const CHANGE_NEXT: Text = Text("New passphrase");
pub const CHANGE_ABOUT: Text =
    Text("All stored keys are encrypted with the new one. Other tabs lock and ask for it.");
pub const CHANGE_YES: Text = Text("Change");
pub const CHANGED: Text = Text("Passphrase changed. Your keys are encrypted with the new one.");
pub const UNLOCK_TITLE: Text = Text("Your API keys are locked");
pub const NOT_NOW: Text = Text("Not now");
pub const WORKING: Text = Text("One moment…");

pub const CLEAR_TITLE: Text = Text("Store this key unencrypted?");
pub const CLEAR_POINTS: [Text; 4] = [
    Text("The key is written to this browser's storage without encryption."),
    Text(
        "Anyone with access to this browser profile, a backup of it or this disk can read it and spend with it.",
    ),
    Text("Other pages on the same origin and browser extensions can read it."),
    Text("It stays there until you remove it here or clear this site's data."),
];
pub const SAVE: Text = Text("Save");
pub const SAVE_AND_RETRY: Text = Text("Save and retry");
pub const NOT_AGREED: Text = Text("Confirm that others may read the key, or choose another option.");

texts! {
    pub fn key_of(label: &str) = "API key for {label}";
    pub fn key_about(origin: &str) = "Sent only to {origin}. Never exported, never shown to an agent.";
    pub fn unlock_about(provider: &str) =
        "An agent is calling {provider}. Enter your passphrase to unlock its API key.";
}

pub fn keep_as_before(keeping: KeyStorage) -> String {
    let place = match keeping {
        KeyStorage::Tab => tr("this tab only"),
        KeyStorage::Passphrase => tr("on this device, encrypted with your passphrase"),
        KeyStorage::Clear => tr("on this device, unencrypted"),
    };
    text!("Stored as before: {place}. Change")
}

pub const CLEAR_CONSENT: Text = Text("I understand that others can read and use the key");
pub const CLEAR_YES: Text = Text("Store unencrypted");

pub fn key_state(state: KeyState) -> &'static str {
    match state {
        KeyState::Missing => tr("No API key in this tab."),
        KeyState::Here(KeyStorage::Tab) => {
            tr("The API key is in this tab only. It is lost when the tab is closed or reloaded.")
        }
        KeyState::Here(KeyStorage::Passphrase) => tr("Stored with your passphrase, and unlocked."),
        KeyState::Here(KeyStorage::Clear) => tr("Stored unencrypted on this device."),
        KeyState::Locked => tr("Stored with your passphrase, and locked."),
    }
}

pub fn key_tag(state: KeyState) -> &'static str {
    match state {
        KeyState::Missing => tr("no key"),
        KeyState::Here(_) => tr("key set"),
        KeyState::Locked => tr("locked"),
    }
}

pub fn remove_about(label: &str, agents: &[String]) -> String {
    match agents {
        [] => text!("Remove {label} and its API key?"),
        [agent] => text!("{agent} uses {label}."),
        agents => text!("{} use {label}.", crate::strings::format::listed(agents)),
    }
}

pub fn vault_error(error: &VaultError) -> String {
    match error {
        VaultError::WrongPassphrase => text!("Wrong passphrase."),
        VaultError::Closed => text!("Enter the passphrase first."),
        VaultError::Hindered(reason) => crate::strings::settings::providers::kept_because(*reason).to_owned(),
        VaultError::Failed(why) => text!("The key could not be stored: {why}. It stays in this tab."),
    }
}

pub fn key_not_kept(error: &VaultError) -> crate::strings::format::Notice {
    crate::strings::format::Notice::new(tr("The API key is in this tab only"), vault_error(error))
}

pub fn change_error(error: &VaultError) -> String {
    match error {
        VaultError::Failed(why) => {
            text!("The passphrase could not be changed: {why}. The old one still works.")
        }
        VaultError::WrongPassphrase | VaultError::Closed | VaultError::Hindered(_) => vault_error(error),
    }
}

pub fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Gemini => tr("Gemini"),
        Protocol::Openai => tr("Chat Completions (most hosts)"),
        Protocol::Responses => tr("OpenAI Responses"),
        Protocol::Anthropic => tr("Anthropic Messages"),
        Protocol::Ollama => tr("Ollama"),
    }
}

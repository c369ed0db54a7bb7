//! Strings of a provider's card and its API key.

use nexus_engine::keys::{KeyState, KeyStorage};
use nexus_engine::port::VaultError;
use nexus_model::provider::Protocol;

pub const ADD: &str = "Add provider";
pub const ADD_CLOUD: &str = "Cloud providers";
pub const ADD_LOCAL: &str = "Local servers";
pub const CANCEL: &str = "Cancel";
pub const LABEL: &str = "Name";
pub const LABEL_ABOUT: &str = "Its name on this device.";
pub const LABEL_TAKEN: &str = "Another provider has this name.";
pub const PROTOCOL: &str = "API format";
pub const PROTOCOL_ABOUT: &str =
    "The API of the server. Most servers are OpenAI-compatible (Chat Completions).";
pub const NEEDS_KEY: &str = "Requires an API key";
pub const NEEDS_KEY_ABOUT: &str = "Local servers usually do not need one.";
pub const GUIDE: &str = "Setup";
pub const KEY_PAGE: &str = "Get an API key:";
pub const KEY: &str = "API key";
pub const KEY_EXAMPLE: &str = "Paste it here";
pub const KEY_FORGET: &str = "Remove key";
pub const BASE_URL: &str = "Base URL";
pub const BASE_URL_ABOUT: &str =
    "Include the path (such as /v1) but not an endpoint. Changing the host requires entering the key again.";
pub const DEMO_ABOUT: &str = "Built in. Plays prepared objectives, without an API key or network.";
pub const USE_FOR_ALL: &str = "Use for all agents";
pub const USED_BY_ALL: &str = "Used by all agents";
pub const RELOAD: &str = "Reload page";
pub const TEST: &str = "Test the connection";
pub const TESTING: &str = "Testing…";
pub const CHECKLIST: &str = "Troubleshooting";
pub const REMOVE: &str = "Remove";
pub const REMOVE_YES: &str = "Remove provider";
pub const REMOVE_AND_MOVE: &str = "Remove and switch agents to the demo";
pub const REMOVE_NO: &str = "Cancel";

pub const KEEP: &str = "Store key";
pub const KEEP_TAB: &str = "This tab only";
pub const KEEP_TAB_ABOUT: &str = "In memory. Lost when the tab is closed or reloaded.";
pub const KEEP_PASSPHRASE: &str = "On this device, encrypted with a passphrase";
pub const KEEP_PASSPHRASE_ABOUT: &str =
    "You enter the passphrase once per visit, and again after 15 minutes without use.";
pub const KEEP_CLEAR: &str = "On this device, unencrypted (not recommended)";
pub const KEEP_CLEAR_ABOUT: &str =
    "Anyone with access to this device, or a browser extension, can read and use it.";
pub const PASSPHRASE: &str = "Passphrase";
pub const PASSPHRASE_ABOUT: &str =
    "One for all keys. It is not stored: if you lose it, enter the keys again.";
pub const PASSPHRASE_SHORT: &str = "At least 8 characters; a sentence is better than a word.";
pub const SHOW: &str = "Show";
pub const REMEMBER: &str = "Save";
pub const UNLOCK: &str = "Unlock";
pub const LOCK: &str = "Lock now";
pub const CHANGE: &str = "Change passphrase";
pub const CHANGE_NOW: &str = "Current passphrase";
pub const CHANGE_NEXT: &str = "New passphrase";
pub const CHANGE_ABOUT: &str =
    "All stored keys are encrypted with the new one. Other tabs lock and ask for it.";
pub const CHANGE_YES: &str = "Change";
pub const CHANGED: &str = "Passphrase changed. Your keys are encrypted with the new one.";
pub const UNLOCK_TITLE: &str = "Your API keys are locked";
pub const NOT_NOW: &str = "Not now";
pub const WORKING: &str = "One moment…";

pub const CLEAR_TITLE: &str = "Store this key unencrypted?";
pub const CLEAR_POINTS: [&str; 4] = [
    "The key is written to this browser's storage without encryption.",
    "Anyone with access to this browser profile, a backup of it or this disk can read it and spend with it.",
    "Other pages on the same origin and browser extensions can read it.",
    "It stays there until you remove it here or clear this site's data.",
];
pub const SAVE: &str = "Save";
pub const SAVE_AND_RETRY: &str = "Save and retry";
pub const NOT_AGREED: &str = "Confirm that others may read the key, or choose another option.";

/// The label of a field for the key of a provider.
pub fn key_of(label: &str) -> String {
    format!("API key for {label}")
}

/// Where the next key is kept, as the operator chose earlier.
pub fn keep_as_before(keeping: KeyStorage) -> String {
    let place = match keeping {
        KeyStorage::Tab => "this tab only",
        KeyStorage::Passphrase => "on this device, encrypted with your passphrase",
        KeyStorage::Clear => "on this device, unencrypted",
    };
    format!("Stored as before: {place}. Change")
}

pub const CLEAR_CONSENT: &str = "I understand that others can read and use the key";
pub const CLEAR_YES: &str = "Store unencrypted";

pub fn key_state(state: KeyState) -> &'static str {
    match state {
        KeyState::Missing => "No API key in this tab.",
        KeyState::Here(KeyStorage::Tab) => {
            "The API key is in this tab only. It is lost when the tab is closed or reloaded."
        }
        KeyState::Here(KeyStorage::Passphrase) => "Stored with your passphrase, and unlocked.",
        KeyState::Here(KeyStorage::Clear) => "Stored unencrypted on this device.",
        KeyState::Locked => "Stored with your passphrase, and locked.",
    }
}

/// The same in a word, for the head of the card.
pub fn key_tag(state: KeyState) -> &'static str {
    match state {
        KeyState::Missing => "no key",
        KeyState::Here(_) => "key set",
        KeyState::Locked => "locked",
    }
}

/// What the operator is told about a key of this origin.
pub fn key_about(origin: &str) -> String {
    format!("Sent only to {origin}. Never exported, never shown to an agent.")
}

/// What the dialog asks for when a call waits.
pub fn unlock_about(provider: &str) -> String {
    format!("An agent is calling {provider}. Enter your passphrase to unlock its API key.")
}

/// Who uses a provider, before it is removed.
pub fn remove_about(label: &str, agents: &[String]) -> String {
    if agents.is_empty() {
        format!("Remove {label} and its API key?")
    } else {
        let verb = if agents.len() == 1 { "uses" } else { "use" };
        format!("{} {verb} {label}.", crate::strings::format::listed(agents))
    }
}

/// Why a key was not kept, or the vault did not open.
pub fn vault_error(error: &VaultError) -> String {
    match error {
        VaultError::WrongPassphrase => "Wrong passphrase.".to_owned(),
        VaultError::Closed => "Enter the passphrase first.".to_owned(),
        VaultError::Hindered(reason) => crate::strings::settings::providers::kept_because(*reason).to_owned(),
        VaultError::Failed(why) => format!("The key could not be stored: {why}. It stays in this tab."),
    }
}

/// A key that could not be kept where the operator chose.
pub fn key_not_kept(error: &VaultError) -> crate::strings::format::Notice {
    crate::strings::format::Notice::new("The API key is in this tab only", vault_error(error))
}

/// Why the passphrase was not changed.
pub fn change_error(error: &VaultError) -> String {
    match error {
        VaultError::Failed(why) => {
            format!("The passphrase could not be changed: {why}. The old one still works.")
        }
        VaultError::WrongPassphrase | VaultError::Closed | VaultError::Hindered(_) => vault_error(error),
    }
}

/// The name of a protocol.
pub fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Gemini => "Gemini",
        Protocol::Openai => "Chat Completions (most hosts)",
        Protocol::Responses => "OpenAI Responses",
        Protocol::Anthropic => "Anthropic Messages",
        Protocol::Ollama => "Ollama",
    }
}

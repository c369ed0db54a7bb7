//! Strings of a provider's card and its API key.

use nexus_engine::keys::{KeyState, KeyStorage};
use nexus_engine::port::VaultError;
use nexus_model::provider::Protocol;

pub const ADD: &str = "Add a provider";
pub const ADD_CLOUD: &str = "On the internet, with a key";
pub const ADD_LOCAL: &str = "On this machine, without";
pub const CANCEL: &str = "Cancel";
pub const LABEL: &str = "Name";
pub const LABEL_ABOUT: &str = "What it is called on this device.";
pub const LABEL_TAKEN: &str = "Another provider has this name.";
pub const PROTOCOL: &str = "How it speaks";
pub const PROTOCOL_ABOUT: &str = "Which interface its server has; most have Chat Completions.";
pub const NEEDS_KEY: &str = "Calls carry a key";
pub const NEEDS_KEY_ABOUT: &str = "Servers on your own machine often want none.";
pub const GUIDE: &str = "What you have to do";
pub const KEY_PAGE: &str = "Keys are made at";
pub const KEY: &str = "Key";
pub const KEY_EXAMPLE: &str = "Paste it here";
pub const KEY_FORGET: &str = "Forget it";
pub const BASE_URL: &str = "Address";
pub const BASE_URL_ABOUT: &str =
    "With its path, without the name of a single call. Another host wants its own key.";
pub const DEMO_ABOUT: &str = "Built in. Plays prepared objectives; needs no key and no network.";
pub const USE_FOR_ALL: &str = "Use for all agents";
pub const USED_BY_ALL: &str = "Used by all agents";
pub const RELOAD: &str = "Load the page again";
pub const TEST: &str = "Test the connection";
pub const TESTING: &str = "Asking…";
pub const CHECKLIST: &str = "What to look at";
pub const REMOVE: &str = "Remove";
pub const REMOVE_YES: &str = "Remove it";
pub const REMOVE_AND_MOVE: &str = "Remove and switch agents to the demo";
pub const REMOVE_NO: &str = "Keep it";

pub const KEEP: &str = "Where to keep it";
pub const KEEP_TAB: &str = "This tab only";
pub const KEEP_TAB_ABOUT: &str = "In memory. Gone when the tab is closed or reloaded.";
pub const KEEP_PASSPHRASE: &str = "On this device, encrypted with a passphrase";
pub const KEEP_PASSPHRASE_ABOUT: &str =
    "You enter the passphrase once a visit, and again after 15 minutes without use.";
pub const KEEP_CLEAR: &str = "On this device without a passphrase";
pub const KEEP_CLEAR_ABOUT: &str =
    "Not encrypted: whoever can read this device, a browser extension too, can read and use it. Not advised.";
pub const PASSPHRASE: &str = "Passphrase";
pub const PASSPHRASE_ABOUT: &str =
    "One for all keys. It is stored nowhere: lost, the keys have to be entered again.";
pub const PASSPHRASE_SHORT: &str = "At least 8 characters; a sentence is better than a word.";
pub const SHOW: &str = "Show";
pub const REMEMBER: &str = "Remember";
pub const UNLOCK: &str = "Unlock";
pub const LOCK: &str = "Lock now";
pub const CHANGE: &str = "Change passphrase";
pub const CHANGE_NOW: &str = "The passphrase now";
pub const CHANGE_NEXT: &str = "The new passphrase";
pub const CHANGE_ABOUT: &str =
    "All remembered keys go under the new one. Other tabs lock, and will ask for it.";
pub const CHANGE_YES: &str = "Change it";
pub const CHANGED: &str = "Your keys are under the new passphrase.";
pub const UNLOCK_TITLE: &str = "Your keys are locked";
pub const NOT_NOW: &str = "Not now";
pub const WORKING: &str = "One moment…";

pub const CLEAR_TITLE: &str = "Remember this key in the clear?";
pub const CLEAR_POINTS: [&str; 4] = [
    "The key is written into this browser's storage as it is, without any encryption.",
    "Whoever can open this browser profile, a backup of it or this disk can read it and spend with it.",
    "Another page on the same address as Nexus can read it, and so can a browser extension.",
    "It stays there until you forget it here or clear this site's data.",
];
pub const SAVE: &str = "Save";
pub const SAVE_AND_RETRY: &str = "Save and retry";
pub const NOT_AGREED: &str = "Confirm that others may read the key, or choose another place.";

/// The label of a field for the key of a provider.
pub fn key_of(label: &str) -> String {
    format!("API key for {label}")
}

/// Where the next key is kept, as the operator chose earlier.
pub fn keep_as_before(keeping: KeyStorage) -> String {
    let place = match keeping {
        KeyStorage::Tab => "this tab only",
        KeyStorage::Passphrase => "on this device, encrypted with your passphrase",
        KeyStorage::Clear => "on this device without a passphrase",
    };
    format!("Kept as you chose before: {place}. Change")
}

pub const CLEAR_CONSENT: &str = "I understand that the key can be read and used by others";
pub const CLEAR_YES: &str = "Remember in the clear";

pub fn key_state(state: KeyState) -> &'static str {
    match state {
        KeyState::Missing => "No key in this tab yet.",
        KeyState::Here(KeyStorage::Tab) => {
            "A key is in this tab. It is gone when the tab is closed or reloaded."
        }
        KeyState::Here(KeyStorage::Passphrase) => "Remembered under your passphrase, and unlocked.",
        KeyState::Here(KeyStorage::Clear) => "Remembered in the clear on this device.",
        KeyState::Locked => "Remembered under your passphrase, and locked.",
    }
}

/// The same in a word, for the head of the card.
pub fn key_tag(state: KeyState) -> &'static str {
    match state {
        KeyState::Missing => "no key",
        KeyState::Here(_) => "key here",
        KeyState::Locked => "locked",
    }
}

/// What the operator is told about a key of this origin.
pub fn key_about(origin: &str) -> String {
    format!("Sent to {origin} and to nobody else. Never exported, never shown to an agent.")
}

/// What the dialog asks for when a call waits.
pub fn unlock_about(provider: &str) -> String {
    format!("An agent wants to call {provider}. Enter your passphrase, so that its key can be used.")
}

/// Who uses a provider, before it is removed.
pub fn remove_about(label: &str, agents: &[String]) -> String {
    if agents.is_empty() {
        format!("Remove {label} and forget its key?")
    } else {
        let verb = if agents.len() == 1 { "thinks" } else { "think" };
        format!("{} {verb} with {label}.", crate::strings::format::listed(agents))
    }
}

/// Why a key was not kept, or the vault did not open.
pub fn vault_error(error: &VaultError) -> String {
    match error {
        VaultError::WrongPassphrase => "That is not the passphrase of the keys on this device.".to_owned(),
        VaultError::Closed => "Enter the passphrase first.".to_owned(),
        VaultError::Hindered(reason) => crate::strings::settings::providers::kept_because(*reason).to_owned(),
        VaultError::Failed(why) => format!("It could not be kept: {why}. It stays in this tab."),
    }
}

/// A key that could not be kept where the operator chose.
pub fn key_not_kept(error: &VaultError) -> crate::strings::format::Notice {
    crate::strings::format::Notice::new("The key is in this tab only", vault_error(error))
}

/// Why the passphrase was not changed.
pub fn change_error(error: &VaultError) -> String {
    match error {
        VaultError::Failed(why) => {
            format!("It could not be changed: {why}. The one that was there still holds.")
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

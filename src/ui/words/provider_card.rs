//! Never holds a key.
//!
//! Owns the words of a provider's card and of the keys.

use crate::domain::provider::Protocol;
use crate::engine::keys::{Keeping, KeyState};
use crate::engine::port::VaultError;

pub(crate) const ADD: &str = "Add a provider";
pub(crate) const ADD_CLOUD: &str = "On the internet, with a key";
pub(crate) const ADD_LOCAL: &str = "On this machine, without";
pub(crate) const CANCEL: &str = "Cancel";
pub(crate) const LABEL: &str = "Name";
pub(crate) const LABEL_ABOUT: &str = "What it is called on this device.";
pub(crate) const LABEL_TAKEN: &str = "Another provider has this name.";
pub(crate) const PROTOCOL: &str = "How it speaks";
pub(crate) const PROTOCOL_ABOUT: &str = "Which interface its server has; most have Chat Completions.";
pub(crate) const NEEDS_KEY: &str = "Calls carry a key";
pub(crate) const NEEDS_KEY_ABOUT: &str = "Servers on your own machine often want none.";
pub(crate) const GUIDE: &str = "What you have to do";
pub(crate) const KEY_PAGE: &str = "Keys are made at";
pub(crate) const KEY: &str = "Key";
pub(crate) const KEY_EXAMPLE: &str = "Paste it here";
pub(crate) const KEY_FORGET: &str = "Forget it";
pub(crate) const BASE_URL: &str = "Address";
pub(crate) const BASE_URL_ABOUT: &str =
    "With its path, without the name of a single call. Another host wants its own key.";
pub(crate) const REHEARSAL_ABOUT: &str =
    "Built in. Answers by rules, needs no key and never leaves this page.";
pub(crate) const USE_FOR_ALL: &str = "Use for all agents";
pub(crate) const USED_BY_ALL: &str = "Used by all agents";
pub(crate) const RELOAD: &str = "Load the page again";
pub(crate) const TEST: &str = "Test the connection";
pub(crate) const TESTING: &str = "Asking…";
pub(crate) const CHECKLIST: &str = "What to look at";
pub(crate) const REMOVE: &str = "Remove";
pub(crate) const REMOVE_YES: &str = "Remove it";
pub(crate) const REMOVE_AND_MOVE: &str = "Let them go to Rehearsal, and remove it";
pub(crate) const REMOVE_NO: &str = "Keep it";

pub(crate) const KEEP: &str = "How long";
pub(crate) const KEEP_TAB: &str = "This tab only";
pub(crate) const KEEP_TAB_ABOUT: &str = "In memory. Gone when the tab closes or the page loads again.";
pub(crate) const KEEP_PASSPHRASE: &str = "Remember with a passphrase";
pub(crate) const KEEP_PASSPHRASE_ABOUT: &str =
    "Encrypted on this device. Asked for once a visit, and again after 15 minutes without use.";
pub(crate) const KEEP_CLEAR: &str = "Remember in the clear";
pub(crate) const KEEP_CLEAR_ABOUT: &str = "Readable by whoever can read this device. Not advised.";
pub(crate) const PASSPHRASE: &str = "Passphrase";
pub(crate) const PASSPHRASE_ABOUT: &str =
    "One for all keys. It is stored nowhere: lost, the keys have to be entered again.";
pub(crate) const PASSPHRASE_SHORT: &str = "At least 8 characters; a sentence is better than a word.";
pub(crate) const SHOW: &str = "Show";
pub(crate) const REMEMBER: &str = "Remember";
pub(crate) const UNLOCK: &str = "Unlock";
pub(crate) const LOCK: &str = "Lock now";
pub(crate) const CHANGE: &str = "Change passphrase";
pub(crate) const CHANGE_NOW: &str = "The passphrase now";
pub(crate) const CHANGE_NEXT: &str = "The new passphrase";
pub(crate) const CHANGE_ABOUT: &str =
    "All remembered keys go under the new one. Other tabs lock, and will ask for it.";
pub(crate) const CHANGE_YES: &str = "Change it";
pub(crate) const CHANGED: &str = "Your keys are under the new passphrase.";
pub(crate) const UNLOCK_TITLE: &str = "Your keys are locked";
pub(crate) const NOT_NOW: &str = "Not now";
pub(crate) const WORKING: &str = "One moment…";

pub(crate) const CLEAR_TITLE: &str = "Remember this key in the clear?";
pub(crate) const CLEAR_POINTS: [&str; 4] = [
    "The key is written into this browser's storage as it is, without any encryption.",
    "Whoever can open this browser profile, a backup of it or this disk can read it and spend with it.",
    "Another page on the same address as Nexus can read it, and so can a browser extension.",
    "It stays there until you forget it here or clear this site's data.",
];
pub(crate) const CLEAR_CONSENT: &str = "I understand that the key can be read and used by others";
pub(crate) const CLEAR_YES: &str = "Remember in the clear";

/// What there is of a key.
pub(crate) fn key_state(state: KeyState) -> &'static str {
    match state {
        KeyState::Missing => "No key in this tab yet.",
        KeyState::Here(Keeping::Tab) => "A key is in this tab.",
        KeyState::Here(Keeping::Passphrase) => "Remembered under your passphrase, and unlocked.",
        KeyState::Here(Keeping::Clear) => "Remembered in the clear on this device.",
        KeyState::Locked => "Remembered under your passphrase, and locked.",
    }
}

/// The same in a word, for the head of the card.
pub(crate) fn key_tag(state: KeyState) -> &'static str {
    match state {
        KeyState::Missing => "no key",
        KeyState::Here(_) => "key here",
        KeyState::Locked => "locked",
    }
}

/// What the operator is told about a key of this origin.
pub(crate) fn key_about(origin: &str) -> String {
    format!("Sent to {origin} and to nobody else. Never exported, never shown to an agent.")
}

/// What the dialog asks for when a call waits.
pub(crate) fn unlock_about(provider: &str) -> String {
    format!("An agent wants to call {provider}. Enter your passphrase, so that its key can be used.")
}

/// Who uses a provider, before it is removed.
pub(crate) fn remove_about(label: &str, agents: &[String]) -> String {
    if agents.is_empty() {
        format!("Remove {label} and forget its key?")
    } else {
        let verb = if agents.len() == 1 { "thinks" } else { "think" };
        format!("{} {verb} with {label}.", super::listed(agents))
    }
}

/// Why a key was not kept, or the vault did not open.
pub(crate) fn vault_error(error: &VaultError) -> String {
    match error {
        VaultError::WrongPassphrase => "That is not the passphrase of the keys on this device.".to_owned(),
        VaultError::Closed => "Enter the passphrase first.".to_owned(),
        VaultError::Hindered(reason) => super::kept_because(*reason).to_owned(),
        VaultError::Failed(why) => format!("It could not be kept: {why}. It stays in this tab."),
    }
}

/// Why the passphrase was not changed.
pub(crate) fn change_error(error: &VaultError) -> String {
    match error {
        VaultError::Failed(why) => {
            format!("It could not be changed: {why}. The one that was there still holds.")
        }
        VaultError::WrongPassphrase | VaultError::Closed | VaultError::Hindered(_) => vault_error(error),
    }
}

/// The name of a protocol.
pub(crate) fn protocol(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Gemini => "Gemini",
        Protocol::Openai => "Chat Completions (most hosts)",
        Protocol::Responses => "OpenAI Responses",
        Protocol::Anthropic => "Anthropic Messages",
        Protocol::Ollama => "Ollama",
    }
}

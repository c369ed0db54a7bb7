//! Strings of provider setup, addresses and API keys.
//!
//! Does not promise that a provider can be reached.

use crate::language::{text, tr};
use crate::strings::format::Notice;
use nexus_engine::port::{VaultError, VaultUnavailable};
use nexus_model::provider::address::AddressError;
use nexus_model::provider::api_key_input::ApiKeyError;
use nexus_model::provider::presets::Preset;

/// Why an address is invalid, and what to enter instead.
pub fn address_error(problem: AddressError) -> &'static str {
    match problem {
        AddressError::Empty => tr("Enter the base URL, such as https://example.com/v1."),
        AddressError::Scheme => tr("A base URL starts with https:// or, on this machine, http://."),
        AddressError::Host => tr(
            "The base URL has no valid host. Use a form like https://example.com/v1, with international names in their xn-- form.",
        ),
        AddressError::Port => tr("The part after the colon is a number from 1 to 65535."),
        AddressError::Blank => tr("A base URL contains no spaces."),
        AddressError::KeyInside => tr(
            "The base URL contains a key, a name or a password, where it would be stored and shown. Remove it, and enter the key in its own field.",
        ),
        AddressError::Query => tr("Remove the ? or # and everything after it."),
    }
}

/// Why a text is no API key.
pub fn key_problem(problem: ApiKeyError) -> &'static str {
    match problem {
        ApiKeyError::Empty => tr("Enter an API key."),
        ApiKeyError::Blank => tr("An API key contains no spaces. Copy only the key."),
        ApiKeyError::Character => tr(
            "An API key contains only plain letters, digits and symbols. If it was shown shortened, with dots, copy the full key.",
        ),
        ApiKeyError::Address => tr("That is a URL. Enter it in the Base URL field."),
        ApiKeyError::Long => tr("That is too long for an API key."),
    }
}

/// Why keys can be stored only in this tab.
pub fn kept_because(reason: VaultUnavailable) -> &'static str {
    match reason {
        VaultUnavailable::Frame => tr(
            "Inside another page's frame a key stays in this tab only. Open Nexus in its own tab to store one.",
        ),
        VaultUnavailable::Insecure => tr(
            "This page was not loaded over https, so the browser offers no encryption. Keep the key in this tab, or store it unencrypted.",
        ),
        VaultUnavailable::NoStorage => {
            tr("The browser stores nothing for this page, so a key stays in this tab only.")
        }
    }
}

pub fn key_not_forgotten(error: &VaultError) -> Notice {
    let why = match error {
        VaultError::Failed(why) => why.as_str(),
        VaultError::WrongPassphrase | VaultError::Closed | VaultError::Unavailable(_) => tr("no response"),
    };
    Notice::new(
        tr("The API key is still on this device"),
        text!(
            "It was removed from this tab, but the browser's storage reported: {why}. Try again, or clear this site's data."
        ),
    )
}

/// Why the page must be reloaded before it may call an origin.
pub fn reload(origin: &str) -> String {
    text!(
        "Reload the page before it calls {origin}: it allows only the hosts that were set up when it loaded. Drafts are kept; a key in this tab only is not, so reload first and enter it afterwards."
    )
}

/// Setup steps of a provider. `page` is the origin of this page.
pub fn guide(preset: &Preset, page: &str) -> Vec<String> {
    let mut steps: Vec<String> = preset.steps().iter().map(|step| for_page(step, page)).collect();
    if !preset.needs_key {
        steps.push(local_network(page));
    }
    steps
}

/// A text of a preset, in the chosen language, with this page's origin.
pub(crate) fn for_page(text: &'static str, page: &str) -> String {
    tr(text).replace("{page}", page)
}

fn local_network(page: &str) -> String {
    if is_loopback_page(page) {
        return text!("This page comes from this machine, so the browser does not ask.");
    }
    let mut words = text!(
        "At the first call the browser asks whether this page may reach this machine: allow it. If you denied it before, change it in the site's settings, under local network."
    );
    if page.starts_with("https://") {
        words.push_str(tr(
            " Safari does not let an https page call http on this machine: use Chrome, Edge or Firefox.",
        ));
    }
    words
}

pub(crate) fn is_loopback_page(page: &str) -> bool {
    nexus_model::provider::address::reach(page) == nexus_model::provider::address::HostScope::Loopback
}

#[cfg(test)]
mod tests {
    use super::*;
    use nexus_model::provider::presets::PRESETS;

    #[test]
    fn every_guide_names_this_page() {
        for preset in &PRESETS {
            let steps = guide(preset, "https://nexus.example");
            assert!(!steps.is_empty());
            for step in steps {
                assert!(!step.contains("{page}") && !step.is_empty(), "{step}");
            }
        }
        let guide_of =
            |id, page| guide(PRESETS.iter().find(|preset| preset.id == id).unwrap(), page).join("\n");
        let ollama = guide_of("ollama", "https://nexus.example");
        assert!(ollama.contains("OLLAMA_ORIGINS=https://nexus.example"), "{ollama}");
        assert!(ollama.contains("allow it") && ollama.contains("Safari"));
        assert!(!guide_of("ollama", "http://localhost:8080").contains("Safari"));
    }
}

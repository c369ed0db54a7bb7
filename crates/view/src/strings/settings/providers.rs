//! Strings of provider setup, addresses, API keys and the connection test.
//!
//! Does not promise that a provider can be reached. If a host does not answer, scripts cannot see why, so the
//! checklist names possible causes.

use crate::connection_test::{CheckDetail, ConnectionCheck};
use crate::strings::prelude::*;
use nexus_engine::port::{VaultError, VaultUnavailable};
use nexus_model::provider::address::{AddressError, ApiKeyError, HostScope, reach};
use nexus_model::provider::presets::Preset;

texts! {
    /// Why the page must be reloaded before it may call an origin.
    pub fn reload(origin: &str) =
        "Reload the page before it calls {origin}: it allows only the hosts that were set up when it loaded. Drafts are kept; a key in this tab only is not, so reload first and enter it afterwards.";
    /// Why an address is invalid, and what to enter instead.
    pub fn address_error(problem: AddressError) -> &'static str {
        AddressError::Empty => "Enter the base URL, such as https://example.com/v1.";
        AddressError::Scheme => "A base URL starts with https:// or, on this machine, http://.";
        AddressError::Host =>
            "The base URL has no valid host. Use a form like https://example.com/v1, with international names in their xn-- form.";
        AddressError::Port => "The part after the colon is a number from 1 to 65535.";
        AddressError::Blank => "A base URL contains no spaces.";
        AddressError::KeyInside =>
            "The base URL contains a key, a name or a password, where it would be stored and shown. Remove it, and enter the key in its own field.";
        AddressError::Query => "Remove the ? or # and everything after it.";
    }

    /// Why a text is no API key.
    pub fn key_problem(problem: ApiKeyError) -> &'static str {
        ApiKeyError::Empty => "Enter an API key.";
        ApiKeyError::Blank => "An API key contains no spaces. Copy only the key.";
        ApiKeyError::Character =>
            "An API key contains only plain letters, digits and symbols. If it was shown shortened, with dots, copy the full key.";
        ApiKeyError::Address => "That is a URL. Enter it in the Base URL field.";
        ApiKeyError::Long => "That is too long for an API key.";
    }

    /// Why keys can be stored only in this tab.
    pub fn kept_because(reason: VaultUnavailable) -> &'static str {
        VaultUnavailable::Frame =>
            "Inside another page's frame a key stays in this tab only. Open Nexus in its own tab to store one.";
        VaultUnavailable::Insecure =>
            "This page was not loaded over https, so the browser offers no encryption. Keep the key in this tab, or store it unencrypted.";
        VaultUnavailable::NoStorage =>
            "The browser stores nothing for this page, so a key stays in this tab only.";
    }

    pub fn check(check: ConnectionCheck) -> &'static str {
        ConnectionCheck::Address => "Base URL";
        ConnectionCheck::Reached => "Response";
        ConnectionCheck::Key => "API key";
        ConnectionCheck::Models => "Models";
        ConnectionCheck::InUse => "Agents";
    }

    pub fn seen(seen: &CheckDetail) -> String {
        CheckDetail::MayCall(url) => "{url} may be called from this page.";
        CheckDetail::NeedsReload(origin) => "The page must be reloaded before it may call {origin}.";
        CheckDetail::NoPageMayCall(url) =>
            "{url} is plain http on another machine, or an IPv6 name of this one, and no page of Nexus may call that. Give the server https, or use 127.0.0.1.";
        CheckDetail::Answered(Some(status)) => "The server responded with status {status}.";
        CheckDetail::Answered(None) => "The provider responded.";
        CheckDetail::NoAnswer(words) if words.is_empty() => "No response.";
        CheckDetail::NoAnswer(words) => "No response. The browser says: {words}";
        CheckDetail::KeyTaken => "The API key is accepted.";
        CheckDetail::KeyNotChecked =>
            "Not checked: the model list does not show whether this host accepts the API key. Only a call does.";
        CheckDetail::NoKeyNeeded => "No API key is needed.";
        CheckDetail::NoKey => "No API key in this tab; only a call shows whether one is needed.";
        CheckDetail::KeyLocked => "The API key is locked. Unlock it with your passphrase first.";
        CheckDetail::KeyRefused(words) => "The API key was rejected. The provider says: {words}";
        CheckDetail::Forbidden(words) =>
            "The API key is valid but lacks permission. The provider says: {words}";
        CheckDetail::NotTried => "Not tested.";
        CheckDetail::Said(words) => "No model list. The provider says: {words}";
        CheckDetail::Models(0) => "The list is empty.";
        CheckDetail::Models(number) => "{} in the list.", count(*number, "model", "models");
        CheckDetail::NoList => "This host has no model list at this URL. Enter the model id for each agent.";
        CheckDetail::AllListed(models) => "{} available.", listed(models);
        CheckDetail::NotListed(models) => "Not in the list, but used by agents: {}.", listed(models);
        CheckDetail::NoModel => "An agent that uses this provider has no model. Choose one in its settings.";
        CheckDetail::NobodyUses => "No agent uses this provider yet.";
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageContext<'p> {
    pub origin: &'p str,
    pub online: bool,
}

pub fn checklist(preset: &Preset, url: &str, page: PageContext<'_>) -> Vec<String> {
    let mut list = Vec::new();
    if !page.online {
        list.push(text!("The browser reports that this device is offline."));
    }
    let scope = reach(url);
    match scope {
        HostScope::Loopback => {
            list.push(text!("Is the server running on this port? Try `{url}` in another tab."));
            list.push(cors_switch(preset, page.origin));
            if !is_loopback_page(page.origin) {
                list.push(
                    text!("Did you allow this page to reach this machine? See the browser's settings for this site, under local network."),
                );
            }
            if page.origin.starts_with("https://") && url.starts_with("http://") {
                list.push(text!("Is this Safari? It does not let an https page call http on this machine."));
            }
            if url.contains("//localhost") {
                list.push(text!("Use `127.0.0.1` instead of `localhost`: the name may also mean ::1."));
            }
        }
        HostScope::LocalNetwork => {
            list.push(text!("Is the other machine on, and does its server listen on the network?"));
            list.push(text!("Did you allow this page to reach the local network?"));
            list.push(cors_switch(preset, page.origin));
        }
        HostScope::Public => {
            list.push(text!(
                "Is the base URL right? Try `{url}` in another tab; any response is a good sign."
            ));
            list.push(text!(
                "Does the host allow calls from {} (CORS)? Some do not; see its documentation.",
                page.origin
            ));
            list.push(text!("An ad blocker, a company network or a VPN may block the call."));
        }
    }
    list
}

fn cors_switch(preset: &Preset, page: &str) -> String {
    let general = || text!("Does the server allow calls from {page} (CORS)?");
    preset.cors_switch.map_or_else(general, |question| for_page(question, page))
}

#[cfg(test)]
mod tests;

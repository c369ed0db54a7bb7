//! Strings of the connection test.
//!
//! If a host does not answer, scripts cannot see why, so the checklist names possible causes.

use crate::connection_test::{CheckDetail, ConnectionCheck};
use crate::language::{text, tr};
use crate::strings::format::{count, listed};
use crate::strings::settings::providers::{for_page, is_loopback_page};
use nexus_model::provider::address::{HostScope, reach};
use nexus_model::provider::presets::Preset;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageContext<'p> {
    pub origin: &'p str,
    pub online: bool,
}

pub fn check(check: ConnectionCheck) -> &'static str {
    match check {
        ConnectionCheck::Address => tr("Base URL"),
        ConnectionCheck::Reached => tr("Response"),
        ConnectionCheck::Key => tr("API key"),
        ConnectionCheck::Models => tr("Models"),
        ConnectionCheck::InUse => tr("Agents"),
    }
}

pub fn seen(seen: &CheckDetail) -> String {
    match seen {
        CheckDetail::MayCall(url) => text!("{url} may be called from this page."),
        CheckDetail::NeedsReload(origin) => {
            text!("The page must be reloaded before it may call {origin}.")
        }
        CheckDetail::NoPageMayCall(url) => text!(
            "{url} is plain http on another machine, or an IPv6 name of this one, and no page of Nexus may call that. Give the server https, or use 127.0.0.1."
        ),
        CheckDetail::Answered(Some(status)) => text!("The server responded with status {status}."),
        CheckDetail::Answered(None) => text!("The provider responded."),
        CheckDetail::NoAnswer(words) if words.is_empty() => text!("No response."),
        CheckDetail::NoAnswer(words) => text!("No response. The browser says: {words}"),
        CheckDetail::KeyTaken => text!("The API key is accepted."),
        CheckDetail::KeyNotChecked => {
            text!(
                "Not checked: the model list does not show whether this host accepts the API key. Only a call does."
            )
        }
        CheckDetail::NoKeyNeeded => text!("No API key is needed."),
        CheckDetail::NoKey => text!("No API key in this tab; only a call shows whether one is needed."),
        CheckDetail::KeyLocked => text!("The API key is locked. Unlock it with your passphrase first."),
        CheckDetail::KeyRefused(words) => text!("The API key was rejected. The provider says: {words}"),
        CheckDetail::Forbidden(words) => {
            text!("The API key is valid but lacks permission. The provider says: {words}")
        }
        CheckDetail::NotTried => text!("Not tested."),
        CheckDetail::Said(words) => text!("No model list. The provider says: {words}"),
        CheckDetail::Models(0) => text!("The list is empty."),
        CheckDetail::Models(number) => text!("{} in the list.", count(*number, "model", "models")),
        CheckDetail::NoList => {
            text!("This host has no model list at this URL. Enter the model id for each agent.")
        }
        CheckDetail::AllListed(models) => text!("{} available.", listed(models)),
        CheckDetail::NotListed(models) => {
            text!("Not in the list, but used by agents: {}.", listed(models))
        }
        CheckDetail::NobodyUses => text!("No agent uses this provider yet."),
    }
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
mod tests {
    use super::*;
    use nexus_model::provider::presets::PRESETS;

    const PAGE: PageContext<'_> = PageContext { origin: "https://nexus.example", online: true };

    #[test]
    fn the_checklist_depends_on_the_address() {
        let preset = |id| PRESETS.iter().find(|preset| preset.id == id).unwrap();
        let local = checklist(preset("ollama"), "http://localhost:11434", PAGE);
        assert!(local.iter().any(|item| item.contains("OLLAMA_ORIGINS=https://nexus.example")));
        assert!(local.iter().any(|item| item.contains("Safari")));
        assert!(local.iter().any(|item| item.contains("127.0.0.1")));
        let public = checklist(preset("other"), "https://api.example.com", PAGE);
        assert!(!public.iter().any(|item| item.contains("Safari") || item.contains("local network")));
        let offline =
            checklist(preset("other"), "https://api.example.com", PageContext { online: false, ..PAGE });
        assert!(offline[0].contains("offline"));
    }

    #[test]
    fn each_detail_is_a_sentence() {
        for one in [
            CheckDetail::NotTried,
            CheckDetail::NoKey,
            CheckDetail::Models(1),
            CheckDetail::Answered(Some(401)),
            CheckDetail::NobodyUses,
        ] {
            assert!(seen(&one).ends_with('.'), "{one:?}");
        }
        assert!(seen(&CheckDetail::KeyRefused("invalid x-api-key".into())).contains("invalid x-api-key"));
    }
}

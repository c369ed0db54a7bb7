//! Strings of the connection test.
//!
//! If a host does not answer, scripts cannot see why, so it lists what to check.

use crate::connection_test::{CheckDetail, ConnectionCheck};
use crate::language::{text, tr};
use crate::strings::format::{count, listed};
use crate::strings::settings::providers::is_loopback_page;
use nexus_model::provider::address::{HostScope, reach};
use nexus_model::provider::presets::ProviderKind;

/// What is known of the page that calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageContext<'p> {
    pub origin: &'p str,
    /// Whether the browser believes that there is a network.
    pub online: bool,
}

/// What a check looks at.
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
        CheckDetail::Answered(None) => tr("The provider responded.").to_owned(),
        CheckDetail::NoAnswer(words) if words.is_empty() => tr("No response.").to_owned(),
        CheckDetail::NoAnswer(words) => text!("No response. The browser says: {words}"),
        CheckDetail::KeyTaken => tr("The API key is accepted.").to_owned(),
        CheckDetail::KeyNotChecked => {
            tr("Not checked: the model list does not show whether this host accepts the API key. Only a call does.")
                .to_owned()
        }
        CheckDetail::NoKeyNeeded => tr("No API key is needed.").to_owned(),
        CheckDetail::NoKey => tr("No API key in this tab; only a call shows whether one is needed.").to_owned(),
        CheckDetail::KeyLocked => tr("The API key is locked. Unlock it with your passphrase first.").to_owned(),
        CheckDetail::KeyRefused(words) => text!("The API key was rejected. The provider says: {words}"),
        CheckDetail::Forbidden(words) => {
            text!("The API key is valid but lacks permission. The provider says: {words}")
        }
        CheckDetail::NotTried => tr("Not tested.").to_owned(),
        CheckDetail::Said(words) => text!("No model list. The provider says: {words}"),
        CheckDetail::Models(0) => tr("The list is empty.").to_owned(),
        CheckDetail::Models(number) => text!("{} in the list.", count(*number, "model", "models")),
        CheckDetail::NoList => {
            tr("This host has no model list at this URL. Enter the model id for each agent.").to_owned()
        }
        CheckDetail::AllListed(models) => text!("{} available.", listed(models)),
        CheckDetail::NotListed(models) => {
            text!("Not in the list, but used by agents: {}.", listed(models))
        }
        CheckDetail::NobodyUses => tr("No agent uses this provider yet.").to_owned(),
    }
}

/// What may be looked at when nothing answers, for this address called from this page.
pub fn checklist(host: ProviderKind, url: &str, page: PageContext<'_>) -> Vec<String> {
    let mut list = Vec::new();
    if !page.online {
        list.push(tr("The browser reports that this device is offline.").to_owned());
    }
    let far = reach(url);
    match far {
        HostScope::Loopback => {
            list.push(text!("Is the server running on this port? Try `{url}` in another tab."));
            list.push(cors_switch(host, page.origin));
            if !is_loopback_page(page.origin) {
                list.push(
                    tr("Did you allow this page to reach this machine? See the browser's settings for this site, under local network.")
                        .to_owned(),
                );
            }
            if page.origin.starts_with("https://") && url.starts_with("http://") {
                list.push(
                    tr("Is this Safari? It does not let an https page call http on this machine.").to_owned(),
                );
            }
            if url.contains("//localhost") {
                list.push(
                    tr("Use `127.0.0.1` instead of `localhost`: the name may also mean ::1.").to_owned(),
                );
            }
        }
        HostScope::LocalNetwork => {
            list.push(tr("Is the other machine on, and does its server listen on the network?").to_owned());
            list.push(tr("Did you allow this page to reach the local network?").to_owned());
            list.push(cors_switch(host, page.origin));
        }
        HostScope::Public => {
            list.push(text!(
                "Is the base URL right? Try `{url}` in another tab; any response is a good sign."
            ));
            list.push(text!(
                "Does the host allow calls from {} (CORS)? Some do not; see its documentation.",
                page.origin
            ));
            list.push(tr("An ad blocker, a company network or a VPN may block the call.").to_owned());
        }
    }
    list
}

fn cors_switch(host: ProviderKind, page: &str) -> String {
    match host {
        ProviderKind::Ollama => text!("Was Ollama started with `OLLAMA_ORIGINS={page}`?"),
        ProviderKind::LmStudio => tr("Is Enable CORS on, on LM Studio's Developer page?").to_owned(),
        ProviderKind::Vllm => text!("Was vLLM started with `--allowed-origins '[\"{page}\"]'`?"),
        ProviderKind::LlamaCpp
        | ProviderKind::Gemini
        | ProviderKind::OpenAi
        | ProviderKind::Anthropic
        | ProviderKind::OpenRouter
        | ProviderKind::Groq
        | ProviderKind::Mistral
        | ProviderKind::DeepSeek
        | ProviderKind::Xai
        | ProviderKind::Perplexity
        | ProviderKind::Other => text!("Does the server allow calls from {page} (CORS)?"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: PageContext<'_> = PageContext { origin: "https://nexus.example", online: true };

    #[test]
    fn the_checklist_fits_the_address_and_asks() {
        let local = checklist(ProviderKind::Ollama, "http://localhost:11434", PAGE);
        assert!(local.iter().any(|item| item.contains("OLLAMA_ORIGINS=https://nexus.example")));
        assert!(local.iter().any(|item| item.contains("Safari")));
        assert!(local.iter().any(|item| item.contains("127.0.0.1")));
        let public = checklist(ProviderKind::Other, "https://api.example.com", PAGE);
        assert!(!public.iter().any(|item| item.contains("Safari") || item.contains("local network")));
        let offline =
            checklist(ProviderKind::Other, "https://api.example.com", PageContext { online: false, ..PAGE });
        assert!(offline[0].contains("offline"));
    }

    #[test]
    fn what_was_seen_is_a_sentence() {
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

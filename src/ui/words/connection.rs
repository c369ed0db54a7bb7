//! Never says why a host does not answer: script is not told. It says what may be looked at.
//!
//! Owns the words of the connection test.

use crate::domain::address::{Reach, reach};
use crate::domain::connection::{Check, Seen};
use crate::domain::presets::Host;
use crate::ui::words::providers::is_loopback_page;
use crate::ui::words::{count, listed};

/// What is known of the page that calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page<'p> {
    /// Its origin.
    pub origin: &'p str,
    /// Whether the browser believes that there is a network.
    pub online: bool,
}

/// What a check looks at.
pub fn check(check: Check) -> &'static str {
    match check {
        Check::Address => "Address",
        Check::Reached => "Answer",
        Check::Key => "Key",
        Check::Models => "Models",
        Check::InUse => "Agents",
    }
}

/// What was seen.
pub fn seen(seen: &Seen) -> String {
    match seen {
        Seen::MayCall(url) => format!("{url} may be called from this page."),
        Seen::NeedsReload(origin) => format!("The page must load once more before it may talk to {origin}."),
        Seen::NoPageMayCall(url) => format!(
            "{url} is plain http on another machine, or an IPv6 name of this one; no page of Nexus may call that. Give \
             the server https, or call it as 127.0.0.1."
        ),
        Seen::Answered(Some(status)) => format!("Something answers there, with status {status}."),
        Seen::Answered(None) => "The provider answers.".to_owned(),
        Seen::NoAnswer(words) if words.is_empty() => "No answer came.".to_owned(),
        Seen::NoAnswer(words) => format!("No answer came. The browser says: {words}"),
        Seen::KeyTaken => "The key is accepted.".to_owned(),
        Seen::NoKeyNeeded => "No key is needed.".to_owned(),
        Seen::NoKey => "There is no key in this tab; whether one is needed only a call tells.".to_owned(),
        Seen::KeyLocked => "The key waits under your passphrase. Unlock it first.".to_owned(),
        Seen::KeyRefused(words) => format!("The key was refused. The provider says: {words}"),
        Seen::Forbidden(words) => {
            format!("The key is known, but may not do this. The provider says: {words}")
        }
        Seen::NotTried => "Not known.".to_owned(),
        Seen::Said(words) => format!("No list came. The provider says: {words}"),
        Seen::Models(0) => "The list is empty.".to_owned(),
        Seen::Models(number) => format!("{} in the list.", count(*number, "model", "models")),
        Seen::NoList => {
            "This host has no list of models at this address. Type the model's id for each agent.".to_owned()
        }
        Seen::AllListed(models) => format!("{} can be called.", listed(models)),
        Seen::NotListed(models) => format!("Not in the list, though agents use it: {}.", listed(models)),
        Seen::NobodyUses => "No agent uses this provider yet.".to_owned(),
    }
}

/// What may be looked at when nothing answers, for this address called from this page.
pub fn checklist(host: Host, url: &str, page: Page<'_>) -> Vec<String> {
    let mut list = Vec::new();
    if !page.online {
        list.push("The browser says that this device is offline.".to_owned());
    }
    let far = reach(url);
    match far {
        Reach::Loopback => {
            list.push(format!("Does the server run, and on this port? Try `{url}` in another tab."));
            list.push(cors_switch(host, page.origin));
            if !is_loopback_page(page.origin) {
                list.push(
                    "Did you allow this page to reach this machine? The browser's settings for this site tell, under \
                     local network."
                        .to_owned(),
                );
            }
            if page.origin.starts_with("https://") && url.starts_with("http://") {
                list.push(
                    "Is this Safari? It does not let an https page call http on this machine.".to_owned(),
                );
            }
            if url.contains("//localhost") {
                list.push(
                    "Write `127.0.0.1` in place of `localhost`: the name may mean ::1, too.".to_owned(),
                );
            }
        }
        Reach::LocalNetwork => {
            list.push(
                "Is the other machine on, and does its server listen for others than itself?".to_owned(),
            );
            list.push("Did you allow this page to reach the local network?".to_owned());
            list.push(cors_switch(host, page.origin));
        }
        Reach::Public => {
            list.push(format!(
                "Is the address right? Try `{url}` in another tab; any answer is a good sign."
            ));
            list.push(format!(
                "Does the host answer web pages at {}? Some do not; ask its documentation.",
                page.origin
            ));
            list.push("A blocker, a company's network or a VPN may stand between.".to_owned());
        }
    }
    list
}

fn cors_switch(host: Host, page: &str) -> String {
    match host {
        Host::Ollama => format!("Was Ollama started with `OLLAMA_ORIGINS={page}`?"),
        Host::LmStudio => "Is Enable CORS on, on LM Studio's Developer page?".to_owned(),
        Host::Vllm => format!("Was vLLM started with `--allowed-origins '[\"{page}\"]'`?"),
        Host::LlamaCpp
        | Host::Gemini
        | Host::OpenAi
        | Host::Anthropic
        | Host::OpenRouter
        | Host::Groq
        | Host::Mistral
        | Host::DeepSeek
        | Host::Xai
        | Host::Perplexity
        | Host::Other => format!("Does the server allow calls from {page} (CORS)?"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Page<'_> = Page { origin: "https://nexus.example", online: true };

    #[test]
    fn the_checklist_fits_the_address_and_asks() {
        let local = checklist(Host::Ollama, "http://localhost:11434", PAGE);
        assert!(local.iter().any(|item| item.contains("OLLAMA_ORIGINS=https://nexus.example")));
        assert!(local.iter().any(|item| item.contains("Safari")));
        assert!(local.iter().any(|item| item.contains("127.0.0.1")));
        let public = checklist(Host::Other, "https://api.example.com", PAGE);
        assert!(!public.iter().any(|item| item.contains("Safari") || item.contains("local network")));
        let offline = checklist(Host::Other, "https://api.example.com", Page { online: false, ..PAGE });
        assert!(offline[0].contains("offline"));
    }

    #[test]
    fn what_was_seen_is_a_sentence() {
        for one in [Seen::NotTried, Seen::NoKey, Seen::Models(1), Seen::Answered(Some(401)), Seen::NobodyUses]
        {
            assert!(seen(&one).ends_with('.'), "{one:?}");
        }
        assert!(seen(&Seen::KeyRefused("invalid x-api-key".into())).contains("invalid x-api-key"));
    }
}

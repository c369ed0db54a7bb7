//! Strings of provider setup, addresses and API keys.
//!
//! Does not promise that a provider can be reached.

use crate::language::{text, tr};
use crate::strings::format::Notice;
use nexus_engine::port::{VaultError, VaultUnavailable};
use nexus_model::provider::address::AddressError;
use nexus_model::provider::api_key_input::ApiKeyError;
use nexus_model::provider::presets::ProviderKind;

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
pub fn guide(host: ProviderKind, page: &str) -> Vec<String> {
    let steps: Vec<&str> = match host {
        ProviderKind::Gemini => vec![
            tr("Create an API key in Google AI Studio. It begins with AIza or AQ."),
            tr("Google allows calls from web pages; no other setup is needed."),
        ],
        ProviderKind::OpenAi => vec![
            tr("Create an API key on OpenAI's platform, ideally in its own project with a monthly limit."),
            tr("Nexus uses the Responses API, which current models need for tools."),
        ],
        ProviderKind::Anthropic => vec![
            tr("Create an API key in Anthropic's console, ideally in its own workspace with a spend limit."),
            tr(
                "Nexus sends the header that allows calls from web pages. An organisation may have disabled that.",
            ),
        ],
        ProviderKind::OpenRouter => vec![
            tr("Create an API key at OpenRouter, with its own credit limit."),
            tr("Its model list includes context window and prices."),
        ],
        ProviderKind::Groq => vec![
            tr("Create an API key in Groq's console."),
            tr(
                "Test the connection to see whether Groq allows calls from web pages; this has changed before.",
            ),
        ],
        ProviderKind::Mistral => {
            vec![tr("Create an API key in Mistral's console. It may take a few minutes to work.")]
        }
        ProviderKind::DeepSeek => {
            vec![tr("Create an API key on DeepSeek's platform, and add credit to the account.")]
        }
        ProviderKind::Xai => vec![tr("Create an API key in xAI's console.")],
        ProviderKind::Perplexity => vec![
            tr("Create an API key in Perplexity's account settings, under API."),
            tr("Perplexity may provide no model list: then enter the model id, such as `sonar-pro`."),
            tr(
                "Perplexity's models search the web and answer. They cannot call tools: agents with them cannot read or change files.",
            ),
        ],
        ProviderKind::Ollama => vec![
            tr(
                "Allow this page in Ollama: set `OLLAMA_ORIGINS={page}` in its environment, then restart it. On macOS: `launchctl setenv OLLAMA_ORIGINS \"{page}\"`. With systemd: `systemctl edit ollama`, and add \
             `Environment=\"OLLAMA_ORIGINS={page}\"`. On Windows: in the user's environment variables.",
            ),
            tr("Pull a model that supports tools, such as: `ollama pull qwen3`"),
            tr(
                "Ollama's default context window is small. Set `OLLAMA_CONTEXT_LENGTH`, for example 32768, and enter the same number for the agents.",
            ),
        ],
        ProviderKind::LmStudio => vec![
            tr(
                "In LM Studio, open the Developer page, turn on Enable CORS, and start the server. Or: `lms server start --cors`",
            ),
            tr("Load a model there, or let LM Studio load it on the first call."),
        ],
        ProviderKind::LlamaCpp => vec![
            tr(
                "Start the server with: `llama-server -m MODEL.gguf --jinja --port 8080`. Tools need `--jinja`.",
            ),
            tr("It allows calls from any web page. If you set `--api-key`, enter that key here."),
        ],
        ProviderKind::Vllm => vec![
            tr(
                "Start the server with: `vllm serve MODEL --enable-auto-tool-choice --tool-call-parser PARSER \
             --allowed-origins '[\"{page}\"]'`",
            ),
            tr("If you set `--api-key`, enter that key here."),
        ],
        ProviderKind::Other => vec![
            tr("Choose the API format. Most hosts use OpenAI's Chat Completions."),
            tr("The host must allow calls from {page} (CORS). Test the connection to see whether it does."),
        ],
    };
    let mut steps: Vec<String> = steps.into_iter().map(|step| step.replace("{page}", page)).collect();
    let is_local = matches!(
        host,
        ProviderKind::Ollama | ProviderKind::LmStudio | ProviderKind::LlamaCpp | ProviderKind::Vllm
    );
    if is_local {
        steps.push(local_network(page));
    }
    steps
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
        for preset in PRESETS {
            let steps = guide(preset.host, "https://nexus.example");
            assert!(!steps.is_empty());
            for step in steps {
                assert!(!step.contains("{page}") && !step.is_empty(), "{step}");
            }
        }
        let ollama = guide(ProviderKind::Ollama, "https://nexus.example").join("\n");
        assert!(ollama.contains("OLLAMA_ORIGINS=https://nexus.example"), "{ollama}");
        assert!(ollama.contains("allow it") && ollama.contains("Safari"));
        assert!(!guide(ProviderKind::Ollama, "http://localhost:8080").join("\n").contains("Safari"));
    }
}

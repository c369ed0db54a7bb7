//! Strings of provider setup, addresses and API keys.
//!
//! Never promises that a provider can be reached.

use crate::strings::format::Notice;
use nexus_engine::port::{VaultError, VaultUnavailable};
use nexus_model::provider::address::AddressError;
use nexus_model::provider::api_key_input::ApiKeyError;
use nexus_model::provider::presets::ProviderKind;

/// Why an address cannot be used, and what to write instead.
pub fn address_problem(problem: AddressError) -> &'static str {
    match problem {
        AddressError::Empty => "Write the address, such as https://example.com/v1.",
        AddressError::Scheme => "An address begins with https:// or, on this machine, http://.",
        AddressError::Host => {
            "There is no host in it that can be called. Write it like https://example.com/v1; names with other \
             letters in their xn-- form."
        }
        AddressError::Port => "The part after the colon is a number from 1 to 65535.",
        AddressError::Blank => "An address has no blank in it.",
        AddressError::KeyInside => {
            "There is a key, a name or a password in the address, where it would be stored and shown. Write the \
             address without it, and enter the key in its own field."
        }
        AddressError::Query => "Leave out what follows the ? or #: a base address ends before.",
    }
}

/// Why a text cannot be a key.
pub fn key_problem(problem: ApiKeyError) -> &'static str {
    match problem {
        ApiKeyError::Empty => "There is no key in that.",
        ApiKeyError::Blank => "A key has no blank in it. Copy it once more, and nothing else.",
        ApiKeyError::Character => {
            "A key has only plain letters, digits and signs. If it was shown shortened, with dots, copy the whole."
        }
        ApiKeyError::Address => "That is an address. It belongs in the field for the address.",
        ApiKeyError::Long => "That is too long for a key.",
    }
}

/// Why keys can only be kept in this tab.
pub fn kept_because(reason: VaultUnavailable) -> &'static str {
    match reason {
        VaultUnavailable::Frame => {
            "Inside another page's frame a key stays in this tab only. Open Nexus in a tab of its own to keep one."
        }
        VaultUnavailable::Insecure => {
            "This page was not loaded over https, so the browser offers no encryption. A key can stay in this tab, or \
             be remembered in the clear."
        }
        VaultUnavailable::NoStorage => {
            "The browser keeps nothing for this page, so a key stays in this tab only."
        }
    }
}

/// A key that could not be taken off this device.
pub fn key_not_forgotten(error: &VaultError) -> Notice {
    let why = match error {
        VaultError::Failed(why) => why.as_str(),
        VaultError::WrongPassphrase | VaultError::Closed | VaultError::Hindered(_) => "it did not answer",
    };
    Notice::new(
        "The key is still on this device",
        format!(
            "It is out of this tab, but the browser's storage said: {why}. Try again, or clear this site's data."
        ),
    )
}

/// Why the page has to load again before it may call an origin.
pub fn reload(origin: &str) -> String {
    format!(
        "The page must load once more before it may talk to {origin}: it lets nothing through but what was set up \
         when it loaded. Drafts are kept; a key that is only in this tab is not, so load first and enter it then."
    )
}

/// What a person must do to use a provider, step by step. `page` is this page's own origin.
pub fn guide(host: ProviderKind, page: &str) -> Vec<String> {
    let steps: Vec<&str> = match host {
        ProviderKind::Gemini => vec![
            "Make a key in Google AI Studio. It begins with AIza or AQ.",
            "Google answers calls from web pages; nothing else is to be switched on.",
        ],
        ProviderKind::OpenAi => vec![
            "Make a key on OpenAI's platform, best in a project of its own with a monthly limit.",
            "It is called by its Responses API, which its current models want for tools.",
        ],
        ProviderKind::Anthropic => vec![
            "Make a key in Anthropic's console, best in a workspace of its own with a spend limit.",
            "Nexus sends the header with which Anthropic answers web pages. An organisation may have switched that off.",
        ],
        ProviderKind::OpenRouter => vec![
            "Make a key at OpenRouter, with a credit limit of its own.",
            "Its list of models tells window and price of each.",
        ],
        ProviderKind::Groq => vec![
            "Make a key in Groq's console.",
            "Whether Groq answers web pages is for the test to tell; it has changed before.",
        ],
        ProviderKind::Mistral => {
            vec!["Make a key in Mistral's console. It may take a few minutes until it works."]
        }
        ProviderKind::DeepSeek => {
            vec!["Make a key on DeepSeek's platform, and put some credit on the account."]
        }
        ProviderKind::Xai => vec!["Make a key in xAI's console."],
        ProviderKind::Perplexity => vec![
            "Make a key in Perplexity's account settings, under API.",
            "Perplexity may give no list of its models: then type the model's id, such as `sonar-pro`.",
        ],
        ProviderKind::Ollama => vec![
            "Start Ollama so that it answers this page: set `OLLAMA_ORIGINS={page}` in its environment, then start it \
             again. On macOS: `launchctl setenv OLLAMA_ORIGINS \"{page}\"`. With systemd: `systemctl edit ollama`, and add \
             `Environment=\"OLLAMA_ORIGINS={page}\"`. On Windows: in the user's environment variables.",
            "Fetch a model that can use tools, such as: `ollama pull qwen3`",
            "Ollama's own window is small. Set it with `OLLAMA_CONTEXT_LENGTH`, for example 32768, and enter the same \
             number for the agents.",
        ],
        ProviderKind::LmStudio => vec![
            "In LM Studio, open the Developer page, switch Enable CORS on, and start the server. Or: `lms server start --cors`",
            "Load a model there, or let LM Studio load it when it is called.",
        ],
        ProviderKind::LlamaCpp => vec![
            "Start the server with: `llama-server -m MODEL.gguf --jinja --port 8080`. Tools need `--jinja`.",
            "It answers any web page as it is. If you gave it `--api-key`, enter that key here.",
        ],
        ProviderKind::Vllm => vec![
            "Start the server with: `vllm serve MODEL --enable-auto-tool-choice --tool-call-parser PARSER \
             --allowed-origins '[\"{page}\"]'`",
            "If you gave it `--api-key`, enter that key here.",
        ],
        ProviderKind::Other => vec![
            "Choose how the host speaks. Most speak OpenAI's Chat Completions.",
            "The host must answer calls from {page} (CORS); whether it does, the test tells.",
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

/// What the browser wants before a page may call this machine.
fn local_network(page: &str) -> String {
    if is_loopback_page(page) {
        return "This page comes from this machine itself, so the browser asks nothing.".to_owned();
    }
    let mut words =
        "At the first call the browser asks whether this page may reach this machine: allow it. If you \
                     said no before, it is in the site's settings, under local network."
            .to_owned();
    if page.starts_with("https://") {
        words.push_str(
            " Safari does not let an https page call http on this machine: use Chrome, Edge or Firefox.",
        );
    }
    words
}

/// Whether the page itself was loaded from this machine.
pub(crate) fn is_loopback_page(page: &str) -> bool {
    nexus_model::provider::address::reach(page) == nexus_model::provider::address::HostScope::Loopback
}

#[cfg(test)]
mod tests {
    use super::*;
    use nexus_model::provider::presets::PRESETS;

    #[test]
    fn every_guide_is_filled_in_for_this_page() {
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

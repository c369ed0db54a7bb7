//! Strings of prompts and waits: tool approval, scheduled calls, unreachable providers.
//!
//! Names no cause that scripts cannot know.

use crate::language::{text, tr};
use crate::strings::errors::failure as failure_notice;
use crate::strings::format::{count, money, tokens};
use nexus_model::id::Millis;
use nexus_model::provider::address::{HostScope, reach};
use nexus_model::provider::failure::ProviderError;
use nexus_model::provider::{Provider, origin_of};
use nexus_model::run::RunUsage;

texts! {
    pub fn wants(agent: &str, tool: &str) = "{agent} asks to use {tool}";
    pub fn always(agent: &str, tool: &str) = "Always allow {agent} to use {tool}";
    pub fn not_json(why: &str) = "Invalid JSON: {why}. Nothing was approved.";
}

/// Shown when a preview of the changes is not possible.
pub fn changes_unknown() -> &'static str {
    tr("The changes cannot be previewed.")
}

pub fn retry_reason(failure: Option<&ProviderError>, provider: &str) -> String {
    match failure {
        Some(failure) => {
            let notice = failure_notice(failure, provider, "", "");
            text!("{}. {provider} reported: {}", notice.title, failure.message)
        }
        None => text!("{provider} asked another agent to wait, so all agents that use it wait too."),
    }
}

pub fn countdown(due: Millis, now: Millis, attempt: u32) -> String {
    let seconds = due.0.saturating_sub(now.0).div_ceil(1_000);
    let what = if attempt > 1 { tr("retries") } else { tr("sends") };
    if seconds == 0 { text!("{what} now") } else { text!("{what} in {seconds} s") }
}

pub fn used(used: &RunUsage) -> String {
    let calls = count(used.calls, "model call", "model calls");
    let spent = match (used.cost.0, used.unpriced) {
        (0, 0) => String::new(),
        (0, _) => text!(", at an unknown price"),
        (_, 0) => format!(", {}", money(used.cost)),
        (_, _) => text!(", {} and more at an unknown price", money(used.cost)),
    };
    text!("Used so far: {calls}, {} tokens{spent}.", tokens(used.tokens))
}

/// What to check if a provider cannot be reached from this page. Scripts cannot see the cause, so none is claimed.
pub fn reach_checks(provider: &Provider, page: &str) -> Vec<String> {
    let address = provider.base_url.trim();
    let origin = origin_of(address).unwrap_or_else(|| address.to_owned());
    let local = provider.is_local();
    let private = local || reach(&origin) != HostScope::Public;
    let mut checks = vec![text!("Is this device online? Open any other page to see.")];
    checks.push(if private {
        text!("Is the server running on the port of {origin}?")
    } else {
        text!("Is {origin} the host that the provider documents?")
    });
    if private {
        checks.push(text!(
            "Does the server allow calls from {page} (CORS)? Ollama: set OLLAMA_ORIGINS={page} and restart it. LM Studio: turn on “Enable CORS”. llama.cpp: --cors-origins. vLLM: --allowed-origins."
        ));
    } else {
        checks
            .push(text!("Does the provider allow calls from web pages? Some do only through another host."));
        checks.push(text!("Is an ad blocker, a company network or a VPN blocking the call?"));
    }
    if page.starts_with("https:") && address.starts_with("http:") && !local {
        checks.push(
            tr("This page was loaded over https, and browsers block calls from such pages to http addresses. Give the server an \
             https address, or serve Nexus from the machine itself.")
                .to_owned(),
        );
    }
    if page.starts_with("https:") && private {
        checks.push(
            tr("Did the browser ask whether this page may reach devices on the local network? Allow it in the site's \
             settings. Safari does not call local http addresses from https pages at all.")
                .to_owned(),
        );
    }
    if local && origin.contains("localhost") {
        checks.push(text!("Try 127.0.0.1 instead of localhost: they may be different servers."));
    }
    if address.contains('?') || address.contains('@') || address.contains("key=") {
        checks.push(text!("Does the base URL contain a key? Enter it in the API key field."));
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::*;
    use nexus_model::provider::failure::ProviderErrorKind;
    use nexus_model::provider::price::Cost;

    fn checks(address: &str, page: &str) -> String {
        let provider = Provider { base_url: address.to_owned(), ..Provider::gemini() };
        reach_checks(&provider, page).join("\n")
    }

    #[test]
    fn the_checklist_depends_on_the_address_and_claims_no_cause() {
        let remote = checks("https://api.example.com/v1", "https://nexus.example");
        assert!(
            remote.contains("https://api.example.com")
                && !remote.contains("OLLAMA")
                && !remote.contains("http addresses")
        );
        let local = checks("http://localhost:11434", "https://nexus.example");
        assert!(local.contains("OLLAMA_ORIGINS=https://nexus.example") && local.contains("127.0.0.1"));
        assert!(local.contains("local network") && !local.contains("block calls from such pages"));
        let lan = checks("http://192.168.1.7:8080/v1", "https://nexus.example");
        assert!(lan.contains("block calls from such pages to http") && lan.contains("--cors-origins"));
        let plain = checks("http://192.168.1.7:8080/v1", "http://localhost:8000");
        assert!(!plain.contains("https pages"));
        assert!(checks("https://api.example.com/v1?key=abc", "https://x.example").contains("API key field"));
        assert!(!remote.contains("API key field"));
        for all in [remote, local, lan, plain] {
            assert!(
                !all.contains("because")
                    && all.lines().all(|line| line.contains('?')
                        || line.starts_with("Try")
                        || line.starts_with("This page"))
            );
        }
    }

    #[test]
    fn the_countdown_never_becomes_negative() {
        assert_eq!(countdown(Millis(5_000), Millis(1_500), 2), "retries in 4 s");
        assert_eq!(countdown(Millis(5_000), Millis(9_999), 1), "sends now");
    }

    #[test]
    fn usage_includes_unknown_prices() {
        let of = |cost, unpriced| {
            used(&RunUsage { calls: 2, tokens: 1_200, cost: Cost(cost), unpriced, ..RunUsage::default() })
        };
        assert_eq!(of(120_000_000, 0), "Used so far: 2 model calls, 1,200 tokens, ≈ $0.12.");
        assert!(of(120_000_000, 1).contains("and more at an unknown price"));
        assert_eq!(of(0, 0), "Used so far: 2 model calls, 1,200 tokens.");
    }

    #[test]
    fn a_wait_names_its_provider() {
        let limited = ProviderError::new(ProviderErrorKind::RateLimit, "slow down");
        assert!(retry_reason(Some(&limited), "Gemini").contains("Gemini reported: slow down"));
        assert!(retry_reason(None, "Gemini").contains("another agent"));
    }
}

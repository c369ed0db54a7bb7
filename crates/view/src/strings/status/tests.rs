use super::*;
use nexus_model::provider::ProviderErrorKind;

#[test]
fn a_pause_states_its_figures() {
    let at = |used, limit, shared| ReachedLimit { used, limit, shared };
    let calls = pause(&PauseCause::CallCap(at(60, Some(60), true))).advice;
    assert!(calls.starts_with("Model calls: 60 of 60 in this run, the runs before it and all"), "{calls}");
    let tokens = pause(&PauseCause::TokenCap(at(1_200_000, Some(1_000_000), false))).advice;
    assert!(tokens.starts_with("Tokens: 1,200,000 of 1,000,000. Continue"), "{tokens}");
    let cost = pause(&PauseCause::CostCap(at(6_000_000_000, None, false))).advice;
    assert!(cost.starts_with("Cost: $6.00 of $6.00."), "{cost}");
    assert!(
        pause(&PauseCause::Loop { evidence: "read_file a 3 times".into() })
            .advice
            .starts_with("read_file a 3 times. Say")
    );
    let quoted = PauseCause::Loop { evidence: "Engineer said “It works.”".into() };
    assert!(pause(&quoted).advice.starts_with("Engineer said “It works.” Say"));
}

#[test]
fn the_title_shows_running_and_finished_runs() {
    assert_eq!(title(RunStatus::Running, false), Some("● working"));
    assert_eq!(title(RunStatus::Paused, false), Some("Needs you"));
    assert_eq!(title(RunStatus::Completed, false), None);
    assert_eq!(title(RunStatus::Completed, true), Some("Finished"));
    assert_eq!(title(RunStatus::Failed, true), Some("Failed"));
}

#[test]
fn an_announcement_is_short_and_states_the_outcome() {
    let long = "word ".repeat(200);
    let text = announcement("Critic", TurnEnd::Completed, &long);
    assert!(text.starts_with("Critic answered. word") && text.ends_with('…') && text.len() < 300);
    assert_eq!(announcement("Critic", TurnEnd::CutOff, "half"), "Critic: cut off. half");
}

#[test]
fn names_are_joined_as_a_list() {
    let all = ["Architect", "Engineer", "Critic"].map(str::to_owned);
    assert_eq!(listed(&all), "Architect, Engineer and Critic");
    assert_eq!(not_asked(&all[2..]).title, "Critic was not called");
}

#[test]
fn different_outcomes_have_different_texts() {
    assert_ne!(tool_status(ToolStatus::Denied), tool_status(ToolStatus::Failed));
    assert_ne!(ending(TurnEnd::Cancelled).title, ending(TurnEnd::CutOff).title);
    assert_ne!(ending_short(TurnEnd::Interrupted), ending_short(TurnEnd::CutOff));
}

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
    assert!(retry_reason(None, "Gemini").contains("an earlier call"));
}

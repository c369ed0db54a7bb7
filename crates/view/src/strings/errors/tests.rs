use super::*;

#[test]
fn every_failure_has_a_title_and_advice() {
    let all = [
        ProviderErrorKind::Authentication,
        ProviderErrorKind::Permission,
        ProviderErrorKind::Quota,
        ProviderErrorKind::RateLimit,
        ProviderErrorKind::Overloaded,
        ProviderErrorKind::Server,
        ProviderErrorKind::BadRequest,
        ProviderErrorKind::NotFound,
        ProviderErrorKind::ContextOverflow,
        ProviderErrorKind::Blocked,
        ProviderErrorKind::Unreachable,
        ProviderErrorKind::Stalled,
        ProviderErrorKind::CutOff,
        ProviderErrorKind::Garbled,
        ProviderErrorKind::Empty,
        ProviderErrorKind::NotSetUp,
    ];
    let mut titles = nexus_text::vec_map::VecSet::new();
    for category in all {
        let notice = failure(&ProviderError::new(category, "raw"), "Gemini", "https://a.example", "gemini-9");
        assert!(!notice.title.is_empty() && notice.advice.ends_with('.'), "{notice:?}");
        assert!(titles.insert(notice.title), "two failures with one title");
        let named = failure_kind(category);
        assert!(named.contains(' ') && !named.contains("Gemini"), "{named}");
    }
}

#[test]
fn n02_n05_no_cause_is_claimed_and_the_model_and_address_are_named() {
    let of = |category| {
        let notice = failure(&ProviderError::new(category, "raw"), "Gemini", "https://a.example", "gemini-9");
        format!("{} {}", notice.title, notice.advice)
    };
    let unreachable = of(ProviderErrorKind::Unreachable);
    for cause in ["offline", "CORS", "DNS", "refused", "wrong"] {
        assert!(!unreachable.contains(cause), "{unreachable}");
    }
    assert!(unreachable.contains("https://a.example"));
    let missing = of(ProviderErrorKind::NotFound);
    assert!(
        missing.contains("gemini-9") && missing.contains("https://a.example") && missing.contains("list")
    );
}

#[test]
fn a_missing_key_is_the_only_named_cause() {
    let notice =
        failure(&ProviderError::new(ProviderErrorKind::NotSetUp, NO_KEY), "Gemini", "https://a.example", "g");
    assert_eq!(notice.title, "No API key for Gemini");
    assert!(notice.advice.contains("reloaded"));
    let notice = failure(
        &ProviderError::new(ProviderErrorKind::NotSetUp, KEY_LOCKED),
        "Gemini",
        "https://a.example",
        "g",
    );
    assert_eq!(notice.title, "The API key for Gemini is locked");
    assert!(!notice.advice.contains("reloaded"));
    let other =
        failure(&ProviderError::new(ProviderErrorKind::NotSetUp, "raw"), "Gemini", "https://a.example", "g");
    assert!(!format!("{other:?}").contains("key"), "{other:?}");
}

#[test]
fn an_agent_without_model_is_told_to_choose_one() {
    let failure = failure(&ProviderError::new(ProviderErrorKind::NotSetUp, NO_MODEL), "My box", "", "");
    assert_eq!(failure.title, "This agent has no model");
    assert!(failure.advice.contains("Settings"), "{failure:?}");
}

#[test]
fn a_call_without_a_key_does_not_blame_a_key() {
    let notice = key_required("My box");
    assert_eq!(notice.title, "My box requires an API key");
    assert!(!notice.advice.contains("rejected"), "{notice:?}");
    let check = crate::strings::settings::provider_card::NEEDS_KEY.0;
    assert!(notice.advice.contains(&format!("“{check}”")), "{notice:?}");
}

#[test]
fn unreadable_events_are_grouped_by_kind() {
    let kinds = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let notice = events_unreadable(&kinds(&["Future", "Future"]), &kinds(&["TurnClosed"]));
    assert_eq!(notice.title, "3 stored events cannot be read");
    assert!(
        notice.advice.starts_with(
            "Unknown kinds, probably of a newer version of Nexus: Future. Damaged data: TurnClosed. "
        ),
        "{}",
        notice.advice
    );
    assert!(!events_unreadable(&kinds(&["Future"]), &[]).advice.contains("Damaged"));
}

#[test]
fn an_error_keeps_its_original_message() {
    let notice = error_notice("index out of bounds", "src/a.rs:3", true);
    assert!(notice.advice.contains("index out of bounds (src/a.rs:3)"));
}

#[test]
fn wait_that_a_provider_asks_for_is_no_time_of_day() {
    for (ms, expected) in
        [(10, "1 second."), (20_000, "20 seconds."), (900_000, "15 minutes."), (3_600_000, "1 hour.")]
    {
        let limited = ProviderError {
            retry_after_ms: Some(ms),
            ..ProviderError::new(ProviderErrorKind::RateLimit, "")
        };
        let advice = failure(&limited, "Gemini", "https://a.example", "gemini-9").advice;
        assert!(advice.contains(&format!("to wait {expected}")), "{advice}");
    }
}

use super::*;

fn failure(category: ProviderErrorKind) -> ProviderError {
    ProviderError::new(category, "")
}

#[test]
fn transient_errors_are_retried_twice_others_never() {
    use ProviderErrorKind::*;
    let tries = |category| {
        (1..=5)
            .take_while(|attempt| wait_before_next(&failure(category), *attempt, false, 500).is_some())
            .count()
    };
    assert_eq!([Overloaded, Server, RateLimit].map(tries), [2, 2, 2]);
    assert_eq!([Unreachable, Empty, CutOff].map(tries), [1, 1, 1]);
    let never = [Authentication, Permission, Quota, BadRequest, NotFound, ContextOverflow, Blocked, Stalled];
    assert_eq!(never.map(tries), [0; 8]);
}

#[test]
fn backoff_has_full_jitter() {
    let wait =
        |attempt, random| wait_before_next(&failure(ProviderErrorKind::Server), attempt, false, random);
    assert_eq!((wait(1, 0), wait(1, 500), wait(1, 999)), (Some(0), Some(1_000), Some(1_998)));
    assert_eq!((wait(2, 0), wait(2, 999)), (Some(0), Some(3_996)));
}

#[test]
fn rate_limit_without_hint_waits_5_then_15_seconds_then_gives_up() {
    let wait = |attempt| wait_before_next(&failure(ProviderErrorKind::RateLimit), attempt, false, 0);
    assert_eq!([1, 2, 3].map(wait), [Some(5_000), Some(15_000), None]);
}

#[test]
fn no_retry_after_text_was_shown() {
    assert!(wait_before_next(&failure(ProviderErrorKind::Server), 1, true, 0).is_none());
}

#[test]
fn provider_hint_is_used_up_to_the_cap() {
    let mut limited = failure(ProviderErrorKind::RateLimit);
    limited.retry_after_ms = Some(34_400);
    assert_eq!(wait_before_next(&limited, 1, false, 8), Some(34_402));
    limited.retry_after_ms = Some(60_000);
    assert_eq!(wait_before_next(&limited, 1, false, 999), Some(60_000));
    limited.retry_after_ms = Some(3_600_000);
    assert_eq!(wait_before_next(&limited, 1, false, 0), None);
}

#[test]
fn delay_is_read_from_headers_in_milliseconds_seconds_or_as_date() {
    let now = Millis(784_111_777_000);
    let of = |ms, after| hint_in_headers(ms, after, now);
    assert_eq!(of(Some("1500"), Some("9")), Some(1_500));
    assert_eq!(of(None, Some("7")), Some(7_000));
    assert_eq!(of(None, Some(" 1.5 ")), Some(1_500));
    assert_eq!(of(None, Some("Sun, 06 Nov 1994 08:49:37 GMT")), Some(0));
    assert_eq!(of(None, Some("Sun, 06 Nov 1994 08:50:07 GMT")), Some(30_000));
    assert_eq!(of(None, Some("Sat, 29 Feb 2020 00:00:00 GMT")), Some(1_582_934_400_000 - now.0));
    for invalid in [
        "",
        "soon",
        "-3",
        "NaN",
        "inf",
        "Sun, 06 Nov",
        "Sun, 99 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37 CET",
    ] {
        assert_eq!(of(Some("x"), Some(invalid)), None, "{invalid}");
    }
}

#[test]
fn malformed_call_is_retried_once_and_an_html_page_never() {
    let mut garbled = failure(ProviderErrorKind::Garbled);
    assert_eq!(wait_before_next(&garbled, 1, false, 500), None);
    garbled.code = Some("MALFORMED_FUNCTION_CALL".into());
    assert_eq!([1, 2].map(|attempt| wait_before_next(&garbled, attempt, false, 500)), [Some(1_000), None]);
}

#[test]
fn rejected_signature_is_retried_once_without_it() {
    let mut rejected = failure(ProviderErrorKind::BadRequest);
    rejected.message = "Thought signature is not valid".into();
    assert_eq!(wait_before_next(&rejected, 1, false, 500), Some(0));
    assert_eq!(wait_before_next(&rejected, 2, false, 500), None);
}

use super::*;

#[test]
fn short_durations_are_precise() {
    assert_eq!([0, 340, 1_240, 59_999, 125_000].map(span), ["0 ms", "340 ms", "1.24 s", "59.99 s", "2:05"]);
}

#[test]
fn counts_include_cached_and_thinking_tokens() {
    let usage = Usage { input: Some(2_104), cached: Some(2_000), output: Some(77), ..Usage::default() };
    assert_eq!(tokens_in(&usage).as_deref(), Some("2,104, 2,000 cached"));
    assert_eq!(tokens_out(&usage).as_deref(), Some("77"));
    assert_eq!(tokens_in(&Usage::default()), None);
}

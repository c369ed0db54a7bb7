use super::*;
use crate::id::Millis;
use crate::provider::price::{KNOWN, known, shipped};
use crate::settings::dollars;

const NOVEMBER: Millis = Millis(1_795_000_000_000);

fn usage(input: u64, cached: u64, output: u64) -> Usage {
    Usage { input: Some(input), cached: Some(cached), output: Some(output), ..Usage::default() }
}

#[test]
fn price_changes_on_its_day() {
    let of = |at| shipped("gemini-4-argon", 10, Millis(at)).map(|price| price.input);
    assert_eq!(of(1_796_083_199_999), Some(2.0));
    assert_eq!(of(1_796_083_200_000), Some(4.0));
    assert_eq!(Millis(1_796_083_200_000).rfc3339(), "2026-12-01T00:00:00Z");
    assert_eq!(Millis(1_798_761_600_000).rfc3339(), "2027-01-01T00:00:00Z");
}

#[test]
fn large_requests_have_their_own_price() {
    let of = |model, prompt| shipped(model, prompt, NOVEMBER).map(|price| price.output);
    assert_eq!(of("claude-haiku-5-5", 100_000), Some(0.5));
    assert_eq!(of("claude-haiku-5-5", 100_001), Some(2.5));
    assert_eq!(of("gpt-6-astra", 272_001), None);
    assert_eq!(of("deepseek-flash", 1), None);
}

#[test]
fn model_is_found_with_vendor_and_date() {
    let id = |model| known(model).next().map(|known| known.id);
    assert_eq!(id("google/gemini-3.8-flash"), Some("gemini-3.8-flash"));
    assert_eq!(id("models/gemini-3.8-flash"), Some("gemini-3.8-flash"));
    assert_eq!(id("claude-haiku-5-5-20261007"), Some("claude-haiku-5-5"));
    assert_eq!(id("gpt-6.1-sol-2026-10-01"), Some("gpt-6.1-sol"));
    for other in ["gemini-3.8-flash:free", "gemini-3.8-flash-lite", "gpt-6", "claude-opus-5-5-2", ""] {
        assert_eq!(id(other), None, "{other}");
    }
}

#[test]
fn periods_and_tiers_are_sorted() {
    for model in KNOWN.chunk_by(|one, next| one.id == next.id) {
        let ends: Vec<_> = model.iter().map(|row| row.until).collect();
        assert!(ends.is_sorted() && ends.last() == Some(&Millis(u64::MAX)), "{}", model[0].id);
        for period in model.chunk_by(|one, next| one.until == next.until) {
            let sizes: Vec<_> = period.iter().map(|tier| tier.up_to).collect();
            assert!(sizes.is_sorted() && sizes.last() == Some(&u64::MAX), "{}", model[0].id);
        }
    }
}

#[test]
fn cached_tokens_have_their_price_and_are_counted_once() {
    let price = Price { input: 2.0, cached: Some(0.2), output: 10.0 };
    assert_eq!(
        cost_at(&price, &usage(1_000_000, 500_000, 100_000)),
        Cost(1_000_000_000 + 100_000_000 + 1_000_000_000)
    );
    let plain = Price { cached: None, ..price };
    assert_eq!(cost_at(&plain, &usage(1_000_000, 500_000, 0)), Cost::dollars(2));
    assert_eq!(cost_at(&price, &usage(3, 99, 0)), Cost(600), "at most the input counts as cached");
}

#[test]
fn dollars_are_parsed_with_a_decimal_point_only() {
    for (text, number) in [("0", 0.0), (" $0.75 ", 0.75), ("$ 3", 3.0), (".5", 0.5), ("1000000", 1e6)] {
        assert_eq!(dollars(text), Some(number), "{text}");
    }
    for text in ["", "$", "-1", "1,5", "1,000", "NaN", "inf", "1000001", "1e9", "free", "1 000"] {
        assert_eq!(dollars(text), None, "{text}");
    }
}

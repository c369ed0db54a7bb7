use super::*;
use nexus_model::provider::price::Cost;

#[test]
fn each_limit_shows_what_was_used() {
    let limits = RunLimits { calls: 300, tokens: 3_000_000, cost: Cost::dollars(3), ..RunLimits::default() };
    let of = RunUsage { calls: 2, tokens: 900, cost: Cost::dollars(1), unpriced: 1, ..RunUsage::default() };
    let text = used(&of, &limits);
    assert!(text.starts_with("Automatic jobs today: 2 calls of 300 · 900 of 3"), "{text}");
    assert!(text.ends_with(" of $3.00, some at an unknown price"), "{text}");
    assert!(spent(&limits).advice.contains("300 calls"), "{:?}", spent(&limits));
}

use super::*;
use nexus_model::provider::price::Cost;

#[test]
fn each_limit_shows_what_was_used() {
    let limits = RunLimits { calls: 300, tokens: 3_000_000, cost: Cost::dollars(3), ..RunLimits::default() };
    let of = RunUsage { calls: 2, tokens: 900, cost: Cost::dollars(1), unpriced: 1, ..RunUsage::default() };
    let text = used(&of, &limits);
    assert!(text.starts_with("Automatic jobs today: 2 calls of 300 · 900 of 3"), "{text}");
    assert!(text.ends_with(" · cost: ≈ $1.00 and more at an unknown price, of $3.00"), "{text}");
    let cost = |of| used(&of, &limits).rsplit_once("cost: ").unwrap().1.to_owned();
    assert_eq!(cost(RunUsage { unpriced: 0, ..of }), "≈ $1.00 of $3.00");
    let unknown = RunUsage { cost: Cost(0), ..of };
    assert_eq!(cost(unknown), "unknown, so the limit of $3.00 cannot act");
    assert!(spent(&limits).advice.contains("300 calls"), "{:?}", spent(&limits));
}

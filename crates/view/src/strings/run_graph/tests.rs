use super::*;
use nexus_model::provider::price::Cost;

#[test]
fn a_forecast_is_an_estimate_with_ranges() {
    let mut of = RunForecast {
        turns: (3, 9),
        calls: (3, 30),
        tokens: (12_000, 90_000),
        cost: Some((Cost::dollars(1), Cost::dollars(3))),
        unpriced: false,
        samples: 0,
    };
    let text = forecast(&of);
    assert!(text.starts_with("Estimate: 3–30 model calls, "), "{text}");
    assert!(text.contains("from the graph and the size"), "{text}");
    (of.samples, of.unpriced) = (1, true);
    assert!(forecast(&of).contains("1 earlier turn)") && forecast(&of).contains("with a known price"));
    of.cost = None;
    assert!(!forecast(&of).contains('$'));
}

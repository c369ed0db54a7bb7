use super::*;

#[test]
fn worker_usage_includes_the_cost_if_known() {
    let mut spent = RunUsage { calls: 1, tokens: 1_200, ..RunUsage::default() };
    assert_eq!(used(&spent), "1 call, 1,200 tokens");
    spent.cost = nexus_model::provider::price::Cost::dollars(2);
    assert!(used(&spent).starts_with("1 call, 1,200 tokens, "));
}

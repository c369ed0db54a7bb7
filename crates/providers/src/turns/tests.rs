use serde_json::json;

use super::*;
use nexus_model::message::content::{PartBody, ToolArgs};

fn call(id: &str) -> MessagePart {
    let args = ToolArgs::Parsed(json!({}));
    PartBody::ToolCall(ToolCall { id: id.into(), own_id: false, name: "t".into(), args }).into()
}

fn answer(id: &str, result: u8) -> ToolResult {
    ToolResult { call_id: id.into(), name: "t".into(), result: result.into(), is_error: false }
}

#[test]
fn ids_are_valid_unique_and_stable_across_requests() {
    let long = "x".repeat(90);
    let parts = [call("toolu_1"), call("a b/é"), call("toolu_1"), call(""), call(&long), call(&long)];
    let ids = || -> Vec<String> {
        CallIds::default().pair(&parts, &[]).0.into_iter().map(|pair| pair.id).collect()
    };
    let expected =
        ["toolu_1", "a_b__", "toolu_1-2", "call", &"x".repeat(64), &format!("{}-2", "x".repeat(56))];
    assert_eq!(ids(), expected);
    assert_eq!(ids(), ids());
}

#[test]
fn equal_ids_get_their_results_in_order_and_nothing_is_lost() {
    let parts = [call("a"), call("a"), call("b")];
    let answers = [answer("x", 9), answer("a", 1), answer("a", 2)];
    let mut ids = CallIds::default();
    let (pairs, rest) = ids.pair(&parts, &answers);
    let results: Vec<_> = pairs.iter().map(|pair| pair.answer.map(|a| a.result.clone())).collect();
    assert_eq!(results, [Some(json!(1)), Some(json!(2)), None]);
    assert_eq!(rest, [&answers[0]]);
    assert_eq!(ids.pair(&parts, &[]).0[0].id, "a-3", "a later step has other ids");
}

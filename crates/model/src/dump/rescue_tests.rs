use super::*;

#[test]
fn empty_world_gives_a_text_that_is_no_dump() {
    let text = readable_json(&World::default(), Millis(7), "0.1.0");
    let read: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&read["nexus"], &read["sessions"]), (&json!("rescued"), &json!([])));
}

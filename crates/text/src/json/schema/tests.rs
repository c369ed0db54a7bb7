use serde_json::json;

use super::*;

fn words(schema: &Value, value: &Value) -> Vec<String> {
    validate(schema, value).mismatches.into_iter().map(|(at, words)| format!("{at}: {words}")).collect()
}

#[test]
fn mismatches_are_reported_with_their_location() {
    let schema = json!({
        "type": "object",
        "required": ["name", "tags"],
        "properties": {
            "name": {"type": "string", "minLength": 2},
            "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}, "uniqueItems": true},
            "size": {"type": ["integer", "null"], "exclusiveMinimum": 0},
        },
        "additionalProperties": false,
        "$defs": {"tag": {"enum": ["a", "b"]}},
    });
    assert!(words(&schema, &json!({"name": "ab", "tags": ["a"], "size": null})).is_empty());
    assert_eq!(
        words(&schema, &json!({"name": "a", "tags": ["a", "c", "a"], "size": 0.5, "x/y": 1})),
        [
            "/name: must have at least 2 characters, and has 1",
            "/tags: must not have an item twice",
            "/tags/1: must be one of \"a\", \"b\"",
            "/size: must be integer or null, not number",
            ": must not have `x/y`",
        ]
    );
    assert_eq!(words(&schema, &json!([])), [": must be object, not array"]);
}

#[test]
fn unchecked_keywords_are_reported() {
    let schema = json!({"pattern": "^a", "anyOf": [{"format": "date"}], "$ref": "https://x.example/s.json"});
    let report = validate(&schema, &json!("b"));
    assert_eq!(report.mismatches, []);
    assert_eq!(report.unchecked, ["pattern", "$ref", "format"]);
}

#[test]
fn recursive_schema_ends() {
    assert!(!validate(&json!({"$ref": "#"}), &json!(1)).unchecked.is_empty());
}

use serde_json::json;

use super::*;

#[test]
fn argument_errors_are_worded_for_the_model() {
    let schema = json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "minLength": 1 },
            "from": { "type": "integer", "minimum": 1 },
            "tags": { "type": "array", "items": { "type": "string" } },
            "mode": { "enum": ["a", "b"] },
        },
        "required": ["name"],
        "additionalProperties": false,
    });
    let fits = json!({"name": "a", "from": 2.0, "tags": ["x"], "mode": "b"});
    assert_eq!(argument_errors(&schema, &fits), [""; 0]);
    for (value, words) in [
        (json!([]), "arguments must be object, not array"),
        (json!({}), "arguments must have `name`"),
        (json!({"name": ""}), "`name` must have at least 1 characters, and has 0"),
        (json!({"name": 3}), "`name` must be string, not number"),
        (json!({"name": "a", "from": 1.5}), "`from` must be integer, not number"),
        (json!({"name": "a", "from": 0}), "`from` must be at least 1"),
        (json!({"name": "a", "tags": [1]}), "`tags/0` must be string, not number"),
        (json!({"name": "a", "mode": "c"}), "`mode` must be one of \"a\", \"b\""),
        (json!({"name": "a", "other": 1}), "arguments must not have `other`"),
    ] {
        assert_eq!(argument_errors(&schema, &value), [words], "{value}");
    }
}

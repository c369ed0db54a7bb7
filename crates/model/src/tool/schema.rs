//! Validates tool arguments against JSON Schema, with messages for the model.
//!
//! Supports `type`, `properties`, `required`, `additionalProperties: false`, `enum`, `items`, `minLength`,
//! `maxLength`, `minimum` and `maximum`. Never repairs arguments.

use serde_json::{Map, Value};

/// Every way in which `value` does not fit `schema`, in words for a model; empty where it fits.
pub fn mismatches(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    check(schema, value, "arguments", &mut found);
    found
}

fn check(schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
    if let Some(expected) = schema.get("type").and_then(Value::as_str)
        && !is_of_type(value, expected)
    {
        found.push(format!("{at} must be {}, not {}", with_article(expected), with_article(type_of(value))));
        return;
    }
    if let Some(Value::Array(allowed)) = schema.get("enum")
        && !allowed.iter().any(|one| is_same(one, value))
    {
        let words: Vec<_> = allowed.iter().map(Value::to_string).collect();
        found.push(format!("{at} must be one of {}", words.join(", ")));
    }
    match value {
        Value::Object(map) => check_object(schema, map, at, found),
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for (index, item) in items.iter().enumerate() {
                    check(schema, item, &format!("{at}[{index}]"), found);
                }
            }
        }
        Value::String(text) => {
            let length = u64::try_from(text.chars().count()).unwrap_or(u64::MAX);
            if schema.get("minLength").and_then(Value::as_u64).is_some_and(|least| length < least) {
                found.push(format!("{at} is too short"));
            }
            if schema.get("maxLength").and_then(Value::as_u64).is_some_and(|most| length > most) {
                found.push(format!("{at} is too long"));
            }
        }
        Value::Number(number) => {
            let number = number.as_f64().unwrap_or(f64::NAN);
            if schema.get("minimum").and_then(Value::as_f64).is_some_and(|least| number < least) {
                found.push(format!("{at} is too small"));
            }
            if schema.get("maximum").and_then(Value::as_f64).is_some_and(|most| number > most) {
                found.push(format!("{at} is too large"));
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

fn check_object(schema: &Value, map: &Map<String, Value>, at: &str, found: &mut Vec<String>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for name in
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    {
        if !map.contains_key(name) {
            found.push(format!("{at} must have `{name}`"));
        }
    }
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    for (name, item) in map {
        match properties.and_then(|properties| properties.get(name)) {
            Some(schema) => check(schema, item, &format!("`{name}`"), found),
            None if closed => found.push(format!("{at} must not have `{name}`")),
            None => {}
        }
    }
}

/// Whether two values are equal as JSON Schema has it: 1 and 1.0 are one number.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| is_same(a, b)))
        }
        _ => a == b,
    }
}

fn is_of_type(value: &Value, expected: &str) -> bool {
    match expected {
        // A whole number may come as 3.0.
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        "number" => value.is_number(),
        other => type_of(value) == other,
    }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn with_article(kind: &str) -> String {
    match kind {
        "null" => "null".to_owned(),
        "array" | "object" | "integer" => format!("an {kind}"),
        _ => format!("a {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn schema() -> Value {
        json!({
            "type": "object",
            "properties": {
                "name": { "type": "string", "minLength": 1 },
                "from": { "type": "integer", "minimum": 1 },
                "tags": { "type": "array", "items": { "type": "string" } },
                "mode": { "enum": ["a", "b"] },
            },
            "required": ["name"],
            "additionalProperties": false,
        })
    }

    #[test]
    fn what_fits_has_no_mismatches() {
        let fits = json!({"name": "a", "from": 2.0, "tags": ["x"], "mode": "b"});
        assert!(mismatches(&schema(), &fits).is_empty());
    }

    #[test]
    fn each_rule_is_held() {
        for (value, words) in [
            (json!([]), "must be an object, not an array"),
            (json!({}), "must have `name`"),
            (json!({"name": ""}), "too short"),
            (json!({"name": 3}), "`name` must be a string, not a number"),
            (json!({"name": "a", "from": 1.5}), "must be an integer"),
            (json!({"name": "a", "from": 0}), "too small"),
            (json!({"name": "a", "tags": [1]}), "`tags`[0] must be a string"),
            (json!({"name": "a", "mode": "c"}), "one of \"a\", \"b\""),
            (json!({"name": "a", "other": 1}), "must not have `other`"),
        ] {
            let found = mismatches(&schema(), &value);
            assert!(found.iter().any(|line| line.contains(words)), "{value}: {found:?}");
        }
    }
}

//! Compares our JSON Schema validator with a complete one, on random schemas and values.
//!
//! `text::json::schema` omits a few keywords, since a complete validator would be larger than a screen. For the
//! others it must agree with the standard.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test")]

use nexus_model::tool::argument_errors;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

const NAMES: [&str; 4] = ["name", "text", "from", "größe"];

fn leaf() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..6).prop_map(Value::from),
        // Integers written with a decimal point, and others.
        (-6i64..12).prop_map(|half| json!(half as f64 / 2.0)),
        Just(json!(u64::MAX)),
        prop::sample::select(vec!["", "a", "ab", "日本", "👩‍👩‍👧", "name"]).prop_map(Value::from),
    ]
}

fn value() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(&NAMES[..]), inner), 0..4)
                .prop_map(|pairs| pairs.into_iter().map(|(name, item)| (name.to_owned(), item)).collect()),
        ]
    })
}

/// Some keywords with their values, in any combination.
fn keywords(inner: BoxedStrategy<Value>) -> impl Strategy<Value = Vec<(&'static str, Value)>> {
    let kinds =
        prop::sample::select(vec!["null", "boolean", "integer", "number", "string", "array", "object"]);
    let properties = prop::collection::vec((prop::sample::select(&NAMES[..]), inner.clone()), 0..4)
        .prop_map(|all| all.into_iter().map(|(name, item)| (name.to_owned(), item)).collect::<Map<_, _>>());
    let required = prop::sample::subsequence(&NAMES[..], 0..3).prop_map(|names| json!(names));
    let keyword = prop_oneof![
        4 => kinds.prop_map(|kind| ("type", kind.into())),
        2 => properties.prop_map(|all| ("properties", all.into())),
        1 => required.prop_map(|names| ("required", names)),
        1 => any::<bool>().prop_map(|open| ("additionalProperties", open.into())),
        1 => prop::collection::vec(leaf(), 1..4).prop_map(|all| ("enum", all.into())),
        1 => inner.prop_map(|item| ("items", item)),
        1 => (0u64..3).prop_map(|least| ("minLength", least.into())),
        1 => (0u64..3).prop_map(|most| ("maxLength", most.into())),
        1 => (-3i64..4).prop_map(|least| ("minimum", least.into())),
        1 => (-3i64..4).prop_map(|most| ("maximum", most.into())),
    ];
    prop::collection::vec(keyword, 0..4)
}

fn schema() -> impl Strategy<Value = Value> {
    Just(json!({})).prop_recursive(3, 24, 4, |inner| {
        keywords(inner.boxed())
            .prop_map(|all| all.into_iter().map(|(word, item)| (word.to_owned(), item)).collect::<Value>())
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_result_agrees_with_a_complete_validator(schema in schema(), value in value()) {
        let standard = jsonschema::validator_for(&schema).expect("the schema is one").is_valid(&value);
        let ours = argument_errors(&schema, &value);
        prop_assert_eq!(ours.is_empty(), standard, "{} against {}: {:?}", value, schema, ours);
    }
}

#[test]
fn numbers_are_equal_by_value() {
    let schema = json!({"enum": [1, [2.0], {"a": 3}]});
    for value in [json!(1.0), json!([2]), json!({"a": 3.0})] {
        assert!(jsonschema::is_valid(&schema, &value));
        assert_eq!(argument_errors(&schema, &value), Vec::<String>::new());
    }
    assert!(!argument_errors(&schema, &json!([2, 2])).is_empty());
}

#[test]
fn the_schemas_of_our_tools_use_only_supported_keywords() {
    const KNOWN: [&str; 11] = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "enum",
        "items",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "description",
    ];
    fn look(schema: &Value, tool: &str) {
        for (word, item) in schema.as_object().expect("a schema is an object") {
            assert!(KNOWN.contains(&word.as_str()), "{tool} uses `{word}`, which is not checked");
            match word.as_str() {
                "properties" => item.as_object().unwrap().values().for_each(|inner| look(inner, tool)),
                "items" => look(item, tool),
                _ => {}
            }
        }
    }
    let agents = nexus_model::agent::defaults::first_agents();
    let agent = agents.first().unwrap();
    let specs = nexus_engine::tools::offered(
        agent,
        &nexus_model::agent::permission::EffectivePermissions::alone(agent),
        None,
        &[],
    );
    assert!(specs.len() >= 6);
    for spec in specs {
        jsonschema::meta::validate(&spec.parameters).expect("a schema by the standard");
        look(&spec.parameters, &spec.name);
    }
}

/// Schemas of the keywords that our validator supports.
fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({})),
        prop::sample::select(vec!["null", "boolean", "integer", "number", "string", "array", "object"])
            .prop_map(|kind| json!({ "type": kind })),
        Just(json!({ "type": ["string", "null"] })),
        Just(json!({ "$ref": "#/$defs/small" })),
        values().prop_map(|value| json!({ "const": value })),
        prop::collection::vec(values(), 1..3).prop_map(|values| json!({ "enum": values })),
        (-2..3_i64, -2..3_i64)
            .prop_map(|(least, most)| json!({ "minimum": least, "exclusiveMaximum": most })),
        (1..4_i64).prop_map(|step| json!({ "multipleOf": step })),
        (0..3_u64, 0..3_u64).prop_map(|(least, most)| json!({ "minLength": least, "maxLength": most })),
        (0..3_u64).prop_map(|count| json!({ "minItems": count, "uniqueItems": true })),
        Just(json!({ "required": ["a"], "dependentRequired": { "b": ["c"] }, "maxProperties": 2 })),
    ];
    leaf.prop_recursive(3, 24, 3, |inner| {
        let two = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            two.clone().prop_map(|all| json!({ "allOf": all })),
            two.clone().prop_map(|any| json!({ "anyOf": any })),
            two.clone().prop_map(|one| json!({ "oneOf": one })),
            inner.clone().prop_map(|not| json!({ "not": not })),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(when, then, other)| json!({ "if": when, "then": then, "else": other })),
            (two, inner.clone()).prop_map(|(first, rest)| json!({ "prefixItems": first, "items": rest })),
            inner.clone().prop_map(|inner| json!({ "contains": inner, "maxContains": 1 })),
            inner.clone().prop_map(|inner| json!({ "propertyNames": inner })),
            (inner.clone(), inner)
                .prop_map(|(a, rest)| json!({ "properties": { "a": a }, "additionalProperties": rest })),
        ]
    })
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3..4_i64).prop_map(Value::from),
        prop::sample::select(vec![0.5, 1.0, -2.0]).prop_map(Value::from),
        "[aü]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map("[abc]", inner, 0..3)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Our validation of JSON files agrees with a complete implementation on the supported keywords.
    #[test]
    fn json_files_are_validated_like_a_complete_implementation(schema in schemas(), value in values()) {
        let mut schema = schema;
        if let Some(schema) = schema.as_object_mut() {
            schema.insert("$defs".to_owned(), json!({ "small": { "type": "integer", "maximum": 2 } }));
        } else {
            schema = json!({ "allOf": [schema], "$defs": { "small": {} } });
        }
        let report = nexus_text::json::schema::validate(&schema, &value);
        prop_assert_eq!(&report.unchecked, &Vec::<String>::new());
        let whole = jsonschema::validator_for(&schema).unwrap();
        prop_assert_eq!(report.mismatches.is_empty(), whole.is_valid(&value), "{:?}", report.mismatches);
    }
}

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{from_tree, number, read, to_tree, write};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Shape {
    Unit,
    Newtype(i32),
    Pair(bool, String),
    Fields { one: Option<f64>, two: Vec<u8> },
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Whole {
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
    null: Option<u64>,
    letter: char,
    pair: (i64, u32),
    free: Value,
    shapes: BTreeMap<String, Vec<Shape>>,
}

fn whole() -> Whole {
    let all = vec![
        Shape::Unit,
        Shape::Newtype(-7),
        Shape::Pair(true, "“\n\u{0}".to_owned()),
        Shape::Fields { one: Some(0.5), two: vec![0, 255] },
        Shape::Fields { one: None, two: Vec::new() },
    ];
    Whole {
        text: "é".to_owned(),
        left_out: None,
        null: None,
        letter: 'ß',
        pair: (i64::MIN, u32::MAX),
        free: json!({"a": [null, -1, 1.5, u64::MAX, {"b": "c"}], "b": {}}),
        shapes: BTreeMap::from([("all".to_owned(), all), ("none".to_owned(), Vec::new())]),
    }
}

#[test]
fn trees_equal_those_of_serde_json_and_round_trip() {
    let tree = to_tree(&whole()).unwrap();
    assert_eq!(tree, serde_json::to_value(whole()).unwrap());
    assert_eq!(from_tree::<Whole>(&tree).unwrap(), whole());
    assert_eq!(read::<Whole>(&write(&whole()).unwrap()).unwrap(), whole());
}

#[test]
fn single_values_are_written_without_a_container() {
    for value in [json!(null), json!(3), json!("x"), json!([]), json!({})] {
        assert_eq!(write(&value).unwrap(), value.to_string());
    }
    assert_eq!(write(&Shape::Unit).unwrap(), "\"Unit\"");
    assert_eq!(write(&[Some(1), None]).unwrap(), "[1,null]");
}

#[test]
fn unknown_fields_are_ignored() {
    assert_eq!(
        read::<Shape>(r#"{"Fields":{"one":1,"two":[],"new":{"x":[]}}}"#).unwrap(),
        Shape::Fields { one: Some(1.0), two: Vec::new() }
    );
}

#[test]
fn mismatched_data_is_an_error() {
    for text in [
        "",
        "{",
        "7",
        "\"Newtype\"",
        "\"Other\"",
        "{}",
        r#"{"Unit":1}"#,
        r#"{"Newtype":3000000000}"#,
        r#"{"Newtype":"7"}"#,
        r#"{"Newtype":1.5}"#,
        r#"{"Pair":[true]}"#,
        r#"{"Pair":{}}"#,
        r#"{"Fields":[1,[]]}"#,
        r#"{"Fields":{"one":1}}"#,
        r#"{"Fields":{"one":1,"two":[256]}}"#,
        r#"{"Unit":null,"Newtype":1}"#,
    ] {
        assert!(read::<Shape>(text).is_err(), "{text}");
    }
    assert!(write(&BTreeMap::from([(1, 2)])).is_err());
}

#[test]
fn numbers_are_read_as_people_write_them() {
    for (text, value) in
        [("+5", 5.0), (".5", 0.5), ("5.", 5.0), ("-.25", -0.25), ("007", 7.0), ("0", 0.0), ("00.10", 0.1)]
    {
        assert_eq!(number(text), Some(value), "{text}");
    }
    for text in [
        "", ".", "-", "+-1", "--1", " 1", "1.2.3", "1,5", "0x10", "inf", "NaN", "1e999", "five", "e5",
        "1_000",
    ] {
        assert_eq!(number(text), None, "{text}");
    }
}

proptest::proptest! {
    /// The standard library is the judge.
    #[test]
    fn decimals_are_those_of_the_standard_library(text in "[+-]?[0-9]{0,8}[.]?[0-9]{0,7}(e-?[0-9])?") {
        let judged = text.parse::<f64>().ok();
        // Neither JSON nor anybody else writes an exponent right after the point.
        if !text.contains(".e") {
            proptest::prop_assert_eq!(number(&text), judged);
        }
    }
}

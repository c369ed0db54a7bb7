use super::*;
use serde_json::json;

fn text(text: &str) -> StreamLine {
    StreamLine::Text(text.into())
}

#[test]
fn all_line_ends_work_even_when_split() {
    let mut reader = LineReader::default();
    assert_eq!(reader.feed(b"\xef\xbb\xbfa\nb\r"), [text("a"), text("b")]);
    assert_eq!(reader.feed(b"\nc\rd\r\n\n"), [text("c"), text("d"), text("")]);
    assert_eq!(reader.feed("\u{feff}half".as_bytes()), []);
    assert_eq!(reader.end(), Some(text("\u{feff}half")));
    assert_eq!(reader.end(), None);
}

#[test]
fn lines_over_the_cap_are_dropped_and_the_next_line_is_read() {
    let mut reader = LineReader::default();
    let mebibyte = vec![b'x'; 1024 * 1024];
    for _ in 0..16 {
        assert_eq!(reader.feed(&mebibyte), []);
    }
    assert!(reader.line.capacity() <= HEAD_CAP * 2);
    assert_eq!(reader.feed(b"\nok\n"), [StreamLine::Overlong("x".repeat(HEAD_CAP)), text("ok")]);
}

fn read(pieces: &[&str]) -> Vec<Value> {
    let mut halves = Halves::default();
    let mut ready: Vec<_> = pieces.iter().flat_map(|piece| halves.take(None, (*piece).to_owned())).collect();
    ready.extend(halves.end());
    ready.iter().map(|(_, data)| parse(data).unwrap_or(Value::Null)).collect()
}

#[test]
fn lone_surrogate_is_replaced_and_a_pair_is_kept() {
    for (text, expected) in [
        (r#""a \ud83d b""#, "a \u{fffd} b"),
        (r#""\ude00""#, "\u{fffd}"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        (r#""\uD83D\uDE00""#, "😀"),
        (r#""\\ud83d""#, "\\ud83d"),
        (r#""\\\ud83d""#, "\\\u{fffd}"),
    ] {
        assert_eq!(parse(text).unwrap(), json!(expected), "{text}");
    }
    assert!(parse(r#""\ud83"#).is_err());
}

#[test]
fn split_surrogate_pair_is_joined() {
    assert_eq!(
        read(&[r#"{"t":"a \ud83d"}"#, r#"{"t":"\ude00 b"}"#]),
        [json!({"t": "a 😀"}), json!({"t": " b"})]
    );
    let apart = read(&[r#"{"t":"a \ud83d"}"#, r#"{"t":"b"}"#, r#"{"t":"\ude00"}"#]);
    assert_eq!(apart, [json!({"t": "a \u{fffd}"}), json!({"t": "b"}), json!({"t": "\u{fffd}"})]);
    assert_eq!(read(&[r#"{"t":"\ud83d"}"#]), [json!({"t": "\u{fffd}"})]);
    assert_eq!(read(&[r#"["\ud83d"]"#, r#"["\"\ude00"]"#]), [json!(["\u{fffd}"]), json!(["\"\u{fffd}"])]);
}

#[test]
fn counts_may_be_text_or_floats() {
    for (value, expected) in [
        (json!(7), Some(7)),
        (json!(10.0), Some(10)),
        (json!("5"), Some(5)),
        (json!(1.5), None),
        (json!(-1), None),
        (json!("many"), None),
        (json!(null), None),
    ] {
        assert_eq!(count(&value), expected, "{value}");
    }
}

#[test]
fn pieces_that_name_a_call_may_hold_one() {
    for piece in ["{\"tool_calls\":[{\"id\"", "\"functionCall\": {", "\"finish_reason\":\"tool_calls\"}"] {
        assert!(names_call(piece), "{piece}");
    }
    for piece in ["{\"content\":\"x\",\"tool_calls\":null", "\"tool_calls\": []", "ping", ""] {
        assert!(!names_call(piece), "{piece}");
    }
}

#[test]
fn answers_that_lack_a_promised_or_named_call_are_incomplete() {
    let mut gaps = Gaps::default();
    gaps.skip("{\"tool_calls\":[", true);
    assert_eq!(gaps.resolve(FinishReason::Stop, false), FinishReason::Stop);
    assert_eq!(gaps.resolve(FinishReason::ToolCalls, true), FinishReason::Incomplete);
    gaps.skip("{\"tool_calls\":[", false);
    assert_eq!(gaps.resolve(FinishReason::Stop, false), FinishReason::Incomplete);
    assert_eq!(gaps.resolve(FinishReason::Length, true), FinishReason::Length);
}

#[test]
fn only_brackets_outside_of_strings_count() {
    for (json, expected) in [
        ("", 0),
        ("{\"a\":[1,{}],\"b\":{}}", 3),
        ("\"[[[[\"", 0),
        ("{\"a\\\"[[\":\"\\\\\",\"b\":[]}", 2),
        ("]]]}[", 1),
    ] {
        assert_eq!(depth(json), expected, "{json}");
    }
}

#[test]
fn json_is_too_deep_exactly_if_the_parser_rejects_its_depth() {
    for depth in [1, 100, 126, 127, 128, 129, 10_000] {
        let json = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let is_read = serde_json::from_str::<serde_json::Value>(&json).is_ok();
        assert_eq!(too_deep(&json).is_none(), is_read, "{depth}");
    }
    assert!(too_deep("{not JSON").is_none());
}

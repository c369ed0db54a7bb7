//! Parses JSON as providers and gateways send it, where only one reading is possible.
//!
//! Lone surrogate escapes are joined with the next event, and counts may be text or floats.

use serde_json::Value;

/// Length in bytes of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// Half of a surrogate pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    High,
    Low,
}

/// Parses JSON. A lone surrogate escape becomes U+FFFD.
pub(crate) fn parse(json: &str) -> Result<Value, serde_json::Error> {
    let lone = lone_halves(json);
    if lone.is_empty() {
        return serde_json::from_str(json);
    }
    let mut repaired = json.to_owned();
    for (at, _) in lone {
        repaired.replace_range(at..at.saturating_add(ESCAPE), "\\ufffd");
    }
    serde_json::from_str(&repaired)
}

/// A count, which some servers send as `10.0` or `"10"`.
pub(crate) fn count(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn whole(number: f64) -> Option<u64> {
    // The cast saturates; no count is that large.
    (number >= 0.0 && number.fract() == 0.0).then_some(number as u64)
}

pub(crate) type Piece = (Option<String>, String);

/// Joins surrogate pairs that a gateway split: the first half ends a text of one piece, the second begins a text of the
/// next. A piece that ends with a first half is buffered until the next one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Halves {
    buffered: Option<Piece>,
}

impl Halves {
    /// Adds a piece and returns those that are ready, in order.
    pub(crate) fn take(&mut self, name: Option<String>, mut data: String) -> Vec<Piece> {
        let mut ready = Vec::new();
        if let Some((held_name, mut buffered)) = self.buffered.take() {
            join(&mut buffered, &mut data);
            ready.push((held_name, buffered));
        }
        if cut_end(&data).is_some() {
            self.buffered = Some((name, data));
        } else {
            ready.push((name, data));
        }
        ready
    }

    pub(crate) fn end(&mut self) -> Option<Piece> {
        self.buffered.take()
    }
}

/// Moves the second half from the start of a text in `next` to the end of one in `buffered`.
fn join(buffered: &mut String, next: &mut String) {
    let (Some(high), Some(low)) = (cut_end(buffered), cut_start(next)) else { return };
    let half: String = next.drain(low..low.saturating_add(ESCAPE)).collect();
    buffered.insert_str(high.saturating_add(ESCAPE), &half);
}

/// Where a lone first half ends a text.
fn cut_end(json: &str) -> Option<usize> {
    let ends_text = |at: usize| json.as_bytes().get(at.saturating_add(ESCAPE)) == Some(&b'"');
    lone_halves(json)
        .into_iter()
        .rev()
        .find(|(at, half)| *half == Half::High && ends_text(*at))
        .map(|(at, _)| at)
}

/// Where a lone second half begins a text.
fn cut_start(json: &str) -> Option<usize> {
    let begins_text = |at: usize| {
        let before = json.get(..at).unwrap_or_default();
        before.ends_with('"') && !before.ends_with("\\\"")
    };
    lone_halves(json).into_iter().find(|(at, half)| *half == Half::Low && begins_text(*at)).map(|(at, _)| at)
}

fn lone_halves(json: &str) -> Vec<(usize, Half)> {
    let mut found = Vec::new();
    if !json.contains("\\ud") && !json.contains("\\uD") {
        return found;
    }
    let bytes = json.as_bytes();
    let mut at = 0_usize;
    while let Some(byte) = bytes.get(at) {
        let next = at.saturating_add(ESCAPE);
        at = match (byte, half_at(bytes, at)) {
            (b'\\', Some(Half::High)) if half_at(bytes, next) == Some(Half::Low) => {
                next.saturating_add(ESCAPE)
            }
            (b'\\', Some(half)) => {
                found.push((at, half));
                next
            }
            (b'\\', None) => at.saturating_add(2),
            _ => at.saturating_add(1),
        };
    }
    found
}

fn half_at(bytes: &[u8], at: usize) -> Option<Half> {
    let digits = bytes.get(at..at.saturating_add(ESCAPE))?.strip_prefix(b"\\u")?;
    match u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()? {
        0xD800..=0xDBFF => Some(Half::High),
        0xDC00..=0xDFFF => Some(Half::Low),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(pieces: &[&str]) -> Vec<Value> {
        let mut halves = Halves::default();
        let mut ready: Vec<_> =
            pieces.iter().flat_map(|piece| halves.take(None, (*piece).to_owned())).collect();
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
}

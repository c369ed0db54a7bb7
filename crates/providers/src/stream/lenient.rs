//! Reads JSON as providers and gateways send it, where only one reading is possible.
//!
//! Half a character that was escaped on its own is joined with the next event, and counts may be text or floats.

use serde_json::Value;

/// How many bytes an escape such as `\ud83d` has.
const ESCAPE: usize = 6;

/// Half of a character that JSON escapes in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    High,
    Low,
}

/// Parses JSON. An escaped half of a character without its other half is read as U+FFFD.
pub(crate) fn parse(json: &str) -> Result<Value, serde_json::Error> {
    let lone = lone_halves(json);
    if lone.is_empty() {
        return serde_json::from_str(json);
    }
    let mut mended = json.to_owned();
    for (at, _) in lone {
        mended.replace_range(at..at.saturating_add(ESCAPE), "\\ufffd");
    }
    serde_json::from_str(&mended)
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
    // The cast saturates, and no count comes near its end.
    (number >= 0.0 && number.fract() == 0.0).then_some(number as u64)
}

pub(crate) type Piece = (Option<String>, String);

/// Joins the halves of a character that a gateway cut in two: the first half ends a text of one piece, the second begins
/// a text of the next. A piece that ends in half a character waits for the next one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Halves {
    held: Option<Piece>,
}

impl Halves {
    /// Takes in a piece and gives those that are ready, in order.
    pub(crate) fn take(&mut self, name: Option<String>, mut data: String) -> Vec<Piece> {
        let mut ready = Vec::new();
        if let Some((held_name, mut held)) = self.held.take() {
            join(&mut held, &mut data);
            ready.push((held_name, held));
        }
        if cut_end(&data).is_some() {
            self.held = Some((name, data));
        } else {
            ready.push((name, data));
        }
        ready
    }

    pub(crate) fn end(&mut self) -> Option<Piece> {
        self.held.take()
    }
}

/// Moves the second half of a character from the beginning of a text in `next` to the end of one in `held`.
fn join(held: &mut String, next: &mut String) {
    let (Some(high), Some(low)) = (cut_end(held), cut_start(next)) else { return };
    let half: String = next.drain(low..low.saturating_add(ESCAPE)).collect();
    held.insert_str(high.saturating_add(ESCAPE), &half);
}

/// Where a first half without its second ends a text.
fn cut_end(json: &str) -> Option<usize> {
    let ends_text = |at: usize| json.as_bytes().get(at.saturating_add(ESCAPE)) == Some(&b'"');
    lone_halves(json)
        .into_iter()
        .rev()
        .find(|(at, half)| *half == Half::High && ends_text(*at))
        .map(|(at, _)| at)
}

/// Where a second half without its first begins a text.
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
    fn a_lone_half_is_a_replacement_character_and_a_pair_stays_one() {
        for (text, wanted) in [
            (r#""a \ud83d b""#, "a \u{fffd} b"),
            (r#""\ude00""#, "\u{fffd}"),
            (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
            (r#""\uD83D\uDE00""#, "😀"),
            (r#""\\ud83d""#, "\\ud83d"),
            (r#""\\\ud83d""#, "\\\u{fffd}"),
        ] {
            assert_eq!(parse(text).unwrap(), json!(wanted), "{text}");
        }
        assert!(parse(r#""\ud83"#).is_err());
    }

    #[test]
    fn halves_in_two_pieces_are_one_character() {
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
    fn counts_are_read_as_text_and_as_floating_point() {
        for (value, wanted) in [
            (json!(7), Some(7)),
            (json!(10.0), Some(10)),
            (json!("5"), Some(5)),
            (json!(1.5), None),
            (json!(-1), None),
            (json!("many"), None),
            (json!(null), None),
        ] {
            assert_eq!(count(&value), wanted, "{value}");
        }
    }
}

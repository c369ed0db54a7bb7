//! Splits the bytes of a streamed answer into lines, server-sent events and JSON, and marks its gaps.
//!
//! JSON is read as providers and gateways send it, where only one reading is possible: lone surrogate escapes are
//! joined with the next event, and counts may be text or floats.
//!
//! A gap is a piece that is unreadable, too many or too deeply nested. After the start of a call it marks that call as
//! broken. A call that is missing altogether makes the answer incomplete, so that none of its calls runs and it does
//! not look finished.

pub(crate) mod event_stream;
pub mod sse;

use std::mem;

use serde_json::Value;

use nexus_model::llm::FinishReason;
use nexus_model::provider::{ProviderError, ProviderErrorKind};

/// The longest accepted line in bytes, far more than any real answer needs.
pub const LINE_CAP: usize = 8 * 1024 * 1024;

/// How much of the beginning of a dropped line is kept, in bytes.
pub const HEAD_CAP: usize = 64 * 1024;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StreamLine {
    Text(String),
    /// Longer than [`LINE_CAP`] and dropped. Its beginning may still tell what it was.
    Overlong(String),
}

/// Splits bytes into lines that end in LF, CRLF or CR.
///
/// Lines are split before they are decoded: no byte of a UTF-8 sequence equals CR or LF, so a code point that is split
/// between two pieces is complete again once its line is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineReader {
    line: Vec<u8>,
    overlong: bool,
    after_cr: bool,
    past_first: bool,
}

impl LineReader {
    /// Adds bytes and returns the lines they completed.
    pub fn feed(&mut self, bytes: &[u8]) -> Vec<StreamLine> {
        let mut lines = Vec::new();
        let mut rest = bytes;
        loop {
            if self.after_cr && !rest.is_empty() {
                self.after_cr = false;
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
            let Some(at) = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')) else {
                self.extend(rest);
                return lines;
            };
            let (head, tail) = rest.split_at(at);
            self.extend(head);
            self.after_cr = tail.first() == Some(&b'\r');
            rest = tail.get(1..).unwrap_or_default();
            lines.push(self.finish());
        }
    }

    /// Ends the stream and returns the last line if it has no line end.
    pub fn end(&mut self) -> Option<StreamLine> {
        (!self.line.is_empty() || self.overlong).then(|| self.finish())
    }

    fn extend(&mut self, bytes: &[u8]) {
        if self.overlong {
            return;
        }
        if self.line.len().saturating_add(bytes.len()) > LINE_CAP {
            self.overlong = true;
            self.line.truncate(HEAD_CAP);
            let room = HEAD_CAP.saturating_sub(self.line.len());
            self.line.extend_from_slice(bytes.get(..room).unwrap_or(bytes));
            self.line.shrink_to_fit();
        } else {
            self.line.extend_from_slice(bytes);
        }
    }

    fn finish(&mut self) -> StreamLine {
        let is_first = !mem::replace(&mut self.past_first, true);
        let bytes = mem::take(&mut self.line);
        if mem::take(&mut self.overlong) {
            return StreamLine::Overlong(String::from_utf8_lossy(&bytes).into_owned());
        }
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned());
        match text.strip_prefix('\u{feff}') {
            Some(rest) if is_first => StreamLine::Text(rest.to_owned()),
            _ => StreamLine::Text(text),
        }
    }
}

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

const CALL_FIELDS: [&str; 5] =
    ["functionCall", "function_call", "tool_calls", "tool_use", "input_json_delta"];

/// The data of events that some servers send only to keep a connection open.
const HEARTBEATS: [&str; 8] =
    ["null", "ping", "pong", "heartbeat", "keepalive", "keep-alive", "keep_alive", "alive"];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gaps {
    lost_call: bool,
}

impl Gaps {
    /// Records a skipped piece. `marked_broken`: it may belong to a call that is now marked as broken. Otherwise, if
    /// the piece names a call, that call is missing.
    pub(super) fn skip(&mut self, piece: &str, marked_broken: bool) {
        self.lost_call |= !marked_broken && names_call(piece);
    }

    pub(super) fn lose_call(&mut self) {
        self.lost_call = true;
    }

    /// The actual finish reason of an answer. `missing`: its finish word promised a call that never came.
    pub(super) fn resolve(self, finish: FinishReason, missing: bool) -> FinishReason {
        let looks_finished = matches!(finish, FinishReason::Stop | FinishReason::ToolCalls);
        if looks_finished && (self.lost_call || missing) { FinishReason::Incomplete } else { finish }
    }
}

pub(super) fn promises_calls(word: &str) -> bool {
    ["tool_calls", "tool_call", "tool_use", "function_call"].iter().any(|own| word.eq_ignore_ascii_case(own))
}

/// True if an unreadable piece may hold a call or a part of one.
fn names_call(piece: &str) -> bool {
    CALL_FIELDS.iter().any(|field| {
        piece.match_indices(field).any(|(at, _)| {
            let after = piece.get(at.saturating_add(field.len())..).unwrap_or_default();
            let after = after.trim_start_matches(['"', ':', ' ']);
            // Some servers send the field with every piece.
            !after.starts_with("null") && !after.starts_with("[]")
        })
    })
}

/// True if the data of an event only keeps the connection open.
pub(super) fn is_heartbeat(data: &str) -> bool {
    let word = data.trim().trim_matches('"');
    HEARTBEATS.iter().any(|beat| word.eq_ignore_ascii_case(beat))
}

pub(super) fn may_be_piece(line: &str) -> bool {
    line.contains(['{', '}', '"'])
}

/// After more unreadable pieces in a row than this, the stream counts as another protocol.
const MOST_IN_A_ROW: u32 = 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GarbageGuard {
    in_a_row: u32,
}

impl GarbageGuard {
    pub(super) fn reset(&mut self) {
        self.in_a_row = 0;
    }

    /// Counts an unreadable piece. Returns how many there were in a row if that is too many.
    pub(super) fn count_bad(&mut self) -> Option<u32> {
        self.in_a_row = self.in_a_row.saturating_add(1);
        (self.in_a_row > MOST_IN_A_ROW).then_some(self.in_a_row)
    }
}

/// The failure of a stream with `count` unreadable pieces in a row.
pub(super) fn too_much(count: u32) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Garbled, format!("{count} parts in a row could not be read"))
}

/// The deepest nesting of JSON that our parser accepts.
const MAX_DEPTH: usize = 127;

/// The failure for a piece that could not be read because it is nested too deeply; `None` if that is not the cause.
pub(super) fn too_deep(json: &str) -> Option<ProviderError> {
    let message = "a piece of the answer is nested too deeply to be read; there may have been a call in it";
    (depth(json) > MAX_DEPTH).then(|| ProviderError::new(ProviderErrorKind::CutOff, message))
}

/// The most brackets open at once. Those within strings do not count.
fn depth(json: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                open += 1;
                most = most.max(open);
            }
            b'}' | b']' if !in_string => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
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

    #[test]
    fn pieces_that_name_a_call_may_hold_one() {
        for piece in ["{\"tool_calls\":[{\"id\"", "\"functionCall\": {", "\"finish_reason\":\"tool_calls\"}"]
        {
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
    fn only_consecutive_bad_pieces_are_too_many() {
        let mut guard = GarbageGuard::default();
        let count_20 = |guard: &mut GarbageGuard| (0..20).filter_map(|_| guard.count_bad()).next();
        assert_eq!(count_20(&mut guard), None);
        guard.reset();
        assert_eq!((count_20(&mut guard), guard.count_bad(), guard.count_bad()), (None, Some(21), Some(22)));
        assert_eq!(too_much(21).message, "21 parts in a row could not be read");
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
}

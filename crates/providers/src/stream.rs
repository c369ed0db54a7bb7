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
        Value::Number(number) => number.as_u64().or_else(|| {
            let whole = number.as_f64().filter(|number| *number >= 0.0 && number.fract() == 0.0)?;
            // The cast saturates; no count is that large.
            Some(whole as u64)
        }),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
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
    lone_halves(json).into_iter().rfind(|(at, half)| *half == Half::High && ends_text(*at)).map(|(at, _)| at)
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
mod tests;

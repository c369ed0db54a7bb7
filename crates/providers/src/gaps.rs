//! How all codecs handle gaps in a stream: pieces that are unreadable, too many or too deeply nested.
//!
//! An unreadable piece after the start of a call marks that call as broken. A call that is missing altogether makes the
//! answer incomplete, so that none of its calls runs and it does not look finished.

use nexus_model::llm::FinishReason;
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

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
const CAP: u32 = 20;

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
        (self.in_a_row > CAP).then_some(self.in_a_row)
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

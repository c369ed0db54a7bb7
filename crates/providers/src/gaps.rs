//! The one rule of all codecs for a stream with a hole in it: pieces that are unreadable, too many or too deep.
//!
//! A piece that cannot be read after a call began makes that call broken. A call that is missing altogether makes the
//! answer incomplete, so that nothing of it runs and it does not look finished.

use nexus_model::llm::FinishReason;
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

const CALL_WORDS: [&str; 5] = ["functionCall", "function_call", "tool_calls", "tool_use", "input_json_delta"];

/// What some servers send as events of their own to keep a connection open.
const HEARTBEATS: [&str; 8] =
    ["null", "ping", "pong", "heartbeat", "keepalive", "keep-alive", "keep_alive", "alive"];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Gaps {
    lost_call: bool,
}

impl Gaps {
    /// A piece was passed over. `torn` tells that it may have been of a call that is now marked as broken; a call is
    /// missing where it was not and the piece names one.
    pub(super) fn pass_over(&mut self, piece: &str, torn: bool) {
        self.lost_call |= !torn && names_call(piece);
    }

    pub(super) fn lose_call(&mut self) {
        self.lost_call = true;
    }

    /// How an answer really ended: `missing` tells that its finish word promised a call that never came.
    pub(super) fn judge(self, finish: FinishReason, missing: bool) -> FinishReason {
        let looks_finished = matches!(finish, FinishReason::Stop | FinishReason::ToolCalls);
        if looks_finished && (self.lost_call || missing) { FinishReason::Incomplete } else { finish }
    }
}

pub(super) fn promises_calls(word: &str) -> bool {
    ["tool_calls", "tool_call", "tool_use", "function_call"].iter().any(|own| word.eq_ignore_ascii_case(own))
}

/// Whether a piece that could not be read may hold a call, or a part of one.
fn names_call(piece: &str) -> bool {
    CALL_WORDS.iter().any(|word| {
        piece.match_indices(word).any(|(at, _)| {
            let after = piece.get(at.saturating_add(word.len())..).unwrap_or_default();
            let after = after.trim_start_matches(['"', ':', ' ']);
            // Some servers send the field with every piece.
            !after.starts_with("null") && !after.starts_with("[]")
        })
    })
}

/// Whether the data of an event only keeps the connection open.
pub(super) fn is_heartbeat(data: &str) -> bool {
    let word = data.trim().trim_matches('"');
    HEARTBEATS.iter().any(|beat| word.eq_ignore_ascii_case(beat))
}

pub(super) fn may_be_piece(line: &str) -> bool {
    line.contains(['{', '}', '"'])
}

/// So many unreadable pieces in a row are taken for another protocol.
const CAP: u32 = 20;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GarbageGuard {
    in_a_row: u32,
}

impl GarbageGuard {
    pub(super) fn over(&mut self) {
        self.in_a_row = 0;
    }

    /// A piece could not be read. Gives how many there were in a row, where that is too many.
    pub(super) fn heard(&mut self) -> Option<u32> {
        self.in_a_row = self.in_a_row.saturating_add(1);
        (self.in_a_row > CAP).then_some(self.in_a_row)
    }
}

/// What a stream came to of which `count` pieces in a row could not be read.
pub(super) fn too_much(count: u32) -> ProviderError {
    ProviderError::new(ProviderErrorKind::Garbled, format!("{count} parts in a row could not be read"))
}

/// How deep JSON may be for our reader.
const READABLE: usize = 127;

/// The failure for a piece that could not be read because it is nested too deeply; `None` where that is not why.
pub(super) fn too_deep(json: &str) -> Option<ProviderError> {
    let words = "a piece of the answer is nested too deeply to be read; there may have been a call in it";
    (depth(json) > READABLE).then(|| ProviderError::new(ProviderErrorKind::CutOff, words))
}

/// How many brackets are open at once, at the most. Those within strings do not count.
fn depth(json: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    let (mut within, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if within => escaped = true,
            b'"' => within = !within,
            b'{' | b'[' if !within => {
                open += 1;
                most = most.max(open);
            }
            b'}' | b']' if !within => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_that_names_a_call_may_hold_one() {
        for piece in ["{\"tool_calls\":[{\"id\"", "\"functionCall\": {", "\"finish_reason\":\"tool_calls\"}"]
        {
            assert!(names_call(piece), "{piece}");
        }
        for piece in ["{\"content\":\"x\",\"tool_calls\":null", "\"tool_calls\": []", "ping", ""] {
            assert!(!names_call(piece), "{piece}");
        }
    }

    #[test]
    fn an_answer_without_a_promised_or_named_call_is_incomplete() {
        let mut gaps = Gaps::default();
        gaps.pass_over("{\"tool_calls\":[", true);
        assert_eq!(gaps.judge(FinishReason::Stop, false), FinishReason::Stop);
        assert_eq!(gaps.judge(FinishReason::ToolCalls, true), FinishReason::Incomplete);
        gaps.pass_over("{\"tool_calls\":[", false);
        assert_eq!(gaps.judge(FinishReason::Stop, false), FinishReason::Incomplete);
        assert_eq!(gaps.judge(FinishReason::Length, true), FinishReason::Length);
    }

    #[test]
    fn only_what_comes_in_a_row_is_too_much() {
        let mut noise = GarbageGuard::default();
        let heard = |noise: &mut GarbageGuard| (0..20).filter_map(|_| noise.heard()).next();
        assert_eq!(heard(&mut noise), None);
        noise.over();
        assert_eq!((heard(&mut noise), noise.heard(), noise.heard()), (None, Some(21), Some(22)));
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
    fn what_can_be_read_is_never_too_deep_and_what_cannot_for_its_depth_always_is() {
        for depth in [1, 100, 126, 127, 128, 129, 10_000] {
            let json = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            let is_read = serde_json::from_str::<serde_json::Value>(&json).is_ok();
            assert_eq!(too_deep(&json).is_none(), is_read, "{depth}");
        }
        assert!(too_deep("{not JSON").is_none());
    }
}

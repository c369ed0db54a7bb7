//! The one rule of all codecs for a stream with a hole in it.
//!
//! A piece that cannot be read after a call began makes that call broken. A call that is missing altogether makes the
//! answer incomplete, so that nothing of it runs and it does not look finished.

use nexus_model::llm::FinishReason;

/// The words by which the protocols name a call.
const CALL_WORDS: [&str; 5] = ["functionCall", "function_call", "tool_calls", "tool_use", "input_json_delta"];

/// What some servers send as events of their own to keep a connection open.
const HEARTBEATS: [&str; 8] =
    ["null", "ping", "pong", "heartbeat", "keepalive", "keep-alive", "keep_alive", "alive"];

/// Whether a call of an answer went missing.
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

    /// A call is missing for certain.
    pub(super) fn lose_call(&mut self) {
        self.lost_call = true;
    }

    /// How an answer really ended: `missing` tells that its finish word promised a call that never came.
    pub(super) fn judge(self, finish: FinishReason, missing: bool) -> FinishReason {
        let looks_finished = matches!(finish, FinishReason::Stop | FinishReason::ToolCalls);
        if looks_finished && (self.lost_call || missing) { FinishReason::Incomplete } else { finish }
    }
}

/// Whether a finish word says that the answer asks for tools.
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

/// Whether a line outside of events may be a piece of one.
pub(super) fn may_be_piece(line: &str) -> bool {
    line.contains(['{', '}', '"'])
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
}

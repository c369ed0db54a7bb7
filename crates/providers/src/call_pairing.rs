//! Pairs tool calls with their results, under ids that every protocol accepts.
//!
//! Keeps the model's own id if it is valid and unused, else derives one. The same history always gets the same ids,
//! so that prompt caches hit. Never drops a result.

use nexus_model::message::content::{MessagePart, ToolCall, ToolResult, calls_of};
use nexus_text::vec_map::VecSet;

/// The longest id that all protocols take.
const ID_CHARS: usize = 64;

/// A call under the id that both sides of the request use.
pub(super) struct PairedCall<'a> {
    pub(super) id: String,
    pub(super) call: &'a ToolCall,
    /// Its result; none where the call was interrupted.
    pub(super) answer: Option<&'a ToolResult>,
}

/// The ids that one request has used so far.
#[derive(Default)]
pub(super) struct CallIds {
    used: VecSet<String>,
}

impl CallIds {
    /// The calls among `parts` in order, each with its result, and the results that answer none of them.
    pub(super) fn pair<'a>(
        &mut self,
        parts: &'a [MessagePart],
        answers: &'a [ToolResult],
    ) -> (Vec<PairedCall<'a>>, Vec<&'a ToolResult>) {
        let mut open: Vec<&ToolResult> = answers.iter().collect();
        let pairs = calls_of(parts)
            .map(|call| {
                let at = open.iter().position(|answer| answer.call_id == call.id);
                PairedCall { id: self.mint(call), call, answer: at.map(|at| open.remove(at)) }
            })
            .collect();
        (pairs, open)
    }

    fn mint(&mut self, call: &ToolCall) -> String {
        let valid = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        let mut id: String = call.id.chars().take(ID_CHARS).map(valid).collect();
        if id.is_empty() {
            id.push_str("call");
        }
        let stem: String = id.chars().take(ID_CHARS.saturating_sub(8)).collect();
        let mut number = 2_u32;
        while !self.used.insert(id.clone()) {
            id = format!("{stem}-{number}");
            number = number.saturating_add(1);
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use nexus_model::message::content::{PartBody, ToolArgs};

    fn call(id: &str) -> MessagePart {
        let args = ToolArgs::Parsed(json!({}));
        PartBody::ToolCall(ToolCall { id: id.into(), own_id: false, name: "t".into(), args }).into()
    }

    fn answer(id: &str, result: u8) -> ToolResult {
        ToolResult { call_id: id.into(), name: "t".into(), result: result.into(), is_error: false }
    }

    #[test]
    fn ids_become_valid_and_unique_and_stay_the_same_from_request_to_request() {
        let long = "x".repeat(90);
        let parts = [call("toolu_1"), call("a b/é"), call("toolu_1"), call(""), call(&long), call(&long)];
        let ids = || -> Vec<String> {
            CallIds::default().pair(&parts, &[]).0.into_iter().map(|pair| pair.id).collect()
        };
        let wanted =
            ["toolu_1", "a_b__", "toolu_1-2", "call", &"x".repeat(64), &format!("{}-2", "x".repeat(56))];
        assert_eq!(ids(), wanted);
        assert_eq!(ids(), ids());
    }

    #[test]
    fn equal_ids_take_their_results_in_order_and_nothing_is_lost() {
        let parts = [call("a"), call("a"), call("b")];
        let answers = [answer("x", 9), answer("a", 1), answer("a", 2)];
        let mut ids = CallIds::default();
        let (pairs, rest) = ids.pair(&parts, &answers);
        let results: Vec<_> = pairs.iter().map(|pair| pair.answer.map(|a| a.result.clone())).collect();
        assert_eq!(results, [Some(json!(1)), Some(json!(2)), None]);
        assert_eq!(rest, [&answers[0]]);
        assert_eq!(ids.pair(&parts, &[]).0[0].id, "a-3", "a later step has other ids");
    }
}

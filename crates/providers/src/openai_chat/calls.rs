//! Joins tool calls from stream fragments.
//!
//! By the standard, fragments of a call share an index. Real servers omit the index, give every call the same one,
//! start at 1, repeat or blank id and name, or send arguments as an object. Calls are emitted only at the end of the
//! stream.

use serde_json::Value;

use crate::fallback::read_arguments;
use crate::stream::lenient::count;
use nexus_model::limits::CALLS_PER_ANSWER;
use nexus_model::message::content::ToolArgs;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PendingCall {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
    torn: bool,
    /// How long the arguments were when they were last looked at for a hole.
    whole_at: Option<usize>,
}

impl PendingCall {
    fn is_whole(&self) -> bool {
        self.arguments.trim_end().ends_with('}') && matches!(self.read(), ToolArgs::Parsed(_))
    }

    fn has_arguments(&self) -> bool {
        !self.arguments.trim().is_empty()
    }

    fn read(&self) -> ToolArgs {
        if self.torn { ToolArgs::Broken(self.arguments.clone()) } else { read_arguments(&self.arguments) }
    }

    /// Takes in a name, or the rest of one that came in two fragments. Most servers that send it again repeat it whole.
    fn take_name(&mut self, name: &str) {
        if self.has_arguments() && !self.name.is_empty() || self.name == name {
            return;
        }
        if name.starts_with(&self.name) {
            self.name.clear();
        }
        self.name.push_str(name);
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct CompleteCall {
    /// Its id; none where the server gave none that is its own.
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) args: ToolArgs,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ended {
    pub(super) calls: Vec<CompleteCall>,
    /// Whether a call was left out because the answer was cut in the middle of it.
    pub(super) left_out: bool,
    pub(super) lost: bool,
    /// How many calls came again, the same in id, name and arguments.
    pub(super) repeated: usize,
}

/// The calls of an answer in the order in which they began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CallBuffer {
    pending: Vec<PendingCall>,
    lost: bool,
}

struct Fragment<'f> {
    index: Option<u64>,
    id: Option<&'f str>,
    name: Option<&'f str>,
    arguments: &'f Value,
}

impl Fragment<'_> {
    fn brings_arguments(&self) -> bool {
        match self.arguments {
            Value::String(piece) => !piece.trim().is_empty(),
            Value::Null => false,
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => true,
        }
    }
}

impl CallBuffer {
    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// A piece of the answer is missing: each call that is not whole may have lost a part. Says whether there is one.
    pub(super) fn tear(&mut self) -> bool {
        for call in &mut self.pending {
            // Found whole before, and nothing came since: a flood of holes costs no more than its length.
            let is_known = call.whole_at == Some(call.arguments.len());
            if !call.torn && !is_known {
                call.torn = !call.is_whole();
                call.whole_at = Some(call.arguments.len());
            }
        }
        self.pending.iter().any(|call| call.torn)
    }

    /// Takes in a fragment; `false` where it is none or belongs nowhere.
    pub(super) fn take(&mut self, fragment: &Value) -> bool {
        let function = fragment.get("function").unwrap_or(fragment);
        if !function.is_object() {
            return false;
        }
        let word = |value: Option<&Value>| {
            value.and_then(Value::as_str).filter(|word| !word.is_empty()).map(str::to_owned)
        };
        // Some servers count ids: a number is as good as its text.
        let id = word(fragment.get("id"))
            .or_else(|| fragment.get("id").and_then(Value::as_u64).map(|id| id.to_string()));
        let name = word(function.get("name"));
        let arguments = function.get("arguments").unwrap_or(&Value::Null);
        let index = fragment.get("index").and_then(count);
        let said = Fragment { index, id: id.as_deref(), name: name.as_deref(), arguments };
        let Some(call) = self.place(&said) else { return false };
        if call.id.is_none() {
            call.id.clone_from(&id);
        }
        if let Some(name) = &name {
            call.take_name(name);
        }
        match arguments {
            Value::Null => {}
            Value::String(piece) => call.arguments.push_str(piece),
            // Not a fragment: the arguments themselves.
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                call.arguments = arguments.to_string();
            }
        }
        true
    }

    /// The calls, at the end of the answer. Where it was `cut` by its token limit, a call may be cut as well: only
    /// those with whole arguments count.
    pub(super) fn finish(&mut self, cut: bool) -> Ended {
        let mut ended = Ended { lost: self.lost, ..Ended::default() };
        for call in std::mem::take(&mut self.pending) {
            if call.name.is_empty() {
                ended.left_out = true;
                ended.lost |= call.has_arguments() || call.id.is_some();
                continue;
            }
            if cut && !call.is_whole() {
                ended.left_out = true;
                continue;
            }
            let call = CompleteCall { args: call.read(), id: call.id, name: call.name };
            if call.id.is_some() && ended.calls.contains(&call) {
                ended.repeated = ended.repeated.saturating_add(1);
                continue;
            }
            // Two calls under one id could not be told apart when their results come.
            let is_taken = call.id.is_some() && ended.calls.iter().any(|other| other.id == call.id);
            let id = call.id.filter(|_| !is_taken);
            ended.calls.push(CompleteCall { id, name: call.name, args: call.args });
        }
        ended
    }

    /// The call that a fragment belongs to, made where it begins one.
    fn place(&mut self, said: &Fragment<'_>) -> Option<&mut PendingCall> {
        let last = self.pending.len().checked_sub(1);
        let open = match (said.index, said.id) {
            (Some(_), _) => self.pending.iter().rposition(|call| call.index == said.index),
            (None, Some(id)) => {
                let own = self.pending.iter().rposition(|call| call.id.as_deref() == Some(id));
                // A call needs a name to begin.
                own.or(last.filter(|_| said.name.is_none()))
            }
            (None, None) => last,
        };
        let at = open.filter(|at| self.pending.get(*at).is_some_and(|call| !begins_another(call, said)));
        match at {
            Some(at) => self.pending.get_mut(at),
            // Something that never had a name is no beginning of a call.
            None if said.name.is_none() && said.id.is_none() && said.index.is_none() => {
                self.lost |= said.brings_arguments();
                None
            }
            None if self.pending.len() >= CALLS_PER_ANSWER => None,
            None => {
                self.pending.push(PendingCall { index: said.index, ..PendingCall::default() });
                self.pending.last_mut()
            }
        }
    }
}

/// Whether a fragment at the place of `open` starts a call of its own. It needs a name for that: without one it goes on
/// with what is open, where arguments that do not fit make the call unreadable.
fn begins_another(open: &PendingCall, said: &Fragment<'_>) -> bool {
    let Some(name) = said.name else { return false };
    match (open.id.as_deref(), said.id) {
        (Some(open), Some(id)) => open != id,
        // The name came after the arguments.
        _ if open.name.is_empty() => open.is_whole() && said.brings_arguments(),
        // A name may be repeated: a whole call is over when arguments follow.
        _ if name == open.name => (said.arguments.is_null() || said.brings_arguments()) && open.is_whole(),
        // An id begins a call. Without one, before any arguments, it is the rest of the name.
        (None, Some(_)) => true,
        (None | Some(_), None) => open.has_arguments(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn joined(fragments: &[Value]) -> Vec<(Option<String>, String, String)> {
        let mut calls = CallBuffer::default();
        for fragment in fragments {
            assert!(calls.take(fragment), "{fragment}");
        }
        let whole = calls.finish(false).calls;
        let text = |args: ToolArgs| match args {
            ToolArgs::Parsed(args) => args.to_string(),
            ToolArgs::Broken(text) => format!("broken: {text}"),
        };
        whole.into_iter().map(|call| (call.id, call.name, text(call.args))).collect()
    }

    fn call(id: &str, name: &str, args: &str) -> (Option<String>, String, String) {
        ((!id.is_empty()).then(|| id.to_owned()), name.to_owned(), args.to_owned())
    }

    #[test]
    fn fragments_join_by_index_also_interleaved_and_counted_from_one() {
        let got = joined(&[
            json!({"index": 1, "id": "a", "function": {"name": "x", "arguments": ""}}),
            json!({"index": 2, "id": "b", "function": {"name": "y", "arguments": "{\"n\""}}),
            json!({"index": 1, "function": {"arguments": "{\"m\":"}}),
            json!({"index": 2, "function": {"arguments": ":2}"}}),
            json!({"index": 1, "id": "", "function": {"name": null, "arguments": "1}"}}),
        ]);
        assert_eq!(got, [call("a", "x", "{\"m\":1}"), call("b", "y", "{\"n\":2}")]);
    }

    #[test]
    fn one_index_for_every_call_is_seen_through() {
        let with_ids = joined(&[
            json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}),
            json!({"index": 0, "id": "b", "function": {"name": "x", "arguments": "{"}}),
            json!({"index": 0, "id": "b", "function": {"name": "x", "arguments": "}"}}),
        ]);
        assert_eq!(with_ids, [call("a", "x", "{}"), call("b", "x", "{}")]);
        let without = joined(&[
            json!({"index": 0, "function": {"name": "x", "arguments": {"n": 1}}}),
            json!({"index": 0, "function": {"name": "x", "arguments": {"n": 2}}}),
            json!({"index": 0, "function": {"name": "y"}}),
        ]);
        assert_eq!(without, [call("", "x", "{\"n\":1}"), call("", "x", "{\"n\":2}"), call("", "y", "{}")]);
    }

    #[test]
    fn without_an_index_ids_and_names_tell() {
        let got = joined(&[
            json!({"id": "a", "function": {"name": "x", "arguments": "{\"n\":"}}),
            json!({"function": {"name": "", "arguments": "1}"}}),
            json!({"id": "b", "function": {"name": "y", "arguments": "{"}}),
            json!({"id": "b", "function": {"name": "y", "arguments": "}"}}),
            json!({"function": {"name": "z", "arguments": null}}),
        ]);
        assert_eq!(got, [call("a", "x", "{\"n\":1}"), call("b", "y", "{}"), call("", "z", "{}")]);
    }

    #[test]
    fn a_nameless_fragment_goes_on_with_what_is_open() {
        let id_changes = joined(&[
            json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": ""}}),
            json!({"index": 0, "id": "b", "function": {"arguments": "{\"n\":"}}),
            json!({"index": 0, "id": "c", "function": {"name": "", "arguments": "1}"}}),
        ]);
        assert_eq!(id_changes, [call("a", "x", "{\"n\":1}")]);
        let without_index = joined(&[
            json!({"id": "a", "function": {"name": "x", "arguments": ""}}),
            json!({"id": "b", "function": {"arguments": "{\"n\":1}"}}),
        ]);
        assert_eq!(without_index, [call("a", "x", "{\"n\":1}")]);
        let too_much = joined(&[
            json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}),
            json!({"index": 0, "id": "b", "function": {"arguments": "{\"n\":1}"}}),
        ]);
        assert_eq!(too_much, [call("a", "x", "broken: {}{\"n\":1}")]);
    }

    #[test]
    fn a_name_may_come_late_or_in_two_fragments() {
        let late = joined(&[
            json!({"index": 0, "id": "a", "function": {"arguments": "{\"n\":1}"}}),
            json!({"index": 0, "function": {"name": "x"}}),
        ]);
        assert_eq!(late, [call("a", "x", "{\"n\":1}")]);
        for id in [json!(null), json!("a")] {
            let halves = joined(&[
                json!({"index": 0, "id": id, "function": {"name": "get_", "arguments": ""}}),
                json!({"index": 0, "id": id, "function": {"name": "weather", "arguments": "{\"n\":"}}),
                json!({"index": 0, "id": id, "function": {"name": "get_weather", "arguments": "1}"}}),
            ]);
            let wanted = id.as_str().unwrap_or_default();
            // Once arguments have come, a repeated name is no other one.
            assert_eq!(halves, [call(wanted, "get_weather", "{\"n\":1}")], "{id}");
        }
    }

    #[test]
    fn an_index_may_come_as_text() {
        let got = joined(&[
            json!({"index": "0", "id": "a", "function": {"name": "x", "arguments": ""}}),
            json!({"index": "1", "id": "b", "function": {"name": "y", "arguments": ""}}),
            json!({"index": "0", "function": {"arguments": "{\"n\":1}"}}),
            json!({"index": "1", "function": {"arguments": "{\"n\":2}"}}),
        ]);
        assert_eq!(got, [call("a", "x", "{\"n\":1}"), call("b", "y", "{\"n\":2}")]);
    }

    #[test]
    fn a_hole_breaks_what_is_not_whole_and_a_call_without_beginning_is_lost() {
        let mut calls = CallBuffer::default();
        assert!(!calls.tear());
        calls.take(&json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}));
        assert!(!calls.tear());
        calls.take(&json!({"index": 1, "id": "b", "function": {"name": "y", "arguments": "{\"n\":"}}));
        assert!(calls.tear());
        calls.take(&json!({"index": 1, "function": {"arguments": "1}"}}));
        calls.take(&json!({"index": 2, "function": {"arguments": "{}"}}));
        let ended = calls.finish(false);
        let args: Vec<_> = ended.calls.iter().map(|call| call.args.clone()).collect();
        assert_eq!(args, [ToolArgs::Parsed(json!({})), ToolArgs::Broken("{\"n\":1}".into())]);
        assert!(ended.lost);
    }

    #[test]
    fn the_same_call_twice_counts_once() {
        let mut calls = CallBuffer::default();
        for index in 0..3 {
            let call = json!({"index": index, "id": "a", "function": {"name": "x", "arguments": "{}"}});
            calls.take(&call);
        }
        let ended = calls.finish(false);
        assert_eq!((ended.calls.len(), ended.repeated), (1, 2));
    }

    #[test]
    fn an_id_that_is_taken_is_not_given_twice() {
        let got = joined(&[
            json!({"index": 0, "id": "0", "function": {"name": "x", "arguments": "{}"}}),
            json!({"index": 1, "id": "0", "function": {"name": "y", "arguments": "{}"}}),
        ]);
        assert_eq!(got, [call("0", "x", "{}"), call("", "y", "{}")]);
    }

    #[test]
    fn a_limit_that_cut_the_answer_cuts_the_last_call() {
        let mut calls = CallBuffer::default();
        calls.take(&json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}));
        calls.take(&json!({"index": 1, "id": "b", "function": {"name": "y", "arguments": ""}}));
        let ended = calls.clone().finish(true);
        assert_eq!((ended.calls.len(), ended.left_out), (1, true));
        let ended = calls.finish(false);
        assert_eq!((ended.calls.len(), ended.left_out), (2, false));
    }

    #[test]
    fn what_is_no_call_is_refused_and_their_number_is_bounded() {
        let mut calls = CallBuffer::default();
        for stray in
            [json!(null), json!("x"), json!({"function": 1}), json!({"function": {"arguments": "1"}})]
        {
            assert!(!calls.take(&stray), "{stray}");
        }
        for index in 0..10_000 {
            calls.take(&json!({"index": index, "function": {"name": "x", "arguments": ""}}));
        }
        assert_eq!(calls.pending.len(), CALLS_PER_ANSWER);
    }
}

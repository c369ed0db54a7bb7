//! Never gives out a call before it is asked to: only the end of a stream tells that a call is whole.
//!
//! Owns the joining of tool calls from fragments. The standard says that fragments of a call share an index; real
//! servers leave out the index, or give every call the same, start at 1, repeat id and name or blank them, and send
//! arguments as an object.

use serde_json::Value;

use crate::domain::limits::CALLS_PER_ANSWER;
use crate::domain::part::ToolArgs;
use crate::wire::told::read_arguments;

/// A call as far as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PendingCall {
    index: Option<u64>,
    id: Option<String>,
    name: String,
    arguments: String,
}

impl PendingCall {
    /// Whether the arguments are a whole JSON object.
    fn is_whole(&self) -> bool {
        self.arguments.trim_end().ends_with('}') && matches!(self.read(), ToolArgs::Parsed(_))
    }

    fn read(&self) -> ToolArgs {
        read_arguments(&self.arguments)
    }
}

/// A call that is whole, ready to be given out.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct WholeCall {
    /// Its id; none where the server gave none that is its own.
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) args: ToolArgs,
}

/// The calls of an answer in the order in which they began.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Calls {
    pending: Vec<PendingCall>,
}

impl Calls {
    /// Whether no call began.
    pub(super) fn is_empty(&self) -> bool {
        self.pending.is_empty()
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
        let index = fragment.get("index").and_then(Value::as_u64);
        let arguments = function.get("arguments").unwrap_or(&Value::Null);
        let Some(call) = self.place(index, id.as_deref(), name.as_deref(), arguments) else { return false };
        if call.id.is_none() {
            call.id = id;
        }
        if call.name.is_empty() {
            call.name = name.unwrap_or_default();
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
    /// those with whole arguments count. The second value tells whether any was left out.
    pub(super) fn finish(&mut self, cut: bool) -> (Vec<WholeCall>, bool) {
        let mut whole: Vec<WholeCall> = Vec::new();
        let mut left_out = false;
        for call in std::mem::take(&mut self.pending) {
            if call.name.is_empty() || (cut && !call.is_whole()) {
                left_out = true;
                continue;
            }
            let args = call.read();
            // Two calls under one id could not be told apart when their results come.
            let id = call.id.filter(|id| whole.iter().all(|other| other.id.as_ref() != Some(id)));
            whole.push(WholeCall { id, name: call.name, args });
        }
        (whole, left_out)
    }

    /// The call that a fragment belongs to, made where it begins one.
    fn place(
        &mut self,
        index: Option<u64>,
        id: Option<&str>,
        name: Option<&str>,
        arguments: &Value,
    ) -> Option<&mut PendingCall> {
        let open = match (index, id) {
            (Some(_), _) => self.pending.iter().rposition(|call| call.index == index),
            (None, Some(id)) => self.pending.iter().rposition(|call| call.id.as_deref() == Some(id)),
            (None, None) => self.pending.len().checked_sub(1),
        };
        let at = open.filter(|at| {
            self.pending.get(*at).is_some_and(|call| !begins_another(call, id, name, arguments))
        });
        match at {
            Some(at) => self.pending.get_mut(at),
            // Something that never had a name is no beginning of a call.
            None if name.is_none() && id.is_none() && open.is_none() && index.is_none() => None,
            None if self.pending.len() >= CALLS_PER_ANSWER => None,
            None => {
                self.pending.push(PendingCall { index, ..PendingCall::default() });
                self.pending.last_mut()
            }
        }
    }
}

/// Whether a fragment at the place of `open` starts a call of its own.
fn begins_another(open: &PendingCall, id: Option<&str>, name: Option<&str>, arguments: &Value) -> bool {
    match (open.id.as_deref(), id) {
        (Some(open), Some(id)) => open != id,
        // Without ids only a name can tell, and it may be repeated: a whole call is over when arguments follow.
        (None | Some(_), None) | (None, Some(_)) => {
            let brings_more = match arguments {
                Value::String(piece) => !piece.trim().is_empty(),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => true,
            };
            let over = open.is_whole() || (open.arguments.trim().is_empty() && !open.name.is_empty());
            match name {
                Some(name) if name == open.name => brings_more && open.is_whole(),
                Some(_) => over,
                None => false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn joined(fragments: &[Value]) -> Vec<(Option<String>, String, String)> {
        let mut calls = Calls::default();
        for fragment in fragments {
            assert!(calls.take(fragment), "{fragment}");
        }
        let (whole, _) = calls.finish(false);
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
    fn an_id_that_is_taken_is_not_given_twice() {
        let got = joined(&[
            json!({"index": 0, "id": "0", "function": {"name": "x", "arguments": "{}"}}),
            json!({"index": 1, "id": "0", "function": {"name": "y", "arguments": "{}"}}),
        ]);
        assert_eq!(got, [call("0", "x", "{}"), call("", "y", "{}")]);
    }

    #[test]
    fn a_limit_that_cut_the_answer_cuts_the_last_call() {
        let mut calls = Calls::default();
        calls.take(&json!({"index": 0, "id": "a", "function": {"name": "x", "arguments": "{}"}}));
        calls.take(&json!({"index": 1, "id": "b", "function": {"name": "y", "arguments": ""}}));
        let (whole, left_out) = calls.clone().finish(true);
        assert_eq!((whole.len(), left_out), (1, true));
        let (whole, left_out) = calls.finish(false);
        assert_eq!((whole.len(), left_out), (2, false));
    }

    #[test]
    fn what_is_no_call_is_refused_and_their_number_is_bounded() {
        let mut calls = Calls::default();
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

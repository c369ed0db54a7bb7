//! Joins tool calls from stream fragments.
//!
//! By the standard, fragments of a call share an index. Real servers omit the index, use the same one for every call,
//! start at 1, repeat or blank id and name, or send arguments as an object. Calls are only emitted at the end of the
//! stream.

use serde_json::Value;

use crate::stream::count;
use crate::turns::read_arguments;
use nexus_model::limits::CALLS_PER_ANSWER;
use nexus_model::message::content::ToolArgs;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PendingCall {
    index: Option<u64>,
    pub(super) id: Option<String>,
    pub(super) name: String,
    arguments: String,
    broken: bool,
    /// Length of the arguments when they were last found complete.
    complete_at: Option<usize>,
}

impl PendingCall {
    fn is_complete(&self) -> bool {
        self.arguments.trim_end().ends_with('}') && matches!(self.read(), ToolArgs::Parsed(_))
    }

    fn has_arguments(&self) -> bool {
        !self.arguments.trim().is_empty()
    }

    pub(super) fn read(&self) -> ToolArgs {
        if self.broken { ToolArgs::Broken(self.arguments.clone()) } else { read_arguments(&self.arguments) }
    }

    /// Sets a name, or appends the rest of one split into two fragments. Most servers that repeat it send all of it.
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

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Ended {
    pub(super) calls: Vec<PendingCall>,
    /// True if a call was omitted because the answer was cut within it.
    pub(super) omitted: bool,
    pub(super) lost: bool,
}

/// The calls of an answer in the order in which they started.
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

    /// A piece of the answer is missing: each incomplete call may have lost a part. Returns true if there is one.
    pub(super) fn mark_broken(&mut self) -> bool {
        for call in &mut self.pending {
            // Found complete before and unchanged: a flood of gaps costs no more than its length.
            let is_known = call.complete_at == Some(call.arguments.len());
            if !call.broken && !is_known {
                call.broken = !call.is_complete();
                call.complete_at = Some(call.arguments.len());
            }
        }
        self.pending.iter().any(|call| call.broken)
    }

    /// Adds a fragment; `false` if it is invalid or belongs to no call.
    pub(super) fn take(&mut self, fragment: &Value) -> bool {
        let function = fragment.get("function").unwrap_or(fragment);
        if !function.is_object() {
            // It may be a part of an open call, or a call.
            self.lost |= !function.is_null() && !self.mark_broken();
            return false;
        }
        let word = |value: Option<&Value>| {
            value.and_then(Value::as_str).filter(|word| !word.is_empty()).map(str::to_owned)
        };
        // Some servers use numbers as ids.
        let id = word(fragment.get("id"))
            .or_else(|| fragment.get("id").and_then(Value::as_u64).map(|id| id.to_string()));
        let name = word(function.get("name"));
        let arguments = function.get("arguments").unwrap_or(&Value::Null);
        let index = fragment.get("index").and_then(count);
        let fragment = Fragment { index, id: id.as_deref(), name: name.as_deref(), arguments };
        let Some(call) = self.call_for(&fragment) else { return false };
        if call.id.is_none() {
            call.id.clone_from(&id);
        }
        if let Some(name) = &name {
            call.take_name(name);
        }
        match arguments {
            Value::Null => {}
            Value::String(piece) => call.arguments.push_str(piece),
            // The complete arguments, not a fragment. They do not fit after a part of a text.
            Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
                call.broken |= call.has_arguments() && !call.is_complete();
                call.arguments = arguments.to_string();
            }
        }
        true
    }

    /// The calls at the end of the answer. If the answer was `cut` by its token limit, only calls with complete
    /// arguments count.
    pub(super) fn finish(&mut self, cut: bool) -> Ended {
        let mut ended = Ended { lost: self.lost, ..Ended::default() };
        for call in std::mem::take(&mut self.pending) {
            if call.name.is_empty() {
                ended.omitted = true;
                ended.lost |= call.has_arguments() || call.id.is_some();
                continue;
            }
            if cut && !call.is_complete() {
                ended.omitted = true;
            } else {
                ended.calls.push(call);
            }
        }
        ended
    }

    /// The call that a fragment belongs to, created if it begins one.
    fn call_for(&mut self, fragment: &Fragment<'_>) -> Option<&mut PendingCall> {
        let last = self.pending.len().checked_sub(1);
        let open = match (fragment.index, fragment.id) {
            (Some(_), _) => self.pending.iter().rposition(|call| call.index == fragment.index),
            (None, Some(id)) => {
                let own = self.pending.iter().rposition(|call| call.id.as_deref() == Some(id));
                // A new call needs a name.
                own.or(last.filter(|_| fragment.name.is_none()))
            }
            (None, None) => last,
        };
        let at = open.filter(|at| self.pending.get(*at).is_some_and(|call| !begins_another(call, fragment)));
        match at {
            Some(at) => self.pending.get_mut(at),
            // A fragment without name, id and index begins no call.
            None if fragment.name.is_none() && fragment.id.is_none() && fragment.index.is_none() => {
                self.lost |= fragment.brings_arguments();
                None
            }
            None if self.pending.len() >= CALLS_PER_ANSWER => None,
            None => {
                self.pending.push(PendingCall { index: fragment.index, ..PendingCall::default() });
                self.pending.last_mut()
            }
        }
    }
}

/// True if a fragment at the place of `open` begins another call, which requires a name: without one it continues the
/// open call, which becomes unreadable if the arguments do not fit.
fn begins_another(open: &PendingCall, fragment: &Fragment<'_>) -> bool {
    let Some(name) = fragment.name else { return false };
    match (open.id.as_deref(), fragment.id) {
        (Some(open), Some(id)) => open != id,
        // The name arrived after the arguments.
        _ if open.name.is_empty() => open.is_complete() && fragment.brings_arguments(),
        // Names may be repeated: arguments after a complete call begin another one.
        _ if name == open.name => {
            (fragment.arguments.is_null() || fragment.brings_arguments()) && open.is_complete()
        }
        // An id begins a call. Without one, before any arguments, this is the rest of the name.
        (None, Some(_)) => true,
        (None | Some(_), None) => open.has_arguments(),
    }
}

#[cfg(test)]
mod tests;

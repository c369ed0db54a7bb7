//! Collects reasoning of Chat Completions: what to show, and what to send back.
//!
//! Reads `reasoning_details`, `reasoning_content`, `reasoning`, and Mistral's thinking chunks in the content. The
//! stored form is opaque and returned as received.

use serde_json::{Map, Value, json};

/// A list of pieces, some sealed; returned, they let the model continue its thinking.
pub(super) const DETAILS: &str = "reasoning_details";
/// The text at DeepSeek and compatible hosts.
pub(super) const CONTENT: &str = "reasoning_content";
/// The text at OpenRouter, Groq, Ollama and newer vLLM.
pub(super) const PLAIN: &str = "reasoning";
/// Mistral's chunks, which are returned within the content.
pub(super) const CHUNKS: &str = "thinking";

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reasoning {
    details: Vec<Value>,
    chunks: Vec<Map<String, Value>>,
    text: Option<(&'static str, String)>,
}

impl Reasoning {
    /// Records the thinking of a delta and returns the text to show. Hosts repeat it under a second name; it counts
    /// once.
    pub(super) fn take(&mut self, delta: &Value) -> String {
        let details = delta.get(DETAILS).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let shown_in_details: String = details.iter().filter_map(shown).collect();
        details.iter().for_each(|detail| self.take_detail(detail));
        for field in [CONTENT, PLAIN] {
            let text = delta.get(field).and_then(Value::as_str).unwrap_or_default();
            if !text.is_empty() {
                self.text.get_or_insert((field, String::new())).1.push_str(text);
                return text.to_owned();
            }
        }
        shown_in_details
    }

    /// Records a thinking chunk of the content and returns the text to show. Chunks are joined until one closes the
    /// thought.
    pub(super) fn take_chunk(&mut self, chunk: &Value) -> String {
        let thoughts = match chunk.get(CHUNKS) {
            Some(Value::String(text)) => vec![json!({"type": "text", "text": text})],
            Some(Value::Array(thoughts)) => thoughts.clone(),
            None | Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => Vec::new(),
        };
        let shown = thoughts.iter().filter_map(shown).collect();
        let is_open = |last: &Map<String, Value>| last.get(CLOSED) != Some(&Value::Bool(true));
        if !self.chunks.last().is_some_and(is_open) {
            let opened = json!({"type": CHUNKS, CHUNKS: []});
            self.chunks.extend(opened.as_object().cloned());
        }
        if let (Some(last), Some(chunk)) = (self.chunks.last_mut(), chunk.as_object()) {
            if let Some(Value::Array(all)) = last.get_mut(CHUNKS) {
                thoughts.into_iter().for_each(|thought| push_thought(all, thought));
            }
            for (key, value) in chunk.iter().filter(|(key, value)| *key != CHUNKS && !value.is_null()) {
                last.insert(key.clone(), value.clone());
            }
        }
        shown
    }

    /// What to send back to the same model; `None` if it did not think.
    pub(super) fn opaque(self) -> Option<Value> {
        let (field, value) = match (self.details.is_empty(), self.chunks.is_empty(), self.text) {
            (false, ..) => (DETAILS, Value::Array(self.details)),
            (true, false, _) => (CHUNKS, self.chunks.into_iter().map(closed).collect()),
            (true, true, Some((field, text))) => (field, Value::String(text)),
            (true, true, None) => return None,
        };
        Some(Value::Object(Map::from_iter([(field.to_owned(), value)])))
    }

    /// Joins fragments of one detail: its text, then its signature.
    fn take_detail(&mut self, detail: &Value) {
        if let Some(last) = self.details.last_mut()
            && is_continued(last, detail)
            && let (Some(last), Some(detail)) = (last.as_object_mut(), detail.as_object())
        {
            for (key, value) in detail {
                join(last, key, value);
            }
        } else {
            self.details.push(detail.clone());
        }
    }
}

const CLOSED: &str = "closed";

/// Closes a thought at the end of the answer.
fn closed(mut chunk: Map<String, Value>) -> Value {
    chunk.entry(CLOSED).or_insert(Value::Bool(true));
    chunk.into()
}

/// Adds a thought; joins consecutive texts.
fn push_thought(all: &mut Vec<Value>, thought: Value) {
    let text = |value: &Value| {
        let is_text = value.get("type").is_some_and(|kind| kind == "text");
        value.get("text").filter(|_| is_text).and_then(Value::as_str).map(str::to_owned)
    };
    match (all.last_mut(), text(&thought)) {
        (Some(last), Some(more)) if text(last).is_some() => {
            if let Some(Value::String(text_so_far)) = last.get_mut("text") {
                text_so_far.push_str(&more);
            }
        }
        _ => all.push(thought),
    }
}

fn shown(detail: &Value) -> Option<&str> {
    detail.get("text").or_else(|| detail.get("summary")).and_then(Value::as_str)
}

fn is_continued(last: &Value, next: &Value) -> bool {
    let same = |key: &str| last.get(key) == next.get(key);
    let is_text =
        matches!(next.get("type").and_then(Value::as_str), Some("reasoning.text" | "reasoning.summary"));
    // A signature ends its detail: later text begins another one.
    let is_signed = last.get("signature").is_some_and(|signature| !signature.is_null());
    let id_fits = next.get("id").is_none_or(Value::is_null) || same("id");
    is_text && same("type") && same("index") && id_fits && !(is_signed && shown(next).is_some())
}

fn join(last: &mut Map<String, Value>, key: &str, value: &Value) {
    match (last.get_mut(key), value) {
        (Some(Value::String(all)), Value::String(more)) if matches!(key, "text" | "summary") => {
            all.push_str(more);
        }
        (Some(existing), Value::Null) if !existing.is_null() => {}
        (Some(existing), value) => *existing = value.clone(),
        (None, value) => {
            last.insert(key.to_owned(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opaque_of(deltas: &[Value]) -> (String, Option<Value>) {
        let mut reasoning = Reasoning::default();
        let shown = deltas.iter().map(|delta| reasoning.take(delta)).collect();
        (shown, reasoning.opaque())
    }

    #[test]
    fn text_under_two_names_counts_once() {
        let (shown, opaque_of) = opaque_of(&[
            json!({"reasoning": "a", "reasoning_content": "a"}),
            json!({"reasoning_content": null, "reasoning": "b"}),
            json!({"reasoning_content": ""}),
        ]);
        assert_eq!((shown.as_str(), opaque_of), ("ab", Some(json!({"reasoning_content": "ab"}))));
    }

    #[test]
    fn details_keep_their_order_and_fragments_are_joined() {
        let text = |text: &str| json!({"type": "reasoning.text", "text": text, "format": "f", "index": 0});
        let sealed = |data: &str| json!({"type": "reasoning.encrypted", "data": data, "index": 0});
        let (shown, opaque_of) = opaque_of(&[
            json!({"reasoning": "a", "reasoning_details": [text("a")]}),
            json!({"reasoning": "b", "reasoning_details": [text("b")]}),
            json!({"reasoning_details": [{"type": "reasoning.text", "signature": "s", "index": 0}]}),
            json!({"reasoning_details": [sealed("x"), sealed("y")]}),
            json!({"reasoning_details": [text("c")]}),
        ]);
        assert_eq!(shown, "abc");
        let first = json!({"type": "reasoning.text", "text": "ab", "format": "f", "index": 0,
            "signature": "s"});
        let all = json!([first, sealed("x"), sealed("y"), text("c")]);
        assert_eq!(opaque_of, Some(json!({"reasoning_details": all})));
    }

    #[test]
    fn chunks_in_the_content_are_joined_to_thoughts() {
        let mut reasoning = Reasoning::default();
        let text = |text: &str| json!({"type": "text", "text": text});
        let reference = json!({"type": "reference", "reference_ids": [1]});
        let shown: Vec<_> = [
            json!({"type": "thinking", "thinking": [text("a")]}),
            json!({"type": "thinking", "thinking": [text("b"), reference], "signature": null}),
            json!({"type": "thinking", "thinking": [text("c")], "closed": true, "signature": "s"}),
            json!({"type": "thinking", "thinking": "d"}),
            json!({"type": "thinking"}),
        ]
        .iter()
        .map(|chunk| reasoning.take_chunk(chunk))
        .collect();
        assert_eq!(shown.concat(), "abcd");
        let first = json!({"type": "thinking", "thinking": [text("ab"), reference, text("c")], "closed": true,
            "signature": "s"});
        let second = json!({"type": "thinking", "thinking": [text("d")], "closed": true});
        assert_eq!(reasoning.opaque(), Some(json!({"thinking": [first, second]})));
    }

    #[test]
    fn without_thinking_nothing_is_stored() {
        let (shown, opaque_of) =
            opaque_of(&[json!({"reasoning_details": [], "reasoning": null}), json!({"content": "a"})]);
        assert_eq!((shown.as_str(), opaque_of), ("", None));
    }
}

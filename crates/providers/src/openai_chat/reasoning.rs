//! Collects reasoning of Chat Completions: what to show, and what to send back.
//!
//! Reads `reasoning_details`, `reasoning_content`, `reasoning`, and Mistral's thinking chunks in the content. The
//! stored form is opaque and goes back as received.

use serde_json::{Map, Value, json};

/// A list of pieces, some of them sealed; given back they let the model go on thinking.
pub(super) const DETAILS: &str = "reasoning_details";
/// The text, as DeepSeek and its followers call it.
pub(super) const CONTENT: &str = "reasoning_content";
/// The text, as OpenRouter, Groq, Ollama and newer vLLM call it.
pub(super) const PLAIN: &str = "reasoning";
/// Mistral's pieces, which go back to where they came from: among the content.
pub(super) const CHUNKS: &str = "thinking";

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reasoning {
    details: Vec<Value>,
    chunks: Vec<Map<String, Value>>,
    text: Option<(&'static str, String)>,
}

impl Reasoning {
    /// Takes in the thinking of a delta, and gives what of it is to be shown. Hosts repeat it under a second name;
    /// it counts once.
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

    /// Takes in a piece of thinking that stands among the content, and gives what of it is to be shown. Pieces are one
    /// until one of them says that it closes the thought.
    pub(super) fn take_chunk(&mut self, chunk: &Value) -> String {
        let thoughts = match chunk.get(CHUNKS) {
            Some(Value::String(text)) => vec![json!({"type": "text", "text": text})],
            Some(Value::Array(thoughts)) => thoughts.clone(),
            None | Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => Vec::new(),
        };
        let shown = thoughts.iter().filter_map(shown).collect();
        let is_open = |last: &Map<String, Value>| last.get(CLOSED) != Some(&Value::Bool(true));
        if !self.chunks.last().is_some_and(is_open) {
            let begun = json!({"type": CHUNKS, CHUNKS: []});
            self.chunks.extend(begun.as_object().cloned());
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

    /// What the same model wants to see again; none where it did not think.
    pub(super) fn kept(self) -> Option<Value> {
        let (field, value) = match (self.details.is_empty(), self.chunks.is_empty(), self.text) {
            (false, ..) => (DETAILS, Value::Array(self.details)),
            (true, false, _) => (CHUNKS, self.chunks.into_iter().map(closed).collect()),
            (true, true, Some((field, text))) => (field, Value::String(text)),
            (true, true, None) => return None,
        };
        Some(Value::Object(Map::from_iter([(field.to_owned(), value)])))
    }

    /// Text comes in fragments of one piece, its signature last; they are joined as the piece they are.
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

/// The answer is over, and so is what was thought for it.
fn closed(mut chunk: Map<String, Value>) -> Value {
    chunk.entry(CLOSED).or_insert(Value::Bool(true));
    chunk.into()
}

/// Adds to a thought; texts that follow each other are one.
fn push_thought(all: &mut Vec<Value>, thought: Value) {
    let text = |value: &Value| {
        let is_text = value.get("type").is_some_and(|kind| kind == "text");
        value.get("text").filter(|_| is_text).and_then(Value::as_str).map(str::to_owned)
    };
    match (all.last_mut(), text(&thought)) {
        (Some(last), Some(more)) if text(last).is_some() => {
            if let Some(Value::String(held)) = last.get_mut("text") {
                held.push_str(&more);
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
    // A signature ends its piece: text after it is another.
    let is_signed = last.get("signature").is_some_and(|signature| !signature.is_null());
    let id_fits = next.get("id").is_none_or(Value::is_null) || same("id");
    is_text && same("type") && same("index") && id_fits && !(is_signed && shown(next).is_some())
}

fn join(last: &mut Map<String, Value>, key: &str, value: &Value) {
    match (last.get_mut(key), value) {
        (Some(Value::String(all)), Value::String(more)) if matches!(key, "text" | "summary") => {
            all.push_str(more);
        }
        (Some(held), Value::Null) if !held.is_null() => {}
        (Some(held), value) => *held = value.clone(),
        (None, value) => {
            last.insert(key.to_owned(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(deltas: &[Value]) -> (String, Option<Value>) {
        let mut reasoning = Reasoning::default();
        let shown = deltas.iter().map(|delta| reasoning.take(delta)).collect();
        (shown, reasoning.kept())
    }

    #[test]
    fn a_text_under_two_names_counts_once() {
        let (shown, kept) = kept(&[
            json!({"reasoning": "a", "reasoning_content": "a"}),
            json!({"reasoning_content": null, "reasoning": "b"}),
            json!({"reasoning_content": ""}),
        ]);
        assert_eq!((shown.as_str(), kept), ("ab", Some(json!({"reasoning_content": "ab"}))));
    }

    #[test]
    fn details_keep_their_order_and_fragments_of_a_piece_are_one() {
        let text = |text: &str| json!({"type": "reasoning.text", "text": text, "format": "f", "index": 0});
        let sealed = |data: &str| json!({"type": "reasoning.encrypted", "data": data, "index": 0});
        let (shown, kept) = kept(&[
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
        assert_eq!(kept, Some(json!({"reasoning_details": all})));
    }

    #[test]
    fn pieces_among_the_content_are_kept_as_the_thoughts_they_make() {
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
        assert_eq!(reasoning.kept(), Some(json!({"thinking": [first, second]})));
    }

    #[test]
    fn a_model_that_did_not_think_leaves_nothing() {
        let (shown, kept) =
            kept(&[json!({"reasoning_details": [], "reasoning": null}), json!({"content": "a"})]);
        assert_eq!((shown.as_str(), kept), ("", None));
    }
}

//! Never shown as an answer, and never understood: what a host says of a model's thinking is kept to be given back.
//!
//! Owns the three fields in which hosts send thinking (`reasoning_details`, `reasoning_content`, `reasoning`): what of
//! them is shown, and what is kept.

use serde_json::{Map, Value};

/// A list of pieces, some of them sealed; given back they let the model go on thinking.
pub(super) const DETAILS: &str = "reasoning_details";
/// The text, as DeepSeek and its followers call it.
pub(super) const CONTENT: &str = "reasoning_content";
/// The text, as OpenRouter, Groq, Ollama and newer vLLM call it.
pub(super) const PLAIN: &str = "reasoning";

/// A model's thinking as it was received.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reasoning {
    details: Vec<Value>,
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

    /// What the same model wants to see again; none where it did not think.
    pub(super) fn kept(self) -> Option<Value> {
        let (field, value) = match (self.details.is_empty(), self.text) {
            (false, _) => (DETAILS, Value::Array(self.details)),
            (true, Some((field, text))) => (field, Value::String(text)),
            (true, None) => return None,
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
    use serde_json::json;

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
    fn a_model_that_did_not_think_leaves_nothing() {
        let (shown, kept) =
            kept(&[json!({"reasoning_details": [], "reasoning": null}), json!({"content": "a"})]);
        assert_eq!((shown.as_str(), kept), ("", None));
    }
}

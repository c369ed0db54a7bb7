//! Gemini's events: CRLF framing, no end mark, the finish reason in a chunk of its own.

use serde_json::{Value, json};

use super::super::rules::bare_part;
use super::super::script::Piece;
use super::{Framing, PROMPT_TOKENS, mint, signature};

pub(super) fn say(framing: &mut Framing, piece: &Piece) {
    match piece {
        Piece::Thinking(text) => parts(framing, vec![json!({ "text": text, "thought": true })]),
        Piece::Text(text) => parts(framing, vec![json!({ "text": text })]),
        Piece::Calls(calls) => {
            let mut all = Vec::new();
            for (name, args) in calls {
                let call = json!({ "id": format!("call-{:04x}", mint()), "name": name, "args": args });
                let mut part = json!({ "functionCall": call });
                // Only the first call of an answer is signed.
                if !framing.is_signed
                    && let Some(fields) = part.as_object_mut()
                {
                    fields.insert("thoughtSignature".to_owned(), signature().into());
                    framing.is_signed = true;
                }
                all.push(part);
            }
            parts(framing, all);
        }
        Piece::SignedEnd => parts(framing, vec![json!({ "text": "", "thoughtSignature": signature() })]),
        Piece::HiddenThought => {}
        Piece::End => {
            let candidate = json!({
                "content": { "parts": [{ "text": "" }], "role": "model" },
                "finishReason": "STOP",
                "index": 0,
            });
            event(framing, json!({ "candidates": [candidate], "usageMetadata": usage(framing) }));
        }
        Piece::Blocked(reason) => event(
            framing,
            json!({
                "promptFeedback": { "blockReason": reason },
                "usageMetadata": { "promptTokenCount": PROMPT_TOKENS, "totalTokenCount": PROMPT_TOKENS },
            }),
        ),
        // Without `data:` and pretty-printed, as the service does.
        Piece::Failed(api_error) => {
            let text = format!("{:#}\n", api_error.google_body()).replace('\n', "\r\n");
            framing.out.extend_from_slice(text.as_bytes());
        }
    }
}

fn parts(framing: &mut Framing, parts: Vec<Value>) {
    let candidate = json!({ "content": { "parts": parts, "role": "model" }, "index": 0 });
    event(framing, json!({ "candidates": [candidate], "usageMetadata": usage(framing) }));
}

/// Encodes an event and records its signatures, which must be sent back.
fn event(framing: &mut Framing, mut event: Value) {
    if let Some(fields) = event.as_object_mut() {
        fields.entry("modelVersion").or_insert_with(|| framing.model.clone().into());
        fields.entry("responseId").or_insert_with(|| format!("response-{}", framing.number).into());
    }
    let parts = event.pointer("/candidates/0/content/parts").and_then(Value::as_array);
    for part in parts.into_iter().flatten() {
        if let Some(signature) = part.get("thoughtSignature").and_then(Value::as_str) {
            framing.mint(signature, bare_part(part));
        }
    }
    framing.out.extend_from_slice(format!("data: {event}\r\n\r\n").as_bytes());
}

fn usage(framing: &Framing) -> Value {
    json!({
        "promptTokenCount": PROMPT_TOKENS,
        "candidatesTokenCount": framing.words,
        "thoughtsTokenCount": framing.thoughts,
        "totalTokenCount": PROMPT_TOKENS + framing.words + framing.thoughts,
    })
}

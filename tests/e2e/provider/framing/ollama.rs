//! Lines of Ollama's native API: one JSON object each, the last with `done` and the counts.

use serde_json::{Map, Value, json};

use super::super::script::Piece;
use super::{Framing, PROMPT_TOKENS, mint};

pub(super) fn say(framing: &mut Framing, piece: &Piece) {
    match piece {
        Piece::Thinking(text) => {
            message(framing, json!({ "role": "assistant", "content": "", "thinking": text }));
        }
        Piece::Text(text) => {
            seal(framing);
            message(framing, json!({ "role": "assistant", "content": text }));
        }
        Piece::Calls(calls) => {
            seal(framing);
            let first = framing.calls - calls.len();
            let made = calls.iter().enumerate().map(|(place, (name, args))| {
                let args = if args.is_object() { args.clone() } else { Map::new().into() };
                json!({
                    "id": format!("call_{:08x}", mint()),
                    "function": { "index": first + place, "name": name, "arguments": args },
                })
            });
            let made: Vec<Value> = made.collect();
            message(framing, json!({ "role": "assistant", "content": "", "tool_calls": made }));
        }
        Piece::HiddenThought | Piece::SignedEnd => {}
        // The finish reason is `stop` in all cases, calls included.
        Piece::End => {
            seal(framing);
            end(framing, "stop");
        }
        Piece::Blocked(_) => end(framing, "stop"),
        Piece::Failed(api_error) => line(framing, &json!({ "error": api_error.message })),
    }
}

/// Ends thinking and records it, because it may be sent back.
fn seal(framing: &mut Framing) {
    if !framing.is_signed && !framing.thought.is_empty() {
        framing.is_signed = true;
        let thought = framing.thought.clone();
        framing.mint(&thought, thought.clone().into());
    }
}

fn message(framing: &mut Framing, message: Value) {
    let model = framing.model.clone();
    line(
        framing,
        &json!({
            "model": model, "created_at": "2026-11-20T12:00:00.000000Z", "message": message, "done": false,
        }),
    );
}

fn end(framing: &mut Framing, reason: &str) {
    let last = json!({
        "model": framing.model, "created_at": "2026-11-20T12:00:01.000000Z",
        "message": { "role": "assistant", "content": "" },
        "done": true, "done_reason": reason,
        "total_duration": 1_000_000_000_u64, "load_duration": 1_000_000, "prompt_eval_duration": 1_000_000,
        "eval_duration": 900_000_000, "prompt_eval_count": PROMPT_TOKENS,
        "eval_count": framing.words + framing.thoughts,
    });
    line(framing, &last);
}

fn line(framing: &mut Framing, line: &Value) {
    framing.out.extend_from_slice(format!("{line}\n").as_bytes());
}

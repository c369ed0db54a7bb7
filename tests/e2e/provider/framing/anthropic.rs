//! Events of Anthropic's Messages: blocks that open, fill and close, signed thinking, and payloads padded with
//! spaces.

use serde_json::{Value, json};

use super::super::script::Piece;
use super::{Framing, Open, PROMPT_TOKENS, arguments, fragments, mint, signature};

pub(super) fn say(framing: &mut Framing, piece: &Piece) {
    if !framing.has_begun && !matches!(piece, Piece::Failed(_)) {
        framing.has_begun = true;
        let message = json!({
            "model": framing.model, "id": format!("msg_{:024}", framing.number), "type": "message",
            "role": "assistant", "content": [], "stop_reason": null, "stop_sequence": null,
            "usage": usage(1),
        });
        event(framing, json!({ "type": "message_start", "message": message }));
    }
    match piece {
        Piece::Thinking(text) => {
            fill(framing, true, text);
            piece_of(framing, json!({ "type": "thinking_delta", "thinking": text }));
        }
        Piece::HiddenThought => {
            close(framing);
            let data = signature();
            let block = json!({ "type": "redacted_thinking", "data": data });
            framing.mint(&data, block.clone());
            whole_block(framing, block, &[]);
        }
        Piece::Text(text) => {
            fill(framing, false, text);
            piece_of(framing, json!({ "type": "text_delta", "text": text }));
        }
        Piece::Calls(calls) => {
            close(framing);
            for (name, args) in calls {
                let block = json!({
                    "type": "tool_use", "id": format!("toolu_{:024}", mint()), "name": name, "input": {},
                    "caller": { "type": "direct" },
                });
                let args = arguments(args);
                let mut pieces = vec![String::new()];
                if args != "{}" {
                    pieces.extend(fragments(&args));
                }
                whole_block(framing, block, &pieces);
            }
        }
        Piece::SignedEnd => {}
        Piece::End => {
            close(framing);
            let natural = if framing.calls > 0 { "tool_use" } else { "end_turn" };
            end(framing, natural, Value::Null);
        }
        Piece::Blocked(_) => {
            let details = json!({
                "type": "refusal", "category": "cyber", "explanation": "This request was blocked.",
                "recommended_model": null,
            });
            end(framing, "refusal", details);
        }
        Piece::Failed(api_error) => {
            let error = json!({ "type": api_error.anthropic_type(), "message": api_error.message });
            event(framing, json!({ "type": "error", "error": error }));
        }
    }
}

/// Adds to the open block of this kind; opens one if needed.
fn fill(framing: &mut Framing, is_thought: bool, text: &str) {
    if framing.open.as_ref().is_none_or(|open| open.is_thought != is_thought) {
        close(framing);
        let block = if is_thought {
            json!({ "type": "thinking", "thinking": "", "signature": "" })
        } else {
            json!({ "type": "text", "text": "" })
        };
        let index = framing.count;
        event(framing, json!({ "type": "content_block_start", "index": index, "content_block": block }));
        if index == 0 {
            event(framing, json!({ "type": "ping" }));
        }
        framing.open = Some(Open { is_thought, id: String::new(), text: String::new() });
    }
    if let Some(open) = &mut framing.open {
        open.text.push_str(text);
    }
}

fn piece_of(framing: &mut Framing, delta: Value) {
    let index = framing.count;
    event(framing, json!({ "type": "content_block_delta", "index": index, "delta": delta }));
}

/// Closes the open block, and signs it if it is thinking.
fn close(framing: &mut Framing) {
    let Some(open) = framing.open.take() else { return };
    if open.is_thought {
        let signature = signature();
        let block = json!({ "type": "thinking", "thinking": open.text, "signature": signature });
        framing.mint(&signature, block);
        piece_of(framing, json!({ "type": "signature_delta", "signature": signature }));
    }
    let index = framing.count;
    event(framing, json!({ "type": "content_block_stop", "index": index }));
    framing.count += 1;
}

fn whole_block(framing: &mut Framing, block: Value, pieces: &[String]) {
    let index = framing.count;
    event(framing, json!({ "type": "content_block_start", "index": index, "content_block": block }));
    for piece in pieces {
        piece_of(framing, json!({ "type": "input_json_delta", "partial_json": piece }));
    }
    event(framing, json!({ "type": "content_block_stop", "index": index }));
    framing.count += 1;
}

fn end(framing: &mut Framing, reason: &str, details: Value) {
    let delta = json!({ "stop_reason": reason, "stop_sequence": null, "stop_details": details });
    let usage = usage(framing.words + framing.thoughts);
    event(framing, json!({ "type": "message_delta", "delta": delta, "usage": usage }));
    event(framing, json!({ "type": "message_stop" }));
}

fn usage(output: usize) -> Value {
    json!({
        "input_tokens": PROMPT_TOKENS, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
        "output_tokens": output,
    })
}

fn event(framing: &mut Framing, event: Value) {
    let name = event.get("type").and_then(Value::as_str).map(str::to_owned);
    framing.sequence += 1;
    let padding = " ".repeat(framing.sequence * 5 % 13);
    framing.event(name.as_deref(), &format!("{event}{padding}"));
}

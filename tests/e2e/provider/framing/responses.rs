//! Events of OpenAI's Responses: numbered; items are added, filled and completed; the whole answer is repeated at the
//! end.

use serde_json::{Value, json};

use super::super::script::Piece;
use super::{Framing, Open, PROMPT_TOKENS, arguments, fragments, mint, signature, with};

pub(super) fn say(framing: &mut Framing, piece: &Piece) {
    if !framing.has_begun {
        framing.has_begun = true;
        for kind in ["response.created", "response.in_progress"] {
            let response = response(framing, "in_progress");
            event(framing, json!({ "type": kind, "response": response }));
        }
    }
    match piece {
        Piece::Thinking(text) => {
            fill(framing, true, text);
            let id = framing.open.as_ref().map(|open| open.id.clone());
            let index = framing.count;
            event(
                framing,
                json!({
                    "type": "response.reasoning_summary_text.delta", "item_id": id, "output_index": index,
                    "summary_index": 0, "delta": text,
                }),
            );
        }
        Piece::HiddenThought => {
            close(framing);
            let id = format!("rs_{:040x}", mint());
            let added = json!({ "id": id, "type": "reasoning", "summary": [] });
            item(framing, "added", added);
            sealed(framing, &id, json!([]));
        }
        Piece::Text(text) => {
            fill(framing, false, text);
            let id = framing.open.as_ref().map(|open| open.id.clone());
            let index = framing.count;
            event(
                framing,
                json!({
                    "type": "response.output_text.delta", "item_id": id, "output_index": index,
                    "content_index": 0, "delta": text, "logprobs": [], "obfuscation": "k2",
                }),
            );
        }
        Piece::Calls(calls) => {
            close(framing);
            for (name, args) in calls {
                call(framing, name, args);
            }
        }
        Piece::SignedEnd => {}
        Piece::End => {
            close(framing);
            end(framing, None);
        }
        Piece::Blocked(_) => end(framing, Some("content_filter")),
        Piece::Failed(api_error) => {
            let error = api_error.openai_error();
            event(framing, json!({ "type": "error", "error": error }));
            let failure = json!({ "code": error.get("code"), "message": api_error.message });
            let response = with(response(framing, "failed"), "error", failure);
            event(framing, json!({ "type": "response.failed", "response": response }));
        }
    }
}

fn fill(framing: &mut Framing, is_thought: bool, text: &str) {
    if framing.open.as_ref().is_none_or(|open| open.is_thought != is_thought) {
        close(framing);
        let id = format!("{}_{:040x}", if is_thought { "rs" } else { "msg" }, mint());
        let index = framing.count;
        if is_thought {
            item(framing, "added", json!({ "id": id, "type": "reasoning", "summary": [] }));
            event(
                framing,
                json!({
                    "type": "response.reasoning_summary_part.added", "item_id": id, "output_index": index,
                    "summary_index": 0, "part": { "type": "summary_text", "text": "" },
                }),
            );
        } else {
            let message = json!({
                "id": id, "type": "message", "status": "in_progress", "role": "assistant", "content": [],
            });
            item(framing, "added", message);
            event(
                framing,
                json!({
                    "type": "response.content_part.added", "item_id": id, "output_index": index,
                    "content_index": 0,
                    "part": { "type": "output_text", "annotations": [], "logprobs": [], "text": "" },
                }),
            );
        }
        framing.open = Some(Open { is_thought, id, text: String::new() });
    }
    if let Some(open) = &mut framing.open {
        open.text.push_str(text);
    }
}

fn close(framing: &mut Framing) {
    let Some(open) = framing.open.take() else { return };
    let index = framing.count;
    if open.is_thought {
        event(
            framing,
            json!({
                "type": "response.reasoning_summary_text.done", "item_id": open.id, "output_index": index,
                "summary_index": 0, "text": open.text,
            }),
        );
        sealed(framing, &open.id, json!([{ "type": "summary_text", "text": open.text }]));
        return;
    }
    event(
        framing,
        json!({
            "type": "response.output_text.done", "item_id": open.id, "output_index": index,
            "content_index": 0, "text": open.text, "logprobs": [],
        }),
    );
    let part = json!({ "type": "output_text", "annotations": [], "logprobs": [], "text": open.text });
    let message = json!({
        "id": open.id, "type": "message", "status": "completed", "role": "assistant", "content": [part],
    });
    item(framing, "done", message);
}

/// Ends a reasoning item; its encrypted content must be sent back.
fn sealed(framing: &mut Framing, id: &str, summary: Value) {
    let seal = signature();
    let done = json!({ "id": id, "type": "reasoning", "encrypted_content": seal, "summary": summary });
    framing.mint(&seal, done.clone());
    item(framing, "done", done);
}

fn call(framing: &mut Framing, name: &str, args: &Value) {
    let number = mint();
    let args = arguments(args);
    let made = |arguments: &str, status: &str| {
        json!({
            "id": format!("fc_{number:040x}"), "type": "function_call", "status": status,
            "arguments": arguments, "call_id": format!("call_{number:024}"), "name": name,
        })
    };
    item(framing, "added", made("", "in_progress"));
    let (id, index) = (format!("fc_{number:040x}"), framing.count);
    for piece in fragments(&args) {
        event(
            framing,
            json!({
                "type": "response.function_call_arguments.delta", "item_id": id, "output_index": index,
                "delta": piece,
            }),
        );
    }
    event(
        framing,
        json!({
            "type": "response.function_call_arguments.done", "item_id": id, "output_index": index,
            "arguments": args,
        }),
    );
    item(framing, "done", made(&args, "completed"));
}

/// Event of an added or completed item.
fn item(framing: &mut Framing, what: &str, item: Value) {
    let index = framing.count;
    let kind = format!("response.output_item.{what}");
    event(framing, json!({ "type": kind, "output_index": index, "item": item }));
    if what == "done" {
        framing.items.push(item);
        framing.count += 1;
    }
}

fn end(framing: &mut Framing, reason: Option<&str>) {
    let status = if reason.is_some() { "incomplete" } else { "completed" };
    let why = reason.map_or(Value::Null, |reason| json!({ "reason": reason }));
    let usage = json!({
        "input_tokens": PROMPT_TOKENS,
        "input_tokens_details": { "cached_tokens": 0 },
        "output_tokens": framing.words + framing.thoughts,
        "output_tokens_details": { "reasoning_tokens": framing.thoughts },
        "total_tokens": PROMPT_TOKENS + framing.words + framing.thoughts,
    });
    let response = with(with(response(framing, status), "incomplete_details", why), "usage", usage);
    event(framing, json!({ "type": format!("response.{status}"), "response": response }));
}

fn response(framing: &Framing, status: &str) -> Value {
    json!({
        "id": format!("resp_{:048}", framing.number), "object": "response", "created_at": 1_795_000_000,
        "status": status, "background": false, "error": null, "incomplete_details": null,
        "model": framing.model, "output": framing.items, "store": false, "usage": null,
    })
}

fn event(framing: &mut Framing, mut event: Value) {
    if let Some(fields) = event.as_object_mut() {
        fields.entry("sequence_number").or_insert_with(|| framing.sequence.into());
    }
    framing.sequence += 1;
    let name = event.get("type").and_then(Value::as_str).map(str::to_owned);
    framing.event(name.as_deref(), &event.to_string());
}

//! Chunks of Chat Completions with the differences of its hosts: thinking, complete or partial calls, mid-stream
//! errors.

use serde_json::{Value, json};

use super::super::rules::{Host, detail_key};
use super::super::script::Piece;
use super::{Framing, PROMPT_TOKENS, arguments, fragments, mint, signature, with};

pub(super) fn say(framing: &mut Framing, piece: &Piece) {
    if !framing.has_begun {
        framing.has_begun = true;
        if framing.host == Host::OpenRouter {
            framing.out.extend_from_slice(b": OPENROUTER PROCESSING\n\n");
        }
        let content = if framing.host == Host::Local { Value::Null } else { "".into() };
        delta(framing, json!({ "role": "assistant", "content": content }));
    }
    match piece {
        Piece::Thinking(text) => thinking(framing, text),
        Piece::HiddenThought => {
            if framing.host == Host::OpenRouter {
                let data = signature();
                let detail = json!({
                    "type": "reasoning.encrypted", "data": data, "format": "openai-responses-v1", "index": 1,
                });
                framing.mint(&detail_key(&data), detail.clone());
                delta(framing, json!({ "content": "", "reasoning_details": [detail] }));
            }
        }
        Piece::Text(text) => {
            seal(framing);
            delta(framing, json!({ "content": text }));
        }
        Piece::Calls(calls) => {
            seal(framing);
            calls_made(framing, calls);
        }
        Piece::SignedEnd => {}
        Piece::End => {
            seal(framing);
            let natural = if framing.calls > 0 { "tool_calls" } else { "stop" };
            end(framing, natural);
        }
        Piece::Blocked(_) => end(framing, "content_filter"),
        Piece::Failed(api_error) => {
            let error = api_error.openai_error();
            match framing.host {
                Host::Groq => framing.event(Some("error"), &json!({ "error": error }).to_string()),
                Host::OpenRouter => {
                    let chunk = chunk(framing, json!({ "content": "" }), Some("error"));
                    let error = json!({ "code": api_error.code, "message": api_error.message });
                    let chunk = with(chunk, "error", error);
                    framing.event(None, &chunk.to_string());
                }
                Host::Openai
                | Host::Mistral
                | Host::DeepSeek
                | Host::Xai
                | Host::Perplexity
                | Host::Local
                | Host::Other => framing.event(None, &json!({ "error": error }).to_string()),
            }
        }
    }
}

fn thinking(framing: &mut Framing, text: &str) {
    match framing.host {
        Host::OpenRouter => {
            let detail = json!({
                "type": "reasoning.text", "text": text, "format": "anthropic-claude-v1", "index": 0,
            });
            framing.mint(&detail_key(text), detail.clone());
            delta(framing, json!({ "content": "", "reasoning": text, "reasoning_details": [detail] }));
        }
        Host::Groq => delta(framing, json!({ "reasoning": text, "channel": "analysis" })),
        Host::Mistral => {
            let part = json!({ "type": "thinking", "thinking": [{ "type": "text", "text": text }] });
            delta(framing, json!({ "content": [part] }));
        }
        Host::Perplexity => {
            // The first delta opens the tag; `seal` closes it.
            let tag = if framing.thought == text { "<think>" } else { "" };
            delta(framing, json!({ "content": format!("{tag}{text}") }));
        }
        Host::Openai | Host::DeepSeek | Host::Xai | Host::Local | Host::Other => {
            delta(framing, json!({ "content": null, "reasoning_content": text }));
        }
    }
}

/// Ends thinking and records what must be sent back.
fn seal(framing: &mut Framing) {
    if framing.is_signed || framing.thought.is_empty() {
        return;
    }
    framing.is_signed = true;
    let thought = framing.thought.clone();
    if framing.host == Host::Perplexity {
        delta(framing, json!({ "content": "</think>\n" }));
    }
    if framing.host == Host::OpenRouter {
        let signature = signature();
        let last = json!({
            "type": "reasoning.text", "signature": signature, "format": "anthropic-claude-v1", "index": 0,
        });
        let whole = with(last.clone(), "text", thought.clone().into());
        // It may be sent back in its original pieces or joined.
        framing.mint(&detail_key(&signature), json!([last, whole]));
        delta(framing, json!({ "content": "", "reasoning_details": [last] }));
    }
    framing.mint(&thought.clone(), thought.into());
}

fn calls_made(framing: &mut Framing, calls: &[(String, Value)]) {
    let first = framing.calls - calls.len();
    for (place, (name, args)) in calls.iter().enumerate() {
        let index = first + place;
        let number = mint();
        let id = match framing.host {
            Host::Mistral => format!("Ab{number:07}"),
            Host::Local => format!("{number:032}"),
            Host::Groq => format!("functions.{name}:{index}"),
            Host::Openai | Host::OpenRouter | Host::DeepSeek | Host::Xai | Host::Perplexity | Host::Other => {
                format!("call_{number:024}")
            }
        };
        let args = arguments(args);
        let is_whole = matches!(framing.host, Host::Mistral | Host::Xai | Host::Groq);
        let first_arguments = if is_whole { args.clone() } else { String::new() };
        let call = json!({
            "index": index, "id": id, "type": "function", "function": { "name": name, "arguments": first_arguments },
        });
        delta(framing, json!({ "tool_calls": [call] }));
        if !is_whole {
            for piece in fragments(&args) {
                let more = json!({ "index": index, "function": { "arguments": piece } });
                delta(framing, json!({ "tool_calls": [more] }));
            }
        }
    }
}

fn end(framing: &mut Framing, reason: &str) {
    let usage = json!({
        "prompt_tokens": PROMPT_TOKENS,
        "completion_tokens": framing.words + framing.thoughts,
        "total_tokens": PROMPT_TOKENS + framing.words + framing.thoughts,
        "completion_tokens_details": { "reasoning_tokens": framing.thoughts },
    });
    let last = chunk(framing, json!({}), Some(reason));
    if matches!(framing.host, Host::Mistral | Host::DeepSeek) {
        framing.event(None, &with(last, "usage", usage).to_string());
    } else {
        framing.event(None, &last.to_string());
        let counted = with(chunk(framing, json!({}), None), "choices", json!([]));
        framing.event(None, &with(counted, "usage", usage).to_string());
    }
    if framing.host != Host::Perplexity {
        framing.event(None, "[DONE]");
    }
}

fn delta(framing: &mut Framing, delta: Value) {
    let chunk = chunk(framing, delta, None);
    framing.event(None, &chunk.to_string());
}

fn chunk(framing: &Framing, delta: Value, finish: Option<&str>) -> Value {
    json!({
        "id": format!("chatcmpl-{}", framing.number),
        "object": "chat.completion.chunk",
        "created": 1_795_000_000,
        "model": framing.model,
        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }],
        "usage": null,
        "obfuscation": "x7",
    })
}

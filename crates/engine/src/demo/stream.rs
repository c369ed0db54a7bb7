//! Encodes a reply as Gemini's events, with ids, signatures, token counts and pauses.

use serde_json::{Value, json};

use super::{Beat, MODEL, Script};
use crate::demo::request::DemoRequest;

/// Pause before the first piece.
const FIRST_PAUSE_MS: u32 = 600;
/// Pause between two pieces of text.
const PIECE_PAUSE_MS: u32 = 55;
/// Pause before a tool call, and for each kilobyte of its arguments: a file takes longer to write than a note.
const CALL_PAUSE_MS: u32 = 450;
const CALL_PAUSE_PER_KB_MS: u32 = 450;
const CALL_PAUSE_MOST_MS: u32 = 2_200;
/// Max words and characters per piece of text.
const WORDS_PER_PIECE: usize = 3;
const CHARS_PER_PIECE: usize = 28;
/// Rough number of characters per token; the counts are estimates.
const CHARS_PER_TOKEN: usize = 4;

/// An agent's reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct DemoReply {
    /// The summary of its thinking.
    pub(super) thought: String,
    pub(super) text: String,
    /// Its tool calls: name and arguments.
    pub(super) calls: Vec<(String, Value)>,
}

impl DemoReply {
    /// A reply with thinking and text; calls can be added.
    pub(super) fn new(thought: impl Into<String>, text: impl Into<String>) -> Self {
        Self { thought: thought.into(), text: text.into(), calls: Vec::new() }
    }

    /// A reply without thinking.
    pub(super) fn with_text(text: impl Into<String>) -> Self {
        Self::new("", text)
    }

    /// Adds a call.
    pub(super) fn call(mut self, tool: &str, args: Value) -> Self {
        self.calls.push((tool.to_owned(), args));
        self
    }
}

/// A response with one JSON document.
pub(super) fn json(status: u16, body: &Value) -> Script {
    let beat = Beat { pause_ms: 0, bytes: body.to_string().into_bytes() };
    Script { status, content_type: "application/json; charset=UTF-8", beats: vec![beat] }
}

/// An error in Gemini's format.
pub(super) fn error(code: u16, status: &str, message: &str) -> Script {
    json(code, &json!({ "error": { "code": code, "message": message, "status": status } }))
}

pub(super) fn events(request: &DemoRequest, reply: &DemoReply, pace_percent: u16) -> Script {
    let mut stream = Stream {
        response_id: format!("demo-{}", digits(request, 0, 16)),
        prompt_tokens: request.request_bytes.div_ceil(CHARS_PER_TOKEN),
        thought_chars: 0,
        answer_chars: 0,
        pace_percent,
        next_pause_ms: FIRST_PAUSE_MS,
        beats: Vec::new(),
    };
    for piece in pieces(&reply.thought) {
        stream.thought_chars += piece.chars().count();
        stream.push(PIECE_PAUSE_MS, &json!([{ "text": piece, "thought": true }]), None);
    }
    for piece in pieces(&reply.text) {
        stream.answer_chars += piece.chars().count();
        stream.push(PIECE_PAUSE_MS, &json!([{ "text": piece }]), None);
    }
    for (index, (tool, args)) in reply.calls.iter().enumerate() {
        let size = args.to_string().len();
        stream.answer_chars += size;
        let mut part = json!({
            "functionCall": { "id": format!("dc{}", digits(request, index, 12)), "name": tool, "args": args }
        });
        // Like Gemini, signs only the first of parallel calls.
        if let (0, Some(part)) = (index, part.as_object_mut()) {
            part.insert("thoughtSignature".to_owned(), signature(request));
        }
        let kilobytes = u32::try_from(size / 1024).unwrap_or(u32::MAX);
        let pause = CALL_PAUSE_MS.saturating_add(kilobytes.saturating_mul(CALL_PAUSE_PER_KB_MS));
        stream.push(pause.min(CALL_PAUSE_MOST_MS), &json!([part]), None);
    }
    let last = if reply.calls.is_empty() {
        json!([{ "text": "", "thoughtSignature": signature(request) }])
    } else {
        json!([{ "text": "" }])
    };
    stream.push(PIECE_PAUSE_MS, &last, Some("STOP"));
    Script { status: 200, content_type: "text/event-stream", beats: stream.beats }
}

struct Stream {
    response_id: String,
    prompt_tokens: usize,
    thought_chars: usize,
    answer_chars: usize,
    pace_percent: u16,
    next_pause_ms: u32,
    beats: Vec<Beat>,
}

impl Stream {
    fn push(&mut self, pause_ms: u32, parts: &Value, finish: Option<&str>) {
        let mut candidate = json!({ "content": { "parts": parts, "role": "model" }, "index": 0 });
        if let (Some(finish), Some(candidate)) = (finish, candidate.as_object_mut()) {
            candidate.insert("finishReason".to_owned(), finish.into());
        }
        let event = json!({
            "candidates": [candidate],
            "usageMetadata": self.usage(),
            "modelVersion": MODEL,
            "responseId": self.response_id,
        });
        let pause = self.next_pause_ms.max(pause_ms);
        self.next_pause_ms = 0;
        self.beats.push(Beat {
            pause_ms: pause.saturating_mul(self.pace_percent.into()) / 100,
            bytes: format!("data: {event}\r\n\r\n").into_bytes(),
        });
    }

    fn usage(&self) -> Value {
        let thoughts = self.thought_chars.div_ceil(CHARS_PER_TOKEN);
        let answer = self.answer_chars.div_ceil(CHARS_PER_TOKEN);
        json!({
            "promptTokenCount": self.prompt_tokens,
            "candidatesTokenCount": answer,
            "thoughtsTokenCount": thoughts,
            "totalTokenCount": self.prompt_tokens + answer + thoughts,
        })
    }
}

/// Digits of the request's hash, different for each `salt`.
fn digits(request: &DemoRequest, salt: usize, most: usize) -> String {
    let hash = nexus_text::content_hash::ContentHash::of_text(&format!("{} {salt}", request.seed));
    hash.to_string().chars().take(most).collect()
}

/// An opaque base64 text, like real signatures.
fn signature(request: &DemoRequest) -> Value {
    Value::from(digits(request, usize::MAX, 64))
}

/// Splits `text` into pieces of a few words, without loss.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut words = 0;
    let mut length = 0;
    for c in text.chars() {
        piece.push(c);
        length += 1;
        words += usize::from(c.is_whitespace());
        if words >= WORDS_PER_PIECE || length >= CHARS_PER_PIECE {
            pieces.push(std::mem::take(&mut piece));
            words = 0;
            length = 0;
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_small_and_lose_nothing() {
        for text in ["", "one", "a plan of six words here\n\n- and a list", &"長".repeat(100)] {
            let pieces = pieces(text);
            assert_eq!(pieces.concat(), text);
            assert!(pieces.iter().all(|piece| piece.chars().count() <= CHARS_PER_PIECE));
        }
    }
}

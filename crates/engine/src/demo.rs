//! The demo: a stand-in model that plays prepared scenarios without a key and without the network.
//!
//! Answers in Gemini's protocol from the request alone: equal requests get equal bytes. `request` parses the request;
//! `play` answers where a scenario is prepared (`scenario`), `unprepared` everything else; this file writes the reply
//! as server-sent events. Never claims a feature, a test or a finding that it did not compute.

mod play;
mod request;
mod review;
mod scenario;
mod text;
mod unprepared;

use crate::demo::request::DemoRequest;
use crate::demo::scenario::Scenario;
use crate::prelude::*;
use nexus_model::provider::presets::demo_objective;
use nexus_providers::http::{HttpRequest, Method};

/// The id of the only model on the list.
pub const MODEL: &str = "rehearsal-1";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demo {
    /// Duration of its pauses in percent of the normal pace; 0 answers at once.
    pub pace_percent: u16,
}

impl Default for Demo {
    fn default() -> Self {
        Self { pace_percent: 100 }
    }
}

/// An HTTP response as a sequence of writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Script {
    pub status: u16,
    pub content_type: &'static str,
    pub beats: Vec<Beat>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beat {
    pub pause_ms: u32,
    pub bytes: Vec<u8>,
}

impl Demo {
    /// Answers `request`: the list of models, or a streamed turn of whichever agent the system prompt names.
    pub fn answer(self, request: &HttpRequest) -> Script {
        let path = request.url.split(['?', '#']).next().unwrap_or_default();
        match request.method {
            Method::Get if path.ends_with("/models") => json(200, &json!({ "models": [model()] })),
            Method::Get if path.ends_with(&format!("/models/{MODEL}")) => json(200, &model()),
            Method::Post if path.ends_with(":streamGenerateContent") => self.turn(request),
            Method::Get | Method::Post => {
                error(404, "NOT_FOUND", &format!("The demo has nothing at {path}."))
            }
        }
    }

    fn turn(self, request: &HttpRequest) -> Script {
        match request::request(request.body.as_deref().unwrap_or_default()) {
            Ok(request) => events(&request, &reply(&request), self.pace_percent),
            Err(problem) => error(400, "INVALID_ARGUMENT", &problem),
        }
    }
}

fn reply(request: &DemoRequest) -> DemoReply {
    if let Some(reply) = unprepared::job_reply(request) {
        return reply;
    }
    // The current message takes precedence over the objective.
    let named = demo_objective(&request.message).or_else(|| demo_objective(&request.mind.objective));
    match named.and_then(|one| Scenario::of(one.title)) {
        Some(scenario) => play::reply(request, &scenario),
        None => unprepared::reply(request),
    }
}

fn model() -> serde_json::Value {
    json!({
        "name": format!("models/{MODEL}"),
        "version": "1",
        "displayName": "Demo",
        "description": "Plays prepared scenarios on this device: no model, no key, no network.",
        "inputTokenLimit": 1_048_576,
        "outputTokenLimit": 65_536,
        "supportedGenerationMethods": ["generateContent"],
        "thinking": true,
    })
}

const FIRST_PAUSE_MS: u32 = 600;
const PIECE_PAUSE_MS: u32 = 55;
/// Pause before a tool call, and for each kilobyte of its arguments: a file takes longer to write than a note.
const CALL_PAUSE_MS: u32 = 450;
const CALL_PAUSE_PER_KB_MS: u32 = 450;
const CALL_PAUSE_MOST_MS: u32 = 2_200;
const WORDS_PER_PIECE: usize = 3;
const CHARS_PER_PIECE: usize = 28;
/// Rough number of characters per token; the counts are estimates.
const CHARS_PER_TOKEN: usize = 4;

#[derive(Clone, Debug, Default, PartialEq)]
struct DemoReply {
    thought: String,
    text: String,
    /// Its tool calls: name and arguments.
    calls: Vec<(String, Value)>,
}

impl DemoReply {
    fn new(thought: impl Into<String>, text: impl Into<String>) -> Self {
        Self { thought: thought.into(), text: text.into(), calls: Vec::new() }
    }

    fn with_text(text: impl Into<String>) -> Self {
        Self::new("", text)
    }

    fn call(mut self, tool: &str, args: Value) -> Self {
        self.calls.push((tool.to_owned(), args));
        self
    }
}

fn json(status: u16, body: &Value) -> Script {
    let beat = Beat { pause_ms: 0, bytes: body.to_string().into_bytes() };
    Script { status, content_type: "application/json; charset=UTF-8", beats: vec![beat] }
}

fn error(code: u16, status: &str, message: &str) -> Script {
    json(code, &json!({ "error": { "code": code, "message": message, "status": status } }))
}

fn events(request: &DemoRequest, reply: &DemoReply, pace_percent: u16) -> Script {
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
mod tests;

#[cfg(test)]
mod stream_tests;

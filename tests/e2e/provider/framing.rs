//! Encodes scripted replies as events of each protocol, one file for each, as in recordings.
//!
//! Tracks the state of a reply in progress and records its opaque data, which must be sent back.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;

use std::sync::atomic::{AtomicU64, Ordering};

use nexus_model::provider::Protocol;
use serde_json::Value;

use super::rules::{ApiError, Host, Signed};
use super::script::Piece;

/// Token count reported for every prompt.
const PROMPT_TOKENS: usize = 100;

/// A reply in progress.
pub(crate) struct Framing {
    protocol: Protocol,
    host: Host,
    model: String,
    number: usize,
    out: Vec<u8>,
    issued: Vec<(String, Signed)>,
    has_begun: bool,
    /// The open block or item.
    open: Option<Open>,
    /// Number of blocks, items or events.
    count: usize,
    sequence: usize,
    calls: usize,
    words: usize,
    thoughts: usize,
    is_signed: bool,
    /// All thinking so far.
    thought: String,
    /// Completed items, for the protocol that repeats them at the end.
    items: Vec<Value>,
}

/// A block or item that is being filled.
struct Open {
    is_thought: bool,
    id: String,
    text: String,
}

impl Framing {
    pub(crate) fn new(protocol: Protocol, host: Host, model: &str, number: usize) -> Self {
        Self {
            protocol,
            host,
            model: model.to_owned(),
            number,
            out: Vec::new(),
            issued: Vec::new(),
            has_begun: false,
            open: None,
            count: 0,
            sequence: 0,
            calls: 0,
            words: 0,
            thoughts: 0,
            is_signed: false,
            thought: String::new(),
            items: Vec::new(),
        }
    }

    /// Encodes a piece.
    pub(crate) fn say(&mut self, piece: &Piece) -> Vec<u8> {
        match piece {
            Piece::Thinking(text) => {
                self.thoughts += text.split_whitespace().count();
                self.thought.push_str(text);
            }
            Piece::Text(text) => self.words += text.split_whitespace().count(),
            Piece::Calls(calls) => self.calls += calls.len(),
            Piece::HiddenThought | Piece::SignedEnd | Piece::End | Piece::Blocked(_) | Piece::Failed(_) => {}
        }
        match self.protocol {
            Protocol::Gemini => gemini::say(self, piece),
            Protocol::Openai => chat::say(self, piece),
            Protocol::Responses => responses::say(self, piece),
            Protocol::Anthropic => anthropic::say(self, piece),
            Protocol::Ollama => ollama::say(self, piece),
        }
        std::mem::take(&mut self.out)
    }

    /// Opaque data since the last call.
    pub(crate) fn take_issued(&mut self) -> Vec<(String, Signed)> {
        std::mem::take(&mut self.issued)
    }

    fn mint(&mut self, key: &str, part: Value) {
        self.issued.push((key.to_owned(), Signed { model: self.model.clone(), part }));
    }

    /// A server-sent event, with its name if the protocol has names.
    fn event(&mut self, name: Option<&str>, data: &str) {
        if let Some(name) = name {
            self.out.extend_from_slice(format!("event: {name}\n").as_bytes());
        }
        self.out.extend_from_slice(format!("data: {data}\n\n").as_bytes());
    }
}

/// Body of an error in the service's format.
pub(crate) fn error_body(protocol: Protocol, api_error: &ApiError) -> Vec<u8> {
    let body = api_error.body(protocol);
    match protocol {
        Protocol::Gemini | Protocol::Openai | Protocol::Responses => format!("{body:#}\n").into_bytes(),
        Protocol::Anthropic | Protocol::Ollama => body.to_string().into_bytes(),
    }
}

/// Content type of a stream or an error.
pub(crate) fn media_type(protocol: Protocol, status: u16) -> &'static str {
    match (protocol, status) {
        (Protocol::Gemini, 400..) => "application/json; charset=UTF-8",
        (_, 400..) => "application/json",
        (Protocol::Ollama, _) => "application/x-ndjson",
        (Protocol::Anthropic | Protocol::Responses, _) => "text/event-stream; charset=utf-8",
        (Protocol::Gemini | Protocol::Openai, _) => "text/event-stream",
    }
}

/// Adds a field to an object.
fn with(mut object: Value, field: &str, value: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(field.to_owned(), value);
    }
    object
}

/// Arguments as text; a string is used unchanged, even if it is invalid JSON.
fn arguments(args: &Value) -> String {
    args.as_str().map_or_else(|| args.to_string(), str::to_owned)
}

/// A number that is unique in this process.
fn mint() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    COUNT.fetch_add(1, Ordering::Relaxed)
}

/// A signature with every character of base64 that needs care.
fn signature() -> String {
    format!("CiQB/+9sig/{:04x}aGk==", mint())
}

/// Splits a text into short fragments, as models stream arguments.
fn fragments(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(7).map(|piece| piece.iter().collect()).collect()
}

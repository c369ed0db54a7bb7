//! Encodes scripted answers as each protocol's events, one file for each, as in recordings.
//!
//! Keeps the state of an answer in progress and records its opaque data, which must be sent back.

mod anthropic;
mod chat;
mod gemini;
mod ollama;
mod responses;

use std::sync::atomic::{AtomicU64, Ordering};

use nexus_model::provider::Protocol;
use serde_json::Value;

use super::rules::{Host, Refusal, Signed};
use super::script::Piece;

/// How many tokens every prompt is said to have.
const PROMPT_TOKENS: usize = 100;

/// One answer on its way out.
pub(crate) struct Framing {
    protocol: Protocol,
    host: Host,
    model: String,
    number: usize,
    out: Vec<u8>,
    minted: Vec<(String, Signed)>,
    is_begun: bool,
    /// The block or item that is being filled.
    open: Option<Open>,
    /// How many blocks, items or events were begun.
    count: usize,
    sequence: usize,
    calls: usize,
    words: usize,
    thoughts: usize,
    is_signed: bool,
    /// All the thinking so far.
    thought: String,
    /// Items that are done, for the protocol that repeats them at the end.
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
            minted: Vec::new(),
            is_begun: false,
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

    /// The bytes of this piece.
    pub(crate) fn say(&mut self, piece: &Piece) -> Vec<u8> {
        match piece {
            Piece::Thinking(text) => {
                self.thoughts += text.split_whitespace().count();
                self.thought.push_str(text);
            }
            Piece::Text(text) => self.words += text.split_whitespace().count(),
            Piece::Calls(calls) => self.calls += calls.len(),
            Piece::HiddenThought
            | Piece::SignedEnd
            | Piece::End(_)
            | Piece::Blocked(_)
            | Piece::Failed(_) => {}
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

    /// The opaque data that was given out since this was last asked.
    pub(crate) fn take_minted(&mut self) -> Vec<(String, Signed)> {
        std::mem::take(&mut self.minted)
    }

    fn mint(&mut self, key: &str, part: Value) {
        self.minted.push((key.to_owned(), Signed { model: self.model.clone(), part }));
    }

    /// An event of a server-sent stream, with its name where the protocol names them.
    fn event(&mut self, name: Option<&str>, data: &str) {
        if let Some(name) = name {
            self.out.extend_from_slice(format!("event: {name}\n").as_bytes());
        }
        self.out.extend_from_slice(format!("data: {data}\n\n").as_bytes());
    }
}

/// The body of an error answer, as the service writes it.
pub(crate) fn error_body(protocol: Protocol, refusal: &Refusal) -> Vec<u8> {
    let body = refusal.body(protocol);
    match protocol {
        Protocol::Gemini | Protocol::Openai | Protocol::Responses => format!("{body:#}\n").into_bytes(),
        Protocol::Anthropic | Protocol::Ollama => body.to_string().into_bytes(),
    }
}

/// The type of a streamed answer, and of an error.
pub(crate) fn media_type(protocol: Protocol, status: u16) -> &'static str {
    match (protocol, status) {
        (Protocol::Gemini, 400..) => "application/json; charset=UTF-8",
        (_, 400..) => "application/json",
        (Protocol::Ollama, _) => "application/x-ndjson",
        (Protocol::Anthropic | Protocol::Responses, _) => "text/event-stream; charset=utf-8",
        (Protocol::Gemini | Protocol::Openai, _) => "text/event-stream",
    }
}

/// An object with one more field.
fn with(mut object: Value, field: &str, value: Value) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(field.to_owned(), value);
    }
    object
}

/// Arguments as their text; a text stands for itself, broken as it may be.
fn arguments(args: &Value) -> String {
    args.as_str().map_or_else(|| args.to_string(), str::to_owned)
}

/// A number that nothing else of this process gets.
fn mint() -> u64 {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    COUNT.fetch_add(1, Ordering::Relaxed)
}

/// An opaque signature with every character that base64 knows to trip on.
fn signature() -> String {
    format!("CiQB/+9sig/{:04x}aGk==", mint())
}

/// A text in pieces of a few characters, as models write arguments.
fn fragments(text: &str) -> Vec<String> {
    let letters: Vec<char> = text.chars().collect();
    letters.chunks(7).map(|piece| piece.iter().collect()).collect()
}

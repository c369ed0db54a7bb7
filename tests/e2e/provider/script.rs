//! What the fake provider is to say. Never looks at a request, never opens a socket.
//!
//! Owns [`Reply`], a status and the steps of a body down to the single byte, and [`Answer`], the
//! builder for the usual case: a model that thinks, speaks and calls functions, in the events that
//! the real service sends.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::rules::Refusal;

/// Holds an answer back until the test opens it. Clones share one gate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate(Arc<AtomicBool>);

impl Gate {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Lets every answer through that waits here, now and later.
    pub(crate) fn open(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(super) fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// One thing to do while a body is sent.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Send a `GenerateContentResponse` as an event, CRLF framed.
    Event(Value),
    /// Send these bytes as they are.
    Bytes(Vec<u8>),
    Wait(Duration),
    Hold(Gate),
    /// Break the connection without ending the body.
    Cut,
}

/// An answer of the fake provider.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(super) status: u16,
    pub(super) media_type: &'static str,
    pub(super) steps: Vec<Step>,
    /// How many bytes go out at once; all that a step has without it.
    pub(super) piece: Option<usize>,
}

impl Reply {
    /// A whole body.
    pub(crate) fn body(status: u16, media_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, media_type, steps: vec![Step::Bytes(body.into())], piece: None }
    }

    /// An error in Google's shape, pretty-printed as the service does it.
    pub(crate) fn error(refusal: &Refusal) -> Self {
        let body = format!("{:#}\n", refusal.body());
        Self::body(refusal.code, "application/json; charset=UTF-8", body)
    }

    /// 429 that asks to wait: `delay` as the service writes it, like `"2s"`.
    pub(crate) fn rate_limited(delay: &str) -> Self {
        Self::error(&Refusal {
            code: 429,
            status: "RESOURCE_EXHAUSTED",
            message: "You exceeded your current quota, please check your plan and billing details."
                .to_owned(),
            details: vec![
                json!({
                    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                    "violations": [{
                        "quotaMetric":
                            "generativelanguage.googleapis.com/generate_content_requests",
                        "quotaId": "GenerateRequestsPerMinutePerProjectPerModel",
                    }],
                }),
                json!({
                    "@type": "type.googleapis.com/google.rpc.RetryInfo",
                    "retryDelay": delay,
                }),
            ],
        })
    }

    /// 503, the service is overloaded.
    pub(crate) fn overloaded() -> Self {
        Self::error(&Refusal {
            code: 503,
            status: "UNAVAILABLE",
            message: "The model is overloaded. Please try again later.".to_owned(),
            details: Vec::new(),
        })
    }

    /// What a captive portal or a gateway says in place of an answer.
    pub(crate) fn html(status: u16, page: &str) -> Self {
        Self::body(status, "text/html; charset=utf-8", page)
    }

    /// 200 with no candidate at all: the prompt was blocked.
    pub(crate) fn blocked_prompt(reason: &str) -> Self {
        Answer::new()
            .event(json!({
                "promptFeedback": { "blockReason": reason },
                "usageMetadata": { "promptTokenCount": 100, "totalTokenCount": 100 },
            }))
            .unfinished()
            .into()
    }

    /// The same answer, sent in pieces of this many bytes.
    #[must_use]
    pub(crate) fn in_pieces(mut self, bytes: usize) -> Self {
        self.piece = Some(bytes.max(1));
        self
    }
}

/// A streamed answer of a model, written step by step. It ends with `finishReason` STOP unless told
/// otherwise.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    steps: Vec<Step>,
    finish: Option<&'static str>,
    thoughts: usize,
    words: usize,
    is_signed: bool,
}

impl Default for Answer {
    fn default() -> Self {
        Self { steps: Vec::new(), finish: Some("STOP"), thoughts: 0, words: 0, is_signed: false }
    }
}

impl Answer {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// An answer of one text, streamed word by word.
    pub(crate) fn say(text: &str) -> Self {
        text.split_inclusive(' ').fold(Self::new(), Self::text)
    }

    /// A piece of the thinking's summary.
    #[must_use]
    pub(crate) fn thinking(mut self, text: &str) -> Self {
        self.thoughts += text.split_whitespace().count();
        self.parts(vec![json!({ "text": text, "thought": true })])
    }

    /// A piece of the answer's text.
    #[must_use]
    pub(crate) fn text(mut self, text: &str) -> Self {
        self.words += text.split_whitespace().count();
        self.parts(vec![json!({ "text": text })])
    }

    /// A function call of its own event.
    #[must_use]
    pub(crate) fn call(self, name: &str, args: Value) -> Self {
        self.calls([(name, args)])
    }

    /// Parallel calls in one event. As on the real service each has an id, and only the first call
    /// of an answer is signed.
    #[must_use]
    pub(crate) fn calls<'a>(mut self, calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let mut parts = Vec::new();
        for (name, args) in calls {
            let call = json!({ "id": mint("call"), "name": name, "args": args });
            let mut part = json!({ "functionCall": call });
            if !self.is_signed
                && let Some(fields) = part.as_object_mut()
            {
                fields.insert("thoughtSignature".to_owned(), signature().into());
                self.is_signed = true;
            }
            parts.push(part);
        }
        self.parts(parts)
    }

    /// The empty, signed text with which Gemini 3 likes to end an answer.
    #[must_use]
    pub(crate) fn signed_end(self) -> Self {
        self.parts(vec![json!({ "text": "", "thoughtSignature": signature() })])
    }

    /// A candidate of these parts.
    #[must_use]
    pub(crate) fn parts(self, parts: Vec<Value>) -> Self {
        let event = json!({
            "candidates": [{ "content": { "parts": parts, "role": "model" }, "index": 0 }],
            "usageMetadata": self.usage(),
        });
        self.event(event)
    }

    /// Any event.
    #[must_use]
    pub(crate) fn event(mut self, event: Value) -> Self {
        self.steps.push(Step::Event(event));
        self
    }

    /// Bytes that are no event.
    #[must_use]
    pub(crate) fn bytes(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.steps.push(Step::Bytes(bytes.into()));
        self
    }

    #[must_use]
    pub(crate) fn wait(mut self, time: Duration) -> Self {
        self.steps.push(Step::Wait(time));
        self
    }

    /// Waits here until the gate is opened.
    #[must_use]
    pub(crate) fn hold(mut self, gate: &Gate) -> Self {
        self.steps.push(Step::Hold(gate.clone()));
        self
    }

    /// Ends with this reason instead of STOP.
    #[must_use]
    pub(crate) fn finish(mut self, reason: &'static str) -> Self {
        self.finish = Some(reason);
        self
    }

    /// The stream ends in good order but without a finish reason.
    #[must_use]
    pub(crate) fn unfinished(mut self) -> Self {
        self.finish = None;
        self
    }

    /// The connection breaks.
    #[must_use]
    pub(crate) fn cut(mut self) -> Self {
        self.steps.push(Step::Cut);
        self.unfinished()
    }

    /// After good events a bare, pretty-printed error, without `data:`, as the service does it.
    #[must_use]
    pub(crate) fn error_in_stream(self, refusal: &Refusal) -> Self {
        let text = format!("{:#}\n", refusal.body()).replace('\n', "\r\n");
        self.bytes(text).unfinished()
    }

    fn usage(&self) -> Value {
        const PROMPT: usize = 100;
        json!({
            "promptTokenCount": PROMPT,
            "candidatesTokenCount": self.words,
            "thoughtsTokenCount": self.thoughts,
            "totalTokenCount": PROMPT + self.words + self.thoughts,
        })
    }
}

impl From<Answer> for Reply {
    fn from(mut answer: Answer) -> Self {
        if let Some(reason) = answer.finish {
            let event = json!({
                "candidates": [{
                    "content": { "parts": [{ "text": "" }], "role": "model" },
                    "finishReason": reason,
                    "index": 0,
                }],
                "usageMetadata": answer.usage(),
            });
            answer.steps.push(Step::Event(event));
        }
        Self { status: 200, media_type: "text/event-stream", steps: answer.steps, piece: None }
    }
}

/// A name that no other call of this process gets.
fn mint(kind: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(1);
    format!("{kind}-{:04x}", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// An opaque signature with every character that base64 knows to trip on.
fn signature() -> String {
    format!("CiQB/+9{}aGk==", mint("sig").replace('-', "/"))
}

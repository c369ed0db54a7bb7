//! Scripts of the fake provider, independent of the protocol.
//!
//! [`Reply`] is a status and the steps of a body down to single bytes; [`Answer`] builds the usual case of a model
//! that thinks, writes and calls functions. `framing` encodes them for the requested protocol.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::rules::ApiError;

/// Holds a reply back until the test opens it. Clones share one gate.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate(Arc<AtomicBool>);

impl Gate {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Releases all replies that wait here, now and later.
    pub(crate) fn open(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(super) fn is_open(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Output of a model, independent of the protocol.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    /// A delta of the thinking summary.
    Thinking(String),
    /// Thinking that the provider does not show, in protocols that have it.
    HiddenThought,
    Text(String),
    /// Parallel calls.
    Calls(Vec<(String, Value)>),
    /// The empty, signed text at the end of Gemini 3's answers; nothing in other protocols.
    #[allow(dead_code, reason = "for the native tests")]
    SignedEnd,
    /// End of the answer, with the natural finish reason.
    End,
    /// The prompt was blocked, with Gemini's reason.
    #[allow(dead_code, reason = "for the native tests")]
    Blocked(&'static str),
    /// An error in mid-stream.
    #[allow(dead_code, reason = "for the native tests")]
    Failed(ApiError),
}

/// A step of sending a body.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Send this as encoded by the protocol.
    Say(Piece),
    /// Send the body of an error.
    Refuse(ApiError),
    /// Send these bytes unchanged.
    Bytes(Vec<u8>),
    Wait(Duration),
    Hold(Gate),
    /// Break the connection without ending the body.
    Cut,
}

/// A reply of the fake provider.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(super) status: u16,
    /// Content type; by default that of the protocol's streams or errors.
    pub(super) media_type: Option<&'static str>,
    /// Headers besides those of the protocol.
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) steps: Vec<Step>,
    /// Size of the chunks; by default one chunk for each step.
    pub(super) frames: Option<Frames>,
}

/// How a body is split into chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frames {
    /// Chunks of this many bytes.
    Of(usize),
    /// Chunks of 1 to 64 bytes with changing sizes.
    Ragged,
}

impl Frames {
    pub(super) fn size(self, number: usize) -> usize {
        match self {
            Self::Of(size) => size,
            // 37 and 64 are coprime: every size occurs.
            Self::Ragged => number * 37 % 64 + 1,
        }
    }
}

impl Reply {
    fn new(status: u16, steps: Vec<Step>) -> Self {
        Self { status, media_type: None, headers: Vec::new(), steps, frames: None }
    }

    /// A complete body.
    pub(crate) fn body(status: u16, media_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { media_type: Some(media_type), ..Self::new(status, vec![Step::Bytes(body.into())]) }
    }

    /// An error in the format of the protocol.
    pub(crate) fn error(api_error: &ApiError) -> Self {
        Self::new(api_error.code, vec![Step::Refuse(api_error.clone())])
    }

    /// 429 with a delay as Google writes it, like `"2s"`; other protocols encode it in their own way.
    pub(crate) fn rate_limited(delay: &str) -> Self {
        Self::error(&ApiError {
            code: 429,
            status: "RESOURCE_EXHAUSTED",
            message: format!(
                "You exceeded your current quota, please check your plan and billing details. Please try again in \
                 {delay}."
            ),
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

    /// 503: the service is overloaded.
    pub(crate) fn overloaded() -> Self {
        Self::error(&ApiError {
            code: 503,
            status: "UNAVAILABLE",
            message: "The model is overloaded. Please try again later.".to_owned(),
            details: Vec::new(),
        })
    }

    /// 429 that no retry helps against: the quota is used up.
    #[allow(dead_code, reason = "for the native tests")]
    pub(crate) fn spent() -> Self {
        Self::error(&ApiError {
            code: 429,
            status: "insufficient_quota",
            message: "You exceeded your current quota, please check your plan and billing details."
                .to_owned(),
            details: Vec::new(),
        })
    }

    /// A page of a captive portal or a gateway instead of a reply.
    #[allow(dead_code, reason = "for the native tests")]
    pub(crate) fn html(status: u16, page: &str) -> Self {
        Self::body(status, "text/html; charset=utf-8", page)
    }

    /// A redirect.
    pub(crate) fn redirect(to: &str) -> Self {
        Self::body(307, "text/plain", "").with_header("location", to)
    }

    /// 200 without an answer: the prompt was blocked.
    #[allow(dead_code, reason = "for the native tests")]
    pub(crate) fn blocked_prompt(reason: &'static str) -> Self {
        Self::new(200, vec![Step::Say(Piece::Blocked(reason))])
    }

    /// Sends the reply in chunks of this many bytes.
    #[must_use]
    pub(crate) fn in_pieces(mut self, bytes: usize) -> Self {
        self.frames = Some(Frames::Of(bytes.max(1)));
        self
    }

    /// Sends the reply in chunks of 1 to 64 bytes.
    #[must_use]
    pub(crate) fn in_ragged_pieces(mut self) -> Self {
        self.frames = Some(Frames::Ragged);
        self
    }

    /// Adds a header that the page may read.
    #[must_use]
    pub(crate) fn with_header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// A streamed answer of a model, built step by step. It ends as usual for the protocol unless changed.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(super) steps: Vec<Step>,
    end: Option<Piece>,
}

impl Default for Answer {
    fn default() -> Self {
        Self { steps: Vec::new(), end: Some(Piece::End) }
    }
}

impl Answer {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// An answer with one text, streamed word by word.
    pub(crate) fn say(text: &str) -> Self {
        text.split_inclusive(' ').fold(Self::new(), Self::text)
    }

    /// A delta of the thinking summary.
    #[must_use]
    pub(crate) fn thinking(self, text: &str) -> Self {
        self.piece(Piece::Thinking(text.to_owned()))
    }

    /// Thinking that is only sent encrypted.
    #[must_use]
    pub(crate) fn hidden_thought(self) -> Self {
        self.piece(Piece::HiddenThought)
    }

    /// A delta of the answer's text.
    #[must_use]
    pub(crate) fn text(self, text: &str) -> Self {
        self.piece(Piece::Text(text.to_owned()))
    }

    /// A single function call.
    #[must_use]
    pub(crate) fn call(self, name: &str, args: Value) -> Self {
        self.calls([(name, args)])
    }

    /// Parallel calls. As on the real services each has an id.
    #[must_use]
    pub(crate) fn calls<'a>(self, calls: impl IntoIterator<Item = (&'a str, Value)>) -> Self {
        let calls = calls.into_iter().map(|(name, args)| (name.to_owned(), args));
        self.piece(Piece::Calls(calls.collect()))
    }

    /// The empty, signed text at the end of Gemini 3's answers.
    #[must_use]
    #[allow(dead_code, reason = "for the native tests")]
    pub(crate) fn signed_end(self) -> Self {
        self.piece(Piece::SignedEnd)
    }

    /// Raw bytes.
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

    /// Ends the stream properly but without a finish reason.
    #[must_use]
    pub(crate) fn unfinished(mut self) -> Self {
        self.end = None;
        self
    }

    /// Breaks the connection.
    #[must_use]
    pub(crate) fn cut(mut self) -> Self {
        self.steps.push(Step::Cut);
        self.unfinished()
    }

    /// Sends an error after valid events, as services do in mid-stream.
    #[allow(dead_code, reason = "for the native tests")]
    #[must_use]
    pub(crate) fn error_in_stream(self, api_error: &ApiError) -> Self {
        self.piece(Piece::Failed(api_error.clone())).unfinished()
    }

    fn piece(mut self, piece: Piece) -> Self {
        self.steps.push(Step::Say(piece));
        self
    }

    /// All pieces including the end, without pauses and breaks.
    #[allow(dead_code, reason = "for the native tests")]
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        let written = self.steps.iter().filter_map(|step| match step {
            Step::Say(piece) => Some(piece),
            Step::Refuse(_) | Step::Bytes(_) | Step::Wait(_) | Step::Hold(_) | Step::Cut => None,
        });
        written.chain(&self.end)
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        let end = answer.end.map(Step::Say);
        Self::new(200, answer.steps.into_iter().chain(end).collect())
    }
}

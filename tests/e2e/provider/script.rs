//! Scripts of the fake provider, independent of the protocol.
//!
//! [`Reply`] is a status and the steps of a body down to single bytes; [`Answer`] builds the usual case of a model
//! that thinks, speaks and calls functions. `framing` encodes them for the requested protocol.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// Something that a model says, in no protocol.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    /// A piece of the thinking's summary.
    Thinking(String),
    /// A thought that the provider shows to nobody, where its protocol has such.
    HiddenThought,
    Text(String),
    /// Calls that are made at once.
    Calls(Vec<(String, Value)>),
    /// The empty, signed text with which Gemini 3 likes to end an answer; nothing elsewhere.
    SignedEnd,
    /// The answer is over, for the reason that is natural or in this word of the protocol.
    End(Option<&'static str>),
    /// The provider will not look at the prompt: Gemini's word for the reason.
    #[allow(dead_code, reason = "for the native tests")]
    Blocked(&'static str),
    /// The provider reports an error in mid-stream.
    #[allow(dead_code, reason = "for the native tests")]
    Failed(Refusal),
}

/// One thing to do while a body is sent.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Send this as the protocol says it.
    Say(Piece),
    /// Send the body of an error answer.
    Refuse(Refusal),
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
    /// That of the protocol's streams, or of its errors, where nothing else is said.
    pub(super) media_type: Option<&'static str>,
    /// Headers that are no matter of the protocol.
    pub(super) headers: Vec<(&'static str, String)>,
    /// The same, where the service does not let a page read them.
    pub(super) hidden_headers: Vec<(&'static str, String)>,
    pub(super) steps: Vec<Step>,
    /// How many bytes go out at once; all that a step has without it.
    pub(super) frames: Option<Frames>,
}

/// How a body is cut on its way out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Frames {
    /// Into pieces of this many bytes.
    Of(usize),
    /// Into pieces of 1 to 64 bytes, each of another size than the one before.
    Ragged,
}

impl Frames {
    pub(super) fn size(self, number: usize) -> usize {
        match self {
            Self::Of(size) => size,
            // 37 and 64 have no factor in common: every size comes up.
            Self::Ragged => number * 37 % 64 + 1,
        }
    }
}

impl Reply {
    fn new(status: u16, steps: Vec<Step>) -> Self {
        Self {
            status,
            media_type: None,
            headers: Vec::new(),
            hidden_headers: Vec::new(),
            steps,
            frames: None,
        }
    }

    /// A whole body.
    pub(crate) fn body(status: u16, media_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { media_type: Some(media_type), ..Self::new(status, vec![Step::Bytes(body.into())]) }
    }

    /// An error in the shape of the protocol.
    pub(crate) fn error(refusal: &Refusal) -> Self {
        Self::new(refusal.code, vec![Step::Refuse(refusal.clone())])
    }

    /// 429 that asks to wait: `delay` as Google writes it, like `"2s"`. The others say it in their words.
    pub(crate) fn rate_limited(delay: &str) -> Self {
        Self::error(&Refusal {
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

    /// 503, the service is overloaded.
    pub(crate) fn overloaded() -> Self {
        Self::error(&Refusal {
            code: 503,
            status: "UNAVAILABLE",
            message: "The model is overloaded. Please try again later.".to_owned(),
            details: Vec::new(),
        })
    }

    /// 429 that no waiting helps against: what was paid for is used up.
    #[allow(dead_code, reason = "for the native tests")]
    pub(crate) fn spent() -> Self {
        Self::error(&Refusal {
            code: 429,
            status: "insufficient_quota",
            message: "You exceeded your current quota, please check your plan and billing details."
                .to_owned(),
            details: Vec::new(),
        })
    }

    /// What a captive portal or a gateway says in place of an answer.
    pub(crate) fn html(status: u16, page: &str) -> Self {
        Self::body(status, "text/html; charset=utf-8", page)
    }

    /// The way to another address.
    pub(crate) fn redirect(to: &str) -> Self {
        Self::body(307, "text/plain", "").with_header("location", to)
    }

    /// 200 with no answer at all: the prompt was blocked.
    #[allow(dead_code, reason = "for the native tests")]
    pub(crate) fn blocked_prompt(reason: &'static str) -> Self {
        Self::new(200, vec![Step::Say(Piece::Blocked(reason))])
    }

    /// The same answer, sent in pieces of this many bytes.
    #[must_use]
    pub(crate) fn in_pieces(mut self, bytes: usize) -> Self {
        self.frames = Some(Frames::Of(bytes.max(1)));
        self
    }

    /// The same answer, sent in pieces of 1 to 64 bytes.
    #[must_use]
    pub(crate) fn in_ragged_pieces(mut self) -> Self {
        self.frames = Some(Frames::Ragged);
        self
    }

    /// The same answer with one more header, which the page may read.
    #[must_use]
    pub(crate) fn with_header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    /// The same answer with one more header, which the page may not read: most services show few.
    #[must_use]
    pub(crate) fn with_hidden_header(mut self, name: &'static str, value: &str) -> Self {
        self.hidden_headers.push((name, value.to_owned()));
        self
    }
}

/// A streamed answer of a model, written step by step. It ends as the protocol ends an answer unless
/// told otherwise.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(super) steps: Vec<Step>,
    end: Option<Piece>,
}

impl Default for Answer {
    fn default() -> Self {
        Self { steps: Vec::new(), end: Some(Piece::End(None)) }
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
    pub(crate) fn thinking(self, text: &str) -> Self {
        self.piece(Piece::Thinking(text.to_owned()))
    }

    /// A thought that is only sent sealed.
    #[must_use]
    pub(crate) fn hidden_thought(self) -> Self {
        self.piece(Piece::HiddenThought)
    }

    /// A piece of the answer's text.
    #[must_use]
    pub(crate) fn text(self, text: &str) -> Self {
        self.piece(Piece::Text(text.to_owned()))
    }

    /// A function call of its own.
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

    /// The empty, signed text with which Gemini 3 likes to end an answer.
    #[must_use]
    pub(crate) fn signed_end(self) -> Self {
        self.piece(Piece::SignedEnd)
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

    /// Ends with this reason, a word of the protocol, instead of the natural one.
    #[must_use]
    pub(crate) fn finish(mut self, reason: &'static str) -> Self {
        self.end = Some(Piece::End(Some(reason)));
        self
    }

    /// The stream ends in good order but without a finish reason.
    #[must_use]
    pub(crate) fn unfinished(mut self) -> Self {
        self.end = None;
        self
    }

    /// The connection breaks.
    #[must_use]
    pub(crate) fn cut(mut self) -> Self {
        self.steps.push(Step::Cut);
        self.unfinished()
    }

    /// After good events an error, as the service reports one in mid-stream.
    #[allow(dead_code, reason = "for the native tests")]
    #[must_use]
    pub(crate) fn error_in_stream(self, refusal: &Refusal) -> Self {
        self.piece(Piece::Failed(refusal.clone())).unfinished()
    }

    fn piece(mut self, piece: Piece) -> Self {
        self.steps.push(Step::Say(piece));
        self
    }

    /// All that is said, the end included, without pauses and cuts.
    #[allow(dead_code, reason = "for the native tests")]
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        let said = self.steps.iter().filter_map(|step| match step {
            Step::Say(piece) => Some(piece),
            Step::Refuse(_) | Step::Bytes(_) | Step::Wait(_) | Step::Hold(_) | Step::Cut => None,
        });
        said.chain(&self.end)
    }
}

impl From<Answer> for Reply {
    fn from(answer: Answer) -> Self {
        let end = answer.end.map(Step::Say);
        Self::new(200, answer.steps.into_iter().chain(end).collect())
    }
}

//! Reads one streamed answer within its time limits, stores it piece by piece and classifies how it ended.
//!
//! Never sends a request twice, and never takes an HTML page for an answer.

use super::{CallAttempt, ModelClient, Prepared};
use crate::calls::retry::hint_in_headers;
use crate::port::{HttpError, HttpResponse};
use crate::prelude::*;
use crate::store::partials::{PartialPiece, PartialTail};
use crate::store::raw_responses::ResponseRecorder;
use futures_util::stream::LocalBoxStream;
use nexus_model::command::{FailedAttempt, RecordedAnswer};
use nexus_model::limits::{
    BAD_PIECES, PARTIAL_MS, STREAM_IDLE_LOOPBACK_MS, STREAM_IDLE_MS, STREAM_TOTAL_LOOPBACK_MS,
    STREAM_TOTAL_MS,
};
use nexus_model::llm::{FinishReason, StreamFaults};
use nexus_model::provider::TOKEN_LIMIT;
use nexus_model::settings::schema::SILENCE;
use nexus_providers::chat::{Decode, ModelAnswer, ModelEvent};
use nexus_providers::codec::Codec;
use nexus_providers::http::HttpRequest;
use nexus_providers::http_error;
use nexus_text::shorten::counted;
use std::pin::pin;

/// Max bytes to read of a body that is no answer, to describe it.
const FOREIGN_BYTES: usize = 256 * 1024;

/// The answer, or the failure with the tokens used all the same; its attempt and retry are not known here.
pub(super) type CallOutcome = Result<RecordedAnswer, FailedAttempt>;

pub(super) type Record<'r> = dyn Fn(&HttpRequest) -> Option<ResponseRecorder> + 'r;

struct CallTimeouts {
    idle_ms: u64,
    total_ms: u64,
    began_ms: u64,
}

impl CallTimeouts {
    fn new(world: &World, provider: &Provider, now: u64) -> Self {
        let (idle_ms, total_ms) = if provider.is_local() {
            (STREAM_IDLE_LOOPBACK_MS, STREAM_TOTAL_LOOPBACK_MS)
        } else {
            (STREAM_IDLE_MS, STREAM_TOTAL_MS)
        };
        let idle_ms = world.chosen(SILENCE).map_or(idle_ms, |seconds| seconds as u64 * 1_000);
        Self { idle_ms, total_ms, began_ms: now }
    }

    /// Milliseconds that the next piece may take.
    fn left(&self, now: u64) -> u64 {
        let total = self.total_ms.saturating_sub(now.saturating_sub(self.began_ms));
        self.idle_ms.min(total)
    }

    fn timeout_error(&self, now: u64) -> ProviderError {
        let (idle, total) = (self.idle_ms / 1_000, self.total_ms / 60_000);
        let whole = now.saturating_sub(self.began_ms) >= self.total_ms;
        let message = if whole {
            format!("The answer was not complete after {}.", counted(total, "minute", "minutes"))
        } else {
            format!("No data arrived for {}.", counted(idle, "second", "seconds"))
        };
        ProviderError::new(ProviderErrorKind::Stalled, message)
    }
}

/// Sends a request and reads its answer to the end. With `at`, the answer is shown and stored while it arrives; without
/// it, only when it is complete.
pub(super) async fn stream(
    caller: &ModelClient,
    at: Option<&CallAttempt>,
    codec: &'static Codec,
    (provider, prompt, endpoint): Prepared,
    record: &Record<'_>,
) -> CallOutcome {
    let request = (codec.encode)(&prompt, &endpoint);
    let mut recording = record(&request);
    let clock = &caller.engine.ports.clock;
    let timeouts = CallTimeouts::new(&caller.engine.world.borrow(), &provider, clock.now().0);
    let response = caller.engine.within(timeouts.left(clock.now().0), caller.http.send(request)).await;
    let timed_out = || FailedAttempt::unmade(timeouts.timeout_error(clock.now().0));
    let mut answer = response.ok_or_else(timed_out)?.map_err(|error| {
        let (HttpError::Unreachable(message) | HttpError::Broken(message)) = error;
        FailedAttempt::unmade(ProviderError::new(ProviderErrorKind::Unreachable, message))
    })?;
    if let Some(recording) = &mut recording {
        recording.head(answer.status, answer.content_type.as_deref());
    }
    let is_error_status = !(200..300).contains(&answer.status);
    let is_page_type = answer.content_type.as_deref().is_some_and(is_page);
    let mut foreign = is_error_status;
    let mut head: Vec<u8> = Vec::new();
    let mut began = false;
    let mut reading = AnswerReader {
        client: caller,
        at,
        decoder: (codec.decoder)(),
        answer: ModelAnswer::default(),
        began: false,
        tail: at.map(|at| PartialTail::new(at.message, at.attempt)),
        is_reset: true,
        saved_at: clock.now().0,
        bad_pieces: 0,
        recording,
    };
    loop {
        let chunk = {
            let next = pin!(reading.next(&mut answer.body));
            caller.engine.within(timeouts.left(clock.now().0), next).await
        };
        let Some(chunk) = chunk else {
            return reading.failed(timeouts.timeout_error(clock.now().0)).await;
        };
        if let (Some(Ok(bytes)), Some(recording)) = (&chunk, &mut reading.recording) {
            recording.bytes(bytes);
        }
        match chunk {
            None => break,
            Some(Ok(bytes)) if began => reading.take(&bytes).await,
            Some(Ok(bytes)) => {
                head.extend_from_slice(&bytes);
                let first = first_byte(&head);
                if first.is_none() {
                    // Some servers send whitespace while they think. It is dropped.
                    head.clear();
                }
                // The payload decides, not the media type: some servers mislabel streams.
                foreign |=
                    first.is_some_and(|first| first == b'<' || (is_page_type && !begins_a_stream(first)));
                if foreign && head.len() > FOREIGN_BYTES {
                    break;
                }
                if !foreign && first.is_some() {
                    began = true;
                    reading.take(&std::mem::take(&mut head)).await;
                }
            }
            Some(Err(HttpError::Unreachable(message) | HttpError::Broken(message))) if !foreign => {
                return reading.failed(ProviderError::new(ProviderErrorKind::CutOff, message)).await;
            }
            // What was received may still explain the error status.
            Some(Err(_)) => break,
        }
        // After an error, the rest is ignored.
        if reading.answer.failure.is_some() {
            break;
        }
        if reading.bad_pieces > BAD_PIECES {
            let message =
                format!("More than {BAD_PIECES} consecutive parts of the stream could not be read.");
            return reading.failed(ProviderError::new(ProviderErrorKind::Garbled, message)).await;
        }
    }
    if foreign {
        return Err(FailedAttempt::unmade(foreign_answer(caller, codec, &answer, &head)));
    }
    if !began {
        let message = http_error::unexplained(answer.status, None, "").message;
        return Err(FailedAttempt::unmade(ProviderError::new(ProviderErrorKind::Empty, message)));
    }
    reading.end().await;
    let usage = reading.answer.usage.clone();
    let answered = classify_end(reading.answer, &provider, &prompt.config.model);
    answered.map_err(|failure| FailedAttempt { usage, ..FailedAttempt::unmade(failure) })
}

/// Classifies a response that is no answer: an error status, or a page.
fn foreign_answer(caller: &ModelClient, codec: &Codec, answer: &HttpResponse, body: &[u8]) -> ProviderError {
    let body = String::from_utf8_lossy(body);
    let body = body.trim_start_matches('\u{feff}');
    let media_type = answer.content_type.as_deref();
    if (200..300).contains(&answer.status) {
        let failure = http_error::unexplained(answer.status, media_type, body);
        return ProviderError { category: ProviderErrorKind::Garbled, ..failure };
    }
    let mut failure = (codec.classify)(answer.status, media_type, body);
    let hint =
        hint_in_headers(answer.retry_after_ms.as_deref(), answer.retry_after.as_deref(), caller.engine.now());
    failure.retry_after_ms = failure.retry_after_ms.or(hint);
    failure
}

/// True for the media type of a page, image, sound or video, which no model answers with.
fn is_page(media_type: &str) -> bool {
    let media_type = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    media_type.ends_with("html")
        || media_type.ends_with("xml")
        || ["image/", "audio/", "video/", "font/"].iter().any(|kind| media_type.starts_with(kind))
}

/// The first byte that is neither whitespace nor a byte order mark.
fn first_byte(bytes: &[u8]) -> Option<u8> {
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace())
}

/// True if a stream can start with this byte: a field, a comment, or JSON.
fn begins_a_stream(byte: u8) -> bool {
    matches!(byte, b'd' | b'e' | b'i' | b'r' | b':' | b'{' | b'[')
}

/// Classifies a complete stream: an answer, or an error.
fn classify_end(
    answer: ModelAnswer,
    provider: &Provider,
    model: &str,
) -> Result<RecordedAnswer, ProviderError> {
    let failed = |category, message: &str| Err(ProviderError::new(category, message));
    if let Some(failure) = answer.failure {
        return Err(failure);
    }
    let parts = answer.message_parts(&provider.id, model);
    let has_calls = nexus_model::message::content::calls_of(&parts).next().is_some();
    let message = answer.finish_message.as_deref();
    match answer.finish {
        FinishReason::Error => {
            failed(ProviderErrorKind::Garbled, "The provider reported an error without a message.")
        }
        FinishReason::Incomplete => {
            let message = match (answer.finish_raw.as_deref(), answer.skipped) {
                (Some(_), 1..) => {
                    "A part of the answer could not be read. It may have contained a tool call.".to_owned()
                }
                (Some(word), 0) => format!("The answer ended with “{word}” and is not complete."),
                (None, 1..) => {
                    "The stream ended without a finish reason, and a part of it could not be read.".to_owned()
                }
                (None, 0) => "The stream ended without a finish reason.".to_owned(),
            };
            failed(ProviderErrorKind::CutOff, &message)
        }
        FinishReason::Length => {
            let message = "The answer reached its token limit.";
            let failure = ProviderError::new(ProviderErrorKind::CutOff, message);
            Err(ProviderError { code: Some(TOKEN_LIMIT.to_owned()), ..failure })
        }
        FinishReason::ContentFilter => {
            let raw = answer.finish_raw.as_deref().unwrap_or("blocked");
            let message = message.map_or_else(|| raw.to_owned(), |message| format!("{raw}: {message}"));
            failed(ProviderErrorKind::Blocked, &message)
        }
        FinishReason::Stop | FinishReason::ToolCalls if !has_calls && text_of(&parts).trim().is_empty() => {
            failed(ProviderErrorKind::Empty, "The answer contained no text and no tool call.")
        }
        FinishReason::Stop | FinishReason::ToolCalls => Ok(RecordedAnswer {
            parts,
            usage: answer.usage,
            finish: if has_calls { FinishReason::ToolCalls } else { FinishReason::Stop },
            finish_raw: answer.finish_raw,
            response_id: answer.response_id,
            model: answer.model,
            faults: StreamFaults { skipped: answer.skipped, repeated: answer.repeated },
        }),
    }
}

/// Appends what was added to a part; replaces the part if its kind changed.
fn update_part(known: &mut PartBody, now: &PartBody) {
    match (known, now) {
        (PartBody::Text { text: known }, PartBody::Text { text })
        | (PartBody::Thinking { text: known }, PartBody::Thinking { text }) => {
            known.push_str(text.get(known.len()..).unwrap_or_default());
        }
        (known, now) => known.clone_from(now),
    }
}

struct AnswerReader<'c> {
    client: &'c ModelClient,
    at: Option<&'c CallAttempt>,
    decoder: Box<dyn Decode>,
    answer: ModelAnswer,
    began: bool,
    tail: Option<PartialTail>,
    /// True if the shared parts must be replaced.
    is_reset: bool,
    saved_at: u64,
    /// Consecutive pieces that could not be read.
    bad_pieces: u32,
    recording: Option<ResponseRecorder>,
}

impl AnswerReader<'_> {
    /// The next piece of the body. While waiting, saves received text when that is due.
    async fn next(
        &mut self,
        body: &mut LocalBoxStream<'static, Result<Vec<u8>, HttpError>>,
    ) -> Option<Result<Vec<u8>, HttpError>> {
        if self.tail.as_ref().is_some_and(PartialTail::has_unsaved) {
            let since = self.client.engine.now().0.saturating_sub(self.saved_at);
            match self.client.engine.within(PARTIAL_MS.saturating_sub(since), body.next()).await {
                Some(chunk) => return chunk,
                None => self.save().await,
            }
        }
        body.next().await
    }

    async fn take(&mut self, bytes: &[u8]) {
        let events = self.decoder.feed(bytes);
        self.apply(events).await;
        if self.client.engine.now().0.saturating_sub(self.saved_at) >= PARTIAL_MS {
            self.save().await;
        }
    }

    async fn end(&mut self) {
        let events = self.decoder.end();
        self.apply(events).await;
    }

    async fn apply(&mut self, events: Vec<ModelEvent>) {
        let mut wrote = false;
        // A piece of the body may hold hundreds of tokens, which are shown together.
        let mut delta: Option<PartialPiece> = None;
        for event in events {
            if let ModelEvent::Text { part, text } | ModelEvent::Thinking { part, text } = &event {
                let thinking = matches!(event, ModelEvent::Thinking { .. });
                wrote |= !thinking && !text.is_empty();
                if let Some(recording) = self.recording.as_mut().filter(|_| !text.is_empty()) {
                    recording.note_first_text();
                }
                match &mut delta {
                    Some(delta) if (delta.part, delta.thinking) == (*part, thinking) => {
                        delta.text.push_str(text)
                    }
                    other => {
                        self.show(other.replace(PartialPiece { part: *part, thinking, text: text.clone() }));
                    }
                }
            } else {
                self.show(delta.take());
            }
            if let (Some(at), Some(tail)) = (self.at, &mut self.tail) {
                if let ModelEvent::Reclassified { part } = event {
                    tail.mark_as_thinking(part);
                    self.client.engine.publish(&TransientEvent::Reclassified { message: at.message, part });
                }
                if event == ModelEvent::Restarted {
                    tail.restart();
                    self.is_reset = true;
                    self.client.engine.publish(&TransientEvent::Restarted { message: at.message });
                }
            }
            self.bad_pieces =
                if event == ModelEvent::Skipped { self.bad_pieces.saturating_add(1) } else { 0 };
            if self.bad_pieces > BAD_PIECES {
                break;
            }
            self.answer.apply(event);
        }
        self.show(delta);
        let Some(at) = self.at else { return };
        self.share(at);
        if wrote && !self.began {
            self.began = true;
            let command = Command::BeginResponse { turn: at.turn, call: at.call };
            self.client.engine.tell(command).await;
        }
    }

    /// Publishes the text received for a part and buffers it for storage.
    fn show(&mut self, delta: Option<PartialPiece>) {
        if let (Some(at), Some(tail), Some(PartialPiece { part, thinking, text })) =
            (self.at, &mut self.tail, delta)
        {
            tail.push(part, thinking, &text);
            let (session, message) = (at.session, at.message);
            self.client.engine.publish(&TransientEvent::Delta { session, message, part, thinking, text });
        }
    }

    /// Makes received text available to `decide`, in case the turn is stopped. Copies only what is new: an answer
    /// arrives in thousands of pieces.
    fn share(&mut self, at: &CallAttempt) {
        let mut partials = self.client.partials.borrow_mut();
        if std::mem::take(&mut self.is_reset) {
            partials.remove(&at.message);
        }
        let shared = partials.get_or_insert_with(at.message, Vec::new);
        let is_prose = |body: &PartBody| matches!(body, PartBody::Text { .. } | PartBody::Thinking { .. });
        let prose = self.answer.parts.iter().filter(|part| is_prose(&part.body));
        for (index, part) in prose.enumerate() {
            match shared.get_mut(index) {
                Some(known) => update_part(&mut known.body, &part.body),
                None => shared.push(part.body.clone().into()),
            }
        }
    }

    /// Ends with a failure; what was received is saved.
    async fn failed(mut self, failure: ProviderError) -> CallOutcome {
        self.save().await;
        Err(FailedAttempt { usage: self.answer.usage, ..FailedAttempt::unmade(failure) })
    }

    /// Saves the new text. If that fails, only a crash would lose it.
    async fn save(&mut self) {
        self.saved_at = self.client.engine.now().0;
        if let (Some(at), Some(batch)) = (self.at, self.tail.as_mut().and_then(PartialTail::piece)) {
            drop(self.client.engine.ports.store.write(batch).await);
            self.client.engine.publish(&TransientEvent::PartialStored { session: at.session });
        }
    }
}

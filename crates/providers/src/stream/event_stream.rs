//! Decodes server-sent events that hold JSON: the part that the streams of all families share.
//!
//! Separates heartbeats, errors, gaps, text outside of events and foreign pages (such as HTML) from the model's output.
//! A [`Family`] decodes its own objects. Once an answer has ended or failed, the rest of the stream is ignored.

use serde_json::{Map, Value};

use crate::chat::{Decode, ModelEvent};
use crate::part_builder::PartBuilder;
use crate::stream::Gaps;
use crate::stream::sse::{SseFrame, SseReader};
use crate::{error, http_error, stream};
use nexus_model::limits::CALLS_PER_ANSWER;
use nexus_model::message::content::{ToolArgs, ToolCall};
use nexus_model::provider::{ProviderError, ProviderErrorKind};

/// After more unreadable pieces in a row than this, the stream counts as another protocol.
const MOST_IN_A_ROW: u32 = 20;

/// The decoder state that all families share.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct EventStream {
    sse: SseReader,
    /// How many pieces in a row were unreadable.
    bad_pieces: u32,
    /// The length of the stray text before the newest event, in bytes.
    stray_until: usize,
    pub(crate) gaps: Gaps,
    pub(crate) response_id: Option<String>,
    model: Option<String>,
    pub(crate) prose: PartBuilder,
    /// The complete calls so far, to recognize one that is sent again.
    calls: Vec<ToolCall>,
    /// True if something of the family's own format came, so that the body is no foreign page.
    pub(crate) understood: bool,
    pub(crate) failed: bool,
    pub(crate) ended: bool,
}

impl EventStream {
    /// A stream whose lines are events.
    pub(crate) fn of_lines() -> Self {
        let mut stream = Self::default();
        stream.sse.reads_lines = true;
        stream
    }

    pub(crate) fn emit(&mut self, event: ModelEvent) {
        self.prose.events.push(event);
    }

    /// Emits response id and model. The first values count.
    pub(crate) fn read_head(&mut self, id: Option<&Value>, model: Option<&Value>) {
        let set_once = |known: &mut Option<String>, word: Option<&Value>| {
            let word = word.and_then(Value::as_str).filter(|word| !word.is_empty() && known.is_none())?;
            known.replace(word.to_owned());
            known.clone()
        };
        let id = set_once(&mut self.response_id, id).map(ModelEvent::ResponseId);
        let model = set_once(&mut self.model, model).map(ModelEvent::Model);
        self.prose.events.extend(id.into_iter().chain(model));
    }

    /// Emits a complete call, under an id of our own if it has none or that of another call. Returns its part, or
    /// `None` for a repeated call.
    pub(crate) fn call(&mut self, id: Option<&str>, name: &str, args: ToolArgs) -> Option<usize> {
        let (id, own_id) = (id.unwrap_or_default().to_owned(), id.is_none());
        let mut call = ToolCall { id, own_id, name: name.to_owned(), args };
        if self.calls.contains(&call) {
            self.emit(ModelEvent::Repeated);
            return None;
        }
        let part = self.prose.next_part();
        call.own_id |= self.calls.iter().any(|other| other.id == call.id);
        if call.own_id {
            call.id = format!("call-{part}");
        }
        if self.calls.len() < CALLS_PER_ANSWER {
            self.calls.push(call.clone());
        }
        self.emit(ModelEvent::Call { part, call });
        Some(part)
    }

    pub(crate) fn has_calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// Keeps an unreadable line of a stream whose lines are events.
    fn keep_line(&mut self, line: &str) {
        if self.sse.reads_lines {
            self.sse.take_stray(line);
            self.stray_until = self.sse.stray.len();
        }
    }

    /// Discards the state of the answer because the provider restarted it.
    pub(crate) fn restart(&mut self) {
        (self.gaps, self.response_id, self.model, self.calls) = Default::default();
        self.prose.restart();
        self.emit(ModelEvent::Restarted);
    }

    fn stray(&self) -> &str {
        self.sse.stray.get(..self.stray_until).unwrap_or_default().trim()
    }

    /// Returns the stray line that ends at this byte of the stray text.
    fn stray_line(&mut self, until: usize) -> String {
        let line = self.sse.stray.get(self.stray_until..until).unwrap_or_default().to_owned();
        self.stray_until = until;
        line
    }
}

/// How a provider family decodes its stream.
pub(crate) trait Family {
    fn stream(&mut self) -> &mut EventStream;

    /// Decodes an object from an event with this name.
    fn take(&mut self, name: Option<&str>, object: Map<String, Value>);

    /// Decodes an answer that was not streamed.
    fn take_complete(&mut self, object: Map<String, Value>) {
        self.take(None, object);
    }

    /// Handles the end marker `[DONE]`, which gateways also add to the streams of families that have none.
    fn take_end_marker(&mut self) {}

    /// Records that a piece of the answer is missing. If calls are not sent in pieces, a call that it names is lost
    /// too.
    fn miss(&mut self, piece: &str) {
        self.stream().gaps.skip(piece, false);
    }

    /// Handles a stream that ended without a failure or an end event.
    fn close(&mut self) {}

    /// True if an event may hold a list of objects.
    fn takes_lists(&self) -> bool {
        false
    }

    /// True if events after a failure still count, such as the token usage.
    fn continues_after_failure(&self) -> bool {
        false
    }

    /// Reports a failure. Some streams report each failure twice; only the first counts.
    fn fail(&mut self, failure: ProviderError) {
        if self.stream().failed {
            return;
        }
        let ends = !self.continues_after_failure();
        let stream = self.stream();
        stream.prose.flush();
        stream.failed = true;
        stream.ended |= ends;
        stream.emit(ModelEvent::Failed(failure));
    }
}

impl<F: Family> Decode for F {
    fn feed(&mut self, bytes: &[u8]) -> Vec<ModelEvent> {
        let frames = self.stream().sse.feed(bytes);
        take_frames(self, frames);
        std::mem::take(&mut self.stream().prose.events)
    }

    fn end(&mut self) -> Vec<ModelEvent> {
        end(self);
        std::mem::take(&mut self.stream().prose.events)
    }
}

fn end(family: &mut dyn Family) {
    let frames = family.stream().sse.end();
    take_frames(family, frames);
    take_stray(family);
    if !family.stream().ended {
        family.stream().prose.flush();
        family.close();
    }
}

fn take_frames(family: &mut dyn Family, frames: Vec<SseFrame>) {
    for frame in frames {
        if family.stream().ended {
            return;
        }
        match frame {
            SseFrame::Event { name, data } => take_data(family, name.as_deref(), data.trim()),
            SseFrame::Overlong(head) => skip(family, &head),
            SseFrame::Stray(until) => {
                let line = family.stream().stray_line(until);
                if family.stream().understood && line.contains(['{', '}', '"']) {
                    family.miss(&line);
                }
            }
        }
    }
}

fn take_data(family: &mut dyn Family, name: Option<&str>, data: &str) {
    if data == "[DONE]" {
        return family.take_end_marker();
    }
    if data.is_empty() || stream::is_heartbeat(data) && !family.stream().sse.reads_lines {
        return;
    }
    match stream::parse(data) {
        Ok(Value::Object(object)) => take_object(family, name, object),
        Ok(Value::Array(items)) if family.takes_lists() => take_list(family, items),
        Ok(_) | Err(_) if name == Some("error") => {
            family.stream().understood = true;
            family.fail(ProviderError::new(ProviderErrorKind::Server, http_error::excerpt(data)));
        }
        Ok(_) | Err(_) => match stream::too_deep(data) {
            Some(failure) => family.fail(failure),
            None => {
                family.stream().keep_line(data);
                skip(family, data);
            }
        },
    }
}

fn take_object(family: &mut dyn Family, name: Option<&str>, object: Map<String, Value>) {
    family.stream().bad_pieces = 0;
    family.take(name, object);
}

fn take_list(family: &mut dyn Family, items: Vec<Value>) {
    for item in items {
        if family.stream().ended {
            return;
        }
        if let Value::Object(object) = item {
            take_object(family, None, object);
        } else {
            skip(family, "");
        }
    }
}

fn skip(family: &mut dyn Family, piece: &str) {
    family.miss(piece);
    let stream = family.stream();
    stream.emit(ModelEvent::Skipped);
    stream.bad_pieces = stream.bad_pieces.saturating_add(1);
    if stream.bad_pieces > MOST_IN_A_ROW {
        let excerpt = http_error::excerpt(stream.stray());
        let is_page = stream.sse.reads_lines && !stream.understood && !excerpt.is_empty();
        let count = stream.bad_pieces;
        let too_many = format!("{count} parts in a row could not be read");
        let message = if is_page { excerpt } else { too_many };
        family.fail(ProviderError::new(ProviderErrorKind::Garbled, message));
        family.stream().ended = true;
    }
}

/// Decodes the text outside of events, at the end or before an end marker: an error, an answer that was not streamed,
/// or a foreign page.
pub(crate) fn take_stray(family: &mut dyn Family) {
    let stream = family.stream();
    let (stray, understood) = (stream.stray().to_owned(), stream.understood);
    // Unreadable lines were skipped one by one.
    let is_done = understood && stream.sse.reads_lines;
    if stream.ended || stream.failed || is_done || stray.is_empty() {
        return;
    }
    let value = stream::parse(&stray).ok();
    if let Some(failure) = value.as_ref().and_then(|value| error::failure_in(value, None)) {
        return family.fail(failure);
    }
    match value {
        _ if understood => family.stream().emit(ModelEvent::Skipped),
        Some(Value::Object(complete)) => family.take_complete(complete),
        Some(Value::Array(items)) if family.takes_lists() => take_list(family, items),
        Some(_) | None => {}
    }
    if !family.stream().understood {
        family.fail(ProviderError::new(ProviderErrorKind::Garbled, http_error::excerpt(&stray)));
    }
}

/// Sets a missing `type` of an object to the name of its event.
pub(crate) fn named(name: Option<&str>, mut object: Map<String, Value>) -> Map<String, Value> {
    if let (Some(name), None) = (name, object.get("type")) {
        object.insert("type".to_owned(), name.into());
    }
    object
}

#[cfg(test)]
mod tests;

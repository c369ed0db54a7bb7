//! Reads JSON objects from server-sent events, for protocols with one object per event.
//!
//! Reports events that are no object, and rejects the stream after too many unreadable events in a row.

use serde_json::{Map, Value};

use crate::garbage;
use crate::garbage::GarbageGuard;
use crate::stream::lenient;
use crate::stream::sse::{SseFrame, SseReader};
use crate::{gaps, http_error};
use nexus_model::provider::failure::{ProviderError, ProviderErrorKind};

/// What one event held.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SsePayload {
    /// An object. Where it has no `type` of its own, it has the event's name.
    Object(Map<String, Value>),
    /// The end mark that some hosts add.
    Done,
    /// Nothing that could be read: the text of it, or its beginning.
    Unreadable(String),
    /// A line outside of events. The stray text so far ends at the byte `until`.
    Stray { line: String, until: usize },
    /// An event that is named an error and holds plain words.
    Error(ProviderError),
    /// Too many in a row could not be read.
    Foreign(ProviderError),
}

/// Reads objects off a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct SseJsonReader {
    sse: SseReader,
    noise: GarbageGuard,
    /// How much of the stray text was given out line by line, in bytes.
    stray_until: usize,
}

impl SseJsonReader {
    /// Takes in more bytes and gives what they completed.
    pub(crate) fn feed(&mut self, bytes: &[u8]) -> Vec<SsePayload> {
        let frames = self.sse.feed(bytes);
        frames.into_iter().filter_map(|frame| self.read(frame)).collect()
    }

    /// The stream is over: gives what was pending.
    pub(crate) fn end(&mut self) -> Vec<SsePayload> {
        let frames = self.sse.end();
        frames.into_iter().filter_map(|frame| self.read(frame)).collect()
    }

    /// The text outside of events: a whole answer that was not streamed, an error, or a page of somebody else.
    pub(crate) fn stray(&self) -> &str {
        self.sse.stray().trim()
    }

    /// The beginning of it, up to a byte.
    pub(crate) fn stray_until(&self, until: usize) -> &str {
        self.sse.stray().get(..until).unwrap_or_default().trim()
    }

    fn read(&mut self, frame: SseFrame) -> Option<SsePayload> {
        let (name, data) = match frame {
            SseFrame::Event { name, data } => (name, data),
            SseFrame::Overlong(head) => return Some(self.unreadable(&head)),
            SseFrame::Stray(until) => {
                let line = self.sse.stray().get(self.stray_until..until).unwrap_or_default().to_owned();
                self.stray_until = until;
                return Some(SsePayload::Stray { line, until });
            }
        };
        match data.trim() {
            "" => None,
            "[DONE]" => Some(SsePayload::Done),
            data if gaps::is_heartbeat(data) => None,
            data => Some(match lenient::parse(data) {
                Ok(Value::Object(mut object)) => {
                    self.noise.over();
                    if let (Some(name), None) = (name, object.get("type")) {
                        object.insert("type".to_owned(), name.into());
                    }
                    SsePayload::Object(object)
                }
                Ok(_) | Err(_) if name.as_deref() == Some("error") => SsePayload::Error(ProviderError::new(
                    ProviderErrorKind::Server,
                    http_error::excerpt(data),
                )),
                Ok(_) | Err(_) => self.unreadable(data),
            }),
        }
    }

    fn unreadable(&mut self, data: &str) -> SsePayload {
        match self.noise.heard() {
            Some(count) => SsePayload::Foreign(garbage::too_much(count, "events")),
            None => SsePayload::Unreadable(data.to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_told_from_the_rest() {
        let mut payloads = SseJsonReader::default();
        let read =
            payloads.feed(b"event: ping\ndata: {}\n\ndata: [DONE]\n\ndata: [1]\n\ndata:\n\ndata: {x\n\nhm\n");
        let ping = Map::from_iter([("type".to_owned(), Value::from("ping"))]);
        let unreadable = |text: &str| SsePayload::Unreadable(text.to_owned());
        let stray = SsePayload::Stray { line: "hm\n".to_owned(), until: 3 };
        assert_eq!(
            read,
            [SsePayload::Object(ping), SsePayload::Done, unreadable("[1]"), unreadable("{x"), stray]
        );
        assert_eq!(payloads.end(), []);
        assert_eq!(payloads.stray(), "hm");
    }

    #[test]
    fn heartbeats_are_nothing_and_plain_words_of_an_error_are_kept() {
        let mut payloads = SseJsonReader::default();
        assert_eq!(payloads.feed(&b"data: ping\n\ndata: null\n\ndata: \"pong\"\n\n".repeat(30)), []);
        let read = payloads.feed(b"event: error\ndata: upstream gone\n\n");
        let failure = ProviderError::new(ProviderErrorKind::Server, "upstream gone");
        assert_eq!(read, [SsePayload::Error(failure)]);
    }

    #[test]
    fn too_many_unreadable_events_in_a_row_are_another_protocol() {
        let mut payloads = SseJsonReader::default();
        let noise = b"data: noise\n\n".repeat(20);
        let readable = b"data: {}\n\n";
        let read = payloads.feed(&[&noise[..], readable, &noise[..]].concat());
        assert!(!read.iter().any(|payload| matches!(payload, SsePayload::Foreign(_))));
        assert_eq!(payloads.feed(b"data: more\n\n"), [SsePayload::Foreign(garbage::too_much(21, "events"))]);
    }
}

//! Never knows what an object means.
//!
//! Owns the way from server-sent events to JSON objects, for protocols whose every event carries one: what is no
//! object is told apart, and so many unreadable events in a row that it must be another protocol.

use serde_json::{Map, Value};

use crate::domain::failure::Failure;
use crate::wire::noise::{self, Noise};
use crate::wire::sse::{SseFrame, SseReader};

/// What one event held.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Payload {
    /// An object. Where it has no `type` of its own, it has the event's name.
    Object(Map<String, Value>),
    /// The end mark that some hosts add.
    Done,
    /// Nothing that could be read.
    Unreadable,
    /// Too many in a row could not be read.
    Foreign(Failure),
}

/// Reads objects off a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Payloads {
    sse: SseReader,
    noise: Noise,
}

impl Payloads {
    /// Takes in more bytes and gives what they completed.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<Payload> {
        let frames = self.sse.feed(bytes);
        frames.into_iter().filter_map(|frame| self.read(frame)).collect()
    }

    /// The stream is over: gives what was pending.
    pub(super) fn end(&mut self) -> Vec<Payload> {
        let frames = self.sse.end();
        frames.into_iter().filter_map(|frame| self.read(frame)).collect()
    }

    /// The text outside of events: a whole answer that was not streamed, an error, or a page of somebody else.
    pub(super) fn stray(&self) -> &str {
        self.sse.stray().trim()
    }

    fn read(&mut self, frame: SseFrame) -> Option<Payload> {
        let SseFrame::Event { name, data } = frame else { return Some(self.unreadable()) };
        match data.trim() {
            "" => None,
            "[DONE]" => Some(Payload::Done),
            data => Some(match serde_json::from_str(data) {
                Ok(Value::Object(mut object)) => {
                    self.noise.over();
                    if let (Some(name), None) = (name, object.get("type")) {
                        object.insert("type".to_owned(), name.into());
                    }
                    Payload::Object(object)
                }
                Ok(_) | Err(_) => self.unreadable(),
            }),
        }
    }

    fn unreadable(&mut self) -> Payload {
        let foreign = |count| Payload::Foreign(noise::too_much(count, "events"));
        self.noise.heard().map_or(Payload::Unreadable, foreign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_told_from_the_rest() {
        let mut payloads = Payloads::default();
        let read =
            payloads.feed(b"event: ping\ndata: {}\n\ndata: [DONE]\n\ndata: [1]\n\ndata:\n\ndata: {x\n\nhm\n");
        let ping = Map::from_iter([("type".to_owned(), Value::from("ping"))]);
        assert_eq!(read, [Payload::Object(ping), Payload::Done, Payload::Unreadable, Payload::Unreadable]);
        assert_eq!(payloads.end(), []);
        assert_eq!(payloads.stray(), "hm");
    }

    #[test]
    fn too_many_unreadable_events_in_a_row_are_another_protocol() {
        let mut payloads = Payloads::default();
        let noise = b"data: noise\n\n".repeat(20);
        let readable = b"data: {}\n\n";
        let read = payloads.feed(&[&noise[..], readable, &noise[..]].concat());
        assert!(!read.iter().any(|payload| matches!(payload, Payload::Foreign(_))));
        assert_eq!(payloads.feed(b"data: more\n\n"), [Payload::Foreign(noise::too_much(21, "events"))]);
    }
}

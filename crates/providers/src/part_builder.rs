//! Numbers the parts of an answer for streams without part indexes.
//!
//! Consecutive pieces of one kind form one part, and each call is one.

use crate::chat::ModelEvent;
use crate::think_tags::{ThinkPiece, ThinkTags};
use nexus_model::message::content::{ToolArgs, ToolCall};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextKind {
    Text,
    Thinking,
}

/// The parts of an answer as they are opened.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct PartBuilder {
    parts: usize,
    open: Option<TextKind>,
    first_thinking: Option<usize>,
    tags: ThinkTags,
}

impl PartBuilder {
    /// More of what the server calls prose; thinking between tags is told apart.
    pub(super) fn say(&mut self, text: &str, events: &mut Vec<ModelEvent>) {
        for said in self.tags.feed(text) {
            self.put(said, events);
        }
    }

    /// More of what the server calls thinking. From then on tags are nothing but prose.
    pub(super) fn think(&mut self, text: &str, events: &mut Vec<ModelEvent>) {
        if !text.is_empty() {
            self.flush(events);
            self.put(ThinkPiece::Thinking(text.to_owned()), events);
        }
    }

    /// Gives out what was held back as a possible piece of a tag.
    pub(super) fn flush(&mut self, events: &mut Vec<ModelEvent>) {
        if let Some(said) = self.tags.stop() {
            self.put(said, events);
        }
    }

    /// A complete call. Where it has no id that nobody else in this answer has, it gets one of our own.
    pub(super) fn call(
        &mut self,
        id: Option<String>,
        name: String,
        args: ToolArgs,
        events: &mut Vec<ModelEvent>,
    ) {
        let part = self.next_part();
        let own_id = id.is_none();
        let id = id.unwrap_or_else(|| format!("call-{part}"));
        events.push(ModelEvent::Call { part, call: ToolCall { id, own_id, name, args } });
    }

    /// The part that carries opaque data of the whole answer: its first thinking, else its first part.
    pub(super) fn carrier(&mut self) -> usize {
        match self.first_thinking {
            Some(part) => part,
            None if self.parts == 0 => self.next_part(),
            None => 0,
        }
    }

    fn next_part(&mut self) -> usize {
        let part = self.parts;
        self.parts = part.saturating_add(1);
        self.open = None;
        part
    }

    fn put(&mut self, said: ThinkPiece, events: &mut Vec<ModelEvent>) {
        match said {
            ThinkPiece::Text(text) => {
                let part = self.part_of(TextKind::Text);
                events.push(ModelEvent::Text { part, text });
            }
            ThinkPiece::Thinking(text) => {
                let part = self.part_of(TextKind::Thinking);
                self.first_thinking.get_or_insert(part);
                events.push(ModelEvent::Thinking { part, text });
            }
            ThinkPiece::Rethought => {
                // Only said of an answer whose one part so far is prose.
                self.open = None;
                self.first_thinking = Some(0);
                events.push(ModelEvent::Rethought { part: 0 });
            }
        }
    }

    fn part_of(&mut self, kind: TextKind) -> usize {
        if self.open == Some(kind) {
            return self.parts.saturating_sub(1);
        }
        let part = self.next_part();
        self.open = Some(kind);
        part
    }
}

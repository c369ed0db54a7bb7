//! Model events, the common output of all decoders, and the [`ModelAnswer`] that they build.

use serde_json::Value;

use nexus_model::llm::{FinishReason, Usage};
use nexus_model::message::content::{MessagePart, PartBody, ToolCall};
use nexus_model::provider::ProviderError;

/// One step of a model's answer, as decoded from the stream.
///
/// `part` numbers the parts of the answer from 0 in the order of their first event.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelEvent {
    Text {
        part: usize,
        text: String,
    },
    Thinking {
        part: usize,
        text: String,
    },
    /// Reclassifies a text part as thinking, which only its end revealed.
    Reclassified {
        part: usize,
    },
    /// A complete tool call. Never emitted for a partial one.
    Call {
        part: usize,
        call: ToolCall,
    },
    /// Opaque data of a part, to be sent back unchanged. Creates an empty text part if `part` is new.
    Opaque {
        part: usize,
        /// The data, in the codec's own format.
        data: Value,
    },
    ResponseId(String),
    /// The model that answers, according to the provider. A router may choose another one than requested.
    Model(String),
    /// The token counts so far; replaces earlier ones.
    Usage(Usage),
    Finish {
        finish: FinishReason,
        raw: Option<String>,
        message: Option<String>,
    },
    /// The provider reported an error, or the stream was not understood. Earlier content is kept.
    Failed(ProviderError),
    /// An unreadable piece of the stream was skipped.
    Skipped,
    /// A piece of the stream or a call was repeated and used once.
    Repeated,
    /// The provider restarted the answer: everything before is discarded, and parts count from 0 again.
    Restarted,
}

impl ModelEvent {
    /// More text or thinking of a part.
    pub(crate) fn words(part: usize, text: String, is_thinking: bool) -> Self {
        if is_thinking { Self::Thinking { part, text } } else { Self::Text { part, text } }
    }

    /// How the answer ended, where the provider does not say more.
    pub(crate) fn finish(finish: FinishReason) -> Self {
        Self::Finish { finish, raw: None, message: None }
    }
}

pub trait Decode {
    /// Decodes more bytes and returns the completed events.
    fn feed(&mut self, bytes: &[u8]) -> Vec<ModelEvent>;
    /// Ends the stream and returns pending events. An answer without a finish event was cut off.
    fn end(&mut self) -> Vec<ModelEvent>;
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelAnswer {
    pub parts: Vec<AnswerPart>,
    pub usage: Usage,
    /// How it ended; [`FinishReason::Incomplete`] until a finish event.
    pub finish: FinishReason,
    pub finish_raw: Option<String>,
    pub finish_message: Option<String>,
    pub response_id: Option<String>,
    pub model: Option<String>,
    pub failure: Option<ProviderError>,
    pub skipped: u32,
    /// Number of repeated pieces or calls that were used once.
    pub repeated: u32,
}

/// A part of an answer with its opaque data, not yet bound to a provider and model.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerPart {
    pub body: PartBody,
    pub opaque: Option<Value>,
}

impl ModelAnswer {
    pub fn apply(&mut self, event: ModelEvent) {
        match event {
            ModelEvent::Text { part, text } => self.add(part, PartBody::Text { text }),
            ModelEvent::Thinking { part, text } => self.add(part, PartBody::Thinking { text }),
            ModelEvent::Reclassified { part } => {
                if let Some(AnswerPart { body, .. }) = self.parts.get_mut(part)
                    && let PartBody::Text { text } = body
                {
                    *body = PartBody::Thinking { text: std::mem::take(text) };
                }
            }
            ModelEvent::Call { part, call } => self.add(part, PartBody::ToolCall(call)),
            ModelEvent::Opaque { part, data } => {
                self.add(part, PartBody::Text { text: String::new() });
                if let Some(part) = self.parts.get_mut(part) {
                    part.opaque = Some(data);
                }
            }
            ModelEvent::ResponseId(id) => self.response_id = Some(id),
            ModelEvent::Model(model) => self.model = Some(model),
            ModelEvent::Usage(usage) => self.usage = usage,
            ModelEvent::Finish { finish, raw, message } => {
                self.finish = finish;
                self.finish_raw = raw.or(self.finish_raw.take());
                self.finish_message = message.or(self.finish_message.take());
            }
            ModelEvent::Failed(failure) => {
                self.finish = FinishReason::Error;
                self.failure.get_or_insert(failure);
            }
            ModelEvent::Skipped => self.skipped = self.skipped.saturating_add(1),
            ModelEvent::Repeated => self.repeated = self.repeated.saturating_add(1),
            ModelEvent::Restarted => {
                *self = Self {
                    failure: self.failure.take(),
                    skipped: self.skipped,
                    repeated: self.repeated,
                    ..Self::default()
                };
            }
        }
    }

    /// The parts of the message, with opaque data bound to `provider` and `model`.
    pub fn message_parts(&self, provider: &nexus_model::id::ProviderId, model: &str) -> Vec<MessagePart> {
        self.parts
            .iter()
            .map(|part| MessagePart {
                body: part.body.clone(),
                opaque: part.opaque.as_ref().map(|data| nexus_model::message::content::OpaqueData {
                    provider: provider.clone(),
                    model: model.to_owned(),
                    data: data.clone(),
                }),
            })
            .collect()
    }

    /// Begins the next part, appends to a text of the same kind, or replaces a part by a call.
    fn add(&mut self, part: usize, more: PartBody) {
        if part == self.parts.len() {
            return self.parts.push(AnswerPart { body: more, opaque: None });
        }
        match (self.parts.get_mut(part).map(|part| &mut part.body), more) {
            (Some(PartBody::Text { text }), PartBody::Text { text: more })
            | (Some(PartBody::Thinking { text }), PartBody::Thinking { text: more }) => text.push_str(&more),
            (Some(body), call @ PartBody::ToolCall(_)) => *body = call,
            _ => {}
        }
    }
}

//! Attachments: which models accept images and PDFs, the text sent to others instead, and omitted attachments.
//!
//! A model counts as text-only if its provider's list says so, or if it is the demo.

use serde_json::Value;

use crate::id::MessageId;
use crate::llm::{ModelConfig, PromptEntry};
use crate::message::content::{MessagePart, PartBody};
use crate::mind::blob::{is_document, is_picture};
use crate::provider::{ModelList, is_called};
use crate::turn::{RequestSpec, Turn};
use crate::world::World;
use nexus_text::content_hash::ContentHash;

/// The kinds of attachments that a model accepts. Of others it receives only the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputKinds {
    pub pictures: bool,
    pub documents: bool,
}

impl InputKinds {
    pub const ALL: Self = Self { pictures: true, documents: true };

    pub fn of(world: &World, config: &ModelConfig) -> Self {
        let pictures = !is_text_only(world, config);
        let provider = world.live_provider(&config.provider);
        Self { pictures, documents: pictures && provider.is_some_and(|one| one.protocol.takes_documents()) }
    }

    pub fn has(self, mime: &str) -> bool {
        self.pictures && is_picture(mime) || self.documents && is_document(mime)
    }
}

/// True if the model is known not to accept images.
pub fn is_text_only(world: &World, config: &ModelConfig) -> bool {
    if world.live_provider(&config.provider).is_some_and(|provider| provider.is_demo()) {
        return true;
    }
    // Reads the stored JSON without parsing the list, which is long and often needed.
    let list = world.setting(&ModelList::setting(&config.provider)).and_then(|list| list.get("models"));
    let mut models = list.and_then(|models| models.as_array()).into_iter().flatten();
    let model = models
        .find(|model| model.get("id").and_then(Value::as_str).is_some_and(|id| is_called(id, &config.model)));
    model.and_then(|model| model.get("sees")).and_then(Value::as_bool) == Some(false)
}

/// Replaces attachments that the model does not accept by text. The recipe names them, so that the request can be
/// rebuilt even after more is known about the model.
pub fn omit_images(entries: &mut [PromptEntry], omitted: &[ContentHash]) {
    if omitted.is_empty() {
        return;
    }
    for entry in entries {
        let (PromptEntry::User(parts) | PromptEntry::Assistant(parts)) = entry else { continue };
        for part in parts {
            let PartBody::Blob { hash, name, mime, .. } = &part.body else { continue };
            if omitted.contains(hash) {
                *part = MessagePart::text(placeholder(name, mime));
            }
        }
    }
}

/// The text that replaces an image or document.
fn placeholder(name: &str, mime: &str) -> String {
    let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    if is_document(mime) {
        return format!(
            "[the document “{name}” is attached here; you were not given it, because documents cannot be sent to your \
             model. Do not guess what it says: where that matters, say that you cannot read it.]"
        );
    }
    format!(
        "[the picture “{name}” is attached here; you were not given it, because your model does not look at pictures. \
         Do not guess what it shows: where that matters, say that you cannot see it.]"
    )
}

/// An attachment in the context that the request omits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OmittedImage {
    pub hash: ContentHash,
    pub name: String,
    pub reason: OmissionReason,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OmissionReason {
    /// The model or its protocol does not accept it.
    Unsupported,
    /// Images of newer messages used up the size limit.
    SizeLimit,
}

/// The attachments that a request omitted, newest message first, once each.
pub fn omitted_images(world: &World, turn: &Turn, recipe: &RequestSpec) -> Vec<OmittedImage> {
    let older = recipe.turns.newest_first(world).into_iter().flat_map(|turn| &turn.query);
    let mut out: Vec<OmittedImage> = Vec::new();
    for (hash, name) in turn.answers.iter().chain(older).flat_map(|id| pictures(world, id)) {
        if recipe.blobs.contains(hash) || out.iter().any(|known| known.hash == *hash) {
            continue;
        }
        let is_supported = !recipe.omitted_images.contains(hash);
        let reason = if is_supported { OmissionReason::SizeLimit } else { OmissionReason::Unsupported };
        out.push(OmittedImage { hash: *hash, name: name.to_owned(), reason });
    }
    out
}

/// The names of attachments of a turn's query that its model does not accept.
pub fn unsupported_attachments(world: &World, turn: &Turn) -> Vec<String> {
    let omitted = turn.calls.first().map(|call| call.recipe.omitted_images.as_slice()).unwrap_or_default();
    let attachments = turn.answers.iter().flat_map(|id| pictures(world, id));
    attachments.filter(|(hash, _)| omitted.contains(hash)).map(|(_, name)| name.to_owned()).collect()
}

/// The images and documents of a message with their names.
fn pictures<'w>(world: &'w World, id: &MessageId) -> Vec<(&'w ContentHash, &'w str)> {
    let parts = world.message(id).map(|message| message.parts.as_slice()).unwrap_or_default();
    let picture = |part: &'w MessagePart| {
        let PartBody::Blob { hash, mime, name, .. } = &part.body else { return None };
        InputKinds::ALL.has(mime).then_some((hash, name.as_str()))
    };
    parts.iter().filter_map(picture).collect()
}

#[cfg(test)]
mod tests;

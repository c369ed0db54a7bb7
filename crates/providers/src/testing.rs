//! Shared helpers of codec tests: prompts, decoded answers, and the properties of every decoder.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::chat::{Decode, ModelAnswer, ModelEvent};
use crate::http::HttpRequest;
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry};
use nexus_model::message::content::{MessagePart, OpaqueData, PartBody, ToolArgs, ToolCall, ToolResult};

/// A model config with defaults.
pub(super) fn config(provider: &str, model: &str) -> ModelConfig {
    ModelConfig::new(provider, model)
}

/// A prompt with only a conversation.
pub(super) fn prompt(config: ModelConfig, entries: Vec<PromptEntry>) -> Prompt {
    Prompt { entries, config, ..Prompt::default() }
}

pub(super) fn user_entry(text: &str) -> PromptEntry {
    PromptEntry::User(vec![MessagePart::text(text)])
}

/// A call with the arguments `{"n": 1}`.
pub(super) fn call(id: &str, own_id: bool, name: &str) -> MessagePart {
    let args = ToolArgs::Parsed(json!({"n": 1}));
    PartBody::ToolCall(ToolCall { id: id.into(), own_id, name: name.into(), args }).into()
}

/// A successful result.
pub(super) fn answer(call_id: &str, name: &str) -> ToolResult {
    ToolResult { call_id: call_id.into(), name: name.into(), result: json!({"ok": true}), is_error: false }
}

pub(super) fn sealed(part: MessagePart, provider: &str, model: &str, data: serde_json::Value) -> MessagePart {
    MessagePart { opaque: Some(OpaqueData { provider: provider.into(), model: model.into(), data }), ..part }
}

/// Compares a request with the key `top-secret` with the snapshot of this name: line, headers and body. Its debug text
/// must not contain the key. `INSTA_UPDATE=always` rewrites the snapshots.
pub(super) fn request_is(name: &str, request: &HttpRequest) {
    assert!(!format!("{request:?}").contains("top-secret"));
    let headers = request.headers.iter().map(|(name, value)| format!("{name}: {}\n", value.reveal()));
    let body: Value = serde_json::from_str(request.body.as_deref().unwrap_or("null")).unwrap();
    let text = format!("{:?} {}\n{}\n{body:#}", request.method, request.url, headers.collect::<String>());
    insta::with_settings!({
        snapshot_path => "../tests/snapshots", prepend_module_to_snapshot => false, omit_expression => true,
    }, { insta::assert_snapshot!(name, text) });
}

/// The events of bytes fed in these pieces.
pub(super) fn events_of<D: Decode + Default>(pieces: &[&[u8]]) -> Vec<ModelEvent> {
    let mut decoder = D::default();
    let mut events: Vec<_> = pieces.iter().flat_map(|piece| decoder.feed(piece)).collect();
    events.extend(decoder.end());
    events
}

pub(super) fn answer_of<D: Decode + Default>(pieces: &[&[u8]]) -> ModelAnswer {
    let mut answer = ModelAnswer::default();
    events_of::<D>(pieces).into_iter().for_each(|event| answer.apply(event));
    answer
}

/// Property: the events do not depend on the chunking.
pub(super) fn same_in_pieces<D: Decode + Default>(body: &str, cuts: &[Index]) -> Result<(), TestCaseError> {
    let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
    cuts.sort_unstable();
    let mut from = 0;
    let mut pieces = Vec::new();
    for cut in cuts.into_iter().chain([body.len()]) {
        pieces.push(&body.as_bytes()[from..cut]);
        from = cut;
    }
    prop_assert_eq!(events_of::<D>(&pieces), events_of::<D>(&[body.as_bytes()]));
    Ok(())
}

/// Property: parts are opened in order, without gaps.
pub(super) fn opened_in_order<D: Decode + Default>(body: &str) -> Result<(), TestCaseError> {
    let mut opened = 0;
    for event in events_of::<D>(&[body.as_bytes()]) {
        match event {
            ModelEvent::Text { part, .. }
            | ModelEvent::Thinking { part, .. }
            | ModelEvent::Call { part, .. }
            | ModelEvent::Opaque { part, .. }
            | ModelEvent::Reclassified { part } => {
                prop_assert!(part <= opened, "part {} before part {}", part, opened);
                opened = opened.max(part + 1);
            }
            ModelEvent::Restarted => opened = 0,
            ModelEvent::ResponseId(_)
            | ModelEvent::Model(_)
            | ModelEvent::Usage(_)
            | ModelEvent::Finish { .. }
            | ModelEvent::Failed(_)
            | ModelEvent::Skipped
            | ModelEvent::Repeated => {}
        }
    }
    Ok(())
}

/// Property: garbage is no answer and causes no panic.
pub(super) fn ignores_garbage<D: Decode + Default>(bytes: &[u8]) -> Result<(), TestCaseError> {
    prop_assert_eq!(answer_of::<D>(&[bytes]).parts, vec![]);
    Ok(())
}

/// The properties of a decoder as tests, over random streams of `piece`.
macro_rules! decoder_properties {
    ($decoder:ty, $piece:expr) => {
        proptest::proptest! {
            #[test]
            fn any_chunking_gives_the_same_events(
                pieces in proptest::collection::vec($piece, 1..10),
                cuts in proptest::collection::vec(proptest::prelude::any::<proptest::sample::Index>(), 0..10),
            ) {
                $crate::testing::same_in_pieces::<$decoder>(&pieces.concat(), &cuts)?;
            }

            #[test]
            fn parts_are_opened_in_order(pieces in proptest::collection::vec($piece, 1..12)) {
                $crate::testing::opened_in_order::<$decoder>(&pieces.concat())?;
            }

            #[test]
            fn random_bytes_are_ignored(
                bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
            ) {
                $crate::testing::ignores_garbage::<$decoder>(&bytes)?;
            }
        }
    };
}

pub(super) use decoder_properties;

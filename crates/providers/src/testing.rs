//! Shared helpers of codec tests: prompts, decoded answers, and the properties of every decoder.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::chat::{Decode, ModelAnswer, ModelEvent};
use crate::http::HttpRequest;
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry};
use nexus_model::message::content::{MessagePart, OpaqueData, PartBody, ToolArgs, ToolCall, ToolResult};

/// A model with nothing chosen.
pub(super) fn config(provider: &str, model: &str) -> ModelConfig {
    ModelConfig::new(provider, model)
}

/// A prompt of a conversation and nothing else.
pub(super) fn prompt(config: ModelConfig, entries: Vec<PromptEntry>) -> Prompt {
    Prompt { entries, config, ..Prompt::default() }
}

pub(super) fn said(text: &str) -> PromptEntry {
    PromptEntry::User(vec![MessagePart::text(text)])
}

/// A call with the arguments `{"n": 1}`.
pub(super) fn call(id: &str, own_id: bool, name: &str) -> MessagePart {
    let args = ToolArgs::Parsed(json!({"n": 1}));
    PartBody::ToolCall(ToolCall { id: id.into(), own_id, name: name.into(), args }).into()
}

/// A result that went well.
pub(super) fn answer(call_id: &str, name: &str) -> ToolResult {
    ToolResult { call_id: call_id.into(), name: name.into(), result: json!({"ok": true}), is_error: false }
}

pub(super) fn sealed(part: MessagePart, provider: &str, model: &str, data: serde_json::Value) -> MessagePart {
    MessagePart { opaque: Some(OpaqueData { provider: provider.into(), model: model.into(), data }), ..part }
}

/// Holds a request with the key `top-secret` against the snapshot of this name: line, headers and body. Its debug text
/// shows no key. `INSTA_UPDATE=always` rewrites the snapshots.
pub(super) fn request_is(name: &str, request: &HttpRequest) {
    assert!(!format!("{request:?}").contains("top-secret"));
    let headers = request.headers.iter().map(|(name, value)| format!("{name}: {}\n", value.reveal()));
    let body: Value = serde_json::from_str(request.body.as_deref().unwrap_or("null")).unwrap();
    let text = format!("{:?} {}\n{}\n{body:#}", request.method, request.url, headers.collect::<String>());
    insta::with_settings!({
        snapshot_path => "../tests/snapshots", prepend_module_to_snapshot => false, omit_expression => true,
    }, { insta::assert_snapshot!(name, text) });
}

/// What a decoder makes of bytes that come in these pieces.
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

/// Law: wherever the bytes are cut, the events are the same.
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

/// Law: each part is opened right after the ones before it.
pub(super) fn opened_in_order<D: Decode + Default>(body: &str) -> Result<(), TestCaseError> {
    let mut opened = 0;
    for event in events_of::<D>(&[body.as_bytes()]) {
        match event {
            ModelEvent::Text { part, .. }
            | ModelEvent::Thinking { part, .. }
            | ModelEvent::Call { part, .. }
            | ModelEvent::Opaque { part, .. }
            | ModelEvent::Rethought { part } => {
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

/// Law: noise is no answer, and never makes a decoder stumble.
pub(super) fn silent_on_noise<D: Decode + Default>(bytes: &[u8]) -> Result<(), TestCaseError> {
    prop_assert_eq!(answer_of::<D>(&[bytes]).parts, vec![]);
    Ok(())
}

/// The laws of a decoder as tests, over random streams whose pieces are each one of `piece`.
macro_rules! decoder_laws {
    ($decoder:ty, $piece:expr) => {
        proptest::proptest! {
            #[test]
            fn any_pieces_give_the_same_events(
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
            fn no_bytes_make_it_stumble(
                bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
            ) {
                $crate::testing::silent_on_noise::<$decoder>(&bytes)?;
            }
        }
    };
}

pub(super) use decoder_laws;

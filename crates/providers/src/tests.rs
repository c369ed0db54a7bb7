//! Shared helpers of codec tests: prompts, decoded answers, the properties of every decoder, and random conversations,
//! with interrupted turns and opaque data of several providers and models.

use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

use crate::chat::{Decode, ModelAnswer, ModelEvent};
use crate::http::HttpRequest;
use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, Thinking, ToolSpec};
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
                $crate::tests::same_in_pieces::<$decoder>(&pieces.concat(), &cuts)?;
            }

            #[test]
            fn parts_are_opened_in_order(pieces in proptest::collection::vec($piece, 1..12)) {
                $crate::tests::opened_in_order::<$decoder>(&pieces.concat())?;
            }

            #[test]
            fn random_bytes_are_ignored(
                bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
            ) {
                $crate::tests::ignores_garbage::<$decoder>(&bytes)?;
            }
        }
    };
}

pub(super) use decoder_properties;

/// The provider of the request. Opaque data of `elsewhere` is another's.
pub(super) const PROVIDER: &str = "here";

/// A prompt for one of `models`; opaque data is one of `opaque`, in this protocol's format.
pub(super) fn any_prompt(
    models: &'static [&'static str],
    opaque: fn() -> Vec<Value>,
) -> impl Strategy<Value = Prompt> {
    let thinking = prop::sample::select(vec![
        Thinking::Auto,
        Thinking::Off,
        Thinking::Low,
        Thinking::Medium,
        Thinking::High,
    ]);
    let model = prop::sample::select(models);
    (any_conversation(models, opaque), model, thinking, any::<bool>()).prop_map(
        |(entries, model, thinking, has_tools)| Prompt {
            system: "s".into(),
            entries,
            tools: has_tools.then(tool).into_iter().collect(),
            config: ModelConfig { thinking, temperature: Some(0.3), ..ModelConfig::new(PROVIDER, model) },
            ..Prompt::default()
        },
    )
}

fn tool() -> ToolSpec {
    ToolSpec {
        name: "tool".into(),
        description: "d".into(),
        parameters: json!({"type": "object", "properties": {}}),
    }
}

fn any_opaque(
    models: &'static [&'static str],
    opaque: fn() -> Vec<Value>,
) -> impl Strategy<Value = Option<OpaqueData>> {
    let provider = prop::sample::select(vec![PROVIDER, "elsewhere"]);
    let data = prop::sample::select(opaque());
    let opaque = (provider, prop::sample::select(models), data).prop_map(|(provider, model, data)| {
        OpaqueData { provider: provider.into(), model: model.into(), data }
    });
    prop::option::of(opaque)
}

fn any_part(
    models: &'static [&'static str],
    opaque: fn() -> Vec<Value>,
) -> impl Strategy<Value = MessagePart> {
    let body = prop_oneof![
        "[a-z \n]{0,6}".prop_map(|text| PartBody::Text { text }),
        "[a-z \n]{0,6}".prop_map(|text| PartBody::Thinking { text }),
        any::<u8>().prop_map(|n| PartBody::Json { value: n.into() }),
    ];
    (body, any_opaque(models, opaque)).prop_map(|(body, opaque)| MessagePart { body, opaque })
}

fn any_call() -> impl Strategy<Value = ToolCall> {
    let args = prop_oneof![
        any::<u8>().prop_map(|n| ToolArgs::Parsed(json!({"n": n}))),
        Just(ToolArgs::Parsed(Value::Null)),
        Just(ToolArgs::Broken("{".into())),
    ];
    let id = prop_oneof!["call-[0-3]", "[a-z/ é]{0,3}", Just("x".repeat(80))];
    (args, any::<bool>(), id).prop_map(|(args, own_id, id)| ToolCall {
        id,
        own_id,
        name: "tool".into(),
        args,
    })
}

/// An answer with calls, the results of those whose bit in `answered` is set, and maybe a stray result.
fn step(mut parts: Vec<MessagePart>, calls: Vec<ToolCall>, answered: u8, stray: bool) -> Vec<PromptEntry> {
    let mut answers = Vec::new();
    for (at, call) in calls.into_iter().enumerate() {
        if answered & (1 << at) != 0 {
            answers.push(ToolResult {
                call_id: call.id.clone(),
                name: call.name.clone(),
                result: json!({"at": at}),
                is_error: at % 2 == 1,
            });
        }
        parts.push(PartBody::ToolCall(call).into());
    }
    if stray {
        let name = "gone".to_owned();
        answers.push(ToolResult { call_id: "gone".into(), name, result: json!({}), is_error: false });
    }
    let mut entries = vec![PromptEntry::Assistant(parts)];
    if !answers.is_empty() {
        entries.push(PromptEntry::ToolResults(answers));
    }
    entries
}

fn any_conversation(
    models: &'static [&'static str],
    opaque: fn() -> Vec<Value>,
) -> impl Strategy<Value = Vec<PromptEntry>> {
    let parts = prop::collection::vec(any_part(models, opaque), 0..4);
    let calls = prop::collection::vec(any_call(), 0..4);
    let answered = prop_oneof![Just(u8::MAX), any::<u8>()];
    let a_step = (parts, calls, answered, prop::bool::weighted(0.1))
        .prop_map(|(parts, calls, answered, stray)| step(parts, calls, answered, stray));
    let query = prop::collection::vec(any_part(models, opaque), 1..3)
        .prop_map(|parts| vec![PromptEntry::User(parts)]);
    let turn = (query, prop::collection::vec(a_step, 0..4))
        .prop_map(|(query, steps)| query.into_iter().chain(steps.concat()).collect::<Vec<_>>());
    (prop::collection::vec(turn, 0..4), prop::bool::weighted(0.2)).prop_map(|(turns, headless)| {
        let mut entries = turns.concat();
        if headless && !entries.is_empty() {
            entries.remove(0);
        }
        entries
    })
}

//! Random conversations for the encoders' property tests.
//!
//! Includes interrupted turns and opaque data of several providers and models.

use proptest::prelude::*;
use serde_json::{Value, json};

use nexus_model::llm::{ModelConfig, Prompt, PromptEntry, Thinking, ToolSpec};
use nexus_model::message::content::{MessagePart, OpaqueData, PartBody, ToolArgs, ToolCall, ToolResult};

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

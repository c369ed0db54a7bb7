//! Encodes a prompt for Gemini.
//!
//! Two roles alternate, results are paired with their calls, and signatures are returned on their own parts and only to
//! the model that made them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use crate::gemini::decode::SIGNATURE;
use crate::gemini::thinking;
use crate::http::{Endpoint, HttpRequest, object};
use crate::turns;
use crate::turns::{PromptTurn, RoleMessage, USER, close, file, own, pair, push, turns, words};
use nexus_model::llm::{ModelConfig, Prompt, ToolSpec};
use nexus_model::message::content::{MessagePart, PartBody, ToolCall, ToolResult};
use nexus_model::provider::vision::InputKinds;

/// Google's documented placeholder for the signature of another model's call.
const FOREIGN_CALL_SIGNATURE: &str = "skip_thought_signature_validator";

pub fn encode(prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    let model = utf8_percent_encode(thinking::bare_name(&prompt.config.model), SEGMENT);
    let system = (!prompt.system.is_empty()).then(|| json!({"parts": [{"text": prompt.system}]}));
    let content =
        contents(prompt).into_iter().map(|content| json!({"role": content.role, "parts": content.parts}));
    let declarations = || prompt.tools.iter().map(declaration).collect::<Vec<_>>();
    let tools = (!prompt.tools.is_empty()).then(|| json!([{"functionDeclarations": declarations()}]));
    let forced = prompt.forced_tool().map(|name| {
        let calling = json!({"mode": "ANY", "allowedFunctionNames": [name]});
        json!({"functionCallingConfig": calling})
    });
    let config = generation_config(prompt);
    let fields = vec![
        ("systemInstruction", system.into()),
        ("contents", content.collect()),
        ("tools", tools.into()),
        ("toolConfig", forced.into()),
        ("generationConfig", (!config.is_empty()).then_some(config).into()),
    ];
    HttpRequest::post(
        format!("{}/models/{model}:streamGenerateContent?alt=sse", versioned(endpoint)),
        endpoint.key_header(KEY_HEADER),
        fields,
    )
}

pub(super) fn versioned(endpoint: &Endpoint) -> String {
    let base = endpoint.base_url.trim_end_matches('/');
    if base.ends_with("/v1beta") { base.to_owned() } else { format!("{base}/v1beta") }
}

pub(super) const KEY_HEADER: &str = "x-goog-api-key";

/// Characters allowed unescaped in a path segment.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn declaration(tool: &ToolSpec) -> Value {
    // The schema of an object without properties is rejected.
    let has_parameters =
        tool.parameters.get("properties").and_then(Value::as_object).is_some_and(|all| !all.is_empty());
    let parameters = has_parameters.then(|| tool.parameters.clone());
    let (name, description) = (tool.name.clone().into(), tool.description.clone().into());
    let fields =
        vec![("name", name), ("description", description), ("parametersJsonSchema", parameters.into())];
    object(fields).into()
}

fn generation_config(prompt: &Prompt) -> Map<String, Value> {
    let config = &prompt.config;
    // Before 3, a schema together with tools is rejected; then the prompt must be enough.
    let takes_both = thinking::requires_signatures(&config.model);
    let shape = prompt.output.clone().filter(|_| takes_both || prompt.tools.is_empty());
    object(vec![
        ("responseMimeType", shape.is_some().then_some("application/json").into()),
        ("responseJsonSchema", shape.into()),
        ("temperature", config.temperature.into()),
        ("maxOutputTokens", config.max_tokens.into()),
        ("thinkingConfig", thinking::config(&config.model, config.thinking).into()),
    ])
}

const MODEL: &str = "model";

/// The conversation. Merges adjacent contents of one role; the first and the last are the user's.
fn contents(prompt: &Prompt) -> Vec<RoleMessage> {
    let mut contents = Vec::new();
    for (_, turn) in turns(prompt) {
        match turn {
            PromptTurn::User(parts) => {
                let content = parts.iter().filter_map(|part| user_part(part, prompt));
                push(&mut contents, USER, content.collect());
            }
            PromptTurn::Model(parts, answers) => {
                let content = parts.iter().filter_map(|part| model_part(part, &prompt.config));
                push(&mut contents, MODEL, content.collect());
                push(&mut contents, USER, answered(parts, answers));
            }
        }
    }
    close(&mut contents, &text(turns::GO_ON));
    if thinking::requires_signatures(&prompt.config.model) {
        sign_foreign_calls(&mut contents);
    }
    contents
}

/// In the current turn (since the user's last message) the first call of every step must be signed, which calls of
/// another model are not. Text beside tool results may not start a turn, so earlier calls are signed too: an extra
/// signature does no harm.
fn sign_foreign_calls(contents: &mut [RoleMessage]) {
    let answers = |part: &Map<String, Value>| part.contains_key("functionResponse");
    let current = contents.iter_mut().rev().take_while(|c| c.role == MODEL || c.parts.iter().any(answers));
    for content in current {
        let first_call = content.parts.iter_mut().find(|part| part.contains_key("functionCall"));
        if let Some(call) = first_call {
            call.entry(SIGNATURE).or_insert_with(|| FOREIGN_CALL_SIGNATURE.into());
        }
    }
}

fn text(text: &str) -> Map<String, Value> {
    field("text", text.into())
}

fn field(key: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(key.to_owned(), value)])
}

fn user_part(part: &MessagePart, prompt: &Prompt) -> Option<Map<String, Value>> {
    if let Some((mime, _, base64)) = file(part, prompt).filter(|(mime, ..)| InputKinds::ALL.has(mime)) {
        return Some(field("inlineData", json!({"mimeType": mime, "data": base64})));
    }
    words(part).filter(|said| !said.is_empty()).map(|said| text(&said))
}

fn model_part(part: &MessagePart, config: &ModelConfig) -> Option<Map<String, Value>> {
    let signature = own(part, config).and_then(|data| data.get(SIGNATURE));
    let mut out = match &part.body {
        // Thinking is not history; the model only expects signed thinking.
        PartBody::Thinking { text: thought } => signature.map(|_| {
            let mut part = text(thought);
            part.insert("thought".into(), true.into());
            part
        }),
        PartBody::ToolCall(call) => Some(field("functionCall", called(call))),
        PartBody::Text { .. } | PartBody::Json { .. } | PartBody::Blob { .. } | PartBody::ToolResult(_) => {
            words(part).filter(|said| !said.is_empty() || signature.is_some()).map(|said| text(&said))
        }
    }?;
    if let Some(signature) = signature {
        out.insert(SIGNATURE.into(), signature.clone());
    }
    Some(out)
}

fn called(call: &ToolCall) -> Value {
    named(call, "args", turns::arguments(&call.args))
}

/// A call or its result, by id and name. Ids that we made are unknown to the model and omitted.
fn named(call: &ToolCall, key: &str, value: Value) -> Value {
    let id = (!call.own_id).then(|| call.id.clone());
    object(vec![("id", id.into()), ("name", turns::tool_name(&call.name).into()), (key, value)]).into()
}

/// One result for each call in order, then the results without a call.
fn answered(parts: &[MessagePart], answers: &[ToolResult]) -> Vec<Map<String, Value>> {
    let (pairs, rest) = pair(parts, answers);
    let answered = pairs.into_iter().map(|(call, answer)| {
        field("functionResponse", named(call, "response", answer.map_or_else(turns::no_outcome, response)))
    });
    // A result without its call can only be sent as text.
    answered.chain(rest.into_iter().map(|answer| text(&turns::orphan_result(answer)))).collect()
}

fn response(answer: &ToolResult) -> Value {
    let outcome = turns::outcome(answer);
    if outcome.is_object() { outcome } else { json!({"result": outcome}) }
}

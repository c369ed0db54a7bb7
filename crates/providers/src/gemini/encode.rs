//! Encodes a prompt for Gemini.
//!
//! Two roles alternate, answers are paired with their calls, and signatures go back on their own parts and only to
//! the model that made them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value, json};

use crate::fallback;
use crate::gemini::decode::SIGNATURE;
use crate::gemini::thinking;
use crate::http::{Endpoint, Header, HttpRequest, object};
use crate::turns::{PromptTurn, RoleMessage, USER, close, file, own, pair, push, turns, words};
use nexus_model::llm::{ModelConfig, Prompt, ToolSpec};
use nexus_model::message::content::{MessagePart, PartBody, ToolCall, ToolResult};
use nexus_model::provider::vision::InputKinds;

/// What Gemini documents to stand for the signature of a call that another model made.
const FOREIGN_CALL_SIGNATURE: &str = "skip_thought_signature_validator";

/// The streaming call for `prompt`.
pub fn encode(prompt: &Prompt, endpoint: &Endpoint) -> HttpRequest {
    let model = utf8_percent_encode(thinking::bare_name(&prompt.config.model), SEGMENT);
    let system = (!prompt.system.is_empty()).then(|| json!({"parts": [{"text": prompt.system}]}));
    let said = contents(prompt).into_iter().map(|said| json!({"role": said.role, "parts": said.parts}));
    let declarations = || prompt.tools.iter().map(declaration).collect::<Vec<_>>();
    let tools = (!prompt.tools.is_empty()).then(|| json!([{"functionDeclarations": declarations()}]));
    let forced = prompt.forced_tool().map(|name| {
        let calling = json!({"mode": "ANY", "allowedFunctionNames": [name]});
        json!({"functionCallingConfig": calling})
    });
    let config = generation_config(prompt);
    HttpRequest::post(
        format!("{}/models/{model}:streamGenerateContent?alt=sse", versioned(endpoint)),
        key_header(endpoint),
        vec![
            ("systemInstruction", system.into()),
            ("contents", said.collect()),
            ("tools", tools.into()),
            ("toolConfig", forced.into()),
            ("generationConfig", (!config.is_empty()).then_some(config).into()),
        ],
    )
}

pub(super) fn versioned(endpoint: &Endpoint) -> String {
    let base = endpoint.base_url.trim_end_matches('/');
    if base.ends_with("/v1beta") { base.to_owned() } else { format!("{base}/v1beta") }
}

pub(super) fn key_header(endpoint: &Endpoint) -> Vec<Header> {
    endpoint.key_header("x-goog-api-key").into_iter().collect()
}

/// What stands in a segment of a path as it is, whatever the operator typed.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

fn declaration(tool: &ToolSpec) -> Value {
    // A schema of an object without properties is refused.
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
    // Before 3 a request that asks for data and offers tools is refused; the prompt's words then have to do.
    let takes_both = thinking::wants_signatures(&config.model);
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

/// The conversation. Neighbours of one role become one content, and the user has the first and the last word.
fn contents(prompt: &Prompt) -> Vec<RoleMessage> {
    let mut contents = Vec::new();
    for (_, turn) in turns(prompt) {
        match turn {
            PromptTurn::User(parts) => {
                let said = parts.iter().filter_map(|part| said_by_user(part, prompt));
                push(&mut contents, USER, said.collect());
            }
            PromptTurn::Model(parts, answers) => {
                let said = parts.iter().filter_map(|part| said_by_model(part, &prompt.config));
                push(&mut contents, MODEL, said.collect());
                push(&mut contents, USER, answered(parts, answers));
            }
        }
    }
    close(&mut contents, &text(fallback::GO_ON));
    if thinking::wants_signatures(&prompt.config.model) {
        sign_foreign_calls(&mut contents);
    }
    contents
}

/// In the current turn (since the user last said something) the first call of every step must be signed. Calls
/// that another model made, before the conversation was handed to this one, are not. What is said beside the answers
/// of tools begins no turn for certain, so what came before it is signed too: one signature too many does no harm.
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

fn said_by_user(part: &MessagePart, prompt: &Prompt) -> Option<Map<String, Value>> {
    if let Some((mime, _, base64)) = file(part, prompt).filter(|(mime, ..)| InputKinds::ALL.has(mime)) {
        return Some(field("inlineData", json!({"mimeType": mime, "data": base64})));
    }
    words(part).filter(|said| !said.is_empty()).map(|said| text(&said))
}

fn said_by_model(part: &MessagePart, config: &ModelConfig) -> Option<Map<String, Value>> {
    let signature = own(part, config).and_then(|data| data.get(SIGNATURE));
    let mut out = match &part.body {
        // Thinking is not history; only where it is signed does the model want to see it again.
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
    named(call, "args", fallback::arguments(&call.args))
}

/// A call or its result, by id and name. The model knows only ids of its own.
fn named(call: &ToolCall, key: &str, value: Value) -> Value {
    let id = (!call.own_id).then(|| call.id.clone());
    object(vec![("id", id.into()), ("name", fallback::tool_name(&call.name).into()), (key, value)]).into()
}

/// One answer for each call in the order of the calls, then what answers none of them.
fn answered(parts: &[MessagePart], answers: &[ToolResult]) -> Vec<Map<String, Value>> {
    let (pairs, rest) = pair(parts, answers);
    let answered = pairs.into_iter().map(|(call, answer)| {
        field("functionResponse", named(call, "response", answer.map_or_else(fallback::no_outcome, response)))
    });
    // A result whose call is not in the prompt can only be told.
    answered.chain(rest.into_iter().map(|answer| text(&fallback::uncalled(answer)))).collect()
}

fn response(answer: &ToolResult) -> Value {
    let outcome = fallback::outcome(answer);
    if outcome.is_object() { outcome } else { json!({"result": outcome}) }
}

//! Rules of Ollama's native API, including input that the real server would silently ignore.

use serde_json::Value;

use super::shape::{Message, Misfit, Shape, check as check_shape};
use super::{ApiError, IssuedData, is_base64, items, text};

static REQUEST: Message = Message(&[
    ("model!", Shape::Text),
    ("messages!", Shape::List(&Shape::Tagged("role", &ROLES))),
    ("tools", Shape::List(&Shape::Message(&TOOL))),
    ("stream", Shape::Truth),
    ("think", Shape::Either(&[Shape::Null, Shape::Truth, Shape::Word(&["low", "medium", "high"])])),
    ("format", Shape::Either(&[Shape::Word(&["json"]), Shape::Struct])),
    ("options!", Shape::Message(&OPTIONS)),
    ("keep_alive", Shape::Either(&[Shape::Text, Shape::Number])),
]);

static ROLES: [(&str, &Message); 4] = [
    ("system", &Message(&[("role!", Shape::Text), ("content!", Shape::Text)])),
    (
        "user",
        &Message(&[("role!", Shape::Text), ("content!", Shape::Text), ("images", Shape::List(&Shape::Text))]),
    ),
    (
        "assistant",
        &Message(&[
            ("role!", Shape::Text),
            ("content!", Shape::Text),
            ("thinking", Shape::Text),
            ("tool_calls", Shape::List(&Shape::Message(&TOOL_CALL))),
        ]),
    ),
    (
        "tool",
        &Message(&[
            ("role!", Shape::Text),
            ("content!", Shape::Text),
            ("tool_name!", Shape::Text),
            ("tool_call_id", Shape::Text),
        ]),
    ),
];

static TOOL_CALL: Message = Message(&[
    ("id", Shape::Text),
    ("type", Shape::Word(&["function"])),
    (
        "function!",
        Shape::Message(&Message(&[
            ("index", Shape::Whole),
            ("name!", Shape::Text),
            // An object, not its text.
            ("arguments!", Shape::Struct),
        ])),
    ),
]);

static TOOL: Message = Message(&[
    ("type!", Shape::Word(&["function"])),
    (
        "function!",
        Shape::Message(&Message(&[
            ("name!", Shape::Text),
            ("description", Shape::Text),
            ("parameters!", Shape::Struct),
        ])),
    ),
]);

static OPTIONS: Message = Message(&[
    ("num_ctx!", Shape::Whole),
    ("num_predict", Shape::Whole),
    ("temperature", Shape::Number),
    ("top_p", Shape::Number),
    ("top_k", Shape::Whole),
    ("seed", Shape::Whole),
    ("stop", Shape::List(&Shape::Text)),
]);

/// Models without tools and thinking: they answer 400 to both.
const PLAIN_MODELS: [&str; 1] = ["gemma3:4b"];

/// Checks the body of a request to this model.
pub(super) fn check(model: &str, body: &Value, issued: &IssuedData) -> Result<(), ApiError> {
    check_shape(body, &REQUEST).map_err(|misfit| {
        ApiError::argument(match misfit {
            Misfit::Unknown { path, name } => format!("json: unknown field \"{name}\" at \"{path}\""),
            Misfit::Missing { path, name } => format!("json: \"{name}\" is missing at \"{path}\""),
            Misfit::Wrong { path, expected, value } => {
                format!("json: cannot unmarshal {value} into Go struct field {path} of {expected}")
            }
        })
    })?;
    if body.get("stream") == Some(&Value::Bool(false)) {
        return Err(ApiError::argument("an answer that does not stream was never meant"));
    }
    let thinks = !matches!(body.get("think"), None | Some(Value::Null | Value::Bool(false)));
    if PLAIN_MODELS.contains(&model) {
        if !items(body, "tools").is_empty() {
            return Err(ApiError::argument(format!(
                "registry.ollama.ai/library/{model} does not support tools"
            )));
        }
        if thinks {
            return Err(ApiError::argument(format!("\"{model}\" does not support thinking")));
        }
    }
    for tool in items(body, "tools") {
        if tool.pointer("/function/parameters/type").and_then(Value::as_str) != Some("object") {
            return Err(ApiError::argument("invalid tool: its parameters are no object"));
        }
    }
    check_messages(model, items(body, "messages"), issued)
}

fn check_messages(model: &str, messages: &[Value], issued: &IssuedData) -> Result<(), ApiError> {
    let roles: Vec<&str> = messages.iter().filter_map(|message| text(message, "role")).collect();
    if roles.iter().all(|role| *role == "system") {
        return Err(ApiError::argument("invalid message: nobody asks anything"));
    }
    if roles.iter().skip_while(|role| **role == "system").any(|role| *role == "system") {
        return Err(ApiError::argument("invalid message: a system prompt in the middle"));
    }
    if roles.last() == Some(&"assistant") {
        return Err(ApiError::argument("invalid message: the last one would be continued, not answered"));
    }
    let mut open: Vec<&str> = Vec::new();
    for (index, message) in messages.iter().enumerate() {
        let content = text(message, "content").unwrap_or_default();
        if text(message, "role") == Some("tool") {
            // Only the order relates a result to its call.
            let name = text(message, "tool_name").unwrap_or_default();
            if open.is_empty() || open.remove(0) != name {
                return Err(ApiError::argument(format!(
                    "invalid message {index}: a result of {name:?} where none is expected"
                )));
            }
            continue;
        }
        if !open.is_empty() {
            return Err(ApiError::argument(format!(
                "invalid message {index}: calls without a result: {}",
                open.join(", ")
            )));
        }
        for image in items(message, "images") {
            if !image.as_str().is_some_and(is_base64) {
                return Err(ApiError::argument(format!(
                    "illegal base64 data in the images of message {index}"
                )));
            }
        }
        let calls = items(message, "tool_calls");
        if message.get("tool_calls").is_some() && calls.is_empty() {
            return Err(ApiError::argument(format!("invalid message {index}: no call among its tool_calls")));
        }
        open.extend(calls.iter().filter_map(|call| call.pointer("/function/name").and_then(Value::as_str)));
        if open.iter().any(|name| name.is_empty()) {
            return Err(ApiError::argument(format!("invalid message {index}: a call without a name")));
        }
        if content.is_empty() && calls.is_empty() && items(message, "images").is_empty() {
            return Err(ApiError::argument(format!("invalid message {index}: it says nothing")));
        }
        if let Some(thought) = text(message, "thinking") {
            let signed = issued.get(thought).filter(|signed| signed.model == model);
            if !thought.is_empty() && signed.is_none() {
                return Err(ApiError::argument(format!(
                    "invalid message {index}: {model} never thought {thought:?}"
                )));
            }
        }
    }
    if open.is_empty() {
        return Ok(());
    }
    Err(ApiError::argument(format!("calls without a result: {}", open.join(", "))))
}

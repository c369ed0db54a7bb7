//! Rules of Gemini: roles, function responses, thought signatures, function declarations, generation settings.
//!
//! Error messages are those of the real service where known. `fields` checks names and types.

mod fields;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{ApiError, IssuedData, is_base64, items, text};

/// The documented placeholder for the signature of another model's calls.
pub(crate) const SIGNATURE_SENTINEL: &str = "skip_thought_signature_validator";

/// Checks the body of a `generateContent` request to this model.
pub(crate) fn check(model: &str, body: &Value, issued: &IssuedData) -> Result<(), ApiError> {
    fields::check(body)?;
    check_tools(body)?;
    check_thinking(model, body)?;
    let contents = items(body, "contents");
    if contents.is_empty() {
        return Err(ApiError::argument("* GenerateContentRequest.contents: contents is not specified\n"));
    }
    for (index, content) in contents.iter().enumerate() {
        check_content(content, &format!("contents[{index}]"))?;
        if !matches!(text(content, "role"), Some("user" | "model")) {
            return Err(ApiError::argument("Please use a valid role: user, model."));
        }
    }
    if let Some(system) = body.get("systemInstruction") {
        check_content(system, "system_instruction")?;
    }
    check_order(contents)?;
    check_signatures(model, contents, issued)
}

/// A part has exactly one kind and is not empty.
fn check_content(content: &Value, path: &str) -> Result<(), ApiError> {
    const KINDS: [&str; 8] = [
        "text",
        "functionCall",
        "functionResponse",
        "inlineData",
        "fileData",
        "executableCode",
        "codeExecutionResult",
        "toolCall",
    ];
    let parts = items(content, "parts");
    if parts.is_empty() {
        return Err(ApiError::argument(format!(
            "* GenerateContentRequest.{path}.parts: contents.parts must not be empty.\n"
        )));
    }
    for (index, part) in parts.iter().enumerate() {
        let kinds: Vec<_> = KINDS.into_iter().filter(|kind| part.get(kind).is_some()).collect();
        if let [first, second, ..] = kinds.as_slice() {
            return Err(ApiError::argument(format!(
                "Invalid value at '{path}.parts[{index}]' (oneof), oneof field 'data' is already \
                 set to '{first}'. Cannot set '{second}'"
            )));
        }
        let is_empty_text = text(part, "text") == Some("") && part.get("thoughtSignature").is_none();
        if kinds.is_empty() || is_empty_text {
            return Err(ApiError::argument(format!(
                "* GenerateContentRequest.{path}.parts[{index}].data: required oneof field 'data' \
                 must have one initialized field\n"
            )));
        }
        if part.get("inlineData").is_some_and(|data| {
            text(data, "mimeType").is_none_or(|mime| !mime.contains('/'))
                || !text(data, "data").is_some_and(is_base64)
        }) {
            return Err(ApiError::argument(format!(
                "Invalid value at '{path}.parts[{index}].inline_data.data' (TYPE_BYTES), Base64 decoding failed"
            )));
        }
        for kind in ["functionCall", "functionResponse"] {
            if part.get(kind).is_some_and(|call| text(call, "name").is_none_or(str::is_empty)) {
                return Err(ApiError::argument(format!(
                    "* GenerateContentRequest.{path}.parts[{index}].{}.name: Name cannot be empty.\n",
                    fields::snake(kind)
                )));
            }
        }
        if part.get("functionResponse").is_some_and(|answer| answer.get("response").is_none()) {
            return Err(ApiError::argument(format!(
                "* GenerateContentRequest.{path}.parts[{index}].function_response.response: \
                 required field is missing\n"
            )));
        }
    }
    Ok(())
}

fn check_tools(body: &Value) -> Result<(), ApiError> {
    let mut names = BTreeSet::new();
    let tools = items(body, "tools").iter().enumerate();
    for (tool_index, tool) in tools {
        for (index, function) in items(tool, "functionDeclarations").iter().enumerate() {
            let path = format!("tools[{tool_index}].function_declarations[{index}]");
            let name = text(function, "name").unwrap_or_default();
            if !is_function_name(name) {
                return Err(ApiError::argument(format!(
                    "* GenerateContentRequest.{path}.name: Invalid function name. Must start with \
                     a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores \
                     (_), dots (.), colons (:), or dashes (-), with a maximum length of 64.\n"
                )));
            }
            if !names.insert(name) {
                return Err(ApiError::argument(format!("Duplicate function declaration found: {name}")));
            }
            let parameters = function.get("parameters");
            let schema = function.get("parametersJsonSchema");
            if parameters.is_some() && schema.is_some() {
                return Err(ApiError::argument(format!(
                    "* GenerateContentRequest.{path}: only one of parameters and \
                     parameters_json_schema may be set\n"
                )));
            }
            if parameters.is_some_and(|schema| {
                text(schema, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("object"))
                    && schema.get("properties").and_then(Value::as_object).is_none_or(Map::is_empty)
            }) {
                return Err(ApiError::argument(format!(
                    "* GenerateContentRequest.{path}.parameters.properties: should be non-empty \
                     for OBJECT type\n"
                )));
            }
        }
    }
    let config = body.pointer("/toolConfig/functionCallingConfig");
    for name in config.map(|config| items(config, "allowedFunctionNames")).unwrap_or_default() {
        if !name.as_str().is_some_and(|name| names.contains(name)) {
            return Err(ApiError::argument(format!(
                "allowed_function_names holds {name}, which is not declared"
            )));
        }
    }
    Ok(())
}

fn is_function_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && name.chars().all(|each| each.is_ascii_alphanumeric() || "_.:-".contains(each))
}

fn check_thinking(model: &str, body: &Value) -> Result<(), ApiError> {
    let Some(thinking) = body.pointer("/generationConfig/thinkingConfig") else {
        return Ok(());
    };
    let budget = thinking.get("thinkingBudget").is_some();
    let level = text(thinking, "thinkingLevel").map(str::to_ascii_lowercase);
    let refused = match level.as_deref() {
        Some(_) if budget => Some("You can only set only one of thinking budget and thinking level."),
        Some(_) if !has_signatures(model) => Some("Thinking level is not supported for this model."),
        Some("minimal") if ["gemini-3.8-flash", "gemini-4-argon"].contains(&model) => {
            Some("Thinking level MINIMAL is not supported for this model.")
        }
        None if budget && model == "gemini-4-argon" => {
            Some("Thinking budget is not supported for this model.")
        }
        _ => None,
    };
    refused.map_or(Ok(()), |words| Err(ApiError::argument(words)))
}

/// True if this model requires thought signatures: all from Gemini 3 on.
fn has_signatures(model: &str) -> bool {
    !model.starts_with("gemini-2") && !model.starts_with("gemini-1")
}

/// Checks the order of roles, and that each call has its response.
fn check_order(contents: &[Value]) -> Result<(), ApiError> {
    if contents.first().is_some_and(|first| text(first, "role") != Some("user")) {
        return Err(ApiError::argument("Please ensure that multiturn requests begin with a user turn."));
    }
    let mut open: Vec<&Value> = Vec::new();
    for content in contents {
        if text(content, "role") == Some("model") {
            if parts(content, "functionResponse").next().is_some() {
                return Err(ApiError::argument(
                    "Please ensure that function response turns have the role user.",
                ));
            }
            open.extend(parts(content, "functionCall"));
            continue;
        }
        if parts(content, "functionCall").next().is_some() {
            return Err(ApiError::argument("Please ensure that function call turns have the role model."));
        }
        let answers: Vec<_> = parts(content, "functionResponse").collect();
        if open.is_empty() && !answers.is_empty() {
            return Err(ApiError::argument(
                "Please ensure that function response turn comes immediately after a function \
                 call turn.",
            ));
        }
        if open.len() != answers.len() {
            return Err(ApiError::argument(
                "Please ensure that the number of function response parts is equal to the number \
                 of function call parts of the function call turn.",
            ));
        }
        for (call, answer) in open.drain(..).zip(answers) {
            for field in ["name", "id"] {
                if text(call, field) != text(answer, field) {
                    return Err(ApiError::argument(format!(
                        "The function response's {field} ({:?}) is not that of its function call \
                         ({:?}).",
                        text(answer, field),
                        text(call, field)
                    )));
                }
            }
        }
    }
    if contents.last().is_some_and(|last| text(last, "role") == Some("model")) {
        return Err(ApiError::argument(
            "Please ensure that multiturn requests ends with a user role or a function response.",
        ));
    }
    Ok(())
}

/// Signatures must be sent back on their parts; within the current turn the first call of each step must have one.
fn check_signatures(model: &str, contents: &[Value], issued: &IssuedData) -> Result<(), ApiError> {
    for part in contents.iter().flat_map(|content| items(content, "parts")) {
        let Some(signature) = text(part, "thoughtSignature") else {
            continue;
        };
        if signature == SIGNATURE_SENTINEL {
            continue;
        }
        let Some(signed) = issued.get(signature).filter(|signed| signed.model == model) else {
            return Err(ApiError::argument("Corrupted thought signature."));
        };
        if !comes_back(&signed.part, &bare_part(part)) {
            return Err(ApiError::argument(format!(
                "Invalid thought signature: it was given for {}, and came back on {}.",
                signed.part,
                bare_part(part)
            )));
        }
    }
    if !has_signatures(model) {
        return Ok(());
    }
    let is_query = |content: &Value| {
        text(content, "role") == Some("user") && parts(content, "functionResponse").next().is_none()
    };
    let turn_start = contents.iter().rposition(is_query).unwrap_or(0);
    let mut previous_is_model = false;
    for (position, content) in contents.iter().enumerate().skip(turn_start) {
        let is_model = text(content, "role") == Some("model");
        if is_model && !previous_is_model {
            let first = items(content, "parts").iter().find(|part| part.get("functionCall").is_some());
            if let Some(first) = first.filter(|part| part.get("thoughtSignature").is_none()) {
                let name = first.pointer("/functionCall/name").and_then(Value::as_str);
                return Err(ApiError::argument(format!(
                    "Function call is missing a thought_signature in functionCall parts. \
                     Additional data, function call `default_api:{}`, position {}.",
                    name.unwrap_or_default(),
                    position + 1
                )));
            }
        }
        previous_is_model = is_model;
    }
    Ok(())
}

/// A part without its signature, and with empty arguments for a call without any, for comparison.
pub(crate) fn bare_part(part: &Value) -> Value {
    let mut part = part.clone();
    if let Some(fields) = part.as_object_mut() {
        fields.remove("thoughtSignature");
        if let Some(call) = fields.get_mut("functionCall").and_then(Value::as_object_mut) {
            call.entry("args").or_insert_with(|| json!({}));
        }
    }
    part
}

/// True if a part was sent back unchanged. Arguments must be an object in a request, so invalid ones are represented
/// by any object.
fn comes_back(given: &Value, back: &Value) -> bool {
    const ARGS: &str = "/functionCall/args";
    if given.pointer(ARGS).is_none_or(Value::is_object) {
        return given == back;
    }
    let (mut given, mut back) = (given.clone(), back.clone());
    for part in [&mut given, &mut back] {
        part.pointer_mut(ARGS).map(Value::take);
    }
    given == back
}

fn parts<'a>(content: &'a Value, kind: &str) -> impl Iterator<Item = &'a Value> {
    items(content, "parts").iter().filter_map(move |part| part.get(kind))
}

//! Tables of Gemini's fields and types, and the errors of its JSON layer: unknown name, wrong type.
//!
//! Only the documented camel case is accepted: the real service accepts other spellings, but in the app they are
//! mistakes.

use serde_json::{Value, json};

use super::super::ApiError;
use super::super::shape::{Message, Misfit, Shape, check as check_shape};

static REQUEST: Message = Message(&[
    ("contents", Shape::List(&Shape::Message(&CONTENT))),
    ("systemInstruction", Shape::Message(&CONTENT)),
    ("tools", Shape::List(&Shape::Message(&TOOL))),
    ("toolConfig", Shape::Message(&TOOL_CONFIG)),
    ("safetySettings", Shape::List(&Shape::Message(&SAFETY_SETTING))),
    ("generationConfig", Shape::Message(&GENERATION_CONFIG)),
    ("cachedContent", Shape::Text),
    ("model", Shape::Text),
]);

static CONTENT: Message = Message(&[("role", Shape::Text), ("parts", Shape::List(&Shape::Message(&PART)))]);

static PART: Message = Message(&[
    ("text", Shape::Text),
    ("thought", Shape::Truth),
    ("thoughtSignature", Shape::Text),
    ("functionCall", Shape::Message(&FUNCTION_CALL)),
    ("functionResponse", Shape::Message(&FUNCTION_RESPONSE)),
    ("inlineData", Shape::Message(&INLINE_DATA)),
    ("fileData", Shape::Message(&FILE_DATA)),
    ("executableCode", Shape::Struct),
    ("codeExecutionResult", Shape::Struct),
    ("toolCall", Shape::Struct),
    ("toolResponse", Shape::Struct),
    ("videoMetadata", Shape::Struct),
    ("partMetadata", Shape::Struct),
    ("mediaResolution", Shape::Struct),
]);

static FUNCTION_CALL: Message =
    Message(&[("id", Shape::Text), ("name", Shape::Text), ("args", Shape::Struct)]);

static FUNCTION_RESPONSE: Message = Message(&[
    ("id", Shape::Text),
    ("name", Shape::Text),
    ("response", Shape::Struct),
    ("willContinue", Shape::Truth),
    ("scheduling", Shape::Text),
    ("parts", Shape::List(&Shape::Struct)),
]);

static INLINE_DATA: Message = Message(&[("mimeType", Shape::Text), ("data", Shape::Text)]);

static FILE_DATA: Message = Message(&[("mimeType", Shape::Text), ("fileUri", Shape::Text)]);

static TOOL: Message = Message(&[
    ("functionDeclarations", Shape::List(&Shape::Message(&FUNCTION_DECLARATION))),
    ("googleSearch", Shape::Struct),
    ("codeExecution", Shape::Struct),
    ("urlContext", Shape::Struct),
]);

static FUNCTION_DECLARATION: Message = Message(&[
    ("name", Shape::Text),
    ("description", Shape::Text),
    ("behavior", Shape::Text),
    ("parameters", Shape::Message(&SCHEMA)),
    ("parametersJsonSchema", Shape::Struct),
    ("response", Shape::Message(&SCHEMA)),
    ("responseJsonSchema", Shape::Struct),
]);

/// The subset of OpenAPI for `parameters`: no `$ref`, no `additionalProperties`, no `oneOf`.
static SCHEMA: Message = Message(&[
    ("type", Shape::AnyCase(&["object", "array", "string", "number", "integer", "boolean", "null"])),
    ("format", Shape::Text),
    ("title", Shape::Text),
    ("description", Shape::Text),
    ("nullable", Shape::Truth),
    ("enum", Shape::List(&Shape::Text)),
    ("properties", Shape::Keyed(&Shape::Message(&SCHEMA))),
    ("required", Shape::List(&Shape::Text)),
    ("propertyOrdering", Shape::List(&Shape::Text)),
    ("items", Shape::Message(&SCHEMA)),
    ("anyOf", Shape::List(&Shape::Message(&SCHEMA))),
    ("minItems", Shape::Free),
    ("maxItems", Shape::Free),
    ("minProperties", Shape::Free),
    ("maxProperties", Shape::Free),
    ("minLength", Shape::Free),
    ("maxLength", Shape::Free),
    ("minimum", Shape::Number),
    ("maximum", Shape::Number),
    ("pattern", Shape::Text),
    ("default", Shape::Free),
    ("example", Shape::Free),
]);

static TOOL_CONFIG: Message = Message(&[
    ("functionCallingConfig", Shape::Message(&FUNCTION_CALLING_CONFIG)),
    ("retrievalConfig", Shape::Struct),
]);

static FUNCTION_CALLING_CONFIG: Message = Message(&[
    ("mode", Shape::AnyCase(&["auto", "any", "none", "validated"])),
    ("allowedFunctionNames", Shape::List(&Shape::Text)),
]);

static SAFETY_SETTING: Message = Message(&[
    (
        "category",
        Shape::AnyCase(&[
            "HARM_CATEGORY_HARASSMENT",
            "HARM_CATEGORY_HATE_SPEECH",
            "HARM_CATEGORY_SEXUALLY_EXPLICIT",
            "HARM_CATEGORY_DANGEROUS_CONTENT",
            "HARM_CATEGORY_CIVIC_INTEGRITY",
        ]),
    ),
    (
        "threshold",
        Shape::AnyCase(&[
            "BLOCK_LOW_AND_ABOVE",
            "BLOCK_MEDIUM_AND_ABOVE",
            "BLOCK_ONLY_HIGH",
            "BLOCK_NONE",
            "OFF",
        ]),
    ),
]);

static GENERATION_CONFIG: Message = Message(&[
    ("stopSequences", Shape::List(&Shape::Text)),
    ("responseMimeType", Shape::Text),
    ("responseSchema", Shape::Message(&SCHEMA)),
    ("responseJsonSchema", Shape::Free),
    ("responseModalities", Shape::List(&Shape::Text)),
    ("candidateCount", Shape::Whole),
    ("maxOutputTokens", Shape::Whole),
    ("temperature", Shape::Number),
    ("topP", Shape::Number),
    ("topK", Shape::Number),
    ("seed", Shape::Whole),
    ("presencePenalty", Shape::Number),
    ("frequencyPenalty", Shape::Number),
    ("responseLogprobs", Shape::Truth),
    ("logprobs", Shape::Whole),
    ("mediaResolution", Shape::Text),
    ("speechConfig", Shape::Struct),
    ("imageConfig", Shape::Struct),
    ("thinkingConfig", Shape::Message(&THINKING_CONFIG)),
]);

static THINKING_CONFIG: Message = Message(&[
    ("includeThoughts", Shape::Truth),
    ("thinkingBudget", Shape::Whole),
    ("thinkingLevel", Shape::AnyCase(&["minimal", "low", "medium", "high"])),
]);

/// Checks names and types of a whole request.
pub(super) fn check(body: &Value) -> Result<(), ApiError> {
    check_shape(body, &REQUEST).map_err(|misfit| match misfit {
        Misfit::Unknown { path, name } => unknown_name(&name, &snake(&path)),
        Misfit::Missing { path, name } => {
            let path = snake(&path);
            violation(&path, format!("* GenerateContentRequest.{path}.{name}: required field is missing\n"))
        }
        Misfit::Wrong { path, expected, value } => {
            let path = snake(&path);
            violation(&path, format!("Invalid value at '{path}' ({}), {value}", type_name(expected)))
        }
    })
}

fn type_name(expected: &str) -> &str {
    match expected {
        "a string" => "TYPE_STRING",
        "a number" => "TYPE_FLOAT",
        "an integer" => "TYPE_INT32",
        "a boolean" => "TYPE_BOOL",
        "any object" => "type.googleapis.com/google.protobuf.Struct",
        "one of its words" => "TYPE_ENUM",
        other => other,
    }
}

fn unknown_name(name: &str, path: &str) -> ApiError {
    let place = if path.is_empty() { String::new() } else { format!(" at '{path}'") };
    violation(
        path,
        format!("Invalid JSON payload received. Unknown name \"{name}\"{place}: Cannot find field."),
    )
}

fn violation(path: &str, message: String) -> ApiError {
    let details = json!({
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        "fieldViolations": [{ "field": path, "description": message }],
    });
    ApiError { details: vec![details], ..ApiError::argument(message) }
}

/// The name of a field as in the service's error messages.
pub(super) fn snake(camel: &str) -> String {
    let mut name = String::new();
    for each in camel.chars() {
        if each.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(each.to_ascii_lowercase());
    }
    name
}

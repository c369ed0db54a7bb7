//! Names and types of the fields of Chat Completions, host by host.

use serde_json::Value;

use super::super::ApiError;
use super::super::shape::{Message, Misfit, Shape, check as check_shape};
use super::Host;

static REQUEST: Message = Message(&[
    ("model!", Shape::Text),
    ("messages!", Shape::List(&Shape::Tagged("role", &ROLES))),
    ("stream", Shape::Truth),
    ("stream_options", Shape::Message(&STREAM_OPTIONS)),
    ("tools", Shape::List(&Shape::Message(&TOOL))),
    ("tool_choice", Shape::Either(&[Shape::Word(&["auto", "none", "required", "any"]), Shape::Struct])),
    ("parallel_tool_calls", Shape::Truth),
    ("response_format", Shape::Tagged("type", &FORMATS)),
    ("max_tokens", Shape::Whole),
    ("max_completion_tokens", Shape::Whole),
    ("temperature", Shape::Number),
    ("top_p", Shape::Number),
    ("stop", Shape::Either(&[Shape::Text, Shape::List(&Shape::Text)])),
    ("seed", Shape::Whole),
    ("reasoning_effort", Shape::Word(&["none", "minimal", "low", "medium", "high", "xhigh"])),
    // Specific to some hosts; see `ONLY`.
    ("store", Shape::Truth),
    ("prompt_cache_key", Shape::Text),
    ("reasoning", Shape::Message(&REASONING)),
    ("usage", Shape::Struct),
    ("provider", Shape::Struct),
    ("reasoning_format", Shape::Word(&["parsed", "raw", "hidden"])),
    ("include_reasoning", Shape::Truth),
    ("thinking", Shape::Message(&THINKING)),
    ("chat_template_kwargs", Shape::Struct),
    ("return_progress", Shape::Truth),
    ("cache_prompt", Shape::Truth),
]);

/// Settings that only these hosts know.
const ONLY: [(&str, &[Host]); 10] = [
    ("store", &[Host::Openai]),
    ("prompt_cache_key", &[Host::Openai]),
    ("reasoning", &[Host::OpenRouter]),
    ("usage", &[Host::OpenRouter]),
    ("provider", &[Host::OpenRouter]),
    ("reasoning_format", &[Host::Groq]),
    ("include_reasoning", &[Host::Groq, Host::OpenRouter]),
    ("thinking", &[Host::DeepSeek]),
    ("chat_template_kwargs", &[Host::Local]),
    ("return_progress", &[Host::Local]),
];

/// Settings that these hosts reject.
const NEVER: [(&str, &[Host]); 3] = [
    ("stream_options", &[Host::Mistral]),
    ("max_completion_tokens", &[Host::Mistral, Host::DeepSeek, Host::Perplexity, Host::Local, Host::Other]),
    ("parallel_tool_calls", &[Host::DeepSeek, Host::Perplexity]),
];

static STREAM_OPTIONS: Message = Message(&[("include_usage", Shape::Truth)]);

static REASONING: Message = Message(&[
    ("effort", Shape::Word(&["none", "minimal", "low", "medium", "high", "xhigh"])),
    ("max_tokens", Shape::Whole),
    ("exclude", Shape::Truth),
    ("enabled", Shape::Truth),
]);

static THINKING: Message = Message(&[("type!", Shape::Word(&["enabled", "disabled", "auto"]))]);

static ROLES: [(&str, &Message); 5] = [
    ("system", &SYSTEM),
    ("developer", &SYSTEM),
    ("user", &USER),
    ("assistant", &ASSISTANT),
    ("tool", &TOOL_MESSAGE),
];

static SYSTEM: Message = Message(&[("role!", Shape::Text), ("content!", TEXT_CONTENT)]);

static USER: Message = Message(&[
    ("role!", Shape::Text),
    (
        "content!",
        Shape::Either(&[
            Shape::Text,
            Shape::List(&Shape::Tagged("type", &[("text", &TEXT_PART), ("image_url", &IMAGE_PART)])),
        ]),
    ),
]);

static ASSISTANT: Message = Message(&[
    ("role!", Shape::Text),
    ("content", Shape::Either(&[Shape::Null, Shape::Text, Shape::List(&Shape::Tagged("type", &SPOKEN))])),
    ("tool_calls", Shape::List(&Shape::Message(&TOOL_CALL))),
    ("reasoning_content", Shape::Text),
    ("reasoning", Shape::Text),
    ("reasoning_details", Shape::List(&Shape::Struct)),
]);

static TOOL_MESSAGE: Message = Message(&[
    ("role!", Shape::Text),
    ("tool_call_id!", Shape::Text),
    ("content!", TEXT_CONTENT),
    // Mistral only.
    ("name", Shape::Text),
]);

const TEXT_CONTENT: Shape =
    Shape::Either(&[Shape::Text, Shape::List(&Shape::Tagged("type", &[("text", &TEXT_PART)]))]);

/// Parts of an assistant's content; `thinking` is Mistral only.
static SPOKEN: [(&str, &Message); 2] = [("text", &TEXT_PART), ("thinking", &THINKING_PART)];

static THINKING_PART: Message = Message(&[
    ("type!", Shape::Text),
    ("thinking!", Shape::List(&Shape::Struct)),
    ("closed", Shape::Truth),
    ("signature", Shape::Text),
]);

static TEXT_PART: Message = Message(&[
    ("type!", Shape::Text),
    ("text!", Shape::Text),
    // OpenRouter only.
    ("cache_control", Shape::Struct),
]);

static IMAGE_PART: Message = Message(&[("type!", Shape::Text), ("image_url!", Shape::Message(&IMAGE_URL))]);

static IMAGE_URL: Message =
    Message(&[("url!", Shape::Text), ("detail", Shape::Word(&["auto", "low", "high"]))]);

static TOOL_CALL: Message = Message(&[
    ("id!", Shape::Text),
    ("type!", Shape::Word(&["function"])),
    ("function!", Shape::Message(&CALLED)),
]);

static CALLED: Message = Message(&[("name!", Shape::Text), ("arguments!", Shape::Text)]);

static TOOL: Message =
    Message(&[("type!", Shape::Word(&["function"])), ("function!", Shape::Message(&FUNCTION))]);

static FUNCTION: Message = Message(&[
    ("name!", Shape::Text),
    ("description", Shape::Text),
    ("parameters", Shape::Struct),
    ("strict", Shape::Truth),
]);

static FORMATS: [(&str, &Message); 3] = [
    ("text", &Message(&[("type!", Shape::Text)])),
    ("json_object", &Message(&[("type!", Shape::Text)])),
    ("json_schema", &Message(&[("type!", Shape::Text), ("json_schema!", Shape::Message(&JSON_SCHEMA))])),
];

static JSON_SCHEMA: Message = Message(&[
    ("name!", Shape::Text),
    ("schema!", Shape::Struct),
    ("strict", Shape::Truth),
    ("description", Shape::Text),
]);

/// Checks names and types of a whole request to this host.
pub(super) fn check(host: Host, body: &Value) -> Result<(), ApiError> {
    check_shape(body, &REQUEST).map_err(|misfit| {
        ApiError::argument(match misfit {
            Misfit::Unknown { path, name } => {
                let dot = if path.is_empty() { "" } else { "." };
                format!("Unknown parameter: '{path}{dot}{name}'.")
            }
            Misfit::Missing { path, name } => {
                let dot = if path.is_empty() { "" } else { "." };
                format!("Missing required parameter: '{path}{dot}{name}'.")
            }
            Misfit::Wrong { path, expected, value } => {
                format!("Invalid type for '{path}': expected {expected}, but got {value} instead.")
            }
        })
    })?;
    let refused = |name: &str| {
        Err(ApiError::argument(format!("Extra inputs are not permitted: '{name}' is unknown to this host.")))
    };
    for (name, hosts) in ONLY {
        if body.get(name).is_some() && !hosts.contains(&host) {
            return refused(name);
        }
    }
    for (name, hosts) in NEVER {
        if body.get(name).is_some() && hosts.contains(&host) {
            return refused(name);
        }
    }
    if body.get("stream") != Some(&Value::Bool(true)) {
        return Err(ApiError::argument("an answer that does not stream was never meant"));
    }
    Ok(())
}

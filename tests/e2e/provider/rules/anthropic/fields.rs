//! Names and types of the fields of a Messages request.

use serde_json::Value;

use super::super::ApiError;
use super::super::shape::{Message, Misfit, Shape, check as check_shape};

static REQUEST: Message = Message(&[
    ("model!", Shape::Text),
    ("max_tokens!", Shape::Whole),
    ("messages!", Shape::List(&Shape::Message(&MESSAGE))),
    ("system", Shape::Either(&[Shape::Text, Shape::List(&Shape::Tagged("type", &[("text", &TEXT)]))])),
    ("stream", Shape::Truth),
    ("tools", Shape::List(&Shape::Message(&TOOL))),
    ("tool_choice", Shape::Tagged("type", &CHOICES)),
    ("thinking", Shape::Tagged("type", &THINKING_KINDS)),
    ("output_config", Shape::Message(&OUTPUT)),
    ("temperature", Shape::Number),
    ("top_p", Shape::Number),
    ("top_k", Shape::Whole),
    ("stop_sequences", Shape::List(&Shape::Text)),
    ("metadata", Shape::Message(&Message(&[("user_id", Shape::Text)]))),
    ("service_tier", Shape::Word(&["auto", "standard_only"])),
]);

static MESSAGE: Message = Message(&[
    ("role!", Shape::Word(&["user", "assistant"])),
    ("content!", Shape::Either(&[Shape::Text, Shape::List(&Shape::Tagged("type", &BLOCKS))])),
]);

static BLOCKS: [(&str, &Message); 6] = [
    ("text", &TEXT),
    ("image", &IMAGE),
    (
        "thinking",
        &Message(&[("type!", Shape::Text), ("thinking!", Shape::Text), ("signature!", Shape::Text)]),
    ),
    ("redacted_thinking", &Message(&[("type!", Shape::Text), ("data!", Shape::Text)])),
    ("tool_use", &TOOL_USE),
    ("tool_result", &TOOL_RESULT),
];

static TEXT: Message =
    Message(&[("type!", Shape::Text), ("text!", Shape::Text), ("cache_control", CACHE_CONTROL)]);

const CACHE_CONTROL: Shape =
    Shape::Message(&Message(&[("type!", Shape::Word(&["ephemeral"])), ("ttl", Shape::Word(&["5m", "1h"]))]));

static IMAGE: Message = Message(&[
    ("type!", Shape::Text),
    (
        "source!",
        Shape::Tagged(
            "type",
            &[
                (
                    "base64",
                    &Message(&[("type!", Shape::Text), ("media_type!", Shape::Text), ("data!", Shape::Text)]),
                ),
                ("url", &Message(&[("type!", Shape::Text), ("url!", Shape::Text)])),
            ],
        ),
    ),
    ("cache_control", CACHE_CONTROL),
]);

static TOOL_USE: Message = Message(&[
    ("type!", Shape::Text),
    ("id!", Shape::Text),
    ("name!", Shape::Text),
    ("input!", Shape::Struct),
    ("cache_control", CACHE_CONTROL),
]);

static TOOL_RESULT: Message = Message(&[
    ("type!", Shape::Text),
    ("tool_use_id!", Shape::Text),
    (
        "content",
        Shape::Either(&[
            Shape::Text,
            Shape::List(&Shape::Tagged("type", &[("text", &TEXT), ("image", &IMAGE)])),
        ]),
    ),
    ("is_error", Shape::Truth),
    ("cache_control", CACHE_CONTROL),
]);

static TOOL: Message = Message(&[
    ("type", Shape::Word(&["custom"])),
    ("name!", Shape::Text),
    ("description", Shape::Text),
    ("input_schema!", Shape::Struct),
    ("strict", Shape::Truth),
    ("cache_control", CACHE_CONTROL),
]);

static CHOICES: [(&str, &Message); 4] = [
    ("auto", &Message(&[("type!", Shape::Text), ("disable_parallel_tool_use", Shape::Truth)])),
    ("any", &Message(&[("type!", Shape::Text), ("disable_parallel_tool_use", Shape::Truth)])),
    (
        "tool",
        &Message(&[
            ("type!", Shape::Text),
            ("name!", Shape::Text),
            ("disable_parallel_tool_use", Shape::Truth),
        ]),
    ),
    ("none", &Message(&[("type!", Shape::Text)])),
];

static THINKING_KINDS: [(&str, &Message); 3] = [
    (
        "enabled",
        &Message(&[
            ("type!", Shape::Text),
            ("budget_tokens!", Shape::Whole),
            ("display", Shape::Word(&["summarized", "omitted"])),
        ]),
    ),
    (
        "adaptive",
        &Message(&[
            ("type!", Shape::Text),
            ("budget_tokens", Shape::Whole),
            ("display", Shape::Word(&["summarized", "omitted"])),
        ]),
    ),
    ("disabled", &Message(&[("type!", Shape::Text)])),
];

static OUTPUT: Message = Message(&[
    ("effort", Shape::Word(&["low", "medium", "high", "xhigh", "max"])),
    (
        "format",
        Shape::Message(&Message(&[("type!", Shape::Word(&["json_schema"])), ("schema!", Shape::Struct)])),
    ),
]);

/// Checks names and types of a whole request.
pub(super) fn check(body: &Value) -> Result<(), ApiError> {
    check_shape(body, &REQUEST).map_err(|misfit| {
        // Paths look like `messages.0.content` here.
        let dotted = |path: &str| path.replace('[', ".").replace(']', "");
        let place = |path: &str, name: &str| {
            if path.is_empty() { name.to_owned() } else { format!("{}.{name}", dotted(path)) }
        };
        ApiError::argument(match misfit {
            Misfit::Unknown { path, name } => {
                format!("{}: Extra inputs are not permitted", place(&path, &name))
            }
            Misfit::Missing { path, name } => format!("{}: Field required", place(&path, name)),
            Misfit::Wrong { path, expected, value } => {
                format!("{}: Input should be {expected}, not {value}", dotted(&path))
            }
        })
    })
}

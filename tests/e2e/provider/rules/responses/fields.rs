//! Names and types of the fields of a Responses request.

use serde_json::Value;

use super::super::ApiError;
use super::super::shape::{Message, Misfit, Shape, check as check_shape};

static REQUEST: Message = Message(&[
    ("model!", Shape::Text),
    ("instructions", Shape::Text),
    ("input!", Shape::List(&ITEM)),
    ("tools", Shape::List(&Shape::Tagged("type", &[("function", &TOOL)]))),
    ("tool_choice", Shape::Either(&[Shape::Word(&["auto", "none", "required"]), Shape::Struct])),
    ("parallel_tool_calls", Shape::Truth),
    ("reasoning", Shape::Message(&REASONING)),
    ("text", Shape::Message(&TEXT)),
    ("max_output_tokens", Shape::Whole),
    ("stream", Shape::Truth),
    ("store", Shape::Truth),
    (
        "include",
        Shape::List(&Shape::Word(&[
            "reasoning.encrypted_content",
            "message.output_text.logprobs",
            "message.input_image.image_url",
        ])),
    ),
    ("temperature", Shape::Number),
    ("top_p", Shape::Number),
    ("truncation", Shape::Word(&["auto", "disabled"])),
    ("prompt_cache_key", Shape::Text),
    ("safety_identifier", Shape::Text),
    ("service_tier", Shape::Text),
    ("metadata", Shape::Struct),
]);

const ITEM: Shape = Shape::Either(&[
    Shape::Tagged(
        "type",
        &[
            ("message", &MESSAGE),
            ("function_call", &FUNCTION_CALL),
            ("function_call_output", &FUNCTION_CALL_OUTPUT),
            ("reasoning", &REASONING_ITEM),
        ],
    ),
    Shape::Message(&MESSAGE),
]);

static MESSAGE: Message = Message(&[
    ("type", Shape::Word(&["message"])),
    ("id", Shape::Text),
    ("status", Shape::Word(&["in_progress", "completed", "incomplete"])),
    ("role!", Shape::Word(&["user", "assistant", "system", "developer"])),
    ("content!", Shape::Either(&[Shape::Text, Shape::List(&Shape::Tagged("type", &PARTS))])),
]);

static PARTS: [(&str, &Message); 4] = [
    ("input_text", &Message(&[("type!", Shape::Text), ("text!", Shape::Text)])),
    (
        "input_image",
        &Message(&[
            ("type!", Shape::Text),
            ("image_url!", Shape::Text),
            ("detail", Shape::Word(&["auto", "low", "high"])),
        ]),
    ),
    (
        "output_text",
        &Message(&[
            ("type!", Shape::Text),
            ("text!", Shape::Text),
            ("annotations", Shape::List(&Shape::Free)),
            ("logprobs", Shape::List(&Shape::Free)),
        ]),
    ),
    ("refusal", &Message(&[("type!", Shape::Text), ("refusal!", Shape::Text)])),
];

static FUNCTION_CALL: Message = Message(&[
    ("type!", Shape::Text),
    ("id", Shape::Text),
    ("call_id!", Shape::Text),
    ("name!", Shape::Text),
    ("arguments!", Shape::Text),
    ("status", Shape::Text),
]);

static FUNCTION_CALL_OUTPUT: Message = Message(&[
    ("type!", Shape::Text),
    ("id", Shape::Text),
    ("call_id!", Shape::Text),
    ("output!", Shape::Either(&[Shape::Text, Shape::List(&Shape::Tagged("type", &PARTS))])),
    ("status", Shape::Text),
]);

static REASONING_ITEM: Message = Message(&[
    ("type!", Shape::Text),
    ("id!", Shape::Text),
    ("summary!", Shape::List(&Shape::Struct)),
    ("content", Shape::Either(&[Shape::Null, Shape::List(&Shape::Struct)])),
    ("encrypted_content", Shape::Either(&[Shape::Null, Shape::Text])),
    ("status", Shape::Either(&[Shape::Null, Shape::Text])),
]);

static TOOL: Message = Message(&[
    ("type!", Shape::Text),
    ("name!", Shape::Text),
    ("description", Shape::Text),
    ("parameters!", Shape::Struct),
    ("strict", Shape::Truth),
]);

static REASONING: Message = Message(&[
    ("effort", Shape::Word(&["none", "minimal", "low", "medium", "high", "xhigh"])),
    ("summary", Shape::Word(&["auto", "concise", "detailed"])),
]);

static TEXT: Message = Message(&[
    (
        "format",
        Shape::Tagged(
            "type",
            &[
                ("text", &Message(&[("type!", Shape::Text)])),
                ("json_object", &Message(&[("type!", Shape::Text)])),
                (
                    "json_schema",
                    &Message(&[
                        ("type!", Shape::Text),
                        ("name!", Shape::Text),
                        ("schema!", Shape::Struct),
                        ("strict", Shape::Truth),
                        ("description", Shape::Text),
                    ]),
                ),
            ],
        ),
    ),
    ("verbosity", Shape::Word(&["low", "medium", "high"])),
]);

/// Checks names and types of a whole request.
pub(super) fn check(body: &Value) -> Result<(), ApiError> {
    check_shape(body, &REQUEST).map_err(|misfit| {
        let place = |path: &str, name: &str| {
            if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
        };
        ApiError::argument(match misfit {
            Misfit::Unknown { path, name } => format!("Unknown parameter: '{}'.", place(&path, &name)),
            Misfit::Missing { path, name } => {
                format!("Missing required parameter: '{}'.", place(&path, name))
            }
            Misfit::Wrong { path, expected, value } => {
                format!("Invalid type for '{path}': expected {expected}, but got {value} instead.")
            }
        })
    })
}

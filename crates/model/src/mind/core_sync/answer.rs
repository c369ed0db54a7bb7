//! Parses the Core's patch from a tool call, plain JSON, fenced JSON, or JSON within prose.
//!
//! An answer without a patch is rejected; nothing is guessed.

use serde_json::{Map, Value, json};

use crate::llm::ToolSpec;
use crate::message::content::{MessagePart, ToolArgs, calls_of, text_of};
use crate::mind::core_sync::SyncPatch;
use nexus_text::json;

/// The tool through which the model may answer.
const PATCH_TOOL: &str = "patch_mind";

pub fn schema() -> Value {
    let text = |about: &str| json!({"type": "string", "description": about});
    json!({
        "type": "object",
        "properties": {
            "objective": text("The whole new objective. Leave it out to keep the one that stands."),
            "scratchpad": text("The whole new scratchpad. Leave it out to keep the one that stands."),
            "reasoning": text("Why, in one to three sentences for the operator."),
        },
        "required": ["reasoning"],
        "additionalProperties": false,
    })
}

/// The tool for models that answer by a tool call instead of text.
pub fn patch_tool() -> ToolSpec {
    ToolSpec {
        name: PATCH_TOOL.to_owned(),
        description:
            "Takes what you want to change in the mind, and why. Call it once; it is your whole answer."
                .to_owned(),
        parameters: schema(),
    }
}

/// Parses the patch of an answer: from the tool call if there is one, else from the text.
pub fn read_answer(parts: &[MessagePart]) -> Result<SyncPatch, &'static str> {
    match calls_of(parts).find(|call| call.name == PATCH_TOOL).map(|call| &call.args) {
        Some(ToolArgs::Parsed(Value::Object(object))) => patch_of(object),
        Some(ToolArgs::Parsed(_)) => Err("The answer is JSON, but no patch."),
        // Broken arguments may still parse as an answer in text.
        Some(ToolArgs::Broken(text)) => read_patch(text),
        None => read_patch(&text_of(parts)),
    }
}

pub fn read_patch(text: &str) -> Result<SyncPatch, &'static str> {
    patch_of(&object_in(text).ok_or("The answer is not JSON.")?)
}

/// The first JSON object in a text. Tried in order: the whole text, a fenced block, the outermost braces.
pub(crate) fn object_in(text: &str) -> Option<Map<String, Value>> {
    candidates(text).into_iter().find_map(object)
}

fn patch_of(object: &Map<String, Value>) -> Result<SyncPatch, &'static str> {
    let field = |name: &str| match object.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err("A field of the answer is not a text."),
    };
    let (objective, scratchpad) = (field("objective")?, field("scratchpad")?);
    let reasoning = field("reasoning")?;
    if objective.is_none() && scratchpad.is_none() && reasoning.is_none() {
        return Err("The answer is JSON, but no patch.");
    }
    Ok(SyncPatch { objective, scratchpad, reasoning: reasoning.unwrap_or_default().trim().to_owned() })
}

/// The parts of a text that may be JSON, most likely first: the whole text, a fenced block, the outermost braces.
fn candidates(text: &str) -> Vec<&str> {
    let mut found = vec![text.trim()];
    if let Some((_, rest)) = text.split_once("```") {
        // Skips the language after the opening fence. The last fence closes the block, as a scratchpad may contain
        // fences.
        let body = rest.split_once('\n').map_or(rest, |(_, body)| body);
        found.extend(body.rsplit_once("```").map(|(body, _)| body.trim()));
    }
    if let (Some(first), Some(last)) = (text.find('{'), text.rfind('}')) {
        found.extend(text.get(first..=last));
    }
    found
}

fn object(text: &str) -> Option<Map<String, Value>> {
    match json::tree(text) {
        Ok(Value::Object(object)) => Some(object),
        Ok(_) | Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn patch(scratchpad: &str) -> SyncPatch {
        SyncPatch { objective: None, scratchpad: Some(scratchpad.into()), reasoning: "why".into() }
    }

    #[test]
    fn plain_fenced_and_surrounded_json_is_read() {
        let json = r#"{"scratchpad": "- [x] a {b}\n```\ncode\n```", "reasoning": " why "}"#;
        let expected = Ok(patch("- [x] a {b}\n```\ncode\n```"));
        for text in [
            json.to_owned(),
            format!("\n {json}\n"),
            format!("```json\n{json}\n```"),
            format!("Here you are:\n\n```\n{json}\n```\nAnything else?"),
            format!("I looked. {json} That is all."),
        ] {
            assert_eq!(read_patch(&text), expected, "{text}");
        }
    }

    #[test]
    fn null_and_absent_mean_unchanged() {
        let read = read_patch(r#"{"objective": null, "reasoning": "fine", "other": 1}"#).unwrap();
        assert_eq!(read, SyncPatch { reasoning: "fine".into(), ..SyncPatch::default() });
    }

    #[test]
    fn answer_without_patch_is_an_error() {
        for text in ["", "Nothing to do.", "[1, 2]", "{", "}{", "```json\n```", "\"text\""] {
            assert_eq!(read_patch(text), Err("The answer is not JSON."), "{text}");
        }
        assert_eq!(read_patch(r#"{"plan": "x"}"#), Err("The answer is JSON, but no patch."));
        assert_eq!(read_patch(r#"{"scratchpad": ["a"]}"#), Err("A field of the answer is not a text."));
    }

    proptest! {
        #[test]
        fn patch_is_parsed_from_plain_fenced_and_surrounded_json(
            objective in proptest::option::of("(?s).{0,40}"),
            scratchpad in "(?s).{0,80}",
            before in "[^{}`]{0,20}",
            after in "[^{}`]{0,20}",
        ) {
            let patch = SyncPatch { objective, scratchpad: Some(scratchpad), reasoning: "r".into() };
            let json = json::write(&patch).unwrap();
            prop_assert_eq!(read_patch(&json), Ok(patch.clone()));
            prop_assert_eq!(read_patch(&format!("```json\n{json}\n```")), Ok(patch.clone()));
            prop_assert_eq!(read_patch(&format!("{before}{json}{after}")), Ok(patch));
        }

        #[test]
        fn any_text_is_parsed_without_panic(text in "(?s).{0,200}") {
            let _read = read_patch(&text).is_ok();
        }
    }
}

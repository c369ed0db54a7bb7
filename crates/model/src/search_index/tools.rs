//! Extracts searchable text from tool calls and results: the beginning and end of each.

use serde_json::Value;

use crate::id::ToolRunId;
use crate::limits::{SEARCH_TOOL_FIRST_BYTES, SEARCH_TOOL_LAST_BYTES};
use crate::message::content::{ToolArgs, answers_of, calls_of};
use crate::message::{Message, Role};

/// A use of a tool, as it can be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolText {
    pub name: String,
    pub run: Option<ToolRunId>,
    /// Whether it is what the tool answered; else it is what it was asked.
    pub is_result: bool,
    /// What was asked or answered. The name is not in it: a word as common as “file” would find every use.
    pub text: String,
}

/// What a message holds of tools: the calls of an answer, or the result that a tool's message is.
pub fn tool_texts(message: &Message) -> Vec<ToolText> {
    let runs = &message.metadata.tool_run_ids;
    let text = |words: &[String]| ends(&words.join("\n"));
    match message.role {
        Role::Tool => answers_of(&message.parts)
            .map(|answer| {
                let mut words = Vec::new();
                leaves(&answer.result, &mut words);
                let (name, text) = (answer.name.clone(), text(&words));
                ToolText { name, run: runs.first().copied(), is_result: true, text }
            })
            .collect(),
        Role::Assistant => calls_of(&message.parts)
            .enumerate()
            .map(|(at, call)| {
                let mut words = Vec::new();
                match &call.args {
                    ToolArgs::Parsed(args) => leaves(args, &mut words),
                    ToolArgs::Broken(broken) => words.push(broken.clone()),
                }
                let (name, text) = (call.name.clone(), text(&words));
                ToolText { name, run: runs.get(at).copied(), is_result: false, text }
            })
            .collect(),
        Role::User | Role::System => Vec::new(),
    }
}

/// The beginning and the end of a long text.
fn ends(text: &str) -> String {
    if text.len() <= SEARCH_TOOL_FIRST_BYTES.saturating_add(SEARCH_TOOL_LAST_BYTES) {
        return text.to_owned();
    }
    let first = text.get(..text.ceil_char_boundary(SEARCH_TOOL_FIRST_BYTES)).unwrap_or_default();
    let last = text
        .get(text.ceil_char_boundary(text.len().saturating_sub(SEARCH_TOOL_LAST_BYTES))..)
        .unwrap_or_default();
    format!("{first}\n…\n{last}")
}

/// The texts in a value. What came from outside was bounded in depth when it was read.
pub fn leaves(value: &Value, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Number(number) => out.push(number.to_string()),
        Value::Array(items) => items.iter().for_each(|item| leaves(item, out)),
        Value::Object(members) => members.iter().for_each(|(_, item)| leaves(item, out)),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_known_by_its_ends_and_a_short_one_as_it_is() {
        assert_eq!(ends("short"), "short");
        let long = format!("begins {}middle {}ends", "ä".repeat(4_000), "🦀".repeat(4_000));
        let kept = ends(&long);
        assert!(kept.starts_with("begins") && kept.ends_with("ends") && !kept.contains("middle"));
        assert!(kept.len() <= SEARCH_TOOL_FIRST_BYTES + SEARCH_TOOL_LAST_BYTES + 16);
    }
}

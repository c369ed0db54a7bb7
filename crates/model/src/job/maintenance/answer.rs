//! Parses the Archivist's summaries and memories, and defines their JSON Schemas.
//!
//! An unusable answer is rejected with a message for the model; nothing is guessed.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::limits::{KEYWORDS, MEMORIES_PER_JOB, SUMMARY_CHARS, TITLE_CHARS, TITLE_WORDS};
use crate::memory::trimmed;
use crate::message::content::{NOT_JSON, json_candidates, object_in};
use nexus_text::json;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryAnswer {
    /// May be empty.
    #[serde(default)]
    pub title: String,
    pub summary: String,
    /// For the search.
    #[serde(default)]
    pub keywords: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FactAction {
    #[default]
    Add,
    /// Replace the memory with this short id.
    Change(String),
    /// The memory with this short id is obsolete.
    Retire(String),
    /// Extend the memory with this short id to every session.
    Widen(String),
}

/// A new fact, or a change of a known one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    #[serde(default)]
    pub action: FactAction,
    /// True if it applies to every session of the operator.
    #[serde(default)]
    pub everywhere: bool,
    pub content: String,
    /// From 1 to 5.
    pub importance: u8,
    /// The number of its message, from 1, if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<usize>,
}

pub fn summary_schema() -> Value {
    json::tree(include_str!("summary_schema.json")).unwrap_or_default()
}

pub fn memory_schema() -> Value {
    json::tree(include_str!("memory_schema.json")).unwrap_or_default()
}

pub fn read_summary(text: &str) -> Result<SummaryAnswer, &'static str> {
    let object = only_object_in(text).ok_or(NOT_JSON)?;
    let text = |name: &str| object.get(name).and_then(Value::as_str).map(str::trim).unwrap_or_default();
    let summary = first_chars(text("summary"), SUMMARY_CHARS);
    if summary.is_empty() {
        return Err("The answer is JSON, but holds no summary.");
    }
    let title: Vec<&str> = text("title").split_whitespace().take(TITLE_WORDS).collect();
    let mut keywords: Vec<String> = Vec::new();
    for word in object.get("keywords").and_then(Value::as_array).into_iter().flatten() {
        let word = word.as_str().unwrap_or_default().split_whitespace().next().unwrap_or_default();
        let word = first_chars(word.trim_matches(|c: char| !c.is_alphanumeric()), 40).to_lowercase();
        if !word.is_empty() && !keywords.contains(&word) && keywords.len() < KEYWORDS {
            keywords.push(word);
        }
    }
    Ok(SummaryAnswer { title: first_chars(&title.join(" "), TITLE_CHARS), summary, keywords })
}

/// Parses facts: an object with `memories`, or a bare list. Invalid entries are skipped; the importance is clamped to
/// 1 to 5.
pub fn read_memories(text: &str) -> Result<Vec<Fact>, &'static str> {
    let list = match only_object_in(text) {
        Some(mut object) => match object.remove("memories") {
            Some(Value::Array(list)) => list,
            Some(Value::Null) => Vec::new(),
            // A single fact instead of a list.
            None if object.contains_key("content") => vec![Value::Object(object)],
            Some(_) | None => return Err("The answer is JSON, but holds no list of memories."),
        },
        None => list_in(text).ok_or(NOT_JSON)?,
    };
    let fact = |value: Value| {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::trim).unwrap_or_default();
        let content = trimmed(value.as_str().unwrap_or(text("content")));
        let id = text("id").to_owned();
        let action = match (text("action"), id.is_empty()) {
            ("retire", false) => FactAction::Retire(id),
            ("widen", false) => FactAction::Widen(id),
            ("change", false) => FactAction::Change(id),
            ("change" | "retire" | "widen", true) => return None,
            _ => FactAction::Add,
        };
        let is_complete =
            matches!(action, FactAction::Retire(_) | FactAction::Widen(_)) || !content.is_empty();
        let everywhere = text("scope") == "everywhere";
        let importance = value.get("importance").and_then(Value::as_i64).unwrap_or(3).clamp(1, 5);
        let message = value.get("message").and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
        let importance = u8::try_from(importance).unwrap_or(3);
        is_complete.then_some(Fact { action, everywhere, content, importance, message })
    };
    Ok(list.into_iter().filter_map(fact).take(MEMORIES_PER_JOB).collect())
}

fn first_chars(text: &str, most: usize) -> String {
    text.chars().take(most).collect::<String>().trim().to_owned()
}

/// The JSON object in a text. A list of objects is not an object.
fn only_object_in(text: &str) -> Option<Map<String, Value>> {
    let is_list = json_candidates(text, '{', '}').iter().take(2).any(|text| text.starts_with('['));
    if is_list { None } else { object_in(text) }
}

fn list_in(text: &str) -> Option<Vec<Value>> {
    json_candidates(text, '[', ']').into_iter().find_map(|text| match json::tree(text) {
        Ok(Value::Array(list)) => Some(list),
        Ok(_) | Err(_) => None,
    })
}

#[cfg(test)]
mod tests;

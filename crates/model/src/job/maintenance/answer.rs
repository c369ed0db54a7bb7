//! Parses the Archivist's summaries and memories, and defines their JSON Schemas.
//!
//! An unusable answer is rejected with a message for the model; nothing is guessed.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::limits::{KEYWORDS, MEMORIES_PER_JOB, SUMMARY_CHARS, TITLE_CHARS, TITLE_WORDS};
use crate::memory::trimmed;
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

/// What to do with a fact.
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
    json!({
        "type": "object",
        "properties": {
            "title": {"type": "string", "description": "A title of at most eight words."},
            "summary": {"type": "string", "description": "The whole new summary, one sentence to three paragraphs."},
            "keywords": {
                "type": "array",
                "items": {"type": "string"},
                "description": "Two to eight single words to find the conversation by.",
            },
        },
        "required": ["title", "summary", "keywords"],
        "additionalProperties": false,
    })
}

pub fn memory_schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "memories": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "action": {"type": "string", "enum": ["add", "change", "retire", "widen"]},
                        "id": {"type": "string", "description": "The id of the known fact; empty to add one."},
                        "content": {"type": "string", "description": "One fact in one sentence, at most 255 characters; empty to retire or widen."},
                        "scope": {"type": "string", "enum": ["session", "everywhere"]},
                        "importance": {"type": "integer", "description": "From 1, a detail, to 5, always of use."},
                        "message": {"type": "integer", "description": "The number of the message that it comes from."},
                    },
                    "required": ["action", "id", "content", "scope", "importance", "message"],
                    "additionalProperties": false,
                },
            },
        },
        "required": ["memories"],
        "additionalProperties": false,
    })
}

/// Parses a summary.
pub fn read_summary(text: &str) -> Result<SummaryAnswer, &'static str> {
    let object = object_in(text).ok_or("The answer is not JSON.")?;
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
    let list = match object_in(text) {
        Some(mut object) => match object.remove("memories") {
            Some(Value::Array(list)) => list,
            Some(Value::Null) => Vec::new(),
            // A single fact instead of a list.
            None if object.contains_key("content") => vec![Value::Object(object)],
            Some(_) | None => return Err("The answer is JSON, but holds no list of memories."),
        },
        None => list_in(text).ok_or("The answer is not JSON.")?,
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

/// The JSON object in a text: the whole text, a fenced block, or the outermost braces.
fn object_in(text: &str) -> Option<Map<String, Value>> {
    candidates(text, '{', '}').into_iter().find_map(|text| match json::tree(text) {
        Ok(Value::Object(object)) => Some(object),
        Ok(_) | Err(_) => None,
    })
}

fn list_in(text: &str) -> Option<Vec<Value>> {
    candidates(text, '[', ']').into_iter().find_map(|text| match json::tree(text) {
        Ok(Value::Array(list)) => Some(list),
        Ok(_) | Err(_) => None,
    })
}

fn candidates(text: &str, open: char, close: char) -> Vec<&str> {
    let whole = text.trim();
    // A list of objects is not an object.
    if open == '{' && whole.starts_with('[') {
        return Vec::new();
    }
    let mut found = vec![whole];
    if let Some((_, rest)) = text.split_once("```") {
        let body = rest.split_once('\n').map_or(rest, |(_, body)| body);
        let body = body.rsplit_once("```").map_or(body, |(body, _)| body).trim();
        if open == '{' && body.starts_with('[') {
            return Vec::new();
        }
        found.push(body);
    }
    if let (Some(first), Some(last)) = (text.find(open), text.rfind(close)) {
        found.extend(text.get(first..=last));
    }
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn summary_is_parsed_from_surrounding_text_and_limited() {
        let json = json!({
            "title": "One two three four five six seven eight nine",
            "summary": " The operator wants a timer. ",
            "keywords": ["Timer", "timer", "two words", "", 7, "a", "b", "c", "d", "e", "f", "g"],
        });
        for text in [json.to_string(), format!("```json\n{json}\n```"), format!("Here: {json} Done.")] {
            let read = read_summary(&text).unwrap();
            assert_eq!(read.title, "One two three four five six seven eight");
            assert_eq!(read.summary, "The operator wants a timer.");
            assert_eq!(read.keywords, ["timer", "two", "a", "b", "c", "d", "e", "f"]);
        }
        let long = json!({"summary": "é".repeat(9_000)}).to_string();
        assert_eq!(read_summary(&long).unwrap().summary.chars().count(), SUMMARY_CHARS);
    }

    #[test]
    fn answer_without_summary_is_an_error() {
        for text in ["", "A timer.", "[1]", "{", "```\n```"] {
            assert_eq!(read_summary(text), Err("The answer is not JSON."), "{text}");
        }
        for text in ["{}", "{\"summary\": 1}", "{\"summary\": \" \"}"] {
            assert_eq!(read_summary(text), Err("The answer is JSON, but holds no summary."), "{text}");
        }
    }

    #[test]
    fn memories_are_parsed_from_object_list_and_single_fact() {
        let expected =
            vec![Fact { content: "Likes tabs.".into(), importance: 5, message: Some(2), ..Fact::default() }];
        let list = r#"[{"content": " Likes  tabs. ", "importance": 9, "message": 2}]"#;
        for text in [
            format!("{{\"memories\": {list}}}"),
            list.to_owned(),
            format!("```json\n{list}\n```"),
            r#"{"content": "Likes tabs.", "importance": 5, "message": 2}"#.to_owned(),
        ] {
            assert_eq!(read_memories(&text), Ok(expected.clone()), "{text}");
        }
        assert_eq!(read_memories(r#"{"memories": []}"#), Ok(Vec::new()));
        assert_eq!(read_memories(r#"{"memories": [{"importance": 3}, " ", null]}"#), Ok(Vec::new()));
        assert_eq!(read_memories("nothing"), Err("The answer is not JSON."));
        assert!(read_memories("{\"memories\": \"no\"}").is_err());
    }

    #[test]
    fn changes_without_a_memory_id_are_skipped() {
        let list = json!({"memories": [
            {"action": "add", "id": "", "content": "Is called Ada.", "scope": "everywhere"},
            {"action": "change", "id": "A1", "content": "Likes spaces.", "message": 1},
            {"action": "retire", "id": "B2", "content": ""},
            {"action": "widen", "id": "C3"},
            {"action": "retire", "id": ""},
            {"action": "change", "id": "D4", "content": " "},
        ]});
        let read = read_memories(&list.to_string()).unwrap();
        let actions: Vec<_> = read.iter().map(|fact| (fact.action.clone(), fact.everywhere)).collect();
        let of = |id: &str| id.to_owned();
        let expected = [
            (FactAction::Add, true),
            (FactAction::Change(of("A1")), false),
            (FactAction::Retire(of("B2")), false),
            (FactAction::Widen(of("C3")), false),
        ];
        assert_eq!(actions, expected);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed_without_panic(text in "(?s).{0,200}") {
            let _summary = read_summary(&text).is_ok();
            if let Ok(facts) = read_memories(&text) {
                prop_assert!(facts.iter().all(|fact| (1..=5).contains(&fact.importance)));
            }
        }

        #[test]
        fn facts_round_trip(
            content in "[a-zA-Z0-9{}\\[\\]\"`]{1,60}", importance in 1u8..=5, message in 1usize..9,
        ) {
            let fact = Fact { content: trimmed(&content), importance, message: Some(message), ..Fact::default() };
            let text = json!({"memories": [{"content": content, "importance": importance, "message": message}]});
            prop_assert_eq!(read_memories(&text.to_string()), Ok(vec![fact]));
        }
    }
}

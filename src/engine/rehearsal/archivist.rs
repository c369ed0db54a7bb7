//! Never understands: it takes what stands there.
//!
//! Owns what the stand-in says as the Archivist: the summary of older turns, that of a session, and what the operator
//! says of themselves in so many words.

use serde_json::{Value, json};

use super::scene::Scene;
use super::stream::Reply;
use super::words::{clean, count};

/// The most characters that are taken of one turn or message.
const TAKEN: usize = 160;

/// Words with which somebody says something of themselves that lasts.
const LASTING: [&str; 8] =
    ["i prefer ", "i like ", "i always ", "i never ", "my name is ", "i am a ", "i work as ", "i need "];

pub(super) fn reply(scene: &Scene) -> Reply {
    let said = scene.said.as_str();
    if !scene.wants_json {
        return Reply::new("", compacted(said));
    }
    if scene.persona.contains("worth remembering") {
        return Reply::new("", json!({ "memories": memories(said) }).to_string());
    }
    Reply::new("", summary(said).to_string())
}

/// The older turns in a line each, below the summary before them.
fn compacted(said: &str) -> String {
    let turns = blocks(said, "<turn number=", "</turn>");
    let lines: Vec<_> = turns.iter().map(|(_, text)| format!("- {}", clean(&plain(text), TAKEN))).collect();
    let prior =
        between(said, "<summary>", "</summary>").map_or_else(String::new, |prior| format!("{prior}\n"));
    format!(
        "{prior}Rehearsal kept the beginning of {}:\n{}",
        count(turns.len(), "older turn"),
        lines.join("\n")
    )
}

fn summary(said: &str) -> Value {
    let messages = blocks(said, "<message number=", "</message>");
    let first = messages.first().map(|(_, text)| clean(&plain(text), TAKEN)).unwrap_or_default();
    let title: Vec<&str> = first.split_whitespace().take(6).collect();
    let of_these = format!("{} were read; the first says: “{first}”", count(messages.len(), "message"));
    let summary = match between(said, "<summary>", "</summary>") {
        Some(prior) => format!("{prior} Later {of_these}"),
        None => format!("In this session {of_these}"),
    };
    let mut keywords: Vec<String> = Vec::new();
    for word in first.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 4) {
        let word = word.to_lowercase();
        if keywords.len() < 5 && !keywords.contains(&word) {
            keywords.push(word);
        }
    }
    json!({ "title": title.join(" "), "summary": summary, "keywords": keywords })
}

fn memories(said: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for (number, (head, text)) in blocks(said, "<message number=", "</message>").iter().enumerate() {
        let from = between(head, "from=\"", "\"").unwrap_or("The operator");
        for sentence in text.split(['.', '!', '\n']) {
            let sentence = sentence.trim();
            let lower = sentence.to_lowercase();
            if LASTING.iter().any(|words| lower.starts_with(words)) {
                let content = format!("{from} said: {}.", clean(sentence, TAKEN));
                found.push(json!({ "content": content, "importance": 3, "message": number + 1 }));
            }
        }
    }
    found
}

/// What stands in blocks: the head of each, and its inside.
pub(super) fn blocks<'t>(text: &'t str, open: &str, close: &str) -> Vec<(&'t str, &'t str)> {
    let whole = text.split(open).skip(1).filter_map(|rest| rest.split_once('>'));
    whole
        .map(|(head, rest)| (head, rest.split_once(close).map_or(rest, |(inside, _)| inside).trim()))
        .collect()
}

pub(super) fn between<'t>(text: &'t str, open: &str, close: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(open)?;
    rest.split_once(close).map(|(inside, _)| inside.trim())
}

/// A text without the marks that stand around messages in it.
fn plain(text: &str) -> String {
    text.lines().filter(|line| !line.trim_start().starts_with('<')).collect::<Vec<_>>().join(" ")
}

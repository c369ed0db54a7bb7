//! Extracts the part of a text with the most matching terms, with the matches marked.
//!
//! Also extracts searchable text from tool calls and results: the beginning and end of each.

use std::ops::Range;

use serde_json::Value;

use crate::id::ToolRunId;
use crate::limits::{SEARCH_TOOL_FIRST_BYTES, SEARCH_TOOL_LAST_BYTES};
use crate::message::content::{ToolArgs, answers_of, calls_of};
use crate::message::{Message, Role};
use crate::search_index::words::each_word;

/// A piece of text, and whether it is a match.
pub type ExcerptSpan = (bool, String);

/// About `bytes` bytes of `text` around the largest number of distinct terms, as one line, with matches marked. The
/// beginning of the text if nothing matches.
pub fn excerpt(text: &str, search_terms: &[String], bytes: usize) -> Vec<ExcerptSpan> {
    let found = places(text, search_terms);
    let from = best(&found, bytes).map_or(0, |range| {
        // Begin a little earlier, at a word.
        let back = range.start.saturating_sub(bytes / 4);
        word_from(text, back, range.start)
    });
    let to = text.floor_char_boundary(from.saturating_add(bytes));
    let mut pieces: Vec<ExcerptSpan> = Vec::new();
    let mut at = from;
    let mut push = |is_found: bool, range: Range<usize>| {
        let Some(part) = text.get(range).filter(|part| !part.is_empty()) else { return };
        let line: String = part.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
        match pieces.last_mut() {
            Some((same, piece)) if *same == is_found => piece.push_str(&line),
            Some(_) | None => pieces.push((is_found, line)),
        }
    };
    for (range, _) in found.iter().filter(|(range, _)| range.start >= from && range.end <= to) {
        if range.end <= at {
            continue;
        }
        push(false, at..range.start.max(at));
        push(true, range.start.max(at)..range.end);
        at = range.end;
    }
    push(false, at..to);
    if from > 0 {
        pieces.insert(0, (false, "…".to_owned()));
    }
    if to < text.len() {
        pieces.push((false, "…".to_owned()));
    }
    pieces
}

/// The positions of matching words, with the index of the term.
fn places(text: &str, search_terms: &[String]) -> Vec<(Range<usize>, usize)> {
    let mut found = Vec::new();
    each_word(text, |word, range| {
        let which = search_terms.iter().position(|wanted| word.starts_with(wanted.as_str()));
        if let Some(which) = which {
            found.push((range, which));
        }
    });
    found
}

/// The range of at most `bytes` bytes with the most distinct terms; the first of equals.
fn best(found: &[(Range<usize>, usize)], bytes: usize) -> Option<Range<usize>> {
    let mut best: Option<(usize, Range<usize>)> = None;
    for (at, (first, _)) in found.iter().enumerate() {
        let mut kinds: Vec<usize> = Vec::new();
        let mut end = first.end;
        let within =
            found.iter().skip(at).take_while(|(range, _)| range.end <= first.start.saturating_add(bytes));
        for (range, which) in within {
            if !kinds.contains(which) {
                kinds.push(*which);
                end = range.end;
            }
        }
        if best.as_ref().is_none_or(|(most, _)| kinds.len() > *most) {
            best = Some((kinds.len(), first.start..end));
        }
    }
    best.map(|(_, range)| range)
}

/// The start of the first word from `from` on, at most `to`.
fn word_from(text: &str, from: usize, to: usize) -> usize {
    let from = text.floor_char_boundary(from);
    if from == 0 {
        return 0;
    }
    let before = text.get(from..to).unwrap_or_default();
    let gap = before.char_indices().find(|(_, c)| c.is_whitespace()).map(|(at, c)| from + at + c.len_utf8());
    gap.unwrap_or(from)
}

/// A searchable tool call or result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolText {
    pub name: String,
    pub run: Option<ToolRunId>,
    /// True for a result, false for a call.
    pub is_result: bool,
    /// Without the tool's name: a common word in it, such as “file”, would match every use.
    pub text: String,
}

/// The tool calls or the tool result of a message.
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

/// The beginning and end of a long text.
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

/// The texts within a JSON value, whose depth was limited when it was parsed.
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
    use crate::search_index::search_terms;

    fn shown(text: &str, words: &str, bytes: usize) -> String {
        let pieces = excerpt(text, &search_terms(words), bytes);
        pieces.into_iter().map(|(found, text)| if found { format!("[{text}]") } else { text }).collect()
    }

    #[test]
    fn matches_are_marked_in_the_original_text() {
        assert_eq!(shown("Der Café-Plan", "cafe plan", 80), "Der [Café]-[Plan]");
        assert_eq!(shown("Forms\nof taxes", "tax form", 80), "[Forms] of [taxes]");
        assert_eq!(shown("漢字変換の話", "変換", 80), "漢字[変換]の話");
        assert_eq!(shown("漢字変換", "漢字変換", 80), "[漢字変換]");
        assert_eq!(shown("nothing here", "tax", 80), "nothing here");
    }

    #[test]
    fn long_text_shows_the_part_with_most_terms() {
        let text =
            format!("tax first {} the tax form is here {}", "lorem ipsum ".repeat(40), "dolor ".repeat(40));
        let line = shown(&text, "tax form", 60);
        assert!(line.contains("[tax] [form]"), "{line}");
        assert!(line.starts_with('…') && line.ends_with('…'), "{line}");
        assert!(line.len() < 90, "{line}");
    }

    #[test]
    fn any_text_is_cut_at_char_boundaries() {
        for bytes in 0..30 {
            shown("ß漢字 é\u{301} — 🦀🦀 tax", "tax 漢字", bytes);
        }
    }

    #[test]
    fn long_text_is_indexed_by_its_ends() {
        assert_eq!(ends("short"), "short");
        let long = format!("begins {}middle {}ends", "ä".repeat(4_000), "🦀".repeat(4_000));
        let kept = ends(&long);
        assert!(kept.starts_with("begins") && kept.ends_with("ends") && !kept.contains("middle"));
        assert!(kept.len() <= SEARCH_TOOL_FIRST_BYTES + SEARCH_TOOL_LAST_BYTES + 16);
    }
}

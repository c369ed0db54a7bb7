//! Extracts the part of a text with the most matching terms, with the matches marked; and splits text of any script
//! into terms.
//!
//! A term is a run of letters and digits, in lower case and without accents. Scripts without spaces are indexed as
//! pairs of neighbouring characters.
//!
//! Also extracts searchable text from tool calls and results: the beginning and end of each.

use std::ops::Range;

use serde_json::Value;

use crate::id::ToolRunId;
use crate::limits::{SEARCH_TOOL_FIRST_BYTES, SEARCH_TOOL_LAST_BYTES};
use crate::message::content::{ToolArgs, answers_of, calls_of};
use crate::message::{Message, Role};

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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolText {
    pub name: String,
    pub run: Option<ToolRunId>,
    pub is_result: bool,
    /// Without the tool's name: a common word in it, such as “file”, would match every use.
    pub text: String,
}

pub fn tool_texts(message: &Message) -> Vec<ToolText> {
    let runs = &message.metadata.tool_run_ids;
    let is_result = message.role == Role::Tool;
    let tool_text = |name: &str, run: Option<&ToolRunId>, content: &Value| {
        let mut words = Vec::new();
        leaves(content, &mut words);
        ToolText { name: name.to_owned(), run: run.copied(), is_result, text: ends(&words.join("\n")) }
    };
    match message.role {
        Role::Tool => answers_of(&message.parts)
            .map(|answer| tool_text(&answer.name, runs.first(), &answer.result))
            .collect(),
        Role::Assistant => calls_of(&message.parts)
            .enumerate()
            .map(|(at, call)| match &call.args {
                ToolArgs::Parsed(args) => tool_text(&call.name, runs.get(at), args),
                ToolArgs::Broken(text) => tool_text(&call.name, runs.get(at), &Value::from(text.as_str())),
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

/// Number of characters per word that are compared.
const WORD_CHARS: usize = 40;

/// Calls `take` for each index term of a text, with its byte range. Pairs overlap; the last character of a run without
/// spaces is also a term of its own, so that each character begins a term.
pub fn each_word(text: &str, mut take: impl FnMut(&str, Range<usize>)) {
    scan(text, true, &mut take);
}

/// The distinct search terms of a query, in order.
pub fn search_terms(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    scan(text, false, &mut |word, _| {
        if !found.iter().any(|known| known == word) {
            found.push(word.to_owned());
        }
    });
    found
}

/// Takes a term and its place in the text.
type TakeTerm<'t> = dyn FnMut(&str, Range<usize>) + 't;

fn scan(text: &str, last_alone: bool, take: &mut TakeTerm<'_>) {
    let mut word = String::new();
    let mut chars = 0;
    let mut begun = 0;
    // The previous character of a run without spaces, and whether it was the first.
    let mut before: Option<(char, usize, bool)> = None;
    let mut end = 0;
    let mut pair = String::new();
    for (at, raw) in text.char_indices() {
        let c = plain(raw);
        if is_unspaced(c) {
            flush(&mut word, &mut chars, begun..end, take);
            if let Some((first, from, _)) = before {
                pair.clear();
                pair.extend([first, c]);
                take(&pair, from..at + raw.len_utf8());
            }
            before = Some((c, at, before.is_none()));
        } else {
            close(&mut before, last_alone, end, take);
            if is_mark(c) {
                // Combining marks are dropped.
            } else if c.is_alphanumeric() || (joins(c) && chars > 0) {
                if chars == 0 {
                    begun = at;
                }
                if chars < WORD_CHARS {
                    word.extend(c.to_lowercase().map(bare));
                }
                chars += 1;
            } else {
                flush(&mut word, &mut chars, begun..end, take);
            }
        }
        end = at + raw.len_utf8();
    }
    flush(&mut word, &mut chars, begun..end, take);
    close(&mut before, last_alone, end, take);
}

fn flush(word: &mut String, chars: &mut usize, place: Range<usize>, take: &mut TakeTerm<'_>) {
    if *chars > 0 {
        take(word, place);
        word.clear();
        *chars = 0;
    }
}

/// Ends a run without spaces. A single character is a term.
fn close(before: &mut Option<(char, usize, bool)>, last_alone: bool, end: usize, take: &mut TakeTerm<'_>) {
    if let Some((sign, at, _)) = before.take().filter(|(.., is_alone)| last_alone || *is_alone) {
        take(sign.encode_utf8(&mut [0; 4]), at..end);
    }
}

/// Maps full-width forms to ASCII.
fn plain(c: char) -> char {
    match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(u32::from(c) - 0xFEE0).unwrap_or(c),
        _ => c,
    }
}

/// Combining marks: accents and vowel points.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{0300}'..='\u{036F}' | '\u{0591}'..='\u{05C7}' | '\u{0610}'..='\u{061A}' | '\u{064B}'..='\u{065F}' | '\u{0670}' | '\u{FE00}'..='\u{FE0F}')
}

/// Characters within words of Indic and Tibetan scripts: viramas, vowel signs, joiners.
fn joins(c: char) -> bool {
    matches!(c, '\u{0900}'..='\u{0DFF}' | '\u{0F00}'..='\u{0FFF}' | '\u{200C}' | '\u{200D}')
        && !matches!(c, '\u{0964}' | '\u{0965}' | '\u{0970}')
}

/// Scripts without spaces, and Hangul, whose words have suffixes.
fn is_unspaced(c: char) -> bool {
    matches!(
        c,
        '\u{0E01}'..='\u{0E3A}' | '\u{0E40}'..='\u{0E4E}'
            | '\u{0E81}'..='\u{0EDF}'
            | '\u{1000}'..='\u{1049}' | '\u{1050}'..='\u{109F}'
            | '\u{1780}'..='\u{17D3}'
            | '\u{3041}'..='\u{309F}' | '\u{30A1}'..='\u{30FA}' | '\u{30FC}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}'
            | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
            | '\u{AC00}'..='\u{D7A3}'
            | '\u{20000}'..='\u{3FFFF}'
    )
}

/// Removes the accent of a lower-case Latin letter.
fn bare(c: char) -> char {
    match c {
        'à'..='å' | 'ā' | 'ă' | 'ą' => 'a',
        'ç' | 'ć' | 'ĉ' | 'ċ' | 'č' => 'c',
        'ď' | 'đ' => 'd',
        'è'..='ë' | 'ē' | 'ĕ' | 'ė' | 'ę' | 'ě' => 'e',
        'ĝ' | 'ğ' | 'ġ' | 'ģ' => 'g',
        'ì'..='ï' | 'ĩ' | 'ī' | 'ĭ' | 'į' | 'ı' => 'i',
        'ĺ' | 'ļ' | 'ľ' | 'ł' => 'l',
        'ñ' | 'ń' | 'ņ' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ŏ' | 'ő' => 'o',
        'ŕ' | 'ŗ' | 'ř' => 'r',
        'ś' | 'ŝ' | 'ş' | 'š' | 'ș' => 's',
        'ţ' | 'ť' | 'ț' => 't',
        'ù'..='ü' | 'ũ' | 'ū' | 'ŭ' | 'ů' | 'ű' | 'ų' => 'u',
        'ý' | 'ÿ' => 'y',
        'ź' | 'ż' | 'ž' => 'z',
        _ => c,
    }
}

#[cfg(test)]
mod tests;

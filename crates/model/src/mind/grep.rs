//! Plain-text search in files: matching lines with context, in linear time and bounded output.

use std::borrow::Cow;

use crate::limits::{FIND_BYTES, FIND_HITS, FIND_LINE_CHARS};

#[derive(Clone, Debug)]
pub struct GrepQuery<'w> {
    pub text: &'w str,
    pub any_case: bool,
    pub whole_words: bool,
    /// Number of context lines before and after.
    pub around: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrepHit {
    pub file: String,
    /// From 1.
    pub line: usize,
    /// The line with its context, each with its number and a tab; long lines are truncated.
    pub text: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrepResult {
    /// At most [`FIND_HITS`].
    pub hits: Vec<GrepHit>,
    /// The number of matching lines.
    pub total: usize,
}

pub fn find<'f>(files: impl Iterator<Item = (&'f String, &'f str)>, wanted: &GrepQuery<'_>) -> GrepResult {
    let needle = if wanted.any_case { wanted.text.to_lowercase() } else { wanted.text.to_owned() };
    let (mut result, mut room) = (GrepResult::default(), FIND_BYTES);
    for (file, text) in files {
        let lines: Vec<&str> = text.lines().collect();
        for (place, line) in lines.iter().enumerate().filter(|(_, line)| is_match(line, &needle, wanted)) {
            result.total += 1;
            if result.hits.len() >= FIND_HITS || room == 0 {
                continue;
            }
            let (from, to) = (place.saturating_sub(wanted.around), place + wanted.around + 1);
            let shown: String = (from..to)
                .filter_map(|near| Some((near, lines.get(near)?)))
                .map(|(near, text)| format!("{}\t{}\n", near + 1, cut(text, line, &needle, near == place)))
                .collect();
            let left = room.checked_sub(shown.len() + file.len());
            room = left.unwrap_or(0);
            if left.is_some() {
                result.hits.push(GrepHit { file: file.clone(), line: place + 1, text: shown });
            }
        }
    }
    result
}

fn is_match(line: &str, needle: &str, wanted: &GrepQuery<'_>) -> bool {
    let line = if wanted.any_case { Cow::from(line.to_lowercase()) } else { Cow::from(line) };
    let is_word_char = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(needle).any(|(at, _)| {
        !wanted.whole_words
            || !is_word_char(line.get(..at).and_then(|before| before.chars().next_back()))
                && !is_word_char(line.get(at + needle.len()..).and_then(|after| after.chars().next()))
    })
}

/// Truncates a long line to the part around the match, or to its beginning.
fn cut(text: &str, line: &str, needle: &str, is_hit: bool) -> String {
    if text.chars().count() <= FIND_LINE_CHARS {
        return text.to_owned();
    }
    let before = line.split_once(needle).filter(|_| is_hit);
    let at = before.map_or(0, |(before, _)| before.chars().count());
    let from = at.saturating_sub(FIND_LINE_CHARS / 3);
    let shown: String = text.chars().skip(from).take(FIND_LINE_CHARS).collect();
    format!("{}{shown}…", if from > 0 { "…" } else { "" })
}

#[cfg(test)]
mod tests;

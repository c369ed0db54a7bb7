//! Links bare `https://…`, `http://…`, `www.…` and mail addresses, by the rules of GitHub Flavored Markdown.
//!
//! Skips code and existing links.

use std::ops::Range;

use crate::limits::{MARKDOWN_LINKS, step};
use crate::markdown::tree::Inline;

/// Maximum characters of the name of an entity, such as `&CounterClockwiseContourIntegral;`.
const ENTITY: usize = 32;

/// The words, with links for addresses. `links` counts all links of a text.
pub(super) fn link(words: Vec<Inline>, links: &mut usize) -> Vec<Inline> {
    let mut out = Vec::with_capacity(words.len());
    for word in words {
        match word {
            Inline::Text(text) => split(text, links, &mut out),
            Inline::Emphasis(words) => out.push(Inline::Emphasis(link(words, links))),
            Inline::Strong(words) => out.push(Inline::Strong(link(words, links))),
            Inline::Struck(words) => out.push(Inline::Struck(link(words, links))),
            Inline::Code(_)
            | Inline::Maths { .. }
            | Inline::Link { .. }
            | Inline::Image { .. }
            | Inline::Html(_)
            | Inline::Note(_)
            | Inline::SoftBreak
            | Inline::Break => out.push(word),
        }
    }
    out
}

fn split(text: String, links: &mut usize, out: &mut Vec<Inline>) {
    let mut from = 0;
    let mut at = 0;
    let mut host = Host::default();
    while *links < MARKDOWN_LINKS
        && let Some(found) = next(&text, at, from, &mut host)
    {
        *links += 1;
        push_text(text.get(from..found.start).unwrap_or_default(), out);
        let words = text.get(found.start..found.end).unwrap_or_default().to_owned();
        let address = format!("{}{words}", found.scheme);
        out.push(Inline::Link { words: vec![Inline::Text(words)], address, title: String::new() });
        (from, at) = (found.end, found.end);
    }
    push_text(text.get(from..).unwrap_or_default(), out);
}

fn push_text(text: &str, out: &mut Vec<Inline>) {
    if !text.is_empty() {
        out.push(Inline::Text(text.to_owned()));
    }
}

struct UrlMatch {
    start: usize,
    end: usize,
    /// The prefix that its address needs.
    scheme: &'static str,
}

/// The first address at or after `at`; a mail address may begin as early as `from`.
fn next(text: &str, mut at: usize, from: usize, host: &mut Host) -> Option<UrlMatch> {
    loop {
        let rest = text.get(at..)?;
        let offset = rest.find(['h', 'H', 'w', 'W', '@'])?;
        step(offset + 1);
        let place = at + offset;
        let here = text.get(place..)?;
        let found =
            if here.starts_with('@') { mail(text, place, from) } else { web(text, place, here, host) };
        if found.is_some() {
            return found;
        }
        at = place + 1;
    }
}

fn web(text: &str, start: usize, here: &str, host: &mut Host) -> Option<UrlMatch> {
    let before = text.get(..start)?.chars().next_back();
    let begins = before.is_none_or(|c| c.is_whitespace() || matches!(c, '*' | '_' | '~' | '('));
    if before.is_some_and(char::is_alphanumeric) {
        return None;
    }
    let (scheme, skip) = if begins && starts(here, "www.") {
        ("http://", 0)
    } else if starts(here, "http://") {
        ("", 7)
    } else if starts(here, "https://") {
        ("", 8)
    } else {
        return None;
    };
    host.read(text, start + skip)?;
    // An address without a dot needs a written scheme.
    let tail = here.get(skip..)?;
    if tail.starts_with('.') || !host.is_one(start + skip, skip > 0) {
        return None;
    }
    let length = tail.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(tail.len());
    step(length);
    let end = start + skip + trimmed(tail.get(..length)?);
    (end > start + skip).then_some(UrlMatch { start, end, scheme })
}

/// A run of characters that a host may contain. Each address that begins within it ends with it, so that the run is
/// read once for all of them: in repeated `www._` an address may begin at every fifth character.
#[derive(Default)]
struct Host {
    /// Where it was first read from, and its end.
    row: Range<usize>,
    /// Its end without the dots after it.
    bare: usize,
    /// The last dot in it, and the one before.
    dots: (Option<usize>, Option<usize>),
    underscore: Option<usize>,
}

fn is_of_host(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') || (!c.is_ascii() && !c.is_whitespace())
}

fn starts(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

impl Host {
    /// Reads the run at this position, unless it was the last one read.
    fn read(&mut self, text: &str, begin: usize) -> Option<()> {
        if self.row.contains(&begin) {
            return Some(());
        }
        let tail = text.get(begin..)?;
        let row = tail.get(..tail.find(|c: char| !is_of_host(c)).unwrap_or(tail.len()))?;
        step(row.len());
        let bare = row.trim_end_matches('.');
        let last = bare.rfind('.');
        let before = last.and_then(|last| bare.get(..last)?.rfind('.'));
        let place = |at: Option<usize>| at.map(|at| begin + at);
        *self = Self {
            row: begin..begin + row.len(),
            bare: begin + bare.len(),
            dots: (place(last), place(before)),
            underscore: place(bare.rfind('_')),
        };
        Some(())
    }

    /// True if a host can begin here, not with a dot: no underscore in its last two parts.
    fn is_one(&self, begin: usize, alone: bool) -> bool {
        let is_within = |at: &usize| *at >= begin;
        let last = self.dots.0.filter(is_within);
        let last_two = self.dots.1.filter(is_within).unwrap_or(begin);
        begin < self.bare && (alone || last.is_some()) && self.underscore.is_none_or(|at| at < last_two)
    }
}

/// The length of an address without the punctuation of its sentence.
fn trimmed(mut address: &str) -> usize {
    // Counted once, so that a million brackets cost one look each.
    let count = |c: char| address.matches(c).count();
    let (opened, mut closed) = (count('('), count(')'));
    loop {
        let Some(last) = address.chars().next_back() else { return 0 };
        let length = match last {
            '?' | '!' | '.' | ',' | ':' | '*' | '_' | '~' | '\'' | '"' => address.len() - 1,
            ')' if closed > opened => {
                closed -= 1;
                address.len() - 1
            }
            ';' => {
                // Searched only as far back as the longest name.
                let name = address.char_indices().rev().skip(1).take(ENTITY);
                let stop = name.into_iter().find(|(_, c)| !c.is_ascii_alphanumeric());
                let entity = stop.filter(|(place, c)| *c == '&' && place + 2 < address.len());
                entity.map_or(address.len() - 1, |(place, _)| place)
            }
            _ => return address.len(),
        };
        address = address.get(..length).unwrap_or_default();
    }
}

fn mail(text: &str, at: usize, from: usize) -> Option<UrlMatch> {
    let before = text.get(from..at)?;
    let name = before
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '+'))
        .last()
        .map(|(place, _)| from + place)?;
    let tail = text.get(at + 1..)?;
    let length = tail
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')))
        .unwrap_or(tail.len());
    step(length + at - name);
    let domain = tail.get(..length)?.trim_end_matches('.');
    let fits = domain.contains('.') && !domain.starts_with('.') && !domain.ends_with(['-', '_']);
    // A second address right after it would make one of both.
    let next = tail.get(domain.len()..).and_then(|rest| rest.chars().next());
    (fits && next != Some('@')).then(|| UrlMatch {
        start: name,
        end: at + 1 + domain.len(),
        scheme: "mailto:",
    })
}

#[cfg(test)]
mod tests;

//! Never looks into code, or into the words of a link.
//!
//! Owns addresses that stand in a text without any marks: `https://…`, `http://…`, `www.…` and mail addresses, by the
//! rules of GitHub-flavoured Markdown.

use crate::domain::limits::MARKDOWN_LINKS;
use crate::domain::text::markdown::tree::Inline;

/// The most characters of the name of an entity, such as `&CounterClockwiseContourIntegral;`.
const ENTITY: usize = 32;

/// The words, with links where addresses stood. `links` counts all links of a text.
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
    while *links < MARKDOWN_LINKS
        && let Some(found) = next(&text, at, from)
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

/// An address.
struct Found {
    start: usize,
    end: usize,
    /// What is to be put before it.
    scheme: &'static str,
}

/// The first address at or after `at`; one for mail may begin as early as `from`.
fn next(text: &str, mut at: usize, from: usize) -> Option<Found> {
    loop {
        let rest = text.get(at..)?;
        let offset = rest.find(['h', 'H', 'w', 'W', '@'])?;
        let place = at + offset;
        let here = text.get(place..)?;
        let found = if here.starts_with('@') { mail(text, place, from) } else { web(text, place, here) };
        if found.is_some() {
            return found;
        }
        at = place + 1;
    }
}

fn web(text: &str, start: usize, here: &str) -> Option<Found> {
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
    let tail = here.get(skip..)?;
    let host = tail.find(|c: char| !is_of_host(c)).unwrap_or(tail.len());
    // An address without a dot is one only where its scheme is written.
    if !is_host(tail.get(..host)?, skip > 0) {
        return None;
    }
    let length = tail.find(|c: char| c.is_whitespace() || c == '<').unwrap_or(tail.len());
    let end = start + skip + trimmed(tail.get(..length)?);
    (end > start + skip).then_some(Found { start, end, scheme })
}

fn is_of_host(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.') || (!c.is_ascii() && !c.is_whitespace())
}

fn starts(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// Whether a host can be one: no underscore in its last two parts.
fn is_host(host: &str, alone: bool) -> bool {
    let host = host.trim_end_matches('.');
    let last: Vec<&str> = host.rsplit('.').take(2).collect();
    !host.is_empty()
        && (alone || host.contains('.'))
        && !last.iter().any(|part| part.contains('_'))
        && !host.starts_with('.')
}

/// The length of an address without what belongs to the sentence around it.
fn trimmed(mut address: &str) -> usize {
    // Counted once and kept, so that a million brackets cost one look each.
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
                // Looked for only as far back as the longest name reaches.
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

fn mail(text: &str, at: usize, from: usize) -> Option<Found> {
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
    let domain = tail.get(..length)?.trim_end_matches('.');
    let fits = domain.contains('.') && !domain.starts_with('.') && !domain.ends_with(['-', '_']);
    // A second address right behind would make one of both.
    let next = tail.get(domain.len()..).and_then(|rest| rest.chars().next());
    (fits && next != Some('@')).then(|| Found { start: name, end: at + 1 + domain.len(), scheme: "mailto:" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses(text: &str) -> Vec<String> {
        let linked = link(vec![Inline::Text(text.to_owned())], &mut 0);
        let address = |word: &Inline| {
            let Inline::Link { address, .. } = word else { return None };
            Some(address.clone())
        };
        linked.iter().filter_map(address).collect()
    }

    #[test]
    fn addresses_are_found_where_the_sentence_lets_them() {
        for (text, expected) in [
            ("Visit www.commonmark.org/help for more.", "http://www.commonmark.org/help"),
            ("(see https://a.example/x_(y))", "https://a.example/x_(y)"),
            ("https://a.example/?q=1&copy;", "https://a.example/?q=1"),
            ("at http://localhost:3000/x!", "http://localhost:3000/x"),
            ("ask foo.bar+baz@mail.example.com.", "mailto:foo.bar+baz@mail.example.com"),
            ("https://münchen.example/straße", "https://münchen.example/straße"),
        ] {
            assert_eq!(addresses(text), [expected], "{text}");
        }
    }

    #[test]
    fn what_only_looks_like_one_stays_text() {
        for text in
            ["xhttps://a.example", "www.", "http://", "ftp://a.example", "a@b", "a@b.c_", "@example.com"]
        {
            assert!(addresses(text).is_empty(), "{text}: {:?}", addresses(text));
        }
    }

    #[test]
    fn a_row_of_brackets_costs_no_more_than_its_length() {
        let text = format!("https://a.example/{}", ")".repeat(1_000_000));
        assert_eq!(addresses(&text), ["https://a.example/"]);
        let text = "a@".repeat(500_000);
        assert!(addresses(&text).is_empty());
    }
}

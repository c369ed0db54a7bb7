//! Never looks back further than the line it is in, but for the end of a tag or a fence.
//!
//! Owns the languages that are read by their lines or tags: HTML, Markdown, differences.

use crate::domain::text::highlight::{Kind, Tokens};

/// Differences.
pub(super) fn diff(code: &str, out: &mut Tokens) {
    for line in code.split_inclusive('\n') {
        let kind = match line.chars().next() {
            Some('+') if line.starts_with("+++") => Kind::Meta,
            Some('-') if line.starts_with("---") => Kind::Meta,
            Some('+') => Kind::Added,
            Some('-') => Kind::Removed,
            Some('@') => Kind::Meta,
            _ if ["diff ", "index ", "new file", "deleted file", "rename "]
                .iter()
                .any(|m| line.starts_with(m)) =>
            {
                Kind::Meta
            }
            _ => Kind::Plain,
        };
        out.push(kind, line);
    }
}

/// Markdown.
pub(super) fn markdown(code: &str, out: &mut Tokens) {
    let mut fence = false;
    for line in code.split_inclusive('\n') {
        let bare = line.trim_start();
        let marks = bare.starts_with("```") || bare.starts_with("~~~");
        if marks {
            fence = !fence;
        }
        if fence || marks {
            out.push(Kind::Text, line);
        } else if bare.starts_with('#') {
            out.push(Kind::Keyword, line);
        } else if bare.starts_with('>') {
            out.push(Kind::Comment, line);
        } else {
            let item = ["- ", "* ", "+ "].iter().any(|mark| bare.starts_with(mark));
            let mark = if item { line.len() - bare.len() + 1 } else { 0 };
            let (mark, rest) = line.split_at_checked(mark).unwrap_or(("", line));
            out.push(Kind::Constant, mark);
            spans(rest, out);
        }
    }
}

/// Code and strong words within a line.
fn spans(line: &str, out: &mut Tokens) {
    let mut rest = line;
    while let Some(at) = rest.find(['`', '*']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push(Kind::Plain, before);
        let (mark, kind) = if from.starts_with('`') {
            ("`", Kind::Text)
        } else if from.starts_with("**") {
            ("**", Kind::Name)
        } else {
            ("*", Kind::Name)
        };
        let inner = from.get(mark.len()..).unwrap_or_default();
        let Some(end) = inner.find(mark) else {
            // Without an end the rest of the line is as it is.
            out.push(Kind::Plain, from);
            return;
        };
        let (span, after) = from.split_at_checked(end + 2 * mark.len()).unwrap_or((from, ""));
        out.push(kind, span);
        rest = after;
    }
    out.push(Kind::Plain, rest);
}

/// HTML and its like.
pub(super) fn markup(code: &str, out: &mut Tokens) {
    let mut rest = code;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push(Kind::Plain, before);
        rest = if from.starts_with("<!--") {
            let end = from.find("-->").map_or(from.len(), |end| end + 3);
            let (comment, after) = from.split_at_checked(end).unwrap_or((from, ""));
            out.push(Kind::Comment, comment);
            after
        } else if from.starts_with('&') {
            let name = from.get(1..).unwrap_or_default();
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '#').unwrap_or(name.len());
            let is_entity = end > 0 && name.get(end..).is_some_and(|rest| rest.starts_with(';'));
            let end = if is_entity { end + 2 } else { 1 };
            let (entity, after) = from.split_at_checked(end).unwrap_or((from, ""));
            out.push(if is_entity { Kind::Constant } else { Kind::Plain }, entity);
            after
        } else {
            tag(from, out)
        };
    }
    out.push(Kind::Plain, rest);
}

/// A tag, with its attributes; gives what comes after.
fn tag<'t>(from: &'t str, out: &mut Tokens) -> &'t str {
    let name = from.get(1..).unwrap_or_default();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
        out.push(Kind::Plain, "<");
        return name;
    }
    let length = name.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(name.len());
    let (head, mut rest) = from.split_at_checked(1 + length).unwrap_or((from, ""));
    out.push(Kind::Keyword, head);
    while let Some(c) = rest.chars().next() {
        let (kind, length) = match c {
            '>' => {
                out.push(Kind::Keyword, ">");
                return rest.get(1..).unwrap_or_default();
            }
            '"' | '\'' => {
                let end = rest.get(1..).and_then(|inner| inner.find(c)).map_or(rest.len(), |end| end + 2);
                (Kind::Text, end)
            }
            c if c.is_alphanumeric() || matches!(c, '-' | ':' | '@' | '_') => {
                let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '>' | '"' | '\''));
                (Kind::Name, end.unwrap_or(rest.len()))
            }
            c => (Kind::Plain, c.len_utf8()),
        };
        let (piece, after) = rest.split_at_checked(length.max(1)).unwrap_or((rest, ""));
        out.push(kind, piece);
        rest = after;
    }
    rest
}

//! Highlights line- and tag-based languages: HTML, Markdown and diffs.

use crate::highlight::language::{TokenKind, TokenList};

pub(super) fn diff(code: &str, out: &mut TokenList) {
    for line in code.split_inclusive('\n') {
        let kind = match line.chars().next() {
            Some('+') if line.starts_with("+++") => TokenKind::Meta,
            Some('-') if line.starts_with("---") => TokenKind::Meta,
            Some('+') => TokenKind::Added,
            Some('-') => TokenKind::Removed,
            Some('@') => TokenKind::Meta,
            _ if ["diff ", "index ", "new file", "deleted file", "rename "]
                .iter()
                .any(|m| line.starts_with(m)) =>
            {
                TokenKind::Meta
            }
            _ => TokenKind::Plain,
        };
        out.push(kind, line);
    }
}

pub(super) fn markdown(code: &str, out: &mut TokenList) {
    let mut fence = false;
    for line in code.split_inclusive('\n') {
        let bare = line.trim_start();
        let marks = bare.starts_with("```") || bare.starts_with("~~~");
        if marks {
            fence = !fence;
        }
        if fence || marks {
            out.push(TokenKind::Text, line);
        } else if bare.starts_with('#') {
            out.push(TokenKind::Keyword, line);
        } else if bare.starts_with('>') {
            out.push(TokenKind::Comment, line);
        } else {
            let item = ["- ", "* ", "+ "].iter().any(|mark| bare.starts_with(mark));
            let mark = if item { line.len() - bare.len() + 1 } else { 0 };
            let (mark, rest) = line.split_at_checked(mark).unwrap_or(("", line));
            out.push(TokenKind::Constant, mark);
            spans(rest, out);
        }
    }
}

/// Code and strong words within a line.
fn spans(line: &str, out: &mut TokenList) {
    let mut rest = line;
    while let Some(at) = rest.find(['`', '*']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push(TokenKind::Plain, before);
        let (mark, kind) = if from.starts_with('`') {
            ("`", TokenKind::Text)
        } else if from.starts_with("**") {
            ("**", TokenKind::Name)
        } else {
            ("*", TokenKind::Name)
        };
        let inner = from.get(mark.len()..).unwrap_or_default();
        let Some(end) = inner.find(mark) else {
            // Without an end the rest of the line is as it is.
            out.push(TokenKind::Plain, from);
            return;
        };
        let (span, after) = from.split_at_checked(end + 2 * mark.len()).unwrap_or((from, ""));
        out.push(kind, span);
        rest = after;
    }
    out.push(TokenKind::Plain, rest);
}

pub(super) fn markup(code: &str, out: &mut TokenList) {
    let mut rest = code;
    while let Some(at) = rest.find(['<', '&']) {
        let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push(TokenKind::Plain, before);
        rest = if from.starts_with("<!--") {
            let end = from.find("-->").map_or(from.len(), |end| end + 3);
            let (comment, after) = from.split_at_checked(end).unwrap_or((from, ""));
            out.push(TokenKind::Comment, comment);
            after
        } else if from.starts_with('&') {
            let name = from.get(1..).unwrap_or_default();
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '#').unwrap_or(name.len());
            let is_entity = end > 0 && name.get(end..).is_some_and(|rest| rest.starts_with(';'));
            let end = if is_entity { end + 2 } else { 1 };
            let (entity, after) = from.split_at_checked(end).unwrap_or((from, ""));
            out.push(if is_entity { TokenKind::Constant } else { TokenKind::Plain }, entity);
            after
        } else {
            tag(from, out)
        };
    }
    out.push(TokenKind::Plain, rest);
}

/// A tag, with its attributes; gives what comes after.
fn tag<'t>(from: &'t str, out: &mut TokenList) -> &'t str {
    let name = from.get(1..).unwrap_or_default();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
        out.push(TokenKind::Plain, "<");
        return name;
    }
    let length = name.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(name.len());
    let (head, mut rest) = from.split_at_checked(1 + length).unwrap_or((from, ""));
    out.push(TokenKind::Keyword, head);
    while let Some(c) = rest.chars().next() {
        let (kind, length) = match c {
            '>' => {
                out.push(TokenKind::Keyword, ">");
                return rest.get(1..).unwrap_or_default();
            }
            '"' | '\'' => {
                let end = rest.get(1..).and_then(|inner| inner.find(c)).map_or(rest.len(), |end| end + 2);
                (TokenKind::Text, end)
            }
            c if c.is_alphanumeric() || matches!(c, '-' | ':' | '@' | '_') => {
                let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '>' | '"' | '\''));
                (TokenKind::Name, end.unwrap_or(rest.len()))
            }
            c => (TokenKind::Plain, c.len_utf8()),
        };
        let (piece, after) = rest.split_at_checked(length.max(1)).unwrap_or((rest, ""));
        out.push(kind, piece);
        rest = after;
    }
    rest
}

//! Syntax highlighter: one table-driven lexer for all languages.
//!
//! Works in one pass with bounded lookahead. The tokens always add up to the input; unknown text is plain.

pub mod language;

pub use crate::highlight::language::{CodeToken, Language, TokenKind, named};

use crate::highlight::language::{Grammar, TokenList};
use crate::limits::HIGHLIGHT_BYTES;

const NEAR: usize = 200;

const DECLARES: [&str; 5] = ["fn", "def", "func", "fun", "function"];

/// The tokens of a code, which join to the code. Beyond the limit the rest is plain.
pub fn highlight(code: &str, language: &str) -> Vec<CodeToken> {
    let end = code.floor_char_boundary(HIGHLIGHT_BYTES);
    let (head, rest) = code.split_at_checked(end).unwrap_or((code, ""));
    let mut out = TokenList::default();
    match named(language) {
        Some(Language::Words(grammar)) => {
            Lexer { rest: head, grammar, out: &mut out, line_start: true, declares: false }.run()
        }
        Some(Language::Markup) => lines::markup(head, &mut out),
        Some(Language::Markdown) => lines::markdown(head, &mut out),
        Some(Language::Diff) => lines::diff(head, &mut out),
        None => out.push(TokenKind::Plain, head),
    }
    out.push(TokenKind::Plain, rest);
    out.0
}

struct Lexer<'t, 'o> {
    rest: &'t str,
    grammar: &'static Grammar,
    out: &'o mut TokenList,
    /// True if the line has only had blanks so far.
    line_start: bool,
    /// True if the previous word announces a function's name.
    declares: bool,
}

impl<'t> Lexer<'t, '_> {
    fn run(mut self) {
        while let Some(c) = self.rest.chars().next() {
            let (kind, length) = self.piece(c);
            let length = length.max(c.len_utf8());
            let (text, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
            self.line_start = text.ends_with('\n') || (self.line_start && text.trim().is_empty());
            if !text.trim().is_empty() {
                self.declares = kind == TokenKind::Keyword && DECLARES.contains(&text);
            }
            self.out.push(kind, text);
            self.rest = rest;
        }
    }

    fn piece(&self, c: char) -> (TokenKind, usize) {
        let grammar = self.grammar;
        let line = || self.rest.find('\n').unwrap_or(self.rest.len());
        if c.is_whitespace() {
            let end = self.rest.find(|c: char| !c.is_whitespace() || c == '\n').unwrap_or(self.rest.len());
            return (TokenKind::Plain, end);
        }
        if grammar.line_comments.iter().any(|mark| self.rest.starts_with(mark)) {
            return (TokenKind::Comment, line());
        }
        if let Some((open, close)) = grammar.block_comment
            && self.rest.starts_with(open)
        {
            let inner = self.rest.get(open.len()..).unwrap_or_default();
            let end = inner.find(close).map_or(self.rest.len(), |at| open.len() + at + close.len());
            return (TokenKind::Comment, end);
        }
        if let Some(mark) = grammar.meta.iter().find(|mark| self.rest.starts_with(**mark)) {
            return self.meta(mark);
        }
        if let Some(text) = self.raw_text().or_else(|| self.text()) {
            return text;
        }
        if c.is_ascii_digit() {
            return (TokenKind::Number, number(self.rest));
        }
        if self.is_word(c) {
            return self.word();
        }
        (TokenKind::Plain, c.len_utf8())
    }

    /// An annotation: to the end of its brackets, its word, or its line.
    fn meta(&self, mark: &str) -> (TokenKind, usize) {
        let near = near(self.rest);
        let line = near.find('\n').unwrap_or(near.len());
        let inner = near.get(mark.len()..line).unwrap_or_default();
        match mark {
            "#[" | "#![" => (TokenKind::Meta, inner.find(']').map_or(line, |at| mark.len() + at + 1)),
            "#" if self.line_start => (TokenKind::Meta, line),
            "#" => (TokenKind::Plain, 1),
            _ => {
                let end = inner.find(|c: char| !self.is_word(c) && c != '.').unwrap_or(inner.len());
                (if end == 0 { TokenKind::Plain } else { TokenKind::Meta }, mark.len() + end)
            }
        }
    }

    /// A raw string of Rust, whose end has as many `#` as its start.
    fn raw_text(&self) -> Option<(TokenKind, usize)> {
        let after = self.rest.strip_prefix("br").or_else(|| self.rest.strip_prefix('r'))?;
        let hashes = after.len() - after.trim_start_matches('#').len();
        let inner = after.get(hashes..)?.strip_prefix('"')?;
        if !self.grammar.is_rust() || hashes > 16 {
            return None;
        }
        let close = format!("\"{}", "#".repeat(hashes));
        let start = self.rest.len() - inner.len();
        Some((TokenKind::Text, inner.find(&close).map_or(self.rest.len(), |at| start + at + close.len())))
    }

    fn text(&self) -> Option<(TokenKind, usize)> {
        let (open, close, lines) =
            self.grammar.texts.iter().find(|(open, ..)| self.rest.starts_with(open))?;
        let inner = self.rest.get(open.len()..)?;
        if *open == "'" && self.grammar.is_rust() {
            return rust_quote(inner);
        }
        let mut signs = inner.char_indices();
        while let Some((at, c)) = signs.next() {
            if inner.get(at..)?.starts_with(close) {
                return Some((TokenKind::Text, open.len() + at + close.len()));
            }
            if c == '\n' && !lines {
                return Some((TokenKind::Text, open.len() + at));
            }
            if c == '\\' && self.grammar.escapes {
                signs.next();
            }
        }
        Some((TokenKind::Text, self.rest.len()))
    }

    fn is_word(&self, c: char) -> bool {
        c.is_alphanumeric() || c == '_' || self.grammar.word_signs.contains(c)
    }

    fn word(&self) -> (TokenKind, usize) {
        let end = self.rest.find(|c: char| !self.is_word(c)).unwrap_or(self.rest.len());
        let word = self.rest.get(..end).unwrap_or_default();
        let is_one_of = |words: &str| {
            let mut words = words.split_ascii_whitespace();
            if self.grammar.any_case {
                words.any(|known| known.eq_ignore_ascii_case(word))
            } else {
                words.any(|known| known == word)
            }
        };
        let mut after = self.rest.get(end..).unwrap_or_default().chars();
        let next = after.clone().find(|c| !matches!(c, ' ' | '\t'));
        let kind = if self.grammar.key_sign.is_some_and(|sign| next == Some(sign)) {
            TokenKind::Name
        } else if is_one_of(self.grammar.keywords) {
            TokenKind::Keyword
        } else if is_one_of(self.grammar.constants) {
            TokenKind::Constant
        } else if self.declares || after.next() == Some('(') {
            TokenKind::Function
        } else if self.grammar.types && word.starts_with(char::is_uppercase) {
            TokenKind::Type
        } else {
            TokenKind::Plain
        };
        (kind, end)
    }
}

/// The start of a text: ends are searched no further, so that repeated searches stay cheap.
fn near(text: &str) -> &str {
    let end = text.char_indices().map(|(at, _)| at).nth(NEAR).unwrap_or(text.len());
    text.get(..end).unwrap_or(text)
}

/// A character or the name of a lifetime after a quote in Rust.
fn rust_quote(inner: &str) -> Option<(TokenKind, usize)> {
    let inner = near(inner);
    let mut signs = inner.char_indices();
    let (_, first) = signs.next()?;
    if first == '\\' {
        let line = inner.find('\n').unwrap_or(inner.len());
        let close = inner.get(2..line)?.find('\'')?;
        return Some((TokenKind::Text, 1 + 2 + close + 1));
    }
    let (at, second) = signs.next()?;
    if second == '\'' {
        return Some((TokenKind::Text, 1 + at + 1));
    }
    let end = inner.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(inner.len());
    (end > 0).then_some((TokenKind::Constant, 1 + end))
}

fn number(text: &str) -> usize {
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let continues = c.is_ascii_alphanumeric()
            || c == '_'
            || (c == '.'
                && text.get(at + 1..).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())))
            || (matches!(c, '+' | '-') && matches!(before, 'e' | 'E') && !text.starts_with("0x"));
        if !continues {
            return at;
        }
        before = c;
    }
    text.len()
}

/// Highlights line- and tag-based languages: HTML, Markdown and diffs.
mod lines {
    use crate::highlight::language::{TokenKind, TokenList};

    /// What lines above the changes begin with.
    const META: [&str; 8] = ["+++", "---", "@", "diff ", "index ", "new file", "deleted file", "rename "];

    pub(super) fn diff(code: &str, out: &mut TokenList) {
        for line in code.split_inclusive('\n') {
            let kind = match line.chars().next() {
                _ if META.iter().any(|mark| line.starts_with(mark)) => TokenKind::Meta,
                Some('+') => TokenKind::Added,
                Some('-') => TokenKind::Removed,
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
                spans(out.push_head(TokenKind::Constant, line, mark), out);
            }
        }
    }

    fn spans(line: &str, out: &mut TokenList) {
        let mut rest = line;
        while let Some(at) = rest.find(['`', '*']) {
            let from = out.push_head(TokenKind::Plain, rest, at);
            let (mark, kind) = if from.starts_with('`') {
                ("`", TokenKind::Text)
            } else if from.starts_with("**") {
                ("**", TokenKind::Name)
            } else {
                ("*", TokenKind::Name)
            };
            let inner = from.get(mark.len()..).unwrap_or_default();
            let Some(end) = inner.find(mark) else {
                // Without an end the rest of the line is plain.
                out.push(TokenKind::Plain, from);
                return;
            };
            rest = out.push_head(kind, from, end + 2 * mark.len());
        }
        out.push(TokenKind::Plain, rest);
    }

    pub(super) fn markup(code: &str, out: &mut TokenList) {
        let mut rest = code;
        while let Some(at) = rest.find(['<', '&']) {
            let from = out.push_head(TokenKind::Plain, rest, at);
            rest = if from.starts_with("<!--") {
                let end = from.find("-->").map_or(from.len(), |end| end + 3);
                out.push_head(TokenKind::Comment, from, end)
            } else if from.starts_with('&') {
                let name = from.get(1..).unwrap_or_default();
                let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '#').unwrap_or(name.len());
                let is_entity = end > 0 && name.get(end..).is_some_and(|rest| rest.starts_with(';'));
                let (kind, end) =
                    if is_entity { (TokenKind::Constant, end + 2) } else { (TokenKind::Plain, 1) };
                out.push_head(kind, from, end)
            } else {
                tag(from, out)
            };
        }
        out.push(TokenKind::Plain, rest);
    }

    /// A tag with its attributes. Returns the text after it.
    fn tag<'t>(from: &'t str, out: &mut TokenList) -> &'t str {
        let name = from.get(1..).unwrap_or_default();
        if !name.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?')) {
            out.push(TokenKind::Plain, "<");
            return name;
        }
        let length = name.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(name.len());
        let mut rest = out.push_head(TokenKind::Keyword, from, 1 + length);
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
            rest = out.push_head(kind, rest, length.max(1));
        }
        rest
    }
}

#[cfg(test)]
mod tests;

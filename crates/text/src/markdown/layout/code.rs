//! Lays out code blocks: language, file name, actions and highlighting.

use crate::highlight::{TokenKind, highlight};
use crate::invisible::reveal;
use crate::markdown::page::{Attribute, Element, Node, Tag};

/// A block of code, in the colours of a language.
pub(super) fn figure(info: &str, text: &str, language: &str) -> Node {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let label = reveal(info.split(['{', '\t', ' ']).next().unwrap_or_default());
    let mut caption =
        Element::of(Tag::Caption, "prose-code-head").holding([Element::of(Tag::Span, "prose-language")
            .saying(if label.is_empty() { "text".to_owned() } else { label })
            .into()]);
    if let Some(name) = name_of(info, text) {
        caption = caption.holding([Element::of(Tag::Span, "prose-file").saying(reveal(&name)).into()]);
    }
    let is_diff = matches!(language_of(info).as_str(), "diff" | "patch");
    let acts = [
        ("code-wrap", "Wrap", true),
        ("code-copy", "Copy", true),
        ("code-open", "Open as file", true),
        // A difference is not what a file is to hold.
        ("code-apply", "Apply to file", !is_diff),
    ];
    let acts = acts.into_iter().filter(|(.., there)| *there).map(|(act, words, _)| {
        Element::of(Tag::Button, "quiet prose-act")
            .with(Attribute::Type, "button")
            .with(Attribute::Act, act)
            .with(Attribute::Test, act)
            .saying(words)
            .into()
    });
    let caption = caption.holding([Element::of(Tag::Span, "prose-acts").holding(acts).into()]);
    let code = Element::new(Tag::Code).holding(coloured(text, language));
    let frame = Element::new(Tag::Preformatted)
        .with(Attribute::TabIndex, "0")
        .with(Attribute::Direction, "ltr")
        .holding([code.into()]);
    Element::of(Tag::Figure, "prose-code").holding([caption.into(), frame.into()]).into()
}

/// The language that a fence names.
pub fn language_of(info: &str) -> String {
    let first =
        info.split(|c: char| c.is_whitespace() || matches!(c, ',' | '{' | ':')).next().unwrap_or_default();
    first.trim_start_matches('.').to_ascii_lowercase()
}

/// The file's name that a fence or the first line of the code gives, if one does.
pub fn name_of(info: &str, text: &str) -> Option<String> {
    let said = info.split_whitespace().nth(1).map(|word| {
        let value = ["title=", "file=", "filename=", "path="].iter().find_map(|key| word.strip_prefix(key));
        value.unwrap_or(word).trim_matches(['"', '\''])
    });
    // Some write `rust:src/main.rs`.
    let said = said.or_else(|| info.split_whitespace().next()?.split_once(':').map(|(_, name)| name));
    let first = text.lines().next().unwrap_or_default().trim();
    let comment = ["// ", "# ", "-- ", "/* ", "<!-- "].iter().find_map(|mark| first.strip_prefix(mark));
    let comment = comment.map(|line| line.trim_end_matches("*/").trim_end_matches("-->").trim());
    let comment = comment.map(|line| line.trim_start_matches("file:").trim_start_matches("File:").trim());
    said.into_iter().chain(comment).find(|name| is_name(name)).map(str::to_owned)
}

/// Whether words are a file's name: one word, with an ending.
fn is_name(words: &str) -> bool {
    let ending = words.rsplit_once('.').map(|(_, ending)| ending).unwrap_or_default();
    (1..=5).contains(&ending.len())
        && ending.chars().all(|c| c.is_ascii_alphanumeric())
        && words.len() <= 120
        && words.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '/'))
        && !words.contains("..")
        && !words.starts_with(['/', '.'])
}

fn coloured(text: &str, language: &str) -> Vec<Node> {
    highlight(text, language)
        .into_iter()
        .map(|token| {
            let class = match token.kind {
                TokenKind::Plain => return Node::text(reveal(&token.text)),
                TokenKind::Comment => "code-comment",
                TokenKind::Text => "code-text",
                TokenKind::Number => "code-number",
                TokenKind::Keyword => "code-keyword",
                TokenKind::Constant => "code-constant",
                TokenKind::Type => "code-type",
                TokenKind::Function => "code-function",
                TokenKind::Name => "code-name",
                TokenKind::Added => "code-added",
                TokenKind::Removed => "code-removed",
                TokenKind::Meta => "code-meta",
            };
            Element::of(Tag::Span, class).saying(reveal(&token.text)).into()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_in_the_fence_or_the_first_line() {
        for (info, text, name) in [
            ("rust src/main.rs", "", Some("src/main.rs")),
            ("js title=\"app.js\"", "", Some("app.js")),
            ("rust:src/lib.rs", "", Some("src/lib.rs")),
            ("rust", "// src/main.rs\nfn main() {}", Some("src/main.rs")),
            ("html", "<!-- index.html -->\n<p>", Some("index.html")),
            ("python", "# this is a comment.\nx = 1", None),
            ("rust,no_run", "fn main() {}", None),
            ("sh", "# ../../etc/passwd.txt", None),
        ] {
            assert_eq!(name_of(info, text).as_deref(), name, "{info} {text}");
        }
    }
}

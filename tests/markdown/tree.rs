//! Our own tree as HTML, as far as it says the same as HTML would: for tests alone.

use nexus::domain::text::links::allowed;
use nexus::domain::text::markdown::tree::{Align, Block, Document, Inline, Table, words_of};

use crate::html::{Piece, pieces};

/// A document as pieces of HTML. Images are `[their words]`, refused links their words, raw HTML is text.
pub(crate) fn told(document: &Document) -> Vec<Piece> {
    let mut out = String::new();
    document.blocks.iter().for_each(|(_, block)| self::block(block, &mut out));
    comparable(pieces(&out))
}

/// Pieces as they compare: addresses decoded, refused links and images as text.
pub(crate) fn comparable(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    let mut kept = Vec::new();
    let text = |text: &str, out: &mut Vec<Piece>| match out.last_mut() {
        Some(Piece::Text(before)) => before.push_str(text),
        _ => out.push(Piece::Text(text.to_owned())),
    };
    let mut before_was_task = false;
    for piece in pieces {
        let is_task = matches!(&piece, Piece::Open(name, _) if name == "input");
        let after_task = std::mem::replace(&mut before_was_task, is_task);
        match piece {
            Piece::Open(name, attributes) => {
                let value = |key: &str| attributes.iter().find(|(k, _)| k == key).map(|(_, v)| decoded(v));
                match name.as_str() {
                    "img" => text(&format!("[{}]", value("alt").unwrap_or_default()), &mut out),
                    "a" => {
                        let address = value("href").filter(|address| allowed(address).is_some());
                        kept.push(address.is_some());
                        if let Some(address) = address {
                            out.push(Piece::Open("a".into(), vec![("href".into(), address)]));
                        }
                    }
                    "td" | "th" | "ol" | "code" => {
                        let style = value("style").map(|style| style.replace("text-align: ", ""));
                        let mut attributes = attributes;
                        attributes.extend(style.map(|align| ("align".to_owned(), align)));
                        let align = attributes
                            .into_iter()
                            .filter(|(key, _)| ["align", "start", "class"].contains(&key.as_str()));
                        out.push(Piece::Open(name.clone(), align.collect()));
                    }
                    "input" => text(if value("checked").is_some() { "[x]" } else { "[ ]" }, &mut out),
                    // Footnotes are not among a document's blocks.
                    "section" => return out,
                    "tbody" | "thead" => {}
                    name => out.push(Piece::Open(name.to_owned(), Vec::new())),
                }
            }
            Piece::Close(name) if name == "a" => {
                if kept.pop() == Some(true) {
                    out.push(Piece::Close(name));
                }
            }
            Piece::Close(name) if ["tbody", "thead"].contains(&name.as_str()) => {}
            Piece::Close(name) => out.push(Piece::Close(name)),
            // The mark of a task ends in a space for one and in a new line for the other.
            Piece::Text(words) if after_task => text(&words.replacen('\n', " ", 1), &mut out),
            Piece::Text(words) => text(&words, &mut out),
        }
    }
    out
}

fn decoded(address: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = address.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let pair =
            after.get(..2).and_then(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        match (first, pair) {
            (b'%', Some(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            (byte, _) => {
                bytes.push(*byte);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

fn block(block: &Block, out: &mut String) {
    match block {
        Block::Heading { level, words } => wrap(&format!("h{level}"), "", words, out),
        Block::Paragraph(words) => wrap("p", "", words, out),
        Block::Words(words) => inlines(words, out),
        Block::Code { info, text } => {
            let language = info.split(' ').next().unwrap_or_default();
            let class = if language.is_empty() {
                String::new()
            } else {
                format!(" class=\"language-{}\"", escaped(language))
            };
            out.push_str(&format!("<pre><code{class}>{}</code></pre>\n", escaped(text)));
        }
        Block::Quote { blocks, .. } => {
            out.push_str("<blockquote>\n");
            blocks.iter().for_each(|inner| self::block(inner, out));
            out.push_str("</blockquote>\n");
        }
        Block::List { start, items } => {
            let (open, close) = match start {
                Some(1) => ("<ol>".to_owned(), "</ol>"),
                Some(start) => (format!("<ol start=\"{start}\">"), "</ol>"),
                None => ("<ul>".to_owned(), "</ul>"),
            };
            out.push_str(&open);
            for item in items {
                out.push_str("<li>");
                out.push_str(item.done.map_or("", |done| if done { "[x] " } else { "[ ] " }));
                item.blocks.iter().for_each(|inner| self::block(inner, out));
                out.push_str("</li>\n");
            }
            out.push_str(close);
        }
        Block::Table(table) => self::table(table, out),
        Block::Rule => out.push_str("<hr />\n"),
        Block::Plain(text) => out.push_str(&format!("<pre>{}</pre>", escaped(text))),
    }
}

fn table(table: &Table, out: &mut String) {
    out.push_str("<table>");
    let mut row = |cells: &Vec<Vec<Inline>>, tag: &str| {
        out.push_str("<tr>");
        for (place, words) in cells.iter().enumerate() {
            let align = match table.columns.get(place) {
                Some(Align::Left) => " align=\"left\"",
                Some(Align::Middle) => " align=\"center\"",
                Some(Align::Right) => " align=\"right\"",
                Some(Align::Unsaid) | None => "",
            };
            wrap(tag, align, words, out);
        }
        out.push_str("</tr>");
    };
    row(&table.head, "th");
    table.rows.iter().for_each(|cells| row(cells, "td"));
    out.push_str("</table>");
}

fn wrap(tag: &str, attributes: &str, words: &[Inline], out: &mut String) {
    out.push_str(&format!("<{tag}{attributes}>"));
    inlines(words, out);
    out.push_str(&format!("</{tag}>\n"));
}

fn inlines(words: &[Inline], out: &mut String) {
    for word in words {
        match word {
            Inline::Text(text) | Inline::Html(text) => out.push_str(&escaped(text)),
            Inline::Code(code) => out.push_str(&format!("<code>{}</code>", escaped(code))),
            Inline::Maths { tex, .. } => out.push_str(&escaped(tex)),
            Inline::Emphasis(words) => within("em", words, out),
            Inline::Strong(words) => within("strong", words, out),
            Inline::Struck(words) => within("del", words, out),
            Inline::Link { words, address, .. } if allowed(address).is_some() => {
                out.push_str(&format!("<a href=\"{}\">", escaped(address)));
                inlines(words, out);
                out.push_str("</a>");
            }
            Inline::Link { words, .. } => inlines(words, out),
            Inline::Image { alt, .. } => out.push_str(&format!("[{}]", escaped(&words_of(alt)))),
            Inline::Note(place) => out.push_str(&format!("<sup>{}</sup>", place + 1)),
            Inline::SoftBreak => out.push('\n'),
            Inline::Break => out.push_str("<br />\n"),
        }
    }
}

fn within(tag: &str, words: &[Inline], out: &mut String) {
    out.push_str(&format!("<{tag}>"));
    inlines(words, out);
    out.push_str(&format!("</{tag}>"));
}

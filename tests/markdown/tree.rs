//! Converts our Markdown tree to HTML for comparison in tests.

use nexus_text::links::allowed;
use nexus_text::markdown::tree::{Alignment, Block, Document, Inline, Table, words_of};

use crate::corpus::html::{Piece, comparable, pieces};

/// A document as pieces of HTML. Images are `[alt text]`, rejected links their text, raw HTML is text.
pub(crate) fn html_pieces(document: &Document) -> Vec<Piece> {
    let mut out = String::new();
    document.blocks.iter().for_each(|(_, block)| self::block(block, &mut out));
    comparable(pieces(&out))
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
                Some(Alignment::Left) => " align=\"left\"",
                Some(Alignment::Center) => " align=\"center\"",
                Some(Alignment::Right) => " align=\"right\"",
                Some(Alignment::None) | None => "",
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

//! A conversation as one HTML page: styles inside, no script, nothing loaded.

use nexus_text::links::allowed;
use nexus_text::markdown;
use nexus_text::markdown::page::{Attribute, Element, Node, Tag};

use super::{Conversation, ConversationEntry, EntryPart, FoldedBody};
use crate::strings::conversation_file as words;

/// Forbids the page everything but its own styles and the images in it.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
/// What only a running page makes use of.
const UNUSED: [Attribute; 4] = [Attribute::Act, Attribute::Place, Attribute::Test, Attribute::Target];
const STYLE: &str = include_str!("page.css");

impl Conversation {
    pub(super) fn html(&self) -> String {
        let title = escaped(&self.title);
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n\
             <header>\n<h1 dir=\"auto\">{title}</h1>\n<p class=\"facts\">{}</p>\n</header>\n",
            escaped(&self.about)
        );
        if self.entries.is_empty() {
            out.push_str(&format!("<p>{}</p>\n", words::EMPTY));
        }
        for entry in &self.entries {
            write_entry(entry, &mut out);
        }
        out.push_str("</main>\n</body>\n</html>\n");
        out
    }
}

fn write_entry(entry: &ConversationEntry, out: &mut String) {
    let facts = entry.facts.join(" · ");
    let kind = match (entry.is_operator, &entry.agent) {
        (true, _) => "operator",
        (false, Some(_)) => "agent",
        (false, None) => "note",
    };
    out.push_str(&format!(
        "<article class=\"{kind}\">\n<h2 dir=\"auto\">{} <span class=\"facts\">{}</span></h2>\n",
        escaped(&entry.author),
        escaped(&facts)
    ));
    for part in &entry.parts {
        write_part(part, out);
    }
    out.push_str("</article>\n");
}

fn write_part(part: &EntryPart, out: &mut String) {
    match part {
        EntryPart::Prose(text) => write_prose(text, out),
        EntryPart::Plain(text) => {
            out.push_str(&format!("<p class=\"plain\" dir=\"auto\">{}</p>\n", escaped(text.trim_end())));
        }
        EntryPart::Folded { title, body } => {
            out.push_str(&format!("<details>\n<summary>{}</summary>\n", escaped(title)));
            match body {
                FoldedBody::Prose(text) => write_prose(text, out),
                FoldedBody::Code(texts) => {
                    for (title, text) in texts {
                        if !title.is_empty() {
                            out.push_str(&format!("<p class=\"facts\">{title}</p>\n"));
                        }
                        out.push_str(&format!("<pre tabindex=\"0\">{}</pre>\n", escaped(text)));
                    }
                }
            }
            out.push_str("</details>\n");
        }
        EntryPart::Picture { name, source } => out.push_str(&format!(
            "<figure><img src=\"{}\" alt=\"{}\"><figcaption class=\"facts\">{}</figcaption></figure>\n",
            escaped(source),
            escaped(name),
            escaped(name)
        )),
        EntryPart::Named(named) => {
            out.push_str(&format!("<p class=\"facts\">{}</p>\n", escaped(named)));
        }
    }
}

fn write_prose(text: &str, out: &mut String) {
    out.push_str("<div class=\"prose\">");
    markdown::read(text).nodes.iter().for_each(|node| write_node(node, out));
    out.push_str("</div>\n");
}

fn write_node(node: &Node, out: &mut String) {
    match node {
        Node::Text(text) => out.push_str(&escaped(text)),
        Node::Element(element) => write_element(element, out),
    }
}

fn write_element(element: &Element, out: &mut String) {
    match (element.tag, element.value(Attribute::Act), element.value(Attribute::Class)) {
        // What only a running page can do: the buttons at code and tables, and the way back from a footnote.
        (_, _, Some("prose-acts" | "prose-more" | "prose-back")) => return,
        // A footnote's number, and a link that is asked about before it is followed: the words alone.
        (Tag::Button, ..) => return element.children.iter().for_each(|child| write_node(child, out)),
        _ => {}
    }
    let name = element.tag.name();
    out.push_str(&format!("<{name}"));
    for (attribute, value) in &element.attributes {
        if UNUSED.contains(attribute)
            || (*attribute == Attribute::Source && !value.starts_with("data:image/"))
        {
            continue;
        }
        let value = match *attribute == Attribute::Address {
            true => allowed(value),
            false => Some(value.to_string()),
        };
        let Some(value) = value else { continue };
        out.push_str(&format!(" {}=\"{}\"", attribute.name(), escaped(&value)));
    }
    out.push('>');
    if !matches!(element.tag, Tag::Break | Tag::Rule | Tag::Image) {
        element.children.iter().for_each(|child| write_node(child, out));
        out.push_str(&format!("</{name}>"));
    }
}

/// A text that is nothing but text, also in an attribute.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            letter => out.push(letter),
        }
    }
    out
}

//! A conversation as Markdown.

use super::{Conversation, ConversationEntry, EntryPart, FoldedBody};
use crate::strings::conversation_file as words;

impl Conversation {
    pub(super) fn markdown(&self) -> String {
        let mut out = format!("# {}\n\n{}\n", line(&self.title), self.about);
        if self.entries.is_empty() {
            out.push_str(&format!("\n{}\n", words::EMPTY));
        }
        for entry in &self.entries {
            out.push_str(&format!("\n---\n\n{}\n", heading(entry)));
            for part in &entry.parts {
                out.push('\n');
                write_part(part, &mut out);
            }
        }
        out
    }
}

fn heading(entry: &ConversationEntry) -> String {
    let facts = entry.facts.iter().map(|fact| line(fact)).collect::<Vec<_>>().join(" · ");
    let break_before = if facts.is_empty() { "" } else { "\n\n" };
    format!("## {}{break_before}{facts}", line(&entry.author))
}

fn write_part(part: &EntryPart, out: &mut String) {
    match part {
        EntryPart::Prose(text) | EntryPart::Plain(text) => {
            out.push_str(text.trim_end());
            out.push('\n');
        }
        EntryPart::Folded { title, body } => {
            out.push_str(&format!("<details>\n<summary>{}</summary>\n\n", line(title).replace('<', "&lt;")));
            match body {
                FoldedBody::Prose(text) => out.push_str(&format!("{}\n", tame(text.trim_end()))),
                FoldedBody::Code(texts) => {
                    for (place, (title, text)) in texts.iter().enumerate() {
                        let gap = if place == 0 { "" } else { "\n" };
                        let title = if title.is_empty() { String::new() } else { format!("{title}:\n\n") };
                        let fence = fence_of(text);
                        out.push_str(&format!(
                            "{gap}{title}{fence}\n{}\n{fence}\n",
                            text.trim_end_matches('\n')
                        ));
                    }
                }
            }
            out.push_str("\n</details>\n");
        }
        // An image would make the text unreadable: the HTML page has it.
        EntryPart::Picture { name: named, .. } | EntryPart::Named(named) => {
            out.push_str(&format!("*{}*\n", line(named)));
        }
    }
}

/// A text that stays in its line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A text that does not close the fold that it stands in.
fn tame(text: &str) -> String {
    text.replace("</details", "&lt;/details")
}

/// A fence that is longer than each run of backticks in a text.
fn fence_of(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    "`".repeat(longest.saturating_add(1).max(3))
}

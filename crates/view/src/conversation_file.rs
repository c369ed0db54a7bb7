//! Exports a conversation for people: Markdown, or a self-contained HTML page.
//!
//! [`Conversation::of`] collects the content from loaded rows; `Conversation::markdown` and `Conversation::html`
//! render it. The page has no script and loads nothing.

use crate::local_time::LocalTime;
use crate::strings;
use crate::strings::{chat::send_back::fence_of, common, conversation_file as words};
use crate::timeline::{MessageRow, TimelineRow, inbox_notes, timeline};
use nexus_model::message::file_reference::FileExcerpt;
use nexus_model::mind::blob::is_shown;
use nexus_model::prelude::*;
use nexus_model::settings::schema::OPERATOR_NAME;
use nexus_text::invisible::reveal;

/// Maximum number of characters of the title in the file name.
const NAME_CHARS: usize = 80;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversationFormat {
    Markdown,
    Html,
}

impl ConversationFormat {
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Markdown => "text/markdown",
            Self::Html => "text/html",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Conversation {
    title: String,
    /// Number of messages and time of the export.
    about: String,
    entries: Vec<ConversationEntry>,
}

/// Consecutive parts by one author.
#[derive(Clone, Debug, PartialEq)]
struct ConversationEntry {
    author: String,
    agent: Option<AgentKey>,
    is_operator: bool,
    facts: Vec<String>,
    parts: Vec<EntryPart>,
}

#[derive(Clone, Debug, PartialEq)]
enum EntryPart {
    /// Markdown of a model.
    Prose(String),
    /// Text of a person or of the program, without markup.
    Plain(String),
    /// A text that is opened by its title.
    Folded { title: String, body: FoldedBody },
    /// An image, as a data URL.
    Picture { name: String, source: String },
    /// The name of something that is not included.
    Named(String),
}

#[derive(Clone, Debug, PartialEq)]
enum FoldedBody {
    Prose(String),
    /// Verbatim texts, each with its heading.
    Code(Vec<(&'static str, String)>),
}

impl Conversation {
    /// All loaded content of a session; `None` if it does not exist.
    pub fn of(world: &World, id: SessionId, now: Millis, local: LocalTime) -> Option<Self> {
        let session = world.session(&id)?;
        let mut entries: Vec<ConversationEntry> = Vec::new();
        let mut messages = 0usize;
        for (_, row) in timeline(world, id, None).rows {
            match row {
                TimelineRow::Message(MessageRow { message, continued, notes_of, .. }) => {
                    messages = messages.saturating_add(1);
                    let turn = notes_of.and_then(|turn| world.turn(&turn));
                    for from in turn.iter().flat_map(|turn| inbox_notes(world, turn)) {
                        let (author, text) = strings::run_graph::inbox_note(from);
                        entries.push(ConversationEntry { author, ..note(EntryPart::Plain(text)) });
                    }
                    let parts = parts_of(world, &message.0);
                    match entries.last_mut().filter(|last| continued && last.agent == message.0.agent) {
                        Some(last) => last.parts.extend(parts),
                        None => entries.push(entry_of(world, &message.0, parts, local)),
                    }
                }
                TimelineRow::Tool { run, .. } => {
                    let part = tool_part(&run.0);
                    match entries.last_mut().filter(|last| last.agent.as_ref() == Some(&run.0.agent)) {
                        Some(last) => last.parts.push(part),
                        None => entries.push(ConversationEntry {
                            author: name_of(world, &run.0.agent),
                            agent: Some(run.0.agent.clone()),
                            is_operator: false,
                            facts: vec![words::moment(run.0.requested_at, local)],
                            parts: vec![part],
                        }),
                    }
                }
                TimelineRow::Ending { turn, end, .. } => {
                    let title = strings::ending(end).title;
                    match entries.last_mut().filter(|last| last.agent.as_ref() == Some(&turn.0.agent)) {
                        Some(last) => last.parts.push(EntryPart::Named(title)),
                        None => entries.push(note(EntryPart::Named(title))),
                    }
                }
                TimelineRow::Compaction { made, .. } => {
                    let body = FoldedBody::Prose(made.0.summary.clone().unwrap_or_default());
                    entries.push(note(EntryPart::Folded { title: words::SUMMARY.to_owned(), body }));
                }
                TimelineRow::Forked { label, .. } => {
                    entries.push(note(EntryPart::Named(strings::tree::fork_mark(&label))));
                }
                TimelineRow::Retrying { .. }
                | TimelineRow::Round(_)
                | TimelineRow::Paused { .. }
                | TimelineRow::NotAsked { .. }
                | TimelineRow::Unread
                | TimelineRow::Siblings { .. }
                | TimelineRow::Ahead { .. } => {}
            }
        }
        entries.retain(|entry| !entry.parts.is_empty());
        Some(Self { title: reveal(&session.name()), about: words::about(messages, now, local), entries })
    }

    pub fn file_name(&self, format: ConversationFormat) -> String {
        let ending = if format == ConversationFormat::Html { "html" } else { "md" };
        let plain =
            |letter: char| if letter.is_alphanumeric() || "-_.,".contains(letter) { letter } else { ' ' };
        let words: String = self.title.chars().take(NAME_CHARS).map(plain).collect();
        let name = words.split_whitespace().collect::<Vec<_>>().join(" ");
        let name = name.trim_matches('.');
        format!("{}.{ending}", if name.is_empty() { "conversation" } else { name })
    }

    pub fn text(&self, format: ConversationFormat) -> String {
        match format {
            ConversationFormat::Markdown => self.markdown(),
            ConversationFormat::Html => self.html(),
        }
    }
}

fn entry_of(world: &World, message: &Message, parts: Vec<EntryPart>, local: LocalTime) -> ConversationEntry {
    let is_operator = message.role == Role::User && message.source == Some(Source::Human);
    let author = match &message.agent {
        Some(agent) => name_of(world, agent),
        None if message.role == Role::User => {
            let name = world.value(OPERATOR_NAME);
            if name.trim().is_empty() { common::YOU.to_owned() } else { reveal(name.trim()) }
        }
        None => common::NEXUS.to_owned(),
    };
    let model = message.model.iter().map(|id| strings::model_name(id));
    let facts = std::iter::once(words::moment(message.created_at, local)).chain(model).collect();
    ConversationEntry { author, agent: message.agent.clone(), is_operator, facts, parts }
}

fn note(part: EntryPart) -> ConversationEntry {
    let author = common::NEXUS.to_owned();
    ConversationEntry { author, agent: None, is_operator: false, facts: Vec::new(), parts: vec![part] }
}

fn name_of(world: &World, agent: &AgentKey) -> String {
    world.agent(agent).map_or_else(|| agent.0.clone(), |agent| reveal(&agent.identity.name))
}

fn parts_of(world: &World, message: &Message) -> Vec<EntryPart> {
    let mut parts: Vec<EntryPart> = Vec::new();
    for part in &message.parts {
        match &part.body {
            PartBody::Text { text } if text.trim().is_empty() => {}
            PartBody::Text { text } => match parts.last_mut() {
                // A provider may send one text in several parts.
                Some(EntryPart::Prose(before) | EntryPart::Plain(before)) => before.push_str(text),
                _ if message.role == Role::Assistant => parts.push(EntryPart::Prose(text.clone())),
                _ => parts.push(EntryPart::Plain(text.clone())),
            },
            PartBody::Thinking { text } if text.trim().is_empty() => {}
            PartBody::Thinking { text } => match parts.last_mut() {
                Some(EntryPart::Folded { body: FoldedBody::Prose(before), .. }) => before.push_str(text),
                _ => {
                    let (title, body) = (words::THINKING.to_owned(), FoldedBody::Prose(text.clone()));
                    parts.push(EntryPart::Folded { title, body });
                }
            },
            PartBody::Json { value } => {
                let (title, text) = match FileExcerpt::read(value) {
                    Some(passage) => (strings::chat::message_actions::passage(&passage), passage.text),
                    None => (common::RESULT.to_owned(), pretty(value)),
                };
                parts.push(EntryPart::Folded { title, body: FoldedBody::Code(vec![("", text)]) });
            }
            PartBody::Blob { hash, mime, name, bytes } => {
                let named = words::attachment(&reveal(name), mime, *bytes);
                parts.push(match world.blob(hash).filter(|_| is_shown(mime)) {
                    Some(base64) => {
                        EntryPart::Picture { name: named, source: format!("data:{mime};base64,{base64}") }
                    }
                    None => EntryPart::Named(named),
                });
            }
            // Tool runs have their own parts.
            PartBody::ToolCall(_) | PartBody::ToolResult(_) => {}
        }
    }
    parts
}

fn tool_part(run: &ToolRun) -> EntryPart {
    let touched = run.touched.iter().map(|one| strings::changed_lines(&reveal(&one.field), one.lines));
    let touched = touched.collect::<Vec<_>>().join(", ");
    let subject = match &run.call.args {
        ToolArgs::Parsed(args) if touched.is_empty() => {
            let named = ["name", "path", "activeFileName"].iter().find_map(|name| args.get(*name)?.as_str());
            reveal(named.unwrap_or_default())
        }
        ToolArgs::Parsed(_) | ToolArgs::Broken(_) => touched,
    };
    let facts = [reveal(&run.call.name), subject, strings::tool_status(run.status).to_owned()];
    let title = facts.into_iter().filter(|fact| !fact.is_empty()).collect::<Vec<_>>().join(" · ");
    let args = match &run.effective_call().args {
        ToolArgs::Parsed(args) => pretty(args),
        ToolArgs::Broken(text) => text.clone(),
    };
    let result = run.result.iter().map(|result| (common::RESULT.get(), pretty(result)));
    let body = FoldedBody::Code(std::iter::once((words::ARGUMENTS.get(), args)).chain(result).collect());
    EntryPart::Folded { title, body }
}

fn pretty(value: &Value) -> String {
    format!("{value:#}")
}

impl Conversation {
    fn markdown(&self) -> String {
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
                FoldedBody::Prose(text) => out.push_str(&format!("{}\n", escape_details(text.trim_end()))),
                FoldedBody::Code(texts) => {
                    for (place, (title, text)) in texts.iter().enumerate() {
                        let gap = if place == 0 { "" } else { "\n" };
                        let title = if title.is_empty() { String::new() } else { format!("{title}:\n\n") };
                        let (fence, text) = (fence_of(text), text.trim_end_matches('\n'));
                        out.push_str(&format!("{gap}{title}{fence}\n{text}\n{fence}\n"));
                    }
                }
            }
            out.push_str("\n</details>\n");
        }
        // An inline image would make the text unreadable; the HTML page includes it.
        EntryPart::Picture { name: named, .. } | EntryPart::Named(named) => {
            out.push_str(&format!("*{}*\n", line(named)));
        }
    }
}

fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Escapes a closing `details` tag.
fn escape_details(text: &str) -> String {
    text.replace("</details", "&lt;/details")
}

/// The conversation as one HTML page: inline styles, no script, nothing loaded.
mod html {
    use nexus_text::links::allowed;
    use nexus_text::markdown;
    use nexus_text::markdown::page::{Attribute, Element, Node, Tag};

    use super::{Conversation, ConversationEntry, EntryPart, FoldedBody};
    use crate::strings::conversation_file as words;

    /// Allows only the page's own styles and embedded images.
    const POLICY: &str =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";
    /// Attributes that only the application uses.
    const UNUSED: [Attribute; 4] = [Attribute::Act, Attribute::Place, Attribute::Test, Attribute::Target];
    const STYLE: &str = include_str!("conversation_file/page.css");

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
        let (author, facts) = (escaped(&entry.author), escaped(&facts));
        out.push_str(&format!(
            "<article class=\"{kind}\">\n<h2 dir=\"auto\">{author} <span class=\"facts\">{facts}</span></h2>\n"
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
            EntryPart::Picture { name, source } => {
                let (name, source) = (escaped(name), escaped(source));
                out.push_str(&format!(
                    "<figure><img src=\"{source}\" alt=\"{name}\"><figcaption class=\"facts\">{name}</figcaption></figure>\n"
                ));
            }
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
            // Omits controls: the buttons at code and tables, and the backlink of a footnote.
            (_, _, Some("prose-actions" | "prose-more" | "prose-back")) => return,
            // Renders only the text of a footnote reference and of a link that needs confirmation.
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
            let is_address = *attribute == Attribute::Address;
            let value = if is_address { allowed(value) } else { Some(value.to_string()) };
            if let Some(value) = value {
                out.push_str(&format!(" {}=\"{}\"", attribute.name(), escaped(&value)));
            }
        }
        out.push('>');
        if !matches!(element.tag, Tag::Break | Tag::Rule | Tag::Image) {
            element.children.iter().for_each(|child| write_node(child, out));
            out.push_str(&format!("</{name}>"));
        }
    }

    fn escaped(text: &str) -> String {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        text.replace('"', "&quot;").replace('\'', "&#39;")
    }
}

#[cfg(test)]
mod tests;

//! Converts a Markdown document to page nodes.

use crate::highlight::{TokenKind, highlight};
use crate::invisible::reveal;
use crate::limits::{HIGHLIGHT_BYTES, PAGE_HIGHLIGHT_BYTES};
use crate::markdown::layout::words::inlines;
use crate::markdown::page::{Attribute, Element, Node, RenderedMarkdown, Tag};
use crate::markdown::tree::{Alignment, Block, BlockQuoteKind, Document, Footnote, Inline, ListItem, Table};

/// The class of a code block, and of the buttons in it.
const CODE: &str = "prose-code";
const ACTIONS: &str = "prose-actions";

/// The page of a document: one node for each block, and one for the footnotes.
pub fn lay_out(document: &Document) -> RenderedMarkdown {
    let mut layout = PageBuilder::default();
    let mut nodes: Vec<Node> = document.blocks.iter().map(|(_, block)| layout.block(block)).collect();
    nodes.extend(layout.notes(&document.notes));
    RenderedMarkdown { nodes }
}

#[derive(Clone, Debug, Default)]
pub(super) struct PageBuilder {
    /// The number of coloured bytes of code.
    coloured: usize,
}

fn plain(text: &str) -> Node {
    let element = Element::of(Tag::Preformatted, "prose-plain").with(Attribute::Direction, "auto");
    element.with_text(reveal(text)).into()
}

/// An element with these words, in their own direction.
fn worded(element: Element, words: &[Inline]) -> Node {
    element.with(Attribute::Direction, "auto").with_children(inlines(words)).into()
}

/// The direction of the first letter, code aside. A browser's `auto` would ignore the blocks inside that have a
/// direction of their own, so the markers of a list in Arabic would be on the wrong side.
fn direction(nodes: &[Node]) -> Option<&'static str> {
    nodes.iter().find_map(|node| match node {
        Node::Text(text) => text.chars().find(|c| c.is_alphabetic()).map(|letter| match letter {
            '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}' => "rtl",
            '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}' => "rtl",
            _ => "ltr",
        }),
        Node::Element(element) => {
            let is_code = element.tag == Tag::Figure || element.value(Attribute::Direction) == Some("ltr");
            let is_ours = element.value(Attribute::Class) == Some("unseen");
            if is_code || is_ours { None } else { direction(&element.children) }
        }
    })
}

/// The element, in the direction of the text in these blocks.
fn directed(element: Element, blocks: &[Node]) -> Element {
    element.with(Attribute::Direction, direction(blocks).unwrap_or("auto"))
}

impl PageBuilder {
    pub(super) fn block(&mut self, block: &Block) -> Node {
        match block {
            Block::Heading { level, words } => {
                let heading = Element::of(Tag::Paragraph, "prose-heading")
                    .with(Attribute::Role, "heading")
                    .with(Attribute::Level, (level + 2).min(6).to_string())
                    .with(Attribute::Weight, level.to_string());
                worded(heading, words)
            }
            Block::Paragraph(words) => worded(Element::new(Tag::Paragraph), words),
            Block::Words(words) => worded(Element::of(Tag::Block, "prose-words"), words),
            Block::Code { info, text } => self.code(info, text),
            Block::Quote { alert, blocks } => self.quote(*alert, blocks),
            Block::List { start, items } => self.list(*start, items),
            Block::Table(table) => self::table(table),
            Block::Rule => Element::new(Tag::Rule).into(),
            Block::Plain(text) => plain(text.strip_suffix('\n').unwrap_or(text)),
        }
    }

    pub(super) fn code(&mut self, info: &str, text: &str) -> Node {
        let language = if self.coloured < PAGE_HIGHLIGHT_BYTES { language_of(info) } else { String::new() };
        if !language.is_empty() {
            self.coloured += text.len().min(HIGHLIGHT_BYTES);
        }
        figure(info, text, &language)
    }

    fn blocks(&mut self, all: &[Block]) -> Vec<Node> {
        all.iter().map(|block| self.block(block)).collect()
    }

    fn quote(&mut self, alert: Option<BlockQuoteKind>, inner: &[Block]) -> Node {
        let blocks = self.blocks(inner);
        let quote = directed(Element::new(Tag::Quote), &blocks);
        let Some(alert) = alert else { return quote.with_children(blocks).into() };
        let (kind, title) = match alert {
            BlockQuoteKind::Note => ("note", "Note"),
            BlockQuoteKind::Tip => ("tip", "Tip"),
            BlockQuoteKind::Important => ("important", "Important"),
            BlockQuoteKind::Warning => ("warning", "Warning"),
            BlockQuoteKind::Caution => ("caution", "Caution"),
        };
        let title = Element::of(Tag::Paragraph, "prose-alert").with_text(title);
        quote.with(Attribute::Kind, kind).with_child(title).with_children(blocks).into()
    }

    fn list(&mut self, start: Option<u64>, items: &[ListItem]) -> Node {
        let list = match start {
            Some(1) => Element::of(Tag::Numbered, "prose-list"),
            Some(start) => Element::of(Tag::Numbered, "prose-list").with(Attribute::Start, start.to_string()),
            None => Element::of(Tag::List, "prose-list"),
        };
        let items: Vec<Node> = items.iter().map(|item| self.item(item)).collect();
        directed(list, &items).with_children(items).into()
    }

    fn item(&mut self, item: &ListItem) -> Node {
        let mut element = Element::new(Tag::Item);
        if let (None, [Block::Words(words)]) = (item.done, item.blocks.as_slice()) {
            return element.with_children(inlines(words)).into();
        }
        if let Some(done) = item.done {
            let (sign, name) = if done { ("☑", "done: ") } else { ("☐", "open: ") };
            element = element.with(Attribute::Task, if done { "true" } else { "false" }).with_children([
                Element::of(Tag::Span, "prose-task").with(Attribute::Hidden, "true").with_text(sign).into(),
                Element::of(Tag::Span, "unseen").with_text(name).into(),
            ]);
        }
        element.with_children(self.blocks(&item.blocks)).into()
    }

    /// The footnotes, each with a link back to its mention.
    pub(super) fn notes(&mut self, notes: &[Footnote]) -> Option<Node> {
        let items: Vec<Node> =
            notes.iter().enumerate().map(|(place, note)| self.note(place + 1, note)).collect();
        (!items.is_empty()).then(|| {
            let list = directed(Element::of(Tag::Numbered, "prose-list"), &items).with_children(items);
            Element::of(Tag::Section, "prose-notes")
                .with(Attribute::Label, "Footnotes")
                .with_child(list)
                .into()
        })
    }

    fn note(&mut self, number: usize, note: &Footnote) -> Node {
        let back = Element::button("prose-back", "mention")
            .with(Attribute::Place, number.to_string())
            .with(Attribute::Label, "Back to the reference")
            .with_text("↩");
        Element::new(Tag::Item)
            .with(Attribute::Place, number.to_string())
            .with_children(self.blocks(&note.blocks))
            .with_child(back)
            .into()
    }
}

fn table(table: &Table) -> Node {
    let align = |place: usize| match table.columns.get(place) {
        Some(Alignment::Left) => Some("left"),
        Some(Alignment::Center) => Some("middle"),
        Some(Alignment::Right) => Some("right"),
        Some(Alignment::None) | None => None,
    };
    let cell = |tag: Tag, place: usize, words: &Vec<Inline>| {
        let mut cell = Element::new(tag).with(Attribute::Direction, "auto");
        if tag == Tag::TableTitle {
            cell = cell.with(Attribute::Scope, "col");
        }
        if let Some(align) = align(place) {
            cell = cell.with(Attribute::Align, align);
        }
        Node::from(cell.with_children(inlines(words)))
    };
    let row = |tag: Tag, cells: &[Vec<Inline>]| {
        let cells = cells.iter().enumerate().map(|(place, words)| cell(tag, place, words));
        Node::from(Element::new(Tag::TableRow).with_children(cells))
    };
    let head = Element::new(Tag::TableHead).with_child(row(Tag::TableTitle, &table.head));
    let body =
        Element::new(Tag::TableBody).with_children(table.rows.iter().map(|cells| row(Tag::TableCell, cells)));
    let shown = Element::of(Tag::Block, "prose-table")
        .with(Attribute::TabIndex, "0")
        .with(Attribute::Role, "group")
        .with(Attribute::Label, "Table")
        .with_child(Element::new(Tag::Table).with_child(head).with_child(body));
    let Some(whole) = &table.whole else { return shown.into() };
    let all = Element::button("quiet", "table-all")
        .with(Attribute::Test, "table-all")
        .with_text("Show all as text");
    let more = Element::of(Tag::Paragraph, "prose-more")
        .with_text("Only the first rows and columns are shown. ")
        .with_child(all);
    // Hidden until it is requested.
    let whole = Element::of(Tag::Preformatted, "prose-plain prose-whole")
        .with(Attribute::TabIndex, "0")
        .with_text(reveal(whole));
    Element::of(Tag::Block, "prose-large").with_child(shown).with_child(more).with_child(whole).into()
}

fn figure(info: &str, text: &str, language: &str) -> Node {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let label = reveal(info.split(['{', '\t', ' ']).next().unwrap_or_default());
    let label = if label.is_empty() { "text".to_owned() } else { label };
    let span = |class, text: String| Element::of(Tag::Span, class).with_text(text);
    let mut caption = Element::of(Tag::Caption, "prose-code-head").with_child(span("prose-language", label));
    if let Some(name) = name_of(info, text) {
        caption = caption.with_child(span("prose-file", reveal(&name)));
    }
    let is_diff = matches!(language_of(info).as_str(), "diff" | "patch");
    let acts = [
        ("code-wrap", "Wrap", true),
        ("code-copy", "Copy", true),
        ("code-open", "Create file", true),
        // A diff is not the content of a file.
        ("code-apply", "Apply to file", !is_diff),
    ];
    let acts = acts.into_iter().filter(|(.., there)| *there).map(|(act, words, _)| {
        Element::button("quiet prose-action", act).with(Attribute::Test, act).with_text(words).into()
    });
    let caption = caption.with_child(Element::of(Tag::Span, ACTIONS).with_children(acts));
    let code = Element::new(Tag::Code).with_children(coloured(text, language));
    let frame = Element::new(Tag::Preformatted)
        .with(Attribute::TabIndex, "0")
        .with(Attribute::Direction, "ltr")
        .with_child(code);
    Element::of(Tag::Figure, CODE).with_child(caption).with_child(frame).into()
}

/// A code block without colours and buttons: its placeholder while it is out of sight. `None` if the element is no
/// code block.
pub fn plain_code(figure: &Element) -> Option<Element> {
    let is_code = figure.tag == Tag::Figure && figure.value(Attribute::Class) == Some(CODE);
    is_code.then(|| without_colours(figure).with(Attribute::Plain, ""))
}

fn without_colours(element: &Element) -> Element {
    let bare = Element { tag: element.tag, attributes: element.attributes.clone(), children: Vec::new() };
    if element.tag == Tag::Code {
        return bare.with_text(element.children.iter().map(Node::words).collect::<String>());
    }
    if element.value(Attribute::Class) == Some(ACTIONS) {
        return bare;
    }
    bare.with_children(element.children.iter().map(|child| match child {
        Node::Element(child) => without_colours(child).into(),
        Node::Text(text) => Node::text(text),
    }))
}

pub fn language_of(info: &str) -> String {
    let first =
        info.split(|c: char| c.is_whitespace() || matches!(c, ',' | '{' | ':')).next().unwrap_or_default();
    first.trim_start_matches('.').to_ascii_lowercase()
}

/// The file name in a fence or the first line of the code, if any.
pub fn name_of(info: &str, text: &str) -> Option<String> {
    let given = info.split_whitespace().nth(1).map(|word| {
        let value = ["title=", "file=", "filename=", "path="].iter().find_map(|key| word.strip_prefix(key));
        value.unwrap_or(word).trim_matches(['"', '\''])
    });
    // Some write `rust:src/main.rs`.
    let given = given.or_else(|| info.split_whitespace().next()?.split_once(':').map(|(_, name)| name));
    let first = text.lines().next().unwrap_or_default().trim();
    let comment = ["// ", "# ", "-- ", "/* ", "<!-- "].iter().find_map(|mark| first.strip_prefix(mark));
    let comment = comment.map(|line| line.trim_end_matches("*/").trim_end_matches("-->").trim());
    let comment = comment.map(|line| line.trim_start_matches("file:").trim_start_matches("File:").trim());
    given.into_iter().chain(comment).find(|name| is_name(name)).map(str::to_owned)
}

/// True if a text is a file name: one word, with an extension.
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
            Element::of(Tag::Span, class).with_text(reveal(&token.text)).into()
        })
        .collect()
}

/// Lays out inline elements.
///
/// Links only addresses with an allowed scheme, and never loads a remote image.
mod words {
    use crate::invisible::reveal;
    use crate::limits::IMAGE_IN_TEXT_BYTES;
    use crate::links::{allowed, host_of, image_in, is_laden, is_misleading};
    use crate::markdown::page::{Attribute, Element, Node, Tag};
    use crate::markdown::tree::{Inline, words_of};
    use crate::math;

    pub(super) fn inlines(words: &[Inline]) -> Vec<Node> {
        let mut nodes = Vec::with_capacity(words.len());
        for word in words {
            push(inline(word), &mut nodes);
        }
        nodes
    }

    /// Adds a node; adjacent texts become one.
    fn push(node: Node, nodes: &mut Vec<Node>) {
        match (nodes.last_mut(), node) {
            (Some(Node::Text(before)), Node::Text(text)) => before.push_str(&text),
            (_, node) => nodes.push(node),
        }
    }

    fn inline(word: &Inline) -> Node {
        let within = |tag: Tag, words: &[Inline]| Node::from(Element::new(tag).with_children(inlines(words)));
        match word {
            Inline::Text(text) => Node::text(text.as_str()),
            Inline::Code(code) => {
                Element::new(Tag::Code).with(Attribute::Direction, "ltr").with_text(reveal(code)).into()
            }
            Inline::Maths { tex, display } => formula(tex, *display),
            Inline::Emphasis(words) => within(Tag::Emphasis, words),
            Inline::Strong(words) => within(Tag::Strong, words),
            Inline::Struck(words) => within(Tag::Struck, words),
            Inline::Link { words, address, title } => link(words, address, title),
            Inline::Image { alt, address, .. } => image(&words_of(alt), address),
            Inline::Html(html) => Node::text(reveal(html)),
            Inline::Note(place) => mention(*place),
            Inline::SoftBreak => Node::text("\n"),
            Inline::Break => Element::new(Tag::Break).into(),
        }
    }

    /// A formula, with its source for those who want to read it.
    fn formula(tex: &str, display: bool) -> Node {
        let tag = if display { "prose-maths prose-display" } else { "prose-maths" };
        Element::of(Tag::Span, tag)
            .with(Attribute::Title, reveal(tex))
            .with(Attribute::Direction, "ltr")
            .with_child(math::set(tex, display))
            .into()
    }

    fn mention(place: usize) -> Node {
        let number = (place + 1).to_string();
        let button = Element::button("prose-mention", "note")
            .with(Attribute::Place, number.clone())
            .with(Attribute::Label, format!("Footnote {number}"))
            .with_text(number);
        Element::new(Tag::Raised).with_child(button).into()
    }

    /// A link if its scheme is allowed; else the words, with the address beside them.
    fn link(words: &[Inline], address: &str, title: &str) -> Node {
        let Some(good) = allowed(address) else {
            let same = words_of(words) == address;
            let words = Element::of(Tag::Span, "prose-blocked").with_children(inlines(words));
            return if same || address.is_empty() { words } else { words.with_children(beside(address)) }
                .into();
        };
        // A browser can open a link without a click; a link that is confirmed first has no address.
        let link = if is_laden(&good) {
            Element::button("prose-link", "link-asked")
                .with(Attribute::Place, good.clone())
                .with(Attribute::Title, hint(&good, title))
        } else {
            opening(&good, title)
        };
        // Links cannot be nested; an image in a link only shows its name.
        let link = link.with_children(inlines(&unlinked(words)));
        if !is_misleading(&words_of(words), &good) {
            return link.into();
        }
        let address = beside(host_of(&good).unwrap_or(&good));
        Element::of(Tag::Span, "prose-misleading").with_child(link).with_children(address).into()
    }

    fn opening(address: &str, title: &str) -> Element {
        Element::of(Tag::Link, "prose-link")
            .with(Attribute::Address, address.to_owned())
            .with(Attribute::Target, "_blank")
            .with(Attribute::Relation, "noopener noreferrer nofollow")
            .with(Attribute::Title, hint(address, title))
    }

    /// The tooltip of an address: its host first, because that is what counts.
    fn hint(address: &str, title: &str) -> String {
        let host = reveal(host_of(address).unwrap_or_default());
        if title.is_empty() { host } else { format!("{host} · {}", reveal(title)) }
    }

    fn beside(address: &str) -> Vec<Node> {
        let address = Element::of(Tag::Span, "prose-address")
            .with(Attribute::Direction, "ltr")
            .with_text(reveal(address));
        vec![Node::text(" "), address.into()]
    }

    fn unlinked(words: &[Inline]) -> Vec<Inline> {
        words
            .iter()
            .map(|word| match word {
                Inline::Image { alt, .. } => Inline::Text(format!("🖼 {}", words_of(alt))),
                Inline::Link { words, .. } => Inline::Text(words_of(words)),
                Inline::Emphasis(words) => Inline::Emphasis(unlinked(words)),
                Inline::Strong(words) => Inline::Strong(unlinked(words)),
                Inline::Struck(words) => Inline::Struck(unlinked(words)),
                Inline::Note(place) => Inline::Text(format!("[{}]", place + 1)),
                Inline::Text(_)
                | Inline::Code(_)
                | Inline::Maths { .. }
                | Inline::Html(_)
                | Inline::SoftBreak
                | Inline::Break => word.clone(),
            })
            .collect()
    }

    /// An inline image is shown. A remote one is named, with its host: loading it would tell that host who reads this,
    /// and when.
    fn image(alt: &str, address: &str) -> Node {
        if image_in(address, IMAGE_IN_TEXT_BYTES).is_some() {
            return Element::of(Tag::Image, "prose-picture")
                .with(Attribute::Source, address.to_owned())
                .with(Attribute::Alt, alt.to_owned())
                .into();
        }
        let alt = if alt.is_empty() { "Image".to_owned() } else { reveal(alt) };
        let name = Element::of(Tag::Span, "prose-alt").with_text(format!("🖼 {alt}"));
        let placeholder = Element::of(Tag::Span, "prose-image").with(Attribute::Test, "remote-image");
        match allowed(address).filter(|address| !address.to_ascii_lowercase().starts_with("mailto:")) {
            Some(good) => {
                let host = reveal(host_of(&good).unwrap_or_default());
                let from =
                    Element::of(Tag::Span, "prose-address").with(Attribute::Direction, "ltr").with_text(host);
                let open = link(&[Inline::Text("Open in a new tab".to_owned())], &good, "");
                placeholder.with_child(name).with_child(from).with_child(open).into()
            }
            None => placeholder.with_child(name).into(),
        }
    }
}

#[cfg(test)]
mod tests;

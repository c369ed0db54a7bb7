//! Builds a [`Document`] from the events of `pulldown-cmark`, with limits on size and depth.
//!
//! The parser accepts any nesting depth, even 130,001 levels, which would crash the screen.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, CowStr, Event, LinkType, Parser, Tag};

use crate::limits::{
    MARKDOWN_BYTES, MARKDOWN_DEPTH, MARKDOWN_LINKS, MARKDOWN_NOTES, MARKDOWN_PIECES, TABLE_COLUMNS,
    TABLE_ROWS, step,
};
use crate::markdown::autolink;
use crate::markdown::definitions::{Definitions, LinkDefinition, ParsedText, UsedLimits};
use crate::markdown::delimiters::{MathDelimiters, is_money, options};
use crate::markdown::tree::{Block, Document, Footnote, Inline, ListItem, Table, words_of};
use crate::small_sort::SmallSort as _;
use crate::vec_map::VecMap;

/// The layout cost of a code block besides its text: its frame and buttons.
const CODE_PIECES: usize = 14;

/// The document of a text. A text above two mebibytes is not parsed but shown as it is.
pub fn parse(text: &str) -> Document {
    let known = Definitions::default();
    known.document(parse_after(&known, text))
}

/// Parses a text after finished blocks. Positions are those in the text.
pub(super) fn parse_after(known: &Definitions, text: &str) -> ParsedText {
    if text.len() > MARKDOWN_BYTES {
        let plain = (0..text.len(), Block::Plain(text.to_owned()));
        return ParsedText { blocks: vec![plain], ..ParsedText::default() };
    }
    let (whole, before) = known.before(text);
    step(whole.len());
    let delimiters = MathDelimiters::find(&whole);
    let mut builder = TreeBuilder::new(text, before, &delimiters, known);
    let mut events = Parser::new_ext(delimiters.text(), options()).into_offset_iter();
    // The known definitions make events, too.
    for (event, range) in events.by_ref().filter(|(_, range)| range.start >= before) {
        if builder.pieces >= MARKDOWN_PIECES {
            builder.cut(range.start - before);
            break;
        }
        builder.take(event, range.start - before..range.end - before);
    }
    let references = events.reference_definitions().iter();
    let references = references.filter_map(|(label, definition)| {
        let title = definition.title.as_deref().unwrap_or_default().to_owned();
        let reference =
            LinkDefinition { label: label.to_owned(), address: definition.dest.to_string(), title };
        Some((definition.span.start.checked_sub(before)?, reference))
    });
    let mut parsed = builder.parsed;
    parsed.references.extend(references);
    parsed.references.small_sort_by_key(|(at, _)| *at);
    parsed
}

/// An open container with what was read of it.
#[derive(Default)]
struct Frame<'t> {
    /// `None` for the root.
    tag: Option<Tag<'t>>,
    start: usize,
    blocks: Vec<Block>,
    words: Vec<Inline>,
    /// The text of code or raw HTML.
    text: String,
    items: Vec<ListItem>,
    /// Whether the task of an item is done.
    done: Option<bool>,
    table: Table,
    /// The cells of a row.
    cells: Vec<Vec<Inline>>,
}

impl Frame<'_> {
    /// True if it contains blocks, and not words.
    fn holds_blocks(&self) -> bool {
        // Definition lists are not enabled; otherwise their words would be paragraphs.
        matches!(
            self.tag,
            None | Some(
                Tag::BlockQuote(_)
                    | Tag::Item
                    | Tag::FootnoteDefinition(_)
                    | Tag::DefinitionList
                    | Tag::DefinitionListTitle
                    | Tag::DefinitionListDefinition
            )
        )
    }

    fn is_verbatim(&self) -> bool {
        matches!(self.tag, Some(Tag::CodeBlock(_) | Tag::HtmlBlock | Tag::MetadataBlock(_)))
    }
}

struct TreeBuilder<'t> {
    text: &'t str,
    /// The bytes of known definitions that the parser reads before the text.
    before: usize,
    delimiters: &'t MathDelimiters<'t>,
    parsed: ParsedText,
    frames: Vec<Frame<'t>>,
    /// The number of open containers below the deepest kept one; their words go into `flat`.
    skipped: usize,
    flat: String,
    pieces: usize,
    links: usize,
    known: &'t Definitions,
    /// The index of each mentioned footnote, by its label.
    places: VecMap<String, usize>,
}

impl<'t> TreeBuilder<'t> {
    fn new(text: &'t str, before: usize, delimiters: &'t MathDelimiters<'t>, known: &'t Definitions) -> Self {
        Self {
            text,
            before,
            delimiters,
            parsed: ParsedText::default(),
            frames: vec![Frame::default()],
            skipped: 0,
            flat: String::new(),
            pieces: known.spent.pieces,
            links: known.spent.links,
            known,
            places: known.labels.iter().enumerate().map(|(at, label)| (label.clone(), at)).collect(),
        }
    }

    fn take(&mut self, event: Event<'t>, range: Range<usize>) {
        self.pieces += 1;
        match event {
            Event::Start(tag) => self.open(tag, range),
            Event::End(_) => self.close(range.end),
            event if self.skipped > 0 => self.take_flat(event),
            Event::Text(text) => self.text(text),
            Event::Code(code) => self.word(Inline::Code(code.into_string())),
            Event::InlineMath(tex) => self.maths(tex, range, false),
            Event::DisplayMath(tex) => self.maths(tex, range, true),
            Event::Html(html) => match self.frames.last_mut() {
                Some(frame) if frame.is_verbatim() => frame.text.push_str(&html),
                Some(_) | None => self.block(Block::Plain(html.into_string()), range),
            },
            Event::InlineHtml(html) => self.html(html),
            Event::FootnoteReference(label) => self.mention(&label, range.start),
            Event::SoftBreak => self.word(Inline::SoftBreak),
            Event::HardBreak => self.word(Inline::Break),
            Event::Rule => self.block(Block::Rule, range),
            Event::TaskListMarker(checked) => {
                let mut frames = self.frames.iter_mut().rev();
                if let Some(item) = frames.find(|frame| frame.tag == Some(Tag::Item)) {
                    item.done = Some(checked);
                }
            }
        }
    }

    /// Adds the words below the deepest container, in a row.
    fn take_flat(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text)
            | Event::Code(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::Html(text)
            | Event::InlineHtml(text)
            | Event::FootnoteReference(text) => self.flat.push_str(&text),
            Event::SoftBreak | Event::HardBreak | Event::Rule => self.flat.push(' '),
            Event::TaskListMarker(_) | Event::Start(_) | Event::End(_) => {}
        }
    }

    fn text(&mut self, text: CowStr<'_>) {
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.is_verbatim() {
            return frame.text.push_str(&text);
        }
        match frame.words.last_mut() {
            Some(Inline::Text(before)) => before.push_str(&text),
            Some(_) | None => frame.words.push(Inline::Text(text.into_string())),
        }
    }

    fn word(&mut self, word: Inline) {
        if let Some(frame) = self.frames.last_mut() {
            frame.words.push(word);
        }
    }

    fn maths(&mut self, tex: CowStr<'_>, range: Range<usize>, dollars: bool) {
        let display = dollars && !self.delimiters.is_inline(self.before + range.start);
        if !dollars && is_money(self.text, &range) {
            return self.text(CowStr::from(self.text.get(range).unwrap_or_default().to_owned()));
        }
        // A formula has a node for every one or two characters.
        self.pieces += tex.len() / 2;
        self.word(Inline::Maths { tex: tex.into_string(), display });
    }

    /// Raw HTML is text, except for the line break, which table cells cannot have otherwise.
    fn html(&mut self, html: CowStr<'_>) {
        let in_cell = self.frames.iter().any(|frame| frame.tag == Some(Tag::TableCell));
        let is_break = in_cell && matches!(&*html.to_ascii_lowercase(), "<br>" | "<br/>" | "<br />");
        self.word(if is_break { Inline::Break } else { Inline::Html(html.into_string()) });
    }

    fn mention(&mut self, label: &str, at: usize) {
        let count = self.known.labels.len() + self.parsed.mentions.len();
        let place = self.places.get(label).copied().or_else(|| {
            (count < MARKDOWN_NOTES).then(|| {
                self.parsed.mentions.push((at, label.to_owned()));
                self.places.insert(label.to_owned(), count);
                count
            })
        });
        match place {
            Some(place) => self.word(Inline::Note(place)),
            None => self.text(CowStr::from(format!("[^{label}]"))),
        }
    }

    fn open(&mut self, tag: Tag<'t>, range: Range<usize>) {
        if self.skipped > 0 || self.frames.len() > MARKDOWN_DEPTH {
            self.skipped += 1;
            return;
        }
        if let Tag::CodeBlock(_) = tag {
            self.pieces += CODE_PIECES;
        }
        self.frames.push(Frame { tag: Some(tag), start: range.start, ..Frame::default() });
    }

    /// Ends the text here: closes what is open, and keeps the rest as written.
    fn cut(&mut self, at: usize) {
        while self.skipped > 0 || self.frames.len() > 1 {
            self.close(at);
        }
        self.parsed.is_cut = true;
        let rest = self.text.get(at..).unwrap_or_default().to_owned();
        self.block(Block::Plain(rest), at..self.text.len());
    }

    fn close(&mut self, end: usize) {
        if self.skipped > 0 {
            self.skipped -= 1;
            if self.skipped == 0 {
                let flat = std::mem::take(&mut self.flat);
                if !flat.is_empty() {
                    self.keep_flat(flat);
                }
            }
            return;
        }
        // We open the root, and the parser never closes it.
        let Some(mut frame) = (self.frames.len() > 1).then(|| self.frames.pop()).flatten() else { return };
        let range = frame.start..end;
        if frame.holds_blocks() {
            flush(&mut frame);
        }
        let Frame { tag, blocks, words, text, items, done, mut table, cells, .. } = frame;
        let Some(tag) = tag else { return };
        match tag {
            Tag::Paragraph => {
                let words = self.linked(words);
                self.block(Block::Paragraph(words), range);
            }
            Tag::Heading { level, .. } => {
                let words = self.linked(words);
                self.block(Block::Heading { level: level as u8, words }, range);
            }
            Tag::BlockQuote(alert) => self.block(Block::Quote { alert, blocks }, range),
            Tag::DefinitionList | Tag::DefinitionListTitle | Tag::DefinitionListDefinition => {
                self.block(Block::Quote { alert: None, blocks }, range);
            }
            Tag::CodeBlock(info) => {
                let info = match info {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.block(Block::Code { info, text }, range);
            }
            Tag::HtmlBlock | Tag::MetadataBlock(_) => self.block(Block::Plain(text), range),
            Tag::List(start) => self.block(Block::List { start, items }, range),
            Tag::Item => {
                let linked = |block| {
                    if let Block::Words(words) = block { Block::Words(self.linked(words)) } else { block }
                };
                let blocks = blocks.into_iter().map(linked).collect();
                if let Some(list) = self.frames.last_mut() {
                    list.items.push(ListItem { done, blocks });
                }
            }
            Tag::FootnoteDefinition(label) => {
                if self.known.notes.len() + self.parsed.notes.len() < MARKDOWN_NOTES {
                    self.parsed.notes.push((range.start, Footnote { label: label.into_string(), blocks }));
                } else {
                    let written = self.text.get(range.clone()).unwrap_or_default().to_owned();
                    self.block(Block::Plain(written), range);
                }
            }
            Tag::Table(columns) => {
                table.columns = columns;
                if table.whole.is_some() {
                    table.columns.truncate(TABLE_COLUMNS);
                    table.whole = self.text.get(range.clone()).map(str::to_owned);
                }
                self.block(Block::Table(table), range);
            }
            Tag::TableHead => self.row(true, cells),
            Tag::TableRow => self.row(false, cells),
            Tag::TableCell => {
                let words = self.linked(words);
                if let Some(row) = self.frames.last_mut() {
                    row.cells.push(words);
                }
            }
            Tag::Emphasis | Tag::Superscript | Tag::Subscript => self.word(Inline::Emphasis(words)),
            Tag::Strong => self.word(Inline::Strong(words)),
            Tag::Strikethrough => self.word(Inline::Struck(words)),
            Tag::Link { link_type, dest_url, title, .. } => {
                let is_mail = link_type == LinkType::Email;
                let address = if is_mail { format!("mailto:{dest_url}") } else { dest_url.into_string() };
                self.link(words, address, title.into_string());
            }
            Tag::Image { dest_url, title, .. } => {
                let (address, title) = (dest_url.into_string(), title.into_string());
                self.word(Inline::Image { alt: words, address, title });
            }
        }
    }

    /// Moves the words from below the deepest container into it.
    fn keep_flat(&mut self, flat: String) {
        let Some(frame) = self.frames.last_mut() else { return };
        let words = |flat| vec![Inline::Text(flat)];
        match frame.tag {
            Some(Tag::List(_)) => {
                frame.items.push(ListItem { done: None, blocks: vec![Block::Words(words(flat))] });
            }
            Some(Tag::TableHead | Tag::TableRow) => frame.cells.push(words(flat)),
            Some(Tag::Table(_)) => frame.table.rows.push(vec![words(flat)]),
            Some(_) | None => self.text(CowStr::from(flat)),
        }
    }

    /// Links above the limit become words: a hundred thousand of them help nobody.
    fn link(&mut self, words: Vec<Inline>, address: String, title: String) {
        self.links += 1;
        if self.links > MARKDOWN_LINKS {
            words.into_iter().for_each(|word| self.word(word));
        } else {
            self.word(Inline::Link { words, address, title });
        }
    }

    fn row(&mut self, head: bool, mut cells: Vec<Vec<Inline>>) {
        let Some(Frame { table, .. }) = self.frames.last_mut() else { return };
        let all = cells.len();
        cells.truncate(if head || table.rows.len() < TABLE_ROWS { TABLE_COLUMNS } else { 0 });
        let left_out = all - cells.len();
        if left_out > 0 {
            table.whole.get_or_insert_default();
        }
        if head {
            table.head = cells;
        } else if !cells.is_empty() {
            table.rows.push(cells);
        }
        // Omitted rows are not laid out: the beginning, the text and the end of each cell.
        self.pieces = self.pieces.saturating_sub(3 * left_out);
    }

    fn linked(&mut self, words: Vec<Inline>) -> Vec<Inline> {
        autolink::link(words, &mut self.links)
    }

    fn block(&mut self, block: Block, range: Range<usize>) {
        match self.frames.last_mut() {
            Some(Frame { tag: None, .. }) => {
                self.parsed.blocks.push((range, block));
                self.parsed.used_limits.push(UsedLimits { pieces: self.pieces, links: self.links });
            }
            Some(frame) if frame.holds_blocks() => {
                flush(frame);
                frame.blocks.push(block);
            }
            Some(_) | None => {}
        }
    }
}

fn flush(frame: &mut Frame<'_>) {
    let words = std::mem::take(&mut frame.words);
    // The space before a list within an item belongs to no word.
    let is_space = words.iter().all(is_text) && words_of(&words).trim().is_empty();
    if !is_space {
        frame.blocks.push(Block::Words(words));
    }
}

fn is_text(word: &Inline) -> bool {
    matches!(word, Inline::Text(_) | Inline::SoftBreak)
}

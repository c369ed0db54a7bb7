//! Never goes deeper than its caps: a parser hands on a nesting of 130,001 as it comes, and the screen would die of it.
//!
//! Owns the way from the parser's events to the [`Document`].

use std::ops::Range;

use pulldown_cmark::{
    Alignment, BlockQuoteKind, CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag,
};

use crate::domain::limits::{
    MARKDOWN_BYTES, MARKDOWN_DEPTH, MARKDOWN_LINKS, MARKDOWN_NOTES, MARKDOWN_PIECES, TABLE_COLUMNS,
    TABLE_ROWS,
};
use crate::domain::text::markdown::autolink;
use crate::domain::text::markdown::delimiters::{Delimiters, is_money};
use crate::domain::text::markdown::known::{Known, Reading, Reference};
use crate::domain::text::markdown::tree::{
    Alert, Align, Block, Document, Inline, Item, Note, Table, words_of,
};

/// What a block of code weighs on a page besides its text: its frame and what can be done with it.
const CODE_PIECES: usize = 14;

/// The extensions that are understood.
pub(super) fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM
}

/// The document of a text. A text above two mebibytes is not read but shown as it is.
pub fn parse(text: &str) -> Document {
    let known = Known::default();
    known.document(parse_after(&known, text))
}

/// What a text says behind blocks that are finished. Places are those in the text.
pub(super) fn parse_after(known: &Known, text: &str) -> Reading {
    if text.len() > MARKDOWN_BYTES {
        let plain = (0..text.len(), Block::Plain(text.to_owned()));
        return Reading { blocks: vec![plain], ..Reading::default() };
    }
    let (text, before) = known.before(text);
    let delimiters = Delimiters::find(&text);
    let mut builder = Builder::new(&text, &delimiters, known);
    let mut events = Parser::new_ext(delimiters.text(), options()).into_offset_iter();
    // What is known makes events, too.
    for (event, range) in events.by_ref().filter(|(_, range)| range.start >= before) {
        if builder.pieces >= MARKDOWN_PIECES {
            builder.cut(range.start);
            break;
        }
        builder.take(event, range);
    }
    let references = events.reference_definitions().iter();
    let references = references.map(|(label, told)| {
        let title = told.title.as_deref().unwrap_or_default().to_owned();
        let reference = Reference { label: label.to_owned(), address: told.dest.to_string(), title };
        (told.span.start, reference)
    });
    builder.finish(references.collect(), before)
}

/// A container that is open.
struct Frame {
    kind: Kind,
    /// Where it began, in bytes.
    start: usize,
    blocks: Vec<Block>,
    words: Vec<Inline>,
}

enum Kind {
    Root,
    Paragraph,
    Heading(u8),
    Quote(Option<Alert>),
    Code { info: String, text: String },
    Html(String),
    List { start: Option<u64>, items: Vec<Item> },
    Item { done: Option<bool> },
    Note(String),
    Table(Table),
    Row { head: bool, cells: Vec<Vec<Inline>> },
    Cell,
    Emphasis,
    Strong,
    Struck,
    Link { address: String, title: String },
    Image { address: String, title: String },
}

impl Kind {
    /// Whether blocks stand in it, and not words.
    fn holds_blocks(&self) -> bool {
        matches!(self, Self::Root | Self::Quote(_) | Self::Item { .. } | Self::Note(_))
    }
}

struct Builder<'t> {
    text: &'t str,
    delimiters: &'t Delimiters<'t>,
    root: Vec<(Range<usize>, Block)>,
    /// The open containers, the root first.
    frames: Vec<Frame>,
    /// How many containers are open below the deepest that is kept; their words go into `flat`.
    skipped: usize,
    flat: String,
    pieces: usize,
    links: usize,
    known: &'t Known,
    mentions: Vec<(usize, String)>,
    notes: Vec<(usize, Note)>,
}

impl<'t> Builder<'t> {
    fn new(text: &'t str, delimiters: &'t Delimiters<'t>, known: &'t Known) -> Self {
        let root = Frame { kind: Kind::Root, start: 0, blocks: Vec::new(), words: Vec::new() };
        Self {
            text,
            delimiters,
            root: Vec::new(),
            frames: vec![root],
            skipped: 0,
            flat: String::new(),
            pieces: 0,
            links: 0,
            known,
            mentions: Vec::new(),
            notes: Vec::new(),
        }
    }

    fn take(&mut self, event: Event<'_>, range: Range<usize>) {
        self.pieces += 1;
        match event {
            Event::Start(tag) => self.open(tag, range),
            Event::End(_) => self.close(range.end),
            event if self.skipped > 0 => self.take_flat(event),
            Event::Text(text) => self.text(text),
            Event::Code(code) => self.word(Inline::Code(code.into_string())),
            Event::InlineMath(tex) => self.maths(tex, range, false),
            Event::DisplayMath(tex) => self.maths(tex, range, true),
            Event::Html(html) => match self.frames.last_mut().map(|frame| &mut frame.kind) {
                Some(Kind::Html(text)) => text.push_str(&html),
                Some(_) | None => self.block(Block::Plain(html.into_string()), range),
            },
            Event::InlineHtml(html) => self.html(html),
            Event::FootnoteReference(label) => self.mention(&label, range.start),
            Event::SoftBreak => self.word(Inline::SoftBreak),
            Event::HardBreak => self.word(Inline::Break),
            Event::Rule => self.block(Block::Rule, range),
            Event::TaskListMarker(checked) => {
                if let Some(Kind::Item { done }) = self.item() {
                    *done = Some(checked);
                }
            }
        }
    }

    /// What stands below the deepest container: its words, in a row.
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

    fn item(&mut self) -> Option<&mut Kind> {
        let items = self.frames.iter_mut().rev().map(|frame| &mut frame.kind);
        items.into_iter().find(|kind| matches!(kind, Kind::Item { .. }))
    }

    fn text(&mut self, text: CowStr<'_>) {
        match self.frames.last_mut() {
            Some(Frame { kind: Kind::Code { text: code, .. }, .. }) => code.push_str(&text),
            Some(Frame { kind: Kind::Html(html), .. }) => html.push_str(&text),
            Some(frame) => match frame.words.last_mut() {
                Some(Inline::Text(before)) => before.push_str(&text),
                Some(_) | None => frame.words.push(Inline::Text(text.into_string())),
            },
            None => {}
        }
    }

    fn word(&mut self, word: Inline) {
        if let Some(frame) = self.frames.last_mut() {
            frame.words.push(word);
        }
    }

    fn maths(&mut self, tex: CowStr<'_>, range: Range<usize>, dollars: bool) {
        let display = dollars && !self.delimiters.is_inline(range.start);
        if !dollars && is_money(self.text, &range) {
            return self.text(CowStr::from(self.text.get(range).unwrap_or_default().to_owned()));
        }
        // A formula has a node for every sign or two.
        self.pieces += tex.len() / 2;
        self.word(Inline::Maths { tex: tex.into_string(), display });
    }

    /// Raw HTML is text, but for the line break that a cell of a table cannot have otherwise.
    fn html(&mut self, html: CowStr<'_>) {
        let in_cell = self.frames.iter().any(|frame| matches!(frame.kind, Kind::Cell));
        let is_break = in_cell && matches!(&*html.to_ascii_lowercase(), "<br>" | "<br/>" | "<br />");
        self.word(if is_break { Inline::Break } else { Inline::Html(html.into_string()) });
    }

    fn mention(&mut self, label: &str, at: usize) {
        let before = self.known.labels();
        let known = before.iter().chain(self.mentions.iter().map(|(_, label)| label));
        let count = before.len() + self.mentions.len();
        let place = known.into_iter().position(|known| known == label).or_else(|| {
            (count < MARKDOWN_NOTES).then(|| {
                self.mentions.push((at, label.to_owned()));
                count
            })
        });
        match place {
            Some(place) => self.word(Inline::Note(place)),
            None => self.text(CowStr::from(format!("[^{label}]"))),
        }
    }

    fn open(&mut self, tag: Tag<'_>, range: Range<usize>) {
        if self.skipped > 0 || self.frames.len() > MARKDOWN_DEPTH {
            self.skipped += 1;
            return;
        }
        let kind = match tag {
            Tag::Paragraph => Kind::Paragraph,
            Tag::Heading { level, .. } => Kind::Heading(level as u8),
            Tag::BlockQuote(alert) => Kind::Quote(alert.map(alert_of)),
            Tag::CodeBlock(info) => {
                self.pieces += CODE_PIECES;
                let info = match info {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                Kind::Code { info, text: String::new() }
            }
            Tag::HtmlBlock | Tag::MetadataBlock(_) => Kind::Html(String::new()),
            Tag::List(start) => Kind::List { start, items: Vec::new() },
            Tag::Item => Kind::Item { done: None },
            Tag::FootnoteDefinition(label) => Kind::Note(label.into_string()),
            Tag::Table(columns) => Kind::Table(Table {
                columns: columns.into_iter().map(align_of).collect(),
                ..Table::default()
            }),
            Tag::TableHead => Kind::Row { head: true, cells: Vec::new() },
            Tag::TableRow => Kind::Row { head: false, cells: Vec::new() },
            Tag::TableCell => Kind::Cell,
            Tag::Emphasis => Kind::Emphasis,
            Tag::Strong => Kind::Strong,
            Tag::Strikethrough => Kind::Struck,
            Tag::Link { link_type, dest_url, title, .. } => {
                let is_mail = link_type == LinkType::Email;
                let address = if is_mail { format!("mailto:{dest_url}") } else { dest_url.into_string() };
                Kind::Link { address, title: title.into_string() }
            }
            Tag::Image { dest_url, title, .. } => {
                Kind::Image { address: dest_url.into_string(), title: title.into_string() }
            }
            // Not switched on; were they, their words would stand as paragraphs.
            Tag::DefinitionList | Tag::DefinitionListTitle | Tag::DefinitionListDefinition => {
                Kind::Quote(None)
            }
            Tag::Superscript | Tag::Subscript => Kind::Emphasis,
        };
        self.frames.push(Frame { kind, start: range.start, blocks: Vec::new(), words: Vec::new() });
    }

    /// Ends the text here: what is open is closed, and the rest stands as it was written.
    fn cut(&mut self, at: usize) {
        while self.skipped > 0 || self.frames.len() > 1 {
            self.close(at);
        }
        let rest = self.text.get(at..).unwrap_or_default().to_owned();
        self.block(Block::Plain(rest), at..self.text.len());
    }

    /// Closes the container that was opened last.
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
        // The root is opened by us and never closed by the parser.
        let Some(mut frame) = (self.frames.len() > 1).then(|| self.frames.pop()).flatten() else { return };
        let range = frame.start..end;
        if frame.kind.holds_blocks() {
            flush(&mut frame);
        }
        let Frame { kind, blocks, words, .. } = frame;
        match kind {
            Kind::Root => {}
            Kind::Paragraph => {
                let words = self.linked(words);
                self.block(Block::Paragraph(words), range);
            }
            Kind::Heading(level) => {
                let words = self.linked(words);
                self.block(Block::Heading { level, words }, range);
            }
            Kind::Quote(alert) => self.block(Block::Quote { alert, blocks }, range),
            Kind::Code { info, text } => self.block(Block::Code { info, text }, range),
            Kind::Html(text) => self.block(Block::Plain(text), range),
            Kind::List { start, items } => self.block(Block::List { start, items }, range),
            Kind::Item { done } => {
                let blocks = blocks.into_iter().map(|block| self.linked_block(block)).collect();
                if let Some(Kind::List { items, .. }) = self.frames.last_mut().map(|frame| &mut frame.kind) {
                    items.push(Item { done, blocks });
                }
            }
            Kind::Note(label) => {
                if self.known.note_count() + self.notes.len() < MARKDOWN_NOTES {
                    self.notes.push((range.start, Note { label, blocks }));
                } else {
                    let written = self.text.get(range.clone()).unwrap_or_default().to_owned();
                    self.block(Block::Plain(written), range);
                }
            }
            Kind::Table(mut table) => {
                if table.whole.is_some() {
                    table.columns.truncate(TABLE_COLUMNS);
                    table.whole = self.text.get(range.clone()).map(str::to_owned);
                }
                self.block(Block::Table(table), range);
            }
            Kind::Row { head, cells } => self.row(head, cells),
            Kind::Cell => {
                let words = self.linked(words);
                if let Some(Kind::Row { cells, .. }) = self.frames.last_mut().map(|frame| &mut frame.kind) {
                    cells.push(words);
                }
            }
            Kind::Emphasis => self.word(Inline::Emphasis(words)),
            Kind::Strong => self.word(Inline::Strong(words)),
            Kind::Struck => self.word(Inline::Struck(words)),
            Kind::Link { address, title } => self.link(words, address, title),
            Kind::Image { address, title } => self.word(Inline::Image { alt: words, address, title }),
        }
    }

    /// Gives the words from below the deepest container a place in it.
    fn keep_flat(&mut self, flat: String) {
        let words = |flat| vec![Inline::Text(flat)];
        match self.frames.last_mut().map(|frame| &mut frame.kind) {
            Some(Kind::List { items, .. }) => {
                items.push(Item { done: None, blocks: vec![Block::Words(words(flat))] });
            }
            Some(Kind::Row { cells, .. }) => cells.push(words(flat)),
            Some(Kind::Table(table)) => table.rows.push(vec![words(flat)]),
            Some(_) | None => self.text(CowStr::from(flat)),
        }
    }

    /// Links above the cap are their words: a hundred thousand of them help nobody.
    fn link(&mut self, words: Vec<Inline>, address: String, title: String) {
        self.links += 1;
        if self.links > MARKDOWN_LINKS {
            words.into_iter().for_each(|word| self.word(word));
        } else {
            self.word(Inline::Link { words, address, title });
        }
    }

    fn row(&mut self, head: bool, mut cells: Vec<Vec<Inline>>) {
        let Some(Kind::Table(table)) = self.frames.last_mut().map(|frame| &mut frame.kind) else { return };
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
        // What is left out is not laid out: the beginning, the text and the end of each cell.
        self.pieces = self.pieces.saturating_sub(3 * left_out);
    }

    /// The words with the addresses in them that have no marks.
    fn linked(&mut self, words: Vec<Inline>) -> Vec<Inline> {
        autolink::link(words, &mut self.links)
    }

    fn linked_block(&mut self, block: Block) -> Block {
        match block {
            Block::Words(words) => Block::Words(self.linked(words)),
            Block::Heading { .. }
            | Block::Paragraph(_)
            | Block::Code { .. }
            | Block::Quote { .. }
            | Block::List { .. }
            | Block::Table(_)
            | Block::Rule
            | Block::Plain(_) => block,
        }
    }

    fn block(&mut self, block: Block, range: Range<usize>) {
        match self.frames.last_mut() {
            Some(Frame { kind: Kind::Root, .. }) => self.root.push((range, block)),
            Some(frame) if frame.kind.holds_blocks() => {
                flush(frame);
                frame.blocks.push(block);
            }
            Some(_) | None => {}
        }
    }

    /// What was read, with its places counted from where the text itself begins.
    fn finish(self, mut references: Vec<(usize, Reference)>, before: usize) -> Reading {
        references.retain(|(at, _)| *at >= before);
        references.sort_unstable_by_key(|(at, _)| *at);
        let own = |at: usize| at - before;
        Reading {
            blocks: self
                .root
                .into_iter()
                .map(|(range, block)| (own(range.start)..own(range.end), block))
                .collect(),
            notes: self.notes.into_iter().map(|(at, note)| (own(at), note)).collect(),
            mentions: self.mentions.into_iter().map(|(at, label)| (own(at), label)).collect(),
            references: references.into_iter().map(|(at, reference)| (own(at), reference)).collect(),
        }
    }
}

/// Words that stand among blocks become a block.
fn flush(frame: &mut Frame) {
    let words = std::mem::take(&mut frame.words);
    // The space before a list within an item is nobody's word.
    let is_space = words.iter().all(is_text) && words_of(&words).trim().is_empty();
    if !is_space {
        frame.blocks.push(Block::Words(words));
    }
}

fn is_text(word: &Inline) -> bool {
    matches!(word, Inline::Text(_) | Inline::SoftBreak)
}

fn alert_of(kind: BlockQuoteKind) -> Alert {
    match kind {
        BlockQuoteKind::Note => Alert::Note,
        BlockQuoteKind::Tip => Alert::Tip,
        BlockQuoteKind::Important => Alert::Important,
        BlockQuoteKind::Warning => Alert::Warning,
        BlockQuoteKind::Caution => Alert::Caution,
    }
}

fn align_of(alignment: Alignment) -> Align {
    match alignment {
        Alignment::None => Align::Unsaid,
        Alignment::Left => Align::Left,
        Alignment::Center => Align::Middle,
        Alignment::Right => Align::Right,
    }
}

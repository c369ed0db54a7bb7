//! Never makes markup: raw HTML is text like any other, and nothing here loads or opens anything.
//!
//! Owns the Markdown that models write. It comes in three steps, each pure and each a type of its own:
//!
//! 1. [`parse`](parse::parse): text → [`Document`](tree::Document), what the text says. The grammar is that of
//!    `pulldown-cmark`; ours are the caps, the maths in backslashes, and addresses without marks.
//! 2. [`lay_out`](layout::lay_out): document → [`Node`](page::Node)s, what is to stand in the page, out of a closed
//!    list of elements and attributes.
//! 3. The screen makes DOM nodes of these and changes only what differs.
//!
//! The screen enters by [`read`] for a text that is whole, and by [`Growing`] for one that grows.

mod autolink;
mod delimiters;
mod known;
pub mod layout;
pub mod page;
pub mod parse;
pub mod stream;
pub mod tree;

use page::Page;
use stream::{Growing, Update};

/// The page of a text that is whole.
pub fn read(text: &str) -> Page {
    layout::lay_out(&parse::parse(text))
}

/// The two ways in and what a click asks, as a value: the page loads the reader as a part of its own.
#[derive(Clone, Copy, Debug)]
pub struct Reader {
    /// [`read`].
    pub read: fn(&str) -> Page,
    /// [`Growing::grow`].
    pub grow: fn(&mut Growing, &str) -> Update,
    /// [`code_at`].
    pub code_at: fn(&str, usize) -> Option<CodeBlock>,
}

/// The reader. Naming it puts all of it into the part of the program that does.
pub static READER: Reader = Reader { read, grow: Growing::grow, code_at };

/// A block of code in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeBlock {
    /// The code, as it was written.
    pub text: String,
    /// The file's name that it gives, if it gives one.
    pub name: Option<String>,
    /// The language that it names; may be empty.
    pub language: String,
}

/// The block of code at a place, from 0, in the order in which a page shows them.
pub fn code_at(text: &str, place: usize) -> Option<CodeBlock> {
    let document = parse::parse(text);
    let blocks = document.blocks.iter().map(|(_, block)| block);
    let notes = document.notes.iter().flat_map(|note| &note.blocks);
    let mut found = Vec::new();
    blocks.chain(notes).for_each(|block| gather_code(block, &mut found));
    found.into_iter().nth(place).map(|(info, text)| {
        let text = text.strip_suffix('\n').unwrap_or(text).to_owned();
        CodeBlock { name: layout::name_of(info, &text), language: layout::language_of(info), text }
    })
}

fn gather_code<'d>(block: &'d tree::Block, found: &mut Vec<(&'d str, &'d str)>) {
    match block {
        tree::Block::Code { info, text } => found.push((info, text)),
        tree::Block::Quote { blocks, .. } => blocks.iter().for_each(|block| gather_code(block, found)),
        tree::Block::List { items, .. } => {
            items.iter().flat_map(|item| &item.blocks).for_each(|block| gather_code(block, found));
        }
        tree::Block::Heading { .. }
        | tree::Block::Paragraph(_)
        | tree::Block::Words(_)
        | tree::Block::Table(_)
        | tree::Block::Rule
        | tree::Block::Plain(_) => {}
    }
}

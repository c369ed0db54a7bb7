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
//! The screen enters by [`read`] for a text that is whole, and by [`Growing`](stream::Growing) for one that grows.

mod autolink;
mod delimiters;
pub mod layout;
pub mod page;
pub mod parse;
pub mod stream;
pub mod tree;

use page::Page;

/// The page of a text that is whole.
pub fn read(text: &str) -> Page {
    layout::lay_out(&parse::parse(text))
}

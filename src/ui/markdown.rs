//! Never loads anything that a model wrote, and never writes HTML: nodes are made one by one, from a closed list.
//!
//! Owns how Markdown comes on screen. What is to stand there is decided in `domain::text::markdown`, without a
//! browser; `dom` makes it so, and changes only what differs; `prose` is the component.

pub mod dom;
#[cfg(feature = "csr")]
pub mod prose;

#[cfg(feature = "csr")]
pub use prose::{Prose, Written};

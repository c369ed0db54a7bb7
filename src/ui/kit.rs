//! Building blocks of all screens. They know no record of Nexus.

pub mod base;
pub mod call;
pub mod context;
pub mod control;
pub mod icon;
pub mod lazy_view;
pub mod markup;
pub mod overlay;
pub mod prelude;
pub mod selector;
pub mod signal;
pub mod splitter;
pub mod stored;

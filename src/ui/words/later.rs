//! Never looks anything up.
//!
//! Owns the words for parts of the program that are loaded later.

pub(crate) const LOADING: &str = "One moment…";
pub(crate) const NOT_LOADED: &str = "This screen could not be loaded.";
pub(crate) const NOT_LOADED_ADVICE: &str = "The connection may be gone, or Nexus was renewed while this page was open. Nothing of yours is lost. \
     Try again; if that does not help, load the page again.";
pub(crate) const AGAIN: &str = "Try again";

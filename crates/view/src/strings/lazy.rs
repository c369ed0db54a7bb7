//! Strings of lazily loaded screens.

pub const LOADING: &str = "One moment…";
pub const NOT_LOADED: &str = "This screen could not be loaded.";
pub const NOT_LOADED_ADVICE: &str = "The connection may be gone, or Nexus was renewed while this page was open. Nothing of yours is lost. \
     Try again; if that does not help, load the page again.";
pub const AGAIN: &str = "Try again";

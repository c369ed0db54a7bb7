//! Never names a screen: what lies under which path is the app's.
//!
//! Owns what is read of the page's own address.

use leptos::prelude::*;

/// The path that the built folder lies under, without a slash at its end: empty at the root of a host.
pub fn base_path() -> String {
    // The boot script notes the path it was loaded from: it lies in the same folder as the program.
    let noted = document().document_element().and_then(|page| page.get_attribute("data-base"));
    noted.as_deref().unwrap_or("/").trim_end_matches('/').to_owned()
}

/// Whether the page may write its own history: a sandboxed frame has no origin, and the browser then refuses.
pub fn may_write_history() -> bool {
    window().origin() != "null"
}

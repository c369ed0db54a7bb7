//! Takes a long pasted text before the browser inserts it.

use leptos::ev::ClipboardEvent;

/// The pasted text, where it has at least this many bytes; the browser then does nothing with it. Shorter texts are
/// left to the browser.
pub fn take_if_longer(event: &ClipboardEvent, bytes: usize) -> Option<String> {
    let text = event.clipboard_data()?.get_data("text/plain").ok()?;
    if text.len() <= bytes {
        return None;
    }
    event.prevent_default();
    Some(text)
}

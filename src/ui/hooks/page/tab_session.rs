//! Remembers in this tab which session is in view, so that a reload shows it whatever other tabs opened meanwhile.

use leptos::web_sys::{Storage, window};

use nexus_model::id::SessionId;

/// The name in the tab's `sessionStorage`.
const IN_VIEW: &str = "nexus_tab_session";

/// The tab's own storage; `None` where the browser denies it.
fn storage() -> Option<Storage> {
    window()?.session_storage().ok().flatten()
}

/// Notes the session in view.
pub fn remember(session: SessionId) {
    if let Some(storage) = storage() {
        // Where it is full or denied, a reload shows the session that any tab opened last.
        drop(storage.set_item(IN_VIEW, &session.to_string()));
    }
}

/// The session that this tab showed before it was loaded again.
pub fn recall() -> Option<SessionId> {
    storage()?.get_item(IN_VIEW).ok()??.parse().ok()
}

//! Page-wide state: title, visibility, theme, root attributes, ticks, global keys, and the session that this tab shows.

use std::time::Duration;

use leptos::ev::{self, KeyboardEvent};
use leptos::prelude::*;

use crate::ui::kit::selector::Selector;
use leptos::web_sys::{self, Storage, VisibilityState};

use nexus_model::id::SessionId;

/// Whether the page is hidden: in a tab behind others, or minimised.
pub fn hidden() -> Selector<bool> {
    let is_hidden = || document().visibility_state() == VisibilityState::Hidden;
    let hidden = RwSignal::new(is_hidden());
    let listener = window_event_listener(ev::visibilitychange, move |_| hidden.set(is_hidden()));
    on_cleanup(move || listener.remove());
    hidden.into()
}

/// Keeps the title of the page.
pub fn title(words: impl Fn() -> String + 'static) {
    Effect::new(move |_| document().set_title(&words()));
}

/// Keeps an attribute of the page's root element; leaves it as it is while there is nothing to say.
pub fn root_attribute(name: &'static str, value: Selector<String>) {
    Effect::new(move |_| {
        let value = value.get();
        if let Some(root) = document().document_element().filter(|_| !value.is_empty()) {
            // Both names are ours and valid; a refusal would change nothing but the look.
            drop(root.set_attribute(name, &value));
        }
    });
}

/// Counts up every `every`, as long as `runs`.
pub fn ticks(every: Duration, runs: Selector<bool>) -> Selector<u64> {
    let count = RwSignal::new(0u64);
    Effect::new(move |_| {
        if !runs.get() {
            return;
        }
        let tick = move || count.update(|count| *count = count.wrapping_add(1));
        if let Ok(timer) = set_interval_with_handle(tick, every) {
            on_cleanup(move || timer.clear());
        }
    });
    count.into()
}

/// Hears every key that is pressed anywhere in the page.
pub fn on_key(hear: impl Fn(KeyboardEvent) + 'static) {
    let listener = window_event_listener(ev::keydown, hear);
    on_cleanup(move || listener.remove());
}

/// The time since the page began, in milliseconds and parts of one, for measuring how long something takes.
pub fn milliseconds() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

/// Waits for the next frame, or a moment where the page is hidden and draws none.
pub async fn next_frame() {
    let (done, waits) = futures_channel::oneshot::channel();
    let wake = move || done.send(()).unwrap_or_default();
    if document().visibility_state() == VisibilityState::Hidden {
        set_timeout(wake, Duration::from_millis(16));
    } else {
        request_animation_frame(wake);
    }
    // Only a page that goes away drops the other end.
    waits.await.unwrap_or_default();
}

/// The name in the tab's `sessionStorage`.
const IN_VIEW: &str = "nexus_tab_session";

/// The tab's own storage; `None` where the browser denies it.
fn storage() -> Option<Storage> {
    web_sys::window()?.session_storage().ok().flatten()
}

/// Notes the session in view for this tab, so that a reload shows it whatever other tabs opened meanwhile.
pub fn remember_session(session: SessionId) {
    if let Some(storage) = storage() {
        // Where it is full or denied, a reload shows the session that any tab opened last.
        drop(storage.set_item(IN_VIEW, &session.to_string()));
    }
}

/// Lets the next load show the session that any tab opened last, such as one that was just imported.
pub fn forget_session() {
    if let Some(storage) = storage() {
        drop(storage.remove_item(IN_VIEW));
    }
}

/// The session that this tab showed before it was loaded again.
pub fn recall_session() -> Option<SessionId> {
    storage()?.get_item(IN_VIEW).ok()??.parse().ok()
}

/// Keeps the page in this theme: `dark`, `light` or `auto`. Where it is none of these, the page stays as it is.
pub fn use_theme(theme: Selector<String>) {
    Effect::new(move || {
        let theme = theme.get();
        if let ("dark" | "light" | "auto", Some(page)) = (theme.as_str(), document().document_element())
            && page.set_attribute("data-theme", &theme).is_err()
        {
            leptos::logging::warn!("The theme could not be set.");
        }
    });
}

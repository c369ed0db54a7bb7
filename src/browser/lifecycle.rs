//! Page lifecycle and network events, switches in the page's address, and the request for persistent storage.

use std::rc::Rc;

use futures_util::StreamExt;
use wasm_bindgen_futures::JsFuture;
use web_sys::VisibilityState;

use crate::browser::js;
use crate::browser::js::Listener;
use nexus_engine::bus::Bus;
use nexus_model::event::Topic;

/// Event listeners, removed on drop.
pub struct Listeners {
    _listeners: Vec<Listener>,
}

/// Calls `handler` when the page is hidden or closes. `handler` must finish synchronously: the page may not run again.
pub fn on_hidden(handler: impl Fn() + 'static) -> Listeners {
    let handler = Rc::new(handler);
    let mut listeners = Vec::new();
    if let Some(window) = web_sys::window() {
        let on_leave = Rc::clone(&handler);
        listeners.push(Listener::on(&window, "pagehide", move |_| on_leave()));
        if let Some(document) = window.document() {
            let watched = document.clone();
            listeners.push(Listener::on(&document, "visibilitychange", move |_| {
                if watched.visibility_state() == VisibilityState::Hidden {
                    handler();
                }
            }));
        }
    }
    Listeners { _listeners: listeners }
}

/// Calls `handler` when the page resumes from the back/forward cache or from being frozen. It missed the messages of
/// other tabs meanwhile.
pub fn on_restored(handler: impl Fn() + 'static) -> Listeners {
    let handler = Rc::new(handler);
    let mut listeners = Vec::new();
    if let Some(window) = web_sys::window() {
        let on_show = Rc::clone(&handler);
        listeners.push(Listener::on(&window, "pageshow", move |event| {
            if js::property(event.as_ref(), "persisted").is_some_and(|persisted| persisted.is_truthy()) {
                on_show();
            }
        }));
        if let Some(document) = window.document() {
            listeners.push(Listener::on(&document, "resume", move |_| handler()));
        }
    }
    Listeners { _listeners: listeners }
}

/// True if the page is in an iframe or has no origin of its own.
pub fn is_framed() -> bool {
    let Some(window) = web_sys::window() else { return false };
    // A cross-origin parent can still be compared.
    let is_nested = window.parent().ok().flatten().is_none_or(|parent| parent != window);
    let origin = js::property(window.as_ref(), "origin").and_then(|origin| origin.as_string());
    is_nested || origin.as_deref() == Some("null")
}

pub fn safe_mode() -> bool {
    let search = web_sys::window().and_then(|window| window.location().search().ok()).unwrap_or_default();
    search.trim_start_matches('?').split('&').any(|pair| pair == "safe=1")
}

/// Requests persistent storage once the first turn is stored, so that the browser does not evict the store.
///
/// Not at the start: some browsers prompt the operator, who should have something to keep by then. Calls `note` too.
pub fn keep_after_first_turn(bus: &Bus, note: impl FnOnce() + 'static) {
    let mut turns = bus.subscribe(&[Topic::TurnsClosed]);
    wasm_bindgen_futures::spawn_local(async move {
        if turns.next().await.is_none() {
            return;
        }
        drop(turns);
        note();
        let Some(window) = web_sys::window() else { return };
        // Absent outside secure contexts.
        let Some(storage) = js::property(window.navigator().as_ref(), "storage") else { return };
        let Some(persist) = js::method(&storage, "persist") else { return };
        if let Ok(promise) = persist.call0(&storage) {
            // The result does not matter here.
            drop(JsFuture::from(js_sys::Promise::resolve(&promise)).await);
        }
    });
}

//! The page's surroundings: lifecycle and network events, switches in its address, the request for persistent storage;
//! time of day, time zone, timers, background tasks and new ids.
//!
//! Timestamps never order events; sequences do. Ids are unique and ascending, even if the clock goes back.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use futures_channel::oneshot;
use futures_util::StreamExt;
use futures_util::future::{FutureExt, LocalBoxFuture};
use rusty_ulid::Ulid;
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, EventTarget, VisibilityState, Window};

use crate::browser::js;
use crate::browser::js::Listener;
use nexus_engine::bus::Bus;
use nexus_engine::port::{Clock, Spawn};
use nexus_model::event::Topic;
use nexus_model::id::{IdSource, Millis, UlidGenerator};

/// Event listeners, removed on drop.
pub struct Listeners {
    _listeners: Vec<Listener>,
}

impl Listeners {
    fn on(of_window: &'static str, of_document: &'static str, handler: impl Fn(&Event) + 'static) -> Self {
        let handler: Rc<dyn Fn(&Event)> = Rc::new(handler);
        let listen = |target: &EventTarget, event| {
            let handler = Rc::clone(&handler);
            Listener::on(target, event, move |event| handler(&event))
        };
        let window = web_sys::window();
        let document = window.as_ref().and_then(Window::document);
        let on_window = window.map(|window| listen(&window, of_window));
        let on_document = document.map(|document| listen(&document, of_document));
        Self { _listeners: on_window.into_iter().chain(on_document).collect() }
    }
}

/// Calls `handler` when the page is hidden or closes. `handler` must finish synchronously: the page may not run again.
pub fn on_hidden(handler: impl Fn() + 'static) -> Listeners {
    Listeners::on("pagehide", "visibilitychange", move |event| {
        if is_hidden() || event.type_() == "pagehide" {
            handler();
        }
    })
}

pub(super) fn is_hidden() -> bool {
    let document = web_sys::window().and_then(|window| window.document());
    document.is_some_and(|it| it.visibility_state() == VisibilityState::Hidden)
}

/// Calls `handler` when the page resumes from the back/forward cache or from being frozen. It missed the messages of
/// other tabs meanwhile.
pub fn on_restored(handler: impl Fn() + 'static) -> Listeners {
    Listeners::on("pageshow", "resume", move |event| {
        let is_persisted = js::property(event.as_ref(), "persisted").is_some_and(|it| it.is_truthy());
        if is_persisted || event.type_() == "resume" {
            handler();
        }
    })
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
        // The result does not matter here.
        drop(js::storage("persist").await);
    });
}

#[derive(Clone, Copy, Debug, Default)]
pub struct BrowserClock;

impl Clock for BrowserClock {
    fn now(&self) -> Millis {
        Millis(now_ms())
    }

    fn sleep(&self, ms: u64) -> LocalBoxFuture<'static, ()> {
        sleep(ms).boxed_local()
    }
}

/// Milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    // Whole and positive by definition, so the cast is lossless.
    js_sys::Date::now().max(0.0) as u64
}

/// Minutes that local time is behind UTC at this time.
pub fn minutes_behind_utc(at: Millis) -> i32 {
    // A whole number between -840 and 720, so the cast is lossless.
    js_sys::Date::new(&JsValue::from_f64(at.0 as f64)).get_timezone_offset() as i32
}

/// Sleeps from the call on, not from the first poll on. At most 24 days, the maximum of a browser timer.
pub(super) fn sleep(ms: u64) -> Sleep {
    let (wake, woken) = oneshot::channel();
    let callback = Closure::once(move || {
        // The sleep was dropped.
        let _dropped = wake.send(()).is_err();
    });
    let ms = i32::try_from(ms).unwrap_or(i32::MAX);
    let timer = web_sys::window().and_then(|window| {
        window
            .set_timeout_with_callback_and_timeout_and_arguments_0(callback.as_ref().unchecked_ref(), ms)
            .ok()
    });
    Sleep { timer, woken, _callback: callback }
}

/// A pending sleep; dropping it clears its timer.
pub(super) struct Sleep {
    timer: Option<i32>,
    woken: oneshot::Receiver<()>,
    _callback: Closure<dyn FnMut()>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.timer.is_none() {
            return Poll::Ready(());
        }
        if self.woken.poll_unpin(context).is_pending() {
            return Poll::Pending;
        }
        self.timer = None;
        Poll::Ready(())
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let (Some(timer), Some(window)) = (self.timer.take(), web_sys::window()) {
            window.clear_timeout_with_handle(timer);
        }
    }
}

#[derive(Debug, Default)]
pub struct BrowserIds(UlidGenerator);

impl IdSource for BrowserIds {
    fn next_ulid(&mut self) -> Ulid {
        let mut random = [0; 16];
        // Without randomness the generator still counts up, so this tab's ids stay unique and ordered.
        if getrandom::fill(&mut random).is_err() {
            random = [0; 16];
        }
        self.0.mint(now_ms(), u128::from_le_bytes(random))
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct BrowserSpawn;

impl Spawn for BrowserSpawn {
    fn spawn(&self, work: LocalBoxFuture<'static, ()>) {
        wasm_bindgen_futures::spawn_local(work);
    }
}

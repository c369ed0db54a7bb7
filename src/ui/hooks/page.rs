//! Page-wide state: title, visibility, theme, root attributes, ticks, global keys, the session that this tab shows, the
//! first moment without work, and the version that the service worker has (`public/offline.js`).
//!
//! And the stylesheets of lazily loaded screens, which the page lists as disabled, so that browsers do not fetch them early.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;

use futures_channel::mpsc::unbounded;
use futures_channel::oneshot;
use futures_util::future::{join_all, select};
use futures_util::{FutureExt as _, StreamExt as _};
use js_sys::Reflect;
use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos::wasm_bindgen::prelude::Closure;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use leptos::web_sys::{HtmlLinkElement, Storage, VisibilityState};
use leptos::{ev, web_sys};

use crate::ui::hooks::js_part::call;
use crate::ui::kit::selector::{Effect, Selector};
use crate::ui::kit::signal::RwSignal;
use nexus_model::id::SessionId;

/// Whether the page is hidden: in a tab behind others, or minimised.
pub fn hidden() -> Selector<bool> {
    let is_hidden = || document().visibility_state() == VisibilityState::Hidden;
    let hidden = RwSignal::new(is_hidden());
    let listener = window_event_listener(ev::visibilitychange, move |_| hidden.set(is_hidden()));
    on_cleanup(move || listener.remove());
    hidden.into()
}

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

pub fn on_key(hear: impl Fn(KeyboardEvent) + 'static) {
    let listener = window_event_listener(ev::keydown, hear);
    on_cleanup(move || listener.remove());
}

/// Waits until the visitor presses a key or points at something.
pub async fn first_act() {
    let (heard, mut acts) = unbounded();
    let by_key = heard.clone();
    // Only a page that goes away drops the other end.
    let key = window_event_listener(ev::keydown, move |_| by_key.unbounded_send(()).unwrap_or_default());
    let pointer =
        window_event_listener(ev::pointerdown, move |_| heard.unbounded_send(()).unwrap_or_default());
    acts.next().await;
    key.remove();
    pointer.remove();
}

/// Waits for the next frame, or a moment where the page is hidden and draws none.
pub async fn next_frame() {
    let (done, waits) = oneshot::channel();
    let wake = move || done.send(()).unwrap_or_default();
    if document().visibility_state() == VisibilityState::Hidden {
        set_timeout(wake, Duration::from_millis(16));
    } else {
        request_animation_frame(wake);
    }
    // Only a page that goes away drops the other end.
    waits.await.unwrap_or_default();
}

/// How long the first screen may take until what it shows later is fetched anyway.
const SETTLES: Duration = Duration::from_secs(4);
/// Where the browser tells no quiet moment.
const MOMENT: Duration = Duration::from_millis(300);

thread_local! {
    static IS_SETTLED: Cell<bool> = const { Cell::new(false) };
    static WAITING: RefCell<Vec<oneshot::Sender<()>>> = const { RefCell::new(Vec::new()) };
}

/// Whether the first screen stands and a quiet moment has come since.
pub fn is_settled() -> bool {
    IS_SETTLED.get()
}

/// Waits until the first screen stands and the page has nothing to do: what comes earlier would only delay it.
pub async fn settled() {
    if is_settled() {
        return;
    }
    let (wake, waits) = oneshot::channel();
    WAITING.with_borrow_mut(|waiting| waiting.push(wake));
    // Only a page that goes away drops the other end.
    waits.await.unwrap_or_default();
}

/// Lets those go on who wait for the first quiet moment: the next one after `shown`, or soon where that does not come.
pub async fn settle(shown: impl Future<Output = ()>) {
    let (late, limit) = oneshot::channel::<()>();
    set_timeout(move || late.send(()).unwrap_or_default(), SETTLES);
    select(pin!(shown), limit).await;
    next_frame().await;
    let (idle, waits) = oneshot::channel::<()>();
    let idle = Rc::new(Cell::new(Some(idle)));
    let wake = move || idle.take().map_or((), |idle| idle.send(()).unwrap_or_default());
    request_idle_callback(wake.clone());
    set_timeout(wake, MOMENT);
    waits.await.unwrap_or_default();
    IS_SETTLED.set(true);
    for waiting in WAITING.take() {
        waiting.send(()).unwrap_or_default();
    }
}

/// Whether the connection is slow or paid for by what it carries, as far as the browser tells: then only what is asked for
/// is fetched.
pub fn is_frugal() -> bool {
    let of =
        |object: &JsValue, name: &str| Reflect::get(object, &JsValue::from_str(name)).unwrap_or_default();
    let connection = of(window().navigator().as_ref(), "connection");
    if !connection.is_object() {
        return false;
    }
    let kind = of(&connection, "effectiveType").as_string().unwrap_or_default();
    of(&connection, "saveData").is_truthy() || matches!(kind.as_str(), "slow-2g" | "2g" | "3g")
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

/// What `public/boot.js` offers.
fn boot() -> Option<JsValue> {
    js_sys::Reflect::get(&window(), &JsValue::from_str("__nexus")).ok()
}

/// Whether a newer version waits. The worker is registered in a quiet moment, and not at all on a connection that is slow
/// or metered.
pub fn use_new_version() -> RwSignal<bool> {
    let waits = RwSignal::new(false);
    spawn_local(settled().map(move |()| {
        let Some(boot) = boot().filter(|_| !is_frugal()) else { return };
        // Who asked may be gone by then.
        let announce = Closure::<dyn Fn()>::new(move || {
            waits.try_set(true);
        });
        // Without it everything works but a start without a network.
        drop(call(&boot, "offline", &[announce.into_js_value()]));
    }));
    waits
}

/// Replaces this version by the newer one, and loads the page again.
pub fn take_new_version() {
    drop(boot().and_then(|boot| call(&boot, "takeNewVersion", &[])));
}

/// A part without its sheet is ugly; one that does not come is worse.
const PATIENCE: Duration = Duration::from_secs(3);

/// Switches on the sheets that `index.html` names `data-style="name"`, alone or among others. Ends when they have come, or
/// have not within three seconds: what they would have dressed is shown either way. A sheet that was asked for before
/// counts as come.
pub async fn dress(name: &'static str) {
    let Ok(found) = document().query_selector_all(&format!("link[data-style~=\"{name}\"]")) else { return };
    let sheets = (0..found.length()).filter_map(|index| found.item(index)?.dyn_into().ok());
    join_all(sheets.map(switch_on)).await;
}

async fn switch_on(sheet: HtmlLinkElement) {
    if !sheet.disabled() {
        return;
    }
    let (tell, told) = oneshot::channel::<()>();
    let tell = Rc::new(Cell::new(Some(tell)));
    let end = move || {
        if let Some(tell) = tell.take() {
            // Whoever waited may be gone.
            tell.send(()).unwrap_or_default();
        }
    };
    let came = Closure::<dyn FnMut()>::new(end.clone());
    for event in ["load", "error"] {
        // Both names are valid; what is not heard ends with the patience.
        drop(sheet.add_event_listener_with_callback(event, came.as_ref().unchecked_ref()));
    }
    set_timeout(end, PATIENCE);
    sheet.set_disabled(false);
    told.await.unwrap_or_default();
    for event in ["load", "error"] {
        drop(sheet.remove_event_listener_with_callback(event, came.as_ref().unchecked_ref()));
    }
}

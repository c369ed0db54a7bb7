//! The page as a whole: title, attributes, visibility, idle, global keys, language, lazy styles.
//!
//! Also the session that this tab shows, and the new version of the service worker (`public/offline.js`). The language
//! is what `public/boot.js` fetched. `index.html` lists the stylesheets of lazily loaded screens as disabled, so that
//! browsers do not fetch them early. The input of the static page, which is shown before WASM runs, is taken over.

use std::cell::Cell;
use std::pin::pin;

use futures_channel::oneshot;
use futures_util::FutureExt as _;
use futures_util::future::{join_all, select};
use js_sys::{Array, Function};
use leptos::ev;
use leptos::web_sys::{HtmlElement, HtmlLinkElement, HtmlTextAreaElement, Storage, VisibilityState};

use crate::ui::hooks::address;
use crate::ui::hooks::dom::*;
use crate::ui::hooks::js_part::call;
use crate::ui::hooks::text::selected_range;
use nexus_model::id::SessionId;
use nexus_text::json::number;
use nexus_view::language;
use nexus_view::language::{Format, Language};

/// How many times larger texts are than in a browser without changed settings.
pub fn text_scale() -> f64 {
    let root = document().document_element();
    let style = root.and_then(|root| window().get_computed_style(&root).ok().flatten());
    let size = style.and_then(|style| style.get_property_value("font-size").ok());
    let pixels = size.and_then(|size| number(size.trim_end_matches("px")));
    pixels.filter(|pixels| *pixels > 0.0).unwrap_or(16.0) / 16.0
}

/// True while the page is hidden: in a background tab, or minimised.
pub fn hidden() -> Selector<bool> {
    let is_hidden = || document().visibility_state() == VisibilityState::Hidden;
    let hidden = RwSignal::new(is_hidden());
    on_window(ev::visibilitychange, move |_| hidden.set(is_hidden()));
    hidden.into()
}

pub fn title(words: impl Fn() -> String + 'static) {
    Effect::new(move |_| document().set_title(&words()));
}

/// Sets an attribute of the root element; leaves it as it is while the value is empty.
pub fn root_attribute(name: &'static str, value: Selector<String>) {
    Effect::new(move |_| {
        let value = value.get();
        if let Some(root) = document().document_element().filter(|_| !value.is_empty()) {
            // The names are ours and valid; a failure would affect only the look.
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

pub fn on_key(handler: impl Fn(KeyboardEvent) + 'static) {
    on_window(ev::keydown, handler);
}

/// A function, and a future that waits until it is called or dropped.
pub fn wake_once() -> (impl Fn() + Clone + 'static, impl Future<Output = ()> + Unpin) {
    let (sender, receiver) = oneshot::channel::<()>();
    let sender = Rc::new(Cell::new(Some(sender)));
    // Nobody may wait any more.
    let wake = move || sender.take().map_or((), |sender| sender.send(()).unwrap_or_default());
    (wake, receiver.map(drop))
}

/// Waits until the visitor presses a key or a pointer button.
pub async fn first_input() {
    let (wake, woken) = wake_once();
    let by_key = wake.clone();
    let key = window_event_listener(ev::keydown, move |_| by_key());
    let pointer = window_event_listener(ev::pointerdown, move |_| wake());
    woken.await;
    key.remove();
    pointer.remove();
}

/// Waits for the next frame, or 16 ms while the page is hidden and renders none.
pub async fn next_frame() {
    let (wake, woken) = wake_once();
    if document().visibility_state() == VisibilityState::Hidden {
        set_timeout(wake, Duration::from_millis(16));
    } else {
        request_animation_frame(wake);
    }
    woken.await;
}

/// Calls `act` in the next frame in which nothing is pressed: what moves the page under a pressed pointer takes its
/// click away.
pub fn when_released(act: impl FnOnce() + 'static) {
    spawn_local(async move {
        next_frame().await;
        while document().query_selector(":active").is_ok_and(|pressed| pressed.is_some()) {
            next_frame().await;
        }
        act();
    });
}

/// How long the first screen may take before lazy chunks are fetched anyway.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(4);
/// Idle delay in browsers without idle callbacks.
const IDLE_FALLBACK: Duration = Duration::from_millis(300);

thread_local! {
    static IS_SETTLED: Cell<bool> = const { Cell::new(false) };
    static WAITING: RefCell<Vec<Box<dyn Fn()>>> = const { RefCell::new(Vec::new()) };
}

/// True once the first screen is shown and the page has been idle.
pub fn is_settled() -> bool {
    IS_SETTLED.get()
}

/// Waits until the first screen is shown and the page is idle, so that later chunks do not delay it.
pub async fn settled() {
    if is_settled() {
        return;
    }
    let (wake, woken) = wake_once();
    WAITING.with_borrow_mut(|waiting| waiting.push(Box::new(wake)));
    woken.await;
}

/// Waits for `done`, at most this long, and drops it then: what it waits for must bear that.
pub async fn within(limit: Duration, done: impl Future<Output = ()>) {
    let (wake, is_late) = wake_once();
    set_timeout(wake, limit);
    select(pin!(done), is_late).await;
}

/// Wakes everything that waits for the first idle moment: the next one after `shown`, or soon if that does not
/// complete.
pub async fn settle(shown: impl Future<Output = ()>) {
    within(SETTLE_TIMEOUT, shown).await;
    next_frame().await;
    let (wake, is_idle) = wake_once();
    request_idle_callback(wake.clone());
    set_timeout(wake, IDLE_FALLBACK);
    is_idle.await;
    IS_SETTLED.set(true);
    WAITING.take().iter().for_each(|wake| wake());
}

/// True if the connection is slow or metered, as far as the browser tells: then nothing is fetched ahead.
pub fn is_frugal() -> bool {
    let connection = get(window().navigator().as_ref(), "connection");
    let kind = get(&connection, "effectiveType").as_string().unwrap_or_default();
    get(&connection, "saveData").is_truthy() || matches!(kind.as_str(), "slow-2g" | "2g" | "3g")
}

const IN_VIEW: &str = "nexus_tab_session";

/// The tab's `sessionStorage`; `None` if denied.
fn storage() -> Option<Storage> {
    web_sys::window()?.session_storage().ok().flatten()
}

/// Stores the session in view for this tab, so that a reload shows it whatever other tabs opened meanwhile.
pub fn remember_session(session: SessionId) {
    if let Some(storage) = storage() {
        // If storage is full or denied, a reload shows the session that any tab opened last.
        drop(storage.set_item(IN_VIEW, &session.to_string()));
    }
}

/// The session that this tab showed before its reload.
pub fn recall_session() -> Option<SessionId> {
    storage()?.get_item(IN_VIEW).ok()??.parse().ok()
}

/// The object that `public/boot.js` provides.
fn boot() -> JsValue {
    get(&window(), "__nexus")
}

/// True once a newer version is ready. The service worker is registered when the page is idle, and not on a slow or
/// metered connection.
pub fn use_new_version() -> RwSignal<bool> {
    let is_available = RwSignal::new(false);
    spawn_local(settled().map(move |()| {
        if is_frugal() {
            return;
        }
        // The component may be gone by then.
        let announce = Closure::<dyn Fn()>::new(move || is_available.set(true));
        // Without it only the offline start is missing.
        drop(call(&boot(), "offline", &[announce.into_js_value()]));
    }));
    is_available
}

/// Activates the newer version and reloads the page.
pub fn take_new_version() {
    drop(call(&boot(), "takeNewVersion", &[]));
}

/// Timeout for a stylesheet: an unstyled view is better than none.
const STYLESHEET_TIMEOUT: Duration = Duration::from_secs(3);

/// Enables the stylesheets whose `data-style` in `index.html` contains `name`. Completes when they are loaded, or after
/// three seconds. A stylesheet that was enabled before counts as loaded.
pub async fn load_stylesheets(name: &'static str) {
    let sheets = all(&format!("link[data-style~=\"{name}\"]")).into_iter();
    join_all(sheets.filter_map(|sheet| Some(switch_on(sheet.dyn_into().ok()?)))).await;
}

async fn switch_on(sheet: HtmlLinkElement) {
    if !sheet.disabled() {
        return;
    }
    let (end, loaded) = wake_once();
    let on_loaded = Closure::<dyn Fn()>::new(end.clone());
    for event in ["load", "error"] {
        // Both names are valid; without an event the timeout ends it.
        drop(sheet.add_event_listener_with_callback(event, on_loaded.as_ref().unchecked_ref()));
    }
    set_timeout(end, STYLESHEET_TIMEOUT);
    sheet.set_disabled(false);
    loaded.await;
    for event in ["load", "error"] {
        drop(sheet.remove_event_listener_with_callback(event, on_loaded.as_ref().unchecked_ref()));
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaticShellInput {
    pub text: String,
    /// Its selection, in UTF-16 units.
    pub selection: (u32, u32),
    pub focused: bool,
    /// True if the message was sent there.
    pub sends: bool,
}

/// Shows the start's progress on the static page.
pub fn show_status(words: &str) {
    by_id("boot-status").into_iter().for_each(|line| line.set_text_content(Some(words)));
}

/// Returns what was typed into the static page, and removes it; a picture of the war room stays until the war room that
/// is loaded takes it away.
pub fn take_over_shell(has_war_room: bool) -> StaticShellInput {
    let shell = shell_input().unwrap_or_default();
    if let Some(element) = by_id("shell") {
        // A picture of what is loaded next stays over it, and its field in use until the composer is there (boot.js).
        if has_war_room && element.class_name() == PICTURE {
            element.set_id("");
        } else {
            element.remove();
        }
    }
    shell
}

fn shell_input() -> Option<StaticShellInput> {
    let area = by_id("boot-draft")?.dyn_into::<HtmlTextAreaElement>().ok()?;
    Some(StaticShellInput {
        text: area.value(),
        selection: selected_range(&area).unwrap_or_default(),
        focused: document().active_element().is_some_and(|active| active == *area.unchecked_ref()),
        sends: area.has_attribute("data-sends"),
    })
}

/// Ends the use of the picture's field, and returns its last input.
pub fn leave_shell() -> Option<StaticShellInput> {
    let picture = document().get_elements_by_class_name(PICTURE).item(0)?;
    let input = shell_input();
    // A browser without `inert` removes the picture soon.
    picture.set_attribute("inert", "").unwrap_or_default();
    input
}

/// The class of the static page that shows the war room as it was left.
const PICTURE: &str = "picture";

/// Takes away the war room as it was left, since the program shows what is.
pub fn remove_picture() {
    let shown = document().get_elements_by_class_name(PICTURE).item(0);
    shown.map(|picture| picture.remove()).unwrap_or_default();
}

/// The element to mount the program in: `#app`, else the body.
pub fn shell_place() -> Option<HtmlElement> {
    by_id("app").or_else(|| document().body())
}

/// Polling interval for the choice to reach localStorage.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
const MOST_POLLS: u32 = 40;

/// Applies the fetched language, if any.
pub fn choose_language() {
    let own = get(&boot(), "language");
    let (words, write) = (get(&own, "words").as_string(), get(&own, "format").dyn_into::<Function>());
    let (Some(words), Ok(write)) = (words, write) else { return };
    if let Some(language) = Language::read(&words, Box::new(move |what| format_by(&write, what))) {
        language::choose(language);
    }
}

/// Formats a value with the function of boot.js; `None` if that fails.
fn format_by(write: &Function, what: Format<'_>) -> Option<String> {
    let (kind, value, digits) = match what {
        Format::Plural(number) => ("plural", JsValue::from_f64(number as f64), 0),
        Format::Number(number, digits) => ("number", JsValue::from_f64(number), digits),
        Format::Money(dollars) => ("money", JsValue::from_f64(dollars), 0),
        Format::Day(day) => ("day", JsValue::from_f64(day as f64), 0),
        Format::Time(minutes) => ("time", JsValue::from_f64(f64::from(minutes)), 0),
        Format::List(names) => ("list", names.iter().map(JsValue::from).collect::<Array>().into(), 0),
    };
    let format = write.call3(&JsValue::UNDEFINED, &kind.into(), &value, &f64::from(digits).into());
    format.ok()?.as_string()
}

/// The languages of this build: tags and names, English first.
pub fn languages() -> Vec<(String, String)> {
    let list = get(&boot(), "languages").dyn_into::<Array>().unwrap_or_default();
    let others =
        list.iter().filter_map(|one| Some((get(&one, "tag").as_string()?, get(&one, "name").as_string()?)));
    std::iter::once(("en".to_owned(), "English".to_owned())).chain(others).collect()
}

/// Reloads the page once localStorage has this language; empty means the browser's.
pub fn reload_in(tag: String) {
    reload_when_stored(tag, MOST_POLLS);
}

fn reload_when_stored(tag: String, polls_left: u32) {
    let stored = window().local_storage().ok().flatten();
    let stored = stored.and_then(|storage| storage.get_item("nexus_boot").ok().flatten()).unwrap_or_default();
    let boot = serde_json::from_str::<serde_json::Value>(&stored).unwrap_or_default();
    if polls_left == 0 || boot.get("language").and_then(|boot| boot.as_str()).unwrap_or_default() == tag {
        return address::reload();
    }
    set_timeout(move || reload_when_stored(tag, polls_left - 1), POLL_INTERVAL);
}

//! The whole page, mounted in the document of the tests on an engine with scripted answers and a clock that only the
//! test moves.
//!
//! It is used as a person uses it: by what is visible, by clicks and by keys. Selectors are those of the flows. There
//! are no stylesheets.

use std::cell::RefCell;
use std::future::ready;
use std::rc::Rc;

use futures_channel::mpsc::unbounded;
use leptos::mount::mount_to_renderer;
use leptos::prelude::document;
use leptos::web_sys::{
    Event, EventInit, HtmlElement, HtmlInputElement, HtmlSelectElement, HtmlTextAreaElement,
};
use nexus::browser::checks::FrameCheckRunner;
use nexus::browser::file_system::BrowserFileSystem;
use nexus::ui::hooks::files::MakeFileSystem;
use nexus::ui::hooks::js_part::MakeVoice;
use nexus::ui::hooks::page::StaticShellInput;
use nexus::ui::{LocalTime, StorageStatus, UiConfig};
use nexus_engine::backup::{BackupClient, BackupModule, BackupService};
use nexus_engine::checks;
use nexus_engine::demo::MODEL as DEMO_MODEL;
use nexus_engine::lazy::ChunkLoadError;
use nexus_engine::lazy::loader::BuiltInEngine;
use nexus_engine::port::FileSystem;
use nexus_engine::queries::EventQueries;
use nexus_engine::tests::{Scripted, Tab, says, tab};
use nexus_model::command::Command;
use nexus_model::settings::schema::FIRST_START_DONE;
use serde_json::{Value, json};
use wasm_bindgen::{JsCast as _, JsValue};

use crate::e2e::selectors::*;
use crate::script_promise;

/// How often a wait looks, every [`TICK_MS`].
const LOOKS: u32 = 600;
const TICK_MS: u32 = 5;

/// The page until dropped, and the tab whose engine it shows.
pub(crate) struct MountedPage {
    pub(crate) tab: Tab,
    root: HtmlElement,
}

thread_local! {
    /// Removes the mounted page. A test that failed has not dropped its own.
    static UNMOUNT: RefCell<Option<Box<dyn FnOnce()>>> = const { RefCell::new(None) };
}

fn unmount() {
    if let Some(unmount) = UNMOUNT.take() {
        unmount();
    }
}

/// Cancels page loads, which would end all tests without a word: the test that caused one waits for its screen and
/// fails.
fn keep_document() {
    crate::script(
        "window.keptDocument ||= (navigation.addEventListener('navigate', (event) => {
            if (event.destination.sameDocument || event.downloadRequest !== null) return;
            event.preventDefault();
            console.error(`a page load was cancelled: ${event.destination.url}`);
        }), true)",
    );
}

impl MountedPage {
    /// Opens the war room of a device on which every agent uses Gemini with a key.
    pub(crate) async fn open(script: impl FnMut(&str, &Value) -> Scripted + 'static) -> Self {
        let tab = tab(script);
        for (name, value) in [("first_start_done", json!(true)), ("operator_name", json!("Ada"))] {
            tab.send(Command::ChangeSetting { name: name.to_owned(), value }).unwrap();
        }
        Self::of(tab).await
    }

    /// Opens the first start of an empty device, on which every agent uses the demo.
    pub(crate) async fn first_start() -> Self {
        let tab = tab(|_, _| says("never asked"));
        tab.use_model("rehearsal", DEMO_MODEL);
        Self::of(tab).await
    }

    /// Mounts the page on the engine of this tab: the war room, or the first start.
    pub(crate) async fn of(tab: Tab) -> Self {
        let is_set_up = tab.world().value(FIRST_START_DONE);
        let page = Self::at(tab, "/").await;
        page.see(if is_set_up { WAR_ROOM } else { FIRST_START }).await;
        page
    }

    /// Mounts the page with this path and query in its address.
    pub(crate) async fn at(tab: Tab, address: &str) -> Self {
        Self::stored(tab, address, StorageStatus::Device).await
    }

    /// Like `at`, where the browser stores the data like this.
    pub(crate) async fn stored(tab: Tab, address: &str, storage: StorageStatus) -> Self {
        unmount();
        keep_document();
        crate::script(&format!("history.replaceState(null, '', '{address}')"));
        let root: HtmlElement = document().create_element("div").unwrap().unchecked_into();
        document().body().unwrap().append_child(&root).unwrap();
        let config = UiConfig { storage, ..config(&tab) };
        let handle =
            mount_to_renderer(&root.clone(), move || nexus::ui::app(config, StaticShellInput::default()));
        nexus::ui::hooks::page::settle(ready(())).await;
        let place = root.clone();
        UNMOUNT.set(Some(Box::new(move || {
            drop(handle);
            place.remove();
            crate::script("history.replaceState(null, '', '/')");
        })));
        Self { tab, root }
    }

    /// Runs what is ready, in the engine and in the page.
    pub(crate) async fn settle(&self) {
        self.tab.settle();
        script_promise(&format!("new Promise((done) => setTimeout(done, {TICK_MS}))")).await;
        self.tab.settle();
    }

    /// Waits for a condition that `what` names.
    pub(crate) async fn until(&self, what: &str, condition: impl Fn() -> bool) {
        for _ in 0..LOOKS {
            if condition() {
                return;
            }
            self.settle().await;
        }
        panic!("timeout: {what}; the page shows: {}", self.root.inner_text());
    }

    /// All matches, in document order.
    pub(crate) fn all(&self, selector: impl Into<Selector>) -> Vec<HtmlElement> {
        let found = self.root.query_selector_all(selector.into().as_str()).unwrap();
        (0..found.length()).map(|at| found.item(at).unwrap().unchecked_into()).collect()
    }

    pub(crate) fn count(&self, selector: impl Into<Selector>) -> usize {
        self.all(selector).len()
    }

    /// Waits for a visible match and returns the first one. Reveals a collapsed section of the settings, as the
    /// browser's own search does.
    pub(crate) async fn see(&self, selector: impl Into<Selector>) -> HtmlElement {
        let selector = selector.into();
        let visible = || {
            let all = self.all(selector.clone());
            let visible = all.iter().find(|element| is_visible(element)).cloned();
            if visible.is_none() {
                all.first().into_iter().for_each(reveal);
            }
            visible
        };
        self.until(&format!("{selector} to show"), || visible().is_some()).await;
        visible().unwrap()
    }

    /// Waits until no match is visible.
    pub(crate) async fn hidden(&self, selector: impl Into<Selector>) {
        let selector = selector.into();
        let is_hidden = || !self.all(selector.clone()).iter().any(is_visible);
        self.until(&format!("{selector} to be hidden"), is_hidden).await;
    }

    pub(crate) async fn see_count(&self, selector: impl Into<Selector>, count: usize) {
        let selector = selector.into();
        let what = format!("{count} of {selector}");
        self.until(&what, || self.count(selector.clone()) == count).await;
    }

    /// Waits until a match has this text.
    pub(crate) async fn see_text(&self, selector: impl Into<Selector>, words: &str) {
        let selector = selector.into();
        let what = format!("{words:?} in {selector}");
        self.until(&what, || self.texts(selector.clone()).iter().any(|text| text.contains(words))).await;
    }

    /// Texts of all matches, of fields their values.
    pub(crate) fn texts(&self, selector: impl Into<Selector>) -> Vec<String> {
        self.all(selector).iter().map(text_of).collect()
    }

    /// Waits for a match and returns the text of the first one.
    pub(crate) async fn text(&self, selector: impl Into<Selector>) -> String {
        text_of(&self.see(selector).await)
    }

    /// Values of an attribute of all matches that have it.
    pub(crate) fn attributes(&self, selector: impl Into<Selector>, name: &str) -> Vec<String> {
        self.all(selector).iter().filter_map(|element| element.get_attribute(name)).collect()
    }

    /// Clicks the first visible match.
    pub(crate) async fn click(&self, selector: impl Into<Selector>) {
        let selector = selector.into();
        let element = self.see(selector.clone()).await;
        let is_enabled = || !element.has_attribute("disabled");
        self.until(&format!("{selector} to be enabled"), is_enabled).await;
        element.focus().unwrap();
        element.click();
        self.settle().await;
    }

    /// Replaces the content of a field, with an `input` event.
    pub(crate) async fn fill(&self, selector: impl Into<Selector>, text: &str) {
        let element = self.see(selector).await;
        element.focus().unwrap();
        match element.dyn_ref::<HtmlInputElement>() {
            Some(input) => input.set_value(text),
            None => element.unchecked_ref::<HtmlTextAreaElement>().set_value(text),
        }
        dispatch(&element, "input");
        self.settle().await;
    }

    /// [`Self::fill`], then leaves the field.
    pub(crate) async fn enter(&self, selector: impl Into<Selector>, text: &str) {
        let selector = selector.into();
        self.fill(selector.clone(), text).await;
        let element = self.see(selector).await;
        dispatch(&element, "change");
        element.blur().unwrap();
        self.settle().await;
    }

    /// Selects the option with this value.
    pub(crate) async fn choose(&self, selector: impl Into<Selector>, value: &str) {
        let selector = selector.into();
        let option = format!("{selector} option[value=\"{value}\"]");
        self.until(&option, || self.count(Selector::css(&option)) > 0).await;
        let element = self.see(selector).await;
        element.unchecked_ref::<HtmlSelectElement>().set_value(value);
        dispatch(&element, "input");
        dispatch(&element, "change");
        self.settle().await;
    }

    /// Presses a key on the focused element, such as `Escape` or `Control+k`. What a browser does by itself after a
    /// key is done for these: Escape closes a dialog or menu, Enter clicks a button, a link or the submit button of a
    /// field's form. Tab moves nothing.
    pub(crate) async fn press(&self, keys: &str) {
        let press = js_sys::Function::new_with_args(
            "keys",
            "const key = keys.split('+').at(-1);
            const held = (name) => keys.startsWith(`${name}+`) || keys.includes(`+${name}+`);
            const target = document.activeElement ?? document.body;
            const happens = (kind) => target.dispatchEvent(new KeyboardEvent(kind, {
                key, code: /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : key, bubbles: true, cancelable: true,
                ctrlKey: held('Control'), shiftKey: held('Shift'), altKey: held('Alt'),
            }));
            if (happens('keydown')) {
                if (key === 'Escape') {
                    const top = [...document.querySelectorAll('dialog:modal, :popover-open')].at(-1);
                    top?.matches(':popover-open') ? top.hidePopover() : top?.requestClose();
                }
                if (key === 'Enter' && target.matches('button, a')) target.click();
                if (key === 'Enter' && target.matches('input')) {
                    target.form?.querySelector('button:not([type=button])')?.click();
                }
            }
            happens('keyup');",
        );
        press.call1(&JsValue::NULL, &keys.into()).unwrap();
        self.settle().await;
    }

    /// The `data-testid` of the focused element; empty if it has none.
    pub(crate) fn focused(&self) -> String {
        let focused = document().active_element();
        focused.and_then(|element| element.get_attribute("data-testid")).unwrap_or_default()
    }

    /// Sends a message to `ALL` or to an agent by key.
    pub(crate) async fn send_to(&self, target: &str, text: &str) {
        self.choose(TARGET_SELECT, target).await;
        self.see(Selector::css(".composer-box[data-sending=false]")).await;
        self.fill(COMPOSER, text).await;
        self.click(SEND).await;
    }

    /// Sends a message, and waits until an answer has this text and no run is active.
    pub(crate) async fn ask(&self, agent: &str, text: &str, answer: &str) {
        self.send_to(agent, text).await;
        self.see_text(answers_of(agent), answer).await;
        self.idle().await;
    }

    /// Waits until no run is active.
    pub(crate) async fn idle(&self) {
        self.hidden(STOP).await;
        self.hidden(RUN_STATE.with("data-state", "running")).await;
    }

    /// Follows a link to an address of the page.
    pub(crate) async fn goto(&self, address: &str) {
        nexus::ui::hooks::address::follow(address);
        self.settle().await;
    }

    /// Closes the page without notice, and opens it again on the same device.
    pub(crate) async fn reload(self, script: impl FnMut(&str, &Value) -> Scripted + 'static) -> Self {
        self.tab.kill();
        let tab = self.tab.restarted(script);
        drop(self);
        let page = Self::of(tab).await;
        // As in the program, the page is there when the session restores its drafts.
        page.tab.open().unwrap();
        page.settle().await;
        page
    }

    /// Opens the settings by the link in the war room.
    pub(crate) async fn open_settings(&self) {
        self.click(OPEN_SETTINGS).await;
        self.see(SETTINGS).await;
    }

    /// Returns to the screen before.
    pub(crate) async fn back(&self) {
        crate::script("history.back()");
        self.settle().await;
    }

    /// Unfolds the details that contain the first match.
    pub(crate) fn unfold(&self, selector: impl Into<Selector>) {
        for element in self.all(selector).into_iter().take(1) {
            element.closest("details").unwrap().unwrap().set_attribute("open", "").unwrap();
        }
    }

    /// Waits until the focused element matches.
    pub(crate) async fn has_focus(&self, selector: impl Into<Selector>) {
        let selector = selector.into();
        let is_focused = || {
            let focused = document().active_element();
            focused.is_some_and(|element| element.matches(selector.as_str()).unwrap())
        };
        self.until(&format!("{selector} to have the focus"), is_focused).await;
    }

    /// The text that a person sees.
    pub(crate) fn visible_text(&self) -> String {
        self.root.inner_text()
    }

    /// Waits until a JavaScript expression is true.
    pub(crate) async fn script_is_true(&self, expression: &str) {
        self.until(expression, || crate::script(expression).is_truthy()).await;
    }

    /// Runs the action of this name, found by these words in the palette.
    pub(crate) async fn run_action(&self, words: &str, action: &str) {
        self.press("Control+k").await;
        self.fill(PALETTE_INPUT, words).await;
        self.see(PALETTE_ROW.with("data-action", action).with("aria-selected", "true")).await;
        self.press("Enter").await;
        self.hidden(PALETTE).await;
    }

    /// Drops files onto the page: name, media type, and bytes of each.
    pub(crate) async fn drop_files(&self, files: &[(&str, &str, &[u8])]) {
        let is_taken = run(
            "const data = new DataTransfer();
            for (const [name, type, bytes] of files) data.items.add(new File([bytes], name, { type }));
            const options = { dataTransfer: data, bubbles: true, cancelable: true };
            const happens = (kind) => document.body.dispatchEvent(new DragEvent(kind, options));
            return !happens('dragover') && !happens('drop');",
            &[("files", file_list(files))],
        );
        assert!(is_taken.is_truthy(), "the browser would open the files in the page's place");
        self.settle().await;
    }

    /// Fills a field for files as a picker does: name, media type, and bytes of each. A name with folders is the path
    /// below the picked one.
    pub(crate) async fn pick(&self, field: impl Into<Selector>, files: &[(&str, &str, &[u8])]) {
        let field = field.into();
        self.until(&format!("{field}"), || self.count(field.clone()) > 0).await;
        run(
            "const data = new DataTransfer();
            for (const [path, type, bytes] of files) {
                const file = new File([bytes], path.split('/').at(-1), { type });
                if (path.includes('/')) Object.defineProperty(file, 'webkitRelativePath', { value: path });
                data.items.add(file);
            }
            field.files = data.files;
            field.dispatchEvent(new Event('change', { bubbles: true }));",
            &[("files", file_list(files)), ("field", self.all(field).swap_remove(0).into())],
        );
        self.settle().await;
    }

    /// Chooses a file with this text in a field for files.
    pub(crate) async fn choose_file(&self, field: impl Into<Selector>, name: &str, text: &str) {
        self.pick(field, &[(name, "", text.as_bytes())]).await;
    }

    /// Pastes a text into the composer; true if the page leaves that to the browser, which does nothing.
    pub(crate) async fn paste(&self, text: &str) -> bool {
        let composer = self.see(COMPOSER).await;
        composer.focus().unwrap();
        let is_left = run(
            "const clipboardData = new DataTransfer();
            clipboardData.setData('text/plain', text);
            return field.dispatchEvent(new ClipboardEvent('paste',
                { clipboardData, bubbles: true, cancelable: true }));",
            &[("text", text.into()), ("field", composer.into())],
        );
        self.settle().await;
        is_left.is_truthy()
    }

    /// The text of a download that a click starts.
    pub(crate) async fn download_text(&self, selector: impl Into<Selector>) -> String {
        String::from_utf8(self.download(selector).await.1).unwrap()
    }

    /// Clicks the first visible match, and returns name and bytes of the download that this starts.
    pub(crate) async fn download(&self, selector: impl Into<Selector>) -> (String, Vec<u8>) {
        crate::script(
            "window.click_of_link ??= HTMLAnchorElement.prototype.click;
            window.downloaded = null;
            HTMLAnchorElement.prototype.click = function () {
                if (!this.download) return window.click_of_link.call(this);
                const name = this.download;
                fetch(this.href).then((answer) => answer.arrayBuffer())
                    .then((bytes) => { window.downloaded = [name, bytes]; });
            };",
        );
        self.click(selector).await;
        self.until("the download", || crate::script("window.downloaded !== null").is_truthy()).await;
        crate::script("HTMLAnchorElement.prototype.click = window.click_of_link");
        let found: js_sys::Array = crate::script("window.downloaded").unchecked_into();
        (found.get(0).as_string().unwrap(), js_sys::Uint8Array::new(&found.get(1)).to_vec())
    }
}

impl Drop for MountedPage {
    fn drop(&mut self) {
        unmount();
    }
}

pub(crate) fn config(tab: &Tab) -> UiConfig {
    let running = &tab.running;
    let data = BackupClient {
        ports: tab.ports.clone(),
        load: Rc::new(|| {
            let device = nexus::browser::storage_admin::device;
            Box::pin(ready(Ok(BackupModule { device, start: BackupService::start })))
        }),
        handle: running.handle.clone(),
        bus: Rc::clone(&running.bus),
        world: Rc::clone(&running.world),
        is_persistent: true,
        version: "test",
    };
    let parts = Rc::new(BuiltInEngine::default());
    UiConfig {
        handle: running.handle.clone(),
        world: Rc::clone(&running.world),
        bus: Rc::clone(&running.bus),
        records: EventQueries::new(Rc::clone(&tab.ports.store), parts, Rc::clone(&running.bus)),
        clock: Rc::clone(&tab.ports.clock),
        ids: Rc::clone(&tab.ports.ids),
        local_time: LocalTime::default(),
        storage: StorageStatus::Device,
        is_cleared: false,
        is_safe_mode: false,
        data,
        past_errors: Vec::new(),
        focus: tab.session,
        disk: || Box::pin(ready(Ok(browser_files as MakeFileSystem))),
        voice: || Box::pin(ready(Ok(nexus::browser::speech::ports as MakeVoice))),
        checks: || Box::pin(ready(Ok(checks::by(Rc::new(FrameCheckRunner))))),
        terminals: Rc::new(|| Box::pin(ready(Err(ChunkLoadError)))),
        store_news: unbounded().1,
    }
}

fn browser_files() -> Rc<dyn FileSystem> {
    Rc::new(BrowserFileSystem::default())
}

/// Answers each agent with its next answer; panics if it has none.
pub(crate) fn queued(mut answers: Vec<(&'static str, Scripted)>) -> impl FnMut(&str, &Value) -> Scripted {
    move |agent, _| {
        let next = answers.iter().position(|(name, _)| *name == agent);
        answers.remove(next.unwrap_or_else(|| panic!("no answer is left for {agent}"))).1
    }
}

/// Frames get their documents from `public/`, which the server of the tests serves, until it is dropped. Create it after
/// the page is mounted, whose address is not below that folder.
pub(crate) struct ServedDocuments;

impl ServedDocuments {
    pub(crate) fn new() -> Self {
        Self::of("/public/")
    }

    pub(crate) fn of(folder: &str) -> Self {
        crate::script(&format!("document.documentElement.setAttribute('data-base', '{folder}')"));
        Self
    }
}

impl Drop for ServedDocuments {
    fn drop(&mut self) {
        crate::script("document.documentElement.removeAttribute('data-base')");
    }
}

/// Runs a script on these values.
fn run(script: &str, values: &[(&str, JsValue)]) -> JsValue {
    let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
    let values: js_sys::Array = values.iter().map(|(_, value)| value).collect();
    let function = js_sys::Function::new_with_args(&names.join(","), script);
    function.apply(&JsValue::NULL, &values).unwrap()
}

/// Files as lists of name, media type and bytes.
fn file_list(files: &[(&str, &str, &[u8])]) -> JsValue {
    let file = |(name, mime, bytes): &(&str, &str, &[u8])| {
        js_sys::Array::of3(&(*name).into(), &(*mime).into(), &js_sys::Uint8Array::from(*bytes))
    };
    files.iter().map(file).collect::<js_sys::Array>().into()
}

fn dispatch(element: &HtmlElement, kind: &str) {
    let init = EventInit::new();
    init.set_bubbles(true);
    element.dispatch_event(&Event::new_with_event_init_dict(kind, &init).unwrap()).unwrap();
}

fn is_visible(element: &HtmlElement) -> bool {
    let check = js_sys::Reflect::get(element, &"checkVisibility".into()).unwrap();
    check.unchecked_ref::<js_sys::Function>().call0(element).unwrap().is_truthy()
}

fn reveal(element: &HtmlElement) {
    if let Some(section) = element.closest("[data-reveals]").unwrap() {
        dispatch(section.unchecked_ref(), "beforematch");
    }
}

fn text_of(element: &HtmlElement) -> String {
    let value = js_sys::Reflect::get(element, &"value".into()).ok().and_then(|value| value.as_string());
    value
        .filter(|_| !element.matches("button").unwrap_or_default())
        .unwrap_or_else(|| element.text_content().unwrap_or_default())
}

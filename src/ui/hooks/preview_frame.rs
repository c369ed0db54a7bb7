//! The sandboxed iframe in which agents' pages run: hands the page over, receives its messages, detects hangs.
//!
//! The frame has no origin. The iframe's sandbox and the policy of `public/preview.html` isolate the page; its messages
//! are untrusted data. The policy's own sandbox and `Connection-Allowlist`, which closes WebRTC, work only as headers
//! and in a Chromium that enforces them; elsewhere scripts wait for a click.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use leptos::ev;
use leptos::html::Iframe;
use leptos::prelude::*;
use leptos::wasm_bindgen::closure::Closure;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use leptos::web_sys::{Headers, MessageEvent, MessagePort, Response, VisibilityState};
use send_wrapper::SendWrapper;
use wasm_bindgen_futures::JsFuture;

use crate::ui::hooks::address::base_path;
use crate::ui::hooks::js_part::{call, put};
use crate::ui::hooks::pointer::milliseconds;
use nexus_model::limits::{PREVIEW_ASK_MS, PREVIEW_COMING_MS, PREVIEW_MESSAGES, PREVIEW_SILENCE_MS};

/// The first Chromium that holds pages to the header below.
const ENFORCED_SINCE: f64 = 152.0;
/// What the document says when it stands.
const READY: &str = "nexus-preview";

/// How well a page is closed in here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameIsolation {
    /// Nothing can leave.
    In,
    /// The host does not send the headers.
    NoHeaders,
    /// The browser is not known to follow them.
    OtherBrowser,
}

pub enum FrameEvent {
    /// A line of its console: the tone, the words.
    Line(String, String),
    Loaded,
    /// A link was followed that leads to another page.
    Link(String),
    /// It is scrolled to here.
    At(f64, f64),
    /// It gives no sign of life.
    Silent,
    /// It sends messages without an end.
    Flood,
    /// Its document was loaded again.
    Left,
    /// Its document did not come.
    Absent,
}

pub struct FrameContent {
    /// `page` or `picture`.
    pub kind: &'static str,
    pub name: String,
    pub text: String,
    /// The files that it can fetch, as JSON: text by name. Empty where it fetches none.
    pub files: Arc<str>,
    pub scripts: bool,
    /// Where it was scrolled to before.
    pub at: (f64, f64),
}

/// The address of the document that pages run in.
pub fn frame_address() -> String {
    format!("{}/preview.html", base_path())
}

/// Looks how well a page would be closed in.
pub async fn closed() -> FrameIsolation {
    let Some(headers) = headers().await else { return FrameIsolation::NoHeaders };
    let has = |name: &str, words: &[&str]| {
        let value = headers.get(name).ok().flatten().unwrap_or_default();
        words.iter().all(|word| value.contains(word))
    };
    if !has("content-security-policy", &["sandbox allow-scripts", "default-src 'none'"])
        || !has("connection-allowlist", &["webrtc=block"])
    {
        return FrameIsolation::NoHeaders;
    }
    if chromium().is_some_and(|version| version >= ENFORCED_SINCE) {
        FrameIsolation::In
    } else {
        FrameIsolation::OtherBrowser
    }
}

/// What the host sends with the document.
async fn headers() -> Option<Headers> {
    let options = js_sys::Object::new();
    put(&options, "method", &JsValue::from_str("HEAD"));
    let asked = call(&window(), "fetch", &[frame_address().into(), options.into()])?;
    let response = JsFuture::from(asked.dyn_into::<js_sys::Promise>().ok()?).await.ok()?;
    response.dyn_into::<Response>().ok().map(|response| response.headers())
}

/// The version of the browser, where it is a Chromium and says so.
fn chromium() -> Option<f64> {
    let get = |object: &JsValue, name: &str| js_sys::Reflect::get(object, &JsValue::from_str(name)).ok();
    let agent = get(window().navigator().as_ref(), "userAgentData").filter(|data| data.is_object())?;
    let brands: js_sys::Array = get(&agent, "brands")?.dyn_into().ok()?;
    let chromium = brands.iter().find(|brand| {
        get(brand, "brand").and_then(|name| name.as_string()).is_some_and(|name| name == "Chromium")
    })?;
    get(&chromium, "version")?.as_string()?.parse().ok()
}

struct FrameLink<H> {
    hear: H,
    port: RefCell<Option<MessagePort>>,
    /// When it was asked for a sign of life that has not come.
    asked_at: Cell<Option<f64>>,
    looked_at: Cell<f64>,
    began_at: f64,
    messages: Cell<u32>,
    is_over: Cell<bool>,
}

impl<H: Fn(FrameEvent)> FrameLink<H> {
    fn end(&self, heard: FrameEvent) {
        if !self.is_over.replace(true) {
            (self.hear)(heard);
        }
    }

    /// Counts a message; `false` where there are too many.
    fn counts(&self) -> bool {
        self.messages.set(self.messages.get().saturating_add(1));
        let few = self.messages.get() <= PREVIEW_MESSAGES;
        if !few {
            self.end(FrameEvent::Flood);
        }
        few && !self.is_over.get()
    }

    fn told(&self, data: &JsValue) {
        if !self.counts() {
            return;
        }
        let get = |name: &str| js_sys::Reflect::get(data, &JsValue::from_str(name)).ok();
        let text = |name: &str| get(name).and_then(|value| value.as_string()).unwrap_or_default();
        let number = |name: &str| get(name).and_then(|value| value.as_f64()).unwrap_or_default();
        match text("kind").as_str() {
            "alive" => {
                self.asked_at.set(None);
                (self.hear)(FrameEvent::At(number("x"), number("y")));
            }
            "line" => (self.hear)(FrameEvent::Line(text("tone"), text("text"))),
            "loaded" => (self.hear)(FrameEvent::Loaded),
            "link" => (self.hear)(FrameEvent::Link(text("address"))),
            _ => {}
        }
    }

    /// Asks for a sign of life, or gives up.
    fn look(&self) {
        let now = milliseconds();
        let waited = now - self.looked_at.replace(now);
        self.messages.set(0);
        if self.is_over.get() {
            return;
        }
        let Some(port) = self.port.borrow().clone() else {
            if now - self.began_at > PREVIEW_COMING_MS as f64 {
                self.end(FrameEvent::Absent);
            }
            return;
        };
        // Where this page itself was held up or is hidden, an answer may wait in the queue.
        let is_late = waited > 2.0 * PREVIEW_ASK_MS as f64;
        if is_late || document().visibility_state() == VisibilityState::Hidden {
            self.asked_at.set(None);
        }
        match self.asked_at.get() {
            Some(asked) if now - asked > PREVIEW_SILENCE_MS as f64 => self.end(FrameEvent::Silent),
            Some(_) => {}
            None => {
                let ask = js_sys::Object::new();
                put(&ask, "kind", &JsValue::from_str("ask"));
                // A closed port tells nobody, which is then noticed by the silence.
                drop(port.post_message(&ask));
                self.asked_at.set(Some(now));
            }
        }
    }
}

/// Shows something in a frame whose address is [`frame_address`], and hears it until the component goes.
pub fn use_frame(frame: NodeRef<Iframe>, to_show: FrameContent, hear: impl Fn(FrameEvent) + Copy + 'static) {
    let now = milliseconds();
    let link = Rc::new(FrameLink {
        hear,
        port: RefCell::new(None),
        asked_at: Cell::new(None),
        looked_at: Cell::new(now),
        began_at: now,
        messages: Cell::new(0),
        is_over: Cell::new(false),
    });
    let told = Rc::clone(&link);
    let told = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| told.told(&event.data()));
    let told = Rc::new(told);
    let (ready, on_told) = (Rc::clone(&link), Rc::clone(&told));
    let listener = window_event_listener(ev::message, move |event| {
        let ours = frame.get_untracked().and_then(|frame| frame.content_window());
        let is_ours = match (event.source(), ours) {
            (Some(source), Some(ours)) => js_sys::Object::is(source.as_ref(), ours.as_ref()),
            _ => false,
        };
        if !is_ours || !ready.counts() {
            return;
        }
        let is_ready = event.data().as_string().as_deref() == Some(READY);
        let port = event.ports().get(0).dyn_into::<MessagePort>().ok();
        let (true, Some(port)) = (is_ready, port) else { return };
        if ready.port.borrow().is_some() {
            return ready.end(FrameEvent::Left);
        }
        port.set_onmessage(Some((*on_told).as_ref().unchecked_ref()));
        drop(port.post_message(&message(&to_show)));
        *ready.port.borrow_mut() = Some(port);
    });
    let looking = Rc::clone(&link);
    let timer = set_interval_with_handle(move || looking.look(), Duration::from_millis(PREVIEW_ASK_MS)).ok();
    let held = SendWrapper::new((link, told));
    on_cleanup(move || {
        listener.remove();
        if let Some(timer) = timer {
            timer.clear();
        }
        let (link, _told) = held.take();
        link.is_over.set(true);
        if let Some(port) = link.port.borrow_mut().take() {
            port.set_onmessage(None);
            port.close();
        }
    });
}

fn message(to_show: &FrameContent) -> JsValue {
    let message = js_sys::Object::new();
    let texts =
        [("kind", to_show.kind), ("name", &to_show.name), ("text", &to_show.text), ("files", &to_show.files)];
    for (name, text) in texts {
        put(&message, name, &JsValue::from_str(text));
    }
    put(&message, "scripts", &JsValue::from_bool(to_show.scripts));
    put(&message, "x", &JsValue::from_f64(to_show.at.0));
    put(&message, "y", &JsValue::from_f64(to_show.at.1));
    message.into()
}

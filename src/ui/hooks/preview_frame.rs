//! The sandboxed iframe in which agents' pages run: sends the page, receives its messages, detects hangs.
//!
//! The iframe has no origin. Its sandbox and the policy of `public/preview.html` isolate the page; its messages are
//! untrusted. The policy's own sandbox and `Connection-Allowlist`, which closes WebRTC, work only as headers and in a
//! Chromium that enforces them; elsewhere scripts wait for a click.

use std::cell::Cell;

use leptos::ev;
use leptos::html::Iframe;
use leptos::web_sys::{Headers, MessageEvent, MessagePort, Response, VisibilityState};
use wasm_bindgen_futures::JsFuture;

use crate::ui::hooks::address::base_path;
use crate::ui::hooks::dom::*;
use crate::ui::hooks::events::milliseconds;
use crate::ui::hooks::js_part::{call, put};
use nexus_model::limits::{PREVIEW_LOAD_MS, PREVIEW_MESSAGES, PREVIEW_PING_MS, PREVIEW_SILENCE_MS};

/// The first Chromium that enforces the header below.
const ENFORCED_SINCE: u32 = 152;
/// The document's first message.
const READY: &str = "nexus-preview";

/// How well a page is isolated here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameIsolation {
    /// Fully isolated.
    In,
    /// The host does not send the headers.
    NoHeaders,
    /// The browser is not known to enforce them.
    OtherBrowser,
}

pub enum FrameEvent {
    /// A line of its console: level, text.
    Line(String, String),
    Loaded,
    /// A link to another page was clicked.
    Link(String),
    /// Its scroll position.
    At(f64, f64),
    /// It does not respond.
    Silent,
    /// It sends too many messages.
    Flood,
    Reloaded,
    NotLoaded,
}

pub struct FrameContent {
    /// `page` or `picture`.
    pub kind: &'static str,
    pub name: String,
    pub text: String,
    /// The files that it can fetch, as JSON: text by name. Empty if it fetches none.
    pub files: Arc<str>,
    pub scripts: bool,
    /// The last scroll position.
    pub at: (f64, f64),
}

/// URL of the document that pages run in.
pub fn frame_address() -> String {
    format!("{}/preview.html", base_path())
}

pub async fn isolation() -> FrameIsolation {
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

async fn headers() -> Option<Headers> {
    let options = js_sys::Object::new();
    put(&options, "method", &JsValue::from_str("HEAD"));
    let request = call(&window(), "fetch", &[frame_address().into(), options.into()])?;
    let response = JsFuture::from(request.dyn_into::<js_sys::Promise>().ok()?).await.ok()?;
    response.dyn_into::<Response>().ok().map(|response| response.headers())
}

/// The browser's version, if it is a Chromium and says so.
fn chromium() -> Option<u32> {
    let agent = get(window().navigator().as_ref(), "userAgentData");
    let brands: js_sys::Array = get(&agent, "brands").dyn_into().ok()?;
    let is_chromium =
        |brand: &JsValue| get(brand, "brand").as_string().is_some_and(|name| name == "Chromium");
    let chromium = brands.iter().find(is_chromium)?;
    get(&chromium, "version").as_string()?.parse().ok()
}

struct FrameLink<H> {
    on_event: H,
    port: RefCell<Option<MessagePort>>,
    /// When the pending ping was sent.
    pinged_at: Cell<Option<f64>>,
    checked_at: Cell<f64>,
    started_at: f64,
    messages: Cell<u32>,
    is_over: Cell<bool>,
}

impl<H: Fn(FrameEvent)> FrameLink<H> {
    fn end(&self, event: FrameEvent) {
        if !self.is_over.replace(true) {
            (self.on_event)(event);
        }
    }

    /// Counts a message; `false` if there are too many.
    fn count_message(&self) -> bool {
        self.messages.set(self.messages.get().saturating_add(1));
        let few = self.messages.get() <= PREVIEW_MESSAGES;
        if !few {
            self.end(FrameEvent::Flood);
        }
        few && !self.is_over.get()
    }

    fn receive(&self, data: &JsValue) {
        if !self.count_message() {
            return;
        }
        let text = |name: &str| get(data, name).as_string().unwrap_or_default();
        let number = |name: &str| get(data, name).as_f64().unwrap_or_default();
        match text("kind").as_str() {
            "alive" => {
                self.pinged_at.set(None);
                (self.on_event)(FrameEvent::At(number("x"), number("y")));
            }
            "line" => (self.on_event)(FrameEvent::Line(text("tone"), text("text"))),
            "loaded" => (self.on_event)(FrameEvent::Loaded),
            "link" => (self.on_event)(FrameEvent::Link(text("address"))),
            _ => {}
        }
    }

    /// Sends a ping, or gives up.
    fn check(&self) {
        let now = milliseconds();
        let waited = now - self.checked_at.replace(now);
        self.messages.set(0);
        if self.is_over.get() {
            return;
        }
        let Some(port) = self.port.borrow().clone() else {
            if now - self.started_at > PREVIEW_LOAD_MS as f64 {
                self.end(FrameEvent::NotLoaded);
            }
            return;
        };
        // If this page was blocked or hidden, a reply may still be queued.
        let is_late = waited > 2.0 * PREVIEW_PING_MS as f64;
        if is_late || document().visibility_state() == VisibilityState::Hidden {
            self.pinged_at.set(None);
        }
        match self.pinged_at.get() {
            Some(pinged) if now - pinged > PREVIEW_SILENCE_MS as f64 => self.end(FrameEvent::Silent),
            Some(_) => {}
            None => {
                let ask = js_sys::Object::new();
                put(&ask, "kind", &JsValue::from_str("ask"));
                // A closed port does not throw; the missing reply is noticed.
                drop(port.post_message(&ask));
                self.pinged_at.set(Some(now));
            }
        }
    }
}

/// Shows content in an iframe of [`frame_address`], and passes on its events until the component is gone.
pub fn use_frame(
    frame: NodeRef<Iframe>,
    content: FrameContent,
    on_event: impl Fn(FrameEvent) + Copy + 'static,
) {
    let now = milliseconds();
    let link = Rc::new(FrameLink {
        on_event,
        port: RefCell::new(None),
        pinged_at: Cell::new(None),
        checked_at: Cell::new(now),
        started_at: now,
        messages: Cell::new(0),
        is_over: Cell::new(false),
    });
    let told = Rc::clone(&link);
    let receive = Closure::<dyn FnMut(_)>::new(move |event: MessageEvent| told.receive(&event.data()));
    let receive = Rc::new(receive);
    let (ready, on_told) = (Rc::clone(&link), Rc::clone(&receive));
    on_window(ev::message, move |event| {
        let ours = frame.get_untracked().and_then(|frame| frame.content_window());
        let is_ours = match (event.source(), ours) {
            (Some(source), Some(ours)) => js_sys::Object::is(source.as_ref(), ours.as_ref()),
            _ => false,
        };
        if !is_ours || !ready.count_message() {
            return;
        }
        let is_ready = event.data().as_string().as_deref() == Some(READY);
        let port = event.ports().get(0).dyn_into::<MessagePort>().ok();
        let (true, Some(port)) = (is_ready, port) else { return };
        if ready.port.borrow().is_some() {
            return ready.end(FrameEvent::Reloaded);
        }
        port.set_onmessage(Some((*on_told).as_ref().unchecked_ref()));
        drop(port.post_message(&message(&content)));
        *ready.port.borrow_mut() = Some(port);
    });
    let checking = Rc::clone(&link);
    let timer =
        set_interval_with_handle(move || checking.check(), Duration::from_millis(PREVIEW_PING_MS)).ok();
    let guard = SendWrapper::new((link, receive));
    on_cleanup(move || {
        timer.into_iter().for_each(|timer| timer.clear());
        let (link, _receive) = guard.take();
        link.is_over.set(true);
        if let Some(port) = link.port.borrow_mut().take() {
            port.set_onmessage(None);
            port.close();
        }
    });
}

fn message(content: &FrameContent) -> JsValue {
    let message = js_sys::Object::new();
    let texts =
        [("kind", content.kind), ("name", &content.name), ("text", &content.text), ("files", &content.files)];
    for (name, text) in texts {
        put(&message, name, &JsValue::from_str(text));
    }
    put(&message, "scripts", &JsValue::from_bool(content.scripts));
    put(&message, "x", &JsValue::from_f64(content.at.0));
    put(&message, "y", &JsValue::from_f64(content.at.1));
    message.into()
}

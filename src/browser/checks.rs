//! Runs checks in `public/check.html`, in a sandboxed iframe without an origin. The iframe is removed afterwards.
//!
//! The iframe's messages are untrusted: their count and length are limited, and an iframe that exceeds its time is
//! removed, which ends its workers. Loaded lazily.

use std::cell::RefCell;
use std::rc::Rc;

use futures_channel::mpsc::{UnboundedSender, unbounded};
use futures_util::StreamExt as _;
use futures_util::future::{Either, FutureExt as _, LocalBoxFuture, select};
use serde::Deserialize;
use serde_json::{Map, Value};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{Event, HtmlElement, HtmlIFrameElement, MessageEvent, MessagePort, Window};

use crate::browser::js;
use crate::browser::js::Listener;
use crate::browser::lifecycle::BrowserClock;
use nexus_engine::checks::{CheckProblem, CheckTest};
use nexus_engine::port::Clock as _;
use nexus_engine::port::lazy::{CheckJob, CheckRun, CheckRunner, CheckRunnerError};
use nexus_model::limits::{CHECK_LOAD_MS, CHECK_MESSAGE_CHARS, CHECK_MESSAGES, CHECKS_SLACK_MS};
use nexus_text::json;

/// The document's first message.
const READY: &str = "nexus-check";

#[derive(Clone, Copy, Debug, Default)]
pub struct FrameCheckRunner;

impl CheckRunner for FrameCheckRunner {
    fn run(&self, job: CheckJob) -> LocalBoxFuture<'static, Result<CheckRun, CheckRunnerError>> {
        run(job).boxed_local()
    }
}

/// A message of the document: an object with the variant's name as `kind`, beside its data.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum FrameMessage {
    Test(CheckTest),
    Problem(CheckProblem),
    Line { text: String },
    End { dropped: u32, stopped: bool },
}

impl FrameMessage {
    fn read(text: &str) -> Option<Self> {
        let Value::Object(mut message) = json::tree(text).ok()? else { return None };
        let Some(Value::String(kind)) = message.remove("kind") else { return None };
        json::from_tree(&Value::Object(Map::from_iter([(kind, Value::Object(message))]))).ok()
    }
}

/// The iframe. Dropping it removes the iframe and ends everything that runs there.
struct CheckFrame {
    frame: HtmlIFrameElement,
    _ready: Listener,
    port: Rc<RefCell<Option<MessagePort>>>,
    _on_message: Rc<Closure<dyn FnMut(MessageEvent)>>,
}

impl Drop for CheckFrame {
    fn drop(&mut self) {
        if let Some(port) = self.port.borrow_mut().take() {
            port.set_onmessage(None);
            port.close();
        }
        self.frame.remove();
    }
}

async fn run(job: CheckJob) -> Result<CheckRun, CheckRunnerError> {
    let limit = job.total_ms + CHECKS_SLACK_MS;
    let Ok(text) = json::write(&job) else { return Err(CheckRunnerError::Unavailable) };
    let (sender, mut messages) = unbounded();
    let _frame = open(text, &sender).ok_or(CheckRunnerError::Unavailable)?;
    let timeout = BrowserClock.sleep(CHECK_LOAD_MS);
    // The first message says that the document has loaded.
    match select(messages.next(), timeout).await {
        Either::Left((Some(_), _)) => {}
        Either::Left((None, _)) | Either::Right(_) => return Err(CheckRunnerError::Absent),
    }
    let mut run = CheckRun { stopped: true, ..CheckRun::default() };
    let mut is_invalid = false;
    let mut end = BrowserClock.sleep(limit);
    for _ in 0..CHECK_MESSAGES {
        let message = match select(messages.next(), end).await {
            Either::Left((message, rest)) => {
                end = rest;
                message.flatten()
            }
            Either::Right(_) => break,
        };
        match message.as_deref().and_then(FrameMessage::read) {
            Some(FrameMessage::Test(test)) => run.tests.push(test),
            Some(FrameMessage::Problem(problem)) => run.problems.push(problem),
            Some(FrameMessage::Line { text }) => run.output.push(text),
            Some(FrameMessage::End { dropped, stopped }) => {
                (run.dropped, run.stopped) = (dropped, stopped || is_invalid);
                break;
            }
            // Not from our document: something may be missing, so the run counts as stopped.
            None => is_invalid = true,
        }
    }
    Ok(run)
}

/// Adds the iframe to the page and sends the job as soon as its document has loaded.
fn open(job: String, sender: &UnboundedSender<Option<String>>) -> Option<CheckFrame> {
    let window = web_sys::window()?;
    let document = window.document()?;
    let frame: HtmlIFrameElement = document.create_element("iframe").ok()?.dyn_into().ok()?;
    frame.set_attribute("sandbox", "allow-scripts").ok()?;
    frame.set_attribute("aria-hidden", "true").ok()?;
    frame.set_attribute("data-testid", "check-frame").ok()?;
    AsRef::<HtmlElement>::as_ref(&frame).set_hidden(true);
    frame.set_src(&address(&window));
    let message_sender = sender.clone();
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let length = event.data().dyn_ref::<js_sys::JsString>().map_or(u32::MAX, js_sys::JsString::length);
        let text = if length <= CHECK_MESSAGE_CHARS { event.data().as_string() } else { None };
        // The receiver is gone once the run is over.
        drop(message_sender.unbounded_send(text));
    });
    let on_message = Rc::new(on_message);
    let port: Rc<RefCell<Option<MessagePort>>> = Rc::default();
    let (own, stored_port, handler, ready_sender) =
        (frame.clone(), Rc::clone(&port), Rc::clone(&on_message), sender.clone());
    let ready = Listener::on(&window, "message", move |event: Event| {
        let Ok(event) = event.dyn_into::<MessageEvent>() else { return };
        let is_ours = match (event.source(), own.content_window()) {
            (Some(source), Some(ours)) => js_sys::Object::is(source.as_ref(), ours.as_ref()),
            _ => false,
        };
        let is_ready = is_ours && event.data().as_string().as_deref() == Some(READY);
        let Ok(port) = event.ports().get(0).dyn_into::<MessagePort>() else { return };
        if !is_ready || stored_port.borrow().is_some() {
            return;
        }
        port.set_onmessage(Some((*handler).as_ref().unchecked_ref()));
        // A closed port does not throw; the run then ends by timeout.
        drop(port.post_message(&JsValue::from_str(&job)));
        *stored_port.borrow_mut() = Some(port);
        drop(ready_sender.unbounded_send(None));
    });
    js::property(document.as_ref(), "body")?.dyn_into::<HtmlElement>().ok()?.append_child(&frame).ok()?;
    Some(CheckFrame { frame, _ready: ready, port, _on_message: on_message })
}

/// URL of the document. The boot script notes the path that the page was loaded from.
fn address(window: &Window) -> String {
    let page = window.document().and_then(|document| document.document_element());
    let base = page.and_then(|page| page.get_attribute("data-base"));
    format!("{}/check.html", base.as_deref().unwrap_or("/").trim_end_matches('/'))
}

//! Runs checks in `public/check.html`, in a sandboxed frame without an origin that is removed afterwards.
//!
//! What the frame says is untrusted: its messages are counted and their lengths held, and a frame that takes too long is
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

use crate::browser::clock::BrowserClock;
use crate::browser::js::{self, Listener};
use nexus_engine::checks::{CheckProblem, CheckTest};
use nexus_engine::port::Clock as _;
use nexus_engine::port::checks::{CheckJob, CheckRun, CheckRunner, CheckRunnerError};
use nexus_model::limits::{CHECK_COMING_MS, CHECK_MESSAGE_CHARS, CHECK_MESSAGES, CHECKS_SLACK_MS};
use nexus_text::json;

/// What the document says when it is there.
const READY: &str = "nexus-check";

#[derive(Clone, Copy, Debug, Default)]
pub struct FrameCheckRunner;

impl CheckRunner for FrameCheckRunner {
    fn run(&self, job: CheckJob) -> LocalBoxFuture<'static, Result<CheckRun, CheckRunnerError>> {
        run(job).boxed_local()
    }
}

/// What the document says: an object with the variant's name as `kind`, beside its data.
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

/// The frame, which goes with this value, and with it everything that runs there.
struct CheckFrame {
    frame: HtmlIFrameElement,
    _ready: Listener,
    port: Rc<RefCell<Option<MessagePort>>>,
    _hear: Rc<Closure<dyn FnMut(MessageEvent)>>,
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
    let (to_here, mut messages) = unbounded();
    let _frame = open(text, &to_here).ok_or(CheckRunnerError::Unavailable)?;
    let absent = BrowserClock.sleep(CHECK_COMING_MS);
    // The first message says that the document is there.
    match select(messages.next(), absent).await {
        Either::Left((Some(_), _)) => {}
        Either::Left((None, _)) | Either::Right(_) => return Err(CheckRunnerError::Absent),
    }
    let mut run = CheckRun { stopped: true, ..CheckRun::default() };
    let mut is_spoilt = false;
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
                (run.dropped, run.stopped) = (dropped, stopped || is_spoilt);
                break;
            }
            // Not what our document says: something may be missing, which never makes a run look better than it was.
            None => is_spoilt = true,
        }
    }
    Ok(run)
}

/// Puts the frame into the page, and hands the job over as soon as its document is there.
fn open(job: String, to_here: &UnboundedSender<Option<String>>) -> Option<CheckFrame> {
    let window = web_sys::window()?;
    let document = window.document()?;
    let frame: HtmlIFrameElement = document.create_element("iframe").ok()?.dyn_into().ok()?;
    frame.set_attribute("sandbox", "allow-scripts").ok()?;
    frame.set_attribute("aria-hidden", "true").ok()?;
    frame.set_attribute("data-testid", "check-frame").ok()?;
    AsRef::<HtmlElement>::as_ref(&frame).set_hidden(true);
    frame.set_src(&address(&window));
    let told = to_here.clone();
    let hear = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
        let length = event.data().dyn_ref::<js_sys::JsString>().map_or(u32::MAX, js_sys::JsString::length);
        let text = if length <= CHECK_MESSAGE_CHARS { event.data().as_string() } else { None };
        // Nobody listens once the run is over.
        drop(told.unbounded_send(text));
    });
    let hear = Rc::new(hear);
    let port: Rc<RefCell<Option<MessagePort>>> = Rc::default();
    let (own, kept, on_message, told) = (frame.clone(), Rc::clone(&port), Rc::clone(&hear), to_here.clone());
    let ready = Listener::on(&window, "message", move |event: Event| {
        let Ok(event) = event.dyn_into::<MessageEvent>() else { return };
        let is_ours = match (event.source(), own.content_window()) {
            (Some(source), Some(ours)) => js_sys::Object::is(source.as_ref(), ours.as_ref()),
            _ => false,
        };
        let is_ready = is_ours && event.data().as_string().as_deref() == Some(READY);
        let Ok(port) = event.ports().get(0).dyn_into::<MessagePort>() else { return };
        if !is_ready || kept.borrow().is_some() {
            return;
        }
        port.set_onmessage(Some((*on_message).as_ref().unchecked_ref()));
        // A closed port tells nobody; the run then ends by its time.
        drop(port.post_message(&JsValue::from_str(&job)));
        *kept.borrow_mut() = Some(port);
        drop(told.unbounded_send(None));
    });
    js::property(document.as_ref(), "body")?.dyn_into::<HtmlElement>().ok()?.append_child(&frame).ok()?;
    Some(CheckFrame { frame, _ready: ready, port, _hear: hear })
}

/// The address of the document. The boot script notes the path that the page was loaded from.
fn address(window: &Window) -> String {
    let page = window.document().and_then(|document| document.document_element());
    let base = page.and_then(|page| page.get_attribute("data-base"));
    format!("{}/check.html", base.as_deref().unwrap_or("/").trim_end_matches('/'))
}

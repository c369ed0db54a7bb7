//! This origin's tabs: messages over the BroadcastChannel `nexus`, and locks (Web Locks).
//!
//! Messages name the stream that grew and its last sequence, the session of which more of an answer was stored, the
//! provider whose key changed, or the session that a tab wants to take over; never contents or keys. A read-only tab
//! follows them and reads the rows again.
//!
//! If the browser has no locks, every lock is granted; the store's `add` at the next position of a stream still
//! prevents two tabs from overwriting each other.

use std::rc::Rc;

use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use futures_channel::oneshot;
use futures_util::StreamExt;
use futures_util::future::{Either, FutureExt, LocalBoxFuture, pending, select};
use js_sys::{Function, Promise};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{BroadcastChannel, MessageEvent};

use crate::browser::js::Listener;
use crate::browser::{crash, js};
use nexus_engine::bus::Bus;
use nexus_engine::port::{LockGuard, Locks};
use nexus_model::event::Topic;
use nexus_model::id::{SessionId, StreamId};
use nexus_model::signal::{KeyBroadcast, TransientEvent};
use nexus_text::vec_map::VecMap;

const CHANNEL: &str = "nexus";

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StreamGrew {
    /// Version of the message; other versions are ignored.
    v: u32,
    stream: StreamId,
    seq: u64,
}

const VERSION: u32 = 1;

const KEY_PREFIX: &str = "key ";

/// Prefix of a session id that another tab wants to take over.
const SESSION_REQUEST_PREFIX: &str = "want ";

/// Prefix of the id of a session in which more of an answer was stored.
const PARTIAL_PREFIX: &str = "partial ";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TabMessage {
    Grew(StreamId),
    PartialStored(SessionId),
    Key(KeyBroadcast),
    SessionRequested(SessionId),
}

fn parse(text: &str) -> Option<TabMessage> {
    if let Some(session) = text.strip_prefix(SESSION_REQUEST_PREFIX) {
        return session.parse().ok().map(TabMessage::SessionRequested);
    }
    if let Some(session) = text.strip_prefix(PARTIAL_PREFIX) {
        return session.parse().ok().map(TabMessage::PartialStored);
    }
    match text.strip_prefix(KEY_PREFIX) {
        Some(key) => KeyBroadcast::read(key).map(TabMessage::Key),
        None => {
            let grew = nexus_text::json::read::<StreamGrew>(text).ok()?;
            (grew.v == VERSION).then_some(TabMessage::Grew(grew.stream))
        }
    }
}

/// Sent when all data is being deleted.
const DATA_DELETED: &str = "the end";

/// Tells all other tabs that all data is being deleted: they stop writing and reload.
pub(super) fn announce_deletion() {
    if let Ok(channel) = BroadcastChannel::new(CHANNEL) {
        // Only a closed channel throws.
        drop(channel.post_message(&JsValue::from_str(DATA_DELETED)));
    }
}

fn on_deletion() {
    // The tab that deletes everything receives its own message too, and does not reload.
    if crash::poisoned() {
        return;
    }
    crash::seal();
    if let Some(window) = web_sys::window() {
        // A page that cannot reload stays as it is and stores nothing.
        drop(window.location().reload());
    }
}

/// The channel between tabs. Clones share it.
#[derive(Clone)]
pub struct TabChannel(Option<Rc<BroadcastChannel>>);

impl TabChannel {
    /// Opens the channel; silent if the browser has none.
    pub fn open() -> Self {
        Self(BroadcastChannel::new(CHANNEL).ok().map(Rc::new))
    }

    /// Sends and receives nothing: for a tab that works in memory.
    pub fn disconnected() -> Self {
        Self(None)
    }

    pub fn announce(&self, stream: StreamId, seq: u64) {
        if let Ok(text) = nexus_text::json::write(&StreamGrew { v: VERSION, stream, seq }) {
            self.post(&text);
        }
    }

    pub fn announce_key(&self, key: &KeyBroadcast) {
        self.post(&format!("{KEY_PREFIX}{}", key.text()));
    }

    fn post(&self, text: &str) {
        if let Some(channel) = &self.0 {
            // Only a closed channel throws, and ours stays open while `self` exists.
            drop(channel.post_message(&JsValue::from_str(text)));
        }
    }

    /// Announces the events and key messages that the bus publishes, until the bus closes.
    pub fn announce_all(&self, bus: &Bus) {
        let mut signals = bus.subscribe_transient();
        let channel = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            while let Some(signal) = signals.next().await {
                if let TransientEvent::KeyBroadcast(key) = signal {
                    channel.announce_key(&key);
                } else if let TransientEvent::SessionRequested { session } = signal {
                    channel.post(&format!("{SESSION_REQUEST_PREFIX}{session}"));
                } else if let TransientEvent::PartialStored { session } = signal {
                    channel.post(&format!("{PARTIAL_PREFIX}{session}"));
                }
            }
        });
        let mut events = bus.subscribe(&Topic::ALL).ready_chunks(256);
        let channel = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            while let Some(events) = events.next().await {
                // One message per stream, with its newest sequence.
                let newest: VecMap<_, _> = events.iter().map(|event| (event.stream, event.seq)).collect();
                for (stream, seq) in newest {
                    channel.announce(stream, seq);
                }
            }
        });
    }

    /// Messages from other tabs from now on. Unknown messages are ignored.
    pub fn follow(&self) -> TabSubscription {
        let (sender, messages) = unbounded();
        let listener = self.0.as_deref().map(|channel| {
            Listener::on(channel, "message", move |event| {
                let text = event.dyn_ref::<MessageEvent>().and_then(|message| message.data().as_string());
                if text.as_deref() == Some(DATA_DELETED) {
                    on_deletion();
                    return;
                }
                if let Some(message) = text.and_then(|text| parse(&text)) {
                    // The subscriber is gone; the listener is removed with it.
                    drop(sender.unbounded_send(message));
                }
            })
        });
        TabSubscription { messages, _listener: listener }
    }
}

/// Messages from other tabs. Dropping it stops listening.
pub struct TabSubscription {
    messages: UnboundedReceiver<TabMessage>,
    _listener: Option<Listener>,
}

impl TabSubscription {
    /// The next message; waits forever if there is no channel.
    pub async fn next(&mut self) -> TabMessage {
        match self.messages.next().await {
            Some(message) => message,
            None => pending().await,
        }
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct BrowserLocks;

impl Locks for BrowserLocks {
    fn try_hold(&self, name: &str) -> LocalBoxFuture<'static, Option<LockGuard>> {
        request(name, true).boxed_local()
    }

    fn hold(&self, name: &str) -> LocalBoxFuture<'static, LockGuard> {
        // A waiting request always returns a lock.
        request(name, false).map(|held| held.unwrap_or_else(free)).boxed_local()
    }

    fn are_shared(&self) -> bool {
        manager().is_some()
    }
}

/// Never grants a lock: every session is read-only.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLocks;

impl Locks for NoLocks {
    fn try_hold(&self, _name: &str) -> LocalBoxFuture<'static, Option<LockGuard>> {
        std::future::ready(None).boxed_local()
    }

    fn hold(&self, _name: &str) -> LocalBoxFuture<'static, LockGuard> {
        std::future::pending().boxed_local()
    }
}

/// The lock of a browser without locks.
fn free() -> LockGuard {
    LockGuard::new(|| ())
}

/// Requests a lock; `None` if it is taken and `only_if_free`.
fn request(name: &str, only_if_free: bool) -> impl Future<Output = Option<LockGuard>> + use<> {
    let (sender, receiver) = oneshot::channel();
    let promise = send_request(name, only_if_free, sender);
    async move {
        let Some(promise) = promise else { return Some(free()) };
        // The promise settles when the lock is released, or with an error if locks are denied.
        match select(receiver, JsFuture::from(promise)).await {
            Either::Left((Ok(held), _)) => held,
            Either::Left((Err(_), _)) | Either::Right(_) => Some(free()),
        }
    }
}

/// The lock manager; `None` if the browser has none.
fn manager() -> Option<JsValue> {
    js::property(web_sys::window()?.navigator().as_ref(), "locks")
}

/// Sends the request; `None` if the browser has no locks.
fn send_request(
    name: &str,
    only_if_free: bool,
    sender: oneshot::Sender<Option<LockGuard>>,
) -> Option<Promise> {
    let locks = manager()?;
    let options = js::object(&[("ifAvailable", only_if_free.into())]);
    let granted = Closure::once_into_js(move |lock: JsValue| -> JsValue {
        let (guard, held) = if lock.is_null() || lock.is_undefined() {
            (None, JsValue::UNDEFINED)
        } else {
            let (guard, held) = held_lock();
            (Some(guard), held)
        };
        // If the requester is gone, `send` returns the guard, and dropping it releases the lock.
        drop(sender.send(guard));
        held
    });
    js::call(&locks, "request", &[&name.into(), &options, &granted]).ok()?.dyn_into().ok()
}

/// A guard, and the promise that keeps the browser's lock until it resolves.
fn held_lock() -> (LockGuard, JsValue) {
    let mut release: Option<Function> = None;
    let held = Promise::new(&mut |resolve, _| release = Some(resolve));
    let guard = LockGuard::new(move || {
        if let Some(release) = release {
            // Resolving a promise cannot fail.
            drop(release.call0(&JsValue::UNDEFINED));
        }
    });
    (guard, held.into())
}

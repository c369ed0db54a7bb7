//! Messages between this origin's tabs over the BroadcastChannel `nexus`.
//!
//! They say which stream grew and how far, whose key changed, and which session a tab wants to work in; never
//! contents or keys. A read-only tab follows them and reads the rows again.

use std::rc::Rc;

use futures_channel::mpsc::{UnboundedReceiver, unbounded};
use futures_util::StreamExt;
use futures_util::future::pending;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{BroadcastChannel, MessageEvent};

use crate::browser::crash;
use crate::browser::js::Listener;
use nexus_engine::bus::Bus;
use nexus_model::event::Topic;
use nexus_model::id::{SessionId, StreamId};
use nexus_model::signal::{KeyBroadcast, TransientEvent};
use nexus_text::vec_map::VecMap;

const NAME: &str = "nexus";

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StreamGrew {
    /// The version of the message; others are not understood.
    v: u32,
    stream: StreamId,
    seq: u64,
}

const VERSION: u32 = 1;

/// What stands before news of keys.
const OF_KEYS: &str = "key ";

/// What stands before the id of a session in which another tab is to work.
const WANTED: &str = "want ";

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TabMessage {
    Grew(StreamId),
    Key(KeyBroadcast),
    Wanted(SessionId),
}

fn read(text: &str) -> Option<TabMessage> {
    if let Some(session) = text.strip_prefix(WANTED) {
        return session.parse().ok().map(TabMessage::Wanted);
    }
    match text.strip_prefix(OF_KEYS) {
        Some(news) => KeyBroadcast::read(news).map(TabMessage::Key),
        None => {
            let grew = nexus_text::json::read::<StreamGrew>(text).ok()?;
            (grew.v == VERSION).then_some(TabMessage::Grew(grew.stream))
        }
    }
}

/// The word that everything is being removed.
const THE_END: &str = "the end";

/// Tells all other tabs that everything is being removed: they write no more, and load again.
pub(super) fn tell_the_end() {
    if let Ok(channel) = BroadcastChannel::new(NAME) {
        // Only a closed channel refuses.
        drop(channel.post_message(&JsValue::from_str(THE_END)));
    }
}

fn heed_the_end() {
    // Whoever removes everything hears the word too, and goes on.
    if crash::poisoned() {
        return;
    }
    crash::seal();
    if let Some(window) = web_sys::window() {
        // A page that cannot load again stays as it is, and stores nothing.
        drop(window.location().reload());
    }
}

/// The word between tabs. Clones are the same end of it.
#[derive(Clone)]
pub struct TabChannel(Option<Rc<BroadcastChannel>>);

impl TabChannel {
    /// Opens the channel; silent where the browser has none.
    pub fn open() -> Self {
        Self(BroadcastChannel::new(NAME).ok().map(Rc::new))
    }

    /// Says and hears nothing: for a tab that works in memory and shares nothing with others.
    pub fn silent() -> Self {
        Self(None)
    }

    pub fn announce(&self, stream: StreamId, seq: u64) {
        if let Ok(text) = nexus_text::json::write(&StreamGrew { v: VERSION, stream, seq }) {
            self.post(&text);
        }
    }

    pub fn tell_of_key(&self, news: &KeyBroadcast) {
        self.post(&format!("{OF_KEYS}{}", news.text()));
    }

    fn post(&self, text: &str) {
        if let Some(channel) = &self.0 {
            // Only a closed channel refuses, and ours is open as long as it is held.
            drop(channel.post_message(&JsValue::from_str(text)));
        }
    }

    /// Announces whatever the bus publishes from now on, and what is told of keys, until the bus goes.
    pub fn announce_all(&self, bus: &Bus) {
        let mut signals = bus.watch();
        let channel = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            while let Some(signal) = signals.next().await {
                if let TransientEvent::KeysTold(news) = signal {
                    channel.tell_of_key(&news);
                } else if let TransientEvent::SessionWanted { session } = signal {
                    channel.post(&format!("{WANTED}{session}"));
                }
            }
        });
        let mut events = bus.subscribe(&Topic::ALL).ready_chunks(256);
        let channel = self.clone();
        wasm_bindgen_futures::spawn_local(async move {
            while let Some(events) = events.next().await {
                // One word for each stream: the newest says it all.
                let newest: VecMap<_, _> = events.iter().map(|event| (event.stream, event.seq)).collect();
                for (stream, seq) in newest {
                    channel.announce(stream, seq);
                }
            }
        });
    }

    /// What other tabs announce, from now on. Messages that are not understood are passed over.
    pub fn follow(&self) -> TabSubscription {
        let (sender, news) = unbounded();
        let listener = self.0.as_deref().map(|channel| {
            Listener::on(channel, "message", move |event| {
                let text = event.dyn_ref::<MessageEvent>().and_then(|message| message.data().as_string());
                if text.as_deref() == Some(THE_END) {
                    heed_the_end();
                    return;
                }
                if let Some(news) = text.and_then(|text| read(&text)) {
                    // Nobody follows any more: the listener is about to go too.
                    drop(sender.unbounded_send(news));
                }
            })
        });
        TabSubscription { news, _listener: listener }
    }
}

/// News of other tabs. Dropping it stops listening.
pub struct TabSubscription {
    news: UnboundedReceiver<TabMessage>,
    _listener: Option<Listener>,
}

impl TabSubscription {
    /// The next news. Where there can be none, it waits as long as somebody waits for it.
    pub async fn next(&mut self) -> TabMessage {
        match self.news.next().await {
            Some(news) => news,
            None => pending().await,
        }
    }
}

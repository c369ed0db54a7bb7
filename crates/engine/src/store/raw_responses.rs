//! Keeps the providers' raw answers for some days, bounded in size, for the inspector.
//!
//! The model client opens a `ResponseRecorder` for each request; dropping it keeps the answer, however the call ended.
//! Never in an event, and never with an API key.

use crate::client::EngineContext;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::StreamExt as _;
use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

use crate::port::{Batch, Table};
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{Millis, TurnId};
use nexus_model::limits::{RAW_ANSWER_BYTES, RAW_LOOK_BYTES, RAW_TOTAL_BYTES};
use nexus_model::settings::schema::RAW_DAYS;
use nexus_model::world::World;
use nexus_providers::http::HttpRequest;
use nexus_text::content_hash::ContentHash;
use nexus_text::json;

const DAY_MS: u64 = 24 * 60 * 60_000;

/// One request and what came of it.
#[sparse]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawResponse {
    pub turn: TurnId,
    /// The call, from 0.
    pub call: u32,
    /// The attempt, from 1.
    pub attempt: u32,
    /// The address that was asked.
    pub url: String,
    /// The content address of the body that was sent.
    pub request: ContentHash,
    /// The body itself, where no recipe builds it again.
    pub asked: Option<String>,
    pub sent_at: Millis,
    /// When the head of the answer was there.
    pub head_at: Option<Millis>,
    /// When the model's first word was there, thinking or said.
    pub word_at: Option<Millis>,
    pub ended_at: Millis,
    /// The status; `None` where there was no answer.
    pub status: Option<u16>,
    /// The media type, where it could be read.
    pub media_type: Option<String>,
    /// How many bytes came.
    pub bytes: u64,
    /// What came, without keys, up to a number of bytes. What is no text has a mark in its place.
    pub body: String,
}

impl RawResponse {
    /// Whether more came than is kept.
    pub fn is_cut(&self) -> bool {
        self.bytes > u64::try_from(RAW_ANSWER_BYTES).unwrap_or(u64::MAX)
    }
}

/// For how many days answers are kept.
pub fn days(world: &World) -> u64 {
    world.value(RAW_DAYS) as u64
}

/// What the keys of a turn's answers begin with.
pub fn keys_of(turn: TurnId) -> String {
    format!("{turn}/")
}

/// Keeps answers, and lets them go.
pub(crate) struct RawResponseStore {
    pub(crate) engine: EngineContext,
    /// Bytes that were kept since it was last looked whether there are too many.
    pub(crate) since_look: Cell<u64>,
}

impl RawResponseStore {
    /// Lets old ones go, at once and whenever the setting changes. `events` carries `app.changed`.
    pub(crate) async fn serve(self: Rc<Self>, mut events: UnboundedReceiver<Arc<Event>>) {
        self.let_go().await;
        while let Some(event) = events.next().await {
            if let Some(EventKind::SettingChanged { name, .. }) = event.happening()
                && name == RAW_DAYS.name()
            {
                self.let_go().await;
            }
        }
    }

    /// Begins to record a request; `None` where nothing is kept.
    pub(crate) fn record(
        self: &Rc<Self>,
        turn: TurnId,
        call: u32,
        attempt: u32,
        request: &HttpRequest,
    ) -> Option<ResponseRecorder> {
        if days(&self.engine.world.borrow()) == 0 {
            return None;
        }
        let now = self.engine.ports.clock.now();
        Some(ResponseRecorder {
            keeper: Rc::clone(self),
            body: Vec::new(),
            answer: RawResponse {
                turn,
                call,
                attempt,
                url: request.url.clone(),
                request: ContentHash::of_text(request.body.as_deref().unwrap_or_default()),
                asked: None,
                sent_at: now,
                head_at: None,
                word_at: None,
                ended_at: now,
                status: None,
                media_type: None,
                bytes: 0,
                body: String::new(),
            },
        })
    }

    /// The same for a question that no recipe builds again: what was asked is kept with what came.
    pub(crate) fn record_whole(
        self: &Rc<Self>,
        turn: TurnId,
        attempt: u32,
        request: &HttpRequest,
    ) -> Option<ResponseRecorder> {
        let mut recording = self.record(turn, 0, attempt, request)?;
        recording.answer.asked = request.body.clone().filter(|body| body.len() <= RAW_ANSWER_BYTES);
        Some(recording)
    }

    async fn keep(self: Rc<Self>, answer: RawResponse) {
        let Ok(row) = json::write(&answer) else { return };
        let (turn, call, attempt) = (answer.turn, answer.call, answer.attempt);
        let size = u64::try_from(row.len()).unwrap_or(u64::MAX);
        let key = format!("{turn}/{call:04}/{attempt:04}/{}/{size}", answer.sent_at.0);
        let puts = vec![(Table::Raw, (key, row))];
        // What is not kept is missed only by who looks for it.
        drop(self.engine.ports.store.write(Batch { puts, ..Batch::default() }).await);
        let since = self.since_look.get().saturating_add(size);
        self.since_look.set(since);
        if since > RAW_LOOK_BYTES {
            self.let_go().await;
        }
    }

    async fn let_go(&self) {
        self.since_look.set(0);
        let Ok(keys) = self.engine.ports.store.keys(Table::Raw, String::new()).await else { return };
        let gone = outlived(&keys, days(&self.engine.world.borrow()), self.engine.ports.clock.now());
        if !gone.is_empty() {
            let removes = gone.into_iter().map(|key| (Table::Raw, key)).collect();
            drop(self.engine.ports.store.write(Batch { removes, ..Batch::default() }).await);
        }
    }
}

/// Which of these keys, oldest first, are older than so many days, or too many.
fn outlived(keys: &[String], days: u64, now: Millis) -> Vec<String> {
    let since = now.0.saturating_sub(days.saturating_mul(DAY_MS));
    let mut total = 0u64;
    let mut gone: Vec<_> = keys
        .iter()
        .rev()
        .filter(|key| {
            let mut words = key.rsplit('/').map(|word| word.parse::<u64>().ok());
            let (size, sent_at) = (words.next().flatten(), words.next().flatten());
            total = total.saturating_add(size.unwrap_or_default());
            days == 0 || sent_at.is_none_or(|sent_at| sent_at < since) || total > RAW_TOTAL_BYTES
        })
        .cloned()
        .collect();
    gone.reverse();
    gone
}

/// A request that is under way, and what came of it so far.
pub(crate) struct ResponseRecorder {
    keeper: Rc<RawResponseStore>,
    body: Vec<u8>,
    answer: RawResponse,
}

impl ResponseRecorder {
    pub(crate) fn head(&mut self, status: u16, media_type: Option<&str>) {
        self.answer.head_at = Some(self.keeper.engine.ports.clock.now());
        self.answer.status = Some(status);
        self.answer.media_type = media_type.map(str::to_owned);
    }

    /// More of the body is there.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let room = RAW_ANSWER_BYTES.saturating_sub(self.body.len());
        self.body.extend(bytes.iter().take(room));
        self.answer.bytes = self.answer.bytes.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    }

    pub(crate) fn word(&mut self) {
        if self.answer.word_at.is_none() {
            self.answer.word_at = Some(self.keeper.engine.ports.clock.now());
        }
    }
}

impl Drop for ResponseRecorder {
    fn drop(&mut self) {
        let keeper = Rc::clone(&self.keeper);
        let mut answer = self.answer.clone();
        answer.ended_at = keeper.engine.ports.clock.now();
        answer.body = String::from_utf8_lossy(&self.body).into_owned();
        let spawn = Rc::clone(&keeper.engine.ports.spawn);
        spawn.spawn(Box::pin(keeper.keep(answer)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_old_or_too_much_goes_and_the_newest_stays() {
        let key = |at: u64, size: u64| format!("turn-{at}/0000/0001/{at}/{size}");
        let now = Millis(100 * DAY_MS);
        let keys = [key(80 * DAY_MS, 10), key(95 * DAY_MS, 10), key(99 * DAY_MS, 10)];
        assert_eq!(outlived(&keys, 7, now), [keys[0].clone()]);
        assert_eq!(outlived(&keys, 365, now), [] as [String; 0]);
        assert_eq!(outlived(&keys, 0, now), keys);
        let large = [key(97 * DAY_MS, 40), key(98 * DAY_MS, 40_000_000), key(99 * DAY_MS, 30_000_000)];
        assert_eq!(outlived(&large, 7, now), large[..2]);
        assert_eq!(outlived(&["rubbish".to_owned()], 7, now), ["rubbish"]);
    }
}

//! Stores the providers' raw responses for some days, bounded in size, for the inspector.
//!
//! The model client opens a `ResponseRecorder` for each request; dropping it stores the response, however the call
//! ended. Raw responses are in no event and contain no API key.

use crate::client::EngineContext;
use crate::prelude::*;
use nexus_markup::sparse;
use nexus_model::limits::{RAW_ANSWER_BYTES, RAW_CHECK_BYTES, RAW_TOTAL_BYTES};
use nexus_model::memory::DAY_MS;
use nexus_model::settings::schema::RAW_DAYS;
use nexus_providers::http::HttpRequest;
use serde::{Deserialize, Serialize};

#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawResponse {
    pub turn: TurnId,
    pub call: u32,
    pub attempt: u32,
    pub url: String,
    pub request: ContentHash,
    /// The request body, if no recipe can rebuild it.
    #[serde(rename = "asked")]
    pub request_body: Option<String>,
    pub sent_at: Millis,
    pub head_at: Option<Millis>,
    /// When the first text arrived, thinking or not.
    #[serde(rename = "word_at")]
    pub first_text_at: Option<Millis>,
    pub ended_at: Millis,
    pub status: Option<u16>,
    pub media_type: Option<String>,
    pub bytes: u64,
    /// The body without keys, up to a size limit; invalid UTF-8 is replaced.
    pub body: String,
}

impl RawResponse {
    /// True if more was received than is stored.
    pub fn is_cut(&self) -> bool {
        self.bytes > u64::try_from(RAW_ANSWER_BYTES).unwrap_or(u64::MAX)
    }
}

pub fn days(world: &World) -> u64 {
    world.value(RAW_DAYS) as u64
}

pub(crate) struct RawResponseStore {
    pub(crate) engine: EngineContext,
    /// Bytes stored since the size limit was last checked.
    pub(crate) since_check: Cell<u64>,
}

impl RawResponseStore {
    /// Deletes old responses, at the start and whenever the setting changes. `events` carries `app.changed`.
    pub(crate) async fn serve(self: Rc<Self>, mut events: UnboundedReceiver<Arc<Event>>) {
        self.delete_expired().await;
        while let Some(event) = events.next().await {
            if let Some(EventKind::SettingChanged { name, .. }) = event.known_kind()
                && name == RAW_DAYS.name()
            {
                self.delete_expired().await;
            }
        }
    }

    /// Starts recording a request; `None` if storing is off. With `keeps_body`, as no recipe can rebuild it, its body
    /// is stored too.
    pub(crate) fn record(
        self: &Rc<Self>,
        turn: TurnId,
        call: u32,
        attempt: u32,
        request: &HttpRequest,
        keeps_body: bool,
    ) -> Option<ResponseRecorder> {
        if days(&self.engine.world.borrow()) == 0 {
            return None;
        }
        let now = self.engine.now();
        let request_body = request.body.as_ref().filter(|body| keeps_body && body.len() <= RAW_ANSWER_BYTES);
        Some(ResponseRecorder {
            store: Rc::clone(self),
            body: Vec::new(),
            response: RawResponse {
                turn,
                call,
                attempt,
                url: request.url.clone(),
                request: ContentHash::of_text(request.body.as_deref().unwrap_or_default()),
                request_body: request_body.cloned(),
                sent_at: now,
                ended_at: now,
                ..RawResponse::default()
            },
        })
    }

    async fn store(self: Rc<Self>, response: RawResponse) {
        let Ok(row) = json::write(&response) else { return };
        let (turn, call, attempt) = (response.turn, response.call, response.attempt);
        let size = u64::try_from(row.len()).unwrap_or(u64::MAX);
        let key = format!("{turn}/{call:04}/{attempt:04}/{}/{size}", response.sent_at.0);
        let puts = vec![(Table::Raw, (key, row))];
        // A failure only affects the inspector.
        drop(self.engine.ports.store.write(Batch { puts, ..Batch::default() }).await);
        let stored = self.since_check.get().saturating_add(size);
        self.since_check.set(stored);
        if stored > RAW_CHECK_BYTES {
            self.delete_expired().await;
        }
    }

    async fn delete_expired(&self) {
        self.since_check.set(0);
        let Ok(keys) = self.engine.ports.store.keys(Table::Raw, String::new()).await else { return };
        let expired = expired_keys(&keys, days(&self.engine.world.borrow()), self.engine.now());
        if !expired.is_empty() {
            let removes = expired.into_iter().map(|key| (Table::Raw, key)).collect();
            drop(self.engine.ports.store.write(Batch { removes, ..Batch::default() }).await);
        }
    }
}

/// Which of these keys, oldest first, are too old or exceed the total size.
fn expired_keys(keys: &[String], days: u64, now: Millis) -> Vec<String> {
    let since = now.0.saturating_sub(days.saturating_mul(DAY_MS));
    let mut total = 0u64;
    let mut expired: Vec<_> = keys
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
    expired.reverse();
    expired
}

pub(crate) struct ResponseRecorder {
    store: Rc<RawResponseStore>,
    body: Vec<u8>,
    response: RawResponse,
}

impl ResponseRecorder {
    pub(crate) fn head(&mut self, status: u16, media_type: Option<&str>) {
        self.response.head_at = Some(self.store.engine.now());
        self.response.status = Some(status);
        self.response.media_type = media_type.map(str::to_owned);
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) {
        let room = RAW_ANSWER_BYTES.saturating_sub(self.body.len());
        self.body.extend(bytes.iter().take(room));
        self.response.bytes =
            self.response.bytes.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
    }

    pub(crate) fn note_first_text(&mut self) {
        if self.response.first_text_at.is_none() {
            self.response.first_text_at = Some(self.store.engine.now());
        }
    }
}

impl Drop for ResponseRecorder {
    fn drop(&mut self) {
        let keeper = Rc::clone(&self.store);
        let mut response = self.response.clone();
        response.ended_at = keeper.engine.now();
        response.body = String::from_utf8_lossy(&self.body).into_owned();
        let spawn = Rc::clone(&keeper.engine.ports.spawn);
        spawn.spawn(Box::pin(keeper.store(response)));
    }
}

#[cfg(test)]
mod tests;

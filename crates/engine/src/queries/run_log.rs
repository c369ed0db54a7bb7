//! Reads all that happened in a run, in its subagents and in the models that it compared, and follows it.
//!
//! A run's own events have its id. A subagent and a compared model have a session of their own, of which all is read.
//! The Core's work on what a run left belongs to no run: what follows until the next run opens is taken with it.

use std::sync::Arc;

use crate::port::{StoreError, Table};
use crate::queries::EventQueries;
use crate::store::{delta, read_all};
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{MessageId, RunId, SessionId, StreamId};
use nexus_model::job::{JobKind, JobResult, JobTask};
use nexus_model::limits::AUDIT_PAGE;
use nexus_model::message::Message;
use nexus_model::session::race::lanes;
use nexus_text::content_hash::ContentHash;
use nexus_text::json;
use nexus_text::small_sort::SmallSort as _;
use nexus_text::vec_map::{VecMap, VecSet};

/// An event as it was written, and as it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct LoggedEvent {
    pub event: Event,
    pub text: Arc<str>,
}

impl LoggedEvent {
    /// Reads the line of an event; `None` where it is none.
    pub fn read(text: &str) -> Option<Self> {
        Some(Self { event: json::read(text).ok()?, text: text.into() })
    }
}

/// Some of a run's log: what is new, in the order of time, and the messages that it names and that were said before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunLogPage {
    pub events: Vec<LoggedEvent>,
    pub messages: Vec<Message>,
}

/// A session whose events are followed.
struct FollowedStream {
    stream: StreamId,
    /// The newest event that was looked at.
    seen: u64,
    /// Whether all of it belongs to the run.
    is_whole: bool,
}

pub struct RunLog {
    records: EventQueries,
    run: RunId,
    streams: Vec<FollowedStream>,
    /// Whether another run has opened in its session since.
    is_over: bool,
    known: VecSet<MessageId>,
}

impl RunLog {
    pub fn new(records: EventQueries, run: RunId) -> Self {
        Self { records, run, streams: Vec::new(), is_over: false, known: VecSet::new() }
    }

    /// Whether what is new in this stream may belong to the run.
    pub fn follows(&self, stream: StreamId) -> bool {
        self.streams.iter().any(|followed| followed.stream == stream)
    }

    /// Reads what is new; all of it the first time. Empty where the run is not on this device.
    pub async fn read(&mut self) -> Result<RunLogPage, StoreError> {
        let mut events = Vec::new();
        if self.streams.is_empty() {
            events = self.first().await?;
        }
        let mut at = 0;
        while let Some(FollowedStream { stream, seen, is_whole }) = self.streams.get(at) {
            let (stream, mut seen, is_whole) = (*stream, *seen, *is_whole);
            loop {
                let page = self.records.after(stream, seen).await?;
                let count = page.len();
                for logged in page.iter().filter_map(|text| LoggedEvent::read(text)) {
                    seen = seen.max(logged.event.seq);
                    if is_whole || self.is_of_run(&logged.event) {
                        self.join(&logged.event);
                        events.push(logged);
                    }
                }
                if count < AUDIT_PAGE {
                    break;
                }
            }
            if let Some(followed) = self.streams.get_mut(at) {
                followed.seen = seen;
            }
            at += 1;
        }
        let messages = self.messages(&events).await?;
        Ok(RunLogPage { events: in_time(events), messages })
    }

    /// The events that have the run's id, and what the Core did right after.
    async fn first(&mut self) -> Result<Vec<LoggedEvent>, StoreError> {
        let texts = self.records.of_run(self.run).await?;
        let mut events: Vec<_> = texts.iter().filter_map(|text| LoggedEvent::read(text)).collect();
        let Some(stream) = events.first().map(|logged| logged.event.stream) else { return Ok(events) };
        events.retain(|logged| logged.event.stream == stream);
        events.small_sort_by_key(|logged| logged.event.seq);
        let mut seen = events.last().map(|logged| logged.event.seq).unwrap_or_default();
        self.streams.push(FollowedStream { stream, seen, is_whole: false });
        for logged in &events {
            self.join(&logged.event);
        }
        while !self.is_over {
            let page = self.records.after(stream, seen).await?;
            for logged in page.iter().filter_map(|text| LoggedEvent::read(text)) {
                seen = seen.max(logged.event.seq);
                if self.is_of_run(&logged.event) {
                    events.push(logged);
                }
            }
            if page.len() < AUDIT_PAGE {
                break;
            }
        }
        if self.is_over {
            // Other runs may have written much since.
            seen = self.records.store.last_seq(stream).await?.max(seen);
        }
        if let Some(followed) = self.streams.first_mut() {
            followed.seen = seen;
        }
        Ok(events)
    }

    /// Whether an event of the run's session is one of the run.
    fn is_of_run(&mut self, event: &Event) -> bool {
        if event.run == Some(self.run) {
            return true;
        }
        if let Some(EventKind::RunOpened { .. }) = event.happening() {
            self.is_over = true;
        }
        !self.is_over && event.run.is_none() && event.happening().is_some_and(is_of_core)
    }

    /// Follows the sessions that an event opens.
    fn join(&mut self, event: &Event) {
        let opened: Vec<SessionId> = if let Some(EventKind::WorkerSent { worker, .. }) = event.happening() {
            vec![worker.session]
        } else if let Some(EventKind::RunOpened { run }) = event.happening() {
            lanes(run).collect()
        } else {
            Vec::new()
        };
        for stream in opened.into_iter().map(StreamId::Session) {
            if !self.follows(stream) {
                self.streams.push(FollowedStream { stream, seen: 0, is_whole: true });
            }
        }
    }

    /// The messages that these events name and that are not among them.
    async fn messages(&mut self, events: &[LoggedEvent]) -> Result<Vec<Message>, StoreError> {
        let mut named: VecSet<MessageId> = VecSet::new();
        for logged in events {
            if let Some(EventKind::MessageCommitted { message }) = logged.event.happening() {
                self.known.insert(message.id);
            } else if let Some(EventKind::RunOpened { run }) = logged.event.happening() {
                named.extend(run.messages.iter().copied());
            } else if let Some(EventKind::TurnOpened { turn }) = logged.event.happening() {
                named.extend(turn.query.iter().chain(&turn.answers).copied());
            }
        }
        let wanted: Vec<MessageId> = named.iter().filter(|id| !self.known.contains(id)).copied().collect();
        let keys = wanted.iter().map(ToString::to_string).collect();
        let rows = self.records.store.get(Table::Messages, keys).await?;
        self.known.extend(wanted);
        Ok(read_all(rows).map(Message::upcast).collect())
    }
}

/// Whether it tells of a sync of the Core.
fn is_of_core(kind: &EventKind) -> bool {
    if let EventKind::JobOpened(job) = kind {
        matches!(job.task, JobTask::Sync { .. })
    } else if let EventKind::JobDone(done) = kind {
        matches!(done.result, JobResult::Sync(_))
    } else if let EventKind::JobFailed(failed) = kind {
        failed.kind == JobKind::Sync
    } else {
        false
    }
}

/// The events of several streams by their time; those of one stream keep their order, whatever the clock did.
pub fn in_time(events: Vec<LoggedEvent>) -> Vec<LoggedEvent> {
    let mut newest: VecMap<StreamId, u64> = VecMap::new();
    let mut timed: Vec<(u64, LoggedEvent)> = Vec::with_capacity(events.len());
    for logged in events {
        let before = newest.get(&logged.event.stream).copied().unwrap_or_default();
        let at = logged.event.at.0.max(before);
        newest.insert(logged.event.stream, at);
        timed.push((at, logged));
    }
    timed.small_sort_by_key(|(at, _)| *at);
    timed.into_iter().map(|(_, logged)| logged).collect()
}

/// The texts with these addresses, such as files that a run made. What is not on this device is left out.
pub async fn texts_at(
    records: &EventQueries,
    addresses: impl IntoIterator<Item = ContentHash>,
) -> Result<VecMap<ContentHash, Arc<str>>, StoreError> {
    delta::texts(&*records.store, &addresses.into_iter().collect(), &mut Vec::new()).await
}

#[cfg(test)]
#[path = "run_log_tests.rs"]
mod tests;

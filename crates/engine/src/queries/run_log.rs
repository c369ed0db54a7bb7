//! Reads and follows the events of a run, of its subagents and of the models that it compared.
//!
//! A run's own events have its id. Subagents and compared models have sessions of their own, which are read completely.
//! The Core's sync after a run belongs to no run: it is included until the next run opens.

use crate::prelude::*;
use crate::queries::EventQueries;
use crate::store::delta;
use nexus_model::limits::AUDIT_PAGE;
use nexus_model::session::workers::lanes;

#[derive(Clone, Debug, PartialEq)]
pub struct LoggedEvent {
    pub event: Event,
    pub text: Arc<str>,
}

impl LoggedEvent {
    pub fn read(text: &str) -> Option<Self> {
        Some(Self { event: json::read(text).ok()?, text: text.into() })
    }
}

/// New entries of a run's log, by time, and older messages that they refer to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunLogPage {
    pub events: Vec<LoggedEvent>,
    pub messages: Vec<Arc<Message>>,
}

struct FollowedStream {
    stream: StreamId,
    last_seq: u64,
    /// True if all of it belongs to the run.
    is_whole: bool,
}

pub struct RunLog {
    records: EventQueries,
    run: RunId,
    streams: Vec<FollowedStream>,
    /// True if another run has opened in its session since.
    is_over: bool,
    known: VecSet<MessageId>,
}

impl RunLog {
    pub fn new(records: EventQueries, run: RunId) -> Self {
        Self { records, run, streams: Vec::new(), is_over: false, known: VecSet::new() }
    }

    /// True if new events of this stream may belong to the run.
    pub fn follows(&self, stream: StreamId) -> bool {
        self.streams.iter().any(|followed| followed.stream == stream)
    }

    /// Reads new events; all of them the first time. Empty if the run is not on this device.
    pub async fn read(&mut self) -> StoreResult<RunLogPage> {
        let is_first = self.streams.is_empty();
        let mut events = if is_first { self.first().await? } else { Vec::new() };
        let mut at = 0;
        while let Some(FollowedStream { stream, last_seq, is_whole }) = self.streams.get(at) {
            let (stream, mut last_seq, is_whole) = (*stream, *last_seq, *is_whole);
            loop {
                let page = self.records.after(stream, last_seq).await?;
                let count = page.len();
                for logged in page.iter().filter_map(|text| LoggedEvent::read(text)) {
                    last_seq = last_seq.max(logged.event.seq);
                    if is_whole || self.is_of_run(&logged.event) {
                        self.follow_opened(&logged.event);
                        events.push(logged);
                    }
                }
                if is_first && !is_whole && self.is_over {
                    // Later runs may have written many events.
                    last_seq = self.records.store.last_seq(stream).await?.max(last_seq);
                    break;
                }
                if count < AUDIT_PAGE {
                    break;
                }
            }
            if let Some(followed) = self.streams.get_mut(at) {
                followed.last_seq = last_seq;
            }
            at += 1;
        }
        let messages = self.messages(&events).await?;
        Ok(RunLogPage { events: in_time(events), messages })
    }

    /// The events with the run's id. The Core's events follow them in the stream.
    async fn first(&mut self) -> StoreResult<Vec<LoggedEvent>> {
        let texts = self.records.of_run(self.run).await?;
        let mut events: Vec<_> = texts.iter().filter_map(|text| LoggedEvent::read(text)).collect();
        let Some(stream) = events.first().map(|logged| logged.event.stream) else { return Ok(events) };
        events.retain(|logged| logged.event.stream == stream);
        events.small_sort_by_key(|logged| logged.event.seq);
        let last_seq = events.last().map(|logged| logged.event.seq).unwrap_or_default();
        self.streams.push(FollowedStream { stream, last_seq, is_whole: false });
        for logged in &events {
            self.follow_opened(&logged.event);
        }
        Ok(events)
    }

    fn is_of_run(&mut self, event: &Event) -> bool {
        if event.run == Some(self.run) {
            return true;
        }
        if let Some(EventKind::RunOpened { .. }) = event.known_kind() {
            self.is_over = true;
        }
        !self.is_over && event.run.is_none() && event.known_kind().is_some_and(is_of_core)
    }

    fn follow_opened(&mut self, event: &Event) {
        let opened: Vec<SessionId> = match event.known_kind() {
            Some(EventKind::WorkerSent { worker, .. }) => vec![worker.session],
            Some(EventKind::RunOpened { run }) => lanes(run).collect(),
            _ => return,
        };
        for stream in opened.into_iter().map(StreamId::Session) {
            if !self.follows(stream) {
                self.streams.push(FollowedStream { stream, last_seq: 0, is_whole: true });
            }
        }
    }

    /// The messages that these events refer to and do not contain.
    async fn messages(&mut self, events: &[LoggedEvent]) -> StoreResult<Vec<Arc<Message>>> {
        let mut named: VecSet<MessageId> = VecSet::new();
        for logged in events {
            match logged.event.known_kind() {
                Some(EventKind::MessageCommitted { message }) => drop(self.known.insert(message.id)),
                Some(EventKind::RunOpened { run }) => named.extend(&run.messages),
                Some(EventKind::TurnOpened { turn }) => named.extend(turn.query.iter().chain(&turn.answers)),
                _ => {}
            }
        }
        let wanted: Vec<MessageId> = named.iter().filter(|id| !self.known.contains(id)).copied().collect();
        let messages = self.records.store.rows(Table::Messages, &wanted).await?;
        self.known.extend(wanted);
        Ok(messages.into_iter().map(Message::upcast).collect())
    }
}

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

/// Sorts events of several streams by time; keeps the order within each stream even if the clock went back.
fn in_time(events: Vec<LoggedEvent>) -> Vec<LoggedEvent> {
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

/// The texts with these hashes, such as files of a run. Missing ones are omitted.
pub async fn texts_at(
    records: &EventQueries,
    hashes: impl IntoIterator<Item = ContentHash>,
) -> StoreResult<VecMap<ContentHash, Arc<str>>> {
    delta::texts(&*records.store, &hashes.into_iter().collect(), &mut Vec::new()).await
}

#[cfg(test)]
mod tests;

//! Queries for the interface: events by position, the events of a run, changed streams, the newest jobs, and the draft
//! of a merge; below, search, the tree, former heads, and a turn's requests.
//!
//! Never writes, and keeps no more than was requested. The merge itself is a command, which is rejected if a branch
//! has moved since the draft.

pub mod inspect;
pub mod run_log;
pub mod search;
pub mod tree;

use crate::bus::Bus;
use crate::lazy::CodecLoader;
use crate::prelude::*;
use crate::store::page_until;
use futures_util::stream::{Stream, select};
use nexus_model::command::MergeRequest;
use nexus_model::decide::merge::branches;
use nexus_model::event::{EventPosition, Topic};
use nexus_model::job::JobFailure;
use nexus_model::job::maintenance::{counted, kind_of};
use nexus_model::limits::{AUDIT_PAGE, PROPOSAL_SEARCH_EVENTS};
use nexus_model::mind::merge::proposal::MergeProposal;
use nexus_text::merge3::Conflict;

/// Positions at most this far apart are read together.
const NEAR: u64 = 24;

#[derive(Clone)]
pub struct EventQueries {
    pub(crate) store: Rc<dyn Store>,
    pub(crate) parts: Rc<dyn CodecLoader>,
    bus: Rc<Bus>,
}

/// The JSON of events by position.
pub type EventTexts = VecMap<EventPosition, String>;

impl EventQueries {
    pub fn new(store: Rc<dyn Store>, parts: Rc<dyn CodecLoader>, bus: Rc<Bus>) -> Self {
        Self { store, parts, bus }
    }

    /// The streams that get new events from now on, also those that another tab writes.
    pub fn news(&self) -> impl Stream<Item = StreamId> + use<> {
        let own = self.bus.subscribe(&Topic::ALL).map(|event| Some(event.stream));
        let others = self.bus.subscribe_transient().map(|event| {
            if let TransientEvent::Loaded { session } = event {
                Some(StreamId::Session(session))
            } else {
                None
            }
        });
        select(own, others).filter_map(std::future::ready)
    }

    /// Every stream with the sequence number of its newest event.
    pub async fn streams(&self) -> StoreResult<Vec<(StreamId, u64)>> {
        let sessions = self.store.keys(Table::Sessions, String::new()).await?;
        let sessions = sessions.iter().filter_map(|key| key.parse::<SessionId>().ok());
        let mut streams = Vec::new();
        for stream in std::iter::once(StreamId::App).chain(sessions.map(StreamId::Session)) {
            streams.push((stream, self.store.last_seq(stream).await?));
        }
        Ok(streams)
    }

    /// One page of events after this sequence number.
    pub async fn after(&self, stream: StreamId, seq: u64) -> StoreResult<Vec<String>> {
        self.store.events(stream, seq.saturating_add(1), AUDIT_PAGE).await
    }

    /// The events at these positions. Missing ones are omitted.
    pub async fn at(&self, places: &[EventPosition]) -> StoreResult<EventTexts> {
        let mut texts = Vec::new();
        for (stream, from, most) in ranges(places) {
            for text in self.store.events(stream, from, most).await? {
                if let Some(seq) = seq_of(&text) {
                    texts.push((EventPosition { stream, seq }, text));
                }
            }
        }
        let mut wanted = places.to_vec();
        wanted.small_sort();
        texts.retain(|(place, _)| wanted.binary_search(place).is_ok());
        Ok(texts.into_iter().collect())
    }

    pub async fn of_run(&self, run: RunId) -> StoreResult<Vec<String>> {
        self.store.events_of_run(run).await
    }
}

fn seq_of(text: &str) -> Option<u64> {
    json::tree(text).ok()?.get("seq")?.as_u64()
}

/// What to read for these positions: stream, first sequence number, number of events. Nearby positions share a range.
fn ranges(places: &[EventPosition]) -> Vec<(StreamId, u64, usize)> {
    let mut places = places.to_vec();
    places.small_sort();
    places.dedup();
    let mut ranges: Vec<(StreamId, u64, u64)> = Vec::new();
    for EventPosition { stream, seq } in places {
        match ranges.last_mut() {
            Some((other, _, last)) if *other == stream && seq.saturating_sub(*last) <= NEAR => *last = seq,
            _ => ranges.push((stream, seq, seq)),
        }
    }
    let count = |from: u64, last: u64| usize::try_from(last.saturating_sub(from) + 1).unwrap_or(usize::MAX);
    ranges.into_iter().map(|(stream, from, last)| (stream, from, count(from, last))).collect()
}

/// Reads all streams backwards by time, newest first, in pages.
#[derive(Debug, Default)]
pub struct ReverseEvents {
    remaining: Vec<StreamCursor>,
}

#[derive(Debug)]
struct StreamCursor {
    stream: StreamId,
    /// The newest event not read yet.
    next: u64,
    /// Time of the oldest event read.
    reached: Option<Millis>,
}

impl ReverseEvents {
    pub fn from(ends: &[(StreamId, u64)]) -> Self {
        let left = ends.iter().filter(|(_, last)| *last > 0);
        let cursor = |&(stream, next): &(StreamId, u64)| StreamCursor { stream, next, reached: None };
        Self { remaining: left.map(cursor).collect() }
    }

    pub fn remaining(&self) -> u64 {
        self.remaining.iter().map(|left| left.next).sum()
    }

    /// The next page and its stream; `None` at the beginning of all streams. Reads the stream with the newest unread
    /// part first. The caller reports the page's oldest time by [`reached`](Self::reached).
    pub async fn page(&mut self, records: &EventQueries) -> Option<StoreResult<(StreamId, Vec<String>)>> {
        let next = self.remaining.iter_mut().max_by_key(|left| (left.reached.is_none(), left.reached))?;
        let (stream, last) = (next.stream, next.next);
        let (from, count) = page_until(last, AUDIT_PAGE);
        next.next = from - 1;
        self.remaining.retain(|left| left.next > 0);
        Some(records.store.events(stream, from, count).await.map(|events| (stream, events)))
    }

    pub fn reached(&mut self, stream: StreamId, at: Option<Millis>) {
        if let Some(left) = self.remaining.iter_mut().find(|left| left.stream == stream) {
            left.reached = at.or(left.reached);
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct JobRecord {
    pub run: RunId,
    pub kind: JobKind,
    pub turn: Turn,
    pub used: RunUsage,
    pub messages: u64,
    /// Number of new memories, if it looked for any.
    pub noted: Option<u64>,
}

/// The newest jobs from `head` back, newest first.
pub async fn newest(records: &EventQueries, head: TurnId, most: usize) -> StoreResult<Vec<JobRecord>> {
    let mut jobs = Vec::new();
    let mut next = Some(head);
    while let (Some(id), true) = (next.take(), jobs.len() < most) {
        let Some(turn) = records.store.row::<Turn>(Table::Turns, id).await? else { break };
        next = turn.parent;
        let Some((run, kind)) = turn.run.zip(kind_of(&turn.agent)) else { continue };
        let row = records.store.row::<Run>(Table::Runs, run).await?;
        let (messages, new_memories) = row.as_ref().map_or((0, None), counted);
        let used = row.map(|row| row.used).unwrap_or_default();
        jobs.push(JobRecord { run, kind, turn, used, messages, noted: new_memories });
    }
    Ok(jobs)
}

const ANCESTOR_STEPS: usize = 600;

#[derive(Clone, Debug, PartialEq)]
pub struct MergeDraft {
    /// The command that makes it, once the conflicts are resolved.
    pub request: MergeRequest,
    pub merge: MindMerge,
    /// Number of turns only on the other branch.
    pub turns: u64,
    pub ancestor: TurnId,
}

impl MergeDraft {
    pub fn conflicts(&self) -> impl Iterator<Item = (ContentHash, Conflict)> {
        self.merge.fields.iter().flat_map(|field| field.conflict_ids().into_iter().zip(field.contested()))
    }
}

/// Status of a question to the Core about a merge.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeAdvice {
    Requested(Job),
    Proposed(AnsweredMerge),
    Failed { job: JobId, failure: Option<ProviderError> },
}

/// What the Core proposed, by which model and for how much.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredMerge {
    pub proposal: MergeProposal,
    pub model: String,
    pub usage: Usage,
    pub cost: Option<Cost>,
}

/// The status of questions to the Core about merging a turn, from a session's events after this one, and the newest
/// event read. Without `after`, reads only the newest events.
pub async fn advice(
    records: &EventQueries,
    session: SessionId,
    other: TurnId,
    after: Option<u64>,
) -> StoreResult<(u64, Vec<MergeAdvice>)> {
    let stream = StreamId::Session(session);
    let last = records.store.last_seq(stream).await?;
    let mut seq = after.unwrap_or_else(|| last.saturating_sub(PROPOSAL_SEARCH_EVENTS));
    let mut found = Vec::new();
    while seq < last {
        let texts = records.after(stream, seq).await?;
        if texts.is_empty() {
            break;
        }
        for event in texts.iter().filter_map(|text| json::read::<Event>(text).ok()) {
            seq = seq.max(event.seq);
            found.extend(advice_of(&event, other));
        }
    }
    Ok((last, found))
}

fn advice_of(event: &Event, other: TurnId) -> Option<MergeAdvice> {
    match event.known_kind() {
        Some(EventKind::JobOpened(job)) => {
            let is_about_merge = job.question().is_some_and(|question| question.other == other);
            is_about_merge.then(|| MergeAdvice::Requested(job.clone()))
        }
        Some(EventKind::JobDone(JobDone {
            model, usage, cost, result: JobResult::Merge(proposal), ..
        })) if proposal.other == other => {
            let (proposal, model, usage) = (proposal.clone(), model.clone(), usage.clone());
            Some(MergeAdvice::Proposed(AnsweredMerge { proposal, model, usage, cost: *cost }))
        }
        // The caller knows from the questions which jobs belong to this merge.
        Some(EventKind::JobFailed(JobFailure {
            job, kind: JobKind::Sync | JobKind::Merge, failure, ..
        })) => Some(MergeAdvice::Failed { job: *job, failure: failure.clone() }),
        _ => None,
    }
}

/// Drafts merging a turn, or the current head of session `from`, into a session. The inner error says why it is
/// impossible. If the head of `from` has moved since the turn was chosen, the new head is merged.
pub async fn draft(
    records: &EventQueries,
    session: SessionId,
    other: TurnId,
    from: Option<SessionId>,
) -> StoreResult<Decision<MergeDraft>> {
    let row = match from {
        Some(from) => records.store.load_index(from).await?.rows.session(&from).cloned(),
        None => None,
    };
    let other = row.and_then(|row| row.head).unwrap_or(other);
    draft_from_store(&*records.store, session, other, from).await
}

/// Like [`draft`], for a service that has the store.
pub(crate) async fn draft_from_store(
    store: &dyn Store,
    session: SessionId,
    other: TurnId,
    from: Option<SessionId>,
) -> StoreResult<Decision<MergeDraft>> {
    let mut world = store.load_app().await?.rows;
    let Some(row) = world.session(&session).cloned() else { return Ok(Err(Rejection::NoSuchSession)) };
    world.absorb(store.load_mind(&row.mind, &[]).await?.rows);
    // The other branch's mind is not known yet.
    let (mind, theirs) = (row.mind, row.mind);
    let mut request =
        MergeRequest { session, head: row.head, mind, other, from, theirs, resolutions: Vec::new() };
    for _ in 0..ANCESTOR_STEPS {
        let missing = match branches(&world, &row, &request) {
            Ok(found) => {
                let Some(ours) = world.mind(&row.mind) else { return Ok(Err(Rejection::HistoryBroken)) };
                let merge = MindMerge::of(&found.base, ours, &found.theirs);
                request.theirs = found.theirs.hash();
                return Ok(Ok(MergeDraft { request, merge, turns: found.turns, ancestor: found.ancestor }));
            }
            Err(missing) => missing,
        };
        match store.load_missing_of_merge(&missing).await? {
            Some(loaded) => world.absorb(loaded.rows),
            None => return Ok(Err(missing.into())),
        }
    }
    Ok(Err(Rejection::HistoryBroken))
}

#[cfg(test)]
mod tests;

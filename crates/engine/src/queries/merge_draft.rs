//! Drafts a merge for the interface: the changes of both branches, their conflicts, and the Core's proposals.
//!
//! Reads the store only. The merge itself is a command, which is rejected if a branch has moved meanwhile.

use std::rc::Rc;

use crate::port::{Store, StoreError};
use crate::queries::EventQueries;
use crate::store::loading::RowLoader;
use nexus_model::command::{MergeRequest, Rejection};
use nexus_model::decide::merge::{MergeError, branches};
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{JobId, SessionId, StreamId, TurnId};
use nexus_model::job::{Job, JobDone, JobFailure, JobKind, JobResult};
use nexus_model::limits::PROPOSAL_SEARCH_EVENTS;
use nexus_model::llm::Usage;
use nexus_model::mind::merge::MindMerge;
use nexus_model::mind::merge::proposal::MergeProposal;
use nexus_model::provider::failure::ProviderError;
use nexus_model::provider::price::Cost;
use nexus_model::turn::tree::WalkError;
use nexus_text::content_hash::ContentHash;
use nexus_text::json;
use nexus_text::merge3::Conflict;

/// Max rows read to find the common ancestor.
const ANCESTOR_STEPS: usize = 600;

/// A merge that is not made yet.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeDraft {
    /// The command that makes it, once the conflicts are resolved.
    pub request: MergeRequest,
    pub merge: MindMerge,
    /// Number of turns only on the other branch.
    pub turns: u64,
    /// The common ancestor.
    pub ancestor: TurnId,
}

impl MergeDraft {
    /// The conflicts with their hashes, in order.
    pub fn conflicts(&self) -> impl Iterator<Item = (ContentHash, Conflict)> {
        self.merge.fields.iter().flat_map(|field| field.conflict_ids().into_iter().zip(field.contested()))
    }
}

/// Status of a question to the Core about a merge.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeAdvice {
    Requested(Job),
    Proposed(AnsweredMerge),
    /// It failed.
    Failed {
        job: JobId,
        /// The error, if one ended it.
        failure: Option<ProviderError>,
    },
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
) -> Result<(u64, Vec<MergeAdvice>), StoreError> {
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
) -> Result<Result<MergeDraft, Rejection>, StoreError> {
    let loader = RowLoader { store: Rc::clone(&records.store) };
    let row = match from {
        Some(from) => loader.index(from).await?.rows.session(&from).cloned(),
        None => None,
    };
    let other = row.and_then(|row| row.head).unwrap_or(other);
    draft_from_store(&records.store, session, other, from).await
}

/// Like [`draft`], for a service that has the store.
pub(crate) async fn draft_from_store(
    store: &Rc<dyn Store>,
    session: SessionId,
    other: TurnId,
    from: Option<SessionId>,
) -> Result<Result<MergeDraft, Rejection>, StoreError> {
    let loader = RowLoader { store: Rc::clone(store) };
    let mut world = loader.app().await?.rows;
    let Some(row) = world.session(&session).cloned() else { return Ok(Err(Rejection::NoSuchSession)) };
    world.absorb(loader.mind_and_messages(&row.mind, &[]).await?.rows);
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
        let loaded = match &missing {
            MergeError::Stuck(WalkError::Missing(turn)) => loader.thread(*turn).await?,
            MergeError::Turn(turn) => loader.turns(Some(*turn), 1).await?,
            MergeError::Mind(mind) => loader.mind_and_messages(mind, &[]).await?,
            MergeError::Stuck(WalkError::Broken(_)) | MergeError::Rejected(_) => {
                return Ok(Err(missing.into()));
            }
        };
        if loaded.rows.is_empty() {
            return Ok(Err(missing.into()));
        }
        world.absorb(loaded.rows);
    }
    Ok(Err(Rejection::HistoryBroken))
}

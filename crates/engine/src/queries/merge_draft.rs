//! Drafts a merge for the screen: what both branches changed, their conflicts, and the Core's answers about those.
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
use nexus_model::limits::PROPOSALS_WITHIN;
use nexus_model::llm::Usage;
use nexus_model::mind::merge::MindMerge;
use nexus_model::mind::merge::proposal::MergeProposal;
use nexus_model::provider::failure::ProviderError;
use nexus_model::provider::price::Cost;
use nexus_model::turn::tree::WalkError;
use nexus_model::world::World;
use nexus_text::content_hash::ContentHash;
use nexus_text::json;
use nexus_text::merge3::Conflict;

/// Rows that are read at most to find where two branches meet.
const STEPS: usize = 600;

/// A merge that is not made yet.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeDraft {
    /// The command that makes it, once what clashes is decided.
    pub merging: MergeRequest,
    pub joining: MindMerge,
    /// How many turns the other branch has of its own.
    pub turns: u64,
    /// The newest turn that both go back to.
    pub ancestor: TurnId,
}

impl MergeDraft {
    /// What clashes, with its mark, in order.
    pub fn contested(&self) -> impl Iterator<Item = (ContentHash, Conflict)> {
        self.joining.fields.iter().flat_map(|field| field.marks().into_iter().zip(field.contested()))
    }
}

/// What became of a question to the Core about a merge.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeAdvice {
    Asked(Job),
    Proposed(AnsweredMerge),
    /// It came to nothing.
    Failed {
        job: JobId,
        /// Why, where a failure ended it.
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

/// What a session's events after this one say of questions to the Core about merging a turn, and the newest event that
/// was read. From the beginning, only the newest events are looked through.
pub async fn advice(
    records: &EventQueries,
    session: SessionId,
    other: TurnId,
    after: Option<u64>,
) -> Result<(u64, Vec<MergeAdvice>), StoreError> {
    let stream = StreamId::Session(session);
    let last = records.store.last_seq(stream).await?;
    let mut seq = after.unwrap_or_else(|| last.saturating_sub(PROPOSALS_WITHIN));
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
    match event.happening() {
        Some(EventKind::JobOpened(job)) => {
            let is_asked = job.question().is_some_and(|question| question.other == other);
            is_asked.then(|| MergeAdvice::Asked(job.clone()))
        }
        Some(EventKind::JobDone(JobDone {
            model, usage, cost, result: JobResult::Merge(proposal), ..
        })) if proposal.other == other => {
            let (proposal, model, usage) = (proposal.clone(), model.clone(), usage.clone());
            Some(MergeAdvice::Proposed(AnsweredMerge { proposal, model, usage, cost: *cost }))
        }
        // Which of them belong to this merge follows from what was asked before.
        Some(EventKind::JobFailed(JobFailure {
            job, kind: JobKind::Sync | JobKind::Merge, failure, ..
        })) => Some(MergeAdvice::Failed { job: *job, failure: failure.clone() }),
        _ => None,
    }
}

/// Drafts merging a turn, or a session as it stands now, into a session. The inner error says why that cannot be. Where the
/// session's head has moved since the turn was chosen, it is the new one that is merged.
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
    drafted(&records.store, session, other, from).await
}

/// The same for a service, which has the store at hand.
pub(crate) async fn drafted(
    store: &Rc<dyn Store>,
    session: SessionId,
    other: TurnId,
    from: Option<SessionId>,
) -> Result<Result<MergeDraft, Rejection>, StoreError> {
    let loader = RowLoader { store: Rc::clone(store) };
    let mut world = loader.app().await?.rows;
    let Some(row) = world.session(&session).cloned() else { return Ok(Err(Rejection::NoSuchSession)) };
    world.absorb(loader.left(&row.mind, &[]).await?.rows);
    // Whose mind the other branch has is found with it.
    let (mind, theirs) = (row.mind, row.mind);
    let mut merging =
        MergeRequest { session, head: row.head, mind, other, from, theirs, decided: Vec::new() };
    for _ in 0..STEPS {
        let missing = match branches(&world, &row, &merging) {
            Ok(found) => {
                let Some(ours) = world.mind(&row.mind) else { return Ok(Err(Rejection::HistoryBroken)) };
                let joining = MindMerge::of(&found.base, ours, &found.theirs);
                merging.theirs = found.theirs.hash();
                return Ok(Ok(MergeDraft { merging, joining, turns: found.turns, ancestor: found.ancestor }));
            }
            Err(missing) => missing,
        };
        let loaded = match &missing {
            MergeError::Stuck(WalkError::Missing(turn)) => loader.thread(*turn).await?,
            MergeError::Turn(turn) => loader.turns(Some(*turn), 1).await?,
            MergeError::Mind(mind) => loader.left(mind, &[]).await?,
            MergeError::Stuck(WalkError::Broken(_)) | MergeError::Rejected(_) => {
                return Ok(Err(missing.into()));
            }
        };
        if loaded.rows == World::default() {
            return Ok(Err(missing.into()));
        }
        world.absorb(loaded.rows);
    }
    Ok(Err(Rejection::HistoryBroken))
}

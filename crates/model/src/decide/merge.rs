//! Decides merges: adds a turn with two parents whose mind combines both branches.
//!
//! Rejects a merge with unresolved conflicts.

mod shared_mind;

use super::{Decider, Rejection};
use crate::command::MergeRequest;
use crate::decide::merge::shared_mind::{Branch, after, shared_mind, shared_states};
use crate::decide::sessions::steps_between;
use crate::event::EventKind;
use crate::id::{JobId, TurnId};
use crate::job::sync::core_config;
use crate::job::{JobCause, JobTask};
use crate::limits::CONFLICTS_PER_REQUEST;
use crate::message::content::MessagePart;
use crate::message::{Role, Source};
use crate::mind::merge::proposal::MergeQuestion;
use crate::mind::merge::{MergeInputs, MindMerge, describe_branch};
use crate::session::{MergeRecord, Session, SessionRole};
use crate::turn::tree::{WalkError, common_ancestor, merge_bases};
use crate::turn::{Turn, TurnEnd, TurnKind, TurnPhase};
use crate::world::World;
use nexus_text::content_hash::ContentHash;

pub use crate::decide::merge::shared_mind::MergeError;

/// The agent key of merge turns.
const MERGER: &str = "operator";

/// Finds the ancestor, base and other mind of a merge into a session.
pub fn branches(world: &World, session: &Session, merging: &MergeRequest) -> Result<MergeInputs, MergeError> {
    let from = merging.from.and_then(|id| world.session(&id));
    let own = from.filter(|from| from.parent == Some(session.id));
    let sent = own.and_then(|from| Some((from, from.delegation.as_ref()?)));
    let lane = own.filter(|own| own.role() == SessionRole::Candidate);
    let records: Vec<MergeRecord> = session
        .merges
        .iter()
        .chain(from.iter().flat_map(|from| &from.merges))
        .fold(Vec::new(), |mut records, merged| {
            if !records.contains(merged) {
                records.push(merged.clone());
            }
            records
        });
    let meeting = session.head.map(|head| merge_bases(world, &[head], merging.other, &records));
    let meeting = meeting.transpose().map_err(MergeError::Stuck)?.filter(|meeting| !meeting.bases.is_empty());
    let (head, meeting) = match (session.head.zip(meeting), sent, lane) {
        (Some(meeting), ..) => meeting,
        // The thread of a worker, or of a lane that raced for the first message, has no parent.
        (None, Some((worker, sent)), _) => {
            let inputs = thread_inputs(world, worker, merging, (sent.turn, &sent.base))?;
            let has_nothing = inputs.theirs == inputs.base;
            return if has_nothing {
                Err(MergeError::Rejected(Rejection::NothingToMerge))
            } else {
                Ok(inputs)
            };
        }
        (None, None, Some(lane)) if session.head.is_some() => {
            let first = world.ancestry(Some(merging.other)).last().ok_or(MergeError::Turn(merging.other))?;
            return thread_inputs(world, lane, merging, (first.id, &first.mind_before));
        }
        (None, None, _) => return Err(MergeError::Rejected(Rejection::Unrelated)),
    };
    let other = world.turn(&merging.other).ok_or(MergeError::Turn(merging.other))?;
    let mind = |hash: &ContentHash| world.mind(hash).cloned().ok_or(MergeError::Mind(*hash));
    // As in a fork, the working mind belongs to the session's head.
    let owner = from.filter(|from| from.head == Some(other.id));
    let theirs = mind(owner.map_or_else(|| after(other), |from| &from.mind))?;
    let ours = Branch::now(head, Some((session.id, session.mind)));
    let branch = Branch::now(other.id, owner.map(|from| (from.id, from.mind)));
    let states = shared_states(world, (&[ours], &branch), &meeting, &records)?;
    let base = shared_mind(world, &states, &records, 0)?;
    let depth = |turn: TurnId| {
        world.thread(&turn).map(|thread| thread.depth).ok_or(MergeError::Stuck(WalkError::Missing(turn)))
    };
    // The newest common ancestor of both branches.
    let mut ancestor = None;
    for line in &meeting.ours {
        let shared = common_ancestor(world, line.tip, merging.other).map_err(MergeError::Stuck)?;
        let shared = shared.map(|turn| Ok::<_, MergeError>((depth(turn)?, turn))).transpose()?;
        ancestor = ancestor.max(shared);
    }
    // Nothing to merge either, if the operator has already brought the session to the same mind.
    let is_ours = world.working_mind(session) == Some(&theirs);
    if meeting.bases == [merging.other] && (theirs == base || is_ours) {
        return Err(MergeError::Rejected(Rejection::NothingToMerge));
    }
    let (shared, ancestor) = match (ancestor, meeting.bases.last()) {
        (Some(ancestor), _) => ancestor,
        (None, Some(base)) => (0, *base),
        (None, None) => return Err(MergeError::Rejected(Rejection::Unrelated)),
    };
    let turns = depth(merging.other)?.saturating_sub(shared);
    Ok(MergeInputs { ancestor, base, theirs, turns })
}

/// The inputs for a thread without a parent, which shares only this mind with the session.
fn thread_inputs(
    world: &World,
    from: &Session,
    merging: &MergeRequest,
    (ancestor, base): (TurnId, &ContentHash),
) -> Result<MergeInputs, MergeError> {
    let mind = |hash: &ContentHash| world.mind(hash).cloned().ok_or(MergeError::Mind(*hash));
    let other = world.turn(&merging.other).ok_or(MergeError::Turn(merging.other))?;
    let base = mind(base)?;
    let theirs = mind(if from.head == Some(other.id) { &from.mind } else { after(other) })?;
    let missing = MergeError::Stuck(WalkError::Missing(other.id));
    let turns = world.thread(&other.id).ok_or(missing)?.depth;
    Ok(MergeInputs { ancestor, base, theirs, turns })
}

/// True if either branch has moved since the merge was drafted.
pub(super) fn has_moved(world: &World, session: &Session, merging: &MergeRequest) -> bool {
    let from = merging.from.and_then(|id| world.session(&id));
    session.head != merging.head
        || session.mind != merging.mind
        || from.is_some_and(|from| from.head != Some(merging.other) || from.mind != merging.theirs)
}

impl Decider<'_, '_, '_> {
    pub(super) fn merge_branch(&mut self, merging: &MergeRequest) -> Result<(), Rejection> {
        let session = self.session(merging.session)?;
        self.ensure_idle(session)?;
        self.ensure_open(session)?;
        // A draft is stale once a branch has moved.
        if has_moved(self.world, session, merging) {
            return Err(Rejection::MovedOn);
        }
        let other = self.world.turn(&merging.other).ok_or(Rejection::NoSuchTurn)?;
        if other.phase.is_open() {
            return Err(Rejection::TurnWorks);
        }
        let branches = branches(self.world, session, merging)?;
        let ours = self.working_mind(session)?;
        let merge = MindMerge::of(&branches.base, ours, &branches.theirs);
        let mind = merge.resolved(ours, &merging.resolutions).ok_or(Rejection::ClashesOpen)?;

        let from = merging.from.and_then(|id| self.world.session(&id));
        // The session owns the merged mind only if the turn is its head.
        let owner = from.filter(|from| from.head == Some(other.id)).map(|from| from.id);
        let label = from.map_or("another branch", |from| from.label.as_str());
        let text = describe_branch(self.world, label, merging.from, other, &branches);
        let mut message =
            self.message(session, Role::System, Some(Source::Event), vec![MessagePart::text(&text)]);
        let head = session.head.and_then(|head| self.world.turn(&head)).ok_or(Rejection::HeadMissing)?;
        let turn = Turn {
            parent: session.head,
            second_parent: Some(other.id),
            merged_from: owner,
            query: vec![message.id],
            answers: vec![message.id],
            // No model is called: the turn opens and closes in one step.
            phase: TurnPhase::AwaitingLlmDecision,
            mind_shown: branches.theirs.hash(),
            ..Turn::opened(
                TurnId::new(self.env.ids),
                session.id,
                TurnKind::Merge,
                MERGER.into(),
                head.config.clone(),
                session.mind,
                self.now(),
            )
        };
        message.turn = Some(turn.id);
        let (id, after) = (session.id, mind.hash());
        let note = |decider: &mut Self, what| decider.note(id, None, Some(turn.id), what);
        note(self, EventKind::MessageCommitted { message });
        note(self, EventKind::TurnOpened { turn: turn.clone() });
        let edits = steps_between(ours, &mind);
        if !edits.is_empty() {
            note(self, EventKind::MindEdited { base: session.mind, edits, undoes: None });
        }
        let closed = EventKind::TurnClosed {
            end: TurnEnd::Completed,
            failure: None,
            partial: None,
            mind_after: after,
        };
        note(self, closed);
        let moved =
            EventKind::HeadMoved { from: session.head, to: Some(turn.id), mind: after, by_hand: None };
        note(self, moved);
        Ok(())
    }

    /// Requests a proposal from the Core, which changes nothing until the operator accepts it.
    pub(super) fn ask_about_conflicts(
        &mut self,
        merging: &MergeRequest,
        conflicts: &[ContentHash],
    ) -> Result<(), Rejection> {
        let session = self.session(merging.session)?;
        self.ensure_idle(session)?;
        self.ensure_core_idle(session)?;
        // A stale draft is made again before the Core is asked.
        if has_moved(self.world, session, merging) {
            return Err(Rejection::MovedOn);
        }
        if conflicts.is_empty() {
            return Err(Rejection::NothingToMerge);
        }
        let question = MergeQuestion {
            mind: merging.mind,
            other: merging.other,
            from: merging.from,
            conflicts: conflicts.iter().take(CONFLICTS_PER_REQUEST).cloned().collect(),
        };
        let id = JobId::new(self.env.ids);
        self.open_job(session, id, JobTask::Merge(question), JobCause::Manual, core_config(self.world));
        Ok(())
    }
}

#[cfg(test)]
mod tests;

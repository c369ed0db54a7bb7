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
use crate::limits::CLASHES_ASKED;
use crate::message::content::MessagePart;
use crate::message::{Role, Source};
use crate::mind::merge::proposal::MergeQuestion;
use crate::mind::merge::{MergeInputs, MindMerge, told};
use crate::session::delegation::Delegation;
use crate::session::{MergeRecord, Session, SessionRole};
use crate::turn::tree::{WalkError, common_ancestor, merge_bases};
use crate::turn::{Turn, TurnEnd, TurnKind, TurnPhase};
use crate::world::World;
use nexus_text::content_hash::ContentHash;

pub use crate::decide::merge::shared_mind::MergeError;

/// Who merges, in the place of an agent.
const MERGER: &str = "operator";

/// Finds what a merge of another turn into a session is made of.
pub fn branches(world: &World, session: &Session, merging: &MergeRequest) -> Result<MergeInputs, MergeError> {
    let from = merging.from.and_then(|id| world.session(&id));
    let own = from.filter(|from| from.parent == Some(session.id));
    let sent = own.and_then(|from| Some((from, from.delegation.as_ref()?)));
    let lane = own.filter(|own| own.role() == SessionRole::Candidate);
    let noted: Vec<MergeRecord> = session
        .merges
        .iter()
        .chain(from.iter().flat_map(|from| &from.merges))
        .fold(Vec::new(), |mut noted, merged| {
            if !noted.contains(merged) {
                noted.push(merged.clone());
            }
            noted
        });
    let met = session.head.map(|head| merge_bases(world, &[head], merging.other, &noted));
    let met = met.transpose().map_err(MergeError::Stuck)?.filter(|met| !met.bases.is_empty());
    let (head, met) = match (session.head.zip(met), sent, lane) {
        (Some(met), ..) => met,
        // A worker's thread, and those of lanes that raced for the first message, begin anew.
        (None, Some((worker, delegation)), _) => return of_worker(world, worker, delegation, merging),
        (None, None, Some(lane)) if session.head.is_some() => return of_lane(world, lane, merging),
        (None, None, _) => return Err(MergeError::Rejected(Rejection::Unrelated)),
    };
    let other = world.turn(&merging.other).ok_or(MergeError::Turn(merging.other))?;
    let mind = |hash: &ContentHash| world.mind(hash).cloned().ok_or(MergeError::Mind(*hash));
    // A session's head has the session's working mind, as when it is forked.
    let owner = from.filter(|from| from.head == Some(other.id));
    let theirs = mind(owner.map_or_else(|| after(other), |from| &from.mind))?;
    let ours = Branch::now(head, Some((session.id, session.mind)));
    let branch = Branch::now(other.id, owner.map(|from| (from.id, from.mind)));
    let states = shared_states(world, (&[ours], &branch), &met, &noted)?;
    let base = shared_mind(world, &states, &noted, 0)?;
    let depth = |turn: TurnId| {
        world.thread(&turn).map(|thread| thread.depth).ok_or(MergeError::Stuck(WalkError::Missing(turn)))
    };
    // The newest turn of the other branch that this one goes back to.
    let mut ancestor = None;
    for line in &met.ours {
        let shared = common_ancestor(world, line.tip, merging.other).map_err(MergeError::Stuck)?;
        let shared = shared.map(|turn| Ok::<_, MergeError>((depth(turn)?, turn))).transpose()?;
        ancestor = ancestor.max(shared);
    }
    // Where the session has moved on from that turn by the operator's hand alone, it has nothing of its own either.
    let is_ours = world.working_mind(session) == Some(&theirs);
    if met.bases == [merging.other] && (theirs == base || is_ours) {
        return Err(MergeError::Rejected(Rejection::NothingToMerge));
    }
    let (shared, ancestor) = match (ancestor, met.bases.last()) {
        (Some(ancestor), _) => ancestor,
        (None, Some(base)) => (0, *base),
        (None, None) => return Err(MergeError::Rejected(Rejection::Unrelated)),
    };
    let turns = depth(merging.other)?.saturating_sub(shared);
    Ok(MergeInputs { ancestor, base, theirs, turns })
}

/// A worker's thread begins anew, so the two have no turn in common but the one that gave the task.
fn of_worker(
    world: &World,
    worker: &Session,
    delegation: &Delegation,
    merging: &MergeRequest,
) -> Result<MergeInputs, MergeError> {
    let mind = |hash: &ContentHash| world.mind(hash).cloned().ok_or(MergeError::Mind(*hash));
    let other = world.turn(&merging.other).ok_or(MergeError::Turn(merging.other))?;
    let base = mind(&delegation.base)?;
    let theirs = match worker.head {
        Some(head) if head == other.id => mind(&worker.mind)?,
        Some(_) | None => mind(other.mind_after.as_ref().unwrap_or(&other.mind_before))?,
    };
    if theirs == base {
        return Err(MergeError::Rejected(Rejection::NothingToMerge));
    }
    let missing = MergeError::Stuck(WalkError::Missing(other.id));
    let thread = world.thread(&other.id).ok_or(missing)?;
    Ok(MergeInputs { ancestor: delegation.turn, base, theirs, turns: thread.depth })
}

/// Lanes that raced for the first message of a session have no turn in common, but the mind that they began with.
fn of_lane(world: &World, lane: &Session, merging: &MergeRequest) -> Result<MergeInputs, MergeError> {
    let mind = |hash: &ContentHash| world.mind(hash).cloned().ok_or(MergeError::Mind(*hash));
    let other = world.turn(&merging.other).ok_or(MergeError::Turn(merging.other))?;
    let first = world.ancestry(Some(other.id)).last().unwrap_or(other);
    let base = mind(&first.mind_before)?;
    let theirs = match lane.head {
        Some(head) if head == other.id => mind(&lane.mind)?,
        Some(_) | None => mind(other.mind_after.as_ref().unwrap_or(&other.mind_before))?,
    };
    let missing = MergeError::Stuck(WalkError::Missing(other.id));
    let thread = world.thread(&other.id).ok_or(missing)?;
    Ok(MergeInputs { ancestor: first.id, base, theirs, turns: thread.depth })
}

/// Whether a branch has moved since a merge was drafted: this one, or that of the session that is merged.
pub(super) fn has_moved(world: &World, session: &Session, merging: &MergeRequest) -> bool {
    let from = merging.from.and_then(|id| world.session(&id));
    session.head != merging.head
        || session.mind != merging.mind
        || from.is_some_and(|from| from.head != Some(merging.other) || from.mind != merging.theirs)
}

impl Decider<'_, '_, '_> {
    pub(super) fn merge_branch(&mut self, merging: &MergeRequest) -> Result<(), Rejection> {
        let session = self.session(merging.session)?;
        self.rests(session)?;
        self.is_not_closed(session)?;
        // The draft was made of what was here then: where that has moved, it is made again.
        if has_moved(self.world, session, merging) {
            return Err(Rejection::MovedOn);
        }
        let other = self.world.turn(&merging.other).ok_or(Rejection::NoSuchTurn)?;
        if other.phase.is_open() {
            return Err(Rejection::TurnWorks);
        }
        let branches = branches(self.world, session, merging)?;
        let ours = self.working_mind(session)?;
        let joining = MindMerge::of(&branches.base, ours, &branches.theirs);
        let mind = joining.settled(ours, &merging.decided).ok_or(Rejection::ClashesOpen)?;

        let from = merging.from.and_then(|id| self.world.session(&id));
        // The working mind that is merged is that session's only where it points to the turn.
        let owner = from.filter(|from| from.head == Some(other.id)).map(|from| from.id);
        let label = from.map_or("another branch", |from| from.label.as_str());
        let text = told(self.world, label, merging.from, other, &branches);
        let mut message =
            self.message(session, Role::System, Some(Source::Event), vec![MessagePart::text(&text)]);
        let head = session.head.and_then(|head| self.world.turn(&head)).ok_or(Rejection::HeadMissing)?;
        let turn = Turn {
            parent: session.head,
            second_parent: Some(other.id),
            merged_from: owner,
            query: vec![message.id],
            answers: vec![message.id],
            // No model is asked: it is opened and closed in one step.
            phase: TurnPhase::AwaitingLlmDecision,
            mind_shown: branches.theirs.hash(),
            ..Turn::opened(
                TurnId::new(self.moment.ids),
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
        let note = |scene: &mut Self, what| scene.note(id, None, Some(turn.id), what);
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

    /// The Core is asked for a proposal, which changes nothing in a session until the operator takes it.
    pub(super) fn ask_about_clashes(
        &mut self,
        merging: &MergeRequest,
        clashes: &[ContentHash],
    ) -> Result<(), Rejection> {
        let session = self.session(merging.session)?;
        self.rests(session)?;
        self.core_rests(session)?;
        // The draft was made of what was here then: where that has moved, it is made again before anybody is asked.
        if has_moved(self.world, session, merging) {
            return Err(Rejection::MovedOn);
        }
        if clashes.is_empty() {
            return Err(Rejection::NothingToMerge);
        }
        let question = MergeQuestion {
            mind: merging.mind,
            other: merging.other,
            from: merging.from,
            clashes: clashes.iter().take(CLASHES_ASKED).cloned().collect(),
        };
        let id = JobId::new(self.moment.ids);
        self.open_job(session, id, JobTask::Merge(question), JobCause::Manual, core_config(self.world));
        Ok(())
    }
}

#[cfg(test)]
mod tests;

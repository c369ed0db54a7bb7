//! Never merges by itself what clashes: the operator decided, or it is refused.
//!
//! Owns merging another branch into a session: one turn with two parents, whose mind is what both made of theirs.

use super::sessions::steps_between;
use super::{Rejection, Scene};
use crate::domain::command::Merging;
use crate::domain::delegation::Delegation;
use crate::domain::event::Happening;
use crate::domain::hash::Hash;
use crate::domain::id::TurnId;
use crate::domain::joining::{Branches, Joining, told};
use crate::domain::message::{Role, Source};
use crate::domain::model::Usage;
use crate::domain::part::Part;
use crate::domain::race::is_lane;
use crate::domain::session::{Merged, Session};
use crate::domain::tree::{Stuck, common_ancestor, is_ancestor};
use crate::domain::turn::{Turn, TurnEnd, TurnKind, TurnPhase};
use crate::domain::world::World;

/// Who merges, in the place of an agent.
const MERGER: &str = "operator";

/// Finds what a merge of another turn into a session is made of.
///
/// # Errors
/// Why the two cannot be merged, or which thread has to be loaded to tell.
pub fn branches(world: &World, session: &Session, merging: &Merging) -> Result<Branches, NotMerged> {
    let sent = merging.from.and_then(|id| world.session(&id)).filter(|from| from.parent == Some(session.id));
    if let Some((worker, delegation)) = sent.and_then(|from| Some((from, from.delegation.as_ref()?))) {
        return of_worker(world, worker, delegation, merging);
    }
    let head = session.head.ok_or(NotMerged::Rejected(Rejection::Unrelated))?;
    let ancestor = common_ancestor(world, head, merging.other).map_err(NotMerged::Stuck)?;
    let lane = merging.from.and_then(|id| world.session(&id)).filter(|from| is_lane(from));
    if let (None, Some(lane)) = (ancestor, lane.filter(|lane| lane.parent == Some(session.id))) {
        return of_lane(world, lane, merging);
    }
    let ancestor = ancestor.ok_or(NotMerged::Rejected(Rejection::Unrelated))?;
    let merged = merged_last(world, session, head, merging.other)?;
    let ancestor = merged.map_or(ancestor, |merged| merged.other);
    let other = world.turn(&merging.other).ok_or(NotMerged::Turn(merging.other))?;
    let broken = || NotMerged::Rejected(Rejection::HistoryBroken);
    let mind = |hash: &Hash| world.mind(hash).cloned().ok_or_else(|| NotMerged::Mind(hash.clone()));
    let mind_of = |turn: &Turn| mind(turn.mind_after.as_ref().unwrap_or(&turn.mind_before));
    let base = match merged {
        Some(merged) => mind(&merged.mind)?,
        None => mind_of(world.turn(&ancestor).ok_or(NotMerged::Turn(ancestor))?)?,
    };
    // A session's head has the session's working mind, as when it is forked.
    let owner = merging.from.and_then(|id| world.session(&id)).filter(|from| from.head == Some(other.id));
    let theirs = match owner {
        Some(from) => mind(&from.mind)?,
        None => mind_of(other)?,
    };
    // Where the session has moved on from that turn by the operator's hand alone, it has nothing of its own either.
    let is_ours = world.working_mind(session) == Some(&theirs);
    if ancestor == merging.other && (theirs == base || is_ours) {
        return Err(NotMerged::Rejected(Rejection::NothingToMerge));
    }
    let depth = |turn: TurnId| world.thread(&turn).map(|thread| thread.depth).ok_or_else(broken);
    let turns = depth(merging.other)?.saturating_sub(depth(ancestor)?);
    Ok(Branches { ancestor, base, theirs, turns })
}

/// A worker's thread begins anew, so the two have no turn in common but the one that gave the task.
fn of_worker(
    world: &World,
    worker: &Session,
    delegation: &Delegation,
    merging: &Merging,
) -> Result<Branches, NotMerged> {
    let mind = |hash: &Hash| world.mind(hash).cloned().ok_or_else(|| NotMerged::Mind(hash.clone()));
    let other = world.turn(&merging.other).ok_or(NotMerged::Turn(merging.other))?;
    let base = mind(&delegation.base)?;
    let theirs = match worker.head {
        Some(head) if head == other.id => mind(&worker.mind)?,
        Some(_) | None => mind(other.mind_after.as_ref().unwrap_or(&other.mind_before))?,
    };
    if theirs == base {
        return Err(NotMerged::Rejected(Rejection::NothingToMerge));
    }
    let missing = NotMerged::Stuck(Stuck::Missing(other.id));
    let thread = world.thread(&other.id).ok_or(missing)?;
    Ok(Branches { ancestor: delegation.turn, base, theirs, turns: thread.depth })
}

/// Lanes that raced for the first message of a session have no turn in common, but the mind that they began with.
fn of_lane(world: &World, lane: &Session, merging: &Merging) -> Result<Branches, NotMerged> {
    let mind = |hash: &Hash| world.mind(hash).cloned().ok_or_else(|| NotMerged::Mind(hash.clone()));
    let other = world.turn(&merging.other).ok_or(NotMerged::Turn(merging.other))?;
    let first = world.ancestry(Some(other.id)).last().unwrap_or(other);
    let base = mind(&first.mind_before)?;
    let theirs = match lane.head {
        Some(head) if head == other.id => mind(&lane.mind)?,
        Some(_) | None => mind(other.mind_after.as_ref().unwrap_or(&other.mind_before))?,
    };
    let missing = NotMerged::Stuck(Stuck::Missing(other.id));
    let thread = world.thread(&other.id).ok_or(missing)?;
    Ok(Branches { ancestor: first.id, base, theirs, turns: thread.depth })
}

/// What was merged last of the other branch where this one is.
fn merged_last<'s>(
    world: &World,
    session: &'s Session,
    head: TurnId,
    other: TurnId,
) -> Result<Option<&'s Merged>, NotMerged> {
    for merged in session.merges.iter().rev() {
        if is_ancestor(world, merged.turn, head).map_err(NotMerged::Stuck)?
            && is_ancestor(world, merged.other, other).map_err(NotMerged::Stuck)?
        {
            return Ok(Some(merged));
        }
    }
    Ok(None)
}

/// Whether a branch has moved since a merge was drafted: this one, or that of the session that is merged.
pub(super) fn has_moved(world: &World, session: &Session, merging: &Merging) -> bool {
    let from = merging.from.and_then(|id| world.session(&id));
    session.head != merging.head
        || session.mind != merging.mind
        || from.is_some_and(|from| from.head != Some(merging.other) || from.mind != merging.theirs)
}

/// Why a merge cannot be made.
#[derive(Clone, Debug, PartialEq)]
pub enum NotMerged {
    /// It is refused.
    Rejected(Rejection),
    /// A walk came to no end.
    Stuck(Stuck),
    /// This turn is not loaded.
    Turn(TurnId),
    /// This mind is not loaded.
    Mind(Hash),
}

impl From<NotMerged> for Rejection {
    fn from(why: NotMerged) -> Self {
        match why {
            NotMerged::Rejected(rejection) => rejection,
            NotMerged::Stuck(_) | NotMerged::Mind(_) => Self::HistoryBroken,
            NotMerged::Turn(_) => Self::NoSuchTurn,
        }
    }
}

impl Scene<'_, '_, '_> {
    pub(super) fn merge_branch(&mut self, merging: &Merging) -> Result<(), Rejection> {
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
        let ours = self.world.working_mind(session).ok_or(Rejection::HistoryBroken)?;
        let joining = Joining::of(&branches.base, ours, &branches.theirs);
        let mind = joining.settled(ours, &merging.decided).ok_or(Rejection::ClashesOpen)?;

        let from = merging.from.and_then(|id| self.world.session(&id));
        let label = from.map_or("another branch", |from| from.label.as_str());
        let text = told(self.world, label, merging.from, other, &branches);
        let mut message = self.message(session, Role::User, Some(Source::Event), vec![Part::text(&text)]);
        let head = session.head.and_then(|head| self.world.turn(&head)).ok_or(Rejection::HeadMissing)?;
        let turn = Turn {
            id: TurnId::new(self.moment.ids),
            session: session.id,
            parent: session.head,
            second_parent: Some(other.id),
            kind: TurnKind::Merge,
            run: None,
            node: None,
            round: 1,
            agent: MERGER.into(),
            config: head.config.clone(),
            continues: None,
            query: vec![message.id],
            answers: vec![message.id],
            messages: Vec::new(),
            tool_runs: Vec::new(),
            // No model is asked: it is opened and closed in one step.
            phase: TurnPhase::AwaitingLlmDecision,
            end: None,
            failure: None,
            mind_before: session.mind.clone(),
            mind_shown: branches.theirs.hash(),
            mind_after: None,
            calls: Vec::new(),
            usage: Usage::default(),
            opened_at: self.now(),
            closed_at: None,
        };
        message.turn = Some(turn.id);
        let (id, after) = (session.id, mind.hash());
        let note = |scene: &mut Self, what| scene.note(id, None, Some(turn.id), what);
        note(self, Happening::MessageCommitted { message });
        note(self, Happening::TurnOpened { turn: turn.clone() });
        let edits = steps_between(ours, &mind);
        if !edits.is_empty() {
            note(self, Happening::MindEdited { base: session.mind.clone(), edits, undoes: None });
        }
        let closed = Happening::TurnClosed {
            end: TurnEnd::Completed,
            failure: None,
            partial: None,
            mind_after: after.clone(),
        };
        note(self, closed);
        let moved =
            Happening::HeadMoved { from: session.head, to: Some(turn.id), mind: after, by_hand: None };
        note(self, moved);
        Ok(())
    }
}

//! Finds the mind that two branches share: the base of a three-way merge.
//!
//! Criss-cross merges have several bases. They are merged into a virtual base, as in git; a conflict between bases
//! stays in it, between marks.

use std::sync::Arc;

use crate::decide::Rejection;
use crate::id::{SessionId, TurnId};
use crate::mind::Mind;
use crate::mind::merge::{MindMerge, marked};
use crate::session::MergeRecord;
use crate::turn::Turn;
use crate::turn::tree::{Line, Meeting, WalkError, ancestor_at, is_ancestor, lines_to, merge_bases, row};
use crate::world::World;
use nexus_text::content_hash::ContentHash;

/// The maximum depth of merging bases into bases.
const DEEPEST: usize = 16;
/// The maximum number of successive forks from one turn.
const FORKS_IN_A_ROW: usize = 64;

/// A branch: its newest turn, and the working mind there if a session points to it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Branch {
    pub(super) turn: TurnId,
    working: Option<Departure>,
}

impl Branch {
    pub(super) fn now(turn: TurnId, working: Option<(SessionId, ContentHash)>) -> Self {
        let working = working.map(|(session, mind)| Departure { session: Some(session), at: u64::MAX, mind });
        Self { turn, working }
    }

    fn mind(&self, world: &World) -> Result<Arc<Mind>, MergeError> {
        let turn = world.turn(&self.turn).ok_or(MergeError::Turn(self.turn))?;
        let hash = self.working.as_ref().map_or_else(|| after(turn), |working| &working.mind);
        world.mind(hash).cloned().ok_or(MergeError::Mind(*hash))
    }
}

/// The working mind of a branch when it left a turn.
#[derive(Clone, Debug, PartialEq)]
struct Departure {
    /// Absent in merges of earlier versions, and if nothing was written at the turn.
    session: Option<SessionId>,
    at: u64,
    mind: ContentHash,
}

/// The shared states of two branches that are no ancestor of another one, oldest first: `git merge-base --all`, with
/// each state of a working mind as a commit.
pub(super) fn shared_states(
    world: &World,
    (ours, theirs): (&[Branch], &Branch),
    meeting: &Meeting,
    records: &[MergeRecord],
) -> Result<Vec<Branch>, MergeError> {
    let mut states: Vec<Branch> = Vec::new();
    for turn in &meeting.common {
        let left = departures(world, &meeting.ours, ours, *turn)?;
        let right = departures(world, &meeting.theirs, std::slice::from_ref(theirs), *turn)?;
        let pairs = left.iter().flat_map(|one| right.iter().map(move |other| (one, other)));
        let shared = pairs.filter_map(|(one, other)| {
            shared(&with_fork_parents(world, one, *turn), &with_fork_parents(world, other, *turn))
        });
        let mut found = false;
        for working in shared {
            found = true;
            let is_known = |state: &Branch| {
                state.turn == *turn && state.working.as_ref().is_some_and(|known| known.mind == working.mind)
            };
            if !states.iter().any(is_known) {
                states.push(Branch { turn: *turn, working: Some(working) });
            }
        }
        if !found && meeting.bases.contains(turn) {
            states.push(Branch { turn: *turn, working: None });
        }
    }
    let mut best = Vec::new();
    for state in &states {
        let mut is_best = true;
        for other in states.iter().filter(|other| *other != state) {
            is_best = is_best && !descends_from(world, other, state, records)?;
        }
        best.extend(is_best.then(|| state.clone()));
    }
    Ok(best)
}

fn descends_from(
    world: &World,
    newer: &Branch,
    older: &Branch,
    records: &[MergeRecord],
) -> Result<bool, MergeError> {
    let lines = lines_to(world, newer.turn, older.turn, records).map_err(MergeError::Stuck)?;
    let left = departures(world, &lines, std::slice::from_ref(newer), older.turn)?;
    Ok(left.iter().any(|left| match &older.working {
        None => true,
        Some(working) => with_fork_parents(world, left, older.turn).iter().any(|each| {
            is_same_session(each, working) && (each.at >= working.at || each.mind == working.mind)
        }),
    }))
}

/// Merges the shared states of two branches into one mind.
pub(super) fn shared_mind(
    world: &World,
    states: &[Branch],
    records: &[MergeRecord],
    depth: usize,
) -> Result<Arc<Mind>, MergeError> {
    let Some((first, rest)) = states.split_first() else { return Ok(Arc::default()) };
    let (mut turns, mut merged, mut taken) = (vec![first.turn], first.mind(world)?, vec![first.clone()]);
    for state in rest.iter().filter(|_| depth < DEEPEST) {
        let meeting = merge_bases(world, &turns, state.turn, records).map_err(MergeError::Stuck)?;
        let older = shared_states(world, (&taken, state), &meeting, records)?;
        let base = shared_mind(world, &older, records, depth.saturating_add(1))?;
        let mind = state.mind(world)?;
        merged = Arc::new(marked(&MindMerge::of(&base, &merged, &mind), &base, &merged, depth));
        turns.push(state.turn);
        taken.push(state.clone());
    }
    Ok(merged)
}

/// The working minds with which the lines of a branch left a turn.
fn departures(
    world: &World,
    lines: &[Line],
    branches: &[Branch],
    base: TurnId,
) -> Result<Vec<Departure>, MergeError> {
    let depth = row(world, base).map_err(MergeError::Stuck)?.depth;
    let mut found = Vec::new();
    for line in lines {
        if !is_ancestor(world, base, line.tip).map_err(MergeError::Stuck)? {
            continue;
        }
        let turn = |id: TurnId| world.turn(&id).ok_or(MergeError::Turn(id));
        found.extend(match (line.tip == base, line.merge) {
            (false, _) => {
                let child = ancestor_at(world, line.tip, depth.saturating_add(1));
                let child = child.map_err(MergeError::Stuck)?.map(turn).transpose()?;
                child.map(|child| Departure {
                    session: Some(child.session),
                    at: child.opened_at.0,
                    mind: child.mind_before,
                })
            }
            (true, Some(merge)) => {
                let merge = turn(merge)?;
                let (session, at) = (merge.merged_from, merge.opened_at.0);
                Some(Departure { session, at, mind: merge.mind_shown })
            }
            (true, None) => {
                let branch = branches.iter().find(|branch| branch.turn == base);
                branch.and_then(|branch| branch.working.clone())
            }
        });
    }
    let turn = world.turn(&base).ok_or(MergeError::Turn(base))?;
    for departure in &mut found {
        // Each session starts at the turn with this mind.
        if departure.mind == *after(turn) {
            (departure.session, departure.at) = (None, 0);
        }
    }
    Ok(found)
}

pub(super) fn after(turn: &Turn) -> &ContentHash {
    turn.mind_after.as_ref().unwrap_or(&turn.mind_before)
}

/// A departure, followed by those of the sessions that its session was forked from at the same turn.
fn with_fork_parents(world: &World, last: &Departure, base: TurnId) -> Vec<Departure> {
    let mut all = vec![last.clone()];
    let mut next = last.session;
    for _ in 0..FORKS_IN_A_ROW {
        let Some(row) = next.and_then(|id| world.session(&id)) else { break };
        let Some(began) = row.fork_base.as_ref().filter(|began| began.turn == base) else { break };
        next = row.parent;
        let taken_over = Departure { session: next, at: row.created_at.0, mind: began.mind };
        // If nothing was written since, the mind is still that of the parent.
        if all.last().is_some_and(|last| last.mind == taken_over.mind) {
            all.pop();
        }
        all.push(taken_over);
    }
    all
}

/// The newest departure in both; of a session's two departures, the older one.
///
/// A session only adds at a turn, so its newer mind contains its older one.
fn shared(ours: &[Departure], theirs: &[Departure]) -> Option<Departure> {
    let by = |is_same: fn(&Departure, &Departure) -> bool| {
        ours.iter().find_map(|one| {
            let other = theirs.iter().find(|other| is_same(one, other))?;
            Some(if one.at <= other.at { one.clone() } else { other.clone() })
        })
    };
    by(|one, other| one.session.is_some() && one.session == other.session).or_else(|| by(is_same_session))
}

fn is_same_session(one: &Departure, other: &Departure) -> bool {
    one.session == other.session || one.session.is_none() || other.session.is_none()
}

/// Why a merge cannot be made.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeError {
    Rejected(Rejection),
    /// A walk through the tree of turns failed.
    Stuck(WalkError),
    Turn(TurnId),
    Mind(ContentHash),
}

impl From<MergeError> for Rejection {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Rejected(rejection) => rejection,
            MergeError::Stuck(_) | MergeError::Mind(_) => Self::HistoryBroken,
            MergeError::Turn(_) => Self::NoSuchTurn,
        }
    }
}

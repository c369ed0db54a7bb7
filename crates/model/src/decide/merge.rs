//! Decides merges: adds a turn with two parents whose mind combines both branches.
//!
//! Rejects a merge with unresolved conflicts.
//!
//! The base is the mind that both branches share. Criss-cross merges have several bases. They are merged into a
//! virtual base, as in git; a conflict between bases stays in it, between marks.

use crate::command::MergeRequest;
use crate::decide::{Decider, sessions::steps_between};
use crate::job::sync::core_config;
use crate::limits::CONFLICTS_PER_REQUEST;
use crate::mind::merge::proposal::MergeQuestion;
use crate::mind::merge::{MergeInputs, branch_name, describe_branch, marked};
use crate::prelude::*;
use crate::session::MergeRecord;
use crate::turn::tree::{Line, Meeting, TurnTree, WalkError, ancestor_at, common_ancestor, is_ancestor, row};

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
    let tree = TurnTree { world, noted: &records };
    let meeting = session.head.map(|head| tree.merge_bases(&[head], merging.other));
    let meeting = meeting.transpose()?.filter(|meeting| !meeting.bases.is_empty());
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
    let states = shared_states(tree, (&[ours], &branch), &meeting)?;
    let base = shared_mind(tree, &states, 0)?;
    let depth = |turn: TurnId| {
        world.thread(&turn).map(|thread| thread.depth).ok_or(MergeError::Stuck(WalkError::Missing(turn)))
    };
    // The newest common ancestor of both branches.
    let mut ancestor = None;
    for line in &meeting.ours {
        let shared = common_ancestor(world, line.tip, merging.other)?;
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
    pub(super) fn merge_branch(&mut self, merging: &MergeRequest) -> Decision {
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
        let name = branch_name(self.world, from.map(AsRef::as_ref), Some(other.id));
        let text = describe_branch(self.world, &name, merging.from, other, &branches);
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
            kind: TurnKind::Merge,
            agent: MERGER.into(),
            config: head.config.clone(),
            ..Turn::opened(TurnId::new(self.env.ids), session.id, session.mind, self.now())
        };
        message.turn = Some(turn.id);
        self.note_turn(&turn, EventKind::MessageCommitted { message: Arc::new(message) });
        self.note_turn(&turn, EventKind::TurnOpened { turn: turn.clone() });
        let edits = steps_between(ours, &mind);
        if !edits.is_empty() {
            self.note_turn(&turn, EventKind::MindEdited { base: session.mind, edits, undoes: None });
        }
        let (end, mind_after) = (TurnEnd::Completed, mind.hash());
        self.note_turn(&turn, EventKind::TurnClosed { end, failure: None, partial: None, mind_after });
        self.move_head_on(&turn, turn.parent, mind_after);
        Ok(())
    }

    /// Requests a proposal from the Core, which changes nothing until the operator accepts it.
    pub(super) fn ask_about_conflicts(
        &mut self,
        merging: &MergeRequest,
        conflicts: &[ContentHash],
    ) -> Decision {
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

/// The maximum depth of merging bases into bases.
const DEEPEST: usize = 16;
/// The maximum number of successive forks from one turn.
const FORKS_IN_A_ROW: usize = 64;

/// A branch: its newest turn, and the working mind there if a session points to it.
#[derive(Clone, Debug, PartialEq)]
struct Branch {
    turn: TurnId,
    working: Option<Departure>,
}

impl Branch {
    fn now(turn: TurnId, working: Option<(SessionId, ContentHash)>) -> Self {
        let working = working.map(|(session, mind)| Departure::of(Some(session), u64::MAX, mind));
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
    /// True if it is the mind of the turn, with which each session starts there.
    is_start: bool,
}

impl Departure {
    fn of(session: Option<SessionId>, at: u64, mind: ContentHash) -> Self {
        Self { session, at, mind, is_start: false }
    }

    /// True if a session was in this state before it was in the other one. A session may also return to the mind that it
    /// started with: only its own states tell when.
    fn is_before(&self, other: &Self) -> bool {
        let is_own = self.session.is_some() && self.session == other.session;
        let at = |one: &Self| if one.is_start && !is_own { 0 } else { one.at };
        at(self) <= at(other)
    }
}

/// The shared states of two branches that are no ancestor of another one, oldest first: `git merge-base --all`, with
/// each state of a working mind as a commit.
fn shared_states(
    tree: TurnTree<'_>,
    (ours, theirs): (&[Branch], &Branch),
    meeting: &Meeting,
) -> Result<Vec<Branch>, MergeError> {
    let world = tree.world;
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
            is_best = is_best && !descends_from(tree, other, state)?;
        }
        best.extend(is_best.then(|| state.clone()));
    }
    Ok(best)
}

fn descends_from(tree: TurnTree<'_>, newer: &Branch, older: &Branch) -> Result<bool, MergeError> {
    let lines = tree.lines_to(newer.turn, older.turn)?;
    let left = departures(tree.world, &lines, std::slice::from_ref(newer), older.turn)?;
    Ok(left.iter().any(|left| match &older.working {
        None => true,
        Some(working) => with_fork_parents(tree.world, left, older.turn).iter().any(|each| {
            is_same_session(each, working) && (working.is_before(each) || each.mind == working.mind)
        }),
    }))
}

/// Merges the shared states of two branches into one mind.
fn shared_mind(tree: TurnTree<'_>, states: &[Branch], depth: usize) -> Result<Arc<Mind>, MergeError> {
    let world = tree.world;
    let Some((first, rest)) = states.split_first() else { return Ok(Arc::default()) };
    let (mut turns, mut merged, mut taken) = (vec![first.turn], first.mind(world)?, vec![first.clone()]);
    for state in rest.iter().filter(|_| depth < DEEPEST) {
        let meeting = tree.merge_bases(&turns, state.turn)?;
        let older = shared_states(tree, (&taken, state), &meeting)?;
        let base = shared_mind(tree, &older, depth.saturating_add(1))?;
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
    let depth = row(world, base)?.depth;
    let mut found = Vec::new();
    for line in lines {
        if !is_ancestor(world, base, line.tip)? {
            continue;
        }
        let turn = |id: TurnId| world.turn(&id).ok_or(MergeError::Turn(id));
        found.extend(match (line.tip == base, line.merge) {
            (false, _) => {
                let child = ancestor_at(world, line.tip, depth.saturating_add(1));
                let child = child?.map(turn).transpose()?;
                child.map(|child| Departure::of(Some(child.session), child.opened_at.0, child.mind_before))
            }
            (true, Some(merge)) => {
                let merge = turn(merge)?;
                Some(Departure::of(merge.merged_from, merge.opened_at.0, merge.mind_shown))
            }
            (true, None) => {
                let branch = branches.iter().find(|branch| branch.turn == base);
                branch.and_then(|branch| branch.working.clone())
            }
        });
    }
    let turn = world.turn(&base).ok_or(MergeError::Turn(base))?;
    for departure in &mut found {
        departure.is_start = departure.mind == *after(turn);
    }
    Ok(found)
}

fn after(turn: &Turn) -> &ContentHash {
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
        let is_start = world.turn(&base).is_some_and(|turn| began.mind == *after(turn));
        let taken_over = Departure { is_start, ..Departure::of(next, row.created_at.0, began.mind) };
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
            Some(if one.is_before(other) { one.clone() } else { other.clone() })
        })
    };
    by(|one, other| one.session.is_some() && one.session == other.session).or_else(|| by(is_same_session))
}

fn is_same_session(one: &Departure, other: &Departure) -> bool {
    let is_anyones = |departure: &Departure| departure.is_start || departure.session.is_none();
    one.session == other.session || is_anyones(one) || is_anyones(other)
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

impl From<WalkError> for MergeError {
    fn from(error: WalkError) -> Self {
        Self::Stuck(error)
    }
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

#[cfg(test)]
mod tests;

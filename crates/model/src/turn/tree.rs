//! The tree of turns: ancestors by skip pointers, siblings, branch tips, and merge bases as `git merge-base --all`
//! finds them; and the reflog, the former heads of a session.
//!
//! Walks read only [`Thread`] rows. If one is missing, the walk returns its id, so that the caller can load it and
//! retry. Each step must go to a smaller depth, so damaged data cannot cause a loop.
//!
//! The reflog is read newest first from the session's events. Each entry has turn, time and reason; if the operator
//! moved the head, also the mind before the move.

use std::collections::VecDeque;

use crate::limits::{BRANCH_STEPS, FORMER_HEADS_SEARCHED};
use crate::prelude::*;
use crate::session::{FormerHead, MergeRecord};
use crate::turn::Thread;
use nexus_text::small_sort::SmallSort as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkError {
    /// The thread of this turn is not loaded or does not exist.
    Missing(TurnId),
    /// An ancestor in the thread of this turn is not older than its descendant.
    Broken(TurnId),
}

impl Thread {
    /// The thread of a turn as if it had no ancestors.
    pub fn alone(turn: &Turn) -> Self {
        Self {
            turn: turn.id,
            parent: turn.parent,
            second_parent: turn.second_parent,
            merge: Some(turn.id),
            depth: 1,
            tokens: if turn.closed_at.is_some() { turn.usage.total() } else { 0 },
            skip: None,
            children: Vec::new(),
        }
    }

    /// Adds the parent's totals. The skip pointers form a skew-binary list: going back to any depth takes a
    /// logarithmic number of steps.
    pub(crate) fn join<'t>(&mut self, parent: &'t Self, look: impl Fn(TurnId) -> Option<&'t Self>) {
        self.skip = Some(further_skip(parent, look).unwrap_or(parent.turn));
        if self.second_parent.is_none() {
            self.merge = parent.merge.or(self.merge);
        }
        self.depth = parent.depth.saturating_add(1);
        self.tokens = parent.tokens.saturating_add(self.tokens);
    }
}

/// The skip target of a child of `parent`, if it is older than `parent`: two jumps of the same length become one.
fn further_skip<'t>(parent: &Thread, look: impl Fn(TurnId) -> Option<&'t Thread>) -> Option<TurnId> {
    let first = look(parent.skip?)?;
    let second = look(first.skip?)?;
    let (near, far) = (parent.depth.checked_sub(first.depth)?, first.depth.checked_sub(second.depth)?);
    (near == far).then_some(second.turn)
}

/// Adds threads of turns, each [alone](Thread::alone) and in any order. A turn whose parent is missing, or whose chain
/// of parents has a cycle, begins a thread.
pub fn add_threads(threads: &mut VecMap<TurnId, Thread>, alone: impl IntoIterator<Item = Thread>) {
    let mut alone: Vec<Thread> = alone.into_iter().collect();
    alone.small_sort_by_key(|thread| thread.turn);
    let turns: Vec<TurnId> = alone.iter().map(|thread| thread.turn).collect();
    let mut alone: VecMap<_, _> = alone.into_iter().map(|thread| (thread.turn, Some(thread))).collect();
    for turn in turns {
        // Start from the oldest ancestor that is not added yet.
        let mut path = Vec::new();
        let mut next = Some(turn);
        while let Some(thread) = next.and_then(|turn| alone.get_mut(&turn)?.take()) {
            next = thread.parent;
            path.push(thread);
        }
        while let Some(mut thread) = path.pop() {
            if let Some(parent) = thread.parent.and_then(|parent| threads.get(&parent)) {
                thread.join(parent, |id| threads.get(&id));
            }
            if let Some(parent) = thread.parent.and_then(|parent| threads.get_mut(&parent)) {
                add_child(&mut parent.children, thread.turn);
            }
            threads.insert(thread.turn, thread);
        }
    }
}

/// Inserts a child once, ordered by id.
pub fn add_child(children: &mut Vec<TurnId>, child: TurnId) {
    if let Err(place) = children.binary_search(&child) {
        children.insert(place, child);
    }
}

pub(crate) fn row(world: &World, turn: TurnId) -> Result<&Thread, WalkError> {
    world.thread(&turn).map(|thread| &**thread).ok_or(WalkError::Missing(turn))
}

/// The row of `to`, which must be older than `here`.
pub(crate) fn back<'w>(world: &'w World, here: &Thread, to: TurnId) -> Result<&'w Thread, WalkError> {
    let older = row(world, to)?;
    if older.depth < here.depth { Ok(older) } else { Err(WalkError::Broken(here.turn)) }
}

/// The ancestor of a turn at a depth, or the turn itself; `None` if the thread is shorter.
pub fn ancestor_at(world: &World, turn: TurnId, depth: u64) -> Result<Option<TurnId>, WalkError> {
    let mut here = row(world, turn)?;
    if depth == 0 || depth > here.depth {
        return Ok(None);
    }
    while here.depth > depth {
        let skip = here.skip.map(|skip| back(world, here, skip)).transpose()?;
        here = match (skip.filter(|skip| skip.depth >= depth), here.parent) {
            (Some(skip), _) => skip,
            (None, Some(parent)) => back(world, here, parent)?,
            (None, None) => return Err(WalkError::Broken(here.turn)),
        };
    }
    Ok(Some(here.turn))
}

/// True also for the same turn.
pub fn is_ancestor(world: &World, older: TurnId, newer: TurnId) -> Result<bool, WalkError> {
    if older == newer {
        return Ok(true);
    }
    let depth = row(world, older)?.depth;
    Ok(ancestor_at(world, newer, depth)? == Some(older))
}

/// The newest common ancestor; `None` if there is none.
pub fn common_ancestor(world: &World, a: TurnId, b: TurnId) -> Result<Option<TurnId>, WalkError> {
    let depth = row(world, a)?.depth.min(row(world, b)?.depth);
    let (Some(a), Some(b)) = (ancestor_at(world, a, depth)?, ancestor_at(world, b, depth)?) else {
        return Ok(None);
    };
    let (mut a, mut b) = (row(world, a)?, row(world, b)?);
    while a.turn != b.turn {
        let skips = a.skip.zip(b.skip).filter(|(a, b)| a != b);
        let skips = skips.map(|(x, y)| Ok((back(world, a, x)?, back(world, b, y)?))).transpose()?;
        let skips = skips.filter(|(x, y)| x.depth == y.depth);
        (a, b) = match (skips, a.parent.zip(b.parent)) {
            (Some(skips), _) => skips,
            (None, Some((x, y))) => (back(world, a, x)?, back(world, b, y)?),
            (None, None) => return Ok(None),
        };
    }
    Ok(Some(a.turn))
}

/// The versions of a turn in a session, itself included, oldest first: siblings made by this session or its lanes, and
/// siblings that it once had in its thread. Turns of other sessions, summaries and merges are no versions. Loaded
/// turns only; [`unloaded_siblings`] returns the rest.
pub fn siblings(world: &World, session: &Session, turn: &Turn) -> Vec<TurnId> {
    let mut all = all_siblings(world, session, turn);
    if all.len() > 1 {
        all.retain(|id| *id == turn.id || is_version(world, session, turn, *id));
    }
    all
}

/// The turns with the same parent, or the roots of the session.
fn all_siblings(world: &World, session: &Session, turn: &Turn) -> Vec<TurnId> {
    let mut all = match turn.parent {
        Some(parent) => world.thread(&parent).map(|thread| thread.children.clone()).unwrap_or_default(),
        None => session.roots.clone(),
    };
    add_child(&mut all, turn.id);
    all
}

fn is_version(world: &World, session: &Session, of: &Turn, id: TurnId) -> bool {
    let is_normal = |turn: &Turn| turn.kind == TurnKind::Normal;
    let Some(turn) = world.turn(&id).filter(|turn| is_normal(turn) && is_normal(of)) else { return false };
    is_of(world, session, turn) || was_in_thread(world, session, id)
}

/// True if the turn was once in the thread of the session.
fn was_in_thread(world: &World, session: &Session, turn: TurnId) -> bool {
    let mut heads = session.former.iter().filter_map(|left| left.turn);
    heads.any(|head| is_ancestor(world, turn, head) == Ok(true))
}

/// True if the turn was made in the session, or in a lane of its race.
fn is_of(world: &World, session: &Session, turn: &Turn) -> bool {
    turn.session == session.id
        || world.session(&turn.session).is_some_and(|row| row.is_candidate_of(session.id))
}

/// The newest loaded child of a turn that belongs to the session. Turns of lanes do only if the lane was once picked.
pub fn continuation(world: &World, session: &Session, turn: TurnId) -> Option<TurnId> {
    let children = &world.thread(&turn)?.children;
    let is_own = |id: &&TurnId| {
        let turn = world.turn(id);
        turn.is_some_and(|turn| turn.session == session.id || was_in_thread(world, session, **id))
    };
    children.iter().rev().find(is_own).copied()
}

/// Turns that are not loaded and may be versions of turns in the session's thread, or children of its head.
pub fn unloaded_siblings(world: &World, session: &Session) -> Vec<TurnId> {
    let of_head = session.head.and_then(|head| world.thread(&head)).map(|thread| thread.children.clone());
    let mut all = of_head.unwrap_or_default();
    for turn in world.ancestry(session.head) {
        all.extend(all_siblings(world, session, turn));
    }
    all.retain(|id| world.turn(id).is_none());
    all
}

/// The end of a turn's branch in a session: the newest former head below it, else the head of the session or of one of
/// its lanes, else the end of the chain of newest own children.
pub fn newest_below(world: &World, session: &Session, turn: TurnId) -> Result<TurnId, WalkError> {
    let former = session.former.iter().rev().take(FORMER_HEADS_SEARCHED).filter_map(|left| left.turn);
    let is_candidate = |other: &&Arc<Session>| {
        other.id == session.id || (other.is_candidate_of(session.id) && other.deleted_at.is_none())
    };
    let heads = world.sessions.values().rev().filter(is_candidate);
    let heads = heads.take(FORMER_HEADS_SEARCHED).filter_map(|other| other.head);
    for head in former.chain(heads) {
        if is_ancestor(world, turn, head)? {
            return Ok(head);
        }
    }
    let mut here = row(world, turn)?;
    for _ in 0..BRANCH_STEPS {
        let mut own = None;
        for child in here.children.iter().rev() {
            let child = world.turn(child).ok_or(WalkError::Missing(*child))?;
            if is_of(world, session, child) {
                own = Some(child.id);
                break;
            }
        }
        let Some(child) = own else { break };
        let below = row(world, child)?;
        if below.depth <= here.depth {
            return Err(WalkError::Broken(child));
        }
        here = below;
    }
    Ok(here.turn)
}

/// The session in which to continue from a turn. Among sessions whose head it is: first the one in view, then one that
/// is not a race lane (the asking session continues with the lane that was picked), then the one that opened the turn,
/// then the one with the newest message. If there is none, the session that opened the turn.
pub fn session_at(world: &World, turn: TurnId, own: SessionId, in_view: SessionId) -> SessionId {
    let is_at_turn = |row: &&Arc<Session>| {
        row.head == Some(turn) && row.deleted_at.is_none() && row.role() != SessionRole::Jobs
    };
    let heads = world.sessions.values().filter(is_at_turn);
    let is_picked = |row: &Session| row.role() != SessionRole::Candidate;
    let best = heads
        .max_by_key(|row| (row.id == in_view, is_picked(row), row.id == own, row.last_message_at, row.id));
    best.map_or(own, |row| row.id)
}

/// The record of the last time that the session's head left this turn by hand.
pub fn former_head(session: &Session, turn: Option<TurnId>) -> Option<&FormerHead> {
    session.former.iter().rev().find(|left| left.turn == turn)
}

/// Adds missing parents and children to the loaded threads, because rows of earlier versions lack them.
pub fn complete(world: &mut World, turns: impl IntoIterator<Item = (TurnId, Option<TurnId>)>) {
    for (turn, parent) in turns {
        let Some(parent) = parent else { continue };
        if let Some(thread) = world.threads.get_mut(&turn).filter(|thread| thread.parent != Some(parent)) {
            Arc::make_mut(thread).parent = Some(parent);
        }
        let unknown = |thread: &&mut Arc<Thread>| thread.children.binary_search(&turn).is_err();
        if let Some(thread) = world.threads.get_mut(&parent).filter(unknown) {
            add_child(&mut Arc::make_mut(thread).children, turn);
        }
    }
}

/// The few fields of a turn that its place in the tree needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnStub {
    pub id: TurnId,
    pub session: SessionId,
    pub parent: Option<TurnId>,
    /// The other branch's turn, for a merge.
    pub second_parent: Option<TurnId>,
    pub kind: TurnKind,
    pub agent: AgentKey,
    /// `None` while it is open.
    pub end: Option<TurnEnd>,
    pub at: Millis,
    /// True if its parent is the turn that delegated to the worker, whose first turn this is.
    pub is_worker: bool,
}

/// A line of first parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub tip: TurnId,
    /// The merge whose second parent is the tip; `None` for the starting turn.
    pub merge: Option<TurnId>,
}

/// The result of [`TurnTree::merge_bases`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The best common ancestors, oldest first. More than one after criss-cross merges.
    pub bases: Vec<TurnId>,
    /// Common ancestors where lines of both sides meet, including the best ones.
    pub common: Vec<TurnId>,
    /// The lines of our side, down to the common part.
    pub ours: Vec<Line>,
    /// The lines of their side.
    pub theirs: Vec<Line>,
}

/// The tree of turns, with the merges that sessions remember, for threads of earlier versions, whose rows do not name
/// them.
#[derive(Clone, Copy)]
pub struct TurnTree<'w> {
    pub world: &'w World,
    pub noted: &'w [MergeRecord],
}

impl TurnTree<'_> {
    /// Finds the best common ancestors of `ours` and `theirs`.
    pub fn merge_bases(self, ours: &[TurnId], theirs: TurnId) -> Result<Meeting, WalkError> {
        let world = self.world;
        let start = |tip: &TurnId| Line { tip: *tip, merge: None };
        let mut ours: Vec<Line> = ours.iter().map(start).collect();
        let mut theirs = vec![start(&theirs)];
        let (mut left, mut right) = (0, 0);
        loop {
            if left < ours.len() {
                self.grow(left, &mut ours, &theirs)?;
                left = left.saturating_add(1);
            } else if right < theirs.len() {
                self.grow(right, &mut theirs, &ours)?;
                right = right.saturating_add(1);
            } else {
                break;
            }
        }
        let mut common: Vec<TurnId> = Vec::new();
        for one in &ours {
            for other in &theirs {
                let base = common_ancestor(world, one.tip, other.tip)?;
                common.extend(base.filter(|base| !common.contains(base)));
            }
        }
        let mut bases = Vec::new();
        for turn in &common {
            let mut is_best = true;
            for other in common.iter().filter(|other| *other != turn) {
                is_best = is_best && !self.reaches(*other, *turn)?;
            }
            bases.extend(is_best.then_some(*turn));
        }
        bases.small_sort();
        common.small_sort();
        Ok(Meeting { bases, common, ours, theirs })
    }

    /// Adds the lines that were merged into a line, down to the newest common ancestor: older ones are common too, and
    /// no better.
    fn grow(self, at: usize, own: &mut Vec<Line>, others: &[Line]) -> Result<(), WalkError> {
        let (before, rest) = own.split_at(at);
        let Some(tip) = rest.first().map(|line| line.tip) else { return Ok(()) };
        for line in before {
            // A line within another line gets its merges from that one. The record that it was merged is still useful.
            if is_ancestor(self.world, tip, line.tip)? {
                return Ok(());
            }
        }
        let mut floor = 0;
        for other in others {
            if let Some(base) = common_ancestor(self.world, tip, other.tip)? {
                floor = floor.max(row(self.world, base)?.depth);
            }
        }
        for (merge, second) in self.merges_above(tip, floor)? {
            own.push(Line { tip: second, merge: Some(merge) });
        }
        Ok(())
    }

    /// True if `older` is an ancestor of `newer` over any parents.
    fn reaches(self, newer: TurnId, older: TurnId) -> Result<bool, WalkError> {
        for line in self.lines_to(newer, older)? {
            if is_ancestor(self.world, older, line.tip)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The lines of first parents from a turn to the ancestors of `older`.
    pub fn lines_to(self, newer: TurnId, older: TurnId) -> Result<Vec<Line>, WalkError> {
        let (mut lines, other) = (vec![Line { tip: newer, merge: None }], [Line { tip: older, merge: None }]);
        let mut at = 0;
        while at < lines.len() {
            self.grow(at, &mut lines, &other)?;
            at = at.saturating_add(1);
        }
        Ok(lines)
    }

    /// The merges of a line deeper than `floor`, newest first, each with its second parent.
    fn merges_above(self, tip: TurnId, floor: u64) -> Result<Vec<(TurnId, TurnId)>, WalkError> {
        let world = self.world;
        let mut found = Vec::new();
        let mut here = row(world, tip)?;
        while here.depth > floor {
            let Some(merge) = here.merge else {
                for merged in self.noted {
                    // A remembered merge may belong to a removed branch and not to this line.
                    let Some(thread) = world.thread(&merged.turn) else {
                        if merged.turn <= here.turn {
                            return Err(WalkError::Missing(merged.turn));
                        }
                        continue;
                    };
                    if thread.depth > floor && is_ancestor(world, merged.turn, here.turn)? {
                        found.push((merged.turn, merged.other));
                    }
                }
                break;
            };
            if merge != here.turn {
                here = back(world, here, merge)?;
                continue;
            }
            found.extend(here.second_parent.map(|second| (here.turn, second)));
            let Some(parent) = here.parent else { break };
            here = back(world, here, parent)?;
        }
        Ok(found)
    }
}

/// The number of events after a manual head move that belong to the same command.
const OF_ONE_DECISION: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadMoveReason {
    /// The session was forked there.
    Began,
    Ended,
    Moved,
    /// A message was edited and resent: the head moved to before it.
    Edited,
    /// A turn was retried: the head moved to before it.
    Retried,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReflogEntry {
    /// Position in the stream of the event that moved the head.
    pub seq: u64,
    pub at: Millis,
    /// `None` if the session returned to its beginning.
    pub turn: Option<TurnId>,
    pub reason: HeadMoveReason,
    /// The working mind when the operator moved the head away.
    pub mind_before: Option<ContentHash>,
}

/// The heads of a session, as far back as its events have been read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reflog {
    /// Newest first; the first is the present head.
    pub all: Vec<ReflogEntry>,
    /// The oldest event that has been read; `None` before the first read.
    reached: Option<u64>,
    /// The mind when the next older head was left.
    left: Option<ContentHash>,
    /// The events after the one that is read next, nearest first.
    newer: VecDeque<(Millis, HeadMoveHint)>,
}

/// The part of an event that explains a head move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeadMoveHint {
    Run(RunCause),
    Other,
}

impl Reflog {
    /// The newest unread event of a stream with `last` events; `None` if all are read.
    pub fn next(&self, last: u64) -> Option<u64> {
        self.reached.map_or(Some(last), |reached| reached.checked_sub(1)).filter(|next| *next > 0)
    }

    /// Reads a page of the stream that ends where the previous one began. `from` is the position of its first event,
    /// even an unreadable one.
    pub fn read(&mut self, from: u64, events: &[Event]) {
        for event in events.iter().rev() {
            self.event(event);
        }
        self.reached = Some(from);
    }

    fn event(&mut self, event: &Event) {
        let kind = event.known_kind();
        if let Some(head) = kind.and_then(|kind| self.head(event, kind)) {
            self.left = match kind {
                Some(EventKind::HeadMoved { mind, by_hand: Some(_), .. }) => Some(*mind),
                _ => None,
            };
            self.all.push(head);
        }
        let mark = match kind {
            Some(EventKind::RunOpened { run }) => HeadMoveHint::Run(run.cause),
            _ => HeadMoveHint::Other,
        };
        self.newer.push_front((event.at, mark));
        self.newer.truncate(OF_ONE_DECISION);
    }

    fn head(&self, event: &Event, kind: &EventKind) -> Option<ReflogEntry> {
        let (turn, reason) = if let EventKind::HeadMoved { to, by_hand, .. } = kind {
            (*to, if by_hand.is_some() { self.why(event.at) } else { HeadMoveReason::Ended })
        } else if let EventKind::SessionChanged { change: SessionChange::Created(created) } = kind {
            (Some(created.session.head?), HeadMoveReason::Began)
        } else {
            return None;
        };
        Some(ReflogEntry { seq: event.seq, at: event.at, turn, reason, mind_before: self.left })
    }

    /// Why the operator moved the head, judged by the other events of the same command.
    fn why(&self, at: Millis) -> HeadMoveReason {
        let causes = self.newer.iter().take_while(|(when, _)| *when == at);
        let cause = causes.into_iter().find_map(|(_, mark)| match mark {
            HeadMoveHint::Run(cause) => Some(*cause),
            HeadMoveHint::Other => None,
        });
        match cause {
            Some(RunCause::Message(_)) => HeadMoveReason::Edited,
            Some(RunCause::TryAgain(_) | RunCause::Retry(_) | RunCause::Rerun { .. }) => {
                HeadMoveReason::Retried
            }
            Some(RunCause::Continued(_)) | None => HeadMoveReason::Moved,
        }
    }
}

#[cfg(test)]
mod tests;

//! Never loads anything, and never trusts what is stored: each step goes to a smaller depth, or the walk ends.
//!
//! Owns the shape of the tree of turns: threads as a cache that follows from the turns, walking far back by skip
//! pointers, common ancestors, siblings, and where a branch goes on.
//!
//! A walk wants rows of [`Thread`] alone. Where one is not loaded it says which, so that who can load it does and asks
//! again.

use std::sync::Arc;

use crate::domain::archivist::pass::keeps_passes;
use crate::domain::id::{SessionId, TurnId};
use crate::domain::limits::{BRANCH_STEPS, FORMER_LOOKED_AT};
use crate::domain::race::is_lane;
use crate::domain::session::{FormerHead, Session};
use crate::domain::sorted::SortedMap;
use crate::domain::turn::{Thread, Turn};
use crate::domain::world::World;

/// Why a walk came to no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// The thread of this turn is not loaded, or not there.
    Missing(TurnId),
    /// The thread of this turn says that an ancestor is younger than its descendant.
    Broken(TurnId),
}

/// The thread of a turn that opens, from that of its parent. The skip pointers are those of a skew-binary list: going
/// back to any depth takes a number of steps that grows with the logarithm of the way.
pub fn thread_of<'t>(
    turn: &Turn,
    parent: Option<&'t Thread>,
    look: impl Fn(TurnId) -> Option<&'t Thread>,
) -> Thread {
    let skip = parent.map(|parent| further_skip(parent, look).unwrap_or(parent.turn));
    Thread {
        turn: turn.id,
        parent: turn.parent,
        depth: parent.map_or(0, |parent| parent.depth).saturating_add(1),
        tokens: parent.map_or(0, |parent| parent.tokens),
        skip,
        children: Vec::new(),
    }
}

/// Where a child of `parent` skips to, if not to `parent` itself: two jumps of the same length become one.
fn further_skip<'t>(parent: &Thread, look: impl Fn(TurnId) -> Option<&'t Thread>) -> Option<TurnId> {
    let first = look(parent.skip?)?;
    let second = look(first.skip?)?;
    let (near, far) = (parent.depth.checked_sub(first.depth)?, first.depth.checked_sub(second.depth)?);
    (near == far).then_some(second.turn)
}

/// Every thread, made again from the turns alone. Turns that go back to one that is not there, or to themselves, begin a
/// thread of their own.
pub fn threads_of<'t>(turns: impl IntoIterator<Item = &'t Turn>) -> SortedMap<TurnId, Thread> {
    let turns: SortedMap<TurnId, &Turn> = turns.into_iter().map(|turn| (turn.id, turn)).collect();
    let mut threads: SortedMap<TurnId, Thread> = SortedMap::new();
    for turn in turns.values() {
        // From the oldest ancestor that has no thread yet.
        let mut way: Vec<&Turn> = Vec::new();
        let mut next = Some(*turn);
        while let Some(here) = next.filter(|here| !threads.contains_key(&here.id)) {
            if way.len() > turns.len() {
                break;
            }
            way.push(here);
            next = here.parent.and_then(|parent| turns.get(&parent).copied());
        }
        while let Some(here) = way.pop() {
            if threads.contains_key(&here.id) {
                continue;
            }
            let parent = here.parent.and_then(|parent| threads.get(&parent));
            let mut thread = thread_of(here, parent, |id| threads.get(&id));
            if here.closed_at.is_some() {
                thread.tokens = thread.tokens.saturating_add(here.usage.total());
            }
            threads.insert(here.id, thread);
            if let Some(parent) = here.parent.and_then(|parent| threads.get_mut(&parent)) {
                add_child(&mut parent.children, here.id);
            }
        }
    }
    threads
}

/// Notes a child, once, in the order of ids.
pub fn add_child(children: &mut Vec<TurnId>, child: TurnId) {
    if let Err(place) = children.binary_search(&child) {
        children.insert(place, child);
    }
}

fn row(world: &World, turn: TurnId) -> Result<&Thread, Stuck> {
    world.thread(&turn).map(|thread| &**thread).ok_or(Stuck::Missing(turn))
}

/// An older row than `here`.
fn back<'w>(world: &'w World, here: &Thread, to: TurnId) -> Result<&'w Thread, Stuck> {
    let older = row(world, to)?;
    if older.depth < here.depth { Ok(older) } else { Err(Stuck::Broken(here.turn)) }
}

/// The ancestor of a turn at a depth, the turn itself included; `None` where it is not that deep.
///
/// # Errors
/// Where the walk got stuck.
pub fn ancestor_at(world: &World, turn: TurnId, depth: u64) -> Result<Option<TurnId>, Stuck> {
    let mut here = row(world, turn)?;
    if depth == 0 || depth > here.depth {
        return Ok(None);
    }
    while here.depth > depth {
        let skip = here.skip.map(|skip| back(world, here, skip)).transpose()?;
        here = match (skip.filter(|skip| skip.depth >= depth), here.parent) {
            (Some(skip), _) => skip,
            (None, Some(parent)) => back(world, here, parent)?,
            (None, None) => return Err(Stuck::Broken(here.turn)),
        };
    }
    Ok(Some(here.turn))
}

/// Whether `older` is an ancestor of `newer`, or the same turn.
///
/// # Errors
/// Where the walk got stuck.
pub fn is_ancestor(world: &World, older: TurnId, newer: TurnId) -> Result<bool, Stuck> {
    if older == newer {
        return Ok(true);
    }
    let depth = row(world, older)?.depth;
    Ok(ancestor_at(world, newer, depth)? == Some(older))
}

/// The newest turn that both go back to; `None` where they have nothing in common.
///
/// # Errors
/// Where the walk got stuck.
pub fn common_ancestor(world: &World, a: TurnId, b: TurnId) -> Result<Option<TurnId>, Stuck> {
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

/// The turns that stand beside a turn, itself included, oldest first: the children of its parent, or the beginnings of
/// the session.
pub fn siblings(world: &World, session: &Session, turn: &Turn) -> Vec<TurnId> {
    let mut all = match turn.parent {
        Some(parent) => world.thread(&parent).map(|thread| thread.children.clone()).unwrap_or_default(),
        None => session.roots.clone(),
    };
    add_child(&mut all, turn.id);
    all
}

/// Where the branch of a turn was left: the newest former head below it that the session remembers, the head of a
/// session that works there, else where its newest children lead.
///
/// # Errors
/// Which thread has to be loaded to tell.
pub fn newest_below(world: &World, session: &Session, turn: TurnId) -> Result<TurnId, Stuck> {
    let former = session.former.iter().rev().take(FORMER_LOOKED_AT).filter_map(|left| left.turn);
    let is_there = |other: &&Arc<Session>| other.deleted_at.is_none() && !keeps_passes(other);
    let heads = world.sessions.values().rev().filter(is_there);
    let heads = heads.take(FORMER_LOOKED_AT).filter_map(|other| other.head);
    for head in former.chain(heads) {
        if is_ancestor(world, turn, head)? {
            return Ok(head);
        }
    }
    let mut here = row(world, turn)?;
    for _ in 0..BRANCH_STEPS {
        let Some(child) = here.children.last() else { break };
        let below = row(world, *child)?;
        if below.depth <= here.depth {
            return Err(Stuck::Broken(*child));
        }
        here = below;
    }
    Ok(here.turn)
}

/// The session that one goes on from at a turn: the one that points to it, of several the one in view, then one that is no
/// lane of a race, since what a race was asked from went on with the lane that was picked, then the one in which the turn was
/// opened, then the one in which something was said last; where none does, the one in which it was opened.
pub fn stands_at(world: &World, turn: TurnId, own: SessionId, in_view: SessionId) -> SessionId {
    let is_there =
        |row: &&Arc<Session>| row.head == Some(turn) && row.deleted_at.is_none() && !keeps_passes(row);
    let heads = world.sessions.values().filter(is_there);
    let best = heads
        .max_by_key(|row| (row.id == in_view, !is_lane(row), row.id == own, row.last_message_at, row.id));
    best.map_or(own, |row| row.id)
}

/// What a session remembers of a head that it left by hand.
pub fn left_at(session: &Session, turn: Option<TurnId>) -> Option<&FormerHead> {
    session.former.iter().rev().find(|left| left.turn == turn)
}

/// Lets the loaded threads know of the turns that are loaded: a parent of its children, a turn of its parent. Rows of
/// earlier programs did not.
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

/// The sessions that go on from a turn of another one, by where they were forked.
pub fn forks_of(world: &World, session: SessionId) -> impl Iterator<Item = &Arc<Session>> {
    world.sessions.values().filter(move |other| other.parent == Some(session) && other.deleted_at.is_none())
}

#[cfg(test)]
#[path = "tree_tests.rs"]
mod tests;

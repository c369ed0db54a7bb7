//! Finds the merge bases of two turns, as `git merge-base --all` does.
//!
//! They are the best common ancestors over both parents of merges. A walk touches the merges since the two parted and
//! a few rows between them, not the whole tree. Where a row is not loaded, it says which.

use crate::id::TurnId;
use crate::session::MergeRecord;
use crate::turn::tree::{WalkError, back, common_ancestor, is_ancestor, row};
use crate::world::World;
use nexus_text::small_sort::SmallSort as _;

/// A line of first parents that a turn goes back by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    pub tip: TurnId,
    /// The merge whose second parent that is; absent for the turn that was asked about.
    pub merge: Option<TurnId>,
}

/// Where two turns meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// The best common ancestors, oldest first. More than one where branches were merged crosswise.
    pub bases: Vec<TurnId>,
    /// Common ancestors at which lines of both sides meet; the best ones are among them.
    pub common: Vec<TurnId>,
    /// The lines of one side, as far as they are not common.
    pub ours: Vec<Line>,
    /// The lines of the other side.
    pub theirs: Vec<Line>,
}

/// Finds the best common ancestors of what goes back to any turn of `ours`, and of `theirs`. `noted` are merges that
/// sessions remember, for threads of earlier programs, whose rows do not name them.
pub fn merge_bases(
    world: &World,
    ours: &[TurnId],
    theirs: TurnId,
    noted: &[MergeRecord],
) -> Result<Meeting, WalkError> {
    let start = |tip: &TurnId| Line { tip: *tip, merge: None };
    let mut ours: Vec<Line> = ours.iter().map(start).collect();
    let mut theirs = vec![start(&theirs)];
    let (mut left, mut right) = (0, 0);
    loop {
        if left < ours.len() {
            grow(world, left, &mut ours, &theirs, noted)?;
            left = left.saturating_add(1);
        } else if right < theirs.len() {
            grow(world, right, &mut theirs, &ours, noted)?;
            right = right.saturating_add(1);
        } else {
            break;
        }
    }
    let mut common: Vec<TurnId> = Vec::new();
    for one in &ours {
        for other in &theirs {
            let met = common_ancestor(world, one.tip, other.tip)?;
            common.extend(met.filter(|met| !common.contains(met)));
        }
    }
    let mut bases = Vec::new();
    for turn in &common {
        let mut is_best = true;
        for other in common.iter().filter(|other| *other != turn) {
            is_best = is_best && !reaches(world, *other, *turn, noted)?;
        }
        bases.extend(is_best.then_some(*turn));
    }
    bases.small_sort();
    common.small_sort();
    Ok(Meeting { bases, common, ours, theirs })
}

/// Adds the lines that a line takes in by merges, down to where it is common with the other side: what is older than
/// that is common, too, and no better.
fn grow(
    world: &World,
    at: usize,
    own: &mut Vec<Line>,
    others: &[Line],
    noted: &[MergeRecord],
) -> Result<(), WalkError> {
    let (before, rest) = own.split_at(at);
    let Some(tip) = rest.first().map(|line| line.tip) else { return Ok(()) };
    for line in before {
        // What another line goes through has its merges from there. That it was merged, too, still tells something.
        if is_ancestor(world, tip, line.tip)? {
            return Ok(());
        }
    }
    let mut floor = 0;
    for other in others {
        if let Some(met) = common_ancestor(world, tip, other.tip)? {
            floor = floor.max(row(world, met)?.depth);
        }
    }
    for (merge, second) in merges_above(world, tip, floor, noted)? {
        own.push(Line { tip: second, merge: Some(merge) });
    }
    Ok(())
}

/// Whether `newer` goes back to `older` over any parents.
fn reaches(world: &World, newer: TurnId, older: TurnId, noted: &[MergeRecord]) -> Result<bool, WalkError> {
    for line in lines_to(world, newer, older, noted)? {
        if is_ancestor(world, older, line.tip)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The lines that a turn goes back by, down to where they meet what `older` goes back to.
pub fn lines_to(
    world: &World,
    newer: TurnId,
    older: TurnId,
    noted: &[MergeRecord],
) -> Result<Vec<Line>, WalkError> {
    let (mut lines, other) = (vec![Line { tip: newer, merge: None }], [Line { tip: older, merge: None }]);
    let mut at = 0;
    while at < lines.len() {
        grow(world, at, &mut lines, &other, noted)?;
        at = at.saturating_add(1);
    }
    Ok(lines)
}

/// The merges of a line that are deeper than `floor`, newest first, each with its second parent.
fn merges_above(
    world: &World,
    tip: TurnId,
    floor: u64,
    noted: &[MergeRecord],
) -> Result<Vec<(TurnId, TurnId)>, WalkError> {
    let mut found = Vec::new();
    let mut here = row(world, tip)?;
    while here.depth > floor {
        let Some(merge) = here.merge else {
            for merged in noted {
                // A remembered merge may be one that this line does not have, of a branch that is forgotten.
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

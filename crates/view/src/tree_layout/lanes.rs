//! Assigns a lane to each spot, without crossing edges.
//!
//! A branch that forks lower gets its lane first, so it is further left. Lanes are reused below the end of a branch.

use super::{LayoutNode, index};

#[derive(Clone, Debug, Default)]
struct LaneRows {
    taken: Vec<(u32, u32)>,
}

impl LaneRows {
    fn is_free(&self, from: u32, to: u32) -> bool {
        self.taken.iter().all(|(start, end)| to < *start || from > *end)
    }
}

/// A straight line of spots, each the first child of the one above.
struct LaneSegment {
    first: u32,
    beside: Option<u32>,
}

/// Gives every spot its lane. Parents come before their children in `spots`.
pub(super) fn assign(spots: &mut [LayoutNode]) {
    let mut lanes: Vec<LaneRows> = Vec::new();
    let mut todo: Vec<LaneSegment> = (0u32..)
        .zip(spots.iter())
        .filter(|(_, spot)| spot.parent.is_none())
        .map(|(first, _)| LaneSegment { first, beside: None })
        .collect();
    todo.reverse();
    while let Some(line) = todo.pop() {
        let members = members(spots, line.first);
        let row = |at: Option<&u32>| at.and_then(|at| spots.get(index(*at))).map_or(0, |spot| spot.row);
        let (start, end) = (row(members.first()), row(members.last()));
        // The row that it leaves from belongs to it as well: there the way to it lies.
        let from = start.saturating_sub(1);
        let least = line.beside.map_or(0, |lane| index(lane).saturating_add(1));
        let lane = (least..).find(|lane| lanes.get(*lane).is_none_or(|lane| lane.is_free(from, end)));
        let lane = lane.unwrap_or(least);
        if lanes.len() <= lane {
            lanes.resize(lane.saturating_add(1), LaneRows::default());
        }
        if let Some(lane) = lanes.get_mut(lane) {
            lane.taken.push((from, end));
        }
        let number = u32::try_from(lane).unwrap_or(u32::MAX);
        // What is pushed last is taken first: the forks of the lowest spot, the oldest of them before the others.
        for at in &members {
            let Some(spot) = spots.get_mut(index(*at)) else { continue };
            spot.lane = number;
            let others = spot.children.iter().skip(1).rev();
            todo.extend(others.map(|first| LaneSegment { first: *first, beside: Some(number) }));
        }
    }
}

/// The line from this spot down its first children.
fn members(spots: &[LayoutNode], first: u32) -> Vec<u32> {
    let below = |at: &u32| spots.get(index(*at)).and_then(|spot| spot.children.first().copied());
    std::iter::successors(Some(first), below).collect()
}

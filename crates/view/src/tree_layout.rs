//! Lays out a tree of turns on a grid of lanes and rows.
//!
//! The oldest child stays in its parent's lane, each later one gets a lane to the right, and long linear runs fold
//! into one node. A branch that forks lower is further left, so edges never cross. Also finds the node next to
//! another or near a position, for keys and pointers. Coordinates are integers, not pixels.

pub mod camera;

use nexus_model::id::TurnId;
use nexus_model::limits::{FOLD_ENDS, FOLDED_RUN};
use nexus_model::turn::{TurnEnd, TurnKind, tree::TurnStub};
use nexus_text::{small_sort::SmallSort as _, vec_map::VecSet};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LayoutNodeKind {
    /// One turn: its index in the list of turns.
    Turn(u32),
    /// A folded linear run, oldest first, as indices in the list of turns.
    Run(Vec<u32>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutNode {
    pub kind: LayoutNodeKind,
    /// Column, from 0.
    pub lane: u32,
    /// Row, from 0.
    pub row: u32,
    /// The parent's index in [`TreeLayout::nodes`].
    pub parent: Option<u32>,
    pub second_parent: Option<u32>,
    /// Child indices, oldest first.
    pub children: Vec<u32>,
    /// True if the turn's parent is missing.
    pub is_orphan: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TreeLayout {
    turns: Vec<TurnStub>,
    pub nodes: Vec<LayoutNode>,
    node_of: Vec<u32>,
    by_row: Vec<u32>,
    pub lanes: u32,
    pub rows: u32,
}

impl TreeLayout {
    /// Lays out turns. `kept` are turns that are never folded (heads, the selected turn); `unfolded` names runs, by
    /// any of their turns, that are shown turn by turn.
    pub fn new(mut turns: Vec<TurnStub>, kept: &VecSet<TurnId>, unfolded: &VecSet<TurnId>) -> Self {
        turns.small_sort_by_key(|turn| turn.id);
        turns.dedup_by_key(|turn| turn.id);
        let parents = ParentIndex::of(&turns);
        let mut map = Self { node_of: vec![0; turns.len()], turns, ..Self::default() };
        map.add_nodes(&parents, kept, unfolded);
        assign(&mut map.nodes);
        map.lanes = map.nodes.iter().map(|spot| spot.lane.saturating_add(1)).max().unwrap_or(0);
        map.rows = map.nodes.iter().map(|spot| spot.row.saturating_add(1)).max().unwrap_or(0);
        map.by_row = (0..count(map.nodes.len())).collect();
        let nodes = &map.nodes;
        map.by_row.small_sort_by_key(|at| nodes.get(index(*at)).map(|spot| (spot.row, spot.lane)));
        map
    }

    pub fn len(&self) -> usize {
        self.turns.len()
    }

    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    pub fn node(&self, at: u32) -> Option<&LayoutNode> {
        self.nodes.get(index(at))
    }

    pub fn turn(&self, at: u32) -> Option<&TurnStub> {
        self.turns.get(index(at))
    }

    pub fn turn_of(&self, turn: TurnId) -> Option<&TurnStub> {
        self.number_of(turn).and_then(|at| self.turn(at))
    }

    pub fn node_of(&self, turn: TurnId) -> Option<u32> {
        self.number_of(turn).and_then(|at| self.node_of.get(index(at)).copied())
    }

    /// The turns of a node, oldest first.
    pub fn turns_at(&self, at: u32) -> impl Iterator<Item = &TurnStub> {
        let numbers: &[u32] = match self.node(at).map(|spot| &spot.kind) {
            Some(LayoutNodeKind::Turn(turn)) => std::slice::from_ref(turn),
            Some(LayoutNodeKind::Run(dots)) => dots,
            None => &[],
        };
        numbers.iter().filter_map(|at| self.turn(*at))
    }

    pub fn in_rows(&self, from: u32, to: u32) -> impl Iterator<Item = u32> {
        let row = |at: &u32| self.node(*at).map_or(0, |spot| spot.row);
        let start = self.by_row.partition_point(|at| row(at) < from);
        let end = self.by_row.partition_point(|at| row(at) <= to);
        self.by_row.get(start..end.max(start)).unwrap_or_default().iter().copied()
    }

    /// The merges, as pairs of a node and the node of its second parent.
    pub fn merges(&self) -> impl Iterator<Item = (&LayoutNode, &LayoutNode)> {
        self.nodes.iter().filter_map(|spot| Some((spot, self.node(spot.second_parent?)?)))
    }

    fn number_of(&self, turn: TurnId) -> Option<u32> {
        self.turns.binary_search_by_key(&turn, |turn| turn.id).ok().map(count)
    }

    fn add_nodes(&mut self, parents: &ParentIndex, kept: &VecSet<TurnId>, unfolded: &VecSet<TurnId>) {
        let is_plain = |(at, turn): (u32, &TurnStub)| {
            turn.kind == TurnKind::Normal
                && turn.end == Some(TurnEnd::Completed)
                && !kept.contains(&turn.id)
                && !parents.merged.contains(&at)
                && parents.parent(at).is_some()
                && parents.children(at).len() == 1
        };
        let plain: Vec<bool> = (0..).zip(&self.turns).map(is_plain).collect();
        let plain = |at: u32| plain.get(index(at)).copied().unwrap_or_default();
        // An explicit stack: a recursion would be as deep as the thread is long.
        let mut todo: Vec<(u32, Option<u32>)> =
            parents.roots.iter().rev().map(|root| (*root, None)).collect();
        while let Some((first, parent)) = todo.pop() {
            let mut run = vec![first];
            if plain(first) {
                let mut last = first;
                while let Some(next) = parents.children(last).first().copied().filter(|next| plain(*next)) {
                    run.push(next);
                    last = next;
                }
            }
            let is_open = |at: &u32| self.turn(*at).is_some_and(|turn| unfolded.contains(&turn.id));
            let is_unfolded = run.iter().any(is_open);
            let folds = run.len() >= FOLDED_RUN && !is_unfolded;
            let pieces: Vec<Vec<u32>> = if folds {
                // The ends of a run stay visible; the middle becomes one node.
                let middle = run.len().saturating_sub(FOLD_ENDS);
                let single = |at: &u32| vec![*at];
                let (head, rest) = run.split_at(FOLD_ENDS.min(run.len()));
                let (between, tail) = rest.split_at(middle.saturating_sub(FOLD_ENDS));
                head.iter().map(single).chain([between.to_vec()]).chain(tail.iter().map(single)).collect()
            } else {
                run.iter().map(|at| vec![*at]).collect()
            };
            let mut above = parent;
            let last = run.last().copied().unwrap_or(first);
            for piece in pieces {
                above = Some(self.place(parents, piece, above));
            }
            todo.extend(parents.children(last).iter().rev().map(|child| (*child, above)));
        }
        self.link_merges();
    }

    fn place(&mut self, parents: &ParentIndex, piece: Vec<u32>, parent: Option<u32>) -> u32 {
        let at = count(self.nodes.len());
        let row = parent.and_then(|parent| self.node(parent)).map_or(0, |above| above.row.saturating_add(1));
        for turn in &piece {
            if let Some(spot) = self.node_of.get_mut(index(*turn)) {
                *spot = at;
            }
        }
        let is_orphan = piece.first().is_some_and(|turn| parents.orphans.contains(turn));
        let kind = match piece.as_slice() {
            [only] => LayoutNodeKind::Turn(*only),
            _ => LayoutNodeKind::Run(piece),
        };
        if let Some(above) = parent.and_then(|parent| self.nodes.get_mut(index(parent))) {
            above.children.push(at);
        }
        self.nodes.push(LayoutNode {
            kind,
            lane: 0,
            row,
            parent,
            second_parent: None,
            children: Vec::new(),
            is_orphan,
        });
        at
    }

    fn link_merges(&mut self) {
        let merges: Vec<(TurnId, TurnId)> =
            self.turns.iter().filter_map(|turn| Some((turn.id, turn.second_parent?))).collect();
        for (turn, other) in merges {
            if let (Some(at), Some(other)) = (self.node_of(turn), self.node_of(other))
                && let Some(spot) = self.nodes.get_mut(index(at))
            {
                spot.second_parent = Some(other);
            }
        }
    }
}

/// Parents and children of turns, by index in the list sorted by id.
struct ParentIndex {
    parents: Vec<Option<u32>>,
    children: Vec<Vec<u32>>,
    roots: Vec<u32>,
    orphans: VecSet<u32>,
    merged: VecSet<u32>,
}

impl ParentIndex {
    fn of(dots: &[TurnStub]) -> Self {
        let place = |turn: TurnId| dots.binary_search_by_key(&turn, |turn| turn.id).ok().map(count);
        let mut this = Self {
            parents: dots.iter().map(|turn| turn.parent.and_then(place)).collect(),
            children: vec![Vec::new(); dots.len()],
            roots: Vec::new(),
            orphans: VecSet::new(),
            merged: VecSet::new(),
        };
        this.break_cycles();
        for (turn, at) in dots.iter().zip(0..) {
            match this.parent(at) {
                Some(parent) => {
                    if let Some(children) = this.children.get_mut(index(parent)) {
                        children.push(at);
                    }
                }
                None => {
                    this.roots.push(at);
                    if turn.parent.is_some() {
                        this.orphans.insert(at);
                    }
                }
            }
            if turn.is_worker {
                // The parent of a worker stays visible, as do merge points.
                this.merged.insert(at);
                this.merged.extend(turn.parent.and_then(place));
            }
            if let Some(other) = turn.second_parent {
                this.merged.insert(at);
                this.merged.extend(place(other));
            }
        }
        // The conversation keeps the lane before a worker, even an older one.
        let is_sent = |at: &u32| dots.get(index(*at)).is_some_and(|turn| turn.is_worker);
        for children in &mut this.children {
            children.small_sort_by_key(is_sent);
        }
        this
    }

    /// Breaks cycles in damaged data: a turn that is its own ancestor loses its parent.
    fn break_cycles(&mut self) {
        // The walk that visited each turn, from 1; 0 if unvisited.
        let mut walks = vec![0_u32; self.parents.len()];
        for (start, walk) in (0..count(self.parents.len())).zip(1..) {
            let mut at = Some(start);
            while let Some(here) = at {
                match walks.get_mut(index(here)) {
                    Some(seen) if *seen == 0 => *seen = walk,
                    Some(seen) if *seen == walk => {
                        if let Some(parent) = self.parents.get_mut(index(here)) {
                            *parent = None;
                        }
                        break;
                    }
                    _ => break,
                }
                at = self.parent(here);
            }
        }
    }

    fn parent(&self, at: u32) -> Option<u32> {
        self.parents.get(index(at)).copied().flatten()
    }

    fn children(&self, at: u32) -> &[u32] {
        self.children.get(index(at)).map(Vec::as_slice).unwrap_or_default()
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Assigns lanes. Parents precede their children in `nodes`.
fn assign(nodes: &mut [LayoutNode]) {
    // The first and last rows of the segments in each lane.
    let mut lanes: Vec<Vec<(u32, u32)>> = Vec::new();
    let roots = (0u32..).zip(nodes.iter()).filter(|(_, spot)| spot.parent.is_none());
    // A segment is a vertical line of nodes, each the first child of the one above: the first one, and the lane that
    // the segment is to the right of.
    let mut todo: Vec<(u32, Option<u32>)> = roots.map(|(first, _)| (first, None)).collect();
    todo.reverse();
    while let Some((first, beside)) = todo.pop() {
        let below = |at: &u32| nodes.get(index(*at)).and_then(|spot| spot.children.first().copied());
        let members: Vec<u32> = std::iter::successors(Some(first), below).collect();
        let row = |at: Option<&u32>| at.and_then(|at| nodes.get(index(*at))).map_or(0, |spot| spot.row);
        let (start, end) = (row(members.first()), row(members.last()));
        // Includes the row above: it contains the edge from the parent.
        let from = start.saturating_sub(1);
        let least = beside.map_or(0, |lane| index(lane).saturating_add(1));
        let is_free =
            |taken: &Vec<(u32, u32)>| taken.iter().all(|(start, last)| end < *start || from > *last);
        let lane = (least..).find(|lane| lanes.get(*lane).is_none_or(is_free)).unwrap_or(least);
        if lanes.len() <= lane {
            lanes.resize(lane.saturating_add(1), Vec::new());
        }
        if let Some(lane) = lanes.get_mut(lane) {
            lane.push((from, end));
        }
        let number = count(lane);
        // A stack: forks of the lowest node come first, the oldest of them before the others.
        for at in &members {
            let Some(spot) = nodes.get_mut(index(*at)) else { continue };
            spot.lane = number;
            let others = spot.children.iter().skip(1).rev();
            todo.extend(others.map(|first| (*first, Some(number))));
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Up,
    /// To the oldest child.
    Down,
    Left,
    Right,
    Start,
    End,
}

impl Direction {
    pub fn of_key(key: &str) -> Option<Self> {
        Some(match key {
            "ArrowUp" => Self::Up,
            "ArrowDown" => Self::Down,
            "ArrowLeft" => Self::Left,
            "ArrowRight" => Self::Right,
            "Home" => Self::Start,
            "End" => Self::End,
            _ => return None,
        })
    }
}

impl TreeLayout {
    /// The neighbour in this direction; `from` if there is none.
    pub fn step(&self, from: u32, way: Direction) -> u32 {
        let Some(spot) = self.node(from) else { return from };
        let up = |at: &u32| self.node(*at).and_then(|spot| spot.parent);
        let down = |at: &u32| self.node(*at).and_then(|spot| spot.children.first().copied());
        let next = match way {
            Direction::Up => up(&from),
            Direction::Down => down(&from),
            Direction::Left => self.beside(spot, |lane| lane < spot.lane),
            Direction::Right => self.beside(spot, |lane| lane > spot.lane),
            Direction::Start => std::iter::successors(Some(from), up).last(),
            Direction::End => std::iter::successors(Some(from), down).last(),
        };
        next.unwrap_or(from)
    }

    /// The nearest node on one side: in the same row, else in the nearest row that has one.
    fn beside(&self, spot: &LayoutNode, is_there: impl Fn(u32) -> bool) -> Option<u32> {
        let near = |at: &u32| {
            self.node(*at)
                .filter(|other| is_there(other.lane))
                .map(|other| (other.row.abs_diff(spot.row), other.lane.abs_diff(spot.lane)))
        };
        let in_row = self.in_rows(spot.row, spot.row).filter_map(|at| Some((near(&at)?, at))).min();
        let anywhere = || (0..count(self.nodes.len())).filter_map(|at| Some((near(&at)?, at))).min();
        in_row.or_else(anywhere).map(|(_, at)| at)
    }

    /// The turn that identifies a node: the only one, or the first of its run.
    pub fn turn_at(&self, at: u32) -> Option<TurnId> {
        self.turns_at(at).next().map(|turn| turn.id)
    }

    /// The node nearest to a position, within `reach` lanes and rows.
    pub fn near(&self, lane: f64, row: f64, reach: f64) -> Option<u32> {
        let from = (row - reach).floor().max(0.0) as u32;
        let to = (row + reach).ceil().max(0.0) as u32;
        let distance = |at: u32| {
            let spot = self.nodes.get(index(at))?;
            let (across, down) = (f64::from(spot.lane) - lane, f64::from(spot.row) - row);
            (across.abs() <= reach && down.abs() <= reach).then_some(across.hypot(down))
        };
        let found = self.in_rows(from, to).filter_map(|at| Some((distance(at)?, at)));
        found.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, at)| at)
    }
}

#[cfg(test)]
mod tests;

//! Keyboard navigation and hit testing on the tree map.

use super::{LayoutNode, LayoutNodeKind, TreeLayout, index};
use nexus_model::id::TurnId;

/// Where to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the turn before.
    Up,
    /// To the oldest turn after.
    Down,
    /// To the next lane on the left.
    Left,
    /// To the next lane on the right.
    Right,
    /// To where the tree begins.
    Start,
    End,
}

impl TreeLayout {
    /// The spot that lies there; the same where there is none.
    pub fn step(&self, from: u32, way: Direction) -> u32 {
        let Some(spot) = self.spot(from) else { return from };
        let up = |at: &u32| self.spot(*at).and_then(|spot| spot.parent);
        let down = |at: &u32| self.spot(*at).and_then(|spot| spot.children.first().copied());
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

    /// The nearest spot to this one on one side: in its row, else in the nearest row that has one.
    fn beside(&self, spot: &LayoutNode, is_there: impl Fn(u32) -> bool) -> Option<u32> {
        let near = |at: &u32| {
            self.spot(*at)
                .filter(|other| is_there(other.lane))
                .map(|other| (other.row.abs_diff(spot.row), other.lane.abs_diff(spot.lane)))
        };
        let in_row = self.in_rows(spot.row, spot.row).filter_map(|at| Some((near(&at)?, at))).min();
        let anywhere = || {
            let all = 0..u32::try_from(self.spots().len()).unwrap_or(u32::MAX);
            all.filter_map(|at| Some((near(&at)?, at))).min()
        };
        in_row.or_else(anywhere).map(|(_, at)| at)
    }

    /// The turn that a spot is known by: its only one, or the first of its run.
    pub fn turn_at(&self, at: u32) -> Option<TurnId> {
        match &self.spot(at)?.stands {
            LayoutNodeKind::Turn(dot) => self.dot(*dot),
            LayoutNodeKind::Run(dots) => dots.first().and_then(|dot| self.dot(*dot)),
        }
        .map(|dot| dot.id)
    }

    /// The spot nearest to a place on the plane, if one is not further than `reach` away in lanes and rows.
    pub fn near(&self, lane: f64, row: f64, reach: f64) -> Option<u32> {
        let from = (row - reach).floor().max(0.0) as u32;
        let to = (row + reach).ceil().max(0.0) as u32;
        let distance = |at: u32| {
            let spot = self.spots.get(index(at))?;
            let (across, down) = (f64::from(spot.lane) - lane, f64::from(spot.row) - row);
            (across.abs() <= reach && down.abs() <= reach).then_some(across.hypot(down))
        };
        let found = self.in_rows(from, to).filter_map(|at| Some((distance(at)?, at)));
        found.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, at)| at)
    }
}

//! The diagram in pixels: boxes of nodes, paths of edges, keyboard neighbours, and the zoom that fits all.

use super::RunDiagram;
use crate::layered_layout::{LayeredLayout, LayoutPoint};
use crate::tree_layout::Direction;

pub const NODE_WIDTH: f64 = 176.0;
pub const NODE_HEIGHT: f64 = 72.0;
/// Horizontal distance of nodes in a layer.
const COLUMN: f64 = 200.0;
const LAYER: f64 = 132.0;
const MARGIN: f64 = 24.0;
/// Horizontal offset of edges that go back up.
const BACK_EDGE_OFFSET: f64 = 34.0;
const ARROW: f64 = 7.0;
const LEAST_ZOOM: f64 = 0.25;
const MOST_ZOOM: f64 = 1.6;

#[derive(Clone, Debug, PartialEq)]
pub struct EdgePath {
    /// The line, as the `d` of an SVG path.
    pub line: String,
    /// The arrowhead, likewise.
    pub arrow: String,
    pub middle: (f64, f64),
    /// True if it goes back up, as in a loop.
    pub is_back: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct DiagramGeometry {
    pub width: f64,
    pub height: f64,
    /// Left and top of each node.
    pub boxes: Vec<(f64, f64)>,
    /// `None` for an edge without a path.
    pub edges: Vec<Option<EdgePath>>,
}

impl DiagramGeometry {
    pub fn of(diagram: &RunDiagram) -> Self {
        Self::from_layout(&diagram.layout())
    }

    pub fn from_layout(layout: &LayeredLayout) -> Self {
        let layers = layout.layers.max(1) as f64;
        Self {
            width: (layout.width - 1.0) * COLUMN + NODE_WIDTH + 2.0 * (MARGIN + BACK_EDGE_OFFSET),
            height: (layers - 1.0) * LAYER + NODE_HEIGHT + 2.0 * MARGIN,
            boxes: layout.nodes.iter().map(|at| corner(*at)).collect(),
            edges: layout.edges.iter().map(|way| edge(way)).collect(),
        }
    }

    pub fn beside(&self, at: usize, way: Direction) -> Option<usize> {
        let (x, y) = self.boxes.get(at).copied()?;
        let nodes = || self.boxes.iter().copied().enumerate().filter(|(other, _)| *other != at);
        let by = |key: &dyn Fn((f64, f64)) -> Option<f64>| {
            let distances = nodes().filter_map(|(other, place)| Some((key(place)?, other)));
            distances.min_by(|(one, _), (other, _)| one.total_cmp(other)).map(|(_, other)| other)
        };
        // A nearer layer wins over any distance within one.
        let across = |place: (f64, f64)| (place.0 - x).abs() / 1_000_000.0;
        match way {
            Direction::Left => by(&|place| (place.1 == y && place.0 < x).then_some(x - place.0)),
            Direction::Right => by(&|place| (place.1 == y && place.0 > x).then_some(place.0 - x)),
            Direction::Up => by(&|place| (place.1 < y).then(|| y - place.1 + across(place))),
            Direction::Down => by(&|place| (place.1 > y).then(|| place.1 - y + across(place))),
            Direction::Start => (at != 0 && !self.boxes.is_empty()).then_some(0),
            Direction::End => self.boxes.len().checked_sub(1).filter(|last| *last != at),
        }
    }

    /// The zoom that fits the whole diagram into this size in pixels.
    pub fn fit(&self, width: f64, height: f64) -> f64 {
        clamp_zoom((width / self.width.max(1.0)).min(height / self.height.max(1.0)).min(1.0))
    }
}

pub fn clamp_zoom(zoom: f64) -> f64 {
    if zoom.is_finite() { zoom.clamp(LEAST_ZOOM, MOST_ZOOM) } else { 1.0 }
}

fn corner(at: LayoutPoint) -> (f64, f64) {
    ((at.x * COLUMN + MARGIN + BACK_EDGE_OFFSET).round(), at.layer as f64 * LAYER + MARGIN)
}

fn edge(way: &[LayoutPoint]) -> Option<EdgePath> {
    let (first, last) = (way.first()?, way.last()?);
    let is_back = last.layer < first.layer;
    let ends = way.len().saturating_sub(1);
    let points: Vec<(f64, f64)> = way
        .iter()
        .enumerate()
        .map(|(place, at)| {
            let (left, top) = corner(*at);
            let x = left + NODE_WIDTH / 2.0 + if is_back { BACK_EDGE_OFFSET } else { 0.0 };
            let y = match (place == 0, place == ends, is_back) {
                (true, _, false) | (_, true, true) => top + NODE_HEIGHT,
                (true, _, true) | (_, true, false) => top,
                (false, false, _) => top + NODE_HEIGHT / 2.0,
            };
            (x, y)
        })
        .collect();
    let (tip_x, tip_y) = points.last().copied()?;
    let sign = if is_back { -1.0 } else { 1.0 };
    let (start_x, start_y) = points.first().copied()?;
    let mut line = format!("M{start_x} {start_y}");
    for pair in points.windows(2) {
        if let [(x, y), (to_x, to_y)] = pair {
            // The line ends at the base of the arrowhead.
            let end_y = if (*to_x, *to_y) == (tip_x, tip_y) { to_y - sign * ARROW } else { *to_y };
            let half = (y + end_y) / 2.0;
            line.push_str(&format!("C{x} {half} {to_x} {half} {to_x} {end_y}"));
        }
    }
    let (left, right, base) = (tip_x - ARROW * 0.6, tip_x + ARROW * 0.6, tip_y - sign * ARROW);
    let arrow = format!("M{tip_x} {tip_y}L{left} {base}L{right} {base}Z");
    let middle = match points.get(points.len() / 2 - usize::from(points.len() == 2)) {
        Some((x, y)) if points.len() == 2 => ((x + tip_x) / 2.0, (y + tip_y) / 2.0),
        Some(point) => *point,
        None => (tip_x, tip_y),
    };
    Some(EdgePath { line, arrow, middle, is_back })
}

#[cfg(test)]
mod tests;

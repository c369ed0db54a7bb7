//! Lays a directed graph out in layers, by Sugiyama's method.
//!
//! Edges that close a cycle are reversed; each node is one layer below its lowest predecessor; long edges get a bend
//! in every layer between. The order within a layer is swept by barycentres and the order with the fewest crossings
//! wins. Within a layer, cells are as near to their neighbours as the gaps allow. One unit is the width of a node.
//! The layout is deterministic.

use nexus_text::small_sort::SmallSort as _;
use std::collections::VecDeque;

/// Sweeps over all layers, down and up.
const SWEEPS: usize = 6;
/// Passes that balance positions.
const BALANCES: usize = 8;
/// Maximum number of bends; further edges are drawn straight.
const BENDS: usize = 20_000;
/// Width of a bend, as a share of a node's.
const BEND_WIDTH: f64 = 0.35;

/// A point of the layout: horizontal position and layer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LayoutPoint {
    pub x: f64,
    pub layer: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayeredLayout {
    pub nodes: Vec<LayoutPoint>,
    /// The path of each edge, in its direction; empty if it is a self-loop or names no node.
    pub edges: Vec<Vec<LayoutPoint>>,
    /// Width in units; 1 for a single column.
    pub width: f64,
    pub layers: usize,
}

impl LayeredLayout {
    /// Indices of the edges that lead back up. `ends` are the edges.
    pub fn back_edges(&self, ends: &[(usize, usize)]) -> Vec<usize> {
        let layer = |at: usize| self.nodes.get(at).map(|point| point.layer);
        let back = ends.iter().enumerate().filter(|(_, (from, to))| layer(*to) < layer(*from));
        back.map(|(at, _)| at).collect()
    }
}

#[derive(Clone, Default)]
struct Cell {
    layer: usize,
    x: f64,
    is_bend: bool,
    up: Vec<usize>,
    down: Vec<usize>,
}

/// Lays out `count` nodes with these edges. Ignores self-loops and edges to unknown nodes.
pub fn layered(count: usize, edges: &[(usize, usize)]) -> LayeredLayout {
    let known = |&(from, to): &(usize, usize)| from < count && to < count && from != to;
    let ends: Vec<Option<(usize, usize)>> = edges.iter().map(|edge| known(edge).then_some(*edge)).collect();
    let reversed = back_edges(count, &ends);
    let down: Vec<Option<(usize, usize)>> = ends
        .iter()
        .zip(&reversed)
        .map(|(edge, reversed)| edge.map(|(from, to)| if *reversed { (to, from) } else { (from, to) }))
        .collect();
    let layer_of = layers_of(count, &down);
    let mut cells: Vec<Cell> =
        layer_of.iter().map(|layer| Cell { layer: *layer, ..Cell::default() }).collect();
    let chains: Vec<Vec<usize>> = down.iter().map(|edge| chain(&mut cells, *edge, count)).collect();
    let mut rows = rows_of(&cells);
    order_layers(&cells, &mut rows);
    place_cells(&mut cells, &rows);
    let least = cells.iter().map(|cell| cell.x).reduce(f64::min).unwrap_or_default();
    let most = cells.iter().map(|cell| cell.x).reduce(f64::max).unwrap_or_default();
    let point = |at: usize| {
        let point = |cell: &Cell| LayoutPoint { x: cell.x - least, layer: cell.layer };
        cells.get(at).map(point).unwrap_or_default()
    };
    let way = |(chain, reversed): (&Vec<usize>, &bool)| {
        let mut way: Vec<LayoutPoint> = chain.iter().map(|at| point(*at)).collect();
        if *reversed {
            way.reverse();
        }
        way
    };
    LayeredLayout {
        nodes: (0..count).map(point).collect(),
        edges: chains.iter().zip(&reversed).map(way).collect(),
        width: most - least + 1.0,
        layers: rows.len(),
    }
}

/// For each edge, whether it closes a cycle, by depth-first search from the first node.
pub(crate) fn back_edges(count: usize, ends: &[Option<(usize, usize)>]) -> Vec<bool> {
    #[derive(Clone, Copy, PartialEq)]
    enum Visit {
        New,
        Open,
        Done,
    }
    let mut leaving: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (at, edge) in ends.iter().enumerate() {
        if let Some(list) = edge.and_then(|(from, _)| leaving.get_mut(from)) {
            list.push(at);
        }
    }
    let mut visits = vec![Visit::New; count];
    let mut reversed = vec![false; ends.len()];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for start in 0..count {
        if visits.get(start) != Some(&Visit::New) {
            continue;
        }
        stack.push((start, 0));
        set(&mut visits, start, Visit::Open);
        while let Some((node, next)) = stack.last_mut() {
            let edge = leaving.get(*node).and_then(|list| list.get(*next)).copied();
            let Some(edge) = edge else {
                set(&mut visits, *node, Visit::Done);
                stack.pop();
                continue;
            };
            *next += 1;
            let Some((_, to)) = ends.get(edge).copied().flatten() else { continue };
            match visits.get(to) {
                Some(Visit::Open) => set(&mut reversed, edge, true),
                Some(Visit::New) => {
                    set(&mut visits, to, Visit::Open);
                    stack.push((to, 0));
                }
                Some(Visit::Done) | None => {}
            }
        }
    }
    reversed
}

/// The layer of each node: one below its lowest predecessor.
fn layers_of(count: usize, down: &[Option<(usize, usize)>]) -> Vec<usize> {
    let mut indegree = vec![0usize; count];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in down.iter().flatten() {
        if let Some(list) = below.get_mut(*from) {
            list.push(*to);
        }
        if let Some(indegree) = indegree.get_mut(*to) {
            *indegree += 1;
        }
    }
    let mut layers = vec![0usize; count];
    let free = indegree.iter().enumerate().filter(|(_, indegree)| **indegree == 0);
    let mut ready: VecDeque<usize> = free.map(|(at, _)| at).collect();
    while let Some(node) = ready.pop_front() {
        let next = layers.get(node).copied().unwrap_or_default() + 1;
        for to in below.get(node).into_iter().flatten() {
            if let Some(layer) = layers.get_mut(*to) {
                *layer = next.max(*layer);
            }
            if let Some(indegree) = indegree.get_mut(*to) {
                *indegree = indegree.saturating_sub(1);
                if *indegree == 0 {
                    ready.push_back(*to);
                }
            }
        }
    }
    layers
}

/// The cells on an edge, from the upper to the lower node; adds bends for the layers between.
fn chain(cells: &mut Vec<Cell>, edge: Option<(usize, usize)>, count: usize) -> Vec<usize> {
    let Some((from, to)) = edge else { return Vec::new() };
    let layer = |at: usize| cells.get(at).map_or(0, |cell| cell.layer);
    let between = layer(from) + 1..layer(to);
    let mut chain = vec![from];
    if cells.len() - count + between.len() <= BENDS {
        for layer in between {
            chain.push(cells.len());
            cells.push(Cell { layer, is_bend: true, ..Cell::default() });
        }
    }
    chain.push(to);
    for pair in chain.windows(2) {
        if let [above, below] = pair {
            if let Some(cell) = cells.get_mut(*above) {
                cell.down.push(*below);
            }
            if let Some(cell) = cells.get_mut(*below) {
                cell.up.push(*above);
            }
        }
    }
    chain
}

fn rows_of(cells: &[Cell]) -> Vec<Vec<usize>> {
    let layers = cells.iter().map(|cell| cell.layer + 1).max().unwrap_or_default();
    let mut rows = vec![Vec::new(); layers];
    for (at, cell) in cells.iter().enumerate() {
        if let Some(row) = rows.get_mut(cell.layer) {
            row.push(at);
        }
    }
    rows
}

/// Orders each layer by the mean position of its neighbours in the previous layer, swept down and up.
fn order_layers(cells: &[Cell], rows: &mut Vec<Vec<usize>>) {
    let mut places = vec![0usize; cells.len()];
    for (place, at) in rows.iter().flat_map(|row| row.iter().enumerate()) {
        set(&mut places, *at, place);
    }
    let (mut best, mut fewest) = (rows.clone(), crossings(cells, rows, &places));
    for sweep in 0..SWEEPS {
        if fewest == 0 {
            break;
        }
        let goes_down = sweep % 2 == 0;
        let layers: Vec<usize> =
            if goes_down { (0..rows.len()).collect() } else { (0..rows.len()).rev().collect() };
        for layer in layers {
            let Some(row) = rows.get_mut(layer) else { continue };
            let mean = |at: usize, own: usize| {
                let near = cells.get(at).map(|cell| if goes_down { &cell.up } else { &cell.down });
                let near = near.into_iter().flatten();
                let near: Vec<f64> = near.filter_map(|at| Some(*places.get(*at)? as f64)).collect();
                if near.is_empty() { own as f64 } else { near.iter().sum::<f64>() / near.len() as f64 }
            };
            let mut keyed: Vec<(f64, usize)> =
                row.iter().enumerate().map(|(own, at)| (mean(*at, own), *at)).collect();
            keyed.small_sort_by(|(one, _), (other, _)| one.total_cmp(other));
            *row = keyed.into_iter().map(|(_, at)| at).collect();
            for (place, at) in row.iter().enumerate() {
                set(&mut places, *at, place);
            }
        }
        let now = crossings(cells, rows, &places);
        if now < fewest {
            (best, fewest) = (rows.clone(), now);
        }
    }
    *rows = best;
}

fn crossings(cells: &[Cell], rows: &[Vec<usize>], places: &[usize]) -> usize {
    rows.iter()
        .map(|row| {
            let mut lower: Vec<usize> = Vec::new();
            for at in row {
                let below = cells.get(*at).map(|cell| cell.down.as_slice()).unwrap_or_default();
                let mut below: Vec<usize> = below.iter().filter_map(|at| places.get(*at).copied()).collect();
                below.small_sort();
                lower.append(&mut below);
            }
            inversions(lower)
        })
        .sum()
}

/// Number of inversions of a list, counted with a Fenwick tree.
fn inversions(list: Vec<usize>) -> usize {
    let size = list.iter().max().map_or(0, |most| most + 1);
    let mut sums = vec![0usize; size + 1];
    let mut found = 0;
    for (seen, value) in list.into_iter().enumerate() {
        let mut not_above = 0;
        let mut at = value + 1;
        while at > 0 {
            not_above += sums.get(at).copied().unwrap_or_default();
            at &= at - 1;
        }
        found += seen - not_above;
        let mut at = value + 1;
        while let Some(sum) = sums.get_mut(at) {
            *sum += 1;
            at += at & at.wrapping_neg();
        }
    }
    found
}

/// Moves the cells of each layer as near to their neighbours as the gaps allow.
fn place_cells(cells: &mut [Cell], rows: &[Vec<usize>]) {
    for row in rows {
        let mut x = 0.0;
        for (gap, at) in gaps(cells, row).into_iter().zip(row) {
            x += gap;
            if let Some(cell) = cells.get_mut(*at) {
                cell.x = x;
            }
        }
    }
    for balance in 0..BALANCES {
        // The last pass considers both sides.
        let is_last = balance + 1 == BALANCES;
        let goes_down = balance % 2 == 0;
        let order: Vec<&Vec<usize>> =
            if goes_down { rows.iter().collect() } else { rows.iter().rev().collect() };
        for row in order {
            let desired = |at: usize| {
                let cell = cells.get(at)?;
                let (first, second) = if goes_down { (&cell.up, &cell.down) } else { (&cell.down, &cell.up) };
                let second = if is_last { second.as_slice() } else { &[] };
                let near: Vec<_> = first.iter().chain(second).collect();
                let sum: f64 = near.iter().filter_map(|at| Some(cells.get(**at)?.x)).sum();
                Some(if near.is_empty() { cell.x } else { sum / near.len() as f64 })
            };
            let targets: Vec<f64> = row.iter().map(|at| desired(*at).unwrap_or_default()).collect();
            let placed = nearest(&targets, &gaps(cells, row));
            for (at, x) in row.iter().zip(placed) {
                if let Some(cell) = cells.get_mut(*at) {
                    cell.x = x;
                }
            }
        }
    }
}

/// Minimum distance of each cell of a row to the previous one; 0 for the first.
fn gaps(cells: &[Cell], row: &[usize]) -> Vec<f64> {
    let half =
        |at: &usize| if cells.get(*at).is_some_and(|cell| cell.is_bend) { BEND_WIDTH } else { 1.0 } / 2.0;
    let between = row.windows(2).map(|pair| pair.iter().map(half).sum());
    row.first().map(|_| 0.0).into_iter().chain(between).collect()
}

/// Positions in this order that keep the gaps and are nearest to the desired ones, by least squares: neighbours that
/// are too near become a block at the mean of their desired positions.
fn nearest(targets: &[f64], gaps: &[f64]) -> Vec<f64> {
    let mut shift = 0.0;
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    let mut shifts = Vec::with_capacity(targets.len());
    for (desired, gap) in targets.iter().zip(gaps) {
        shift += gap;
        shifts.push(shift);
        let (mut mean, mut size) = (desired - shift, 1usize);
        while let Some((before, count)) = blocks.last().copied().filter(|(before, _)| *before > mean) {
            blocks.pop();
            mean = (before * count as f64 + mean * size as f64) / (count + size) as f64;
            size += count;
        }
        blocks.push((mean, size));
    }
    let means = blocks.into_iter().flat_map(|(mean, size)| std::iter::repeat_n(mean, size));
    means.zip(shifts).map(|(mean, shift)| mean + shift).collect()
}

fn set<T>(list: &mut [T], at: usize, value: T) {
    if let Some(place) = list.get_mut(at) {
        *place = value;
    }
}

#[cfg(test)]
mod tests;

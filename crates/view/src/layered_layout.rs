//! Lays a directed graph out in layers, by Sugiyama's method.
//!
//! Edges that close a cycle are turned round, each node is put one layer below its lowest predecessor, long edges get a
//! bend in every layer between, the order within a layer is swept by barycenters and the one with the fewest crossings
//! is kept, and places within a layer are the nearest ones to their neighbours that keep the distance. Distances are in
//! units: one unit is the place of one node. Equal graphs get equal layouts.

use nexus_text::small_sort::SmallSort as _;
use std::collections::VecDeque;

/// So often the order of all layers is swept, down and up.
const SWEEPS: usize = 6;
/// So often places are balanced.
const BALANCES: usize = 8;
/// More bends than these are not placed; the edges that would need them go straight.
const BENDS: usize = 20_000;
/// How much of a node's place a bend takes.
const BEND_WIDTH: f64 = 0.35;

/// A point of the plane: how far to the right, and the layer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LayoutPoint {
    pub x: f64,
    pub layer: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct LayeredLayout {
    pub nodes: Vec<LayoutPoint>,
    /// One for each edge: its way from node to node, in the direction of the edge. Empty where it names no node.
    pub edges: Vec<Vec<LayoutPoint>>,
    /// From the leftmost to the rightmost place, in units; 1 for a single column.
    pub width: f64,
    pub layers: usize,
}

impl LayeredLayout {
    /// The edges that lead back up, as loops do, by their places; `ends` are those of the edges.
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

/// Lays `count` nodes out with these edges between them. An edge to nowhere, or from a node to itself, moves nothing.
pub fn layered(count: usize, edges: &[(usize, usize)]) -> LayeredLayout {
    let known = |&(from, to): &(usize, usize)| from < count && to < count && from != to;
    let ends: Vec<Option<(usize, usize)>> = edges.iter().map(|edge| known(edge).then_some(*edge)).collect();
    let turned = back_edges(count, &ends);
    let down: Vec<Option<(usize, usize)>> = ends
        .iter()
        .zip(&turned)
        .map(|(edge, turned)| edge.map(|(from, to)| if *turned { (to, from) } else { (from, to) }))
        .collect();
    let layer_of = layers_of(count, &down);
    let mut cells: Vec<Cell> =
        layer_of.iter().map(|layer| Cell { layer: *layer, ..Cell::default() }).collect();
    let chains: Vec<Vec<usize>> = down.iter().map(|edge| chain(&mut cells, *edge, count)).collect();
    let mut rows = rows_of(&cells);
    order(&cells, &mut rows);
    place(&mut cells, &rows);
    let least = cells.iter().map(|cell| cell.x).reduce(f64::min).unwrap_or_default();
    let most = cells.iter().map(|cell| cell.x).reduce(f64::max).unwrap_or_default();
    let point = |at: usize| {
        cells
            .get(at)
            .map_or_else(LayoutPoint::default, |cell| LayoutPoint { x: cell.x - least, layer: cell.layer })
    };
    let way = |(chain, turned): (&Vec<usize>, &bool)| {
        let mut way: Vec<LayoutPoint> = chain.iter().map(|at| point(*at)).collect();
        if *turned {
            way.reverse();
        }
        way
    };
    LayeredLayout {
        nodes: (0..count).map(point).collect(),
        edges: chains.iter().zip(&turned).map(way).collect(),
        width: most - least + 1.0,
        layers: rows.len(),
    }
}

/// Which edges go back to a node that leads to them, found depth first from the first node on.
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
    let mut turned = vec![false; ends.len()];
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
                Some(Visit::Open) => set(&mut turned, edge, true),
                Some(Visit::New) => {
                    set(&mut visits, to, Visit::Open);
                    stack.push((to, 0));
                }
                Some(Visit::Done) | None => {}
            }
        }
    }
    turned
}

/// The layer of each node: one below its lowest predecessor.
fn layers_of(count: usize, down: &[Option<(usize, usize)>]) -> Vec<usize> {
    let mut waits = vec![0usize; count];
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (from, to) in down.iter().flatten() {
        if let Some(list) = below.get_mut(*from) {
            list.push(*to);
        }
        if let Some(waits) = waits.get_mut(*to) {
            *waits += 1;
        }
    }
    let mut layers = vec![0usize; count];
    let free = waits.iter().enumerate().filter(|(_, waits)| **waits == 0);
    let mut ready: VecDeque<usize> = free.map(|(at, _)| at).collect();
    while let Some(node) = ready.pop_front() {
        let next = layers.get(node).copied().unwrap_or_default() + 1;
        for to in below.get(node).into_iter().flatten() {
            if let Some(layer) = layers.get_mut(*to) {
                *layer = next.max(*layer);
            }
            if let Some(waits) = waits.get_mut(*to) {
                *waits = waits.saturating_sub(1);
                if *waits == 0 {
                    ready.push_back(*to);
                }
            }
        }
    }
    layers
}

/// The cells that an edge goes through, from the upper to the lower node; new ones for the layers between.
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

/// Orders the layers: each by the mean place of its neighbours in the layer before, swept down and up.
fn order(cells: &[Cell], rows: &mut Vec<Vec<usize>>) {
    let mut places = vec![0usize; cells.len()];
    note_places(rows, &mut places);
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
                let near = cells
                    .get(at)
                    .map(|cell| if goes_down { &cell.up } else { &cell.down })
                    .into_iter()
                    .flatten();
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

fn note_places(rows: &[Vec<usize>], places: &mut [usize]) {
    for (place, at) in rows.iter().flat_map(|row| row.iter().enumerate()) {
        set(places, *at, place);
    }
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

/// How many pairs of a list are in the wrong order: counted in a tree of sums.
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

/// Puts the cells of each layer as near to their neighbours as the distance between cells allows.
fn place(cells: &mut [Cell], rows: &[Vec<usize>]) {
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
        // The last pass looks at both sides.
        let is_last = balance + 1 == BALANCES;
        let goes_down = balance % 2 == 0;
        let order: Vec<&Vec<usize>> =
            if goes_down { rows.iter().collect() } else { rows.iter().rev().collect() };
        for row in order {
            let wish = |at: usize| {
                let cell = cells.get(at)?;
                let (first, second) = if goes_down { (&cell.up, &cell.down) } else { (&cell.down, &cell.up) };
                let near = if is_last {
                    first.iter().chain(second).collect()
                } else if first.is_empty() {
                    Vec::new()
                } else {
                    first.iter().collect::<Vec<_>>()
                };
                let sum: f64 = near.iter().filter_map(|at| Some(cells.get(**at)?.x)).sum();
                Some(if near.is_empty() { cell.x } else { sum / near.len() as f64 })
            };
            let wishes: Vec<f64> = row.iter().map(|at| wish(*at).unwrap_or_default()).collect();
            let placed = nearest(&wishes, &gaps(cells, row));
            for (at, x) in row.iter().zip(placed) {
                if let Some(cell) = cells.get_mut(*at) {
                    cell.x = x;
                }
            }
        }
    }
}

/// The least distance of each cell of a row to the one before it; 0 for the first.
fn gaps(cells: &[Cell], row: &[usize]) -> Vec<f64> {
    let half =
        |at: &usize| if cells.get(*at).is_some_and(|cell| cell.is_bend) { BEND_WIDTH } else { 1.0 } / 2.0;
    let between = row.windows(2).map(|pair| pair.iter().map(half).sum());
    row.first().map(|_| 0.0).into_iter().chain(between).collect()
}

/// The places in this order that keep the gaps and lie nearest to the wishes, by least squares: neighbours that want to be
/// too near to each other become a block, which goes to the mean of its wishes.
fn nearest(wishes: &[f64], gaps: &[f64]) -> Vec<f64> {
    let mut shift = 0.0;
    let mut blocks: Vec<(f64, usize)> = Vec::new();
    let mut shifts = Vec::with_capacity(wishes.len());
    for (wish, gap) in wishes.iter().zip(gaps) {
        shift += gap;
        shifts.push(shift);
        let (mut mean, mut size) = (wish - shift, 1usize);
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

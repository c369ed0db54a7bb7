//! Chooses which rows of a long timeline are rendered.
//!
//! Follows the newest rows while the reader is at the end, else keeps a bounded window around the reading position,
//! anchored by row key.

use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListWindowSizes {
    pub newest: usize,
    /// Rows that are added when the reader comes near an edge.
    pub step: usize,
    pub most: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListWindow<K> {
    /// First row; `None` follows the newest rows.
    first: Option<K>,
    /// Last row; `None` extends to the end.
    last: Option<K>,
}

impl<K> Default for ListWindow<K> {
    fn default() -> Self {
        Self { first: None, last: None }
    }
}

impl<K: Clone + PartialEq> ListWindow<K> {
    /// The rendered rows of `order`. If an anchor was removed, falls back to the newest rows.
    pub fn range(&self, order: &[K], sizes: ListWindowSizes) -> Range<usize> {
        let place = |key: &K| order.iter().position(|other| other == key);
        let end = self.last.as_ref().and_then(place).map_or(order.len(), |last| last + 1);
        let start = self.first.as_ref().and_then(place).filter(|start| *start < end);
        start.unwrap_or_else(|| end.saturating_sub(sizes.newest))..end
    }

    /// True if the newest row is rendered.
    pub fn has_newest(&self) -> bool {
        self.last.is_none()
    }

    /// Anchors the window to its current rows, so that new rows do not move it.
    pub fn anchored(&self, order: &[K], sizes: ListWindowSizes) -> Self {
        let Range { start, .. } = self.range(order, sizes);
        Self { first: order.get(start).cloned(), last: self.last.clone() }
    }

    /// One step towards the beginning; `None` if all earlier rows are rendered.
    pub fn up(&self, order: &[K], sizes: ListWindowSizes) -> Option<Self> {
        let Range { start, end } = self.range(order, sizes);
        let up = start.checked_sub(1)?.saturating_sub(sizes.step.saturating_sub(1));
        Some(Self::of(order, up..end.min(up.saturating_add(sizes.most))))
    }

    /// One step towards the end; `None` if all later rows are rendered.
    pub fn down(&self, order: &[K], sizes: ListWindowSizes) -> Option<Self> {
        let Range { start, end } = self.range(order, sizes);
        if end >= order.len() {
            return None;
        }
        let down = end.saturating_add(sizes.step).min(order.len());
        Some(Self::of(order, start.max(down.saturating_sub(sizes.most))..down))
    }

    /// A window that contains this row: the current one if it does, else one around the row. `None` if the row does
    /// not exist.
    pub fn containing(&self, key: &K, order: &[K], sizes: ListWindowSizes) -> Option<Self> {
        let place = order.iter().position(|other| other == key)?;
        if self.range(order, sizes).contains(&place) {
            return Some(self.anchored(order, sizes));
        }
        let start = place.saturating_sub(sizes.newest / 2);
        Some(Self::of(order, start..start.saturating_add(sizes.newest).min(order.len())))
    }

    fn of(order: &[K], range: Range<usize>) -> Self {
        let last = range.end.checked_sub(1).filter(|_| range.end < order.len());
        Self { first: order.get(range.start).cloned(), last: last.and_then(|last| order.get(last)).cloned() }
    }
}

#[cfg(test)]
mod tests;

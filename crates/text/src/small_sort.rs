//! A stable sort that is compiled once for all types.
//!
//! The standard library's sorts are compiled anew for each type and each way to compare, at five kilobytes each. These
//! sort the places of the items, and then move the items.

use std::cmp::Ordering;

/// Sorts a list; equal items keep their order.
pub trait SmallSort<T> {
    fn small_sort_by(&mut self, compare: impl Fn(&T, &T) -> Ordering);

    fn small_sort(&mut self)
    where
        T: Ord,
    {
        self.small_sort_by(T::cmp);
    }

    /// Sorts by `key`, which is called for each comparison.
    fn small_sort_by_key<K: Ord>(&mut self, key: impl Fn(&T) -> K) {
        self.small_sort_by(|one, other| key(one).cmp(&key(other)));
    }
}

impl<T> SmallSort<T> for [T] {
    fn small_sort_by(&mut self, compare: impl Fn(&T, &T) -> Ordering) {
        let list = &*self;
        let order = order(list.len(), &|one, other| match (list.get(one), list.get(other)) {
            (Some(one), Some(other)) => compare(one, other),
            (None, _) | (_, None) => Ordering::Equal,
        });
        for (to, from) in order.iter().enumerate() {
            // Where the item is now: swaps moved what was at a place to where its new item came from.
            let mut from = *from;
            while from < to {
                from = order.get(from).copied().unwrap_or(to);
            }
            self.swap(to, from);
        }
    }
}

/// The positions of `count` items in sorted order.
fn order(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    // Merges sorted runs until one is left. The standard library's sort is ten times as much code.
    let mut length = 1;
    while length < count {
        let mut merged = Vec::with_capacity(count);
        for pair in order.chunks(2 * length) {
            let (mut left, mut right) = pair.split_at(length.min(pair.len()));
            while let (Some((one, after_one)), Some((other, after_other))) =
                (left.split_first(), right.split_first())
            {
                if compare(*other, *one) == Ordering::Less {
                    merged.push(*other);
                    right = after_other;
                } else {
                    merged.push(*one);
                    left = after_one;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        order = merged;
        length *= 2;
    }
    order
}

#[cfg(test)]
mod tests;

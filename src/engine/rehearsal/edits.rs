//! Never touches a file.
//!
//! Owns the way from a text and what it should become to edits by search and replace, as the edit tool takes them.

use similar::{Algorithm, DiffOp, capture_diff_slices, group_diff_ops};

/// Replace the only occurrence of one text by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) search: String,
    pub(super) replace: String,
}

impl Edit {
    /// `text` after the edit, if its search text occurs exactly once.
    pub(super) fn apply(&self, text: &str) -> Option<String> {
        let mut found = text.match_indices(self.search.as_str());
        (!self.search.is_empty() && found.next().is_some() && found.next().is_none())
            .then(|| text.replacen(&self.search, &self.replace, 1))
    }
}

/// The edits that, one after the other, make `new` out of `old`; none where that cannot be done by edits.
pub(super) fn between(old: &str, new: &str) -> Vec<Edit> {
    let before: Vec<&str> = old.split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    let ops = capture_diff_slices(Algorithm::Myers, &before, &after);
    // With more lines around a change its search text becomes unique.
    for context in [1, 3, 8, usize::MAX / 4] {
        let groups = group_diff_ops(ops.clone(), context);
        let edits: Vec<Edit> = groups.iter().map(|group| edit(group, &before, &after)).collect();
        let result = edits.iter().try_fold(old.to_owned(), |text, edit| edit.apply(&text));
        if result.as_deref() == Some(new) {
            return edits;
        }
    }
    Vec::new()
}

fn edit(group: &[DiffOp], before: &[&str], after: &[&str]) -> Edit {
    let lines = |all: &[&str], from: Option<usize>, to: Option<usize>| {
        all.get(from.unwrap_or(0)..to.unwrap_or(0)).unwrap_or_default().concat()
    };
    let (first, last) = (group.first(), group.last());
    let start = |op: &DiffOp| (op.old_range().start, op.new_range().start);
    let end = |op: &DiffOp| (op.old_range().end, op.new_range().end);
    Edit {
        search: lines(before, first.map(|op| start(op).0), last.map(|op| end(op).0)),
        replace: lines(after, first.map(|op| start(op).1), last.map(|op| end(op).1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn edits_lead_from_old_to_new(old in "([ab]\n){1,12}", new in "([abc]\n){0,12}") {
            let edits = between(&old, &new);
            let result = edits.iter().try_fold(old.clone(), |text, edit| edit.apply(&text));
            prop_assert_eq!(result, Some(new));
        }
    }
}

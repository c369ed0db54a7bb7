//! Line deltas between two texts, used by events and stored rows.

use serde::{Deserialize, Serialize};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::limits::{DELTA_LINES, DELTA_SHARE, DELTA_TEXT_BYTES};

/// Lines that take the place of others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineSplice {
    /// The first line of the old text that is replaced, or that the new ones stand before, from 0.
    pub at: usize,
    /// How many lines of the old text go.
    #[serde(default, skip_serializing_if = "is_none")]
    pub removed: usize,
    /// The lines that come, with their ends.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub lines: String,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde wants it so")]
fn is_none(count: &usize) -> bool {
    *count == 0
}

/// What makes `old` into `new`, in the order of the lines; `None` where that is hardly shorter than the text itself.
pub fn between(old: &str, new: &str) -> Option<Vec<LineSplice>> {
    if new.len() < DELTA_TEXT_BYTES {
        return None;
    }
    let (old, now): (Vec<&str>, Vec<&str>) = (lines(old), lines(new));
    let start = old.iter().zip(&now).take_while(|(old, new)| old == new).count();
    let rest = |all: &[&str]| all.len().saturating_sub(start);
    let most = rest(&old).min(rest(&now));
    let end = old.iter().rev().zip(now.iter().rev()).take(most).take_while(|(old, new)| old == new).count();
    let old = old.get(start..old.len().saturating_sub(end)).unwrap_or_default();
    let now = now.get(start..now.len().saturating_sub(end)).unwrap_or_default();
    let changes = if old.len().saturating_add(now.len()) > DELTA_LINES {
        // To look closer would take long, and what was written anew has little in common with what it was.
        vec![LineSplice { at: start, removed: old.len(), lines: now.concat() }]
    } else {
        capture_diff_slices(Algorithm::Myers, old, now)
            .into_iter()
            .map(|step| step.as_tag_tuple())
            .filter(|(tag, ..)| *tag != DiffTag::Equal)
            .map(|(_, removed, added)| LineSplice {
                at: start.saturating_add(removed.start),
                removed: removed.len(),
                lines: now.get(added).unwrap_or_default().concat(),
            })
            .collect()
    };
    // A change weighs its lines and some forty bytes around them.
    let weight: usize = changes.iter().map(|change| change.lines.len().saturating_add(40)).sum();
    (weight.saturating_mul(DELTA_SHARE) <= new.len()).then_some(changes)
}

/// `old` with the changes made; `None` where they are not of this text.
pub fn apply(old: &str, changes: &[LineSplice]) -> Option<String> {
    let old = lines(old);
    let mut new = String::new();
    let mut at = 0;
    for change in changes {
        old.get(at..change.at)?.iter().for_each(|line| new.push_str(line));
        new.push_str(&change.lines);
        at = change.at.checked_add(change.removed)?;
    }
    old.get(at..)?.iter().for_each(|line| new.push_str(line));
    Some(new)
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn text(lines: &[u8]) -> String {
        lines.iter().map(|line| format!("{line} {}\n", "stays as it is ".repeat(4))).collect()
    }

    #[test]
    fn a_changed_line_of_a_long_text_is_all_that_is_told() {
        let old = text(&[1; 200]);
        let new = old.replacen("1 stays", "one stays", 1);
        let changes = between(&old, &new).unwrap();
        assert_eq!(changes.len(), 1);
        assert_eq!((changes[0].at, changes[0].removed, changes[0].lines.lines().count()), (0, 1, 1));
        assert_eq!(apply(&old, &changes).unwrap(), new);
        assert!(between(&new, &new).unwrap().is_empty());
    }

    #[test]
    fn what_is_short_or_written_anew_is_told_whole() {
        assert_eq!(between("a\nb\n", "a\nc\n"), None);
        assert_eq!(between(&text(&[1; 200]), &text(&[2; 200])), None);
        let (old, new) = (text(&[1; 9000]), text(&[2; 9000]));
        assert_eq!(between(&old, &new), None, "too long to look closer");
    }

    #[test]
    fn changes_of_another_text_are_refused() {
        let change = |at, removed| LineSplice { at, removed, lines: "new\n".to_owned() };
        for odd in [
            vec![change(3, 0)],
            vec![change(1, 9)],
            vec![change(2, 0), change(1, 0)],
            vec![change(1, usize::MAX), change(1, 0)],
        ] {
            assert_eq!(apply("a\nb\n", &odd), None, "{odd:?}");
        }
        assert_eq!(apply("a\nb\n", &[change(2, 0)]).unwrap(), "a\nb\nnew\n");
    }

    proptest! {
        #[test]
        fn what_was_told_gives_the_text_again(
            base in proptest::collection::vec(0..9_u8, 30..120),
            edits in proptest::collection::vec((0..120_usize, 0..4_usize, proptest::collection::vec(0..9_u8, 0..4)), 0..6),
            open in any::<bool>(),
        ) {
            let mut lines = base.clone();
            for (at, removed, added) in edits {
                let at = at.min(lines.len());
                lines.splice(at..(at + removed).min(lines.len()), added);
            }
            let (old, mut new) = (text(&base), text(&lines));
            if open {
                new.pop();
            }
            if let Some(changes) = between(&old, &new) {
                prop_assert_eq!(apply(&old, &changes), Some(new));
                let json = serde_json::to_string(&changes).unwrap();
                prop_assert_eq!(serde_json::from_str::<Vec<LineSplice>>(&json).unwrap(), changes);
            }
        }
    }
}

//! Three-way line merge, used for writes to the mind that are based on an older version.
//!
//! Overlapping changes are a conflict; nothing is guessed.

/// What came of a merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeOutcome {
    /// Both sides' changes in one text.
    Clean(String),
    /// Both sides touched the same lines; the text with both between conflict marks.
    Clash(String),
}

/// Merges what `ours` and `theirs` changed in `base`, by lines.
///
/// In a clash the lines of `ours` stand first, between marks that carry the labels `ours` and `theirs`.
pub fn merge(base: &str, ours: &str, theirs: &str) -> MergeOutcome {
    if ours == theirs || base == theirs {
        return MergeOutcome::Clean(ours.to_owned());
    }
    if base == ours {
        return MergeOutcome::Clean(theirs.to_owned());
    }
    let mut options = diffy::MergeOptions::new();
    options.set_conflict_style(diffy::ConflictStyle::Merge);
    match options.merge(base, ours, theirs) {
        Ok(text) => MergeOutcome::Clean(text),
        Err(text) => MergeOutcome::Clash(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_in_different_places_meet() {
        let base = "a\nb\nc\nd\ne\n";
        assert_eq!(
            merge(base, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n"),
            MergeOutcome::Clean("A\nb\nc\nd\nE\n".into())
        );
    }

    #[test]
    fn changes_in_one_place_clash_and_keep_both() {
        let MergeOutcome::Clash(marked) = merge("a\nb\nc\n", "a\nmine\nc\n", "a\nyours\nc\n") else {
            panic!("expected a clash");
        };
        assert!(marked.contains("<<<<<<<") && marked.contains("mine") && marked.contains("yours"));
    }

    #[test]
    fn one_side_only_wins() {
        assert_eq!(merge("a\n", "a\n", "b\n"), MergeOutcome::Clean("b\n".into()));
        assert_eq!(merge("a\n", "b\n", "a\n"), MergeOutcome::Clean("b\n".into()));
        assert_eq!(merge("a\n", "b\n", "b\n"), MergeOutcome::Clean("b\n".into()));
    }
}

#[cfg(test)]
#[path = "merge3_tests.rs"]
pub(crate) mod against_git;

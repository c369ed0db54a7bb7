//! Tests of the merge and its chunks, most against `git merge-file` on random edits.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;

use super::*;
use crate::testing::{check_until_seen, not_installed};

/// An edit: at this line, removes so many lines and inserts these.
type RandomEdit = (prop::sample::Index, usize, Vec<u8>);

fn edits() -> impl Strategy<Value = Vec<RandomEdit>> {
    let new = prop::collection::vec(0u8..3, 0..3);
    prop::collection::vec((any::<prop::sample::Index>(), 0..3usize, new), 0..4)
}

/// The base after some edits. No line occurs twice: repeated lines have several correct diffs, and git may choose
/// another one.
fn edited(base: &[String], edits: &[RandomEdit]) -> String {
    let mut lines = base.to_vec();
    for (number, (place, remove, add)) in edits.iter().enumerate() {
        let at = place.index(lines.len() + 1);
        let end = (at + remove).min(lines.len());
        let mut add: Vec<_> = add.iter().map(|line| format!("new {number} {line}\n")).collect();
        add.dedup();
        lines.splice(at..end, add);
    }
    lines.concat()
}

/// The result of `git merge-file`: the text, and whether it is free of conflicts. `None` without git.
fn by_git(folder: &Path, base: &str, ours: &str, theirs: &str, how: &[&str]) -> Option<(String, bool)> {
    let file = |name: &str, text: &str| {
        let path = folder.join(name);
        std::fs::File::create(&path).unwrap().write_all(text.as_bytes()).unwrap();
        path
    };
    let (ours, base, theirs) = (file("ours", ours), file("base", base), file("theirs", theirs));
    let out = Command::new("git")
        .args(["merge-file", "-p", "--quiet", "-L", "ours", "-L", "original", "-L", "theirs"])
        .args(how)
        .args([ours, base, theirs])
        .output()
        .ok()?;
    let code = out.status.code()?;
    assert!((0..=127).contains(&code), "git merge-file failed: {}", String::from_utf8_lossy(&out.stderr));
    Some((String::from_utf8(out.stdout).unwrap(), code == 0))
}

#[test]
fn merge_agrees_with_git_on_random_edits() {
    let folder = std::env::temp_dir().join(format!("nexus-merge-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    if by_git(&folder, "", "", "", &[]).is_none() {
        not_installed("git, to hold merges against");
        return;
    }
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) };
    let values = (0..24u32, edits(), edits());
    check_until_seen(&config, [true, false], &values, |(lines, ours, theirs), see| {
        let base: Vec<_> = (0..lines).map(|line| format!("line {line}\n")).collect();
        let (ours, theirs) = (edited(&base, &ours), edited(&base, &theirs));
        let base = base.concat();
        let (text, is_clean) = by_git(&folder, &base, &ours, &theirs, &[]).unwrap();
        match merge(&base, &ours, &theirs) {
            MergeOutcome::Clean(merged) => prop_assert_eq!((merged, true), (text, is_clean)),
            // The lines between the marks may differ from git's, but both must have marks.
            MergeOutcome::Conflict(_) => {
                prop_assert!(!is_clean, "git merges {:?} and {:?} to {:?}", ours, theirs, text);
            }
        }
        see(is_clean);
        Ok(())
    });
    std::fs::remove_dir_all(&folder).unwrap();
}

/// As in git, whose `merge-file` gives the same marks.
#[test]
fn first_of_two_equal_lines_counts_as_removed() {
    let merged = merge("same\nsame\n", "same\n", "new\nsame\n");
    let marked = "<<<<<<< current\n=======\nnew\n>>>>>>> new\nsame\n";
    assert!(is_marked(marked));
    assert_eq!(merged, MergeOutcome::Conflict(marked.into()));
}

#[test]
fn mark_begins_a_line_after_an_unended_last_line() {
    let marked = "<<<<<<< current\nb\n=======\nc\n>>>>>>> new\n";
    assert!(is_marked(marked));
    assert_eq!(merge("a", "b", "c"), MergeOutcome::Conflict(marked.into()));
}

#[test]
fn separate_changes_are_merged() {
    let base = "a\nb\nc\nd\ne\n";
    assert_eq!(
        merge(base, "A\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n"),
        MergeOutcome::Clean("A\nb\nc\nd\nE\n".into())
    );
}

#[test]
fn overlapping_changes_conflict_and_keep_both() {
    let MergeOutcome::Conflict(marked) = merge("a\nb\nc\n", "a\nmine\nc\n", "a\nyours\nc\n") else {
        panic!("expected a clash");
    };
    assert!(marked.contains("<<<<<<<") && marked.contains("mine") && marked.contains("yours"));
}

#[test]
fn change_of_one_side_wins() {
    assert_eq!(merge("a\n", "a\n", "b\n"), MergeOutcome::Clean("b\n".into()));
    assert_eq!(merge("a\n", "b\n", "a\n"), MergeOutcome::Clean("b\n".into()));
    assert_eq!(merge("a\n", "b\n", "b\n"), MergeOutcome::Clean("b\n".into()));
}

fn all(pieces: &[MergeChunk], side: Resolution) -> String {
    resolve(pieces, &vec![side.clone(); conflict_count(pieces)]).unwrap()
}

#[test]
fn chunks_agree_with_git_for_either_side() {
    let folder = std::env::temp_dir().join(format!("nexus-join-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    if by_git(&folder, "", "", "", &[]).is_none() {
        not_installed("git, to hold merges against");
        return;
    }
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(150) };
    let values = (0..24u32, edits(), edits());
    check_until_seen(&config, [true, false], &values, |(lines, ours, theirs), see| {
        let base: Vec<_> = (0..lines).map(|line| format!("line {line}\n")).collect();
        let (ours, theirs) = (edited(&base, &ours), edited(&base, &theirs));
        let base = base.concat();
        let pieces = merge_chunks(&base, &ours, &theirs);
        let (_, is_clean) = by_git(&folder, &base, &ours, &theirs, &[]).unwrap();
        prop_assert_eq!(conflict_count(&pieces) == 0, is_clean);
        see(is_clean);
        for (side, how) in [(Resolution::Ours, "--ours"), (Resolution::Theirs, "--theirs")] {
            let (text, _) = by_git(&folder, &base, &ours, &theirs, &[how]).unwrap();
            prop_assert_eq!(all(&pieces, side), text);
        }
        Ok(())
    });
    std::fs::remove_dir_all(&folder).unwrap();
}

proptest! {
    #[test]
    fn change_of_one_side_never_conflicts(base in "[abc\n]{0,40}", other in "[abc\n]{0,40}") {
        for (ours, theirs) in [(&base, &other), (&other, &base), (&other, &other)] {
            let pieces = merge_chunks(&base, ours, theirs);
            prop_assert_eq!(conflict_count(&pieces), 0);
            prop_assert_eq!(all(&pieces, Resolution::Ours), if *ours == base { theirs.clone() } else { ours.clone() });
        }
    }

    #[test]
    fn swapped_sides_have_the_same_conflicts(base in "[ab\n]{0,30}", ours in "[ab\n]{0,30}", theirs in "[ab\n]{0,30}") {
        let (here, there) = (merge_chunks(&base, &ours, &theirs), merge_chunks(&base, &theirs, &ours));
        prop_assert_eq!(conflict_count(&here), conflict_count(&there));
        prop_assert_eq!(all(&here, Resolution::Theirs), all(&there, Resolution::Ours));
    }
}

#[test]
fn each_conflict_is_resolved_by_itself() {
    let pieces = merge_chunks("a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n", "1\nb\nc\nd\n5");
    assert_eq!(conflict_count(&pieces), 2);
    assert_eq!(resolve(&pieces, &[Resolution::Theirs, Resolution::Ours]).unwrap(), "1\nb\nc\nd\nE\n");
    assert_eq!(resolve(&pieces, &[Resolution::Both, Resolution::Theirs]).unwrap(), "A\n1\nb\nc\nd\n5");
    assert_eq!(resolve(&pieces, &[Resolution::Ours]), None);
    let ends = merge_chunks("a", "b", "c");
    assert_eq!(resolve(&ends, &[Resolution::Both]).unwrap(), "b\nc");
}

#[test]
fn resolved_lines_end_as_their_sides_do() {
    let conflict =
        |ours: &str, theirs: &str| Conflict { base: String::new(), ours: ours.into(), theirs: theirs.into() };
    assert_eq!(conflict("a\n", "b\n").fitted("c"), "c\n");
    assert_eq!(conflict("a\n", "").fitted("c\nd\n"), "c\nd\n");
    assert_eq!(conflict("a\n", "b\n").fitted(""), "");
    assert_eq!(conflict("a", "b").fitted("c"), "c", "the last line of a text without an end");
    assert_eq!(conflict("a\r\n", "b\r\n").fitted("c\nd"), "c\r\nd\r\n");
    assert_eq!(conflict("a\r\n", "b\n").fitted("c\nd\r\n"), "c\nd\r\n", "mixed ones stay as they are");
}

proptest! {
    #[test]
    fn side_as_lines_equals_that_side(
        lines in 1..12_u32, left in edits(), right in edits(),
    ) {
        let base: Vec<_> = (0..lines).map(|line| format!("line {line}\n")).collect();
        let (ours, theirs) = (edited(&base, &left), edited(&base, &right));
        let pieces = merge_chunks(&base.concat(), &ours, &theirs);
        let as_lines: Vec<_> = pieces
            .iter()
            .filter_map(|piece| match piece {
                MergeChunk::Conflict(conflict) => Some(Resolution::Lines(Arc::from(conflict.ours.as_str()))),
                MergeChunk::Agreed(_) => None,
            })
            .collect();
        prop_assert_eq!(resolve(&pieces, &as_lines).unwrap(), all(&pieces, Resolution::Ours));
    }
}

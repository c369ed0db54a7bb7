//! Tests of comparing texts: no text is lost, ids are stable, and accept and revert give the right text.

use std::path::Path;
use std::process::Command;

use proptest::prelude::*;

use super::*;
use crate::testing::not_installed;

fn compare(old: &str, new: &str) -> Comparison {
    Comparison::between(&Arc::from(old), &Arc::from(new))
}

/// Texts of few different lines, so that they share many, with and without a last line end.
fn text() -> impl Strategy<Value = String> {
    let line = prop_oneof![Just("a"), Just("b"), Just("c"), Just(""), Just("d\r"), Just("  é")];
    (prop::collection::vec(line, 0..24), any::<bool>()).prop_map(|(lines, ends)| {
        let text = lines.join("\n");
        if ends && !text.is_empty() { text + "\n" } else { text }
    })
}

/// The old text with this hunk applied.
fn accepted(found: &Comparison, id: &HunkId) -> String {
    found.mixed(|hunk| hunk.id == *id)
}

#[test]
fn lines_keep_their_ends_and_are_read_without_them() {
    let lines = TextLines::of(&Arc::from("a\n\nb"));
    assert_eq!(lines.len(), 3);
    assert_eq!([lines.line(0), lines.line(1), lines.line(2), lines.line(9)], ["a", "", "b", ""]);
    assert_eq!(lines.slice(1..3), "\nb");
    assert!(TextLines::of(&Arc::from("")).is_empty());
}

#[test]
fn each_change_is_a_hunk() {
    let found = compare("a\nb\nc\nd\n", "A\nb\nc\n");
    assert_eq!(found.hunks.len(), 2);
    assert_eq!((found.hunks[0].old.clone(), found.hunks[0].new.clone()), (0..1, 0..1));
    assert_eq!((found.hunks[1].old.clone(), found.hunks[1].new.clone()), (3..4, 3..3));
    assert_eq!(found.count(), LineCount { added: 1, removed: 2 });
    assert!(compare("a\n", "a\n").hunks.is_empty());
}

#[test]
fn hunk_id_survives_changes_elsewhere() {
    let before = compare("a\nb\nc\n", "a\nB\nc\n");
    let after = compare("x\ny\na\nb\nc\n", "x\ny\nz\na\nB\nc\n");
    assert!(after.hunk(&before.hunks[0].id).is_some());
}

#[test]
fn equal_changes_have_different_ids() {
    let found = compare("a\n1\na\n2\na\n", "b\n1\nb\n2\nb\n");
    assert_eq!(found.hunks.len(), 3);
    assert_ne!(found.hunks[0].id, found.hunks[1].id);
    assert_ne!(found.hunks[1].id, found.hunks[2].id);
    assert_eq!(found.reverted(&found.hunks[1].id), "b\n1\na\n2\nb\n");
    assert_eq!(accepted(&found, &found.hunks[1].id), "a\n1\nb\n2\na\n");
}

#[test]
fn quoted_hunk_is_truncated() {
    let new: String = (0..50).map(|line| format!("{line}\n")).collect();
    let found = compare("gone\n", &new);
    let quoted = found.quoted(&found.hunks[0], 5);
    assert!(quoted.starts_with("-gone\n+0\n"), "{quoted}");
    assert!(quoted.ends_with("… 46 more lines\n"), "{quoted}");
}

#[test]
fn fifty_thousand_lines_are_compared_in_time() {
    let old: String = (0..50_000).map(|line| format!("line {line}\n")).collect();
    let new: String = (0..50_000)
        .map(|line| if line % 500 == 0 { format!("changed {line}\n") } else { format!("line {line}\n") })
        .collect();
    let other: String = (0..50_000).map(|line| format!("other {line}\n")).collect();
    let started = std::time::Instant::now();
    assert_eq!(compare(&old, &new).hunks.len(), 100);
    assert_eq!(compare(&old, &other).hunks.len(), 1);
    assert!(started.elapsed().as_secs() < 20, "it took {:?}", started.elapsed());
}

/// A decision about a hunk.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Decision {
    Accept,
    Revert,
    Leave,
}

fn decision() -> impl Strategy<Value = Decision> {
    prop_oneof![Just(Decision::Accept), Just(Decision::Revert), Just(Decision::Leave)]
}

proptest! {
    #[test]
    fn all_old_and_all_new_give_both_texts(old in text(), new in text()) {
        let found = compare(&old, &new);
        prop_assert_eq!(found.mixed(|_| false), old);
        prop_assert_eq!(found.mixed(|_| true), new);
    }

    #[test]
    fn hunks_are_separate_with_unique_ids(old in text(), new in text()) {
        let found = compare(&old, &new);
        for pair in found.hunks.windows(2) {
            prop_assert!(pair[0].old.end < pair[1].old.start && pair[0].new.end < pair[1].new.start);
        }
        let mut ids: Vec<_> = found.hunks.iter().map(|hunk| hunk.id.clone()).collect();
        ids.sort();
        ids.dedup();
        prop_assert_eq!(ids.len(), found.hunks.len());
    }

    /// Accepting writes a hunk's new lines to the old side, reverting its old lines to the new side. In any order both
    /// sides end as decided, and agree once every hunk is decided.
    #[test]
    fn decisions_in_any_order_give_the_right_texts(
        old in text(),
        new in text(),
        decisions in prop::collection::vec((decision(), any::<u32>()), 24),
    ) {
        let found = compare(&old, &new);
        let decided: Vec<_> = found.hunks.iter().zip(&decisions).collect();
        let of = |hunk: &Hunk| {
            decided.iter().find(|(other, _)| other.id == hunk.id).map_or(Decision::Leave, |(_, (d, _))| *d)
        };
        let mut order: Vec<_> = decided.iter().collect();
        order.sort_by_key(|(_, (_, place))| *place);
        let (mut left, mut right) = (found.clone(), found.clone());
        for (hunk, (decision, _)) in order {
            // Each step works on the texts of the previous steps, and finds its hunk by position.
            match decision {
                Decision::Accept => left = step(&left, hunk, &found, true),
                Decision::Revert => right = step(&right, hunk, &found, false),
                Decision::Leave => {}
            }
        }
        prop_assert_eq!(&*left.old.text, found.mixed(|hunk| of(hunk) == Decision::Accept));
        prop_assert_eq!(&*right.new.text, found.mixed(|hunk| of(hunk) != Decision::Revert));
    }

    /// Compares anew at every step, as the screen does: each decision changes only its hunk, and deciding all hunks
    /// makes both sides equal.
    #[test]
    fn sequential_decisions_make_both_sides_equal(
        old in text(),
        new in text(),
        picks in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>()), 60),
    ) {
        let mut found = compare(&old, &new);
        for (pick, accept) in picks {
            if found.hunks.is_empty() {
                break;
            }
            let hunk = pick.get(&found.hunks).clone();
            let before = found.count();
            found = if accept {
                compare(&accepted(&found, &hunk.id), &found.new.text)
            } else {
                compare(&found.old.text, &found.reverted(&hunk.id))
            };
            let after = found.count();
            prop_assert!(after.added + after.removed < before.added + before.removed);
        }
        prop_assert_eq!(found.old.text == found.new.text, found.hunks.is_empty());
    }

    #[test]
    fn reverting_mirrors_accepting(old in text(), new in text()) {
        let found = compare(&old, &new);
        for hunk in &found.hunks {
            let back = compare(&found.reverted(&hunk.id), &new);
            prop_assert_eq!(back.count(), LineCount { added: hunk.new.len(), removed: hunk.old.len() });
        }
    }
}

/// The comparison after a decision about the hunk at the place of `hunk` in `first`.
fn step(now: &Comparison, hunk: &Hunk, first: &Comparison, accept: bool) -> Comparison {
    let place = first.hunks.iter().position(|other| other == hunk).unwrap();
    let mut hunks = now.hunks.clone();
    let at = hunks.iter().position(|other| other.id == hunk.id).unwrap();
    assert!(at <= place);
    if accept {
        let old = accepted(now, &hunk.id);
        let grown = hunk.new.len() as isize - hunk.old.len() as isize;
        hunks.remove(at);
        for later in &mut hunks[at..] {
            later.old = moved(&later.old, grown);
        }
        Comparison { old: TextLines::of(&Arc::from(old)), new: now.new.clone(), hunks }
    } else {
        let new = now.reverted(&hunk.id);
        let grown = hunk.old.len() as isize - hunk.new.len() as isize;
        hunks.remove(at);
        for later in &mut hunks[at..] {
            later.new = moved(&later.new, grown);
        }
        Comparison { old: now.old.clone(), new: TextLines::of(&Arc::from(new)), hunks }
    }
}

fn moved(range: &Range<usize>, by: isize) -> Range<usize> {
    range.start.checked_add_signed(by).unwrap()..range.end.checked_add_signed(by).unwrap()
}

#[test]
fn patch_contains_context_lines() {
    let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14";
    let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13\n14\n";
    let expected = "--- a/n.txt\n+++ b/n.txt\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n@@ -11,4 +11,4 @@\n 11\n 12\n 13\n-14\n\\ No newline at end of file\n+14\n";
    assert_eq!(patch("n.txt", Some(old), Some(new)), expected);
    assert_eq!(patch("n.txt", Some(old), Some(old)), "");
    assert_eq!(patch("n.txt", None, Some("a\n")), "--- /dev/null\n+++ b/n.txt\n@@ -0,0 +1,1 @@\n+a\n");
    assert_eq!(patch("n.txt", Some("a\n"), None), "--- a/n.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n");
}

/// The result of `git apply` with a patch; `None` without git.
fn applied(folder: &Path, old: &str, patch: &str) -> Option<String> {
    std::fs::write(folder.join("n.txt"), old).unwrap();
    std::fs::write(folder.join("patch"), patch).unwrap();
    let ceiling = folder.parent().unwrap();
    let mut git = Command::new("git");
    git.args(["apply", "--whitespace=nowarn", "patch"]).current_dir(folder);
    let out = git.env("GIT_CEILING_DIRECTORIES", ceiling).output().ok()?;
    assert!(out.status.success(), "{}\n{patch}", String::from_utf8_lossy(&out.stderr));
    Some(std::fs::read_to_string(folder.join("n.txt")).unwrap_or_default())
}

#[test]
fn git_applies_each_patch() {
    let folder = std::env::temp_dir().join(format!("nexus-patch-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let one = patch("n.txt", Some("a\n"), Some("b\n"));
    if applied(&folder, "a\n", &one).is_none() {
        return not_installed("git, which applies patches");
    }
    proptest!(ProptestConfig::with_cases(64), |(old in text(), new in text())| {
        let made = patch("n.txt", Some(&old), Some(&new));
        prop_assert_eq!(made.is_empty(), old == new);
        if old != new {
            prop_assert_eq!(applied(&folder, &old, &made), Some(new));
        }
    });
    std::fs::remove_dir_all(&folder).unwrap();
}

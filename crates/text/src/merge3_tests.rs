//! Tests of the merge against `git merge-file` on random edits.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;

/// An edit: at this place, remove so many lines and put these there.
pub(crate) type RandomEdit = (prop::sample::Index, usize, Vec<u8>);

pub(crate) fn edits() -> impl Strategy<Value = Vec<RandomEdit>> {
    let new = prop::collection::vec(0u8..3, 0..3);
    prop::collection::vec((any::<prop::sample::Index>(), 0..3usize, new), 0..4)
}

/// The base after some edits. A line is never there twice: where lines repeat themselves there are several right
/// answers to what was changed, and git and we may each see another one.
pub(crate) fn edited(base: &[String], edits: &[RandomEdit]) -> String {
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

/// What `git merge-file` makes of it: the text, and whether it is without a clash. `None` where there is no git.
pub(crate) fn by_git(
    folder: &Path,
    base: &str,
    ours: &str,
    theirs: &str,
    how: &[&str],
) -> Option<(String, bool)> {
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
fn the_merge_agrees_with_git_on_random_edits() {
    let folder = std::env::temp_dir().join(format!("nexus-merge-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    if by_git(&folder, "", "", "", &[]).is_none() {
        eprintln!("There is no git here: the merge was not held against it.");
        return;
    }
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) };
    let clashes = std::cell::Cell::new(0u32);
    let result = TestRunner::new(config).run(&(0..24u32, edits(), edits()), |(lines, ours, theirs)| {
        let base: Vec<_> = (0..lines).map(|line| format!("line {line}\n")).collect();
        let (ours, theirs) = (edited(&base, &ours), edited(&base, &theirs));
        let base = base.concat();
        let (text, is_clean) = by_git(&folder, &base, &ours, &theirs, &[]).unwrap();
        match merge(&base, &ours, &theirs) {
            MergeOutcome::Clean(merged) => prop_assert_eq!((merged, true), (text, is_clean)),
            // Which lines stand between the marks is a matter of taste; that there are some is not.
            MergeOutcome::Clash(_) => {
                prop_assert!(!is_clean, "git merges {:?} and {:?} to {:?}", ours, theirs, text);
                clashes.set(clashes.get() + 1);
            }
        }
        Ok(())
    });
    std::fs::remove_dir_all(&folder).unwrap();
    result.unwrap();
    assert!((1..600).contains(&clashes.get()), "the edits do not try both outcomes");
}

/// Where lines repeat themselves git and we may differ, and both be right: here git takes the first of the two equal
/// lines to be gone, which clashes with the change before it; we take it to be the second, which does not.
#[test]
fn of_two_equal_lines_either_may_be_the_one_that_went() {
    let merged = merge("same\nsame\n", "same\n", "new\nsame\n");
    assert_eq!(merged, MergeOutcome::Clean("new\nsame\n".into()));
}

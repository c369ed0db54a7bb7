//! Tests of counting changed lines and of applying patches.

use proptest::prelude::*;

use super::*;
use crate::mind::MindFile;
use crate::mind::changed_files;

fn mind(files: &[(&str, &str)]) -> Mind {
    let mut mind = Mind::default();
    for (name, text) in files {
        mind.files.insert((*name).to_owned(), MindFile::new(text));
    }
    mind
}

fn lines(count: usize) -> String {
    (0..count).map(|n| format!("line {n}\n")).collect()
}

#[test]
fn differences_count_all_files_and_ignore_renames() {
    let before = mind(&[("a", &lines(10)), ("b", &lines(3))]);
    assert!(!differs_by_more(&before, &before, 0));
    let renamed = mind(&[("a", &lines(10)), ("c", &lines(3))]);
    assert!(!differs_by_more(&before, &renamed, 0));
    assert!(changed_files(&before, &renamed).eq(["b", "c"]));
    let three_each = mind(&[("a", &lines(13)), ("b", &lines(6))]);
    assert!(differs_by_more(&before, &three_each, 5));
    assert!(!differs_by_more(&before, &three_each, 6));
    let removed = mind(&[("b", &lines(3))]);
    assert!(differs_by_more(&before, &removed, 9));
    assert!(!differs_by_more(&before, &removed, 10));
}

#[test]
fn objective_and_scratchpad_are_not_counted() {
    let before = mind(&[("a", "x\n")]);
    let after = Mind { objective: "new".into(), scratchpad: lines(50), ..before.clone() };
    assert!(!differs_by_more(&before, &after, 0));
}

#[test]
fn patch_writes_only_changes_and_keeps_trailing_line_end() {
    let base = Mind { objective: "goal".into(), scratchpad: "- [ ] a\n".into(), ..Mind::default() };
    let patch = |objective: &str, scratchpad: &str| SyncPatch {
        objective: Some(objective.into()),
        scratchpad: Some(scratchpad.into()),
        reasoning: String::new(),
    };
    assert_eq!(patch("goal", "- [ ] a").writes(&base), []);
    assert_eq!(patch("", "  \n").writes(&base), [], "a blank field is no change");
    assert_eq!(patch("goal\n", "- [x] a").writes(&base), [MindWrite::Scratchpad("- [x] a\n".into())]);
    assert_eq!(patch("better\n", "- [ ] a").writes(&base), [MindWrite::Objective("better".into())]);
}

proptest! {
    #[test]
    fn difference_is_the_sum_over_files(
        files in proptest::collection::vec(("[a-d]{0,6}", "[a-d]{0,6}"), 1..4),
        most in 0usize..10,
    ) {
        let text = |word: &str| word.chars().map(|c| format!("{c}\n")).collect::<String>();
        let (mut before, mut after) = (Mind::default(), Mind::default());
        let mut sum = 0;
        for (number, (old, new)) in files.iter().enumerate() {
            let (old, new) = (text(old), text(new));
            sum += changed_lines(&old, &new, 100).unwrap();
            before.files.insert(number.to_string(), MindFile::new(&old));
            after.files.insert(number.to_string(), MindFile::new(&new));
        }
        prop_assert_eq!(differs_by_more(&before, &after, most), sum > most);
    }
}

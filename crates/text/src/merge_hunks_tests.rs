//! Tests of the merge pieces against `git merge-file` on random edits.

use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use super::*;
use crate::merge3::against_git::{by_git, edited, edits};

fn all(pieces: &[MergeChunk], side: Resolution) -> String {
    settled(pieces, &vec![side.clone(); clashes(pieces)]).unwrap()
}

#[test]
fn pieces_agree_with_git_on_random_edits_whichever_side_wins() {
    let folder = std::env::temp_dir().join(format!("nexus-join-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    if by_git(&folder, "", "", "", &[]).is_none() {
        eprintln!("There is no git here: the pieces were not held against it.");
        return;
    }
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) };
    let clashed = std::cell::Cell::new(0_u32);
    let result = TestRunner::new(config).run(&(0..24_u32, edits(), edits()), |(lines, ours, theirs)| {
        let base: Vec<_> = (0..lines).map(|line| format!("line {line}\n")).collect();
        let (ours, theirs) = (edited(&base, &ours), edited(&base, &theirs));
        let base = base.concat();
        let pieces = join(&base, &ours, &theirs);
        let (_, is_clean) = by_git(&folder, &base, &ours, &theirs, &[]).unwrap();
        prop_assert_eq!(clashes(&pieces) == 0, is_clean);
        clashed.set(clashed.get() + u32::from(!is_clean));
        for (side, how) in [(Resolution::Ours, "--ours"), (Resolution::Theirs, "--theirs")] {
            let (text, _) = by_git(&folder, &base, &ours, &theirs, &[how]).unwrap();
            prop_assert_eq!(all(&pieces, side), text);
        }
        Ok(())
    });
    std::fs::remove_dir_all(&folder).unwrap();
    result.unwrap();
    assert!((1..400).contains(&clashed.get()), "the edits do not try both outcomes");
}

proptest! {
    #[test]
    fn what_only_one_side_changed_is_never_contested(base in "[abc\n]{0,40}", other in "[abc\n]{0,40}") {
        for (ours, theirs) in [(&base, &other), (&other, &base), (&other, &other)] {
            let pieces = join(&base, ours, theirs);
            prop_assert_eq!(clashes(&pieces), 0);
            prop_assert_eq!(all(&pieces, Resolution::Ours), if *ours == base { theirs.clone() } else { ours.clone() });
        }
    }

    #[test]
    fn the_other_side_sees_the_same_clashes(base in "[ab\n]{0,30}", ours in "[ab\n]{0,30}", theirs in "[ab\n]{0,30}") {
        let (here, there) = (join(&base, &ours, &theirs), join(&base, &theirs, &ours));
        prop_assert_eq!(clashes(&here), clashes(&there));
        prop_assert_eq!(all(&here, Resolution::Theirs), all(&there, Resolution::Ours));
    }
}

#[test]
fn each_clash_is_decided_by_itself() {
    let pieces = join("a\nb\nc\nd\ne\n", "A\nb\nc\nd\nE\n", "1\nb\nc\nd\n5");
    assert_eq!(clashes(&pieces), 2);
    assert_eq!(settled(&pieces, &[Resolution::Theirs, Resolution::Ours]).unwrap(), "1\nb\nc\nd\nE\n");
    assert_eq!(settled(&pieces, &[Resolution::Both, Resolution::Theirs]).unwrap(), "A\n1\nb\nc\nd\n5");
    assert_eq!(settled(&pieces, &[Resolution::Ours]), None);
    let ends = join("a", "b", "c");
    assert_eq!(settled(&ends, &[Resolution::Both]).unwrap(), "b\nc");
}

#[test]
fn lines_in_the_place_of_a_clash_end_as_its_sides_do() {
    let clash =
        |ours: &str, theirs: &str| Conflict { base: String::new(), ours: ours.into(), theirs: theirs.into() };
    assert_eq!(clash("a\n", "b\n").fitted("c"), "c\n");
    assert_eq!(clash("a\n", "").fitted("c\nd\n"), "c\nd\n");
    assert_eq!(clash("a\n", "b\n").fitted(""), "");
    assert_eq!(clash("a", "b").fitted("c"), "c", "the last line of a text without an end");
    assert_eq!(clash("a\r\n", "b\r\n").fitted("c\nd"), "c\r\nd\r\n");
    assert_eq!(clash("a\r\n", "b\n").fitted("c\nd\r\n"), "c\nd\r\n", "mixed ones stay as they are");
}

proptest! {
    #[test]
    fn a_side_as_lines_is_that_side(
        lines in 1..12_u32, left in edits(), right in edits(),
    ) {
        let base: Vec<_> = (0..lines).map(|line| format!("line {line}\n")).collect();
        let (ours, theirs) = (edited(&base, &left), edited(&base, &right));
        let pieces = join(&base.concat(), &ours, &theirs);
        let as_lines: Vec<_> = pieces
            .iter()
            .filter_map(|piece| match piece {
                MergeChunk::Clash(clash) => Some(Resolution::Lines(Arc::from(clash.ours.as_str()))),
                MergeChunk::Agreed(_) => None,
            })
            .collect();
        prop_assert_eq!(settled(&pieces, &as_lines).unwrap(), all(&pieces, Resolution::Ours));
    }
}

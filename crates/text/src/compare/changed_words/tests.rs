use proptest::prelude::*;

use super::*;

#[test]
fn only_changed_words_are_marked() {
    let (old, new) = pieces("let total = price * 2;", "let total = price * count;");
    let changed = |pieces: &[WordSpan]| {
        pieces.iter().filter(|piece| piece.changed).map(|piece| piece.text.clone()).collect::<Vec<_>>()
    };
    assert_eq!(changed(&old), ["2"]);
    assert_eq!(changed(&new), ["count"]);
}

#[test]
fn line_is_paired_with_its_new_version_past_added_lines() {
    let old = ["fn area(r: f64) -> f64 {"];
    let new = ["/// The area.", "fn area(radius: f64) -> f64 {"];
    assert_eq!(
        pairs(&old, &new),
        [
            LinePair { old: None, new: Some(0), alike: false },
            LinePair { old: Some(0), new: Some(1), alike: true },
        ]
    );
}

#[test]
fn unrelated_lines_are_paired_unmarked() {
    assert_eq!(pairs(&["alpha"], &["omega"]), [LinePair { old: Some(0), new: Some(0), alike: false }]);
}

proptest! {
    #[test]
    fn pieces_join_to_the_lines(old in ".{0,40}", new in ".{0,40}") {
        let (left, right) = pieces(&old, &new);
        prop_assert_eq!(left.into_iter().map(|piece| piece.text).collect::<String>(), old);
        prop_assert_eq!(right.into_iter().map(|piece| piece.text).collect::<String>(), new);
    }

    #[test]
    fn every_line_occurs_once_in_order(
        old in prop::collection::vec("[ab ]{0,6}", 0..12),
        new in prop::collection::vec("[ab ]{0,6}", 0..12),
    ) {
        let (old, new): (Vec<_>, Vec<_>) =
            (old.iter().map(String::as_str).collect(), new.iter().map(String::as_str).collect());
        let pairs = pairs(&old, &new);
        let left: Vec<_> = pairs.iter().filter_map(|pair| pair.old).collect();
        let right: Vec<_> = pairs.iter().filter_map(|pair| pair.new).collect();
        prop_assert_eq!(left, (0..old.len()).collect::<Vec<_>>());
        prop_assert_eq!(right, (0..new.len()).collect::<Vec<_>>());
    }
}

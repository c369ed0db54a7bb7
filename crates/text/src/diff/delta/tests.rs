use proptest::prelude::*;

use super::*;

fn text(lines: &[u8]) -> String {
    lines.iter().map(|line| format!("{line} {}\n", "stays as it is ".repeat(4))).collect()
}

#[test]
fn changed_line_of_a_long_text_gives_a_small_delta() {
    let old = text(&[1; 200]);
    let new = old.replacen("1 stays", "one stays", 1);
    let changes = between(&old, &new).unwrap();
    assert_eq!(changes.len(), 1);
    assert_eq!((changes[0].at, changes[0].removed, changes[0].lines.lines().count()), (0, 1, 1));
    assert_eq!(apply(&old, &changes).unwrap(), new);
    assert!(between(&new, &new).unwrap().is_empty());
}

#[test]
fn short_or_rewritten_text_gives_no_delta() {
    assert_eq!(between("a\nb\n", "a\nc\n"), None);
    assert_eq!(between(&text(&[1; 200]), &text(&[2; 200])), None);
    let (old, new) = (text(&[1; 9000]), text(&[2; 9000]));
    assert_eq!(between(&old, &new), None, "too long to look closer");
}

#[test]
fn delta_of_another_text_is_rejected() {
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
    fn delta_restores_the_text(
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

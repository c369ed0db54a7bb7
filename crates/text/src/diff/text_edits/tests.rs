use proptest::prelude::*;

use super::*;

fn applied(old: &str, edits: &[TextEdit]) -> String {
    let mut units: Vec<u16> = old.encode_utf16().collect();
    for edit in edits.iter().rev() {
        units.splice(edit.range.clone(), edit.insert.encode_utf16());
    }
    String::from_utf16(&units).unwrap()
}

fn edit(range: Range<usize>, insert: &str) -> TextEdit {
    TextEdit { range, insert: insert.to_owned() }
}

#[test]
fn only_changes_are_replaced() {
    assert_eq!(edits("one\ntwo\nthree\n", "one\ntwo!\nthree\n"), [edit(7..7, "!")]);
    assert_eq!(edits("a\nb\nc\n", "A\nb\nC\n"), [edit(0..1, "A"), edit(4..5, "C")]);
    assert_eq!(edits("", "new\n"), [edit(0..0, "new\n")]);
    assert_eq!(edits("gone\n", ""), [edit(0..5, "")]);
    assert_eq!(edits("same\n", "same\n"), []);
}

#[test]
fn offsets_are_utf16_units_and_never_split_a_character() {
    // Both characters begin with the same unit of UTF-16 and the same bytes of UTF-8.
    assert_eq!(edits("🙂x\n", "🙃x\n"), [edit(0..2, "🙃")]);
    assert_eq!(edits("ü🙂\nb\n", "ü🙂\nc\n"), [edit(4..5, "c")]);
}

#[test]
fn line_endings_are_restored() {
    for (text, ends) in [
        ("a\r\nb\r\n", LineEnding::ReturnAndFeed),
        ("a\nb\r\n", LineEnding::Feed),
        ("a\rb\r\n", LineEnding::Feed),
        ("a\r\nb\r", LineEnding::Feed),
        ("a\n", LineEnding::Feed),
        ("", LineEnding::Feed),
    ] {
        assert_eq!(LineEnding::of(text), ends, "{text:?}");
        assert_eq!(ends.restored(ends.plain(text).into_owned()), text);
    }
}

fn any_text() -> impl Strategy<Value = String> {
    proptest::collection::vec(prop_oneof!["[ab]{0,3}", "[aü🙂🙃]{0,4}"], 0..12)
        .prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn edits_turn_the_old_text_into_the_new_one((old, new) in (any_text(), any_text())) {
        let edits = edits(&old, &new);
        prop_assert_eq!(applied(&old, &edits), new);
        for pair in edits.windows(2) {
            prop_assert!(pair[0].range.end <= pair[1].range.start);
        }
    }

    #[test]
    fn any_text_is_restored_from_its_plain_form(text in "[ab\r\n]{0,20}") {
        let ends = LineEnding::of(&text);
        prop_assert_eq!(ends.restored(ends.plain(&text).into_owned()), text);
    }
}

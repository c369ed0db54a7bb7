//! Computes small edits between two texts, so that an editor's caret stays in place; converts line endings.
//!
//! Offsets are UTF-16 units, as in the DOM.

use std::borrow::Cow;
use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// What takes the place of a range of the old text. Ranges do not touch, and come in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// The range of the old text, in UTF-16 units.
    pub range: Range<usize>,
    /// What stands there in the new text.
    pub insert: String,
}

/// Makes `old` into `new`: whole lines are told apart first, and within lines that changed only what stands between their
/// common beginning and end is replaced.
pub fn edits(old: &str, new: &str) -> Vec<TextEdit> {
    let (old_lines, new_lines) = (lines(old), lines(new));
    let mut at = 0;
    let mut found = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &old_lines, &new_lines) {
        let (tag, removed, added) = op.as_tag_tuple();
        let removed = old_lines.get(removed).unwrap_or_default().concat();
        let units = removed.encode_utf16().count();
        if tag != DiffTag::Equal {
            let added = new_lines.get(added).unwrap_or_default().concat();
            found.extend(narrowed(at, &removed, &added));
        }
        at += units;
    }
    found
}

fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

/// Replaces only what differs of two texts, of which the old one begins at `at`.
fn narrowed(at: usize, old: &str, new: &str) -> Option<TextEdit> {
    if old == new {
        return None;
    }
    let start: usize =
        old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (head, old) = old.split_at_checked(start)?;
    let (_, new) = new.split_at_checked(start)?;
    let end: usize =
        old.chars().rev().zip(new.chars().rev()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (old, _) = old.split_at_checked(old.len() - end)?;
    let (new, _) = new.split_at_checked(new.len() - end)?;
    let from = at + head.encode_utf16().count();
    Some(TextEdit { range: from..from + old.encode_utf16().count(), insert: new.to_owned() })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineEnding {
    /// With a line feed, or not all alike: then carriage returns are characters like others.
    Feed,
    ReturnAndFeed,
}

impl LineEnding {
    pub fn of(text: &str) -> Self {
        let mut any = false;
        let mut before = ' ';
        for sign in text.chars() {
            match (before, sign) {
                ('\r', '\n') => any = true,
                (_, '\n') | ('\r', _) => return Self::Feed,
                _ => {}
            }
            before = sign;
        }
        if any && before != '\r' { Self::ReturnAndFeed } else { Self::Feed }
    }

    /// A text of such line ends as an editor works on it, with line feeds only.
    pub fn plain(self, text: &str) -> Cow<'_, str> {
        match self {
            Self::Feed => Cow::Borrowed(text),
            Self::ReturnAndFeed => Cow::Owned(text.replace("\r\n", "\n")),
        }
    }

    pub fn restored(self, plain: String) -> String {
        match self {
            Self::Feed => plain,
            Self::ReturnAndFeed => plain.replace('\n', "\r\n"),
        }
    }
}

#[cfg(test)]
mod tests {
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
    fn only_what_changed_is_replaced() {
        assert_eq!(edits("one\ntwo\nthree\n", "one\ntwo!\nthree\n"), [edit(7..7, "!")]);
        assert_eq!(edits("a\nb\nc\n", "A\nb\nC\n"), [edit(0..1, "A"), edit(4..5, "C")]);
        assert_eq!(edits("", "new\n"), [edit(0..0, "new\n")]);
        assert_eq!(edits("gone\n", ""), [edit(0..5, "")]);
        assert_eq!(edits("same\n", "same\n"), []);
    }

    #[test]
    fn offsets_count_as_pages_do_and_never_cut_a_character() {
        // Both characters begin with the same unit of UTF-16 and the same bytes of UTF-8.
        assert_eq!(edits("🙂x\n", "🙃x\n"), [edit(0..2, "🙃")]);
        assert_eq!(edits("ü🙂\nb\n", "ü🙂\nc\n"), [edit(4..5, "c")]);
    }

    #[test]
    fn line_ends_come_back_as_they_were() {
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
        fn the_edits_make_the_old_text_into_the_new_one((old, new) in (any_text(), any_text())) {
            let edits = edits(&old, &new);
            prop_assert_eq!(applied(&old, &edits), new);
            for pair in edits.windows(2) {
                prop_assert!(pair[0].range.end <= pair[1].range.start);
            }
        }

        #[test]
        fn any_text_comes_back_from_its_plain_form(text in "[ab\r\n]{0,20}") {
            let ends = LineEnding::of(&text);
            prop_assert_eq!(ends.restored(ends.plain(&text).into_owned()), text);
        }
    }
}

use proptest::prelude::*;

use super::*;

fn split<'a>(pieces: impl IntoIterator<Item = &'a str>) -> (String, String) {
    let mut tags = ThinkTags::default();
    let mut said: Vec<_> = pieces.into_iter().flat_map(|piece| tags.feed(piece)).collect();
    said.extend(tags.stop());
    let (mut thinking, mut text) = (String::new(), String::new());
    for piece in said {
        match piece {
            ThinkPiece::Words { text: piece, thinking: false } => text.push_str(&piece),
            ThinkPiece::Words { text: piece, thinking: true } => thinking.push_str(&piece),
            ThinkPiece::Reclassified => thinking = std::mem::take(&mut text),
        }
    }
    (thinking, text)
}

const FENCED: &str = "Like this:\n```\n<think>\nsteps\n</think>\nanswer\n```";
const SPAN: &str = "Use `<think>steps</think>answer` as the template.";
const NAMED: &str = "First comes <think> and then\n</think>\nends it.";
const AMID: &str = "line 7 says </think> but nothing opened it";
const FENCE_ALONE: &str = "See:\n```\nsteps\n</think>\n```";

const CASES: [(&str, &str, &str); 22] = [
    (FENCED, "", FENCED),
    (SPAN, "", SPAN),
    (NAMED, "", NAMED),
    (AMID, "", AMID),
    (FENCE_ALONE, "", FENCE_ALONE),
    ("I use `a` and `b`. </think>\n\nYes.", "I use `a` and `b`.", "Yes."),
    ("hm, so.</think>Yes.", "hm, so.", "Yes."),
    ("<think>\nhm\n</think>\n\nYes.", "hm", "Yes."),
    ("\n <think>hm</think>Yes.", "hm", "Yes."),
    ("hm, so\n</think>\n\nYes.", "hm, so", "Yes."),
    ("</think>Yes.", "", "Yes."),
    ("<think></think>\nYes.", "", "Yes."),
    ("<think>\n\n</think>\n\nYes.", "", "Yes."),
    ("<think>cut off </thi", "cut off </thi", ""),
    ("  Yes, <think> is a tag.", "", "  Yes, <think> is a tag."),
    ("Write `</think>` to end it.", "", "Write `</think>` to end it."),
    ("<think>a</think>b</think>c <think>d</think>", "a", "b</think>c <think>d</think>"),
    ("<thin is not <think>", "", "<thin is not <think>"),
    ("<think>\n\n", "", ""),
    ("a < b\n\n", "", "a < b\n\n"),
    ("<", "", "<"),
    ("", "", ""),
];

#[test]
fn thinking_is_separated_from_text() {
    for (answer, thinking, text) in CASES {
        assert_eq!(split([answer]), (thinking.to_owned(), text.to_owned()), "{answer:?}");
    }
}

#[test]
fn flood_of_whitespace_is_not_buffered() {
    let mut tags = ThinkTags::default();
    tags.feed("Yes.");
    for _ in 0..1_000 {
        tags.feed("\n\n\n\n");
        assert!(tags.buffered.len() <= BUFFERED_SPACE + 4);
    }
}

proptest! {
    #[test]
    fn any_chunking_gives_the_same_split(
        case in prop::sample::select(&CASES[..]),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let (answer, thinking, text) = case;
        let chars: Vec<char> = answer.chars().collect();
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(chars.len() + 1)).collect();
        cuts.sort_unstable();
        cuts.push(chars.len());
        let mut from = 0;
        let mut pieces = Vec::new();
        for cut in cuts {
            pieces.push(chars[from..cut].iter().collect::<String>());
            from = cut;
        }
        prop_assert_eq!(
            split(pieces.iter().map(String::as_str)),
            (thinking.to_owned(), text.to_owned())
        );
    }
}

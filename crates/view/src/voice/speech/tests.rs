//! Tests of speech text, whole and streamed.

use proptest::prelude::*;

use super::*;

fn words(text: &str) -> Vec<String> {
    let spoken = |piece| match piece {
        SpeechChunk::Words(words) => words,
        SpeechChunk::Code { language, lines } => format!("<code {language} {lines}>"),
        SpeechChunk::Table { rows } => format!("<table {rows}>"),
        SpeechChunk::Formula => "<formula>".to_owned(),
    };
    chunks(text).into_iter().map(spoken).collect()
}

#[test]
fn code_tables_and_formulas_are_announced_and_markup_is_skipped() {
    let text = "# The **plan**\n\nI wrote `main.rs`. See [the *guide*](https://example.org/a?b=c), ok?\n\n\
        ```rust\nfn main() {}\n// two\n```\n\n- first\n- [x] second. And third.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n\
        Then $$x^2$$ follows.\n\n---\n\n> quoted ~~words~~\n\n<div>raw</div>\n";
    let spoken = words(text);
    assert_eq!(
        spoken[..9],
        [
            "The plan",
            "I wrote main.rs.",
            "See the guide, ok?",
            "<code rust 2>",
            "first",
            "second.",
            "And third.",
            "<table 1>",
            "Then"
        ]
    );
    assert!(spoken.contains(&"<formula>".to_owned()) && spoken.contains(&"quoted words".to_owned()));
    for mark in ["*", "`", "#", "|", "~", "https", "fn main", "div"] {
        assert!(!spoken.iter().any(|line| line.contains(mark)), "{mark} in {spoken:?}");
    }
}

#[test]
fn sentences_are_split() {
    assert_eq!(
        words("It costs 3.5 euros, e.g. here. Dr. Who paid? Yes!"),
        ["It costs 3.5 euros, e.g. here.", "Dr. Who paid?", "Yes!"]
    );
    assert_eq!(
        words("He said “Go.” Then he went (at last.) Done"),
        ["He said “Go.”", "Then he went (at last.)", "Done"]
    );
    assert_eq!(words("これは文です。次の文です！"), ["これは文です。", "次の文です！"]);
    assert_eq!(words("See https://example.org/very/long?path=1 now."), ["See example.org now."]);
    assert!(words("… !! ---").is_empty());
}

#[test]
fn long_inline_code_is_announced() {
    let code = "a".repeat(60);
    assert_eq!(words(&format!("Run `{code}` now.")), ["Run", "<code  1>", "now."]);
}

#[test]
fn an_answer_is_spoken_sentence_by_sentence() {
    let mut stream = SpeechStream::default();
    let mut text = String::new();
    let mut feed = |more: &str, whole| {
        text.push_str(more);
        stream.feed(&text, whole)
    };
    let say = |text: &str| vec![SpeechChunk::Words(text.to_owned())];
    assert_eq!(feed("I will ", false), []);
    assert_eq!(feed("look.", false), [], "the full stop may belong to a number");
    assert_eq!(feed(" Then I wri", false), say("I will look."));
    assert_eq!(feed("te.\n\n", false), [], "the paragraph may continue");
    assert_eq!(feed("```py\nprint(1)\n", false), say("Then I write."));
    assert_eq!(feed("print(2)\n```\n", false), []);
    assert_eq!(feed("\n| a |\n", false), [SpeechChunk::Code { language: "py".into(), lines: 2 }]);
    assert_eq!(feed("|---|\n| 1. x |\n", false), []);
    assert_eq!(feed("\nDone", true), [SpeechChunk::Table { rows: 1 }, SpeechChunk::Words("Done".into())]);
    assert_eq!(feed("", true), [], "nothing twice");
}

fn prose() -> impl Strategy<Value = String> {
    let sentence =
        prop::collection::vec("[a-zäé]{2,9}", 1..9).prop_map(|words| format!("{}.", words.join(" ")));
    let paragraph = prop::collection::vec(sentence, 1..4).prop_map(|all| all.join(" "));
    prop::collection::vec(paragraph, 1..5).prop_map(|all| all.join("\n\n"))
}

proptest! {
    /// The same text in any chunks is spoken the same, without repetitions.
    #[test]
    fn any_chunking_speaks_the_same(text in prose(), cuts in prop::collection::vec(0usize..400, 0..30)) {
        let mut cuts: Vec<_> = cuts.into_iter().filter(|at| text.is_char_boundary(*at) && *at <= text.len()).collect();
        cuts.sort_unstable();
        let mut stream = SpeechStream::default();
        let mut spoken = Vec::new();
        for at in cuts {
            spoken.extend(stream.feed(text.split_at(at).0, false));
        }
        spoken.extend(stream.feed(&text, true));
        prop_assert_eq!(spoken, chunks(&text));
    }

    /// Chunks are short, and no letter is lost or added.
    #[test]
    fn pieces_are_short_and_complete(text in "[a-zA-Z ,.!?äé語。]{0,900}") {
        let mut letters = String::new();
        for piece in chunks(&text) {
            let SpeechChunk::Words(words) = piece else { continue };
            prop_assert!(words.chars().count() <= CHUNK_CHARS);
            letters.extend(words.chars().filter(|c| c.is_alphanumeric()));
        }
        let all: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
        // Four leading spaces make a code block.
        prop_assert!(letters == all || text.contains("    "));
    }

    /// Any text in any chunks is spoken without a panic.
    #[test]
    fn any_text_can_be_spoken(text in "\\PC{0,300}", at in 0usize..300) {
        let mut stream = SpeechStream::default();
        if let Some(start) = text.get(..at) {
            stream.feed(start, false);
        }
        stream.feed(&text, true);
        prop_assert_eq!(stream.feed(&text, true), vec![]);
    }
}

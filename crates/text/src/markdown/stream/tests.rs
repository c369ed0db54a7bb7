use proptest::prelude::*;

use super::*;
use crate::markdown::read;

/// The page after the pieces arrived one by one.
fn streamed<'t>(pieces: impl IntoIterator<Item = &'t str>) -> Vec<Node> {
    let (mut growing, mut done, mut open) = (MarkdownStream::default(), Vec::new(), Vec::new());
    for piece in pieces {
        let update = growing.grow(piece);
        done.extend(update.finished);
        open = update.open;
    }
    done.extend(open);
    done
}

fn up_to(text: &str, at: usize) -> &str {
    text.split_at(at).0
}

const TEXTS: [&str; 14] = [
    "# Title\n\nA paragraph\nof two lines.\n\nAnother.\n",
    "para\n# heading\npara\n---\npara\n***\n",
    "- a\n- b\n\n  more of b\n\n- c\n\n* other\n1. one\n2. two\n\nend\n",
    "```rust title=\"a.rs\"\nfn main() {\n\n}\n```\nafter\n~~~\nopen\n",
    "text\n```\ncode\n``\n```` not\n```\n> quote\nlazy\n\n> other\n",
    "a | b\n- | -\n1 | 2\n3 | 4\n\nend\n",
    "head\na | b\n--|--\n1 | 2\nend\n",
    "    indented\n\n    more\n\npara\n    not code\n\n    code\n",
    "<div>\nhtml\n\n</div>\n\n<!-- open\n\nstill\n",
    "x $a$ y\n\n$$\nb\n$$\n\n\\[\nc\n\\]\n\nend\n",
    "Setext\n===\nmore\n---\n\n- [ ] task\n- [x] done\n",
    "\\[\n- a\n\\]\n\n\\(b\n> c\\)\n\\(d\\)\n",
    "\\[\n# h\n\\[\n    code\n\\]\n",
    "> [!NOTE]\n> text\n\nend\r\n\r\nwindows\r\n```\r\ncode\r\n```\r\n",
];

#[test]
fn line_by_line_equals_the_complete_text() {
    for text in TEXTS {
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            at += line.len();
            assert_eq!(
                streamed(up_to(text, at).split_inclusive('\n')),
                read(up_to(text, at)).nodes,
                "{:?}",
                up_to(text, at)
            );
        }
    }
}

#[test]
fn every_split_equals_the_complete_text() {
    for text in TEXTS {
        for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
            assert_eq!(
                streamed([text.split_at(at).0, text.split_at(at).1]),
                read(text).nodes,
                "{text:?} at {at}"
            );
        }
        let signs: Vec<String> = text.chars().map(String::from).collect();
        assert_eq!(streamed(signs.iter().map(String::as_str)), read(text).nodes, "{text:?} sign by sign");
    }
}

#[test]
fn finished_block_is_laid_out_once() {
    let text = "para\n\n".repeat(200) + "```\n" + &"code\n".repeat(200) + "```\n\nend\n";
    let mut growing = MarkdownStream::default();
    let mut finished = 0;
    for piece in text.as_bytes().chunks(7) {
        let update = growing.grow(std::str::from_utf8(piece).unwrap());
        finished += update.finished.len();
        assert!(update.open.len() <= 2, "{} blocks are open", update.open.len());
    }
    assert_eq!(finished, 201);
}

#[test]
fn possible_closing_fence_is_hidden() {
    let mut growing = MarkdownStream::default();
    growing.grow("```\na\n");
    let shown = growing.grow("``").open;
    assert!(!shown.iter().any(|node| node.words().contains("``")));
    let shown = growing.grow("x\n").open;
    assert!(shown.iter().any(|node| node.words().ends_with("a\n``x")));
}

#[test]
fn footnotes_appear_before_the_text_is_complete() {
    let nodes = streamed(["Words[^1].\n\n[^1]: The note.\n\nMore.\n\nEnd.\n"]);
    assert!(nodes.iter().any(|node| node.words().contains("The note.")));
}

const DEFINED: [&str; 7] = [
    "[g]: https://guide.example/x \"The guide\"",
    "[odd \\] one]: <https://odd.example/a b\\>?q=1&amp;amp;2> 'It \"says\" <b> &lt; \\\\'",
    "[Größe]:\n  https://size.example\n  'of\n      ``` two\n      > lines'",
    "[two\n    lines]: https://lines.example",
    "> [quoted]: https://quoted.example",
    "[^n]: The note, see [g].\n\n    More of it.",
    "[^m]: Another[^n].",
];

#[test]
fn earlier_definitions_are_known_from_the_first_token() {
    let mut growing = MarkdownStream::default();
    growing.grow("[g]: https://guide.example/x \"The guide\"\n\n[^n]: The note.\n\nFirst.\n\n");
    growing.grow("Second.\n\n");
    let open = growing.grow("See [the guide][g] and the note[^n]").open;
    let shown = format!("{open:?}");
    assert!(shown.contains("https://guide.example/x") && shown.contains("The guide"), "{shown}");
    assert!(!shown.contains("[g]") && !shown.contains("[^n]"), "{shown}");
    // In code there are no references.
    growing.grow(".\n\n");
    let open = growing.grow("    [g]").open;
    assert!(open.iter().any(|node| node.words().contains("[g]")), "{open:?}");
}

#[test]
fn footnotes_are_numbered_over_the_whole_text() {
    let text = "One[^a].\n\n[^a]: A.\n\nTwo[^b].\n\n[^b]: B.\n\n[^c]: Of no use.\n\nAgain[^b][^a].\n\n```\ncode\n```\n\nEnd.\n";
    for at in (0..=text.len()).filter(|at| text.is_char_boundary(*at)) {
        let (before, after) = text.split_at(at);
        assert_eq!(streamed([before, after]), read(text).nodes, "at {at}");
    }
    let signs: Vec<String> = text.chars().map(String::from).collect();
    assert_eq!(streamed(signs.iter().map(String::as_str)), read(text).nodes);
}

#[test]
fn ten_thousand_streamed_definitions_are_bounded() {
    let notes = (0..10_000).map(|note| {
        format!("[r{note}]: https://a.example/{note}\n\na[^{note}] [r{note}]\n\n[^{note}]: note {note}\n\n")
    });
    let text: String = notes.collect();
    let start = std::time::Instant::now();
    let (mut growing, mut finished, mut looks) = (MarkdownStream::default(), String::new(), 0);
    let mut last = Vec::new();
    for piece in text.as_bytes().chunks(4_096) {
        let update = growing.grow(std::str::from_utf8(piece).unwrap());
        finished.extend(update.finished.iter().map(Node::words));
        (last, looks) = (update.open, looks + 1);
    }
    // Unoptimised; quadratic code takes minutes.
    assert!(start.elapsed() < std::time::Duration::from_secs(30), "{looks} looks took {:?}", start.elapsed());
    finished.extend(last.iter().map(Node::words));
    for note in [0, 999, 9_999] {
        assert!(finished.contains(&format!("note {note}")), "note {note} is lost");
    }
}

proptest! {
    #[test]
    fn text_below_its_definitions_equals_the_complete_text(
        lines in proptest::collection::vec(
            prop_oneof![
                Just("[g]"), Just("see [it][g]"), Just("![p][G]"), Just("[odd \\] one]"), Just("[GRÖSSE] [größe][]"),
                Just("[quoted] [two lines]"), Just("a[^n]"), Just("[^m] and [^n]"), Just("- [g] [^m]"), Just("> [^n]"), Just("# [g]"),
                Just("```"), Just("    [g]"), Just("a | b"), Just("- | -"), Just("`[g]`"), Just("[none] [^none]"),
                Just(""), Just(""), Just(""), Just("\n[g]: https://later.example\n"), Just("\\(x\\) [g]"),
            ],
            0..16,
        ),
        cuts in proptest::collection::vec(0usize..600, 0..12),
    ) {
        let text = DEFINED.join("\n\n") + "\n\nBegin.\n\n" + &lines.join("\n") + "\n";
        let mut cuts: Vec<usize> =
            cuts.into_iter().filter(|at| *at <= text.len() && text.is_char_boundary(*at)).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&str> = cuts.windows(2).map(|pair| text.get(pair[0]..pair[1]).unwrap()).collect();
        prop_assert_eq!(streamed(pieces), read(&text).nodes, "{:?}", text);
    }

    #[test]
    fn any_chunking_equals_the_complete_text(
        lines in proptest::collection::vec(
            prop_oneof![
                Just("para"), Just(""), Just("# h"), Just("- a"), Just("  b"), Just("1. x"), Just("> q"), Just("```"),
                Just("~~~ js"), Just("    code"), Just("---"), Just("a | b"), Just("- | -"), Just("===") , Just("<div>"),
                Just("*x"), Just("y*"), Just("$$"), Just("\t- t"), Just("<!--"), Just("-->"), Just("\\["), Just("\\]"),
            ],
            0..24,
        ),
        cuts in proptest::collection::vec(0usize..200, 0..12),
    ) {
        let text = lines.join("\n") + "\n";
        let mut cuts: Vec<usize> = cuts.into_iter().filter(|at| *at <= text.len()).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&str> = cuts.windows(2).map(|pair| text.get(pair[0]..pair[1]).unwrap()).collect();
        prop_assert_eq!(streamed(pieces), read(&text).nodes);
    }
}

use proptest::prelude::*;

use super::*;
use crate::domain::text::markdown::read;

/// What stands on the page after the pieces came one after another.
fn streamed<'t>(pieces: impl IntoIterator<Item = &'t str>) -> Vec<Node> {
    let (mut growing, mut done, mut open) = (Growing::default(), Vec::new(), Vec::new());
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
fn a_text_that_came_whole_lines_at_a_time_reads_as_one_that_was_there() {
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
fn every_split_of_a_text_reads_as_the_whole() {
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
fn a_finished_block_is_laid_out_once() {
    let text = "para\n\n".repeat(200) + "```\n" + &"code\n".repeat(200) + "```\n\nend\n";
    let mut growing = Growing::default();
    let mut finished = 0;
    for piece in text.as_bytes().chunks(7) {
        let update = growing.grow(std::str::from_utf8(piece).unwrap());
        finished += update.finished.len();
        assert!(update.open.len() <= 2, "{} blocks are open", update.open.len());
    }
    assert_eq!(finished, 201);
}

#[test]
fn a_fence_that_may_close_does_not_show_before_it_does() {
    let mut growing = Growing::default();
    growing.grow("```\na\n");
    let shown = growing.grow("``").open;
    assert!(!shown.iter().any(|node| node.words().contains("``")));
    let shown = growing.grow("x\n").open;
    assert!(shown.iter().any(|node| node.words().ends_with("a\n``x")));
}

#[test]
fn footnotes_show_before_the_text_is_whole() {
    let nodes = streamed(["Words[^1].\n\n[^1]: The note.\n\nMore.\n\nEnd.\n"]);
    assert!(nodes.iter().any(|node| node.words().contains("The note.")));
}

proptest! {
    #[test]
    fn any_chunking_reads_as_the_whole(
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

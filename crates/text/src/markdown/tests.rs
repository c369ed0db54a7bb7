use std::cell::Cell;

use proptest::prelude::*;

use super::*;
use crate::limits::{MARKDOWN_PIECES, counted, total};

/// A clock that does not move.
fn still() -> f64 {
    0.0
}

/// The page of a text, and the finished blocks before it was complete.
fn read_all(text: &str) -> (Vec<Node>, Vec<Node>) {
    let (mut slices, mut early) = (Slices::default(), Vec::new());
    loop {
        match slices.read_on(text, still) {
            Slice::More(new) => early.extend(new),
            Slice::Whole(nodes) => return (nodes, early),
        }
    }
}

#[test]
fn streamed_text_is_not_read_again_and_gives_the_same_page() {
    let part =
        "## Part\n\nWords with a [link][later] and `code`.\n\n- one\n- two\n\n```rust\nfn a() {}\n```\n\n";
    for end in ["The end.\n", "[later]: https://example.org\n\nThe end.\n"] {
        let text = part.repeat(200) + end;
        let (mut stream, mut finished) = (MarkdownStream::default(), Vec::new());
        let (received, rest) = text.split_at(text.len() - 7);
        for piece in received.as_bytes().chunks(64) {
            finished.extend(stream.grow(std::str::from_utf8(piece).unwrap()).finished);
        }
        assert!(stream.is_read() && rest.len() == 7);
        let mut slices = Slices::after(stream, finished);
        let (mut turns, whole) = (0, read_all(&text).0);
        let page = loop {
            turns += 1;
            if let Slice::Whole(nodes) = slices.read_on(&text, still) {
                break nodes;
            }
        };
        assert!(page == whole, "another page than from a look at the whole");
        assert_eq!(turns == 1, !end.contains("later"), "only what defines something is read once more");
    }
}

fn words(nodes: &[Node]) -> String {
    nodes.iter().map(Node::words).collect()
}

fn nodes_in(node: &Node) -> usize {
    match node {
        Node::Text(_) => 1,
        Node::Element(element) => 1 + element.children.iter().map(nodes_in).sum::<usize>(),
    }
}

#[test]
fn slices_equal_a_single_pass() {
    let block = "Some *words* of a paragraph, see [the end] and a note[^n].\n\n- one\n- two\n\n```rust\nlet x = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n";
    let text = format!("{}[the end]: https://a.example/\n\n[^n]: A note.\n", block.repeat(700));
    let (nodes, early) = read_all(&text);
    assert_eq!(nodes, read(&text).nodes);
    assert!(early.len() > 100, "most of it stands before all is read");
    let one_line = "word ".repeat(40_000);
    assert_eq!(read_all(&one_line).0, read(&one_line).nodes);
}

#[test]
fn limits_count_over_all_slices() {
    let paragraphs = "a\n\n".repeat(300_000);
    let nodes: usize = read_all(&paragraphs).0.iter().map(nodes_in).sum();
    assert!(nodes < 3 * MARKDOWN_PIECES, "{nodes}");
    let links = "https://a.example\n\n".repeat(10_000);
    let (page, _) = read_all(&links);
    assert_eq!(page, read(&links).nodes);
}

#[test]
fn quadratic_parser_blocks_the_page_only_briefly() {
    // As slow as the slowest parser that was found: 10 s for 100 kB.
    let milliseconds = |bytes: usize| (bytes as f64).powi(2) * 1e-6;
    for text in ["_a ".repeat(300_000), "a\nb ".repeat(250_000), "> a\n\n".repeat(200_000)] {
        let (time, read) = (Cell::new(0.0), Cell::new(total()));
        let now = || {
            // Each piece is read twice: for finished blocks, and for the open one.
            let bytes = total() - read.replace(total());
            time.set(time.get() + 2.0 * milliseconds(bytes / 2));
            time.get()
        };
        let (mut slices, mut longest) = (Slices::default(), 0.0_f64);
        let nodes = loop {
            let before = time.get();
            let slice = slices.read_on(&text, now);
            longest = longest.max(time.get() - before);
            if let Slice::Whole(nodes) = slice {
                break nodes;
            }
        };
        assert!(longest < 300.0, "{longest} ms");
        assert_eq!(words(&nodes).matches('a').count(), text.matches('a').count());
    }
}

/// Fragments that are hard to parse, to be repeated.
const FRAGMENTS: [&str; 40] = [
    "[",
    "]",
    "](b)",
    "![",
    "[a]",
    "[a]: u\n",
    "[^a]",
    "[^a]: ",
    "*",
    "**",
    "_",
    "~~",
    "*a_ ",
    "`",
    "```\n",
    "$",
    "$$",
    "\\(",
    "\\)",
    "\\[",
    "<",
    "<!--",
    "<a href=\"",
    "&amp",
    "|",
    "|-",
    "\n",
    "\n\n",
    "> ",
    "- ",
    "1. ",
    "    ",
    "# ",
    "www._",
    "http://",
    "a@b.",
    "\\",
    "a",
    " ",
    "ü",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn slices_parse_each_byte_a_few_times(
        pieces in proptest::collection::vec(proptest::sample::select(&FRAGMENTS[..]), 1..8), bytes in 10_000_usize..40_000
    ) {
        let piece = pieces.concat();
        let text = piece.repeat(bytes / piece.len());
        let ((nodes, _), steps) = counted(|| read_all(&text));
        prop_assert!(steps <= 40 * text.len() + 100_000, "{} of {} bytes: {steps}", piece, text.len());
        let count: usize = nodes.iter().map(nodes_in).sum();
        prop_assert!(count <= 4 * MARKDOWN_PIECES);
    }
}

#[test]
fn code_out_of_sight_is_one_text_without_buttons() {
    let page = read("```rust title=a.rs\nfn a() -> u8 { 1 }\n```\n\nWords with `code`.\n");
    let [Node::Element(figure), Node::Element(paragraph)] = page.nodes.as_slice() else {
        panic!("{:?}", page.nodes)
    };
    let plain = layout::plain_code(figure).unwrap();
    assert_eq!(plain.value(page::Attribute::Plain), Some(""));
    let [_, Node::Element(frame)] = plain.children.as_slice() else { panic!("{plain:?}") };
    let code = page::Element::new(page::Tag::Code).with_text("fn a() -> u8 { 1 }");
    assert_eq!(frame.children, [code.into()]);
    assert_eq!(Node::from(plain).words(), "rusta.rsfn a() -> u8 { 1 }");
    assert_eq!(layout::plain_code(paragraph), None);
}

use proptest::prelude::*;

use super::*;

fn text(words: &str) -> Vec<Inline> {
    vec![Inline::Text(words.to_owned())]
}

fn paragraph(words: &str) -> Block {
    Block::Paragraph(text(words))
}

#[test]
fn blocks_are_told_apart() {
    let tree = blocks(
        "# Plan\nFirst words\nsecond line\n\n> said\n\n---\n```js\nlet a = 1;\n\n# no heading\n```\nend",
    );
    assert_eq!(
        tree,
        [
            Block::Heading { level: 1, words: text("Plan") },
            Block::Paragraph(vec![
                Inline::Text("First words".into()),
                Inline::Break,
                Inline::Text("second line".into()),
            ]),
            Block::Quote(vec![paragraph("said")]),
            Block::Rule,
            Block::Code { language: "js".into(), text: "let a = 1;\n\n# no heading".into() },
            paragraph("end"),
        ]
    );
}

#[test]
fn lists_hold_tasks_and_lists() {
    let tree = blocks("Do:\n- [x] one\n- [ ] two\n  1. inner\n  2. more\n\n- three\n");
    let Some(Block::List { start: None, items }) = tree.get(1) else { panic!("no list: {tree:?}") };
    let done: Vec<_> = items.iter().map(|item| item.done).collect();
    assert_eq!(done, [Some(true), Some(false), None]);
    let inner = items[1].blocks.get(1);
    assert!(matches!(inner, Some(Block::List { start: Some(1), items }) if items.len() == 2), "{inner:?}");
    assert_eq!(items[2].blocks, [paragraph("three")]);
}

#[test]
fn a_table_needs_its_row_of_dashes() {
    let tree = blocks("| a | b |\n|---|:-:|\n| 1 | **2** |\n| 3 |\n\na | b");
    let Some(Block::Table { head, rows }) = tree.first() else { panic!("no table: {tree:?}") };
    assert_eq!(head, &[text("a"), text("b")]);
    assert_eq!(rows[0][1], [Inline::Strong(text("2"))]);
    assert_eq!(rows[1], [text("3"), vec![]]);
    assert_eq!(tree.get(1), Some(&paragraph("a | b")));
}

#[test]
fn marks_within_a_line() {
    let of = |line: &str| match blocks(line).into_iter().next() {
        Some(Block::Paragraph(pieces)) => pieces,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        of("a **b *c* d** `e*` f"),
        [
            Inline::Text("a ".into()),
            Inline::Strong(vec![
                Inline::Text("b ".into()),
                Inline::Emphasis(text("c")),
                Inline::Text(" d".into()),
            ]),
            Inline::Text(" ".into()),
            Inline::Code("e*".into()),
            Inline::Text(" f".into()),
        ]
    );
    assert_eq!(of("snake_case_name and 2 * 3 * 4"), text("snake_case_name and 2 * 3 * 4"));
    assert_eq!(of(r"\*not\* <b>bold</b>"), text("*not* <b>bold</b>"));
    assert_eq!(of("half **open and `code"), text("half **open and `code"));
    let link = |words: &str, address: &str| Inline::Link { words: text(words), address: address.into() };
    assert_eq!(of("[x](https://a.b \"t\")"), [link("x", "https://a.b")]);
    assert_eq!(of("![pic](https://a.b/p.png)"), [link("pic", "https://a.b/p.png")]);
}

#[test]
fn what_is_settled_ends_before_the_open_block() {
    assert_eq!(settled("one\n\ntwo"), "one\n\n".len());
    assert_eq!(settled("one\n\n"), 0);
    assert_eq!(settled("one\n\n```\na\n\nb"), "one\n\n".len());
    assert_eq!(settled("- a\n\n- b\n\n  c"), 0);
}

proptest! {
    #[test]
    fn settled_blocks_stay_as_they_are(text in "([-*#>` a_|\n]|```\n|1\\. |- \\[ \\] ){0,60}", cut in 0usize..80) {
        let early: String = text.chars().take(cut).collect();
        let at = settled(&early);
        let (done, rest) = text.split_at(at);
        let mut pieces = blocks(done);
        pieces.extend(blocks(rest));
        prop_assert_eq!(pieces, blocks(&text));
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,200}") {
        blocks(&text);
        settled(&text);
    }
}

#[test]
fn hostile_texts_are_read_in_a_moment() {
    for piece in ["*", "**a", "_", "[", "](", "`a", "> ", "- ", "~~", "|", "[a](", "``` "] {
        let text = piece.repeat(60_000 / piece.len());
        let started = std::time::Instant::now();
        blocks(&text);
        assert!(started.elapsed().as_millis() < 1_500, "{piece:?} took {:?}", started.elapsed());
    }
}

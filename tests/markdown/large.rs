//! Tests of very large Markdown: bounded in time, depth and size.

use std::time::{Duration, Instant};

use nexus_text::limits::{MARKDOWN_DEPTH, TABLE_COLUMNS, TABLE_ROWS};
use nexus_text::markdown::page::{Node, RenderedMarkdown, Tag};
use nexus_text::markdown::read;
use nexus_text::markdown::stream::MarkdownStream;

/// Renders a text and checks the bounds. Unoptimised and on a busy machine; quadratic work would take minutes.
fn bounded(name: &str, text: &str) -> RenderedMarkdown {
    let start = Instant::now();
    let page = read(text);
    let took = start.elapsed();
    println!("{name}: {} kB in {took:?}", text.len() / 1000);
    assert!(took < Duration::from_secs(20), "{name} took {took:?}");
    let (nodes, depth) = page.nodes.iter().map(measure).fold((0, 0), |a, b| (a.0 + b.0, a.1.max(b.1)));
    assert!(nodes < 250_000, "{name}: {nodes} nodes");
    assert!(depth < 3 * MARKDOWN_DEPTH, "{name}: {depth} deep");
    page
}

fn measure(node: &Node) -> (usize, usize) {
    match node {
        Node::Text(_) => (1, 1),
        Node::Element(element) => {
            let inner = element.children.iter().map(measure);
            inner.fold((1, 1), |all, child| (all.0 + child.0, all.1.max(child.1 + 1)))
        }
    }
}

fn words(page: &RenderedMarkdown) -> String {
    page.nodes.iter().map(Node::words).collect()
}

#[test]
fn answers_of_any_size_are_shown_completely() {
    let lines: String = (0..100_000).map(|line| format!("line {line}\n")).collect();
    assert!(words(&bounded("100,000 lines", &lines)).contains("line 99999"));
    let blocks: String = (0..100_000).map(|line| format!("- item {line}\n\n")).collect();
    assert!(words(&bounded("100,000 items", &blocks)).contains("item 99999"));
    let line = "word ".repeat(1_000_000);
    assert_eq!(words(&bounded("a line of 5 MB", &line)).len(), line.len());
    let code = format!("```rust\n{}```\n", "let x = 1; // one\n".repeat(60_000));
    assert_eq!(words(&bounded("a megabyte of code", &code)).matches("let x").count(), 60_000);
}

#[test]
fn a_large_table_shows_its_start_and_has_the_rest_as_text() {
    let row = |of: &str| format!("|{}\n", format!("{of}|").repeat(200));
    let table = row("head") + row("-").as_str() + row("cell").repeat(2_000).as_str();
    let page = bounded("a table of 2,000 by 200", &table);
    let Node::Element(large) = &page.nodes[0] else { panic!("no element") };
    let (shown, whole) = (&large.children[0], large.children.last().unwrap());
    assert_eq!(shown.words().matches("cell").count(), TABLE_ROWS * TABLE_COLUMNS);
    assert_eq!(whole.words().matches("cell").count(), 2_000 * 200);
}

#[test]
fn many_footnotes_references_and_links_are_bounded() {
    let notes: String = (0..10_000).map(|note| format!("a[^{note}]\n\n[^{note}]: note {note}\n\n")).collect();
    assert!(words(&bounded("10,000 footnotes", &notes)).contains("note 9999"));
    let references: String =
        (0..5_000).map(|place| format!("[r{place}]: https://a.example/{place}\n")).collect();
    bounded("5,000 references", &(references + "\n[r4999]"));
    let links = "[a](https://a.example) ".repeat(90_000);
    bounded("90,000 links", &links);
    let bare = "https://a.example/x ".repeat(100_000);
    let page = bounded("100,000 addresses", &bare);
    assert!(words(&page).contains("https://a.example/x"));
}

#[test]
fn nesting_is_capped() {
    for depth in [3_000, 100_000] {
        let page = bounded("nested quotes", &(">".repeat(depth) + " deep"));
        assert!(words(&page).contains("deep"));
    }
    bounded(
        "nested quotes, line by line",
        &(0..500).map(|depth| ">".repeat(depth) + " a\n").collect::<String>(),
    );
    let list: String = (0..600).map(|depth| "  ".repeat(depth) + "- a\n").collect();
    assert_eq!(words(&bounded("nested lists", &list)).matches('a').count(), 600);
    assert!(
        words(&bounded("nested emphasis", &("*a _b ".repeat(20_000) + "_ *".repeat(20_000).as_str())))
            .contains('b')
    );
    bounded("nested links", &("[".repeat(65_000) + "a" + "](b)".repeat(65_000).as_str()));
    bounded("nested images", &("![".repeat(65_000) + "a" + "](b)".repeat(65_000).as_str()));
}

#[test]
fn inputs_that_hang_other_parsers_are_fast() {
    let n = 65_000;
    for (name, text) in [
        ("brackets", "[".repeat(n)),
        ("closed brackets", "[a](".repeat(n)),
        ("backticks", (1..500).map(|count| format!("e{}", "`".repeat(count))).collect()),
        ("stars", "*".repeat(n)),
        ("open stars", "**a ".repeat(n)),
        ("mixed marks", "*a_ ".repeat(n)),
        ("a**b", "a**b".repeat(n) + "c* ".repeat(n).as_str()),
        ("references", "[a]: u\n".repeat(n)),
        ("comments", "<!--".repeat(n)),
        ("declarations", "<!A ".repeat(n)),
        ("instructions", "<?".repeat(n)),
        ("data", "<![CDATA[".repeat(n)),
        ("tags", "<a href=\"".repeat(n)),
        ("entities", "&amp".repeat(n)),
        ("tables", "|-".repeat(n) + "\n" + "|-".repeat(n).as_str()),
        ("table heads", "a|b\n".repeat(n)),
        ("dollars", "$a $".repeat(n)),
        ("maths", "\\(a".repeat(n)),
        ("closed maths", "\\(a\\)".repeat(n / 2)),
        ("escapes", "\\[".repeat(n)),
        ("tildes", "~~a ".repeat(n)),
        ("fences", "```\n".repeat(n)),
        ("mail", "a@b.".repeat(n)),
        ("addresses", "www.a_.".repeat(n)),
        ("semicolons", format!("https://a.example/{}", "&a;".repeat(n))),
        ("footnotes", "[^a]".repeat(n)),
        ("notes", "[^a]: ".repeat(n)),
        ("empty items", "-\n".repeat(n)),
        ("breaks", "a  \n".repeat(n)),
        ("nul", "\0".repeat(n)),
    ] {
        bounded(name, &text);
    }
}

#[test]
fn streaming_costs_little_more_than_the_whole_text() {
    let text = "A paragraph of some words, *emphasis* and `code`.\n\n- a list\n- of two\n\n```rust\nlet x = 1;\n```\n\n"
        .repeat(200);
    let start = Instant::now();
    let mut growing = MarkdownStream::default();
    let finished: usize = text
        .as_bytes()
        .chunks(4)
        .map(|piece| growing.grow(std::str::from_utf8(piece).unwrap()).finished.len())
        .sum();
    assert_eq!(finished, 200 * 3 - 1);
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn mathml_occurs_only_in_maths() {
    fn check(node: &Node, within: bool) {
        let Node::Element(element) = node else { return };
        assert_eq!(element.tag.is_maths(), within || element.tag == Tag::Math, "{:?}", element.tag);
        element.children.iter().for_each(|child| check(child, element.tag.is_maths()));
    }
    let page = read(
        "$x$ and $$\\frac{\\sqrt[3]{x}}{\\text{a } \\hat{y}} \\begin{cases} 1 \\\\ 2 \\end{cases}$$ \\(z\\)",
    );
    page.nodes.iter().for_each(|node| check(node, false));
}

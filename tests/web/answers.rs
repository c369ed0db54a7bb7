//! Tests of answers in the page: hostile texts, and which nodes stay while a text grows.
//!
//! A browser flow covers third-party hostile texts, since it can read files.

use nexus::ui::markdown::dom::MarkdownDom;
use nexus_text::markdown::page::{Attribute, Tag};
use nexus_text::markdown::read;
use nexus_text::markdown::stream::MarkdownStream;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Element, Node};

use crate::{script, settle, vectors};

/// An empty element in the page.
fn root() -> Element {
    script("document.body.appendChild(document.createElement('div'))").unchecked_into()
}

fn sheet(root: &Element) -> MarkdownDom {
    MarkdownDom::new(root.clone(), None).unwrap()
}

/// Everything below an element.
fn all_below(root: &Element) -> Vec<Element> {
    let all = root.query_selector_all("*").unwrap();
    (0..all.length()).map(|place| all.item(place).unwrap().unchecked_into()).collect()
}

#[wasm_bindgen_test]
async fn no_hostile_text_runs_loads_or_makes_an_element_off_the_list() {
    script(
        "window.ran = []; for (const name of ['alert', 'confirm', 'prompt', 'print', 'open'])
            window[name] = () => window.ran.push(name);
        window.addEventListener('error', (event) => window.ran.push(event.message));
        performance.setResourceTimingBufferSize(100000); performance.clearResourceTimings()",
    );
    let tags: Vec<&str> = Tag::ALL.iter().map(|tag| tag.name()).collect();
    let names: Vec<&str> = Attribute::ALL.iter().map(|name| name.name()).collect();
    for vector in vectors::OWN {
        for text in vectors::places(vector) {
            let root = root();
            sheet(&root).show(read(&text).nodes);
            // The same as it grows.
            let (growing_root, mut growing) = (self::root(), MarkdownStream::default());
            let mut sheet = sheet(&growing_root);
            let (first, second) =
                text.split_at(text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at));
            sheet.grow(growing.grow(first));
            sheet.grow(growing.grow(second));
            for root in [root, growing_root] {
                for element in all_below(&root) {
                    let tag = element.tag_name().to_lowercase();
                    assert!(tags.contains(&tag.as_str()), "{tag} from {text:?}");
                    for name in element.get_attribute_names().iter().filter_map(|name| name.as_string()) {
                        assert!(names.contains(&name.as_str()), "{name} on {tag} from {text:?}");
                    }
                    if let Some(address) = element.get_attribute("href") {
                        let scheme = address.split(':').next().unwrap();
                        assert!(["https", "http", "mailto"].contains(&scheme), "{address} from {text:?}");
                    }
                    if let Some(source) = element.get_attribute("src") {
                        assert!(source.starts_with("data:image/"), "{source} from {text:?}");
                    }
                }
                root.remove();
            }
        }
    }
    settle().await;
    let ran = script("JSON.stringify(window.ran)").as_string().unwrap();
    assert_eq!(ran, "[]", "something ran");
    let asked = script(
        "JSON.stringify(performance.getEntriesByType('resource').map((entry) => entry.name)
            .filter((name) => !name.startsWith(location.origin) && !name.startsWith('data:')))",
    );
    assert_eq!(asked.as_string().unwrap(), "[]", "something was requested");
}

const TEXT: &str = "# Title\n\nA paragraph with *marks*.\n\n- one\n- two\n\n```js\nlet a = 1;\nlet b = 2;\n```\n\nAnd `more` of it.\n";

#[wasm_bindgen_test]
fn a_finished_block_is_made_once() {
    let root = root();
    let (mut sheet, mut growing) = (sheet(&root), MarkdownStream::default());
    let mut known: Vec<Node> = Vec::new();
    let mut finished = 0;
    for piece in TEXT.as_bytes().chunks(3) {
        let update = growing.grow(std::str::from_utf8(piece).unwrap());
        let new = update.finished.len();
        sheet.grow(update);
        let children = root.child_nodes();
        for place in finished..finished + new {
            known.push(children.item(place as u32).unwrap());
        }
        finished += new;
        for (place, node) in known.iter().enumerate() {
            assert!(node.is_same_node(children.item(place as u32).as_ref()), "block {place} was made again");
        }
    }
    assert!(finished >= 4);
    // The whole text, read once more, changes nothing.
    let last: Node = root.last_child().unwrap();
    let before = root.outer_html();
    sheet.show(read(TEXT).nodes);
    assert_eq!(root.outer_html(), before);
    for (place, node) in known.iter().enumerate() {
        assert!(node.is_same_node(root.child_nodes().item(place as u32).as_ref()));
    }
    assert!(last.is_same_node(root.last_child().as_ref()));
    root.remove();
}

#[wasm_bindgen_test]
async fn nothing_above_the_open_block_changes_while_it_grows() {
    let root = root();
    let (mut sheet, mut growing) = (sheet(&root), MarkdownStream::default());
    sheet.grow(growing.grow("First.\n\nSecond.\n\nThird"));
    script("window.changed = 0; window.sheetRoot = document.body.lastElementChild;
        window.watcher = new MutationObserver((records) => { for (const record of records) {
            const index = Array.prototype.findIndex.call(window.sheetRoot.children, (c) => c.contains(record.target));
            if (index >= 0 && index < 2) window.changed += 1; } });
        window.watcher.observe(window.sheetRoot, { subtree: true, childList: true, characterData: true, attributes: true })");
    let second = root.child_nodes().item(1).unwrap();
    for piece in [" one", " **two", "** three", "\n", "and `four`"] {
        sheet.grow(growing.grow(piece));
    }
    settle().await;
    assert_eq!(script("window.watcher.disconnect(); window.changed").as_f64(), Some(0.0));
    assert!(second.is_same_node(root.child_nodes().item(1).as_ref()));
    root.remove();
}

#[wasm_bindgen_test]
fn a_mark_that_stood_there_before_stays_behind_what_grows() {
    let root = root();
    root.append_child(&script("document.createComment('a mark')").unchecked_into::<Node>()).unwrap();
    let mut sheet = sheet(&root);
    let mut growing = MarkdownStream::default();
    for piece in ["One", ".\n\nTwo", ".\n\n(Thr", "ee"] {
        sheet.grow(growing.grow(piece));
    }
    let words = |root: &Element| {
        all_below(root).iter().map(|each| each.text_content().unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(words(&root), ["One.", "Two.", "(Three"]);
    sheet.show(read("One.\n\nTwo.\n\n(Three and more)").nodes);
    assert_eq!(words(&root), ["One.", "Two.", "(Three and more)"]);
    assert_eq!(root.last_child().unwrap().node_type(), Node::COMMENT_NODE);
    root.remove();
}

#[wasm_bindgen_test]
fn what_is_defined_last_is_minded_when_the_text_is_whole() {
    let text = "See [the guide][g] and ![a plan][p].\n\nThe middle[^n].\n\nThe end.\n\n[g]: https://guide.example/x\n\
        [p]: https://plans.example/p.png\n\n[^n]: A note.\n";
    let (grown_root, fresh_root) = (root(), root());
    let (mut grown, mut growing) = (sheet(&grown_root), MarkdownStream::default());
    for piece in text.as_bytes().chunks(5) {
        grown.grow(growing.grow(std::str::from_utf8(piece).unwrap()));
    }
    assert!(grown_root.query_selector("a").unwrap().is_none(), "a link to nowhere");
    let end = grown_root.query_selector_all("p").unwrap().item(2).unwrap();
    grown.show(read(text).nodes);
    sheet(&fresh_root).show(read(text).nodes);
    assert_eq!(grown_root.inner_html(), fresh_root.inner_html());
    assert!(fresh_root.query_selector("a[href]").unwrap().is_some());
    assert!(fresh_root.query_selector(".prose-notes li").unwrap().is_some());
    assert!(end.is_connected() && end.text_content().unwrap() == "The end.", "what stayed was made again");
    grown_root.remove();
    fresh_root.remove();
}

#[wasm_bindgen_test]
fn an_open_fence_only_appends() {
    let root = root();
    let (mut sheet, mut growing) = (sheet(&root), MarkdownStream::default());
    sheet.grow(growing.grow("```text\nfirst line\n"));
    let code = root.query_selector("code").unwrap().unwrap();
    let text = code.first_child().unwrap();
    for line in 0..200 {
        sheet.grow(growing.grow(&format!("line {line}\n")));
    }
    assert!(text.is_same_node(code.first_child().as_ref()), "the text was made again");
    assert!(code.text_content().unwrap().ends_with("line 199"));
    root.remove();
}

#[wasm_bindgen_test]
fn what_the_reader_selected_stays_selected() {
    let root = root();
    let (mut sheet, mut growing) = (sheet(&root), MarkdownStream::default());
    sheet.grow(growing.grow("Select these words"));
    script("window.getSelection().selectAllChildren(document.body.lastElementChild.firstElementChild)");
    let selected = || script("String(window.getSelection())").as_string().unwrap();
    assert_eq!(selected(), "Select these words");
    sheet.grow(growing.grow(", and more.\n\nNext."));
    sheet.show(read("Select these words, and more.\n\nNext.").nodes);
    assert!(selected().starts_with("Select these words"), "{}", selected());
    root.remove();
}

#[wasm_bindgen_test]
fn maths_and_links_are_what_the_browser_takes_them_for() {
    let root = root();
    sheet(&root).show(
        read("$\\frac{a}{b}$ and [words](https://a.example/x 'title') and <https://b\u{430}nk.example>")
            .nodes,
    );
    let fraction = root.query_selector("mfrac").unwrap().unwrap();
    assert_eq!(fraction.namespace_uri().as_deref(), Some("http://www.w3.org/1998/Math/MathML"));
    let links = root.query_selector_all("a").unwrap();
    let link = |place| links.item(place).unwrap().unchecked_into::<Element>();
    assert_eq!(link(0).get_attribute("rel").as_deref(), Some("noopener noreferrer nofollow"));
    assert_eq!(link(0).get_attribute("title").as_deref(), Some("a.example · title"));
    // A host in mixed letters is told in the letters that no other host has.
    assert!(
        link(1).get_attribute("title").unwrap().starts_with("xn--"),
        "{:?}",
        link(1).get_attribute("title")
    );
    root.remove();
}

#[wasm_bindgen_test]
fn code_that_is_out_of_sight_grows_as_one_text_and_has_its_colours_in_sight() {
    let unseen = script("new IntersectionObserver(() => {})").unchecked_into();
    let (root, full) = (root(), self::root());
    let mut sheet = MarkdownDom::new(root.clone(), Some(unseen)).unwrap();
    let mut growing = MarkdownStream::default();
    let text = format!("> - quoted\n>\n>   ```rs\n>   fn a() {{}}\n>   ```\n\n{TEXT}\n```rs\nlet open");
    for piece in text.as_bytes().chunks(5) {
        sheet.grow(growing.grow(std::str::from_utf8(piece).unwrap()));
    }
    let figures = root.query_selector_all("figure").unwrap();
    assert_eq!(figures.length(), 3);
    assert_eq!(root.query_selector_all("figure[data-plain] pre > code").unwrap().length(), 3);
    assert_eq!(root.query_selector_all("code span, figure button").unwrap().length(), 0);
    let (mut all, mut again) = (self::sheet(&full), MarkdownStream::default());
    all.grow(again.grow(&text));
    let words = |root: &Element| {
        let codes = root.query_selector_all("pre > code").unwrap();
        (0..codes.length()).map(|place| codes.item(place).unwrap().text_content()).collect::<Vec<_>>()
    };
    assert_eq!(words(&root), words(&full));
    for place in 0..figures.length() {
        sheet.dress(figures.item(place).unwrap().unchecked_ref());
    }
    assert_eq!(root.inner_html(), full.inner_html());
    // What is dressed goes on growing so.
    sheet.grow(growing.grow(" = 1;\n"));
    all.grow(again.grow(" = 1;\n"));
    assert_eq!(root.inner_html(), full.inner_html());
    for place in 0..figures.length() {
        sheet.undress(figures.item(place).unwrap().unchecked_ref());
    }
    assert_eq!(root.query_selector_all("code span, figure button").unwrap().length(), 0);
    assert_eq!(words(&root), words(&full));
    // What grows while it is out of sight has its colours when it is seen again.
    sheet.grow(growing.grow("let more = 2;\n"));
    all.grow(again.grow("let more = 2;\n"));
    assert_eq!(words(&root), words(&full));
    for place in 0..figures.length() {
        sheet.dress(figures.item(place).unwrap().unchecked_ref());
    }
    assert_eq!(root.inner_html(), full.inner_html());
    root.remove();
    full.remove();
}

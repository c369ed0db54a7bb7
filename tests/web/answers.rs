//! Tests of rendered answers: hostile texts, and which nodes are kept while a text streams.
//!
//! `tests/markdown` covers third-party hostile texts, since it can read files.

use nexus::ui::markdown::dom::MarkdownDom;
use nexus_text::markdown::page::{Attribute, Tag};
use nexus_text::markdown::read;
use nexus_text::markdown::stream::MarkdownStream;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_test::wasm_bindgen_test;
use web_sys::{Element, Node};

use crate::{script, settle, vectors};

/// Appends an empty element to the page.
fn root() -> Element {
    script("document.body.appendChild(document.createElement('div'))").unchecked_into()
}

fn markdown_dom(root: &Element) -> MarkdownDom {
    MarkdownDom::new(root.clone(), None).unwrap()
}

/// All descendants of an element.
fn all_below(root: &Element) -> Vec<Element> {
    let all = root.query_selector_all("*").unwrap();
    (0..all.length()).map(|index| all.item(index).unwrap().unchecked_into()).collect()
}

#[wasm_bindgen_test]
async fn hostile_text_runs_nothing_loads_nothing_and_creates_only_allowed_elements() {
    script(
        "window.ran = []; for (const name of ['alert', 'confirm', 'prompt', 'print', 'open'])
            window[name] = () => window.ran.push(name);
        window.onerror = (message) => { window.ran.push(message); };
        performance.setResourceTimingBufferSize(100000); performance.clearResourceTimings()",
    );
    let tags: Vec<&str> = Tag::ALL.iter().map(|tag| tag.name()).collect();
    let names: Vec<&str> = Attribute::ALL.iter().map(|name| name.name()).collect();
    for vector in vectors::OWN {
        for text in vectors::places(vector) {
            let root = root();
            markdown_dom(&root).show(read(&text).nodes);
            // The same text, streamed.
            let (growing_root, mut stream) = (self::root(), MarkdownStream::default());
            let mut markdown_dom = markdown_dom(&growing_root);
            let (first, second) =
                text.split_at(text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at));
            markdown_dom.grow(stream.grow(first));
            markdown_dom.grow(stream.grow(second));
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
    let ran = script("window.onerror = null; JSON.stringify(window.ran)").as_string().unwrap();
    assert_eq!(ran, "[]", "something ran");
    let requests = script(
        "JSON.stringify(performance.getEntriesByType('resource').map((entry) => entry.name)
            .filter((name) => !name.startsWith(location.origin) && !name.startsWith('data:')))",
    );
    assert_eq!(requests.as_string().unwrap(), "[]", "something was requested");
}

const TEXT: &str = "# Title\n\nA paragraph with *marks*.\n\n- one\n- two\n\n```js\nlet a = 1;\nlet b = 2;\n```\n\nAnd `more` of it.\n";

#[wasm_bindgen_test]
fn finished_block_is_rendered_once() {
    let root = root();
    let (mut markdown_dom, mut stream) = (markdown_dom(&root), MarkdownStream::default());
    let mut known: Vec<Node> = Vec::new();
    let mut finished = 0;
    for chunk in TEXT.as_bytes().chunks(3) {
        let update = stream.grow(std::str::from_utf8(chunk).unwrap());
        let new = update.finished.len();
        markdown_dom.grow(update);
        let children = root.child_nodes();
        for index in finished..finished + new {
            known.push(children.item(index as u32).unwrap());
        }
        finished += new;
        for (index, node) in known.iter().enumerate() {
            assert!(node.is_same_node(children.item(index as u32).as_ref()), "block {index} was made again");
        }
    }
    assert!(finished >= 4);
    // Rendering the whole text again changes nothing.
    let last: Node = root.last_child().unwrap();
    let before = root.outer_html();
    markdown_dom.show(read(TEXT).nodes);
    assert_eq!(root.outer_html(), before);
    for (index, node) in known.iter().enumerate() {
        assert!(node.is_same_node(root.child_nodes().item(index as u32).as_ref()));
    }
    assert!(last.is_same_node(root.last_child().as_ref()));
    root.remove();
}

#[wasm_bindgen_test]
async fn blocks_before_the_open_one_do_not_change_while_it_streams() {
    let root = root();
    let (mut markdown_dom, mut stream) = (markdown_dom(&root), MarkdownStream::default());
    markdown_dom.grow(stream.grow("First.\n\nSecond.\n\nThird"));
    script("window.changed = 0; window.sheetRoot = document.body.lastElementChild;
        window.watcher = new MutationObserver((records) => { for (const record of records) {
            const index = Array.prototype.findIndex.call(window.sheetRoot.children, (c) => c.contains(record.target));
            if (index >= 0 && index < 2) window.changed += 1; } });
        window.watcher.observe(window.sheetRoot, { subtree: true, childList: true, characterData: true, attributes: true })");
    let second = root.child_nodes().item(1).unwrap();
    for chunk in [" one", " **two", "** three", "\n", "and `four`"] {
        markdown_dom.grow(stream.grow(chunk));
    }
    settle().await;
    assert_eq!(script("window.watcher.disconnect(); window.changed").as_f64(), Some(0.0));
    assert!(second.is_same_node(root.child_nodes().item(1).as_ref()));
    root.remove();
}

#[wasm_bindgen_test]
fn existing_comment_node_stays_last_while_text_streams() {
    let root = root();
    root.append_child(&script("document.createComment('a mark')").unchecked_into::<Node>()).unwrap();
    let mut markdown_dom = markdown_dom(&root);
    let mut stream = MarkdownStream::default();
    for chunk in ["One", ".\n\nTwo", ".\n\n(Thr", "ee"] {
        markdown_dom.grow(stream.grow(chunk));
    }
    let texts = |root: &Element| {
        all_below(root).iter().map(|each| each.text_content().unwrap_or_default()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&root), ["One.", "Two.", "(Three"]);
    markdown_dom.show(read("One.\n\nTwo.\n\n(Three and more)").nodes);
    assert_eq!(texts(&root), ["One.", "Two.", "(Three and more)"]);
    assert_eq!(root.last_child().unwrap().node_type(), Node::COMMENT_NODE);
    root.remove();
}

#[wasm_bindgen_test]
fn definitions_at_the_end_resolve_when_the_text_is_complete() {
    let text = "See [the guide][g] and ![a plan][p].\n\nThe middle[^n].\n\nThe end.\n\n[g]: https://guide.example/x\n\
        [p]: https://plans.example/p.png\n\n[^n]: A note.\n";
    let (grown_root, fresh_root) = (root(), root());
    let (mut grown, mut stream) = (markdown_dom(&grown_root), MarkdownStream::default());
    for chunk in text.as_bytes().chunks(5) {
        grown.grow(stream.grow(std::str::from_utf8(chunk).unwrap()));
    }
    assert!(grown_root.query_selector("a").unwrap().is_none(), "a link to nowhere");
    let end = grown_root.query_selector_all("p").unwrap().item(2).unwrap();
    grown.show(read(text).nodes);
    markdown_dom(&fresh_root).show(read(text).nodes);
    assert_eq!(grown_root.inner_html(), fresh_root.inner_html());
    assert!(fresh_root.query_selector("a[href]").unwrap().is_some());
    assert!(fresh_root.query_selector(".prose-notes li").unwrap().is_some());
    assert!(end.is_connected() && end.text_content().unwrap() == "The end.", "what stayed was made again");
    grown_root.remove();
    fresh_root.remove();
}

#[wasm_bindgen_test]
fn open_code_fence_only_appends() {
    let root = root();
    let (mut markdown_dom, mut stream) = (markdown_dom(&root), MarkdownStream::default());
    markdown_dom.grow(stream.grow("```text\nfirst line\n"));
    let code = root.query_selector("code").unwrap().unwrap();
    let text = code.first_child().unwrap();
    for line in 0..200 {
        markdown_dom.grow(stream.grow(&format!("line {line}\n")));
    }
    assert!(text.is_same_node(code.first_child().as_ref()), "the text was made again");
    assert!(code.text_content().unwrap().ends_with("line 199"));
    root.remove();
}

#[wasm_bindgen_test]
fn selection_survives_streaming() {
    let root = root();
    let (mut markdown_dom, mut stream) = (markdown_dom(&root), MarkdownStream::default());
    markdown_dom.grow(stream.grow("Select these words"));
    script("window.getSelection().selectAllChildren(document.body.lastElementChild.firstElementChild)");
    let selected = || script("String(window.getSelection())").as_string().unwrap();
    assert_eq!(selected(), "Select these words");
    markdown_dom.grow(stream.grow(", and more.\n\nNext."));
    markdown_dom.show(read("Select these words, and more.\n\nNext.").nodes);
    assert!(selected().starts_with("Select these words"), "{}", selected());
    root.remove();
}

#[wasm_bindgen_test]
fn math_is_mathml_and_links_have_rel_and_title() {
    let root = root();
    markdown_dom(&root).show(
        read("$\\frac{a}{b}$ and [words](https://a.example/x 'title') and <https://b\u{430}nk.example>")
            .nodes,
    );
    let fraction = root.query_selector("mfrac").unwrap().unwrap();
    assert_eq!(fraction.namespace_uri().as_deref(), Some("http://www.w3.org/1998/Math/MathML"));
    let links = root.query_selector_all("a").unwrap();
    let link = |index| links.item(index).unwrap().unchecked_into::<Element>();
    assert_eq!(link(0).get_attribute("rel").as_deref(), Some("noopener noreferrer nofollow"));
    assert_eq!(link(0).get_attribute("title").as_deref(), Some("a.example · title"));
    // A host with mixed scripts is shown in punycode.
    assert!(
        link(1).get_attribute("title").unwrap().starts_with("xn--"),
        "{:?}",
        link(1).get_attribute("title")
    );
    root.remove();
}

#[wasm_bindgen_test]
fn code_out_of_view_is_plain_and_is_highlighted_in_view() {
    let observer = script("new IntersectionObserver(() => {})").unchecked_into();
    let (root, full) = (root(), self::root());
    let mut markdown_dom = MarkdownDom::new(root.clone(), Some(observer)).unwrap();
    let mut stream = MarkdownStream::default();
    let text = format!("> - quoted\n>\n>   ```rs\n>   fn a() {{}}\n>   ```\n\n{TEXT}\n```rs\nlet open");
    for chunk in text.as_bytes().chunks(5) {
        markdown_dom.grow(stream.grow(std::str::from_utf8(chunk).unwrap()));
    }
    let figures = root.query_selector_all("figure").unwrap();
    assert_eq!(figures.length(), 3);
    assert_eq!(root.query_selector_all("figure[data-plain] pre > code").unwrap().length(), 3);
    assert_eq!(root.query_selector_all("code span, figure button").unwrap().length(), 0);
    let (mut all, mut again) = (self::markdown_dom(&full), MarkdownStream::default());
    all.grow(again.grow(&text));
    let texts = |root: &Element| {
        let codes = root.query_selector_all("pre > code").unwrap();
        (0..codes.length()).map(|index| codes.item(index).unwrap().text_content()).collect::<Vec<_>>()
    };
    assert_eq!(texts(&root), texts(&full));
    for index in 0..figures.length() {
        markdown_dom.highlight(figures.item(index).unwrap().unchecked_ref());
    }
    assert_eq!(root.inner_html(), full.inner_html());
    // Highlighted code streams on as such.
    markdown_dom.grow(stream.grow(" = 1;\n"));
    all.grow(again.grow(" = 1;\n"));
    assert_eq!(root.inner_html(), full.inner_html());
    for index in 0..figures.length() {
        markdown_dom.strip(figures.item(index).unwrap().unchecked_ref());
    }
    assert_eq!(root.query_selector_all("code span, figure button").unwrap().length(), 0);
    assert_eq!(texts(&root), texts(&full));
    // Code that streams out of view is highlighted when it comes into view.
    markdown_dom.grow(stream.grow("let more = 2;\n"));
    all.grow(again.grow("let more = 2;\n"));
    assert_eq!(texts(&root), texts(&full));
    for index in 0..figures.length() {
        markdown_dom.highlight(figures.item(index).unwrap().unchecked_ref());
    }
    assert_eq!(root.inner_html(), full.inner_html());
    root.remove();
    full.remove();
}

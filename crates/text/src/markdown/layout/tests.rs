use super::*;
use crate::markdown::read;

#[test]
fn name_is_found_in_the_fence_or_the_first_line() {
    for (info, text, name) in [
        ("rust src/main.rs", "", Some("src/main.rs")),
        ("js title=\"app.js\"", "", Some("app.js")),
        ("rust:src/lib.rs", "", Some("src/lib.rs")),
        ("rust", "// src/main.rs\nfn main() {}", Some("src/main.rs")),
        ("html", "<!-- index.html -->\n<p>", Some("index.html")),
        ("python", "# this is a comment.\nx = 1", None),
        ("rust,no_run", "fn main() {}", None),
        ("sh", "# ../../etc/passwd.txt", None),
    ] {
        assert_eq!(name_of(info, text).as_deref(), name, "{info} {text}");
    }
}

#[test]
fn list_has_the_direction_of_its_first_text() {
    for (text, expected) in [
        ("- \u{634}\u{643}\u{631}\u{627}\n- two", "rtl"),
        ("- one\n- \u{5e9}\u{5dc}\u{5d5}\u{5dd}", "ltr"),
        // Items of blocks, which have a direction of their own.
        ("1. \u{5e9}\u{5dc}\u{5d5}\u{5dd}\n\n2. two", "rtl"),
        ("- [x] \u{5e9}\u{5dc}\u{5d5}\u{5dd}", "rtl"),
        ("- `code` \u{5e9}\u{5dc}\u{5d5}\u{5dd}", "rtl"),
        ("- 12", "auto"),
        ("> \u{5e9}\u{5dc}\u{5d5}\u{5dd}", "rtl"),
        ("> [!NOTE]\n> \u{5e9}\u{5dc}\u{5d5}\u{5dd}", "rtl"),
    ] {
        let nodes = read(text).nodes;
        let Some(Node::Element(list)) = nodes.first() else { panic!("{text}") };
        assert_eq!(list.value(Attribute::Direction), Some(expected), "{text}");
        let items = list.children.iter().filter_map(|node| match node {
            Node::Element(item) if item.tag == Tag::Item => Some(item),
            Node::Element(_) | Node::Text(_) => None,
        });
        for item in items {
            assert_eq!(
                item.value(Attribute::Direction),
                None,
                "the marker is where the list has room for it"
            );
        }
    }
    let notes = read("A[^1]\n\n[^1]: \u{5e9}\u{5dc}\u{5d5}\u{5dd}").nodes;
    let Some(Node::Element(section)) = notes.last() else { panic!("no footnotes") };
    let Some(Node::Element(list)) = section.children.first() else { panic!("no list") };
    assert_eq!(list.value(Attribute::Direction), Some("rtl"));
}

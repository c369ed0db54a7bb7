//! Tests of texts that try to run code: only allowed elements and URLs result.

use nexus_text::invisible::reveal;
use nexus_text::links::{SCHEMES, image_in};
use nexus_text::markdown::page::{Attribute, Element, Node, Tag};
use nexus_text::markdown::read;

use crate::corpus::vectors::{all, places};

fn check(node: &Node, from: &str) {
    let Node::Element(element) = node else { return };
    for (name, value) in &element.attributes {
        match name {
            Attribute::Address => {
                let scheme = value.split(':').next().unwrap().to_lowercase() + ":";
                assert!(SCHEMES.contains(&scheme.as_str()), "{value:?} of {from:?}");
                assert!(!value.chars().any(|c| matches!(c, '\n' | '\t' | '\r')), "{value:?}");
                assert_eq!(element.tag, Tag::Link);
                opens_apart(element);
            }
            Attribute::Source => {
                assert_eq!(element.tag, Tag::Image);
                assert!(image_in(value, usize::MAX).is_some(), "{value:?} of {from:?}");
            }
            name => assert!(!name.name().starts_with("on") && name.name() != "style"),
        }
    }
    element.children.iter().for_each(|child| check(child, from));
}

fn opens_apart(link: &Element) {
    assert_eq!(link.value(Attribute::Target), Some("_blank"));
    assert_eq!(link.value(Attribute::Relation), Some("noopener noreferrer nofollow"));
}

#[test]
fn vectors_become_allowed_elements_only() {
    let vectors = all();
    println!("{} vectors", vectors.len());
    for vector in &vectors {
        for text in places(vector) {
            read(&text).nodes.iter().for_each(|node| check(node, &text));
        }
    }
}

/// The text of the first element of this tag.
fn text_in(nodes: &[Node], tag: Tag) -> Option<String> {
    nodes.iter().find_map(|node| match node {
        Node::Element(element) if element.tag == tag => {
            Some(element.children.iter().map(Node::words).collect())
        }
        Node::Element(element) => text_in(&element.children, tag),
        Node::Text(_) => None,
    })
}

#[test]
fn a_vector_in_code_is_unchanged_except_invisible_characters() {
    let squeezed = |text: &str| text.split_whitespace().collect::<String>();
    for vector in &all() {
        let nodes = read(&format!("~~~~~~\n{vector}\n~~~~~~")).nodes;
        let shown = text_in(&nodes, Tag::Preformatted).unwrap();
        let wanted = reveal(&vector.replace("\r\n", "\n").replace('\0', "\u{fffd}"));
        assert_eq!(squeezed(&shown), squeezed(&wanted), "{vector:?}");
    }
}

#[test]
fn the_allowed_lists_contain_nothing_executable() {
    let banned = [
        "script",
        "iframe",
        "object",
        "embed",
        "form",
        "input",
        "style",
        "link",
        "meta",
        "base",
        "svg",
        "video",
        "audio",
        "source",
        "template",
        "annotation-xml",
        "maction",
        "mglyph",
    ];
    assert!(!Tag::ALL.iter().any(|tag| banned.contains(&tag.name())));
    let banned = [
        "style",
        "srcdoc",
        "srcset",
        "action",
        "formaction",
        "xlink:href",
        "id",
        "name",
        "ping",
        "background",
    ];
    assert!(
        !Attribute::ALL.iter().any(|name| banned.contains(&name.name()) || name.name().starts_with("on"))
    );
}

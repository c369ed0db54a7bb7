//! Tests of texts that try to run code: only allowed elements and URLs result.

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

#[test]
fn a_vector_stays_readable() {
    for vector in all().iter().filter(|vector| !vector.trim().is_empty()) {
        let shown: String = read(&format!("```\n{vector}\n```")).nodes.iter().map(Node::words).collect();
        let first: String = vector.chars().take_while(|c| c.is_ascii_graphic() && *c != '`').collect();
        assert!(shown.contains(&first), "{vector:?} shows as {shown:?}");
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

//! Text that was written to make pages run it: nothing but listed elements, and no address off the list.

use nexus::domain::text::links::{SCHEMES, image_in};
use nexus::domain::text::markdown::page::{Attribute, Element, Node, Tag};
use nexus::domain::text::markdown::read;

use crate::cases::file;

/// The hostile texts of others, and some of our own.
pub(crate) fn vectors() -> Vec<String> {
    let own = [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        "\u{1}javascript:alert(1)",
        "data:text/html;base64,PHNjcmlwdD4=",
        "data:image/svg+xml;base64,PHN2Zy8+",
        "vbscript:x",
        "https://a.example\" onclick=\"alert(1)",
        "<img src=x onerror=alert(1)>",
        "<svg onload=alert(1)>",
        "&#106;avascript:alert(1)",
        "blob:https://a.example/1",
        "//a.example/x",
        "\\\\a.example\\x",
        "x:javascript:alert(1)",
    ];
    let mut all: Vec<String> = own.map(str::to_owned).to_vec();
    for (name, key) in [("dompurify-xss-fixtures.json", Some("payload")), ("blns.json", None)] {
        let Some(found) = file(name) else { continue };
        let text =
            |entry: &serde_json::Value| key.map_or(entry, |key| &entry[key]).as_str().map(str::to_owned);
        all.extend(found.as_array().unwrap().iter().filter_map(text));
    }
    all
}

/// A vector in every place of a message that Markdown has.
pub(crate) fn places(vector: &str) -> Vec<String> {
    vec![
        vector.to_owned(),
        format!("[words]({vector})"),
        format!("[words](<{vector}>)"),
        format!("[words]({vector} \"{vector}\")"),
        format!("[words][r]\n\n[r]: {vector}"),
        format!("![words]({vector} '{vector}')"),
        format!("<{vector}>"),
        format!("```{vector}\n{vector}\n```"),
        format!("`{vector}`"),
        format!("| a |\n| - |\n| {vector} |"),
        format!("# {vector}"),
        format!("- [ ] {vector}"),
        format!("${vector}$ $$\\text{{{vector}}}$$"),
        format!("words[^1]\n\n[^1]: {vector}"),
        format!("> [!NOTE]\n> {vector}"),
    ]
}

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
fn no_vector_comes_to_more_than_listed_elements() {
    let vectors = vectors();
    println!("{} vectors", vectors.len());
    for vector in &vectors {
        for text in places(vector) {
            read(&text).nodes.iter().for_each(|node| check(node, &text));
        }
    }
}

#[test]
fn a_vector_stays_readable() {
    for vector in vectors().iter().filter(|vector| !vector.trim().is_empty()) {
        let shown: String = read(&format!("```\n{vector}\n```")).nodes.iter().map(Node::words).collect();
        let first: String = vector.chars().take_while(|c| c.is_ascii_graphic() && *c != '`').collect();
        assert!(shown.contains(&first), "{vector:?} shows as {shown:?}");
    }
}

#[test]
fn the_lists_hold_nothing_that_runs() {
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

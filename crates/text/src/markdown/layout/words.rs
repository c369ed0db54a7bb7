//! Lays out inline elements.
//!
//! Links only addresses with an allowed scheme, and never loads a remote image.

use crate::invisible::reveal;
use crate::limits::IMAGE_IN_TEXT_BYTES;
use crate::links::{allowed, deceives, host_of, image_in, is_laden};
use crate::markdown::page::{Attribute, Element, Node, Tag};
use crate::markdown::tree::{Inline, words_of};
use crate::math;

pub(super) fn inlines(words: &[Inline]) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(words.len());
    for word in words {
        push(inline(word), &mut nodes);
    }
    nodes
}

/// Adds a node; texts beside each other are one.
fn push(node: Node, nodes: &mut Vec<Node>) {
    match (nodes.last_mut(), node) {
        (Some(Node::Text(before)), Node::Text(text)) => before.push_str(&text),
        (_, node) => nodes.push(node),
    }
}

fn inline(word: &Inline) -> Node {
    let within = |tag: Tag, words: &[Inline]| Node::from(Element::new(tag).holding(inlines(words)));
    match word {
        Inline::Text(text) => Node::text(text.as_str()),
        Inline::Code(code) => {
            Element::new(Tag::Code).with(Attribute::Direction, "ltr").saying(reveal(code)).into()
        }
        Inline::Maths { tex, display } => formula(tex, *display),
        Inline::Emphasis(words) => within(Tag::Emphasis, words),
        Inline::Strong(words) => within(Tag::Strong, words),
        Inline::Struck(words) => within(Tag::Struck, words),
        Inline::Link { words, address, title } => link(words, address, title),
        Inline::Image { alt, address, .. } => image(&words_of(alt), address),
        Inline::Html(html) => Node::text(reveal(html)),
        Inline::Note(place) => mention(*place),
        Inline::SoftBreak => Node::text("\n"),
        Inline::Break => Element::new(Tag::Break).into(),
    }
}

/// A formula, with what was written for those who want to read it so.
fn formula(tex: &str, display: bool) -> Node {
    let tag = if display { "prose-maths prose-display" } else { "prose-maths" };
    Element::of(Tag::Span, tag)
        .with(Attribute::Title, reveal(tex))
        .with(Attribute::Direction, "ltr")
        .holding([math::set(tex, display)])
        .into()
}

fn mention(place: usize) -> Node {
    let number = (place + 1).to_string();
    let button = Element::of(Tag::Button, "prose-mention")
        .with(Attribute::Type, "button")
        .with(Attribute::Act, "note")
        .with(Attribute::Place, number.clone())
        .with(Attribute::Label, format!("Footnote {number}"))
        .saying(number);
    Element::new(Tag::Raised).holding([button.into()]).into()
}

/// A link where its scheme is on the list. Else the words, with the address beside them.
fn link(words: &[Inline], address: &str, title: &str) -> Node {
    let Some(good) = allowed(address) else {
        let same = words_of(words) == address;
        let words = Element::of(Tag::Span, "prose-refused").holding(inlines(words));
        return if same || address.is_empty() { words } else { words.holding(beside(address)) }.into();
    };
    let shown = words_of(words);
    let beside = if deceives(&shown, &good) { beside(host_of(&good).unwrap_or(&good)) } else { Vec::new() };
    // A browser can be told to open a link without a click; one that is asked about first has no address.
    let link = if is_laden(&good) {
        Element::of(Tag::Button, "prose-link")
            .with(Attribute::Type, "button")
            .with(Attribute::Act, "link-asked")
            .with(Attribute::Place, good.clone())
            .with(Attribute::Title, hint(&good, title))
    } else {
        opening(&good, title)
    };
    // A link within a link cannot be; an image in it only shows its name.
    let words = link.holding(inlines(&unlinked(words)));
    if beside.is_empty() {
        words.into()
    } else {
        Element::of(Tag::Span, "prose-deceives").holding([words.into()]).holding(beside).into()
    }
}

fn opening(address: &str, title: &str) -> Element {
    Element::of(Tag::Link, "prose-link")
        .with(Attribute::Address, address.to_owned())
        .with(Attribute::Target, "_blank")
        .with(Attribute::Relation, "noopener noreferrer nofollow")
        .with(Attribute::Title, hint(address, title))
}

/// What is said of an address when it is pointed at: its host first, for that is what counts.
fn hint(address: &str, title: &str) -> String {
    let host = reveal(host_of(address).unwrap_or_default());
    if title.is_empty() { host } else { format!("{host} · {}", reveal(title)) }
}

fn beside(address: &str) -> Vec<Node> {
    let address =
        Element::of(Tag::Span, "prose-address").with(Attribute::Direction, "ltr").saying(reveal(address));
    vec![Node::text(" "), address.into()]
}

fn unlinked(words: &[Inline]) -> Vec<Inline> {
    words
        .iter()
        .map(|word| match word {
            Inline::Image { alt, .. } => Inline::Text(format!("🖼 {}", words_of(alt))),
            Inline::Link { words, .. } => Inline::Text(words_of(words)),
            Inline::Emphasis(words) => Inline::Emphasis(unlinked(words)),
            Inline::Strong(words) => Inline::Strong(unlinked(words)),
            Inline::Struck(words) => Inline::Struck(unlinked(words)),
            Inline::Note(place) => Inline::Text(format!("[{}]", place + 1)),
            Inline::Text(_)
            | Inline::Code(_)
            | Inline::Maths { .. }
            | Inline::Html(_)
            | Inline::SoftBreak
            | Inline::Break => word.clone(),
        })
        .collect()
}

/// An image that is written out is shown. One from elsewhere is named, with its host: to load it would tell that host
/// who reads this, and when.
fn image(alt: &str, address: &str) -> Node {
    if image_in(address, IMAGE_IN_TEXT_BYTES).is_some() {
        return Element::of(Tag::Image, "prose-picture")
            .with(Attribute::Source, address.to_owned())
            .with(Attribute::Alt, alt.to_owned())
            .into();
    }
    let alt = if alt.is_empty() { "Image".to_owned() } else { reveal(alt) };
    let name = Element::of(Tag::Span, "prose-alt").saying(format!("🖼 {alt}"));
    let placeholder = Element::of(Tag::Span, "prose-image").with(Attribute::Test, "remote-image");
    match allowed(address).filter(|address| !address.to_ascii_lowercase().starts_with("mailto:")) {
        Some(good) => {
            let host = reveal(host_of(&good).unwrap_or_default());
            let from = Element::of(Tag::Span, "prose-address").with(Attribute::Direction, "ltr").saying(host);
            let open = link(&[Inline::Text("Open in a new tab".to_owned())], &good, "");
            placeholder.holding([name.into(), from.into(), open]).into()
        }
        None => placeholder.holding([name.into()]).into(),
    }
}

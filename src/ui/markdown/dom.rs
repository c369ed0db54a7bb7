//! Mirrors a page's nodes into the DOM below one element and patches what changed.
//!
//! Creates only listed elements and attributes. Unchanged nodes are left alone, so that selections survive.

use web_sys::wasm_bindgen::JsCast as _;
use web_sys::{CharacterData, Document, Element as DomElement, Node as DomNode, Url};

use nexus_text::links::SCHEMES;
use nexus_text::markdown::page::{Attribute, Element, Node};
use nexus_text::markdown::stream::StreamUpdate;

/// The name space of MathML.
const MATHS: &str = "http://www.w3.org/1998/Math/MathML";

/// What stands in an element.
pub struct MarkdownDom {
    root: DomElement,
    /// What stood in the element before, such as a mark of a component: ours stands in front of it.
    end: Option<DomNode>,
    document: Document,
    finished: Vec<Node>,
    open: Vec<Node>,
}

impl MarkdownDom {
    /// A sheet in an element; `None` where the element is in no document.
    pub fn new(root: DomElement) -> Option<Self> {
        let document = root.owner_document()?;
        let end = root.first_child();
        Some(Self { root, end, document, finished: Vec::new(), open: Vec::new() })
    }

    /// Whether nothing stands on it.
    pub fn is_empty(&self) -> bool {
        self.finished.is_empty() && self.open.is_empty()
    }

    /// The blocks that are finished.
    pub fn finished(&self) -> &[Node] {
        &self.finished
    }

    /// Takes in what grew. Finished blocks are not looked at again.
    pub fn grow(&mut self, update: StreamUpdate) {
        let mut new = update.finished;
        let finished = new.len();
        new.extend(update.open);
        let first = self.first_open();
        patch(&self.document, &self.root, first, &self.open, &new);
        self.open = new.split_off(finished);
        self.finished.extend(new);
    }

    /// Shows these nodes and no others.
    pub fn show(&mut self, nodes: Vec<Node>) {
        let mut old = std::mem::take(&mut self.finished);
        old.append(&mut self.open);
        patch(&self.document, &self.root, self.root.first_child(), &old, &nodes);
        self.finished = nodes;
    }

    /// The node in the page of the first block that is open; where none is, what its place is in front of.
    fn first_open(&self) -> Option<DomNode> {
        let mut node = self.end.clone();
        for _ in &self.open {
            node = match node {
                Some(node) => node.previous_sibling(),
                None => self.root.last_child(),
            };
        }
        node
    }
}

/// Makes the children of `parent`, from `at` on, into `new`; they mirror `old`.
fn patch(document: &Document, parent: &DomElement, mut at: Option<DomNode>, old: &[Node], new: &[Node]) {
    for (place, wanted) in new.iter().enumerate() {
        let Some(there) = at else {
            append(document, parent, wanted);
            continue;
        };
        let Some(stands) = old.get(place) else {
            // What is not ours stands behind what is, such as what a component put there.
            if let Some(made) = make(document, wanted) {
                drop(parent.insert_before(&made, Some(&there)));
            }
            at = Some(there);
            continue;
        };
        let next = there.next_sibling();
        if stands != wanted && !change(document, &there, stands, wanted) {
            match make(document, wanted) {
                Some(made) => drop(parent.replace_child(&made, &there)),
                None => drop(parent.remove_child(&there)),
            }
        }
        at = next;
    }
    for _ in new.len()..old.len() {
        let Some(there) = at else { return };
        at = there.next_sibling();
        drop(parent.remove_child(&there));
    }
}

/// Turns a node into another by changing it, where that can be done.
fn change(document: &Document, there: &DomNode, old: &Node, new: &Node) -> bool {
    match (old, new) {
        (Node::Text(old), Node::Text(new)) => {
            let Some(text) = there.dyn_ref::<CharacterData>() else { return false };
            match new.strip_prefix(old.as_str()) {
                Some(added) => text.append_data(added).is_ok(),
                None => {
                    text.set_data(new);
                    true
                }
            }
        }
        (Node::Element(old), Node::Element(new)) if old.tag == new.tag => {
            let Some(element) = there.dyn_ref::<DomElement>() else { return false };
            if old.attributes != new.attributes {
                for (name, _) in &old.attributes {
                    if new.value(*name).is_none() {
                        drop(element.remove_attribute(name.name()));
                    }
                }
                dress(element, new, Some(old));
            }
            patch(document, element, element.first_child(), &old.children, &new.children);
            true
        }
        (Node::Text(_) | Node::Element(_), Node::Text(_) | Node::Element(_)) => false,
    }
}

fn append(document: &Document, parent: &DomElement, node: &Node) {
    if let Some(made) = make(document, node) {
        // A node that was just made can stand anywhere.
        drop(parent.append_child(&made));
    }
}

fn make(document: &Document, node: &Node) -> Option<DomNode> {
    let element = match node {
        Node::Text(text) => return Some(document.create_text_node(text).unchecked_into()),
        Node::Element(element) => element,
    };
    let tag = element.tag;
    let made = if tag.is_maths() {
        document.create_element_ns(Some(MATHS), tag.name())
    } else {
        document.create_element(tag.name())
    };
    let made = made.ok()?;
    dress(&made, element, None);
    for child in &element.children {
        append(document, &made, child);
    }
    Some(made.unchecked_into())
}

/// Gives an element its attributes, but those that it has already.
fn dress(element: &DomElement, wanted: &Element, old: Option<&Element>) {
    for (name, value) in &wanted.attributes {
        if old.is_some_and(|old| old.value(*name) == Some(value)) {
            continue;
        }
        if *name == Attribute::Address {
            link(element, value);
        } else if *name == Attribute::Title {
            hint(element, value, wanted.value(Attribute::Address));
        } else if *name != Attribute::Source || value.starts_with("data:image/") {
            // The names are ours and valid.
            drop(element.set_attribute(name.name(), value));
        }
    }
}

/// Makes an element open an address, where the browser reads it as one that is on the list. Without an address a link
/// is words like others.
fn link(element: &DomElement, address: &str) {
    let Ok(url) = Url::new(address) else { return };
    if SCHEMES.contains(&url.protocol().as_str()) {
        drop(element.set_attribute(Attribute::Address.name(), &url.href()));
    }
}

/// What is said of a link when it is pointed at. The browser's word for the host stands first: it is in letters in
/// which no other host can be written.
fn hint(element: &DomElement, said: &str, address: Option<&str>) {
    let host = address.and_then(|address| Url::new(address).ok()).map(|url| url.host()).unwrap_or_default();
    let is_said = host.is_empty() || said.starts_with(&host);
    let hint = if is_said { said.to_owned() } else { format!("{host} · {said}") };
    drop(element.set_attribute(Attribute::Title.name(), &hint));
}

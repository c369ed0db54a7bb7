//! Mirrors a page's nodes into the DOM below one element and patches what changed.
//!
//! Creates only listed elements and attributes. Unchanged nodes are left alone, so that selections survive. Code that
//! is out of sight stands as one text, since its colours are more nodes than all else.

use web_sys::wasm_bindgen::JsCast as _;
use web_sys::{CharacterData, Document, Element as DomElement, IntersectionObserver, Node as DomNode, Url};

use nexus_text::links::SCHEMES;
use nexus_text::markdown::layout::plain_code;
use nexus_text::markdown::page::{Attribute, Element, Node};
use nexus_text::markdown::stream::StreamUpdate;

/// The name space of MathML.
const MATHS: &str = "http://www.w3.org/1998/Math/MathML";

pub struct MarkdownDom {
    root: DomElement,
    /// What stood in the element before, such as a mark of a component: ours stands in front of it.
    end: Option<DomNode>,
    maker: NodeMaker,
    finished: Vec<Node>,
    open: Vec<Node>,
}

/// Makes and changes nodes of the page.
struct NodeMaker {
    document: Document,
    /// Tells when a block of code comes near, or leaves. Without it all code has its colours at once.
    sight: Option<IntersectionObserver>,
}

impl MarkdownDom {
    /// A sheet in an element; `None` where the element is in no document. Whoever gives `sight` calls
    /// [`dress`](Self::dress) and [`undress`](Self::undress) with what it tells.
    pub fn new(root: DomElement, sight: Option<IntersectionObserver>) -> Option<Self> {
        let maker = NodeMaker { document: root.owner_document()?, sight };
        let end = root.first_child();
        Some(Self { root, end, maker, finished: Vec::new(), open: Vec::new() })
    }

    pub fn dress(&self, figure: &DomElement) {
        if let Some((plain, full)) = self.code_of(figure).filter(|_| is_plain(figure)) {
            self.maker.alter(figure, &plain, full);
        }
    }

    /// Removes the colours and buttons of a block of code, and with them most of its nodes.
    pub fn undress(&self, figure: &DomElement) {
        if let Some((plain, full)) = self.code_of(figure).filter(|_| !is_plain(figure)) {
            self.maker.alter(figure, full, &plain);
        }
    }

    /// A block of code without its colours and buttons, and with them.
    fn code_of(&self, figure: &DomElement) -> Option<(Element, &Element)> {
        let Node::Element(full) = self.node_of(figure)? else { return None };
        Some((plain_code(full)?, full))
    }

    /// What an element of the page mirrors.
    fn node_of(&self, element: &DomElement) -> Option<&Node> {
        let (mut way, mut at) = (Vec::new(), DomNode::clone(element));
        while !at.is_same_node(Some(&self.root)) {
            way.push(std::iter::successors(at.previous_sibling(), DomNode::previous_sibling).count());
            at = at.parent_node()?;
        }
        let place = way.pop()?;
        let first = self.finished.iter().chain(&self.open).nth(place)?;
        way.iter().rev().try_fold(first, |node, place| match node {
            Node::Element(element) => element.children.get(*place),
            Node::Text(_) => None,
        })
    }

    pub fn is_empty(&self) -> bool {
        self.finished.is_empty() && self.open.is_empty()
    }

    pub fn finished(&self) -> &[Node] {
        &self.finished
    }

    /// Takes in what grew. Finished blocks are not looked at again.
    pub fn grow(&mut self, update: StreamUpdate) {
        let mut new = update.finished;
        let finished = new.len();
        new.extend(update.open);
        let first = self.first_open();
        self.maker.patch(&self.root, first, &self.open, &new);
        self.open = new.split_off(finished);
        self.finished.extend(new);
    }

    pub fn show(&mut self, nodes: Vec<Node>) {
        let mut old = std::mem::take(&mut self.finished);
        old.append(&mut self.open);
        self.maker.patch(&self.root, self.root.first_child(), &old, &nodes);
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

impl NodeMaker {
    /// Makes the children of `parent`, from `at` on, into `new`; they mirror `old`.
    fn patch(&self, parent: &DomElement, mut at: Option<DomNode>, old: &[Node], new: &[Node]) {
        for (place, wanted) in new.iter().enumerate() {
            let Some(there) = at else {
                self.append(parent, wanted);
                continue;
            };
            let Some(stands) = old.get(place) else {
                // What is not ours stands behind what is, such as what a component put there.
                if let Some(made) = self.make(wanted) {
                    drop(parent.insert_before(&made, Some(&there)));
                }
                at = Some(there);
                continue;
            };
            let next = there.next_sibling();
            if stands != wanted && !self.change(&there, stands, wanted) {
                match self.make(wanted) {
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
    fn change(&self, there: &DomNode, old: &Node, new: &Node) -> bool {
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
                match plain_code(old).filter(|_| is_plain(element)) {
                    Some(old) => self.alter(element, &old, plain_code(new).as_ref().unwrap_or(new)),
                    None => self.alter(element, old, new),
                }
                true
            }
            (Node::Text(_) | Node::Element(_), Node::Text(_) | Node::Element(_)) => false,
        }
    }

    /// Turns an element into another with the same tag.
    fn alter(&self, element: &DomElement, old: &Element, new: &Element) {
        if old.attributes != new.attributes {
            for (name, _) in &old.attributes {
                if new.value(*name).is_none() {
                    drop(element.remove_attribute(name.name()));
                }
            }
            dress(element, new, Some(old));
        }
        self.patch(element, element.first_child(), &old.children, &new.children);
    }

    fn append(&self, parent: &DomElement, node: &Node) {
        if let Some(made) = self.make(node) {
            // A node that was just made can stand anywhere.
            drop(parent.append_child(&made));
        }
    }

    fn make(&self, node: &Node) -> Option<DomNode> {
        let element = match node {
            Node::Text(text) => return Some(self.document.create_text_node(text).unchecked_into()),
            Node::Element(element) => element,
        };
        if let (Some(sight), Some(plain)) = (&self.sight, plain_code(element)) {
            let made = self.build(&plain)?;
            sight.observe(&made);
            return Some(made.into());
        }
        self.build(element).map(Into::into)
    }

    fn build(&self, element: &Element) -> Option<DomElement> {
        let tag = element.tag;
        let made = if tag.is_maths() {
            self.document.create_element_ns(Some(MATHS), tag.name())
        } else {
            self.document.create_element(tag.name())
        };
        let made = made.ok()?;
        dress(&made, element, None);
        for child in &element.children {
            self.append(&made, child);
        }
        Some(made)
    }
}

/// Whether a block of code stands without its colours and buttons.
fn is_plain(element: &DomElement) -> bool {
    element.has_attribute(Attribute::Plain.name())
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

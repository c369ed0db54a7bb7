//! Mirrors a tree of nodes into the DOM below one element and patches differences.
//!
//! Creates only listed elements and attributes. Unchanged nodes are kept, so that selections survive. Code out of view
//! is one text node, since highlighting takes more nodes than all else.

use web_sys::wasm_bindgen::JsCast as _;
use web_sys::{CharacterData, Document, Element as DomElement, IntersectionObserver, Node as DomNode, Url};

use nexus_text::links::SCHEMES;
use nexus_text::markdown::layout::plain_code;
use nexus_text::markdown::page::{Attribute, Element, Node};
use nexus_text::markdown::stream::StreamUpdate;

const MATHS: &str = "http://www.w3.org/1998/Math/MathML";

pub struct MarkdownDom {
    root: DomElement,
    /// An existing child, such as a component's placeholder: nodes are inserted before it.
    end: Option<DomNode>,
    maker: NodeMaker,
    finished: Vec<Node>,
    open: Vec<Node>,
}

struct NodeMaker {
    document: Document,
    /// Observes code blocks. Without it all code is highlighted at once.
    observer: Option<IntersectionObserver>,
}

impl MarkdownDom {
    /// The DOM of an element; `None` if the element has no document. With an observer, its callback must call
    /// [`highlight`](Self::highlight) and [`strip`](Self::strip).
    pub fn new(root: DomElement, observer: Option<IntersectionObserver>) -> Option<Self> {
        let maker = NodeMaker { document: root.owner_document()?, observer };
        let end = root.first_child();
        Some(Self { root, end, maker, finished: Vec::new(), open: Vec::new() })
    }

    pub fn highlight(&self, figure: &DomElement) {
        if let Some((plain, full)) = self.code_of(figure).filter(|_| is_plain(figure)) {
            self.maker.alter(figure, &plain, full);
        }
    }

    /// Removes highlighting and buttons of a code block, and with them most of its nodes.
    pub fn strip(&self, figure: &DomElement) {
        if let Some((plain, full)) = self.code_of(figure).filter(|_| !is_plain(figure)) {
            self.maker.alter(figure, full, &plain);
        }
    }

    /// A code block without and with its highlighting and buttons.
    fn code_of(&self, figure: &DomElement) -> Option<(Element, &Element)> {
        let Node::Element(full) = self.node_of(figure)? else { return None };
        Some((plain_code(full)?, full))
    }

    /// The node that a DOM element mirrors.
    fn node_of(&self, element: &DomElement) -> Option<&Node> {
        let (mut path, mut at) = (Vec::new(), DomNode::clone(element));
        while !at.is_same_node(Some(&self.root)) {
            path.push(std::iter::successors(at.previous_sibling(), DomNode::previous_sibling).count());
            at = at.parent_node()?;
        }
        let place = path.pop()?;
        let first = self.finished.iter().chain(&self.open).nth(place)?;
        path.iter().rev().try_fold(first, |node, place| match node {
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

    /// Adds streamed blocks. Finished blocks are not patched again.
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

    /// The DOM node of the first open block; without one, the node to insert before.
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
    /// Patches the children of `parent`, from `at` on, from `old` to `new`.
    fn patch(&self, parent: &DomElement, mut at: Option<DomNode>, old: &[Node], new: &[Node]) {
        for (place, node) in new.iter().enumerate() {
            let Some(dom_node) = at else {
                self.append(parent, node);
                continue;
            };
            let Some(mirrored) = old.get(place) else {
                // Nodes that are not ours come after ours, such as those of a component.
                if let Some(made) = self.make(node) {
                    drop(parent.insert_before(&made, Some(&dom_node)));
                }
                at = Some(dom_node);
                continue;
            };
            let next = dom_node.next_sibling();
            if mirrored != node && !self.try_patch(&dom_node, mirrored, node) {
                match self.make(node) {
                    Some(made) => drop(parent.replace_child(&made, &dom_node)),
                    None => drop(parent.remove_child(&dom_node)),
                }
            }
            at = next;
        }
        for _ in new.len()..old.len() {
            let Some(dom_node) = at else { return };
            at = dom_node.next_sibling();
            drop(parent.remove_child(&dom_node));
        }
    }

    fn try_patch(&self, there: &DomNode, old: &Node, new: &Node) -> bool {
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

    /// Patches an element into another with the same tag.
    fn alter(&self, element: &DomElement, old: &Element, new: &Element) {
        if old.attributes != new.attributes {
            for (name, _) in &old.attributes {
                if new.value(*name).is_none() {
                    drop(element.remove_attribute(name.name()));
                }
            }
            set_attributes(element, new, Some(old));
        }
        self.patch(element, element.first_child(), &old.children, &new.children);
    }

    fn append(&self, parent: &DomElement, node: &Node) {
        if let Some(made) = self.make(node) {
            // A new node can be appended anywhere.
            drop(parent.append_child(&made));
        }
    }

    fn make(&self, node: &Node) -> Option<DomNode> {
        let element = match node {
            Node::Text(text) => return Some(self.document.create_text_node(text).unchecked_into()),
            Node::Element(element) => element,
        };
        if let (Some(observer), Some(plain)) = (&self.observer, plain_code(element)) {
            let made = self.build(&plain)?;
            observer.observe(&made);
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
        set_attributes(&made, element, None);
        for child in &element.children {
            self.append(&made, child);
        }
        Some(made)
    }
}

/// True if a code block is not highlighted.
fn is_plain(element: &DomElement) -> bool {
    element.has_attribute(Attribute::Plain.name())
}

fn set_attributes(element: &DomElement, wanted: &Element, old: Option<&Element>) {
    for (name, value) in &wanted.attributes {
        if old.is_some_and(|old| old.value(*name) == Some(value)) {
            continue;
        }
        if *name == Attribute::Address {
            set_link(element, value);
        } else if *name == Attribute::Title {
            set_tooltip(element, value, wanted.value(Attribute::Address));
        } else if *name != Attribute::Source || value.starts_with("data:image/") {
            // The names are ours and valid.
            drop(element.set_attribute(name.name(), value));
        }
    }
}

/// Sets a link's address if the browser parses it to an allowed scheme. Without an address a link is plain text.
fn set_link(element: &DomElement, address: &str) {
    let Ok(url) = Url::new(address) else { return };
    if SCHEMES.contains(&url.protocol().as_str()) {
        drop(element.set_attribute(Attribute::Address.name(), &url.href()));
    }
}

/// Sets a link's tooltip. The host comes first as the browser writes it, in punycode, so that no other host looks the
/// same.
fn set_tooltip(element: &DomElement, title: &str, address: Option<&str>) {
    let host = address.and_then(|address| Url::new(address).ok()).map(|url| url.host()).unwrap_or_default();
    let has_host = host.is_empty() || title.starts_with(&host);
    let tooltip = if has_host { title.to_owned() } else { format!("{host} · {title}") };
    drop(element.set_attribute(Attribute::Title.name(), &tooltip));
}

//! Creates the DOM nodes of markup and patches them: the one implementation for all elements.

use std::borrow::Cow;
use std::mem;

use leptos::prelude::*;
use leptos::reactive::effect::RenderEffect;
use leptos::reactive::graph::ToAnySubscriber as _;
use leptos::tachys::renderer::Rndr;
use leptos::wasm_bindgen::closure::Closure;
use leptos::wasm_bindgen::{JsCast, JsValue, intern};

use crate::ui::kit::selector::unsubscribe;

use super::{BoxedItem, Element, ErasedKey, Kind, Markup, Part, RowMaker, Scalar, Source};

const SVG: &str = "http://www.w3.org/2000/svg";

pub enum Mounted {
    Empty(web_sys::Node),
    Text(web_sys::Text, Cow<'static, str>),
    Element(Box<MountedElement>),
    /// The items, and a comment after them.
    List(Vec<Mounted>, web_sys::Node),
    Live(LiveMarkup),
    Component(Box<Mounted>),
    /// The rows, and a comment after them.
    Keyed(Vec<MountedRow>, web_sys::Node),
    /// A comment in place of what is elsewhere.
    Elsewhere(MountedElsewhere, web_sys::Node),
}

/// A row of a keyed list. Its content is dropped before its owner, whose signals it reads.
pub struct MountedRow {
    key: ErasedKey,
    content: Mounted,
    #[expect(dead_code, reason = "dropping it disposes what the row owns")]
    owner: Owner,
}

/// Markup in another element, which is removed on drop: that element may outlive this one.
pub struct MountedElsewhere(Box<Mounted>);

impl Drop for MountedElsewhere {
    fn drop(&mut self) {
        self.0.unmount();
    }
}

/// Reactive markup. Dropping it drops its content at once: the effect's task, which owns it too, ends later, and
/// pending effects inside would read signals of a disposed owner.
pub struct LiveMarkup(RenderEffect<Mounted>);

impl Drop for LiveMarkup {
    fn drop(&mut self) {
        unsubscribe(&self.0.to_any_subscriber());
        drop(self.0.take_value());
    }
}

struct LiveValue(RenderEffect<Scalar>);

impl Drop for LiveValue {
    fn drop(&mut self) {
        unsubscribe(&self.0.to_any_subscriber());
    }
}

pub struct MountedElement {
    tag: &'static str,
    node: web_sys::Element,
    fixed: &'static [(&'static str, &'static str)],
    parts: Vec<MountedPart>,
    children: Vec<Mounted>,
}

enum MountedPart {
    Fixed(Kind, &'static str, Scalar),
    Live(Kind, &'static str, LiveValue),
    /// Held, because dropping it removes the listener.
    #[expect(dead_code, reason = "dropping it is its use")]
    Listener(Attached),
}

/// A listener, removed on drop.
struct Attached {
    name: &'static str,
    node: web_sys::Element,
    listener: Closure<dyn FnMut(web_sys::Event)>,
}

impl Drop for Attached {
    fn drop(&mut self) {
        let listener = self.listener.as_ref().unchecked_ref();
        drop(self.node.remove_event_listener_with_callback(intern(self.name), listener));
    }
}

fn comment() -> web_sys::Node {
    Rndr::create_placeholder().unchecked_into()
}

fn insert_before(sibling: &web_sys::Node, child: &mut dyn Mountable) -> bool {
    let Some(parent) = sibling.parent_node() else { return false };
    child.mount(parent.unchecked_ref(), Some(sibling));
    true
}

fn remove(node: &web_sys::Node) {
    if let Some(parent) = node.parent_node() {
        drop(parent.remove_child(node));
    }
}

impl Render for Markup {
    type State = Mounted;

    fn build(self) -> Mounted {
        match self {
            Self::Empty => Mounted::Empty(comment()),
            Self::Text(text) => Mounted::Text(Rndr::create_text_node(&text), text),
            Self::Element(element) => Mounted::Element(Box::new(element.build())),
            Self::List(items) => Mounted::List(items.into_iter().map(Self::build).collect(), comment()),
            Self::Live(mut compute) => {
                Mounted::Live(LiveMarkup(RenderEffect::new(move |before: Option<Mounted>| {
                    let now = compute.run_mut(());
                    match before {
                        Some(mut mounted) => {
                            now.rebuild(&mut mounted);
                            mounted
                        }
                        None => now.build(),
                    }
                })))
            }
            Self::Component(drawn) => Mounted::Component(Box::new(drawn.build())),
            Self::Keyed(items, list) => {
                let mut rows = Vec::new();
                let end = comment();
                rebuild_rows(items, &list, &mut rows, &end);
                Mounted::Keyed(rows, end)
            }
            Self::Elsewhere(place, markup) => {
                let mut content = markup.build();
                content.mount(&place, None);
                Mounted::Elsewhere(MountedElsewhere(Box::new(content)), comment())
            }
        }
    }

    fn rebuild(self, mounted: &mut Mounted) {
        match (self, mounted) {
            (Self::Empty, Mounted::Empty(_)) => {}
            (Self::Text(text), Mounted::Text(node, before)) => {
                if text != *before {
                    node.set_data(&text);
                    *before = text;
                }
            }
            (Self::Element(element), Mounted::Element(before)) if element.tag == before.tag => {
                before.patch(*element);
            }
            (Self::List(items), Mounted::List(before, end)) => rebuild_list(items, before, Err(end)),
            (Self::Component(drawn), Mounted::Component(before)) => drawn.rebuild(before),
            (Self::Keyed(items, list), Mounted::Keyed(rows, end)) => rebuild_rows(items, &list, rows, end),
            // Reactive markup is rebuilt: the signals that it read may be disposed.
            (other, mounted) => {
                let mut new = other.build();
                mounted.insert_before_this(&mut new);
                mounted.unmount();
                *mounted = new;
            }
        }
    }
}

/// Patches a list in place. New items are appended to the parent, or inserted before the list's end node.
fn rebuild_list(
    items: Vec<Markup>,
    mounted: &mut Vec<Mounted>,
    place: Result<&web_sys::Element, &web_sys::Node>,
) {
    for mut removed in mounted.drain(items.len().min(mounted.len())..) {
        removed.unmount();
    }
    let mut items = items.into_iter();
    for (before, item) in mounted.iter_mut().zip(items.by_ref()) {
        item.rebuild(before);
    }
    for item in items {
        let mut new = item.build();
        match place {
            Ok(parent) => new.mount(parent, None),
            Err(end) => drop(insert_before(end, &mut new)),
        }
        mounted.push(new);
    }
}

/// Brings the rows to the order of their items. Rows of new items are drawn; of the others as few as possible move,
/// because an element that moves loses its focus, and an iframe its page.
fn rebuild_rows(items: Vec<BoxedItem>, list: &RowMaker, rows: &mut Vec<MountedRow>, end: &web_sys::Node) {
    let mut before: Vec<Option<MountedRow>> = mem::take(rows).into_iter().map(Some).collect();
    let mut places = Vec::with_capacity(items.len());
    let mut next = 0;
    for item in items {
        let key = list.key.run(&*item);
        let is_same = |row: &Option<MountedRow>| row.as_ref().is_some_and(|row| key.is(&*row.key));
        // Mostly the row after the one before.
        let found = (next..before.len()).chain(0..next).find(|at| before.get(*at).is_some_and(is_same));
        let kept = found.and_then(|at| before.get_mut(at)?.take());
        places.push(found);
        rows.push(kept.unwrap_or_else(|| {
            let owner = list.owner.with(Owner::new);
            let content = owner.with(|| list.row.run(item).build());
            MountedRow { key, content, owner }
        }));
        next = found.map_or(next, |at| at + 1);
    }
    for mut removed in before.into_iter().flatten() {
        removed.content.unmount();
    }
    let stays = staying(&places);
    for at in 0..rows.len() {
        let (row, later) = rows.split_at_mut(at + 1);
        let Some(row) = row.last_mut().filter(|_| stays.get(at) == Some(&false)) else { continue };
        let next = later.iter().zip(stays.iter().skip(at + 1)).find(|(_, stays)| **stays);
        match next {
            Some((next, _)) => next.content.insert_before_this(&mut row.content),
            None => insert_before(end, &mut row.content),
        };
    }
}

/// For each place, whether it is in a longest rising sequence of places. The new ones, `None`, are not.
fn staying(places: &[Option<usize>]) -> Vec<bool> {
    // For each length, the index of the sequence with the smallest last place; and each index's predecessor.
    let mut ends: Vec<usize> = Vec::new();
    let mut previous = vec![None; places.len()];
    for (at, place) in places.iter().enumerate() {
        if place.is_some() {
            let length = ends.partition_point(|end| places.get(*end) < Some(place));
            if let (Some(slot), Some(length)) = (previous.get_mut(at), length.checked_sub(1)) {
                *slot = ends.get(length).copied();
            }
            match ends.get_mut(length) {
                Some(end) => *end = at,
                None => ends.push(at),
            }
        }
    }
    let mut stays = vec![false; places.len()];
    let mut last = ends.last().copied();
    while let Some(at) = last {
        if let Some(stays) = stays.get_mut(at) {
            *stays = true;
        }
        last = previous.get(at).copied().flatten();
    }
    stays
}

impl Element {
    fn build(self) -> MountedElement {
        let node = Rndr::create_element(self.tag, self.svg.then_some(SVG));
        for (name, value) in self.fixed {
            set_attribute(&node, name, value);
        }
        let parts = self.parts.into_iter().filter_map(|part| part.build(&node, None)).collect();
        let children = self.children.into_iter().map(|child| {
            let mut child = child.build();
            child.mount(&node, None);
            child
        });
        let children = children.collect();
        MountedElement { tag: self.tag, node, fixed: self.fixed, parts, children }
    }
}

impl MountedElement {
    /// Patches it to another element of the same tag.
    fn patch(&mut self, element: Element) {
        let fixed = mem::replace(&mut self.fixed, element.fixed);
        if !std::ptr::eq(fixed, self.fixed) {
            for (name, _) in fixed {
                if !has(self.fixed, name) {
                    drop(self.node.remove_attribute(name));
                }
            }
            for pair in self.fixed {
                if !fixed.contains(pair) {
                    set_attribute(&self.node, pair.0, pair.1);
                }
            }
        }
        // Drops the old listeners at once.
        let mut before: Vec<_> =
            mem::take(&mut self.parts).into_iter().filter_map(MountedPart::value).collect();
        let parts = element.parts.into_iter().filter_map(|part| {
            let previous = part.key().and_then(|key| {
                let at = before.iter().position(|(kind, name, _)| (*kind, *name) == key)?;
                Some(before.swap_remove(at).2)
            });
            part.build(&self.node, previous)
        });
        self.parts = parts.collect();
        for (kind, name, previous) in before {
            if kind != Kind::Property && !(kind == Kind::Attribute && has(self.fixed, name)) {
                set(&self.node, kind, name, &Scalar::None, Some(&previous));
            }
        }
        rebuild_list(element.children, &mut self.children, Ok(&self.node));
    }
}

fn has(fixed: &[(&str, &str)], name: &str) -> bool {
    fixed.iter().any(|(other, _)| *other == name)
}

impl MountedPart {
    /// The rendered value, to compare the next one with.
    fn value(self) -> Option<(Kind, &'static str, Scalar)> {
        match self {
            Self::Fixed(kind, name, value) => Some((kind, name, value)),
            Self::Live(kind, name, effect) => Some((kind, name, effect.0.take_value()?)),
            Self::Listener(_) => None,
        }
    }
}

impl Part {
    fn key(&self) -> Option<(Kind, &'static str)> {
        match self {
            Self::Value(kind, name, _) => Some((*kind, name)),
            Self::Listener(..) | Self::Reference(_) => None,
        }
    }

    fn build(self, node: &web_sys::Element, previous: Option<Scalar>) -> Option<MountedPart> {
        match self {
            Self::Value(kind, name, Source::Fixed(value)) => {
                set(node, kind, name, &value, previous.as_ref());
                Some(MountedPart::Fixed(kind, name, value))
            }
            Self::Value(kind, name, Source::Live(mut compute)) => {
                let node = node.clone();
                let update = move |previous: Option<Scalar>| {
                    let value = resolve(compute.run_mut(()));
                    set(&node, kind, name, &value, previous.as_ref());
                    value
                };
                let effect = RenderEffect::new_with_value(update, previous);
                Some(MountedPart::Live(kind, name, LiveValue(effect)))
            }
            Self::Listener(name, listener) => {
                let mut listener = listener.take();
                let listener: Closure<dyn FnMut(web_sys::Event)> =
                    Closure::new(move |event| listener.run_mut(event));
                let function = listener.as_ref().unchecked_ref();
                drop(node.add_event_listener_with_callback(intern(name), function));
                Some(MountedPart::Listener(Attached { name, node: node.clone(), listener }))
            }
            Self::Reference(load) => {
                load(node);
                None
            }
        }
    }
}

fn resolve(mut source: Source) -> Scalar {
    loop {
        match source {
            Source::Fixed(value) => return value,
            Source::Live(mut compute) => source = compute.run_mut(()),
        }
    }
}

fn set_attribute(node: &web_sys::Element, name: &str, value: &str) {
    drop(node.set_attribute(intern(name), value));
}

fn set(node: &web_sys::Element, kind: Kind, name: &str, value: &Scalar, previous: Option<&Scalar>) {
    match kind {
        // Set each time, because the operator may have changed it.
        Kind::Property => Rndr::set_property_or_value(node, name, &property(value)),
        Kind::Attribute | Kind::Style if previous == Some(value) => {}
        Kind::Attribute => match value {
            Scalar::None | Scalar::Flag(false) => {
                if previous.is_some() {
                    drop(node.remove_attribute(name));
                }
            }
            Scalar::Flag(true) => set_attribute(node, name, ""),
            Scalar::Text(text) => set_attribute(node, name, text),
        },
        Kind::Style => {
            let style = node.unchecked_ref::<web_sys::HtmlElement>().style();
            match value {
                Scalar::Text(text) => drop(style.set_property(name, text)),
                Scalar::None | Scalar::Flag(_) => drop(style.remove_property(name)),
            }
        }
    }
}

fn property(value: &Scalar) -> JsValue {
    match value {
        Scalar::None => JsValue::UNDEFINED,
        Scalar::Flag(flag) => JsValue::from_bool(*flag),
        Scalar::Text(text) => JsValue::from_str(text),
    }
}

impl Mounted {
    /// Calls `act` with each of its nodes in order, until it returns true.
    fn any_node(&self, act: &mut dyn FnMut(&web_sys::Node) -> bool) -> bool {
        match self {
            Self::Empty(node) | Self::Elsewhere(_, node) => act(node),
            Self::Text(node, _) => act(node),
            Self::Element(element) => act(&element.node),
            Self::List(items, end) => items.iter().any(|item| item.any_node(act)) || act(end),
            Self::Live(LiveMarkup(effect)) => {
                effect.with_value_mut(|inner| inner.any_node(act)).unwrap_or_default()
            }
            Self::Component(drawn) => drawn.any_node(act),
            Self::Keyed(rows, end) => rows.iter().any(|row| row.content.any_node(act)) || act(end),
        }
    }
}

impl Mountable for Mounted {
    fn unmount(&mut self) {
        self.any_node(&mut |node| {
            remove(node);
            false
        });
    }

    fn mount(&mut self, parent: &web_sys::Element, marker: Option<&web_sys::Node>) {
        self.any_node(&mut |node| {
            Rndr::insert_node(parent, node, marker);
            false
        });
    }

    fn insert_before_this(&self, child: &mut dyn Mountable) -> bool {
        self.any_node(&mut |node| insert_before(node, child))
    }

    /// For attributes that Leptos sets from outside, which nothing does.
    fn elements(&self) -> Vec<web_sys::Element> {
        Vec::new()
    }
}

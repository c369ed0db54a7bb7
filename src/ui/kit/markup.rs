//! Markup as one type: elements, text, lists and reactive content; and references to elements, which `node_ref=`
//! fills.
//!
//! Leptos instantiates code for each element of `view!` and each of its attributes. Here an element is a tag, a table
//! of fixed attributes and lists of boxed values and children, so that code size does not grow with the number of
//! elements. `view!` (`nexus_markup`) generates the calls. Leptos compiles a reference for each kind of element, too;
//! here there is one, and the element is cast when it is read.

mod dom;
mod into;

use std::any::Any;
use std::borrow::Cow;
use std::marker::PhantomData;
use std::sync::Arc;

use leptos::html::ElementType;
use leptos::prelude::*;
use leptos::tachys::html::event::EventDescriptor;
use leptos::wasm_bindgen::JsCast;
use leptos::web_sys;
use send_wrapper::SendWrapper;

use crate::ui::kit::call::{Call, CallMut};
use crate::ui::kit::selector::{another_type, copy_handle, select};
use crate::ui::kit::signal::RwSignal;
use crate::ui::kit::stored::StoredValue;

pub use into::{IntoMarkup, IntoSource};
pub use nexus_markup::{component, view};

#[derive(Default)]
pub enum Markup {
    /// Nothing: a comment as placeholder.
    #[default]
    Empty,
    Text(Cow<'static, str>),
    Element(Box<Element>),
    List(Vec<Markup>),
    /// Recomputed when a signal that it read changes.
    Live(Box<dyn CallMut<(), Markup> + Send>),
    /// A component's markup. Its element is never reused for a plain one, because hooks may have changed it.
    Component(Box<Markup>),
    Keyed(Vec<BoxedItem>, Arc<RowMaker>),
    /// Markup in another element of the page.
    Elsewhere(SendWrapper<web_sys::Element>, Box<Markup>),
}

pub struct Element {
    tag: &'static str,
    svg: bool,
    fixed: &'static [(&'static str, &'static str)],
    parts: Vec<Part>,
    children: Vec<Markup>,
}

/// A named part of an element besides its fixed attributes.
enum Part {
    Value(Kind, &'static str, Source),
    Listener(&'static str, SendWrapper<Listener>),
    Reference(Box<dyn FnOnce(&web_sys::Element) + Send>),
}

/// An item of a keyed list, of any type.
pub type Item = dyn Any + Send;
pub type BoxedItem = Box<Item>;
pub type ErasedKey = Box<dyn DynKey>;

/// A key of any type. Equal only to keys of its own type.
pub trait DynKey: Any + Send + Sync {
    fn is(&self, other: &dyn Any) -> bool;
}

impl<K: PartialEq + Send + Sync + 'static> DynKey for K {
    fn is(&self, other: &dyn Any) -> bool {
        other.downcast_ref() == Some(self)
    }
}

/// How a keyed list names and draws its items.
pub struct RowMaker {
    /// Of the list: its rows outlive the run of the effect that made them.
    pub owner: Owner,
    pub key: Box<dyn for<'a> Call<&'a Item, ErasedKey> + Send + Sync>,
    pub row: Box<dyn Call<BoxedItem, Markup> + Send + Sync>,
}

type Listener = Box<dyn CallMut<web_sys::Event, ()>>;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Attribute,
    Property,
    Style,
}

pub enum Source {
    Fixed(Scalar),
    Live(Box<dyn CallMut<(), Source> + Send>),
}

/// The value of an attribute, a property or a style.
#[derive(Clone, PartialEq)]
pub enum Scalar {
    /// No attribute.
    None,
    /// An attribute without value, or none.
    Flag(bool),
    Text(Cow<'static, str>),
}

impl Element {
    pub fn new(tag: &'static str, fixed: &'static [(&'static str, &'static str)]) -> Box<Self> {
        Box::new(Self { tag, svg: false, fixed, parts: Vec::new(), children: Vec::new() })
    }

    pub fn svg(tag: &'static str, fixed: &'static [(&'static str, &'static str)]) -> Box<Self> {
        let mut element = Self::new(tag, fixed);
        element.svg = true;
        element
    }

    pub fn attribute(&mut self, name: &'static str, value: impl IntoSource) {
        self.value(Kind::Attribute, name, value.into_source());
    }

    pub fn property(&mut self, name: &'static str, value: impl IntoSource) {
        self.value(Kind::Property, name, value.into_source());
    }

    pub fn style(&mut self, name: &'static str, value: impl IntoSource) {
        self.value(Kind::Style, name, value.into_source());
    }

    #[inline(never)]
    fn value(&mut self, kind: Kind, name: &'static str, source: Source) {
        self.parts.push(Part::Value(kind, name, source));
    }

    /// Calls `listener` on each such event, under the current owner.
    pub fn on<E: EventDescriptor<EventType: JsCast>>(
        &mut self,
        name: &'static str,
        _: E,
        mut listener: impl FnMut(E::EventType) + 'static,
    ) {
        self.listen(name, Box::new(move |event: web_sys::Event| listener(event.unchecked_into())));
    }

    #[inline(never)]
    fn listen(&mut self, name: &'static str, mut listener: Listener) {
        let owner = Owner::current().unwrap_or_default();
        // A browser tells of the focus that a removed element had: by then what its component reads is disposed.
        let alive = matches!(name, "change" | "blur" | "focusout").then(|| StoredValue::new(()));
        let listener: Listener = Box::new(move |event: web_sys::Event| {
            if alive.is_some_and(|alive| alive.try_get_value().is_none()) {
                return;
            }
            #[cfg(debug_assertions)]
            let _zone = leptos::reactive::diagnostics::SpecialNonReactiveZone::enter();
            owner.with(|| listener.run_mut(event));
        });
        self.parts.push(Part::Listener(name, SendWrapper::new(listener)));
    }

    /// Loads the element into `reference` when it is created.
    pub fn reference<E: 'static>(&mut self, reference: NodeRef<E>) {
        self.parts.push(Part::Reference(Box::new(move |element| reference.load(element))));
    }

    pub fn child(&mut self, child: impl IntoMarkup) {
        self.append(child.into_markup());
    }

    #[inline(never)]
    fn append(&mut self, child: Markup) {
        self.children.push(child);
    }

    pub fn done(self: Box<Self>) -> Markup {
        Markup::Element(self)
    }
}

pub fn list(pieces: Vec<Markup>) -> Markup {
    Markup::List(pieces)
}

/// A list with one row per item of `each`, in order; a row is reused for an item of the same key.
pub fn keyed_list<T: Send + 'static, K: PartialEq + Send + Sync + 'static, N: IntoMarkup>(
    each: impl Fn() -> Vec<T> + Send + Sync + 'static,
    key: impl Fn(&T) -> K + Send + Sync + 'static,
    row: impl Fn(T) -> N + Send + Sync + 'static,
) -> Markup {
    let key = move |item: &Item| match item.downcast_ref() {
        Some(item) => Box::new(key(item)) as ErasedKey,
        None => another_type(),
    };
    let row = move |item: BoxedItem| item.downcast().ok().map(|item| row(*item)).into_markup();
    let rows =
        RowMaker { owner: Owner::current().unwrap_or_default(), key: Box::new(key), row: Box::new(row) };
    rows_of(Box::new(move |()| boxed(each())), Arc::new(rows))
}

fn rows_of(items: Box<dyn Call<(), Vec<BoxedItem>> + Send + Sync>, rows: Arc<RowMaker>) -> Markup {
    Markup::Live(Box::new(move |()| Markup::Keyed(items.run(()), Arc::clone(&rows))))
}

fn boxed<T: Send + 'static>(items: Vec<T>) -> Vec<BoxedItem> {
    items.into_iter().map(|item| Box::new(item) as BoxedItem).collect()
}

/// Implemented by `#[component]` for a struct of the function's parameters.
pub trait Component {
    fn draw(self) -> Markup;
}

/// Shows `markup` in `place`, elsewhere on the page.
pub fn elsewhere(place: web_sys::Element, markup: impl IntoMarkup) -> Markup {
    Markup::Elsewhere(SendWrapper::new(place), Box::new(markup.into_markup()))
}

/// `children` while `when` is true.
pub fn show<M: IntoMarkup>(
    when: impl Fn() -> bool + Send + Sync + 'static,
    children: impl Fn() -> M + Send + 'static,
) -> Markup {
    either(
        Box::new(move |()| when()),
        Box::new(move |()| children().into_markup()),
        Box::new(|()| Markup::Empty),
    )
}

/// `children` while `when` is true, else `fallback`.
pub fn show_or<M: IntoMarkup, N: IntoMarkup>(
    when: impl Fn() -> bool + Send + Sync + 'static,
    children: impl Fn() -> M + Send + 'static,
    fallback: impl Fn() -> N + Send + 'static,
) -> Markup {
    let fallback = Box::new(move |()| fallback().into_markup());
    either(Box::new(move |()| when()), Box::new(move |()| children().into_markup()), fallback)
}

type Piece = Box<dyn CallMut<(), Markup> + Send>;

fn either(when: Box<dyn Call<(), bool> + Send + Sync>, mut children: Piece, mut fallback: Piece) -> Markup {
    let when = select(move || when.run(()));
    Markup::Live(Box::new(move |()| if when.get() { children.run_mut(()) } else { fallback.run_mut(()) }))
}

/// A reference to an element of kind `E`, such as `leptos::html::Input`.
pub struct NodeRef<E>(RwSignal<Option<SendWrapper<web_sys::Element>>>, PhantomData<fn() -> E>);

copy_handle!(NodeRef<E>);

impl<E> Default for NodeRef<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> NodeRef<E> {
    pub fn new() -> Self {
        Self(RwSignal::new(None), PhantomData)
    }

    /// Fills the reference.
    pub fn load(self, element: &web_sys::Element) {
        self.0.set(Some(SendWrapper::new(element.clone())));
    }
}

impl<E: ElementType<Output: JsCast>> NodeRef<E> {
    /// The element, if it was created; subscribes.
    pub fn get(self) -> Option<E::Output> {
        let element = self.0.get()?;
        Some(element.take().unchecked_into())
    }

    /// Reads without subscribing. `None` also after the reference was disposed.
    pub fn get_untracked(self) -> Option<E::Output> {
        let element = self.0.try_with_untracked(Clone::clone)??;
        Some(element.take().unchecked_into())
    }
}

//! A dialog: shown when rendered, closed by Escape; the browser restores the focus. Modal, or a popover beside its
//! opener.
//!
//! `modal("dialog", "merge", close).label(words::MERGE).holding(view! { … })`

use std::rc::Rc;

use leptos::ev::Event;
use leptos::html::Dialog;

use crate::ui::hooks::dialog::{is_beside, is_popover_closed, use_modal, use_popover};
use crate::ui::kit::markup::{Element, IntoMarkup, IntoSource, Markup, NodeRef};

#[must_use]
pub struct Modal {
    element: Box<Element>,
    node: NodeRef<Dialog>,
    on_close: Rc<dyn Fn()>,
    opener: Option<String>,
}

/// A dialog with its test id. `on_close` is called on Escape and unmounts it.
pub fn modal(class: &'static str, test: &'static str, on_close: impl Fn() + 'static) -> Modal {
    let mut element = Element::new("dialog", &[]);
    element.attribute("class", class);
    element.attribute("data-testid", test);
    Modal { element, node: NodeRef::new(), on_close: Rc::new(on_close), opener: None }
}

impl Modal {
    /// Accessible name, if no title inside names it.
    pub fn label(self, label: impl IntoSource) -> Self {
        self.with("aria-label", label)
    }

    pub fn titled(self, id: &'static str) -> Self {
        self.with("aria-labelledby", id)
    }

    /// A popover beside the match of a selector instead of a modal dialog: the page behind it stays usable, and an
    /// outside click closes it.
    pub fn at(self, opener: impl Into<String>) -> Self {
        let on_close = Rc::clone(&self.on_close);
        let mut popover = self.with("popover", "auto");
        popover.opener = Some(opener.into());
        popover.element.on("toggle", leptos::ev::Custom::<Event>::new("toggle"), move |event| {
            if is_popover_closed(&event) {
                on_close();
            }
        });
        popover
    }

    /// An outside click closes it.
    pub fn beside(mut self) -> Self {
        let on_close = Rc::clone(&self.on_close);
        self.element.on("click", leptos::ev::click, move |event| {
            if is_beside(&event) {
                on_close();
            }
        });
        self
    }

    /// Gives access to the dialog's node.
    pub fn node(self, node: NodeRef<Dialog>) -> Self {
        Self { node, ..self }
    }

    pub fn with(mut self, name: &'static str, value: impl IntoSource) -> Self {
        self.element.attribute(name, value);
        self
    }

    pub fn with_children(mut self, children: impl IntoMarkup) -> Markup {
        match self.opener {
            Some(opener) => use_popover(self.node, opener),
            None => use_modal(self.node),
        }
        self.element.reference(self.node);
        let on_close = self.on_close;
        self.element.on("cancel", leptos::ev::Custom::<Event>::new("cancel"), move |event| {
            event.prevent_default();
            on_close();
        });
        self.element.child(children);
        self.element.done()
    }
}

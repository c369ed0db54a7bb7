//! A modal dialog: shown when it is drawn, left by Escape; the browser keeps the focus in it and gives it back.
//!
//! `modal("dialog", "merge", close).label(words::MERGE).holding(view! { … })`

use std::rc::Rc;

use leptos::ev::Event;
use leptos::html::Dialog;
use leptos::prelude::*;

use crate::ui::hooks::dialog::{is_beside, use_modal};
use crate::ui::kit::markup::{Element, IntoMarkup, IntoSource, Markup};

/// A dialog that is being described.
pub struct Modal {
    element: Box<Element>,
    node: NodeRef<Dialog>,
    leave: Rc<dyn Fn()>,
}

/// A dialog with its name for tests. `leave` is asked for by Escape and takes it out of the page.
pub fn modal(class: &'static str, test: &'static str, leave: impl Fn() + 'static) -> Modal {
    let mut element = Element::new("dialog", &[]);
    element.attribute("class", class);
    element.attribute("data-testid", test);
    Modal { element, node: NodeRef::new(), leave: Rc::new(leave) }
}

impl Modal {
    /// What it is called, if no title in it says so.
    #[must_use]
    pub fn label(self, label: &'static str) -> Self {
        self.with("aria-label", label)
    }

    /// The id of its title.
    #[must_use]
    pub fn titled(self, id: &'static str) -> Self {
        self.with("aria-labelledby", id)
    }

    /// A click beside it leaves it.
    #[must_use]
    pub fn beside(mut self) -> Self {
        let leave = Rc::clone(&self.leave);
        self.element.on("click", leptos::ev::click, move |event| {
            if is_beside(&event) {
                leave();
            }
        });
        self
    }

    /// Holds it, for who closes it or looks into it.
    #[must_use]
    pub fn node(self, node: NodeRef<Dialog>) -> Self {
        Self { node, ..self }
    }

    /// Any other attribute.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl IntoSource) -> Self {
        self.element.attribute(name, value);
        self
    }

    /// With what stands in it.
    pub fn holding(mut self, children: impl IntoMarkup) -> Markup {
        use_modal(self.node);
        self.element.reference(self.node);
        let leave = self.leave;
        self.element.on("cancel", leptos::ev::Custom::<Event>::new("cancel"), move |event| {
            event.prevent_default();
            leave();
        });
        self.element.child(children);
        self.element.done()
    }
}

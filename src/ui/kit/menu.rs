//! A menu beside the button that opened it: arrow keys walk its entries, Escape and a click elsewhere close it, and the
//! browser gives the focus back.
//!
//! `menu(words::ACTS, "message-menu", opener, entries, leave)`; an entry is made by `menu_item`.

use std::rc::Rc;

use leptos::ev::{Event, KeyboardEvent};
use leptos::html::Div;
use leptos::prelude::*;

use crate::ui::hooks::dialog::{hide, is_popover_closed, use_popover};
use crate::ui::hooks::scroll_position::{FocusStep, step};
use crate::ui::kit::control::Control;
use crate::ui::kit::markup::{Element, IntoMarkup, Markup};

const ITEMS: &str = "[role=menu]:popover-open [role=menuitem]";

/// A menu. `opener` finds the button that it stands beside; `leave` takes it out of the page.
pub fn menu(
    label: impl Into<String>,
    test: &'static str,
    opener: String,
    entries: impl IntoMarkup,
    leave: impl Fn() + 'static,
) -> Markup {
    let (node, leave) = (NodeRef::<Div>::new(), Rc::new(leave));
    use_popover(node, opener);
    let mut element = Element::new("div", &[("class", "menu"), ("role", "menu"), ("popover", "auto")]);
    element.attribute("aria-label", label.into());
    element.attribute("data-testid", test);
    element.reference(node);
    let close = move || hide(node);
    element.on("keydown", leptos::ev::keydown, move |event: KeyboardEvent| {
        match event.key().as_str() {
            "Tab" => return close(),
            "ArrowDown" => step(ITEMS, FocusStep::Next),
            "ArrowUp" => step(ITEMS, FocusStep::Back),
            "Home" => step(ITEMS, FocusStep::First),
            "End" => step(ITEMS, FocusStep::Last),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    });
    element.on("toggle", leptos::ev::Custom::<Event>::new("toggle"), move |event| {
        if is_popover_closed(&event) {
            leave();
        }
    });
    // What was chosen is done before the menu goes, and may lead elsewhere.
    element.on("click", leptos::ev::click, move |_| close());
    element.child(entries);
    element.done()
}

/// An entry of a menu.
pub fn menu_item(label: impl IntoMarkup) -> Control {
    let mut element = Element::new("button", &[("type", "button"), ("role", "menuitem"), ("tabindex", "-1")]);
    element.child(label);
    Control(element)
}

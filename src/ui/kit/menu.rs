//! A menu beside its button: arrow keys move through its items, Escape and outside clicks close it, and the browser
//! restores the focus.
//!
//! `menu(words::ACTS, "message-menu", opener, entries, leave)`; items are created by `menu_item`.
//!
//! And a combobox: a field that keeps the focus, the options of its list, and its keys.

use std::rc::Rc;

use leptos::ev::{Event, KeyboardEvent};
use leptos::html::Div;
use leptos::prelude::*;

use crate::ui::hooks::dialog::{hide, is_popover_closed, use_popover};
use crate::ui::hooks::scroll_position::{FocusStep, step};
use crate::ui::kit::control::Control;
use crate::ui::kit::markup::{Element, IntoMarkup, IntoSource, Markup, NodeRef, view};
use crate::ui::kit::signal::RwSignal;

const ITEMS: &str = "[role=menu]:popover-open [role=menuitem]";

/// A menu. `opener` selects the button that it belongs to; `leave` unmounts it.
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
    // The chosen action runs before the menu closes, and may move the focus.
    element.on("click", leptos::ev::click, move |_| close());
    element.child(entries);
    element.done()
}

pub fn menu_item(label: impl IntoMarkup) -> Control {
    let mut element = Element::new("button", &[("type", "button"), ("role", "menuitem"), ("tabindex", "-1")]);
    element.child(label);
    Control::of(element)
}

/// Rows per page.
const PAGE: isize = 8;

/// The field of the list with the id `list`, whose option `active` is selected.
pub fn combobox(
    list: &'static str,
    text: RwSignal<String>,
    active: impl Fn() -> Option<String> + Send + 'static,
    mut key: impl FnMut(KeyboardEvent) + 'static,
) -> Control {
    let mut input = Element::new(
        "input",
        &[
            ("class", "palette-input"),
            ("type", "text"),
            ("role", "combobox"),
            ("aria-expanded", "true"),
            ("aria-autocomplete", "list"),
            ("autocomplete", "off"),
            ("autocapitalize", "off"),
            ("spellcheck", "false"),
            ("autofocus", ""),
        ],
    );
    input.attribute("aria-controls", list);
    input.attribute("aria-activedescendant", active);
    input.property("value", text);
    input.on("input", leptos::ev::input, move |event| text.set(event_target_value(&event)));
    input.on("keydown", leptos::ev::keydown, move |event: KeyboardEvent| {
        if !event.is_composing() {
            key(event);
        }
    });
    Control::of(input)
}

/// Moves the selection by rows, or takes the selected option, if the key does that.
pub fn listbox_key(event: &KeyboardEvent, step: impl FnOnce(isize), take: impl FnOnce()) {
    match event.key().as_str() {
        "ArrowDown" => step(1),
        "ArrowUp" => step(-1),
        "PageDown" => step(PAGE),
        "PageUp" => step(-PAGE),
        "Enter" => take(),
        _ => return,
    }
    event.prevent_default();
}

/// An option. A click keeps the focus in the field.
pub fn list_option(class: &'static str, content: impl IntoMarkup, selected: impl IntoSource) -> Control {
    let mut option = Element::new("li", &[("role", "option")]);
    option.attribute("class", class);
    option.attribute("aria-selected", selected);
    option.on("mousedown", leptos::ev::mousedown, |event| event.prevent_default());
    option.child(content);
    Control::of(option)
}

/// A text in parts, with matches marked.
pub fn marked(parts: impl IntoIterator<Item = (bool, String)>) -> Markup {
    let part = |(is_found, text): (bool, String)| {
        if is_found {
            view! { <mark>{text}</mark> }
        } else {
            view! { <span>{text}</span> }
        }
    };
    parts.into_iter().map(part).into_markup()
}

//! What opens above the page: a dialog, a menu beside its button, and the list of a combobox. The browser restores the
//! focus.
//!
//! A dialog is shown when rendered, closed by Escape, and modal, or a popover beside its opener: `modal("dialog",
//! "merge", close).label(words::MERGE).holding(view! { … })`. A menu's items are reached by arrow keys, Escape and
//! outside clicks close it: `menu(words::ACTS, "message-menu", opener, entries, leave)`; items are created by
//! `menu_item`. A combobox is a field that keeps the focus, the options of its list, and its keys.

use leptos::ev::Event;

use crate::ui::hooks::dialog::{hide, is_beside, is_popover_closed, use_modal, use_popover};
use crate::ui::hooks::scroll::step;
use crate::ui::kit::base::*;
use crate::ui::kit::control::Control;
use crate::ui::kit::markup::{Element, IntoMarkup, IntoSource, Markup, view};

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
            key if step(ITEMS, key) => {}
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

//! Events of pointer and keyboard as plain values: captured pointers and element sizes, for dragging; key presses
//! anywhere in the page; clicks in nodes that no component created. And the time since the page started.

use leptos::ev::PointerEvent;
use leptos::web_sys::HtmlElement;

use crate::ui::hooks::dom::*;
use nexus_view::shortcuts::KeyPress;

pub use leptos::web_sys::Element;

/// Captures the pointer for the listening element; false on failure.
pub fn capture(ev: &PointerEvent) -> bool {
    ev.prevent_default();
    let element = ev.current_target().and_then(|target| target.dyn_into::<Element>().ok());
    element.is_some_and(|element| element.set_pointer_capture(ev.pointer_id()).is_ok())
}

/// Rendered size of the element of this id, in pixels; 0 if it does not exist.
pub fn size_of(id: &str) -> (f64, f64) {
    by_id(id).map_or((0.0, 0.0), |element| (element.offset_width().into(), element.offset_height().into()))
}

/// Width and height of the window, in pixels.
pub fn window_size() -> (f64, f64) {
    let side = |side: Result<JsValue, JsValue>| side.ok().and_then(|side| side.as_f64()).unwrap_or_default();
    (side(window().inner_width()), side(window().inner_height()))
}

/// A size in whole pixels. The code that writes fractions is 15 kB.
pub fn whole(size: f64) -> String {
    (size.round() as i64).to_string()
}

/// A size for a style, in whole pixels.
pub fn pixels(size: f64) -> String {
    whole(size) + "px"
}

/// Milliseconds since the page started, with fractions.
pub fn milliseconds() -> f64 {
    window().performance().map_or(0.0, |performance| performance.now())
}

/// Elements that use letters themselves: fields, and lists that are searched by typing.
const TEXT: &str = "input:not([type=checkbox],[type=radio],[type=button],[type=submit],[type=range]), textarea, \
     select, [contenteditable]:not([contenteditable=false]), [role=textbox], [role=combobox], [role=listbox]";

/// True on Apple devices, which use ⌘ instead of Ctrl.
pub fn is_apple() -> bool {
    let platform = window().navigator().platform().unwrap_or_default();
    ["Mac", "iPhone", "iPad"].iter().any(|name| platform.starts_with(name))
}

/// True if a click hit a button, or a part of one.
pub fn is_on_button(event: &MouseEvent) -> bool {
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    target.is_some_and(|target| matches!(target.closest("button"), Ok(Some(_))))
}

/// Passes a key press to `hear`, unless it was handled already, belongs to an input method, or repeats.
pub fn read_key<T>(event: &KeyboardEvent, handle: impl FnOnce(&KeyPress<'_>) -> Option<T>) -> Option<T> {
    if event.default_prevented() || event.is_composing() || event.repeat() {
        return None;
    }
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let in_text = target.is_some_and(|target| matches!(target.closest(TEXT), Ok(Some(_))));
    handle(&KeyPress {
        key: &event.key(),
        code: &event.code(),
        ctrl: event.ctrl_key(),
        meta: event.meta_key(),
        alt: event.alt_key(),
        shift: event.shift_key(),
        in_text,
        apple: is_apple(),
    })
}

/// True for the key that sends a text: Enter without Shift or Alt, which no input method uses.
pub fn is_send_key(event: &KeyboardEvent) -> bool {
    event.key() == "Enter" && !event.shift_key() && !event.alt_key() && !event.is_composing()
}

pub struct DelegatedClick {
    pub element: Element,
    /// The action: `data-act`, or `link` for a link.
    pub name: String,
}

pub fn delegated_click(event: &MouseEvent) -> Option<DelegatedClick> {
    let target = event.target()?.dyn_into::<Element>().ok()?;
    let element = target.closest("[data-act], a[href]").ok().flatten()?;
    let name = element.get_attribute("data-act").unwrap_or_else(|| "link".to_owned());
    Some(DelegatedClick { element, name })
}

impl DelegatedClick {
    /// An attribute of the element; empty if absent.
    pub fn value(&self, name: &str) -> String {
        self.element.get_attribute(name).unwrap_or_default()
    }

    /// The closest ancestor that matches a selector.
    pub fn around(&self, selector: &str) -> Option<Element> {
        self.element.closest(selector).ok().flatten()
    }

    /// The index of that ancestor among all matches below `root`, from 0.
    pub fn place(&self, root: NodeRef<Div>, selector: &str) -> Option<usize> {
        let around = self.around(selector)?;
        all_in(root.get_untracked()?.as_ref(), selector).iter().position(|one| **one == around)
    }

    pub fn set_text(&self, words: &str) {
        self.element.set_text_content(Some(words));
    }

    pub fn press(&self, on: bool) {
        drop(self.element.set_attribute("aria-pressed", if on { "true" } else { "false" }));
    }
}

pub fn toggle(element: &Element, name: &str) -> bool {
    // The names are ours and valid.
    if element.has_attribute(name) {
        drop(element.remove_attribute(name));
        false
    } else {
        drop(element.set_attribute(name, ""));
        true
    }
}

/// Scrolls to the first match below `root` and focuses it.
pub fn go_to(root: NodeRef<Div>, selector: &str) {
    let found = root.get_untracked().and_then(|root| root.query_selector(selector).ok().flatten());
    let Some(element) = found else { return };
    element.scroll_into_view();
    if let Ok(element) = element.dyn_into::<HtmlElement>() {
        if !element.has_attribute("data-act") {
            make_focusable(&element);
        }
        drop(element.focus());
    }
}

/// Appends an element to another, for what a component mounts there, such as a form below code.
pub fn place_in(element: &Element) -> Option<Element> {
    let place = document().create_element("div").ok()?;
    element.append_child(&place).ok()?;
    Some(place)
}

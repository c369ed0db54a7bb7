//! Reads key presses anywhere in the page as plain values.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::Element;

use nexus_view::shortcuts::KeyPress;

/// Elements that use letters themselves: fields, and lists that are searched by typing.
const TEXT: &str = "input:not([type=checkbox],[type=radio],[type=button],[type=submit],[type=range]), textarea, \
     select, [contenteditable]:not([contenteditable=false]), [role=textbox], [role=combobox], [role=listbox]";

/// True on Apple devices, which use ⌘ instead of Ctrl.
pub fn is_apple() -> bool {
    let platform = window().navigator().platform().unwrap_or_default();
    ["Mac", "iPhone", "iPad"].iter().any(|name| platform.starts_with(name))
}

/// Passes a key press to `hear`, unless it was handled already, belongs to an input method, or repeats.
pub fn read<T>(event: &KeyboardEvent, handle: impl FnOnce(&KeyPress<'_>) -> Option<T>) -> Option<T> {
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

/// True if a dialog is open: keys do not reach what is behind it.
pub fn is_dialog_open() -> bool {
    matches!(document().query_selector("dialog[open]"), Ok(Some(_)))
}

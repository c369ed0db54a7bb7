//! Reads key presses anywhere in the page as plain values.

use leptos::ev::KeyboardEvent;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::Element;

use nexus_view::shortcuts::KeyPress;

/// What takes letters itself: fields, and lists that are searched by typing.
const TEXT: &str = "input:not([type=checkbox],[type=radio],[type=button],[type=submit],[type=range]), textarea, \
     select, [contenteditable]:not([contenteditable=false]), [role=textbox], [role=combobox], [role=listbox]";

/// Whether this is one of Apple's machines, which hold ⌘ where others hold Ctrl.
pub fn is_apple() -> bool {
    let platform = window().navigator().platform().unwrap_or_default();
    ["Mac", "iPhone", "iPad"].iter().any(|name| platform.starts_with(name))
}

/// Gives a key to `hear`, unless somebody heard it already, it belongs to an input method, or it is held down.
pub fn read<T>(event: &KeyboardEvent, hear: impl FnOnce(&KeyPress<'_>) -> Option<T>) -> Option<T> {
    if event.default_prevented() || event.is_composing() || event.repeat() {
        return None;
    }
    let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
    let in_text = target.is_some_and(|target| matches!(target.closest(TEXT), Ok(Some(_))));
    hear(&KeyPress {
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

/// Whether a dialog is open: what is behind it hears no keys.
pub fn is_dialog_open() -> bool {
    matches!(document().query_selector("dialog[open]"), Ok(Some(_)))
}

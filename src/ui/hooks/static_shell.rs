//! Takes over from the static page that is shown before WASM runs: reads its input and removes it.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{HtmlElement, HtmlTextAreaElement};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaticShellInput {
    pub text: String,
    /// Its selection, in UTF-16 units.
    pub selection: (u32, u32),
    pub focused: bool,
}

/// Shows the start's progress on the static page.
pub fn show_status(words: &str) {
    if let Some(line) = document().get_element_by_id("boot-status") {
        line.set_text_content(Some(words));
    }
}

pub fn take_over() -> StaticShellInput {
    let page = document();
    let mut shell = StaticShellInput::default();
    if let Some(area) =
        page.get_element_by_id("boot-draft").and_then(|area| area.dyn_into::<HtmlTextAreaElement>().ok())
    {
        shell.text = area.value();
        let bound = |place: Result<Option<u32>, _>| place.ok().flatten().unwrap_or(0);
        shell.selection = (bound(area.selection_start()), bound(area.selection_end()));
        shell.focused = page.active_element().is_some_and(|active| active == *area.unchecked_ref());
    }
    if let Some(element) = page.get_element_by_id("shell") {
        element.remove();
    }
    shell
}

/// The element to mount the program in: `#app`, else the body.
pub fn place() -> Option<HtmlElement> {
    let named = document().get_element_by_id("app").and_then(|place| place.dyn_into().ok());
    named.or_else(|| document().body())
}

//! Delegated clicks in nodes that no component created: finds the clicked action and its position.

use leptos::ev::MouseEvent;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
pub use leptos::web_sys::Element;
use leptos::web_sys::HtmlElement;

use crate::ui::kit::markup::NodeRef;

pub struct DelegatedClick {
    pub element: Element,
    /// The action: `data-act`, or `link` for a link.
    pub name: String,
}

/// The action of a click, if it has one.
pub fn of(event: &MouseEvent) -> Option<DelegatedClick> {
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
        let all = root.get_untracked()?.query_selector_all(selector).ok()?;
        let is_same = |index: &u32| all.item(*index).is_some_and(|node| node == *around.as_ref());
        usize::try_from((0..all.length()).find(is_same)?).ok()
    }

    /// Sets the element's text.
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
            drop(element.set_attribute("tabindex", "-1"));
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

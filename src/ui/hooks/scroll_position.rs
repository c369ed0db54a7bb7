//! Scroll positions: scrolls to elements, and finds the row that is being read.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, HtmlDivElement, HtmlElement};

/// Attribute of the current search match.
const FOUND: &str = "data-found";

/// The first visible row of a list, and its offset in the list.
pub(super) fn first_in_view(list: &HtmlDivElement) -> Option<(Element, f64)> {
    let rows = list.children();
    let top = list.get_bounding_client_rect().top();
    // Rows are stacked, so the first one that ends below the edge is found by binary search.
    let (mut low, mut high) = (0, rows.length());
    while low < high {
        let middle = low + (high - low) / 2;
        let ends = rows.item(middle).map_or(0.0, |row| row.get_bounding_client_rect().bottom());
        if ends <= top { low = middle + 1 } else { high = middle }
    }
    // An element without an id is not a row, and may disappear any time.
    let row = (low..rows.length()).filter_map(|place| rows.item(place)).find(|row| !row.id().is_empty())?;
    let place = offset_in(list, &row)?;
    Some((row, place))
}

/// The offset of a row in its list; `None` once it is removed.
pub(super) fn offset_in(list: &HtmlDivElement, row: &Element) -> Option<f64> {
    let top = row.get_bounding_client_rect().top() - list.get_bounding_client_rect().top();
    row.is_connected().then(|| top + f64::from(list.scroll_top()))
}

/// Centres the element of this id in its scrolling list; aligns its start if it is too long.
pub fn center(id: &str) {
    let Some(element) = document().get_element_by_id(id) else { return };
    let Ok(Some(list)) = element.closest("[role=log]") else { return };
    let (row, view) = (element.get_bounding_client_rect(), list.get_bounding_client_rect());
    let room = ((view.height() - row.height()) / 2.0).max(view.height() / 10.0);
    let by = row.top() - view.top() - room;
    list.set_scroll_top(list.scroll_top().saturating_add(by.round() as i32));
}

/// Focuses the element of this id without scrolling, even if it is not focusable.
pub fn focus(id: &str) {
    let Some(element) = document().get_element_by_id(id) else { return };
    // Makes the element focusable by script.
    if !element.has_attribute("tabindex") {
        drop(element.set_attribute("tabindex", "-1"));
    }
    if let Ok(element) = element.dyn_into::<HtmlElement>() {
        let options = leptos::web_sys::FocusOptions::new();
        options.set_prevent_scroll(true);
        drop(element.focus_with_options(&options));
    }
}

/// Marks the element of this id as the current match, without focusing it.
pub fn mark(id: &str) {
    unmark();
    if let Some(element) = document().get_element_by_id(id) {
        // The name is ours and valid.
        drop(element.set_attribute(FOUND, ""));
    }
}

pub fn unmark() {
    if let Ok(Some(marked)) = document().query_selector("[data-found]") {
        drop(marked.remove_attribute(FOUND));
    }
}

/// Opens the `<details>` of this id, if it is one.
pub fn unfold(id: &str) {
    if let Some(details) = document().get_element_by_id(id)
        && details.tag_name().eq_ignore_ascii_case("details")
    {
        drop(details.set_attribute("open", ""));
    }
}

/// Opens all `<details>` within the tool card of this id.
pub fn unfold_below(id: &str) {
    let Some(element) = document().get_element_by_id(id).filter(|_| id.starts_with("tool-")) else { return };
    let Ok(all) = element.query_selector_all("details") else { return };
    for details in (0..all.length()).filter_map(|place| all.item(place)?.dyn_into::<Element>().ok()) {
        drop(details.set_attribute("open", ""));
    }
}

/// Focuses another match of a selector, relative to the focused one.
pub fn step(selector: &str, by: FocusStep) {
    let Ok(all) = document().query_selector_all(selector) else { return };
    let count = all.length();
    let active = document().active_element();
    let at = (0..count).find(|place| all.item(*place).as_ref() == active.as_deref());
    let to = match (by, at) {
        (FocusStep::Next, Some(at)) => (at + 1) % count.max(1),
        (FocusStep::Back, Some(at)) => (at + count.saturating_sub(1)) % count.max(1),
        (FocusStep::First, _) | (FocusStep::Next, None) => 0,
        (FocusStep::Last, _) | (FocusStep::Back, None) => count.saturating_sub(1),
    };
    let element = all.item(to).and_then(|node| node.dyn_into::<HtmlElement>().ok());
    drop(element.map(|element| element.focus()));
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FocusStep {
    /// The next one, or the first after the last.
    Next,
    /// The previous one, or the last before the first.
    Back,
    First,
    Last,
}

/// The focused element, to restore later.
pub struct SavedFocus(Option<HtmlElement>);

pub fn save_focus() -> SavedFocus {
    let active = document().active_element().and_then(|element| element.dyn_into::<HtmlElement>().ok());
    SavedFocus(active.filter(|element| element.tag_name() != "BODY"))
}

impl SavedFocus {
    /// Restores the focus; false if the element is gone.
    pub fn restore(self) -> bool {
        self.0.filter(|element| element.is_connected()).is_some_and(|element| element.focus().is_ok())
    }
}

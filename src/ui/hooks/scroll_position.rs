//! Scroll positions: brings an element into view, and finds the row that is being read.

use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, HtmlDivElement, HtmlElement};

/// The mark of what somebody was led to.
const FOUND: &str = "data-found";

/// The first row of a list that is in view, and how far down the list it is.
pub(super) fn first_in_view(list: &HtmlDivElement) -> Option<(Element, f64)> {
    let rows = list.children();
    let top = list.get_bounding_client_rect().top();
    // Rows stand below each other, so the first that ends below the edge is found by halves.
    let (mut low, mut high) = (0, rows.length());
    while low < high {
        let middle = low + (high - low) / 2;
        let ends = rows.item(middle).map_or(0.0, |row| row.get_bounding_client_rect().bottom());
        if ends <= top { low = middle + 1 } else { high = middle }
    }
    // What has no id is no row, and may go any time.
    let row = (low..rows.length()).filter_map(|place| rows.item(place)).find(|row| !row.id().is_empty())?;
    let place = place_in(list, &row)?;
    Some((row, place))
}

/// How far down a list a row is; `None` once it is gone.
pub(super) fn place_in(list: &HtmlDivElement, row: &Element) -> Option<f64> {
    let top = row.get_bounding_client_rect().top() - list.get_bounding_client_rect().top();
    row.is_connected().then(|| top + f64::from(list.scroll_top()))
}

/// Brings the element of this id into the middle of the list that scrolls it, or its beginning where it is too long.
pub fn center(id: &str) {
    let Some(element) = document().get_element_by_id(id) else { return };
    let Ok(Some(list)) = element.closest("[role=log]") else { return };
    let (row, view) = (element.get_bounding_client_rect(), list.get_bounding_client_rect());
    let room = ((view.height() - row.height()) / 2.0).max(view.height() / 10.0);
    let by = row.top() - view.top() - room;
    list.set_scroll_top(list.scroll_top().saturating_add(by.round() as i32));
}

/// Gives the focus to the element of this id, whatever it is, where it stands.
pub fn focus(id: &str) {
    let Some(element) = document().get_element_by_id(id) else { return };
    // What cannot be reached by keyboard can be led to.
    if !element.has_attribute("tabindex") {
        drop(element.set_attribute("tabindex", "-1"));
    }
    if let Ok(element) = element.dyn_into::<HtmlElement>() {
        let still = leptos::web_sys::FocusOptions::new();
        still.set_prevent_scroll(true);
        drop(element.focus_with_options(&still));
    }
}

/// Marks the element of this id as what somebody was led to, without the focus.
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

/// Opens the details of this id, where it is one.
pub fn unfold(id: &str) {
    if let Some(details) = document().get_element_by_id(id)
        && details.tag_name().eq_ignore_ascii_case("details")
    {
        drop(details.set_attribute("open", ""));
    }
}

/// Opens all details within the one of this id.
pub fn unfold_below(id: &str) {
    let Some(element) = document().get_element_by_id(id).filter(|_| id.starts_with("tool-")) else { return };
    let Ok(all) = element.query_selector_all("details") else { return };
    for details in (0..all.length()).filter_map(|place| all.item(place)?.dyn_into::<Element>().ok()) {
        drop(details.set_attribute("open", ""));
    }
}

/// Gives the focus to the next or the last of some controls, by the place of the one that has it.
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
    /// The one before, or the last before the first.
    Back,
    First,
    Last,
}

/// What has the focus, to be given back later.
pub struct SavedFocus(Option<HtmlElement>);

pub fn keep_focus() -> SavedFocus {
    let active = document().active_element().and_then(|element| element.dyn_into::<HtmlElement>().ok());
    SavedFocus(active.filter(|element| element.tag_name() != "BODY"))
}

impl SavedFocus {
    /// Gives the focus back. Says whether what had it is still there.
    pub fn give_back(self) -> bool {
        self.0.filter(|element| element.is_connected()).is_some_and(|element| element.focus().is_ok())
    }
}

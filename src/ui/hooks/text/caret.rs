//! Caret and selection of a text area, in UTF-16 units.

use leptos::html::Textarea;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::HtmlTextAreaElement;

/// Where the caret stands; `None` while a piece of the text is selected.
pub fn place(area: NodeRef<Textarea>) -> Option<usize> {
    let area = area.get_untracked()?;
    let start = area.selection_start().ok().flatten()?;
    let end = area.selection_end().ok().flatten()?;
    (start == end).then(|| usize::try_from(start).ok()).flatten()
}

/// What is selected: where it starts and where it ends.
pub fn selection(area: NodeRef<Textarea>) -> (usize, usize) {
    let bound = |place: Option<u32>| place.and_then(|place| usize::try_from(place).ok()).unwrap_or(0);
    let Some(area) = area.get_untracked() else { return (0, 0) };
    let start = bound(area.selection_start().ok().flatten());
    let end = bound(area.selection_end().ok().flatten());
    (start, end)
}

/// Selects from `start` to `end` and takes the focus, once what was just set is in the page.
pub fn select_soon(area: NodeRef<Textarea>, start: usize, end: usize) {
    request_animation_frame(move || {
        let Some(area) = area.try_get_untracked().flatten() else { return };
        let unit = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        // An area that was taken out of the page meanwhile has nothing to select in.
        drop(area.focus());
        drop(area.set_selection_range(unit(start), unit(end)));
    });
}

/// Puts the caret behind the text of the area with this id and gives it the focus, once what was just set is in the page.
pub fn end_soon(id: &'static str) {
    request_animation_frame(move || {
        let area =
            document().get_element_by_id(id).and_then(|area| area.dyn_into::<HtmlTextAreaElement>().ok());
        let Some(area) = area else { return };
        let end = u32::try_from(area.value().encode_utf16().count()).unwrap_or(u32::MAX);
        drop(area.focus());
        drop(area.set_selection_range(end, end));
        area.set_scroll_top(area.scroll_height());
    });
}

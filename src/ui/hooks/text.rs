//! Text in fields and on the page: caret, selection, paste, highlights, streaming.
//!
//! Caret and selection of a text area are in UTF-16 units, and keep their place while others edit the text. The
//! reader's selection has its text, author and position; the composer's is none.

pub mod highlights;

use leptos::ev;
use leptos::ev::ClipboardEvent;
use leptos::html::{Span, Textarea};
use leptos::web_sys::{Element, HtmlTextAreaElement, Text};
use wasm_bindgen_futures::JsFuture;

use crate::ui::hooks::dom::*;
use crate::ui::hooks::events::{pixels, window_size};

/// Copies a text to the clipboard; false if there is none, as in insecure contexts and in iframes without permission.
pub async fn copy(text: &str) -> bool {
    let clipboard = window().navigator().clipboard();
    let value: &JsValue = clipboard.as_ref();
    if value.is_undefined() || value.is_null() {
        return false;
    }
    JsFuture::from(clipboard.write_text(text)).await.is_ok()
}

/// The pasted text, if it has more than this many bytes; prevents the browser's paste. Shorter texts are left to the
/// browser.
pub fn take_if_longer(event: &ClipboardEvent, bytes: usize) -> Option<String> {
    let text = event.clipboard_data()?.get_data("text/plain").ok()?;
    if text.len() <= bytes {
        return None;
    }
    event.prevent_default();
    Some(text)
}

/// Shows `text` in the element, and appends its additions.
pub fn stream_text(element: NodeRef<Span>, text: ArcRwSignal<String>) {
    Effect::new(move |shown: Option<usize>| {
        let Some(element) = element.get() else { return 0 };
        let shown = shown.unwrap_or(0);
        text.with(|text| {
            let Some(added) = text.get(shown..) else { return text.len() };
            let node = element.last_child().and_then(|node| node.dyn_into::<Text>().ok());
            let appended = node.is_some_and(|node| node.append_data(added).is_ok());
            if !appended {
                element.set_text_content(Some(text));
            }
            text.len()
        })
    });
}

/// The caret; `None` while text is selected.
pub fn place(area: NodeRef<Textarea>) -> Option<usize> {
    let (start, end) = selected_range(&area.get_untracked()?)?;
    (start == end).then(|| usize::try_from(start).ok()).flatten()
}

pub fn selected_range(area: &HtmlTextAreaElement) -> Option<(u32, u32)> {
    Some((area.selection_start().ok()??, area.selection_end().ok()??))
}

pub fn selection(area: NodeRef<Textarea>) -> (usize, usize) {
    let range = area.get_untracked().and_then(|area| selected_range(&area));
    range.map(|(start, end)| (start as usize, end as usize)).unwrap_or_default()
}

/// Selects from `start` to `end` and focuses the area in the next frame, after its text was rendered.
pub fn select_soon(area: NodeRef<Textarea>, start: usize, end: usize) {
    request_animation_frame(move || {
        let Some(area) = area.get_untracked() else { return };
        let unit = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
        // A removed area has nothing to select.
        drop(area.focus());
        drop(area.set_selection_range(unit(start), unit(end)));
    });
}

/// Moves the caret to the end of the area with this id and focuses it in the next frame.
pub fn end_soon(id: &'static str) {
    request_animation_frame(move || {
        let Some(Ok(area)) = by_id(id).map(JsCast::dyn_into::<HtmlTextAreaElement>) else { return };
        let end = u32::try_from(area.value().encode_utf16().count()).unwrap_or(u32::MAX);
        drop(area.focus());
        drop(area.set_selection_range(end, end));
        area.set_scroll_top(area.scroll_height());
    });
}

/// Keeps `area` at `text`. If the text changes around the caret, the caret keeps its place in it, and the view does not
/// jump.
pub(crate) fn use_shared_text(area: NodeRef<Textarea>, text: Selector<Arc<str>>) {
    Effect::new(move || {
        let Some(element) = area.get() else { return };
        let new = text.get();
        let old = element.value();
        if old == *new {
            return;
        }
        let caret = selected_range(&element);
        let (top, left) = (element.scroll_top(), element.scroll_left());
        element.set_value(&new);
        if let Some((start, end)) = caret {
            let (start, end) = (moved(&old, &new, start), moved(&old, &new, end));
            // Fails only if the element has no selection to keep.
            if element.set_selection_range(start, end).is_err() {
                return;
            }
        }
        element.set_scroll_top(top);
        element.set_scroll_left(left);
    });
}

/// The offset of a caret at `at` (in UTF-16 units) after `old` became `new`: text before the change keeps its offset,
/// text after it shifts.
fn moved(old: &str, new: &str, at: u32) -> u32 {
    let units = |text: &str| u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX);
    let same_start = old.encode_utf16().zip(new.encode_utf16()).take_while(|(a, b)| a == b).count();
    if u32::try_from(same_start).is_ok_and(|same| at <= same) {
        return at;
    }
    let behind = units(old).saturating_sub(at);
    units(new).saturating_sub(behind)
}

const DEBOUNCE: Duration = Duration::from_millis(200);

const EVENTS: [&str; 2] = ["selectionchange", "scroll"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectionOrigin {
    Message(String),
    Tool(String),
    Board(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct SelectedText {
    pub text: String,
    pub origin: SelectionOrigin,
    /// Position of a control for it: left and top in the window, as CSS lengths.
    pub place: (String, String),
}

/// The current selection, if it can be quoted.
pub fn picked_text() -> Option<SelectedText> {
    let (text, at, (left, top, bottom)) = in_area().or_else(in_page)?;
    let origin = origin(&at)?;
    let (width, height) = window_size();
    // Above the selection, so that it does not cover what follows; below if there is no room.
    let top = if top > 56.0 { top - 44.0 } else { (bottom + 8.0).min(height - 48.0) };
    let left = left.min(width - 190.0).max(8.0);
    let is_in_view = bottom > 0.0 && top < height;
    (is_in_view && !text.trim().is_empty()).then(|| SelectedText {
        text,
        origin,
        place: (pixels(left), pixels(top.max(8.0))),
    })
}

type SelectionHit = (String, Element, (f64, f64, f64));

/// The selection in a text area, which the page's selection does not include.
fn in_area() -> Option<SelectionHit> {
    let area = document().active_element()?.dyn_into::<HtmlTextAreaElement>().ok()?;
    let (start, end) = selected_range(&area).map(|(start, end)| (start as usize, end as usize))?;
    let units: Vec<u16> = area.value().encode_utf16().skip(start).take(end.saturating_sub(start)).collect();
    let rect = area.get_bounding_client_rect();
    let text = String::from_utf16_lossy(&units);
    (!text.is_empty()).then(|| (text, area.into(), (rect.left(), rect.top(), rect.bottom())))
}

fn in_page() -> Option<SelectionHit> {
    let selection = window().get_selection().ok().flatten()?;
    if selection.is_collapsed() || selection.range_count() == 0 {
        return None;
    }
    let range = selection.get_range_at(0).ok()?;
    let node = range.start_container().ok()?;
    let element = node.dyn_ref::<Element>().cloned().or_else(|| node.parent_element())?;
    let rect = range.get_bounding_client_rect();
    let text = String::from(selection.to_string());
    Some((text, element, (rect.left(), rect.top(), rect.bottom())))
}

fn origin(at: &Element) -> Option<SelectionOrigin> {
    let around = |selector: &str| at.closest(selector).ok().flatten();
    if around(".composer").is_some() {
        return None;
    }
    if let Some(card) = around("[id^=tool-]") {
        return Some(SelectionOrigin::Tool(card.id()));
    }
    if let Some(message) = around("[id^=message-]") {
        return Some(SelectionOrigin::Message(message.id()));
    }
    if let Some(file) = around("[data-quoted]") {
        return file.get_attribute("data-quoted").map(SelectionOrigin::Board);
    }
    around("#pane-board")?;
    let name = around("[aria-label]").and_then(|named| named.get_attribute("aria-label"));
    Some(SelectionOrigin::Board(name.unwrap_or_default()))
}

pub fn clear_selection() {
    if let Ok(Some(selection)) = window().get_selection() {
        // Clearing an empty selection changes nothing.
        drop(selection.remove_all_ranges());
    }
}

/// Calls `hear` when the selection changed or moved, after a debounce.
pub fn on_selection_change(callback: impl Fn() + Clone + 'static) {
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let debounce = move || {
        timer.try_get_value().flatten().into_iter().for_each(|timer| timer.clear());
        timer.set_value(set_timeout_with_handle(callback.clone(), DEBOUNCE).ok());
    };
    let resized = debounce.clone();
    on_window(ev::resize, move |_| resized());
    let on_event = Closure::<dyn FnMut()>::new(debounce);
    let function = on_event.as_ref().unchecked_ref();
    for name in EVENTS {
        // Captured, because scroll events do not bubble.
        drop(document().add_event_listener_with_callback_and_bool(name, function, true));
    }
    let guard = SendWrapper::new(on_event);
    on_cleanup(move || {
        let on_event = guard.take();
        let function = on_event.as_ref().unchecked_ref();
        for name in EVENTS {
            drop(document().remove_event_listener_with_callback_and_bool(name, function, true));
        }
        timer.try_get_value().flatten().into_iter().for_each(|timer| timer.clear());
    });
}

#[cfg(test)]
mod tests;

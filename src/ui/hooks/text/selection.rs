//! The reader's text selection: text, author and position. Ignores the composer.

use std::time::Duration;

use crate::ui::hooks::pointer::pixels;
use crate::ui::kit::stored::StoredValue;
use leptos::ev;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::wasm_bindgen::closure::Closure;
use leptos::web_sys::{Element, HtmlTextAreaElement};
use send_wrapper::SendWrapper;

/// Debounce of selection changes.
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
pub fn picked() -> Option<SelectedText> {
    let (text, at, (left, top, bottom)) = in_area().or_else(in_page)?;
    let origin = origin(&at)?;
    let (width, height) = (side(window().inner_width()), side(window().inner_height()));
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

fn side(side: Result<leptos::wasm_bindgen::JsValue, leptos::wasm_bindgen::JsValue>) -> f64 {
    side.ok().and_then(|side| side.as_f64()).unwrap_or_default()
}

type SelectionHit = (String, Element, (f64, f64, f64));

/// The selection in a text area, which the page's selection does not include.
fn in_area() -> Option<SelectionHit> {
    let area = document().active_element()?.dyn_into::<HtmlTextAreaElement>().ok()?;
    let place = |place: Option<u32>| usize::try_from(place?).ok();
    let (start, end) =
        (place(area.selection_start().ok().flatten())?, place(area.selection_end().ok().flatten())?);
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

pub fn clear() {
    if let Ok(Some(selection)) = window().get_selection() {
        // Clearing an empty selection changes nothing.
        drop(selection.remove_all_ranges());
    }
}

/// Calls `hear` when the selection changed or moved, after a debounce.
pub fn on_change(callback: impl Fn() + Clone + 'static) {
    let timer = StoredValue::new(None::<TimeoutHandle>);
    let debounce = move || {
        if let Some(timer) = timer.try_get_value().flatten() {
            timer.clear();
        }
        timer.set_value(set_timeout_with_handle(callback.clone(), DEBOUNCE).ok());
    };
    let listener = window_event_listener(ev::resize, {
        let debounce = debounce.clone();
        move |_| debounce()
    });
    let on_event = Closure::<dyn FnMut()>::new(debounce);
    let function = on_event.as_ref().unchecked_ref();
    for name in EVENTS {
        // Captured, because scroll events do not bubble.
        drop(document().add_event_listener_with_callback_and_bool(name, function, true));
    }
    let guard = SendWrapper::new(on_event);
    on_cleanup(move || {
        listener.remove();
        let on_event = guard.take();
        let function = on_event.as_ref().unchecked_ref();
        for name in EVENTS {
            drop(document().remove_event_listener_with_callback_and_bool(name, function, true));
        }
        if let Some(timer) = timer.try_get_value().flatten() {
            timer.clear();
        }
    });
}

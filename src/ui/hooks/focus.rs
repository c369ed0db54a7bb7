//! Moves the focus to a requested element, and shows the hidden part of a screen that it is in. Never takes it from a
//! field in use.

use leptos::html::Input;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{Element, Event, EventInit, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};

use crate::ui::kit::selector::Effect;

/// The id of the message field.
pub const COMPOSER: &str = "composer";

/// Gives the focus to `input` as soon as it is there, with its text selected: whoever asked for it wants to type.
pub fn use_select_all(input: NodeRef<Input>) {
    Effect::new(move || {
        if let Some(input) = input.get()
            && input.focus().is_ok()
        {
            input.select();
        }
    });
}

/// Gives the focus to the element of this id once the screen is drawn: it moved, or it is not there yet.
pub fn soon(id: String) {
    request_animation_frame(move || {
        let element =
            document().get_element_by_id(&id).and_then(|element| element.dyn_into::<HtmlElement>().ok());
        // An element that went away meanwhile needs no focus.
        drop(element.map(|element| element.focus()));
    });
}

/// The id of the element that has the focus.
pub fn focused_id() -> Option<String> {
    document().active_element().map(|element| element.id()).filter(|id| !id.is_empty())
}

/// Brings the element of this id into view once the screen is drawn, and gives it the focus, whatever it is.
pub fn lead_to(id: String) {
    request_animation_frame(move || {
        let Some(element) = document().get_element_by_id(&id) else { return };
        element.scroll_into_view();
        // What cannot be reached by keyboard can be led to.
        if !element.has_attribute("tabindex") {
            drop(element.set_attribute("tabindex", "-1"));
        }
        soon(id);
    });
}

/// Brings the element of this id to the top of the screen, and gives it the focus.
pub fn go_to(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        element.scroll_into_view();
    }
    soon(id.to_owned());
}

/// How many frames a screen that is on its way may take.
const FRAMES: u32 = 600;

/// Brings the first element that a selector finds into view and gives it the focus, as soon as there is one: on a screen
/// that may still be on its way. What is folded away around it is opened.
pub fn lead_when_there(selector: String) {
    look_for(selector, FRAMES);
}

fn look_for(selector: String, frames: u32) {
    request_animation_frame(move || {
        let found = document().query_selector(&selector).ok().flatten();
        let Some(element) = found.and_then(|element| element.dyn_into::<HtmlElement>().ok()) else {
            if frames > 0 {
                look_for(selector, frames - 1);
            }
            return;
        };
        let mut around = element.closest("details:not([open])").ok().flatten();
        while let Some(folded) = around {
            // The name is valid.
            drop(folded.set_attribute("open", ""));
            around = folded.closest("details:not([open])").ok().flatten();
        }
        reveal(&element);
        // What was hidden is drawn by then.
        request_animation_frame(move || {
            element.scroll_into_view();
            if element.focus().is_ok()
                && document().active_element().is_none_or(|focused| focused != *element)
            {
                // What cannot be reached by keyboard can be led to.
                drop(element.set_attribute("tabindex", "-1"));
                drop(element.focus());
            }
        });
    });
}

/// Whether a selector finds an element.
pub fn is_there(selector: &str) -> bool {
    matches!(document().query_selector(selector), Ok(Some(_)))
}

/// Clicks the last element that a selector finds: the newest, where they stand in the order of time.
pub fn press(selector: &str) {
    let Ok(found) = document().query_selector_all(selector) else { return };
    let last = found.length().checked_sub(1).and_then(|last| found.get(last));
    if let Some(element) = last.and_then(|last| last.dyn_into::<HtmlElement>().ok()) {
        element.click();
    }
}

/// Brings the element of this id into view among its neighbours, and nothing else.
pub fn show(id: &str) {
    if let Some(element) = document().get_element_by_id(id) {
        element.scroll_into_view_with_scroll_into_view_options(&nearest());
    }
}

fn nearest() -> ScrollIntoViewOptions {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    options
}

/// Gives the focus to the neighbour of the element that has it, among those that a selector finds and that can be used.
pub fn beside(selector: &str, back: bool) {
    let Ok(found) = document().query_selector_all(selector) else { return };
    let all = (0..found.length()).filter_map(|at| found.get(at)?.dyn_into::<HtmlElement>().ok());
    let all: Vec<HtmlElement> = all.filter(|element| !element.has_attribute("disabled")).collect();
    let focused = document().active_element();
    // Whatever has the focus in its row stands for it.
    let at = all.iter().position(|element| {
        let row = element.parent_element();
        row.zip(focused.as_ref()).is_some_and(|(row, focused)| row.contains(Some(focused)))
    });
    let next = match at {
        Some(at) if back => at.checked_sub(1),
        Some(at) => at.checked_add(1),
        None => Some(0),
    };
    if let Some(element) = next.and_then(|next| all.get(next)) {
        // An element that went away meanwhile needs no focus.
        drop(element.focus());
    }
}

/// The value of `hidden` for a part that the browser's own search still reads.
pub const UNTIL_FOUND: &str = "until-found";

/// The event by which a browser says that its search found something in a hidden part.
const FOUND: &str = "beforematch";

/// Calls `show` with the `data-reveals` of a part when something in it is found: by the browser's search, or by whoever
/// leads the reader there.
pub fn use_reveal(show: impl Fn(&str) + 'static) {
    let listener = window_event_listener_untyped(FOUND, move |event| {
        let found = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let part = found.and_then(|found| found.closest("[data-reveals]").ok().flatten());
        if let Some(name) = part.and_then(|part| part.get_attribute("data-reveals")) {
            show(&name);
        }
    });
    on_cleanup(move || listener.remove());
}

/// Has the part around an element shown, if it is hidden.
fn reveal(element: &Element) {
    let bubbles = EventInit::new();
    bubbles.set_bubbles(true);
    if let Ok(event) = Event::new_with_event_init_dict(FOUND, &bubbles) {
        // Nobody cancels it.
        drop(element.dispatch_event(&event));
    }
}

//! Focuses a requested element, and shows the hidden part of a screen that it is in. Never takes the focus from a field
//! in use.

use leptos::html::{ElementType, Input};
use leptos::web_sys::{Element, Event, EventInit, HtmlElement, ScrollIntoViewOptions, ScrollLogicalPosition};

use crate::ui::hooks::dom::*;

/// The id of the composer's text area.
pub const COMPOSER: &str = "composer";

pub fn once_mounted<E: ElementType<Output: JsCast> + 'static>(node: NodeRef<E>) {
    Effect::new(move || {
        if let Some(element) = node.get().and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
            // A removed element needs no focus.
            drop(element.focus());
        }
    });
}

/// Focuses `input` once it is mounted, and selects its text.
pub fn use_select_all(input: NodeRef<Input>) {
    Effect::new(move || {
        if let Some(input) = input.get()
            && input.focus().is_ok()
        {
            // In the next frame, because its value is set after this.
            request_animation_frame(move || input.select());
        }
    });
}

/// Focuses the element of this id in the next frame, after rendering.
pub fn soon(id: String) {
    request_animation_frame(move || {
        // The element may be gone by now.
        drop(by_id(&id).map(|element| element.focus()));
    });
}

/// Takes the focus from a field, so that it stores its text while its component is there.
pub fn leave_field() {
    let focused = document().active_element().and_then(|element| element.dyn_into::<HtmlElement>().ok());
    if let Some(field) =
        focused.filter(|element| element.matches("input, textarea, select").unwrap_or_default())
    {
        drop(field.blur());
    }
}

/// Focuses the message box, where the next input goes. Not for a finger, which would open the keyboard.
pub fn to_composer() {
    let coarse = window().match_media("(pointer: coarse)").ok().flatten();
    if !coarse.is_some_and(|query| query.matches()) {
        soon(COMPOSER.to_owned());
    }
}

pub fn focused_id() -> Option<String> {
    document().active_element().map(|element| element.id()).filter(|id| !id.is_empty())
}

/// Scrolls to the element of this id in the next frame, and focuses it even if it is not focusable.
pub fn focus_and_scroll_to(id: String) {
    request_animation_frame(move || {
        let Some(element) = by_id(&id) else { return };
        element.scroll_into_view();
        make_focusable(&element);
        soon(id);
    });
}

/// Scrolls the element of this id to the top, and focuses it.
pub fn go_to(id: &str) {
    by_id(id).into_iter().for_each(|element| element.scroll_into_view());
    soon(id.to_owned());
}

/// Maximum frames to wait for a loading screen.
const FRAMES: u32 = 600;

/// Scrolls to the first match of a selector and focuses it, once there is one: its screen may still be loading. Opens
/// folded ancestors.
pub fn focus_when_ready(selector: String) {
    poll_and_focus(selector, FRAMES);
}

fn poll_and_focus(selector: String, frames: u32) {
    request_animation_frame(move || {
        let Some(element) = find(&selector) else {
            if frames > 0 {
                poll_and_focus(selector, frames - 1);
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
        // Hidden parts are rendered by then.
        request_animation_frame(move || {
            element.scroll_into_view();
            if element.focus().is_ok()
                && document().active_element().is_none_or(|focused| focused != *element)
            {
                make_focusable(&element);
                drop(element.focus());
            }
        });
    });
}

pub fn exists(selector: &str) -> bool {
    find(selector).is_some()
}

/// Clicks the last match of a selector: the newest, in chronological order.
pub fn press(selector: &str) {
    all(selector).last().into_iter().for_each(HtmlElement::click);
}

pub fn show(id: &str) {
    by_id(id).into_iter().for_each(|element| scroll_into_view(&element));
}

/// Scrolls an element into view by the nearest edge.
pub fn scroll_into_view(element: &Element) {
    let options = ScrollIntoViewOptions::new();
    options.set_block(ScrollLogicalPosition::Nearest);
    element.scroll_into_view_with_scroll_into_view_options(&options);
}

/// Arrow down and up focus the next or previous of the enabled matches of a selector.
pub fn step_by_arrows(event: &KeyboardEvent, selector: &str) {
    let back = match event.key().as_str() {
        "ArrowDown" => false,
        "ArrowUp" => true,
        _ => return,
    };
    event.prevent_default();
    let mut all = all(selector);
    all.retain(|element| !element.has_attribute("disabled"));
    let focused = document().active_element();
    // Any focused element in the row of a match counts; a field above the rows is in the parent of all of them.
    let at = all.iter().rposition(|element| {
        let row = element.parent_element();
        row.zip(focused.as_ref()).is_some_and(|(row, focused)| row.contains(Some(focused)))
    });
    let next = match at {
        Some(at) if back => at.checked_sub(1),
        Some(at) => at.checked_add(1),
        None => Some(0),
    };
    if let Some(element) = next.and_then(|next| all.get(next)) {
        // The element may be gone by now.
        drop(element.focus());
    }
}

/// Value of `hidden` for a part that the browser's page search still finds.
pub const UNTIL_FOUND: &str = "until-found";

/// Event that a browser fires when its search matches in a hidden part.
const FOUND: &str = "beforematch";

/// Calls `show` with the `data-reveals` of a hidden part when its content is found by the browser's search, or focused
/// by this module.
pub fn use_reveal(show: impl Fn(&str) + 'static) {
    on_window_event(FOUND, move |event| {
        let found = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        let part = found.and_then(|found| found.closest("[data-reveals]").ok().flatten());
        if let Some(name) = part.and_then(|part| part.get_attribute("data-reveals")) {
            show(&name);
        }
    });
}

/// Shows the hidden part around an element.
fn reveal(element: &Element) {
    let bubbles = EventInit::new();
    bubbles.set_bubbles(true);
    if let Ok(event) = Event::new_with_event_init_dict(FOUND, &bubbles) {
        // No listener cancels it.
        drop(element.dispatch_event(&event));
    }
}

//! Shows a modal dialog, whose focus the browser keeps and restores, and reads whether a `<details>` is open.

use leptos::ev::Event;
use leptos::html::Dialog;
use leptos::prelude::*;
use leptos::wasm_bindgen::JsCast as _;
use leptos::web_sys::{HtmlDetailsElement, HtmlElement};
use send_wrapper::SendWrapper;

use crate::ui::hooks::focus_restore::screen;

/// Shows the dialog as soon as it is there. It goes when it is taken out of the page.
pub fn use_modal(dialog: NodeRef<Dialog>) {
    let before = StoredValue::new(None::<SendWrapper<HtmlElement>>);
    Effect::new(move || {
        if let Some(dialog) = dialog.get()
            && dialog.is_connected()
        {
            let focused = document().active_element().and_then(|focused| focused.dyn_into().ok());
            before.set_value(focused.map(SendWrapper::new));
            // Only a dialog that is shown already refuses.
            drop(dialog.show_modal());
        }
    });
    on_cleanup(move || {
        let Some(before) = before.try_update_value(Option::take).flatten() else { return };
        // What closed it may have led elsewhere; until the dialog is gone nothing behind it takes the focus.
        request_animation_frame(move || {
            let is_free = document().active_element().is_none_or(|focused| focused.tag_name() == "BODY");
            let heir = if before.is_connected() { Some((*before).clone()) } else { screen() };
            if is_free {
                drop(heir.map(|heir| heir.focus()));
            }
        });
    });
}

/// Whether a click on a dialog fell beside what stands in it.
pub fn is_beside(event: &leptos::ev::MouseEvent) -> bool {
    let (Some(target), Some(own)) = (event.target(), event.current_target()) else { return false };
    target == own
}

/// Whether the `<details>` that was toggled is open now.
pub fn is_details_open(toggled: &Event) -> bool {
    event_target::<HtmlDetailsElement>(toggled).open()
}

/// Closes a dialog, so that the browser gives the focus back to where it was.
pub fn close(dialog: NodeRef<Dialog>) {
    if let Some(dialog) = dialog.try_get_untracked().flatten() {
        dialog.close();
    }
}

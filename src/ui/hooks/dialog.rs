//! Shows modal dialogs and popovers, which restore the focus, and reads whether a `<details>` is open.

use leptos::ev::Event;
use leptos::html::ElementType;
use leptos::web_sys::{HtmlDetailsElement, HtmlDialogElement, HtmlElement};

use crate::ui::hooks::dom::*;
use crate::ui::hooks::events::{pixels, window_size};
use crate::ui::hooks::focus_restore::screen;

/// Shows the dialog once it is mounted. It closes when it is unmounted.
pub fn use_modal(dialog: NodeRef<Dialog>) {
    use_shown(
        dialog,
        || None,
        |dialog: &HtmlElement, _| {
            // Only an open dialog throws.
            drop(dialog.unchecked_ref::<HtmlDialogElement>().show_modal());
        },
    );
}

/// Shows a popover beside the element that `opener` selects, once both are mounted, and focuses its first control. The
/// browser closes it on Escape and on outside clicks, fires `toggle`, and restores the focus to the opener.
pub fn use_popover<E: ElementType<Output: JsCast> + 'static>(popover: NodeRef<E>, opener: String) {
    use_shown(
        popover,
        move || opener_of(&opener),
        |popover: &HtmlElement, opener| {
            // Only an open popover throws.
            drop(popover.show_popover());
            place(popover, opener);
            let first = popover
                .query_selector("[autofocus], [role^=menuitem], button, input, select, textarea, a[href]");
            if let Ok(Some(first)) = first {
                drop(first.unchecked_into::<HtmlElement>().focus());
            }
        },
    );
}

/// Closes a popover, so that the browser restores the focus.
pub fn hide<E: ElementType<Output: JsCast>>(popover: NodeRef<E>) {
    if let Some(popover) = popover.get_untracked() {
        // A closed popover or another element throws.
        drop(popover.unchecked_into::<HtmlElement>().hide_popover());
    }
}

pub fn is_popover_closed(toggled: &Event) -> bool {
    let popover = event_target::<HtmlElement>(toggled);
    popover.is_connected() && !popover.matches(":popover-open").unwrap_or(false)
}

/// Distance of a popover from its opener and from the window's edges, in pixels.
const GAP: f64 = 4.0;
/// In narrower windows a popover takes the full width.
const NARROW: f64 = 560.0;

/// The opener of a popover: the focused match, if there are several.
fn opener_of(selector: &str) -> Option<HtmlElement> {
    let focused = document().active_element().filter(|focused| focused.matches(selector).unwrap_or(false));
    focused.and_then(|focused| focused.dyn_into().ok()).or_else(|| find(selector))
}

/// Places a popover below its opener, or above if there is more room; centred without an opener.
fn place(popover: &HtmlElement, opener: Option<&HtmlElement>) {
    let (width, height) = window_size();
    let set = |name: &str, value: String| drop(popover.style().set_property(name, &value));
    let pixels = |size: f64| pixels(size.max(0.0));
    set("margin", "0".to_owned());
    set("inset", "auto".to_owned());
    let own = popover.get_bounding_client_rect();
    let opener = opener.map(|opener| opener.get_bounding_client_rect()).filter(|rect| rect.width() > 0.0);
    let Some(opener) = opener else {
        set("left", pixels((width - own.width()) / 2.0));
        set("top", pixels((height - own.height()) / 2.0));
        return set("max-height", pixels(height - 4.0 * GAP));
    };
    let (above, below) = (opener.top() - 3.0 * GAP, height - opener.bottom() - 3.0 * GAP);
    if own.height() > below.max(above) {
        // On a phone the popover covers its opener rather than overflowing.
        set("bottom", pixels(2.0 * GAP));
        set("max-height", pixels(height - 4.0 * GAP));
    } else if below >= own.height() || below >= above {
        set("top", pixels(opener.bottom() + GAP));
        set("max-height", pixels(below));
    } else {
        set("bottom", pixels(height - opener.top() + GAP));
        set("max-height", pixels(above));
    }
    if width < NARROW && own.width() > width / 2.0 {
        set("left", pixels(2.0 * GAP));
        return set("width", pixels(width - 4.0 * GAP));
    }
    // Right-aligned with the opener if it does not fit left-aligned.
    let from_start = opener.left();
    let fits = from_start + own.width() + 2.0 * GAP <= width;
    set("left", pixels(if fits { from_start } else { opener.right() - own.width() }));
}

/// Shows an element once it is mounted, and restores the focus when it is unmounted: to its opener, which not every
/// browser focuses on a click, else to the element focused now.
fn use_shown<E: ElementType<Output: JsCast> + 'static>(
    node: NodeRef<E>,
    opener: impl Fn() -> Option<HtmlElement> + 'static,
    show: impl Fn(&HtmlElement, Option<&HtmlElement>) + 'static,
) {
    let before = StoredValue::new(None::<SendWrapper<HtmlElement>>);
    Effect::new(move || {
        if let Some(element) = node.get().map(|element| element.unchecked_into::<HtmlElement>())
            && element.is_connected()
        {
            // A menu whose item opens it gives the focus back to its own opener first.
            if let Some(menu) = find("[role=menu]:popover-open") {
                // It is open, so nothing throws.
                drop(menu.hide_popover());
            }
            let opener = opener();
            // An opener that cannot be focused is skipped.
            drop(opener.as_ref().map(|opener| opener.focus()));
            let focused = document().active_element().and_then(|focused| focused.dyn_into().ok());
            before.set_value(focused.map(SendWrapper::new));
            show(&element, opener.as_ref());
        }
    });
    on_cleanup(move || {
        let Some(before) = before.try_update_value(Option::take).flatten() else { return };
        // Deferred, because nothing behind a dialog can be focused before it is gone. A focus set meanwhile wins.
        request_animation_frame(move || {
            let is_free = document().active_element().is_none_or(|focused| focused.tag_name() == "BODY");
            let target = if before.is_connected() { Some((*before).clone()) } else { screen() };
            if is_free {
                drop(target.map(|target| target.focus()));
            }
        });
    });
}

/// True if a click hit the dialog itself, not its content.
pub fn is_beside(event: &leptos::ev::MouseEvent) -> bool {
    let (Some(target), Some(own)) = (event.target(), event.current_target()) else { return false };
    target == own
}

pub fn is_details_open(toggled: &Event) -> bool {
    event_target::<HtmlDetailsElement>(toggled).open()
}

/// The element of a dialog, and what closes it, so that the browser restores the focus, and then unmounts it.
pub fn leaving(unmount: impl Fn() + Copy + 'static) -> (NodeRef<Dialog>, impl Fn() + Copy + 'static) {
    let node = NodeRef::new();
    let leave = move || {
        close(node);
        unmount();
    };
    (node, leave)
}

/// Closes a dialog or a popover, so that the browser restores the focus.
pub fn close(dialog: NodeRef<Dialog>) {
    hide(dialog);
    dialog.get_untracked().into_iter().for_each(|dialog| dialog.close());
}

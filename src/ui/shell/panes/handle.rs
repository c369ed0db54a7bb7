//! The handle between two panes, moved by dragging or by the arrow keys.

use leptos::ev::{KeyboardEvent, PointerEvent};
use leptos::html::Section;

use crate::ui::hooks::pointer::{hold, width_of};
use crate::ui::kit::prelude::*;
use crate::ui::workspace::panes::{Pane, PaneLayout, PaneState};
use nexus_view::strings::panes as words;

/// The least width of an outer pane, in pixels.
const LEAST: f64 = 208.0;
const MOST: f64 = 1600.0;
const STEP: f64 = 16.0;

/// The handle of an outer pane.
#[component]
pub fn PaneHandle(
    place: Pane,
    /// The same as an element.
    pane: NodeRef<Section>,
    side: PaneState,
    /// Where that is kept.
    keep: PaneLayout,
) -> impl IntoMarkup {
    // Where the pointer took hold, and how wide the pane was then.
    let held = RwSignal::new(None::<(f64, f64)>);
    // The handle stands right of the left pane, and left of the right one.
    let outward = if place == Pane::Agents { 1.0 } else { -1.0 };
    let set = move |width: f64| side.width.set(Some(width.clamp(LEAST, MOST).round()));

    let down = move |ev: PointerEvent| {
        if ev.button() == 0 && hold(&ev) {
            held.set(Some((f64::from(ev.client_x()), width_of(pane))));
        }
    };
    let drag = move |ev: PointerEvent| {
        if let Some((from, width)) = held.get_untracked() {
            set(width + (f64::from(ev.client_x()) - from) * outward);
        }
    };
    let release = move |_| {
        if held.get_untracked().is_some() {
            held.set(None);
            keep.keep();
        }
    };
    let reset = move || {
        side.width.set(None);
        keep.keep();
    };
    let key = move |ev: KeyboardEvent| {
        let step = if ev.shift_key() { 4.0 * STEP } else { STEP };
        let width = width_of(pane);
        match ev.key().as_str() {
            "ArrowRight" => set(width + step * outward),
            "ArrowLeft" => set(width - step * outward),
            "Home" => set(LEAST),
            "End" => set(MOST),
            "Enter" => side.width.set(None),
            _ => return,
        }
        ev.prevent_default();
        keep.keep();
    };
    view! {
        <div
            class="pane-handle" role="separator" tabindex=move || if side.folded.get() { "-1" } else { "0" }
            aria-orientation="vertical" aria-label=words::width_of(place.title())
            aria-controls=format!("pane-{}", place.name()) aria-valuemin=LEAST aria-valuemax=MOST
            aria-valuenow=move || side.width.get().unwrap_or_else(|| width_of(pane)) title=words::RESIZE
            hidden=move || side.folded.get() data-held=move || held.get().is_some().to_string()
            on:pointerdown=down on:pointermove=drag on:pointerup=release on:pointercancel=release
            on:dblclick=move |_| reset() on:keydown=key
        ></div>
    }
}

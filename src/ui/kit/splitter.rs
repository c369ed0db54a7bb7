//! A separator between two panes, moved by dragging and by keys: `splitter(words::WIDTH, width, ("list", "text"))`.

use leptos::ev;
use leptos::ev::{FocusEvent, PointerEvent};

use crate::ui::hooks::events::{capture, size_of, whole};
use crate::ui::kit::base::*;
use crate::ui::kit::markup::{Element, IntoMarkup, Markup};

/// Step of an arrow key, in pixels; four times as much with Shift.
const STEP: f64 = 16.0;

#[must_use]
pub struct Splitter {
    label: String,
    /// The chosen size of the resized pane in pixels; `None` for the stylesheet's.
    size: RwSignal<Option<f64>>,
    /// Ids of the resized pane, and of the other one.
    parts: (&'static str, &'static str),
    least: (f64, f64),
    is_stacked: bool,
    /// True if the resized pane comes after the separator.
    is_before: bool,
    title: &'static str,
    hidden: Box<dyn Fn() -> bool + Send>,
    on_save: Box<dyn Fn()>,
}

/// A splitter between two panes side by side, which resizes the first.
pub fn splitter(
    label: String,
    size: RwSignal<Option<f64>>,
    parts: (&'static str, &'static str),
    least: (f64, f64),
) -> Splitter {
    Splitter {
        label,
        size,
        parts,
        least,
        is_stacked: false,
        is_before: false,
        title: "",
        hidden: Box::new(|| false),
        on_save: Box::new(|| ()),
    }
}

impl Splitter {
    pub fn stacked(self) -> Self {
        Self { is_stacked: true, ..self }
    }

    /// Resizes the pane after it.
    pub fn before(self) -> Self {
        Self { is_before: true, ..self }
    }

    pub fn title(self, title: &'static str) -> Self {
        Self { title, ..self }
    }

    pub fn hidden(self, hidden: impl Fn() -> bool + Send + 'static) -> Self {
        Self { hidden: Box::new(hidden), ..self }
    }

    pub fn on_save(self, on_save: impl Fn() + 'static) -> Self {
        Self { on_save: Box::new(on_save), ..self }
    }
}

impl IntoMarkup for Splitter {
    fn into_markup(self) -> Markup {
        let Self { label, size, parts, least, is_stacked, is_before, title, hidden, on_save } = self;
        let on_save = StoredValue::new(on_save);
        let measure = move |id: &str| {
            let (width, height) = size_of(id);
            if is_stacked { height } else { width }
        };
        // Current and maximum size, measured when the separator was last used.
        let (now, most) = (RwSignal::new(0.0), RwSignal::new(0.0));
        let measure_now = move || {
            let own = measure(parts.0);
            now.set(own);
            most.set((own + measure(parts.1) - least.1).max(least.0));
        };
        let set = move |target_size: f64| {
            let target_size = target_size.min(most.get_untracked()).max(least.0).round();
            if target_size != now.get_untracked() {
                now.set(target_size);
                size.set(Some(target_size));
            }
        };
        let forward = if is_before { -1.0 } else { 1.0 };
        let at = move |ev: &PointerEvent| f64::from(if is_stacked { ev.client_y() } else { ev.client_x() });
        // The pointer's position and the pane's size at the start of a drag.
        let drag_start = RwSignal::new(None::<(f64, f64)>);
        let down = move |ev: PointerEvent| {
            if ev.button() == 0 && capture(&ev) {
                measure_now();
                drag_start.set(Some((at(&ev), now.get_untracked())));
            }
        };
        let drag = move |ev: PointerEvent| {
            if let Some((from, size_before)) = drag_start.get_untracked() {
                set(size_before + (at(&ev) - from) * forward);
            }
        };
        // Stores the rendered size: the stylesheet may allow less.
        let settle = move || {
            request_animation_frame(move || {
                if now.try_get_untracked().is_none() {
                    return;
                }
                measure_now();
                if size.get_untracked().is_some() {
                    size.set(Some(now.get_untracked()));
                }
                on_save.with_value(|on_save| on_save());
            });
        };
        let release = move |_: PointerEvent| {
            // A click without movement changes nothing.
            if drag_start.get_untracked().is_some_and(|(_, size_before)| size_before != now.get_untracked()) {
                settle();
            }
            drag_start.set(None);
        };
        let reset = move || {
            size.set(None);
            settle();
        };
        let key = move |ev: KeyboardEvent| {
            let step = if ev.shift_key() { 4.0 * STEP } else { STEP } * forward;
            measure_now();
            let size_before = now.get_untracked();
            match ev.key().as_str() {
                "ArrowRight" if !is_stacked => set(size_before + step),
                "ArrowLeft" if !is_stacked => set(size_before - step),
                "ArrowDown" if is_stacked => set(size_before + step),
                "ArrowUp" if is_stacked => set(size_before - step),
                "Home" => set(least.0),
                "End" => set(most.get_untracked()),
                "Enter" => size.set(None),
                _ => return,
            }
            ev.prevent_default();
            settle();
        };
        let mut line =
            Element::new("div", &[("class", "splitter"), ("role", "separator"), ("tabindex", "0")]);
        line.attribute("aria-orientation", if is_stacked { "horizontal" } else { "vertical" });
        line.attribute("aria-label", label);
        line.attribute("aria-controls", parts.0);
        line.attribute("aria-valuemin", whole(least.0));
        line.attribute("aria-valuemax", move || whole(most.get()));
        line.attribute("aria-valuenow", move || whole(now.get()));
        line.attribute("title", title);
        line.attribute("hidden", hidden);
        line.attribute("data-held", move || drag_start.with(Option::is_some).to_string());
        line.on("focus", ev::focus, move |_: FocusEvent| measure_now());
        line.on("pointerdown", ev::pointerdown, down);
        line.on("pointermove", ev::pointermove, drag);
        line.on("pointerup", ev::pointerup, release);
        line.on("pointercancel", ev::pointercancel, release);
        line.on("dblclick", ev::dblclick, move |_: MouseEvent| reset());
        line.on("keydown", ev::keydown, key);
        // Once the panes are rendered.
        request_animation_frame(move || {
            if now.try_get_untracked().is_some() {
                measure_now();
            }
        });
        line.done()
    }
}

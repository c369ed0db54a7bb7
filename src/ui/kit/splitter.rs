//! A line between two parts, which moves by dragging and by keys: `splitter(words::WIDTH, width, ("list", "text"))`.

use leptos::ev::{self, FocusEvent, KeyboardEvent, MouseEvent, PointerEvent};
use leptos::prelude::*;

use crate::ui::hooks::pointer::{hold, size_of};
use crate::ui::kit::markup::{Element, IntoMarkup, Markup};
use crate::ui::kit::signal::RwSignal;
use crate::ui::kit::stored::StoredValue;

/// How far an arrow key moves it, in pixels; with Shift four times as far.
const STEP: f64 = 16.0;

#[must_use]
pub struct Splitter {
    label: String,
    /// The chosen size in pixels of the part that it sizes; `None` where the style sheet decides.
    size: RwSignal<Option<f64>>,
    /// The ids of the part that it sizes, and of the one that gives way.
    parts: (&'static str, &'static str),
    least: (f64, f64),
    /// Whether the parts stand one above the other.
    is_stacked: bool,
    /// Whether the part that it sizes comes after it.
    is_before: bool,
    title: &'static str,
    hidden: Box<dyn Fn() -> bool + Send>,
    kept: Box<dyn Fn()>,
}

/// A splitter between two parts that stand side by side, of which it sizes the first.
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
        kept: Box::new(|| ()),
    }
}

impl Splitter {
    pub fn stacked(self) -> Self {
        Self { is_stacked: true, ..self }
    }

    /// It sizes the part behind it.
    pub fn before(self) -> Self {
        Self { is_before: true, ..self }
    }

    pub fn title(self, title: &'static str) -> Self {
        Self { title, ..self }
    }

    pub fn hidden(self, hidden: impl Fn() -> bool + Send + 'static) -> Self {
        Self { hidden: Box::new(hidden), ..self }
    }

    pub fn kept(self, kept: impl Fn() + 'static) -> Self {
        Self { kept: Box::new(kept), ..self }
    }
}

impl IntoMarkup for Splitter {
    fn into_markup(self) -> Markup {
        let Self { label, size, parts, least, is_stacked, is_before, title, hidden, kept } = self;
        let kept = StoredValue::new(kept);
        let measure = move |id: &str| {
            let (width, height) = size_of(id);
            if is_stacked { height } else { width }
        };
        // What is told of it, from when it was last reached for.
        let (now, most) = (RwSignal::new(0.0), RwSignal::new(0.0));
        let look = move || {
            let own = measure(parts.0);
            now.set(own);
            most.set((own + measure(parts.1) - least.1).max(least.0));
        };
        let set = move |wanted: f64| {
            let wanted = wanted.clamp(least.0, most.get_untracked().max(least.0)).round();
            if wanted != now.get_untracked() {
                now.set(wanted);
                size.set(Some(wanted));
            }
        };
        let forward = if is_before { -1.0 } else { 1.0 };
        let at = move |ev: &PointerEvent| f64::from(if is_stacked { ev.client_y() } else { ev.client_x() });
        // Where the pointer took hold, and how large the part was then.
        let held = RwSignal::new(None::<(f64, f64)>);
        let down = move |ev: PointerEvent| {
            if ev.button() == 0 && hold(&ev) {
                look();
                held.set(Some((at(&ev), now.get_untracked())));
            }
        };
        let drag = move |ev: PointerEvent| {
            if let Some((from, was)) = held.get_untracked() {
                set(was + (at(&ev) - from) * forward);
            }
        };
        // What is kept is what was drawn: the style sheet may allow less.
        let settle = move || {
            request_animation_frame(move || {
                if now.try_get_untracked().is_none() {
                    return;
                }
                look();
                if size.get_untracked().is_some() {
                    size.set(Some(now.get_untracked()));
                }
                kept.with_value(|kept| kept());
            });
        };
        let release = move |_: PointerEvent| {
            // A click alone chooses nothing.
            if held.get_untracked().is_some_and(|(_, was)| was != now.get_untracked()) {
                settle();
            }
            held.set(None);
        };
        let reset = move || {
            size.set(None);
            settle();
        };
        let key = move |ev: KeyboardEvent| {
            let step = if ev.shift_key() { 4.0 * STEP } else { STEP } * forward;
            look();
            let was = now.get_untracked();
            match ev.key().as_str() {
                "ArrowRight" if !is_stacked => set(was + step),
                "ArrowLeft" if !is_stacked => set(was - step),
                "ArrowDown" if is_stacked => set(was + step),
                "ArrowUp" if is_stacked => set(was - step),
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
        line.attribute("aria-valuemin", least.0.to_string());
        line.attribute("aria-valuemax", move || most.get().to_string());
        line.attribute("aria-valuenow", move || now.get().to_string());
        line.attribute("title", title);
        line.attribute("hidden", hidden);
        line.attribute("data-held", move || held.with(Option::is_some).to_string());
        line.on("focus", ev::focus, move |_: FocusEvent| look());
        line.on("pointerdown", ev::pointerdown, down);
        line.on("pointermove", ev::pointermove, drag);
        line.on("pointerup", ev::pointerup, release);
        line.on("pointercancel", ev::pointercancel, release);
        line.on("dblclick", ev::dblclick, move |_: MouseEvent| reset());
        line.on("keydown", ev::keydown, key);
        // As soon as the parts are drawn.
        request_animation_frame(move || {
            if now.try_get_untracked().is_some() {
                look();
            }
        });
        line.done()
    }
}

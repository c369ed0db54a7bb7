//! Draws lines, boxes and text on a canvas, with colours from the page's stylesheet.

use leptos::html::{Canvas, Div};
use leptos::prelude::*;
use leptos::wasm_bindgen::{JsCast as _, JsValue};
use leptos::web_sys::{CanvasRenderingContext2d, Element};

use crate::ui::hooks::virtual_list::on_resize;
use crate::ui::kit::signal::RwSignal;

/// A canvas that fills its element, and that element's size in pixels.
#[derive(Clone, Copy)]
pub struct CanvasSurface {
    pub frame: NodeRef<Div>,
    pub canvas: NodeRef<Canvas>,
    size: RwSignal<(f64, f64)>,
}

pub fn use_sheet() -> CanvasSurface {
    let this =
        CanvasSurface { frame: NodeRef::new(), canvas: NodeRef::new(), size: RwSignal::new((0.0, 0.0)) };
    let look = move || {
        let Some(frame) = this.frame.try_get_untracked().flatten() else { return };
        let size = (f64::from(frame.client_width()), f64::from(frame.client_height()));
        if this.size.get_untracked() != size {
            this.size.set(size);
        }
    };
    on_resize(move || vec![this.frame.get().map(Into::into)], look);
    this
}

impl CanvasSurface {
    /// How wide and how high it is. Tracks it.
    pub fn size(&self) -> (f64, f64) {
        self.size.get()
    }

    /// The sheet made empty, to be drawn on in pixels of the page; `None` before it is there.
    pub fn pen(&self) -> Option<CanvasPen> {
        let canvas = self.canvas.get_untracked()?;
        let (width, height) = self.size.get_untracked();
        let dense = window().device_pixel_ratio().clamp(1.0, 3.0);
        let whole = |size: f64| (size * dense).round().clamp(0.0, 16_384.0) as u32;
        if (canvas.width(), canvas.height()) != (whole(width), whole(height)) {
            canvas.set_width(whole(width));
            canvas.set_height(whole(height));
        }
        let context = canvas.get_context("2d").ok().flatten()?.dyn_into::<CanvasRenderingContext2d>().ok()?;
        context.set_transform(dense, 0.0, 0.0, dense, 0.0, 0.0).ok()?;
        context.clear_rect(0.0, 0.0, width, height);
        Some(CanvasPen(context))
    }
}

pub struct CanvasPen(CanvasRenderingContext2d);

impl CanvasPen {
    /// The way of a line from one place to another, down first and then across where they are not above each other;
    /// drawn by [`CanvasPen::stroke`].
    pub fn way(&self, from: (f64, f64), to: (f64, f64)) {
        self.0.move_to(from.0, from.1);
        if (from.0 - to.0).abs() < 0.5 {
            self.0.line_to(to.0, to.1);
        } else {
            let middle = (from.1 + to.1) / 2.0;
            let round = ((to.1 - from.1).abs() / 2.0).min((to.0 - from.0).abs() / 2.0);
            // Where a corner cannot be round, the line goes straight there.
            drop(self.0.arc_to(from.0, middle, to.0, middle, round));
            drop(self.0.arc_to(to.0, middle, to.0, to.1, round));
            self.0.line_to(to.0, to.1);
        }
    }

    /// Begins ways and boxes that are drawn together.
    pub fn begin(&self) {
        self.0.begin_path();
    }

    /// A box, drawn by [`CanvasPen::fill`] or [`CanvasPen::stroke`]. Corners are round where that can be seen.
    pub fn area(&self, x: f64, y: f64, width: f64, height: f64, round: f64) {
        if round < 1.0 || self.0.round_rect_with_f64(x, y, width, height, round).is_err() {
            self.0.rect(x, y, width, height);
        }
    }

    pub fn stroke(&self, colour: &str, width: f64, dashed: bool) {
        self.0.set_stroke_style_str(colour);
        self.0.set_line_width(width);
        let dashes = js_list(if dashed { &[5.0, 4.0] } else { &[] });
        // A browser that draws no dashes draws a line.
        drop(self.0.set_line_dash(&dashes));
        self.0.stroke();
    }

    pub fn fill(&self, colour: &str) {
        self.0.set_fill_style_str(colour);
        self.0.fill();
    }

    /// Words from this place on, in at most this width: what does not fit is left out.
    pub fn words(&self, text: &str, (x, y): (f64, f64), font: &str, colour: &str, most: f64) {
        self.0.set_font(font);
        self.0.set_fill_style_str(colour);
        self.0.set_text_baseline("middle");
        let fitting = self.fitting(text, most);
        drop(self.0.fill_text(&fitting, x, y));
    }

    pub fn width_of(&self, text: &str, font: &str) -> f64 {
        self.0.set_font(font);
        self.0.measure_text(text).map_or(0.0, |measured| measured.width())
    }

    fn fitting(&self, text: &str, most: f64) -> String {
        let width = |text: &str| self.0.measure_text(text).map_or(0.0, |measured| measured.width());
        let whole = width(text);
        if whole <= most {
            return text.to_owned();
        }
        let letters: Vec<char> = text.chars().collect();
        let mut count = (most / whole * letters.len() as f64) as usize;
        loop {
            let cut: String = letters.iter().take(count).chain(&['…']).collect();
            if count == 0 || width(&cut) <= most {
                return cut;
            }
            count -= 1;
        }
    }
}

fn js_list(numbers: &[f64]) -> leptos::web_sys::js_sys::Array {
    numbers.iter().map(|number| JsValue::from_f64(*number)).collect()
}

/// The colours of the children of an element, each by its `data-name`, as the page's style gives them now.
pub fn colours(probes: NodeRef<Div>) -> Vec<(String, String)> {
    let Some(probes) = probes.get_untracked() else { return Vec::new() };
    let children = probes.children();
    let probe = |at: u32| -> Option<(String, String)> {
        let child: Element = children.item(at)?;
        let style = window().get_computed_style(&child).ok().flatten()?;
        Some((child.get_attribute("data-name")?, style.get_property_value("color").ok()?))
    };
    (0..children.length()).filter_map(probe).collect()
}

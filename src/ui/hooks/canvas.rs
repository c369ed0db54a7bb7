//! Draws lines, boxes and text on a canvas, with colours from the page's stylesheet.

use leptos::html::Canvas;
use leptos::web_sys::{CanvasRenderingContext2d, Element};

use crate::ui::hooks::dom::*;
use crate::ui::hooks::virtual_list::on_resize;

/// A canvas that fills its element, and the element's size in pixels.
#[derive(Clone, Copy, Default)]
pub struct CanvasSurface {
    pub frame: NodeRef<Div>,
    pub canvas: NodeRef<Canvas>,
    pub size: RwSignal<(f64, f64)>,
}

pub fn use_canvas() -> CanvasSurface {
    let this = CanvasSurface::default();
    let measure = move || {
        let Some(frame) = this.frame.get_untracked() else { return };
        let size = (f64::from(frame.client_width()), f64::from(frame.client_height()));
        this.size.set_if_changed(size);
    };
    on_resize(move || vec![this.frame.get().map(Into::into)], measure);
    this
}

impl CanvasSurface {
    /// The page's typeface: a canvas does not inherit it for its texts.
    pub fn typeface(&self) -> String {
        let canvas = self.canvas.get_untracked();
        let style = canvas.and_then(|canvas| window().get_computed_style(&canvas).ok().flatten());
        style.and_then(|style| style.get_property_value("font-family").ok()).unwrap_or_default()
    }

    /// Clears the canvas and returns a pen in page pixels; `None` before the canvas is mounted.
    pub fn pen(&self) -> Option<CanvasPen> {
        let canvas = self.canvas.get_untracked()?;
        let (width, height) = self.size.get_untracked();
        let ratio = window().device_pixel_ratio().clamp(1.0, 3.0);
        let device_pixels = |size: f64| (size * ratio).round().clamp(0.0, 16_384.0) as u32;
        if (canvas.width(), canvas.height()) != (device_pixels(width), device_pixels(height)) {
            canvas.set_width(device_pixels(width));
            canvas.set_height(device_pixels(height));
        }
        let context = canvas.get_context("2d").ok().flatten()?.dyn_into::<CanvasRenderingContext2d>().ok()?;
        context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0).ok()?;
        context.clear_rect(0.0, 0.0, width, height);
        Some(CanvasPen(context))
    }
}

pub struct CanvasPen(CanvasRenderingContext2d);

impl CanvasPen {
    /// Adds an edge from one point to another, down first and then across unless they are aligned; drawn by
    /// [`CanvasPen::stroke`].
    pub fn way(&self, from: (f64, f64), to: (f64, f64)) {
        self.0.move_to(from.0, from.1);
        if (from.0 - to.0).abs() < 0.5 {
            self.0.line_to(to.0, to.1);
        } else {
            let middle = (from.1 + to.1) / 2.0;
            let round = ((to.1 - from.1).abs() / 2.0).min((to.0 - from.0).abs() / 2.0);
            // If a corner cannot be round, the line is straight there.
            drop(self.0.arc_to(from.0, middle, to.0, middle, round));
            drop(self.0.arc_to(to.0, middle, to.0, to.1, round));
            self.0.line_to(to.0, to.1);
        }
    }

    /// Begins a path of edges and boxes that are drawn together.
    pub fn begin(&self) {
        self.0.begin_path();
    }

    /// Adds a box, drawn by [`CanvasPen::fill`] or [`CanvasPen::stroke`]. Corners are rounded where visible.
    pub fn area(&self, x: f64, y: f64, width: f64, height: f64, round: f64) {
        if round < 1.0 || self.0.round_rect_with_f64(x, y, width, height, round).is_err() {
            self.0.rect(x, y, width, height);
        }
    }

    pub fn stroke(&self, colour: &str, width: f64, dashed: bool) {
        self.0.set_stroke_style_str(colour);
        self.0.set_line_width(width);
        let dashes: &[u8] = if dashed { &[5, 4] } else { &[] };
        // Browsers without dashes draw a solid line.
        drop(self.0.set_line_dash(&dashes.iter().copied().map(JsValue::from).collect::<js_sys::Array>()));
        self.0.stroke();
    }

    pub fn fill(&self, colour: &str) {
        self.0.set_fill_style_str(colour);
        self.0.fill();
    }

    /// Draws a text, truncated to a maximum width.
    pub fn words(&self, text: &str, (x, y): (f64, f64), font: &str, colour: &str, most: f64) {
        self.0.set_font(font);
        self.0.set_fill_style_str(colour);
        self.0.set_text_baseline("middle");
        let truncated = self.truncated(text, most);
        drop(self.0.fill_text(&truncated, x, y));
    }

    pub fn width_of(&self, text: &str, font: &str) -> f64 {
        self.0.set_font(font);
        self.0.measure_text(text).map_or(0.0, |measured| measured.width())
    }

    fn truncated(&self, text: &str, most: f64) -> String {
        let width = |text: &str| self.0.measure_text(text).map_or(0.0, |measured| measured.width());
        let whole = width(text);
        if whole <= most {
            return text.to_owned();
        }
        let letters: Vec<char> = text.chars().collect();
        let mut count = (most / whole * letters.len() as f64) as usize;
        loop {
            let truncated_text: String = letters.iter().take(count).chain(&['…']).collect();
            if count == 0 || width(&truncated_text) <= most {
                return truncated_text;
            }
            count -= 1;
        }
    }
}

/// The computed colours of an element's children, by their `data-name`.
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

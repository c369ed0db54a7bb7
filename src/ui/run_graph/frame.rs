//! The frame of a drawn graph: it zooms, has the lines of edges below the nodes, and knows whether somebody zoomed.

use leptos::ev::PointerEvent;

use crate::ui::kit::markup::IntoSource;
use crate::ui::prelude::*;
use nexus_view::run_graph::geometry::{DiagramGeometry, EdgePath, NODE_WIDTH, clamp_zoom};
use nexus_view::strings::run_graph as words;

const STEP: f64 = 1.25;
/// Minimum initial zoom: smaller text is unreadable.
const READABLE: f64 = 0.7;

/// A length of the drawing, which grows with the page's text.
pub(super) fn length(pixels: f64) -> String {
    format!("{}rem", pixels / 16.0)
}

#[derive(Clone, Copy)]
pub(super) struct GraphFrame {
    pub(super) node: NodeRef<Div>,
    plane: NodeRef<Div>,
    geometry: Selector<Arc<DiagramGeometry>>,
    /// `None` until the graph was zoomed.
    zoom: RwSignal<Option<f64>>,
}

impl GraphFrame {
    pub(super) fn new(geometry: Selector<Arc<DiagramGeometry>>) -> Self {
        Self { node: NodeRef::new(), plane: NodeRef::new(), geometry, zoom: RwSignal::new(None) }
    }

    /// The zoom that shows the whole graph; `None` before the frame is mounted.
    fn whole(self) -> Option<f64> {
        let frame = self.node.get_untracked()?;
        let length = |pixels: i32| f64::from(pixels) / page::text_scale();
        let (width, height) = (length(frame.client_width()), length(frame.client_height()));
        Some(self.geometry.with_untracked(|geometry| geometry.fit(width, height)))
    }

    fn fit(self) {
        self.zoom.set(self.whole());
    }

    /// Shows the whole graph, as far as it stays readable, unless somebody zoomed; true if it did. Reactive.
    pub(super) fn show_at_first(self) -> bool {
        self.geometry.track();
        let is_first = self.node.get().is_some() && self.zoom.with_untracked(Option::is_none);
        if is_first {
            self.zoom.set(self.whole().map(|whole| whole.max(READABLE)));
        }
        is_first
    }

    fn scale(self) -> f64 {
        self.zoom.get().unwrap_or(1.0)
    }

    fn by(self, step: f64) {
        self.zoom.update(|zoom| *zoom = Some(clamp_zoom(zoom.unwrap_or(1.0) * step)));
    }

    /// Zooms if this key does that; else false.
    pub(super) fn takes(self, key: &str) -> bool {
        match key {
            "f" | "0" => self.fit(),
            "+" | "=" => self.by(STEP),
            "-" => self.by(1.0 / STEP),
            _ => return false,
        }
        true
    }

    pub(super) fn plane(self, drawing: Markup) -> Markup {
        let size = move |side: fn(&DiagramGeometry) -> f64| {
            length(self.geometry.with(|geometry| side(geometry)) * self.scale())
        };
        let width = move || size(|geometry| geometry.width.max(NODE_WIDTH));
        view! {
            <div class="run-room" style:inline-size=width style:block-size=move || size(|geometry| geometry.height)>
                <div class="run-plane" node_ref=self.plane style:transform=move || format!("scale({})", self.scale())>{drawing}</div>
            </div>
        }
    }

    /// Where a pointer is in the drawing.
    pub(super) fn point(self, event: &PointerEvent) -> Option<(f64, f64)> {
        let corner = self.plane.get_untracked()?.get_bounding_client_rect();
        let scale = untrack(move || self.scale()) * page::text_scale();
        let (x, y) = (f64::from(event.client_x()), f64::from(event.client_y()));
        Some(((x - corner.left()) / scale, (y - corner.top()) / scale))
    }

    /// The buttons to zoom in, zoom out, and show the whole graph.
    pub(super) fn buttons(self, [closer, further, whole]: [&'static str; 3]) -> Markup {
        let one = |test, sign, told: Text| icon_button(icon(sign)).test(test).named(told);
        view! {
            {one(closer, icon::NEW, common::ZOOM_IN).on_click(move |_| self.by(STEP))}
            {one(further, icon::LESS, common::ZOOM_OUT).on_click(move |_| self.by(1.0 / STEP))}
            {one(whole, SIZE, words::FIT).on_click(move |_| self.fit())}
        }
    }

    /// The edges that have a path, with their places. Reactive.
    pub(super) fn paths(self) -> Vec<(usize, EdgePath)> {
        self.geometry.with(|geometry| {
            let paths = geometry.edges.iter().enumerate();
            paths.filter_map(|(at, path)| Some((at, path.clone()?))).collect()
        })
    }

    pub(super) fn lines(self, lines: impl Fn() -> Vec<Markup> + Send + 'static) -> Markup {
        let size = move || self.geometry.with(|geometry| (geometry.width, geometry.height));
        let (width, height) = (move || length(size().0), move || length(size().1));
        let view_box = move || format!("0 0 {} {}", size().0, size().1);
        view! {
            <svg class="run-edges" aria-hidden="true" width=width height=height viewBox=view_box>{lines}</svg>
        }
    }
}

/// The line of an edge with its arrowhead; whether it is emphasised, and wrong.
pub(super) fn edge_line(
    path: &EdgePath,
    role: String,
    works: impl IntoSource,
    wrong: impl IntoSource,
) -> Markup {
    let (line, arrow) = (path.line.clone(), path.arrow.clone());
    view! {
        <g class="run-edge" data-role=role data-back=path.is_back.to_string() data-works=works data-wrong=wrong>
            <path class="run-line" d=line />
            <path class="run-arrow" d=arrow />
        </g>
    }
}

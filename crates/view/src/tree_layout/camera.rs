//! The viewport of the tree map: pan, zoom, and conversion between screen and grid.

/// Width of a lane at zoom 1, in pixels.
pub const LANE: f64 = 224.0;
pub const ROW: f64 = 68.0;
pub const MIN_ZOOM: f64 = 0.04;
pub const MAX_ZOOM: f64 = 2.0;
/// Minimum zoom of a whole tree when its screen opens; names are about 10 pixels high then.
const LEGIBLE: f64 = 0.85;
/// A viewport up to this width does not enlarge small trees.
const USUAL_WIDTH: f64 = 1_600.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Left edge, in grid pixels.
    pub x: f64,
    /// Top edge, in grid pixels.
    pub y: f64,
    pub zoom: f64,
    pub width: f64,
    pub height: f64,
}

impl Camera {
    /// A camera at the origin for a viewport of this size.
    pub fn new(width: f64, height: f64) -> Self {
        Self { x: 0.0, y: 0.0, zoom: 1.0, width, height }
    }

    pub fn screen(&self, lane: f64, row: f64) -> (f64, f64) {
        (((lane + 0.5) * LANE - self.x) * self.zoom, ((row + 0.5) * ROW - self.y) * self.zoom)
    }

    /// The lane and row at a screen position; nodes are centred on whole numbers.
    pub fn grid(&self, x: f64, y: f64) -> (f64, f64) {
        ((x / self.zoom + self.x) / LANE - 0.5, (y / self.zoom + self.y) / ROW - 0.5)
    }

    /// First and last visible row.
    pub fn rows(&self) -> (u32, u32) {
        let (_, top) = self.grid(0.0, 0.0);
        let (_, bottom) = self.grid(0.0, self.height);
        ((top - 1.0).floor().max(0.0) as u32, (bottom + 1.0).ceil().max(0.0) as u32)
    }

    /// Pans by screen pixels.
    pub fn panned(self, x: f64, y: f64) -> Self {
        Self { x: self.x - x / self.zoom, y: self.y - y / self.zoom, ..self }
    }

    /// Zooms around a screen position, which stays in place.
    pub fn zoomed(self, x: f64, y: f64, by: f64) -> Self {
        let zoom = (self.zoom * by).clamp(MIN_ZOOM, MAX_ZOOM);
        Self { x: self.x + x / self.zoom - x / zoom, y: self.y + y / self.zoom - y / zoom, zoom, ..self }
    }

    /// Fits a tree of this many lanes and rows into view; enlarges it only in a wide viewport.
    pub fn fit(self, lanes: u32, rows: u32) -> Self {
        let (width, height) = (f64::from(lanes.max(1)) * LANE, f64::from(rows.max(1)) * ROW);
        let zoom = (self.width / width).min(self.height / height);
        let zoom = zoom.clamp(MIN_ZOOM, (self.width / USUAL_WIDTH).clamp(1.0, MAX_ZOOM));
        Self {
            x: ((width - self.width / zoom) / 2.0).min(0.0),
            y: ((height - self.height / zoom) / 2.0).min(0.0),
            zoom,
            ..self
        }
    }

    /// The view when the screen opens: the whole tree if its names are legible then, else a node at its centre.
    pub fn opened(self, lanes: u32, rows: u32, (lane, row): (u32, u32)) -> Self {
        let whole = self.fit(lanes, rows);
        if whole.zoom >= LEGIBLE { whole } else { Self { zoom: 1.0, ..self }.at(lane, row) }
    }

    /// Pans as little as needed to bring a node into view, with a margin.
    pub fn reveal(self, lane: u32, row: u32) -> Self {
        let (x, y) = self.screen(f64::from(lane), f64::from(row));
        let shift = |at: f64, size: f64, half: f64| {
            let edge = (half * self.zoom + 8.0).min(size / 2.0);
            if at < edge {
                edge - at
            } else if at > size - edge {
                size - edge - at
            } else {
                0.0
            }
        };
        self.panned(shift(x, self.width, LANE / 2.0), shift(y, self.height, ROW * 1.5))
    }

    pub fn at(self, lane: u32, row: u32) -> Self {
        let (x, y) = self.screen(f64::from(lane), f64::from(row));
        self.panned(self.width / 2.0 - x, self.height / 2.0 - y)
    }

    /// Resizes the viewport and keeps its centre.
    pub fn resized(self, width: f64, height: f64) -> Self {
        let shift = |was: f64, is: f64| (was - is) / 2.0 / self.zoom;
        Self {
            x: self.x + shift(self.width, width),
            y: self.y + shift(self.height, height),
            width,
            height,
            ..self
        }
    }
}

#[cfg(test)]
mod tests;

//! The viewport of the tree map: pan, zoom, and conversion between screen and grid.

/// How wide a lane is where nothing is made larger or smaller, in pixels.
pub const LANE: f64 = 224.0;
pub const ROW: f64 = 68.0;
pub const FAR: f64 = 0.04;
/// The most.
pub const CLOSE: f64 = 2.0;
/// Up to this width, a view makes no tree larger by itself.
const USUAL_WIDTH: f64 = 1_600.0;

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// The place on the plane that is at the left edge, in pixels of the plane.
    pub x: f64,
    /// The one at the upper edge.
    pub y: f64,
    pub zoom: f64,
    pub width: f64,
    pub height: f64,
}

impl Camera {
    /// A view of this size that shows nothing yet.
    pub fn new(width: f64, height: f64) -> Self {
        Self { x: 0.0, y: 0.0, zoom: 1.0, width, height }
    }

    pub fn screen(&self, lane: f64, row: f64) -> (f64, f64) {
        (((lane + 0.5) * LANE - self.x) * self.zoom, ((row + 0.5) * ROW - self.y) * self.zoom)
    }

    /// The lane and row that lie at a place of the screen; the middle of a spot is a whole number.
    pub fn plane(&self, x: f64, y: f64) -> (f64, f64) {
        ((x / self.zoom + self.x) / LANE - 0.5, (y / self.zoom + self.y) / ROW - 0.5)
    }

    /// The rows that are in view, the first and the last.
    pub fn rows(&self) -> (u32, u32) {
        let (_, top) = self.plane(0.0, 0.0);
        let (_, bottom) = self.plane(0.0, self.height);
        ((top - 1.0).floor().max(0.0) as u32, (bottom + 1.0).ceil().max(0.0) as u32)
    }

    /// Moved by so many pixels of the screen.
    pub fn moved(self, x: f64, y: f64) -> Self {
        Self { x: self.x - x / self.zoom, y: self.y - y / self.zoom, ..self }
    }

    /// Made larger or smaller around a place of the screen, which stays where it is.
    pub fn zoomed(self, x: f64, y: f64, by: f64) -> Self {
        let zoom = (self.zoom * by).clamp(FAR, CLOSE);
        Self { x: self.x + x / self.zoom - x / zoom, y: self.y + y / self.zoom - y / zoom, zoom, ..self }
    }

    /// So that a tree of this many lanes and rows is in view whole; only a wide view makes one larger.
    pub fn whole(self, lanes: u32, rows: u32) -> Self {
        let (width, height) = (f64::from(lanes.max(1)) * LANE, f64::from(rows.max(1)) * ROW);
        let zoom = (self.width / width).min(self.height / height);
        let zoom = zoom.clamp(FAR, (self.width / USUAL_WIDTH).clamp(1.0, CLOSE));
        Self {
            x: ((width - self.width / zoom) / 2.0).min(0.0),
            y: ((height - self.height / zoom) / 2.0).min(0.0),
            zoom,
            ..self
        }
    }

    /// Moved as little as it takes to have this spot in view, with some room around it.
    pub fn with(self, lane: u32, row: u32) -> Self {
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
        self.moved(shift(x, self.width, LANE / 2.0), shift(y, self.height, ROW * 1.5))
    }

    pub fn at(self, lane: u32, row: u32) -> Self {
        let (x, y) = self.screen(f64::from(lane), f64::from(row));
        self.moved(self.width / 2.0 - x, self.height / 2.0 - y)
    }

    /// Of another size, with the same place in its middle.
    pub fn sized(self, width: f64, height: f64) -> Self {
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
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn camera() -> impl Strategy<Value = Camera> {
        (-1e4..1e4, -1e4..1e4, FAR..CLOSE, 50.0..3000.0, 50.0..2000.0)
            .prop_map(|(x, y, zoom, width, height)| Camera { x, y, zoom, width, height })
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6 * (1.0 + a.abs())
    }

    proptest! {
        #[test]
        fn a_place_is_found_again(camera in camera(), lane in 0_u32..200, row in 0_u32..10_000) {
            let (x, y) = camera.screen(f64::from(lane), f64::from(row));
            let (across, down) = camera.plane(x, y);
            prop_assert!(near(across, f64::from(lane)) && near(down, f64::from(row)));
        }

        #[test]
        fn what_lies_under_the_pointer_stays_there(camera in camera(), x in 0.0..500.0, y in 0.0..500.0, by in 0.2..5.0) {
            let before = camera.plane(x, y);
            let after = camera.zoomed(x, y, by).plane(x, y);
            prop_assert!(near(before.0, after.0) && near(before.1, after.1));
        }

        #[test]
        fn what_is_in_the_middle_stays_there(camera in camera(), width in 50.0..3000.0, height in 50.0..2000.0) {
            let before = camera.plane(camera.width / 2.0, camera.height / 2.0);
            let after = camera.sized(width, height).plane(width / 2.0, height / 2.0);
            prop_assert!(near(before.0, after.0) && near(before.1, after.1));
        }

        #[test]
        fn what_is_brought_is_in_view(camera in camera(), lane in 0_u32..200, row in 0_u32..10_000) {
            let brought = camera.with(lane, row);
            let (x, y) = brought.screen(f64::from(lane), f64::from(row));
            prop_assert!((-1e-6..=camera.width + 1e-6).contains(&x) && (-1e-6..=camera.height + 1e-6).contains(&y));
            let (first, last) = brought.rows();
            prop_assert!(first <= row && row <= last);
            // Near enough: where it is in view, nothing moves any more.
            let again = brought.with(lane, row);
            prop_assert!(near(again.x, brought.x) && near(again.y, brought.y));
        }
    }

    #[test]
    fn a_small_tree_is_shown_whole_and_as_it_is() {
        let camera = Camera::new(1000.0, 800.0).whole(2, 3);
        assert!(near(camera.zoom, 1.0));
        let (x, y) = camera.screen(0.5, 1.0);
        assert!(near(x, 500.0) && near(y, 400.0));
        assert!(Camera::new(1000.0, 800.0).whole(2, 300).zoom < 0.05);
        assert!(Camera::new(2600.0, 1300.0).whole(3, 5).zoom > 1.5, "a wide view shows a small tree larger");
    }
}

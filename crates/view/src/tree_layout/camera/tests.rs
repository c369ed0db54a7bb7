use proptest::prelude::*;

use super::*;

fn camera() -> impl Strategy<Value = Camera> {
    (-1e4..1e4, -1e4..1e4, MIN_ZOOM..MAX_ZOOM, 50.0..3000.0, 50.0..2000.0)
        .prop_map(|(x, y, zoom, width, height)| Camera { x, y, zoom, width, height })
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-6 * (1.0 + a.abs())
}

proptest! {
    #[test]
    fn screen_and_grid_positions_round_trip(camera in camera(), lane in 0_u32..200, row in 0_u32..10_000) {
        let (x, y) = camera.screen(f64::from(lane), f64::from(row));
        let (across, down) = camera.grid(x, y);
        prop_assert!(near(across, f64::from(lane)) && near(down, f64::from(row)));
    }

    #[test]
    fn zoom_keeps_the_position_under_the_pointer(camera in camera(), x in 0.0..500.0, y in 0.0..500.0, by in 0.2..5.0) {
        let before = camera.grid(x, y);
        let after = camera.zoomed(x, y, by).grid(x, y);
        prop_assert!(near(before.0, after.0) && near(before.1, after.1));
    }

    #[test]
    fn resizing_keeps_the_centre(camera in camera(), width in 50.0..3000.0, height in 50.0..2000.0) {
        let before = camera.grid(camera.width / 2.0, camera.height / 2.0);
        let after = camera.resized(width, height).grid(width / 2.0, height / 2.0);
        prop_assert!(near(before.0, after.0) && near(before.1, after.1));
    }

    #[test]
    fn a_revealed_node_is_in_view(camera in camera(), lane in 0_u32..200, row in 0_u32..10_000) {
        let revealed = camera.reveal(lane, row);
        let (x, y) = revealed.screen(f64::from(lane), f64::from(row));
        prop_assert!((-1e-6..=camera.width + 1e-6).contains(&x) && (-1e-6..=camera.height + 1e-6).contains(&y));
        let (first, last) = revealed.rows();
        prop_assert!(first <= row && row <= last);
        // Panning again does not move it.
        let again = revealed.reveal(lane, row);
        prop_assert!(near(again.x, revealed.x) && near(again.y, revealed.y));
    }
}

#[test]
fn a_small_tree_fits_without_zoom() {
    let camera = Camera::new(1000.0, 800.0).fit(2, 3);
    assert!(near(camera.zoom, 1.0));
    let (x, y) = camera.screen(0.5, 1.0);
    assert!(near(x, 500.0) && near(y, 400.0));
    assert!(Camera::new(1000.0, 800.0).fit(2, 300).zoom < 0.05);
    assert!(Camera::new(1000.0, 800.0).opened(5, 3, (0, 0)).zoom > 0.85);
    let many = Camera::new(1000.0, 800.0).opened(36, 3, (35, 2));
    assert!(near(many.zoom, 1.0) && many.screen(35.0, 2.0) == (500.0, 400.0), "names stay legible");
    assert!(near(Camera::new(1000.0, 800.0).opened(6, 3, (0, 0)).zoom, 1.0));
    assert!(Camera::new(2600.0, 1300.0).fit(3, 5).zoom > 1.5, "a wide view shows a small tree larger");
}

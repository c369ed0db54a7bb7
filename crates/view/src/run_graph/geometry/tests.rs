use super::*;
use crate::layered_layout::layered;

fn geometry(count: usize, edges: &[(usize, usize)]) -> DiagramGeometry {
    DiagramGeometry::from_layout(&layered(count, edges))
}

#[test]
fn boxes_are_within_bounds() {
    let plane = geometry(5, &[(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]);
    for (left, top) in &plane.boxes {
        assert!(*left >= 0.0 && left + NODE_WIDTH <= plane.width, "{left} of {}", plane.width);
        assert!(*top >= 0.0 && top + NODE_HEIGHT <= plane.height, "{top} of {}", plane.height);
    }
    let edge = plane.edges[0].as_ref().unwrap();
    assert!(edge.line.starts_with('M') && edge.arrow.ends_with('Z') && !edge.is_back);
}

#[test]
fn edges_in_both_directions_are_two_lines() {
    let plane = geometry(2, &[(0, 1), (1, 0)]);
    let (there, back) = (plane.edges[0].as_ref().unwrap(), plane.edges[1].as_ref().unwrap());
    assert!(!there.is_back && back.is_back);
    assert_ne!(there.middle, back.middle);
}

#[test]
fn keys_lead_to_the_nearest_node() {
    let plane = geometry(5, &[(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]);
    assert_eq!(plane.beside(0, Direction::Down), Some(2));
    assert_eq!(plane.beside(2, Direction::Left), Some(1));
    assert_eq!(plane.beside(2, Direction::Right), Some(3));
    assert_eq!(plane.beside(3, Direction::Down), Some(4));
    assert_eq!(plane.beside(4, Direction::Up), Some(2));
    assert_eq!(plane.beside(0, Direction::Up), None);
    assert_eq!(plane.beside(1, Direction::Left), None);
    assert_eq!(plane.beside(2, Direction::Start), Some(0));
    assert_eq!(plane.beside(2, Direction::End), Some(4));
    assert_eq!(geometry(0, &[]).beside(0, Direction::Down), None);
}

#[test]
fn zoom_is_clamped() {
    let plane = geometry(3, &[(0, 1), (1, 2)]);
    assert!((plane.fit(10_000.0, 10_000.0) - 1.0).abs() < f64::EPSILON);
    assert!((plane.fit(1.0, 1.0) - LEAST_ZOOM).abs() < f64::EPSILON);
    assert!((clamp_zoom(f64::NAN) - 1.0).abs() < f64::EPSILON);
}

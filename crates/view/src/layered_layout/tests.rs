use proptest::prelude::*;

use super::*;

/// Checks that nodes of a layer do not overlap and that everything is within the bounds.
fn check_layout(count: usize, edges: &[(usize, usize)], layout: &LayeredLayout) -> Result<(), TestCaseError> {
    prop_assert_eq!(layout.nodes.len(), count);
    prop_assert_eq!(layout.edges.len(), edges.len());
    for layer in 0..layout.layers {
        let mut row: Vec<f64> = layout.nodes.iter().filter(|at| at.layer == layer).map(|at| at.x).collect();
        row.sort_by(f64::total_cmp);
        prop_assert!(row.windows(2).all(|pair| pair[1] - pair[0] > 0.999), "{row:?} overlap");
    }
    for point in layout.nodes.iter().chain(layout.edges.iter().flatten()) {
        prop_assert!(point.x.is_finite() && point.x >= -1e-6 && point.x <= layout.width, "{point:?}");
        prop_assert!(point.layer < layout.layers);
    }
    for ((from, to), way) in edges.iter().zip(&layout.edges) {
        if *from >= count || *to >= count || from == to {
            prop_assert!(way.is_empty());
        } else {
            prop_assert_eq!(way.first(), layout.nodes.get(*from));
            prop_assert_eq!(way.last(), layout.nodes.get(*to));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_graph_is_laid_out_without_overlaps_and_deterministically(
        count in 0usize..40,
        edges in proptest::collection::vec((0usize..44, 0usize..44), 0..80)
    ) {
        let layout = layered(count, &edges);
        check_layout(count, &edges, &layout)?;
        prop_assert_eq!(layered(count, &edges), layout);
    }

    #[test]
    fn without_a_cycle_every_edge_goes_down(
        count in 2usize..40,
        edges in proptest::collection::vec((0usize..40, 0usize..40), 0..80)
    ) {
        let edges: Vec<_> = edges.into_iter()
            .filter(|(from, to)| from != to && *from < count && *to < count)
            .map(|(one, other)| (one.min(other), one.max(other)))
            .collect();
        let layout = layered(count, &edges);
        for (from, to) in &edges {
            prop_assert!(layout.nodes[*from].layer < layout.nodes[*to].layer);
        }
    }

    #[test]
    fn inversions_are_counted_as_by_hand(list in proptest::collection::vec(0usize..12, 0..30)) {
        let by_hand = (0..list.len())
            .flat_map(|one| (one + 1..list.len()).map(move |other| (one, other)))
            .filter(|(one, other)| list[*one] > list[*other])
            .count();
        prop_assert_eq!(inversions(list), by_hand);
    }
}

#[test]
fn a_broadcast_is_a_diamond_with_its_ends_in_the_middle() {
    let layout = layered(5, &[(0, 1), (0, 2), (0, 3), (1, 4), (2, 4), (3, 4)]);
    assert_eq!(layout.layers, 3);
    assert_eq!(layout.nodes.iter().map(|at| at.layer).collect::<Vec<_>>(), [0, 1, 1, 1, 2]);
    let x: Vec<f64> = layout.nodes.iter().map(|at| at.x).collect();
    assert!((x[0] - x[2]).abs() < 1e-6 && (x[4] - x[2]).abs() < 1e-6, "{x:?}");
    assert!((x[2] - x[1] - 1.0).abs() < 1e-6 && (x[3] - x[2] - 1.0).abs() < 1e-6, "{x:?}");
}

#[test]
fn a_loop_is_drawn_back_up() {
    // Build, verify, and back to build.
    let layout = layered(3, &[(0, 1), (1, 2), (2, 1)]);
    assert_eq!(layout.nodes.iter().map(|at| at.layer).collect::<Vec<_>>(), [0, 1, 2]);
    assert_eq!(layout.edges[2].first().map(|at| at.layer), Some(2));
    assert_eq!(layout.edges[2].last().map(|at| at.layer), Some(1));
}

#[test]
fn crossed_edges_are_uncrossed() {
    let layout = layered(4, &[(0, 3), (1, 2)]);
    let x = |at: usize| layout.nodes[at].x;
    assert_eq!(x(0) < x(1), x(3) < x(2));
}

/// A thousand nodes with two thousand edges: within bounds, and no wider than all nodes side by side.
#[test]
fn a_thousand_nodes_fit() {
    let mut state = 7u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below.max(1)
    };
    let edges: Vec<(usize, usize)> = (1..1_000).flat_map(|to| [(next(to), to), (next(to), to)]).collect();
    let layout = layered(1_000, &edges);
    check_layout(1_000, &edges, &layout).unwrap();
    assert!(layout.layers <= 1_000 && layout.width < 6_000.0, "{} wide", layout.width);
}

use proptest::prelude::*;

use super::*;

const SIZES: ListWindowSizes = ListWindowSizes { newest: 10, step: 5, most: 20 };

fn rows(count: u32) -> Vec<u32> {
    (0..count).collect()
}

#[test]
fn at_the_end_the_newest_rows_are_rendered() {
    let window = ListWindow::default();
    assert_eq!(window.range(&rows(4), SIZES), 0..4);
    assert_eq!(window.range(&rows(30), SIZES), 20..30);
    assert_eq!(window.range(&rows(31), SIZES), 21..31);
}

#[test]
fn an_anchored_window_stays_while_rows_arrive() {
    let held = ListWindow::default().anchored(&rows(30), SIZES);
    assert_eq!(held.range(&rows(40), SIZES), 20..40);
    let mut older: Vec<u32> = (100..110).collect();
    older.extend(rows(30));
    assert_eq!(held.range(&older, SIZES), 30..40);
}

#[test]
fn steps_go_to_both_ends_and_stop_there() {
    let order = rows(60);
    let mut window = ListWindow::default();
    while let Some(up) = window.up(&order, SIZES) {
        window = up;
    }
    assert_eq!(window.range(&order, SIZES), 0..20);
    assert!(!window.has_newest());
    while let Some(down) = window.down(&order, SIZES) {
        window = down;
    }
    assert_eq!(window.range(&order, SIZES), 40..60);
    assert!(window.has_newest());
}

#[test]
fn a_row_is_reached_from_anywhere() {
    let order = rows(100);
    let there = ListWindow::default().containing(&7, &order, SIZES).unwrap();
    assert!(there.range(&order, SIZES).contains(&7));
    assert_eq!(there.containing(&8, &order, SIZES).unwrap().range(&order, SIZES), there.range(&order, SIZES));
    assert_eq!(there.containing(&1_000, &order, SIZES), None);
    assert!(there.containing(&99, &order, SIZES).unwrap().has_newest());
}

#[test]
fn a_removed_anchor_falls_back_to_the_newest_rows() {
    let window = ListWindow::default().containing(&5, &rows(100), SIZES).unwrap();
    let others: Vec<u32> = (1_000..1_050).collect();
    assert_eq!(window.range(&others, SIZES), 40..50);
}

proptest! {
    #[test]
    fn the_window_is_bounded_and_in_range(count in 0u32..200, moves in proptest::collection::vec((0u8..4, 0u32..200), 0..40)) {
        let order = rows(count);
        let mut window = ListWindow::default();
        for (what, key) in moves {
            let before = window.range(&order, SIZES);
            let next = match what {
                0 => window.up(&order, SIZES),
                1 => window.down(&order, SIZES),
                2 => window.containing(&key, &order, SIZES),
                _ => Some(window.anchored(&order, SIZES)),
            };
            let Some(next) = next else { continue };
            let after = next.range(&order, SIZES);
            prop_assert!(after.end <= order.len() && after.start <= after.end);
            prop_assert!(after.len() <= SIZES.most);
            prop_assert_eq!(next.has_newest(), after.end == order.len());
            match what {
                0 => prop_assert!(after.start < before.start),
                1 => prop_assert!(after.end > before.end),
                2 => prop_assert!(after.contains(&usize::try_from(key).unwrap())),
                _ => prop_assert_eq!(after, before),
            }
            window = next;
        }
    }
}

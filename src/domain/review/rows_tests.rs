//! Every line of both texts has its place, shown or folded, in either layout.

use proptest::prelude::*;

use super::*;

fn minds(old: &str, new: &str) -> (Mind, Mind) {
    let mind = |text: &str| Mind { scratchpad: text.to_owned(), ..Mind::default() };
    (mind(old), mind(new))
}

fn laid_out(old: &str, new: &str, layout: &Layout<'_>) -> Vec<Row> {
    let (old, new) = minds(old, new);
    rows(&sections(&old, &new, None, &[]), layout)
}

#[test]
fn unchanged_lines_far_from_a_change_are_folded_until_they_are_wanted() {
    let old: String = (0..40).map(|line| format!("{line}\n")).collect();
    let new = old.replace("\n20\n", "\ntwenty\n");
    let rows = laid_out(&old, &new, &Layout::default());
    let folds: Vec<_> = rows
        .iter()
        .filter_map(|row| match row {
            Row::Fold(fold) => Some(*fold),
            Row::Field(_)
            | Row::Empty(_)
            | Row::Hunk(_)
            | Row::Same { .. }
            | Row::Old { .. }
            | Row::New { .. }
            | Row::Both { .. } => None,
        })
        .collect();
    assert_eq!(
        folds,
        [Fold { section: 0, old: 0, new: 0, lines: 17 }, Fold { section: 0, old: 24, new: 24, lines: 16 },]
    );
    let unfolded = [(Field::Scratchpad, 24)];
    let more = laid_out(&old, &new, &Layout { unfolded: &unfolded, ..Layout::default() });
    assert_eq!(more.len(), rows.len() - 1 + 16);
}

#[test]
fn a_reviewed_hunk_shows_its_lines_only_where_they_are_wanted() {
    let (old, now) = minds("a\nb\nc\n", "a\nB\nc\n");
    let found = sections(&old, &now, Some(&now), &[]);
    assert!(found[0].reviewed && found[0].facts[0].reviewed);
    assert!(!rows(&found, &Layout::default()).iter().any(|row| matches!(row, Row::Old { .. })));
    let shown = [name_of(&found, (0, 0)).unwrap()];
    let all = rows(&found, &Layout { shown: &shown, ..Layout::default() });
    assert!(all.iter().any(|row| matches!(row, Row::Old { .. })));
}

#[test]
fn a_hundred_thousand_rows_are_laid_out_in_time() {
    let old: String = (0..50_000).map(|line| format!("old line {line}\n")).collect();
    let new: String = (0..50_000).map(|line| format!("other {line} text\n")).collect();
    let started = std::time::Instant::now();
    assert_eq!(laid_out(&old, &new, &Layout::default()).len(), 100_002);
    assert!(started.elapsed().as_secs() < 20, "it took {:?}", started.elapsed());
}

proptest! {
    #[test]
    fn every_line_has_its_row_or_lies_in_a_fold(
        old in prop::collection::vec(0u8..5, 0..40),
        new in prop::collection::vec(0u8..5, 0..40),
        side_by_side: bool,
    ) {
        let text = |lines: &[u8]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let layout = Layout { side_by_side, ..Layout::default() };
        let (mut olds, mut news) = (Vec::new(), Vec::new());
        for row in laid_out(&text(&old), &text(&new), &layout) {
            match row {
                Row::Field(_) | Row::Empty(_) | Row::Hunk(_) => {}
                Row::Fold(fold) => {
                    olds.extend(fold.old..fold.old + fold.lines);
                    news.extend(fold.new..fold.new + fold.lines);
                }
                Row::Same { old, new, .. } => {
                    olds.push(old);
                    news.push(new);
                }
                Row::Old { line, .. } => olds.push(line),
                Row::New { line, .. } => news.push(line),
                Row::Both { old, new, .. } => {
                    olds.extend(old);
                    news.extend(new);
                }
            }
        }
        if text(&old) != text(&new) {
            prop_assert_eq!(olds, (0..old.len()).collect::<Vec<_>>());
            prop_assert_eq!(news, (0..new.len()).collect::<Vec<_>>());
        }
    }
}

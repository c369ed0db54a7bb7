//! Tests of review rows: every line is shown or folded, in both layouts.

use proptest::prelude::*;

use super::*;
use nexus_model::id::{Millis, TurnId};
use nexus_model::mind::MindFile;

fn minds(old: &str, new: &str) -> (Mind, Mind) {
    let mind = |text: &str| Mind { scratchpad: text.to_owned(), ..Mind::default() };
    (mind(old), mind(new))
}

fn sections(old: &Mind, now: &Mind, reviewed: Option<&Mind>, history: &[AuthoredChange]) -> Vec<DiffSection> {
    sections_since((&[], &[]), old, now, reviewed, history)
}

fn laid_out(old: &str, new: &str, layout: &DiffLayout<'_>) -> Vec<DiffRow> {
    let (old, new) = minds(old, new);
    rows(&sections(&old, &new, None, &[]), layout)
}

#[test]
fn distant_unchanged_lines_are_folded_until_unfolded() {
    let old: String = (0..40).map(|line| format!("{line}\n")).collect();
    let new = old.replace("\n20\n", "\ntwenty\n");
    let rows = laid_out(&old, &new, &DiffLayout::default());
    let folds: Vec<_> = rows
        .iter()
        .filter_map(|row| match row {
            DiffRow::Fold(fold) => Some(*fold),
            DiffRow::Field(_)
            | DiffRow::Empty(_)
            | DiffRow::Hunk(_)
            | DiffRow::Same { .. }
            | DiffRow::Old { .. }
            | DiffRow::New { .. }
            | DiffRow::Both { .. } => None,
        })
        .collect();
    assert_eq!(
        folds,
        [
            FoldedLines { section: 0, old: 0, new: 0, lines: 17 },
            FoldedLines { section: 0, old: 24, new: 24, lines: 16 },
        ]
    );
    let unfolded = [(MindField::Scratchpad, 24)];
    let more = laid_out(&old, &new, &DiffLayout { unfolded: &unfolded, ..DiffLayout::default() });
    assert_eq!(more.len(), rows.len() - 1 + 16);
}

#[test]
fn a_reviewed_hunk_is_collapsed_unless_expanded() {
    let (old, now) = minds("a\nb\nc\n", "a\nB\nc\n");
    let found = sections(&old, &now, Some(&now), &[]);
    assert!(found[0].reviewed && found[0].facts[0].reviewed);
    assert!(!rows(&found, &DiffLayout::default()).iter().any(|row| matches!(row, DiffRow::Old { .. })));
    let shown = [name_of(&found, (0, 0)).unwrap()];
    let all = rows(&found, &DiffLayout { shown: &shown, ..DiffLayout::default() });
    assert!(all.iter().any(|row| matches!(row, DiffRow::Old { .. })));
}

#[test]
fn unchanged_sections_are_reused() {
    let write = |mind: &Mind, name: &str, text: &str| {
        let mut mind = mind.clone();
        mind.files.insert(name.to_owned(), MindFile::new(text));
        Arc::new(mind)
    };
    let old = Arc::new(Mind::default());
    let one = write(&old, "a.txt", "one\n");
    let two = write(&one, "b.txt", "two\n");
    let step = |before: &Arc<Mind>, after: &Arc<Mind>| AuthoredChange {
        author: Author::Core,
        before: Arc::clone(before),
        after: Arc::clone(after),
    };
    let steps = [step(&old, &one), step(&one, &two)];
    let mut before = sections(&old, &one, None, &steps[..1]);
    // Marks the section, to see whether it is reused.
    before[0].reviewed = true;
    let known = (&before[..], &steps[..1]);
    let found = sections_since(known, &old, &two, None, &steps);
    assert_eq!(found.iter().map(|section| section.reviewed).collect::<Vec<_>>(), [true, false]);
    let again = write(&two, "a.txt", "other\n");
    let steps = [step(&old, &one), step(&one, &two), step(&two, &again)];
    assert_eq!(sections_since(known, &old, &again, None, &steps), sections(&old, &again, None, &steps));
    // The old text again, by another author.
    let back = write(&again, "a.txt", "one\n");
    let steps = [steps.as_slice(), &[step(&again, &back)]].concat();
    assert!(sections_since(known, &old, &back, None, &steps).iter().all(|section| !section.reviewed));
}

#[test]
fn a_hundred_thousand_rows_are_laid_out_fast() {
    let old: String = (0..50_000).map(|line| format!("old line {line}\n")).collect();
    let new: String = (0..50_000).map(|line| format!("other {line} text\n")).collect();
    let started = std::time::Instant::now();
    assert_eq!(laid_out(&old, &new, &DiffLayout::default()).len(), 100_002);
    assert!(started.elapsed().as_secs() < 20, "it took {:?}", started.elapsed());
}

proptest! {
    #[test]
    fn every_line_has_a_row_or_is_folded(
        old in prop::collection::vec(0u8..5, 0..40),
        new in prop::collection::vec(0u8..5, 0..40),
        side_by_side: bool,
    ) {
        let text = |lines: &[u8]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let layout = DiffLayout { side_by_side, ..DiffLayout::default() };
        let (mut olds, mut news) = (Vec::new(), Vec::new());
        for row in laid_out(&text(&old), &text(&new), &layout) {
            match row {
                DiffRow::Field(_) | DiffRow::Empty(_) | DiffRow::Hunk(_) => {}
                DiffRow::Fold(fold) => {
                    olds.extend(fold.old..fold.old + fold.lines);
                    news.extend(fold.new..fold.new + fold.lines);
                }
                DiffRow::Same { old, new, .. } => {
                    olds.push(old);
                    news.push(new);
                }
                DiffRow::Old { line, .. } => olds.push(line),
                DiffRow::New { line, .. } => news.push(line),
                DiffRow::Both { old, new, .. } => {
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

#[test]
fn reverting_all_keeps_what_the_operator_wrote() {
    let (old, by_agent) = minds("a\nb\nc\nd\ne\n", "A\nb\nc\nd\ne\n");
    let (_, now) = minds("", "A\nb\nc\nd\nmine\n");
    let agent = Author::Agent { agent: "engineer".into(), turn: TurnId::from(1), at: Millis(1) };
    let step = |author: &Author, before: &Mind, after: &Mind| AuthoredChange {
        author: author.clone(),
        before: Arc::new(before.clone()),
        after: Arc::new(after.clone()),
    };
    let both = [step(&agent, &old, &by_agent), step(&Author::Operator, &by_agent, &now)];
    let found = sections(&old, &now, None, &both);
    let expected = MindWrite::Scratchpad("a\nb\nc\nd\nmine\n".into());
    assert_eq!(found[0].revert_others(), Some(expected));
    let own = sections(&old, &now, None, &[step(&Author::Operator, &old, &now)]);
    assert_eq!(own[0].revert_others(), None);
    let theirs = sections(&old, &now, None, &[step(&agent, &old, &now)]);
    assert_eq!(theirs[0].revert_others(), Some(MindWrite::Scratchpad(old.scratchpad.clone())));
}

//! Tests of line attribution: added and removed lines, renamed files, missing history.

use proptest::prelude::*;

use super::*;
use nexus_model::mind::MindFile;

fn mind(files: &[(&str, &str)]) -> Arc<Mind> {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), MindFile::new(text))).collect();
    Arc::new(Mind { files, ..Mind::default() })
}

fn agent(name: &str, turn: u128) -> Author {
    Author::Agent { agent: name.into(), turn: turn_id(turn), at: Millis(0) }
}

fn turn_id(number: u128) -> TurnId {
    let mut ids = nexus_model::testing::SeqIds::default();
    (0..number).map(|_| TurnId::new(&mut ids)).last().unwrap()
}

fn steps(texts: &[&str], authors: &[Author]) -> Vec<AuthoredChange> {
    texts
        .windows(2)
        .zip(authors)
        .map(|(pair, author)| AuthoredChange {
            author: author.clone(),
            before: mind(&[("a", pair[0])]),
            after: mind(&[("a", pair[1])]),
        })
        .collect()
}

fn field(name: &str) -> MindField {
    MindField::File(name.into())
}

#[test]
fn each_line_names_its_last_author() {
    let authors = [agent("architect", 1), Author::Operator, agent("engineer", 2)];
    let history = steps(&["1\n2\n", "1\n2\n3\n", "one\n2\n3\n", "one\n2\n3\n4\n"], &authors);
    let blame = Blame::of(&history, &field("a"));
    let who: Vec<_> = (0..5).map(|line| blame.line(line)).collect();
    assert_eq!(who, [Some(1), None, Some(0), Some(2), None]);
}

#[test]
fn a_hunk_names_its_main_author_and_a_removal_its_remover() {
    let authors = [agent("architect", 1), agent("engineer", 2), agent("critic", 3)];
    let texts = ["a\nb\nc\nd\n", "A\nb\nc\nd\n", "A\nx\ny\nd\n", "A\nx\ny\n"];
    let history = steps(&texts, &authors);
    let blame = Blame::of(&history, &field("a"));
    let found = Comparison::between(&Arc::from(texts[0]), &Arc::from(texts[3]));
    assert_eq!(found.hunks.len(), 1);
    let by = blame.authors(&history, &found, &found.hunks[0]);
    assert_eq!(by, [agent("engineer", 2), agent("architect", 1)]);
    let later = Comparison::between(&Arc::from(texts[2]), &Arc::from(texts[3]));
    assert_eq!(blame.authors(&history, &later, &later.hunks[0]), [agent("critic", 3)]);
}

#[test]
fn a_renamed_file_keeps_its_authors() {
    let history = vec![
        AuthoredChange { author: agent("engineer", 1), before: mind(&[]), after: mind(&[("old", "x\n")]) },
        AuthoredChange {
            author: Author::Operator,
            before: mind(&[("old", "x\n")]),
            after: mind(&[("new", "x\n")]),
        },
    ];
    assert_eq!(Blame::of(&history, &field("new")).line(0), Some(0));
}

#[test]
fn empty_history_names_no_author() {
    assert_eq!(Blame::of(&[], &MindField::Scratchpad).line(0), None);
}

proptest! {
    /// Each line's author wrote a text that contains it; an unattributed line is in the first text.
    #[test]
    fn every_line_is_in_a_text_of_its_author(
        texts in prop::collection::vec(prop::collection::vec(0u8..4, 0..8), 2..6),
    ) {
        let texts: Vec<String> =
            texts.iter().map(|lines| lines.iter().map(|line| format!("{line}\n")).collect()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let authors: Vec<_> = (1..texts.len()).map(|turn| agent("x", turn as u128)).collect();
        let history = steps(&texts, &authors);
        let blame = Blame::of(&history, &field("a"));
        let last: Vec<&str> = texts.last().unwrap().lines().collect();
        prop_assert_eq!(blame.lines.len(), last.len());
        for (place, line) in last.iter().enumerate() {
            match blame.line(place) {
                Some(step) => prop_assert!(texts[step + 1].lines().any(|other| other == *line)),
                None => prop_assert!(texts[0].lines().any(|other| other == *line)),
            }
        }
    }
}

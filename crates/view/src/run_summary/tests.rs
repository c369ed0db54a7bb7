//! Tests of the run summary: undoing a round keeps later changes, and questions are found in answers.

use proptest::prelude::*;

use super::*;
use nexus_model::mind::{MindFile, resolve};

fn mind(scratchpad: &str, files: &[(&str, &str)]) -> Arc<Mind> {
    let files: Vec<_> = files.iter().map(|(name, text)| ((*name).to_owned(), MindFile::new(text))).collect();
    let active = files.first().map(|(name, _)| name.clone());
    Arc::new(Mind {
        objective: String::new(),
        scratchpad: scratchpad.to_owned(),
        active,
        files: files.into_iter().collect(),
    })
}

fn apply_undo(minds: &RoundMinds) -> Mind {
    let undo = undo(minds);
    assert_eq!(undo.conflicts, []);
    let edits = resolve(&minds.now, &minds.now, &undo.writes).unwrap();
    minds.now.with(&edits)
}

#[test]
fn undo_removes_created_files_and_restores_deleted_ones() {
    let before = mind("plan\n", &[("a.txt", "a\n"), ("old.txt", "old\n")]);
    let after = mind("other plan\n", &[("a.txt", "A\n"), ("new.txt", "new\n")]);
    let minds = RoundMinds { before: Arc::clone(&before), after: Arc::clone(&after), now: after };
    assert_eq!(apply_undo(&minds), *before);
}

#[test]
fn later_operator_edits_stay() {
    let before = mind("", &[("a.txt", "1\n2\n3\n4\n5\n")]);
    let after = mind("", &[("a.txt", "one\n2\n3\n4\n5\n")]);
    let now = mind("mine\n", &[("a.txt", "one\n2\n3\n4\nfive\n")]);
    let result = apply_undo(&RoundMinds { before, after, now });
    assert_eq!((result.file("a.txt"), result.scratchpad.as_str()), (Some("1\n2\n3\n4\nfive\n"), "mine\n"));
}

#[test]
fn lines_changed_since_conflict_and_so_does_an_edited_new_file() {
    let before = mind("", &[("a.txt", "1\n")]);
    let after = mind("", &[("a.txt", "2\n"), ("b.txt", "b\n")]);
    let now = mind("", &[("a.txt", "3\n"), ("b.txt", "b\nmine\n")]);
    let undo = undo(&RoundMinds { before, after, now });
    assert_eq!(undo.conflicts, [MindField::File("a.txt".into()), MindField::File("b.txt".into())]);
}

#[test]
fn lines_ending_in_a_question_mark_are_questions_outside_code() {
    let text =
        "Done.\n\n- Shall I also add a legend?\n```js\nlet a = b ?\n```\n**Which colour?**\n???\nRight.";
    assert_eq!(question_lines(text).collect::<Vec<_>>(), ["Shall I also add a legend?", "Which colour?"]);
}

fn some_mind() -> impl Strategy<Value = Arc<Mind>> {
    let text = prop::collection::vec(prop_oneof![Just("a\n"), Just("b\n"), Just("c\n")], 0..6)
        .prop_map(|lines| lines.concat());
    let file = (prop_oneof![Just("x"), Just("y"), Just("z")], text.clone());
    (text, prop::collection::vec(file, 0..3)).prop_map(|(scratchpad, files)| {
        let files: Vec<_> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        mind(&scratchpad, &files)
    })
}

proptest! {
    #[test]
    fn immediate_undo_restores_every_text(before in some_mind(), after in some_mind()) {
        let minds = RoundMinds { before: Arc::clone(&before), now: Arc::clone(&after), after };
        let result = apply_undo(&minds);
        prop_assert_eq!(&result.files, &before.files);
        prop_assert_eq!(&result.scratchpad, &before.scratchpad);
    }

    #[test]
    fn undo_writes_only_fields_that_the_round_changed(
        before in some_mind(), after in some_mind(), now in some_mind(),
    ) {
        let touched: Vec<_> = changes(&before, &after).into_iter().map(|change| change.field).collect();
        let undo = undo(&RoundMinds { before, after, now: Arc::clone(&now) });
        for write in &undo.writes {
            let field = match write {
                MindWrite::Scratchpad(_) => MindField::Scratchpad,
                MindWrite::File { name, .. } | MindWrite::New { name, .. } | MindWrite::Remove(name) => MindField::File(name.clone()),
                MindWrite::Objective(_)
                | MindWrite::Replace { .. }
                | MindWrite::Rename { .. }
                | MindWrite::Activate(_) => continue,
            };
            prop_assert!(touched.contains(&field));
        }
    }
}

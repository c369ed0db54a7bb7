//! Accepting moves what is reviewed and nothing else; reverting writes the old lines back.

use proptest::prelude::*;

use super::*;
use crate::domain::mind::{File, resolve};

fn mind(text: Option<&str>) -> Mind {
    let file = text.map(|text| ("a.txt".to_owned(), File::new(text)));
    Mind {
        active: file.as_ref().map(|(name, _)| name.clone()),
        files: file.into_iter().collect(),
        ..Mind::default()
    }
}

fn field() -> Field {
    Field::File("a.txt".into())
}

#[test]
fn an_accepted_hunk_is_reviewed_against_every_base() {
    let now = mind(Some("A\nb\nc\nD\n"));
    let reviewed = mind(Some("a\nb\nc\nd\n"));
    let all = changes(&reviewed, &now);
    let found = all[0].compare();
    let edits = accept(&reviewed, &now, &field(), &found.hunks[0]);
    let reviewed = reviewed.with(&edits);
    assert_eq!(reviewed.file("a.txt"), Some("A\nb\nc\nd\n"));
    // Seen from nothing at all the whole text is one hunk: not all of it is reviewed.
    let from_nothing = changes(&mind(None), &now)[0].compare();
    let left = changes(&reviewed, &now)[0].compare();
    assert!(!is_reviewed(&left, &from_nothing.hunks[0]));
    assert!(is_reviewed(&left, &found.hunks[0]));
    assert!(!is_reviewed(&left, &found.hunks[1]));
}

#[test]
fn a_made_file_goes_when_its_only_hunk_is_reverted_and_a_deleted_one_comes_back() {
    let made = changes(&mind(None), &mind(Some("a\n"))).remove(0);
    let hunk = made.compare().hunks[0].id.clone();
    assert_eq!(revert(&made, &hunk), Some(MindWrite::Remove("a.txt".into())));
    assert_eq!(revert_all(&made), MindWrite::Remove("a.txt".into()));
    let gone = changes(&mind(Some("a\n")), &mind(None)).remove(0);
    let hunk = gone.compare().hunks[0].id.clone();
    let back = MindWrite::File { name: "a.txt".into(), text: "a\n".into() };
    assert_eq!(revert(&gone, &hunk), Some(back));
}

#[test]
fn accepting_the_only_hunk_of_a_deleted_file_takes_it_from_the_reviewed_mind() {
    let (reviewed, now) = (mind(Some("a\n")), mind(None));
    let found = changes(&reviewed, &now)[0].compare();
    let edits = accept(&reviewed, &now, &field(), &found.hunks[0]);
    assert_eq!(edits, [MindEdit::FileRemoved { name: "a.txt".into() }]);
}

#[test]
fn a_renamed_file_is_found_under_its_old_name() {
    let (before, mut after) = (mind(Some("a\n")), mind(None));
    after.files.insert("b.txt".into(), File::new("a\n"));
    assert_eq!(Field::File("b.txt".into()).before(&before, &after), field());
    assert_eq!(Field::File("c.txt".into()).before(&before, &after), Field::File("c.txt".into()));
}

fn text() -> impl Strategy<Value = Option<String>> {
    let line = prop_oneof![Just("a\n"), Just("b\n"), Just("c\n")];
    let text = prop::collection::vec(line, 0..12).prop_map(|lines| lines.concat());
    prop_oneof![4 => text.prop_map(Some), 1 => Just(None)]
}

proptest! {
    /// Whatever hunk of whatever comparison is accepted first: in the end everything is reviewed, the mind itself has
    /// not changed, and what was accepted stays accepted.
    #[test]
    fn accepting_every_hunk_against_any_base_reviews_the_whole_text(
        base in text(), reviewed in text(), now in text(), picks in prop::collection::vec(any::<u8>(), 40),
    ) {
        let (base, mut reviewed, now) =
            (mind(base.as_deref()), mind(reviewed.as_deref()), mind(now.as_deref()));
        for pick in picks {
            let against = if pick % 2 == 0 { &base } else { &reviewed };
            let change = Change { field: field(), old: field().text(against), new: field().text(&now) };
            let hunks = change.compare().hunks;
            let Some(hunk) = hunks.get(usize::from(pick / 2) % hunks.len().max(1)) else { continue };
            let edits = accept(&reviewed, &now, &field(), hunk);
            reviewed = reviewed.with(&edits);
            let left = Change { field: field(), old: field().text(&reviewed), new: field().text(&now) };
            prop_assert!(is_reviewed(&left.compare(), hunk));
        }
        let rest = accept_all(&reviewed, &now, &field());
        prop_assert_eq!(field().text(&reviewed.with(&rest)), field().text(&now));
    }

    #[test]
    fn reverting_every_hunk_gives_the_old_text(old in text(), new in text()) {
        let (old, mut now) = (mind(old.as_deref()), mind(new.as_deref()));
        for _ in 0..30 {
            let Some(change) = changes(&old, &now).into_iter().next() else { break };
            let Some(hunk) = change.compare().hunks.first().map(|hunk| hunk.id.clone()) else { break };
            let write = revert(&change, &hunk).unwrap();
            let edits = resolve(&now, &now, &[write]).unwrap();
            now = now.with(&edits);
        }
        // An empty file and no file have the same lines.
        prop_assert_eq!(old.file("a.txt").unwrap_or_default(), now.file("a.txt").unwrap_or_default());
    }
}

#[test]
fn accepting_many_gives_one_edit_for_each_field() {
    let (reviewed, mut now) = (mind(Some("a\nb\nc\n")), mind(Some("A\nb\nC\n")));
    now.scratchpad = "plan\n".into();
    let all = changes(&reviewed, &now);
    let found: Vec<_> = all.iter().map(|change| (change.field.clone(), change.compare())).collect();
    let hunks =
        found.iter().flat_map(|(field, found)| found.hunks.iter().map(move |hunk| (field, Some(hunk))));
    let edits = accept_many(&reviewed, &now, hunks);
    assert_eq!(edits.len(), 2);
    let done = reviewed.with(&edits);
    assert_eq!((done.file("a.txt"), done.scratchpad.as_str()), (Some("A\nb\nC\n"), "plan\n"));
}

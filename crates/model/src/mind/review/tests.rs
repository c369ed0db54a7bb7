//! Tests of accepting and reverting changes.

use proptest::prelude::*;

use super::*;
use crate::mind::{MindFile, resolve};

fn mind(text: Option<&str>) -> Mind {
    let file = text.map(|text| ("a.txt".to_owned(), MindFile::new(text)));
    Mind {
        active: file.as_ref().map(|(name, _)| name.clone()),
        files: file.into_iter().collect(),
        ..Mind::default()
    }
}

fn field() -> MindField {
    MindField::File("a.txt".into())
}

#[test]
fn accepted_hunk_is_reviewed_against_every_base() {
    let now = mind(Some("A\nb\nc\nD\n"));
    let reviewed = mind(Some("a\nb\nc\nd\n"));
    let all = changes(&reviewed, &now);
    let comparison = all[0].compare();
    let edits = accept(&reviewed, &now, &field(), &comparison.hunks[0]);
    let reviewed = reviewed.with(&edits);
    assert_eq!(reviewed.file("a.txt"), Some("A\nb\nc\nd\n"));
    // Compared with an empty mind the whole text is one hunk, which is not fully reviewed.
    let from_nothing = changes(&mind(None), &now)[0].compare();
    let left = changes(&reviewed, &now)[0].compare();
    assert!(!is_reviewed(&left, &from_nothing.hunks[0]));
    assert!(is_reviewed(&left, &comparison.hunks[0]));
    assert!(!is_reviewed(&left, &comparison.hunks[1]));
}

#[test]
fn reverting_the_only_hunk_removes_a_created_file_and_restores_a_deleted_one() {
    let created = changes(&mind(None), &mind(Some("a\n"))).remove(0);
    let hunk = created.compare().hunks[0].id.clone();
    assert_eq!(revert(&created, &hunk), Some(MindWrite::Remove("a.txt".into())));
    assert_eq!(revert_all(&created), MindWrite::Remove("a.txt".into()));
    let deleted = changes(&mind(Some("a\n")), &mind(None)).remove(0);
    let hunk = deleted.compare().hunks[0].id.clone();
    let back = MindWrite::File { name: "a.txt".into(), text: "a\n".into() };
    assert_eq!(revert(&deleted, &hunk), Some(back));
}

#[test]
fn accepting_a_deletion_removes_the_file_from_the_reviewed_mind() {
    let (reviewed, now) = (mind(Some("a\n")), mind(None));
    let comparison = changes(&reviewed, &now)[0].compare();
    let edits = accept(&reviewed, &now, &field(), &comparison.hunks[0]);
    assert_eq!(edits, [MindEdit::FileRemoved { name: "a.txt".into() }]);
}

#[test]
fn renamed_file_is_found_under_its_old_name() {
    let (before, mut after) = (mind(Some("a\n")), mind(None));
    after.files.insert("b.txt".into(), MindFile::new("a\n"));
    assert_eq!(MindField::File("b.txt".into()).before(&before, &after), field());
    assert_eq!(MindField::File("c.txt".into()).before(&before, &after), MindField::File("c.txt".into()));
}

fn text() -> impl Strategy<Value = Option<String>> {
    let line = prop_oneof![Just("a\n"), Just("b\n"), Just("c\n")];
    let text = prop::collection::vec(line, 0..12).prop_map(|lines| lines.concat());
    prop_oneof![4 => text.prop_map(Some), 1 => Just(None)]
}

proptest! {
    /// Whatever hunks are accepted in whatever order, in the end everything is reviewed, the mind is unchanged, and
    /// accepted hunks stay accepted.
    #[test]
    fn accepting_all_hunks_against_any_base_reviews_the_whole_text(
        base in text(), reviewed in text(), now in text(), picks in prop::collection::vec(any::<u8>(), 40),
    ) {
        let (base, mut reviewed, now) =
            (mind(base.as_deref()), mind(reviewed.as_deref()), mind(now.as_deref()));
        for pick in picks {
            let against = if pick % 2 == 0 { &base } else { &reviewed };
            let change = FieldDiff { field: field(), old: field().text(against), new: field().text(&now) };
            let hunks = change.compare().hunks;
            let Some(hunk) = hunks.get(usize::from(pick / 2) % hunks.len().max(1)) else { continue };
            let edits = accept(&reviewed, &now, &field(), hunk);
            reviewed = reviewed.with(&edits);
            let left = FieldDiff { field: field(), old: field().text(&reviewed), new: field().text(&now) };
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
        // An empty file and a missing file have the same lines.
        prop_assert_eq!(old.file("a.txt").unwrap_or_default(), now.file("a.txt").unwrap_or_default());
    }
}

#[test]
fn accept_many_gives_one_edit_per_field() {
    let (reviewed, mut now) = (mind(Some("a\nb\nc\n")), mind(Some("A\nb\nC\n")));
    now.scratchpad = "plan\n".into();
    let all = changes(&reviewed, &now);
    let compared: Vec<_> = all.iter().map(|change| (change.field.clone(), change.compare())).collect();
    let hunks = compared
        .iter()
        .flat_map(|(field, compared)| compared.hunks.iter().map(move |hunk| (field, Some(hunk))));
    let edits = accept_many(&reviewed, &now, hunks);
    assert_eq!(edits.len(), 2);
    let done = reviewed.with(&edits);
    assert_eq!((done.file("a.txt"), done.scratchpad.as_str()), (Some("A\nb\nC\n"), "plan\n"));
}

/// Reverts a hunk, or all of a field, between two minds. Returns the mind after it, and its undo.
fn reverted(old: &Mind, now: &Mind, hunk: Option<usize>) -> (Mind, Reverted) {
    let change = changes(old, now).into_iter().next().unwrap();
    let write = match hunk {
        Some(at) => revert(&change, &change.compare().hunks[at].id).unwrap(),
        None => revert_all(&change),
    };
    let left = now.with(&resolve(now, now, std::slice::from_ref(&write)).unwrap());
    let undo = Reverted::new(Arc::new(now.clone()), &write, Arc::new(left.clone())).unwrap();
    (left, undo)
}

#[test]
fn undo_of_a_revert_keeps_later_changes() {
    let (old, now) = (mind(Some("a\nb\nc\nd\ne\n")), mind(Some("A\nb\nc\nd\nE\n")));
    for hunk in [Some(0), None] {
        let (left, undo) = reverted(&old, &now, hunk);
        assert!(left.file("a.txt").unwrap().starts_with("a\n"));
        let edits = resolve(&left, &left, &undo.undo(&left)).unwrap();
        assert_eq!(left.with(&edits).file("a.txt"), now.file("a.txt"));
        // Meanwhile the operator typed a line in the middle.
        let typed = mind(Some(&left.file("a.txt").unwrap().replace("c\n", "c\ntyped\n")));
        let edits = resolve(&typed, &left, &undo.undo(&typed)).unwrap();
        assert_eq!(typed.with(&edits).file("a.txt"), Some("A\nb\nc\ntyped\nd\nE\n"));
    }
    // If the operator changed the same line, the undo is rejected and loses nothing.
    let (left, undo) = reverted(&old, &now, Some(0));
    let typed = mind(Some("mine\nb\nc\nd\nE\n"));
    assert!(resolve(&typed, &left, &undo.undo(&typed)).is_err());
}

#[test]
fn undo_of_a_revert_recreates_or_deletes_the_file() {
    let (none, some) = (mind(None), mind(Some("a\nb\n")));
    let (left, undo) = reverted(&none, &some, None);
    assert_eq!(left.file("a.txt"), None);
    let edits = resolve(&left, &left, &undo.undo(&left)).unwrap();
    assert_eq!(left.with(&edits), some);
    let (left, undo) = reverted(&some, &none, None);
    let edits = resolve(&left, &left, &undo.undo(&left)).unwrap();
    assert_eq!(left.with(&edits).file("a.txt"), None);
    // The file stays if the operator typed into it.
    let typed = mind(Some("a\nb\n\nmine\n"));
    let result = resolve(&typed, &left, &undo.undo(&typed)).map(|edits| typed.with(&edits));
    assert!(result.is_err() || result.unwrap().file("a.txt").unwrap().contains("mine"));
    assert!(undo.undo(&none).is_empty(), "already removed");
}

#[test]
fn undo_of_a_revert_keeps_changes_made_before_it() {
    let (old, now) = (mind(Some("a\nb\nc\nd\ne\n")), mind(Some("A\nb\nc\nd\ne\n")));
    let change = changes(&old, &now).remove(0);
    let write = revert_all(&change);
    // An agent wrote below, after the comparison and before the revert.
    let at_revert = mind(Some("A\nb\nc\nd\nagent\n"));
    let left = at_revert.with(&resolve(&at_revert, &now, std::slice::from_ref(&write)).unwrap());
    let undo = Reverted::new(Arc::new(now), &write, Arc::new(left.clone())).unwrap();
    let edits = resolve(&left, &left, &undo.undo(&left)).unwrap();
    assert_eq!(left.with(&edits).file("a.txt"), Some("A\nb\nc\nd\nagent\n"));
}

#[test]
fn image_is_compared_by_description_and_accepted_and_reverted_whole() {
    let image = |more: &str| crate::mind::blob::image_text(format!("GIF89a{more}").as_bytes()).unwrap();
    let (old, new) = (image("1"), image("22"));
    let (before, now) = (mind(Some(&old)), mind(Some(&new)));
    let change = changes(&before, &now).remove(0);
    let found = change.compare();
    assert!(found.new.line(0).starts_with("image/gif, 8 bytes ("));
    let edits = accept(&before, &now, &field(), &found.hunks[0]);
    assert_eq!(before.with(&edits).file("a.txt"), Some(new.as_str()));
    let back = revert(&change, &found.hunks[0].id).unwrap();
    assert_eq!(back, MindWrite::File { name: "a.txt".into(), text: old.clone() });
    assert_eq!(now.with(&resolve(&now, &now, &[back]).unwrap()), before);
}

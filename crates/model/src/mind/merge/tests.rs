use crate::mind::MindFile;
use proptest::prelude::*;

use super::*;

fn mind(objective: &str, files: &[(&str, &str)]) -> Mind {
    Mind {
        objective: objective.into(),
        scratchpad: String::new(),
        active: files.first().map(|(name, _)| (*name).to_owned()),
        files: files.iter().map(|(name, text)| ((*name).to_owned(), MindFile::new(text))).collect(),
    }
}

#[test]
fn changes_of_one_branch_are_taken_and_of_both_are_conflicts() {
    let base = mind("goal", &[("a", "1\n2\n3\n4\n5\n"), ("gone", "x\n"), ("kept", "y\n")]);
    let ours =
        mind("our goal", &[("a", "ONE\n2\n3\n4\nours\n"), ("gone", "x\n"), ("kept", "ours\n"), ("o", "\n")]);
    let theirs = mind("their goal", &[("a", "1\n2\n3\n4\ntheirs\n"), ("t", "new\n")]);
    let joining = MindMerge::of(&base, &ours, &theirs);
    let fields: Vec<_> = joining.fields.iter().map(|it| (it.field.clone(), it.conflict_count())).collect();
    let file = |name: &str| MindField::File(name.to_owned());
    // The objective is one line, so both changes conflict.
    let expected =
        [(MindField::Objective, 1), (file("a"), 1), (file("gone"), 0), (file("kept"), 1), (file("t"), 0)];
    assert_eq!(fields, expected);
    assert_eq!(joining.resolved(&ours, &[]), None);
    let decided = [
        (MindField::Objective, vec![Resolution::Ours]),
        (file("a"), vec![Resolution::Both]),
        (file("kept"), vec![Resolution::Theirs]),
    ];
    let merged = joining.resolved(&ours, &decided).unwrap();
    assert_eq!(merged.objective, "our goal");
    assert_eq!(merged.file("a"), Some("ONE\n2\n3\n4\nours\ntheirs\n"));
    let names: Vec<_> = merged.files.keys().cloned().collect();
    assert_eq!(names, ["a", "o", "t"]);
    // A file removed by one side has no `Both`, and fields without conflicts take no resolution.
    let both = [
        (MindField::Objective, vec![Resolution::Ours]),
        (file("a"), vec![Resolution::Both]),
        (file("kept"), vec![Resolution::Both]),
    ];
    assert_eq!(joining.resolved(&ours, &both), None);
    let [objective, a, kept] = decided;
    assert_eq!(joining.resolved(&ours, &[objective, a, kept, (file("t"), vec![Resolution::Ours])]), None);
}

#[test]
fn scratchpad_is_merged_by_lines_and_its_conflicts_are_resolved() {
    let with = |lines: &[&str]| Mind { scratchpad: lines.concat(), ..mind("goal", &[]) };
    let base = with(&["- [ ] plan\n", "- [ ] build\n", "- [ ] test\n"]);
    // Changes of different lines do not conflict.
    let ours = with(&["- [x] plan\n", "- [ ] build\n", "- [ ] test\n"]);
    let theirs = with(&["- [ ] plan\n", "- [ ] build\n", "- [ ] test\n", "- [ ] ship\n"]);
    let joining = MindMerge::of(&base, &ours, &theirs);
    assert_eq!((joining.conflict_count(), joining.fields[0].field.clone()), (0, MindField::Scratchpad));
    let merged = joining.resolved(&ours, &[]).unwrap();
    assert_eq!(merged.scratchpad, "- [x] plan\n- [ ] build\n- [ ] test\n- [ ] ship\n");
    assert_eq!(merged.objective, "goal");
    // Both changed the same line; the rest still merges.
    let ours = with(&["- [ ] plan\n", "- [ ] build a page\n", "- [ ] test\n"]);
    let theirs = with(&["- [ ] plan\n", "- [x] build\n", "- [ ] test\n", "- [ ] ship\n"]);
    let joining = MindMerge::of(&base, &ours, &theirs);
    assert_eq!((joining.fields.len(), joining.conflict_count()), (1, 1));
    assert_eq!(joining.resolved(&ours, &[]), None);
    let settled = |side: Resolution| {
        joining.resolved(&ours, &[(MindField::Scratchpad, vec![side])]).unwrap().scratchpad
    };
    let around = |line: &str| format!("- [ ] plan\n{line}- [ ] test\n- [ ] ship\n");
    assert_eq!(settled(Resolution::Ours), around("- [ ] build a page\n"));
    assert_eq!(settled(Resolution::Theirs), around("- [x] build\n"));
    assert_eq!(settled(Resolution::Both), around("- [ ] build a page\n- [x] build\n"));
    assert_eq!(settled(Resolution::Lines(Arc::from("- [x] build a page\n"))), around("- [x] build a page\n"));
}

#[test]
fn custom_lines_replace_a_conflict_and_empty_lines_remove_a_file() {
    let base = mind("", &[("a", "1\n2\n3\n"), ("kept", "y\n")]);
    let ours = mind("", &[("a", "1\nours\n3\n"), ("kept", "ours\n")]);
    let theirs = mind("", &[("a", "1\ntheirs\n3\n")]);
    let joining = MindMerge::of(&base, &ours, &theirs);
    let settled = |a: &str, kept: &str| {
        let lines = |text: &str| vec![Resolution::Lines(Arc::from(text))];
        let decided =
            [(MindField::File("a".into()), lines(a)), (MindField::File("kept".into()), lines(kept))];
        joining.resolved(&ours, &decided).unwrap()
    };
    let merged = settled("both\nof them", "mine");
    assert_eq!((merged.file("a"), merged.file("kept")), (Some("1\nboth\nof them\n3\n"), Some("mine\n")));
    let merged = settled("", "");
    assert_eq!((merged.file("a"), merged.file("kept")), (Some("1\n3\n"), None));
}

#[test]
fn conflict_ids_are_stable_and_distinct() {
    let text = |one: &str, more: &str| format!("{one}\nsame\nsame\n{one}\n{more}");
    let draft = |more: &str| {
        let base = mind("", &[("a", &text("x", "")), ("b", &text("x", ""))]);
        let ours = mind("", &[("a", &text("ours", more)), ("b", &text("ours", ""))]);
        let theirs = mind("", &[("a", &text("theirs", "")), ("b", &text("theirs", ""))]);
        MindMerge::of(&base, &ours, &theirs)
    };
    let marks =
        |joining: &MindMerge| joining.fields.iter().flat_map(MergedField::conflict_ids).collect::<Vec<_>>();
    let first = marks(&draft(""));
    let distinct: std::collections::BTreeSet<_> = first.iter().collect();
    assert_eq!((first.len(), distinct.len()), (4, 4), "the same lines twice, in two files");
    let later = marks(&draft("and more\n"));
    assert_eq!(first[..1], later[..1], "unaffected by changes elsewhere");
    assert_ne!(first[1], later[1], "the last conflict includes the change");
    assert_eq!(first[2..], later[2..]);
}

#[test]
fn context_of_a_conflict_is_agreed_text() {
    let lines = |from: u32, to: u32| (from..to).map(|line| format!("{line}\n")).collect::<String>();
    let with = |middle: &str| mind("", &[("a", &format!("{}{middle}{}", lines(0, 9), lines(20, 30)))]);
    let joining = MindMerge::of(&with("x\n"), &with("ours\n"), &with("theirs\n"));
    let field = &joining.fields[0];
    assert_eq!(field.around(0, 2), ("7\n8\n".to_owned(), "20\n21\n".to_owned()));
    assert_eq!(field.around(0, 100), (lines(0, 9), lines(20, 30)));
    assert_eq!(field.around(1, 2), Default::default());
    assert_eq!(field.lines_before(0), (9, 9));
}

#[test]
fn lines_before_count_earlier_conflicts_per_branch() {
    let with = |first: &str, second: &str| mind("", &[("a", &format!("1\n{first}3\n4\n5\n{second}7\n"))]);
    let joining = MindMerge::of(&with("2\n", "6\n"), &with("ours\ntoo\n", "mine\n"), &with("", "theirs\n"));
    let field = &joining.fields[0];
    assert_eq!(field.conflict_count(), 2);
    assert_eq!((field.lines_before(0), field.lines_before(1)), ((1, 1), (6, 4)));
}

fn any_mind() -> impl Strategy<Value = Mind> {
    let text = prop::collection::vec(prop_oneof![Just("a\n"), Just("b\n"), Just("c\n")], 0..5);
    let text = text.prop_map(|lines| lines.concat());
    let files = prop::collection::btree_map(prop_oneof![Just("x"), Just("y"), Just("z")], text.clone(), 0..3);
    (text.clone(), text, files).prop_map(|(objective, scratchpad, files)| {
        let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
        Mind { scratchpad, ..mind(&objective, &files) }
    })
}

/// All conflicts resolved for one side.
fn all(joining: &MindMerge, side: Resolution) -> Vec<(MindField, Vec<Resolution>)> {
    let contested = joining.fields.iter().filter(|field| field.conflict_count() > 0);
    contested.map(|field| (field.field.clone(), vec![side.clone(); field.conflict_count()])).collect()
}

/// A mind without its active file.
fn texts(mind: &Mind) -> Mind {
    Mind { active: None, ..mind.clone() }
}

proptest! {
    #[test]
    fn merge_with_itself_or_with_its_base_changes_nothing(base in any_mind(), ours in any_mind()) {
        for theirs in [&ours, &base] {
            let joining = MindMerge::of(&base, &ours, theirs);
            prop_assert_eq!(joining.conflict_count(), 0);
            prop_assert_eq!(texts(&joining.resolved(&ours, &[]).unwrap()), texts(&ours));
        }
        let forward = MindMerge::of(&base, &base, &ours);
        prop_assert_eq!(texts(&forward.resolved(&base, &[]).unwrap()), texts(&ours));
    }

    #[test]
    fn merge_is_symmetric(
        base in any_mind(), ours in any_mind(), theirs in any_mind()
    ) {
        let (here, there) = (MindMerge::of(&base, &ours, &theirs), MindMerge::of(&base, &theirs, &ours));
        prop_assert_eq!(here.conflict_count(), there.conflict_count());
        let merged = here.resolved(&ours, &all(&here, Resolution::Theirs)).unwrap();
        let other = there.resolved(&theirs, &all(&there, Resolution::Ours)).unwrap();
        prop_assert_eq!(texts(&merged), texts(&other));
        // The result contains the merge: merging again changes nothing.
        let again = MindMerge::of(&theirs, &merged, &theirs);
        prop_assert!(again.fields.is_empty());
        prop_assert!(merged.active.iter().all(|name| merged.files.contains_key(name)));
    }
}

#[test]
fn conflicting_images_are_picked_whole() {
    let image = |more: &str| crate::mind::blob::image_text(format!("GIF89a{more}").as_bytes()).unwrap();
    let of = |text: &str| mind("", &[("a.gif", text)]);
    let (base, ours, theirs) = (of(&image("0")), of(&image("1")), of(&image("2")));
    let file = MindField::File("a.gif".into());
    let joining = MindMerge::of(&base, &ours, &theirs);
    assert_eq!((joining.fields.len(), joining.conflict_count()), (1, 1));
    let conflict = joining.fields[0].contested().remove(0);
    assert!(
        conflict.ours.starts_with("image/gif, 7 bytes (") && conflict.ours != conflict.theirs,
        "{conflict:?}"
    );
    let with = |side: Resolution| joining.resolved(&ours, &[(file.clone(), vec![side])]);
    assert_eq!(with(Resolution::Ours).unwrap(), ours);
    assert_eq!(with(Resolution::Theirs).unwrap().files, theirs.files);
    assert_eq!((with(Resolution::Both), with(Resolution::Lines("a\n".into()))), (None, None));
    // An image changed on one side only is taken.
    assert_eq!(MindMerge::of(&base, &base, &theirs).resolved(&base, &[]).unwrap().files, theirs.files);
}

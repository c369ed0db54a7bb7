use proptest::prelude::*;

use super::*;

fn hash(text: Option<u8>) -> Option<ContentHash> {
    text.map(|byte| ContentHash::of_bytes(&[byte]))
}

fn of(last: Option<u8>, here: Option<u8>, there: Option<u8>) -> FileStatus {
    file_status([hash(last).as_ref(), hash(here).as_ref(), hash(there).as_ref()])
}

#[test]
fn statuses_cover_all_combinations() {
    assert_eq!(of(None, None, None), FileStatus::Same);
    assert_eq!(of(None, Some(1), Some(1)), FileStatus::Same, "both created the same file");
    assert_eq!(of(None, Some(1), None), FileStatus::NewInSession);
    assert_eq!(of(None, None, Some(1)), FileStatus::NewInFolder);
    assert_eq!(of(None, Some(1), Some(2)), FileStatus::ChangedInBoth);
    assert_eq!(of(Some(1), Some(1), Some(1)), FileStatus::Same);
    assert_eq!(of(Some(1), Some(2), Some(1)), FileStatus::ChangedInSession);
    assert_eq!(of(Some(1), Some(1), Some(2)), FileStatus::ChangedInFolder);
    assert_eq!(of(Some(1), Some(2), Some(3)), FileStatus::ChangedInBoth);
    assert_eq!(of(Some(1), None, Some(1)), FileStatus::DeletedInSession);
    assert_eq!(of(Some(1), Some(1), None), FileStatus::DeletedInFolder);
    assert_eq!(of(Some(1), None, None), FileStatus::Same, "both removed it");
    assert_eq!(of(Some(1), None, Some(2)), FileStatus::ChangedInBoth);
    assert_eq!(of(Some(1), Some(2), None), FileStatus::ChangedInBoth);
}

#[test]
fn unread_files_count_as_unchanged() {
    let of = |list: &[(&str, &str)]| -> VecMap<String, MindFile> {
        list.iter().map(|(name, text)| ((*name).to_owned(), MindFile::new(text))).collect()
    };
    let files = of(&[("a", "mine"), ("logo.svg", "a picture"), ("only-here", "x")]);
    let now = Mind { objective: "o".into(), scratchpad: "s".into(), active: Some("a".into()), files };
    let unread = vec!["logo.svg".to_owned(), "not-here.bin".to_owned()];
    let there = FolderContents { texts: of(&[("a", "theirs"), ("only-there", "y")]), unread };
    let mind = there.mind(&now);
    assert_eq!(mind.files, of(&[("a", "theirs"), ("logo.svg", "a picture"), ("only-there", "y")]));
    assert_eq!((mind.objective, mind.scratchpad), (now.objective, now.scratchpad));
}

#[test]
fn generated_folders_are_skipped() {
    assert!(
        is_generated_folder(".git") && is_generated_folder("node_modules") && is_generated_folder("target")
    );
    assert!(!is_generated_folder("src") && !is_generated_folder(".github"));
    assert!(is_system_file(".DS_Store") && !is_system_file(".gitignore"));
}

fn some() -> impl Strategy<Value = FileHashes> {
    prop::collection::btree_map("[a-d]", 0u8..3, 0..4)
        .prop_map(|all| all.into_iter().map(|(name, byte)| (name, ContentHash::of_bytes(&[byte]))).collect())
}

proptest! {
    /// Reading and writing never lose a change; afterwards only conflicts and removals remain.
    #[test]
    fn reading_and_writing_lose_no_change(last in some(), here in some(), there in some()) {
        let (mut here_after, mut there_after) = (here.clone(), there.clone());
        for (name, status) in differences(&last, &here, &there) {
            if status.is_read() {
                prop_assert_eq!(here.get(&name), last.get(&name), "a change here would be lost");
                here_after.insert(name.clone(), *there.get(&name).unwrap());
            }
            if status.is_written() {
                prop_assert_eq!(there.get(&name), last.get(&name), "a change there would be lost");
                there_after.insert(name.clone(), *here.get(&name).unwrap());
            }
        }
        let known = common_state(&last, &here_after, &there_after);
        for (_, status) in differences(&known, &here_after, &there_after) {
            prop_assert!(!status.is_read() && !status.is_written());
        }
    }

    #[test]
    fn agreed_is_idempotent(last in some(), here in some(), there in some()) {
        let once = common_state(&last, &here, &there);
        prop_assert_eq!(&common_state(&once, &here, &there), &once);
        prop_assert_eq!(differences(&once, &here, &there), differences(&last, &here, &there));
    }
}

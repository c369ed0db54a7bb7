use proptest::prelude::*;

use super::*;
use crate::mind::{Mind, MindWrite, resolve};

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn label_has_no_path_out_of_the_session() {
    assert_eq!(label("../../etc/passwd").as_deref(), Some("etc/passwd"));
    assert_eq!(label("C:\\work\\a.txt").as_deref(), Some("C:/work/a.txt"));
    assert_eq!(label(" a\u{7}b.txt ").as_deref(), Some("ab.txt"));
    assert_eq!(label("/..//./"), None);
    assert_eq!(label(""), None);
    let long = label(&format!("{}.html", "ü".repeat(300))).unwrap();
    assert!(long.len() <= FILE_NAME_BYTES && long.ends_with("ü.html"), "{long}");
}

#[test]
fn alternative_name_keeps_its_extension() {
    let taken = names(&["a.txt", "a-2.txt", "src.d/Makefile", ".gitignore"]);
    let is_taken = |name: &str| taken.iter().any(|other| other == name);
    assert_eq!(beside("a.txt", is_taken), "a-3.txt");
    assert_eq!(beside("b.txt", is_taken), "b.txt");
    assert_eq!(beside("src.d/Makefile", is_taken), "src.d/Makefile-2");
    assert_eq!(beside(".gitignore", is_taken), ".gitignore-2");
    let long = label(&format!("{}.html", "ü".repeat(300))).unwrap();
    let other = beside(&long, |name| name == long);
    assert!(other.len() <= FILE_NAME_BYTES && other.ends_with("ü-2.html"), "{other}");
}

#[test]
fn text_files_are_detected() {
    assert_eq!(text_of(Vec::new()).as_deref(), Some(""));
    assert_eq!(text_of("grüße\r\n\t😀".into()).as_deref(), Some("grüße\r\n\t😀"));
    assert_eq!(text_of("\u{feff}a".into()).as_deref(), Some("\u{feff}a"), "the byte order mark stays");
    assert_eq!(text_of(vec![0x89, b'P', b'N', b'G', 13, 10, 26, 10]), None);
    assert_eq!(text_of(b"MZ\0\0".to_vec()), None);
    assert_eq!(text_of(vec![1, 2, 3, 4, b'a']), None);
    assert_eq!(text_of(vec![0xff, 0xfe, b'a', 0]), None, "other encodings would not round-trip");
}

#[test]
fn tree_lists_folders_first_and_once() {
    let all = names(&["b.txt", "src/ui/a.rs", "A.txt", "src/main.rs", "docs/x.md", "src/ui.rs"]);
    let shown: Vec<String> = tree(&all)
        .iter()
        .map(|row| format!("{}{}{}", "  ".repeat(row.depth), row.label, if row.is_folder { "/" } else { "" }))
        .collect();
    let expected = ["docs/", "  x.md", "src/", "  ui/", "    a.rs", "  main.rs", "  ui.rs", "A.txt", "b.txt"];
    assert_eq!(shown, expected);
    let hidden: Vec<_> = tree(&all).into_iter().filter(|row| is_hidden(row, &names(&["src"]))).collect();
    assert_eq!(hidden.len(), 4);
    assert!(hidden.iter().all(|row| row.name.starts_with("src/")));
    let names_of = |search: &str, folded: &[&str]| -> Vec<String> {
        matching_rows(&all, search, &names(folded)).into_iter().map(|row| row.name).collect()
    };
    assert_eq!(names_of(" ", &["src"]), ["docs", "docs/x.md", "src", "A.txt", "b.txt"]);
    assert_eq!(names_of(" UI", &["src"]), ["src", "src/ui", "src/ui/a.rs", "src/ui.rs"]);
    assert!(names_of("none", &[]).is_empty());
}

proptest! {
    #[test]
    fn every_label_is_a_valid_file_name(raw in "\\PC{0,40}|[a-z./\\\\ ]{0,30}|(äb/){0,200}c") {
        if let Some(name) = label(&raw) {
            let write = MindWrite::File { name: name.clone(), text: "x".into() };
            prop_assert!(resolve(&Mind::default(), &Mind::default(), &[write]).is_ok(), "{:?}", name);
            prop_assert_eq!(label(&name), Some(name.clone()), "label is idempotent");
        }
    }

    #[test]
    fn tree_lists_each_file_once_below_its_folders(
        all in prop::collection::btree_set("[a-c]{1,2}(/[a-cA]{1,2}){0,3}", 0..20)
    ) {
        let all: Vec<String> = all.into_iter().collect();
        let rows = tree(&all);
        let mut files: Vec<_> =
            rows.iter().filter(|row| !row.is_folder).map(|row| row.name.clone()).collect();
        files.sort();
        prop_assert_eq!(&files, &all);
        let folders: Vec<_> = rows.iter().filter(|row| row.is_folder).map(|row| &row.name).collect();
        let mut once = folders.clone();
        once.sort();
        once.dedup();
        prop_assert_eq!(once.len(), folders.len(), "a folder is listed twice");
        for (place, row) in rows.iter().enumerate() {
            if let Some((parent, _)) = row.name.rsplit_once('/') {
                let parent_row = rows.iter().take(place).rfind(|other| other.depth + 1 == row.depth);
                prop_assert_eq!(parent_row.map(|other| other.name.as_str()), Some(parent));
            }
        }
    }

    #[test]
    fn alternative_name_is_free(taken in prop::collection::vec("a(-[2-4])?(\\.t)?", 0..8)) {
        let name = beside("a.t", |name| taken.iter().any(|other| other == name));
        prop_assert!(!taken.contains(&name));
    }
}

//! File names of a session: sanitising, unique names, the folder tree, and text detection.

use crate::limits::FILE_NAME_BYTES;
use nexus_text::small_sort::SmallSort as _;

/// Turns a path from outside into a file name without path components that leave the session; `None` if nothing is
/// left.
pub fn label(raw: &str) -> Option<String> {
    let clean: String =
        raw.chars().map(|c| if c == '\\' { '/' } else { c }).filter(|c| !c.is_control()).collect();
    let segments: Vec<&str> =
        clean.split('/').map(str::trim).filter(|segment| !matches!(*segment, "" | "." | "..")).collect();
    let name = shortened(&segments.join("/"));
    (!name.is_empty()).then_some(name)
}

/// Truncates a name to [`FILE_NAME_BYTES`], keeping the extension.
fn shortened(name: &str) -> String {
    if name.len() <= FILE_NAME_BYTES {
        return name.to_owned();
    }
    let (stem, extension) = split(name);
    let extension = if extension.len() > 16 { "" } else { extension };
    let room = FILE_NAME_BYTES.saturating_sub(extension.len());
    let end = stem.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= room).last();
    format!("{}{extension}", stem.get(..end.unwrap_or(0)).unwrap_or("").trim_end_matches(['/', ' ']))
}

/// Splits off the extension with its dot; only the last segment has one.
fn split(name: &str) -> (&str, &str) {
    let file = name.rfind('/').map_or(0, |slash| slash + 1);
    let dot = name.get(file..).and_then(|file| file.rfind('.')).filter(|dot| *dot > 0);
    match dot {
        Some(dot) => name.split_at(file + dot),
        None => (name, ""),
    }
}

/// A free name like this one: `a.txt`, `a-2.txt`, `a-3.txt` …
pub fn beside(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let (stem, extension) = split(name);
    let others = (2u32..).map(|number| format!("{stem}-{number}{extension}"));
    std::iter::once(name.to_owned()).chain(others).find(|name| !is_taken(name)).unwrap_or_default()
}

/// The text of a file; `None` for binary data: text is UTF-8 without NUL and with at most 2 % control characters.
pub fn text_of(bytes: Vec<u8>) -> Option<String> {
    let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'))?;
    let controls =
        text.chars().filter(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t' | '\u{c}' | '\u{1b}'));
    (controls.count() * 50 <= text.chars().count()).then_some(text)
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FileTreeRow {
    pub depth: usize,
    pub label: String,
    /// The whole name of a file, or the path of a folder without a trailing slash.
    pub name: String,
    pub is_folder: bool,
}

/// The files as tree rows: folders first, then files, each ignoring case.
pub fn tree<'n>(names: impl IntoIterator<Item = &'n String>) -> Vec<FileTreeRow> {
    let mut all: Vec<(Vec<&str>, &String)> =
        names.into_iter().map(|name| (name.split('/').collect(), name)).collect();
    all.small_sort_by(|(one, _), (other, _)| sort_key(one).cmp(&sort_key(other)));
    let mut rows = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    for (segments, name) in all {
        let Some((file, folders)) = segments.split_last() else { continue };
        let common = open.iter().zip(folders).take_while(|(one, other)| one == other).count();
        open.truncate(common);
        for folder in folders.iter().skip(common) {
            open.push(folder);
            let (depth, label) = (open.len() - 1, (*folder).to_owned());
            rows.push(FileTreeRow { depth, label, name: open.join("/"), is_folder: true });
        }
        rows.push(FileTreeRow {
            depth: folders.len(),
            label: (*file).to_owned(),
            name: name.clone(),
            is_folder: false,
        });
    }
    rows
}

/// Folders sort before files, ignoring case; the exact name breaks ties.
fn sort_key<'n>(segments: &[&'n str]) -> Vec<(bool, String, &'n str)> {
    let last = segments.len().saturating_sub(1);
    segments
        .iter()
        .enumerate()
        .map(|(place, segment)| (place == last, segment.to_lowercase(), *segment))
        .collect()
}

/// True if a row is inside a collapsed folder.
pub fn is_hidden(row: &FileTreeRow, folded: &[String]) -> bool {
    folded
        .iter()
        .any(|folder| row.name.strip_prefix(folder.as_str()).is_some_and(|rest| rest.starts_with('/')))
}

#[cfg(test)]
mod tests {
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
            .map(|row| {
                format!("{}{}{}", "  ".repeat(row.depth), row.label, if row.is_folder { "/" } else { "" })
            })
            .collect();
        let expected =
            ["docs/", "  x.md", "src/", "  ui/", "    a.rs", "  main.rs", "  ui.rs", "A.txt", "b.txt"];
        assert_eq!(shown, expected);
        let hidden: Vec<_> = tree(&all).into_iter().filter(|row| is_hidden(row, &names(&["src"]))).collect();
        assert_eq!(hidden.len(), 4);
        assert!(hidden.iter().all(|row| row.name.starts_with("src/")));
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
}

//! Three-way comparison of a session's files with a folder on disk.
//!
//! Compares the last common version, the session's and the disk's by content hash. A file changed on both sides is a
//! conflict for the operator, never overwritten.

use crate::mind::{Mind, MindFile};
use nexus_text::content_hash::ContentHash;
use nexus_text::vec_map::{VecMap, VecSet};
use serde::Serialize;

/// The state of a file in the session and in the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum FileStatus {
    /// Equal, or missing in both.
    Same,
    /// Changed in the session only: can be written.
    #[serde(rename = "changed-here")]
    ChangedInSession,
    /// New in the session: can be written.
    #[serde(rename = "new-here")]
    NewInSession,
    #[serde(rename = "gone-here")]
    DeletedInSession,
    /// Changed in the folder only: can be read.
    #[serde(rename = "changed-there")]
    ChangedInFolder,
    /// New in the folder: can be read.
    #[serde(rename = "new-there")]
    NewInFolder,
    /// Removed from the folder. The session keeps it.
    #[serde(rename = "gone-there")]
    DeletedInFolder,
    /// A conflict: both changed since the last common version.
    #[serde(rename = "both")]
    ChangedInBoth,
}

impl FileStatus {
    /// True if a read applies it without asking.
    pub fn is_read(self) -> bool {
        matches!(self, Self::ChangedInFolder | Self::NewInFolder)
    }

    /// True if a write applies it without asking.
    pub fn is_written(self) -> bool {
        matches!(self, Self::ChangedInSession | Self::NewInSession)
    }
}

/// The state of a file, given its hash in the last common version, in the session, and in the folder.
pub fn file_status(
    last: Option<&ContentHash>,
    here: Option<&ContentHash>,
    there: Option<&ContentHash>,
) -> FileStatus {
    match (last, here, there) {
        (_, here, there) if here == there => FileStatus::Same,
        (None, Some(_), None) => FileStatus::NewInSession,
        (None, None, Some(_)) => FileStatus::NewInFolder,
        (last, here, there) if last == there => match here {
            Some(_) => FileStatus::ChangedInSession,
            None => FileStatus::DeletedInSession,
        },
        (last, here, there) if last == here => match there {
            Some(_) => FileStatus::ChangedInFolder,
            None => FileStatus::DeletedInFolder,
        },
        _ => FileStatus::ChangedInBoth,
    }
}

pub type FileHashes = VecMap<String, ContentHash>;

/// All files that differ, sorted by name.
pub fn differences(last: &FileHashes, here: &FileHashes, there: &FileHashes) -> Vec<(String, FileStatus)> {
    let names: VecSet<&String> = last.keys().chain(here.keys()).chain(there.keys()).collect();
    names
        .iter()
        .map(|name| ((*name).clone(), file_status(last.get(*name), here.get(*name), there.get(*name))))
        .filter(|(_, status)| *status != FileStatus::Same)
        .collect()
}

/// The new common version: where both sides are equal, that one; else the last known one.
#[must_use]
pub fn common_state(last: &FileHashes, here: &FileHashes, there: &FileHashes) -> FileHashes {
    let names: VecSet<&String> = last.keys().chain(here.keys()).collect();
    names
        .iter()
        .filter_map(|name| {
            let (here, there) = (here.get(*name), there.get(*name));
            let known = if here == there { here } else { last.get(*name) };
            Some(((*name).clone(), *known?))
        })
        .collect()
}

/// The contents of a folder, as far as they were read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderContents {
    pub texts: VecMap<String, MindFile>,
    /// Files that are not text or too large.
    pub unread: Vec<String>,
}

impl FolderContents {
    /// The mind with the folder's files. Unread files count as unchanged.
    pub fn mind(&self, now: &Mind) -> Mind {
        let here = self.unread.iter().filter_map(|name| Some((name.clone(), now.files.get(name)?.clone())));
        let there = self.texts.iter().map(|(name, file)| (name.clone(), file.clone()));
        let (objective, scratchpad) = (now.objective.clone(), now.scratchpad.clone());
        Mind { objective, scratchpad, active: now.active.clone(), files: there.chain(here).collect() }
    }
}

/// Folders of generated files.
const HEAPS: [&str; 18] = [
    ".git",
    ".hg",
    ".svn",
    "node_modules",
    "bower_components",
    "target",
    "dist",
    "build",
    "out",
    "vendor",
    ".venv",
    "venv",
    "__pycache__",
    ".cache",
    ".next",
    ".gradle",
    ".idea",
    ".vscode",
];

pub fn is_generated_folder(folder: &str) -> bool {
    HEAPS.contains(&folder)
}

/// True for files that operating systems and browsers create.
pub fn is_system_file(file: &str) -> bool {
    matches!(file, ".DS_Store" | "Thumbs.db" | "desktop.ini") || file.ends_with(".crswap")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn hash(text: Option<u8>) -> Option<ContentHash> {
        text.map(|byte| ContentHash::of_bytes(&[byte]))
    }

    fn of(last: Option<u8>, here: Option<u8>, there: Option<u8>) -> FileStatus {
        file_status(hash(last).as_ref(), hash(here).as_ref(), hash(there).as_ref())
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
            is_generated_folder(".git")
                && is_generated_folder("node_modules")
                && is_generated_folder("target")
        );
        assert!(!is_generated_folder("src") && !is_generated_folder(".github"));
        assert!(is_system_file(".DS_Store") && !is_system_file(".gitignore"));
    }

    fn some() -> impl Strategy<Value = FileHashes> {
        prop::collection::btree_map("[a-d]", 0u8..3, 0..4).prop_map(|all| {
            all.into_iter().map(|(name, byte)| (name, ContentHash::of_bytes(&[byte]))).collect()
        })
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
}

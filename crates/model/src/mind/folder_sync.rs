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
fn file_status([last, here, there]: [Option<&ContentHash>; 3]) -> FileStatus {
    match (last, here, there) {
        _ if here == there => FileStatus::Same,
        (None, Some(_), None) => FileStatus::NewInSession,
        (None, None, Some(_)) => FileStatus::NewInFolder,
        (_, Some(_), _) if last == there => FileStatus::ChangedInSession,
        (_, None, _) if last == there => FileStatus::DeletedInSession,
        (_, _, Some(_)) if last == here => FileStatus::ChangedInFolder,
        (_, _, None) if last == here => FileStatus::DeletedInFolder,
        _ => FileStatus::ChangedInBoth,
    }
}

pub type FileHashes = VecMap<String, ContentHash>;

/// All files that differ, sorted by name.
pub fn differences(last: &FileHashes, here: &FileHashes, there: &FileHashes) -> Vec<(String, FileStatus)> {
    let names: VecSet<&String> = last.keys().chain(here.keys()).chain(there.keys()).collect();
    let status = |name: &String| file_status([last, here, there].map(|side| side.get(name)));
    let all = names.into_iter().map(|name| (name.clone(), status(name)));
    all.filter(|(_, status)| *status != FileStatus::Same).collect()
}

/// The new common version: where both sides are equal, that one; else the last known one.
#[must_use]
pub fn common_state(last: &FileHashes, here: &FileHashes, there: &FileHashes) -> FileHashes {
    let names: VecSet<&String> = last.keys().chain(here.keys()).collect();
    let common = names.into_iter().filter_map(|name| {
        let (here, there) = (here.get(name), there.get(name));
        let known = if here == there { here } else { last.get(name) };
        Some((name.clone(), *known?))
    });
    common.collect()
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
        Mind { files: there.chain(here).collect(), ..now.clone() }
    }
}

/// Folders of generated files.
const HEAPS: &str = ".git .hg .svn node_modules bower_components target dist build out vendor .venv venv \
    __pycache__ .cache .next .gradle .idea .vscode";

pub fn is_generated_folder(folder: &str) -> bool {
    HEAPS.split_whitespace().any(|heap| heap == folder)
}

/// True for files that operating systems and browsers create.
pub fn is_system_file(file: &str) -> bool {
    matches!(file, ".DS_Store" | "Thumbs.db" | "desktop.ini") || file.ends_with(".crswap")
}

#[cfg(test)]
mod tests;

//! Strings of the file panel and the folder sync.

use crate::strings::format::{count, listed, size};
use nexus_engine::port::{FileSystemError, FileSystemUnavailable};
use nexus_model::limits::{FOLDER_FILE_BYTES, FOLDER_FILES, OPEN_BYTES, OPEN_FILES};
use nexus_model::mind::folder_sync::FileStatus;

pub const DESK: &str = "All files";
pub const ALL: &str = "All files of the session";
pub const OPEN: &str = "Open…";
pub const OPEN_ABOUT: &str = "Open files from this device. You can also drop them anywhere on the page";
pub const OPEN_FOLDER: &str = "Open folder…";
pub const OPEN_FOLDER_ABOUT: &str =
    "Open all text files of a folder once. To keep them in sync with the disk, link the folder";
pub const ZIP: &str = "Download all";
pub const ZIP_ABOUT: &str = "Download all files as one zip";
pub const NOTHING: &str = "No files yet. Open some, or drop them anywhere on the page.";
pub const NOT_DOWNLOADED: &str = "The browser blocked the download";
pub const NOT_DOWNLOADED_ADVICE: &str =
    "It may not be allowed inside another page. Open Nexus in its own tab.";
pub const RENAME: &str = "Rename";
pub const DOWNLOAD: &str = "Download";
pub const DELETE: &str = "Delete";

pub const SAME: &str = "already exists with the same text.";
pub const TAKEN: &str = "already exists with a different text.";
pub const REPLACE: &str = "Replace";
pub const KEEP_BOTH: &str = "Keep both";

pub const FOLDER: &str = "Folder on disk";
pub const FREE: &str = "Link a folder on this device to the session. Changes on disk are imported when you return to the page; changes here are written when you choose.";
pub const TIE: &str = "Link folder…";
pub const TIE_ABOUT: &str = "Choose a folder; its text files are imported";
pub const ALLOW: &str = "Allow access again";
pub const ALLOW_ABOUT: &str = "The browser asks whether this page may read and write the folder";
pub const UNTIE: &str = "Unlink";
pub const UNTIE_ABOUT: &str = "Nothing is deleted, here or on disk";
pub const LOOK: &str = "Check for changes";
pub const LOOK_ABOUT: &str = "Check the folder for changes. This also happens when you return to the page";
pub const COMPARE: &str = "Compare";
pub const COMPARE_ABOUT: &str = "Show the differences from the folder line by line";
pub const WRITE_ABOUT: &str =
    "Write what changed only here. Files that also changed on disk are not overwritten";
pub const NOT_WRITTEN_ADVICE: &str = "Compare both versions below the files, and choose one.";
pub const READ: &str = "Import from disk";
pub const OURS: &str = "Overwrite on disk";
pub const THEIRS: &str = "Use the version on disk";
pub const BRING_BACK: &str = "Restore";
pub const WRITE_AGAIN: &str = "Write again";
pub const DELETE_HERE: &str = "Delete here too";

/// Why a file was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenFileError {
    Folder,
    Large,
    /// There are too many, or too much of them.
    Many,
    /// Nothing of its name can be kept.
    Nameless,
    /// It is gone, changed while it was read, or may not be read.
    Unread,
    /// It is no text.
    Binary,
}

pub fn not_opened(why: OpenFileError) -> String {
    match why {
        OpenFileError::Folder => "is a folder. Use “Open folder…”, or drop the files in it.".to_owned(),
        OpenFileError::Large => format!(
            "is larger than {}. Agents could not read it; open only the part that matters.",
            bytes(OPEN_BYTES)
        ),
        OpenFileError::Many => {
            format!(
                "was left out: at most {OPEN_FILES} files can be opened at once. Open the rest after these."
            )
        }
        OpenFileError::Nameless => "has an unsupported name. Rename it on disk.".to_owned(),
        OpenFileError::Unread => {
            "could not be read: it changed, was removed, or access is denied. Choose it again.".to_owned()
        }
        OpenFileError::Binary => "is neither UTF-8 text nor an image that browsers show.".to_owned(),
    }
}

/// Files of a folder that were not opened.
pub fn passed_over(number: usize) -> String {
    let are = if number == 1 { "was" } else { "were" };
    format!(
        "{} of the folder {are} skipped: not text, or more than {OPEN_FILES} at once.",
        count(number, "file", "files")
    )
}

fn bytes(number: u64) -> String {
    size(usize::try_from(number).unwrap_or(usize::MAX))
}

/// A few names, or how many there are.
fn some(names: &[String]) -> String {
    if names.len() <= 3 { listed(names) } else { count(names.len(), "file", "files") }
}

fn verb(names: &[String], one: &'static str, many: &'static str) -> &'static str {
    if names.len() == 1 { one } else { many }
}

pub fn opened(names: &[String]) -> String {
    format!("{} {} open.", some(names), verb(names, "is", "are"))
}

pub fn read_in(names: &[String]) -> String {
    format!("{} {} imported from the folder.", some(names), verb(names, "was", "were"))
}

pub fn written(names: &[String]) -> String {
    format!("{} {} written to the folder.", some(names), verb(names, "was", "were"))
}

pub fn not_written(names: &[String]) -> String {
    format!("{} changed on disk, so Nexus did not overwrite {}.", some(names), verb(names, "it", "them"))
}

pub fn refused(name: &str) -> String {
    format!("{name} could not be written to the folder")
}

pub fn refused_advice(why: &str) -> String {
    format!("The browser reported: {why}. Rename the file, or write it again.")
}

pub fn rename(name: &str) -> String {
    format!("Rename {name}")
}

pub fn download(name: &str) -> String {
    format!("Download {name}")
}

pub fn delete(name: &str) -> String {
    format!("Delete {name}")
}

pub fn put_away(name: &str) -> String {
    format!("Dismiss the message about {name}")
}

pub fn hindered(why: FileSystemUnavailable) -> &'static str {
    match why {
        FileSystemUnavailable::Unsupported => {
            "This browser cannot link folders. Chrome and Edge on a computer can; here, open a folder and download all."
        }
        FileSystemUnavailable::Frame => {
            "The browser links no folders inside another page. Open Nexus in its own tab."
        }
    }
}

pub fn lapsed(name: &str) -> String {
    format!(
        "The session is linked to “{name}”. The browser needs your permission again before the page may read and write it."
    )
}

pub const NOT_ALLOWED: &str = "Permission was not given. Nothing was read or written, and your files stay here. Ask again, or unlink the folder. If the browser no longer asks, reset the permission in its settings for this site.";

pub fn failed(error: &FileSystemError) -> String {
    match error {
        FileSystemError::Lapsed => "The browser denies access to the folder. Link it again.".to_owned(),
        FileSystemError::Gone => {
            "The folder no longer exists. Your files stay here. Link it again at its new place.".to_owned()
        }
        FileSystemError::Failed(words) => {
            format!("The folder could not be used: {words}. Your files stay here. Link it again.")
        }
    }
}

pub fn tied(name: &str, differences: usize) -> String {
    match differences {
        0 => format!("Linked to “{name}”. No differences."),
        number => format!(
            "Linked to “{name}”. {} differ{} from disk.",
            count(number, "file", "files"),
            if number == 1 { "s" } else { "" }
        ),
    }
}

pub fn write(number: usize) -> String {
    match number {
        0 => "Nothing to write".to_owned(),
        number => format!("Write {}", count(number, "file", "files")),
    }
}

pub fn left_out(passed_over: usize, cut: bool) -> String {
    let passed = match passed_over {
        0 => String::new(),
        number => format!(
            "{} {} skipped: not text, or larger than {}. ",
            count(number, "file", "files"),
            if number == 1 { "is" } else { "are" },
            bytes(FOLDER_FILE_BYTES)
        ),
    };
    let more = if cut {
        format!("The folder contains more than a session takes ({FOLDER_FILES} files): the rest is ignored. ")
    } else {
        String::new()
    };
    format!("{passed}{more}")
}

pub fn standing(standing: FileStatus) -> &'static str {
    match standing {
        FileStatus::Same => "is the same.",
        FileStatus::ChangedHere => "changed here.",
        FileStatus::NewHere => "is new here.",
        FileStatus::GoneHere => "was deleted here, but is still on disk.",
        FileStatus::ChangedThere => "changed on disk.",
        FileStatus::NewThere => "is new on disk.",
        FileStatus::GoneThere => "was deleted on disk.",
        FileStatus::Both => "changed here and on disk.",
    }
}

/// The same as a mark beside a name.
pub fn mark(standing: FileStatus) -> &'static str {
    match standing {
        FileStatus::Same => "",
        FileStatus::ChangedHere => "changed",
        FileStatus::NewHere => "new",
        FileStatus::GoneHere => "",
        FileStatus::ChangedThere | FileStatus::NewThere => "newer on disk",
        FileStatus::GoneThere => "deleted on disk",
        FileStatus::Both => "differs",
    }
}

/// The value of `data-kind`.
pub fn kind(standing: FileStatus) -> &'static str {
    match standing {
        FileStatus::Same => "same",
        FileStatus::ChangedHere => "changed-here",
        FileStatus::NewHere => "new-here",
        FileStatus::GoneHere => "gone-here",
        FileStatus::ChangedThere => "changed-there",
        FileStatus::NewThere => "new-there",
        FileStatus::GoneThere => "gone-there",
        FileStatus::Both => "both",
    }
}

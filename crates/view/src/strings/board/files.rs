//! Strings of the file panel and the folder sync.

use crate::strings::format::{count, listed, size};
use nexus_engine::port::{FileSystemError, FileSystemUnavailable};
use nexus_model::limits::{FOLDER_FILE_BYTES, FOLDER_FILES, OPEN_BYTES, OPEN_FILES};
use nexus_model::mind::folder_sync::FileStatus;

pub const DESK: &str = "All files";
pub const ALL: &str = "All files of the session";
pub const OPEN: &str = "Open…";
pub const OPEN_ABOUT: &str = "Open files from this device. They can be dropped anywhere on the page, too";
pub const OPEN_FOLDER: &str = "Open a folder…";
pub const OPEN_FOLDER_ABOUT: &str =
    "Open all texts of a folder, once. To keep them the same as on disk, tie the folder";
pub const ZIP: &str = "Download all";
pub const ZIP_ABOUT: &str = "Download all files as one zip";
pub const NOTHING: &str = "No files yet. Open some, or drop them anywhere on the page.";
pub const NOT_DOWNLOADED: &str = "The browser did not take the download";
pub const NOT_DOWNLOADED_ADVICE: &str =
    "Inside another page it may not be allowed. Open Nexus in a tab of its own.";
pub const RENAME: &str = "Rename";
pub const DOWNLOAD: &str = "Download";
pub const DELETE: &str = "Delete";

pub const SAME: &str = "is here already, with exactly this text.";
pub const TAKEN: &str = "is here already, with another text.";
pub const REPLACE: &str = "Replace it";
pub const KEEP_BOTH: &str = "Keep both";

pub const FOLDER: &str = "Folder on disk";
pub const FREE: &str = "Tie a folder of this device to the session: what changes there is read in when you come back to the page, and what changes here is written when you say so.";
pub const TIE: &str = "Tie a folder…";
pub const TIE_ABOUT: &str = "Choose the folder. Its texts are read in";
pub const ALLOW: &str = "Allow it again";
pub const ALLOW_ABOUT: &str = "The browser asks whether this page may read and write the folder";
pub const UNTIE: &str = "Untie";
pub const UNTIE_ABOUT: &str = "Nothing is deleted, here or there";
pub const LOOK: &str = "Read again";
pub const LOOK_ABOUT: &str =
    "Look what changed in the folder. It is done whenever you come back to the page, too";
pub const COMPARE: &str = "Compare";
pub const COMPARE_ABOUT: &str = "Show line by line what differs from the folder";
pub const WRITE_ABOUT: &str =
    "Write what changed only here. What changed outside meanwhile is not overwritten";
pub const NOT_WRITTEN_ADVICE: &str = "Look at both below the files, and decide which one stays.";
pub const READ: &str = "Read it in";
pub const OURS: &str = "Write mine over it";
pub const THEIRS: &str = "Take the one on disk";
pub const BRING_BACK: &str = "Bring it back";
pub const WRITE_AGAIN: &str = "Write it again";
pub const DELETE_HERE: &str = "Delete it here, too";

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
        OpenFileError::Folder => "is a folder. Use “Open a folder…”, or drop the files in it.".to_owned(),
        OpenFileError::Large => format!(
            "is larger than {}. Agents could not read it; take the part that matters.",
            bytes(OPEN_BYTES)
        ),
        OpenFileError::Many => {
            format!("was left out: at most {OPEN_FILES} files come at a time. Open the rest after these.")
        }
        OpenFileError::Nameless => "has a name of which nothing can be kept. Rename it on disk.".to_owned(),
        OpenFileError::Unread => {
            "could not be read: it changed or went meanwhile, or may not be read. Choose it once more."
                .to_owned()
        }
        OpenFileError::Binary => {
            "is not a text in UTF-8. Agents work on texts; pictures go along with a message.".to_owned()
        }
    }
}

/// Files of a folder that were not opened.
pub fn passed_over(number: usize) -> String {
    let are = if number == 1 { "was" } else { "were" };
    format!(
        "{} of it {are} left out: no text, or more than {OPEN_FILES} at a time.",
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
    format!("{} {} read in from the folder.", some(names), verb(names, "was", "were"))
}

pub fn written(names: &[String]) -> String {
    format!("{} {} written to the folder.", some(names), verb(names, "was", "were"))
}

pub fn not_written(names: &[String]) -> String {
    format!("{} changed outside, so nothing was written over {}.", some(names), verb(names, "it", "them"))
}

pub fn refused(name: &str) -> String {
    format!("{name} could not be written to the folder")
}

pub fn refused_advice(why: &str) -> String {
    format!("The browser said: {why}. Give the file another name, or write it again.")
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
    format!("Put away what is said of {name}")
}

pub fn hindered(why: FileSystemUnavailable) -> &'static str {
    match why {
        FileSystemUnavailable::Unsupported => {
            "This browser has no way to tie a folder. Chrome and Edge on a computer have one; here, open a folder and download all."
        }
        FileSystemUnavailable::Frame => {
            "Inside another page the browser ties no folder. Open Nexus in a tab of its own."
        }
    }
}

pub fn lapsed(name: &str) -> String {
    format!(
        "The session is tied to “{name}”. The browser wants to be asked again before the page may read and write it."
    )
}

pub const NOT_ALLOWED: &str = "The permission was not given. Nothing was read or written, and your files stay here. Ask \
     again, or untie the folder. Where the browser asks no more, its settings for this site let it ask again.";

pub fn failed(error: &FileSystemError) -> String {
    match error {
        FileSystemError::Lapsed => {
            "The browser does not let this page at the folder. Tie it again.".to_owned()
        }
        FileSystemError::Gone => {
            "The folder is not there any more. Your files stay here. Tie it again where it is now.".to_owned()
        }
        FileSystemError::Failed(words) => {
            format!("The folder could not be used: {words}. Your files stay here. Tie it again.")
        }
    }
}

pub fn tied(name: &str, differences: usize) -> String {
    match differences {
        0 => format!("Tied to “{name}”. Both are the same."),
        number => format!(
            "Tied to “{name}”. {} differ{} from disk.",
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
            "{} {} passed over: no text, or larger than {}. ",
            count(number, "file", "files"),
            if number == 1 { "is" } else { "are" },
            bytes(FOLDER_FILE_BYTES)
        ),
    };
    let more = if cut {
        format!(
            "The folder holds more than a session takes ({FOLDER_FILES} files): the rest is not looked at. "
        )
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
        FileStatus::GoneHere => "is gone here, and still on disk.",
        FileStatus::ChangedThere => "changed on disk.",
        FileStatus::NewThere => "is new on disk.",
        FileStatus::GoneThere => "is gone on disk.",
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
        FileStatus::GoneThere => "gone on disk",
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

//! Never looks anything up.
//!
//! Owns the words of the desk: opening files, the list of all, the folder on disk.

use crate::domain::folder::Standing;
use crate::domain::limits::{FOLDER_FILE_BYTES, FOLDER_FILES, OPEN_BYTES, OPEN_FILES};
use crate::engine::port::{DiskError, NoDisk};
use crate::ui::words::{count, listed, size};

pub(crate) const DESK: &str = "All files";
pub(crate) const ALL: &str = "All files of the session";
pub(crate) const OPEN: &str = "Open…";
pub(crate) const OPEN_ABOUT: &str =
    "Open files from this device. They can be dropped anywhere on the page, too";
pub(crate) const OPEN_FOLDER: &str = "Open a folder…";
pub(crate) const OPEN_FOLDER_ABOUT: &str =
    "Open all texts of a folder, once. To keep them the same as on disk, tie the folder";
pub(crate) const ZIP: &str = "Download all";
pub(crate) const ZIP_ABOUT: &str = "Download all files as one zip";
pub(crate) const NOTHING: &str = "No files yet. Open some, or drop them anywhere on the page.";
pub(crate) const NOT_DOWNLOADED: &str = "The browser did not take the download";
pub(crate) const NOT_DOWNLOADED_ADVICE: &str =
    "Inside another page it may not be allowed. Open Nexus in a tab of its own.";
pub(crate) const RENAME: &str = "Rename";
pub(crate) const DOWNLOAD: &str = "Download";
pub(crate) const DELETE: &str = "Delete";

pub(crate) const SAME: &str = "is here already, with exactly this text.";
pub(crate) const TAKEN: &str = "is here already, with another text.";
pub(crate) const REPLACE: &str = "Replace it";
pub(crate) const KEEP_BOTH: &str = "Keep both";

pub(crate) const FOLDER: &str = "Folder on disk";
pub(crate) const FREE: &str = "Tie a folder of this device to the session: what changes there is read in when you come back to the page, and what changes here is written when you say so.";
pub(crate) const TIE: &str = "Tie a folder…";
pub(crate) const TIE_ABOUT: &str = "Choose the folder. Its texts are read in";
pub(crate) const ALLOW: &str = "Allow it again";
pub(crate) const ALLOW_ABOUT: &str = "The browser asks whether this page may read and write the folder";
pub(crate) const UNTIE: &str = "Untie";
pub(crate) const UNTIE_ABOUT: &str = "Nothing is deleted, here or there";
pub(crate) const LOOK: &str = "Read again";
pub(crate) const LOOK_ABOUT: &str =
    "Look what changed in the folder. It is done whenever you come back to the page, too";
pub(crate) const COMPARE: &str = "Compare";
pub(crate) const COMPARE_ABOUT: &str = "Show line by line what differs from the folder";
pub(crate) const WRITE_ABOUT: &str =
    "Write what changed only here. What changed outside meanwhile is not overwritten";
pub(crate) const NOT_WRITTEN_ADVICE: &str = "Look at both below the files, and decide which one stays.";
pub(crate) const READ: &str = "Read it in";
pub(crate) const OURS: &str = "Write mine over it";
pub(crate) const THEIRS: &str = "Take the one on disk";
pub(crate) const BRING_BACK: &str = "Bring it back";
pub(crate) const WRITE_AGAIN: &str = "Write it again";
pub(crate) const DELETE_HERE: &str = "Delete it here, too";

/// Why a file was not opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotOpened {
    /// It is a folder.
    Folder,
    /// It is too large.
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

pub(crate) fn not_opened(why: NotOpened) -> String {
    match why {
        NotOpened::Folder => "is a folder. Use “Open a folder…”, or drop the files in it.".to_owned(),
        NotOpened::Large => format!(
            "is larger than {}. Agents could not read it; take the part that matters.",
            bytes(OPEN_BYTES)
        ),
        NotOpened::Many => {
            format!("was left out: at most {OPEN_FILES} files come at a time. Open the rest after these.")
        }
        NotOpened::Nameless => "has a name of which nothing can be kept. Rename it on disk.".to_owned(),
        NotOpened::Unread => {
            "could not be read: it changed or went meanwhile, or may not be read. Choose it once more."
                .to_owned()
        }
        NotOpened::Binary => {
            "is not a text in UTF-8. Agents work on texts; pictures go along with a message.".to_owned()
        }
    }
}

/// Files of a folder that were not opened.
pub(crate) fn passed_over(number: usize) -> String {
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

pub(crate) fn opened(names: &[String]) -> String {
    format!("{} {} open.", some(names), verb(names, "is", "are"))
}

pub(crate) fn read_in(names: &[String]) -> String {
    format!("{} {} read in from the folder.", some(names), verb(names, "was", "were"))
}

pub(crate) fn written(names: &[String]) -> String {
    format!("{} {} written to the folder.", some(names), verb(names, "was", "were"))
}

pub(crate) fn not_written(names: &[String]) -> String {
    format!("{} changed outside, so nothing was written over {}.", some(names), verb(names, "it", "them"))
}

pub(crate) fn refused(name: &str) -> String {
    format!("{name} could not be written to the folder")
}

pub(crate) fn refused_advice(why: &str) -> String {
    format!("The browser said: {why}. Give the file another name, or write it again.")
}

pub(crate) fn rename(name: &str) -> String {
    format!("Rename {name}")
}

pub(crate) fn download(name: &str) -> String {
    format!("Download {name}")
}

pub(crate) fn delete(name: &str) -> String {
    format!("Delete {name}")
}

pub(crate) fn put_away(name: &str) -> String {
    format!("Put away what is said of {name}")
}

pub(crate) fn hindered(why: NoDisk) -> &'static str {
    match why {
        NoDisk::Unsupported => {
            "This browser has no way to tie a folder. Chrome and Edge on a computer have one; here, open a folder and download all."
        }
        NoDisk::Frame => "Inside another page the browser ties no folder. Open Nexus in a tab of its own.",
    }
}

pub(crate) fn lapsed(name: &str) -> String {
    format!(
        "The session is tied to “{name}”. The browser wants to be asked again before the page may read and write it."
    )
}

pub(crate) const NOT_ALLOWED: &str = "The permission was not given. Nothing was read or written, and your files stay here. Ask \
     again, or untie the folder. Where the browser asks no more, its settings for this site let it ask again.";

pub(crate) fn failed(error: &DiskError) -> String {
    match error {
        DiskError::Lapsed => "The browser does not let this page at the folder. Tie it again.".to_owned(),
        DiskError::Gone => {
            "The folder is not there any more. Your files stay here. Tie it again where it is now.".to_owned()
        }
        DiskError::Failed(words) => {
            format!("The folder could not be used: {words}. Your files stay here. Tie it again.")
        }
    }
}

pub(crate) fn tied(name: &str, differences: usize) -> String {
    match differences {
        0 => format!("Tied to “{name}”. Both are the same."),
        number => format!(
            "Tied to “{name}”. {} differ{} from disk.",
            count(number, "file", "files"),
            if number == 1 { "s" } else { "" }
        ),
    }
}

pub(crate) fn write(number: usize) -> String {
    match number {
        0 => "Nothing to write".to_owned(),
        number => format!("Write {}", count(number, "file", "files")),
    }
}

pub(crate) fn left_out(passed_over: usize, cut: bool) -> String {
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

pub(crate) fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Same => "is the same.",
        Standing::ChangedHere => "changed here.",
        Standing::NewHere => "is new here.",
        Standing::GoneHere => "is gone here, and still on disk.",
        Standing::ChangedThere => "changed on disk.",
        Standing::NewThere => "is new on disk.",
        Standing::GoneThere => "is gone on disk.",
        Standing::Both => "changed here and on disk.",
    }
}

/// The same as a mark beside a name.
pub(crate) fn mark(standing: Standing) -> &'static str {
    match standing {
        Standing::Same => "",
        Standing::ChangedHere => "changed",
        Standing::NewHere => "new",
        Standing::GoneHere => "",
        Standing::ChangedThere | Standing::NewThere => "newer on disk",
        Standing::GoneThere => "gone on disk",
        Standing::Both => "differs",
    }
}

/// The value of `data-kind`.
pub(crate) fn kind(standing: Standing) -> &'static str {
    match standing {
        Standing::Same => "same",
        Standing::ChangedHere => "changed-here",
        Standing::NewHere => "new-here",
        Standing::GoneHere => "gone-here",
        Standing::ChangedThere => "changed-there",
        Standing::NewThere => "new-there",
        Standing::GoneThere => "gone-there",
        Standing::Both => "both",
    }
}

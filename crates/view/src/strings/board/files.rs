//! Strings of the file panel and the folder sync.

use crate::strings::prelude::*;
use nexus_engine::port::{FileSystemError, FileSystemUnavailable};
use nexus_model::limits::{FOLDER_FILE_BYTES, FOLDER_FILES, OPEN_BYTES, OPEN_FILES};
use nexus_model::mind::folder_sync::FileStatus;

pub const ALL: Text = Text("All files of the session");
pub const OPEN: Text = Text("Open…");
pub const OPEN_ABOUT: Text = Text("Open files from this device. You can also drop them anywhere on the page");
pub const OPEN_FOLDER: Text = Text("Open folder…");
pub const OPEN_FOLDER_ABOUT: Text =
    Text("Open all text files of a folder once. To keep them in sync with the disk, link the folder");
pub const ZIP: Text = Text("Download all");
pub const ZIP_ABOUT: Text = Text("Download all files as one zip");
pub const SEARCH: Text = Text("Search file names");
pub const NOT_DOWNLOADED: Text = Text("The browser blocked the download");
pub const NOT_DOWNLOADED_ADVICE: Text =
    Text("It may not be allowed inside another page. Open Nexus in its own tab.");

pub const SAME: Text = Text("already exists with the same text.");
pub const TAKEN: Text = Text("already exists with a different text.");
pub const REPLACE: Text = Text("Replace");

pub const FOLDER: Text = Text("Folder on disk");
pub const FREE: Text = Text(
    "Link a folder on this device to the session. Changes on disk are imported when you return to the page; changes here are written when you choose.",
);
pub const TIE: Text = Text("Link folder…");
pub const TIE_ABOUT: Text = Text("Choose a folder; its text files are imported");
pub const ALLOW: Text = Text("Allow access again");
pub const ALLOW_ABOUT: Text = Text("The browser asks whether this page may read and write the folder");
pub const UNTIE: Text = Text("Unlink");
pub const UNTIE_ABOUT: Text = Text("Nothing is deleted, here or on disk");
pub const LOOK: Text = Text("Check for changes");
pub const LOOK_ABOUT: Text =
    Text("Check the folder for changes. This also happens when you return to the page");
pub const COMPARE_ABOUT: Text = Text("Show the differences from the folder line by line");
pub const WRITE_ABOUT: Text =
    Text("Write what changed only here. Files that also changed on disk are not overwritten");
pub const NOT_WRITTEN_ADVICE: Text = Text("Compare both versions below the files, and choose one.");
pub const READ: Text = Text("Import from disk");
pub const OURS: Text = Text("Overwrite on disk");
pub const THEIRS: Text = Text("Use the version on disk");
pub const WRITE_AGAIN: Text = Text("Write again");
pub const DELETE_HERE: Text = Text("Delete here too");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenFileError {
    Folder,
    Large,
    Many,
    Nameless,
    /// The file was removed, changed while it was read, or is not readable.
    Unread,
    Binary,
}

texts! {
    pub fn files_skipped(number: usize) =
        "{} skipped: not text, or more than {OPEN_FILES} at once.", count(number, "file of the folder was", "files of the folder were");
    pub fn write_failed(name: &str) = "{name} could not be written to the folder";
    pub fn write_failed_advice(why: &str) = "The browser reported: {why}. Rename the file, or write it again.";
    pub fn rename(name: &str) = "Rename {name}";
    pub fn download(name: &str) = "Download {name}";
    pub fn delete(name: &str) = "Delete {name}";
    pub fn dismiss(name: &str) = "Dismiss the message about {name}";
    pub fn lapsed(name: &str) =
        "The session is linked to “{name}”. The browser needs your permission again before the page may read and write it.";

    pub fn not_opened(why: OpenFileError) -> String {
        OpenFileError::Folder => "is a folder. Use “Open folder…”, or drop the files in it.";
        OpenFileError::Large =>
            "is larger than {}. Agents could not read it; open only the part that matters.", large_size(OPEN_BYTES);
        OpenFileError::Many =>
            "was left out: at most {OPEN_FILES} files can be opened at once. Open the rest after these.";
        OpenFileError::Nameless => "has an unsupported name. Rename it on disk.";
        OpenFileError::Unread =>
            "could not be read: it changed, was removed, or access is denied. Choose it again.";
        OpenFileError::Binary => "is neither UTF-8 text nor an image that browsers show.";
    }

    pub fn unavailable(why: FileSystemUnavailable) -> &'static str {
        FileSystemUnavailable::Unsupported =>
            "This browser cannot link folders. Chrome and Edge on a computer can; here, open a folder and download all.";
        FileSystemUnavailable::Frame =>
            "The browser links no folders inside another page. Open Nexus in its own tab.";
    }

    pub fn failed(error: &FileSystemError) -> String {
        FileSystemError::Lapsed => "The browser denies access to the folder. Link it again.";
        FileSystemError::Gone =>
            "The folder no longer exists. Your files stay here. Link it again at its new place.";
        FileSystemError::Failed(words) =>
            "The folder could not be used: {words}. Your files stay here. Link it again.";
    }

    pub fn opened(names: &[String]) -> String {
        [name] => "{name} is open.";
        names => "{} are open.", some(names);
    }

    pub fn files_imported(names: &[String]) -> String {
        [name] => "{name} was imported from the folder.";
        names => "{} were imported from the folder.", some(names);
    }

    pub fn written(names: &[String]) -> String {
        [name] => "{name} was written to the folder.";
        names => "{} were written to the folder.", some(names);
    }

    pub fn not_written(names: &[String]) -> String {
        [name] => "{name} changed on disk, so Nexus did not overwrite it.";
        names => "{} changed on disk, so Nexus did not overwrite them.", some(names);
    }

    pub fn write(number: usize) -> String {
        0 => "Nothing to write";
        number => "Write {}", count(number, "file", "files");
    }

    fn skipped(number: usize) -> String {
        0 => { String::new() };
        number => "{} skipped: not text, or larger than {}. ",
            count(number, "file is", "files are"), large_size(FOLDER_FILE_BYTES);
    }

    pub fn status_text(status: FileStatus) -> &'static str {
        FileStatus::Same => "is the same.";
        FileStatus::ChangedInSession => "changed here.";
        FileStatus::NewInSession => "is new here.";
        FileStatus::DeletedInSession => "was deleted here, but is still on disk.";
        FileStatus::ChangedInFolder => "changed on disk.";
        FileStatus::NewInFolder => "is new on disk.";
        FileStatus::DeletedInFolder => "was deleted on disk.";
        FileStatus::ChangedInBoth => "changed here and on disk.";
    }

    pub fn mark(status: FileStatus) -> &'static str {
        FileStatus::Same => { "" };
        FileStatus::ChangedInSession => "changed";
        FileStatus::NewInSession => "new";
        FileStatus::DeletedInSession => { "" };
        FileStatus::ChangedInFolder | FileStatus::NewInFolder => "newer on disk";
        FileStatus::DeletedInFolder => "deleted on disk";
        FileStatus::ChangedInBoth => "differs";
    }
}

fn some(names: &[String]) -> String {
    if names.len() <= 3 { listed(names) } else { count(names.len(), "file", "files") }
}

pub const NOT_ALLOWED: Text = Text(
    "Permission was not given. Nothing was read or written, and your files stay here. Ask again, or unlink the folder. If the browser no longer asks, reset the permission in its settings for this site.",
);

pub fn linked_with(name: &str, differences: usize) -> String {
    match differences {
        0 => text!("Linked to “{name}”. No differences."),
        number => text!("Linked to “{name}”. {} from disk.", count(number, "file differs", "files differ")),
    }
}

pub fn left_out(passed_over: usize, cut: bool) -> String {
    let more = cut.then(|| {
        text!("The folder contains more than a session takes ({FOLDER_FILES} files): the rest is ignored. ")
    });
    skipped(passed_over) + &more.unwrap_or_default()
}

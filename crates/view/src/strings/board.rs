//! Strings of the board.

pub mod compare;
pub mod core_sync;
pub mod editor;
pub mod files;
pub mod merge;
pub mod preview;

use crate::strings::{ago, count};
use nexus_model::id::Millis;

pub const PANE: &str = "Context board";
pub const CATCH_UP: &str = "Catch me up";
pub const FACES: &str = "What the board shows";
pub const FACE_EDIT: &str = "Edit";
pub const FACE_COMPARE: &str = "Compare";
pub const FACE_MEMORIES: &str = "Memories";
pub const OBJECTIVE: &str = "Primary directive";
pub const OBJECTIVE_HINT: &str = "What the work is for. Every agent reads it before it speaks.";
pub const SCRATCHPAD: &str = "Scratchpad";
pub const SCRATCHPAD_HINT: &str = "Plan and notes that you and the agents share.";
pub const FILES: &str = "Files";
pub const NO_FILES: &str = "No files yet. The agents make them as they work, or you start one.";
pub const NEW_FILE: &str = "New file";
pub const NEW_FILE_ABOUT: &str = "Make an empty file that the agents work on with you";
pub const ALL_FILES: &str = "All files";
pub const ALL_FILES_ABOUT: &str = "Open files from disk, see folders, download, tie a folder";
pub const FILE_NAME: &str = "File name";
pub const FILE_NAME_EXAMPLE: &str = "index.html";
pub const MAKE: &str = "Make";
pub const RENAME: &str = "Rename";
pub const DELETE: &str = "Delete";
pub const CANCEL: &str = "Cancel";
pub const NAME_EMPTY: &str = "Give it a name.";

pub const TYPING: &str = "being typed";
pub const TYPING_ABOUT: &str =
    "Yours until you pause; then the agents see it. Nothing they write replaces it meanwhile.";
pub const CLASH: &str = "An agent changed the same lines while you typed.";
pub const CLASH_ADVICE: &str = "Both are in the text below: what stands there now above the =======, yours under it. Nothing is lost and \
     nothing is shared until you decide.";
pub const CLASH_KEEP: &str = "Share the text below";
pub const CLASH_THEIRS: &str = "Drop mine";

pub fn name_taken(name: &str) -> String {
    format!("There is a file named {name} already.")
}

pub fn tab(name: &str, active: bool) -> String {
    if active {
        format!("{name}, the file that all work on")
    } else {
        format!("Open {name}, for the agents too")
    }
}

pub fn editor(name: &str) -> String {
    format!("Text of {name}")
}

pub fn deleted(name: &str) -> String {
    format!("{name} is deleted.")
}

pub fn written(who: &str, at: Millis, now: Millis) -> String {
    format!("by {who}, {}", ago(at, now))
}

/// Lines and size of a text.
pub fn figures(text: &str) -> String {
    format!("{} · {}", count(text.lines().count(), "line", "lines"), size(text.len()))
}

/// In the units that all sizes are told in.
fn size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes % 1_000 / 100),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_count_lines_as_people_do() {
        assert_eq!(figures(""), "0 lines · 0 B");
        assert_eq!(figures("a"), "1 line · 1 B");
        assert_eq!(figures("a\nb\n"), "2 lines · 4 B");
        assert_eq!(figures(&"x".repeat(1536)), "1 line · 1.5 kB");
    }
}

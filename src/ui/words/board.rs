//! Never looks anything up.
//!
//! Owns the words of the context board.

use crate::domain::id::Millis;
use crate::ui::words::{ago, count};

pub(crate) const PANE: &str = "Context board";
pub(crate) const CATCH_UP: &str = "Catch me up";
pub(crate) const FACES: &str = "What the board shows";
pub(crate) const FACE_EDIT: &str = "Edit";
pub(crate) const FACE_COMPARE: &str = "Compare";
pub(crate) const FACE_MEMORIES: &str = "Memories";
pub(crate) const OBJECTIVE: &str = "Primary directive";
pub(crate) const OBJECTIVE_HINT: &str = "What the work is for. Every agent reads it before it speaks.";
pub(crate) const SCRATCHPAD: &str = "Scratchpad";
pub(crate) const SCRATCHPAD_HINT: &str = "Plan and notes that you and the agents share.";
pub(crate) const FILES: &str = "Files";
pub(crate) const NO_FILES: &str = "No files yet. The agents make them as they work, or you start one.";
pub(crate) const NEW_FILE: &str = "New file";
pub(crate) const NEW_FILE_ABOUT: &str = "Make an empty file that the agents work on with you";
pub(crate) const ALL_FILES: &str = "All files";
pub(crate) const ALL_FILES_ABOUT: &str = "Open files from disk, see folders, download, tie a folder";
pub(crate) const FILE_NAME: &str = "File name";
pub(crate) const FILE_NAME_EXAMPLE: &str = "index.html";
pub(crate) const MAKE: &str = "Make";
pub(crate) const RENAME: &str = "Rename";
pub(crate) const DELETE: &str = "Delete";
pub(crate) const CANCEL: &str = "Cancel";
pub(crate) const NAME_EMPTY: &str = "Give it a name.";

pub(crate) const TYPING: &str = "being typed";
pub(crate) const TYPING_ABOUT: &str =
    "Yours until you pause; then the agents see it. Nothing they write replaces it meanwhile.";
pub(crate) const CLASH: &str = "An agent changed the same lines while you typed.";
pub(crate) const CLASH_ADVICE: &str = "Both are in the text below: what stands there now above the =======, yours under it. Nothing is lost and \
     nothing is shared until you decide.";
pub(crate) const CLASH_KEEP: &str = "Share the text below";
pub(crate) const CLASH_THEIRS: &str = "Drop mine";

pub(crate) fn name_taken(name: &str) -> String {
    format!("There is a file named {name} already.")
}

pub(crate) fn tab(name: &str, active: bool) -> String {
    if active {
        format!("{name}, the file that all work on")
    } else {
        format!("Open {name}, for the agents too")
    }
}

pub(crate) fn editor(name: &str) -> String {
    format!("Text of {name}")
}

pub(crate) fn deleted(name: &str) -> String {
    format!("{name} is deleted.")
}

pub(crate) fn written(who: &str, at: Millis, now: Millis) -> String {
    format!("by {who}, {}", ago(at, now))
}

/// Lines and size of a text.
pub(crate) fn figures(text: &str) -> String {
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

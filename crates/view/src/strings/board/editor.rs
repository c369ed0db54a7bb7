//! Strings of the file editor.

use crate::strings::count;

pub const TOOLS: &str = "Editor";
pub const FIND: &str = "Find";
pub const FIND_ABOUT: &str = "Find and replace (Ctrl + F)";
pub const GO_TO: &str = "Go to line";
pub const GO_TO_ABOUT: &str = "Go to a line (Ctrl + Alt + G)";
pub const WRAP: &str = "Wrap";
pub const WRAP_ABOUT: &str = "Break long lines at the edge";
pub const LEAVE: &str = "Tab indents. Escape, then Tab leaves the editor.";

pub const CLASH_NEXT: &str = "Next";
pub const CLASH_NEXT_ABOUT: &str = "Go to the next place (F8)";
pub const CLASH_MINE: &str = "Keep mine";
pub const CLASH_THEIRS: &str = "Keep theirs";
pub const CLASH_BOTH: &str = "Keep both";
pub const CLASH_ABOUT: &str =
    "Both sides are in the text, marked. Nothing is lost, and nothing is shared until you decide.";

/// What stands at the places themselves, by the names of `xtask/parts/clashes.js`.
pub const AT_CLASH: &[(&str, &str)] = &[
    ("mine", CLASH_MINE),
    ("theirs", CLASH_THEIRS),
    ("both", CLASH_BOTH),
    ("now", "what stands there now"),
    ("typed", "what you typed"),
];

/// The words of the library's own fields, by its own.
pub const PHRASES: &[(&str, &str)] = &[
    ("Find", "Find"),
    ("Replace", "Replace with"),
    ("next", "Next"),
    ("previous", "Previous"),
    ("all", "Select all"),
    ("match case", "Match case"),
    ("regexp", "Expression"),
    ("by word", "Whole words"),
    ("replace", "Replace"),
    ("replace all", "Replace all"),
    ("close", "Close"),
    ("Go to line", "Line"),
    ("go", "Go"),
];

pub const LONG: &str = "The editor could not be loaded. A file of this length can be read here, not edited: a plain field would stop \
     the page for seconds with each key. The agents work on it either way.";
pub const LONG_ANYWAY: &str = "Edit it in a plain field";

/// How many places clash.
pub fn clashes(number: usize) -> String {
    match number {
        0 => "No marks are left. Share the text when it is as you want it.".to_owned(),
        _ => {
            format!("An agent changed the same lines while you typed: {}.", count(number, "place", "places"))
        }
    }
}

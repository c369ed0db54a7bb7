//! Strings of the palette, the list of shortcuts, and the actions.

use crate::strings::agents;
use nexus_model::agent::Priority;

pub const EVERYTHING: &str = "Everything you can do";
pub const LOOK: &str = "Type a few letters of what you want";
pub const RESULTS: &str = "Actions";
pub(crate) const NOTHING: &str = "Nothing is called that.";
pub const HINT: &str = "↑ ↓ choose · Enter does it · Esc closes";
pub const KEYS: &str = "Keys";
pub const KEYS_ABOUT: &str =
    "Keys of one letter or sign count outside of text fields. Everything else is in the palette.";
pub const KEYS_OFF: &str = "Keys of one letter or sign are switched off in the settings, under Appearance.";
pub const CLOSE: &str = "Close";

/// How many were found.
pub fn found(shown: usize, of: usize) -> String {
    match (shown, of) {
        (_, 0) => NOTHING.to_owned(),
        (shown, of) if shown < of => format!("The best {shown} of {of}"),
        (_, 1) => "1 action".to_owned(),
        (_, of) => format!("{of} actions"),
    }
}

// The sections.
pub const RUN: &str = "Run";
pub const AGENTS: &str = "Agents";
pub const FILES: &str = "Files";
pub const PLACES: &str = "Go to";
pub const BOARD: &str = "Board";
pub const CORE: &str = "Core";
pub const VOICE: &str = "Voice";
pub const LOOKS: &str = "Appearance";
pub const DATA: &str = "Data";
pub const SETTINGS: &str = "Settings";
pub const NEXUS: &str = "Nexus";

// Why something cannot be done now.
pub const NO_TEAM: &str = "First say who works with you, on the first screen.";
pub const READ_ONLY: &str = "Another tab works in this session; here it can only be read.";
pub const NOTHING_RUNS: &str = "Nothing runs.";
pub const NOT_PAUSED: &str = "No run waits for you to let it go on.";
pub const NO_WAIT: &str = "No call waits for its provider.";
pub const NOTHING_ASKED: &str = "Nothing waits for your permission.";
pub const NO_ROUND: &str = "No run has ended in this session yet.";
pub const ROUND_WORKS: &str = "A run works.";
pub const NO_FILE: &str = "This session has no files.";
pub const NO_PREVIEW: &str = "No file of this session has a preview.";
pub const NO_TURN: &str = "No agent has spoken in this session yet.";
pub const SYNC_WORKS: &str = "The Core is at work.";
pub const NO_SYNC: &str = "The Core does nothing now.";
pub const NO_CHANGE: &str = "The Core has changed nothing that could be taken back.";
pub const NO_EARS: &str = "This browser cannot recognise speech.";
pub const NO_MOUTH: &str = "This browser cannot speak.";
pub const NOT_READING: &str = "Nothing is read aloud.";
pub const NOTHING_TO_UNDO: &str = "Nothing that was just done can be taken back from here.";
pub const IS_SO: &str = "It is so already.";
pub const SIZE_ENDS: &str = "There is no further step.";

// Run.
pub const STOP: &str = "Stop the run";
pub const GO_ON: &str = "Let the run go on";
pub const END: &str = "End the run";
pub const RETRY_NOW: &str = "Try the waiting call now";
pub const STOP_WAITING: &str = "Stop waiting for the provider";
pub const TO_ASKED: &str = "Go to what waits for your permission";
pub const CATCH_UP: &str = "Catch me up";
pub const UNDO_ROUND: &str = "Undo the last round";

// Agents.
pub const WRITE: &str = "Write a message";
pub const WRITE_ALL: &str = "Write to all agents";
pub fn write_to(name: &str) -> String {
    format!("Write to {name}")
}
pub fn mute(name: &str, muted: bool) -> String {
    if muted { format!("Unmute {name}") } else { format!("Mute {name}") }
}
pub fn priority(name: &str, next: Priority) -> String {
    format!("{name}: priority {}", agents::priority(next).to_lowercase())
}
pub fn settings_of(name: &str) -> String {
    format!("Settings of {name}")
}
pub fn inspect(name: &str) -> String {
    format!("Inspect the newest turn, by {name}")
}

// Files.
pub const NEW_FILE: &str = "New file";
pub const ALL_FILES: &str = "All files: open from disk, download, tie a folder";
pub fn open_file(name: &str) -> String {
    format!("Open {name}")
}
pub fn rename_file(name: &str) -> String {
    format!("Rename {name}")
}
pub fn delete_file(name: &str) -> String {
    format!("Delete {name}")
}
pub fn preview_file(name: &str) -> String {
    format!("Preview {name}")
}
pub const RENAME: &str = "Rename the file";
pub const DELETE: &str = "Delete the file";

// Places.
pub const WAR_ROOM: &str = "War room";
pub const TO_SETTINGS: &str = "Settings";
pub const AUDIT: &str = "Audit";
pub const TREE: &str = "Tree of turns";
pub const MEMORIES: &str = "Memories";
pub const SESSIONS: &str = "Sessions";
pub const MESSAGE_OVER: &str = "Say what holds for the next message alone";
pub const SESSION_LIST: &str = "All sessions";
pub const SESSION_NEW: &str = "New session";
pub const TIMELINE: &str = "Conversation";
pub const FIND: &str = "Find in the conversation (Ctrl Shift F)";
pub const PINS: &str = "Pinned messages";
pub const INSPECT: &str = "Inspect the newest turn";
pub const TO_AGENTS: &str = "Pane: agents";
pub const TO_TIMELINE: &str = "Pane: timeline";
pub const TO_BOARD: &str = "Pane: board";
pub fn fold(pane: &str, folded: bool) -> String {
    let pane = pane.to_lowercase();
    if folded { format!("Show the pane {pane}") } else { format!("Fold the pane {pane} away") }
}

// Board.
pub const EDIT: &str = "Board: edit";
pub const COMPARE: &str = "Board: compare";
pub const PREVIEW: &str = "Board: preview";
pub const OBJECTIVE: &str = "Edit the primary directive";
pub const SCRATCHPAD: &str = "Edit the scratchpad";

// Core.
pub const SYNC: &str = "Execute sync";
pub const STOP_SYNC: &str = "Stop the Core";
pub const UNDO_SYNC: &str = "Undo what the Core changed";

// Voice.
pub const TALK: &str = "Talk";
pub const TALK_END: &str = "Stop listening";
pub const HUSH: &str = "Stop reading aloud";
pub fn read_answers(on: bool) -> &'static str {
    if on { "Do not read answers aloud" } else { "Read answers aloud as they come" }
}
pub fn hands_free(on: bool) -> &'static str {
    if on { "Microphone: press to talk" } else { "Microphone: hands-free" }
}

// Appearance.
pub const LARGER: &str = "Larger text";
pub const SMALLER: &str = "Smaller text";
pub const USUAL_SIZE: &str = "Text of the usual size";
pub fn single_keys(on: bool) -> &'static str {
    if on { "Switch keys of one letter off" } else { "Switch keys of one letter on" }
}

// Data.
pub const EXPORT: &str = "Export";
pub const IMPORT: &str = "Import";
pub const POINT: &str = "Restore points";
pub const RESET: &str = "Factory reset";
pub const UNDO: &str = "Undo";
pub fn undo(what: &str) -> String {
    format!("Undo: {what}")
}
pub const UNDONE_NOTHING: &str = "The last round changed nothing that could be taken back.";

// Nexus.
pub const SHEET: &str = "Show all keys";
pub const RELOAD: &str = "Load the page again";

// Keys that belong to one place.
pub(crate) const IN_COMPOSER: &str = "In the message";
pub(crate) const IN_EDITOR: &str = "In the editor of files";
pub(crate) const IN_COMPARE: &str = "In Compare";
pub(crate) const IN_CATCH_UP: &str = "On the card that catches you up";
pub(crate) const IN_PANES: &str = "On the line between panes";
pub(crate) const IN_VOICE: &str = "While it listens or reads";
pub(crate) const IN_SETTINGS: &str = "In the settings";
pub(crate) const IN_AUDIT: &str = "In the list of the audit";
pub const ANYWHERE: &str = "Anywhere";

/// Keys that count while a place has the focus: the place, and each key with what it does.
pub const LOCAL: [(&str, &[(&str, &str)]); 8] = [
    (
        IN_COMPOSER,
        &[
            ("Enter", "sends, or queues while a run works"),
            ("Shift Enter", "breaks the line"),
            ("@", "names an agent"),
            ("#", "points at a file"),
            ("Esc", "leaves a waiting message as it was"),
        ],
    ),
    (
        IN_EDITOR,
        &[
            ("Tab", "indents"),
            ("Esc, then Tab", "goes on to what comes next"),
            ("Ctrl F", "finds and replaces"),
            ("Ctrl Z", "undoes what you typed"),
        ],
    ),
    (
        IN_COMPARE,
        &[
            ("J", "next change"),
            ("K", "the one before"),
            ("A", "accepts it"),
            ("R", "reverts it"),
            ("Shift A", "accepts all of its file"),
            ("Shift R", "reverts all of its file"),
            ("X", "picks it, to be sent back"),
            ("T", "goes to its turn"),
        ],
    ),
    (IN_CATCH_UP, &[("U", "undoes the last round"), ("Esc", "closes the card")]),
    (
        IN_PANES,
        &[("← →", "moves it"), ("Home, End", "as narrow or wide as it gets"), ("Enter", "puts it back")],
    ),
    (IN_VOICE, &[("Esc", "falls silent, then stops listening")]),
    (
        IN_SETTINGS,
        &[
            ("Enter", "in the search: to the first setting found"),
            ("Alt ↑ ↓", "on the head of an agent: moves it"),
        ],
    ),
    (IN_AUDIT, &[("↑ ↓", "from event to event"), ("Home, End", "to the first, to the last")]),
];

/// The action that opens another session.
pub fn open_session(label: &str) -> String {
    format!("Open “{label}”")
}

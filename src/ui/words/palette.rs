//! Never looks anything up.
//!
//! Owns the words of the palette, of the sheet of keys, and of what can be done from them.

use crate::domain::agent::Priority;
use crate::ui::words::agents;

pub(crate) const EVERYTHING: &str = "Everything you can do";
pub(crate) const LOOK: &str = "Type a few letters of what you want";
pub(crate) const RESULTS: &str = "Actions";
pub(crate) const NOTHING: &str = "Nothing is called that.";
pub(crate) const HINT: &str = "↑ ↓ choose · Enter does it · Esc closes";
pub(crate) const KEYS: &str = "Keys";
pub(crate) const KEYS_ABOUT: &str =
    "Keys of one letter or sign count outside of text fields. Everything else is in the palette.";
pub(crate) const KEYS_OFF: &str =
    "Keys of one letter or sign are switched off in the settings, under Appearance.";
pub(crate) const CLOSE: &str = "Close";

/// How many were found.
pub(crate) fn found(shown: usize, of: usize) -> String {
    match (shown, of) {
        (_, 0) => NOTHING.to_owned(),
        (shown, of) if shown < of => format!("The best {shown} of {of}"),
        (_, 1) => "1 action".to_owned(),
        (_, of) => format!("{of} actions"),
    }
}

// The sections.
pub(crate) const RUN: &str = "Run";
pub(crate) const AGENTS: &str = "Agents";
pub(crate) const FILES: &str = "Files";
pub(crate) const PLACES: &str = "Go to";
pub(crate) const BOARD: &str = "Board";
pub(crate) const CORE: &str = "Core";
pub(crate) const VOICE: &str = "Voice";
pub(crate) const LOOKS: &str = "Appearance";
pub(crate) const DATA: &str = "Data";
pub(crate) const SETTINGS: &str = "Settings";
pub(crate) const NEXUS: &str = "Nexus";

// Why something cannot be done now.
pub(crate) const NO_TEAM: &str = "First say who works with you, on the first screen.";
pub(crate) const READ_ONLY: &str = "Another tab works in this session; here it can only be read.";
pub(crate) const NOTHING_RUNS: &str = "Nothing runs.";
pub(crate) const NOT_PAUSED: &str = "No run waits for you to let it go on.";
pub(crate) const NO_WAIT: &str = "No call waits for its provider.";
pub(crate) const NOTHING_ASKED: &str = "Nothing waits for your permission.";
pub(crate) const NO_ROUND: &str = "No run has ended in this session yet.";
pub(crate) const ROUND_WORKS: &str = "A run works.";
pub(crate) const NO_FILE: &str = "This session has no files.";
pub(crate) const NO_PREVIEW: &str = "No file of this session has a preview.";
pub(crate) const NO_TURN: &str = "No agent has spoken in this session yet.";
pub(crate) const SYNC_WORKS: &str = "The Core is at work.";
pub(crate) const NO_SYNC: &str = "The Core does nothing now.";
pub(crate) const NO_CHANGE: &str = "The Core has changed nothing that could be taken back.";
pub(crate) const NO_EARS: &str = "This browser cannot recognise speech.";
pub(crate) const NO_MOUTH: &str = "This browser cannot speak.";
pub(crate) const NOT_READING: &str = "Nothing is read aloud.";
pub(crate) const NOTHING_TO_UNDO: &str = "Nothing that was just done can be taken back from here.";
pub(crate) const IS_SO: &str = "It is so already.";
pub(crate) const SIZE_ENDS: &str = "There is no further step.";

// Run.
pub(crate) const STOP: &str = "Stop the run";
pub(crate) const GO_ON: &str = "Let the run go on";
pub(crate) const END: &str = "End the run";
pub(crate) const RETRY_NOW: &str = "Try the waiting call now";
pub(crate) const STOP_WAITING: &str = "Stop waiting for the provider";
pub(crate) const TO_ASKED: &str = "Go to what waits for your permission";
pub(crate) const CATCH_UP: &str = "Catch me up";
pub(crate) const UNDO_ROUND: &str = "Undo the last round";

// Agents.
pub(crate) const WRITE: &str = "Write a message";
pub(crate) const WRITE_ALL: &str = "Write to all agents";
pub(crate) fn write_to(name: &str) -> String {
    format!("Write to {name}")
}
pub(crate) fn mute(name: &str, muted: bool) -> String {
    if muted { format!("Unmute {name}") } else { format!("Mute {name}") }
}
pub(crate) fn priority(name: &str, next: Priority) -> String {
    format!("{name}: priority {}", agents::priority(next).to_lowercase())
}
pub(crate) fn settings_of(name: &str) -> String {
    format!("Settings of {name}")
}
pub(crate) fn inspect(name: &str) -> String {
    format!("Inspect the newest turn, by {name}")
}

// Files.
pub(crate) const NEW_FILE: &str = "New file";
pub(crate) const ALL_FILES: &str = "All files: open from disk, download, tie a folder";
pub(crate) fn open_file(name: &str) -> String {
    format!("Open {name}")
}
pub(crate) fn rename_file(name: &str) -> String {
    format!("Rename {name}")
}
pub(crate) fn delete_file(name: &str) -> String {
    format!("Delete {name}")
}
pub(crate) fn preview_file(name: &str) -> String {
    format!("Preview {name}")
}
pub(crate) const RENAME: &str = "Rename the file";
pub(crate) const DELETE: &str = "Delete the file";

// Places.
pub(crate) const WAR_ROOM: &str = "War room";
pub(crate) const TO_SETTINGS: &str = "Settings";
pub(crate) const AUDIT: &str = "Audit";
pub(crate) const TREE: &str = "Tree of turns";
pub(crate) const MEMORIES: &str = "Memories";
pub(crate) const SESSIONS: &str = "Sessions";
pub(crate) const MESSAGE_OVER: &str = "Say what holds for the next message alone";
pub(crate) const SESSION_LIST: &str = "All sessions";
pub(crate) const SESSION_NEW: &str = "New session";
pub(crate) const TIMELINE: &str = "Conversation";
pub(crate) const FIND: &str = "Find in the conversation (Ctrl Shift F)";
pub(crate) const PINS: &str = "Pinned messages";
pub(crate) const INSPECT: &str = "Inspect the newest turn";
pub(crate) const TO_AGENTS: &str = "Pane: agents";
pub(crate) const TO_TIMELINE: &str = "Pane: timeline";
pub(crate) const TO_BOARD: &str = "Pane: board";
pub(crate) fn fold(pane: &str, folded: bool) -> String {
    let pane = pane.to_lowercase();
    if folded { format!("Show the pane {pane}") } else { format!("Fold the pane {pane} away") }
}

// Board.
pub(crate) const EDIT: &str = "Board: edit";
pub(crate) const COMPARE: &str = "Board: compare";
pub(crate) const PREVIEW: &str = "Board: preview";
pub(crate) const OBJECTIVE: &str = "Edit the primary directive";
pub(crate) const SCRATCHPAD: &str = "Edit the scratchpad";

// Core.
pub(crate) const SYNC: &str = "Execute sync";
pub(crate) const STOP_SYNC: &str = "Stop the Core";
pub(crate) const UNDO_SYNC: &str = "Undo what the Core changed";

// Voice.
pub(crate) const TALK: &str = "Talk";
pub(crate) const TALK_END: &str = "Stop listening";
pub(crate) const HUSH: &str = "Stop reading aloud";
pub(crate) fn read_answers(on: bool) -> &'static str {
    if on { "Do not read answers aloud" } else { "Read answers aloud as they come" }
}
pub(crate) fn hands_free(on: bool) -> &'static str {
    if on { "Microphone: press to talk" } else { "Microphone: hands-free" }
}

// Appearance.
pub(crate) fn theme(name: &str) -> String {
    format!("Theme: {}", name.to_lowercase())
}
pub(crate) fn density(name: &str) -> String {
    format!("Density: {}", name.to_lowercase())
}
pub(crate) fn motion(name: &str) -> String {
    format!("Motion: {}", name.to_lowercase())
}
pub(crate) const LARGER: &str = "Larger text";
pub(crate) const SMALLER: &str = "Smaller text";
pub(crate) const USUAL_SIZE: &str = "Text of the usual size";
pub(crate) fn single_keys(on: bool) -> &'static str {
    if on { "Switch keys of one letter off" } else { "Switch keys of one letter on" }
}

// Data.
pub(crate) const EXPORT: &str = "Export";
pub(crate) const IMPORT: &str = "Import";
pub(crate) const POINT: &str = "Restore points";
pub(crate) const RESET: &str = "Factory reset";
pub(crate) const UNDO: &str = "Undo";
pub(crate) fn undo(what: &str) -> String {
    format!("Undo: {what}")
}
pub(crate) const UNDONE_NOTHING: &str = "The last round changed nothing that could be taken back.";

// Nexus.
pub(crate) const SHEET: &str = "Show all keys";
pub(crate) const RELOAD: &str = "Load the page again";

// Keys that belong to one place.
pub(crate) const IN_COMPOSER: &str = "In the message";
pub(crate) const IN_EDITOR: &str = "In the editor of files";
pub(crate) const IN_COMPARE: &str = "In Compare";
pub(crate) const IN_CATCH_UP: &str = "On the card that catches you up";
pub(crate) const IN_PANES: &str = "On the line between panes";
pub(crate) const IN_VOICE: &str = "While it listens or reads";
pub(crate) const IN_SETTINGS: &str = "In the settings";
pub(crate) const IN_AUDIT: &str = "In the list of the audit";
pub(crate) const ANYWHERE: &str = "Anywhere";

/// Keys that count while a place has the focus: the place, and each key with what it does.
pub(crate) const LOCAL: [(&str, &[(&str, &str)]); 8] = [
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
pub(crate) fn open_session(label: &str) -> String {
    format!("Open “{label}”")
}

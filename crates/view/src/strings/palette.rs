//! Strings of the palette, the list of shortcuts, and the actions.

use crate::strings::agents;
use nexus_model::agent::Priority;

pub const EVERYTHING: &str = "Command palette";
pub const LOOK: &str = "Type a command or search…";
pub const RESULTS: &str = "Commands";
pub(crate) const NOTHING: &str = "No matching commands";
pub const HINT: &str = "↑ ↓ select · Enter run · Esc close";
pub const KEYS: &str = "Keyboard shortcuts";
pub const KEYS_ABOUT: &str =
    "Single-key shortcuts work outside text fields. Everything else is in the command palette.";
pub const KEYS_OFF: &str = "Single-key shortcuts are turned off in Settings, under Appearance.";
pub const CLOSE: &str = "Close";

/// How many were found.
pub fn found(shown: usize, of: usize) -> String {
    match (shown, of) {
        (_, 0) => NOTHING.to_owned(),
        (shown, of) if shown < of => format!("Best {shown} of {of}"),
        (_, 1) => "1 command".to_owned(),
        (_, of) => format!("{of} commands"),
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
pub const NO_TEAM: &str = "Finish the setup on the first screen.";
pub const READ_ONLY: &str = "Read-only: another tab is working in this session.";
pub const NOTHING_RUNS: &str = "Nothing is running.";
pub const NOT_PAUSED: &str = "No paused run.";
pub const NO_WAIT: &str = "No call is waiting for its provider.";
pub const NOTHING_ASKED: &str = "Nothing needs your approval.";
pub const NO_ROUND: &str = "No run has ended in this session yet.";
pub const ROUND_WORKS: &str = "A run is in progress.";
pub const NO_FILE: &str = "This session has no files.";
pub const NO_PREVIEW: &str = "No file of this session has a preview.";
pub const NO_TURN: &str = "No agent has answered in this session yet.";
pub const SYNC_WORKS: &str = "The Core is working.";
pub const NO_SYNC: &str = "The Core is idle.";
pub const NO_CHANGE: &str = "The Core has no change to undo.";
pub const NO_EARS: &str = "This browser does not support speech recognition.";
pub const NO_MOUTH: &str = "This browser does not support speech output.";
pub const NOT_READING: &str = "Nothing is being read aloud.";
pub const NOTHING_TO_UNDO: &str = "Nothing to undo.";
pub const IS_SO: &str = "Already set.";
pub const SIZE_ENDS: &str = "Already at the limit.";
pub const NOT_SHOWN: &str = "There is nothing here to use it on.";
pub const NONE_HELD: &str = "No message is held.";

// Run.
pub const STOP: &str = "Stop run";
pub const GO_ON: &str = "Resume run";
pub const END: &str = "End run";
pub const RETRY_NOW: &str = "Retry the waiting call now";
pub const STOP_WAITING: &str = "Stop waiting for the provider";
pub const TO_ASKED: &str = "Go to the pending approval";
pub const CATCH_UP: &str = "Recap";
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
pub const ALL_FILES: &str = "All files: open from disk, download, link a folder";
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
pub const RENAME: &str = "Rename file";
pub const DELETE: &str = "Delete file";

// Places.
pub const WAR_ROOM: &str = "War room";
pub const TO_SETTINGS: &str = "Settings";
pub const AUDIT: &str = "Event log";
pub const RUN_GRAPH: &str = "See the run as a graph";
pub const TREE: &str = "Tree";
pub const USAGE: &str = "Usage";
pub const HELP: &str = "Help and about";
pub const MEMORIES: &str = "Memories";
pub const SESSIONS: &str = "Sessions";
pub const MESSAGE_OVER: &str = "Options for the next message…";
pub const SESSION_LIST: &str = "All sessions";
pub const SESSION_NEW: &str = "New session";
pub const SESSION_DELETE: &str = "Delete this session";
pub const SESSION_ARCHIVE: &str = "Archive this session";
/// Pins the session in view, or takes the pin off.
pub fn pin_session(pinned: bool) -> &'static str {
    if pinned { "Unpin this session" } else { "Pin this session" }
}

pub const LAST_SESSION: &str = "This is the only open session.";
pub const COMPACT: &str = "Compact older turns";
pub const TIMELINE: &str = "Conversation";
pub const FIND: &str = "Find in conversation (Ctrl Shift F)";
pub const PINS: &str = "Pinned messages";
pub const INSPECT: &str = "Inspect the newest turn";
pub const COMPOSER_SIZE: &str = "Enlarge or shrink the message box";
pub const ATTACH: &str = "Attach files to the message";
pub const EDIT_LAST: &str = "Edit your last message";
pub const AGAIN: &str = "Regenerate the last answer";
pub const COPY_LAST: &str = "Copy the last message";
pub const MENU_LAST: &str = "Menu of the last message";
pub const TURN_ACTIONS: &str = "Actions for the last turn: fork, rewind, regenerate…";
pub const NEWEST: &str = "Jump to the newest message";
pub const EARLIER: &str = "Load earlier turns";
pub const NEWER: &str = "View next turn";
pub const KEEP_ALL: &str = "Keep all changes";
pub const UNDO_ALL: &str = "Undo all changes";
pub const RETRY: &str = "Retry the last failed answer";
pub const SEND_HELD: &str = "Send the held messages";
pub const DISCARD_HELD: &str = "Discard the held messages";
pub const STOP_COMPACTION: &str = "Stop compacting";
pub fn activity(open: bool) -> &'static str {
    if open { "Hide activity" } else { "Show activity" }
}
pub const TO_AGENTS: &str = "Pane: agents";
pub const TO_TIMELINE: &str = "Pane: conversation";
pub const TO_BOARD: &str = "Pane: board";
pub fn fold(pane: &str, folded: bool) -> String {
    let pane = pane.to_lowercase();
    if folded { format!("Show the {pane} pane") } else { format!("Collapse the {pane} pane") }
}

// Board.
pub const EDIT: &str = "Board: edit";
pub const COMPARE: &str = "Board: compare";
pub const PREVIEW: &str = "Board: preview";
pub const OBJECTIVE: &str = "Edit objective";
pub const SCRATCHPAD: &str = "Edit scratchpad";

pub const FILE_CHANGE: &str = "Go to the last change of the open file";
pub const FILE_FIND: &str = "Find in the open file";
pub const FILE_LINE: &str = "Go to a line of the open file";
pub const FILE_WRAP: &str = "Wrap lines in the editor";

// Core.
pub const CORE_APPLY: &str = "Apply the proposal of the Core";
pub const CORE_DISMISS: &str = "Dismiss the proposal of the Core";
pub const SYNC: &str = "Execute sync";
pub const STOP_SYNC: &str = "Stop the Core";
pub const UNDO_SYNC: &str = "Undo the change of the Core";

// Voice.
pub const TALK: &str = "Talk";
pub const TALK_END: &str = "Stop listening";
pub const HUSH: &str = "Stop reading aloud";
pub fn read_answers(on: bool) -> &'static str {
    if on { "Stop reading answers aloud automatically" } else { "Read answers aloud as they arrive" }
}
pub fn hands_free(on: bool) -> &'static str {
    if on { "Microphone: press to talk" } else { "Microphone: hands-free" }
}

// Appearance.
pub const LARGER: &str = "Larger text";
pub const SMALLER: &str = "Smaller text";
pub const USUAL_SIZE: &str = "Default text size";
pub fn single_keys(on: bool) -> &'static str {
    if on { "Turn off single-key shortcuts" } else { "Turn on single-key shortcuts" }
}

// Data.
pub const EXPORT: &str = "Export data";
pub const IMPORT: &str = "Import data";
pub const POINT: &str = "Restore points";
pub const RESET: &str = "Factory reset";
pub const UNDO: &str = "Undo";
pub fn undo(what: &str) -> String {
    format!("Undo: {what}")
}
pub const UNDONE_NOTHING: &str = "The last round changed nothing that can be undone.";

// Nexus.
pub const SHEET: &str = "Show keyboard shortcuts";
pub const RELOAD: &str = "Reload page";
pub const LOCK: &str = "Lock API keys";
pub const WORK_HERE: &str = "Take over: edit in this tab";
pub const SAVE_FROM_MEMORY: &str = "Save what this tab holds";
pub const AGENT_ADD: &str = "Add an agent";
pub const PROVIDER_ADD: &str = "Add a provider";
pub const TRIGGER_ADD: &str = "Add a trigger";
pub const AUDIT_EXPORT: &str = "Export the event log";
pub const USAGE_COPY: &str = "Copy usage as CSV";
pub const RUN_EXPORT: &str = "Export run";
pub const RUN_COPY: &str = "Copy the run as text";

// Keys that belong to one place.
pub(crate) const IN_COMPOSER: &str = "In the message box";
pub(crate) const IN_EDITOR: &str = "In the file editor";
pub(crate) const IN_COMPARE: &str = "In Compare";
pub(crate) const IN_CATCH_UP: &str = "In the recap card";
pub(crate) const IN_PANES: &str = "On the divider between panes";
pub(crate) const IN_VOICE: &str = "While listening or reading aloud";
pub(crate) const IN_SETTINGS: &str = "In Settings";
pub(crate) const IN_AUDIT: &str = "In the event log";
pub const ANYWHERE: &str = "Anywhere";

/// Keys that count while a place has the focus: the place, and each key with what it does.
pub const LOCAL: [(&str, &[(&str, &str)]); 8] = [
    (
        IN_COMPOSER,
        &[
            ("Enter", "Send, or queue during a run"),
            ("Shift Enter", "New line"),
            ("@", "Mention an agent"),
            ("#", "Mention a file"),
            ("Esc", "Cancel editing a queued message"),
        ],
    ),
    (
        IN_EDITOR,
        &[
            ("Tab", "Indent"),
            ("Esc, then Tab", "Leave the editor (focus next element)"),
            ("Ctrl F", "Find and replace"),
            ("Ctrl Z", "Undo typing"),
        ],
    ),
    (
        IN_COMPARE,
        &[
            ("J", "Next change"),
            ("K", "Previous change"),
            ("A", "Accept"),
            ("R", "Revert"),
            ("Shift A", "Accept the whole file"),
            ("Shift R", "Revert the whole file"),
            ("X", "Select to request changes"),
            ("T", "Go to its turn"),
        ],
    ),
    (IN_CATCH_UP, &[("U", "Undo the last round"), ("Esc", "Close the card")]),
    (IN_PANES, &[("← → ↑ ↓", "Move"), ("Home, End", "Smallest, largest"), ("Enter", "Reset")]),
    (IN_VOICE, &[("Esc", "Stop reading, then stop listening")]),
    (
        IN_SETTINGS,
        &[
            ("Enter", "In the search: go to the first result"),
            ("Alt ↑ ↓", "On the header of an agent: move it"),
        ],
    ),
    (IN_AUDIT, &[("↑ ↓", "Previous, next event"), ("Home, End", "First, last event")]),
];

/// The action that opens another session.
pub fn open_session(label: &str) -> String {
    format!("Open “{label}”")
}

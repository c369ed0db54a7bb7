//! Strings of the palette, the list of shortcuts, the actions, and the help screen.

use crate::strings::agents;
use crate::strings::chat::message_actions;
use crate::strings::prelude::*;
use nexus_model::agent::Priority;

pub const EVERYTHING: Text = Text("Command palette");
pub const LOOK: Text = Text("Type a command or search…");
pub const COMMANDS: Text = Text("Commands");
pub const HINT: Text = Text("↑ ↓ select · Enter run · Esc close");
pub const KEYS: Text = Text("Keyboard shortcuts");
pub const KEYS_ABOUT: Text =
    Text("Single-key shortcuts work outside text fields. Everything else is in the command palette.");
pub const KEYS_OFF: Text = Text("Single-key shortcuts are turned off in Settings, under Appearance.");

pub fn found(shown: usize, of: usize) -> String {
    match (shown, of) {
        (_, 0) => text!("No matching commands"),
        (shown, of) if shown < of => text!("Best {shown} of {of}"),
        (_, 1) => text!("1 command"),
        (_, of) => text!("{of} commands"),
    }
}

// The sections.
pub const PLACES: Text = Text("Go to");

// Why an action is not available.
pub const NO_TEAM: Text = Text("Finish the setup on the first screen.");
pub const NOTHING_RUNS: Text = Text("Nothing is running.");
pub const NOT_PAUSED: Text = Text("No paused run.");
pub const NO_WAIT: Text = Text("No call is waiting for its provider.");
pub const NOTHING_ASKED: Text = Text("Nothing needs your approval.");
pub const NO_ROUND: Text = Text("No run has ended in this session yet.");
pub const ROUND_WORKS: Text = Text("A run is in progress.");
pub const NO_PREVIEW: Text = Text("No file of this session has a preview.");
pub const NO_TURN: Text = Text("No agent has answered in this session yet.");
pub const SYNC_WORKS: Text = Text("The Core is working.");
pub const NO_SYNC: Text = Text("The Core is idle.");
pub const NO_CHANGE: Text = Text("The Core has no change to undo.");
pub const NO_RECOGNITION: Text = Text("This browser does not support speech recognition.");
pub const NO_SPEECH_OUTPUT: Text = Text("This browser does not support speech output.");
pub const NOT_READING: Text = Text("Nothing is being read aloud.");
pub const NOTHING_TO_UNDO: Text = Text("Nothing to undo.");
pub const IS_SO: Text = Text("Already set.");
pub const SIZE_ENDS: Text = Text("Already at the limit.");
pub const NOT_SHOWN: Text = Text("There is nothing here to use it on.");
pub const NONE_HELD: Text = Text("No message is held.");

// Run.
pub const STOP: Text = Text("Stop run");
pub const KEEP_GOING: Text = Text("Keep going until the work is accepted");
pub const ONE_ROUND: Text = Text("Stop after one round");
pub const GO_ON: Text = Text("Resume run");
pub const END: Text = Text("End run");
pub const RETRY_NOW: Text = Text("Retry the waiting call now");
pub const STOP_WAITING: Text = Text("Stop waiting for the provider");
pub const TO_ASKED: Text = Text("Go to the pending approval");
pub const UNDO_ROUND: Text = Text("Undo the last round");

// Agents.
pub const WRITE: Text = Text("Write a message");
pub const WRITE_ALL: Text = Text("Write to all agents");
texts! {
    pub fn version(number: &str) = "Nexus {number}";
    pub fn write_to(name: &str) = "Write to {name}";
    pub fn priority(name: &str, next: Priority) =
        "{name}: priority {}", agents::priority(next).to_lowercase();
    pub fn settings_of(name: &str) = "Settings of {name}";
    pub fn inspect(name: &str) = "Inspect the newest turn, by {name}";
    pub fn open_file(name: &str) = "Open {name}";
    pub fn rename_file(name: &str) = "Rename {name}";
    pub fn delete_file(name: &str) = "Delete {name}";
    pub fn preview_file(name: &str) = "Preview {name}";
    pub fn undo(what: &str) = "Undo: {what}";
    pub fn open_session(label: &str) = "Open “{label}”";
}

// Files.
pub const ALL_FILES: Text = Text("All files: open from disk, download, link a folder");
pub const RENAME: Text = Text("Rename file");
pub const DELETE: Text = Text("Delete file");

// Places.
pub const RUN_GRAPH: Text = Text("See the run as a graph");
pub const MESSAGE_OVER: Text = Text("Options for the next message…");
pub const SESSION_LIST: Text = Text("All sessions");
pub const SESSION_DELETE: Text = Text("Delete this session");
pub const SESSION_ARCHIVE: Text = Text("Archive this session");
pub fn pin_session(pinned: bool) -> &'static str {
    if pinned { tr("Unpin this session") } else { tr("Pin this session") }
}

pub const NOT_DELETED: Text = Text("The session was not deleted");
pub const LAST_SESSION: Text = Text("This is the only open session.");
pub const COMPACT: Text = Text("Compact older turns");
pub const FIND: Text = Text("Find in conversation (Ctrl Shift F)");
pub const INSPECT: Text = Text("Inspect the newest turn");
pub const COMPOSER_SIZE: Text = Text("Enlarge or shrink the message box");
pub const ATTACH: Text = Text("Attach files to the message");
pub const EDIT_LAST: Text = Text("Edit your last message");
pub const AGAIN: Text = Text("Regenerate the last answer");
pub const COPY_LAST: Text = Text("Copy the last message");
pub const MENU_LAST: Text = Text("Menu of the last message");
pub const TURN_ACTIONS: Text = Text("Actions for the last turn: fork, rewind, regenerate…");
pub const NEWEST: Text = Text("Jump to the newest message");
pub const NEWER: Text = Text("View next turn");
pub const ACCEPT_ALL: Text = Text("Accept all changes");
pub const REVERT_ALL: Text = Text("Revert all changes");
pub const RETRY: Text = Text("Retry the last failed answer");
pub const SEND_HELD: Text = Text("Send the held messages");
pub const DISCARD_HELD: Text = Text("Discard the held messages");
pub const STOP_COMPACTION: Text = Text("Stop compacting");
pub fn activity(open: bool) -> &'static str {
    if open { tr("Hide activity") } else { tr("Show activity") }
}
pub const TO_AGENTS: Text = Text("Pane: agents");
pub const TO_TIMELINE: Text = Text("Pane: conversation");
pub const TO_BOARD: Text = Text("Pane: board");
pub fn fold(pane: &str, folded: bool) -> String {
    let pane = pane.to_lowercase();
    if folded { text!("Show the {pane} pane") } else { text!("Collapse the {pane} pane") }
}

// Board.
pub const EDIT: Text = Text("Board: edit");
pub const COMPARE: Text = Text("Board: compare");
pub const PREVIEW: Text = Text("Board: preview");
pub const OBJECTIVE: Text = Text("Edit objective");
pub const SCRATCHPAD: Text = Text("Edit scratchpad");

pub const FILE_CHANGE: Text = Text("Go to the last change of the open file");
pub const FILE_FIND: Text = Text("Find in the open file");
pub const FILE_LINE: Text = Text("Go to a line of the open file");
pub const FILE_WRAP: Text = Text("Wrap lines in the editor");

// Core.
pub const CORE_APPLY: Text = Text("Apply the proposal of the Core");
pub const CORE_DISMISS: Text = Text("Dismiss the proposal of the Core");
pub const STOP_SYNC: Text = Text("Stop the Core");
pub const UNDO_SYNC: Text = Text("Undo the change of the Core");

// Voice.
pub const TALK: Text = Text("Talk");
pub const STOP_READING: Text = Text("Stop reading aloud");
pub fn read_answers(on: bool) -> &'static str {
    if on { tr("Stop reading answers aloud automatically") } else { tr("Read answers aloud as they arrive") }
}
pub fn hands_free(on: bool) -> &'static str {
    if on { tr("Microphone: press to talk") } else { tr("Microphone: hands-free") }
}

// Appearance.
pub const LARGER: Text = Text("Larger text");
pub const SMALLER: Text = Text("Smaller text");
pub const USUAL_SIZE: Text = Text("Default text size");
pub fn single_keys(on: bool) -> &'static str {
    if on { tr("Turn off single-key shortcuts") } else { tr("Turn on single-key shortcuts") }
}

// Data.
pub const EXPORT: Text = Text("Export data");
pub const IMPORT: Text = Text("Import data");
pub const UNDONE_NOTHING: Text = Text("The last round changed nothing that can be undone.");

// Nexus.
pub const LOCK: Text = Text("Lock API keys");
pub const WORK_HERE: Text = Text("Take over: edit in this tab");
pub const AGENT_ADD: Text = Text("Add an agent");
pub const PROVIDER_ADD: Text = Text("Add a provider");
pub const TRIGGER_ADD: Text = Text("Add a trigger");
pub const AUDIT_EXPORT: Text = Text("Export the event log");
pub const USAGE_COPY: Text = Text("Copy usage as CSV");
pub const RUN_COPY: Text = Text("Copy the run as text");

// Shortcuts of one place.
pub const ANYWHERE: Text = Text("Anywhere");

/// Shortcuts that work while a place has focus: the place, and each key with its effect.
pub const LOCAL: [(Text, &[(Text, Text)]); 9] = [
    (
        Text("In the war room"),
        &[
            (Text("Ctrl Shift F"), message_actions::FIND),
            (Text("Alt Q"), Text("Quote the selected text in your message")),
        ],
    ),
    (
        Text("In the message box"),
        &[
            (Text("Enter"), Text("Send, or queue during a run")),
            (Text("Shift Enter"), Text("New line")),
            (Text("@"), Text("Mention an agent")),
            (Text("#"), Text("Mention a file")),
            (Text("↑"), Text("Edit your last message, if the box is empty")),
            (Text("Esc"), Text("Cancel editing a queued message")),
        ],
    ),
    (
        Text("In the file editor"),
        &[
            (Text("Tab"), Text("Indent")),
            (Text("Esc, then Tab"), Text("Leave the editor (focus next element)")),
            (Text("Ctrl F"), Text("Find and replace")),
            (Text("Ctrl Z"), Text("Undo typing")),
        ],
    ),
    (
        Text("In Compare"),
        &[
            (Text("J"), Text("Next change")),
            (Text("K"), Text("Previous change")),
            (Text("A"), Text("Accept")),
            (Text("R"), Text("Revert")),
            (Text("Shift A"), Text("Accept the whole file")),
            (Text("Shift R"), Text("Revert the whole file")),
            (Text("X"), Text("Select to request changes")),
            (Text("T"), Text("Go to its turn")),
            (Text("Ctrl Z"), Text("Undo the last decision")),
        ],
    ),
    (
        Text("In the recap card"),
        &[(Text("U"), Text("Undo the last round")), (Text("Esc"), Text("Close the card"))],
    ),
    (
        Text("On the divider between panes"),
        &[
            (Text("← → ↑ ↓"), Text("Move")),
            (Text("Home, End"), Text("Smallest, largest")),
            (Text("Enter"), Text("Reset")),
        ],
    ),
    (Text("While listening or reading aloud"), &[(Text("Esc"), Text("Stop reading, then stop listening"))]),
    (
        Text("In Settings"),
        &[
            (Text("Enter"), Text("In the search: go to the first result")),
            (Text("Alt ↑ ↓"), Text("On the header of an agent: move it")),
        ],
    ),
    (
        Text("In the event log"),
        &[(Text("↑ ↓"), Text("Previous, next event")), (Text("Home, End"), Text("First, last event"))],
    ),
];

pub const HELP_ABOUT: Text = Text("What the words mean, where things are, and which version this is.");
pub const HELP_FIRST: Text = Text("First steps");
pub const HELP_TERMS: Text = Text("Terms");
pub const HELP_WHERE: Text = Text("Where things are");
pub const VERSION: Text = Text("About Nexus");
pub const OPEN_PALETTE: Text = Text("Open the command palette");
pub const PRIVACY: Text = Text(
    "Nexus runs entirely in this page. It calls the providers that you set up, and nobody else. Sessions, files and settings are stored on this device.",
);

/// First steps, in order.
pub const HELP_STEPS: [Text; 6] = texts! {
    "Give an objective in the message box. Architect plans, Engineer writes the files, Critic reviews them.",
    "Watch the scratchpad and the files on the right. Press Run to open a page that they built.",
    "After a run, the bar above the message box lists what changed: review, accept or revert it.",
    "Write again to steer. @Name reaches one agent, #file attaches a file, / lists commands.",
    "Turn on Keep going to repeat rounds until the Critic accepts the work.",
    "Point at a message, or open its menu, to edit it, regenerate an answer, fork the session or compare models.",
};

pub const MEANINGS: [(Text, Text); 16] = texts! {
    "Agent" =>
        "A model with a name, a system prompt and permissions. Agents answer in the order of their priority.",
    "Objective" => "What you want. Every agent sees it.",
    "Scratchpad" => "The shared plan and notes. You and every agent can edit it.",
    "Files" => "What the agents build. Concurrent edits are merged by lines.",
    "Turn" =>
        "One answer of one agent, with its tool calls. Each turn keeps the objective, scratchpad and files as they were after it.",
    "Round" => "One turn of each agent that is asked.",
    "Run" =>
        "Everything that one message starts, until no agent has anything left to do or a limit pauses it.",
    "Session" => "One conversation with its objective, scratchpad and files. Fork one from any turn.",
    "Tree" => "All turns of all sessions. Rewind, fork, compare and merge there.",
    "Core" =>
        "A background call that updates objective and scratchpad to match the files: after changes, or with Execute sync.",
    "Archivist" =>
        "Background calls that title and summarise sessions, and note facts to remember under Memories.",
    "Compaction" =>
        "A summary that replaces older turns in the context of a model whose context window is nearly full. The turns stay.",
    "Compare models" =>
        "Two or three models answer the same message side by side. Pick one, and merge another into it.",
    "Subagent" => "An agent that works on a delegated task in its own session, and reports back.",
    "Restore point" => "A copy of all data on this device, made before an import or by hand.",
    "Event log" =>
        "Everything that happened on this device, in order. Sessions, files and settings can be rebuilt from it.",
};

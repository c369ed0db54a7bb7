//! Strings of the help screen.

pub const TITLE: &str = "Help and about";
pub const ABOUT: &str = "What the words mean, where things are, and which version this is.";
pub const BACK: &str = "Back to the war room";
pub const FIRST: &str = "First steps";
pub const TERMS: &str = "Terms";
pub const WHERE: &str = "Where things are";
pub const VERSION: &str = "About Nexus";
pub const SHORTCUTS: &str = "Show keyboard shortcuts";
pub const COMMANDS: &str = "Open the command palette";
pub const PRIVACY: &str = "Nexus runs entirely in this page. It calls the providers that you set up, and nobody else. Sessions, files and settings are stored on this device.";

/// What to do first, in this order.
pub const STEPS: [&str; 6] = [
    "Give an objective in the message box. Architect plans, Engineer writes the files, Critic reviews them.",
    "Watch the scratchpad and the files on the right. Press Run to open a page that they built.",
    "After a run, the bar above the message box lists what changed: review it, keep it or undo it.",
    "Write again to steer. @Name reaches one agent, #file attaches a file, / lists commands.",
    "Turn on Keep going to repeat rounds until the Critic accepts the work.",
    "Hover over a message to edit it, regenerate an answer, fork the session or compare models.",
];

/// A term and what it means.
pub const MEANINGS: [(&str, &str); 16] = [
    (
        "Agent",
        "A model with a name, a system prompt and permissions. Agents answer in the order of their priority.",
    ),
    ("Objective", "What you want. Every agent sees it."),
    ("Scratchpad", "The shared plan and notes. You and every agent can edit it."),
    ("Files", "What the agents build. Concurrent edits are merged by lines."),
    (
        "Turn",
        "One answer of one agent, with its tool calls. Each turn keeps the objective, scratchpad and files as they were after it.",
    ),
    ("Round", "One turn of each agent that is asked."),
    (
        "Run",
        "Everything that one message starts, until no agent has anything left to do or a limit pauses it.",
    ),
    ("Session", "One conversation with its objective, scratchpad and files. Fork one from any turn."),
    ("Tree", "All turns of all sessions. Rewind, fork, compare and merge there."),
    (
        "Core",
        "A background call that updates objective and scratchpad to match the files: after changes, or with Execute sync.",
    ),
    (
        "Archivist",
        "Background calls that title and summarize sessions, and note facts to remember under Memories.",
    ),
    (
        "Compaction",
        "A summary that replaces older turns in the context of a model whose context window is nearly full. The turns stay.",
    ),
    (
        "Compare models",
        "Two or three models answer the same message side by side. Pick one, and merge another into it.",
    ),
    ("Subagent", "An agent that works on a delegated task in its own session, and reports back."),
    ("Restore point", "A copy of all data on this device, made before an import or by hand."),
    (
        "Event log",
        "Everything that happened on this device, in order. Models, files and settings follow from it.",
    ),
];

/// The version of the program.
pub fn version(number: &str) -> String {
    format!("Nexus {number}")
}

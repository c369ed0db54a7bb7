//! Strings of the help screen.

use crate::language::{Text, text};

pub const ABOUT: Text = Text("What the words mean, where things are, and which version this is.");
pub const FIRST: Text = Text("First steps");
pub const TERMS: Text = Text("Terms");
pub const WHERE: Text = Text("Where things are");
pub const VERSION: Text = Text("About Nexus");
pub const COMMANDS: Text = Text("Open the command palette");
pub const PRIVACY: Text = Text(
    "Nexus runs entirely in this page. It calls the providers that you set up, and nobody else. Sessions, files and settings are stored on this device.",
);

/// First steps, in order.
pub const STEPS: [Text; 6] = [
    Text(
        "Give an objective in the message box. Architect plans, Engineer writes the files, Critic reviews them.",
    ),
    Text("Watch the scratchpad and the files on the right. Press Run to open a page that they built."),
    Text("After a run, the bar above the message box lists what changed: review, accept or revert it."),
    Text("Write again to steer. @Name reaches one agent, #file attaches a file, / lists commands."),
    Text("Turn on Keep going to repeat rounds until the Critic accepts the work."),
    Text("Hover over a message to edit it, regenerate an answer, fork the session or compare models."),
];

pub const MEANINGS: [(Text, Text); 16] = [
    (
        Text("Agent"),
        Text(
            "A model with a name, a system prompt and permissions. Agents answer in the order of their priority.",
        ),
    ),
    (Text("Objective"), Text("What you want. Every agent sees it.")),
    (Text("Scratchpad"), Text("The shared plan and notes. You and every agent can edit it.")),
    (Text("Files"), Text("What the agents build. Concurrent edits are merged by lines.")),
    (
        Text("Turn"),
        Text(
            "One answer of one agent, with its tool calls. Each turn keeps the objective, scratchpad and files as they were after it.",
        ),
    ),
    (Text("Round"), Text("One turn of each agent that is asked.")),
    (
        Text("Run"),
        Text(
            "Everything that one message starts, until no agent has anything left to do or a limit pauses it.",
        ),
    ),
    (
        Text("Session"),
        Text("One conversation with its objective, scratchpad and files. Fork one from any turn."),
    ),
    (Text("Tree"), Text("All turns of all sessions. Rewind, fork, compare and merge there.")),
    (
        Text("Core"),
        Text(
            "A background call that updates objective and scratchpad to match the files: after changes, or with Execute sync.",
        ),
    ),
    (
        Text("Archivist"),
        Text(
            "Background calls that title and summarise sessions, and note facts to remember under Memories.",
        ),
    ),
    (
        Text("Compaction"),
        Text(
            "A summary that replaces older turns in the context of a model whose context window is nearly full. The turns stay.",
        ),
    ),
    (
        Text("Compare models"),
        Text(
            "Two or three models answer the same message side by side. Pick one, and merge another into it.",
        ),
    ),
    (Text("Subagent"), Text("An agent that works on a delegated task in its own session, and reports back.")),
    (Text("Restore point"), Text("A copy of all data on this device, made before an import or by hand.")),
    (
        Text("Event log"),
        Text(
            "Everything that happened on this device, in order. Sessions, files and settings can be rebuilt from it.",
        ),
    ),
];

pub fn version(number: &str) -> String {
    text!("Nexus {number}")
}

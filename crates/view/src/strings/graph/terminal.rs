//! Strings of terminals on the operator's machine, and of panes side by side.

use crate::language::{Text, text};
use nexus_engine::port::terminal::TerminalState;
use nexus_text::invisible::reveal;

pub const TITLE: Text = Text("Terminal on this machine");
pub const USE: Text = Text("Use a terminal…");
pub const USE_ABOUT: Text =
    Text("Lets this node work in a terminal on your machine, served by ttyd, instead of asking a model");
pub const ALLOW: Text = Text("Allow the terminal…");
pub const CHANGE: Text = Text("Terminal…");
pub const REVOKE: Text = Text("Revoke");
pub const REVOKE_ABOUT: Text =
    Text("Disconnects. Nothing can be typed into this terminal until you allow it again");
pub const UNBIND: Text = Text("Use a model instead");
pub const ASKS: Text = Text(
    "This node works in a terminal on your machine. Nothing is opened or typed there before you allow it on this device.",
);
pub const ABOUT: Text = Text(
    "Nexus connects to ttyd at this address of your own machine, shows the terminal here, and sends your keys to it. \
     At each turn of this node it types the command below into the shell there, with the goal, the files and the \
     envelopes of the run as its input. Whatever runs there can do what you can do on this machine.",
);
pub const HOW_TO: Text = Text(
    "Start it like this, with your own word for SECRET, and leave its shell at a prompt: \
     ttyd -W -i 127.0.0.1 -p 7681 -b /SECRET tmux new -A -s nexus",
);
pub const ADDRESS: Text = Text("Address of ttyd");
pub const COMMAND: Text = Text("Command of a turn");
pub const COMMAND_ABOUT: Text = Text("It gets the context as its input. The turn ends when it exits.");
pub const RESUME: Text = Text("Command of later turns (optional)");
pub const RESUME_ABOUT: Text = Text("With {session} for the session that the program named in its output.");
pub const PROMPT: Text = Text("Prompt of a program (instead of a command)");
pub const PROMPT_ABOUT: Text = Text(
    "The context is pasted into the program that runs there, and the turn ends when a line begins with this again.",
);
pub const SECRET: Text = Text("Secret path of ttyd (not stored)");
pub const AGENTS: Text = Text("The orchestrator may type lines and read the screen");
pub const ACCEPT: Text = Text("Allow on this device");
pub const CANCEL: Text = Text("Cancel");
pub const NOT_SOUND: Text = Text(
    "The address must be ws://127.0.0.1 or ws://localhost with a port and a path, and either a command or a prompt is needed.",
);
pub const SCREEN: Text = Text("Terminal. Shift+Tab leaves it.");
pub const RECONNECT: Text = Text("Connect again");
pub const RELOAD: Text = Text("Reload the page");
pub const RELOAD_ABOUT: Text =
    Text("The security policy of this page lets it call the terminal only after a reload.");
pub const NOT_LOADED: Text = Text("The terminal could not be loaded. Check the connection, then try again.");
pub const SPLIT: Text = Text("Split");
pub const PANES: Text = Text("Panes");
pub const PANE: Text = Text("Pane of a node");
pub const PANE_NODE: Text = Text("Node of this pane");
pub const PANE_KEYS: Text = Text("Alt+Shift with an arrow: another pane. With S: split. With X: close");
pub const CLOSE_PANE: Text = Text("Close this pane");
pub const TO_PANE: Text = Text("Go to this pane");
pub const SHOW_GRAPH: Text = Text("Show the graph");

pub fn state(state: TerminalState, address: &str, title: &str) -> String {
    let address = reveal(address);
    match state {
        TerminalState::Detached => text!("Not connected: {address}"),
        TerminalState::Connecting => text!("Connecting to {address}…"),
        TerminalState::Attached if title.is_empty() => text!("Connected: {address}"),
        TerminalState::Attached => text!("Connected: {address} · {}", reveal(title)),
        TerminalState::Closed(1000) => text!("The program in the terminal ended: {address}"),
        TerminalState::Closed(_) => {
            text!("No terminal answers at {address}. Is ttyd running, and is its secret path right?")
        }
    }
}

//! Strings of the run summary.

use crate::language::{Text, text};
use crate::run_summary::{OpenQuestion, RunSummary};
use crate::strings::chat::prompts::used;
use crate::strings::format::{Notice, count, listed};
use crate::strings::status::{pause, run_status};

pub const TITLE: Text = Text("Recap");
pub const CLOSE: Text = Text("Close");
pub const NOTHING: Text = Text("No changes in objective, scratchpad and files.");
pub const CHANGED: Text = Text("Changes");
pub const PLAN: Text = Text("Plan, before and after");
pub const QUESTIONS: Text = Text("Open questions");
pub const NO_QUESTIONS: Text = Text("None found.");
pub const BY_FORM: Text = Text("auto-detected");
pub const REVIEW: Text = Text("Review changes");
pub const UNDO_ABOUT: Text =
    Text("Restores objective, scratchpad and files to before the round. Later changes stay. Key: U");
pub const UNDONE: Text = Text("Round undone.");

pub fn summary(told: &RunSummary) -> String {
    let rounds = if told.rounds > 1 { text!("{} rounds, ", told.rounds) } else { String::new() };
    let turns = count(told.turns, "turn", "turns");
    format!("{} · {rounds}{turns} · {}", run_status(told.status), used(&told.used))
}

pub fn undo(rounds: u32) -> String {
    if rounds > 1 { text!("Undo round {rounds}") } else { text!("Undo this round") }
}

pub fn question(question: &OpenQuestion, agent: &str) -> String {
    match question {
        OpenQuestion::Approval { tool, .. } => text!("{agent} needs approval for {tool}"),
        OpenQuestion::Paused(cause) => pause(cause).title,
        OpenQuestion::Asked { line, .. } => format!("{agent}: {line}"),
    }
}

pub fn clash(fields: &[String]) -> Notice {
    Notice {
        title: text!("Nothing was undone: {} changed since", listed(fields)),
        advice: text!(
            "The same lines were changed after the round. Review the changes and revert them one by one."
        ),
    }
}

pub fn by(names: &[String]) -> String {
    text!("by {}", listed(names))
}

//! Strings of the run summary.

use crate::run_summary::{OpenQuestion, RunSummary};
use crate::strings::chat::prompts::used;
use crate::strings::format::{Notice, count, listed};
use crate::strings::status::{pause, run_status};

pub const TITLE: &str = "Recap";
pub const CLOSE: &str = "Close";
pub const NOTHING: &str = "No changes in objective, scratchpad and files.";
pub const CHANGED: &str = "Changes";
pub const PLAN: &str = "Plan, before and after";
pub const QUESTIONS: &str = "Open questions";
pub const NO_QUESTIONS: &str = "None found.";
pub const BY_FORM: &str = "auto-detected";
pub const REVIEW: &str = "Review changes";
pub const UNDO_ABOUT: &str =
    "Restores objective, scratchpad and files to before the round. Later changes stay. Key: U";
pub const UNDONE: &str = "Round undone.";

/// What a run came to, in a line.
pub fn summary(told: &RunSummary) -> String {
    let rounds = if told.rounds > 1 { format!("{} rounds, ", told.rounds) } else { String::new() };
    let turns = count(told.turns, "turn", "turns");
    format!("{} · {rounds}{turns} · {}", run_status(told.status), used(&told.used))
}

/// The button that takes the last round back.
pub fn undo(rounds: u32) -> String {
    if rounds > 1 { format!("Undo round {rounds}") } else { "Undo this round".to_owned() }
}

/// What asks.
pub fn question(question: &OpenQuestion, agent: &str) -> String {
    match question {
        OpenQuestion::Approval { tool, .. } => format!("{agent} needs approval for {tool}"),
        OpenQuestion::Paused(cause) => pause(cause).title,
        OpenQuestion::Asked { line, .. } => format!("{agent}: {line}"),
    }
}

/// Why a round cannot be undone.
pub fn clash(fields: &[String]) -> Notice {
    Notice {
        title: format!("Nothing was undone: {} changed since", listed(fields)),
        advice: "The same lines were changed after the round. Review the changes and revert them one by one."
            .to_owned(),
    }
}

//! Never judges what was done.
//!
//! Owns the words in which an operator is told what a run came to.

use crate::domain::catch_up::{CatchUp, Question};
use crate::ui::words::{Told, count, names, pause, run_status, used};

pub(crate) const TITLE: &str = "Catch me up";
pub(crate) const CLOSE: &str = "Close";
pub(crate) const NOTHING: &str = "Nothing changed in directive, scratchpad and files.";
pub(crate) const CHANGED: &str = "What changed";
pub(crate) const PLAN: &str = "The plan, before and after";
pub(crate) const QUESTIONS: &str = "Open questions";
pub(crate) const NO_QUESTIONS: &str = "None found.";
pub(crate) const BY_FORM: &str = "found by its question mark";
pub(crate) const REVIEW: &str = "Review the changes";
pub(crate) const UNDO_ABOUT: &str =
    "Writes the mind of before the round back. What was changed since stays. Key: u";
pub(crate) const UNDONE: &str = "The round is undone.";

/// What a run came to, in a line.
pub(crate) fn summary(told: &CatchUp) -> String {
    let rounds = if told.rounds > 1 { format!("{} rounds, ", told.rounds) } else { String::new() };
    let turns = count(told.turns, "turn", "turns");
    format!("{} · {rounds}{turns} · {}", run_status(told.status), used(&told.used))
}

/// The button that takes the last round back.
pub(crate) fn undo(rounds: u32) -> String {
    if rounds > 1 { format!("Undo round {rounds}") } else { "Undo this round".to_owned() }
}

/// What asks.
pub(crate) fn question(question: &Question, agent: &str) -> String {
    match question {
        Question::Approval { tool, .. } => format!("{agent} waits to be allowed {tool}"),
        Question::Paused(cause) => pause(cause).title,
        Question::Asked { line, .. } => format!("{agent}: {line}"),
    }
}

/// Why a round cannot be undone.
pub(crate) fn clash(fields: &[String]) -> Told {
    Told {
        title: format!("Nothing was undone: {} changed since", names(fields)),
        advice: "The same lines were changed after the round. Review the changes and revert them one by one."
            .to_owned(),
    }
}

//! Strings of workers: cards, notices, sessions, limits.

use crate::strings::{count, money, tokens};
use nexus_model::run::RunUsage;
use nexus_model::session::delegation::{WorkerEnd, WorkerState};

pub const OPEN: &str = "Open";
pub const STOP: &str = "Stop";
pub const GO_ON: &str = "Go on";
pub const END: &str = "End";
pub const NEEDED: &str = "Workers that need you";
pub const TASK: &str = "TASK";
pub const REPORT: &str = "REPORT";
pub const GONE: &str = "Its session is not on this device any more.";

pub const DEPTH: &str = "How deep workers may send workers";
pub const DEPTH_ABOUT: &str = "A worker may give parts of its task to workers of its own. 0 lifts the limit; the budget of the run that began it \
     still holds for all of them.";
pub const DEPTH_WRONG: &str = "A whole number from 0 to 64, or nothing.";
pub const ROLE_ABOUT: &str = "A manager gives tasks to workers and takes none of other agents; a worker does what it is given and gives nothing \
     away. A worker may never do more than who sent it.";

pub fn works_on(name: &str, title: &str) -> String {
    format!("{name}: {title}")
}

/// How a worker stands.
pub fn state(state: &WorkerState) -> &'static str {
    match state {
        WorkerState::Working => "works",
        WorkerState::Asks(_) => "asks you",
        WorkerState::Waits(_) => "waits for you",
        WorkerState::Ended(WorkerEnd::Done) => "done",
        WorkerState::Ended(WorkerEnd::Failed) => "failed",
        WorkerState::Ended(WorkerEnd::Stopped) => "stopped",
        WorkerState::Ended(WorkerEnd::Lost) => "gone",
    }
}

/// What a worker used, its own workers included.
pub fn used(used: &RunUsage) -> String {
    let calls = count(usize::try_from(used.calls).unwrap_or(usize::MAX), "call", "calls");
    let mut told = format!("{calls}, {} tokens", tokens(used.tokens));
    if used.cost.0 > 0 {
        told.push_str(&format!(", {}", money(used.cost)));
    }
    told
}

/// Files that could not be merged.
pub fn clashes(files: &[String]) -> String {
    format!(
        "Not merged: {}. The same lines were changed here meanwhile. Its version is in its session; the tree merges it \
         piece by piece.",
        files.join(", ")
    )
}

/// A worker that needs the operator, from elsewhere.
pub fn needs(name: &str, title: &str, asks: bool) -> String {
    if asks {
        format!("{name} asks to use a tool: {title}")
    } else {
        format!("{name} waits for you: {title}")
    }
}

/// The session in view is a worker's.
pub fn is_worker(name: &str, from: &str) -> String {
    format!(
        "The session of a worker, {name}, for a task from “{from}”. What you say here to all goes to it alone."
    )
}

/// The way back from a worker's session.
pub fn back_to(label: &str) -> String {
    format!("Back to “{label}”")
}

/// How many workers a session has.
pub fn number(workers: usize) -> String {
    count(workers, "worker", "workers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_worker_used_is_told_with_its_cost_where_that_is_known() {
        let mut spent = RunUsage { calls: 1, tokens: 1_200, ..RunUsage::default() };
        assert_eq!(used(&spent), "1 call, 1,200 tokens");
        spent.cost = nexus_model::provider::price::Cost::dollars(2);
        assert!(used(&spent).starts_with("1 call, 1,200 tokens, "));
    }
}

//! Strings of races.

use crate::strings::format::{count, listed, money, tokens};
use crate::strings::status::ending_short;
use nexus_model::run::{NodeStatus, RunUsage};
use nexus_model::session::race::Candidate;
use nexus_model::tool::FileChange;
use nexus_model::turn::TurnEnd;

pub const TITLE: &str = "Compare models";
pub const OPEN_AGAIN: &str = "Compare models…";
pub const OPEN_NEW: &str = "Compare models on a new prompt…";
pub const ABOUT: &str = "Sends the same prompt to two or three models, side by side. You use one answer; the others stay in the tree.";
pub const ASKED_AGAIN: &str = "The same prompt is sent again, with the files as they were then.";
pub const ASKED_NEW: &str = "Prompt";
pub const WHO: &str = "Agent";
pub const NO_THIRD: &str = "No third model";
pub const START: &str = "Start comparison";
pub const CLOSE: &str = "Close";
pub const FEW: &str =
    "Only one model is available. Add a provider, or test its connection to load its models.";
pub const TWICE: &str = "Choose different models.";
pub const USE: &str = "Use this answer";
pub const STOP: &str = "Stop";
pub const GO_ON: &str = "Resume";
pub const COMPARE: &str = "Compare";
pub const TO_COMPARE: &str = "Compare the answers";
pub const END: &str = "End comparison";
pub const END_ABOUT: &str = "No answer is used. All answers stay in the tree.";
pub const RUNS: &str = "Use an answer as soon as it is complete; the others are stopped then.";
pub const WAITS: &str = "Use one of the answers, use one and merge another, or end the comparison.";
pub const MERGE: &str = "Use and merge another…";
pub const MERGE_ABOUT: &str =
    "Uses this answer, and shows the changes of another one file by file before merging.";
pub const WAITING: &str = "…";
pub const CHANGES: &str = "Changes";
pub const NO_CHANGES: &str = "No files changed";
pub const TOOLS: &str = "Tools";

// Why something cannot be done now.
pub const NO_RACE: &str = "No models are being compared in this session.";
pub const NOT_THERE: &str = "That answer is not complete yet.";

/// What is attached to what they are asked.
pub fn with_images(names: &[String]) -> String {
    format!("Attached: {}", listed(names))
}

/// The model of a lane.
pub fn with(number: usize, model: &str) -> String {
    format!("Answer {number}, by {model}")
}

/// The action that takes over the answer of a lane.
pub fn use_of(number: usize, model: &str) -> String {
    format!("Use answer {number}: {model}")
}

/// The action that stops a lane.
pub fn stop_of(number: usize) -> String {
    format!("Stop answer {number}")
}

/// The choice of a model.
pub fn model(number: usize) -> String {
    format!("Model {number}")
}

/// Who races about what.
pub fn told(name: &str, models: &[String]) -> String {
    format!("{name} answers with {}", listed(models))
}

/// How a lane stands.
pub fn state(lane: &Candidate) -> &'static str {
    match (lane.status, lane.end) {
        (NodeStatus::Blocked, _) if lane.pause.is_some() => "waiting for you",
        (NodeStatus::Blocked, _) => "needs approval",
        (NodeStatus::Done, _) => "done",
        (NodeStatus::Error, Some(end)) => ending_short(end),
        (NodeStatus::Error, None) => "stopped",
        (NodeStatus::Idle | NodeStatus::Ready | NodeStatus::Running, _) => "working",
    }
}

/// The name of that in attributes.
pub fn state_name(lane: &Candidate) -> &'static str {
    match (lane.status, lane.end) {
        (NodeStatus::Blocked, _) => "asking",
        (NodeStatus::Done, _) => "done",
        (NodeStatus::Error, Some(TurnEnd::Cancelled) | None) => "stopped",
        (NodeStatus::Error, Some(_)) => "failed",
        (NodeStatus::Idle | NodeStatus::Ready | NodeStatus::Running, _) => "working",
    }
}

/// What a lane used.
pub fn used(used: &RunUsage) -> String {
    let calls = count(usize::try_from(used.calls).unwrap_or(usize::MAX), "call", "calls");
    let mut told = format!("{calls} · {} tokens", tokens(used.tokens));
    if used.cost.0 > 0 {
        told.push_str(&format!(" · {}", money(used.cost)));
    }
    told
}

/// A file that a lane changed.
pub fn touched(touched: &FileChange) -> String {
    format!("{} +{} −{}", touched.field, touched.lines.added, touched.lines.removed)
}

/// A tool that a lane used several times.
pub fn tool(name: &str, times: usize) -> String {
    if times > 1 { format!("{name} ×{times}") } else { name.to_owned() }
}

//! Never says which answer is the better one.
//!
//! Owns the words about races: models that answer the same question at once.

use crate::domain::race::Lane;
use crate::domain::run::{NodeStatus, Used};
use crate::domain::tool::Touched;
use crate::domain::turn::TurnEnd;
use crate::ui::words::{count, ending_short, listed, money, tokens};

pub(crate) const TITLE: &str = "Race";
pub(crate) const OPEN_AGAIN: &str = "Race models…";
pub(crate) const OPEN_NEW: &str = "Race for something new…";
pub(crate) const ABOUT: &str =
    "Asks two or three models the same at once, side by side. You use one answer; the others stay beside it.";
pub(crate) const ASKED_AGAIN: &str =
    "The same question is asked once more, with the files as they were then.";
pub(crate) const ASKED_NEW: &str = "What they are asked";
pub(crate) const WHO: &str = "Who answers";
pub(crate) const NO_THIRD: &str = "No third model";
pub(crate) const START: &str = "Start the race";
pub(crate) const CLOSE: &str = "Close";
pub(crate) const FEW: &str =
    "There is only one model to choose. Add a provider, or test its connection to get its models.";
pub(crate) const TWICE: &str = "Choose different models.";
pub(crate) const USE: &str = "Use this one";
pub(crate) const STOP: &str = "Stop";
pub(crate) const GO_ON: &str = "Go on";
pub(crate) const COMPARE: &str = "Compare";
pub(crate) const TO_COMPARE: &str = "Go to comparing the answers of the race";
pub(crate) const END: &str = "End race";
pub(crate) const END_ABOUT: &str = "Nothing is taken over. What was answered stays in the tree.";
pub(crate) const RUNS: &str = "Use an answer as soon as it is there; the others are stopped then.";
pub(crate) const WAITS: &str = "Use one of the answers, use one and merge another into it, or end the race.";
pub(crate) const MERGE: &str = "Use, and merge another…";
pub(crate) const MERGE_ABOUT: &str = "Takes this answer, and shows what the other one would bring along, file by file, before anything is merged.";
pub(crate) const WAITING: &str = "…";
pub(crate) const CHANGES: &str = "Changes";
pub(crate) const NO_CHANGES: &str = "No files changed";
pub(crate) const TOOLS: &str = "Tools";

// Why something cannot be done now.
pub(crate) const NO_RACE: &str = "No models race in this session.";
pub(crate) const NOT_THERE: &str = "That answer is not there yet.";

/// The model of a lane.
pub(crate) fn with(number: usize, model: &str) -> String {
    format!("Answer {number}, by {model}")
}

/// The action that takes over the answer of a lane.
pub(crate) fn use_of(number: usize, model: &str) -> String {
    format!("Use answer {number}: {model}")
}

/// The action that stops a lane.
pub(crate) fn stop_of(number: usize) -> String {
    format!("Stop answer {number} of the race")
}

/// The choice of a model.
pub(crate) fn model(number: usize) -> String {
    format!("Model {number}")
}

/// Who races about what.
pub(crate) fn told(name: &str, models: &[String]) -> String {
    format!("{name} answers with {}", listed(models))
}

/// How a lane stands.
pub(crate) fn state(lane: &Lane) -> &'static str {
    match (lane.status, lane.end) {
        (NodeStatus::Blocked, _) if lane.pause.is_some() => "waits for you",
        (NodeStatus::Blocked, _) => "asks you",
        (NodeStatus::Done, _) => "done",
        (NodeStatus::Error, Some(end)) => ending_short(end),
        (NodeStatus::Error, None) => "stopped",
        (NodeStatus::Idle | NodeStatus::Ready | NodeStatus::Running, _) => "works",
    }
}

/// The name of that in attributes.
pub(crate) fn state_name(lane: &Lane) -> &'static str {
    match (lane.status, lane.end) {
        (NodeStatus::Blocked, _) => "asking",
        (NodeStatus::Done, _) => "done",
        (NodeStatus::Error, Some(TurnEnd::Cancelled) | None) => "stopped",
        (NodeStatus::Error, Some(_)) => "failed",
        (NodeStatus::Idle | NodeStatus::Ready | NodeStatus::Running, _) => "working",
    }
}

/// What a lane used.
pub(crate) fn used(used: &Used) -> String {
    let calls = count(usize::try_from(used.calls).unwrap_or(usize::MAX), "call", "calls");
    let mut told = format!("{calls} · {} tokens", tokens(used.tokens));
    if used.cost.0 > 0 {
        told.push_str(&format!(" · {}", money(used.cost)));
    }
    told
}

/// A file that a lane changed.
pub(crate) fn touched(touched: &Touched) -> String {
    format!("{} +{} −{}", touched.field, touched.lines.added, touched.lines.removed)
}

/// A tool that a lane used several times.
pub(crate) fn tool(name: &str, times: usize) -> String {
    if times > 1 { format!("{name} ×{times}") } else { name.to_owned() }
}

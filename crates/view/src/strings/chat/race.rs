//! Strings of races.

use crate::language::{Text, text, tr};
use crate::strings::format::{count, listed, money, tokens};
use crate::strings::status::ending_short;
use nexus_model::mind::FileChange;
use nexus_model::run::{NodeStatus, RunUsage};
use nexus_model::session::workers::Candidate;
use nexus_model::turn::TurnEnd;

pub const TITLE: Text = Text("Compare models");
pub const OPEN_AGAIN: Text = Text("Compare models…");
pub const OPEN_NEW: Text = Text("Compare models on a new prompt…");
pub const ABOUT: Text = Text(
    "Sends the same prompt to two or three models, side by side. You use one answer; the others stay in the tree.",
);
pub const ASKED_AGAIN: Text = Text("The same prompt is sent again, with the files as they were then.");
pub const ASKED_NEW: Text = Text("Prompt");
pub const WHO: Text = Text("Agent");
pub const NO_THIRD: Text = Text("No third model");
pub const START: Text = Text("Start comparison");
pub const CLOSE: Text = Text("Close");
pub const FEW: Text =
    Text("Only one model is available. Add a provider, or test its connection to load its models.");
pub const TWICE: Text = Text("Choose different models.");
pub const USE: Text = Text("Use this answer");
pub const STOP: Text = Text("Stop");
pub const GO_ON: Text = Text("Resume");
pub const COMPARE: Text = Text("Compare");
pub const TO_COMPARE: Text = Text("Compare the answers");
pub const END: Text = Text("End comparison");
pub const END_ABOUT: Text = Text("No answer is used. All answers stay in the tree.");
pub const RUNS: Text = Text("Use an answer as soon as it is complete; the others are stopped then.");
pub const WAITS: Text = Text("Use one of the answers, use one and merge another, or end the comparison.");
pub const MERGE: Text = Text("Use and merge another…");
pub const MERGE_ABOUT: Text =
    Text("Uses this answer, and shows the changes of another one file by file before merging.");
pub const WAITING: &str = "…";
pub const CHANGES: Text = Text("Changes");
pub const NO_CHANGES: Text = Text("No files changed");
pub const TOOLS: Text = Text("Tools");

// Why something cannot be done now.
pub const NO_RACE: Text = Text("No models are being compared in this session.");
pub const NOT_THERE: Text = Text("That answer is not complete yet.");

texts! {
    pub fn with_images(names: &[String]) = "Attached: {}", listed(names);
    pub fn with(number: usize, model: &str) = "Answer {number}, by {model}";
    pub fn use_of(number: usize, model: &str) = "Use answer {number}: {model}";
    pub fn stop_of(number: usize) = "Stop answer {number}";
    pub fn model(number: usize) = "Model {number}";
    pub fn told(name: &str, models: &[String]) = "{name} answers with {}", listed(models);
}

pub fn state(lane: &Candidate) -> &'static str {
    match (lane.status, lane.end) {
        (NodeStatus::Blocked, _) if lane.pause.is_some() => tr("waiting for you"),
        (NodeStatus::Blocked, _) => tr("needs approval"),
        (NodeStatus::Done, _) => tr("done"),
        (NodeStatus::Error, Some(end)) => ending_short(end),
        (NodeStatus::Error, None) => tr("stopped"),
        (NodeStatus::Idle | NodeStatus::Ready | NodeStatus::Running, _) => tr("working"),
    }
}

pub fn state_name(lane: &Candidate) -> &'static str {
    match (lane.status, lane.end) {
        (NodeStatus::Blocked, _) => "asking",
        (NodeStatus::Done, _) => "done",
        (NodeStatus::Error, Some(TurnEnd::Cancelled) | None) => "stopped",
        (NodeStatus::Error, Some(_)) => "failed",
        (NodeStatus::Idle | NodeStatus::Ready | NodeStatus::Running, _) => "working",
    }
}

pub fn used(used: &RunUsage) -> String {
    let calls = count(used.calls, "call", "calls");
    let mut told = text!("{calls} · {} tokens", tokens(used.tokens));
    if used.cost.0 > 0 {
        told.push_str(&format!(" · {}", money(used.cost)));
    }
    told
}

pub fn touched(touched: &FileChange) -> String {
    format!("{} +{} −{}", touched.field, touched.lines.added, touched.lines.removed)
}

pub fn tool(name: &str, times: usize) -> String {
    if times > 1 { format!("{name} ×{times}") } else { name.to_owned() }
}

//! Short strings of cards: status of turns and tool runs, why a run waits, and prompts: tool approval, scheduled
//! calls, unreachable providers.
//!
//! Names no cause that scripts cannot know.

use crate::language::whole;
use crate::strings::errors::failure as failure_notice;
use crate::strings::prelude::*;
use nexus_model::provider::address::{HostScope, origin_of, reach};
use nexus_model::provider::price::Cost;
use nexus_model::run::{ReachedLimit, RoundsEndReason};

/// Announcement of a turn's end for screen readers: agent, outcome, and the start of the text.
pub fn announcement(agent: &str, end: TurnEnd, text: &str) -> String {
    const MAX_CHARS: usize = 240;
    let said = ellipsis(text, MAX_CHARS);
    if end == TurnEnd::Completed {
        return text!("{agent} answered. {said}");
    }
    format!("{agent}: {}. {said}", ending_short(end))
}

pub fn not_asked(agents: &[String]) -> Notice {
    let title = match agents {
        [agent] => text!("{agent} was not called"),
        agents => text!("{} were not called", listed(agents)),
    };
    let advice = tr(
        "The run ended before that. Resume calls whoever is left, and any agent whose answer failed or was stopped.",
    );
    Notice::new(title, advice)
}

pub fn title(status: RunStatus, ended_here: bool) -> Option<&'static str> {
    match status {
        RunStatus::Queued | RunStatus::Running => Some(tr("● working")),
        RunStatus::Paused => Some(tr("Needs you")),
        RunStatus::Completed => ended_here.then_some(tr("Finished")),
        RunStatus::Failed => ended_here.then_some(tr("Failed")),
        RunStatus::Cancelled | RunStatus::TimedOut => None,
    }
}

/// Adds a full stop unless the text ends with a punctuation mark, possibly before a closing quote.
fn sentence(text: &str) -> String {
    let ends = text.trim_end_matches(['”', '“', '"', '’']).ends_with(['.', '!', '?', '…']);
    if ends { text.to_owned() } else { format!("{text}.") }
}

pub const CALLS: Text = Text("Model calls");
pub const TOKENS: Text = Text("Tokens");
pub const TURNS: Text = Text("Turns");
pub const TOOL_CALLS: Text = Text("Tool calls");
pub const MINUTES: Text = Text("Minutes of work");

fn limit_reached(name: Text, at: &ReachedLimit, figure: fn(u64) -> String) -> Notice {
    let budget = budget(name.get(), &figure(at.used), &figure(at.limit.unwrap_or(at.used)));
    let advice = if at.shared {
        text!(
            "{budget} in this run, the runs before it and all subagents. Continue with as much again, or end the run."
        )
    } else {
        text!("{budget}. Continue with as much again, or end the run.")
    };
    Notice::new(tr("The run reached its limit"), advice)
}

texts! {
    pub fn budget(name: &str, used: &str, cap: &str) = "{name}: {used} of {cap}";
    /// Why a run that keeps going has no further round.
    pub fn rounds_end(reason: RoundsEndReason) -> &'static str {
        RoundsEndReason::Accepted => "";
        RoundsEndReason::Unchanged => "No further round: this one changed nothing. Send a message to continue.";
        RoundsEndReason::Limit => "No further round: the limit is reached. Send a message to continue.";
        RoundsEndReason::Failed => "No further round: no agent could answer.";
    }

    pub fn wants(agent: &str, tool: &str) = "{agent} asks to use {tool}";
    pub fn always(agent: &str, tool: &str) = "Always allow {agent} to use {tool}";
    pub fn not_json(why: &str) = "Invalid JSON: {why}. Nothing was approved.";

    pub fn pause(cause: &PauseCause) -> Notice {
        PauseCause::Interrupted => "The run was interrupted",
            "The page was closed, or another tab took over, while the agents were working. Resume the run, or end it.";
        PauseCause::CallCap(at) => { limit_reached(CALLS, at, whole) };
        PauseCause::TokenCap(at) => { limit_reached(TOKENS, at, whole) };
        PauseCause::CostCap(at) => { limit_reached(common::COST, at, |nanos| cap(Cost(nanos))) };
        PauseCause::TurnCap(at) => { limit_reached(TURNS, at, whole) };
        PauseCause::ToolCap(at) => { limit_reached(TOOL_CALLS, at, whole) };
        PauseCause::TimeCap(at) => { limit_reached(MINUTES, at, whole) };
        PauseCause::Choice => "All answers are in", "Use one of the answers, or end the comparison.";
        PauseCause::Loop { evidence } => "The agents seem to be stuck in a loop",
            "{} Say in a message what to do differently, and choose how it is sent. Or resume anyway, or end the run.", sentence(&translate_template(evidence));
        PauseCause::NodeLimit { node, evidence } => "{node} reached its limit",
            "{evidence} Resume to allow as much again, or end the run.";
        PauseCause::NodeFailed { node, evidence } => "{node} failed",
            "{evidence} Resume to try it again, or end the run.";
        PauseCause::NoRoute { node, evidence } => "The result of {node} leads nowhere",
            "{evidence} Resume to ask for it, or end the run.";
        PauseCause::Question { node, text } => { Notice::new(text!("{node} has a question"), text.clone()) };
        PauseCause::NotDone { evidence } => "The run is not done",
            "{evidence} Start a node, resume to begin again, or end the run.";
        PauseCause::YourTurn { nodes } => "You start the next turn",
            "Work waits for {}. Resume to start there, start another node, or switch to Auto.", listed(&nodes.iter().map(ToString::to_string).collect::<Vec<_>>());
    }

    pub fn phase(phase: TurnPhase) -> &'static str {
        TurnPhase::Pending | TurnPhase::BuildingContext => "reading…";
        TurnPhase::AwaitingLlmDecision => "thinking…";
        TurnPhase::AwaitingToolResult => "using tools…";
        TurnPhase::GeneratingResponse => "writing…";
        TurnPhase::Completed => "done";
        TurnPhase::Failed => "failed";
    }

    /// How a turn ended, for ends other than `Completed` without an error of their own.
    pub fn ending(end: TurnEnd) -> Notice {
        TurnEnd::Completed => "Done", "";
        TurnEnd::Cancelled => "Stopped", "You stopped this turn. The partial answer is kept.";
        TurnEnd::Interrupted => "Interrupted",
            "The page was closed, or another tab took over, during this turn. The partial answer is kept.";
        TurnEnd::CutOff => "Cut off", "The answer ended before it was complete. The partial answer is kept.";
        TurnEnd::TimedOut => "Stopped at a limit",
            "The turn reached its limit of tool rounds or time. Its work is kept; retry to continue.";
        TurnEnd::Error => "Failed", "The model could not be called. Retry.";
    }

    pub fn ending_short(end: TurnEnd) -> &'static str {
        TurnEnd::Completed => "done";
        TurnEnd::Cancelled => "stopped";
        TurnEnd::Interrupted => "interrupted";
        TurnEnd::CutOff => "cut off";
        TurnEnd::TimedOut => "stopped at a limit";
        TurnEnd::Error => "failed";
    }

    pub fn run_status(status: RunStatus) -> &'static str {
        RunStatus::Queued => "Queued";
        RunStatus::Running => "Working";
        RunStatus::Paused => "Needs you";
        RunStatus::Completed => "Finished";
        RunStatus::Failed => "Failed";
        RunStatus::Cancelled => "Stopped";
        RunStatus::TimedOut => "Timed out";
    }

    pub fn tool_status(status: ToolStatus) -> &'static str {
        ToolStatus::Requested => "requested";
        ToolStatus::AwaitingApproval => "needs approval";
        ToolStatus::Running => "running";
        ToolStatus::Succeeded => "done";
        ToolStatus::Failed => "failed";
        ToolStatus::Denied => "denied";
        ToolStatus::TimedOut => "timed out";
        ToolStatus::Cancelled => "stopped";
        ToolStatus::Interrupted => "interrupted";
    }
}

/// The status of an envelope. Edges name them, so each has its own word.
pub fn envelope_status(status: &str) -> &str {
    match status {
        "ok" => ending_short(TurnEnd::Completed),
        "failed" => tr("checks failed"),
        other => match json::from_tree(&Value::from(other)) {
            Ok(end) => ending_short(end),
            Err(_) => other,
        },
    }
}

pub fn verdict(accepted: bool, reasons: &str) -> String {
    const MAX_CHARS: usize = 400;
    let reasons = ellipsis(reasons, MAX_CHARS);
    if accepted { text!("accepted: {reasons}") } else { text!("not accepted: {reasons}") }
}

/// Shown when a preview of the changes is not possible.
pub const CHANGES_UNKNOWN: Text = Text("The changes cannot be previewed.");

pub fn retry_reason(failure: Option<&ProviderError>, provider: &str) -> String {
    match failure {
        Some(failure) => {
            let notice = failure_notice(failure, provider, "", "");
            text!("{}. {provider} reported: {}", notice.title, failure.message)
        }
        None => text!("{provider} asked to wait after an earlier call, so all agents that use it wait."),
    }
}

pub fn countdown(due: Millis, now: Millis, attempt: u32) -> String {
    let seconds = due.0.saturating_sub(now.0).div_ceil(1_000);
    let what = if attempt > 1 { tr("retries") } else { tr("sends") };
    if seconds == 0 { text!("{what} now") } else { text!("{what} in {seconds} s") }
}

pub fn used(used: &RunUsage) -> String {
    let calls = count(used.calls, "model call", "model calls");
    let spent = match (used.cost.0, used.unpriced) {
        (0, 0) => String::new(),
        (0, _) => text!(", at an unknown price"),
        (_, 0) => format!(", {}", money(used.cost)),
        (_, _) => text!(", {} and more at an unknown price", money(used.cost)),
    };
    text!("Used so far: {calls}, {} tokens{spent}.", tokens(used.tokens))
}

/// What to check if a provider cannot be reached from this page. Scripts cannot see the cause, so none is claimed.
pub fn reach_checks(provider: &Provider, page: &str) -> Vec<String> {
    let address = provider.base_url.trim();
    let origin = origin_of(address).unwrap_or_else(|| address.to_owned());
    let local = provider.is_local();
    let private = local || reach(&origin) != HostScope::Public;
    let mut checks = vec![text!("Is this device online? Open any other page to see.")];
    checks.push(if private {
        text!("Is the server running on the port of {origin}?")
    } else {
        text!("Is {origin} the host that the provider documents?")
    });
    if private {
        checks.push(text!(
            "Does the server allow calls from {page} (CORS)? Ollama: set OLLAMA_ORIGINS={page} and restart it. LM Studio: turn on “Enable CORS”. llama.cpp: --cors-origins. vLLM: --allowed-origins."
        ));
    } else {
        checks
            .push(text!("Does the provider allow calls from web pages? Some do only through another host."));
        checks.push(text!("Is an ad blocker, a company network or a VPN blocking the call?"));
    }
    if page.starts_with("https:") && address.starts_with("http:") && !local {
        checks.push(text!(
            "This page was loaded over https, and browsers block calls from such pages to http addresses. Give the server an https address, or serve Nexus from the machine itself."
        ));
    }
    if page.starts_with("https:") && private {
        checks.push(text!(
            "Did the browser ask whether this page may reach devices on the local network? Allow it in the site's settings. Safari does not call local http addresses from https pages at all."
        ));
    }
    if local && origin.contains("localhost") {
        checks.push(text!("Try 127.0.0.1 instead of localhost: they may be different servers."));
    }
    if address.contains('?') || address.contains('@') || address.contains("key=") {
        checks.push(text!("Does the base URL contain a key? Enter it in the API key field."));
    }
    checks
}

#[cfg(test)]
mod tests;

//! Short strings of cards: status of turns and tool runs, and why a run waits.

use crate::language::{count, text, tr, translate_template};
use crate::strings::format::{Notice, listed, notice};
use nexus_model::run::{PauseCause, RunStatus};
use nexus_model::tool::ToolStatus;
use nexus_model::turn::{TurnEnd, TurnPhase};
use nexus_text::shorten::ellipsis;

pub fn phase(phase: TurnPhase) -> &'static str {
    match phase {
        TurnPhase::Pending | TurnPhase::BuildingContext => tr("reading…"),
        TurnPhase::AwaitingLlmDecision => tr("thinking…"),
        TurnPhase::AwaitingToolResult => tr("using tools…"),
        TurnPhase::GeneratingResponse => tr("writing…"),
        TurnPhase::Completed => tr("done"),
        TurnPhase::Failed => tr("failed"),
    }
}

/// How a turn ended, for ends other than `Completed` without an error of their own.
pub fn ending(end: TurnEnd) -> Notice {
    match end {
        TurnEnd::Completed => Notice::new(tr("Done"), ""),
        TurnEnd::Cancelled => notice("Stopped", "You stopped this turn. The partial answer is kept."),
        TurnEnd::Interrupted => {
            notice("Interrupted", "The page was closed during this turn. The partial answer is kept.")
        }
        TurnEnd::CutOff => {
            notice("Cut off", "The answer ended before it was complete. The partial answer is kept.")
        }
        TurnEnd::TimedOut => notice(
            "Stopped at a limit",
            "The turn reached its limit of tool rounds or time. Its work is kept; retry to continue.",
        ),
        TurnEnd::Error => notice("Failed", "The model could not be called. Retry."),
    }
}

pub fn ending_short(end: TurnEnd) -> &'static str {
    match end {
        TurnEnd::Completed => tr("done"),
        TurnEnd::Cancelled => tr("stopped"),
        TurnEnd::Interrupted => tr("interrupted"),
        TurnEnd::CutOff => tr("cut off"),
        TurnEnd::TimedOut => tr("stopped at a limit"),
        TurnEnd::Error => tr("failed"),
    }
}

/// Announcement of a turn's end for screen readers: agent, outcome, and the start of the text.
pub fn announcement(agent: &str, end: TurnEnd, text: &str) -> String {
    const MAX_CHARS: usize = 240;
    let said = ellipsis(text, MAX_CHARS);
    match end {
        TurnEnd::Completed => text!("{agent} answered. {said}"),
        TurnEnd::Cancelled | TurnEnd::Interrupted | TurnEnd::CutOff | TurnEnd::TimedOut | TurnEnd::Error => {
            format!("{agent}: {}. {said}", ending_short(end))
        }
    }
}

pub fn not_asked(agents: &[String]) -> Notice {
    let title = match agents {
        [agent] => text!("{agent} was not called"),
        agents => text!("{} were not called", listed(agents)),
    };
    Notice::new(
        title,
        tr(
            "The run ended before their turn. Resume calls them, and any agent whose answer failed or was stopped.",
        ),
    )
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

pub fn run_status(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Queued => tr("Queued"),
        RunStatus::Running => tr("Working"),
        RunStatus::Paused => tr("Needs you"),
        RunStatus::Completed => tr("Finished"),
        RunStatus::Failed => tr("Failed"),
        RunStatus::Cancelled => tr("Stopped"),
        RunStatus::TimedOut => tr("Timed out"),
    }
}

pub fn tool_status(status: ToolStatus) -> &'static str {
    match status {
        ToolStatus::Requested => tr("requested"),
        ToolStatus::AwaitingApproval => tr("needs approval"),
        ToolStatus::Running => tr("running"),
        ToolStatus::Succeeded => tr("done"),
        ToolStatus::Failed => tr("failed"),
        ToolStatus::Denied => tr("denied"),
        ToolStatus::TimedOut => tr("timed out"),
        ToolStatus::Cancelled => tr("stopped"),
        ToolStatus::Interrupted => tr("interrupted"),
    }
}

/// Adds a full stop unless the text ends with a punctuation mark, possibly before a closing quote.
fn sentence(text: &str) -> String {
    let ends = text.trim_end_matches(['”', '“', '"', '’']).ends_with(['.', '!', '?', '…']);
    if ends { text.to_owned() } else { format!("{text}.") }
}

pub fn pause(cause: &PauseCause) -> Notice {
    let capped = |advice: String| Notice::new(tr("The run reached its limit"), advice);
    match cause {
        PauseCause::Interrupted => notice(
            "The run was interrupted",
            "The page was closed while the agents were working. Resume the run, or end it.",
        ),
        PauseCause::CallCap { calls } => capped(text!(
            "This run has made {}, its limit. Continue with as many again, or end it.",
            count(*calls, "model call", "model calls")
        )),
        PauseCause::TokenCap { tokens } => capped(text!(
            "This run has used {} tokens, its limit. Continue with as many again, or end it.",
            crate::strings::format::tokens(*tokens)
        )),
        PauseCause::CostCap { cost } => capped(text!(
            "This run has cost an estimated {}, its limit. Continue with as much again, or end it.",
            crate::strings::format::money(*cost)
        )),
        PauseCause::TurnCap { turns } => capped(text!(
            "This run has had {}, its limit. Continue with as many again, or end it.",
            count(*turns, "turn", "turns")
        )),
        PauseCause::ToolCap { tool_calls } => capped(text!(
            "This run has made {}, its limit. Continue with as many again, or end it.",
            count(*tool_calls, "tool call", "tool calls")
        )),
        PauseCause::TimeCap { minutes } => capped(text!(
            "The agents have worked for {}, the run’s limit. Continue for as long again, or end it.",
            count(*minutes, "minute", "minutes")
        )),
        PauseCause::Choice => notice("All answers are in", "Use one of the answers, or end the comparison."),
        PauseCause::Loop { evidence } => Notice::new(
            tr("The agents seem to be stuck in a loop"),
            text!(
                "{} Tell them what to do differently, resume anyway, or end it.",
                sentence(&translate_template(evidence))
            ),
        ),
        PauseCause::NodeLimit { node, evidence } => Notice::new(
            text!("{node} reached its limit"),
            text!("{evidence} Resume to allow as much again, or end the run."),
        ),
        PauseCause::NodeFailed { node, evidence } => {
            Notice::new(text!("{node} failed"), text!("{evidence} Resume to try it again, or end the run."))
        }
        PauseCause::NoRoute { node, evidence } => Notice::new(
            text!("The result of {node} leads nowhere"),
            text!("{evidence} Resume to ask for it, or end the run."),
        ),
        PauseCause::Question { node, text } => Notice::new(text!("{node} has a question"), text.clone()),
        PauseCause::NotDone { evidence } => Notice::new(
            tr("The run is not done"),
            text!("{evidence} Start a node, resume to begin again, or end the run."),
        ),
        PauseCause::YourTurn { nodes } => {
            let nodes: Vec<String> = nodes.iter().map(ToString::to_string).collect();
            Notice::new(
                tr("You start the next turn"),
                text!(
                    "Work waits for {}. Resume to start there, start another node, or switch to Auto.",
                    listed(&nodes)
                ),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_states_its_figures() {
        assert!(pause(&PauseCause::CallCap { calls: 60 }).advice.contains("60 model calls"));
        assert!(pause(&PauseCause::TokenCap { tokens: 1_000_000 }).advice.contains("1,000,000 tokens"));
        assert!(
            pause(&PauseCause::Loop { evidence: "read_file a 3 times".into() })
                .advice
                .starts_with("read_file a 3 times. Tell")
        );
        let quoted = PauseCause::Loop { evidence: "Engineer said “It works.”".into() };
        assert!(pause(&quoted).advice.starts_with("Engineer said “It works.” Tell"));
    }

    #[test]
    fn the_title_shows_running_and_finished_runs() {
        assert_eq!(title(RunStatus::Running, false), Some("● working"));
        assert_eq!(title(RunStatus::Paused, false), Some("Needs you"));
        assert_eq!(title(RunStatus::Completed, false), None);
        assert_eq!(title(RunStatus::Completed, true), Some("Finished"));
        assert_eq!(title(RunStatus::Failed, true), Some("Failed"));
    }

    #[test]
    fn an_announcement_is_short_and_states_the_outcome() {
        let long = "word ".repeat(200);
        let text = announcement("Critic", TurnEnd::Completed, &long);
        assert!(text.starts_with("Critic answered. word") && text.ends_with('…') && text.len() < 300);
        assert_eq!(announcement("Critic", TurnEnd::CutOff, "half"), "Critic: cut off. half");
    }

    #[test]
    fn names_are_joined_as_a_list() {
        let all = ["Architect", "Engineer", "Critic"].map(str::to_owned);
        assert_eq!(listed(&all), "Architect, Engineer and Critic");
        assert_eq!(not_asked(&all[2..]).title, "Critic was not called");
    }

    #[test]
    fn different_outcomes_have_different_texts() {
        assert_ne!(tool_status(ToolStatus::Denied), tool_status(ToolStatus::Failed));
        assert_ne!(ending(TurnEnd::Cancelled).title, ending(TurnEnd::CutOff).title);
        assert_ne!(ending_short(TurnEnd::Interrupted), ending_short(TurnEnd::CutOff));
    }
}

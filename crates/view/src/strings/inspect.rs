//! Strings of the inspector. Estimates are marked as such.

use crate::language::{self, Format};
use crate::strings::format::quoted;
use crate::strings::prelude::*;
use crate::strings::status::ending_short;
use nexus_engine::queries::inspect::{
    AttemptEnd, AttemptReport, CallReport, ContextBlock, ContextBlockKind, RequestMatch,
};
use nexus_model::llm::FinishReason;
use nexus_model::provider::vision::{OmissionReason, OmittedImage};

pub const TITLE: Text = Text("Inspector");
pub const NOT_HERE: Text = Text("This turn is not on this device.");
pub const NO_TURN: Text =
    Text("No turn is selected. Open one with “Inspect” below an answer, or from the event log.");
pub const NO_CALLS: Text = Text("The model was not called.");
pub const ASIDE_GONE: Text = Text("The request and response are no longer stored, or were never sent.");
pub const ASIDE_CONTEXT: Text =
    Text("Called outside the conversation: the request below is stored as it was sent.");
pub const RUN: Text = Text("Run in the event log");
pub const CONTEXT: Text = Text("Context breakdown");
pub const CONTEXT_GONE: Text = Text("A part of this context is no longer on this device.");
pub const ESTIMATED: Text =
    Text("Token counts are estimates made before the call; providers count differently.");
pub const LEFT_OUT: Text = Text("Left out");
pub const REQUEST: Text = Text("Request");
pub const REQUEST_GONE: Text =
    Text("The request cannot be rebuilt: its provider or a part of its context is no longer on this device.");
pub const RESPONSE: Text = Text("Raw response");
pub const RESPONSE_CUT: Text = Text("Only the beginning is stored: it was longer than 2 MB.");
pub const COPY_CURL: Text = Text("Copy as curl");
pub const COPY_BODY: Text = Text("Copy body");
pub const COPY_RESPONSE: Text = Text("Copy response");
pub const FIRST_WORD: Text = Text("First token");
pub const TOOK: Text = Text("Duration");
pub const COST: Text = Text("Cost (estimated)");
pub const ENDED: Text = Text("Ended");

pub fn block(block: &ContextBlock) -> String {
    match &block.kind {
        ContextBlockKind::System => text!("System prompt"),
        ContextBlockKind::Tools => text!("Tool definitions"),
        ContextBlockKind::Turn(agent) => text!("Earlier turn of {agent}"),
        ContextBlockKind::Summary => text!("Summary of older turns"),
        ContextBlockKind::Mind => text!("Shared state"),
        ContextBlockKind::Memories(number) => count(*number, "memory", "memories"),
        ContextBlockKind::Query => text!("Time and message"),
        ContextBlockKind::OwnText => text!("Earlier output of this turn"),
        ContextBlockKind::Results => text!("Tool results"),
        ContextBlockKind::TruncatedResult(tool) => text!("Full result of {}", reveal(tool)),
        ContextBlockKind::Pictures(number) => count(*number, "attachment", "attachments"),
    }
}

texts! {
    pub fn left_out(call: &CallReport) =
        "{} did not fit: a request to this model may hold {} tokens with the current settings, and the newest turns come first.", count(call.omitted_turn_count, "older turn", "older turns"), tokens(call.room);
    pub fn truncated_results(call: &CallReport) =
        "{} shortened to beginning and end, because the newest turns and this one fill the context window. They are complete here; the figures are what the request leaves out.", count(call.truncated.len(), "tool result", "tool results");

    /// Result of comparing a rebuilt request with what was sent.
    pub fn request_match(agrees: RequestMatch) -> &'static str {
        RequestMatch::Yes => "Byte for byte what was sent";
        RequestMatch::No => "Not what was sent: a part of it has changed since, such as a name or a URL";
        RequestMatch::Unknown => "Rebuilt from the records; the sent request was not stored";
    }

    /// A duration, precise for short ones: `340 ms`, `1.24 s`, `2:05`.
    pub fn span(ms: u64) -> String {
        0..1_000 => "{ms} ms";
        1_000..60_000 => "{} s", hundredths(ms / 10);
        _ => { elapsed(ms) };
    }
}

pub fn omitted_image(picture: &OmittedImage) -> String {
    let why = match picture.reason {
        OmissionReason::Unsupported => {
            tr("the model, or its API format, does not take such files. The model got its name instead")
        }
        OmissionReason::SizeLimit => tr(
            "the attachments of newer messages took all the space. The model got its name and size instead",
        ),
    };
    format!("{}: {why}.", quoted(&reveal(&picture.name)))
}

pub fn no_response(one: &AttemptReport, days: u64) -> String {
    match (&one.end, days) {
        (AttemptEnd::Open, _) => text!("In progress."),
        (_, 0) => text!("Raw responses are not kept, as set in Settings."),
        (_, days) => {
            text!(
                "Not stored: it is older than {}, was never sent, or comes from an older version of Nexus.",
                count(days, "day", "days")
            )
        }
    }
}

pub fn ended(one: &AttemptReport) -> String {
    match &one.end {
        AttemptEnd::Open => text!("in progress"),
        AttemptEnd::Answered => text!("answered"),
        AttemptEnd::Failed(failure) => {
            let status = failure.status.map(|status| format!(" {status}")).unwrap_or_default();
            text!("failed{status}")
        }
        AttemptEnd::Closed(TurnEnd::Completed) => text!("done"),
        AttemptEnd::Closed(end) => ending_short(*end).to_owned(),
    }
}

pub fn attempt(one: &AttemptReport) -> String {
    match one.waited_ms {
        0 => text!("Attempt {}", one.attempt),
        waited => text!("Attempt {}, after a wait of {}", one.attempt, span(waited)),
    }
}

fn hundredths(number: u64) -> String {
    let shown = language::format(Format::Number(number as f64 / 100.0, 2));
    shown.unwrap_or_else(|| format!("{}.{:02}", number / 100, number % 100))
}

pub fn speed(per_second: f64) -> String {
    let shown = language::format(Format::Number(per_second, 1));
    text!("{} tokens/s", shown.unwrap_or_else(|| format!("{per_second:.1}")))
}

pub fn tokens_in(usage: &Usage) -> Option<String> {
    let cached = usage.cached.filter(|cached| *cached > 0);
    let cached = cached.map(|cached| text!(", {} cached", tokens(cached))).unwrap_or_default();
    usage.input.map(|input| format!("{}{cached}", tokens(input)))
}

pub fn tokens_out(usage: &Usage) -> Option<String> {
    let thought = usage.reasoning.filter(|thought| *thought > 0);
    let thought = thought.map(|thought| text!(", {} reasoning", tokens(thought))).unwrap_or_default();
    usage.output.map(|output| format!("{}{thought}", tokens(output)))
}

pub fn finish(finish: FinishReason, raw: Option<&str>) -> String {
    let text = match finish {
        FinishReason::Stop => tr("completed"),
        FinishReason::ToolCalls => tr("tool calls"),
        FinishReason::Length => tr("token limit"),
        FinishReason::ContentFilter => tr("filtered"),
        FinishReason::Error => tr("error"),
        FinishReason::Incomplete => tr("incomplete"),
    };
    raw.map_or_else(|| text.to_owned(), |raw| format!("{text} ({raw})"))
}

#[cfg(test)]
mod tests;

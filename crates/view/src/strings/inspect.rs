//! Strings of the inspector. Estimates are marked as such.

use crate::strings::format::{count, elapsed, tokens};
use crate::strings::status::ending_short;
use nexus_engine::queries::inspect::{
    AttemptEnd, AttemptReport, CallReport, ContextBlock, ContextBlockKind, RequestMatch,
};
use nexus_model::limits::CONTEXT_TURNS;
use nexus_model::llm::{FinishReason, Usage};
use nexus_model::provider::vision::{OmissionReason, OmittedImage};
use nexus_model::turn::TurnEnd;
use nexus_text::invisible::reveal;

pub const TITLE: &str = "Inspector";
pub const BACK: &str = "War room";
pub const NOT_HERE: &str = "This turn is not on this device.";
pub const NO_TURN: &str = "No turn is selected. Open one with ⌕ at an answer, or from the event log.";
pub const UNREADABLE: &str = "The storage on this device cannot be read.";
pub const NO_CALLS: &str = "The model was not called.";
pub const ASIDE_GONE: &str = "The request and response are no longer stored, or were never sent.";
pub const ASIDE_CONTEXT: &str =
    "Called outside the conversation: the request below is stored as it was sent.";
pub const RUN: &str = "Run in the event log";
pub const CONTEXT: &str = "Context breakdown";
pub const CONTEXT_GONE: &str = "A part of this context is no longer on this device.";
pub const ESTIMATED: &str = "Token counts are estimates made before the call; providers count differently.";
pub const LEFT_OUT: &str = "Left out";
pub const REQUEST: &str = "Request";
pub const REQUEST_GONE: &str =
    "The request cannot be rebuilt: its provider or a part of its context is no longer on this device.";
pub const RESPONSE: &str = "Raw response";
pub const RESPONSE_CUT: &str = "Only the beginning is stored: it was longer than 2 MB.";
pub const COPY_CURL: &str = "Copy as curl";
pub const COPY_BODY: &str = "Copy body";
pub const COPY_RESPONSE: &str = "Copy response";
pub const FIRST_WORD: &str = "First token";
pub const TOOK: &str = "Duration";
pub const SPEED: &str = "Speed";
pub const TOKENS_IN: &str = "Input";
pub const TOKENS_OUT: &str = "Output";
pub const COST: &str = "Cost (estimated)";
pub const ENDED: &str = "Ended";
pub const UNKNOWN: &str = "unknown";

/// A part of a context.
pub fn block(block: &ContextBlock) -> String {
    match &block.kind {
        ContextBlockKind::System => "System prompt".to_owned(),
        ContextBlockKind::Tools => "Tool definitions".to_owned(),
        ContextBlockKind::Turn(agent) => format!("Earlier turn of {agent}"),
        ContextBlockKind::Summary => "Summary of older turns".to_owned(),
        ContextBlockKind::Mind => "Shared state".to_owned(),
        ContextBlockKind::Memories(number) => count(*number, "memory", "memories"),
        ContextBlockKind::Query => "Time and message".to_owned(),
        ContextBlockKind::Said => "Earlier output of this turn".to_owned(),
        ContextBlockKind::Results => "Tool results".to_owned(),
        ContextBlockKind::Whole(tool) => format!("Full result of {}", reveal(tool)),
        ContextBlockKind::Pictures(number) => count(*number, "attachment", "attachments"),
    }
}

/// How many turns were left out, and why.
pub fn left_out(call: &CallReport) -> String {
    format!(
        "{} did not fit: a request to this model may hold {} tokens and {} with the current settings, and the newest turns come first.",
        count(call.left_out_count, "older turn", "older turns"),
        tokens(call.room),
        count(CONTEXT_TURNS, "turn", "turns")
    )
}

/// How many results were given in short, and why.
pub fn in_short(call: &CallReport) -> String {
    format!(
        "{} shortened to beginning and end, because the newest turns and this one fill the context window. They are complete here; the figures are what the request leaves out.",
        count(call.in_short.len(), "tool result", "tool results")
    )
}

/// A picture that was left out, and why.
pub fn picture_left_out(picture: &OmittedImage) -> String {
    let why = match picture.why {
        OmissionReason::Blind => {
            "the model, or its API format, does not take such files. The model got its name instead"
        }
        OmissionReason::Room => {
            "the attachments of newer messages took all the space. The model got its name and size instead"
        }
    };
    format!("“{}”: {why}.", reveal(&picture.name))
}

/// What holds of a request that was built again.
pub fn agrees(agrees: RequestMatch) -> &'static str {
    match agrees {
        RequestMatch::Yes => "Byte for byte what was sent",
        RequestMatch::No => "Not what was sent: a part of it has changed since, such as a name or a URL",
        RequestMatch::Unknown => "Rebuilt from the records; the sent request was not stored",
    }
}

/// Why there is no response.
pub fn no_response(one: &AttemptReport, days: u64) -> String {
    match (&one.end, days) {
        (AttemptEnd::Open, _) => "In progress.".to_owned(),
        (_, 0) => "Raw responses are not kept, as set in Settings.".to_owned(),
        (_, days) => {
            format!(
                "Not stored: it is older than {}, was never sent, or comes from an older version of Nexus.",
                count(usize::try_from(days).unwrap_or(usize::MAX), "day", "days")
            )
        }
    }
}

pub fn ended(one: &AttemptReport) -> String {
    match &one.end {
        AttemptEnd::Open => "in progress".to_owned(),
        AttemptEnd::Answered => "answered".to_owned(),
        AttemptEnd::Failed(failure) => {
            let status = failure.status.map(|status| format!(" {status}")).unwrap_or_default();
            format!("failed{status}")
        }
        AttemptEnd::Closed(TurnEnd::Completed) => "done".to_owned(),
        AttemptEnd::Closed(end) => ending_short(*end).to_owned(),
    }
}

/// The heading of an attempt.
pub fn attempt(one: &AttemptReport) -> String {
    match one.waited_ms {
        0 => format!("Attempt {}", one.attempt),
        waited => format!("Attempt {}, after a wait of {}", one.attempt, span(waited)),
    }
}

/// A span of time, exactly enough for short ones: `340 ms`, `1.24 s`, `2:05`.
pub fn span(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{:02} s", ms / 1_000, ms / 10 % 100),
        _ => elapsed(ms),
    }
}

/// How fast tokens came.
pub fn speed(per_second: f64) -> String {
    format!("{per_second:.1} tokens/s")
}

/// The tokens of a request, as the provider counted them.
pub fn tokens_in(usage: &Usage) -> Option<String> {
    let cached = usage.cached.filter(|cached| *cached > 0);
    let cached = cached.map(|cached| format!(", {} cached", tokens(cached))).unwrap_or_default();
    usage.input.map(|input| format!("{}{cached}", tokens(input)))
}

/// The tokens of an answer, as the provider counted them.
pub fn tokens_out(usage: &Usage) -> Option<String> {
    let thought = usage.reasoning.filter(|thought| *thought > 0);
    let thought = thought.map(|thought| format!(", {} reasoning", tokens(thought))).unwrap_or_default();
    usage.output.map(|output| format!("{}{thought}", tokens(output)))
}

/// How an answer ended, with the provider's own word.
pub fn finish(finish: FinishReason, raw: Option<&str>) -> String {
    let words = match finish {
        FinishReason::Stop => "completed",
        FinishReason::ToolCalls => "tool calls",
        FinishReason::Length => "token limit",
        FinishReason::ContentFilter => "filtered",
        FinishReason::Error => "error",
        FinishReason::Incomplete => "incomplete",
    };
    raw.map_or_else(|| words.to_owned(), |raw| format!("{words} ({raw})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_spans_are_told_exactly() {
        assert_eq!(
            [0, 340, 1_240, 59_999, 125_000].map(span),
            ["0 ms", "340 ms", "1.24 s", "59.99 s", "2:05"]
        );
    }

    #[test]
    fn counts_tell_what_was_cached_and_thought() {
        let usage = Usage { input: Some(2_104), cached: Some(2_000), output: Some(77), ..Usage::default() };
        assert_eq!(tokens_in(&usage).as_deref(), Some("2,104, 2,000 cached"));
        assert_eq!(tokens_out(&usage).as_deref(), Some("77"));
        assert_eq!(tokens_in(&Usage::default()), None);
    }
}

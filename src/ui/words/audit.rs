//! Never names who did it: a list shows the agent beside these words.
//!
//! Owns the words of the audit: what happened, for every event, and the screen's own.

use crate::domain::event::{Happening, SessionChange};
use crate::domain::id::Millis;
use crate::domain::part::calls_of;
use crate::domain::run::NodeStatus;
use crate::ui::local_time::LocalTime;
use crate::ui::words::{activity, archivist, count, joining, run_status, size, tokens, triggers};

pub(crate) const TITLE: &str = "Audit";
pub(crate) const ABOUT: &str = "Everything that happened on this device, as the ledger has it.";
pub(crate) const BACK: &str = "War room";
pub(crate) const FILTERS: &str = "Filter";
pub(crate) const AGENT: &str = "Agent";
pub(crate) const KIND: &str = "Kind";
pub(crate) const TOPIC: &str = "Topic";
pub(crate) const STREAM: &str = "Session";
pub(crate) const RUN: &str = "Run";
pub(crate) const TEXT: &str = "Text";
pub(crate) const TEXT_EXAMPLE: &str = "in the event’s JSON";
pub(crate) const ALL: &str = "All";
pub(crate) const APP: &str = "Nexus itself";
pub(crate) const OLDEST: &str = "Oldest first";
pub(crate) const CLEAR: &str = "Clear";
pub(crate) const EXPORT: &str = "Export JSONL";
pub(crate) const EXPORT_ABOUT: &str = "The events that are listed, one JSON object a line";
pub(crate) const STOP: &str = "Stop";
pub(crate) const EXPORT_FAILED: &str = "The file could not be made.";
pub(crate) const EVENTS: &str = "Events";
pub(crate) const NOTHING: &str = "No event matches.";
pub(crate) const OPENED: &str = "Event";
pub(crate) const CHAIN: &str = "Whole run";
pub(crate) const CHAIN_ABOUT: &str = "Everything that this run did, from its beginning";
pub(crate) const INSPECT: &str = "Inspect turn";
pub(crate) const COPY: &str = "Copy JSON";
pub(crate) const COPIED: &str = "Copied";
pub(crate) const NOT_COPIED: &str = "Not copied";
pub(crate) const CLOSE: &str = "Close";
pub(crate) const GONE: &str = "This event is not on this device.";
pub(crate) const UNKNOWN: &str = "of a newer program";
pub(crate) const READING: &str = "…";
pub(crate) const IN_AUDIT: &str = "Show in the audit";

/// How many events are listed of how many, and what is still going on.
pub(crate) fn told(listed: usize, known: usize, left: u64, searched: Option<usize>) -> String {
    let number = |number: usize| tokens(u64::try_from(number).unwrap_or(u64::MAX));
    let events = if known == 1 { "event" } else { "events" };
    let base = if listed == known {
        format!("{} {events}", number(known))
    } else {
        format!("{} of {} {events}", number(listed), number(known))
    };
    match (left, searched) {
        (0, None) => base,
        (0, Some(untested)) => format!("{base} · searching, {} to go", number(untested)),
        (left, _) => format!("{base} · reading, {} to go", tokens(left)),
    }
}

/// The day and the time of the operator's own clock: `11-21 14:02:07.123`.
pub(crate) fn time(at: Millis, local: LocalTime) -> String {
    let behind = i64::from(local.minutes_behind_utc).saturating_mul(60_000);
    let own =
        u64::try_from(i64::try_from(at.0).unwrap_or(i64::MAX).saturating_sub(behind)).unwrap_or_default();
    let written = Millis(own).rfc3339();
    let inner = written.get(5..).unwrap_or_default().trim_end_matches('Z');
    format!("{}.{:03}", inner.replace('T', " "), at.0 % 1_000)
}

/// How far an export has come.
pub(crate) fn exported(done: usize, all: usize) -> String {
    let percent = done.saturating_mul(100).checked_div(all).unwrap_or(100);
    format!("{percent} %")
}

/// A text was too long to be shown whole.
pub(crate) fn shortened(bytes: usize) -> String {
    format!("Only the beginning is shown; all of it is {}. Copying takes all.", size(bytes))
}

/// What happened, whatever it is.
pub(crate) fn happened(happening: &Happening) -> String {
    if let Some(words) = activity(happening) {
        return words;
    }
    match happening {
        Happening::MessageCommitted { message } => {
            let text = crate::domain::part::text_of(&message.parts);
            first_line(&text).unwrap_or_else(|| "a message".to_owned())
        }
        Happening::ContentsKept { contents } => {
            format!("kept {}", count(contents.len(), "content", "contents"))
        }
        Happening::QueueEdited { .. } => "a waiting message changed".to_owned(),
        Happening::RunOpened { run } => format!("a run of {}", count(run.nodes.len(), "agent", "agents")),
        Happening::RunEnded { status } => format!("run: {}", run_status(*status).to_lowercase()),
        Happening::NodeChanged { node, status, .. } => format!("{node}: {}", node_status(*status)),
        Happening::ContextRequested { call } => format!("context for call {}", call.saturating_add(1)),
        Happening::ContextBuilt { recipe, .. } => {
            let left_out = recipe.left_out.len();
            let left_out = match left_out {
                0 => String::new(),
                some => format!(", {} left out", count(some, "turn", "turns")),
            };
            format!("≈ {} tokens{left_out}", tokens(recipe.tokens))
        }
        Happening::ModelRequested { call, attempt } => {
            format!("call {}, attempt {attempt}", call.saturating_add(1))
        }
        Happening::ResponseBegan { .. } => "began to write".to_owned(),
        Happening::ModelAnswered { parts, usage, .. } => match calls_of(parts).count() {
            0 => format!("answered, {} tokens", tokens(usage.total())),
            calls => format!("asked for {}, {} tokens", count(calls, "tool", "tools"), tokens(usage.total())),
        },
        Happening::ModelFailed { failure, .. } => {
            first_line(&failure.message).unwrap_or_else(|| format!("{:?}", failure.category))
        }
        Happening::ToolRequested { run } => format!("asked for {}", run.call.name),
        Happening::ToolStarted { .. } => "a tool began".to_owned(),
        Happening::HeadMoved { by_hand: Some(_), .. } => "moved to another turn by hand".to_owned(),
        Happening::SessionPurged { session } => format!("{session} was forgotten"),
        Happening::HeadMoved { by_hand: None, .. } => "the session points to another turn".to_owned(),
        Happening::SessionChanged { change } => match change {
            SessionChange::Created(created) => format!("session {} made", created.session.label),
            SessionChange::Labelled(label) => format!("session named {label}"),
            SessionChange::Status(status) => format!("session {status:?}").to_lowercase(),
            SessionChange::Titled(Some(title)) => format!("session about {title}"),
            SessionChange::Titled(None) => "session without a title".to_owned(),
            SessionChange::Deleted => "session deleted".to_owned(),
            SessionChange::Restored => "session restored".to_owned(),
            SessionChange::Flags(agent, _) => format!("marks of {agent}"),
            SessionChange::Pinned(pin) => format!("message {} pinned", pin.message),
            SessionChange::Unpinned(message) => format!("pin of message {message} taken off"),
        },
        Happening::AgentChanged { agent } => format!("{} changed", agent.identity.name),
        Happening::AgentRemoved { agent } => format!("{agent} left"),
        Happening::ProviderChanged { provider } => format!("{} changed", provider.label),
        Happening::ProviderRemoved { provider } => format!("{provider} removed"),
        Happening::TriggerChanged { .. }
        | Happening::TriggerRemoved { .. }
        | Happening::TriggerFired(_)
        | Happening::TriggerEnded(_) => triggers::happened(happening),
        Happening::SettingChanged { name, .. } => format!("setting {name}"),
        Happening::CommandRefused { command, reason } => format!("{command}: {reason}"),
        Happening::Notice { text } | Happening::CriticalError { text } => {
            first_line(text).unwrap_or_default()
        }
        Happening::SyncOpened { model, .. } => format!("the Core asks {model}"),
        Happening::JoinAsked(asked) => joining::asked(asked),
        Happening::JoinProposed(_) => String::new(),
        Happening::CompactionRequested(_)
        | Happening::CompactionOpened(_)
        | Happening::CompactionMade(_)
        | Happening::CompactionFailed(_)
        | Happening::ChoreOpened(_)
        | Happening::ChoreFailed(_)
        | Happening::SummaryMade(_)
        | Happening::MemoryNoted(_)
        | Happening::MemoriesChecked(_)
        | Happening::MemoryChanged(_) => archivist::happened(happening),
        Happening::MessageQueued { .. } => "a report waits".to_owned(),
        // These are told above.
        Happening::WorkerSent { .. }
        | Happening::WorkerEnded { .. }
        | Happening::RunPaused { .. }
        | Happening::RunResumed { .. }
        | Happening::RoundEnded { .. }
        | Happening::TurnOpened { .. }
        | Happening::RetryScheduled { .. }
        | Happening::ApprovalAsked { .. }
        | Happening::ApprovalGiven { .. }
        | Happening::ToolEnded { .. }
        | Happening::TurnClosed { .. }
        | Happening::MindEdited { .. }
        | Happening::MindSynced { .. }
        | Happening::SyncRequested { .. }
        | Happening::SyncFailed { .. }
        | Happening::ChangesReviewed { .. } => String::new(),
    }
}

fn first_line(text: &str) -> Option<String> {
    const MOST: usize = 160;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    let cut: String = line.chars().take(MOST).collect();
    Some(if cut.len() < line.len() { format!("{cut}…") } else { cut })
}

fn node_status(status: NodeStatus) -> &'static str {
    match status {
        NodeStatus::Idle => "idle",
        NodeStatus::Ready => "ready",
        NodeStatus::Running => "running",
        NodeStatus::Blocked => "blocked",
        NodeStatus::Done => "done",
        NodeStatus::Error => "error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_says_what_is_listed_and_what_is_still_read() {
        assert_eq!(told(1, 1, 0, None), "1 event");
        assert_eq!(told(12, 100_000, 0, None), "12 of 100,000 events");
        assert_eq!(told(500, 500, 99_500, None), "500 events · reading, 99,500 to go");
        assert_eq!(told(3, 500, 0, Some(1_200)), "3 of 500 events · searching, 1,200 to go");
        let noon = time(Millis(1_700_000_000_123), LocalTime { minutes_behind_utc: -60 });
        assert_eq!(noon, "11-14 23:13:20.123");
        assert_eq!(exported(1, 3), "33 %");
        assert_eq!(exported(0, 0), "100 %");
    }

    #[test]
    fn an_event_is_told_in_one_short_line() {
        let notice = Happening::Notice { text: format!("\n  {}\nmore", "x".repeat(300)) };
        let told = happened(&notice);
        assert!(told.chars().count() == 161 && told.ends_with('…') && !told.contains("more"), "{told}");
        assert_eq!(happened(&Happening::ModelRequested { call: 0, attempt: 2 }), "call 1, attempt 2");
    }
}

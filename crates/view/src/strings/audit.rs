//! Strings of the audit: a sentence for every event kind, without the actor's name, and the screen's own.

use crate::local_time::LocalTime;
use crate::strings::activity::activity;
use crate::strings::errors;
use crate::strings::format::{count, size, tokens};
use crate::strings::graph;
use crate::strings::job_budget;
use crate::strings::maintenance;
use crate::strings::settings::triggers;
use crate::strings::status::run_status;
use nexus_model::event::{EventKind, SessionChange};
use nexus_model::id::Millis;
use nexus_model::message::content::calls_of;
use nexus_model::run::NodeStatus;
use nexus_text::shorten::ellipsis;

pub const TITLE: &str = "Event log";
pub const ABOUT: &str = "Every event on this device.";
pub const BACK: &str = "War room";
pub const FILTERS: &str = "Filter";
pub const AGENT: &str = "Agent";
pub const KIND: &str = "Kind";
pub const TOPIC: &str = "Topic";
pub const STREAM: &str = "Session";
pub const RUN: &str = "Run";
pub const TEXT: &str = "Text";
pub const TEXT_EXAMPLE: &str = "In the event’s JSON";
pub const ALL: &str = "All";
pub const APP: &str = "Nexus itself";
pub const OLDEST: &str = "Oldest first";
pub const CLEAR: &str = "Clear";
pub const EXPORT: &str = "Export JSONL";
pub const EXPORT_ABOUT: &str = "The listed events, one JSON object per line";
pub const STOP: &str = "Stop";
pub const EXPORT_FAILED: &str = "The file could not be created.";
pub const EVENTS: &str = "Events";
pub const NOTHING: &str = "No events match.";
pub const OPENED: &str = "Event";
pub const CHAIN: &str = "Whole run";
pub const CHAIN_ABOUT: &str = "All events of this run, from the start";
pub const INSPECT: &str = "Inspect turn";
pub const COPY: &str = "Copy JSON";
pub const COPIED: &str = "Copied";
pub const NOT_COPIED: &str = "Not copied";
pub const CLOSE: &str = "Close";
pub const GONE: &str = "This event is not on this device.";
pub const UNKNOWN: &str = "from a newer version";
pub const READING: &str = "…";
pub const IN_AUDIT: &str = "Show in the event log";

/// How many events are listed of how many, and what is still going on.
pub fn told(listed: usize, known: usize, left: u64, searched: Option<usize>) -> String {
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
pub fn time(at: Millis, local: LocalTime) -> String {
    let behind = i64::from(local.minutes_behind_utc).saturating_mul(60_000);
    let own =
        u64::try_from(i64::try_from(at.0).unwrap_or(i64::MAX).saturating_sub(behind)).unwrap_or_default();
    let written = Millis(own).rfc3339();
    let inner = written.get(5..).unwrap_or_default().trim_end_matches('Z');
    format!("{}.{:03}", inner.replace('T', " "), at.0 % 1_000)
}

/// How far an export has come.
pub fn exported(done: usize, all: usize) -> String {
    let percent = done.saturating_mul(100).checked_div(all).unwrap_or(100);
    format!("{percent} %")
}

/// A text was too long to be shown whole.
pub fn shortened(bytes: usize) -> String {
    format!("Only the beginning of {} is shown. Copy takes everything.", size(bytes))
}

/// What happened, whatever it is.
pub fn happened(happening: &EventKind) -> String {
    if let Some(words) = activity(happening) {
        return words;
    }
    match happening {
        EventKind::MessageCommitted { message } => {
            let text = nexus_model::message::content::text_of(&message.parts);
            first_line(&text).unwrap_or_else(|| "a message".to_owned())
        }
        EventKind::ContentsKept { contents } => {
            format!("stored {}", count(contents.len(), "content", "contents"))
        }
        EventKind::QueueEdited { .. } => "a queued message changed".to_owned(),
        EventKind::RunOpened { run } => format!("a run of {}", count(run.nodes.len(), "agent", "agents")),
        EventKind::RunEnded { status } => format!("run: {}", run_status(*status).to_lowercase()),
        EventKind::NodeChanged { node, status, .. } => format!("{node}: {}", node_status(*status)),
        EventKind::GraphChanged { change } => graph::changed(change),
        EventKind::ChecksRequested { node, check } => format!("{node}: checks, time {check}"),
        EventKind::ContextRequested { call } => format!("context for call {}", call.saturating_add(1)),
        EventKind::ContextBuilt { recipe, .. } => {
            let left_out = recipe.left_out.len();
            let left_out = match left_out {
                0 => String::new(),
                some => format!(", {} left out", count(some, "turn", "turns")),
            };
            format!("≈ {} tokens{left_out}", tokens(recipe.tokens))
        }
        EventKind::ModelRequested { call, attempt } => {
            format!("call {}, attempt {attempt}", call.saturating_add(1))
        }
        EventKind::ResponseBegan { .. } => "started to write".to_owned(),
        EventKind::ModelAnswered { parts, usage, .. } => match calls_of(parts).count() {
            0 => format!("answered, {} tokens", tokens(usage.total())),
            calls => format!("asked for {}, {} tokens", count(calls, "tool", "tools"), tokens(usage.total())),
        },
        EventKind::ModelFailed { failure, .. } => {
            first_line(&failure.message).unwrap_or_else(|| format!("{:?}", failure.category))
        }
        EventKind::ToolRequested { run } => format!("asked for {}", run.call.name),
        EventKind::ToolStarted { .. } => "a tool started".to_owned(),
        EventKind::HeadMoved { by_hand: Some(_), .. } => "moved to another turn by hand".to_owned(),
        EventKind::SessionPurged { session } => format!("{session} was deleted permanently"),
        EventKind::HeadMoved { by_hand: None, .. } => "the session points to another turn".to_owned(),
        EventKind::SessionChanged { change } => match change {
            SessionChange::Created(created) => format!("session {} created", created.session.label),
            SessionChange::Labelled(label) => format!("session named {label}"),
            SessionChange::Status(status) => format!("session {status:?}").to_lowercase(),
            SessionChange::Titled(Some(title)) => format!("session titled {title}"),
            SessionChange::SessionPinned(true) => "session pinned".to_owned(),
            SessionChange::SessionPinned(false) => "session unpinned".to_owned(),
            SessionChange::Titled(None) => "session without a title".to_owned(),
            SessionChange::Deleted => "session deleted".to_owned(),
            SessionChange::Restored => "session restored".to_owned(),
            SessionChange::Owned(Some(agent)) => format!("session given to {agent}"),
            SessionChange::Owned(None) => "session given to no agent".to_owned(),
            SessionChange::MessageDeleted(message) => format!("message {message} deleted"),
            SessionChange::Stopped => "session stopped".to_owned(),
            SessionChange::Flags(agent, _) => format!("flags of {agent}"),
            SessionChange::Pinned(pin) => format!("message {} pinned", pin.message),
            SessionChange::Unpinned(message) => format!("message {message} unpinned"),
        },
        EventKind::AgentChanged { agent } => format!("{} changed", agent.identity.name),
        EventKind::AgentRemoved { agent } => format!("{agent} removed"),
        EventKind::ProviderChanged { provider } => format!("{} changed", provider.label),
        EventKind::ProviderRemoved { provider } => format!("{provider} removed"),
        EventKind::TriggerChanged { .. }
        | EventKind::TriggerRemoved { .. }
        | EventKind::TriggerFired(_)
        | EventKind::TriggerEnded(_) => triggers::happened(happening),
        EventKind::SettingChanged { name, .. } => format!("setting {name}"),
        EventKind::CommandRefused { command, reason } => format!("{command}: {reason}"),
        EventKind::JobBudgetSpent { limits } => job_budget::spent(limits).advice,
        EventKind::EventsUnreadable { unknown, damaged, .. } => {
            errors::events_unreadable(unknown, damaged).title
        }
        EventKind::Notice { text } | EventKind::CriticalError { text } => {
            first_line(text).unwrap_or_default()
        }
        EventKind::JobOpened(_)
        | EventKind::JobRetrying(_)
        | EventKind::JobFailed(_)
        | EventKind::JobDone(_)
        | EventKind::CompactionRequested(_)
        | EventKind::CompactionDropped { .. }
        | EventKind::MemoryNoted(_)
        | EventKind::MemoryChanged(_) => maintenance::happened(happening),
        EventKind::MessageQueued { .. } => "a report is queued".to_owned(),
        // These are told above.
        EventKind::WorkerSent { .. }
        | EventKind::WorkerEnded { .. }
        | EventKind::RunPaused { .. }
        | EventKind::RunResumed { .. }
        | EventKind::RoundEnded { .. }
        | EventKind::TurnOpened { .. }
        | EventKind::RetryScheduled { .. }
        | EventKind::ApprovalAsked { .. }
        | EventKind::ApprovalGiven { .. }
        | EventKind::ToolEnded { .. }
        | EventKind::TurnClosed { .. }
        | EventKind::MindEdited { .. }
        | EventKind::MindSynced { .. }
        | EventKind::SyncRequested { .. }
        | EventKind::ChangesReviewed { .. } => String::new(),
    }
}

fn first_line(text: &str) -> Option<String> {
    const MOST: usize = 160;
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(ellipsis(line, MOST))
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
        let notice = EventKind::Notice { text: format!("\n  {}\nmore", "x".repeat(300)) };
        let told = happened(&notice);
        assert!(told.chars().count() == 161 && told.ends_with('…') && !told.contains("more"), "{told}");
        assert_eq!(happened(&EventKind::ModelRequested { call: 0, attempt: 2 }), "call 1, attempt 2");
    }
}

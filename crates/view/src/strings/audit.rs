//! Strings of the audit: a sentence for every event kind, without the actor's name, and the screen's own.

use crate::language;
use crate::strings::activity::activity;
use crate::strings::prelude::*;
use crate::strings::run_graph::node_status;
use crate::strings::settings::triggers;
use crate::strings::status::run_status;
use crate::strings::{errors, graph, job_budget, maintenance, rejections};
use nexus_model::message::content::calls_of;

pub const ABOUT: Text = Text("Every event on this device.");
pub const FILTERS: Text = Text("Filter");
pub const KIND: Text = Text("Kind");
pub const TOPIC: Text = Text("Topic");
pub const TEXT: Text = Text("Text");
pub const TEXT_EXAMPLE: Text = Text("In the event’s JSON");
pub const ALL: Text = Text("All");
pub const APP: Text = Text("Nexus itself");
pub const OLDEST: Text = Text("Oldest first");
pub const CLEAR: Text = Text("Clear");
pub const EXPORT: Text = Text("Export JSONL");
pub const EXPORT_ABOUT: Text = Text("The listed events, one JSON object per line");
pub const EXPORT_FAILED: Text = Text("The file could not be created.");
pub const EVENTS: Text = Text("Events");
pub const NOTHING: Text = Text("No events match.");
pub const OPENED: Text = Text("Event");
pub const CHAIN: Text = Text("Whole run");
pub const CHAIN_ABOUT: Text = Text("All events of this run, from the start");
pub const INSPECT: Text = Text("Inspect turn");
pub const COPY: Text = Text("Copy JSON");
pub const COPIED: Text = Text("Copied");
pub const NOT_COPIED: Text = Text("Not copied");
pub const GONE: Text = Text("This event is not on this device.");
pub const UNKNOWN: Text = Text("from a newer version");
pub const READING: &str = "…";
pub const SHOW_IN_LOG: Text = Text("Show in the event log");

pub fn event_count(listed: usize, known: usize, left: u64, searched: Option<usize>) -> String {
    let number = |number: usize| tokens(u64::try_from(number).unwrap_or(u64::MAX));
    let events = count(known, "event", "events");
    let base = if listed == known { events } else { text!("{} of {events}", number(listed)) };
    match (left, searched) {
        (0, None) => base,
        (0, Some(untested)) => text!("{base} · searching, {} to go", number(untested)),
        (left, _) => text!("{base} · reading, {} to go", tokens(left)),
    }
}

/// Local date and time: `11-21 14:02:07.123`.
pub fn time(at: Millis, local: LocalTime) -> String {
    let written = local.written(at).replace('T', " ");
    format!("{}.{:03}", written.get(5..).unwrap_or_default(), at.0 % 1_000)
}

pub fn exported(done: usize, all: usize) -> String {
    let percent = done.saturating_mul(100).checked_div(all).unwrap_or(100);
    format!("{percent} %")
}

pub fn shortened(bytes: usize) -> String {
    text!("Only the beginning of {} is shown. Copy takes everything.", size(bytes))
}

pub fn describe(event: &EventKind) -> String {
    if let Some(words) = activity(event) {
        return words;
    }
    match event {
        EventKind::MessageCommitted { message } => {
            let text = nexus_model::message::content::text_of(&message.parts);
            first_line(&text).unwrap_or_else(|| text!("a message"))
        }
        EventKind::ContentsKept { contents } => {
            text!("stored {}", count(contents.len(), "content", "contents"))
        }
        EventKind::QueueEdited { .. } => text!("a queued message changed"),
        EventKind::RunOpened { run } => text!("a run of {}", count(run.nodes.len(), "agent", "agents")),
        EventKind::RunEnded { status } => text!("run: {}", run_status(*status).to_lowercase()),
        EventKind::NodeChanged { node, status, .. } => format!("{node}: {}", node_status(*status)),
        EventKind::GraphChanged { change } => graph::changed(change),
        EventKind::ChecksRequested { node, check } => text!("{node}: checks, time {check}"),
        EventKind::TerminalRequested { node, turn } => text!("{node}: terminal, turn {}", turn.number),
        EventKind::ContextRequested { call } => text!("context for call {}", call.saturating_add(1)),
        EventKind::ContextBuilt { recipe, .. } => {
            let some = recipe.omitted_turns.len();
            let left_out =
                if some > 0 { text!(", {} left out", count(some, "turn", "turns")) } else { String::new() };
            text!("≈ {} tokens{left_out}", tokens(recipe.tokens))
        }
        EventKind::ModelRequested { call, attempt } => {
            text!("call {}, attempt {attempt}", call.saturating_add(1))
        }
        EventKind::ResponseBegan { .. } => text!("started to write"),
        EventKind::ModelAnswered { parts, usage, .. } => match calls_of(parts).count() {
            0 => text!("answered, {} tokens", tokens(usage.total())),
            calls => text!("asked for {}, {} tokens", count(calls, "tool", "tools"), tokens(usage.total())),
        },
        EventKind::ModelFailed { failure, .. } => first_line(&language::translate_template(&failure.message))
            .unwrap_or_else(|| errors::failure_kind(failure.category)),
        EventKind::ToolRequested { run } => text!("asked for {}", run.call.name),
        EventKind::ToolStarted { .. } => text!("a tool started"),
        EventKind::HeadMoved { by_hand: Some(_), .. } => text!("moved to another turn by hand"),
        EventKind::SessionPurged { session } => text!("{session} was deleted permanently"),
        EventKind::HeadMoved { by_hand: None, .. } => text!("the session points to another turn"),
        EventKind::SessionChanged { change } => match change {
            SessionChange::Created(created) => text!("session {} created", created.session.label),
            SessionChange::Labelled(label) => text!("session named {label}"),
            SessionChange::Status(SessionStatus::Open) => text!("session opened"),
            SessionChange::Status(SessionStatus::Closed) => text!("session closed"),
            SessionChange::Status(SessionStatus::Archived) => text!("session archived"),
            SessionChange::Titled(Some(title)) => text!("session titled {title}"),
            SessionChange::SessionPinned(true) => text!("session pinned"),
            SessionChange::SessionPinned(false) => text!("session unpinned"),
            SessionChange::Titled(None) => text!("session without a title"),
            SessionChange::Deleted => text!("session deleted"),
            SessionChange::Restored => text!("session restored"),
            SessionChange::Owned(Some(agent)) => text!("session given to {agent}"),
            SessionChange::Owned(None) => text!("session given to no agent"),
            SessionChange::MessageDeleted(message) => text!("message {message} deleted"),
            SessionChange::Stopped => text!("session stopped"),
            SessionChange::Flags(agent, _) => text!("flags of {agent}"),
            SessionChange::Pinned(pin) => text!("message {} pinned", pin.message),
            SessionChange::Unpinned(message) => text!("message {message} unpinned"),
        },
        EventKind::AgentChanged { agent } => text!("{} changed", agent.identity.name),
        EventKind::AgentRemoved { agent } => text!("{agent} removed"),
        EventKind::ProviderChanged { provider } => text!("{} changed", provider.label),
        EventKind::ProviderRemoved { provider } => text!("{provider} removed"),
        EventKind::TriggerChanged { trigger } => match trigger.pause_reason {
            Some(why) => text!("trigger {} saved, {}", trigger.name, triggers::rest(why)),
            None => text!("trigger {} saved", trigger.name),
        },
        EventKind::TriggerRemoved { .. } => text!("a trigger was removed"),
        EventKind::TriggerFired(fired) => {
            text!("trigger {} fired: {}", fired.name, triggers::cause(&fired.cause))
        }
        EventKind::TriggerEnded(ended) => {
            let (cause, outcome) = (triggers::cause(&ended.cause), triggers::outcome(Some(&ended.outcome)));
            text!("trigger {}: {}; {}", ended.name, cause, outcome)
        }
        EventKind::SettingChanged { name, .. } => text!("setting {name}"),
        EventKind::CommandRefused { command, reason } => {
            format!("{command}: {}", rejections::logged(reason))
        }
        EventKind::JobBudgetSpent { limits } => job_budget::spent(limits).advice,
        EventKind::EventsUnreadable { unknown, damaged, .. } => {
            errors::events_unreadable(unknown, damaged).title
        }
        EventKind::Notice { text } | EventKind::CriticalError { text } => {
            first_line(&language::translate_template(text)).unwrap_or_default()
        }
        EventKind::CompactionRequested(wanted) => {
            text!("compaction requested: {}", maintenance::reason(wanted.reason))
        }
        EventKind::JobOpened(job) => match &job.task {
            JobTask::Sync { .. } => text!("the Core asks {}", model_name(&job.model)),
            JobTask::Merge(question) => {
                let conflicts = count(question.conflicts.len(), "conflict", "conflicts");
                text!("the Core asks {} about {conflicts}", model_name(&job.model))
            }
            JobTask::Compaction(_) | JobTask::Summary { .. } | JobTask::Memory { .. } => {
                let what = maintenance::job_about(job.kind());
                text!("the Archivist asks {} for {}", model_name(&job.model), what)
            }
        },
        EventKind::JobRetrying(retry) => text!("retries: {}", maintenance::job_about(retry.kind)),
        EventKind::JobFailed(failed) => {
            let how = match failed.end {
                JobEnd::Failed => tr("no answer"),
                JobEnd::Cancelled => tr("stopped"),
                JobEnd::Interrupted => tr("interrupted"),
            };
            format!("{how}: {}", maintenance::job_about(failed.kind))
        }
        EventKind::JobDone(JobDone { result: JobResult::Memory { checked, noted }, .. }) => {
            text!("scanned {}, {noted} updated", count(checked.len(), "message", "messages"))
        }
        EventKind::MemoryNoted(memory) => text!("noted: {}", memory.content),
        EventKind::MessageQueued { .. } => text!("a report is queued"),
        // Handled above.
        EventKind::JobDone(_)
        | EventKind::CompactionDropped { .. }
        | EventKind::MemoryChanged(_)
        | EventKind::WorkerSent { .. }
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

#[cfg(test)]
mod tests;

//! Strings of triggers.

use crate::language::whole;
use crate::strings::prelude::*;
use crate::strings::rejections;
use nexus_model::limits::TRIGGERS_AN_HOUR;
use nexus_model::session::trigger::{PauseReason, Schedule, TriggerCause, TriggerOutcome};

pub const TRIGGERS_TITLE: Text = Text("Triggers");
pub const ABOUT: Text = Text(
    "Messages sent automatically while Nexus is open: at a time, on a schedule, or on an event. Times missed while it is closed are reported, not made up for. Also the pages that may insert drafts.",
);
pub const NONE: Text = Text("No triggers.");
pub const ADD: Text = Text("Add trigger");
pub const WHEN: Text = Text("When");
pub const AT: Text = Text("Time");
pub const FIRST: Text = Text("First at");
pub const FIRST_ABOUT: Text = Text("Leave blank for one interval from now.");
pub const EVERY: Text = Text("Interval (minutes)");
pub const FILE_ABOUT: Text = Text("A name, or a pattern such as docs/*. Leave blank for any file.");
/// Within a sentence; [`ANY`] is the choice.
pub const ANYWHERE: Text = Text("any session");
pub const ANY: Text = Text("Any session");
pub const TO: Text = Text("Send to");
pub const TEXT_EXAMPLE: Text = Text("What should be done?");
pub const PAUSE: Text = Text("Pause");
pub const NO_TIME: Text = Text("Enter a valid time.");

/// The longest interval: a year.
pub const MOST_MINUTES: u64 = 525_600;

/// Kinds of triggers: value and name.
pub const KINDS: [(&str, Text); 5] = [
    ("at", Text("Once, at a set time")),
    ("every", Text("On a schedule")),
    ("file", Text("A file changes")),
    ("failed", Text("A run fails")),
    ("objective", Text("The objective changes")),
];

pub fn moment(at: Millis, now: Millis, local: LocalTime) -> String {
    format!("{}, {}", local.day(at, now), local.clock(at))
}

texts! {
    pub fn no_minutes() = "Enter a whole number of minutes, from 1 to {}.", whole(MOST_MINUTES);

    pub fn rest(rest: PauseReason) -> String {
        PauseReason::Paused => "paused";
        PauseReason::Over => "done";
        PauseReason::TooOften => "paused: it fired {TRIGGERS_AN_HOUR} times within an hour";
    }

    pub fn cause(cause: &TriggerCause) -> String {
        TriggerCause::Time(_) => "it was time";
        TriggerCause::File { file, .. } => "{file} changed";
        TriggerCause::Run { .. } => "a run failed";
        TriggerCause::Objective { .. } => "the objective changed";
    }

    pub fn kind(when: &Schedule) -> &'static str {
        Schedule::At(_) => { "at" };
        Schedule::Every { .. } => { "every" };
        Schedule::FileChanged { .. } => { "file" };
        Schedule::RunFailed { .. } => { "failed" };
        Schedule::ObjectiveChanged { .. } => { "objective" };
    }

    pub fn when(when: &Schedule, place: &str, time: impl Fn(Millis) -> String) -> String {
        Schedule::At(at) => "at {}", time(*at);
        Schedule::Every { ms, .. } => "every {}", minutes(*ms / 60_000);
        Schedule::FileChanged { file, .. } if file.is_empty() => "when a file changes in {place}";
        Schedule::FileChanged { file, .. } => "when {file} changes in {place}";
        Schedule::RunFailed { .. } => "when a run fails in {place}";
        Schedule::ObjectiveChanged { .. } => "when the objective changes in {place}";
    }

    /// Outcome of a trigger; `None` means that the page was closed before it was known.
    pub fn outcome(outcome: Option<&TriggerOutcome>) -> String {
        None => "it is unknown whether its message was sent";
        Some(TriggerOutcome::Sent { .. }) => "its message was sent";
        Some(TriggerOutcome::Busy) => "its last message was not answered yet, so nothing was sent";
        Some(TriggerOutcome::Missed { times: 1 }) => "Nexus was closed or asleep at its time, so nothing was sent";
        Some(TriggerOutcome::Missed { times }) =>
            "Nexus was closed or asleep at {times} of its times, so nothing was sent";
        Some(TriggerOutcome::TooOften) => "it is paused, because it fired too often";
        Some(TriggerOutcome::Refused { reason }) => "it could not send: {}", failure_reason(reason);
    }

    fn failure_reason(reason: &str) -> String {
        "ReadOnly" => "another tab is working in that session";
        "SessionClosed" => "that session is closed";
        "Gone" | "NoSuchSession" => "the session or the agent is gone";
        other => { rejections::logged(other) };
    }
}

/// Notice for a trigger that failed to send its message; `None` if all is well.
pub fn failure_notice(name: &str, what: &TriggerOutcome) -> Option<Notice> {
    match what {
        TriggerOutcome::Sent { .. } | TriggerOutcome::Busy => None,
        TriggerOutcome::Missed { .. } | TriggerOutcome::TooOften | TriggerOutcome::Refused { .. } => {
            let told = outcome(Some(what));
            // Of ASCII letters only: those of all alphabets are a table of 12 kB.
            let mut letters = told.chars();
            let first = letters.next().unwrap_or_default().to_ascii_uppercase();
            Some(Notice::new(text!("The trigger “{name}”"), format!("{first}{}.", letters.as_str())))
        }
    }
}

#[cfg(test)]
mod tests;

//! Strings of triggers.

use crate::local_time::LocalTime;
use crate::strings::format::count;
use nexus_model::event::EventKind;
use nexus_model::id::Millis;
use nexus_model::limits::{TRIGGERS, TRIGGERS_AN_HOUR};
use nexus_model::session::trigger::{PauseReason, Schedule, TriggerCause, TriggerError, TriggerOutcome};

pub const TRIGGERS_TITLE: &str = "Triggers";
pub const ABOUT: &str = "Messages sent automatically while Nexus is open: at a time, on a schedule, or on an event. Times missed while it is closed are reported, not made up for. Also the pages that may insert drafts.";
pub const NONE: &str = "No triggers.";
pub const ADD: &str = "Add trigger";
pub const NAME: &str = "Name";
pub const WHEN: &str = "When";
pub const AT: &str = "Time";
pub const FIRST: &str = "First at";
pub const FIRST_ABOUT: &str = "Leave blank to start now.";
pub const EVERY: &str = "Interval (minutes)";
pub const FILE: &str = "File";
pub const FILE_ABOUT: &str = "A name, or a pattern such as docs/*. Leave blank for any file.";
pub const WHERE: &str = "Session";
pub const ANYWHERE: &str = "any session";
pub const TO: &str = "Send to";
pub const TEXT: &str = "Message";
pub const TEXT_EXAMPLE: &str = "What should be done?";
pub const KEEP: &str = "Save";
pub const CANCEL: &str = "Cancel";
pub const EDIT: &str = "Edit";
pub const PAUSE: &str = "Pause";
pub const RESUME: &str = "Resume";
pub const DELETE: &str = "Delete";
pub const NO_TIME: &str = "Enter a valid time.";
pub const NO_MINUTES: &str = "Enter a whole number of minutes, from 1.";

/// The kinds of what a trigger waits for: the value and the name of each.
pub const KINDS: [(&str, &str); 5] = [
    ("at", "Once, at a set time"),
    ("every", "On a schedule"),
    ("file", "A file changes"),
    ("failed", "A run fails"),
    ("objective", "The objective changes"),
];

/// The kind of what a trigger waits for.
pub fn kind(when: &Schedule) -> &'static str {
    match when {
        Schedule::At(_) => "at",
        Schedule::Every { .. } => "every",
        Schedule::FileChanged { .. } => "file",
        Schedule::RunFailed { .. } => "failed",
        Schedule::ObjectiveChanged { .. } => "objective",
    }
}

/// What a trigger waits for, in a line.
pub fn when(when: &Schedule, place: &str, time: impl Fn(Millis) -> String) -> String {
    match when {
        Schedule::At(at) => format!("at {}", time(*at)),
        Schedule::Every { ms, .. } => format!("every {}", minutes(*ms)),
        Schedule::FileChanged { file, .. } if file.is_empty() => format!("when a file changes in {place}"),
        Schedule::FileChanged { file, .. } => format!("when {file} changes in {place}"),
        Schedule::RunFailed { .. } => format!("when a run fails in {place}"),
        Schedule::ObjectiveChanged { .. } => format!("when the objective changes in {place}"),
    }
}

fn minutes(ms: u64) -> String {
    let number = |ms: u64| usize::try_from(ms).unwrap_or(usize::MAX);
    match ms / 60_000 {
        days if days % 1_440 == 0 => count(number(days / 1_440), "day", "days"),
        hours if hours % 60 == 0 => count(number(hours / 60), "hour", "hours"),
        minutes => count(number(minutes), "minute", "minutes"),
    }
}

/// A moment as the operator's clock has it.
pub fn moment(at: Millis, now: Millis, local: LocalTime) -> String {
    format!("{}, {}", local.day(at, now), local.clock(at))
}

/// Why a trigger rests.
pub fn rest(rest: PauseReason) -> String {
    match rest {
        PauseReason::Paused => "paused".to_owned(),
        PauseReason::Over => "done".to_owned(),
        PauseReason::TooOften => format!("paused: it fired {TRIGGERS_AN_HOUR} times within an hour"),
    }
}

/// Why it fired, or should have.
pub fn cause(cause: &TriggerCause) -> String {
    match cause {
        TriggerCause::Time(_) => "it was time".to_owned(),
        TriggerCause::File { file, .. } => format!("{file} changed"),
        TriggerCause::Run { .. } => "a run failed".to_owned(),
        TriggerCause::Objective { .. } => "the objective changed".to_owned(),
    }
}

/// What became of it; where that is not known, the page was closed meanwhile.
pub fn outcome(outcome: Option<&TriggerOutcome>) -> String {
    match outcome {
        None => "it is unknown whether its message was sent".to_owned(),
        Some(TriggerOutcome::Said { .. }) => "its message was sent".to_owned(),
        Some(TriggerOutcome::Busy) => "its last message was not answered yet, so nothing was sent".to_owned(),
        Some(TriggerOutcome::Missed { times: 1 }) => {
            "Nexus was closed or asleep at its time, so nothing was sent".to_owned()
        }
        Some(TriggerOutcome::Missed { times }) => {
            format!("Nexus was closed or asleep at {times} of its times, so nothing was sent")
        }
        Some(TriggerOutcome::TooOften) => "it is paused, because it fired too often".to_owned(),
        Some(TriggerOutcome::Refused { reason }) => format!("it could not send: {}", refused(reason)),
    }
}

fn refused(reason: &str) -> &str {
    match reason {
        "ReadOnly" => "another tab is working in that session",
        "SessionClosed" => "that session is closed",
        "Gone" | "NoSuchSession" => "the session or the agent is gone",
        other => other,
    }
}

/// What is told when a trigger said nothing although it should have; nothing where all is well.
pub fn news(name: &str, what: &TriggerOutcome) -> Option<(String, String)> {
    match what {
        TriggerOutcome::Said { .. } | TriggerOutcome::Busy => None,
        TriggerOutcome::Missed { .. } | TriggerOutcome::TooOften | TriggerOutcome::Refused { .. } => {
            let told = outcome(Some(what));
            let mut letters = told.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
            Some((format!("The trigger “{name}”"), format!("{first}{}.", letters.as_str())))
        }
    }
}

/// What is wrong with a trigger.
pub fn unfit(unfit: TriggerError) -> String {
    match unfit {
        TriggerError::Nameless => "Enter a name.".to_owned(),
        TriggerError::SaysNothing => "Enter a message.".to_owned(),
        TriggerError::TooLong => "The message is too long.".to_owned(),
        TriggerError::TooOften => "A trigger may fire at most once a minute.".to_owned(),
        TriggerError::Over => "That time is in the past. Choose a later one.".to_owned(),
        TriggerError::Nobody => "The agent or session no longer exists. Choose another.".to_owned(),
        TriggerError::TooMany => format!("There are {TRIGGERS} already. Delete one first."),
    }
}

/// What happened to a trigger, for the audit.
pub(crate) fn happened(happening: &EventKind) -> String {
    if let EventKind::TriggerChanged { trigger } = happening {
        return match trigger.rest {
            Some(why) => format!("trigger {} saved, {}", trigger.name, rest(why)),
            None => format!("trigger {} saved", trigger.name),
        };
    }
    if let EventKind::TriggerFired(fired) = happening {
        return format!("trigger {} fired: {}", fired.name, cause(&fired.cause));
    }
    if let EventKind::TriggerEnded(ended) = happening {
        return format!("trigger {}: {}; {}", ended.name, cause(&ended.cause), outcome(Some(&ended.outcome)));
    }
    "a trigger was removed".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trigger_is_told_in_a_line() {
        let every = |ms| when(&Schedule::Every { ms, from: Millis(0) }, "", |_| String::new());
        assert_eq!(every(60_000), "every 1 minute");
        assert_eq!(every(7_200_000), "every 2 hours");
        assert_eq!(every(86_400_000), "every 1 day");
        let file = Schedule::FileChanged { file: "docs/*".into(), session: None };
        assert_eq!(when(&file, ANYWHERE, |_| String::new()), "when docs/* changes in any session");
        assert_eq!(news("N", &TriggerOutcome::Busy), None);
        let (title, told) = news("Daily", &TriggerOutcome::Missed { times: 3 }).unwrap();
        assert_eq!(title, "The trigger “Daily”");
        assert!(told.starts_with("Nexus was closed") && told.ends_with('.'), "{told}");
        assert!(
            outcome(Some(&TriggerOutcome::Refused { reason: "ReadOnly".into() })).contains("another tab")
        );
    }
}

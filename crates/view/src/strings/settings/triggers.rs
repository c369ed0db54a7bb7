//! Strings of triggers.

use crate::local_time::LocalTime;
use crate::strings::format::count;
use nexus_model::event::EventKind;
use nexus_model::id::Millis;
use nexus_model::limits::{TRIGGERS, TRIGGERS_AN_HOUR};
use nexus_model::session::trigger::{PauseReason, Schedule, TriggerCause, TriggerError, TriggerOutcome};

pub const TRIGGERS_TITLE: &str = "Triggers";
pub const ABOUT: &str = "Messages that are sent by themselves while Nexus is open: at a time, again and again, or when something \
     happens. A time that goes by while it is closed is told, and not made up for. And the pages that may place a draft.";
pub const NONE: &str = "There is no trigger.";
pub const ADD: &str = "Add a trigger";
pub const NAME: &str = "Name";
pub const WHEN: &str = "When";
pub const AT: &str = "Time";
pub const FIRST: &str = "First at";
pub const FIRST_ABOUT: &str = "From now on where empty.";
pub const EVERY: &str = "Minutes between";
pub const FILE: &str = "File";
pub const FILE_ABOUT: &str =
    "A name, or the beginning of one with a star such as docs/*. Any file where empty.";
pub const WHERE: &str = "In";
pub const ANYWHERE: &str = "any session";
pub const TO: &str = "Goes to";
pub const TEXT: &str = "Message";
pub const TEXT_EXAMPLE: &str = "What is to be done?";
pub const KEEP: &str = "Keep";
pub const CANCEL: &str = "Cancel";
pub const EDIT: &str = "Change";
pub const PAUSE: &str = "Pause";
pub const RESUME: &str = "Let it go on";
pub const DELETE: &str = "Delete";
pub const NO_TIME: &str = "This is no time.";
pub const NO_MINUTES: &str = "A whole number of minutes, from 1 on.";

/// The kinds of what a trigger waits for: the value and the name of each.
pub const KINDS: [(&str, &str); 5] = [
    ("at", "Once, at a time"),
    ("every", "Again and again"),
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
        PauseReason::Over => "over".to_owned(),
        PauseReason::TooOften => format!("stopped: it fired {TRIGGERS_AN_HOUR} times within an hour"),
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
        None => "it is not known whether its message was said".to_owned(),
        Some(TriggerOutcome::Said { .. }) => "its message was said".to_owned(),
        Some(TriggerOutcome::Busy) => "its last message was not answered yet, so it said nothing".to_owned(),
        Some(TriggerOutcome::Missed { times: 1 }) => {
            "Nexus was closed or asleep at its time, so it said nothing".to_owned()
        }
        Some(TriggerOutcome::Missed { times }) => {
            format!("Nexus was closed or asleep at {times} of its times, so it said nothing")
        }
        Some(TriggerOutcome::TooOften) => "it fired too often, and rests".to_owned(),
        Some(TriggerOutcome::Refused { reason }) => format!("it could not speak: {}", refused(reason)),
    }
}

fn refused(reason: &str) -> &str {
    match reason {
        "ReadOnly" => "another tab works in that session",
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
        TriggerError::Nameless => "It needs a name.".to_owned(),
        TriggerError::SaysNothing => "It needs something to say.".to_owned(),
        TriggerError::TooLong => "It says too much.".to_owned(),
        TriggerError::TooOften => "It may fire once a minute at most.".to_owned(),
        TriggerError::Over => "Its time is over. Choose a later one.".to_owned(),
        TriggerError::Nobody => "The agent or the session is gone. Choose another.".to_owned(),
        TriggerError::TooMany => format!("There are {TRIGGERS} already. Delete one first."),
    }
}

/// What happened to a trigger, for the audit.
pub(crate) fn happened(happening: &EventKind) -> String {
    if let EventKind::TriggerChanged { trigger } = happening {
        return match trigger.rest {
            Some(why) => format!("trigger {} kept, {}", trigger.name, rest(why)),
            None => format!("trigger {} kept", trigger.name),
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

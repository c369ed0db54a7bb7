//! Never reads a clock.
//!
//! Owns the words of triggers.

use crate::domain::event::Happening;
use crate::domain::id::Millis;
use crate::domain::limits::{TRIGGERS, TRIGGERS_AN_HOUR};
use crate::domain::trigger::{Cause, Outcome, Rest, Unfit, When};
use crate::ui::local_time::LocalTime;
use crate::ui::words::count;

pub(crate) const TRIGGERS_TITLE: &str = "Triggers";
pub(crate) const ABOUT: &str = "Messages that are sent by themselves while Nexus is open: at a time, again and again, or when something \
     happens. A time that goes by while it is closed is told, and not made up for. And the pages that may place a draft.";
pub(crate) const NONE: &str = "There is no trigger.";
pub(crate) const ADD: &str = "Add a trigger";
pub(crate) const NAME: &str = "Name";
pub(crate) const WHEN: &str = "When";
pub(crate) const AT: &str = "Time";
pub(crate) const FIRST: &str = "First at";
pub(crate) const FIRST_ABOUT: &str = "From now on where empty.";
pub(crate) const EVERY: &str = "Minutes between";
pub(crate) const FILE: &str = "File";
pub(crate) const FILE_ABOUT: &str =
    "A name, or the beginning of one with a star such as docs/*. Any file where empty.";
pub(crate) const WHERE: &str = "In";
pub(crate) const ANYWHERE: &str = "any session";
pub(crate) const TO: &str = "Goes to";
pub(crate) const TEXT: &str = "Message";
pub(crate) const TEXT_EXAMPLE: &str = "What is to be done?";
pub(crate) const KEEP: &str = "Keep";
pub(crate) const CANCEL: &str = "Cancel";
pub(crate) const EDIT: &str = "Change";
pub(crate) const PAUSE: &str = "Pause";
pub(crate) const RESUME: &str = "Let it go on";
pub(crate) const DELETE: &str = "Delete";
pub(crate) const NO_TIME: &str = "This is no time.";
pub(crate) const NO_MINUTES: &str = "A whole number of minutes, from 1 on.";

/// The kinds of what a trigger waits for: the value and the name of each.
pub(crate) const KINDS: [(&str, &str); 5] = [
    ("at", "Once, at a time"),
    ("every", "Again and again"),
    ("file", "A file changes"),
    ("failed", "A run fails"),
    ("objective", "The objective changes"),
];

/// The kind of what a trigger waits for.
pub(crate) fn kind(when: &When) -> &'static str {
    match when {
        When::At(_) => "at",
        When::Every { .. } => "every",
        When::FileChanged { .. } => "file",
        When::RunFailed { .. } => "failed",
        When::ObjectiveChanged { .. } => "objective",
    }
}

/// What a trigger waits for, in a line.
pub(crate) fn when(when: &When, place: &str, time: impl Fn(Millis) -> String) -> String {
    match when {
        When::At(at) => format!("at {}", time(*at)),
        When::Every { ms, .. } => format!("every {}", minutes(*ms)),
        When::FileChanged { file, .. } if file.is_empty() => format!("when a file changes in {place}"),
        When::FileChanged { file, .. } => format!("when {file} changes in {place}"),
        When::RunFailed { .. } => format!("when a run fails in {place}"),
        When::ObjectiveChanged { .. } => format!("when the objective changes in {place}"),
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
pub(crate) fn moment(at: Millis, now: Millis, local: LocalTime) -> String {
    format!("{}, {}", local.day(at, now), local.clock(at))
}

/// Why a trigger rests.
pub(crate) fn rest(rest: Rest) -> String {
    match rest {
        Rest::Paused => "paused".to_owned(),
        Rest::Over => "over".to_owned(),
        Rest::TooOften => format!("stopped: it fired {TRIGGERS_AN_HOUR} times within an hour"),
    }
}

/// Why it fired, or should have.
pub(crate) fn cause(cause: &Cause) -> String {
    match cause {
        Cause::Time(_) => "it was time".to_owned(),
        Cause::File { file, .. } => format!("{file} changed"),
        Cause::Run { .. } => "a run failed".to_owned(),
        Cause::Objective { .. } => "the objective changed".to_owned(),
    }
}

/// What became of it; where that is not known, the page was closed meanwhile.
pub(crate) fn outcome(outcome: Option<&Outcome>) -> String {
    match outcome {
        None => "it is not known whether its message was said".to_owned(),
        Some(Outcome::Said { .. }) => "its message was said".to_owned(),
        Some(Outcome::Busy) => "its last message was not answered yet, so it said nothing".to_owned(),
        Some(Outcome::Missed { times: 1 }) => {
            "Nexus was closed or asleep at its time, so it said nothing".to_owned()
        }
        Some(Outcome::Missed { times }) => {
            format!("Nexus was closed or asleep at {times} of its times, so it said nothing")
        }
        Some(Outcome::TooOften) => "it fired too often, and rests".to_owned(),
        Some(Outcome::Refused { reason }) => format!("it could not speak: {}", refused(reason)),
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
pub(crate) fn news(name: &str, what: &Outcome) -> Option<(String, String)> {
    match what {
        Outcome::Said { .. } | Outcome::Busy => None,
        Outcome::Missed { .. } | Outcome::TooOften | Outcome::Refused { .. } => {
            let told = outcome(Some(what));
            let mut letters = told.chars();
            let first = letters.next().map(|c| c.to_uppercase().to_string()).unwrap_or_default();
            Some((format!("The trigger “{name}”"), format!("{first}{}.", letters.as_str())))
        }
    }
}

/// What is wrong with a trigger.
pub(crate) fn unfit(unfit: Unfit) -> String {
    match unfit {
        Unfit::Nameless => "It needs a name.".to_owned(),
        Unfit::SaysNothing => "It needs something to say.".to_owned(),
        Unfit::TooLong => "It says too much.".to_owned(),
        Unfit::TooOften => "It may fire once a minute at most.".to_owned(),
        Unfit::Over => "Its time is over. Choose a later one.".to_owned(),
        Unfit::Nobody => "The agent or the session is gone. Choose another.".to_owned(),
        Unfit::TooMany => format!("There are {TRIGGERS} already. Delete one first."),
    }
}

/// What happened to a trigger, for the audit.
pub(crate) fn happened(happening: &Happening) -> String {
    if let Happening::TriggerChanged { trigger } = happening {
        return match trigger.rest {
            Some(why) => format!("trigger {} kept, {}", trigger.name, rest(why)),
            None => format!("trigger {} kept", trigger.name),
        };
    }
    if let Happening::TriggerFired(fired) = happening {
        return format!("trigger {} fired: {}", fired.name, cause(&fired.cause));
    }
    if let Happening::TriggerEnded(ended) = happening {
        return format!("trigger {}: {}; {}", ended.name, cause(&ended.cause), outcome(Some(&ended.outcome)));
    }
    "a trigger was removed".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trigger_is_told_in_a_line() {
        let every = |ms| when(&When::Every { ms, from: Millis(0) }, "", |_| String::new());
        assert_eq!(every(60_000), "every 1 minute");
        assert_eq!(every(7_200_000), "every 2 hours");
        assert_eq!(every(86_400_000), "every 1 day");
        let file = When::FileChanged { file: "docs/*".into(), session: None };
        assert_eq!(when(&file, ANYWHERE, |_| String::new()), "when docs/* changes in any session");
        assert_eq!(news("N", &Outcome::Busy), None);
        let (title, told) = news("Daily", &Outcome::Missed { times: 3 }).unwrap();
        assert_eq!(title, "The trigger “Daily”");
        assert!(told.starts_with("Nexus was closed") && told.ends_with('.'), "{told}");
        assert!(outcome(Some(&Outcome::Refused { reason: "ReadOnly".into() })).contains("another tab"));
    }
}

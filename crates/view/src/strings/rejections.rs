//! Strings of rejected commands. They never name the command.

use crate::strings::format::Notice;
use nexus_model::command::Rejection;
use nexus_model::limits::{ATTACHMENT_BYTES, PINS};
use nexus_model::mind::WriteError;

/// A refused command.
pub fn rejection(rejection: &Rejection) -> Notice {
    match rejection {
        Rejection::NoSuchSession => Notice::new(
            "This session is not here",
            "It may have been removed in another tab. Pick another one.",
        ),
        Rejection::NoSuchTurn
        | Rejection::NoSuchMessage
        | Rejection::NoSuchRun
        | Rejection::NoSuchToolRun => Notice::new(
            "That part of the conversation is not loaded",
            "Load earlier turns, or reload the page, and try again.",
        ),
        Rejection::NoSuchAgent => {
            Notice::new("There is no agent of that name", "Pick one from the list of targets.")
        }
        Rejection::TooManyPins => Notice::new(
            format!("{PINS} messages are pinned already"),
            "Take the pin off one that you no longer need.",
        ),
        Rejection::NothingSaid => Notice::new("The message says nothing", "Write something first."),
        Rejection::BadAttachment { name } => Notice::new(
            format!("“{name}” cannot go along"),
            format!(
                "It is empty, damaged, or larger than {}. Take it off, or attach a smaller one.",
                crate::strings::format::size(usize::try_from(ATTACHMENT_BYTES).unwrap_or(usize::MAX))
            ),
        ),
        Rejection::BadArguments { found } => Notice::new(
            "These arguments do not fit the tool",
            if found.is_empty() {
                "They have to be a JSON object. Change them, then approve again.".to_owned()
            } else {
                format!("{}. Change them, then approve again.", found.join("; "))
            },
        ),
        Rejection::NothingToContinue => Notice::new(
            "That turn said nothing that could be continued",
            "Retry it instead, or write what the agent shall do.",
        ),
        Rejection::NotWaiting => Notice::new(
            "That message no longer waits",
            "An agent has taken it up already, or it was withdrawn. Send another one.",
        ),
        Rejection::RunWorks => {
            Notice::new("The agents are at work here", "Wait until they are done, or stop them first.")
        }
        Rejection::Stale => {
            Notice::new("Things have moved on", "Look at what stands there now, and try again.")
        }
        Rejection::CompactionWorks => Notice::new(
            "A compaction waits or works already",
            "Its mark stands in the timeline. Stop it there, or let it end.",
        ),
        Rejection::NoSuchMemory => {
            Notice::new("That memory is not here", "It may have been changed in another tab.")
        }
        Rejection::NoSuchTrigger => {
            Notice::new("There is no such trigger", "It may have been removed in another tab.")
        }
        Rejection::BadTrigger(unfit) => {
            Notice::new("The trigger was not kept", crate::strings::settings::triggers::unfit(*unfit))
        }
        Rejection::BadMemory => Notice::new(
            "That cannot be remembered",
            "A memory says something, in at most 255 characters, and nothing that another one says.",
        ),
        Rejection::NotFailed => Notice::new("That turn did not fail", "There is nothing to try again."),
        Rejection::BadName => {
            Notice::new("That name cannot be used", "It is empty or taken. Choose another one.")
        }
        Rejection::LastSession => {
            Notice::new("This is the last open session", "Make another one first, then this one can go.")
        }
        Rejection::NotAllowed => Notice::new(
            "This agent may not use that provider",
            "Choose another model, or allow the provider in Settings → Agents.",
        ),
        Rejection::SessionClosed => Notice::new(
            "This session is closed",
            "Reopen it in the list of sessions, or go on from one of its turns in a new one.",
        ),
        Rejection::TurnWorks => {
            Notice::new("That turn is still being written", "Wait until it has ended, or stop it first.")
        }
        Rejection::HeadMissing => Notice::new(
            "The newest turn of this session cannot be read",
            "Nothing was changed. Go on from an older turn, or in another session; Settings → Data exports what is here.",
        ),
        Rejection::HistoryBroken => Notice::new(
            "What stands before this cannot be read",
            "The record is missing or damaged. What is loaded stays, and nothing was changed.",
        ),
        Rejection::StillNeeded => Notice::new(
            "Other sessions go on from this one",
            "It stays hidden, and is forgotten once none of them needs its turns.",
        ),
        Rejection::MovedOn => Notice::new(
            "A branch has moved on",
            "Something was said or changed in one of the two since the merge was drafted. It is drafted again; look at it once more.",
        ),
        Rejection::Unrelated => Notice::new(
            "These two have nothing in common",
            "Only branches that come from the same turn can be merged.",
        ),
        Rejection::NothingToMerge => {
            Notice::new("There is nothing to merge", "All of that branch is in this session already.")
        }
        Rejection::ClashesOpen => Notice::new(
            "Something still clashes",
            "Choose one side, or both, wherever both branches changed the same lines.",
        ),
        Rejection::LastAgent => {
            Notice::new("This is the last agent", "Somebody has to answer. Add another one first.")
        }
        Rejection::BuiltIn => {
            Notice::new("The demo is part of Nexus", "It cannot be removed. Agents need not use it.")
        }
        Rejection::InUse(agents) => Notice::new(
            format!("{} think with this provider", crate::strings::format::listed(agents)),
            "Give them another one first, or switch them to the demo.",
        ),
        Rejection::BadAddress(problem) => Notice::new(
            "That address cannot be used",
            crate::strings::settings::providers::address_problem(*problem),
        ),
        Rejection::Write(refused) => write_refused(refused),
        Rejection::SyncWorks => Notice::new("The Core is at work already", "Wait for it, or stop it first."),
        Rejection::UndoClash { field } => Notice::new(
            format!("{} was changed since in the same lines", capital(&field_name(field))),
            "What the Core had changed cannot be taken back by itself any more. Change the text by hand.",
        ),
        Rejection::ReadOnly => Notice::new(
            "Another tab works in this session",
            "Go on there, or close that tab and reload this one.",
        ),
        Rejection::Store(reason) => Notice::new(
            "This could not be kept, so it did not happen",
            format!("The browser's storage said: {reason}. Free some space, then try again."),
        ),
        Rejection::Newer => Notice::new(
            "The data here comes from a newer Nexus",
            "It is only shown, so that nothing is damaged. Reload the page to get the newer program.",
        ),
    }
}

/// A refused write to the mind.
pub fn write_refused(refused: &WriteError) -> Notice {
    match refused {
        WriteError::Clash { field, .. } => Notice::new(
            format!("Others changed the same lines of {}", field_name(field)),
            "Both texts stand in the field, with marks. Keep what is right, then press Keep.",
        ),
        WriteError::NoSuchFile { name } => {
            Notice::new(format!("There is no file “{name}”"), "It may have been renamed or removed.")
        }
        WriteError::NameTaken { name } => {
            Notice::new(format!("There is a file “{name}” already"), "Choose another name.")
        }
        WriteError::NotFound { name } => {
            Notice::new(format!("The text to replace is not in “{name}”"), "Look at the file as it is now.")
        }
        WriteError::Ambiguous { name, times } => Notice::new(
            format!("The text to replace is in “{name}” {times} times"),
            "Take a longer piece, so that it is found once.",
        ),
        WriteError::BadName { name } => Notice::new(
            format!("“{name}” cannot be a file's name"),
            "Names are not empty, at most 255 bytes long, and have no “..”, backslash or space at an end.",
        ),
    }
}

fn field_name(field: &str) -> String {
    match field {
        "objective" => "the objective".to_owned(),
        "scratchpad" => "the scratchpad".to_owned(),
        file => format!("“{file}”"),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_refusal_says_what_happened_and_what_to_do() {
        let all = [
            Rejection::NoSuchSession,
            Rejection::NoSuchTurn,
            Rejection::NoSuchRun,
            Rejection::NoSuchAgent,
            Rejection::NoSuchToolRun,
            Rejection::NothingSaid,
            Rejection::BadAttachment { name: "a.png".into() },
            Rejection::BadArguments { found: vec!["`name` is missing".into()] },
            Rejection::NothingToContinue,
            Rejection::NotWaiting,
            Rejection::RunWorks,
            Rejection::SessionClosed,
            Rejection::Stale,
            Rejection::NotFailed,
            Rejection::BadName,
            Rejection::LastAgent,
            Rejection::LastSession,
            Rejection::NotAllowed,
            Rejection::TurnWorks,
            Rejection::HeadMissing,
            Rejection::HistoryBroken,
            Rejection::StillNeeded,
            Rejection::MovedOn,
            Rejection::Unrelated,
            Rejection::NothingToMerge,
            Rejection::ClashesOpen,
            Rejection::BuiltIn,
            Rejection::InUse(vec!["Engineer".into(), "Critic".into()]),
            Rejection::BadAddress(nexus_model::provider::address::AddressError::KeyInside),
            Rejection::Write(WriteError::NoSuchFile { name: "a.rs".into() }),
            Rejection::NoSuchTrigger,
            Rejection::BadTrigger(nexus_model::session::trigger::TriggerError::Over),
            Rejection::ReadOnly,
            Rejection::Store("disk full".into()),
            Rejection::Newer,
        ];
        for one in all {
            let told = rejection(&one);
            assert!(!told.title.is_empty() && told.advice.ends_with('.'), "{told:?}");
        }
    }

    #[test]
    fn a_clash_names_the_field_as_the_operator_knows_it() {
        let clash = |field: &str| WriteError::Clash {
            field: field.into(),
            current: String::new(),
            marked: String::new(),
        };
        assert!(write_refused(&clash("objective")).title.ends_with("the objective"));
        assert!(write_refused(&clash("src/a.rs")).title.ends_with("“src/a.rs”"));
    }
}

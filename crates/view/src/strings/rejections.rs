//! Strings of rejected commands. They never name the command.

use crate::strings::format::Notice;
use crate::strings::graph;
use nexus_model::command::Rejection;
use nexus_model::limits::{ATTACHMENT_BYTES, IMAGE_BYTES, PINS, SESSION_IMAGES_BYTES};
use nexus_model::mind::WriteError;

/// A refused command.
pub fn rejection(rejection: &Rejection) -> Notice {
    match rejection {
        Rejection::NoSuchSession => {
            Notice::new("Session not found", "It may have been removed in another tab. Choose another one.")
        }
        Rejection::NoSuchTurn
        | Rejection::NoSuchMessage
        | Rejection::NoSuchRun
        | Rejection::NoSuchToolRun => Notice::new(
            "That part of the conversation is not loaded",
            "Load earlier turns, or reload the page, and try again.",
        ),
        Rejection::NoSuchAgent => {
            Notice::new("No agent has that name", "Choose one from the list of agents.")
        }
        Rejection::TooManyPins => {
            Notice::new(format!("{PINS} messages are pinned already"), "Unpin one that you no longer need.")
        }
        Rejection::NothingSaid => Notice::new("The message is empty", "Write something first."),
        Rejection::BadAttachment { name } => Notice::new(
            format!("“{name}” cannot be attached"),
            format!(
                "It is empty, damaged, or larger than {}. Remove it, or attach a smaller one.",
                crate::strings::format::size(usize::try_from(ATTACHMENT_BYTES).unwrap_or(usize::MAX))
            ),
        ),
        Rejection::BadArguments { found } => Notice::new(
            "Invalid arguments for this tool",
            if found.is_empty() {
                "They must be a JSON object. Change them, then approve again.".to_owned()
            } else {
                format!("{}. Change them, then approve again.", found.join("; "))
            },
        ),
        Rejection::NothingToContinue => Notice::new(
            "That turn has nothing to continue",
            "Retry it instead, or tell the agent what to do.",
        ),
        Rejection::NotWaiting => Notice::new(
            "That message is no longer queued",
            "An agent already has it, or it was removed. Send another one.",
        ),
        Rejection::NoGraph => {
            Notice::new("This run has no graph", "Start a run from a graph template first.")
        }
        Rejection::BadGraph(error) => Notice::new("This graph cannot run", graph::error(error)),
        Rejection::RunWorks => Notice::new("A run is in progress", "Wait until it ends, or stop it first."),
        Rejection::Stale => {
            Notice::new("This changed in the meantime", "Check the current state, and try again.")
        }
        Rejection::CompactionWorks => Notice::new(
            "A compaction is already queued or in progress",
            "Stop it in the conversation, or wait until it ends.",
        ),
        Rejection::NoSuchMemory => {
            Notice::new("Memory not found", "It may have been changed in another tab.")
        }
        Rejection::NoSuchTrigger => {
            Notice::new("Trigger not found", "It may have been removed in another tab.")
        }
        Rejection::BadTrigger(unfit) => {
            Notice::new("The trigger was not saved", crate::strings::settings::triggers::unfit(*unfit))
        }
        Rejection::BadMemory => Notice::new(
            "This memory cannot be saved",
            "A memory has 1 to 255 characters and differs from all others.",
        ),
        Rejection::NotFailed => Notice::new("That turn did not fail", "There is nothing to retry."),
        Rejection::BadName => {
            Notice::new("That name cannot be used", "It is empty or taken. Choose another one.")
        }
        Rejection::LastSession => Notice::new("This is the last open session", "Create another one first."),
        Rejection::NotAllowed => Notice::new(
            "This agent may not use that provider",
            "Choose another model, or allow the provider in Settings → Agents.",
        ),
        Rejection::SessionClosed => Notice::new(
            "This session is closed",
            "Reopen it in the session list, or fork from one of its turns.",
        ),
        Rejection::TurnWorks => {
            Notice::new("That turn is still in progress", "Wait until it ends, or stop it first.")
        }
        Rejection::HeadMissing => Notice::new(
            "The newest turn of this session cannot be read",
            "Nothing was changed. Fork from an older turn, or use another session; Settings → Data exports your data.",
        ),
        Rejection::HistoryBroken => Notice::new(
            "Earlier turns cannot be read",
            "The record is missing or damaged. Loaded turns stay, and nothing was changed.",
        ),
        Rejection::StillNeeded => Notice::new(
            "Other sessions depend on this one",
            "It stays hidden, and is deleted once no session needs its turns.",
        ),
        Rejection::MovedOn => Notice::new(
            "A branch has changed",
            "One of the two branches changed since the merge was prepared. It is prepared again; review it again.",
        ),
        Rejection::Unrelated => {
            Notice::new("No common ancestor", "Only branches that come from the same turn can be merged.")
        }
        Rejection::NothingToMerge => {
            Notice::new("There is nothing to merge", "This session already contains that branch.")
        }
        Rejection::ClashesOpen => Notice::new(
            "Unresolved conflicts",
            "Choose one side, or both, wherever both branches changed the same lines.",
        ),
        Rejection::LastAgent => Notice::new("This is the last agent", "Add another one first."),
        Rejection::BuiltIn => {
            Notice::new("The demo is part of Nexus", "It cannot be removed. Agents do not have to use it.")
        }
        Rejection::InUse(agents) => Notice::new(
            format!("{} depend on this provider", crate::strings::format::listed(agents)),
            "Give them another provider first, or switch them to the demo.",
        ),
        Rejection::BadAddress(problem) => {
            Notice::new("Invalid base URL", crate::strings::settings::providers::address_problem(*problem))
        }
        Rejection::Write(refused) => write_refused(refused),
        Rejection::SyncWorks => Notice::new("The Core is already working", "Wait for it, or stop it first."),
        Rejection::UndoClash { field } => Notice::new(
            format!("{} has changed in the same lines since", capital(&field_name(field))),
            "The change of the Core can no longer be undone automatically. Edit the text by hand.",
        ),
        Rejection::ReadOnly => Notice::new(
            "Another tab is working in this session",
            "Continue there, or close that tab and reload this one.",
        ),
        Rejection::Store(reason) => Notice::new(
            "This could not be saved, so it was not done",
            format!("The browser's storage reported: {reason}. Free some space, then try again."),
        ),
        Rejection::Newer => Notice::new(
            "The data here is from a newer version of Nexus",
            "It is read-only, so that nothing is damaged. Reload the page to get the newer version.",
        ),
    }
}

/// A refused write to the mind.
pub fn write_refused(refused: &WriteError) -> Notice {
    match refused {
        WriteError::Clash { field, .. } => Notice::new(
            format!("Others changed the same lines of {}", field_name(field)),
            "Both versions are in the field, with markers. Edit them, then mark the conflict as resolved.",
        ),
        WriteError::NoSuchFile { name } => {
            Notice::new(format!("File “{name}” not found"), "It may have been renamed or removed.")
        }
        WriteError::NameTaken { name } => {
            Notice::new(format!("A file “{name}” already exists"), "Choose another name.")
        }
        WriteError::NotFound { name } => {
            Notice::new(format!("The text to replace is not in “{name}”"), "Check the current file.")
        }
        WriteError::Ambiguous { name, times } => Notice::new(
            format!("The text to replace is in “{name}” {times} times"),
            "Use a longer passage, so that it is found once.",
        ),
        WriteError::IsImage { name } => {
            Notice::new(format!("“{name}” is an image"), "A text cannot take its place. Delete it first.")
        }
        WriteError::BadImage { name } => Notice::new(
            format!("“{name}” cannot be kept as an image"),
            format!("It is damaged, or larger than {} MB.", IMAGE_BYTES / 1_000_000),
        ),
        WriteError::ImagesFull => Notice::new(
            "The images of this session take too much room",
            format!("All together they may have {} MB. Delete some.", SESSION_IMAGES_BYTES / 1_000_000),
        ),
        WriteError::BadName { name } => Notice::new(
            format!("“{name}” is not a valid file name"),
            "Names are 1 to 255 bytes long, without “..”, backslashes, or spaces at the ends.",
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

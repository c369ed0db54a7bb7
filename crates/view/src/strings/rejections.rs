//! Strings of rejected commands. They never name the command.

use crate::language::{text, tr};
use crate::strings::format::{Notice, quoted};
use crate::strings::graph;
use nexus_model::command::Rejection;
use nexus_model::limits::{ATTACHMENT_BYTES, IMAGE_BYTES, PINS, SESSION_IMAGES_BYTES, TRIGGERS};
use nexus_model::mind::WriteError;
use nexus_model::session::trigger::TriggerError;

/// A refused command.
pub fn rejection(rejection: &Rejection) -> Notice {
    match rejection {
        Rejection::NoSuchSession => Notice::new(
            tr("Session not found"),
            tr("It may have been removed in another tab. Choose another one."),
        ),
        Rejection::NoSuchTurn
        | Rejection::NoSuchMessage
        | Rejection::NoSuchRun
        | Rejection::NoSuchToolRun => Notice::new(
            tr("That part of the conversation is not loaded"),
            tr("Load earlier turns, or reload the page, and try again."),
        ),
        Rejection::NoSuchAgent => {
            Notice::new(tr("No agent has that name"), tr("Choose one from the list of agents."))
        }
        Rejection::TooManyPins => {
            Notice::new(text!("{PINS} messages are pinned already"), tr("Unpin one that you no longer need."))
        }
        Rejection::NothingSaid => Notice::new(tr("The message is empty"), tr("Write something first.")),
        Rejection::BadAttachment { name } => Notice::new(
            text!("“{name}” cannot be attached"),
            text!(
                "It is empty, damaged, or larger than {}. Remove it, or attach a smaller one.",
                crate::strings::format::size(usize::try_from(ATTACHMENT_BYTES).unwrap_or(usize::MAX))
            ),
        ),
        Rejection::BadArguments { found } => Notice::new(
            tr("Invalid arguments for this tool"),
            if found.is_empty() {
                tr("They must be a JSON object. Change them, then approve again.").to_owned()
            } else {
                text!("{}. Change them, then approve again.", found.join("; "))
            },
        ),
        Rejection::NothingToContinue => Notice::new(
            tr("That turn has nothing to continue"),
            tr("Retry it instead, or tell the agent what to do."),
        ),
        Rejection::NotWaiting => Notice::new(
            tr("That message is no longer queued"),
            tr("An agent already has it, or it was removed. Send another one."),
        ),
        Rejection::NoGraph => {
            Notice::new(tr("This run has no graph"), tr("Start a run from a graph template first."))
        }
        Rejection::BadGraph(error) => Notice::new(tr("This graph cannot run"), graph::error(error)),
        Rejection::RunWorks => {
            Notice::new(tr("A run is in progress"), tr("Wait until it ends, or stop it first."))
        }
        Rejection::Stale => {
            Notice::new(tr("This changed in the meantime"), tr("Check the current state, and try again."))
        }
        Rejection::CompactionWorks => Notice::new(
            tr("A compaction is already queued or in progress"),
            tr("Stop it in the conversation, or wait until it ends."),
        ),
        Rejection::NoSuchMemory => {
            Notice::new(tr("Memory not found"), tr("It may have been changed in another tab."))
        }
        Rejection::NoSuchTrigger => {
            Notice::new(tr("Trigger not found"), tr("It may have been removed in another tab."))
        }
        Rejection::BadTrigger(error) => Notice::new(tr("The trigger was not saved"), trigger_error(*error)),
        Rejection::BadMemory => Notice::new(
            tr("This memory cannot be saved"),
            tr("A memory has 1 to 255 characters and differs from all others."),
        ),
        Rejection::NotFailed => Notice::new(tr("That turn did not fail"), tr("There is nothing to retry.")),
        Rejection::BadName => {
            Notice::new(tr("That name cannot be used"), tr("It is empty or taken. Choose another one."))
        }
        Rejection::LastSession => {
            Notice::new(tr("This is the last open session"), tr("Create another one first."))
        }
        Rejection::NotAllowed => Notice::new(
            tr("This agent may not use that provider"),
            tr("Choose another model, or allow the provider in Settings → Agents."),
        ),
        Rejection::SessionClosed => Notice::new(
            tr("This session is closed"),
            tr("Reopen it in the session list, or fork from one of its turns."),
        ),
        Rejection::TurnWorks => {
            Notice::new(tr("That turn is still in progress"), tr("Wait until it ends, or stop it first."))
        }
        Rejection::HeadMissing => Notice::new(
            tr("The newest turn of this session cannot be read"),
            tr(
                "Nothing was changed. Fork from an older turn, or use another session; Settings → Data exports your data.",
            ),
        ),
        Rejection::HistoryBroken => Notice::new(
            tr("Earlier turns cannot be read"),
            tr("The record is missing or damaged. Loaded turns stay, and nothing was changed."),
        ),
        Rejection::StillNeeded => Notice::new(
            tr("Other sessions depend on this one"),
            tr("It stays hidden, and is deleted once no session needs its turns."),
        ),
        Rejection::MovedOn => Notice::new(
            tr("A branch has changed"),
            tr(
                "One of the two branches changed since the merge was prepared. It is prepared again; review it again.",
            ),
        ),
        Rejection::Unrelated => Notice::new(
            tr("No common ancestor"),
            tr("Only branches that come from the same turn can be merged."),
        ),
        Rejection::NothingToMerge => {
            Notice::new(tr("There is nothing to merge"), tr("This session already contains that branch."))
        }
        Rejection::ClashesOpen => Notice::new(
            tr("Unresolved conflicts"),
            tr("Choose one side, or both, wherever both branches changed the same lines."),
        ),
        Rejection::LastAgent => Notice::new(tr("This is the last agent"), tr("Add another one first.")),
        Rejection::BuiltIn => Notice::new(
            tr("The demo is part of Nexus"),
            tr("It cannot be removed. Agents do not have to use it."),
        ),
        Rejection::InUse(agents) => Notice::new(
            text!("{} depend on this provider", crate::strings::format::listed(agents)),
            tr("Give them another provider first, or switch them to the demo."),
        ),
        Rejection::BadAddress(problem) => Notice::new(
            tr("Invalid base URL"),
            crate::strings::settings::providers::address_problem(*problem),
        ),
        Rejection::Write(refused) => write_refused(refused),
        Rejection::SyncWorks => {
            Notice::new(tr("The Core is already working"), tr("Wait for it, or stop it first."))
        }
        Rejection::UndoClash { field } => Notice::new(
            text!("The same lines of {} have changed since", field_name(field)),
            tr("The change of the Core can no longer be undone automatically. Edit the text by hand."),
        ),
        Rejection::ReadOnly => Notice::new(
            tr("Another tab is working in this session"),
            tr("Continue there, or close that tab and reload this one."),
        ),
        Rejection::Store(reason) => Notice::new(
            tr("This could not be saved, so it was not done"),
            text!("The browser's storage reported: {reason}. Free some space, then try again."),
        ),
        Rejection::Newer => Notice::new(
            tr("The data here is from a newer version of Nexus"),
            tr("It is read-only, so that nothing is damaged. Reload the page to get the newer version."),
        ),
        Rejection::PartMissing => Notice::new(
            tr("A part of Nexus could not be loaded"),
            tr("Nothing was changed. Check the connection, then try again."),
        ),
    }
}

/// A refused command as the event log keeps it, in one line.
pub(super) fn logged(reason: &str) -> String {
    match Rejection::of_log(reason) {
        Some(known) => rejection(&known).title,
        // Those whose values cannot be read back.
        None => match reason.split(['(', ' ']).next().unwrap_or_default() {
            "BadGraph" => tr("This graph cannot run").to_owned(),
            "BadAddress" => tr("Invalid base URL").to_owned(),
            "BadTrigger" => tr("The trigger was not saved").to_owned(),
            "Write" => tr("The files could not be changed").to_owned(),
            _ => reason.to_owned(),
        },
    }
}

/// What is wrong with a trigger.
pub fn trigger_error(error: TriggerError) -> String {
    match error {
        TriggerError::Nameless => tr("Enter a name.").to_owned(),
        TriggerError::SaysNothing => tr("Enter a message.").to_owned(),
        TriggerError::TooLong => tr("The message is too long.").to_owned(),
        TriggerError::TooOften => tr("A trigger may fire at most once a minute.").to_owned(),
        TriggerError::Over => tr("That time is in the past. Choose a later one.").to_owned(),
        TriggerError::Nobody => tr("The agent or session no longer exists. Choose another.").to_owned(),
        TriggerError::TooMany => text!("There are {TRIGGERS} already. Delete one first."),
    }
}

/// A refused write to the mind.
pub fn write_refused(refused: &WriteError) -> Notice {
    match refused {
        WriteError::Clash { field, .. } => Notice::new(
            text!("Others changed the same lines of {}", field_name(field)),
            tr(
                "Both versions are in the field, with markers. Edit them, then mark the conflict as resolved.",
            ),
        ),
        WriteError::NoSuchFile { name } => {
            Notice::new(text!("File “{name}” not found"), tr("It may have been renamed or removed."))
        }
        WriteError::NameTaken { name } => {
            Notice::new(text!("A file “{name}” already exists"), tr("Choose another name."))
        }
        WriteError::NotFound { name } => {
            Notice::new(text!("The text to replace is not in “{name}”"), tr("Check the current file."))
        }
        WriteError::Ambiguous { name, times } => Notice::new(
            text!("The text to replace is in “{name}” {times} times"),
            tr("Use a longer passage, so that it is found once."),
        ),
        WriteError::IsImage { name } => {
            Notice::new(text!("“{name}” is an image"), tr("A text cannot take its place. Delete it first."))
        }
        WriteError::BadImage { name } => Notice::new(
            text!("“{name}” cannot be kept as an image"),
            text!("It is damaged, or larger than {} MB.", IMAGE_BYTES / 1_000_000),
        ),
        WriteError::ImagesFull => Notice::new(
            tr("The images of this session take too much room"),
            text!("All together they may have {} MB. Delete some.", SESSION_IMAGES_BYTES / 1_000_000),
        ),
        WriteError::BadName { name } => Notice::new(
            text!("“{name}” is not a valid file name"),
            tr("Names are 1 to 255 bytes long, without “..”, backslashes, or spaces at the ends."),
        ),
    }
}

fn field_name(field: &str) -> String {
    match field {
        "objective" => tr("the objective").to_owned(),
        "scratchpad" => tr("the scratchpad").to_owned(),
        file => quoted(file),
    }
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
            Rejection::PartMissing,
        ];
        for one in all {
            let told = rejection(&one);
            assert!(!told.title.is_empty() && told.advice.ends_with('.'), "{told:?}");
            let logged = logged(&one.logged());
            assert!(logged.contains(' ') && !logged.contains(['(', '{', '"']), "{logged}");
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

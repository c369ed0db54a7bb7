//! Strings of rejected commands. They do not name the command.

use crate::language::{text, tr};
use crate::strings::format::{Notice, notice, quoted};
use crate::strings::graph;
use nexus_model::command::Rejection;
use nexus_model::limits::{ATTACHMENT_BYTES, IMAGE_BYTES, PINS, SESSION_IMAGES_BYTES, TRIGGERS};
use nexus_model::mind::WriteError;
use nexus_model::session::trigger::TriggerError;

pub fn rejection(rejection: &Rejection) -> Notice {
    match rejection {
        Rejection::NoSuchSession => {
            notice("Session not found", "It may have been removed in another tab. Choose another one.")
        }
        Rejection::NoSuchTurn
        | Rejection::NoSuchMessage
        | Rejection::NoSuchRun
        | Rejection::NoSuchToolRun => notice(
            "That part of the conversation is not loaded",
            "Load earlier turns, or reload the page, and try again.",
        ),
        Rejection::NoSuchAgent => notice("No agent has that name", "Choose one from the list of agents."),
        Rejection::TooManyPins => {
            Notice::new(text!("{PINS} messages are pinned already"), tr("Unpin one that you no longer need."))
        }
        Rejection::NothingSaid => notice("The message is empty", "Write something first."),
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
                text!("They must be a JSON object. Change them, then approve again.")
            } else {
                text!("{}. Change them, then approve again.", found.join("; "))
            },
        ),
        Rejection::NothingToContinue => {
            notice("That turn has nothing to continue", "Retry it instead, or tell the agent what to do.")
        }
        Rejection::NotWaiting => notice(
            "That message is no longer queued",
            "An agent already has it, or it was removed. Send another one.",
        ),
        Rejection::NoGraph => notice("This run has no graph", "Start a run from a graph template first."),
        Rejection::BadGraph(error) => Notice::new(tr("This graph cannot run"), graph::error(error)),
        Rejection::RunWorks => notice("A run is in progress", "Wait until it ends, or stop it first."),
        Rejection::Stale => notice("This changed in the meantime", "Check the current state, and try again."),
        Rejection::CompactionWorks => notice(
            "A compaction is already queued or in progress",
            "Stop it in the conversation, or wait until it ends.",
        ),
        Rejection::NoSuchMemory => notice("Memory not found", "It may have been changed in another tab."),
        Rejection::NoSuchTrigger => notice("Trigger not found", "It may have been removed in another tab."),
        Rejection::BadTrigger(error) => Notice::new(tr("The trigger was not saved"), trigger_error(*error)),
        Rejection::BadMemory => notice(
            "This memory cannot be saved",
            "A memory has 1 to 255 characters and differs from all others.",
        ),
        Rejection::NotFailed => notice("That turn did not fail", "There is nothing to retry."),
        Rejection::BadName => notice("That name cannot be used", "It is empty or taken. Choose another one."),
        Rejection::LastSession => notice("This is the last open session", "Create another one first."),
        Rejection::NotAllowed => notice(
            "This agent may not use that provider",
            "Choose another model, or allow the provider in Settings → Agents.",
        ),
        Rejection::SessionClosed => {
            notice("This session is closed", "Reopen it in the session list, or fork from one of its turns.")
        }
        Rejection::TurnWorks => {
            notice("That turn is still in progress", "Wait until it ends, or stop it first.")
        }
        Rejection::HeadMissing => notice(
            "The newest turn of this session cannot be read",
            "Nothing was changed. Fork from an older turn, or use another session; Settings → Data exports your data.",
        ),
        Rejection::HistoryBroken => notice(
            "Earlier turns cannot be read",
            "The record is missing or damaged. Loaded turns stay, and nothing was changed.",
        ),
        Rejection::StillNeeded => notice(
            "Other sessions depend on this one",
            "It stays hidden, and is deleted once no session needs its turns.",
        ),
        Rejection::MovedOn => notice(
            "A branch has changed",
            "One of the two branches changed since the merge was prepared. It is prepared again; review it again.",
        ),
        Rejection::Unrelated => {
            notice("No common ancestor", "Only branches that come from the same turn can be merged.")
        }
        Rejection::NothingToMerge => {
            notice("There is nothing to merge", "This session already contains that branch.")
        }
        Rejection::ClashesOpen => notice(
            "Unresolved conflicts",
            "Choose one side, or both, wherever both branches changed the same lines.",
        ),
        Rejection::LastAgent => notice("This is the last agent", "Add another one first."),
        Rejection::BuiltIn => {
            notice("The demo is part of Nexus", "It cannot be removed. Agents do not have to use it.")
        }
        Rejection::InUse(agents) => Notice::new(
            text!("{} depend on this provider", crate::strings::format::listed(agents)),
            tr("Give them another provider first, or switch them to the demo."),
        ),
        Rejection::BadAddress(problem) => {
            Notice::new(tr("Invalid base URL"), crate::strings::settings::providers::address_error(*problem))
        }
        Rejection::Write(error) => write_error(error),
        Rejection::SyncWorks => notice("The Core is already working", "Wait for it, or stop it first."),
        Rejection::UndoClash { field } => Notice::new(
            text!("The same lines of {} have changed since", field_name(field)),
            tr("The change of the Core can no longer be undone automatically. Edit the text by hand."),
        ),
        Rejection::ReadOnly => notice(
            "Another tab is working in this session",
            "Continue there, or close that tab and reload this one.",
        ),
        Rejection::Store(reason) => Notice::new(
            tr("This could not be saved, so it was not done"),
            text!("The browser's storage reported: {reason}. Free some space, then try again."),
        ),
        Rejection::Newer => notice(
            "The data here is from a newer version of Nexus",
            "It is read-only, so that nothing is damaged. Reload the page to get the newer version.",
        ),
        Rejection::PartMissing => notice(
            "A part of Nexus could not be loaded",
            "Nothing was changed. Check the connection, then try again.",
        ),
    }
}

pub(super) fn logged(reason: &str) -> String {
    match Rejection::of_log(reason) {
        Some(known) => rejection(&known).title,
        // Rejections whose values cannot be parsed.
        None => match reason.split(['(', ' ']).next().unwrap_or_default() {
            "BadGraph" => text!("This graph cannot run"),
            "BadAddress" => text!("Invalid base URL"),
            "BadTrigger" => text!("The trigger was not saved"),
            "Write" => text!("The files could not be changed"),
            _ => reason.to_owned(),
        },
    }
}

pub fn trigger_error(error: TriggerError) -> String {
    match error {
        TriggerError::Nameless => text!("Enter a name."),
        TriggerError::SaysNothing => text!("Enter a message."),
        TriggerError::TooLong => text!("The message is too long."),
        TriggerError::TooOften => text!("A trigger may fire at most once a minute."),
        TriggerError::Over => text!("That time is in the past. Choose a later one."),
        TriggerError::Nobody => text!("The agent or session no longer exists. Choose another."),
        TriggerError::TooMany => text!("There are {TRIGGERS} already. Delete one first."),
    }
}

pub fn write_error(error: &WriteError) -> Notice {
    match error {
        WriteError::Conflict { field, .. } => Notice::new(
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
        "objective" => text!("the objective"),
        "scratchpad" => text!("the scratchpad"),
        file => quoted(file),
    }
}

#[cfg(test)]
mod tests;

//! Strings of rejected commands. They do not name the command.

use crate::strings::format::quoted;
use crate::strings::graph;
use crate::strings::prelude::*;
use crate::strings::settings::providers::address_error;
use nexus_model::limits::{ATTACHMENT_BYTES, IMAGE_BYTES, PINS, SESSION_IMAGES_BYTES, TRIGGERS};
use nexus_model::session::trigger::TriggerError;

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

texts! {
    pub fn trigger_error(error: TriggerError) -> String {
        TriggerError::Nameless => "Enter a name.";
        TriggerError::SaysNothing => "Enter a message.";
        TriggerError::TooLong => "The message is too long.";
        TriggerError::TooOften => "A trigger may fire at most once a minute.";
        TriggerError::Over => "That time is in the past. Choose a later one.";
        TriggerError::Nobody => "The agent or session no longer exists. Choose another.";
        TriggerError::TooMany => "There are {TRIGGERS} already. Delete one first.";
    }

    fn field_name(field: &str) -> String {
        "objective" => "the objective";
        "scratchpad" => "the scratchpad";
        file => { quoted(file) };
    }

    pub fn rejection(rejection: &Rejection) -> Notice {
        Rejection::NoSuchSession => "Session not found",
            "It may have been removed in another tab. Choose another one.";
        Rejection::NoSuchTurn | Rejection::NoSuchMessage | Rejection::NoSuchRun | Rejection::NoSuchToolRun =>
            "That part of the conversation is not loaded", "Load earlier turns, or reload the page, and try again.";
        Rejection::NoSuchAgent => "This agent was deleted",
            "Choose another one, or write to one with @ and its name.";
        Rejection::TooManyPins => "{PINS} messages are pinned already", "Unpin one that you no longer need.";
        Rejection::NothingSaid => "The message is empty", "Write something first.";
        Rejection::BadAttachment { name } => "“{name}” cannot be attached",
            "It is empty, damaged, or larger than {}. Remove it, or attach a smaller one.", large_size(ATTACHMENT_BYTES);
        Rejection::BadArguments { found } if found.is_empty() => "Invalid arguments for this tool",
            "They must be a JSON object. Change them, then approve again.";
        Rejection::BadArguments { found } => "Invalid arguments for this tool",
            "{}. Change them, then approve again.", found.join("; ");
        Rejection::NothingToContinue => "That turn has nothing to continue",
            "Retry it instead, or tell the agent what to do.";
        Rejection::NotWaiting => "That message is no longer queued",
            "An agent already has it, or it was removed. Send another one.";
        Rejection::NoGraph => "This run has no graph", "Start a run from a graph template first.";
        Rejection::BadGraph(error) => { Notice::new(tr("This graph cannot run"), graph::error(error)) };
        Rejection::RunWorks => "A run is in progress", "Wait until it ends, or stop it first.";
        Rejection::Stale => "This changed in the meantime", "Check the current state, and try again.";
        Rejection::CompactionWorks => "A compaction is already queued or in progress",
            "Stop it in the conversation, or wait until it ends.";
        Rejection::NoSuchMemory => "Memory not found", "It may have been changed in another tab.";
        Rejection::NoSuchTrigger => "Trigger not found", "It may have been removed in another tab.";
        Rejection::BadTrigger(error) => { Notice::new(tr("The trigger was not saved"), trigger_error(*error)) };
        Rejection::BadMemory => "This memory cannot be saved",
            "A memory has 1 to 255 characters and differs from all others.";
        Rejection::NotFailed => "That turn did not fail", "There is nothing to retry.";
        Rejection::BadName => "That name cannot be used", "It is empty or taken. Choose another one.";
        Rejection::LastSession => "This is the last open session", "Create another one first.";
        Rejection::NotAllowed => "This agent may not use that provider",
            "Choose another model, or allow the provider in Settings → Agents.";
        Rejection::SessionClosed => "This session is closed",
            "Reopen it in the session list, or fork from one of its turns.";
        Rejection::TurnWorks => "That turn is still in progress", "Wait until it ends, or stop it first.";
        Rejection::HeadMissing => "The newest turn of this session cannot be read",
            "Nothing was changed. Fork from an older turn, or use another session; Settings → Data exports your data.";
        Rejection::HistoryBroken => "Earlier turns cannot be read",
            "The record is missing or damaged. Loaded turns stay, and nothing was changed.";
        Rejection::StillNeeded => "Other sessions depend on this one",
            "It stays hidden, and is deleted once no session needs its turns.";
        Rejection::MovedOn => "A branch has changed",
            "One of the two branches changed since the merge was prepared. It is prepared again; review it again.";
        Rejection::Unrelated => "No common ancestor",
            "Only branches that come from the same turn can be merged.";
        Rejection::NothingToMerge => "There is nothing to merge",
            "This session already contains that branch.";
        Rejection::ClashesOpen => "Unresolved conflicts",
            "Choose one side, or both, wherever both branches changed the same lines.";
        Rejection::LastAgent => "This is the last agent", "Add another one first.";
        Rejection::BuiltIn => "The demo is part of Nexus",
            "It cannot be removed. Agents do not have to use it.";
        Rejection::InUse(agents) => {
            Notice::new(
                text!("{} depend on this provider", listed(agents)),
                tr("Give them another provider first, or switch them to the demo."),
            )
        };
        Rejection::BadAddress(problem) => { Notice::new(tr("Invalid base URL"), address_error(*problem)) };
        Rejection::Write(error) => { write_error(error) };
        Rejection::SyncWorks => "The Core is already working", "Wait for it, or stop it first.";
        Rejection::UndoClash { field } => {
            Notice::new(
                text!("The same lines of {} have changed since", field_name(field)),
                tr("The change of the Core can no longer be undone automatically. Edit the text by hand."),
            )
        };
        Rejection::ReadOnly => "Another tab is working in this session",
            "Continue there, or open the session here and choose “Take over”.";
        Rejection::Store(reason) => "This could not be saved, so it was not done",
            "The browser's storage reported: {reason}. Free some space, then try again.";
        Rejection::Newer => "The data here is from a newer version of Nexus",
            "It is read-only, so that nothing is damaged. Reload the page to get the newer version.";
        Rejection::PartMissing => "A part of Nexus could not be loaded",
            "Nothing was changed. Check the connection, then try again.";
    }

    pub fn write_error(error: &WriteError) -> Notice {
        WriteError::Conflict { field, .. } => {
            Notice::new(
                text!("Others changed the same lines of {}", field_name(field)),
                tr(
                    "Both versions are in the field, with markers. Edit them, then mark the conflict as resolved.",
                ),
            )
        };
        WriteError::NoSuchFile { name } => "File “{name}” not found", "It may have been renamed or removed.";
        WriteError::NameTaken { name } => "A file “{name}” already exists", "Choose another name.";
        WriteError::NotFound { name } => "The text to replace is not in “{name}”", "Check the current file.";
        WriteError::Ambiguous { name, times } => "The text to replace is in “{name}” {times} times",
            "Use a longer passage, so that it is found once.";
        WriteError::IsImage { name } => "“{name}” is an image",
            "A text cannot take its place. Delete it first.";
        WriteError::BadImage { name } => "“{name}” cannot be kept as an image",
            "It is damaged, or larger than {} MB.", IMAGE_BYTES / 1_000_000;
        WriteError::ImagesFull => "The images of this session take too much room",
            "All together they may have {} MB. Delete some.", SESSION_IMAGES_BYTES / 1_000_000;
        WriteError::BadName { name } => "“{name}” is not a valid file name",
            "Names are 1 to 255 bytes long, without “..”, backslashes, or spaces at the ends.";
    }
}

#[cfg(test)]
mod tests;

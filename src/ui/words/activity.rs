//! Never names who did it: the feed shows the name before these words.
//!
//! Owns the words of the activity feed.

use crate::domain::archivist::ChoreEnd;
use crate::domain::archivist::record;
use crate::domain::delegation::{WorkerEnd, WorkerResult};
use crate::domain::event::Happening;
use crate::domain::message::{Role, Source};
use crate::domain::mind::MindEdit;
use crate::domain::sync::SyncEnd;
use crate::domain::tool::{ToolStatus, Touched};
use crate::domain::turn::{TurnEnd, TurnKind};
use crate::ui::words::{count, ending_short, joining, tool_status};

/// What happened, for the feed; `None` for steps too small to tell.
pub fn activity(happening: &Happening) -> Option<String> {
    match happening {
        Happening::MessageCommitted { message } => (message.role == Role::User
            && message.source == Some(Source::Human))
        .then(|| "sent a message".to_owned()),
        // A report came with the end of its worker.
        Happening::MessageQueued { item } => item.report.is_none().then(|| "queued a message".to_owned()),
        Happening::RunPaused { .. } => Some("The run waits for you".to_owned()),
        Happening::RunResumed { .. } => Some("let the run go on".to_owned()),
        Happening::RoundEnded { summary, .. } => Some(format!("Round {} ended", summary.round)),
        Happening::TurnOpened { turn } => match turn.kind {
            TurnKind::Normal => Some("began".to_owned()),
            TurnKind::Merge => Some("merged another branch".to_owned()),
            TurnKind::Compaction => None,
        },
        Happening::CompactionOpened(_)
        | Happening::CompactionMade(_)
        | Happening::CompactionFailed(_)
        | Happening::SummaryMade(_)
        | Happening::MemoriesChecked(_)
        | Happening::MemoryChanged(_)
        | Happening::ChoreFailed(_) => archivist(happening).map(str::to_owned),
        Happening::RetryScheduled { attempt, .. } => Some(format!("tries again (attempt {attempt})")),
        Happening::ApprovalAsked { .. } => Some("asks to use a tool".to_owned()),
        Happening::ApprovalGiven { allowed: true, .. } => Some("allowed a tool".to_owned()),
        Happening::ApprovalGiven { allowed: false, .. } => Some("did not allow a tool".to_owned()),
        Happening::ToolEnded { status, touched, message, .. } => Some(tool_ended(*status, touched, {
            crate::domain::part::answers_of(&message.parts).next().map_or("a tool", |answer| &answer.name)
        })),
        Happening::TurnClosed { end, .. } => Some(match end {
            TurnEnd::Completed => "finished".to_owned(),
            TurnEnd::Cancelled
            | TurnEnd::Interrupted
            | TurnEnd::CutOff
            | TurnEnd::TimedOut
            | TurnEnd::Error => ending_short(*end).to_owned(),
        }),
        Happening::MindEdited { undoes: Some(_), .. } => {
            Some("took back what the Core had changed".to_owned())
        }
        Happening::MindEdited { edits, .. } => edits.first().map(|edit| format!("changed {}", edited(edit))),
        Happening::MindSynced { .. } | Happening::SyncRequested { .. } | Happening::SyncFailed { .. } => {
            Some(core(happening).to_owned())
        }
        Happening::JoinProposed(proposed) => Some(joining::proposed(proposed)),
        Happening::HeadMoved { by_hand: Some(_), .. } => Some("went to another turn".to_owned()),
        Happening::ChangesReviewed { .. } => Some("reviewed changes".to_owned()),
        Happening::WorkerSent { worker, .. } => Some(format!("sent a worker: {}", worker.title)),
        Happening::WorkerEnded { result, .. } => Some(worker_ended(result)),
        Happening::QueueEdited { .. }
        | Happening::RunOpened { .. }
        | Happening::RunEnded { .. }
        | Happening::NodeChanged { .. }
        | Happening::ContextRequested { .. }
        | Happening::ContextBuilt { .. }
        | Happening::ModelRequested { .. }
        | Happening::ResponseBegan { .. }
        | Happening::ModelAnswered { .. }
        | Happening::ModelFailed { .. }
        | Happening::ToolRequested { .. }
        | Happening::ToolStarted { .. }
        | Happening::HeadMoved { by_hand: None, .. }
        | Happening::SessionChanged { .. }
        | Happening::SessionPurged { .. }
        | Happening::AgentChanged { .. }
        | Happening::AgentRemoved { .. }
        | Happening::ProviderChanged { .. }
        | Happening::ProviderRemoved { .. }
        | Happening::SettingChanged { .. }
        | Happening::TriggerChanged { .. }
        | Happening::TriggerFired(_)
        | Happening::TriggerRemoved { .. }
        | Happening::TriggerEnded(_)
        | Happening::SyncOpened { .. }
        | Happening::JoinAsked(_)
        | Happening::CompactionRequested(_)
        | Happening::ChoreOpened(_)
        | Happening::MemoryNoted(_)
        | Happening::CommandRefused { .. }
        | Happening::ContentsKept { .. }
        | Happening::Notice { .. }
        | Happening::CriticalError { .. } => None,
    }
}

fn worker_ended(result: &WorkerResult) -> String {
    let words = match result.how {
        WorkerEnd::Done => "A worker is done",
        WorkerEnd::Failed => "A worker failed",
        WorkerEnd::Stopped => "A worker was stopped",
        WorkerEnd::Lost => "A worker is gone",
    };
    match result.clashes.len() {
        0 => words.to_owned(),
        some => format!("{words}; {} not merged", count(some, "file was", "files were")),
    }
}

/// What the Archivist did.
fn archivist(happening: &Happening) -> Option<&'static str> {
    if let Happening::CompactionFailed(record::NotCompacted { retry_in_ms, .. }) = happening {
        return retry_in_ms.is_none().then_some("Older turns could not be summarised");
    }
    if let Happening::ChoreFailed(record::ChoreFailure { end, retry_in_ms, .. }) = happening {
        let told = *end == ChoreEnd::Failed && retry_in_ms.is_none();
        return told.then_some("The Archivist came to nothing");
    }
    if let Happening::MemoriesChecked(record::MemoryLook { noted, .. }) = happening {
        return (*noted > 0).then_some("The Archivist noted something to remember");
    }
    if matches!(happening, Happening::CompactionOpened(_)) {
        return Some("Older turns are being summarised");
    }
    if matches!(happening, Happening::CompactionMade(_)) {
        return Some("Older turns were summarised");
    }
    if matches!(happening, Happening::SummaryMade(_)) {
        return Some("The Archivist summarised the session");
    }
    matches!(happening, Happening::MemoryChanged(_)).then_some("changed what is remembered")
}

/// What the Core did.
fn core(happening: &Happening) -> &'static str {
    if let Happening::MindSynced { edits, .. } = happening {
        let words = "The Core looked and left the plan as it is";
        return if edits.is_empty() { words } else { "The Core brought the plan up to date" };
    }
    let Happening::SyncFailed { end, retry_in_ms, .. } = happening else {
        return "The Core waits for the run to end";
    };
    match end {
        _ if retry_in_ms.is_some() => "The Core tries again",
        SyncEnd::Failed => "The Core could not be asked",
        SyncEnd::Cancelled => "The Core was stopped",
        SyncEnd::Interrupted => "The Core was interrupted",
    }
}

fn tool_ended(status: ToolStatus, touched: &[Touched], tool: &str) -> String {
    if status != ToolStatus::Succeeded {
        return format!("{tool}: {}", tool_status(status));
    }
    let Some(first) = touched.first() else { return format!("used {tool}") };
    let name = if first.is_file { first.field.clone() } else { format!("the {}", first.field) };
    let more = match touched.len() {
        1 => String::new(),
        more => format!(" and {}", count(more - 1, "more", "more")),
    };
    // The two figures stay on one line.
    format!("wrote {name}{more} (+{}\u{a0}−{})", first.lines.added, first.lines.removed)
}

fn edited(edit: &MindEdit) -> String {
    match edit {
        MindEdit::Objective { .. } => "the objective".to_owned(),
        MindEdit::Scratchpad { .. } | MindEdit::ScratchpadLines { .. } => "the scratchpad".to_owned(),
        MindEdit::File { name, .. } | MindEdit::FileLines { name, .. } => name.clone(),
        MindEdit::FileRemoved { name } => format!("the files: {name} is gone"),
        MindEdit::FileRenamed { from, to } => format!("a name: {from} is {to} now"),
        MindEdit::Active { .. } => "the active file".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::text::diff::LineCount;

    #[test]
    fn a_write_names_what_was_written_and_how_much() {
        let touched = |field: &str, is_file| Touched {
            field: field.into(),
            is_file,
            lines: LineCount { added: 42, removed: 1 },
        };
        let one = tool_ended(ToolStatus::Succeeded, &[touched("timer.js", true)], "write_file");
        assert_eq!(one, "wrote timer.js (+42\u{a0}−1)");
        let two = [touched("scratchpad", false), touched("timer.js", true)];
        let two = tool_ended(ToolStatus::Succeeded, &two, "update_nexus_state");
        assert_eq!(two, "wrote the scratchpad and 1 more (+42\u{a0}−1)");
    }

    #[test]
    fn a_tool_that_wrote_nothing_is_told_by_its_name() {
        assert_eq!(tool_ended(ToolStatus::Succeeded, &[], "read_file"), "used read_file");
        assert_eq!(tool_ended(ToolStatus::Denied, &[], "write_file"), "write_file: denied");
    }
}

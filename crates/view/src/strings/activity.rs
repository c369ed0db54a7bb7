//! Strings of the activity feed. The feed itself shows the agent's name.

use crate::strings::board::merge;
use crate::strings::format::count;
use crate::strings::status::{ending_short, tool_status};
use nexus_model::event::EventKind;
use nexus_model::maintenance::{JobEnd, record};
use nexus_model::message::{Role, Source};
use nexus_model::mind::MindEdit;
use nexus_model::mind::core_sync::{ProposalStep, SyncEnd};
use nexus_model::session::delegation::{WorkerEnd, WorkerResult};
use nexus_model::tool::{FileChange, ToolStatus};
use nexus_model::turn::{TurnEnd, TurnKind};

/// What happened, for the feed; `None` for steps too small to tell.
pub fn activity(happening: &EventKind) -> Option<String> {
    match happening {
        EventKind::MessageCommitted { message } => (message.role == Role::User
            && message.source == Some(Source::Human))
        .then(|| "sent a message".to_owned()),
        // A report came with the end of its worker.
        EventKind::MessageQueued { item } => item.report.is_none().then(|| "queued a message".to_owned()),
        EventKind::RunPaused { .. } => Some("The run waits for you".to_owned()),
        EventKind::RunResumed { .. } => Some("let the run go on".to_owned()),
        EventKind::RoundEnded { summary, .. } => Some(format!("Round {} ended", summary.round)),
        EventKind::TurnOpened { turn } => match turn.kind {
            TurnKind::Normal => Some("began".to_owned()),
            TurnKind::Merge => Some("merged another branch".to_owned()),
            TurnKind::Compaction => None,
        },
        EventKind::CompactionOpened(_)
        | EventKind::CompactionMade(_)
        | EventKind::CompactionFailed(_)
        | EventKind::SummaryMade(_)
        | EventKind::MemoriesChecked(_)
        | EventKind::MemoryChanged(_)
        | EventKind::ChoreFailed(_) => archivist(happening).map(str::to_owned),
        EventKind::RetryScheduled { attempt, .. } => Some(format!("tries again (attempt {attempt})")),
        EventKind::ApprovalAsked { .. } => Some("asks to use a tool".to_owned()),
        EventKind::ApprovalGiven { allowed: true, .. } => Some("allowed a tool".to_owned()),
        EventKind::ApprovalGiven { allowed: false, .. } => Some("did not allow a tool".to_owned()),
        EventKind::ToolEnded { status, touched, message, .. } => Some(tool_ended(*status, touched, {
            nexus_model::message::content::answers_of(&message.parts)
                .next()
                .map_or("a tool", |answer| &answer.name)
        })),
        EventKind::TurnClosed { end, .. } => Some(match end {
            TurnEnd::Completed => "finished".to_owned(),
            TurnEnd::Cancelled
            | TurnEnd::Interrupted
            | TurnEnd::CutOff
            | TurnEnd::TimedOut
            | TurnEnd::Error => ending_short(*end).to_owned(),
        }),
        EventKind::MindEdited { undoes: Some(_), .. } => {
            Some("took back what the Core had changed".to_owned())
        }
        EventKind::MindEdited { edits, .. } => edits.first().map(|edit| format!("changed {}", edited(edit))),
        EventKind::MindSynced { .. } | EventKind::SyncRequested { .. } | EventKind::SyncFailed { .. } => {
            Some(core(happening).to_owned())
        }
        EventKind::JoinProposed(proposed) => Some(merge::proposed(proposed)),
        EventKind::HeadMoved { by_hand: Some(_), .. } => Some("went to another turn".to_owned()),
        EventKind::ChangesReviewed { .. } => Some("reviewed changes".to_owned()),
        EventKind::WorkerSent { worker, .. } => Some(format!("sent a worker: {}", worker.title)),
        EventKind::WorkerEnded { result, .. } => Some(worker_ended(result)),
        EventKind::QueueEdited { .. }
        | EventKind::RunOpened { .. }
        | EventKind::RunEnded { .. }
        | EventKind::NodeChanged { .. }
        | EventKind::ContextRequested { .. }
        | EventKind::ContextBuilt { .. }
        | EventKind::ModelRequested { .. }
        | EventKind::ResponseBegan { .. }
        | EventKind::ModelAnswered { .. }
        | EventKind::ModelFailed { .. }
        | EventKind::ToolRequested { .. }
        | EventKind::ToolStarted { .. }
        | EventKind::HeadMoved { by_hand: None, .. }
        | EventKind::SessionChanged { .. }
        | EventKind::SessionPurged { .. }
        | EventKind::AgentChanged { .. }
        | EventKind::AgentRemoved { .. }
        | EventKind::ProviderChanged { .. }
        | EventKind::ProviderRemoved { .. }
        | EventKind::SettingChanged { .. }
        | EventKind::TriggerChanged { .. }
        | EventKind::TriggerFired(_)
        | EventKind::TriggerRemoved { .. }
        | EventKind::TriggerEnded(_)
        | EventKind::SyncOpened { .. }
        | EventKind::JoinAsked(_)
        | EventKind::CompactionRequested(_)
        | EventKind::ChoreOpened(_)
        | EventKind::MemoryNoted(_)
        | EventKind::CommandRefused { .. }
        | EventKind::ContentsKept { .. }
        | EventKind::Notice { .. }
        | EventKind::CriticalError { .. } => None,
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

fn archivist(happening: &EventKind) -> Option<&'static str> {
    if let EventKind::CompactionFailed(record::CompactionFailure { retry_in_ms, .. }) = happening {
        return retry_in_ms.is_none().then_some("Older turns could not be summarised");
    }
    if let EventKind::ChoreFailed(record::JobFailure { end, retry_in_ms, .. }) = happening {
        let told = *end == JobEnd::Failed && retry_in_ms.is_none();
        return told.then_some("The Archivist came to nothing");
    }
    if let EventKind::MemoriesChecked(record::MemoryScan { noted, .. }) = happening {
        return (*noted > 0).then_some("The Archivist noted something to remember");
    }
    if matches!(happening, EventKind::CompactionOpened(_)) {
        return Some("Older turns are being summarised");
    }
    if matches!(happening, EventKind::CompactionMade(_)) {
        return Some("Older turns were summarised");
    }
    if matches!(happening, EventKind::SummaryMade(_)) {
        return Some("The Archivist summarised the session");
    }
    matches!(happening, EventKind::MemoryChanged(_)).then_some("changed what is remembered")
}

fn core(happening: &EventKind) -> &'static str {
    if let EventKind::MindSynced { proposal: Some(step), .. } = happening {
        return match step {
            ProposalStep::Made(_) => "The Core proposed a change",
            ProposalStep::Applied => "The Core's proposal was applied",
            ProposalStep::Dismissed => "The Core's proposal was dismissed",
        };
    }
    if let EventKind::MindSynced { edits, .. } = happening {
        let words = "The Core looked and left the plan as it is";
        return if edits.is_empty() { words } else { "The Core brought the plan up to date" };
    }
    let EventKind::SyncFailed { end, retry_in_ms, .. } = happening else {
        return "The Core waits for the run to end";
    };
    match end {
        _ if retry_in_ms.is_some() => "The Core tries again",
        SyncEnd::Failed => "The Core could not be asked",
        SyncEnd::Cancelled => "The Core was stopped",
        SyncEnd::Interrupted => "The Core was interrupted",
    }
}

fn tool_ended(status: ToolStatus, touched: &[FileChange], tool: &str) -> String {
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
    use nexus_text::diff::LineCount;

    #[test]
    fn a_write_names_what_was_written_and_how_much() {
        let touched = |field: &str, is_file| FileChange {
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

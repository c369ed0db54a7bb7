//! Strings of the activity feed. The feed itself shows the agent's name.

use crate::strings::board::core_sync::field;
use crate::strings::board::merge;
use crate::strings::prelude::*;
use crate::strings::status::{ending_short, tool_status};
use nexus_model::job::JobFailure;
use nexus_model::message::content::answers_of;
use nexus_model::mind::core_sync::{ProposalStep, SyncResult};
use nexus_model::session::delegation::WorkerResult;

/// Text of an event in the feed; `None` for minor steps.
#[expect(clippy::wildcard_enum_match_arm, reason = "the event log has words for each of the others")]
pub fn activity(event: &EventKind) -> Option<String> {
    match event {
        EventKind::MessageCommitted { message } => (message.role == Role::User
            && message.source == Some(Source::Human))
        .then(|| text!("sent a message")),
        // A worker's report is covered by its `WorkerEnded`.
        EventKind::MessageQueued { item } => item.report.is_none().then(|| text!("queued a message")),
        EventKind::RunPaused { .. } => Some(text!("The run needs you")),
        EventKind::RunResumed { .. } => Some(text!("resumed the run")),
        EventKind::RoundEnded { summary, .. } => Some(text!("Round {} ended", summary.round)),
        EventKind::TurnOpened { turn } => match turn.kind {
            TurnKind::Normal => Some(text!("began")),
            TurnKind::Merge => Some(text!("merged another branch")),
            TurnKind::Compaction => None,
        },
        EventKind::JobOpened(job) => {
            (job.kind() == JobKind::Compaction).then(|| text!("Compacting the conversation"))
        }
        EventKind::JobRetrying(retry) => {
            (retry.kind.slot() == JobSlot::Core).then(|| text!("The Core is retrying"))
        }
        EventKind::JobFailed(failed) => job_failed(failed).map(str::to_owned),
        EventKind::JobDone(done) => job_done(&done.result),
        EventKind::CompactionDropped { .. } => Some(text!("The conversation could not be compacted")),
        EventKind::MemoryChanged(_) => Some(text!("changed a memory")),
        EventKind::RetryScheduled { attempt, .. } => Some(text!("retries (attempt {attempt})")),
        EventKind::ApprovalAsked { .. } => Some(text!("asks to use a tool")),
        EventKind::ApprovalGiven { allowed: true, .. } => Some(text!("allowed a tool")),
        EventKind::ApprovalGiven { allowed: false, .. } => Some(text!("denied a tool")),
        EventKind::ToolEnded { status, touched, message, .. } => {
            let answer = answers_of(&message.parts).next();
            Some(tool_ended(*status, touched, answer.map_or(tr("a tool"), |answer| &answer.name)))
        }
        EventKind::TurnClosed { end: TurnEnd::Completed, .. } => Some(text!("finished")),
        EventKind::TurnClosed { end, .. } => Some(ending_short(*end).to_owned()),
        EventKind::MindEdited { undoes: Some(_), .. } => Some(text!("reverted the Core's change")),
        EventKind::MindEdited { edits, .. } => edits.first().map(|edit| text!("changed {}", edited(edit))),
        EventKind::MindSynced { edits, proposal, .. } => Some(plan_changed(edits, *proposal).to_owned()),
        EventKind::SyncRequested { .. } => Some(text!("The Core is waiting for the run to end")),
        EventKind::HeadMoved { by_hand: Some(_), .. } => Some(text!("jumped to another turn")),
        EventKind::ChangesReviewed { .. } => Some(text!("reviewed changes")),
        EventKind::WorkerSent { worker, .. } => Some(text!("started a subagent: {}", worker.title)),
        EventKind::WorkerEnded { result, .. } => Some(worker_ended(result)),
        // The table of kinds leaves these out of the feed.
        _ => None,
    }
}

fn worker_ended(result: &WorkerResult) -> String {
    let words = match result.end {
        WorkerEnd::Done => tr("A subagent is done"),
        WorkerEnd::Failed => tr("A subagent failed"),
        WorkerEnd::Stopped => tr("A subagent was stopped"),
        WorkerEnd::Lost => tr("A subagent is gone"),
    };
    match result.conflicts.len() {
        0 => words.to_owned(),
        some => text!("{words}; {} not merged", count(some, "file was", "files were")),
    }
}

fn job_failed(failed: &JobFailure) -> Option<&'static str> {
    Some(match (failed.kind, failed.end) {
        (JobKind::Sync | JobKind::Merge, JobEnd::Failed) => tr("The sync of the Core failed"),
        (JobKind::Sync | JobKind::Merge, JobEnd::Cancelled) => tr("The Core was stopped"),
        (JobKind::Sync | JobKind::Merge, JobEnd::Interrupted) => tr("The Core was interrupted"),
        (JobKind::Compaction, JobEnd::Failed) => tr("The conversation could not be compacted"),
        (JobKind::Summary | JobKind::Memory, JobEnd::Failed) => tr("The Archivist failed"),
        // The event that ended these has its own entry.
        (_, JobEnd::Cancelled | JobEnd::Interrupted) => return None,
    })
}

fn job_done(result: &JobResult) -> Option<String> {
    Some(match result {
        JobResult::Sync(SyncResult { proposed: Some(_), .. }) => text!("The Core proposed a change"),
        JobResult::Sync(result) => plan_changed(&result.edits, None).to_owned(),
        JobResult::Merge(proposed) => merge::proposed(proposed),
        JobResult::Compaction { .. } => text!("The conversation was compacted"),
        JobResult::Summary { .. } => text!("The Archivist summarised the session"),
        JobResult::Memory { noted: 0, .. } => return None,
        JobResult::Memory { .. } => text!("The Archivist saved a memory"),
    })
}

fn plan_changed(edits: &[MindEdit], proposal: Option<ProposalStep>) -> &'static str {
    match proposal {
        Some(ProposalStep::Applied) => tr("The Core's proposal was applied"),
        Some(ProposalStep::Dismissed) => tr("The Core's proposal was dismissed"),
        None if edits.is_empty() => tr("The Core found nothing to change"),
        None => tr("The Core updated the plan"),
    }
}

fn tool_ended(status: ToolStatus, touched: &[FileChange], tool: &str) -> String {
    if status != ToolStatus::Succeeded {
        return format!("{tool}: {}", tool_status(status));
    }
    let Some(first) = touched.first() else { return text!("used {tool}") };
    let name = field(&first.field);
    let more = match touched.len() {
        1 => String::new(),
        more => text!(" and {}", count(more - 1, "more", "more")),
    };
    // A no-break space keeps both figures on one line.
    text!("wrote {name}{more} (+{}\u{a0}−{})", first.lines.added, first.lines.removed)
}

fn edited(edit: &MindEdit) -> String {
    match edit {
        MindEdit::Objective { .. } => text!("the objective"),
        MindEdit::Scratchpad { .. } | MindEdit::ScratchpadLines { .. } => text!("the scratchpad"),
        MindEdit::File { name, .. } | MindEdit::FileLines { name, .. } => name.clone(),
        MindEdit::FileRemoved { name } => text!("the files: removed {name}"),
        MindEdit::FileRenamed { from, to } => text!("a file name: {from} → {to}"),
        MindEdit::Active { .. } => text!("the active file"),
    }
}

#[cfg(test)]
mod tests;

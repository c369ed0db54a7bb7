//! Strings of the Core: status, changes, settings.

use crate::strings::prelude::*;
use nexus_model::job::SessionJobs;
use nexus_model::message::CoreNote;
use nexus_model::mind::core_sync::{CoreState, NO_PATCH, SyncRecord};

pub const CORE_ABOUT: Text = Text(
    "Keeps objective and scratchpad consistent with the files and the conversation. Runs automatically after enough changes, or when you start it.",
);
pub const UNDO: Text = Text("Undo this change");
pub const DISMISS: Text = Text("Dismiss");
pub const PROPOSES: Text = Text("The Core proposes this change:");
pub const PROPOSES_NOTHING: Text =
    Text("You have changed the same lines since, so the proposal cannot be applied.");
pub const UNDONE: Text = Text("Reverted");

/// Status of the Core, without a running time.
pub fn core_state(core: &CoreState, jobs: &SessionJobs, due: bool) -> String {
    if core.pending.is_some() {
        return text!("waiting for the run to end");
    }
    match (jobs.of(JobSlot::Core), jobs.failed(JobKind::Sync), &core.last) {
        (Some(open), ..) if open.retry.is_some() => text!("failed, retrying"),
        (Some(open), ..) if open.kind() == JobKind::Merge => text!("reading branches"),
        (Some(_), ..) => text!("syncing"),
        (None, ..) if due => text!("syncs"),
        (None, Some(failed), _) => match failed.end {
            JobEnd::Failed => tr("sync failed"),
            JobEnd::Cancelled => tr("stopped"),
            JobEnd::Interrupted => tr("interrupted"),
        }
        .to_owned(),
        (None, None, Some(_)) if core.proposal.is_some() => text!("proposes a change"),
        (None, None, Some(last)) if last.minds.is_none() => text!("up to date"),
        (None, None, Some(_)) => text!("plan updated"),
        (None, None, None) => text!("not synced"),
    }
}

pub fn core_time(core: &CoreState, jobs: &SessionJobs, due: Option<Millis>, now: Millis) -> String {
    let until = |at: Millis| text!("in {} s", at.0.saturating_sub(now.0).div_ceil(1_000));
    if core.pending.is_some() {
        return String::new();
    }
    match (jobs.of(JobSlot::Core), due, jobs.failed(JobKind::Sync), &core.last) {
        (Some(open), ..) => match open.retry {
            Some(retry) => until(retry.at),
            None => elapsed(now.0.saturating_sub(open.at.0)),
        },
        (None, Some(at), ..) => until(at),
        (None, None, Some(failed), _) => ago(failed.at, now),
        (None, None, None, Some(last)) => ago(last.at, now),
        (None, None, None, None) => String::new(),
    }
}

/// Why the Core's sync failed; `usual` is the notice of a failed model call.
pub fn core_failure(failure: &ProviderError, usual: impl FnOnce() -> Notice) -> Notice {
    if failure.code.as_deref() == Some(NO_PATCH) {
        return notice(
            "The answer could not be used",
            "The model did not answer in the requested format. Try again, or choose another model for the Core in Settings. Nothing was changed.",
        );
    }
    usual()
}

/// Summary of a change: fields and lines.
pub fn core_change(touched: &[FileChange]) -> String {
    if touched.is_empty() {
        return text!("Changed nothing");
    }
    let fields = touched.iter().map(|one| changed_lines(field(&one.field), one.lines));
    text!("Changed {}", listed(&fields.collect::<Vec<_>>()))
}

/// Edits dropped because the operator changed the same lines; `None` if none were.
pub fn core_dropped(dropped: &[String]) -> Option<String> {
    let fields: Vec<_> = dropped.iter().map(|name| field(name).to_owned()).collect();
    (!fields.is_empty()).then(|| {
        text!(
            "It also wanted to change {}, in lines that you had changed meanwhile. Your version is kept.",
            listed(&fields)
        )
    })
}

pub fn core_note(note: &CoreNote) -> Vec<String> {
    let kept = note.kept_words.then(|| KEPT_WORDS.to_owned());
    std::iter::once(core_change(&note.touched)).chain(core_dropped(&note.dropped)).chain(kept).collect()
}

pub const KEPT_WORDS: Text = Text("The Core wanted to reword the objective. Your words are kept.");

pub fn core_used(record: &SyncRecord) -> String {
    let cost = record.cost.map(|cost| text!("about {}", money(cost)));
    let parts = std::iter::once(model_name(&record.model)).chain(cost).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(" · ")
}

/// Total usage of the Core in this session; `None` if it was never called.
pub fn core_spent(used: &RunUsage) -> Option<String> {
    let cost = match (used.cost.0, used.unpriced) {
        (0, _) => String::new(),
        (_, 0) => format!(" · {}", money(used.cost)),
        (_, _) => format!(" · {} +", money(used.cost)),
    };
    (used.calls > 0).then(|| {
        text!(
            "In this session: {} · {} tokens{cost}",
            count(used.calls, "call", "calls"),
            tokens(used.tokens)
        )
    })
}

/// Name of a field of the mind within a sentence; a file's own name.
pub(crate) fn field(name: &str) -> &str {
    match name {
        "objective" => tr("the objective"),
        "scratchpad" => tr("the scratchpad"),
        other => other,
    }
}

pub mod settings {
    use crate::strings::prelude::*;

    pub const ABOUT: Text = Text("Keeps objective and scratchpad consistent with the files.");
    pub const AS_ARCHITECT: Text = Text("Same as Architect");
    pub const MODEL_ABOUT: Text = Text(
        "Leave blank to use the Architect’s model, or that of an agent with the same provider. A small, fast model is enough.",
    );
}

#[cfg(test)]
mod tests;

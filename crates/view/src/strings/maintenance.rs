//! Strings of compaction, context usage, summaries and memories.

use crate::strings::inspect::span;
use crate::strings::prelude::*;
use nexus_engine::queries::JobRecord;
use nexus_model::context::window::WindowUsage;
use nexus_model::job::FailedJob;
use nexus_model::limits::UNUSABLE_ANSWERS;
use nexus_model::memory::{Revision, RevisionKind};
use nexus_model::turn::compaction::NOTHING;

// Timeline mark.
pub const COMPACTING: Text = Text("Compacting the conversation…");
pub const SUMMARY: Text = Text("Summary");
pub const ABOVE: Text = Text(
    "From here on the agents see this summary, the kept turns and everything later. The full history stays above.",
);
pub const NO_SUMMARY: Text =
    Text("The conversation could not be compacted. It continues; turns that do not fit are left out.");

// Context gauge.
pub const FOCUS: Text = Text("Focus of the summary");
pub const FOCUS_EXAMPLE: Text = Text("optional, such as what was decided");
pub const CONTEXT: Text = Text("Context");
pub const COMPACT: Text = Text("Compact conversation");
pub const COMPACT_ABOUT: Text = Text(
    "Replaces all but the newest turns with a summary for the agents. Calls this agent’s model once. Nothing is deleted.",
);
pub const WAITS: Text = Text("A compaction is queued or in progress.");
pub const GAUGE_OPEN: Text = Text("Context window usage");

// Memories.
pub const MEMORIES_ABOUT: Text = Text(
    "Facts that the Archivist noted and the agents get: pinned ones first, then by importance, age and relevance. The inspector shows which were sent with a request.",
);
pub const SEARCH: Text = Text("Search memories");
pub const NOTHING_NOTED: Text = Text("No memories yet.");
pub const NOTHING_FOUND: Text = Text("No memories match.");
pub const DELETED: Text = Text("Deleted. It will not be noted again.");
pub const CONTENT: Text = Text("Memory");
pub const IMPORTANCE: Text = Text("Importance");
pub const SCOPE: Text = Text("Visible to");
pub const SOURCE: Text = Text("Source message");
pub const SOURCE_GONE: Text = Text("Its message is not loaded.");
pub const SESSION_GONE: Text = Text("The session it comes from was deleted.");
pub const SESSION_SUMMARY: Text = Text("Session summary");
pub const NO_SESSION_SUMMARY: Text = Text("The summary appears after the first answers.");

// Archivist activity.
pub const PASSES: Text = Text("Archivist activity");
pub const PASSES_ABOUT: Text = Text(
    "Each summary and memory scan is a run of its own. The inspector keeps its request and response for the days set in Settings.",
);
pub const NO_PASSES: Text = Text("No activity yet.");

pub fn pass_works(job: &Job) -> String {
    let messages = count(job.messages().len(), "message", "messages");
    if job.kind() == JobKind::Summary {
        text!("Asking {} to summarise {messages}…", model_name(&job.model))
    } else {
        text!("Asking {} what to remember from {messages}…", model_name(&job.model))
    }
}

pub fn pass_kind(kind: JobKind) -> &'static str {
    if kind == JobKind::Summary { "summary" } else { "memory" }
}

fn pass_title(kind: JobKind) -> &'static str {
    if kind == JobKind::Summary { tr("Summary") } else { tr("Memories") }
}

/// The name of the Archivist in a turn of this job.
pub fn agent_name(kind: JobKind) -> String {
    format!("{ARCHIVIST}: {}", pass_title(kind))
}

pub fn pass_state(pass: &JobRecord) -> &'static str {
    match pass.turn.end {
        Some(TurnEnd::Completed) => "done",
        Some(TurnEnd::Cancelled) => "stopped",
        Some(TurnEnd::Interrupted) => "interrupted",
        Some(TurnEnd::CutOff | TurnEnd::TimedOut | TurnEnd::Error) | None => "failed",
    }
}

pub fn pass(pass: &JobRecord, ago: &str) -> String {
    let messages = count(pass.messages, "message", "messages");
    let new = pass.noted.map(|noted| count(noted, "memory update", "memory updates"));
    let mut facts = vec![pass_title(pass.kind).to_owned()];
    facts.push(match pass_state(pass) {
        "done" => new.unwrap_or_else(|| text!("done")),
        other => other.to_owned(),
    });
    facts.extend([messages, model_name(&pass.turn.config.model)]);
    facts.extend(pass.turn.closed_at.map(|end| span(end.0.saturating_sub(pass.turn.opened_at.0))));
    if pass.used.tokens > 0 {
        facts.push(tokens_with_unit(pass.used.tokens));
        facts.extend(pass.used.known_cost().map(money));
    }
    facts.push(ago.to_owned());
    facts.join(" · ")
}

// Settings.
pub const ARCHIVIST: Text = Text("Archivist");
pub const ABOUT: Text = Text(
    "Keeps conversations short enough for the models, and remembers facts. It calls a model only after a run, and only as set here.",
);
pub const PROVIDER: Text = Text("Provider for summaries and memories");
pub const AS_CORE: Text = Text("Same as Core");
pub const MODEL_ABOUT: Text = Text("Leave blank to use the Core’s model.");

pub fn compacted(made: &Compaction) -> String {
    let turns = count(made.turns, "turn", "turns");
    match (made.summary.is_some(), made.tokens_after) {
        (true, Some(after)) => {
            text!("{turns} compacted · ≈ {} → {} tokens", tokens(made.tokens_before), tokens(after))
        }
        (true, None) => text!("{turns} compacted"),
        (false, _) => text!("{turns} not compacted"),
    }
}

texts! {
    pub(super) fn reason(reason: CompactionReason) -> &'static str {
        CompactionReason::Threshold => "the context was nearly full";
        CompactionReason::Overflow => "a request was too long for the model";
        CompactionReason::Manual => "you asked for it";
    }

    pub fn scope(scope: &MemoryScope, name: impl Fn(&str) -> String) -> String {
        MemoryScope::Session => "All agents, one session";
        MemoryScope::Persona(agent) => "{}, all sessions", name(agent.as_str());
        MemoryScope::Operator => "All agents, all sessions";
    }

    pub(super) fn job_about(kind: JobKind) -> &'static str {
        JobKind::Sync => "a sync of the plan";
        JobKind::Merge => "proposals for a merge";
        JobKind::Compaction => "a compaction of older turns";
        JobKind::Summary => "a summary of the session";
        JobKind::Memory => "memories";
    }
}

pub fn facts(made: &Compaction) -> String {
    let mut facts = vec![reason(made.reason).to_owned(), model_name(&made.model)];
    facts.extend(made.took_ms().map(span));
    let used = made.usage.total();
    facts.extend((used > 0).then(|| text!("{} tokens used", tokens(used))));
    facts.extend(made.cost.map(money));
    facts.extend(made.focus.as_ref().map(|focus| text!("focus: {focus}")));
    if made.prior.is_some() {
        facts.push(text!("with the previous summary"));
    }
    if made.cut {
        facts.push(text!("earlier turns were left out"));
    }
    facts.join(" · ")
}

/// Share of the context window in use, marked if estimated: `42 %`.
pub fn gauge(filling: &WindowUsage) -> String {
    let mark = if filling.is_counted { "" } else { "≈ " };
    format!("{mark}{} %", filling.percent())
}

pub fn gauge_about(filling: &WindowUsage) -> String {
    let (used, window) = (tokens(filling.tokens), tokens(filling.window));
    let known = if filling.is_counted { tr("counted by the provider") } else { tr("estimated") };
    text!("{used} of {window} tokens of the context window, {known}")
}

/// The gauge's state, for the look, and its word.
pub fn gauge_state(filling: &WindowUsage) -> (&'static str, &'static str) {
    match filling.percent() {
        0..60 => ("room", ""),
        60..85 => ("filling", tr("filling up")),
        _ => ("full", tr("nearly full")),
    }
}

pub fn not_compacted(failure: &ProviderError) -> String {
    if failure.code.as_deref() == Some(NOTHING) {
        return text!("Nothing to compact: the newest three turns always stay.");
    }
    text!("The last compaction did not start: {}", failure.message)
}

pub fn revision(revision: &Revision) -> String {
    match revision.kind {
        RevisionKind::Changed => text!("Changed by the Archivist. Before: {}", revision.content),
        RevisionKind::Retired => {
            text!("Retired by the Archivist, so agents no longer see it: {}", revision.content)
        }
        RevisionKind::Widened => text!("The Archivist made it visible in all sessions."),
    }
}

pub fn listed(shown: usize, all: usize) -> String {
    if shown == all { count(all, "memory", "memories") } else { text!("{shown} of {all} memories") }
}

/// The notice that the Archivist stops asking its model for the day; `None` as long as it does not.
pub fn given_up(failed: &FailedJob) -> Option<Notice> {
    (failed.unusable == UNUSABLE_ANSWERS).then(|| {
        let (model, what) = (model_name(&failed.model), job_about(failed.kind));
        Notice::new(
            tr("The Archivist pauses until tomorrow"),
            text!("{model} did not answer in the format that the Archivist needs for {what}. Choose another model for it in Settings to continue now. The conversation is not affected."),
        )
    })
}

pub fn maintenance_failed(failed: &FailedJob, failure: &ProviderError) -> String {
    let kind = failed.kind;
    if let Some(notice) = given_up(failed) {
        return format!("{}. {}", notice.title, notice.advice);
    }
    let what = if kind == JobKind::Summary {
        tr("The last summary of this session")
    } else {
        tr("The last memory scan")
    };
    let why = translate_template(&failure.message);
    let why = why.trim_end_matches('.');
    text!("{what} failed: {why}. Existing data stays; it is retried after new messages.")
}

#[cfg(test)]
mod tests;

//! Strings of compaction, context usage, summaries and memories.

use crate::strings::format::{count, money, tokens};
use crate::strings::inspect::span;
use nexus_engine::queries::job_history::JobRecord;
use nexus_model::context::token_budget::WindowUsage;
use nexus_model::event::EventKind;
use nexus_model::maintenance::{JobEnd, JobKind, OpenJob, record};
use nexus_model::memory::MemoryScope;
use nexus_model::provider::failure::ProviderError;
use nexus_model::turn::TurnEnd;
use nexus_model::turn::compaction::{Compaction, CompactionReason, NOTHING};

// The mark in the timeline.
pub const COMPACTING: &str = "Summarising older turns…";
pub const STOP: &str = "Stop";
pub const SUMMARY: &str = "Summary";
pub const ABOVE: &str = "From here on the agents see this summary, the turns that were kept, and what came later. \
    The whole history stays above.";
pub const NO_SUMMARY: &str =
    "Older turns could not be summarised. The conversation goes on; what does not fit is left out.";

// The gauge.
pub const FOCUS: &str = "What the summary should keep above all";
pub const FOCUS_EXAMPLE: &str = "optional: the decisions about storage";
pub const COMPACT: &str = "Summarise older turns";
pub const COMPACT_ABOUT: &str = "Puts all but the newest turns into a summary that the agents see instead of \
    them. It asks this agent’s model once. Nothing is deleted.";
pub const WAITS: &str = "A compaction waits or works.";
pub const GAUGE_OPEN: &str = "How full the model’s window is";

// What is remembered.
pub const MEMORIES: &str = "Memories";
pub const MEMORIES_ABOUT: &str = "What the Archivist noted and the agents are told: pinned facts first, then by \
    importance, age, and what a message is about. The inspector shows which went into a request.";
pub const SEARCH: &str = "Search memories";
pub const NOTHING_NOTED: &str = "Nothing is remembered yet.";
pub const NOTHING_FOUND: &str = "No memory matches.";
pub const PIN: &str = "Pin";
pub const UNPIN: &str = "Unpin";
pub const DELETE: &str = "Delete";
pub const RESTORE: &str = "Restore";
pub const DELETED: &str = "Deleted. It will not be noted again.";
pub const CONTENT: &str = "What is remembered";
pub const IMPORTANCE: &str = "Importance";
pub const SCOPE: &str = "Told to";
pub const SOURCE: &str = "From the message";
pub const SOURCE_GONE: &str = "Its message is not loaded.";
pub const SESSION_GONE: &str = "The session that it comes from is forgotten.";
pub const SESSION_SUMMARY: &str = "This session in short";
pub const NO_SESSION_SUMMARY: &str = "It is summarised once something was said and answered.";

// The runs of the Archivist.
pub const PASSES: &str = "What the Archivist did here";
pub const PASSES_ABOUT: &str = "Each summary and each look for memories is a run of its own. The inspector keeps \
    what was asked and answered for as many days as the settings say.";
pub const NO_PASSES: &str = "Nothing yet.";
pub const PASS_INSPECT: &str = "Inspect";
pub const PASS_AUDIT: &str = "In the audit";

/// What it does now.
pub fn pass_works(chore: &OpenJob) -> String {
    let messages = count(chore.messages.len(), "message", "messages");
    match chore.kind {
        JobKind::Summary => format!("It asks {} for a summary, with {messages} that are new…", chore.model),
        JobKind::Memory => format!("It asks {} what of {messages} is worth remembering…", chore.model),
    }
}

/// What kind of run it was.
pub fn pass_kind(kind: JobKind) -> &'static str {
    match kind {
        JobKind::Summary => "summary",
        JobKind::Memory => "memory",
    }
}

/// How it ended, for who looks for it.
pub fn pass_state(pass: &JobRecord) -> &'static str {
    match pass.turn.end {
        Some(TurnEnd::Completed) => "done",
        Some(TurnEnd::Cancelled) => "stopped",
        Some(TurnEnd::Interrupted) => "interrupted",
        Some(TurnEnd::CutOff | TurnEnd::TimedOut | TurnEnd::Error) | None => "failed",
    }
}

/// A run in a line.
pub fn pass(pass: &JobRecord, ago: &str) -> String {
    let messages = count(usize::try_from(pass.messages).unwrap_or(usize::MAX), "message", "messages");
    let new = pass
        .noted
        .map(|noted| count(usize::try_from(noted).unwrap_or(usize::MAX), "new memory", "new memories"));
    let mut facts = vec![match pass.kind {
        JobKind::Summary => "Summary".to_owned(),
        JobKind::Memory => "Memories".to_owned(),
    }];
    facts.push(match pass_state(pass) {
        "done" => new.unwrap_or_else(|| "made".to_owned()),
        other => other.to_owned(),
    });
    facts.extend([messages, pass.turn.config.model.clone()]);
    facts.extend(pass.turn.closed_at.map(|end| span(end.0.saturating_sub(pass.turn.opened_at.0))));
    facts.extend(
        Some(pass.used.tokens).filter(|used| *used > 0).map(|used| format!("{} tokens", tokens(used))),
    );
    facts.extend(pass.used.known_cost().filter(|_| pass.used.tokens > 0).map(money));
    facts.push(ago.to_owned());
    facts.join(" · ")
}

// Settings.
pub const ARCHIVIST: &str = "Archivist";
pub const ABOUT: &str = "Keeps conversations short enough for the models, and remembers. It asks a model by \
    itself only after a run, and only as set here.";
pub const PROVIDER: &str = "Provider for summaries and memories";
pub const PROVIDER_ABOUT: &str = "Where their model is called.";
pub const AS_CORE: &str = "As the Core";
pub const MODEL: &str = "Model";
pub const MODEL_ABOUT: &str = "Empty: as the Core.";

/// The heading of a compaction's mark.
pub fn compacted(made: &Compaction) -> String {
    let turns = count(usize::try_from(made.turns).unwrap_or(usize::MAX), "turn", "turns");
    match (made.summary.is_some(), made.tokens_after) {
        (true, Some(after)) => {
            format!("{turns} summarised · ≈ {} → {} tokens", tokens(made.tokens_before), tokens(after))
        }
        (true, None) => format!("{turns} summarised"),
        (false, _) => format!("{turns} not summarised"),
    }
}

/// Why there was a compaction.
pub(crate) fn reason(reason: CompactionReason) -> &'static str {
    match reason {
        CompactionReason::Threshold => "the context was nearly full",
        CompactionReason::Overflow => "a request was too long for the model",
        CompactionReason::Manual => "you asked for it",
    }
}

/// What there is to know of a compaction besides its summary.
pub fn facts(made: &Compaction) -> String {
    let mut facts = vec![reason(made.reason).to_owned(), made.model.clone()];
    facts.extend(made.took_ms().map(span));
    facts.extend(
        Some(made.usage.total()).filter(|used| *used > 0).map(|used| format!("{} tokens used", tokens(used))),
    );
    facts.extend(made.cost.map(money));
    facts.extend(made.focus.as_ref().map(|focus| format!("focus: {focus}")));
    if made.prior.is_some() {
        facts.push("with the summary before it".to_owned());
    }
    if made.cut {
        facts.push("turns before these were too many to be read".to_owned());
    }
    facts.join(" · ")
}

/// How full a window is, in short: `42 %`, with a mark where it is estimated.
pub fn gauge(filling: &WindowUsage) -> String {
    let mark = if filling.told { "" } else { "≈ " };
    format!("{mark}{} %", filling.percent())
}

/// The same in words.
pub fn gauge_about(filling: &WindowUsage) -> String {
    let (used, window) = (tokens(filling.tokens), tokens(filling.window));
    let known = if filling.told { "as the provider counted" } else { "estimated" };
    format!("{used} of {window} tokens of the window, {known}")
}

/// Whether a window is so full that it is said in words.
pub fn gauge_state(filling: &WindowUsage) -> &'static str {
    match filling.percent() {
        0..60 => "room",
        60..85 => "filling",
        _ => "full",
    }
}

/// What a nearly full window is called.
pub fn gauge_word(filling: &WindowUsage) -> &'static str {
    match filling.percent() {
        0..60 => "",
        60..85 => "filling up",
        _ => "nearly full",
    }
}

/// Why a compaction did not begin.
pub fn refused(failure: &ProviderError) -> String {
    if failure.code.as_deref() == Some(NOTHING) {
        return "There was nothing to summarise: the newest three turns always stay.".to_owned();
    }
    format!("The last compaction did not begin: {}", failure.message)
}

/// Whom a memory is told to.
pub fn scope(scope: &MemoryScope, name: impl Fn(&str) -> String) -> String {
    match scope {
        MemoryScope::Session => "all in its session".to_owned(),
        MemoryScope::Persona(agent) => format!("{} in every session", name(agent.as_str())),
        MemoryScope::Operator => "all in every session".to_owned(),
    }
}

/// How many memories are listed of how many.
pub fn listed(shown: usize, all: usize) -> String {
    if shown == all { count(all, "memory", "memories") } else { format!("{shown} of {all} memories") }
}

/// What happened, for the audit.
pub(super) fn happened(happening: &EventKind) -> String {
    let kind = |kind: &JobKind| match kind {
        JobKind::Summary => "a summary of the session",
        JobKind::Memory => "what is worth remembering",
    };
    if let EventKind::CompactionRequested(wanted) = happening {
        format!("a compaction is wanted: {}", reason(wanted.reason))
    } else if let EventKind::ChoreOpened(chore) = happening {
        format!("the Archivist asks {} for {}", chore.model, kind(&chore.kind))
    } else if let EventKind::ChoreFailed(record::JobFailure { kind: what, end, retry_in_ms, .. }) = happening
    {
        match (end, retry_in_ms) {
            (_, Some(_)) => format!("the Archivist tries again: {}", kind(what)),
            (JobEnd::Failed, None) => format!("no answer: {}", kind(what)),
            (JobEnd::Cancelled, None) => format!("stopped: {}", kind(what)),
            (JobEnd::Interrupted, None) => format!("interrupted: {}", kind(what)),
        }
    } else if let EventKind::CompactionFailed(record::CompactionFailure { failure, .. }) = happening {
        failure.message.clone()
    } else if let EventKind::MemoryNoted(memory) = happening {
        format!("noted: {}", memory.content)
    } else if let EventKind::MemoriesChecked(record::MemoryScan { checked, noted, .. }) = happening {
        format!("looked through {}, {} new", count(checked.len(), "message", "messages"), noted)
    } else {
        String::new()
    }
}

/// That a chore came to nothing, and why.
pub fn chore_failed(kind: JobKind, failure: &ProviderError) -> String {
    let what = match kind {
        JobKind::Summary => "The last summary of this session",
        JobKind::Memory => "The last look for what is worth remembering",
    };
    let why = failure.message.trim_end_matches('.');
    format!(
        "{what} came to nothing: {why}. What was known stays; it is tried again once something new was said."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_says_what_is_estimated_and_what_is_told() {
        let told = WindowUsage { tokens: 4_200, window: 10_000, told: true };
        let full = WindowUsage { tokens: 9_000, told: false, ..told };
        assert_eq!((gauge(&told).as_str(), gauge_word(&told)), ("42 %", ""));
        assert_eq!((gauge(&full).as_str(), gauge_word(&full)), ("≈ 90 %", "nearly full"));
        assert_eq!(gauge_about(&told), "4,200 of 10,000 tokens of the window, as the provider counted");
        assert_eq!(gauge_about(&full), "9,000 of 10,000 tokens of the window, estimated");
    }

    #[test]
    fn what_came_to_nothing_says_why_and_when_it_is_tried_again() {
        let failure = ProviderError::new(
            nexus_model::provider::failure::ProviderErrorKind::Garbled,
            "The answer is not JSON.",
        );
        let told = chore_failed(JobKind::Summary, &failure);
        assert!(told.contains("came to nothing: The answer is not JSON. What"), "{told}");
    }

    #[test]
    fn a_list_says_how_many_of_how_many() {
        assert_eq!((listed(1, 1).as_str(), listed(2, 7).as_str()), ("1 memory", "2 of 7 memories"));
    }
}

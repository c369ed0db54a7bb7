//! Selectors for the Archivist: context gauges, compactions, memories.

use super::TestId;

test_ids! {
    /// Button in an agent's card: share of its context window in use; `data-state` is `room`, `filling` or `full`,
    /// `data-counted` is `true` if the provider counted.
    GAUGE = "gauge";
    /// In it: why the last compaction did not start.
    GAUGE_ERROR = "gauge-error";
    /// Input in it: focus of the compaction.
    COMPACT_FOCUS = "compact-focus";
    /// The mark of a compaction in the timeline; `data-state` is `working`, `done` or `failed`.
    COMPACTION = "compaction";
    COMPACTION_SUMMARY = "compaction-summary";
    /// Button: the memories view of the board.
    FACE_MEMORIES = "face-memories";
    SESSION_TITLE = "session-title";
    SESSION_SUMMARY = "session-summary";
    /// Beside it: failed jobs with their errors.
    CHORE_FAILED = "chore-failed";
    /// Input in it: search.
    MEMORY_SEARCH = "memory-search";
    /// In it: number of listed memories.
    MEMORY_COUNT = "memory-count";
    /// A memory; `data-here` is `false` after its deletion.
    MEMORY = "memory";
    /// Text area in it: the content.
    MEMORY_CONTENT = "memory-content";
    MEMORY_PIN = "memory-pin";
    /// Select in it: its scope; `session`, `operator` or `agent` with a key.
    MEMORY_SCOPE = "memory-scope";
    /// Button in it: go to its message.
    MEMORY_SOURCE = "memory-source";
    MEMORY_DELETE = "memory-delete";
    /// In it: the last change by the Archivist.
    MEMORY_REVISION = "memory-revision";
    /// Button in it: undo that change.
    MEMORY_UNDO = "memory-undo";
    /// Button in place of a deleted one: restore it.
    MEMORY_RESTORE = "memory-restore";
    /// An Archivist job in that view; `data-kind` is `summary` or `memory`, `data-state` is `done`, `failed`,
    /// `stopped` or `interrupted`.
    PASS = "pass";
    /// In it: the error.
    PASS_FAILURE = "pass-failure";
    /// Link in it: open it in the inspector.
    PASS_INSPECT = "pass-inspect";
    /// Link in it: show its events in the audit.
    PASS_AUDIT = "pass-audit";
    /// In the inspector: omitted parts of a request.
    INSPECT_LEFT_OUT = "inspect-left-out";
    /// In it: truncated tool results.
    INSPECT_SUMMARY = "inspect-summary";
    /// Checkbox there: summarise sessions.
    SUMMARY_AUTO = "summary-auto";
    /// Checkbox there: collect memories.
    MEMORY_AUTO = "memory-auto";
}

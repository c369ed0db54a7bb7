//! Selectors for the Archivist: context gauges, compactions, memories.

use super::Part;

parts! {
    /// Button in an agent's card: how full the window of its model is; `data-state` is `room`, `filling` or `full`,
    /// `data-told` is `true` where the provider counted.
    GAUGE = "gauge";
    /// In it: why the last compaction did not begin.
    GAUGE_REFUSED = "gauge-refused";
    /// Input in it: what a compaction should keep above all.
    COMPACT_FOCUS = "compact-focus";
    /// The mark of a compaction in the timeline; `data-state` is `working`, `done` or `failed`.
    COMPACTION = "compaction";
    COMPACTION_SUMMARY = "compaction-summary";
    /// Button: the board's face that shows what is remembered.
    FACE_MEMORIES = "face-memories";
    SESSION_TITLE = "session-title";
    SESSION_SUMMARY = "session-summary";
    /// Beside it: what came to nothing, and why.
    CHORE_FAILED = "chore-failed";
    /// Input in it: searches what is remembered.
    MEMORY_SEARCH = "memory-search";
    /// In it: how many are listed.
    MEMORY_COUNT = "memory-count";
    /// Something that is remembered; `data-here` is `false` once it was deleted.
    MEMORY = "memory";
    /// Text area in that: what.
    MEMORY_CONTENT = "memory-content";
    MEMORY_PIN = "memory-pin";
    /// Select in that: whom it is told to; `session`, `operator` or `agent` with a key.
    MEMORY_SCOPE = "memory-scope";
    /// Button in that: leads to its message.
    MEMORY_SOURCE = "memory-source";
    MEMORY_DELETE = "memory-delete";
    /// In that: what the Archivist did to it last.
    MEMORY_REVISION = "memory-revision";
    /// Button in that: takes it back.
    MEMORY_UNDO = "memory-undo";
    /// Button in the place of one that was deleted: brings it back.
    MEMORY_RESTORE = "memory-restore";
    /// A run of the Archivist in that face; `data-kind` is `summary` or `memory`, `data-state` is `done`, `failed`,
    /// `stopped` or `interrupted`.
    PASS = "pass";
    /// In it: why it failed.
    PASS_FAILURE = "pass-failure";
    /// Link in it: opens it in the inspector.
    PASS_INSPECT = "pass-inspect";
    /// Link in it: shows all of it in the audit.
    PASS_AUDIT = "pass-audit";
    /// In the inspector: what a request went without.
    INSPECT_LEFT_OUT = "inspect-left-out";
    /// In it: that results of tools were given in short.
    INSPECT_IN_SHORT = "inspect-in-short";
    /// Checkbox there: whether sessions are.
    SUMMARY_AUTO = "summary-auto";
    /// Checkbox there: whether what is worth remembering is looked for.
    MEMORY_AUTO = "memory-auto";
    /// Input there, in an agent's card: the tokens of its window.
    AGENT_CONTEXT = "agent-context";
}

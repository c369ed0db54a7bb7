//! Selectors for the tree screen.

use super::TestId;

// The tree.
test_ids! {
    OPEN_TREE = "open-tree";
    /// The screen; `data-done` is `true` when all turns were read.
    TREE = "tree";
    /// Number of turns and sessions.
    TREE_SUMMARY = "tree-summary";
    TREE_PLANE = "tree-plane";
    /// Card of the selected turn.
    TREE_SPOKEN = "tree-spoken";
    /// Button: fit all.
    TREE_WHOLE = "tree-whole";
    /// Button: go to the head of the current session.
    TREE_TO_HEAD = "tree-to-head";
    /// In the card: the message.
    TREE_ASKED = "tree-asked";
    TREE_ANSWERED = "tree-answered";
    /// Button in it: unfold a run.
    TREE_UNFOLD = "tree-unfold";
    /// Button in it: select the turn for comparison.
    TREE_MARK = "tree-mark";
    /// Button in it: compare it with the selected one.
    TREE_COMPARE = "tree-compare";
    /// Link in it: open a session with this head.
    TREE_OPEN = "tree-open";
    /// The comparison of two turns.
    TREE_COMPARED = "tree-compared";
    /// In it: the diff of a field.
    TREE_DIFF = "diff";
    TREE_COMPARE_CLOSE = "tree-compare-close";
    /// A session beside the tree.
    TREE_FLAG = "tree-flag";
    /// Button in the card: fork.
    TREE_FORK = "tree-fork";
    /// Link in the card: snapshot of the turn.
    TREE_THEN = "tree-then";
    /// Button in the card: prepare a merge into the current session.
    TREE_MERGE = "tree-merge";
    MERGE = "merge";
    /// In it: the result and the open conflicts.
    MERGE_SUMMARY = "merge-summary";
    /// In it: a text that the other branch changed.
    MERGE_FIELD = "merge-field";
    /// Button at a conflict: ask the Core.
    MERGE_ASK = "merge-ask";
    /// Lines that resolve a conflict; `data-taken` is `true` if they are selected.
    MERGE_PROPOSAL = "merge-proposal";
    /// In it: the Core's reason.
    MERGE_WHY = "merge-why";
    MERGE_LINES = "merge-lines";
    MERGE_TAKE = "merge-take";
    MERGE_CORE = "merge-core";
    /// Why it proposed nothing.
    MERGE_CORE_FAILED = "merge-core-failed";
    /// Button at a conflict: use both sides.
    MERGE_BOTH = "merge-both";
    MERGE_GO = "merge-go";
    /// Button at a session: rename.
    TREE_FLAG_NAME = "tree-flag-name";
    /// Input there.
    TREE_FLAG_FIELD = "tree-flag-field";
    /// In the session list: archive or unarchive.
    TREE_FLAG_ARCHIVE = "tree-flag-archive";
}

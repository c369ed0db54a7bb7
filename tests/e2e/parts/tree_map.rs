//! Selectors for the tree screen.

use super::Part;

// The tree.
parts! {
    OPEN_TREE = "open-tree";
    /// The screen; `data-done` is `true` when all turns were read.
    TREE = "tree";
    /// How many turns and sessions there are.
    TREE_TOLD = "tree-told";
    TREE_PLANE = "tree-plane";
    /// What is said of the turn that is looked at.
    TREE_SPOKEN = "tree-spoken";
    /// Button: everything in view.
    TREE_WHOLE = "tree-whole";
    /// Button: to the head of the session in view.
    TREE_TO_HEAD = "tree-to-head";
    /// In the card of the turn that is looked at: what was asked.
    TREE_ASKED = "tree-asked";
    TREE_ANSWERED = "tree-answered";
    /// Button in it: shows a run turn by turn.
    TREE_UNFOLD = "tree-unfold";
    /// Button in it: chooses the turn to be compared.
    TREE_MARK = "tree-mark";
    /// Button in it: compares it with the chosen one.
    TREE_COMPARE = "tree-compare";
    /// Link in it: opens a session whose head it is.
    TREE_OPEN = "tree-open";
    /// The comparison of two turns.
    TREE_COMPARED = "tree-compared";
    /// In it: what differs in a field.
    TREE_DIFF = "diff";
    TREE_COMPARE_CLOSE = "tree-compare-close";
    /// A session beside the tree.
    TREE_FLAG = "tree-flag";
    /// Button in the card: a new session that goes on from the turn.
    TREE_FORK = "tree-fork";
    /// Link in the card: the turn as it was.
    TREE_THEN = "tree-then";
    /// Button in the card: drafts merging it into the session in view.
    TREE_MERGE = "tree-merge";
    MERGE = "merge";
    /// In it: what comes of it, and what is to decide.
    MERGE_TOLD = "merge-told";
    /// In it: a text that the other branch changed.
    MERGE_FIELD = "merge-field";
    /// Button at a clash: asks the Core about it.
    MERGE_ASK = "merge-ask";
    /// Lines in the place of a clash; `data-taken` is whether they count.
    MERGE_PROPOSAL = "merge-proposal";
    /// In it: why the Core proposes them.
    MERGE_WHY = "merge-why";
    MERGE_LINES = "merge-lines";
    MERGE_TAKE = "merge-take";
    MERGE_CORE = "merge-core";
    /// Why it proposed nothing.
    MERGE_CORE_FAILED = "merge-core-failed";
    /// Button at a clash: both sides' lines.
    MERGE_BOTH = "merge-both";
    MERGE_GO = "merge-go";
    /// Button at a session: names it.
    TREE_FLAG_NAME = "tree-flag-name";
    /// Input there.
    TREE_FLAG_FIELD = "tree-flag-field";
    /// In the list of sessions: puts one away, or takes it back.
    TREE_FLAG_ARCHIVE = "tree-flag-archive";
}

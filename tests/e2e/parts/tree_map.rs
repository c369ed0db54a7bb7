//! The parts of the page about the tree of turns. Never a class or a tag.
//!
//! Owns their part of the contract with the interface, as `parts` tells it.

use super::Part;

// The tree.
parts! {
    /// Link to the tree.
    OPEN_TREE = "open-tree";
    /// The screen; `data-done` is `true` when all turns were read.
    TREE = "tree";
    /// How many turns and sessions there are.
    TREE_TOLD = "tree-told";
    /// What it is drawn on.
    TREE_PLANE = "tree-plane";
    /// What is said of the turn that is looked at.
    TREE_SPOKEN = "tree-spoken";
    /// Button: everything in view.
    TREE_WHOLE = "tree-whole";
    /// Button: to the head of the session in view.
    TREE_TO_HEAD = "tree-to-head";
    /// In the card of the turn that is looked at: what was asked.
    TREE_ASKED = "tree-asked";
    /// In it: what was answered.
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
    TREE_DIFF = "tree-diff";
    /// Button in it: closes it.
    TREE_COMPARE_CLOSE = "tree-compare-close";
    /// A session beside the tree.
    TREE_FLAG = "tree-flag";
}

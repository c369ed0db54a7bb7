//! Never runs a node.
//!
//! Owns the order in which READY nodes run: a priority queue, High before Normal before Low, roster order within.

use crate::domain::run::{Node, NodeStatus, Run};

/// The node that runs next: the first READY one by priority, then by roster place. `None` while another runs, or
/// when none is READY.
pub fn next(run: &Run) -> Option<&Node> {
    if run.nodes.iter().any(|node| node.status == NodeStatus::Running) {
        return None;
    }
    run.nodes
        .iter()
        .filter(|node| node.status == NodeStatus::Ready)
        .min_by_key(|node| (std::cmp::Reverse(node.priority), node.place))
}

#[cfg(test)]
#[path = "ready_queue_tests.rs"]
mod tests;

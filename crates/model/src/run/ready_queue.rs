//! Picks the next READY node of a run: by priority (High, Normal, Low), then by roster order.

use crate::run::{Node, NodeStatus, Run};

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

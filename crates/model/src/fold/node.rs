//! Folds node events into the run, the inboxes of later nodes, and the usage of race lanes.

use super::Fold;
use crate::id::{NodeId, TurnId};
use crate::run::{Envelope, NodeStatus};
use crate::session::race::CandidateResult;
use crate::turn::tree::add_child;

impl Fold<'_, '_> {
    pub(super) fn node_changed(
        &mut self,
        node: &NodeId,
        status: NodeStatus,
        output: Option<&Envelope>,
        continues: Option<TurnId>,
    ) {
        let told = output.and_then(CandidateResult::read);
        self.run(|run| {
            let edges: Vec<_> =
                run.edges.iter().filter(|edge| &edge.from == node).map(|edge| edge.to.clone()).collect();
            for row in &mut run.nodes {
                if &row.id == node {
                    row.status = status;
                    row.continues = continues.or(row.continues);
                    if output.is_some() {
                        row.last_output = output.cloned();
                    }
                } else if let Some(output) = output
                    && edges.contains(&row.id)
                {
                    row.inbox.push(output.clone());
                }
            }
            for artifact in output.iter().flat_map(|output| &output.artifacts) {
                if !run.artifacts.contains(artifact) {
                    run.artifacts.push(artifact.clone());
                }
            }
            if let Some(told) = &told {
                run.used = run.used.plus(&told.spent);
            }
        });
        // The beginnings that lanes made stand beside each other in the session that asked.
        let root = told.and_then(|told| told.root);
        if let (Some(root), Some(id)) = (root, self.event.stream.session()) {
            self.session(id, |session| add_child(&mut session.roots, root));
        }
    }
}

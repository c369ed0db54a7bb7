//! Folds events of nodes and workers into the run, the inboxes of later nodes, and the sender's session and tool runs.

use super::Fold;
use crate::event::EventKind;
use crate::id::{NodeId, ToolRunId, TurnId};
use crate::run::{Envelope, NodeStatus};
use crate::session::delegation::{OpenWorker, Worker};
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

    pub(super) fn worker_sent(&mut self, tool_run: ToolRunId, worker: &Worker) {
        let Some(id) = self.event.stream.session() else { return };
        let open = OpenWorker { session: worker.session, tool_run, run: self.event.run };
        self.session(id, |session| session.workers.push(open));
        self.tool_run(tool_run, |run| run.worker = Some(worker.clone()));
    }

    pub(super) fn worker_ended(&mut self, happening: &EventKind) {
        let EventKind::WorkerEnded { tool_run, worker, result, edits } = happening else { return };
        let Some(id) = self.event.stream.session() else { return };
        let before = self.stage.session(&id).map(|session| session.mind);
        self.edit_mind(id, edits);
        let after = self.stage.session(&id).map(|session| session.mind);
        self.session(id, |session| session.workers.retain(|open| open.session != *worker));
        self.tool_run(*tool_run, |run| {
            if let Some(sent) = &mut run.worker {
                sent.end = Some(result.clone());
            }
            run.touched.clone_from(&result.touched);
            run.minds = before.zip(after).filter(|(before, after)| before != after);
        });
        self.run(|run| run.used = run.used.plus(&result.spent));
    }
}

//! Folds worker events into the sender's session and tool runs.

use super::Fold;
use crate::event::EventKind;
use crate::id::ToolRunId;
use crate::session::delegation::{OpenWorker, Worker};

impl Fold<'_, '_> {
    pub(super) fn worker_sent(&mut self, tool_run: ToolRunId, worker: &Worker) {
        let Some(id) = self.event.stream.session() else { return };
        let open = OpenWorker { session: worker.session, tool_run, run: self.event.run };
        self.session(id, |session| session.workers.push(open));
        self.tool_run(tool_run, |run| run.worker = Some(worker.clone()));
    }

    pub(super) fn worker_ended(&mut self, happening: &EventKind) {
        let EventKind::WorkerEnded { tool_run, worker, result, edits } = happening else { return };
        let Some(id) = self.event.stream.session() else { return };
        let before = self.stage.session(&id).map(|session| session.mind.clone());
        self.edit_mind(id, edits);
        let after = self.stage.session(&id).map(|session| session.mind.clone());
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

//! Runs the checks of verifier nodes: on request, checks the files of the session and records what was found.
//!
//! Asks no model, and never decides what follows from a result.

use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::future::{AbortHandle, Abortable};
use futures_util::{FutureExt as _, StreamExt as _};
use serde_json::Value;

use crate::checks::CheckVerdict;
use crate::client::EngineClient;
use crate::lazy::CodecLoader;
use crate::port::Spawn;
use crate::store::ledger::WorldRef;
use nexus_model::command::{Command, GraphCommand};
use nexus_model::event::{Event, EventKind};
use nexus_model::id::{NodeId, RunId};

/// The service that runs checks.
pub(crate) struct VerifierService {
    pub(crate) world: WorldRef,
    pub(crate) handle: EngineClient,
    pub(crate) parts: Rc<dyn CodecLoader>,
    pub(crate) spawn: Rc<dyn Spawn>,
}

/// What checks came to: whether they passed, where they could be run, and the words and the data of the envelope.
struct CheckOutcome {
    passed: Option<bool>,
    summary: String,
    structured: Value,
}

impl VerifierService {
    /// Serves requests until the bus is gone. `events` carries `tools.requests` and `runs.state`.
    pub(crate) async fn serve(self, mut events: UnboundedReceiver<Arc<Event>>) {
        let me = Rc::new(self);
        let mut works: Vec<(RunId, AbortHandle)> = Vec::new();
        while let Some(event) = events.next().await {
            let (Some(run), Some(happening)) = (event.run, event.happening()) else { continue };
            if let EventKind::ChecksRequested { node, check } = happening {
                let (abort, registration) = AbortHandle::new_pair();
                works.retain(|(_, other)| !other.is_aborted());
                works.push((run, abort));
                let one = Rc::clone(&me).check(run, node.clone(), *check);
                let one = Abortable::new(one, registration);
                // Whether it was stopped is told by the run.
                me.spawn.spawn(Box::pin(one.map(|_| ())));
            } else if matches!(happening, EventKind::RunEnded { .. }) {
                works.iter().filter(|(of, _)| *of == run).for_each(|(_, abort)| abort.abort());
                works.retain(|(of, _)| *of != run);
            }
        }
    }

    async fn check(self: Rc<Self>, run: RunId, node: NodeId, check: u32) {
        let CheckOutcome { passed, summary, structured } = self.outcome(run).await;
        let command = GraphCommand::RecordChecks { run, node, check, passed, summary, structured };
        // A refusal means that the run was stopped meanwhile.
        drop(self.handle.send(Command::Graph(command)).await);
    }

    async fn outcome(&self, run: RunId) -> CheckOutcome {
        let not_run = |summary: String| CheckOutcome { passed: None, summary, structured: Value::Null };
        let files = {
            let world = self.world.borrow();
            let session = world.run(&run).and_then(|run| world.session(&run.session));
            session.and_then(|session| world.working_mind(session)).map(|mind| mind.files.clone())
        };
        let Some(files) = files else { return not_run("The files could not be read.".to_owned()) };
        let run = match self.parts.checks().await {
            Ok(run) => run,
            Err(lost) => return not_run(lost.to_string()),
        };
        let report = run(files).await;
        if report.no_sandbox {
            return not_run(report.envelope_summary());
        }
        // Without a test nothing is shown to work.
        let passed = Some(report.verdict() == CheckVerdict::Passed);
        CheckOutcome { passed, summary: report.envelope_summary(), structured: report.for_model() }
    }
}

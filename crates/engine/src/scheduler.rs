//! The scheduler: watches runs and turns, computes the next step by a pure function and requests it.
//!
//! Never runs a node itself.

use crate::calls::context::{MeasureFn, load_context};
use crate::client::EngineContext;
use crate::lazy::Load;
use crate::prelude::*;
use nexus_model::context::compaction::{may_begin, thread_context};
use nexus_model::context::window;
use nexus_model::event::Topic;
use nexus_model::run::graph_step::{graph_step, is_budget_over};
use nexus_model::session::workers;
use nexus_model::session::workers::is_due;
use nexus_model::settings::schema::COMPACT_AUTO;

pub(super) struct Scheduler {
    pub(super) engine: EngineContext,
    pub(super) load_measure: Load<MeasureFn>,
}

impl Scheduler {
    pub(super) async fn serve(self, mut changes: UnboundedReceiver<Arc<Event>>) {
        while let Some(event) = changes.next().await {
            let Some(session) = event.stream.session() else { continue };
            if !may_trigger_step(&event) {
                continue;
            }
            let step = next_step(&self.engine.world.borrow(), session);
            if let Some(Command::OpenTurn { run, node }) = &step
                && self.is_full(session, *run, node).await
            {
                let request = Command::RequestCompaction { run: *run, node: node.clone() };
                if self.engine.handle.send(request).await.is_ok() {
                    continue;
                }
            }
            if let Some(command) = step {
                // A rejection means that the state has changed; that event is already queued here.
                self.engine.tell(command).await;
            }
        }
    }

    /// True if the context of a node's agent is so full that older turns must be summarised before its turn opens.
    async fn is_full(&self, session: SessionId, run: RunId, node: &NodeId) -> bool {
        let target = {
            let world = self.engine.world.borrow();
            self.agent_of(&world, session, run, node)
                .map(|(row, agent)| (row.head, window(&world, &agent.config), agent.key.clone()))
        };
        let Some((head, window, agent)) = target else { return false };
        // Without that chunk the turn opens anyway: the context builder measures again.
        let Ok(measure) = (self.load_measure)().await else { return false };
        load_context(&self.engine.world, &self.engine.handle, head, (window, Some(&agent)), usize::MAX).await;
        let world = self.engine.world.borrow();
        let measured = self
            .agent_of(&world, session, run, node)
            .and_then(|(row, agent)| Some((row.head, measure(&world, row, agent)?)));
        measured.is_some_and(|(head, measure)| measure.is_over(&world, &thread_context(&world, head)))
    }

    /// The agent of a node, if a compaction may start automatically.
    fn agent_of<'w>(
        &self,
        world: &'w World,
        session: SessionId,
        run: RunId,
        node: &NodeId,
    ) -> Option<(&'w Session, &'w Agent)> {
        let row = world.session(&session)?;
        let free = row.archivist.start_error.is_none() && world.value(COMPACT_AUTO);
        let node = world.run(&run)?.node(node).filter(|_| free && may_begin(world, row.head))?;
        Some((row, world.agent(node.agent.as_ref()?)?))
    }
}

/// True if a session may have waited for this event. Of the events for the interface these are only edits of the queue:
/// the operator sends a held message or ends editing one.
fn may_trigger_step(event: &Event) -> bool {
    event.topic() != Some(Topic::UiEvents)
        || matches!(event.known_kind(), Some(EventKind::QueueEdited { .. }))
}

/// The next step of a session: open the turn of the first READY node, advance a run whose nodes are all done, take
/// queued messages, or report a worker that has nothing left to do.
pub fn next_step(world: &World, session: SessionId) -> Option<Command> {
    let row = world.session(&session)?;
    if let Some(run) = workers::race_to_update(world, row) {
        return Some(Command::AdvanceRun { run });
    }
    let Some(run) = world.open_run(row) else {
        if !world.sendable(session).is_empty() {
            return Some(Command::TakeQueue { session });
        }
        return is_due(world, row).then_some(Command::ReportWorker { worker: session });
    };
    if is_budget_over(run) {
        return Some(Command::AdvanceRun { run: run.id });
    }
    // A requested compaction comes first.
    let waits = row.archivist.pending.is_some();
    if workers::is_race(run) || !run.status.is_working() || world.open_turn(row).is_some() || waits {
        return None;
    }
    if run.graph.is_some() && graph_step(run).is_some() {
        return Some(Command::AdvanceRun { run: run.id });
    }
    if let Some(node) = run.next_ready() {
        return Some(Command::OpenTurn { run: run.id, node: node.id.clone() });
    }
    if run.graph.is_some() {
        return None;
    }
    (!run.nodes.iter().any(|node| node.status.is_busy())).then_some(Command::AdvanceRun { run: run.id })
}

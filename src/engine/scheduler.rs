//! Never runs a node itself.
//!
//! Owns what a session does next: it watches runs and turns and asks for the next step, by a pure choice.

use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::StreamExt as _;

use crate::domain::command::Command;
use crate::domain::event::Event;
use crate::domain::id::SessionId;
use crate::domain::ready_queue;
use crate::domain::run::{NodeStatus, RunStatus};
use crate::domain::world::World;
use crate::engine::handle::Handle;
use crate::engine::ledger::WorldRef;

/// The service that asks for the next step.
pub(super) struct Scheduler {
    pub(super) world: WorldRef,
    pub(super) handle: Handle,
}

impl Scheduler {
    /// Watches until the bus is gone.
    pub(super) async fn serve(self, mut changes: UnboundedReceiver<Arc<Event>>) {
        while let Some(event) = changes.next().await {
            let Some(session) = event.stream.session() else { continue };
            let step = next_step(&self.world.borrow(), session);
            if let Some(command) = step {
                // A refusal means that things moved on; the event of that is already on its way here.
                drop(self.handle.send(command).await);
            }
        }
    }
}

/// What a session does next: open the turn of the first READY node, go on to the next round or the end of a run whose
/// nodes are all done, or start with what waits.
pub fn next_step(world: &World, session: SessionId) -> Option<Command> {
    let row = world.session(&session)?;
    let Some(run) = world.open_run(row) else {
        return (!world.waiting(session).is_empty()).then_some(Command::TakeQueue { session });
    };
    if run.status != RunStatus::Running || world.open_turn(row).is_some() {
        return None;
    }
    if let Some(node) = ready_queue::next(run) {
        return Some(Command::OpenTurn { run: run.id, node: node.id.clone() });
    }
    let busy = |status| matches!(status, NodeStatus::Ready | NodeStatus::Running | NodeStatus::Blocked);
    (!run.nodes.iter().any(|node| busy(node.status))).then_some(Command::AdvanceRun { run: run.id })
}

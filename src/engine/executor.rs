//! Never decides what follows a tool: it runs what is requested and reports.
//!
//! Owns the tool executor: on `tools.requests` it runs tools that may run, a few at a time, within a time limit, has the
//! operator asked about those that may not run unasked, and drops those of a turn that was closed.

use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::Arc;

use futures_channel::mpsc::UnboundedReceiver;
use futures_util::future::{AbortHandle, Abortable, Either, LocalBoxFuture, select};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _, select_biased};

use crate::domain::command::{Command, ToolOutcome};
use crate::domain::delegation::Standing;
use crate::domain::event::{Event, Happening};
use crate::domain::id::{ToolRunId, TurnId};
use crate::domain::limits::{TOOL_TIMEOUT_MS, TOOLS_AT_A_TIME};
use crate::domain::mind::Mind;
use crate::domain::part::ToolCall;
use crate::domain::permission::rules_of;
use crate::engine::handle::Handle;
use crate::engine::ledger::WorldRef;
use crate::engine::port::Clock;
use crate::engine::tools::{Gate, Registry, ToolView};

/// The service that runs tools.
pub(super) struct Executor {
    pub(super) world: WorldRef,
    pub(super) handle: Handle,
    pub(super) clock: Rc<dyn Clock>,
    pub(super) registry: Registry,
}

/// A tool run that waits for its place.
struct Waiting {
    turn: TurnId,
    tool_run: ToolRunId,
}

impl Executor {
    /// Serves requests until the bus is gone. `events` carries `tools.requests` and `turns.closed`.
    pub(super) async fn serve(self, mut events: UnboundedReceiver<Arc<Event>>) {
        let me = Rc::new(self);
        let mut waiting: VecDeque<Waiting> = VecDeque::new();
        let mut running: Vec<(TurnId, ToolRunId, AbortHandle)> = Vec::new();
        let mut work: FuturesUnordered<LocalBoxFuture<'static, ToolRunId>> = FuturesUnordered::new();
        loop {
            while work.len() < TOOLS_AT_A_TIME {
                let Some(next) = waiting.pop_front() else { break };
                let (abort, registration) = AbortHandle::new_pair();
                running.push((next.turn, next.tool_run, abort));
                let one = Abortable::new(Rc::clone(&me).run(next.tool_run), registration);
                work.push(Box::pin(one.map(move |_| next.tool_run)));
            }
            // An empty FuturesUnordered ends at once; it must not be polled then.
            let ended = if work.is_empty() {
                futures_util::future::pending().left_future()
            } else {
                work.next().right_future()
            };
            select_biased! {
                event = events.next() => {
                    let Some(event) = event else { return };
                    match event.happening() {
                        Some(Happening::ToolRequested { run }) => {
                            waiting.push_back(Waiting { turn: run.turn, tool_run: run.id });
                        }
                        Some(Happening::ApprovalGiven { tool_run, allowed: true, .. }) => {
                            let asked = event.turn.map(|turn| Waiting { turn, tool_run: *tool_run });
                            waiting.extend(asked);
                        }
                        Some(Happening::TurnClosed { .. }) => {
                            waiting.retain(|run| Some(run.turn) != event.turn);
                            running.iter().filter(|run| Some(run.0) == event.turn).for_each(|run| run.2.abort());
                        }
                        _ => {}
                    }
                }
                done = ended.fuse() => running.retain(|run| Some(run.1) != done),
            }
        }
    }

    async fn run(self: Rc<Self>, id: ToolRunId) {
        let Some((call, view)) = self.view(id) else { return };
        if let Gate::Ask(proposed) = self.registry.gate(&call, &view) {
            // The time of the tool does not run while the operator is asked. A refusal means that the turn was stopped.
            drop(self.handle.send(Command::AskApproval { tool_run: id, proposed }).await);
            return;
        }
        if self.handle.send(Command::StartTool { tool_run: id }).await.is_err() {
            return;
        }
        // What others wrote since then is the base that the tool works on.
        let Some((call, view)) = self.view(id) else { return };
        let tool = self.registry.run(&call, view);
        let outcome = match select(Box::pin(tool), self.clock.sleep(TOOL_TIMEOUT_MS)).await {
            Either::Left((outcome, _)) => outcome,
            Either::Right(((), _)) => ToolOutcome::TimedOut,
        };
        // A refusal means that the turn was stopped meanwhile.
        drop(self.handle.send(Command::RecordTool { tool_run: id, outcome }).await);
    }

    fn view(&self, id: ToolRunId) -> Option<(ToolCall, ToolView)> {
        let world = self.world.borrow();
        let run = world.tool_run(&id)?;
        let mind = world
            .session(&run.session)
            .and_then(|session| world.working_mind(session))
            .cloned()
            .unwrap_or_else(|| Arc::new(Mind::default()));
        let agent = Arc::clone(world.agent(&run.agent)?);
        let standing = world
            .session(&run.session)
            .map_or_else(|| Standing::alone(&agent), |session| Standing::of(&world, session, &agent));
        let in_run = run.run.and_then(|id| world.run(&id)).cloned();
        let rules = rules_of(&world).into();
        let view = ToolView { mind, agent, standing, run: in_run, rules, approved: run.is_approved() };
        Some((run.effective_call(), view))
    }
}

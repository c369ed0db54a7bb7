//! The tool executor: on `tools.requests` runs permitted tools, a few at a time, within a time limit.
//!
//! Requests approval if needed, and aborts the tools of closed turns. Never decides what follows.

use crate::client::EngineContext;
use crate::prelude::*;
use crate::tools::{self, LastChecks, ToolContext, ToolGate};
use futures_util::future::{AbortHandle, Abortable};
use futures_util::select_biased;
use futures_util::stream::FuturesUnordered;
use nexus_model::agent::permission::rules_of;
use nexus_model::command::ToolOutcome;
use nexus_model::limits::{TOOL_TIMEOUT_MS, TOOLS_AT_A_TIME};
use nexus_model::mind::sandbox::VisibleMind;
use nexus_model::run::templates::consent;
use std::collections::VecDeque;

/// `events` carries `tools.requests` and `turns.closed`.
pub(crate) async fn serve(engine: EngineContext, mut events: UnboundedReceiver<Arc<Event>>) {
    let mut waiting: VecDeque<(TurnId, ToolRunId)> = VecDeque::new();
    let mut running: Vec<(TurnId, ToolRunId, AbortHandle)> = Vec::new();
    let mut work: FuturesUnordered<LocalBoxFuture<'static, ToolRunId>> = FuturesUnordered::new();
    loop {
        while work.len() < TOOLS_AT_A_TIME {
            let Some((turn, tool_run)) = waiting.pop_front() else { break };
            let (abort, registration) = AbortHandle::new_pair();
            running.push((turn, tool_run, abort));
            let one = Abortable::new(run(engine.clone(), tool_run), registration);
            work.push(Box::pin(one.map(move |_| tool_run)));
        }
        // An empty FuturesUnordered ends immediately and must not be polled.
        let ended = if work.is_empty() {
            futures_util::future::pending().left_future()
        } else {
            work.next().right_future()
        };
        select_biased! {
            event = events.next() => {
                let Some(event) = event else { return };
                match event.known_kind() {
                    Some(EventKind::ToolRequested { run }) => waiting.push_back((run.turn, run.id)),
                    Some(EventKind::ApprovalGiven { tool_run, allowed: true, .. }) => {
                        waiting.extend(event.turn.map(|turn| (turn, *tool_run)));
                    }
                    Some(EventKind::TurnClosed { .. }) => {
                        waiting.retain(|(turn, _)| Some(*turn) != event.turn);
                        running.iter().filter(|run| Some(run.0) == event.turn).for_each(|run| run.2.abort());
                    }
                    _ => {}
                }
            }
            done = ended.fuse() => running.retain(|run| Some(run.1) != done),
        }
    }
}

async fn run(engine: EngineContext, id: ToolRunId) {
    let Some((call, view)) = view_of(&engine, id) else { return };
    if let ToolGate::Ask(proposed) = tools::gate(&call, &view) {
        // The timeout does not include the approval. A rejection means that the turn was stopped.
        engine.tell(Command::AskApproval { tool_run: id, proposed }).await;
        return;
    }
    if engine.handle.send(Command::StartTool { tool_run: id }).await.is_err() {
        return;
    }
    // Reloaded, so that the tool works on what others wrote since then.
    let Some((call, view)) = view_of(&engine, id) else { return };
    let work = Box::pin(tools::run(&call, view));
    let outcome = engine.within(TOOL_TIMEOUT_MS, work).await.unwrap_or(ToolOutcome::TimedOut);
    // A rejection means that the turn was stopped meanwhile.
    engine.tell(Command::RecordTool { tool_run: id, outcome }).await;
}

fn view_of(engine: &EngineContext, id: ToolRunId) -> Option<(ToolCall, ToolContext)> {
    let world = engine.world.borrow();
    let run = world.tool_run(&id)?;
    let session = world.session(&run.session)?;
    let whole = world.working_mind(session).cloned().unwrap_or_default();
    let agent = Arc::clone(world.agent(&run.agent)?);
    let permissions = EffectivePermissions::of(&world, session, &agent);
    let in_run = run.run.and_then(|id| world.run(&id)).cloned();
    let nodes = in_run.iter().flat_map(|run| run.nodes.iter().map(|node| (run.session, node)));
    let terminals = nodes.filter_map(|(session, node)| {
        let consent = consent(&world, session, node).filter(|consent| consent.agents)?;
        Some((node.id.to_string(), consent.terminal))
    });
    let terminals = terminals.collect();
    let node = in_run.iter().flat_map(|in_run| &in_run.nodes).find(|node| node.turn == Some(run.turn));
    let writes = node.map(|node| node.writes.clone()).unwrap_or_default();
    let rules = rules_of(&world).into();
    let mind = VisibleMind::new(&whole, &permissions.sandbox());
    let last_checks = LastChecks::of(&world, run.session, in_run.as_deref(), &whole.files, &mind.files);
    let (approved, previews) = (run.is_approved(), engine.handle.previews.clone());
    let view = ToolContext {
        mind,
        agent,
        permissions,
        run: in_run,
        rules,
        approved,
        previews,
        parts: Rc::clone(&engine.parts),
        terminals,
        writes,
        last_checks,
    };
    Some((run.effective_call(), view))
}

//! The newest run of the session in view and its queue.

use std::sync::Arc;

use crate::ui::kit::selector::{Selector, select};
use crate::ui::kit::signal::RwSignal;
use crate::ui::view_state::world_reader::{KeyedRows, WorldReader};
use nexus_model::command::MessageOverrides;
use nexus_model::id::{AgentKey, Millis, QueueItemId, RunId, SessionId};
use nexus_model::provider::price::Cost;
use nexus_model::run::{NodeStatus, PauseCause, Run, RunStatus};
use nexus_model::session::{QueueItem, QueueMode, Session, Target};
use nexus_model::turn::TurnPhase;
use nexus_model::world::{World, WorldParts};

#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    pub id: RunId,
    pub status: RunStatus,
    pub opened_at: Millis,
    pub ended_at: Option<Millis>,
    /// Tokens used, as far as reported.
    pub tokens: u64,
    pub calls: u32,
    /// The agent of the open turn, and the turn's phase.
    pub turn: Option<(AgentKey, TurnPhase)>,
    /// The current round and the limit, if it keeps going.
    pub rounds: Option<(u32, u32)>,
    pub pause: Option<PauseCause>,
    pub needs_approval: bool,
    /// Estimated cost, as far as prices are known.
    pub cost: Cost,
    /// True if a part of its usage has no known price.
    pub unpriced: bool,
    /// When it retries a call.
    pub retry_at: Option<Millis>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct QueueRow {
    pub text: String,
    pub target: Target,
    pub mode: QueueMode,
    /// True for a worker's report.
    pub is_report: bool,
    pub overrides: MessageOverrides,
    pub held: bool,
    pub editing: bool,
}

impl QueueRow {
    fn of(item: &QueueItem) -> Self {
        Self {
            text: item.text.clone(),
            target: item.target.clone(),
            mode: item.mode,
            is_report: item.report.is_some(),
            overrides: MessageOverrides::of(item),
            held: item.held,
            editing: item.editing,
        }
    }
}

/// The newest run of the session in view, and its queue.
#[derive(Clone, Copy)]
pub struct RunView {
    pub run: Selector<Option<RunRow>>,
    /// True if it is working: queued or running, not paused.
    pub is_working: Selector<bool>,
    /// True if new messages are queued: a run is working or paused.
    pub is_open: Selector<bool>,
    /// The queued messages, in order.
    pub queue: KeyedRows<QueueItemId, QueueRow>,
    pub held_count: Selector<usize>,
}

impl RunView {
    pub(super) fn new(world: WorldReader, focus: RwSignal<SessionId>) -> Self {
        let run = world.select_of(focus, WorldParts::SESSIONS, run_row);
        let queue = KeyedRows::of(world.select_of(focus, WorldParts::SESSIONS, |world, session| {
            let waiting = world.waiting(session.id).into_iter();
            Arc::new(waiting.map(|item| (item.id, QueueRow::of(item))).collect())
        }));
        Self {
            run,
            is_working: select(move || {
                run.with(|run| run.as_ref().is_some_and(|run| run.status.is_working()))
            }),
            is_open: select(move || run.with(|run| run.as_ref().is_some_and(|run| run.status.is_open()))),
            queue,
            held_count: select(move || queue.with(|queue| queue.iter().filter(|row| row.held).count())),
        }
    }
}

fn run_row(world: &World, session: &Session) -> Option<RunRow> {
    let run = world.run(&session.run?)?;
    let open_turn = world.open_turn(session);
    Some(RunRow {
        id: run.id,
        status: run.status,
        opened_at: run.opened_at,
        ended_at: run.ended_at,
        tokens: run.used.tokens,
        calls: run.used.calls,
        turn: open_turn.map(|turn| (turn.agent.clone(), turn.phase)),
        rounds: run.keeps_going().then_some((run.rounds.current, run.rounds.limit)),
        pause: run.pause.clone(),
        retry_at: open_turn.and_then(|turn| turn.retry()).map(|retry| retry.at),
        needs_approval: needs_approval(run),
        cost: run.used.cost,
        unpriced: run.used.unpriced > 0,
    })
}

pub(super) fn needs_approval(run: &Run) -> bool {
    run.status == RunStatus::Running && run.nodes.iter().any(|node| node.status == NodeStatus::Blocked)
}

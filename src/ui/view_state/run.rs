//! Slice of the newest run of the session in view and its queue.

use leptos::prelude::*;

use crate::ui::view_state::rows::{KeyedRows, set_if_new};
use nexus_model::command::MessageOverrides;
use nexus_model::id::{AgentKey, Millis, QueueItemId, RunId};
use nexus_model::provider::price::Cost;
use nexus_model::run::{PauseCause, RunStatus};
use nexus_model::session::{QueueItem, QueueMode, Target};
use nexus_model::turn::TurnPhase;

/// What the top bar shows of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRow {
    pub id: RunId,
    /// Where it stands.
    pub status: RunStatus,
    /// When it opened.
    pub opened_at: Millis,
    /// When it ended.
    pub ended_at: Option<Millis>,
    /// Tokens it used, as far as reported.
    pub tokens: u64,
    pub calls: u32,
    /// The agent whose turn is open, and where that turn stands.
    pub turn: Option<(AgentKey, TurnPhase)>,
    /// The round that works and the last one, where it keeps going.
    pub rounds: Option<(u32, u32)>,
    /// Why it waits for the operator.
    pub pause: Option<PauseCause>,
    /// Whether it asks the operator about a tool.
    pub asks: bool,
    /// What it cost as far as prices are known. An estimate.
    pub cost: Cost,
    /// Whether a part of what it used has no known price.
    pub unpriced: bool,
    /// Until when it waits before it tries a call again.
    pub retry_at: Option<Millis>,
}

/// A message that waits.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueRow {
    pub text: String,
    pub target: Target,
    /// What is to happen to it.
    pub mode: QueueMode,
    /// Whether it is a worker's report.
    pub is_report: bool,
    pub over: MessageOverrides,
    pub held: bool,
    pub editing: bool,
}

impl QueueRow {
    pub(super) fn of(item: &QueueItem) -> Self {
        Self {
            text: item.text.clone(),
            target: item.target.clone(),
            mode: item.mode,
            is_report: item.report.is_some(),
            over: MessageOverrides::of(item),
            held: item.held,
            editing: item.editing,
        }
    }
}

/// The newest run of the session in view, and its queue.
#[derive(Clone, Copy)]
pub struct RunView {
    run: RwSignal<Option<RunRow>>,
    pub(super) queue: KeyedRows<QueueItemId, QueueRow>,
}

impl RunView {
    pub(super) fn new() -> Self {
        Self { run: RwSignal::new(None), queue: KeyedRows::new() }
    }

    pub fn run(&self) -> Signal<Option<RunRow>> {
        self.run.into()
    }

    /// Whether it works (queued or running, not paused).
    pub fn works(&self) -> Signal<bool> {
        let run = self.run;
        let works = |run: &Option<RunRow>| {
            run.as_ref().is_some_and(|run| match run.status {
                RunStatus::Queued | RunStatus::Running => true,
                RunStatus::Paused
                | RunStatus::Completed
                | RunStatus::Failed
                | RunStatus::Cancelled
                | RunStatus::TimedOut => false,
            })
        };
        Memo::new(move |_| run.with(works)).into()
    }

    /// Whether what is said now waits: a run works, or was paused.
    pub fn is_open(&self) -> Signal<bool> {
        let run = self.run;
        Memo::new(move |_| run.with(|run| run.as_ref().is_some_and(|run| run.status.is_open()))).into()
    }

    /// The messages that wait, in the order in which they came.
    pub fn queue_order(&self) -> Signal<Vec<QueueItemId>> {
        self.queue.order()
    }

    /// How many of them Stop holds.
    pub fn held_count(&self) -> Signal<usize> {
        let queue = self.queue;
        let is_held = move |id: &QueueItemId| queue.row(id).is_some_and(|row| row.with(|row| row.held));
        Memo::new(move |_| queue.order().get().iter().filter(|id| is_held(id)).count()).into()
    }

    /// A message that waits.
    pub fn queue_row(&self, id: &QueueItemId) -> Option<Signal<QueueRow>> {
        self.queue.row(id)
    }

    pub(super) fn set(&self, run: Option<RunRow>) {
        set_if_new(&self.run, run);
    }
}

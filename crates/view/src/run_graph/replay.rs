//! The event log of a run, replayed to any of its events.
//!
//! Each state is a fold of the events up to it, so a replay calls no model and changes nothing. Snapshots of the rows
//! are cached, and events are folded from the nearest one.

use std::sync::Arc;

use nexus_engine::queries::run_log::{LoggedEvent, RunLogPage};
use nexus_model::event::{Event, EventKind};
use nexus_model::fold::fold;
use nexus_model::id::{Millis, RunId};
use nexus_model::job::{JobResult, JobTask};
use nexus_model::llm::ModelConfig;
use nexus_model::message::Message;
use nexus_model::provider::price::Cost;
use nexus_model::run::{Envelope, NodeStatus};
use nexus_model::world::World;

use super::{CoreStep, RunDiagram};

/// Initial number of events between snapshots; doubled for long logs.
const STEP: usize = 256;
/// Maximum number of snapshots.
const MAX_SNAPSHOTS: usize = 64;

#[derive(Clone)]
pub struct RunReplay {
    run: RunId,
    events: Vec<Event>,
    texts: Vec<Arc<str>>,
    messages: Vec<Message>,
    /// Snapshots after 0, `step`, 2 × `step`, … events.
    snapshots: Vec<World>,
    step: usize,
    newest: World,
}

impl RunReplay {
    pub fn new(run: RunId) -> Self {
        Self {
            run,
            events: Vec::new(),
            texts: Vec::new(),
            messages: Vec::new(),
            snapshots: vec![World::default()],
            step: STEP,
            newest: World::default(),
        }
    }

    pub fn take(&mut self, page: RunLogPage) {
        for message in page.messages {
            // They precede all events of the run.
            for world in self.snapshots.iter_mut().chain([&mut self.newest]) {
                world.messages.insert(message.id, Arc::new(message.clone()));
            }
            self.messages.push(message);
        }
        let mut from = self.events.len();
        for LoggedEvent { event, text } in page.events {
            self.events.push(event);
            self.texts.push(text);
        }
        while from < self.events.len() {
            // Folds up to the next multiple of the step.
            let to = self.events.len().min((from / self.step + 1) * self.step);
            let rows = fold(&self.newest, self.events.get(from..to).unwrap_or_default());
            self.newest.absorb(rows);
            if to.is_multiple_of(self.step) {
                self.snapshots.push(self.newest.clone());
            }
            if self.snapshots.len() > MAX_SNAPSHOTS {
                let mut at = 0usize;
                self.snapshots.retain(|_| {
                    at += 1;
                    at % 2 == 1
                });
                self.step *= 2;
            }
            from = to;
        }
    }

    pub fn run(&self) -> RunId {
        self.run
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub fn events(&self) -> &[Event] {
        &self.events
    }

    pub fn texts(&self) -> &[Arc<str>] {
        &self.texts
    }

    /// Messages that precede the run's events and are referenced by them.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// Number of events up to the opening of the run: the first state with a diagram.
    pub fn first(&self) -> usize {
        let opens = |event: &Event| matches!(event.known_kind(), Some(EventKind::RunOpened { run }) if run.id == self.run);
        self.events.iter().position(opens).map_or(1, |at| at + 1)
    }

    /// The last of the first `count` events.
    pub fn last_of(&self, count: usize) -> Option<&Event> {
        self.events.get(count.checked_sub(1)?)
    }

    /// The rows after the first `count` events.
    pub fn world_at(&self, count: usize) -> World {
        let count = count.min(self.len());
        if count == self.len() {
            return self.newest.clone();
        }
        let at = (count / self.step).min(self.snapshots.len().saturating_sub(1));
        let mut world = self.snapshots.get(at).cloned().unwrap_or_default();
        let rows = fold(&world, self.events.get(at * self.step..count).unwrap_or_default());
        world.absorb(rows);
        world
    }

    /// The Core's syncs among the first `count` events.
    pub fn core_at(&self, count: usize) -> Vec<CoreStep> {
        let mut steps: Vec<CoreStep> = Vec::new();
        for event in self.events.iter().take(count) {
            if let Some(EventKind::JobOpened(job)) = event.known_kind() {
                if let JobTask::Sync { .. } = job.task {
                    steps.push(CoreStep {
                        job: job.id,
                        config: ModelConfig::new(job.provider.clone(), job.model.clone()),
                        status: NodeStatus::Running,
                        at: event.at,
                        tokens: job.usage.total(),
                        cost: job.cost,
                        reason: String::new(),
                    });
                }
            } else if let Some(EventKind::JobDone(done)) = event.known_kind() {
                let open = steps.iter_mut().find(|step| step.job == done.job);
                if let (Some(step), JobResult::Sync(sync)) = (open, &done.result) {
                    step.status = NodeStatus::Done;
                    step.tokens = step.tokens.saturating_add(done.usage.total());
                    step.cost = step.cost.into_iter().chain(done.cost).reduce(Cost::plus);
                    step.reason.clone_from(&sync.reasoning);
                }
            } else if let Some(EventKind::JobFailed(failed)) = event.known_kind()
                && let Some(step) = steps.iter_mut().find(|step| step.job == failed.job)
            {
                step.status = NodeStatus::Error;
                step.reason = failed.failure.as_ref().map(|error| error.message.clone()).unwrap_or_default();
            }
        }
        steps
    }

    /// Outputs of nodes without a model among the first `count` events, with their times.
    pub fn outputs_at(&self, count: usize) -> Vec<(Millis, Envelope)> {
        let own = self.events.iter().take(count).filter(|event| event.run == Some(self.run));
        let outputs = own.filter_map(|event| {
            let Some(EventKind::NodeChanged { output: Some(output), .. }) = event.known_kind() else {
                return None;
            };
            let has_row = output.turn_id.is_some_and(|id| self.newest.turn(&id).is_some());
            (!has_row).then(|| (event.at, output.clone()))
        });
        outputs.collect()
    }

    /// The diagram after the first `count` events; `None` before the run opened.
    pub fn diagram_at(&self, count: usize) -> Option<RunDiagram> {
        RunDiagram::of(&self.world_at(count), self.run, &self.core_at(count))
    }
}

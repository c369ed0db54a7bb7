//! The log of a run that can be looked at as it was after any of its events.
//!
//! Every moment is a fold of the events up to it, so a replay asks no model and changes nothing. The rows are kept at
//! some moments, and folded on from the nearest one.

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

/// The rows are kept after so many events at first; more where a log is long.
const STEP: usize = 256;
/// At so many moments at most.
const KEPT: usize = 64;

#[derive(Clone)]
pub struct RunReplay {
    run: RunId,
    events: Vec<Event>,
    texts: Vec<Arc<str>>,
    messages: Vec<Message>,
    /// The rows after no event, after `step` events, after twice as many.
    kept: Vec<World>,
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
            kept: vec![World::default()],
            step: STEP,
            newest: World::default(),
        }
    }

    pub fn take(&mut self, page: RunLogPage) {
        for message in page.messages {
            // They were said before whatever the run did.
            for world in self.kept.iter_mut().chain([&mut self.newest]) {
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
            // The rows are kept at each multiple of the step.
            let to = self.events.len().min((from / self.step + 1) * self.step);
            let rows = fold(&self.newest, self.events.get(from..to).unwrap_or_default());
            self.newest.absorb(rows);
            if to.is_multiple_of(self.step) {
                self.kept.push(self.newest.clone());
            }
            if self.kept.len() > KEPT {
                let mut at = 0usize;
                self.kept.retain(|_| {
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

    /// The messages that were said before the run's own events and that these name.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// How many events there are when the run has opened: the first moment that there is something to look at.
    pub fn first(&self) -> usize {
        let opens = |event: &Event| matches!(event.happening(), Some(EventKind::RunOpened { run }) if run.id == self.run);
        self.events.iter().position(opens).map_or(1, |at| at + 1)
    }

    /// The newest of the first `count` events.
    pub fn last_of(&self, count: usize) -> Option<&Event> {
        self.events.get(count.checked_sub(1)?)
    }

    /// The rows after the first `count` events.
    pub fn world_at(&self, count: usize) -> World {
        let count = count.min(self.len());
        if count == self.len() {
            return self.newest.clone();
        }
        let at = (count / self.step).min(self.kept.len().saturating_sub(1));
        let mut world = self.kept.get(at).cloned().unwrap_or_default();
        let rows = fold(&world, self.events.get(at * self.step..count).unwrap_or_default());
        world.absorb(rows);
        world
    }

    /// The syncs of the Core among the first `count` events.
    pub fn core_at(&self, count: usize) -> Vec<CoreStep> {
        let mut steps: Vec<CoreStep> = Vec::new();
        for event in self.events.iter().take(count) {
            if let Some(EventKind::JobOpened(job)) = event.happening() {
                if let JobTask::Sync { .. } = job.task {
                    steps.push(CoreStep {
                        job: job.id,
                        config: ModelConfig::new(job.provider.clone(), job.model.clone()),
                        status: NodeStatus::Running,
                        at: event.at,
                        tokens: job.usage.total(),
                        cost: job.cost,
                        words: String::new(),
                    });
                }
            } else if let Some(EventKind::JobDone(done)) = event.happening() {
                let open = steps.iter_mut().find(|step| step.job == done.job);
                if let (Some(step), JobResult::Sync(sync)) = (open, &done.result) {
                    step.status = NodeStatus::Done;
                    step.tokens = step.tokens.saturating_add(done.usage.total());
                    step.cost = step.cost.into_iter().chain(done.cost).reduce(Cost::plus);
                    step.words.clone_from(&sync.reasoning);
                }
            } else if let Some(EventKind::JobFailed(failed)) = event.happening()
                && let Some(step) = steps.iter_mut().find(|step| step.job == failed.job)
            {
                step.status = NodeStatus::Error;
                step.words = failed.failure.as_ref().map(|why| why.message.clone()).unwrap_or_default();
            }
        }
        steps
    }

    /// What nodes that ask no model put out, among the first `count` events, and when.
    pub fn outputs_at(&self, count: usize) -> Vec<(Millis, Envelope)> {
        let own = self.events.iter().take(count).filter(|event| event.run == Some(self.run));
        let outputs = own.filter_map(|event| {
            let Some(EventKind::NodeChanged { output: Some(output), .. }) = event.happening() else {
                return None;
            };
            let has_row = output.turn_id.is_some_and(|id| self.newest.turn(&id).is_some());
            (!has_row).then(|| (event.at, output.clone()))
        });
        outputs.collect()
    }

    /// The run as it was after the first `count` events; `None` before it opened.
    pub fn diagram_at(&self, count: usize) -> Option<RunDiagram> {
        RunDiagram::of(&self.world_at(count), self.run, &self.core_at(count))
    }
}

//! The event log of a run, replayed to any of its events; and the turns of a node that can run again.
//!
//! Each state is a fold of the events up to it, so a replay calls no model and changes nothing. Snapshots of the rows
//! are cached, and events are folded from the nearest one.

use crate::run_graph::{CoreStep, DiagramNode, RunDiagram};
use nexus_engine::queries::run_log::{LoggedEvent, RunLogPage};
use nexus_model::command::RerunChange;
use nexus_model::fold::fold;
use nexus_model::prelude::*;

/// Initial number of events between snapshots; doubled for long logs.
const STEP: usize = 256;
/// Maximum number of snapshots.
const MAX_SNAPSHOTS: usize = 64;

#[derive(Clone)]
pub struct RunReplay {
    pub run: RunId,
    pub(super) events: Vec<Event>,
    /// The events as they are stored.
    pub(super) texts: Vec<Arc<str>>,
    /// Messages that precede the run's events and are referenced by them.
    pub(super) messages: Vec<Arc<Message>>,
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
                world.messages.insert(message.id, Arc::clone(&message));
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

    pub fn len(&self) -> usize {
        self.events.len()
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Number of events up to the opening of the run: the first state with a diagram.
    pub fn first(&self) -> usize {
        let opens = |event: &Event| matches!(event.known_kind(), Some(EventKind::RunOpened { run }) if run.id == self.run);
        self.events.iter().position(opens).map_or(1, |at| at + 1)
    }

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
            match event.known_kind() {
                Some(EventKind::JobOpened(job)) if job.kind() == JobKind::Sync => steps.push(CoreStep {
                    job: job.id,
                    config: ModelConfig::new(job.provider.clone(), job.model.clone()),
                    status: NodeStatus::Running,
                    at: event.at,
                    tokens: job.usage.total(),
                    cost: job.cost,
                    reason: String::new(),
                }),
                Some(EventKind::JobDone(done)) => {
                    let open = steps.iter_mut().find(|step| step.job == done.job);
                    if let (Some(step), JobResult::Sync(sync)) = (open, &done.result) {
                        step.status = NodeStatus::Done;
                        step.tokens = step.tokens.saturating_add(done.usage.total());
                        step.cost = step.cost.into_iter().chain(done.cost).reduce(Cost::plus);
                        step.reason.clone_from(&sync.reasoning);
                    }
                }
                Some(EventKind::JobFailed(failed)) => {
                    if let Some(step) = steps.iter_mut().find(|step| step.job == failed.job) {
                        step.status = NodeStatus::Error;
                        step.reason =
                            failed.failure.as_ref().map(|error| error.message.clone()).unwrap_or_default();
                    }
                }
                _ => {}
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

#[derive(Clone, Debug, PartialEq)]
pub struct RerunTurn {
    pub id: TurnId,
    pub number: usize,
    pub agent: AgentKey,
    pub config: ModelConfig,
    pub inputs: Vec<RerunInput>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct RerunInput {
    pub source: RerunSource,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub enum RerunSource {
    Message(MessageId),
    /// Envelope of the turn's inbox: its index and its sender.
    Envelope(usize, String),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RerunPart {
    #[default]
    Nothing,
    Input(usize),
    Model,
    Persona,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct RerunForm {
    pub part: RerunPart,
    pub text: String,
    pub provider: String,
    pub model: String,
    pub agent: String,
}

/// The ended turns of a node, newest first.
pub fn rerun_turns(world: &World, node: &DiagramNode) -> Vec<RerunTurn> {
    let turns = (1..).zip(&node.turns).filter_map(|(number, id)| Some((number, world.turn(id)?)));
    let ended = turns.filter(|(_, turn)| !turn.phase.is_open() && turn.node.is_some());
    let mut found: Vec<RerunTurn> = ended
        .map(|(number, turn)| {
            let messages = turn.query.iter().filter_map(|id| world.message(id));
            let messages = messages.map(|message| RerunInput {
                source: RerunSource::Message(message.id),
                text: text_of(&message.parts),
            });
            let envelopes = turn.inbox.iter().enumerate().map(|(at, envelope)| RerunInput {
                source: RerunSource::Envelope(at, envelope.node_id.to_string()),
                text: envelope.summary.clone(),
            });
            RerunTurn {
                id: turn.id,
                number,
                agent: turn.agent.clone(),
                config: turn.config.clone(),
                inputs: messages.chain(envelopes).collect(),
            }
        })
        .collect();
    found.reverse();
    found
}

impl RerunPart {
    pub fn code(self) -> String {
        match self {
            Self::Nothing => "nothing".to_owned(),
            Self::Model => "model".to_owned(),
            Self::Persona => "persona".to_owned(),
            Self::Input(at) => at.to_string(),
        }
    }

    pub fn read(code: &str) -> Self {
        match code {
            "model" => Self::Model,
            "persona" => Self::Persona,
            code => code.parse().map_or(Self::Nothing, Self::Input),
        }
    }
}

impl RerunForm {
    pub fn of(turn: &RerunTurn, part: RerunPart) -> Self {
        let text = if let RerunPart::Input(at) = part {
            turn.inputs.get(at).map(|input| input.text.clone()).unwrap_or_default()
        } else {
            String::new()
        };
        Self {
            part,
            text,
            provider: turn.config.provider.to_string(),
            model: turn.config.model.clone(),
            agent: turn.agent.to_string(),
        }
    }

    /// The change of the re-run; outer `None` if an input is missing.
    pub fn change(&self, turn: &RerunTurn) -> Option<Option<RerunChange>> {
        let text = || Some(self.text.trim().to_owned()).filter(|text| !text.is_empty());
        Some(match self.part {
            RerunPart::Nothing => None,
            RerunPart::Input(at) => Some(match turn.inputs.get(at)?.source {
                RerunSource::Message(message) => RerunChange::Message { message, text: text()? },
                RerunSource::Envelope(at, _) => RerunChange::Envelope { at, text: text()? },
            }),
            RerunPart::Model => {
                let model = Some(self.model.trim()).filter(|model| !model.is_empty())?.to_owned();
                let provider = ProviderId::from(self.provider.as_str());
                Some(RerunChange::Model(ModelConfig { provider, model, ..turn.config.clone() }))
            }
            RerunPart::Persona => Some(RerunChange::Persona(self.agent.as_str().into())),
        })
    }
}

#[cfg(test)]
mod tests;

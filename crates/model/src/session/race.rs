//! Races: one question sent to two or three models at once.
//!
//! A race is a run whose nodes work in parallel, each in a lane: a fork of the session (kind `tool`, origin `fork`)
//! that begins where the answer would be added, with its own run. All lanes share one budget. The race stays open
//! until the operator picks a lane or ends it; then lanes that still work are stopped, and all turns stay in the tree
//! as siblings.

use serde::{Deserialize, Serialize};

use crate::id::{AgentKey, RunId, SessionId, TurnId};
use crate::llm::ModelConfig;
use crate::mind::blob::NewBlob;
use crate::run::{Envelope, Node, NodeStatus, Run, RunStatus, RunUsage};
use crate::session::{Session, SessionRole};
use crate::turn::{Turn, TurnKind};
use crate::world::World;
use nexus_text::json;

/// The kind of a racing node.
pub const RACER: &str = "racer";
/// Minimum number of models.
pub const RACERS_LEAST: usize = 2;
pub const RACERS_MOST: usize = 3;

#[derive(Clone, Debug, PartialEq)]
pub struct RaceRequest {
    pub session: SessionId,
    pub prompt: RacePrompt,
    pub agent: AgentKey,
    /// Model and parameters of each lane.
    pub models: Vec<ModelConfig>,
}

/// The prompt of a race.
#[derive(Clone, Debug, PartialEq)]
pub enum RacePrompt {
    /// The query of an existing turn, answered again by siblings.
    Turn(TurnId),
    /// A new message.
    Message { text: String, attachments: Vec<NewBlob> },
}

/// The result of a finished lane, in addition to its turn's output.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateResult {
    pub spent: RunUsage,
    /// Its first turn, if it begins a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<TurnId>,
}

impl CandidateResult {
    /// Parses the result from an envelope; `None` if it is not from a lane.
    pub fn read(envelope: &Envelope) -> Option<Self> {
        json::from_tree(&envelope.structured).ok()
    }
}

pub fn is_race(run: &Run) -> bool {
    run.nodes.iter().any(|node| node.kind == RACER)
}

pub fn lane_of(node: &Node) -> Option<SessionId> {
    node.workspace.as_ref().filter(|_| node.kind == RACER)?.parse().ok()
}

pub fn lanes(run: &Run) -> impl Iterator<Item = SessionId> {
    run.nodes.iter().filter_map(lane_of)
}

pub fn open_race<'w>(world: &'w World, session: &Session) -> Option<&'w Run> {
    world.open_run(session).map(|run| run.as_ref()).filter(|run| is_race(run))
}

/// The open race that `lane` takes part in.
pub fn race_of<'w>(world: &'w World, lane: &Session) -> Option<&'w Run> {
    let parent = lane.parent.as_ref().filter(|_| lane.role() == SessionRole::Candidate);
    let parent = world.session(parent?)?;
    open_race(world, parent).filter(|run| lanes(run).any(|id| id == lane.id))
}

/// The model and parameters of a lane.
pub fn config_in(race: &Run, lane: SessionId) -> Option<&ModelConfig> {
    race.nodes.iter().find(|node| lane_of(node) == Some(lane))?.config.as_ref()
}

/// True if a lane has finished.
pub fn is_over(status: NodeStatus) -> bool {
    matches!(status, NodeStatus::Done | NodeStatus::Error)
}

pub fn lane_status(world: &World, lane: SessionId) -> NodeStatus {
    let Some(session) = world.session(&lane).filter(|row| row.deleted_at.is_none()) else {
        return NodeStatus::Error;
    };
    let run = session.run.and_then(|run| world.run(&run));
    if let Some(run) = run.filter(|run| run.status.is_open()) {
        let waits = run.status == RunStatus::Paused
            || run.nodes.iter().any(|node| node.status == NodeStatus::Blocked);
        return if waits { NodeStatus::Blocked } else { NodeStatus::Running };
    }
    match run.map(|run| run.status) {
        _ if !world.is_idle(session) => NodeStatus::Running,
        Some(RunStatus::Completed) => NodeStatus::Done,
        Some(_) | None => NodeStatus::Error,
    }
}

/// The race to update after an event in `session`, which is the asking session or a lane.
pub fn race_to_update(world: &World, session: &Session) -> Option<RunId> {
    let run = open_race(world, session).or_else(|| race_of(world, session))?;
    let moved = |node: &Node| {
        !is_over(node.status) && lane_of(node).is_some_and(|lane| lane_status(world, lane) != node.status)
    };
    let is_due = run.nodes.iter().any(moved) || run.nodes.iter().all(|node| is_over(node.status));
    (run.status.is_working() && is_due).then_some(run.id)
}

/// The turns of a lane, oldest first.
pub fn turns_of<'w>(world: &'w World, lane: &Session) -> Vec<&'w Turn> {
    let newest = world.open_turn(lane).map(|turn| turn.id).or(lane.head);
    let own = world.replies(newest).take_while(|turn| turn.session == lane.id);
    let mut turns: Vec<&Turn> = own.map(|turn| turn.as_ref()).collect();
    turns.reverse();
    turns
}

/// The run of the session's newest turn, ignoring merges, if it was a lane of this race.
pub fn picked_lane<'w>(world: &'w World, session: &Session, race: &Run) -> Option<&'w Run> {
    let newest = world.replies(session.head).find(|turn| turn.kind != TurnKind::Merge);
    let head = newest.filter(|_| is_race(race))?;
    let is_lane = lanes(race).any(|lane| lane == head.session);
    head.run.filter(|_| is_lane).and_then(|run| world.run(&run)).map(|run| run.as_ref())
}

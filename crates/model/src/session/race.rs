//! Races: one question sent to two or three models at once.
//!
//! A race is a run whose nodes work in parallel, each in a lane: a fork of the session (kind `tool`, origin `fork`)
//! that begins where the answer would stand, with a run of its own. All lanes share one budget. The race stays open
//! until the operator picks a lane or ends it; lanes that still work are stopped, and all turns stay in the tree as
//! siblings.

use serde::{Deserialize, Serialize};

use crate::id::{AgentKey, MessageId, Millis, NodeId, RunId, SessionId, ToolRunId, TurnId};
use crate::llm::ModelConfig;
use crate::message::Role;
use crate::mind::blob::NewBlob;
use crate::provider::failure::ProviderError;
use crate::run::{Envelope, Node, NodeStatus, PauseCause, Run, RunStatus, RunUsage};
use crate::session::workers::{rests, spent_by};
use crate::session::{Session, SessionRole};
use crate::tool::{FileChange, changes_between};
use crate::turn::{Turn, TurnEnd};
use crate::world::World;
use nexus_text::json;

/// The type of a node that races.
pub const RACER: &str = "racer";
/// The fewest models that race.
pub const RACERS_LEAST: usize = 2;
pub const RACERS_MOST: usize = 3;

#[derive(Clone, Debug, PartialEq)]
pub struct RaceRequest {
    pub session: SessionId,
    pub asked: RacePrompt,
    pub agent: AgentKey,
    /// With which models and parameters, one for each lane.
    pub models: Vec<ModelConfig>,
}

/// What models race about.
#[derive(Clone, Debug, PartialEq)]
pub enum RacePrompt {
    /// The query of a turn, once more beside it.
    Again(TurnId),
    /// Something new.
    Said {
        text: String,
        /// What goes along with them.
        attachments: Vec<NewBlob>,
    },
}

/// What a lane that is over tells the run, beside what its turn came to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CandidateResult {
    pub spent: RunUsage,
    /// Its first turn, where that is the beginning of a thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<TurnId>,
}

impl CandidateResult {
    /// What an envelope tells of a lane; `None` where it is none of a lane.
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

/// The sessions of a run's lanes.
pub fn lanes(run: &Run) -> impl Iterator<Item = SessionId> {
    run.nodes.iter().filter_map(lane_of)
}

/// The race of a session that has not ended.
pub fn open_race<'w>(world: &'w World, session: &Session) -> Option<&'w Run> {
    world.open_run(session).map(|run| run.as_ref()).filter(|run| is_race(run))
}

/// The open race that a session is a lane of.
pub fn race_of<'w>(world: &'w World, lane: &Session) -> Option<&'w Run> {
    let above = lane.parent.as_ref().filter(|_| lane.role() == SessionRole::Candidate);
    let above = world.session(above?)?;
    open_race(world, above).filter(|run| lanes(run).any(|id| id == lane.id))
}

/// With what a lane of a race answers.
pub fn config_in(race: &Run, lane: SessionId) -> Option<&ModelConfig> {
    race.nodes.iter().find(|node| lane_of(node) == Some(lane))?.config.as_ref()
}

/// Whether a lane has nothing left to do.
pub fn is_over(status: NodeStatus) -> bool {
    matches!(status, NodeStatus::Done | NodeStatus::Error)
}

pub fn standing(world: &World, lane: SessionId) -> NodeStatus {
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
        _ if !rests(world, session) => NodeStatus::Running,
        Some(RunStatus::Completed) => NodeStatus::Done,
        Some(_) | None => NodeStatus::Error,
    }
}

/// The race that has to take note of what happened in a session, be it the one that asks or a lane.
pub fn due(world: &World, session: &Session) -> Option<RunId> {
    let run = open_race(world, session).or_else(|| race_of(world, session))?;
    let moved = |node: &Node| {
        !is_over(node.status) && lane_of(node).is_some_and(|lane| standing(world, lane) != node.status)
    };
    let is_due = run.nodes.iter().any(moved) || run.nodes.iter().all(|node| is_over(node.status));
    (run.status == RunStatus::Running && is_due).then_some(run.id)
}

/// What the lanes of a race use that have not told it yet.
pub fn spent(world: &World, run: &Run) -> RunUsage {
    let works = run.nodes.iter().filter(|node| run.status.is_open() && !is_over(node.status));
    let lanes = works.filter_map(lane_of).filter_map(|lane| world.session(&lane));
    lanes.fold(RunUsage::default(), |used, lane| used.plus(&spent_by(world, lane)))
}

/// The turns that a lane has, oldest first.
pub fn turns_of<'w>(world: &'w World, lane: &Session) -> Vec<&'w Turn> {
    let newest = world.open_turn(lane).map(|turn| turn.id).or(lane.head);
    let own = world.replies(newest).take_while(|turn| turn.session == lane.id);
    let mut turns: Vec<&Turn> = own.map(|turn| turn.as_ref()).collect();
    turns.reverse();
    turns
}

/// The run in which the turn at a session's head was made, where that was the lane of this race that was picked.
pub fn picked<'w>(world: &'w World, session: &Session, race: &Run) -> Option<&'w Run> {
    let head = session.head.and_then(|head| world.turn(&head)).filter(|_| is_race(race))?;
    let is_one = lanes(race).any(|lane| lane == head.session);
    head.run.filter(|_| is_one).and_then(|run| world.run(&run)).map(|run| run.as_ref())
}

/// A race, as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct RaceView {
    pub run: RunId,
    /// Whether nothing works in it any more: the operator has to choose.
    pub waits: bool,
    pub lanes: Vec<Candidate>,
}

/// A lane, as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub session: SessionId,
    pub node: NodeId,
    pub config: Option<ModelConfig>,
    pub status: NodeStatus,
    pub turn: Option<TurnId>,
    pub end: Option<TurnEnd>,
    /// Why, where it failed.
    pub failure: Option<ProviderError>,
    /// What it says, oldest first.
    pub messages: Vec<MessageId>,
    pub tools: Vec<ToolRunId>,
    /// Its run, while that waits for the operator, and why.
    pub pause: Option<(RunId, PauseCause)>,
    pub used: RunUsage,
    pub touched: Vec<FileChange>,
    /// Since when.
    pub began: Option<Millis>,
    /// Until when, once it is over.
    pub ended: Option<Millis>,
    pub can_be_picked: bool,
}

/// The open race of a session.
pub fn shown(world: &World, session: SessionId) -> Option<RaceView> {
    let race = open_race(world, world.session(&session)?)?;
    let lanes = race.nodes.iter().filter_map(|node| lane(world, node));
    let waits = race.status == RunStatus::Paused;
    Some(RaceView { run: race.id, waits, lanes: lanes.collect() })
}

fn lane(world: &World, node: &Node) -> Option<Candidate> {
    let session = lane_of(node)?;
    let status = standing(world, session);
    let row = world.session(&session).map(|row| row.as_ref());
    let turns = row.map(|row| turns_of(world, row)).unwrap_or_default();
    let newest = turns.last();
    let says = |id: &MessageId| world.message(id).is_some_and(|message| message.role == Role::Assistant);
    let run = row.and_then(|row| world.run(row.run.as_ref()?));
    let pause = run.filter(|run| run.status == RunStatus::Paused);
    let minds = turns
        .first()
        .and_then(|turn| world.mind(&turn.mind_before))
        .zip(row.and_then(|row| world.working_mind(row)));
    Some(Candidate {
        session,
        node: node.id.clone(),
        config: node.config.clone(),
        status,
        turn: newest.map(|turn| turn.id),
        end: newest.and_then(|turn| turn.end),
        failure: newest.and_then(|turn| turn.failure.clone()),
        messages: turns.iter().flat_map(|turn| &turn.messages).filter(|id| says(id)).copied().collect(),
        tools: turns.iter().flat_map(|turn| &turn.tool_runs).copied().collect(),
        pause: pause.map(|run| (run.id, run.pause.clone().unwrap_or(PauseCause::Interrupted))),
        used: row.map(|row| spent_by(world, row)).unwrap_or_default(),
        touched: minds.map(|(before, after)| changes_between(before, after)).unwrap_or_default(),
        began: turns.first().map(|turn| turn.opened_at),
        ended: newest.and_then(|turn| turn.closed_at).filter(|_| is_over(status)),
        can_be_picked: is_over(status) && newest.is_some(),
    })
}

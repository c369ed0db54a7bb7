//! Groups of sessions that work together: workers and the lanes of races, their shared budget, and what they wait for.
//!
//! A race sends one question to two or three models at once. It is a run whose nodes work in parallel, each in a lane:
//! a fork of the session (kind `tool`, origin `fork`) that begins where the answer would be added, with its own run.
//! All lanes share one budget. The race stays open until the operator picks a lane or ends it; then lanes that still
//! work are stopped, and all turns stay in the tree as siblings.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::id::{AgentKey, MessageId, Millis, NodeId, RunId, SessionId, ToolRunId, TurnId};
use crate::limits::WORKER_DEPTH_MOST;
use crate::llm::ModelConfig;
use crate::message::{Message, Role, content::text_of};
use crate::mind::{FileChange, blob::NewBlob, changes_between};
use crate::provider::{ProviderError, price::Cost};
use crate::run::{Envelope, Node, NodeStatus, PauseCause, Run, RunLimits, RunStatus, RunUsage};
use crate::session::delegation::{OpenWorker, Worker, WorkerEnd};
use crate::session::{Session, SessionRole};
use crate::settings::schema::{
    CAP_CALLS, CAP_DOLLARS, CAP_MINUTES, CAP_TOKENS, CAP_TOOL_CALLS, WORKER_DEPTH_LIMIT,
};
use crate::settings::{Number, Setting};
use crate::tool::{ToolRun, ToolStatus};
use crate::turn::{Turn, TurnEnd, TurnKind};
use crate::world::World;
use nexus_text::{json, vec_map::reached_from};

#[derive(Clone, Debug, PartialEq)]
pub enum WorkerState {
    Working,
    /// Waits for the operator to approve these tool runs.
    AwaitsApproval(Vec<ToolRunId>),
    Paused(PauseCause),
    Ended(WorkerEnd),
}

/// The deepest nesting of tasks; `None` for no limit. An unreadable setting counts as the default.
pub fn depth_limit(world: &World) -> Option<u32> {
    Some(world.value(WORKER_DEPTH_LIMIT) as u32).filter(|depth| *depth > 0)
}

/// The nesting depth of a worker's task; 0 for other sessions.
pub fn depth(session: &Session) -> u32 {
    session.delegation.as_ref().map_or(0, |delegation| delegation.depth)
}

/// The session that waits for a worker's report.
pub fn awaited_by<'w>(world: &'w World, worker: &Session) -> Option<(&'w Session, &'w OpenWorker)> {
    let parent = world.session(worker.parent.as_ref()?)?;
    let open = parent.workers.iter().find(|open| open.session == worker.id)?;
    Some((parent, open))
}

/// True if a worker has finished and its report is awaited.
pub fn is_due(world: &World, worker: &Session) -> bool {
    awaited_by(world, worker).is_some() && worker.run.is_some() && world.is_idle(worker)
}

pub fn run_caps(world: &World) -> RunLimits {
    // A setting of 0 removes the limit.
    let limit = |setting: Setting<Number>| Some(world.value(setting) as u32).filter(|most| *most > 0);
    RunLimits {
        calls: world.value(CAP_CALLS) as u32,
        tokens: world.value(CAP_TOKENS) as u64,
        cost: Cost((world.value(CAP_DOLLARS) * 1e9) as u64),
        turns: None,
        tool_calls: limit(CAP_TOOL_CALLS),
        minutes: limit(CAP_MINUTES),
    }
}

/// The usage of a run, including its workers and lanes.
pub fn spent(world: &World, run: &Run) -> RunUsage {
    let session = world.session(&run.session);
    let open =
        session.into_iter().flat_map(|session| &session.workers).filter(|open| open.run == Some(run.id));
    let used = run.used.plus(&spent_in_lanes(world, run));
    open.filter_map(|open| world.session(&open.session))
        .fold(used, |used, worker| used.plus(&spent_by(world, worker)))
}

/// The usage that counts to a run's limits: its own, that of its workers and lanes, and that of the runs before it.
pub fn charged(world: &World, run: &Run) -> RunUsage {
    run.used_before.plus(&spent(world, run))
}

/// The usage of lanes that have not reported to the race yet.
fn spent_in_lanes(world: &World, run: &Run) -> RunUsage {
    let works = run.nodes.iter().filter(|node| run.status.is_open() && !node.status.is_over());
    let lanes = works.filter_map(lane_of).filter_map(|lane| world.session(&lane));
    lanes.fold(RunUsage::default(), |used, lane| used.plus(&spent_by(world, lane)))
}

/// The usage of all runs of a worker, including its own workers.
pub fn spent_by(world: &World, worker: &Session) -> RunUsage {
    let runs = world.runs.values().filter(|run| run.session == worker.id);
    runs.fold(RunUsage::default(), |used, run| used.plus(&spent(world, run)))
}

/// The run and the runs whose budgets it counts to, nearest first.
pub fn budgets<'w>(world: &'w World, run: &'w Run) -> impl Iterator<Item = &'w Run> {
    let parent = |run: &&'w Run| {
        let session = world.session(&run.session)?;
        if let Some(race) = race_of(world, session) {
            return Some(race);
        }
        let parent = session.delegation.as_ref()?.run.as_ref()?;
        world.run(parent).map(|run| run.as_ref())
    };
    // Ends even on damaged data.
    std::iter::successors(Some(run), parent).take(usize::try_from(WORKER_DEPTH_MOST).unwrap_or(usize::MAX))
}

/// The sessions that work together with this one because one waits for another: the root first, each worker after its
/// sender.
pub fn related_sessions(world: &World, session: SessionId) -> Vec<SessionId> {
    let mut root = session;
    for _ in 0..WORKER_DEPTH_MOST {
        let parent = world.session(&root).and_then(|row| {
            let race = race_of(world, row).map(|race| race.session);
            race.or_else(|| awaited_by(world, row).map(|(parent, _)| parent.id))
        });
        match parent {
            Some(parent) => root = parent,
            None => break,
        }
    }
    with_members(world, root)
}

/// A session with its open workers and lanes and theirs, each after the session that waits for it.
pub fn with_members(world: &World, root: SessionId) -> Vec<SessionId> {
    reached_from([root], |id| {
        let row = world.session(&id);
        let lanes = row.and_then(|row| open_race(world, row)).into_iter().flat_map(lanes);
        let members = row.into_iter().flat_map(|row| &row.workers).map(|open| open.session).chain(lanes);
        members.filter(|member| world.session(member).is_some()).collect()
    })
}

pub fn state(world: &World, worker: &Worker) -> WorkerState {
    if let Some(end) = &worker.end {
        return WorkerState::Ended(end.end);
    }
    let Some(session) = world.session(&worker.session) else { return WorkerState::Working };
    let Some(run) = world.open_run(session) else { return WorkerState::Working };
    if run.status == RunStatus::Paused {
        return WorkerState::Paused(run.pause.clone().unwrap_or(PauseCause::Interrupted));
    }
    if run.nodes.iter().any(|node| node.status == NodeStatus::Blocked) {
        let asked = awaiting_approval(world, session);
        if !asked.is_empty() {
            return WorkerState::AwaitsApproval(asked.iter().map(|run| run.id).collect());
        }
    }
    WorkerState::Working
}

/// The newest turn of a finished worker, if not all of its files were merged into the sender's session.
pub fn unmerged(world: &World, worker: &Worker) -> Option<TurnId> {
    let session = world.session(&worker.session).filter(|session| session.deleted_at.is_none())?;
    let (end, head) = (worker.end.as_ref()?, session.head?);
    let has_unmerged = match end.end {
        WorkerEnd::Done => !end.conflicts.is_empty(),
        WorkerEnd::Failed | WorkerEnd::Stopped => {
            session.delegation.as_ref().is_some_and(|delegation| delegation.base != session.mind)
        }
        WorkerEnd::Lost => false,
    };
    let parent = session.parent.as_ref().and_then(|id| world.session(id))?;
    let is_merged = || world.ancestry(parent.head).any(|turn| turn.second_parent == Some(head));
    (has_unmerged && !is_merged()).then_some(head)
}

pub fn awaiting_approval<'w>(world: &'w World, session: &Session) -> Vec<&'w ToolRun> {
    let runs = world.open_turn(session).into_iter().flat_map(|turn| world.tool_runs_of(turn));
    runs.map(|run| run.as_ref()).filter(|run| run.status == ToolStatus::AwaitingApproval).collect()
}

/// The workers of a session that have not reported, and their workers.
pub fn below(world: &World, session: SessionId) -> Vec<SessionId> {
    let workers = |id| world.session(&id).into_iter().flat_map(|row| &row.workers).map(|open| open.session);
    reached_from([session], |id| workers(id).collect()).into_iter().skip(1).collect()
}

#[derive(Clone, Debug, PartialEq)]
pub struct RaceView {
    pub run: RunId,
    /// True if no lane is working, so that the operator has to choose.
    pub waits: bool,
    pub lanes: Vec<Candidate>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    pub session: SessionId,
    pub node: NodeId,
    pub config: Option<ModelConfig>,
    pub status: NodeStatus,
    pub turn: Option<TurnId>,
    pub end: Option<TurnEnd>,
    pub failure: Option<ProviderError>,
    /// Its assistant messages, oldest first.
    pub messages: Vec<MessageId>,
    pub tools: Vec<ToolRunId>,
    pub pause: Option<(RunId, PauseCause)>,
    pub used: RunUsage,
    pub touched: Vec<FileChange>,
    pub began: Option<Millis>,
    /// `None` until it is over.
    pub ended: Option<Millis>,
    pub can_be_picked: bool,
}

pub fn shown_race(world: &World, session: SessionId) -> Option<RaceView> {
    let race = open_race(world, world.session(&session)?)?;
    let lanes = race.nodes.iter().filter_map(|node| lane(world, node));
    let waits = race.status == RunStatus::Paused;
    Some(RaceView { run: race.id, waits, lanes: lanes.collect() })
}

fn lane(world: &World, node: &Node) -> Option<Candidate> {
    let session = lane_of(node)?;
    let status = lane_status(world, session);
    let row = world.session(&session).map(|row| row.as_ref());
    let turns = row.map(|row| turns_of(world, row)).unwrap_or_default();
    let newest = turns.last();
    let is_reply = |id: &MessageId| world.message(id).is_some_and(|message| message.role == Role::Assistant);
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
        messages: turns.iter().flat_map(|turn| &turn.messages).filter(|id| is_reply(id)).copied().collect(),
        tools: turns.iter().flat_map(|turn| &turn.tool_runs).copied().collect(),
        pause: pause.map(|run| (run.id, run.pause.clone().unwrap_or(PauseCause::Interrupted))),
        used: row.map(|row| spent_by(world, row)).unwrap_or_default(),
        touched: minds.map(|(before, after)| changes_between(before, after)).unwrap_or_default(),
        began: turns.first().map(|turn| turn.opened_at),
        ended: newest.and_then(|turn| turn.closed_at).filter(|_| status.is_over()),
        can_be_picked: status.is_over() && has_answer(world, status, &turns),
    })
}

/// True if a lane has answered, at least in part. One that failed before its first word has not.
pub fn has_answer(world: &World, status: NodeStatus, turns: &[&Turn]) -> bool {
    let is_part = |message: &&Arc<Message>| {
        message.role == Role::Assistant
            && (!message.metadata.tool_run_ids.is_empty() || !text_of(&message.parts).trim().is_empty())
    };
    let mut messages = turns.iter().flat_map(|turn| &turn.messages).filter_map(|id| world.message(id));
    !turns.is_empty() && (status == NodeStatus::Done || messages.any(|message| is_part(&message)))
}

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
    pub models: Vec<ModelConfig>,
}

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

/// A run's working time so far in milliseconds, without waits for the operator, and since when a node works, if one
/// does. Models that work at once, and runs of earlier versions, count from the start to the end.
pub fn work(run: &Run) -> (u64, Option<Millis>) {
    let since = run.nodes.iter().filter_map(|node| node.since).min();
    match run.ended_at {
        Some(end) if is_race(run) || run.used.ms == 0 => (end.0.saturating_sub(run.opened_at.0), None),
        None if is_race(run) => (0, Some(run.opened_at)),
        Some(_) => (run.used.ms, None),
        None => (run.used.ms, since),
    }
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

pub fn config_in(race: &Run, lane: SessionId) -> Option<&ModelConfig> {
    race.nodes.iter().find(|node| lane_of(node) == Some(lane))?.config.as_ref()
}

pub fn lane_status(world: &World, lane: SessionId) -> NodeStatus {
    let Some(session) = world.session(&lane).filter(|row| row.deleted_at.is_none()) else {
        return NodeStatus::Error;
    };
    let run = session.run.and_then(|run| world.run(&run));
    if let Some(run) = run.filter(|run| run.status.is_open()) {
        return if run.waits_for_operator() { NodeStatus::Blocked } else { NodeStatus::Running };
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
        !node.status.is_over() && lane_of(node).is_some_and(|lane| lane_status(world, lane) != node.status)
    };
    let is_due = run.nodes.iter().any(moved) || run.nodes.iter().all(|node| node.status.is_over());
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

#[cfg(test)]
mod tests;

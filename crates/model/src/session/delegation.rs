//! Delegation: the task, permissions, budget and state of a worker.
//!
//! A worker is a session (kind `tool`, origin `subagent`) with a run of one node, scheduled like any other. It sees its
//! persona, its task and the files, not the sender's conversation. Its permissions are the strictest of its own and
//! those of all senders above it, and its usage counts to the runs above it.

use serde::{Deserialize, Serialize};

use crate::agent::permission::{PermissionDecision, ToolRule, ruling_of, said};
use crate::agent::{Agent, AgentRole, Permissions};
use crate::id::{AgentKey, ProviderId, RunId, SessionId, ToolRunId, TurnId};
use crate::limits::WORKER_DEPTH_MOST;
use crate::mind::sandbox::Sandbox;
use crate::run::{NodeStatus, PauseCause, Run, RunStatus, RunUsage};
use crate::session::Session;
use crate::session::race;
use crate::settings::schema::WORKER_DEPTH_LIMIT;
use crate::tool::{FileChange, ToolClass, ToolRun, ToolStatus};
use crate::world::World;
use nexus_text::content_hash::ContentHash;

/// The name of the tool that gives a task to a worker.
pub const DELEGATE: &str = "delegate";

/// A task that an agent wants to give away.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DelegatedTask {
    pub text: String,
    /// The same in a few words; taken from the task where empty.
    pub title: String,
    /// The name of the agent that is to do it; the one that gives it where absent.
    pub agent: Option<String>,
}

/// What an agent might do when it gave a task away.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InheritedPermissions {
    pub agent: AgentKey,
    /// What it might do then.
    pub permissions: Permissions,
    /// What the operator said of tools for the turn in which it gave the task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Box<Permissions>>,
}

/// How a worker's session came to be. Written when it is made, never changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Delegation {
    /// The turn that gave the task.
    pub turn: TurnId,
    /// The run that gave it, whose budget the worker's cost counts to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The mind that the worker began with.
    pub base: ContentHash,
    /// How many tasks deep it works, from 1.
    pub depth: u32,
    /// Who gave the task, and who gave the one that it came from, nearest first.
    pub under: Vec<InheritedPermissions>,
}

/// A worker that has not reported yet, as the session that sent it out remembers it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenWorker {
    pub session: SessionId,
    /// The tool run that sent it out.
    pub tool_run: ToolRunId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
}

/// A worker, as the tool run that sent it out knows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Worker {
    pub session: SessionId,
    pub agent: AgentKey,
    /// The task in a few words.
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<WorkerResult>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkerEnd {
    Done,
    /// It could not.
    Failed,
    Stopped,
    /// Its session is not here any more.
    Lost,
}

/// What came of a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkerResult {
    pub how: WorkerEnd,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touched: Vec<FileChange>,
    /// The files that were not, because others had changed the same lines.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clashes: Vec<String>,
    /// What it used, its own workers included.
    #[serde(default)]
    pub spent: RunUsage,
}

/// Where a message that a worker's report became comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerReport {
    pub worker: SessionId,
    pub agent: AgentKey,
    /// The task in a few words.
    pub title: String,
    pub how: WorkerEnd,
    /// The run that sent the worker out, whose budget goes on in the run that reads the report.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<RunId>,
}

/// How a worker stands.
#[derive(Clone, Debug, PartialEq)]
pub enum WorkerState {
    Working,
    /// It asks the operator about these tools.
    Asks(Vec<ToolRunId>),
    Waits(PauseCause),
    Ended(WorkerEnd),
}

/// What an agent may do in a session: its own rules, and those of all who stand above it there. The strictest counts.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectivePermissions(Vec<InheritedPermissions>);

impl EffectivePermissions {
    /// Where nobody stands above an agent.
    pub fn alone(agent: &Agent) -> Self {
        Self(vec![grant(agent)])
    }

    /// In a session: who gave a task stands above who works on it, as it stood then and as it stands now. What was said
    /// of tools for the message that is worked on counts.
    pub fn of(world: &World, session: &Session, agent: &Agent) -> Self {
        let mut standing =
            Self(vec![InheritedPermissions { turn: said_for(world, session, agent), ..grant(agent) }]);
        if let Some(delegation) = &session.delegation {
            standing.under(world, &delegation.under);
        }
        standing
    }

    /// The same with these above.
    pub fn under(&mut self, world: &World, grants: &[InheritedPermissions]) {
        for above in grants {
            self.0.push(above.clone());
            let now = world.agent(&above.agent).map(|agent| grant(agent));
            self.0.extend(now.map(|now| InheritedPermissions { turn: above.turn.clone(), ..now }));
        }
    }

    /// Whether it may use a tool: what the strictest of all says. What was said for a message holds for who works on it
    /// and for all below; it never lifts a deny.
    pub fn ruling(&self, rules: &[ToolRule], tool: &str, class: ToolClass) -> PermissionDecision {
        let mut inherited = None;
        let says = |grant: &InheritedPermissions| {
            let own = ruling_of(rules, &grant.agent, &grant.permissions, tool, class);
            let here = grant.turn.as_ref().and_then(|turn| said(turn, tool, class));
            inherited = here.or(inherited);
            if own == PermissionDecision::Deny { own } else { inherited.unwrap_or(own) }
        };
        // From the outermost inwards.
        self.0.iter().rev().map(says).max().unwrap_or(PermissionDecision::Deny)
    }

    /// Whether a file may be seen and touched.
    pub fn allow_file(&self, file: &str) -> bool {
        self.0.iter().all(|grant| grant.permissions.allow_file(file))
    }

    /// The files that may be seen and touched.
    pub fn sandbox(&self) -> Sandbox {
        Sandbox::of(self.0.iter().map(|grant| &grant.permissions))
    }

    /// Whether a provider's key may be used.
    pub fn allow_provider(&self, provider: &ProviderId) -> bool {
        self.0.iter().all(|grant| grant.permissions.allow_provider(provider))
    }
}

/// An agent with what it may do now.
pub fn grant(agent: &Agent) -> InheritedPermissions {
    InheritedPermissions { agent: agent.key.clone(), permissions: agent.permissions.clone(), turn: None }
}

/// What the operator said of tools for what an agent works on in a session.
pub fn said_for(world: &World, session: &Session, agent: &Agent) -> Option<Box<Permissions>> {
    let run = world.open_run(session)?;
    run.nodes.iter().find(|node| node.agent.as_ref() == Some(&agent.key))?.tools.clone()
}

/// Whether an agent of this role gives tasks away.
pub fn delegates(role: AgentRole) -> bool {
    match role {
        AgentRole::Manager | AgentRole::Unified => true,
        AgentRole::Worker => false,
    }
}

/// Whether an agent of this role takes tasks of others.
pub fn takes_tasks(role: AgentRole) -> bool {
    match role {
        AgentRole::Worker | AgentRole::Unified => true,
        AgentRole::Manager => false,
    }
}

/// How many tasks deep workers may work; `None` where the limit is lifted. A setting that cannot be read is the usual.
pub fn depth_limit(world: &World) -> Option<u32> {
    Some(world.value(WORKER_DEPTH_LIMIT) as u32).filter(|depth| *depth > 0)
}

/// How many tasks deep a session works; 0 where nobody gave one.
pub fn depth(session: &Session) -> u32 {
    session.delegation.as_ref().map_or(0, |delegation| delegation.depth)
}

/// The session that waits for a worker's report; `None` where nobody does.
pub fn awaited_by<'w>(world: &'w World, worker: &Session) -> Option<(&'w Session, &'w OpenWorker)> {
    let parent = world.session(worker.parent.as_ref()?)?;
    let open = parent.workers.iter().find(|open| open.session == worker.id)?;
    Some((parent, open))
}

/// Whether nothing works or waits in a session, nor in one of its workers.
pub fn rests(world: &World, session: &Session) -> bool {
    // What Stop holds may never be sent: nobody waits for that.
    let is_empty = || world.waiting(session.id).iter().all(|item| item.held);
    world.open_run(session).is_none() && session.workers.is_empty() && is_empty()
}

/// Whether a worker has nothing left to do and somebody waits for its report.
pub fn is_due(world: &World, worker: &Session) -> bool {
    awaited_by(world, worker).is_some() && worker.run.is_some() && rests(world, worker)
}

/// What a run has used, its workers and lanes included.
pub fn spent(world: &World, run: &Run) -> RunUsage {
    let session = world.session(&run.session);
    let open =
        session.into_iter().flat_map(|session| &session.workers).filter(|open| open.run == Some(run.id));
    let used = run.used.plus(&race::spent(world, run));
    open.filter_map(|open| world.session(&open.session))
        .fold(used, |used, worker| used.plus(&spent_by(world, worker)))
}

/// What a worker has used in all of its runs, its own workers included.
pub fn spent_by(world: &World, worker: &Session) -> RunUsage {
    let runs = world.runs.values().filter(|run| run.session == worker.id);
    runs.fold(RunUsage::default(), |used, run| used.plus(&spent(world, run)))
}

/// A run, and the runs whose budgets it counts to, nearest first.
pub fn budgets<'w>(world: &'w World, run: &'w Run) -> impl Iterator<Item = &'w Run> {
    let above = |run: &&'w Run| {
        let session = world.session(&run.session)?;
        if let Some(race) = race::race_of(world, session) {
            return Some(race);
        }
        let above = session.delegation.as_ref()?.run.as_ref()?;
        world.run(above).map(|run| run.as_ref())
    };
    // Whatever is stored, it ends.
    std::iter::successors(Some(run), above).take(usize::try_from(WORKER_DEPTH_MOST).unwrap_or(usize::MAX))
}

/// The sessions that are worked in together with this one, because one waits for another: the one that nobody's report
/// is awaited of first, each worker after who sent it out.
pub fn family(world: &World, session: SessionId) -> Vec<SessionId> {
    let mut root = session;
    for _ in 0..WORKER_DEPTH_MOST {
        let above = world.session(&root).and_then(|row| {
            let race = race::race_of(world, row).map(|race| race.session);
            race.or_else(|| awaited_by(world, row).map(|(parent, _)| parent.id))
        });
        match above {
            Some(above) => root = above,
            None => break,
        }
    }
    let mut family = vec![root];
    let mut at = 0;
    while let Some(row) = family.get(at).copied() {
        at += 1;
        let Some(row) = world.session(&row) else { continue };
        let workers = row.workers.iter().map(|open| open.session);
        let lanes = race::open_race(world, row).into_iter().flat_map(race::lanes);
        for member in workers.chain(lanes) {
            if !family.contains(&member) && world.session(&member).is_some() {
                family.push(member);
            }
        }
    }
    family
}

/// How a worker stands.
pub fn state(world: &World, worker: &Worker) -> WorkerState {
    if let Some(end) = &worker.end {
        return WorkerState::Ended(end.how);
    }
    let Some(session) = world.session(&worker.session) else { return WorkerState::Working };
    let Some(run) = world.open_run(session) else { return WorkerState::Working };
    if run.status == RunStatus::Paused {
        return WorkerState::Waits(run.pause.clone().unwrap_or(PauseCause::Interrupted));
    }
    if run.nodes.iter().any(|node| node.status == NodeStatus::Blocked) {
        let asked = asked_in(world, session);
        if !asked.is_empty() {
            return WorkerState::Asks(asked.iter().map(|run| run.id).collect());
        }
    }
    WorkerState::Working
}

/// The tool runs of a session's open turn that wait for the operator.
pub fn asked_in<'w>(world: &'w World, session: &Session) -> Vec<&'w ToolRun> {
    let turn = world.open_turn(session);
    let runs = turn.into_iter().flat_map(|turn| &turn.tool_runs).filter_map(|id| world.tool_run(id));
    runs.map(|run| run.as_ref()).filter(|run| run.status == ToolStatus::AwaitingApproval).collect()
}

/// The workers that a session sent out and that have not reported, and theirs.
pub fn below(world: &World, session: SessionId) -> Vec<SessionId> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut next = Some(session);
    while let Some(id) = next {
        let workers = world.session(&id).into_iter().flat_map(|row| &row.workers).map(|open| open.session);
        for worker in workers {
            if worker != session && !found.contains(&worker) {
                found.push(worker);
            }
        }
        next = found.get(at).copied();
        at += 1;
    }
    found
}

#[cfg(test)]
#[path = "delegation_tests.rs"]
mod tests;

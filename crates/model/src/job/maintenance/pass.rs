//! Records the Archivist's jobs as runs in a hidden session of kind `tool`.
//!
//! Each served session has one such session for all of its jobs. The results themselves go to the stream of the
//! served session.

use std::sync::Arc;

use serde_json::json;

use crate::agent::Priority;
use crate::id::{AgentKey, JobId, Millis, NodeId, RunId, SessionId, TurnId};
use crate::job::{Job, JobEnd, JobKind};
use crate::llm::{ModelConfig, Usage};
use crate::provider::failure::ProviderError;
use crate::provider::price::Cost;
use crate::run::{Envelope, Node, NodeStatus, Run, RunCause, RunMode, RunStatus, RunUsage};
use crate::session::{Session, SessionRole};
use crate::turn::{Turn, TurnEnd, TurnKind, TurnPhase};
use crate::world::World;

/// What the agent keys of the Archivist's runs begin with; no agent of the operator's has such a key.
pub const PASS_AGENTS: &str = "archivist.";

const KINDS: [(JobKind, &str); 2] =
    [(JobKind::Summary, "archivist.summary"), (JobKind::Memory, "archivist.memory")];

/// What kind of job an agent key stands for, where it is the Archivist's.
pub fn kind_of(agent: &AgentKey) -> Option<JobKind> {
    KINDS.into_iter().find(|(_, key)| *key == agent.as_str()).map(|(kind, _)| kind)
}

/// The turn of a job; it has the same number.
pub fn turn_of(job: JobId) -> TurnId {
    job.bits().into()
}

/// The run of a job; it has the same number.
pub fn run_of(job: JobId) -> RunId {
    job.bits().into()
}

/// The session that holds the runs of the Archivist that served this one.
pub fn passes_of(world: &World, served: SessionId) -> Option<&Arc<Session>> {
    let is_it = |session: &&Arc<Session>| {
        session.parent == Some(served) && session.role() == SessionRole::Jobs && session.purged_at.is_none()
    };
    world.sessions.values().find(is_it)
}

/// What came of a job.
pub struct JobOutcome<'o> {
    /// How it ended; `None` where it did what it was to do.
    pub end: Option<JobEnd>,
    /// Why it came to nothing.
    pub failure: Option<&'o ProviderError>,
    /// What the last attempt used.
    pub usage: &'o Usage,
    pub cost: Option<Cost>,
    /// How many memories are new.
    pub noted: Option<u32>,
}

/// A job that is over as a run and its turn, behind `head` in the session that holds them; `None` where jobs of its kind
/// are not kept so.
pub fn record(own: &Session, job: &Job, outcome: &JobOutcome<'_>, now: Millis) -> Option<(Run, Turn)> {
    let (_, agent) = KINDS.into_iter().find(|(kind, _)| *kind == job.kind())?;
    let agent = AgentKey::from(agent);
    let node = NodeId(agent.0.clone());
    let end = match outcome.end {
        None => TurnEnd::Completed,
        Some(JobEnd::Failed) => TurnEnd::Error,
        Some(JobEnd::Cancelled) => TurnEnd::Cancelled,
        Some(JobEnd::Interrupted) => TurnEnd::Interrupted,
    };
    let done = end == TurnEnd::Completed;
    let mut usage = job.usage.clone();
    usage.add(outcome.usage);
    let turn = Turn {
        parent: own.head,
        run: Some(run_of(job.id)),
        node: Some(node.clone()),
        phase: if done { TurnPhase::Completed } else { TurnPhase::Failed },
        end: Some(end),
        failure: outcome.failure.cloned(),
        mind_after: Some(own.mind),
        usage: usage.clone(),
        closed_at: Some(now),
        ..Turn::opened(
            turn_of(job.id),
            own.id,
            TurnKind::Normal,
            agent.clone(),
            ModelConfig::new(job.provider.clone(), job.model.clone()),
            own.mind,
            job.at,
        )
    };
    let output = Envelope {
        kind: "node_result".to_owned(),
        node_id: node.clone(),
        turn_id: Some(turn.id),
        status: if done { "ok" } else { "error" }.to_owned(),
        summary: String::new(),
        artifacts: Vec::new(),
        structured: json!({ "messages": job.messages().len(), "noted": outcome.noted }),
    };
    let mut used = RunUsage { calls: job.attempt(), ..RunUsage::default() };
    used.add(&usage, job.cost.into_iter().chain(outcome.cost).reduce(Cost::plus));
    let run = Run {
        mode: RunMode::Auto,
        status: match end {
            TurnEnd::Completed => RunStatus::Completed,
            TurnEnd::Cancelled | TurnEnd::Interrupted => RunStatus::Cancelled,
            TurnEnd::Error | TurnEnd::CutOff | TurnEnd::TimedOut => RunStatus::Failed,
        },
        nodes: vec![Node {
            agent: Some(agent),
            turn: Some(turn.id),
            last_output: Some(output),
            ..Node::new(
                node,
                "agent.archivist",
                0,
                Priority::Low,
                if done { NodeStatus::Done } else { NodeStatus::Error },
            )
        }],
        used,
        ended_at: Some(now),
        ..Run::opened(
            run_of(job.id),
            own.id,
            job.messages().last().map_or(RunCause::GoOn(run_of(job.id)), |last| RunCause::Message(*last)),
            own.mind,
            job.at,
        )
    };
    Some((run, turn))
}

/// How many messages a run of the Archivist was about, and how many memories were new.
pub fn counted(run: &Run) -> (u64, Option<u64>) {
    let output =
        run.nodes.first().and_then(|node| node.last_output.as_ref()).map(|output| &output.structured);
    let number = |name: &str| output.and_then(|output| output.get(name)).and_then(|count| count.as_u64());
    (number("messages").unwrap_or_default(), number("noted"))
}

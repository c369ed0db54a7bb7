//! Records the Archivist's jobs as runs in a hidden session of kind `tool`.
//!
//! Each served session has one such session for all of its jobs. The results themselves go to the stream of the
//! served session.

use std::sync::Arc;

use serde_json::json;

use crate::id::{AgentKey, JobId, Millis, NodeId, RunId, SessionId, TurnId};
use crate::llm::{ModelConfig, Thinking, Usage};
use crate::maintenance::{JobEnd, JobKind, OpenJob};
use crate::provider::failure::ProviderError;
use crate::provider::price::Cost;
use crate::run::{
    Envelope, Node, NodeStatus, Rounds, Run, RunCause, RunLimits, RunMode, RunStatus, RunUsage,
};
use crate::session::{Session, SessionKind, SessionOrigin};
use crate::turn::{Turn, TurnEnd, TurnKind, TurnPhase};
use crate::world::World;

/// What the agent keys of the Archivist's runs begin with; no agent of the operator's has such a key.
pub const PASS_AGENTS: &str = "archivist.";

/// The agent key of the runs of a kind.
pub fn agent_of(kind: JobKind) -> AgentKey {
    match kind {
        JobKind::Summary => "archivist.summary".into(),
        JobKind::Memory => "archivist.memory".into(),
    }
}

/// What kind of work an agent key stands for, where it is the Archivist's.
pub fn kind_of(agent: &AgentKey) -> Option<JobKind> {
    [JobKind::Summary, JobKind::Memory].into_iter().find(|kind| agent_of(*kind) == *agent)
}

/// The turn of a chore; it has the same number.
pub fn turn_of(chore: JobId) -> TurnId {
    chore.bits().into()
}

/// The run of a chore; it has the same number.
pub fn run_of(chore: JobId) -> RunId {
    chore.bits().into()
}

/// Whether a session holds nothing but runs of the Archivist.
pub fn keeps_passes(session: &Session) -> bool {
    session.kind == SessionKind::Tool && session.origin == SessionOrigin::System
}

/// The session that holds the runs of the Archivist that served this one.
pub fn passes_of(world: &World, served: SessionId) -> Option<&Arc<Session>> {
    let is_it = |session: &&Arc<Session>| {
        session.parent == Some(served) && keeps_passes(session) && session.purged_at.is_none()
    };
    world.sessions.values().find(is_it)
}

/// What came of a chore.
pub struct JobReport<'p> {
    /// How it ended; `None` where it did what it was to do.
    pub end: Option<JobEnd>,
    /// Why it came to nothing.
    pub failure: Option<&'p ProviderError>,
    /// What it used. What attempts before it used is in their events.
    pub usage: &'p Usage,
    pub cost: Option<Cost>,
    /// How many memories are new.
    pub noted: Option<u32>,
    /// How many times it was asked.
    pub attempts: u32,
}

/// A chore that is over as a run and its turn, behind `head` in the session that holds them.
pub fn record(own: &Session, open: &OpenJob, passed: &JobReport<'_>, now: Millis) -> (Run, Turn) {
    let agent = agent_of(open.kind);
    let node = NodeId(agent.0.clone());
    let end = match passed.end {
        None => TurnEnd::Completed,
        Some(JobEnd::Failed) => TurnEnd::Error,
        Some(JobEnd::Cancelled) => TurnEnd::Cancelled,
        Some(JobEnd::Interrupted) => TurnEnd::Interrupted,
    };
    let done = end == TurnEnd::Completed;
    let config = ModelConfig {
        provider: open.provider.clone(),
        model: open.model.clone(),
        thinking: Thinking::Auto,
        max_tokens: None,
        temperature: None,
        context_tokens: None,
    };
    let turn = Turn {
        id: turn_of(open.id),
        session: own.id,
        parent: own.head,
        second_parent: None,
        merged_from: None,
        kind: TurnKind::Normal,
        run: Some(run_of(open.id)),
        node: Some(node.clone()),
        round: 1,
        agent: agent.clone(),
        config,
        continues: None,
        query: Vec::new(),
        answers: Vec::new(),
        messages: Vec::new(),
        tool_runs: Vec::new(),
        phase: if done { TurnPhase::Completed } else { TurnPhase::Failed },
        end: Some(end),
        failure: passed.failure.cloned(),
        mind_before: own.mind.clone(),
        mind_shown: own.mind.clone(),
        mind_after: Some(own.mind.clone()),
        calls: Vec::new(),
        usage: passed.usage.clone(),
        opened_at: open.at,
        closed_at: Some(now),
    };
    let output = Envelope {
        kind: "node_result".to_owned(),
        node_id: node.clone(),
        turn_id: turn.id,
        status: if done { "ok" } else { "error" }.to_owned(),
        summary: String::new(),
        artifacts: Vec::new(),
        structured: json!({ "messages": open.messages.len(), "noted": passed.noted }),
    };
    let mut used = RunUsage { calls: passed.attempts, ..RunUsage::default() };
    used.add(passed.usage, passed.cost);
    let run = Run {
        id: run_of(open.id),
        session: own.id,
        mode: RunMode::Auto,
        status: match end {
            TurnEnd::Completed => RunStatus::Completed,
            TurnEnd::Cancelled | TurnEnd::Interrupted => RunStatus::Cancelled,
            TurnEnd::Error | TurnEnd::CutOff | TurnEnd::TimedOut => RunStatus::Failed,
        },
        cause: open.messages.last().map_or(RunCause::GoOn(run_of(open.id)), |last| RunCause::Message(*last)),
        messages: Vec::new(),
        nodes: vec![Node {
            id: node,
            kind: "agent.archivist".to_owned(),
            agent: Some(agent),
            priority: crate::agent::Priority::Low,
            place: 0,
            status: if done { NodeStatus::Done } else { NodeStatus::Error },
            turn: Some(turn.id),
            provider_session: None,
            terminal: None,
            workspace: None,
            inbox: Vec::new(),
            continues: None,
            config: None,
            tools: None,
            last_output: Some(output),
        }],
        edges: Vec::new(),
        rounds: Rounds { current: 1, limit: 1, definition_of_done: String::new() },
        round_mind: own.mind.clone(),
        round_summaries: Vec::new(),
        verdict: None,
        caps: RunLimits::default(),
        used,
        pause: None,
        artifacts: Vec::new(),
        opened_at: open.at,
        ended_at: Some(now),
    };
    (run, turn)
}

/// How many messages a run of the Archivist was about, and how many memories were new.
pub fn counted(run: &Run) -> (u64, Option<u64>) {
    let output =
        run.nodes.first().and_then(|node| node.last_output.as_ref()).map(|output| &output.structured);
    let number = |name: &str| output.and_then(|output| output.get(name)).and_then(|count| count.as_u64());
    (number("messages").unwrap_or_default(), number("noted"))
}

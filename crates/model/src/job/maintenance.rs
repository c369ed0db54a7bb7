//! Which summary and memory jobs are due for a session, and which model they use.
//!
//! [`answer`] parses the model's answers; [`record`] stores finished jobs as runs.

pub mod answer;

use serde_json::json;

use crate::agent::Priority;
use crate::job::JobFailure;
use crate::job::sync::{chosen_config, core_config, is_busy};
use crate::limits::{
    MEMORY_BEFORE, MEMORY_EVERY, MEMORY_MESSAGES, SUMMARY_EVERY, SUMMARY_FIRST, SUMMARY_MESSAGES,
    UNUSABLE_ANSWERS,
};
use crate::memory::DAY_MS;
use crate::prelude::*;
use crate::settings::schema::{
    ARCHIVIST_MODEL, ARCHIVIST_PROVIDER, JOB_CALLS, JOB_DOLLARS, JOB_TOKENS, MEMORY_AUTO, SUMMARY_AUTO,
};

/// The model of summary and memory jobs: the configured provider and model, else the Core's.
pub fn maintenance_config(world: &World) -> ModelConfig {
    chosen_config(world, (ARCHIVIST_PROVIDER, ARCHIVIST_MODEL), &core_config(world))
}

/// True if a message can contribute to a summary or memory.
fn counts(message: &Message) -> bool {
    message.status == MessageStatus::Completed
        && message.deleted_at.is_none()
        && match message.role {
            // Of system messages, only those of merges count.
            Role::User | Role::System => message.turn.is_some(),
            Role::Assistant => true,
            Role::Tool => false,
        }
        && !text_of(&message.parts).trim().is_empty()
}

/// The loaded messages of the thread that count, newest first.
fn counting_messages<'w>(world: &'w World, session: &'w Session) -> impl Iterator<Item = &'w Arc<Message>> {
    world
        .ancestry(session.head)
        .flat_map(|turn| turn.messages.iter().rev().chain(turn.query.iter().rev()))
        .filter_map(|id| world.message(id))
        .filter(|message| counts(message))
}

/// The messages after the summary, oldest first.
pub fn unsummarised(world: &World, session: &Session) -> Vec<MessageId> {
    let new =
        counting_messages(world, session).take_while(|message| Some(message.id) != session.summarised_to);
    let mut new: Vec<_> = new.map(|message| message.id).collect();
    new.reverse();
    new
}

/// The session's own unchecked messages, oldest first, at most [`MEMORY_MESSAGES`]. Answers of picked race lanes count
/// as its own.
pub fn unchecked(world: &World, session: &Session) -> Vec<MessageId> {
    let is_own = |id: &SessionId| {
        *id == session.id || world.session(id).is_some_and(|row| row.is_candidate_of(session.id))
    };
    let new = counting_messages(world, session)
        .filter(|message| !message.is_memory_checked && is_own(&message.session));
    let mut new: Vec<_> = new.map(|message| message.id).collect();
    new.reverse();
    new.truncate(MEMORY_MESSAGES);
    new
}

/// The messages before `first` in the thread, at most [`MEMORY_BEFORE`], oldest first.
pub fn before<'w>(world: &'w World, session: &'w Session, first: MessageId) -> Vec<&'w Arc<Message>> {
    let mut older: Vec<_> = counting_messages(world, session)
        .skip_while(|message| message.id != first)
        .skip(1)
        .take(MEMORY_BEFORE)
        .collect();
    older.reverse();
    older
}

/// True if nothing is running in the session that a summary or memory job would have to wait for.
pub fn is_idle(world: &World, session: &Session) -> bool {
    let state = &session.archivist;
    SessionFilter::of(session) == Some(SessionFilter::Open)
        && session.jobs.of(JobSlot::Maintenance).is_none()
        && state.pending.is_none()
        && state.compacting.is_none()
        && !is_busy(world, session)
}

/// A summary job over new messages, limited to what a model should read at once.
pub fn summary_of(mut messages: Vec<MessageId>) -> JobTask {
    messages.truncate(SUMMARY_MESSAGES);
    JobTask::Summary { messages }
}

/// True if the job's model gave so many unusable answers today, in any session, that it is not asked again before
/// tomorrow. Another model may be chosen.
fn is_given_up(world: &World, kind: JobKind, now: Millis) -> bool {
    let config = maintenance_config(world);
    let failed = world.sessions.values().filter_map(|session| session.jobs.failed(kind));
    failed.into_iter().any(|failed| {
        failed.unusable >= UNUSABLE_ANSWERS
            && failed.at.0 / DAY_MS == now.0 / DAY_MS
            && failed.model == config.model
            && failed.provider.as_ref() == Some(&config.provider)
    })
}

/// The job that is due; `None` while a run or another job is open, after Stop, if there are no new messages since it
/// failed, or if its model answered unusably too often.
pub fn due(world: &World, session: &Session, now: Millis) -> Option<JobTask> {
    if session.stopped || !is_idle(world, session) {
        return None;
    }
    let is_new = |kind, messages: &[MessageId]| {
        session.jobs.failed(kind).is_none_or(|failed| failed.to.as_ref() != messages.last())
            && !is_given_up(world, kind, now)
    };
    let enough = if session.summarised_to.is_none() { SUMMARY_FIRST } else { SUMMARY_EVERY };
    if world.value(SUMMARY_AUTO) {
        let messages = unsummarised(world, session);
        if messages.len() >= enough && is_new(JobKind::Summary, &messages) {
            return Some(summary_of(messages));
        }
    }
    if world.value(MEMORY_AUTO) {
        let messages = unchecked(world, session);
        if messages.len() >= MEMORY_EVERY && is_new(JobKind::Memory, &messages) {
            return Some(JobTask::Memory { messages });
        }
    }
    None
}

/// Prefix of the agent keys of the Archivist's runs, which no other agent uses.
pub const ARCHIVIST_KEY_PREFIX: &str = "archivist.";

const KINDS: [(JobKind, &str); 2] =
    [(JobKind::Summary, "archivist.summary"), (JobKind::Memory, "archivist.memory")];

pub fn kind_of(agent: &AgentKey) -> Option<JobKind> {
    KINDS.into_iter().find(|(_, key)| *key == agent.as_str()).map(|(kind, _)| kind)
}

/// The turn of a job, which has the same number.
pub fn turn_of(job: JobId) -> TurnId {
    job.bits().into()
}

/// The run of a job, which has the same number.
pub fn run_of(job: JobId) -> RunId {
    job.bits().into()
}

/// The session that holds the Archivist's runs for session `served`.
pub fn job_session_of(world: &World, served: SessionId) -> Option<&Arc<Session>> {
    let is_jobs_session = |session: &&Arc<Session>| {
        session.parent == Some(served) && session.role() == SessionRole::Jobs && session.purged_at.is_none()
    };
    world.sessions.values().find(is_jobs_session)
}

/// How a job ended.
pub type JobOutcome<'o> = Result<&'o JobDone, &'o JobFailure>;

pub fn turn_end(outcome: JobOutcome<'_>) -> TurnEnd {
    match outcome.map_err(|failed| failed.end) {
        Ok(_) => TurnEnd::Completed,
        Err(JobEnd::Failed) => TurnEnd::Error,
        Err(JobEnd::Cancelled) => TurnEnd::Cancelled,
        Err(JobEnd::Interrupted) => TurnEnd::Interrupted,
    }
}

/// A finished job as a run with its turn, a child of `head` in the Archivist's session; `None` for kinds that are not
/// stored this way.
pub fn record(own: &Session, job: &Job, outcome: JobOutcome<'_>, now: Millis) -> Option<(Run, Turn)> {
    let (_, agent) = KINDS.into_iter().find(|(kind, _)| *kind == job.kind())?;
    let agent = AgentKey::from(agent);
    let node = NodeId(agent.0.clone());
    let (end, done) = (turn_end(outcome), outcome.is_ok());
    let (last, cost) = match outcome {
        Ok(done) => (&done.usage, done.cost),
        Err(failed) => (&failed.usage, failed.cost),
    };
    let noted = match outcome.map(|done| &done.result) {
        Ok(JobResult::Memory { noted, .. }) => Some(*noted),
        Ok(_) | Err(_) => None,
    };
    let mut usage = job.usage.clone();
    usage.add(last);
    let turn = Turn {
        parent: own.head,
        run: Some(run_of(job.id)),
        node: Some(node.clone()),
        phase: if done { TurnPhase::Completed } else { TurnPhase::Failed },
        end: Some(end),
        failure: outcome.err().and_then(|failed| failed.failure.clone()),
        mind_after: Some(own.mind),
        usage: usage.clone(),
        closed_at: Some(now),
        agent: agent.clone(),
        config: ModelConfig::new(job.provider.clone(), job.model.clone()),
        ..Turn::opened(turn_of(job.id), own.id, own.mind, job.at)
    };
    let output = Envelope {
        status: if done { "ok" } else { "error" }.to_owned(),
        structured: json!({ "messages": job.messages().len(), "noted": noted }),
        ..Envelope::text(kinds::RESULT, node.clone(), Some(turn.id), "")
    };
    let mut used = RunUsage { calls: job.attempt(), ..RunUsage::default() };
    used.add(&usage, job.cost.into_iter().chain(cost).reduce(Cost::plus));
    let continued = RunCause::Continued(run_of(job.id));
    let cause = job.messages().last().map_or(continued, |last| RunCause::Message(*last));
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
            priority: Priority::Low,
            status: if done { NodeStatus::Done } else { NodeStatus::Error },
            ..Node::new(node, "agent.archivist", 0)
        }],
        used,
        ended_at: Some(now),
        ..Run::opened(run_of(job.id), own.id, cause, own.mind, job.at)
    };
    Some((run, turn))
}

/// The number of messages of an Archivist run, and of new memories.
pub fn counted(run: &Run) -> (u64, Option<u64>) {
    let output =
        run.nodes.first().and_then(|node| node.last_output.as_ref()).map(|output| &output.structured);
    let number = |name: &str| output.and_then(|output| output.get(name)).and_then(|count| count.as_u64());
    (number("messages").unwrap_or_default(), number("noted"))
}

pub fn job_limits(world: &World) -> RunLimits {
    RunLimits {
        calls: world.value(JOB_CALLS) as u32,
        tokens: world.value(JOB_TOKENS) as u64,
        cost: Cost((world.value(JOB_DOLLARS) * 1e9) as u64),
        ..RunLimits::default()
    }
}

pub fn used_today(world: &World, now: Millis) -> RunUsage {
    let days = world.sessions.values().map(|session| session.jobs.day.on(now));
    days.fold(RunUsage::default(), |sum, used| sum.plus(&used))
}

pub fn is_over(limits: &RunLimits, used: &RunUsage) -> bool {
    limits.reached(used, false).is_some()
}

/// True if today's budget is used up, so that no job starts automatically until tomorrow.
pub fn is_spent(world: &World, now: Millis) -> bool {
    is_over(&job_limits(world), &used_today(world, now))
}

/// True if the budget was used up before an attempt, and after it.
pub(crate) fn spent_by(world: &World, now: Millis, usage: &Usage, cost: Option<Cost>) -> (bool, bool) {
    let (limits, before) = (job_limits(world), used_today(world, now));
    let mut after = RunUsage { calls: before.calls.saturating_add(1), ..before };
    after.add(usage, cost);
    (is_over(&limits, &before), is_over(&limits, &after))
}

impl Job {
    /// True if it stops when the budget is used up. Jobs that the operator requested do not.
    pub(crate) fn is_bound_by_budget(&self) -> bool {
        self.cause == JobCause::Auto && !matches!(self.task, super::JobTask::Compaction(_))
    }
}

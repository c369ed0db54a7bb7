//! The daily budget of jobs that begin by themselves, over all sessions of the device.
//!
//! A compaction during a run counts against the caps of that run instead.

use crate::id::Millis;
use crate::job::{Job, JobCause};
use crate::llm::Usage;
use crate::provider::price::Cost;
use crate::run::{RunLimits, RunUsage};
use crate::settings::schema::{JOB_CALLS, JOB_DOLLARS, JOB_TOKENS};
use crate::world::World;

/// What jobs may use on one day.
pub fn job_limits(world: &World) -> RunLimits {
    RunLimits {
        calls: world.value(JOB_CALLS) as u32,
        tokens: world.value(JOB_TOKENS) as u64,
        cost: Cost((world.value(JOB_DOLLARS) * 1e9) as u64),
        turns: None,
        tool_calls: None,
        minutes: None,
    }
}

/// What jobs used today, in all sessions.
pub fn used_today(world: &World, now: Millis) -> RunUsage {
    let days = world.sessions.values().map(|session| session.jobs.day.on(now));
    days.fold(RunUsage::default(), |sum, used| sum.plus(&used))
}

/// Whether this uses up the budget.
pub fn is_over(limits: &RunLimits, used: &RunUsage) -> bool {
    limits.reached(used).is_some()
}

/// Whether today's budget is used up: nothing begins by itself until tomorrow.
pub fn is_spent(world: &World, now: Millis) -> bool {
    is_over(&job_limits(world), &used_today(world, now))
}

/// The budget before and after an attempt at a job: whether it was used up.
pub(crate) fn spent_by(world: &World, now: Millis, usage: &Usage, cost: Option<Cost>) -> (bool, bool) {
    let (limits, before) = (job_limits(world), used_today(world, now));
    let mut after = RunUsage { calls: before.calls.saturating_add(1), ..before };
    after.add(usage, cost);
    (is_over(&limits, &before), is_over(&limits, &after))
}

impl Job {
    /// Whether it stops where the budget is used up. What the operator asked for is done all the same.
    pub(crate) fn is_bound_by_budget(&self) -> bool {
        self.cause == JobCause::Auto && !matches!(self.task, super::JobTask::Compaction(_))
    }
}

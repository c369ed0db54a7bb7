//! When an automatic Core sync is due, and which model it uses.

use crate::agent::defaults::DEMO_MODEL;
use crate::mind::core_sync::{CoreState, SyncRecord, differs_by_more};
use crate::prelude::*;
use crate::settings::schema::{CORE_AUTO, CORE_LINES, CORE_MODEL, CORE_PROPOSE, CORE_PROVIDER, CORE_WAIT};
use crate::settings::{Setting, Text};
use crate::turn::tree::is_ancestor;

/// The Core's state at the session's head, without syncs that followed turns outside the thread.
pub fn core_at_head(world: &World, session: &Session) -> CoreState {
    let is_in_thread = |record: &SyncRecord| {
        let is_ancestor_of_head =
            |after| session.head.is_some_and(|head| is_ancestor(world, after, head) != Ok(false));
        record.after.is_none_or(is_ancestor_of_head)
    };
    let mut state = session.core.clone();
    state.change = state.change.filter(is_in_thread);
    state.last = state.last.filter(is_in_thread);
    state
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncRules {
    pub auto: bool,
    /// Idle time before a sync, in milliseconds.
    pub wait_ms: u64,
    /// A sync needs more changed lines than this.
    pub lines: usize,
}

impl SyncRules {
    pub fn of(world: &World) -> Self {
        Self {
            auto: world.value(CORE_AUTO),
            wait_ms: world.value(CORE_WAIT) as u64,
            lines: world.value(CORE_LINES) as usize,
        }
    }
}

/// The Core's model: its own provider and model if set, else the Architect's, else the first agent's.
pub fn core_config(world: &World) -> ModelConfig {
    let roster = world.roster();
    let architect = roster.iter().find(|agent| agent.key.as_str() == "architect").or_else(|| roster.first());
    let like =
        architect.map_or_else(|| ModelConfig::new("rehearsal", DEMO_MODEL), |agent| agent.config.clone());
    chosen_config(world, (CORE_PROVIDER, CORE_MODEL), &like)
}

/// The configured provider and model; unset ones are those of `like`.
pub(super) fn chosen_config(
    world: &World,
    (provider, model): (Setting<Text>, Setting<Text>),
    like: &ModelConfig,
) -> ModelConfig {
    let provider = world.chosen(provider).map_or_else(|| like.provider.clone(), ProviderId);
    let is_other = provider != like.provider;
    let model = match world.chosen(model) {
        Some(model) => model,
        // A model belongs to its provider. Without a known model the call fails with that error.
        None if is_other => {
            world.agents_on(&provider).first().map(|agent| agent.config.model.clone()).unwrap_or_default()
        }
        None => like.model.clone(),
    };
    let same = !is_other && model == like.model;
    let context_tokens = like.context_tokens.filter(|_| same);
    ModelConfig { context_tokens, ..ModelConfig::new(provider, model) }
}

pub fn proposes(world: &World) -> bool {
    world.value(CORE_PROPOSE)
}

/// True if a run works in the session. A paused run does not count.
pub fn is_busy(world: &World, session: &Session) -> bool {
    let status = world.open_run(session).map(|run| run.status);
    status.is_some_and(RunStatus::is_working)
}

/// True if an automatic sync is due after the idle time.
pub fn is_due(world: &World, session: &Session) -> bool {
    let rules = SyncRules::of(world);
    let core = &session.core;
    rules.auto
        && session.status == SessionStatus::Open
        && session.role() == SessionRole::Conversation
        && session.jobs.of(JobSlot::Core).is_none()
        && core.pending.is_none()
        && !is_busy(world, session)
        && has_changed(world, session, rules.lines)
}

/// True if more than `lines` lines of files changed since the last sync.
pub fn has_changed(world: &World, session: &Session, lines: usize) -> bool {
    if session.core.synced.as_ref() == Some(&session.mind) {
        return false;
    }
    let Some(now) = world.working_mind(session) else { return false };
    match &session.core.synced {
        None => differs_by_more(&Mind::default(), now, lines),
        // Nothing is due while the earlier mind is not loaded.
        Some(synced) => world.mind(synced).is_some_and(|before| differs_by_more(before, now, lines)),
    }
}

#[cfg(test)]
mod tests;

//! When the Core is asked by itself, and what it thinks with.

use crate::agent::defaults::REHEARSAL_MODEL;
use crate::id::ProviderId;
use crate::job::JobSlot;
use crate::llm::ModelConfig;
use crate::mind::Mind;
use crate::mind::core_sync::{CoreState, SyncRecord, differs_by_more};
use crate::run::RunStatus;
use crate::session::{Session, SessionRole, SessionStatus};
use crate::settings::schema::{CORE_AUTO, CORE_LINES, CORE_MODEL, CORE_PROPOSE, CORE_PROVIDER, CORE_WAIT};
use crate::settings::{Setting, Text};
use crate::turn::tree::is_ancestor;
use crate::world::World;

/// The Core of a session as it is at the session's head: what it said and changed after a turn that is not in the thread is
/// not so there.
pub fn core_at_head(world: &World, session: &Session) -> CoreState {
    let is_here = |record: &SyncRecord| {
        let is_above = |after| session.head.is_some_and(|head| is_ancestor(world, after, head) != Ok(false));
        record.after.is_none_or(is_above)
    };
    let mut state = session.core.clone();
    state.change = state.change.filter(is_here);
    state.last = state.last.filter(is_here);
    state
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncRules {
    pub auto: bool,
    /// After how much quiet, in milliseconds.
    pub wait_ms: u64,
    /// How many changed lines are not enough.
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

/// What the Core thinks with: its own provider and model where they are set, else the Architect's, or those of the
/// first agent where there is no Architect.
pub fn core_config(world: &World) -> ModelConfig {
    let roster = world.roster();
    let architect = roster.iter().find(|agent| agent.key.as_str() == "architect").or_else(|| roster.first());
    let like = architect
        .map_or_else(|| ModelConfig::new("rehearsal", REHEARSAL_MODEL), |agent| agent.config.clone());
    chosen_config(world, (CORE_PROVIDER, CORE_MODEL), &like)
}

/// The provider and the model that these settings say; where one says nothing, that of another configuration.
pub(super) fn chosen_config(
    world: &World,
    (provider, model): (Setting<Text>, Setting<Text>),
    like: &ModelConfig,
) -> ModelConfig {
    let provider = world.chosen(provider).map_or_else(|| like.provider.clone(), ProviderId);
    let is_other = provider != like.provider;
    let model = match world.chosen(model) {
        Some(model) => model,
        // A model is known by its provider only: one that nobody chose fails as such.
        None if is_other => {
            world.agents_on(&provider).first().map(|agent| agent.config.model.clone()).unwrap_or_default()
        }
        None => like.model.clone(),
    };
    let same = !is_other && model == like.model;
    let context_tokens = like.context_tokens.filter(|_| same);
    ModelConfig { context_tokens, ..ModelConfig::new(provider, model) }
}

/// Whether the Core only proposes its changes.
pub fn proposes(world: &World) -> bool {
    world.value(CORE_PROPOSE)
}

/// Whether a run works in a session; one that waits for the operator does not.
pub fn is_busy(world: &World, session: &Session) -> bool {
    let status = world.open_run(session).map(|run| run.status);
    status.is_some_and(RunStatus::works)
}

/// Whether the Core is to be asked by itself once it is quiet.
pub fn is_due(world: &World, session: &Session) -> bool {
    let rules = SyncRules::of(world);
    let core = &session.core;
    rules.auto
        && session.status == SessionStatus::Open
        && session.role() == SessionRole::Conversation
        && session.jobs.of(JobSlot::Core).is_none()
        && core.wanted.is_none()
        && !is_busy(world, session)
        && has_changed(world, session, rules.lines)
}

/// Whether more than `lines` lines of the files changed since the last sync.
pub fn has_changed(world: &World, session: &Session, lines: usize) -> bool {
    if session.core.synced.as_ref() == Some(&session.mind) {
        return false;
    }
    let Some(now) = world.working_mind(session) else { return false };
    match &session.core.synced {
        None => differs_by_more(&Mind::default(), now, lines),
        // What was seen and is not loaded is not known: then nothing is due.
        Some(synced) => world.mind(synced).is_some_and(|before| differs_by_more(before, now, lines)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use crate::agent::defaults::{first_agents, first_providers};

    fn world_with(settings: &[(&str, serde_json::Value)]) -> World {
        let mut world = World::default();
        for agent in first_agents() {
            world.agents.insert(agent.key.clone(), Arc::new(agent));
        }
        for provider in first_providers() {
            world.providers.insert(provider.id.clone(), Arc::new(Some(provider)));
        }
        for (name, value) in settings {
            world.settings.insert((*name).to_owned(), Arc::new(value.clone()));
        }
        world
    }

    #[test]
    fn the_core_thinks_like_the_architect_until_it_is_told_otherwise() {
        let config = |settings: &[(&str, serde_json::Value)]| {
            let config = core_config(&world_with(settings));
            (config.provider.0, config.model)
        };
        let of = |provider: &str, model: &str| (provider.to_owned(), model.to_owned());
        assert_eq!(config(&[]), of("rehearsal", REHEARSAL_MODEL));
        assert_eq!(config(&[(CORE_MODEL.name(), json!("other"))]), of("rehearsal", "other"));
        let both = [(CORE_PROVIDER.name(), json!("gemini")), (CORE_MODEL.name(), json!(" gemini-4-argon "))];
        assert_eq!(config(&both), of("gemini", "gemini-4-argon"));
        assert_eq!(
            config(&[(CORE_PROVIDER.name(), json!("gemini"))]),
            of("gemini", ""),
            "it fails as not set up"
        );
        assert_eq!(
            config(&[(CORE_PROVIDER.name(), json!("")), (CORE_MODEL.name(), json!(7))]),
            of("rehearsal", REHEARSAL_MODEL)
        );
    }

    #[test]
    fn rules_that_make_no_sense_are_the_usual_ones() {
        let rules = |settings: &[(&str, serde_json::Value)]| SyncRules::of(&world_with(settings));
        let usual = SyncRules { auto: true, wait_ms: 3_000, lines: 5 };
        assert_eq!(rules(&[]), usual);
        let odd = [
            (CORE_AUTO.name(), json!("yes")),
            (CORE_WAIT.name(), json!(-1)),
            (CORE_LINES.name(), json!("many")),
        ];
        assert_eq!(rules(&odd), usual);
        let own = [
            (CORE_AUTO.name(), json!(false)),
            (CORE_WAIT.name(), json!(10_000)),
            (CORE_LINES.name(), json!(0)),
        ];
        assert_eq!(rules(&own), SyncRules { auto: false, wait_ms: 10_000, lines: 0 });
    }
}

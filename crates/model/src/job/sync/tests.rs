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
fn core_uses_the_architects_model_by_default() {
    let config = |settings: &[(&str, serde_json::Value)]| {
        let config = core_config(&world_with(settings));
        (config.provider.0, config.model)
    };
    let of = |provider: &str, model: &str| (provider.to_owned(), model.to_owned());
    assert_eq!(config(&[]), of("rehearsal", DEMO_MODEL));
    assert_eq!(config(&[(CORE_MODEL.name(), json!("other"))]), of("rehearsal", "other"));
    let both = [(CORE_PROVIDER.name(), json!("gemini")), (CORE_MODEL.name(), json!(" gemini-4-argon "))];
    assert_eq!(config(&both), of("gemini", "gemini-4-argon"));
    assert_eq!(config(&[(CORE_PROVIDER.name(), json!("gemini"))]), of("gemini", ""), "fails as not set up");
    assert_eq!(
        config(&[(CORE_PROVIDER.name(), json!("")), (CORE_MODEL.name(), json!(7))]),
        of("rehearsal", DEMO_MODEL)
    );
}

#[test]
fn invalid_rules_fall_back_to_defaults() {
    let rules = |settings: &[(&str, serde_json::Value)]| SyncRules::of(&world_with(settings));
    let defaults = SyncRules { auto: true, wait_ms: 3_000, lines: 5 };
    assert_eq!(rules(&[]), defaults);
    let invalid =
        [(CORE_AUTO.name(), json!("yes")), (CORE_WAIT.name(), json!(-1)), (CORE_LINES.name(), json!("many"))];
    assert_eq!(rules(&invalid), defaults);
    let own =
        [(CORE_AUTO.name(), json!(false)), (CORE_WAIT.name(), json!(10_000)), (CORE_LINES.name(), json!(0))];
    assert_eq!(rules(&own), SyncRules { auto: false, wait_ms: 10_000, lines: 0 });
}

use std::sync::Arc;

use super::*;
use crate::agent::defaults::first_agents;
use crate::llm::ModelConfig;
use crate::provider::Provider;
use crate::run::graph::GraphTemplate;
use crate::run::templates::graph_templates;
use crate::session::Session;
use crate::testing::SeqIds;

const NOVEMBER: Millis = Millis(1_795_000_000_000);

fn world() -> (World, SessionId) {
    let mut world = World::default();
    let session = Session::opened(SessionId::new(&mut SeqIds::default()), "main".to_owned(), Millis(0));
    let id = session.id;
    world.sessions.insert(id, Arc::new(session));
    let provider = Provider::gemini();
    let config = ModelConfig::new(provider.id.clone(), "gemini-3.8-flash");
    for mut agent in first_agents() {
        agent.config = config.clone();
        world.agents.insert(agent.key.clone(), Arc::new(agent));
    }
    world.providers.insert(provider.id.clone(), Arc::new(Some(provider)));
    (world, id)
}

fn of(text: &str) -> RunForecast {
    let (world, session) = world();
    let template = GraphTemplate::read(text).unwrap();
    forecast(&world, session, &template, "Build it", NOVEMBER)
}

#[test]
fn chain_runs_once_and_cycle_up_to_its_limits() {
    let chain = of(r#"{"version": 1, "name": "c",
        "nodes": [{"key": "a", "kind": "agent.architect"}, {"key": "b", "kind": "agent.engineer"}],
        "edges": [{"from": "a", "to": "b"}]}"#);
    assert_eq!((chain.turns, chain.calls, chain.samples), ((2, 2), (2, 8), 0));
    assert!(chain.tokens.0 > 2 * RULES_TOKENS && chain.tokens.1 > chain.tokens.0);
    let cycle = of(r#"{"version": 1, "name": "c",
        "nodes": [{"key": "a", "kind": "agent.architect", "entry": true, "max_turns": 3},
                  {"key": "b", "kind": "verifier", "max_turns": 4}],
        "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "a", "when": {"status": "failed"}}]}"#);
    assert_eq!(cycle.turns, (2, 7));
    assert_eq!(cycle.calls, (1, 12), "a verifier asks no model");
}

#[test]
fn forecast_stays_within_the_limits_of_its_template() {
    for template in graph_templates() {
        let (world, session) = world();
        let free = forecast(&world, session, &template, "Build it", NOVEMBER);
        assert!(free.turns.0 >= 1 && free.turns.0 <= free.turns.1, "{}", template.name);
        assert!(free.calls.0 <= free.calls.1 && free.tokens.0 <= free.tokens.1);
        let mut capped = template;
        (capped.limits.calls, capped.limits.tokens) = (Some(2), Some(9_000));
        let capped = forecast(&world, session, &capped, "Build it", NOVEMBER);
        assert!(capped.calls.1 <= 2 && capped.tokens.1 <= 9_000, "{capped:?}");
    }
}

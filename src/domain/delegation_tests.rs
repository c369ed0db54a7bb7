//! What a worker may do, whoever stands above it.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::domain::roster::first_agents;

const TOOLS: [&str; 5] = ["write_file", "read_file", "web_search", "run_code", "delegate"];
const FILES: [&str; 4] = ["a.txt", "docs/a.md", "docs/b.md", "src/main.rs"];
const CLASSES: [ToolClass; 3] = [ToolClass::Files, ToolClass::Network, ToolClass::Code];

fn names() -> impl Strategy<Value = Vec<String>> {
    let pattern = prop::sample::select(vec!["write_file", "read_*", "web_search", "run_*", "*", "delegate"]);
    prop::collection::vec(pattern.prop_map(str::to_owned), 0..3)
}

fn files() -> impl Strategy<Value = Vec<String>> {
    let pattern = prop::sample::select(vec!["a.txt", "docs/*", "src/*", "docs/b.md"]);
    prop::collection::vec(pattern.prop_map(str::to_owned), 0..3)
}

fn permissions() -> impl Strategy<Value = Permissions> {
    let providers = prop::sample::subsequence(vec!["gemini", "rehearsal"], 0..=2);
    let providers = providers.prop_map(|ids| ids.into_iter().map(ProviderId::from).collect::<Vec<_>>());
    (
        prop::option::of(names()),
        names(),
        names(),
        names(),
        prop::option::of(files()),
        prop::option::of(providers),
    )
        .prop_map(|(tools_allowed, tools_denied, tools_ask, tools_always, sandbox, credentials)| {
            Permissions { tools_allowed, tools_denied, tools_ask, tools_always, sandbox, credentials }
        })
}

fn rules() -> impl Strategy<Value = Vec<ToolRule>> {
    let agent = prop::option::of(prop::sample::select(vec!["architect", "engineer", "critic"]));
    let tool = prop::sample::select(vec!["write_file", "web_*", "*", "delegate"]);
    let rule = (agent, tool, prop::sample::select(Ruling::ALL.to_vec())).prop_map(|(agent, tool, ruling)| {
        ToolRule { tool: tool.to_owned(), agent: agent.map(AgentKey::from), ruling }
    });
    prop::collection::vec(rule, 0..4)
}

proptest! {
    /// Whatever the rules of the device and of all agents are, then and now, a worker may do nothing that who sent it
    /// may not do.
    #[test]
    fn a_worker_never_may_more_than_who_sent_it(
        then in prop::collection::vec(permissions(), 3),
        now in prop::collection::vec(permissions(), 3),
        rules in rules(),
        chain in prop::collection::vec(0..3usize, 2..5),
    ) {
        let mut world = World::default();
        for (agent, permissions) in first_agents().into_iter().zip(&now) {
            let agent = Agent { permissions: permissions.clone(), ..agent };
            world.agents.insert(agent.key.clone(), Arc::new(agent));
        }
        let keys: Vec<AgentKey> = first_agents().into_iter().map(|agent| agent.key).collect();
        let granted = |at: usize| Grant { agent: keys[at].clone(), permissions: then[at].clone() };
        let mut under: Vec<Grant> = Vec::new();
        let mut before: Option<Standing> = None;
        for at in chain {
            let agent = world.agent(&keys[at]).unwrap().as_ref().clone();
            let mut standing = Standing::alone(&agent);
            standing.under(&world, &under);
            if let Some(above) = &before {
                for tool in TOOLS {
                    for class in CLASSES {
                        prop_assert!(standing.ruling(&rules, tool, class) >= above.ruling(&rules, tool, class));
                    }
                }
                prop_assert!(FILES.iter().all(|file| !standing.allow_file(file) || above.allow_file(file)));
                for provider in ["gemini", "rehearsal"].map(ProviderId::from) {
                    prop_assert!(!standing.allow_provider(&provider) || above.allow_provider(&provider));
                }
            }
            before = Some(standing);
            under.insert(0, granted(at));
        }
    }
}

#[test]
fn roles_say_who_gives_and_who_takes() {
    assert!(delegates(AgentRole::Manager) && delegates(AgentRole::Unified) && !delegates(AgentRole::Worker));
    assert!(
        takes_tasks(AgentRole::Worker) && takes_tasks(AgentRole::Unified) && !takes_tasks(AgentRole::Manager)
    );
}

#[test]
fn the_depth_is_three_can_be_raised_and_lifted() {
    let mut world = World::default();
    assert_eq!(depth_limit(&world), Some(3));
    for (set, limit) in [(5, Some(5)), (0, None), (1_000_000, Some(WORKER_DEPTH_MOST))] {
        world.settings.insert(WORKER_DEPTH_SETTING.to_owned(), Arc::new(serde_json::json!(set)));
        assert_eq!(depth_limit(&world), limit);
    }
    world.settings.insert(WORKER_DEPTH_SETTING.to_owned(), Arc::new(serde_json::json!("deep")));
    assert_eq!(depth_limit(&world), Some(3));
}

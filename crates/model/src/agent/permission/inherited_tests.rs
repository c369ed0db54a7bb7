//! Tests of a worker's permissions below its senders.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::agent::defaults::first_agents;

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

fn turn_overrides() -> impl Strategy<Value = Permissions> {
    let name = prop::sample::select(vec!["write_file", "web_*", "*", "@files", "@network", "delegate"]);
    let one = (name, prop::sample::select(PermissionDecision::ALL.to_vec()));
    prop::collection::vec(one, 0..3).prop_map(|overrides| {
        let mut turn = Permissions::default();
        overrides.iter().for_each(|(name, ruling)| set_override(&mut turn, name, Some(*ruling)));
        turn
    })
}

fn rules() -> impl Strategy<Value = Vec<ToolRule>> {
    let agent = prop::option::of(prop::sample::select(vec!["architect", "engineer", "critic"]));
    let tool = prop::sample::select(vec!["write_file", "web_*", "*", "delegate"]);
    let rule = (agent, tool, prop::sample::select(PermissionDecision::ALL.to_vec())).prop_map(
        |(agent, tool, ruling)| ToolRule {
            tool: tool.to_owned(),
            agent: agent.map(AgentKey::from),
            decision: ruling,
        },
    );
    prop::collection::vec(rule, 0..4)
}

proptest! {
    /// Whatever the rules of the device and of all agents are, then and now, a worker may never do more than its
    /// sender.
    #[test]
    fn worker_never_exceeds_its_senders_permissions(
        then in prop::collection::vec(permissions(), 3),
        now in prop::collection::vec(permissions(), 3),
        rules in rules(),
        chain in prop::collection::vec((0..3usize, prop::option::of(turn_overrides())), 2..5),
    ) {
        let mut world = World::default();
        for (agent, permissions) in first_agents().into_iter().zip(&now) {
            let agent = Agent { permissions: permissions.clone(), ..agent };
            world.agents.insert(agent.key.clone(), Arc::new(agent));
        }
        let keys: Vec<AgentKey> = first_agents().into_iter().map(|agent| agent.key).collect();
        let granted = |at: usize, turn: &Option<Permissions>| {
            let turn = turn.clone().map(Box::new);
            InheritedPermissions { agent: keys[at].clone(), permissions: then[at].clone(), turn }
        };
        let mut under: Vec<InheritedPermissions> = Vec::new();
        let mut before: Option<EffectivePermissions> = None;
        for (at, turn) in chain {
            let agent = world.agent(&keys[at]).unwrap().as_ref().clone();
            let mut permissions = EffectivePermissions(vec![InheritedPermissions { turn: turn.clone().map(Box::new), ..grant(&agent) }]);
            permissions.under(&world, &under);
            if let Some(sender) = &before {
                for tool in TOOLS {
                    for class in CLASSES {
                        prop_assert!(permissions.decision(&rules, tool, class) >= sender.decision(&rules, tool, class));
                    }
                }
                prop_assert!(FILES.iter().all(|file| !permissions.allow_file(file) || sender.allow_file(file)));
                for provider in ["gemini", "rehearsal"].map(ProviderId::from) {
                    prop_assert!(!permissions.allow_provider(&provider) || sender.allow_provider(&provider));
                }
            }
            before = Some(permissions);
            under.insert(0, granted(at, &turn));
        }
    }

    /// Overrides of a message never lift a denial, otherwise take precedence, and are inherited by workers.
    #[test]
    fn message_overrides_never_lift_a_denial_but_precede_other_rules(
        own in permissions(), turn in turn_overrides(), rules in rules(), at in 0..TOOLS.len(), class in 0..CLASSES.len(),
    ) {
        let (tool, class) = (TOOLS[at], CLASSES[class]);
        let agent = Agent { permissions: own, ..first_agents().remove(0) };
        let plain = EffectivePermissions::alone(&agent).decision(&rules, tool, class);
        let granted = InheritedPermissions { turn: Some(Box::new(turn.clone())), ..grant(&agent) };
        let with = EffectivePermissions(vec![granted.clone()]).decision(&rules, tool, class);
        match (plain, override_for(&turn, tool, class)) {
            (PermissionDecision::Deny, _) => prop_assert_eq!(with, PermissionDecision::Deny),
            (_, Some(said)) => prop_assert_eq!(with, said),
            (plain, None) => prop_assert_eq!(with, plain),
        }
        // A worker with the same persona has the same permissions as its sender.
        let worker = EffectivePermissions(vec![grant(&agent), granted]);
        prop_assert_eq!(worker.decision(&rules, tool, class), with);
    }

    /// Combined overrides allow no more than either.
    #[test]
    fn strictest_widens_neither(
        one in turn_overrides(), other in turn_overrides(), at in 0..TOOLS.len(), class in 0..CLASSES.len(),
    ) {
        let both = crate::agent::permission::strictest(&one, &other);
        let decision = |turn: &Permissions| override_for(turn, TOOLS[at], CLASSES[class]);
        let allows = |turn: &Permissions| decision(turn) == Some(PermissionDecision::Allow);
        prop_assert!(!allows(&both) || allows(&one) || allows(&other));
        for turn in [&one, &other] {
            prop_assert!(decision(turn).is_none_or(|it| it == PermissionDecision::Allow || decision(&both).is_some_and(|all| all >= it)));
        }
    }
}

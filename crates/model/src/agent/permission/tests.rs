use std::sync::Arc;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::agent::defaults::first_agents;
use crate::settings::schema::TOOL_RULES;

const TOOLS: [&str; 6] = ["write_file", "read_file", "run_checks", "fetch_page", "run_code", "lent_map"];
const CLASSES: [ToolClass; 6] = [
    ToolClass::Mind,
    ToolClass::Files,
    ToolClass::Checks,
    ToolClass::Network,
    ToolClass::Code,
    ToolClass::HostPage,
];

fn any_tool() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(TOOLS.to_vec()).prop_map(str::to_owned),
        prop::sample::select(vec!["*", "write*", "lent_*", "f*"]).prop_map(str::to_owned),
    ]
}

fn any_rule() -> impl Strategy<Value = ToolRule> {
    let agent = prop::option::of(prop::sample::select(vec!["architect", "engineer", "critic"]));
    (any_tool(), agent, prop::sample::select(PermissionDecision::ALL.to_vec())).prop_map(
        |(tool, agent, ruling)| ToolRule { tool, agent: agent.map(AgentKey::from), decision: ruling },
    )
}

fn any_agent() -> impl Strategy<Value = Agent> {
    let names = || prop::collection::vec(any_tool(), 0..3);
    (0usize..3, prop::option::of(prop::collection::vec(any_tool(), 0..5)), names(), names(), names())
        .prop_map(|(which, allowed, denied, ask, always)| {
            let mut agent = first_agents().swap_remove(which);
            agent.permissions.tools_allowed = allowed;
            agent.permissions.tools_denied = denied;
            agent.permissions.tools_ask = ask;
            agent.permissions.tools_always = always;
            agent
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// Among 500 random rules in any order, a denial always wins; then ask, unless “always” applies.
    #[test]
    fn among_500_rules_denial_wins_then_ask_then_allow(
        rules in prop::collection::vec(any_rule(), 500),
        few in 0usize..500,
        agent in any_agent(),
        class in prop::sample::select(CLASSES.to_vec()),
    ) {
        for rules in [&rules[..], &rules[..few.min(6)]] {
            for tool in TOOLS {
                let decision = decision(rules, &agent, tool, class);
                let has_rule = |wanted| rules.iter().any(|rule| {
                    rule.decision == wanted
                        && rule.agent.as_ref().is_none_or(|only| *only == agent.key)
                        && matches(&rule.tool, tool)
                });
                let own = &agent.permissions;
                let listed = |names: &[String]| names.iter().any(|name| matches(name, tool));
                let denied = has_rule(PermissionDecision::Deny)
                    || listed(&own.tools_denied)
                    || own.tools_allowed.as_ref().is_some_and(|names| !listed(names));
                let always = listed(&own.tools_always);
                if denied {
                    prop_assert_eq!(decision, PermissionDecision::Deny);
                } else if !always && (has_rule(PermissionDecision::Ask) || listed(&own.tools_ask)) {
                    prop_assert_eq!(decision, PermissionDecision::Ask);
                } else {
                    let allowed = always || has_rule(PermissionDecision::Allow);
                    prop_assert_eq!(decision, if allowed { PermissionDecision::Allow } else { default_of(class) });
                }
                let mut reversed = rules.to_vec();
                reversed.reverse();
                let again = super::decision(&reversed, &agent, tool, class);
                prop_assert_eq!(again, decision, "the order of rules is irrelevant");
            }
        }
    }
}

#[test]
fn class_decides_without_rules() {
    let agent = first_agents().remove(0);
    let of = |class| decision(&[], &agent, "some_tool", class);
    assert_eq!(
        CLASSES.map(of),
        [
            PermissionDecision::Allow,
            PermissionDecision::Allow,
            PermissionDecision::Allow,
            PermissionDecision::Ask,
            PermissionDecision::Ask,
            PermissionDecision::Ask
        ]
    );
}

#[test]
fn unreadable_rules_deny() {
    let mut world = World::default();
    let agent = first_agents().remove(0);
    assert_eq!(rules_of(&world), []);
    for value in
        [json!("deny write_file"), json!([{"tool": "write_file", "ruling": "perhaps"}]), json!({"a": 1})]
    {
        world.settings.insert(TOOL_RULES.name().into(), Arc::new(value));
        assert_eq!(
            decision(&rules_of(&world), &agent, "list_files", ToolClass::Mind),
            PermissionDecision::Deny
        );
    }
    let rule = ToolRule {
        tool: "write_*".into(),
        agent: Some("engineer".into()),
        decision: PermissionDecision::Ask,
    };
    let value = json::to_tree(&vec![rule.clone()]).unwrap();
    assert_eq!(value, json!([{"tool": "write_*", "agent": "engineer", "ruling": "ask"}]));
    world.settings.insert(TOOL_RULES.name().into(), Arc::new(value));
    assert_eq!(rules_of(&world), [rule]);
}

#[test]
fn set_own_decides_the_ruling() {
    let mut agent = crate::agent::defaults::first_agents().remove(0);
    agent.permissions.tools_allowed = Some(vec!["read_*".into()]);
    for class in [
        ToolClass::Mind,
        ToolClass::Files,
        ToolClass::Checks,
        ToolClass::Network,
        ToolClass::Code,
        ToolClass::HostPage,
    ] {
        for expected in [
            PermissionDecision::Deny,
            PermissionDecision::Allow,
            PermissionDecision::Ask,
            PermissionDecision::Allow,
            PermissionDecision::Deny,
            PermissionDecision::Ask,
        ] {
            set_agent_rule(&mut agent.permissions, "fetch", class, expected);
            assert_eq!(decision(&[], &agent, "fetch", class), expected, "{class:?}");
        }
    }
    assert_eq!(decision(&[], &agent, "read_file", ToolClass::Files), PermissionDecision::Allow);
}

#[test]
fn device_rule_is_set_changed_and_removed_without_affecting_others() {
    let others: Vec<ToolRule> = json::from_tree(&json!([
        {"tool": "write_file", "agent": "critic", "ruling": "deny"},
        {"tool": "read_*", "ruling": "ask"},
    ]))
    .unwrap();
    assert_eq!(device_decision(&others, "write_file"), None, "a rule for one agent does not apply to all");
    let denied = with_device_decision(others.clone(), "write_file", Some(PermissionDecision::Deny));
    assert_eq!(device_decision(&denied, "write_file"), Some(PermissionDecision::Deny));
    let asked = with_device_decision(denied, "write_file", Some(PermissionDecision::Ask));
    assert_eq!(device_decision(&asked, "write_file"), Some(PermissionDecision::Ask));
    assert_eq!(asked.len(), 3, "the previous rule is replaced");
    assert_eq!(with_device_decision(asked, "write_file", None), others);
    let both = with_device_decision(others, "read_file", Some(PermissionDecision::Allow));
    assert_eq!(
        device_decision(&both, "read_file"),
        Some(PermissionDecision::Ask),
        "ask takes precedence over allow"
    );
    assert_eq!(device_decision(&rules_in(Some(&json!("torn"))), "read_file"), Some(PermissionDecision::Deny));
}

#[test]
fn writes_can_be_asked_about_together() {
    let denied = with_device_decision(Vec::new(), "delete_file", Some(PermissionDecision::Deny));
    let allowed = with_device_decision(denied.clone(), "write_file", Some(PermissionDecision::Allow));
    assert!(!asks_before_writes(&allowed));
    let asked = with_ask_before_writes(allowed, true);
    assert!(asks_before_writes(&asked));
    assert_eq!(asked.len(), WRITE_TOOLS.len(), "one rule for each");
    assert_eq!(device_decision(&asked, "write_file"), Some(PermissionDecision::Ask));
    assert_eq!(device_decision(&asked, "delete_file"), Some(PermissionDecision::Deny));
    assert_eq!(device_decision(&asked, "read_file"), None);
    assert_eq!(with_ask_before_writes(asked, false), denied);
}

//! Tool permissions: combines device rules, agent rules and defaults into allow, ask or deny.
//!
//! Deny takes precedence over ask, ask over allow. The gate in the tool executor enforces the result.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::{Agent, Permissions, matches};
use crate::id::{AgentKey, ProviderId};
use crate::mind::sandbox::Sandbox;
use crate::run::Node;
use crate::session::{Session, delegation::InheritedPermissions};
use crate::settings::schema::TOOL_RULES;
use crate::tool::ToolClass;
use crate::world::World;
use nexus_text::json;

/// Whether a tool runs: allowed, asked or denied; in order of strictness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionDecision {
    Allow,
    /// Needs the operator's approval each time.
    Ask,
    /// The tool neither runs nor is offered.
    Deny,
}

words!(PermissionDecision { Allow: "allow", Ask: "ask", Deny: "deny" });

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRule {
    /// A tool name, or a prefix that ends in `*`.
    pub tool: String,
    /// Applies to this agent only; to every agent if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentKey>,
    #[serde(rename = "ruling")]
    pub decision: PermissionDecision,
}

impl ToolRule {
    fn applies_to(&self, agent: &AgentKey, tool: &str) -> bool {
        self.agent.as_ref().is_none_or(|only| only == agent) && matches(&self.tool, tool)
    }
}

/// The rules of the device. An unreadable setting denies everything, because it might contain a denial.
pub fn rules_of(world: &World) -> Vec<ToolRule> {
    rules_in(world.stored(TOOL_RULES))
}

pub fn rules_in(setting: Option<&Value>) -> Vec<ToolRule> {
    let Some(value) = setting.filter(|value| !value.is_null()) else { return Vec::new() };
    json::from_tree(value).unwrap_or_else(|_| {
        vec![ToolRule { tool: "*".to_owned(), agent: None, decision: PermissionDecision::Deny }]
    })
}

/// The device's decision about a tool for all agents; `None` if each agent's own rules decide.
pub fn device_decision(rules: &[ToolRule], tool: &str) -> Option<PermissionDecision> {
    let has_rule = |wanted: &PermissionDecision| {
        rules.iter().any(|rule| rule.decision == *wanted && rule.agent.is_none() && matches(&rule.tool, tool))
    };
    [PermissionDecision::Deny, PermissionDecision::Ask, PermissionDecision::Allow].into_iter().find(has_rule)
}

/// Replaces the rule about exactly this tool for all agents; `None` removes it.
pub fn with_device_decision(
    mut rules: Vec<ToolRule>,
    tool: &str,
    ruling: Option<PermissionDecision>,
) -> Vec<ToolRule> {
    rules.retain(|rule| rule.agent.is_some() || rule.tool != tool);
    rules.extend(ruling.map(|ruling| ToolRule { tool: tool.to_owned(), agent: None, decision: ruling }));
    rules
}

/// The tools that change the objective, the scratchpad or files.
pub const WRITE_TOOLS: [&str; 5] =
    ["write_file", "edit_file", "rename_file", "delete_file", "update_nexus_state"];

/// True if the device's rules let no agent write unasked.
pub fn asks_before_writes(rules: &[ToolRule]) -> bool {
    WRITE_TOOLS.iter().all(|tool| device_decision(rules, tool) > Some(PermissionDecision::Allow))
}

/// Rules that ask before each write, or no longer ask. Denied tools stay denied.
pub fn with_ask_before_writes(rules: Vec<ToolRule>, asks: bool) -> Vec<ToolRule> {
    WRITE_TOOLS.iter().fold(rules, |rules, tool| match device_decision(&rules, tool) {
        Some(PermissionDecision::Deny) => rules,
        _ => with_device_decision(rules, tool, asks.then_some(PermissionDecision::Ask)),
    })
}

/// The default: tools inside the mind or the checks' sandbox are allowed, others need approval.
fn default_of(class: ToolClass) -> PermissionDecision {
    match class {
        ToolClass::Mind | ToolClass::Files | ToolClass::Checks => PermissionDecision::Allow,
        ToolClass::Network | ToolClass::Code | ToolClass::HostPage => PermissionDecision::Ask,
    }
}

/// Decides whether an agent may use a tool. A denial always wins; then “always” for this tool and agent; then ask;
/// then allow; then the default of the class.
pub fn decision(rules: &[ToolRule], agent: &Agent, tool: &str, class: ToolClass) -> PermissionDecision {
    decision_of(rules, &grant(agent), tool, class)
}

fn decision_of(
    rules: &[ToolRule],
    InheritedPermissions { agent, permissions: own, .. }: &InheritedPermissions,
    tool: &str,
    class: ToolClass,
) -> PermissionDecision {
    let has_rule = |wanted: PermissionDecision| {
        rules.iter().any(|rule| rule.decision == wanted && rule.applies_to(agent, tool))
    };
    let listed = |names: &[String]| names.iter().any(|name| matches(name, tool));
    if has_rule(PermissionDecision::Deny) || !own.allow_tool(tool) {
        return PermissionDecision::Deny;
    }
    if listed(&own.tools_always) {
        return PermissionDecision::Allow;
    }
    if has_rule(PermissionDecision::Ask) || listed(&own.tools_ask) {
        return PermissionDecision::Ask;
    }
    if has_rule(PermissionDecision::Allow) { PermissionDecision::Allow } else { default_of(class) }
}

/// The permissions of an agent in a session: its own and those of all senders above it. The strictest applies.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectivePermissions(Vec<InheritedPermissions>);

impl EffectivePermissions {
    pub fn alone(agent: &Agent) -> Self {
        Self(vec![grant(agent)])
    }

    /// The permissions in a session: of the agent with the overrides of its message, and of all senders, both when
    /// they delegated and now.
    pub fn of(world: &World, session: &Session, agent: &Agent) -> Self {
        let mut permissions =
            Self(vec![InheritedPermissions { turn: overrides_for(world, session, agent), ..grant(agent) }]);
        if let Some(delegation) = &session.delegation {
            permissions.under(world, &delegation.senders);
        }
        permissions
    }

    pub fn under(&mut self, world: &World, grants: &[InheritedPermissions]) {
        for sender in grants {
            self.0.push(sender.clone());
            let now = world.agent(&sender.agent).map(|agent| grant(agent));
            self.0.extend(now.map(|now| InheritedPermissions { turn: sender.turn.clone(), ..now }));
        }
    }

    /// The decision about a tool: the strictest of all. Overrides of a message apply to its agent and all workers
    /// below; they never lift a denial.
    pub fn decision(&self, rules: &[ToolRule], tool: &str, class: ToolClass) -> PermissionDecision {
        let mut inherited = None;
        let decide = |grant: &InheritedPermissions| {
            let own = decision_of(rules, grant, tool, class);
            let here = grant.turn.as_ref().and_then(|turn| override_for(turn, tool, class));
            inherited = here.or(inherited);
            if own == PermissionDecision::Deny { own } else { inherited.unwrap_or(own) }
        };
        // From the outermost sender inwards.
        self.0.iter().rev().map(decide).max().unwrap_or(PermissionDecision::Deny)
    }

    pub fn allow_file(&self, file: &str) -> bool {
        self.sandbox().allows(file)
    }

    pub fn sandbox(&self) -> Sandbox {
        Sandbox::of(self.0.iter().map(|grant| &grant.permissions))
    }

    pub fn allow_provider(&self, provider: &ProviderId) -> bool {
        self.0.iter().all(|grant| grant.permissions.allow_provider(provider))
    }
}

pub fn grant(agent: &Agent) -> InheritedPermissions {
    InheritedPermissions { agent: agent.key.clone(), permissions: agent.permissions.clone(), turn: None }
}

/// The operator's tool overrides for an agent's open run in a session: those of the node at work, as an agent may have
/// several.
pub fn overrides_for(world: &World, session: &Session, agent: &Agent) -> Option<Box<Permissions>> {
    let run = world.open_run(session)?;
    let is_own = |node: &&Node| node.agent.as_ref() == Some(&agent.key);
    let at_work = run.active_node().filter(is_own);
    at_work.or_else(|| run.nodes.iter().find(is_own))?.tools.clone()
}

/// The name of a tool group in overrides of a message.
pub fn group(class: ToolClass) -> &'static str {
    match class {
        ToolClass::Mind => "@mind",
        ToolClass::Files => "@files",
        ToolClass::Network => "@network",
        ToolClass::Checks => "@checks",
        ToolClass::Code => "@code",
        ToolClass::HostPage => "@lent",
    }
}

/// The decision of a message's overrides about a tool, by its name, its group or `*`. The strictest applies; `None` if
/// there is none.
fn override_for(turn: &Permissions, tool: &str, class: ToolClass) -> Option<PermissionDecision> {
    let listed = |names: &[String]| names.iter().any(|name| matches(name, tool) || name == group(class));
    if !turn.allow_tool(tool) || listed(&turn.tools_denied) {
        return Some(PermissionDecision::Deny);
    }
    let asks = listed(&turn.tools_ask).then_some(PermissionDecision::Ask);
    asks.or_else(|| listed(&turn.tools_always).then_some(PermissionDecision::Allow))
}

/// Combines two overrides so that neither widens the other.
pub fn strictest(one: &Permissions, other: &Permissions) -> Permissions {
    let both = |a: &[String], b: &[String]| a.iter().chain(b).cloned().collect::<Vec<_>>();
    Permissions {
        tools_denied: both(&one.tools_denied, &other.tools_denied),
        tools_ask: both(&one.tools_ask, &other.tools_ask),
        tools_always: one.tools_always.iter().filter(|it| other.tools_always.contains(it)).cloned().collect(),
        ..Permissions::default()
    }
}

fn remove_rules(permissions: &mut Permissions, tool: &str) {
    for names in [&mut permissions.tools_denied, &mut permissions.tools_ask, &mut permissions.tools_always] {
        names.retain(|name| name != tool);
    }
}

/// Sets the override for a tool, a group, or `*`; `None` removes it.
pub fn set_override(turn: &mut Permissions, name: &str, ruling: Option<PermissionDecision>) {
    remove_rules(turn, name);
    let names = match ruling {
        Some(PermissionDecision::Deny) => &mut turn.tools_denied,
        Some(PermissionDecision::Ask) => &mut turn.tools_ask,
        Some(PermissionDecision::Allow) => &mut turn.tools_always,
        None => return,
    };
    names.push(name.to_owned());
}

/// Sets an agent's own rule for a tool of this class.
pub fn set_agent_rule(own: &mut Permissions, tool: &str, class: ToolClass, ruling: PermissionDecision) {
    remove_rules(own, tool);
    match ruling {
        PermissionDecision::Deny => own.tools_denied.push(tool.to_owned()),
        PermissionDecision::Ask | PermissionDecision::Allow => {
            if let Some(allowed) = &mut own.tools_allowed
                && !allowed.iter().any(|name| matches(name, tool))
            {
                allowed.push(tool.to_owned());
            }
            if ruling == PermissionDecision::Ask {
                own.tools_ask.push(tool.to_owned());
            } else if default_of(class) != PermissionDecision::Allow {
                own.always(tool);
            }
        }
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod inherited_tests;

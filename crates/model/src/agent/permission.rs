//! Tool permissions: combines device rules, agent rules and defaults into allow, ask or deny.
//!
//! Deny comes before ask, ask before allow. The gate in the tool executor enforces the result.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent::{Agent, Permissions, matches};
use crate::id::{AgentKey, ProviderId};
use crate::mind::sandbox::Sandbox;
use crate::session::Session;
use crate::session::delegation::InheritedPermissions;
use crate::settings::schema::TOOL_RULES;
use crate::tool::ToolClass;
use crate::world::World;
use nexus_text::json;

/// What a rule says, the strictest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionDecision {
    Allow,
    /// The operator is asked each time.
    Ask,
    /// The tool does not run, and is not offered.
    Deny,
}

words!(PermissionDecision { Allow: "allow", Ask: "ask", Deny: "deny" });

/// A rule of the device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolRule {
    /// The tool's name, or a beginning that ends in `*`.
    pub tool: String,
    /// The agent that it is about; every agent where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<AgentKey>,
    pub ruling: PermissionDecision,
}

impl ToolRule {
    fn is_about(&self, agent: &AgentKey, tool: &str) -> bool {
        self.agent.as_ref().is_none_or(|only| only == agent) && matches(&self.tool, tool)
    }
}

/// The rules of the device. A setting that cannot be read denies everything: a rule that is there and not understood
/// might have been a deny.
pub fn rules_of(world: &World) -> Vec<ToolRule> {
    rules_in(world.kept(TOOL_RULES))
}

/// The rules in what [`TOOL_RULES`] says.
pub fn rules_in(setting: Option<&Value>) -> Vec<ToolRule> {
    match setting {
        None => Vec::new(),
        Some(value) if value.is_null() => Vec::new(),
        Some(value) => json::from_tree(value).unwrap_or_else(|_| {
            vec![ToolRule { tool: "*".to_owned(), agent: None, ruling: PermissionDecision::Deny }]
        }),
    }
}

/// What the device says of a tool for all agents; `None` where each agent's own rules decide.
pub fn device_ruling(rules: &[ToolRule], tool: &str) -> Option<PermissionDecision> {
    let says = |wanted: &PermissionDecision| {
        rules.iter().any(|rule| rule.ruling == *wanted && rule.agent.is_none() && matches(&rule.tool, tool))
    };
    [PermissionDecision::Deny, PermissionDecision::Ask, PermissionDecision::Allow].into_iter().find(says)
}

/// The rules with another one about exactly this tool for all agents; `None` leaves it to the agents.
pub fn with_device_ruling(
    mut rules: Vec<ToolRule>,
    tool: &str,
    ruling: Option<PermissionDecision>,
) -> Vec<ToolRule> {
    rules.retain(|rule| rule.agent.is_some() || rule.tool != tool);
    rules.extend(ruling.map(|ruling| ToolRule { tool: tool.to_owned(), agent: None, ruling }));
    rules
}

/// What holds where no rule says anything: what stays in the mind or in the sandbox of checks is allowed, what leaves it
/// is asked.
pub fn default_of(class: ToolClass) -> PermissionDecision {
    match class {
        ToolClass::Mind | ToolClass::Files | ToolClass::Checks => PermissionDecision::Allow,
        ToolClass::Network | ToolClass::Code | ToolClass::Lent => PermissionDecision::Ask,
    }
}

/// Whether an agent may use a tool. A deny by anyone wins. Then an ask wins, unless the operator has said “always” for
/// this tool and agent when asked. Then what is allowed runs, and for the rest the class decides.
pub fn ruling(rules: &[ToolRule], agent: &Agent, tool: &str, class: ToolClass) -> PermissionDecision {
    ruling_of(rules, &agent.key, &agent.permissions, tool, class)
}

/// The same for an agent with these rules of its own.
pub fn ruling_of(
    rules: &[ToolRule],
    agent: &AgentKey,
    own: &Permissions,
    tool: &str,
    class: ToolClass,
) -> PermissionDecision {
    let says = |wanted: PermissionDecision| {
        rules.iter().any(|rule| rule.ruling == wanted && rule.is_about(agent, tool))
    };
    let listed = |names: &[String]| names.iter().any(|name| matches(name, tool));
    if says(PermissionDecision::Deny) || !own.allow_tool(tool) {
        return PermissionDecision::Deny;
    }
    if listed(&own.tools_always) {
        return PermissionDecision::Allow;
    }
    if says(PermissionDecision::Ask) || listed(&own.tools_ask) {
        return PermissionDecision::Ask;
    }
    if says(PermissionDecision::Allow) { PermissionDecision::Allow } else { default_of(class) }
}

/// What an agent may do in a session: its own rules, and those of all who stand above it there. The strictest counts.
#[derive(Clone, Debug, PartialEq)]
pub struct EffectivePermissions(Vec<InheritedPermissions>);

impl EffectivePermissions {
    /// Where nobody stands above an agent.
    pub fn alone(agent: &Agent) -> Self {
        Self(vec![grant(agent)])
    }

    /// In a session: who gave a task stands above who works on it, as it stood then and as it stands now. What was said
    /// of tools for the message that is worked on counts.
    pub fn of(world: &World, session: &Session, agent: &Agent) -> Self {
        let mut standing =
            Self(vec![InheritedPermissions { turn: said_for(world, session, agent), ..grant(agent) }]);
        if let Some(delegation) = &session.delegation {
            standing.under(world, &delegation.under);
        }
        standing
    }

    pub fn under(&mut self, world: &World, grants: &[InheritedPermissions]) {
        for above in grants {
            self.0.push(above.clone());
            let now = world.agent(&above.agent).map(|agent| grant(agent));
            self.0.extend(now.map(|now| InheritedPermissions { turn: above.turn.clone(), ..now }));
        }
    }

    /// Whether it may use a tool: what the strictest of all says. What was said for a message holds for who works on it
    /// and for all below; it never lifts a deny.
    pub fn ruling(&self, rules: &[ToolRule], tool: &str, class: ToolClass) -> PermissionDecision {
        let mut inherited = None;
        let says = |grant: &InheritedPermissions| {
            let own = ruling_of(rules, &grant.agent, &grant.permissions, tool, class);
            let here = grant.turn.as_ref().and_then(|turn| said(turn, tool, class));
            inherited = here.or(inherited);
            if own == PermissionDecision::Deny { own } else { inherited.unwrap_or(own) }
        };
        // From the outermost inwards.
        self.0.iter().rev().map(says).max().unwrap_or(PermissionDecision::Deny)
    }

    pub fn allow_file(&self, file: &str) -> bool {
        self.0.iter().all(|grant| grant.permissions.allow_file(file))
    }

    pub fn sandbox(&self) -> Sandbox {
        Sandbox::of(self.0.iter().map(|grant| &grant.permissions))
    }

    pub fn allow_provider(&self, provider: &ProviderId) -> bool {
        self.0.iter().all(|grant| grant.permissions.allow_provider(provider))
    }
}

/// An agent with what it may do now.
pub fn grant(agent: &Agent) -> InheritedPermissions {
    InheritedPermissions { agent: agent.key.clone(), permissions: agent.permissions.clone(), turn: None }
}

/// What the operator said of tools for what an agent works on in a session.
pub fn said_for(world: &World, session: &Session, agent: &Agent) -> Option<Box<Permissions>> {
    let run = world.open_run(session)?;
    run.nodes.iter().find(|node| node.agent.as_ref() == Some(&agent.key))?.tools.clone()
}

/// The name of a group of tools, as what is said for a message names it.
pub fn group(class: ToolClass) -> &'static str {
    match class {
        ToolClass::Mind => "@mind",
        ToolClass::Files => "@files",
        ToolClass::Network => "@network",
        ToolClass::Checks => "@checks",
        ToolClass::Code => "@code",
        ToolClass::Lent => "@lent",
    }
}

/// What is said of a tool for the turns of a message: of itself, of its group, or of all. The strictest counts, and
/// `None` is where nothing is said.
pub fn said(turn: &Permissions, tool: &str, class: ToolClass) -> Option<PermissionDecision> {
    let listed = |names: &[String]| names.iter().any(|name| matches(name, tool) || name == group(class));
    if !turn.allow_tool(tool) || listed(&turn.tools_denied) {
        return Some(PermissionDecision::Deny);
    }
    let asks = listed(&turn.tools_ask).then_some(PermissionDecision::Ask);
    asks.or_else(|| listed(&turn.tools_always).then_some(PermissionDecision::Allow))
}

/// What two say together, of which neither may widen the other.
pub fn strictest(one: &Permissions, other: &Permissions) -> Permissions {
    let both = |a: &[String], b: &[String]| a.iter().chain(b).cloned().collect::<Vec<_>>();
    Permissions {
        tools_denied: both(&one.tools_denied, &other.tools_denied),
        tools_ask: both(&one.tools_ask, &other.tools_ask),
        tools_always: one.tools_always.iter().filter(|it| other.tools_always.contains(it)).cloned().collect(),
        ..Permissions::default()
    }
}

/// Writes into what is said for a message what holds for a tool, a group, or all; `None` says nothing of it.
pub fn set_said(turn: &mut Permissions, name: &str, ruling: Option<PermissionDecision>) {
    for names in [&mut turn.tools_denied, &mut turn.tools_ask, &mut turn.tools_always] {
        names.retain(|other| other != name);
    }
    let names = match ruling {
        Some(PermissionDecision::Deny) => &mut turn.tools_denied,
        Some(PermissionDecision::Ask) => &mut turn.tools_ask,
        Some(PermissionDecision::Allow) => &mut turn.tools_always,
        None => return,
    };
    names.push(name.to_owned());
}

/// Writes into an agent's own rules what it may do with a tool of this class.
pub fn set_own(permissions: &mut Permissions, tool: &str, class: ToolClass, ruling: PermissionDecision) {
    let others = |names: &mut Vec<String>| names.retain(|name| name != tool);
    others(&mut permissions.tools_denied);
    others(&mut permissions.tools_ask);
    others(&mut permissions.tools_always);
    match ruling {
        PermissionDecision::Deny => permissions.tools_denied.push(tool.to_owned()),
        PermissionDecision::Ask | PermissionDecision::Allow => {
            if let Some(allowed) = &mut permissions.tools_allowed
                && !allowed.iter().any(|name| matches(name, tool))
            {
                allowed.push(tool.to_owned());
            }
            if ruling == PermissionDecision::Ask {
                permissions.tools_ask.push(tool.to_owned());
            } else if default_of(class) != PermissionDecision::Allow {
                permissions.always(tool);
            }
        }
    }
}

#[cfg(test)]
#[path = "permission_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "inherited_tests.rs"]
mod inherited_tests;

//! Agents: identity, role, permissions, model configuration, and per-session flags.

pub mod defaults;
pub mod file;
pub mod permission;

use nexus_markup::sparse;
use serde::{Deserialize, Serialize};

use crate::id::{AgentKey, Millis, ProviderId};
use crate::llm::ModelConfig;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    Low = 1,
    #[default]
    Normal = 2,
    High = 3,
}

// In speaking order.
words!(Priority { High: "high", Normal: "normal", Low: "low" });

impl Priority {
    /// The next priority of the button: Low → Normal → High → Low.
    pub fn cycled(self) -> Self {
        match self {
            Self::Low => Self::Normal,
            Self::Normal => Self::High,
            Self::High => Self::Low,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// The persona prompt.
    pub soul: String,
    /// Used in `@Name`.
    pub name: String,
    pub emoji: String,
}

/// True if a name matches a pattern: an exact name, or a prefix that ends in `*`.
pub fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == pattern,
    }
}

/// What an agent may do. A deny wins over an allow.
#[sparse]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Permissions {
    /// Tools that it may use; all if absent.
    pub tools_allowed: Option<Vec<String>>,
    pub tools_denied: Vec<String>,
    /// Tools that need the operator's approval each time.
    pub tools_ask: Vec<String>,
    /// Tools that the operator approved with “always”. Overrides ask rules, but not denials.
    pub tools_always: Vec<String>,
    /// Files that it may touch, as names or prefixes that end in `*`; all if absent.
    pub sandbox: Option<Vec<String>>,
    /// Providers whose API keys it may use; all if absent.
    pub credentials: Option<Vec<ProviderId>>,
}

impl Permissions {
    /// True if these permissions do not deny the tool. Names may be prefixes that end in `*`.
    pub fn allow_tool(&self, tool: &str) -> bool {
        let listed = |names: &[String]| names.iter().any(|name| matches(name, tool));
        !listed(&self.tools_denied) && self.tools_allowed.as_ref().is_none_or(|names| listed(names))
    }

    /// Allows a tool without further approval.
    pub fn always(&mut self, tool: &str) {
        self.tools_ask.retain(|name| name != tool);
        if !self.tools_always.iter().any(|name| name == tool) {
            self.tools_always.push(tool.to_owned());
        }
    }

    pub fn allow_provider(&self, provider: &ProviderId) -> bool {
        self.credentials.as_ref().is_none_or(|ids| ids.contains(provider))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentRole {
    /// Faces the operator and delegates.
    Manager,
    Worker,
    Unified,
}

/// The colour of an agent by name; the style sheet defines the values for dark and light.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Accent {
    Cyan,
    Amber,
    Rose,
    Green,
    Violet,
    Blue,
}

words!(Accent { Cyan: "cyan", Amber: "amber", Rose: "rose", Green: "green", Violet: "violet", Blue: "blue" });

/// An agent: identity, model, permissions. Definitions are global; the state per session is in [`AgentFlags`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Agent {
    pub key: AgentKey,
    pub identity: Identity,
    /// One line for the operator.
    pub description: String,
    pub accent: Accent,
    pub role: AgentRole,
    pub permissions: Permissions,
    /// Its model and parameters, unless a turn overrides them.
    pub config: ModelConfig,
    /// Default priority in new sessions.
    pub priority: Priority,
    /// Its position in the roster, for equal priorities.
    pub place: u32,
    /// When it was removed. The row stays, because its turns refer to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed_at: Option<Millis>,
}

impl Agent {
    pub fn exists(&self) -> bool {
        self.removed_at.is_none()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentFlags {
    /// Muted agents do not answer messages to all.
    pub muted: bool,
    /// It has not answered the newest message, or its answer is unread.
    pub unread: bool,
    pub failed: bool,
    pub priority: Priority,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_activity: Option<Millis>,
}

words!(AgentRole { Manager: "manager", Worker: "worker", Unified: "unified" });

impl AgentFlags {
    pub fn of(agent: &Agent) -> Self {
        Self { muted: false, unread: false, failed: false, priority: agent.priority, last_activity: None }
    }
}

#[cfg(test)]
mod tests;

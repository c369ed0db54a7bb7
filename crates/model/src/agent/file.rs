//! Reads and writes the JSON file in which an agent is shared, version 1.
//!
//! `{"nexus":"agent","version":1,"agent":{name, emoji, description, accent, soul, role, priority, provider:{protocol,
//! label}, model:{id, thinking, max_tokens, temperature, context_tokens}, permissions:{tools_allowed, tools_denied,
//! tools_ask, sandbox}}}`
//!
//! The reader rejects unknown fields. A file never carries an API key or an address, and never widens permissions:
//! the importing device sets those.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::agent::{Accent, Agent, AgentRole, Identity, Permissions, defaults};
use crate::id::AgentKey;
use crate::limits::AGENT_FILE_BYTES;
use crate::llm::ModelConfig;
use crate::provider::{OLD_DEMO_LABEL, Protocol, Provider};
use nexus_text::json;

const VERSION: u64 = 1;

/// Why a file cannot be imported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentFileError {
    /// Larger than [`AGENT_FILE_BYTES`].
    Large,
    NotJson(String),
    NotAnAgent,
    /// A version that this program does not support.
    Version(String),
    Unknown(String),
    Missing(String),
    /// A field has an invalid value.
    Wrong(String),
}

/// A remark about an imported agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentFileWarning {
    /// The name was taken; this is the new one.
    Renamed(String),
    /// No provider here has the same label and protocol, so the demo provider is used.
    NoProvider(String),
    /// The file has rules for tools or files. Only restrictions were imported.
    Rules,
}

#[derive(Clone, Debug, PartialEq)]
pub struct AgentFile {
    agent: Agent,
    protocol: Protocol,
    provider_label: String,
}

pub fn write(agent: &Agent, provider: Option<&Provider>) -> String {
    let config = &agent.config;
    let mut model = json!({
        "id": config.model,
        "thinking": config.thinking,
        "max_tokens": config.max_tokens,
        "temperature": config.temperature,
        "context_tokens": config.context_tokens,
    });
    if let Value::Object(fields) = &mut model {
        fields.retain(|_, value| !value.is_null());
    }
    let own = &agent.permissions;
    let permissions = Permissions { tools_always: Vec::new(), credentials: None, ..own.clone() };
    let file = json!({
        "nexus": "agent",
        "version": VERSION,
        "agent": {
            "name": agent.identity.name,
            "emoji": agent.identity.emoji,
            "description": agent.description,
            "accent": agent.accent,
            "soul": agent.identity.soul,
            "role": agent.role,
            "priority": agent.priority,
            "provider": {
                "protocol": provider.map_or(Protocol::Gemini, |provider| provider.protocol),
                "label": provider.map_or("", |provider| &provider.label),
            },
            "model": model,
            "permissions": permissions,
        },
    });
    // A JSON tree always serialises.
    serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
}

pub fn file_name(agent: &Agent) -> String {
    format!("{}.nexus-agent.json", agent.key)
}

pub fn read(text: &str) -> Result<AgentFile, AgentFileError> {
    if text.len() > AGENT_FILE_BYTES {
        return Err(AgentFileError::Large);
    }
    let text = text.trim_start_matches('\u{feff}');
    let tree = json::tree(text).map_err(|error| AgentFileError::NotJson(error.to_string()))?;
    let Value::Object(map) = tree else { return Err(AgentFileError::NotAnAgent) };
    let mut file = RemainingFields { map, path: String::new() };
    if file.map.remove("nexus") != Some(Value::from("agent")) {
        return Err(AgentFileError::NotAnAgent);
    }
    match file.map.remove("version") {
        Some(version) if version == VERSION => {}
        version => return Err(AgentFileError::Version(version.unwrap_or_default().to_string())),
    }
    let fields = file.fields("agent")?;
    file.done()?;
    agent_of(fields)
}

fn agent_of(mut fields: RemainingFields) -> Result<AgentFile, AgentFileError> {
    let name = fields.required::<String>("name")?.trim().to_owned();
    if name.is_empty() {
        return Err(AgentFileError::Missing("agent.name".to_owned()));
    }
    let mut provider = fields.fields("provider")?;
    let protocol = provider.take("protocol")?.unwrap_or(Protocol::Gemini);
    let provider_label = provider.take("label")?.unwrap_or_default();
    provider.done()?;
    let mut model = fields.fields("model")?;
    let config = ModelConfig {
        model: model.required("id")?,
        thinking: model.take("thinking")?.unwrap_or_default(),
        max_tokens: model.positive("max_tokens")?.map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
        temperature: model.checked("temperature", |value| (0.0..=2.0).contains(value))?,
        context_tokens: model.positive("context_tokens")?,
        ..ModelConfig::default()
    };
    model.done()?;
    let permissions = match fields.map.contains_key("permissions") {
        true => permissions_of(fields.fields("permissions")?)?,
        false => Permissions::default(),
    };
    let identity =
        Identity { name, soul: fields.required("soul")?, emoji: fields.take("emoji")?.unwrap_or_default() };
    let agent = Agent {
        key: AgentKey(String::new()),
        identity,
        description: fields.take("description")?.unwrap_or_default(),
        accent: fields.take("accent")?.unwrap_or(Accent::Green),
        role: fields.take("role")?.unwrap_or(AgentRole::Unified),
        permissions,
        config,
        priority: fields.take("priority")?.unwrap_or_default(),
        place: 0,
        removed_at: None,
    };
    fields.done()?;
    Ok(AgentFile { agent, protocol, provider_label })
}

fn permissions_of(mut fields: RemainingFields) -> Result<Permissions, AgentFileError> {
    let permissions = Permissions {
        tools_allowed: fields.take("tools_allowed")?,
        tools_denied: fields.take("tools_denied")?.unwrap_or_default(),
        tools_ask: fields.take("tools_ask")?.unwrap_or_default(),
        sandbox: fields.take("sandbox")?,
        ..Permissions::default()
    };
    fields.done()?;
    Ok(permissions)
}

impl AgentFile {
    /// The agent to add to this device: with a free name, a local provider, and no permissions beyond the defaults.
    /// `tools` are all existing tools.
    pub fn join(
        self,
        here: &[Agent],
        providers: &[Provider],
        tools: &[String],
    ) -> (Agent, Vec<AgentFileWarning>) {
        let Self { mut agent, protocol, provider_label } = self;
        let mut warnings = Vec::new();
        let name = agent.identity.name.clone();
        // The label must match too: many hosts use the same protocol.
        let has_label = |provider: &Provider| provider.label.eq_ignore_ascii_case(&provider_label);
        let mut fitting = providers.iter().filter(|one| !one.is_demo() && one.protocol == protocol);
        match fitting.find(|provider| has_label(provider)) {
            Some(provider) => agent.config.provider = provider.id.clone(),
            None => {
                agent = defaults::with_demo_model(&agent);
                // Files of earlier versions have its old name.
                let has_old_label = OLD_DEMO_LABEL.eq_ignore_ascii_case(&provider_label);
                let mut demos = providers.iter().filter(|provider| provider.is_demo());
                if !demos.any(|demo| has_old_label || has_label(demo)) {
                    warnings.push(AgentFileWarning::NoProvider(provider_label));
                }
            }
        }
        if agent.permissions != Permissions::default() {
            warnings.push(AgentFileWarning::Rules);
        }
        if let Some(allowed) = agent.permissions.tools_allowed.take() {
            // Importing the list as is could allow tools that this device asks about. So only its omissions apply, as
            // denials.
            let denied = tools.iter().filter(|tool| !allowed.contains(tool));
            agent.permissions.tools_denied.extend(denied.cloned());
            agent.permissions.tools_denied.dedup();
        }
        let agent = Agent { accent: agent.accent, ..defaults::agent_like(&agent, here.iter()) };
        if agent.identity.name != name {
            warnings.insert(0, AgentFileWarning::Renamed(agent.identity.name.clone()));
        }
        (agent, warnings)
    }
}

struct RemainingFields {
    map: Map<String, Value>,
    path: String,
}

impl RemainingFields {
    fn name(&self, field: &str) -> String {
        if self.path.is_empty() { field.to_owned() } else { format!("{}.{field}", self.path) }
    }

    fn done(&self) -> Result<(), AgentFileError> {
        match self.map.keys().next() {
            None => Ok(()),
            Some(field) => Err(AgentFileError::Unknown(self.name(field))),
        }
    }

    fn fields(&mut self, field: &str) -> Result<RemainingFields, AgentFileError> {
        Ok(RemainingFields { map: self.required(field)?, path: self.name(field) })
    }

    /// Reads an optional field, which may be null.
    fn take<T: DeserializeOwned>(&mut self, field: &str) -> Result<Option<T>, AgentFileError> {
        let value = self.map.remove(field).unwrap_or_default();
        json::from_tree(&value).map_err(|_| AgentFileError::Wrong(self.name(field)))
    }

    fn required<T: DeserializeOwned>(&mut self, field: &str) -> Result<T, AgentFileError> {
        self.take(field)?.ok_or_else(|| AgentFileError::Missing(self.name(field)))
    }

    fn checked<T: DeserializeOwned>(
        &mut self,
        field: &str,
        is_valid: fn(&T) -> bool,
    ) -> Result<Option<T>, AgentFileError> {
        let value = self.take(field)?;
        let is_wrong = value.as_ref().is_some_and(|value| !is_valid(value));
        if is_wrong { Err(AgentFileError::Wrong(self.name(field))) } else { Ok(value) }
    }

    fn positive(&mut self, field: &str) -> Result<Option<u64>, AgentFileError> {
        self.checked(field, |number| *number > 0)
    }
}

#[cfg(test)]
mod tests;

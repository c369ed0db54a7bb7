//! Reads and writes the JSON file in which an agent is shared, version 1.
//!
//! `{"nexus":"agent","version":1,"agent":{name, emoji, description, accent, soul, role, priority, provider:{protocol,
//! label}, model:{id, thinking, max_tokens, temperature, context_tokens}, permissions:{tools_allowed, tools_denied,
//! tools_ask, sandbox}}}`
//!
//! The reader rejects unknown fields. A file never carries an API key or an address, and never widens permissions:
//! the importing device sets those.

use serde_json::{Map, Value, json};

use crate::agent::{Accent, Agent, AgentRole, Identity, Permissions, Priority, defaults};
use crate::id::AgentKey;
use crate::limits::AGENT_FILE_BYTES;
use crate::llm::{ModelConfig, Thinking};
use crate::provider::{OLD_DEMO_LABEL, Protocol, Provider};

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
    let mut model = json!({ "id": config.model, "thinking": config.thinking.name() });
    put(&mut model, "max_tokens", config.max_tokens.map(Value::from));
    put(&mut model, "temperature", config.temperature.map(Value::from));
    put(&mut model, "context_tokens", config.context_tokens.map(Value::from));
    let mut permissions = json!({});
    let list = |names: &Vec<String>| Value::from(names.clone());
    put(&mut permissions, "tools_allowed", agent.permissions.tools_allowed.as_ref().map(list));
    let denied = &agent.permissions.tools_denied;
    put(&mut permissions, "tools_denied", (!denied.is_empty()).then(|| list(denied)));
    let ask = &agent.permissions.tools_ask;
    put(&mut permissions, "tools_ask", (!ask.is_empty()).then(|| list(ask)));
    put(&mut permissions, "sandbox", agent.permissions.sandbox.as_ref().map(list));
    let file = json!({
        "nexus": "agent",
        "version": VERSION,
        "agent": {
            "name": agent.identity.name,
            "emoji": agent.identity.emoji,
            "description": agent.description,
            "accent": agent.accent.name(),
            "soul": agent.identity.soul,
            "role": agent.role.name(),
            "priority": agent.priority.name(),
            "provider": {
                "protocol": provider.map_or(Protocol::Gemini, |provider| provider.protocol).name(),
                "label": provider.map_or("", |provider| &provider.label),
            },
            "model": model,
            "permissions": permissions,
        },
    });
    // A JSON tree always serialises.
    serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
}

fn put(object: &mut Value, name: &str, value: Option<Value>) {
    if let (Value::Object(object), Some(value)) = (object, value) {
        object.insert(name.to_owned(), value);
    }
}

pub fn file_name(agent: &Agent) -> String {
    format!("{}.nexus-agent.json", agent.key)
}

pub fn read(text: &str) -> Result<AgentFile, AgentFileError> {
    if text.len() > AGENT_FILE_BYTES {
        return Err(AgentFileError::Large);
    }
    let text = text.trim_start_matches('\u{feff}');
    let tree: Value =
        serde_json::from_str(text).map_err(|error| AgentFileError::NotJson(error.to_string()))?;
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
    let name = fields.text("name")?.trim().to_owned();
    if name.is_empty() {
        return Err(AgentFileError::Missing("agent.name".to_owned()));
    }
    let identity = Identity { name, soul: fields.text("soul")?, emoji: fields.text_or_none("emoji")? };
    let description = fields.text_or_none("description")?;
    let accent = fields.choice("accent", Accent::named, Accent::Green)?;
    let role = fields.choice("role", AgentRole::named, AgentRole::Unified)?;
    let priority = fields.choice("priority", Priority::named, Priority::Normal)?;
    let mut provider = fields.fields("provider")?;
    let protocol = provider.choice("protocol", Protocol::named, Protocol::Gemini)?;
    let provider_label = provider.text_or_none("label")?;
    provider.done()?;
    let mut model = fields.fields("model")?;
    let config = ModelConfig {
        provider: crate::id::ProviderId::from(""),
        model: model.text("id")?,
        thinking: model.choice("thinking", Thinking::named, Thinking::Auto)?,
        max_tokens: model.number("max_tokens")?.map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
        temperature: model
            .optional("temperature", |value| value.as_f64().filter(|value| (0.0..=2.0).contains(value)))?,
        context_tokens: model.number("context_tokens")?,
    };
    model.done()?;
    let permissions = match fields.map.contains_key("permissions") {
        true => permissions_of(fields.fields("permissions")?)?,
        false => Permissions::default(),
    };
    fields.done()?;
    let key = AgentKey(String::new());
    let agent = Agent {
        key,
        identity,
        description,
        accent,
        role,
        permissions,
        config,
        priority,
        place: 0,
        removed_at: None,
    };
    Ok(AgentFile { agent, protocol, provider_label })
}

fn permissions_of(mut fields: RemainingFields) -> Result<Permissions, AgentFileError> {
    let permissions = Permissions {
        tools_allowed: fields.list("tools_allowed")?,
        tools_denied: fields.list("tools_denied")?.unwrap_or_default(),
        tools_ask: fields.list("tools_ask")?.unwrap_or_default(),
        sandbox: fields.list("sandbox")?,
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
        let has_protocol = |provider: &&Provider| !provider.is_demo() && provider.protocol == protocol;
        let mut fitting: Vec<_> = providers.iter().filter(has_protocol).collect();
        // The label must match too: many hosts use the same protocol.
        fitting.retain(|provider| provider.label.eq_ignore_ascii_case(&provider_label));
        match fitting.first() {
            Some(provider) => agent.config.provider = provider.id.clone(),
            None => {
                agent = defaults::with_demo_model(&agent);
                let was_demo = |provider: &Provider| {
                    // Files of earlier versions have its old name.
                    let names = [provider.label.as_str(), OLD_DEMO_LABEL];
                    provider.is_demo() && names.iter().any(|name| name.eq_ignore_ascii_case(&provider_label))
                };
                if !providers.iter().any(was_demo) {
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

    fn wrong(&self, field: &str) -> AgentFileError {
        AgentFileError::Wrong(self.name(field))
    }

    fn take(&mut self, field: &str) -> Option<Value> {
        self.map.remove(field).filter(|value| !value.is_null())
    }

    fn done(&self) -> Result<(), AgentFileError> {
        match self.map.keys().next() {
            None => Ok(()),
            Some(field) => Err(AgentFileError::Unknown(self.name(field))),
        }
    }

    fn fields(&mut self, field: &str) -> Result<RemainingFields, AgentFileError> {
        let path = self.name(field);
        match self.take(field) {
            None => Err(AgentFileError::Missing(path)),
            Some(Value::Object(map)) => Ok(RemainingFields { map, path }),
            Some(_) => Err(self.wrong(field)),
        }
    }

    /// Parses an optional field; `None` if it is absent.
    fn optional<T>(
        &mut self,
        field: &str,
        read: impl FnOnce(&Value) -> Option<T>,
    ) -> Result<Option<T>, AgentFileError> {
        let Some(value) = self.take(field) else { return Ok(None) };
        read(&value).map(Some).ok_or_else(|| self.wrong(field))
    }

    fn text(&mut self, field: &str) -> Result<String, AgentFileError> {
        let text = self.optional(field, |value| value.as_str().map(str::to_owned))?;
        text.ok_or_else(|| AgentFileError::Missing(self.name(field)))
    }

    fn text_or_none(&mut self, field: &str) -> Result<String, AgentFileError> {
        if self.map.contains_key(field) { self.text(field) } else { Ok(String::new()) }
    }

    fn number(&mut self, field: &str) -> Result<Option<u64>, AgentFileError> {
        self.optional(field, |value| value.as_u64().filter(|number| *number > 0))
    }

    fn list(&mut self, field: &str) -> Result<Option<Vec<String>>, AgentFileError> {
        let text = |item: &Value| item.as_str().map(str::to_owned);
        self.optional(field, |value| value.as_array()?.iter().map(text).collect())
    }

    /// Parses an enum field by name; `usual` is the default.
    fn choice<T>(
        &mut self,
        field: &str,
        named: fn(&str) -> Option<T>,
        default: T,
    ) -> Result<T, AgentFileError> {
        if !self.map.contains_key(field) {
            return Ok(default);
        }
        named(&self.text(field)?).ok_or_else(|| self.wrong(field))
    }
}

#[cfg(test)]
mod tests;

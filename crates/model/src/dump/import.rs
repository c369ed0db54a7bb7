//! What an import offers: the agents, providers, settings and triggers of a dump that differ from this device, and a
//! copy of a session whose ids exist here already.
//!
//! The operator accepts differences one by one. API keys and permissions are never imported. The new ids of a copy are
//! derived from the session's contents, so importing it twice is recognised.

use serde_json::Map;

use crate::dump::CONTENTS;
use crate::dump::check::DumpedSession;
use crate::prelude::*;
use crate::provider::{DEMO_URL, address::normalise};
use crate::run::templates::check_row;
use crate::session::trigger::{PauseReason, Trigger, trigger, triggers};
use crate::settings::schema::{AnySetting, SCHEMA, TOOL_RULES};

/// Something of the dump that could be imported.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportProposal {
    /// A provider, whose address would be called; and its address here under the same id.
    Provider { provider: Provider, here: Option<String> },
    /// An agent without its permissions; denials are kept. Its provider may be set up here or proposed too.
    Agent { agent: Box<Agent>, exists: bool },
    /// A setting that may be imported.
    Setting { name: String, value: Value },
    /// A trigger that this device lacks, paused.
    Trigger(Box<Trigger>),
}

impl ImportProposal {
    /// True if this device has already what it proposes.
    pub fn is_applied(&self, here: &World) -> bool {
        match self {
            Self::Provider { provider, .. } => here.live_provider(&provider.id) == Some(provider),
            Self::Agent { agent, .. } => here
                .agent(&agent.key)
                .is_some_and(|known| **known == without_rights(agent, Some(&known.permissions))),
            Self::Setting { name, value } => here.setting(name).is_some_and(|stored| **stored == *value),
            Self::Trigger(proposed) => trigger(here, proposed.id).is_some(),
        }
    }
}

/// The proposals of a dump, providers first, because agents need them.
pub fn proposals(there: &World, here: &World) -> Vec<ImportProposal> {
    let mut all = Vec::new();
    for provider in there.providers.values().filter_map(|provider| provider.as_ref().as_ref()) {
        let known = here.live_provider(&provider.id);
        let is_callable = provider.base_url.starts_with(DEMO_URL)
            || normalise(&provider.base_url).is_ok_and(|address| address == provider.base_url);
        if is_callable {
            let here = known.map(|known| known.base_url.clone());
            all.push(ImportProposal::Provider { provider: provider.clone(), here });
        }
    }
    for agent in there.roster() {
        let known = here.agent(&agent.key).filter(|agent| agent.exists());
        let agent = Box::new(without_rights(agent, known.map(|known| &known.permissions)));
        all.push(ImportProposal::Agent { agent, exists: known.is_some() });
    }
    for (setting, _) in SCHEMA.iter().filter(|(_, info)| info.imported.is_some()) {
        let valid =
            differences(there, here, setting).filter(|(name, value)| check_row(here, name, value).is_ok());
        all.extend(valid.map(|(name, value)| ImportProposal::Setting { name, value: value.clone() }));
    }
    for trigger in triggers(there).into_iter().filter(|one| one.pause_reason != Some(PauseReason::Over)) {
        let trigger = Trigger { pause_reason: Some(PauseReason::Paused), ..trigger };
        all.push(ImportProposal::Trigger(Box::new(trigger)));
    }
    all.retain(|proposal| !proposal.is_applied(here));
    all
}

/// The labels of permissions that the dump has and this device lacks. They are never imported.
pub fn left_out(there: &World, here: &World) -> Vec<&'static str> {
    let allows = |agent: &Agent| {
        let always = here.agent(&agent.key).map(|own| own.permissions.tools_always.as_slice());
        agent.permissions.tools_always != always.unwrap_or_default()
    };
    let is_left_out = |setting: &AnySetting| {
        let mut rows = differences(there, here, setting);
        rows.any(|(_, value)| {
            *value != Value::Bool(false) && value.as_array().is_none_or(|all| !all.is_empty())
        }) || setting.name() == TOOL_RULES.name() && there.roster().iter().any(|agent| allows(agent))
    };
    let permissions = SCHEMA.iter().filter(|(_, info)| info.imported.is_none() && !info.label.is_empty());
    permissions.filter(|(setting, _)| is_left_out(setting)).map(|(_, info)| info.label).collect()
}

/// The stored values of a setting that are set in the dump and differ from those here.
fn differences<'w>(
    there: &'w World,
    here: &'w World,
    setting: &AnySetting,
) -> impl Iterator<Item = (String, &'w Value)> {
    let names: Vec<_> = if let AnySetting::Rows(rows) = setting {
        there.rows_of(*rows).map(|(key, _)| rows.row(key)).collect()
    } else {
        vec![setting.name().to_owned()]
    };
    names.into_iter().filter_map(|name| {
        let value = there.setting(&name).filter(|value| !value.is_null() && value.as_str() != Some(""))?;
        (here.setting(&name) != Some(value)).then_some((name, value.as_ref()))
    })
}

/// An agent with its local permissions; a new one with its denials and ask rules only.
fn without_rights(agent: &Agent, here: Option<&Permissions>) -> Agent {
    let own = &agent.permissions;
    let permissions =
        here.cloned().unwrap_or_else(|| Permissions { tools_always: Vec::new(), ..own.clone() });
    Agent { permissions, removed_at: None, ..agent.clone() }
}

/// Maps old ids to new ones.
#[derive(Clone, Debug, Default)]
pub struct IdMap(VecMap<u128, u128>);

impl IdMap {
    /// Assigns new ids to everything created in a session.
    pub fn assign_ids(&mut self, session: &DumpedSession) {
        let step = step_of(&session.hash);
        for id in session.ids.iter().map(|(_, id)| *id).chain([session.id.bits()]) {
            self.0.insert(id, stepped(id, step));
        }
    }

    /// The new id, or the same one if it is not mapped.
    pub fn of(&self, id: u128) -> u128 {
        self.0.get(&id).copied().unwrap_or(id)
    }

    pub fn session(&self, id: SessionId) -> SessionId {
        SessionId::from(self.of(id.bits()))
    }

    /// Replaces the ids in an event or row.
    pub fn change(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.into_iter().map(|item| self.change(item)).collect(),
            Value::Object(fields) => {
                let change = |(name, inner): (String, Value)| {
                    let inner = if CONTENTS.contains(&name.as_str()) { inner } else { self.change(inner) };
                    (self.text(name), inner)
                };
                Value::Object(fields.into_iter().map(change).collect::<Map<_, _>>())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }

    fn text(&self, text: String) -> String {
        // All ids are ULIDs of 26 characters.
        if text.len() != 26 {
            return text;
        }
        let id = text.parse::<MessageId>().ok().and_then(|id| self.0.get(&id.bits()));
        id.map_or(text, |id| MessageId::from(*id).to_string())
    }
}

pub fn copy_of(session: &DumpedSession) -> SessionId {
    SessionId::from(stepped(session.id.bits(), step_of(&session.hash)))
}

/// The offset between old and new ids.
fn step_of(hash: &ContentHash) -> u128 {
    let digits = hash.to_string();
    u128::from(u64::from_str_radix(digits.get(..15).unwrap_or_default(), 16).unwrap_or(1)).max(1)
}

/// Keeps the time of a ULID, so that the order stays, and shifts its random part.
fn stepped(id: u128, step: u128) -> u128 {
    const RANDOM: u128 = (1 << 80) - 1;
    (id & !RANDOM) | ((id & RANDOM).wrapping_add(step) & RANDOM)
}

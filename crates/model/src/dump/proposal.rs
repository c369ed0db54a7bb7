//! Lists the agents, providers and settings of a dump that differ from this device.
//!
//! The operator accepts them one by one. API keys and permissions are never imported.

use serde_json::Value;

use crate::agent::{Agent, Permissions};
use crate::provider::address::normalise;
use crate::provider::{DEMO_URL, Provider};
use crate::run::templates::check_row;
use crate::settings::schema::{AnySetting, SCHEMA, TOOL_RULES};
use crate::world::World;

/// Something of the dump that could be imported.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportProposal {
    /// A provider, whose address would be called.
    Provider {
        provider: Provider,
        /// The address on this device under the same id.
        here: Option<String>,
    },
    /// An agent without its permissions; denials are kept.
    Agent {
        agent: Box<Agent>,
        exists: bool,
        /// True if its provider is set up here or proposed too.
        has_provider: bool,
    },
    Setting {
        name: String,
        value: Value,
    },
}

/// The proposals of a dump, providers first, because agents need them.
pub fn proposals(there: &World, here: &World) -> Vec<ImportProposal> {
    let mut all = Vec::new();
    for provider in there.providers.values().filter_map(|provider| provider.as_ref().as_ref()) {
        let known = here.live_provider(&provider.id);
        let is_callable = provider.base_url.starts_with(DEMO_URL)
            || normalise(&provider.base_url).is_ok_and(|address| address == provider.base_url);
        if known != Some(provider) && is_callable {
            let here = known.map(|known| known.base_url.clone());
            all.push(ImportProposal::Provider { provider: provider.clone(), here });
        }
    }
    for agent in there.roster() {
        let known = here.agent(&agent.key).filter(|agent| agent.exists());
        let proposed = without_rights(agent, known.map(|known| &known.permissions));
        if known.is_none_or(|known| **known != proposed) {
            let id = &proposed.config.provider;
            let has_provider = here.live_provider(id).is_some();
            all.push(ImportProposal::Agent {
                agent: Box::new(proposed),
                exists: known.is_some(),
                has_provider,
            });
        }
    }
    for (setting, _) in SCHEMA.iter().filter(|(_, info)| info.imported.is_some()) {
        let names = if let AnySetting::Rows(rows) = setting {
            there.rows_of(*rows).map(|(key, _)| rows.row(key)).collect()
        } else {
            vec![setting.name().to_owned()]
        };
        for name in names {
            if let Some(value) = there.setting(&name).filter(|value| !value.is_null())
                && here.setting(&name) != Some(value)
                && check_row(here, &name, value).is_ok()
            {
                all.push(ImportProposal::Setting { name, value: value.as_ref().clone() });
            }
        }
    }
    all
}

/// True if the dump has tool rules, which are never imported.
pub fn has_tool_rules(there: &World) -> bool {
    let rules = there.stored(TOOL_RULES);
    rules.is_some_and(|rules| rules.as_array().is_some_and(|rules| !rules.is_empty()))
        || there.roster().iter().any(|agent| !agent.permissions.tools_always.is_empty())
}

/// An agent with its local permissions; a new one with its denials and ask rules only.
fn without_rights(agent: &Agent, here: Option<&Permissions>) -> Agent {
    let own = &agent.permissions;
    let permissions =
        here.cloned().unwrap_or_else(|| Permissions { tools_always: Vec::new(), ..own.clone() });
    Agent { permissions, removed_at: None, ..agent.clone() }
}

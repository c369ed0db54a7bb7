//! Default agents (Architect, Engineer, Critic) and default providers of a new device; templates of further agents.

use crate::agent::{Accent, Agent, AgentRole, Identity, Permissions, Priority};
use crate::id::AgentKey;
use crate::llm::{ModelConfig, Thinking};
use crate::provider::Provider;

const ARCHITECT: &str = include_str!("personas/architect.txt");
const ENGINEER: &str = include_str!("personas/engineer.txt");
const CRITIC: &str = include_str!("personas/critic.txt");
const BLANK: &str = include_str!("personas/blank.txt");
const WRITER: &str = include_str!("personas/writer.txt");
const TESTER: &str = include_str!("personas/tester.txt");

pub const DEMO_MODEL: &str = "rehearsal-1";

pub fn first_providers() -> Vec<Provider> {
    vec![Provider::demo(), Provider::gemini()]
}

/// The agents of a new device, on the demo provider until the operator chooses another.
pub fn first_agents() -> Vec<Agent> {
    let architect = template("Architect", "🏛️", "Plans the work and keeps the plan.", ARCHITECT);
    let engineer = template("Engineer", "🛠️", "Builds what the plan says.", ENGINEER);
    let critic = template("Critic", "🔎", "Looks for what is wrong or missing.", CRITIC);
    vec![
        Agent { accent: Accent::Cyan, priority: Priority::High, config: demo(Thinking::High), ..architect },
        Agent { accent: Accent::Amber, place: 1, ..engineer },
        Agent { accent: Accent::Rose, priority: Priority::Low, place: 2, ..critic },
    ]
}

/// The templates for new agents, a blank one first.
pub fn templates() -> Vec<Agent> {
    let mut templates = vec![template("Agent", "✨", "", BLANK)];
    templates.extend(first_agents().into_iter().map(|agent| Agent { priority: Priority::Normal, ..agent }));
    templates.push(template("Writer", "✍️", "Makes texts clear, short and true.", WRITER));
    templates.push(template("Tester", "🧪", "Tries what was built, and says how it breaks.", TESTER));
    templates
}

fn template(name: &str, emoji: &str, description: &str, soul: &str) -> Agent {
    // The files end with a line break, the prompts do not.
    let soul = soul.trim_end().to_owned();
    Agent {
        key: AgentKey(name.to_lowercase()),
        identity: Identity { soul, name: name.to_owned(), emoji: emoji.to_owned() },
        description: description.to_owned(),
        accent: Accent::Green,
        role: AgentRole::Unified,
        permissions: Permissions::default(),
        config: demo(Thinking::Auto),
        priority: Priority::Normal,
        place: 0,
        removed_at: None,
    }
}

fn demo(thinking: Thinking) -> ModelConfig {
    ModelConfig { thinking, ..ModelConfig::new("rehearsal", DEMO_MODEL) }
}

/// The agent moved to the demo provider, for when its provider is removed.
pub fn with_demo_model(agent: &Agent) -> Agent {
    let config = ModelConfig {
        max_tokens: agent.config.max_tokens,
        temperature: agent.config.temperature,
        ..demo(agent.config.thinking)
    };
    Agent { config, ..agent.clone() }
}

/// A new agent made from a pattern: last in the roster, with a free name, key and, if possible, colour. `all` includes
/// removed agents, so that no key is reused.
pub fn agent_like<'a>(pattern: &Agent, all: impl Iterator<Item = &'a Agent> + Clone) -> Agent {
    let here = || all.clone().filter(|agent| agent.exists());
    let name_taken = |name: &str| here().any(|agent| agent.identity.name.eq_ignore_ascii_case(name));
    let name = free(pattern.identity.name.trim(), " ", name_taken);
    let key = free(&key_of(&name), "-", |key| all.clone().any(|agent| agent.key.as_str() == key));
    let accent = Accent::ALL.into_iter().find(|accent| !here().any(|agent| agent.accent == *accent));
    // Replaces the name in the persona's introduction.
    let introduction = format!("You are {},", pattern.identity.name);
    let soul = match pattern.identity.soul.strip_prefix(&introduction) {
        Some(rest) => format!("You are {name},{rest}"),
        None => pattern.identity.soul.clone(),
    };
    Agent {
        key: AgentKey(key),
        identity: Identity { soul, name, emoji: pattern.identity.emoji.clone() },
        accent: accent.unwrap_or(pattern.accent),
        place: here().map(|agent| agent.place.saturating_add(1)).max().unwrap_or(0),
        removed_at: None,
        ..pattern.clone()
    }
}

/// A name as a key: letters and digits in lower case, everything else a dash.
fn key_of(name: &str) -> String {
    let small = name.to_lowercase();
    let words = small.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let key = words.collect::<Vec<_>>().join("-");
    if key.is_empty() { "agent".to_owned() } else { key }
}

/// The first free one of `name`, `name 2`, `name 3`, … Continues from a number at the end of the name.
pub(crate) fn free(name: &str, gap: &str, taken: impl Fn(&str) -> bool) -> String {
    let name = if name.is_empty() { "Agent" } else { name };
    if !taken(name) {
        return name.to_owned();
    }
    let stem = match name.rsplit_once(gap) {
        Some((stem, number)) if !stem.is_empty() && number.parse::<u32>().is_ok() => stem,
        Some(_) | None => name,
    };
    (2u32..).map(|number| format!("{stem}{gap}{number}")).find(|name| !taken(name)).unwrap_or_default()
}

#[cfg(test)]
mod tests;

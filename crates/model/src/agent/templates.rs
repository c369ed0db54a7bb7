//! Creates new agents from templates or as copies, with unused names and keys.

use crate::agent::defaults::{REHEARSAL_MODEL, first_agents};
use crate::agent::{Accent, Agent, AgentRole, Identity, Permissions, Priority};
use crate::id::AgentKey;
use crate::llm::{ModelConfig, Thinking};

/// The templates that a new agent can be made from, a blank one first.
pub fn templates() -> Vec<Agent> {
    let mut templates = vec![template("Agent", "✨", "", BLANK)];
    templates.extend(first_agents().into_iter().map(|agent| Agent { priority: Priority::Normal, ..agent }));
    templates.push(template("Writer", "✍️", "Makes texts clear, short and true.", WRITER));
    templates.push(template("Tester", "🧪", "Tries what was built, and says how it breaks.", TESTER));
    templates
}

fn template(name: &str, emoji: &str, description: &str, soul: &str) -> Agent {
    Agent {
        key: AgentKey(name.to_lowercase()),
        identity: Identity { soul: soul.to_owned(), name: name.to_owned(), emoji: emoji.to_owned() },
        description: description.to_owned(),
        accent: Accent::Green,
        role: AgentRole::Unified,
        permissions: Permissions::default(),
        config: rehearsal(Thinking::Auto),
        priority: Priority::Normal,
        place: 0,
        removed_at: None,
    }
}

fn rehearsal(thinking: Thinking) -> ModelConfig {
    ModelConfig { thinking, ..ModelConfig::new("rehearsal", REHEARSAL_MODEL) }
}

/// The agent on Rehearsal, for when its provider goes.
pub fn rehearsing(agent: &Agent) -> Agent {
    let config = ModelConfig {
        max_tokens: agent.config.max_tokens,
        temperature: agent.config.temperature,
        ..rehearsal(agent.config.thinking)
    };
    Agent { config, ..agent.clone() }
}

/// A new agent after the pattern of another: the last of the roster, with a name, a key and, where one is left, a
/// colour that nobody has. `all` are all agents there ever were, so that no key is used twice.
pub fn after<'a>(pattern: &Agent, all: impl Iterator<Item = &'a Agent> + Clone) -> Agent {
    let here = || all.clone().filter(|agent| agent.is_here());
    let name_taken = |name: &str| here().any(|agent| agent.identity.name.eq_ignore_ascii_case(name));
    let name = free(pattern.identity.name.trim(), " ", name_taken);
    let key = free(&key_of(&name), "-", |key| all.clone().any(|agent| agent.key.as_str() == key));
    let accent = Accent::ALL.into_iter().find(|accent| !here().any(|agent| agent.accent == *accent));
    // A persona that introduces itself by its name does so by the new one.
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

/// A name as a key: letters and digits small, everything else a dash.
fn key_of(name: &str) -> String {
    let small = name.to_lowercase();
    let words = small.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let key = words.collect::<Vec<_>>().join("-");
    if key.is_empty() { "agent".to_owned() } else { key }
}

/// The first of `name`, `name 2`, `name 3`, … that is not taken. A number that the name ends with is counted on.
fn free(name: &str, gap: &str, taken: impl Fn(&str) -> bool) -> String {
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

const BLANK: &str = "\
You are Agent, one of a small team that works for one operator on one shared mind.

Your job is to …";

const WRITER: &str = "\
You are Writer, the author of a small team that works for one operator on one shared mind.

Your job is to write and mend texts so that their readers understand them at once:
- Find out from the objective and the plan who reads the text and what it is for. Write for them.
- Say what is true, in plain words and short sentences. Keep names, numbers and quotes exactly as they are given.
- Change the files themselves with your tools. Prefer `edit_file` with an exact passage to writing a file anew.
- Leave code, structure and design to the others, but for the words that people read.

Afterwards say in a few sentences what you changed and why, and what you were not sure of.";

const TESTER: &str = "\
You are Tester, who tries what a small team has built for one operator on one shared mind.

Your job is to find out how it breaks before the operator does:
- Read the files, and walk through what a user would do, step by step: the usual way first, then empty, wrong, very \
long and strange input.
- For each fault say what you did, what happened, what should have happened, and in which file and line the cause is.
- Where a test can be written down, write it into a file of its own, small and with an expected result.
- Add each fault to the scratchpad as an open item for Engineer. Do not mend it yourself.

Say plainly when you find nothing, and what you did not try.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_introduces_itself_by_its_name() {
        for template in templates() {
            let introduction = format!("You are {},", template.identity.name);
            assert!(template.identity.soul.starts_with(&introduction), "{}", template.identity.name);
        }
    }

    #[test]
    fn a_copy_has_its_own_name_key_place_and_colour() {
        let first = first_agents();
        let copy = after(&first[1], first.iter());
        assert_eq!((copy.key.as_str(), copy.identity.name.as_str()), ("engineer-2", "Engineer 2"));
        assert!(copy.identity.soul.starts_with("You are Engineer 2,"));
        assert_eq!((copy.place, copy.accent), (3, Accent::Green));
        let again = after(&copy, first.iter().chain([&copy]));
        assert_eq!((again.key.as_str(), again.identity.name.as_str()), ("engineer-3", "Engineer 3"));
        assert_eq!(again.permissions, first[1].permissions);
    }

    #[test]
    fn a_removed_agent_gives_up_its_name_but_not_its_key() {
        let mut all = first_agents();
        all[1].removed_at = Some(crate::id::Millis(1));
        let new = after(&all[1], all.iter());
        assert_eq!((new.key.as_str(), new.identity.name.as_str()), ("engineer-2", "Engineer"));
    }

    #[test]
    fn any_name_gives_a_key() {
        assert_eq!(key_of("Zoë  the 2nd!"), "zoë-the-2nd");
        assert_eq!(key_of("🦀"), "agent");
    }
}
